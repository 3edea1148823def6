//! Password hashing, off the async threads and at most one hash per core at once.

mod turns;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use crate::domain::account::normalized_password;
use turns::Turns;

/// Maximum wait of a sign-in for hashing before it is answered "busy".
const SIGN_IN_PATIENCE: Duration = Duration::from_secs(2);
/// Maximum wait of a registration: a whole class registers at once and prefers to wait.
const REGISTRATION_PATIENCE: Duration = Duration::from_secs(15);
/// Concurrent verifications per account; more only delay each other.
const AT_ONCE: usize = 2;

/// Hashes and verifies passwords with argon2id at 19 MiB, two passes, one lane: the minimum of OWASP ASVS 5.0, appendix
/// C, about 15 to 30 ms a hash.
#[derive(Clone)]
pub struct Passwords {
    cores: Turns,
    /// Registrations hash one at a time, so that a sign-in never queues behind many of them.
    registration: Arc<Semaphore>,
    accounts: Accounts,
    /// Hash to verify if there is no account, so that an unknown address takes as long as a wrong password (R-LOGIN-4).
    dummy: Arc<str>,
}

/// Reason why a password was not hashed or verified.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// All cores were busy until the timeout.
    #[error("too many passwords are being checked at once")]
    Busy,
    /// The account had too many concurrent sign-ins until the timeout.
    #[error("too many passwords of one account are being checked at once")]
    AccountBusy,
    /// Hashing failed.
    #[error("hashing failed: {0}")]
    Failed(String),
}

/// Result of a verification.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Wrong,
    Right {
        /// New hash to store if the stored one is weaker.
        rehashed: Option<String>,
    },
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(19_456, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Hashes a password to a PHC string; deliberately slow. For the command line; the server uses [`Passwords`].
pub fn hash_now(password: &str) -> Result<String, Error> {
    argon2()
        .hash_password(normalized_password(password).as_bytes())
        .map(|hash| hash.to_string())
        .map_err(|error| Error::Failed(error.to_string()))
}

/// True if the password matches the hash; blocks the calling thread.
#[must_use]
pub fn fits(password: &str, hash: &str) -> bool {
    verify_now(password, hash).is_ok_and(|verdict| matches!(verdict, Verdict::Right { .. }))
}

fn verify_now(password: &str, hash: &str) -> Result<Verdict, Error> {
    let Ok(stored) = PasswordHash::new(hash) else { return Ok(Verdict::Wrong) };
    let fits = |password: &str| argon2().verify_password(password.as_bytes(), &stored).is_ok();
    let normalized = normalized_password(password);
    // Hashes made before passwords were normalised are of the text as typed.
    let as_typed = !fits(&normalized);
    if as_typed && (normalized == password || !fits(password)) {
        return Ok(Verdict::Wrong);
    }
    let rehashed = if as_typed || is_weaker(&stored) { Some(hash_now(password)?) } else { None };
    Ok(Verdict::Right { rehashed })
}

/// True if the parameters differ from those of new hashes.
fn is_weaker(stored: &PasswordHash) -> bool {
    let ours = argon2();
    let cost = |params: &Params| (params.m_cost(), params.t_cost(), params.p_cost());
    stored.algorithm != Algorithm::Argon2id.ident()
        || stored.version != Some(Version::V0x13.into())
        || Params::try_from(stored).map_or(true, |params| cost(&params) != cost(ours.params()))
}

impl Passwords {
    /// Uses all cores but one, and at least one.
    pub fn new() -> Result<Self, Error> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            cores: Turns::new(cores.saturating_sub(1).max(1)),
            registration: Arc::new(Semaphore::new(1)),
            accounts: Accounts::default(),
            dummy: hash_now("nobody's password")?.into(),
        })
    }

    async fn on_a_core<T: Send + 'static>(
        &self,
        failures: f64,
        until: Instant,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let core = self.cores.take(failures, until).await.ok_or(Error::Busy)?;
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(core);
            done
        })
        .await
        .map_err(|error| Error::Failed(error.to_string()))?
    }

    /// Hashes a new password with its own salt to a PHC string.
    pub async fn hash(&self, password: String) -> Result<String, Error> {
        let until = Instant::now() + REGISTRATION_PATIENCE;
        let _turn = turn_at(&self.registration, until).await.ok_or(Error::Busy)?;
        self.on_a_core(0.0, until, move || hash_now(&password)).await
    }

    /// Verifies `password` against `hash`, the stored hash of `account`. Without a hash it takes as long and fails. In
    /// the queue, every other turn goes to the request with the fewest recent `failures` (R12).
    pub async fn verify(
        &self,
        account: &str,
        password: String,
        hash: Option<String>,
        failures: f64,
    ) -> Result<Verdict, Error> {
        let until = Instant::now() + SIGN_IN_PATIENCE;
        let _turn = self.accounts.turn(account, until).await.ok_or(Error::AccountBusy)?;
        let dummy = Arc::clone(&self.dummy);
        self.on_a_core(failures, until, move || match hash {
            Some(hash) => verify_now(&password, &hash),
            None => verify_now(&password, &dummy).map(|_| Verdict::Wrong),
        })
        .await
    }
}

async fn turn_at(places: &Arc<Semaphore>, until: Instant) -> Option<OwnedSemaphorePermit> {
    timeout_at(until, Arc::clone(places).acquire_owned()).await.ok()?.ok()
}

/// Number of requests in progress for an account, and the semaphore that limits its verifications.
struct Queue {
    places: Arc<Semaphore>,
    people: usize,
}

/// Accounts with requests in progress.
#[derive(Clone, Default)]
struct Accounts(Arc<Mutex<HashMap<String, Queue>>>);

impl Accounts {
    async fn turn(&self, account: &str, until: Instant) -> Option<Turn> {
        let (places, mut turn) = {
            let mut queues = self.lock();
            let queue = queues
                .entry(account.to_owned())
                .or_insert_with(|| Queue { places: Arc::new(Semaphore::new(AT_ONCE)), people: 0 });
            queue.people += 1;
            (Arc::clone(&queue.places), Turn { at: self.clone(), account: account.to_owned(), place: None })
        };
        turn.place = Some(turn_at(&places, until).await?);
        Some(turn)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Queue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reference-counted slot per account; removed when the last user drops it.
struct Turn {
    at: Accounts,
    account: String,
    place: Option<OwnedSemaphorePermit>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queues = self.at.lock();
        if let Some(queue) = queues.get_mut(&self.account) {
            queue.people -= 1;
            if queue.people == 0 {
                queues.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: &str = "nobody@college.edu";

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() -> Result<(), Error> {
        let passwords = Passwords::new()?;
        let hash = passwords.hash("correct horse".into()).await?;
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let verify = async |password: &str, hash| passwords.verify(NOBODY, password.into(), hash, 0.0).await;
        let right = Verdict::Right { rehashed: None };
        assert_eq!(verify("correct horse", Some(hash.clone())).await?, right);
        assert_eq!(verify("wrong horse", Some(hash)).await?, Verdict::Wrong);
        assert_eq!(verify("nobody's password", None).await?, Verdict::Wrong, "the dummy opens nothing");
        assert_eq!(verify("", Some("!".into())).await?, Verdict::Wrong, "no hash at all");
        Ok(())
    }

    /// S19: keyboards differ in whether é is one character or two.
    #[test]
    fn a_password_is_the_same_from_every_keyboard_r_reg_5() -> Result<(), Error> {
        let (composed, decomposed) = ("caf\u{e9} au lait", "cafe\u{301} au lait");
        for typed in [composed, decomposed] {
            let hash = hash_now(typed)?;
            for again in [composed, decomposed] {
                assert_eq!(verify_now(again, &hash)?, Verdict::Right { rehashed: None });
            }
        }
        Ok(())
    }

    /// S19: an older hash, of the text as typed or with a lower cost, is accepted once and replaced.
    #[test]
    fn an_older_hash_is_renewed_when_its_password_is_known() -> Result<(), Error> {
        let failed = |error: argon2::password_hash::Error| Error::Failed(error.to_string());
        let typed = "cafe\u{301} au lait";
        let cheap = Argon2::new(
            Algorithm::Argon2id,
            Version::V0x13,
            Params::new(64, 1, 1, None).map_err(|error| Error::Failed(error.to_string()))?,
        );
        let as_typed = argon2().hash_password(typed.as_bytes()).map_err(failed)?.to_string();
        let cheaper = cheap.hash_password("caf\u{e9} au lait".as_bytes()).map_err(failed)?.to_string();
        for old in [as_typed, cheaper] {
            assert_eq!(verify_now("wrong", &old)?, Verdict::Wrong);
            let Verdict::Right { rehashed: Some(new) } = verify_now(typed, &old)? else {
                panic!("{old} is renewed");
            };
            assert!(new.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{new}");
            assert_eq!(verify_now("caf\u{e9} au lait", &new)?, Verdict::Right { rehashed: None });
        }
        Ok(())
    }

    /// P8: 700 sign-ins with one right password delayed all other accounts by 15 s.
    #[tokio::test]
    async fn many_sign_ins_to_one_account_do_not_delay_others() -> Result<(), Error> {
        let passwords = Passwords::new()?;
        let hash = passwords.hash("correct horse".into()).await?;
        let many: Vec<_> = (0..500)
            .map(|_| {
                let (passwords, hash) = (passwords.clone(), hash.clone());
                tokio::spawn(
                    async move { passwords.verify("one", "correct horse".into(), Some(hash), 0.0).await },
                )
            })
            .collect();
        while passwords.accounts.lock().get("one").is_none_or(|queue| queue.people < 400) {
            tokio::task::yield_now().await;
        }
        for _ in 0..3 {
            let verdict = passwords.verify("other", "correct horse".into(), Some(hash.clone()), 0.0).await?;
            assert_eq!(verdict, Verdict::Right { rehashed: None });
        }
        let mut refused = 0;
        for one in many {
            match one.await.map_err(|error| Error::Failed(error.to_string()))? {
                Ok(verdict) => assert_eq!(verdict, Verdict::Right { rehashed: None }),
                Err(Error::AccountBusy | Error::Busy) => refused += 1,
                Err(other) => return Err(other),
            }
        }
        assert!(refused > 0, "500 hashes take longer than the patience");
        assert!(passwords.accounts.lock().is_empty(), "nothing is kept of those who are through");
        Ok(())
    }
}
