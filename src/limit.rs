//! Rate limits: token buckets in memory, one per key.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Maximum number of keys, a few megabytes.
const KEYS: usize = 100_000;

/// Token buckets of one size. A caller takes a token before a try, so that concurrent tries are counted too, and gives
/// it back if the try did not fail.
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

impl<K: Clone + Eq + Hash> Limit<K> {
    /// Allows `burst` tries at once, then one more per `every`.
    #[must_use]
    pub fn new(burst: u32, every: Duration) -> Self {
        Self { burst: f64::from(burst), per_second: 1.0 / every.as_secs_f64(), buckets: Mutex::default() }
    }

    /// Takes a token; without one, fails with the time until the next.
    pub fn take(&self, key: &K) -> Result<(), Duration> {
        self.take_at(key, Instant::now())
    }

    /// Takes a token if the bucket is more than half full; [`Self::take`] may use the other half too.
    pub fn take_of_half(&self, key: &K) -> Result<(), Duration> {
        self.take_leaving(key, self.burst / 2.0, Instant::now())
    }

    fn take_at(&self, key: &K, now: Instant) -> Result<(), Duration> {
        self.take_leaving(key, 0.0, now)
    }

    fn take_leaving(&self, key: &K, left: f64, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.lock();
        let tokens = buckets.get(key).map_or(self.burst, |bucket| self.filled(*bucket, now));
        if tokens - left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 + left - tokens) / self.per_second));
        }
        if buckets.len() >= KEYS && !buckets.contains_key(key) {
            self.make_room(&mut buckets, now);
        }
        buckets.insert(key.clone(), Bucket { tokens: tokens - 1.0, at: now });
        Ok(())
    }

    /// Returns a token taken by [`Self::take`].
    pub fn give_back(&self, key: &K) {
        let now = Instant::now();
        let mut buckets = self.lock();
        if let Some(bucket) = buckets.get(key) {
            let tokens = self.filled(*bucket, now) + 1.0;
            if tokens < self.burst {
                buckets.insert(key.clone(), Bucket { tokens, at: now });
            } else {
                buckets.remove(key);
            }
        }
    }

    /// Number of tokens taken and neither returned nor refilled.
    pub fn taken(&self, key: &K) -> f64 {
        let tokens = self.lock().get(key).map(|bucket| self.filled(*bucket, Instant::now()));
        tokens.map_or(0.0, |tokens| self.burst - tokens)
    }

    fn filled(&self, bucket: Bucket, now: Instant) -> f64 {
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.tokens + since * self.per_second).min(self.burst)
    }

    /// Evicts the fuller half of the buckets, so that inventing keys does not release a limited client.
    fn make_room(&self, buckets: &mut HashMap<K, Bucket>, now: Instant) {
        let mut by_fill: Vec<(f64, K)> =
            buckets.iter().map(|(key, bucket)| (self.filled(*bucket, now), key.clone())).collect();
        let half = by_fill.len() / 2;
        by_fill.select_nth_unstable_by(half, |one, other| one.0.total_cmp(&other.0));
        for (_, key) in &by_fill[half..] {
            buckets.remove(key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Bucket>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_burst_is_let_through_and_the_next_one_told_how_long_to_wait() {
        let (limit, now) = (Limit::new(3, 60 * SECOND), Instant::now());
        for _ in 0..3 {
            assert_eq!(limit.take_at(&"a", now), Ok(()));
        }
        assert_eq!(limit.take_at(&"a", now + 20 * SECOND), Err(40 * SECOND));
        assert_eq!(limit.take_at(&"a", now + 60 * SECOND), Ok(()));
        assert!(limit.take_at(&"a", now + 60 * SECOND).is_err(), "one a minute");
        assert_eq!(limit.take_at(&"b", now), Ok(()), "another key has a bucket of its own");
    }

    #[test]
    fn a_token_that_is_given_back_can_be_taken_again_and_no_more() {
        let limit = Limit::new(2, 3600 * SECOND);
        for _ in 0..5 {
            limit.take(&"a").unwrap();
            limit.give_back(&"a");
        }
        limit.give_back(&"a");
        assert_eq!([(); 3].map(|()| limit.take(&"a").is_ok()), [true, true, false]);
    }

    #[test]
    fn half_of_a_bucket_can_be_left_to_others_x6() {
        let limit = Limit::new(4, 3600 * SECOND);
        assert_eq!([(); 3].map(|()| limit.take_of_half(&"a").is_ok()), [true, true, false]);
        assert_eq!([(); 3].map(|()| limit.take(&"a").is_ok()), [true, true, false]);
    }

    /// S2, P3: concurrent tries were all allowed, because the token was taken after the try.
    #[test]
    fn tries_at_the_same_moment_are_counted_one_by_one() {
        let limit = Limit::new(20, 3600 * SECOND);
        let allowed = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..100).filter(|_| limit.take(&"a").is_ok()).count()))
                .collect();
            tries.into_iter().map(|tries| tries.join().unwrap()).sum::<usize>()
        });
        assert_eq!(allowed, 20);
    }

    /// S16: 100 000 other keys emptied the whole table.
    #[test]
    fn inventing_keys_sets_nobody_free() {
        let limit = Limit::new(2, 3600 * SECOND);
        while limit.take(&u32::MAX).is_ok() {}
        for key in 0..250_000 {
            limit.take(&key).unwrap();
        }
        assert!(limit.take(&u32::MAX).is_err());
        assert!(limit.lock().len() <= KEYS);
    }
}
