//! Limits on how often something may be tried: token buckets in memory, one for each key.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Keys remembered at once; beyond that, buckets that are full again are forgotten first, then all: an attacker with
/// that many addresses is not stopped by this anyway, and memory stays bounded.
const KEYS: usize = 100_000;

/// Token buckets of one size.
pub struct Limit<K> {
    burst: f64,
    per_second: f64,
    buckets: Mutex<HashMap<K, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl<K: Eq + Hash> Limit<K> {
    /// `burst` at once, then one more every `every`.
    #[must_use]
    pub fn new(burst: u32, every: Duration) -> Self {
        Self { burst: f64::from(burst), per_second: 1.0 / every.as_secs_f64(), buckets: Mutex::default() }
    }

    fn filled(&self, bucket: Bucket, now: Instant) -> f64 {
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.tokens + since * self.per_second).min(self.burst)
    }

    /// Whether `key` has a token left, without taking it; if not, how long until it has.
    pub fn check(&self, key: &K) -> Result<(), Duration> {
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let tokens = buckets.get(key).map_or(self.burst, |bucket| self.filled(*bucket, Instant::now()));
        if tokens >= 1.0 { Ok(()) } else { Err(Duration::from_secs_f64((1.0 - tokens) / self.per_second)) }
    }

    /// Takes a token, if there is one.
    pub fn take(&self, key: K) {
        let now = Instant::now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEYS && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| self.filled(*bucket, now) < self.burst);
            if buckets.len() >= KEYS {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket { tokens: self.burst, at: now });
        *bucket = Bucket { tokens: (self.filled(*bucket, now) - 1.0).max(0.0), at: now };
    }

    /// Gives `key` its full burst again.
    pub fn forgive(&self, key: &K) {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_let_through_and_the_next_one_told_how_long_to_wait() {
        let limit = Limit::new(3, Duration::from_mins(1));
        for _ in 0..3 {
            assert!(limit.check(&"a").is_ok());
            limit.take("a");
        }
        let wait = limit.check(&"a").err().unwrap_or_default();
        assert!(wait > Duration::from_secs(50) && wait <= Duration::from_mins(1), "{wait:?}");
        assert!(limit.check(&"b").is_ok(), "another key has a bucket of its own");
        limit.forgive(&"a");
        assert!(limit.check(&"a").is_ok());
    }
}
