//! Phones that scan for a desk (R-DESK-9): pairings, scans and answers. Phone and desk may be connected to different
//! servers, so all messages pass through the database, numbered and in order.

use super::{Result, Tx};
use crate::{
    domain::{
        account::{Capability, Role},
        id::{DeskId, PhoneId, PhoneScanId, UserId},
    },
    insert, sql,
};

/// Lifetime of a code that no phone has opened, milliseconds: ten minutes.
pub const OPENS_WITHIN: i64 = 10 * 60 * 1000;
/// Lifetime of a phone after its pairing, milliseconds: twelve hours.
pub const LIFETIME: i64 = 12 * 60 * 60 * 1000;
/// Maximum number of phones per librarian.
pub const PHONES: i64 = 5;
/// Maximum number of scans per phone that wait for the desk.
pub const WAITING: i64 = 50;
/// Number of answers stored per phone, for a phone that reconnects.
const KEPT: i64 = 100;

/// Phone as the desk lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairedPhone {
    pub id: PhoneId,
    /// Page that the phone scans for.
    pub desk: String,
    /// `None` until a phone has opened the code.
    pub opened_at: Option<i64>,
    /// Time at which another phone last tried the code after it was used.
    pub refused_at: Option<i64>,
    pub expires_at: i64,
}

/// Outcome of pairing a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    Begun(PhoneId),
    /// The librarian already has the maximum number of phones.
    TooMany,
    /// The librarian's session has ended.
    SignedOut,
}

/// Pairs a phone with a desk, replacing a code of this desk that no phone has opened. Deletes expired phones.
pub fn pair(
    tx: &mut Tx<'_>,
    librarian: UserId,
    session_hash: &str,
    desk: &str,
    code_hash: &str,
    now: i64,
) -> Result<Pairing> {
    // Two concurrent pairings must not both take the last place.
    super::accounts::lock(tx, librarian)?;
    tx.execute(sql!("DELETE FROM phones WHERE expires_at <= $1"), &[&now])?;
    let desk = tx.query_opt(
        sql!(
            "INSERT INTO desks (session_hash, name)
             SELECT token_hash, $2 FROM sessions WHERE token_hash = $1 AND expires_at > $3
             ON CONFLICT (session_hash, name) DO UPDATE SET name = excluded.name
             RETURNING id"
        ),
        &[&session_hash, &desk, &now],
        |row| row.get::<DeskId>(0),
    )?;
    let Some(desk) = desk else { return Ok(Pairing::SignedOut) };
    tx.execute(sql!("DELETE FROM phones WHERE desk_id = $1 AND opened_at IS NULL"), &[&desk])?;
    if i64::try_from(of_librarian(tx, librarian, now)?.len()).is_ok_and(|count| count >= PHONES) {
        return Ok(Pairing::TooMany);
    }
    let id = tx.insert(
        insert!("INSERT INTO phones (desk_id, code_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)"),
        &[&desk, &code_hash, &now, &(now + OPENS_WITHIN)],
    )?;
    Ok(Pairing::Begun(PhoneId(id)))
}

/// Returns a librarian's phones, oldest first.
pub fn of_librarian(tx: &mut Tx<'_>, librarian: UserId, now: i64) -> Result<Vec<PairedPhone>> {
    tx.query(
        sql!(
            "SELECT phones.id, desks.name, phones.opened_at, phones.expires_at, phones.refused_at
             FROM sessions JOIN desks ON desks.session_hash = sessions.token_hash
                           JOIN phones ON phones.desk_id = desks.id
             WHERE sessions.user_id = $1 AND sessions.expires_at > $2 AND phones.expires_at > $2
             ORDER BY phones.id"
        ),
        &[&librarian, &now],
        |row| {
            Ok(PairedPhone {
                id: row.get(0)?,
                desk: row.get(1)?,
                opened_at: row.get(2)?,
                expires_at: row.get(3)?,
                refused_at: row.get(4)?,
            })
        },
    )
}

/// Ends a librarian's phone; `false` if there is no such phone.
pub fn end(tx: &mut Tx<'_>, librarian: UserId, phone: PhoneId) -> Result<bool> {
    let desk = tx.query_opt(
        sql!(
            "DELETE FROM phones WHERE id = $1 AND desk_id IN (
                 SELECT desks.id FROM desks JOIN sessions ON sessions.token_hash = desks.session_hash
                 WHERE sessions.user_id = $2)
             RETURNING desk_id"
        ),
        &[&phone, &librarian],
        |row| row.get(0),
    )?;
    desk.map_or(Ok(()), |desk| call(tx, desk))?;
    Ok(desk.is_some())
}

/// Outcome of opening a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    Opened,
    /// Another phone has opened the code; the desk shows that this phone tried.
    Used,
    /// No such code, or it has expired.
    Ended,
}

/// Exchanges a code for the phone's own token, once. A repeat with the same token is a no-op, because the answer to the
/// first request may have been lost.
pub fn open(tx: &mut Tx<'_>, code_hash: &str, token_hash: &str, now: i64) -> Result<Opening> {
    let opened = tx.query_opt(
        sql!(
            "UPDATE phones SET token_hash = $2, opened_at = $3, expires_at = created_at + $4
             WHERE code_hash = $1 AND token_hash IS NULL AND expires_at > $3
               AND NOT EXISTS (SELECT 1 FROM phones AS other WHERE other.token_hash = $2)
             RETURNING desk_id"
        ),
        &[&code_hash, &token_hash, &now, &LIFETIME],
        |row| row.get::<DeskId>(0),
    )?;
    if let Some(desk) = opened {
        call(tx, desk)?;
        return Ok(Opening::Opened);
    }
    let known = tx.query_opt(
        sql!("SELECT id, desk_id, token_hash FROM phones WHERE code_hash = $1 AND expires_at > $2"),
        &[&code_hash, &now],
        |row| Ok((row.get::<PhoneId>(0)?, row.get::<DeskId>(1)?, row.get::<Option<String>>(2)?)),
    )?;
    match known {
        None => Ok(Opening::Ended),
        Some((_, _, Some(token))) if token == token_hash => Ok(Opening::Opened),
        Some((phone, desk, _)) => {
            tx.execute(sql!("UPDATE phones SET refused_at = $2 WHERE id = $1"), &[&phone, &now])?;
            call(tx, desk)?;
            Ok(Opening::Used)
        }
    }
}

/// Phone that sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phone {
    pub id: PhoneId,
    pub desk: DeskId,
}

/// Returns the phone of a token, unless the phone or the desk's session has ended, or its librarian may no longer work at
/// the desk.
pub fn by_token(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<Phone>> {
    tx.query_opt(
        sql!(
            "SELECT phones.id, phones.desk_id, users.capabilities
             FROM phones JOIN desks ON desks.id = phones.desk_id
                         JOIN sessions ON sessions.token_hash = desks.session_hash
                         JOIN users ON users.id = sessions.user_id
             WHERE phones.token_hash = $1 AND phones.expires_at > $2 AND sessions.expires_at > $2
               AND users.active AND users.role = 'admin'"
        ),
        &[&token_hash, &now],
        |row| {
            let capabilities = Capability::stored(Role::Admin, row.get::<Option<String>>(2)?.as_deref());
            let phone = Phone { id: row.get(0)?, desk: row.get(1)? };
            Ok(capabilities.contains(&Capability::Desk).then_some(phone))
        },
    )
    .map(Option::flatten)
}

/// Code read by a phone, on its way to the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    pub id: PhoneScanId,
    /// Rises by one with each scan for the desk.
    pub number: i64,
    pub key: String,
    pub code: String,
}

/// Stores a scan for the desk, once per key; `false` if too many scans wait.
pub fn send(tx: &mut Tx<'_>, phone: Phone, key: &str, code: &str) -> Result<bool> {
    // Locks the desk's row, so that numbers rise in the order in which scans are stored.
    let number = tx.query_one(
        sql!("UPDATE desks SET scans = scans + 1 WHERE id = $1 RETURNING scans"),
        &[&phone.desk],
        |row| row.get::<i64>(0),
    )?;
    let known = tx.query_opt(
        sql!("SELECT id FROM phone_scans WHERE phone_id = $1 AND key = $2"),
        &[&phone.id, &key],
        |row| row.get::<PhoneScanId>(0),
    )?;
    if known.is_some() {
        return Ok(true);
    }
    let waiting = tx.query_one(
        sql!("SELECT COUNT(*) FROM phone_scans WHERE phone_id = $1 AND answer IS NULL"),
        &[&phone.id],
        |row| row.get::<i64>(0),
    )?;
    if waiting >= WAITING {
        return Ok(false);
    }
    tx.execute_one(
        sql!("INSERT INTO phone_scans (desk_id, number, phone_id, key, code) VALUES ($1, $2, $3, $4, $5)"),
        &[&phone.desk, &number, &phone.id, &key, &code],
    )?;
    call(tx, phone.desk)?;
    Ok(true)
}

/// Result of a poll by a desk or a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PollResult<T> {
    News(Vec<T>),
    /// Another page or phone has taken this listener's place.
    Elsewhere,
    /// The phone, or the desk's session, has ended.
    Ended,
}

impl<T> PollResult<T> {
    /// Returns the reason why a listener must stop; `newest` is the listener in its place, if any.
    fn gone(newest: Option<i64>) -> Self {
        newest.map_or(Self::Ended, |_| Self::Elsewhere)
    }
}

/// Registers a listener of a desk's page; returns the desk and the number of this listener, or `None` if no phone was
/// ever paired with this page.
pub fn desk_listens(tx: &mut Tx<'_>, session_hash: &str, desk: &str) -> Result<Option<(DeskId, i64)>> {
    let listening = tx.query_opt(
        sql!(
            "UPDATE desks SET streams = streams + 1 WHERE session_hash = $1 AND name = $2 RETURNING id, streams"
        ),
        &[&session_hash, &desk],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    listening.map_or(Ok(()), |(desk, _)| call(tx, desk))?;
    Ok(listening)
}

/// Returns the unanswered scans for a desk after `number`, oldest first.
pub fn scans(
    tx: &mut Tx<'_>,
    (desk, stream): (DeskId, i64),
    number: i64,
    now: i64,
) -> Result<PollResult<Scanned>> {
    let newest = tx.query_opt(
        sql!(
            "SELECT desks.streams FROM desks JOIN sessions ON sessions.token_hash = desks.session_hash
             WHERE desks.id = $1 AND sessions.expires_at > $2"
        ),
        &[&desk, &now],
        |row| row.get::<i64>(0),
    )?;
    if newest != Some(stream) {
        return Ok(PollResult::gone(newest));
    }
    let scans = tx.query(
        sql!(
            "SELECT id, number, key, code FROM phone_scans
             WHERE desk_id = $1 AND number > $2 AND answer IS NULL ORDER BY number"
        ),
        &[&desk, &number],
        |row| Ok(Scanned { id: row.get(0)?, number: row.get(1)?, key: row.get(2)?, code: row.get(3)? }),
    )?;
    Ok(PollResult::News(scans))
}

/// Stores the answer of this session's desk to a scan. No-op if the scan is another desk's, is answered already, or its
/// phone has ended.
pub fn answer(tx: &mut Tx<'_>, session_hash: &str, scan: PhoneScanId, answer: &str) -> Result<()> {
    let found = tx.query_opt(
        sql!(
            "SELECT phone_scans.phone_id, phone_scans.desk_id
             FROM phone_scans JOIN desks ON desks.id = phone_scans.desk_id
             WHERE phone_scans.id = $1 AND phone_scans.answer IS NULL AND desks.session_hash = $2"
        ),
        &[&scan, &session_hash],
        |row| Ok((row.get::<PhoneId>(0)?, row.get::<DeskId>(1)?)),
    )?;
    let Some((phone, desk)) = found else { return Ok(()) };
    // Locks the phone's row, so that its answers are numbered one after another.
    let number = tx.query_opt(
        sql!("UPDATE phones SET answers = answers + 1 WHERE id = $1 RETURNING answers"),
        &[&phone],
        |row| row.get::<i64>(0),
    )?;
    let Some(number) = number else { return Ok(()) };
    tx.execute(
        sql!("UPDATE phone_scans SET answer = $2, answer_number = $3 WHERE id = $1 AND answer IS NULL"),
        &[&scan, &answer, &number],
    )?;
    tx.execute(
        sql!("DELETE FROM phone_scans WHERE phone_id = $1 AND answer_number <= $2"),
        &[&phone, &(number - KEPT)],
    )?;
    call(tx, desk)
}

/// Registers a listener of a phone; returns its number, or `None` if the phone has ended.
pub fn phone_listens(tx: &mut Tx<'_>, phone: Phone) -> Result<Option<i64>> {
    let stream = tx.query_opt(
        sql!("UPDATE phones SET streams = streams + 1 WHERE id = $1 RETURNING streams"),
        &[&phone.id],
        |row| row.get(0),
    )?;
    call(tx, phone.desk)?;
    Ok(stream)
}

/// Answer of the desk to a phone's scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Rises by one with each answer to the phone.
    pub number: i64,
    pub key: String,
    /// JSON.
    pub answer: String,
}

/// Returns the answers to a phone after `number`, oldest first.
pub fn answers(
    tx: &mut Tx<'_>,
    (phone, stream): (PhoneId, i64),
    number: i64,
    now: i64,
) -> Result<PollResult<Answered>> {
    let newest = tx.query_opt(
        sql!(
            "SELECT phones.streams
             FROM phones JOIN desks ON desks.id = phones.desk_id
                         JOIN sessions ON sessions.token_hash = desks.session_hash
             WHERE phones.id = $1 AND phones.expires_at > $2 AND sessions.expires_at > $2"
        ),
        &[&phone, &now],
        |row| row.get::<i64>(0),
    )?;
    if newest != Some(stream) {
        return Ok(PollResult::gone(newest));
    }
    let answers = tx.query(
        sql!(
            "SELECT answer_number, key, answer FROM phone_scans
             WHERE phone_id = $1 AND answer_number > $2 ORDER BY answer_number"
        ),
        &[&phone, &number],
        |row| Ok(Answered { number: row.get(0)?, key: row.get(1)?, answer: row.get(2)? }),
    )?;
    Ok(PollResult::News(answers))
}

/// Notifies the listeners of this desk, here and on other servers, after the commit.
fn call(tx: &mut Tx<'_>, desk: DeskId) -> Result<()> {
    tx.called = Some(desk);
    if tx.is_postgres() {
        tx.execute(sql!("SELECT pg_notify('library_desk', $1)"), &[&desk.to_string()])?;
    }
    Ok(())
}
