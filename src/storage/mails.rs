//! Outbox of mails and text messages. A caller queues a mail in its own transaction; one server at a time sends the due
//! mails of a channel.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{Result, Row, Tx};
use crate::{
    domain::{
        id::{MailId, UserId},
        mail::{Channel, Kind, State},
    },
    insert,
    message::Message,
    select_to_decide, sql,
};

/// Retention time of ended mails in milliseconds.
pub const KEPT_FOR: i64 = 30 * 24 * 60 * 60 * 1000;

/// Mail to queue.
#[derive(Clone, Debug)]
pub struct NewMail {
    pub channel: Channel,
    pub person: Option<UserId>,
    pub kind: Kind,
    /// Phone of a text message.
    pub address: String,
    /// First line of a text message.
    pub subject: String,
    /// Values of a text message's placeholders, as JSON.
    pub text: String,
    /// Empty for a text message.
    pub html: String,
    /// Same for every attempt, so that a mail program recognises a second copy.
    pub message_id: String,
    /// Epoch milliseconds; not sent earlier.
    pub not_before: i64,
    /// Epoch milliseconds; a mail not sent by then fails.
    pub expires_at: i64,
    /// Day of a digest, in the library's time zone; `None` for other mails.
    pub digest_day: Option<Date>,
    /// Unsubscribe link for mails of this kind.
    pub unsubscribe: Option<String>,
}

/// Queues a mail in the caller's transaction.
pub fn queue(tx: &mut Tx<'_>, mail: &NewMail, now: i64) -> Result<MailId> {
    let id = tx.insert(
        insert!(
            "INSERT INTO mails (person_id, kind, address, subject, text, html, secret, message_id, created_at, not_before,
                                expires_at, digest_day, unsubscribe, channel)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
        ),
        &[
            &mail.person,
            &mail.kind.as_str(),
            &mail.address,
            &mail.subject,
            &mail.text,
            &mail.html,
            &mail.kind.is_secret(),
            &mail.message_id,
            &now,
            &mail.not_before,
            &mail.expires_at,
            &mail.digest_day.map(|day| day.to_string()),
            &mail.unsubscribe,
            &mail.channel.as_str(),
        ],
    )?;
    Ok(MailId(id))
}

/// Queues many mails in one statement.
pub fn queue_all(tx: &mut Tx<'_>, mails: &[NewMail], now: i64) -> Result<()> {
    if mails.is_empty() {
        return Ok(());
    }
    let row = |mail: &NewMail| {
        let NewMail {
            person, kind, address, subject, text, html, message_id, not_before, expires_at, ..
        } = mail;
        let day = mail.digest_day.map(|day| day.to_string());
        json!([
            person,
            kind.as_str(),
            address,
            subject,
            text,
            html,
            kind.is_secret(),
            message_id,
            not_before,
            expires_at,
            day,
            mail.unsubscribe,
            mail.channel.as_str()
        ])
    };
    let rows = Value::Array(mails.iter().map(row).collect()).to_string();
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO mails (person_id, kind, address, subject, text, html, secret, message_id, not_before, expires_at,
                                digest_day, unsubscribe, channel, created_at)
             SELECT CAST(new.it ->> 0 AS BIGINT), new.it ->> 1, new.it ->> 2, new.it ->> 3, new.it ->> 4, new.it ->> 5,
                    CAST(new.it ->> 6 AS BOOLEAN), new.it ->> 7, CAST(new.it ->> 8 AS BIGINT),
                    CAST(new.it ->> 9 AS BIGINT), new.it ->> 10, new.it ->> 11, new.it ->> 12,
                    CAST($2 AS BIGINT)
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) WITH ORDINALITY AS new (it, number)
             ORDER BY new.number"
        )
    } else {
        sql!(
            "INSERT INTO mails (person_id, kind, address, subject, text, html, secret, message_id, not_before, expires_at,
                                digest_day, unsubscribe, channel, created_at)
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
                    value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, $2
             FROM json_each($1) ORDER BY key"
        )
    };
    tx.execute(statement, &[&rows, &now])?;
    Ok(())
}

/// Mail leased for sending.
#[derive(Clone, Debug)]
pub struct Taken {
    pub id: MailId,
    pub address: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    pub message_id: String,
    pub created_at: i64,
    /// Epoch milliseconds of this try.
    pub tried_at: i64,
    pub expires_at: i64,
    pub unsubscribe: Option<String>,
    /// Number of tries, this one included.
    pub tries: i64,
}

/// True if a mail of a channel is due.
pub fn is_due(tx: &mut Tx<'_>, channel: Channel, now: i64) -> Result<bool> {
    tx.query_one(
        sql!(
            "SELECT CASE WHEN EXISTS (
                 SELECT 1 FROM mails WHERE channel = $2 AND state = 'queued' AND (leased_until IS NULL OR leased_until <= $1)
                                       AND (not_before <= $1 OR expires_at <= $1)) THEN TRUE ELSE FALSE END"
        ),
        &[&now, &channel.as_str()],
        |row| row.get(0),
    )
}

/// Leases the next due mail of a channel until `until`: mails with a secret first, digests last, otherwise in order of
/// their ids. Skips mails that another server has leased.
pub fn take(tx: &mut Tx<'_>, channel: Channel, owner: &str, now: i64, until: i64) -> Result<Option<Taken>> {
    tx.query_opt(
        sql!(
            "UPDATE mails SET leased_by = $1, leased_until = $3, tries = tries + 1
             WHERE id = (SELECT id FROM mails
                         WHERE channel = $4 AND state = 'queued' AND not_before <= $2 AND expires_at > $2
                           AND (leased_until IS NULL OR leased_until <= $2)
                         ORDER BY secret DESC, (digest_day IS NOT NULL), id LIMIT 1)
               AND state = 'queued' AND (leased_until IS NULL OR leased_until <= $2)
             RETURNING id, address, subject, text, html, message_id, created_at, expires_at, tries,
                       unsubscribe"
        ),
        &[&owner, &now, &until, &channel.as_str()],
        |row| {
            Ok(Taken {
                id: row.get(0)?,
                address: row.get(1)?,
                subject: row.get(2)?,
                text: row.get(3)?,
                html: row.get(4)?,
                message_id: row.get(5)?,
                created_at: row.get(6)?,
                tried_at: now,
                expires_at: row.get(7)?,
                tries: row.get(8)?,
                unsubscribe: row.get(9)?,
            })
        },
    )
}

/// Ends a mail that this server has leased, and deletes its text if it has a secret.
fn end(
    tx: &mut Tx<'_>,
    id: MailId,
    owner: &str,
    state: State,
    reason: Option<&Message>,
    now: i64,
) -> Result<bool> {
    let reason = reason.map(stored);
    let ended = tx.execute(
        sql!(
            "UPDATE mails SET state = $3, ended_at = $4, reason = $5, leased_by = NULL, leased_until = NULL,
                    text = CASE WHEN secret THEN '' ELSE text END, html = CASE WHEN secret THEN '' ELSE html END
             WHERE id = $1 AND leased_by = $2 AND state = 'queued'"
        ),
        &[&id, &owner, &state.as_str(), &now, &reason],
    )?;
    Ok(ended == 1)
}

/// Records that the mail server accepted a mail, with the server's reply.
pub fn sent(tx: &mut Tx<'_>, id: MailId, owner: &str, answer: &Message, now: i64) -> Result<bool> {
    end(tx, id, owner, State::Sent, Some(answer), now)
}

/// Records that a mail cannot be sent.
pub fn failed(tx: &mut Tx<'_>, id: MailId, owner: &str, reason: &Message, now: i64) -> Result<bool> {
    end(tx, id, owner, State::Failed, Some(reason), now)
}

/// Records a failed attempt that will be repeated.
pub fn put_off(tx: &mut Tx<'_>, id: MailId, owner: &str, reason: &Message, not_before: i64) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE mails SET not_before = $3, reason = $4, leased_by = NULL, leased_until = NULL
             WHERE id = $1 AND leased_by = $2 AND state = 'queued'"
        ),
        &[&id, &owner, &not_before, &stored(reason)],
    )?;
    Ok(())
}

/// Returns an untried mail to the queue, because no mail can be sent at present.
pub fn give_back(tx: &mut Tx<'_>, id: MailId, owner: &str, reason: &Message) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE mails SET reason = $3, tries = tries - 1, leased_by = NULL, leased_until = NULL
             WHERE id = $1 AND leased_by = $2 AND state = 'queued'"
        ),
        &[&id, &owner, &stored(reason)],
    )?;
    Ok(())
}

/// Marks the expired mails of a channel as failed; returns their number.
pub fn expire(tx: &mut Tx<'_>, channel: Channel, reason: &Message, now: i64) -> Result<u64> {
    tx.execute(
        sql!(
            "UPDATE mails SET state = 'failed', ended_at = $1, leased_by = NULL, leased_until = NULL,
                    reason = COALESCE(reason, $2),
                    text = CASE WHEN secret THEN '' ELSE text END, html = CASE WHEN secret THEN '' ELSE html END
             WHERE channel = $3 AND state = 'queued' AND expires_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)"
        ),
        &[&now, &stored(reason), &channel.as_str()],
    )
}

fn stored(message: &Message) -> String {
    Message::to_stored(std::slice::from_ref(message))
}

fn reason(row: &Row<'_>, index: usize) -> Result<Option<Message>> {
    let json: Option<String> = row.get(index)?;
    Ok(json.and_then(|json| Message::parse_stored(&json).into_iter().next()))
}

/// Mail as listed for librarians.
#[derive(Clone, Debug)]
pub struct Listed {
    pub id: MailId,
    pub person: Option<UserId>,
    /// Name of the person, if there is one.
    pub name: Option<String>,
    pub channel: Channel,
    pub kind: String,
    pub address: String,
    pub subject: String,
    pub state: State,
    pub created_at: i64,
    /// Next try of a queued mail.
    pub not_before: i64,
    pub ended_at: Option<i64>,
    pub tries: i64,
    pub reason: Option<Message>,
    /// True if the mail can be sent again: its text is still stored.
    pub again: bool,
    /// Name of the librarian that stopped the mail.
    pub stopped_by: Option<String>,
}

/// Filter of mails.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    pub state: Option<State>,
    pub person: Option<UserId>,
}

/// Returns up to `limit` mails before an id, the newest first.
pub fn page(tx: &mut Tx<'_>, choice: &Choice, before: i64, limit: i64) -> Result<Vec<Listed>> {
    tx.query(
        sql!(
            "SELECT mails.id, mails.person_id, users.name, mails.kind, mails.address, mails.subject, mails.state,
                    mails.created_at, mails.not_before, mails.ended_at, mails.tries, mails.reason,
                    CASE WHEN mails.text <> '' THEN TRUE ELSE FALSE END, mails.channel,
                    (SELECT name FROM users AS librarian WHERE librarian.id = mails.stopped_by)
             FROM mails LEFT JOIN users ON users.id = mails.person_id
             WHERE mails.id < $1 AND (CAST($2 AS TEXT) IS NULL OR mails.state = CAST($2 AS TEXT))
               AND (CAST($3 AS BIGINT) IS NULL OR mails.person_id = CAST($3 AS BIGINT))
             ORDER BY mails.id DESC LIMIT $4"
        ),
        &[&before, &choice.state.map(State::as_str), &choice.person, &limit],
        |row| {
            Ok(Listed {
                id: row.get(0)?,
                person: row.get(1)?,
                name: row.get(2)?,
                kind: row.get(3)?,
                address: row.get(4)?,
                subject: row.get(5)?,
                state: State::parse(&row.get::<String>(6)?).unwrap_or(State::Failed),
                created_at: row.get(7)?,
                not_before: row.get(8)?,
                ended_at: row.get(9)?,
                tries: row.get(10)?,
                reason: reason(row, 11)?,
                again: row.get(12)?,
                channel: Channel::of(&row.get::<String>(13)?).unwrap_or(Channel::Mail),
                stopped_by: row.get(14)?,
            })
        },
    )
}

/// Number of mails by state, and the creation time of the oldest queued mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub queued: i64,
    pub sent: i64,
    pub failed: i64,
    pub stopped: i64,
    pub oldest: Option<i64>,
}

/// Counts the mails by state.
pub fn counts(tx: &mut Tx<'_>) -> Result<Counts> {
    let mut counts = Counts::default();
    let found =
        tx.query(sql!("SELECT state, COUNT(*), MIN(created_at) FROM mails GROUP BY state"), &[], |row| {
            Ok((row.get::<String>(0)?, row.get::<i64>(1)?, row.get::<i64>(2)?))
        })?;
    for (state, count, oldest) in found {
        match State::parse(&state) {
            Some(State::Queued) => (counts.queued, counts.oldest) = (count, Some(oldest)),
            Some(State::Sent) => counts.sent = count,
            Some(State::Failed) => counts.failed = count,
            Some(State::Stopped) => counts.stopped = count,
            None => {}
        }
    }
    Ok(counts)
}

/// Locks a mail until the transaction ends; returns its state and whether its text is still stored.
pub fn lock(tx: &mut Tx<'_>, id: MailId) -> Result<Option<(State, bool)>> {
    tx.query_opt(
        select_to_decide!(
            "SELECT state, CASE WHEN text <> '' THEN TRUE ELSE FALSE END FROM mails WHERE id = $1"
        ),
        &[&id],
        |row| Ok((State::parse(&row.get::<String>(0)?).unwrap_or(State::Failed), row.get(1)?)),
    )
}

/// Stops a queued mail; one that a server is sending right now may still arrive.
pub fn stop(tx: &mut Tx<'_>, id: MailId, by: UserId, now: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE mails SET state = 'stopped', ended_at = $2, stopped_by = $3, leased_by = NULL, leased_until = NULL,
                    text = CASE WHEN secret THEN '' ELSE text END, html = CASE WHEN secret THEN '' ELSE html END
             WHERE id = $1 AND state = 'queued'"
        ),
        &[&id, &now, &by],
    )
}

/// Stops a mail that is no longer true and deletes its text, so that it is never sent. Another digest can be built for
/// the day.
pub fn take_back(tx: &mut Tx<'_>, id: MailId, reason: &Message, now: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE mails SET state = 'stopped', ended_at = $2, reason = $3, leased_by = NULL, leased_until = NULL,
                    text = '', html = '', digest_day = NULL
             WHERE id = $1 AND state = 'queued'"
        ),
        &[&id, &now, &stored(reason)],
    )
}

/// Stops the queued mails with an earlier sign-in code of a person, and deletes their texts.
pub fn take_back_welcomes(tx: &mut Tx<'_>, person: UserId, reason: &Message, now: i64) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE mails SET state = 'stopped', ended_at = $3, reason = $4, leased_by = NULL, leased_until = NULL,
                    text = '', html = ''
             WHERE person_id = $1 AND kind = $2 AND state = 'queued'"
        ),
        &[&person, &Kind::Welcome.as_str(), &now, &stored(reason)],
    )?;
    Ok(())
}

/// Queues a failed or stopped mail again, under the same Message-ID.
pub fn again(tx: &mut Tx<'_>, id: MailId, now: i64, expires_at: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE mails SET state = 'queued', ended_at = NULL, stopped_by = NULL, reason = NULL, tries = 0, not_before = $2,
                    expires_at = $3
             WHERE id = $1 AND state IN ('failed', 'stopped')"
        ),
        &[&id, &now, &expires_at],
    )
}

/// Milliseconds of the stretches in which [`failures`] counts: every zone's midnight begins one.
pub const STRETCH: i64 = 15 * 60 * 1000;

/// Counts the failed mails that can be sent again, by the stretch of time in which they failed, newest first. A stretch is
/// named by its number since the epoch.
pub fn failures(tx: &mut Tx<'_>) -> Result<Vec<(i64, i64)>> {
    tx.query(
        sql!(
            "SELECT ended_at / $1, COUNT(*) FROM mails WHERE state = 'failed' AND text <> '' AND ended_at IS NOT NULL
             GROUP BY 1 ORDER BY 1 DESC"
        ),
        &[&STRETCH],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Queues the mails again that failed from `begin` up to but not including `end`; returns their number.
pub fn all_again(tx: &mut Tx<'_>, (begin, end): (i64, i64), now: i64, expires_at: i64) -> Result<u64> {
    tx.execute(
        sql!(
            "UPDATE mails SET state = 'queued', ended_at = NULL, reason = NULL, tries = 0, not_before = $3,
                    expires_at = $4
             WHERE state = 'failed' AND text <> '' AND ended_at >= $1 AND ended_at < $2"
        ),
        &[&begin, &end, &now, &expires_at],
    )
}

/// Outage of the mail server, or of the gateway of text messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub channel: Channel,
    /// First failure; epoch milliseconds.
    pub since: i64,
    /// Next try; epoch milliseconds.
    pub until: i64,
    pub tries: i64,
    pub reason: Option<Message>,
}

/// Returns the current outage of a channel, if any.
pub fn trouble(tx: &mut Tx<'_>, channel: Channel) -> Result<Option<Trouble>> {
    tx.query_opt(
        sql!("SELECT since, until, tries, reason FROM channel_trouble WHERE channel = $1"),
        &[&channel.as_str()],
        |row| {
            Ok(Trouble {
                channel,
                since: row.get(0)?,
                until: row.get(1)?,
                tries: row.get(2)?,
                reason: reason(row, 3)?,
            })
        },
    )
}

/// Records a failure of a channel, and the time of the next try.
pub fn in_trouble(tx: &mut Tx<'_>, channel: Channel, reason: &Message, now: i64, until: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO channel_trouble (channel, since, until, tries, reason) VALUES ($1, $2, $3, 1, $4)
             ON CONFLICT (channel) DO UPDATE SET until = excluded.until, tries = channel_trouble.tries + 1,
                 reason = excluded.reason"
        ),
        &[&channel.as_str(), &now, &until, &stored(reason)],
    )
}

/// Records that a channel works.
pub fn out_of_trouble(tx: &mut Tx<'_>, channel: Channel) -> Result<()> {
    tx.execute(sql!("DELETE FROM channel_trouble WHERE channel = $1"), &[&channel.as_str()])?;
    Ok(())
}
