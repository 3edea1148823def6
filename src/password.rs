//! Password hashing, off the async threads and never more at once than there are cores.

use std::{sync::Arc, time::Duration};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};
use tokio::sync::Semaphore;

/// Who waits longer than this for a free core is told to come back; a whole class signing in at once is through before.
const PATIENCE: Duration = Duration::from_secs(15);

/// Hashes and verifies passwords with argon2id at 19 MiB, two passes, one lane: the minimum of OWASP ASVS 5.0, appendix C,
/// about 15 to 30 ms a hash.
#[derive(Clone)]
pub struct Passwords {
    cores: Arc<Semaphore>,
    /// Verified when there is no account, so that an unknown address takes as long as a wrong password (R-LOGIN-4).
    dummy: Arc<str>,
}

/// Why no hash was made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// All cores stayed busy.
    #[error("too many passwords are being checked at once")]
    Busy,
    /// The hashing itself failed.
    #[error("hashing failed: {0}")]
    Failed(String),
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(19_456, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// A password's hash as a PHC string; slow on purpose. For the command line; the server uses [`Passwords`].
pub fn hash_now(password: &str) -> Result<String, Error> {
    argon2()
        .hash_password(password.as_bytes())
        .map(|hash| hash.to_string())
        .map_err(|error| Error::Failed(error.to_string()))
}

fn verify_now(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| argon2().verify_password(password.as_bytes(), &hash).is_ok())
}

impl Passwords {
    /// Uses all cores but one, and at least one.
    pub fn new() -> Result<Self, Error> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            cores: Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))),
            dummy: hash_now("nobody's password")?.into(),
        })
    }

    async fn on_a_core<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.cores).acquire_owned())
            .await
            .map_err(|_| Error::Busy)?
            .map_err(|_| Error::Busy)?;
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        })
        .await
        .map_err(|error| Error::Failed(error.to_string()))
    }

    /// A new password's hash, a PHC string with a salt of its own.
    pub async fn hash(&self, password: String) -> Result<String, Error> {
        self.on_a_core(move || hash_now(&password)).await?
    }

    /// Whether `password` is the one behind `hash`; without a hash it takes as long and is never right.
    pub async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Error> {
        let dummy = Arc::clone(&self.dummy);
        self.on_a_core(move || match hash {
            Some(hash) => verify_now(&password, &hash),
            None => {
                verify_now(&password, &dummy);
                false
            }
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() -> Result<(), Error> {
        let passwords = Passwords::new()?;
        let hash = passwords.hash("correct horse".into()).await?;
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(passwords.verify("correct horse".into(), Some(hash.clone())).await?);
        assert!(!passwords.verify("wrong horse".into(), Some(hash)).await?);
        assert!(!passwords.verify("nobody's password".into(), None).await?, "the dummy opens nothing");
        Ok(())
    }
}
