//! Sign-in with the college's provider: sign-ins under way, and links between accounts of the provider and of the
//! library. The database stores only the hashes of browsers' tokens.

use super::{Result, Tx};
use crate::{domain::id::UserId, sql};

/// Sign-in that a browser began, as needed on its return from the provider.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Value that the provider's token must repeat.
    pub nonce: String,
    /// Verifier of PKCE (RFC 7636).
    pub verifier: String,
    /// Path to open afterwards, below the base path; empty for the user's home.
    pub next: String,
    /// True if the session outlives the browser (R-LOGIN-6).
    pub kept: bool,
}

/// Stores a new sign-in, and deletes expired ones.
pub fn begin(
    tx: &mut Tx<'_>,
    state_hash: &str,
    browser_hash: &str,
    flow: &Flow,
    now: i64,
    expires_at: i64,
) -> Result<()> {
    tx.execute(sql!("DELETE FROM oidc_flows WHERE expires_at <= $1"), &[&now])?;
    tx.execute(sql!("DELETE FROM oidc_proofs WHERE expires_at <= $1"), &[&now])?;
    tx.execute_one(
        sql!(
            "INSERT INTO oidc_flows (state_hash, browser_hash, nonce, verifier, next, kept, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)"
        ),
        &[&state_hash, &browser_hash, &flow.nonce, &flow.verifier, &flow.next, &flow.kept, &expires_at],
    )
}

/// True if a sign-in with this state and this browser is under way.
pub fn is_begun(tx: &mut Tx<'_>, state_hash: &str, browser_hash: &str, now: i64) -> Result<bool> {
    let begun = tx.query_opt(
        sql!("SELECT 1 FROM oidc_flows WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3"),
        &[&state_hash, &browser_hash, &now],
        |_| Ok(()),
    )?;
    Ok(begun.is_some())
}

/// Consumes and returns the sign-in with this state and this browser, which is valid once.
pub fn take(tx: &mut Tx<'_>, state_hash: &str, browser_hash: &str, now: i64) -> Result<Option<Flow>> {
    tx.query_opt(
        sql!(
            "DELETE FROM oidc_flows WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3
             RETURNING nonce, verifier, next, kept"
        ),
        &[&state_hash, &browser_hash, &now],
        |row| Ok(Flow { nonce: row.get(0)?, verifier: row.get(1)?, next: row.get(2)?, kept: row.get(3)? }),
    )
}

/// Link of an account at a provider with an account of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub user: UserId,
    /// True if the link was confirmed once by the account's password.
    pub password_asked: bool,
}

/// Returns the link of an account at a provider.
pub fn linked(tx: &mut Tx<'_>, issuer: &str, subject: &str) -> Result<Option<Link>> {
    tx.query_opt(
        sql!("SELECT user_id, password_asked FROM oidc_links WHERE issuer = $1 AND subject = $2"),
        &[&issuer, &subject],
        |row| Ok(Link { user: row.get(0)?, password_asked: row.get(1)? }),
    )
}

/// Returns the time at which a person was linked with a provider; `None` without a link.
pub fn linked_since(tx: &mut Tx<'_>, issuer: &str, person: UserId) -> Result<Option<i64>> {
    tx.query_opt(
        sql!("SELECT linked_at FROM oidc_links WHERE user_id = $1 AND issuer = $2"),
        &[&person, &issuer],
        |row| row.get(0),
    )
}

/// Returns issuer, subject and instant of each link of a person.
pub fn links_of(tx: &mut Tx<'_>, person: UserId) -> Result<Vec<(String, String, i64)>> {
    tx.query(
        sql!("SELECT issuer, subject, linked_at FROM oidc_links WHERE user_id = $1 ORDER BY issuer, subject"),
        &[&person],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )
}

/// Links an account at a provider with a person; `false` if one of the two is linked with another.
pub fn link(tx: &mut Tx<'_>, issuer: &str, subject: &str, link: Link, now: i64) -> Result<bool> {
    let linked = tx.execute(
        sql!(
            "INSERT INTO oidc_links (issuer, subject, user_id, linked_at, password_asked) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT DO NOTHING"
        ),
        &[&issuer, &subject, &link.user, &now, &link.password_asked],
    )?;
    Ok(linked == 1)
}

/// Records that the password confirmed a link; `false` if there is no such link.
pub fn password_was_asked(tx: &mut Tx<'_>, issuer: &str, subject: &str, person: UserId) -> Result<bool> {
    let kept = tx.execute(
        sql!(
            "UPDATE oidc_links SET password_asked = TRUE WHERE issuer = $1 AND subject = $2 AND user_id = $3"
        ),
        &[&issuer, &subject, &person],
    )?;
    Ok(kept == 1)
}

/// Unlinks a person; `false` if they were not linked.
pub fn unlink(tx: &mut Tx<'_>, issuer: &str, person: UserId) -> Result<bool> {
    let unlinked =
        tx.execute(sql!("DELETE FROM oidc_links WHERE user_id = $1 AND issuer = $2"), &[&person, &issuer])?;
    Ok(unlinked == 1)
}

/// Unlinks a person whose address or roll number is only their own claim; returns the issuers of the removed links.
pub fn unlink_claimed(tx: &mut Tx<'_>, person: UserId) -> Result<Vec<String>> {
    tx.query(
        sql!(
            "DELETE FROM oidc_links WHERE user_id = $1 AND EXISTS (SELECT 1 FROM users WHERE id = $1 AND claimed)
             RETURNING issuer"
        ),
        &[&person],
        |row| row.get(0),
    )
}

/// User whom the provider authenticated and who must still enter the password of the library's account.
#[derive(Clone, Debug)]
pub struct Proof {
    pub issuer: String,
    pub subject: String,
    pub user: UserId,
    /// Same as [`Flow::kept`].
    pub kept: bool,
}

/// Stores a provider's proof of identity for the browser that signed in there, until its user gives the library
/// password.
pub fn keep_proof(tx: &mut Tx<'_>, browser_hash: &str, proof: &Proof, expires_at: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO oidc_proofs (browser_hash, issuer, subject, user_id, kept, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)"
        ),
        &[&browser_hash, &proof.issuer, &proof.subject, &proof.user, &proof.kept, &expires_at],
    )
}

/// Returns the proof of a browser, if it has not expired.
pub fn proof(tx: &mut Tx<'_>, browser_hash: &str, now: i64) -> Result<Option<Proof>> {
    tx.query_opt(
        sql!(
            "SELECT issuer, subject, user_id, kept FROM oidc_proofs WHERE browser_hash = $1 AND expires_at > $2"
        ),
        &[&browser_hash, &now],
        |row| {
            Ok(Proof { issuer: row.get(0)?, subject: row.get(1)?, user: row.get(2)?, kept: row.get(3)? })
        },
    )
}

/// Deletes the proof of a browser; `false` if another request was faster.
pub fn use_up_proof(tx: &mut Tx<'_>, browser_hash: &str) -> Result<bool> {
    Ok(tx.execute(sql!("DELETE FROM oidc_proofs WHERE browser_hash = $1"), &[&browser_hash])? == 1)
}
