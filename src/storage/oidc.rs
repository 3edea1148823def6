//! Sign-in by the college's provider: what is under way, and who there is which person here. Of what a browser holds only
//! hashes are known.

use super::{Result, Tx};
use crate::{domain::id::UserId, sql};

/// A sign-in that somebody began, as it is needed when they come back from the provider.
#[derive(Clone, Debug)]
pub struct Flow {
    /// What the provider's token must repeat.
    pub nonce: String,
    /// The secret of PKCE (RFC 7636).
    pub verifier: String,
    /// Where the person wanted to go, below the base path; empty for their home.
    pub next: String,
    /// Whether the browser keeps the session when it closes (R-LOGIN-6).
    pub kept: bool,
}

/// Keeps a sign-in that begins. Those that nobody came back from are cleared away.
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

/// Whether there is a sign-in of this state and this browser.
pub fn is_begun(tx: &mut Tx<'_>, state_hash: &str, browser_hash: &str, now: i64) -> Result<bool> {
    let begun = tx.query_opt(
        sql!("SELECT 1 FROM oidc_flows WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3"),
        &[&state_hash, &browser_hash, &now],
        |_| Ok(()),
    )?;
    Ok(begun.is_some())
}

/// Takes the sign-in of this state and this browser, which is good once.
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

/// Who somebody at a provider is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub user: UserId,
    /// Whether the account's password was asked for it once.
    pub password_asked: bool,
}

/// Who this account at a provider is here.
pub fn linked(tx: &mut Tx<'_>, issuer: &str, subject: &str) -> Result<Option<Link>> {
    tx.query_opt(
        sql!("SELECT user_id, password_asked FROM oidc_links WHERE issuer = $1 AND subject = $2"),
        &[&issuer, &subject],
        |row| Ok(Link { user: row.get(0)?, password_asked: row.get(1)? }),
    )
}

/// Since when a person is linked with an account at a provider; `None` where they are not.
pub fn linked_since(tx: &mut Tx<'_>, issuer: &str, person: UserId) -> Result<Option<i64>> {
    tx.query_opt(
        sql!("SELECT linked_at FROM oidc_links WHERE user_id = $1 AND issuer = $2"),
        &[&person, &issuer],
        |row| row.get(0),
    )
}

/// Links an account at a provider with a person; `false` where one of the two is linked with another.
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

/// Keeps that the password was asked for a link; `false` where there is no such link.
pub fn password_was_asked(tx: &mut Tx<'_>, issuer: &str, subject: &str, person: UserId) -> Result<bool> {
    let kept = tx.execute(
        sql!(
            "UPDATE oidc_links SET password_asked = TRUE WHERE issuer = $1 AND subject = $2 AND user_id = $3"
        ),
        &[&issuer, &subject, &person],
    )?;
    Ok(kept == 1)
}

/// Unlinks a person; `false` where they were not linked.
pub fn unlink(tx: &mut Tx<'_>, issuer: &str, person: UserId) -> Result<bool> {
    let unlinked =
        tx.execute(sql!("DELETE FROM oidc_links WHERE user_id = $1 AND issuer = $2"), &[&person, &issuer])?;
    Ok(unlinked == 1)
}

/// Somebody who has proved at the provider who they are, and whose password here is still to be asked.
#[derive(Clone, Debug)]
pub struct Proof {
    pub issuer: String,
    pub subject: String,
    pub user: UserId,
    /// As in [`Flow`].
    pub kept: bool,
}

/// Keeps it for the browser that it came by.
pub fn keep_proof(tx: &mut Tx<'_>, browser_hash: &str, proof: &Proof, expires_at: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO oidc_proofs (browser_hash, issuer, subject, user_id, kept, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)"
        ),
        &[&browser_hash, &proof.issuer, &proof.subject, &proof.user, &proof.kept, &expires_at],
    )
}

/// What is kept for a browser, and still good.
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

/// Uses it up; `false` where somebody was faster.
pub fn use_up_proof(tx: &mut Tx<'_>, browser_hash: &str) -> Result<bool> {
    Ok(tx.execute(sql!("DELETE FROM oidc_proofs WHERE browser_hash = $1"), &[&browser_hash])? == 1)
}
