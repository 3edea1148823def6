//! Notices of people. A notice is written once per cause, and withdrawn when it is no longer true.

use std::{borrow::Cow, collections::HashMap};

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{
    Param, Result, Row, Tx,
    events::Entry,
    mail_choices::{Choices, Contacts, Guardian, choices},
    settings,
    sql::Sql,
};
use crate::{
    domain::{
        change::{Change, LoanChange, MoneyChange},
        id::{BookId, ChangeId, HoldId, LineId, LoanId, MailId, NoticeId, UserId},
        notice::{self, DueLoan, KeptHold, Kind, Notice, Unmailed},
    },
    message::Message,
    select_to_decide, select_unlocked, sql,
};

/// Withdraws the notices that this change made untrue, and writes the one that it causes. Runs after the change's own
/// writes.
pub fn follow(
    tx: &mut Tx<'_>,
    at: i64,
    actor: Option<UserId>,
    entry: &Entry,
    id: Option<ChangeId>,
) -> Result<()> {
    follow_all(tx, at, actor, std::slice::from_ref(entry), id)
}

/// Does the same as [`follow`] for many changes; `id` is set only for a single change.
pub fn follow_all(
    tx: &mut Tx<'_>,
    at: i64,
    actor: Option<UserId>,
    entries: &[Entry],
    id: Option<ChangeId>,
) -> Result<()> {
    let (mut loans, mut holds, mut charges, mut undone) = (Vec::new(), Vec::new(), Vec::new(), false);
    for Entry { change, .. } in entries {
        let of = match change {
            Change::Undone { change, first } => {
                withdraw(tx, Of::Change(*change), at)?;
                undone = true;
                first
            }
            Change::Money(
                MoneyChange::ChargeReversed { charge: line, .. }
                | MoneyChange::PaymentReversed { payment: line, .. },
            ) => {
                withdraw(tx, Of::Line(*line), at)?;
                continue;
            }
            change => change,
        };
        if let Change::Money(MoneyChange::Waived { charge, .. }) = of {
            charges.push(*charge);
        }
        let about = of.about();
        holds.extend(about.holds);
        // A new loan has no notice yet.
        if !matches!(change, Change::Loan(LoanChange::Lent { .. } | LoanChange::LoanImported { .. })) {
            loans.extend(about.loans);
        }
    }
    let known = match entries {
        [entry] => known_date(tx, &entry.change)?,
        _ => None,
    };
    if !loans.is_empty() {
        agree_with_loans(tx, &loans, undone, at)?;
    }
    if !holds.is_empty() {
        agree_with_holds(tx, &holds, undone, at)?;
    }
    for charge in charges {
        agree_with_charge(tx, charge, undone, at)?;
    }
    let caused = |Entry { person, book, change, .. }: &Entry| {
        let mut change = Cow::Borrowed(change);
        if let Some(known) = known
            && let Change::Loan(LoanChange::DueDateMoved { from, .. } | LoanChange::DueDateSet { from, .. }) =
                change.to_mut()
        {
            *from = known;
        }
        notice::of_change(&change, *person, actor, *book, id, at)
    };
    let mut notices: Vec<Notice> = entries.iter().filter_map(caused).collect();
    if notices.iter().any(|notice| notice.kind.is_optional()) {
        let settings = settings::notices(tx)?;
        notices.retain(|notice| settings.sends(notice.kind));
    }
    write(tx, &notices, at)?;
    Ok(())
}

/// Returns the due date that the reader knows, if a change moves a date of which the reader was not yet notified.
fn known_date(tx: &mut Tx<'_>, change: &Change) -> Result<Option<Date>> {
    let Change::Loan(LoanChange::DueDateMoved { loan, from, .. } | LoanChange::DueDateSet { loan, from, .. }) =
        change
    else {
        return Ok(None);
    };
    let earlier = tx.query_opt(
        sql!(
            "SELECT text FROM notices
             WHERE loan_id = $1 AND about = $2 AND kind = 'due-date-moved' AND withdrawn_at IS NULL
               AND read_at IS NULL AND NOT to_guardian
               AND (mail_id IS NULL OR EXISTS (SELECT 1 FROM mails WHERE mails.id = mail_id AND state = 'queued'))
             ORDER BY id DESC LIMIT 1"
        ),
        &[loan, &from.to_string()],
        |row| row.get::<String>(0),
    )?;
    let known = earlier.and_then(|text| Message::parse_stored(&text).into_iter().next());
    Ok(known.and_then(|message| message.params.get("from")?.as_str()?.parse().ok()))
}

/// Writes the notices whose cause is new; returns their number. A reminder is not written if the loan has a later one of
/// the same due date.
pub fn write(tx: &mut Tx<'_>, notices: &[Notice], at: i64) -> Result<u64> {
    if notices.is_empty() {
        return Ok(0);
    }
    let row = |notice: &Notice| {
        let Notice {
            person,
            to_guardian,
            kind,
            loan,
            hold,
            line,
            book,
            change,
            about,
            step,
            day,
            text,
            cause,
        } = notice;
        let text = Message::to_stored(text);
        let kind = kind.as_str();
        json!([person, kind, loan, hold, line, book, change, about, step, day, text, cause, to_guardian])
    };
    let rows = Value::Array(notices.iter().map(row).collect()).to_string();
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO notices (person_id, kind, loan_id, hold_id, line_id, book_id, change_id, about, step, day, text,
                                  cause, to_guardian, created_at)
             SELECT CAST(new.it ->> 0 AS BIGINT), new.it ->> 1, CAST(new.it ->> 2 AS BIGINT),
                    CAST(new.it ->> 3 AS BIGINT), CAST(new.it ->> 4 AS BIGINT), CAST(new.it ->> 5 AS BIGINT),
                    CAST(new.it ->> 6 AS BIGINT), new.it ->> 7, CAST(new.it ->> 8 AS BIGINT), new.it ->> 9,
                    new.it ->> 10, new.it ->> 11, CAST(new.it ->> 12 AS BOOLEAN), CAST($2 AS BIGINT)
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) WITH ORDINALITY AS new (it, number)
             WHERE NOT EXISTS (SELECT 1 FROM notices AS later WHERE later.loan_id = CAST(new.it ->> 2 AS BIGINT)
                                  AND later.about = new.it ->> 7 AND later.step >= CAST(new.it ->> 8 AS BIGINT))
             ORDER BY new.number ON CONFLICT (cause) DO NOTHING"
        )
    } else {
        sql!(
            "INSERT INTO notices (person_id, kind, loan_id, hold_id, line_id, book_id, change_id, about, step, day, text,
                                  cause, to_guardian, created_at)
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
                    value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, $2
             FROM json_each($1)
             WHERE NOT EXISTS (SELECT 1 FROM notices AS later WHERE later.loan_id = value ->> 2
                                  AND later.about = value ->> 7 AND later.step >= value ->> 8)
             ORDER BY key ON CONFLICT (cause) DO NOTHING"
        )
    };
    tx.noticed.extend(notices.iter().filter(|notice| !notice.to_guardian).map(|notice| notice.person));
    tx.execute(statement, &[&rows, &at])
}

/// Returns the people whose notices the transaction changed or whose sessions it ended, and tells other servers; their pages
/// look again after the commit.
pub(super) fn announce(tx: &mut Tx<'_>) -> Result<Vec<UserId>> {
    let mut people = std::mem::take(&mut tx.noticed);
    people.sort_unstable();
    people.dedup();
    if tx.is_postgres() {
        for person in &people {
            tx.execute(sql!("SELECT pg_notify('library_notices', $1)"), &[&person.to_string()])?;
        }
    }
    Ok(people)
}

/// Runs an `UPDATE` of notices, and remembers their people.
fn update(tx: &mut Tx<'_>, statement: Sql, parameters: &[&dyn Param]) -> Result<()> {
    let people = tx.query(statement, parameters, |row| row.get::<UserId>(0))?;
    tx.noticed.extend(people);
    Ok(())
}

/// Subject of the notices to withdraw.
#[derive(Clone, Copy)]
enum Of {
    Change(ChangeId),
    Line(LineId),
}

fn withdraw(tx: &mut Tx<'_>, of: Of, at: i64) -> Result<()> {
    match of {
        Of::Change(id) => update(
            tx,
            sql!(
                "UPDATE notices SET withdrawn_at = $2 WHERE change_id = $1 AND withdrawn_at IS NULL
                 RETURNING person_id"
            ),
            &[&id, &at],
        ),
        Of::Line(id) => update(
            tx,
            sql!(
                "UPDATE notices SET withdrawn_at = $2 WHERE line_id = $1 AND withdrawn_at IS NULL
                 RETURNING person_id"
            ),
            &[&id, &at],
        ),
    }
}

/// Withdraws all notices about a hold, for example after a merge of two records cancelled it.
pub fn withdraw_of_hold(tx: &mut Tx<'_>, hold: HoldId, at: i64) -> Result<()> {
    update(
        tx,
        sql!(
            "UPDATE notices SET withdrawn_at = $2 WHERE hold_id = $1 AND withdrawn_at IS NULL RETURNING person_id"
        ),
        &[&hold, &at],
    )
}

/// Makes an `UPDATE` for the notices of a list of subjects. It withdraws those that are no longer true, and restores
/// withdrawn ones that are true again: all of them after an undo (`$3`), otherwise only reminders, which are never
/// written twice.
macro_rules! agree {
    ($subject:literal, $true:literal) => {
        [
            agree!($subject, $true, "SELECT value FROM json_each($1)"),
            agree!(
                $subject,
                $true,
                "SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS changed (id)"
            ),
        ]
    };
    ($subject:literal, $true:literal, $list:literal) => {
        sql!(
            "UPDATE notices SET withdrawn_at = CASE
                WHEN EXISTS (SELECT 1 FROM ",
            $true,
            ") AND (withdrawn_at IS NULL OR step IS NOT NULL OR $3) THEN NULL ELSE COALESCE(withdrawn_at, $2) END
             WHERE (about IS NOT NULL OR kind IN ('hold-lapsed', 'hold-cancelled', 'hold-put-back')) AND ",
            $subject,
            " IN (",
            $list,
            ") RETURNING person_id"
        )
    };
}

/// Withdraws the notices about a due date that the loan no longer has, and restores those that are true again.
fn agree_with_loans(tx: &mut Tx<'_>, loans: &[LoanId], undone: bool, at: i64) -> Result<()> {
    let [sqlite, postgres] = agree!(
        "loan_id",
        "loans WHERE loans.id = notices.loan_id AND loans.ended_at IS NULL AND loans.return_date = notices.about"
    );
    let statement = if tx.is_postgres() { postgres } else { sqlite };
    update(tx, statement, &[&json!(loans).to_string(), &at, &undone])
}

/// Withdraws the notices about a state that the hold no longer has, and restores those that are true again.
fn agree_with_holds(tx: &mut Tx<'_>, holds: &[HoldId], undone: bool, at: i64) -> Result<()> {
    let [sqlite, postgres] = agree!(
        "hold_id",
        "holds WHERE holds.id = notices.hold_id
            AND ((holds.state = 'ready' AND holds.ready_until = notices.about)
                 OR (notices.kind = 'hold-lapsed' AND holds.state = 'expired')
                 OR (notices.kind = 'hold-cancelled' AND holds.state = 'cancelled')
                 OR (notices.kind = 'hold-put-back' AND holds.state = 'waiting'))"
    );
    let statement = if tx.is_postgres() { postgres } else { sqlite };
    update(tx, statement, &[&json!(holds).to_string(), &at, &undone])
}

/// Withdraws the notice of a charge of which nothing is left after a waiver, and restores it when the waiver is undone. A
/// lost copy's price and fine share one notice, which stays while one of them is open.
fn agree_with_charge(tx: &mut Tx<'_>, charge: LineId, undone: bool, at: i64) -> Result<()> {
    macro_rules! together {
        ($columns:literal) => {
            concat!(
                "SELECT ",
                $columns,
                " FROM account_lines AS line JOIN account_lines AS waived ON waived.person_id = line.person_id
                  WHERE waived.id = $1 AND line.kind = 'charge'
                    AND (line.id = waived.id OR (line.loan_id = waived.loan_id AND line.at = waived.at))"
            )
        };
    }
    update(
        tx,
        sql!(
            "UPDATE notices SET withdrawn_at = CASE WHEN EXISTS (",
            together!("1"),
            " AND line.amount > COALESCE((SELECT SUM(amount) FROM settlements WHERE charge_id = line.id), 0))
               AND (withdrawn_at IS NULL OR $3) THEN NULL ELSE COALESCE(withdrawn_at, $2) END
             WHERE kind = 'charged' AND line_id IN (",
            together!("line.id"),
            ") RETURNING person_id"
        ),
        &[&charge, &at, &undone],
    )
}

/// Written notice.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    pub id: NoticeId,
    pub person: UserId,
    /// True for a reminder to the person's guardian.
    pub to_guardian: bool,
    /// `None` for a kind of a newer version of the program.
    pub kind: Option<Kind>,
    pub loan: Option<LoanId>,
    pub hold: Option<HoldId>,
    pub line: Option<LineId>,
    pub book: Option<BookId>,
    pub text: Vec<Message>,
    /// Epoch milliseconds.
    pub created_at: i64,
    pub read_at: Option<i64>,
    pub withdrawn_at: Option<i64>,
    /// Time at which the mail that contains the notice was queued.
    pub mailed_at: Option<i64>,
    /// Reason why no mail contains the notice.
    pub unmailed: Option<Unmailed>,
}

macro_rules! columns {
    () => {
        "id, person_id, kind, loan_id, hold_id, line_id, book_id, text, created_at, read_at, withdrawn_at,
         mailed_at, unmailed, to_guardian"
    };
}

fn written(row: &Row<'_>) -> Result<Written> {
    Ok(Written {
        id: row.get(0)?,
        person: row.get(1)?,
        kind: Kind::of(&row.get::<String>(2)?),
        loan: row.get(3)?,
        hold: row.get(4)?,
        line: row.get(5)?,
        book: row.get(6)?,
        text: Message::parse_stored(&row.get::<String>(7)?),
        created_at: row.get(8)?,
        read_at: row.get(9)?,
        withdrawn_at: row.get(10)?,
        mailed_at: row.get(11)?,
        unmailed: row.get::<Option<String>>(12)?.and_then(|name| Unmailed::of(&name)),
        to_guardian: row.get(13)?,
    })
}

/// Returns up to `limit` notices to a person, without withdrawn ones, newest first, older than `before`.
pub fn of_person(tx: &mut Tx<'_>, person: UserId, before: NoticeId, limit: i64) -> Result<Vec<Written>> {
    tx.query(
        sql!(
            "SELECT ",
            columns!(),
            " FROM notices WHERE person_id = $1 AND id < $2 AND withdrawn_at IS NULL AND NOT to_guardian ORDER BY id DESC LIMIT $3"
        ),
        &[&person, &before, &limit],
        written,
    )
}

/// Returns up to `limit` notices to a person and the guardian, withdrawn ones too, newest first, older than `before`.
pub fn all_of_person(tx: &mut Tx<'_>, person: UserId, before: NoticeId, limit: i64) -> Result<Vec<Written>> {
    tx.query(
        sql!(
            "SELECT ",
            columns!(),
            " FROM notices WHERE person_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
        ),
        &[&person, &before, &limit],
        written,
    )
}

/// Returns the number of unread notices of a person.
pub fn unread(tx: &mut Tx<'_>, person: UserId) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT COUNT(*) FROM notices WHERE person_id = $1 AND read_at IS NULL AND withdrawn_at IS NULL
               AND NOT to_guardian"
        ),
        &[&person],
        |row| row.get(0),
    )
}

/// Marks a person's notices up to `last` as read; a notice keeps the time of its first reading.
pub fn read(tx: &mut Tx<'_>, person: UserId, last: NoticeId, at: i64) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE notices SET read_at = $3
             WHERE person_id = $1 AND id <= $2 AND read_at IS NULL AND withdrawn_at IS NULL AND NOT to_guardian"
        ),
        &[&person, &last, &at],
    )?;
    tx.noticed.push(person);
    Ok(())
}

/// Notice that no mail contains yet.
#[derive(Clone, Debug, PartialEq)]
pub struct UnmailedNotice {
    pub id: NoticeId,
    pub person: UserId,
    /// True for a reminder to the person's guardian.
    pub to_guardian: bool,
    /// `None` for a kind of a newer version of the program.
    pub kind: Option<Kind>,
    pub loan: Option<LoanId>,
    pub about: Option<Date>,
    pub step: Option<i64>,
    pub day: Option<Date>,
    pub text: Vec<Message>,
    /// Epoch milliseconds.
    pub created_at: i64,
    /// True if the person gets it in the digest although it is no reminder.
    pub in_digest: bool,
}

fn unmailed_notice(row: &Row<'_>) -> Result<UnmailedNotice> {
    Ok(UnmailedNotice {
        id: row.get(0)?,
        person: row.get(1)?,
        kind: Kind::of(&row.get::<String>(2)?),
        loan: row.get(3)?,
        about: row.optional_day(4)?,
        step: row.get(5)?,
        day: row.optional_day(6)?,
        text: Message::parse_stored(&row.get::<String>(7)?),
        created_at: row.get(8)?,
        to_guardian: row.get(9)?,
        in_digest: row.get(10)?,
    })
}

/// Condition for notices that may be mailed. Notices of the daily job have a `step`.
macro_rules! open {
    () => {
        "notices.mailed_at IS NULL AND notices.unmailed IS NULL AND notices.withdrawn_at IS NULL"
    };
}

macro_rules! columns_to_mail {
    () => {
        "id, person_id, kind, loan_id, about, step, day, text, created_at, to_guardian, in_digest"
    };
}

/// Condition for the notices to mail in these [`Hours`]; `$1` is true for [`Hours::Open`].
macro_rules! in_hours {
    () => {
        "($1 OR kind IN ('sign-in-changed', 'new-device'))"
    };
}

/// Hours that decide which notices are mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hours {
    /// All notices are mailed.
    Open,
    /// Quiet hours: only notices about the safety of an account are mailed.
    Quiet,
}

/// True if a notice for a mail of its own waits to be mailed in these hours.
pub fn is_urgent(tx: &mut Tx<'_>, hours: Hours) -> Result<bool> {
    tx.query_one(
        sql!(
            "SELECT CASE WHEN EXISTS (SELECT 1 FROM notices WHERE ",
            open!(),
            " AND notices.step IS NULL AND NOT notices.in_digest AND id > 0 AND ",
            in_hours!(),
            ") THEN TRUE ELSE FALSE END"
        ),
        &[&(hours == Hours::Open)],
        |row| row.get(0),
    )
}

/// Counts the notices that wait for the end of the quiet hours.
pub fn count_quiet(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT COUNT(*) FROM notices WHERE ",
            open!(),
            " AND notices.step IS NULL AND NOT notices.in_digest AND id > 0 AND NOT ",
            in_hours!()
        ),
        &[&false],
        |row| row.get(0),
    )
}

/// Locks and returns up to `limit` notices after `after` that wait for a mail of their own; skips those that another
/// transaction has locked.
pub fn take_urgent(
    tx: &mut Tx<'_>,
    hours: Hours,
    after: NoticeId,
    limit: i64,
) -> Result<Vec<UnmailedNotice>> {
    tx.query(
        select_unlocked!(
            "SELECT ",
            columns_to_mail!(),
            " FROM notices WHERE ",
            open!(),
            " AND notices.step IS NULL AND NOT notices.in_digest AND id > $2 AND ",
            in_hours!(),
            " ORDER BY id LIMIT $3"
        ),
        &[&(hours == Hours::Open), &after, &limit],
        unmailed_notice,
    )
}

/// Returns up to `limit` people after `after` with notices for a digest and no digest of this day. Those of people with
/// weekly digests wait for the day of these digests. Notices other than reminders cause no digest if they are written
/// after `since`, the instant from which the day's digests are mailed: otherwise each would cause one at once.
pub fn to_remind(tx: &mut Tx<'_>, day: Date, since: i64, after: UserId, limit: i64) -> Result<Vec<UserId>> {
    tx.query(
        sql!(
            "SELECT DISTINCT person_id FROM notices WHERE ",
            open!(),
            " AND (notices.step IS NOT NULL OR notices.in_digest) AND person_id > $1
               AND (notices.step IS NOT NULL OR notices.created_at <= $5)
               AND NOT EXISTS (SELECT 1 FROM mails WHERE mails.person_id = notices.person_id AND mails.digest_day = $2)
               AND ($4 OR to_guardian OR kind = 'hold-expiring'
                    OR NOT EXISTS (SELECT 1 FROM mail_choices WHERE mail_choices.person_id = notices.person_id AND weekly))
             ORDER BY person_id LIMIT $3"
        ),
        &[&after, &day.to_string(), &limit, &notice::is_weekly_day(day), &since],
        |row| row.get(0),
    )
}

/// Makes a statement about the notices for digests of the people in the list `$1`.
macro_rules! of_people {
    ($select:ident, $columns:expr, $end:literal) => {
        [
            of_people!($select, $columns, $end, "SELECT value FROM json_each($1)"),
            of_people!(
                $select,
                $columns,
                $end,
                "SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS asked (id)"
            ),
        ]
    };
    ($select:ident, $columns:expr, $end:literal, $list:literal) => {
        $select!(
            "SELECT ",
            $columns,
            " FROM notices WHERE ",
            open!(),
            " AND (notices.step IS NOT NULL OR notices.in_digest) AND person_id IN (",
            $list,
            ")",
            $end
        )
    };
}

/// Counts the notices for the digest of each of these people.
pub fn count_for_digests(tx: &mut Tx<'_>, people: &[UserId]) -> Result<HashMap<UserId, usize>> {
    let [sqlite, postgres] = of_people!(sql, "person_id, COUNT(*)", " GROUP BY person_id");
    let statement = if tx.is_postgres() { postgres } else { sqlite };
    let counted = tx.query(statement, &[&json!(people).to_string()], |row| {
        Ok((row.get(0)?, usize::try_from(row.get::<i64>(1)?).unwrap_or_default()))
    })?;
    Ok(counted.into_iter().collect())
}

/// Locks and returns the notices for the digests of these people, by person; skips those that another transaction has
/// locked.
pub fn take_for_digests(tx: &mut Tx<'_>, people: &[UserId]) -> Result<Vec<UnmailedNotice>> {
    let [sqlite, postgres] = of_people!(select_unlocked, columns_to_mail!(), " ORDER BY person_id, id");
    let statement = if tx.is_postgres() { postgres } else { sqlite };
    tx.query(statement, &[&json!(people).to_string()], unmailed_notice)
}

/// Puts these notices into the digests of their people.
pub fn put_in_digest(tx: &mut Tx<'_>, notices: &[NoticeId]) -> Result<()> {
    for id in notices {
        tx.execute_one(sql!("UPDATE notices SET in_digest = TRUE WHERE id = $1"), &[id])?;
    }
    Ok(())
}

/// Notice that waits for the digest of its person.
#[derive(Clone, Debug)]
pub struct ForDigest {
    pub person: UserId,
    pub name: String,
    /// Phone, and the address if it is confirmed.
    pub contacts: Contacts,
    pub choices: Choices,
    /// `None` for a kind of a newer version.
    pub kind: Option<Kind>,
    pub text: Vec<Message>,
}

/// Returns the notices besides reminders that wait for the digests of active people, by person, oldest first.
pub fn for_digests(tx: &mut Tx<'_>) -> Result<Vec<ForDigest>> {
    tx.query(
        sql!(
            "SELECT notices.person_id, users.name, CASE WHEN claimed_addresses.user_id IS NULL THEN users.email END,
                    users.phone, notices.kind, notices.text, ",
            choices!(),
            " FROM notices JOIN users ON users.id = notices.person_id
                  LEFT JOIN mail_choices ON mail_choices.person_id = users.id
                  LEFT JOIN claimed_addresses ON claimed_addresses.user_id = users.id AND claimed_addresses.confirmed_at IS NULL
             WHERE ",
            open!(),
            " AND (notices.step IS NOT NULL OR notices.in_digest) AND notices.in_digest AND notices.person_id > 0
                  AND users.active AND users.gone_at IS NULL
             ORDER BY notices.person_id, notices.id"
        ),
        &[],
        |row| {
            Ok(ForDigest {
                person: row.get(0)?,
                name: row.get(1)?,
                contacts: Contacts { email: row.get(2)?, phone: row.get(3)? },
                kind: Kind::of(&row.get::<String>(4)?),
                text: Message::parse_stored(&row.get::<String>(5)?),
                choices: Choices::read(row, 6)?,
            })
        },
    )
}

/// Records for each notice the mail that contains it, by the mail's Message-ID.
pub fn mailed(tx: &mut Tx<'_>, carried: &[(NoticeId, String)], at: i64) -> Result<()> {
    if carried.is_empty() {
        return Ok(());
    }
    let statement = if tx.is_postgres() {
        sql!(
            "UPDATE notices SET mailed_at = $2, mail_id = mails.id
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) AS new (it)
                  JOIN mails ON mails.message_id = new.it ->> 1
             WHERE notices.id = CAST(new.it ->> 0 AS BIGINT)"
        )
    } else {
        sql!(
            "UPDATE notices SET mailed_at = $2, mail_id = mails.id
             FROM json_each($1) AS new JOIN mails ON mails.message_id = new.value ->> 1
             WHERE notices.id = new.value ->> 0"
        )
    };
    tx.execute(statement, &[&json!(carried).to_string(), &at])?;
    Ok(())
}

/// Records the reason why each of these notices is not mailed.
pub fn unmailed(tx: &mut Tx<'_>, left: &[(NoticeId, Unmailed)]) -> Result<()> {
    if left.is_empty() {
        return Ok(());
    }
    let statement = if tx.is_postgres() {
        sql!(
            "UPDATE notices SET unmailed = new.it ->> 1
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) AS new (it)
             WHERE notices.id = CAST(new.it ->> 0 AS BIGINT)"
        )
    } else {
        sql!(
            "UPDATE notices SET unmailed = new.value ->> 1 FROM json_each($1) AS new WHERE notices.id = new.value ->> 0"
        )
    };
    tx.execute(statement, &[&json!(left).to_string()])?;
    Ok(())
}

/// Marks the person's notices of this kind and instant as mailed, because another mail says the same.
pub fn mark_covered_by_mail(
    tx: &mut Tx<'_>,
    mail: MailId,
    person: UserId,
    kind: Kind,
    at: i64,
) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE notices SET mailed_at = $4, mail_id = $1
             WHERE person_id = $2 AND kind = $3 AND created_at = $4 AND mailed_at IS NULL"
        ),
        &[&mail, &person, &kind.as_str(), &at],
    )?;
    Ok(())
}

/// True if this mail contains a notice that was withdrawn.
pub fn is_taken_back(tx: &mut Tx<'_>, mail: MailId) -> Result<bool> {
    tx.query_one(
        sql!(
            "SELECT CASE WHEN EXISTS (SELECT 1 FROM notices WHERE mail_id = $1 AND withdrawn_at IS NOT NULL)
                         THEN TRUE ELSE FALSE END"
        ),
        &[&mail],
        |row| row.get(0),
    )
}

/// Frees the notices of a mail that was not sent, so that another mail can contain them.
pub fn release(tx: &mut Tx<'_>, mail: MailId) -> Result<()> {
    tx.execute(sql!("UPDATE notices SET mailed_at = NULL, mail_id = NULL WHERE mail_id = $1"), &[&mail])?;
    Ok(())
}

/// Returns up to `limit` open loans due until `last`, after a loan in the order of due date and id.
pub fn due_loans(
    tx: &mut Tx<'_>,
    last: Date,
    after: (Date, LoanId),
    limit: i64,
) -> Result<Vec<(Date, LoanId)>> {
    tx.query(
        sql!(
            "SELECT return_date, id FROM loans WHERE ended_at IS NULL AND return_date <= $1
               AND (return_date, id) > ($2, $3) ORDER BY return_date, id LIMIT $4"
        ),
        &[&last.to_string(), &after.0.to_string(), &after.1, &limit],
        |row| Ok((row.day(0)?, row.get(1)?)),
    )
}

/// Open loan with its reader.
#[derive(Clone, Debug)]
pub struct DueOf {
    pub loan: DueLoan,
    pub name: String,
    /// Phone, and the address if it is confirmed.
    pub contacts: Contacts,
    pub guardian: Guardian,
    pub choices: Choices,
    /// Step of the latest reminder of this due date.
    pub last_step: Option<i64>,
    /// Step of the latest reminder of this due date in a mail to the reader.
    pub last_mailed: Option<i64>,
}

/// Returns the open loans of active people due until `last`, by person and due date.
pub fn due_by_person(tx: &mut Tx<'_>, last: Date) -> Result<Vec<DueOf>> {
    tx.query(
        sql!(
            "SELECT loans.id, loans.user_id, loans.book_id, loans.title, loans.entry_date, loans.return_date, users.name,
                    CASE WHEN claimed_addresses.user_id IS NULL THEN users.email END,
                    (SELECT MAX(step) FROM notices WHERE notices.loan_id = loans.id AND notices.about = loans.return_date),
                    (SELECT MAX(step) FROM notices WHERE notices.loan_id = loans.id AND notices.about = loans.return_date
                        AND notices.mailed_at IS NOT NULL AND NOT notices.to_guardian),
                    users.guardian_email, users.guardian_phone,
                    COALESCE(users.guardian_email = mail_choices.guardian_refused, FALSE), users.phone, ",
            choices!(),
            " FROM loans JOIN users ON users.id = loans.user_id
                  LEFT JOIN mail_choices ON mail_choices.person_id = users.id
                  LEFT JOIN claimed_addresses ON claimed_addresses.user_id = users.id AND claimed_addresses.confirmed_at IS NULL
             WHERE loans.ended_at IS NULL AND loans.return_date <= $1 AND users.active AND users.gone_at IS NULL
             ORDER BY loans.user_id, loans.return_date, loans.id"
        ),
        &[&last.to_string()],
        |row| {
            let choices = Choices::read(row, 14)?;
            let guardian = Guardian {
                contacts: Contacts { email: row.get(10)?, phone: row.get(11)? },
                refuses: row.get(12)?,
            };
            let contacts = Contacts { email: row.get(7)?, phone: row.get(13)? };
            let loan = DueLoan {
                id: row.get(0)?,
                person: row.get(1)?,
                book: row.get(2)?,
                title: row.get(3)?,
                begun: row.day(4)?,
                due: row.day(5)?,
                has_guardian: guardian.is_reachable(),
                is_weekly: choices.weekly,
            };
            let (name, last_step, last_mailed) = (row.get(6)?, row.get(8)?, row.get(9)?);
            Ok(DueOf { loan, name, contacts, guardian, choices, last_step, last_mailed })
        },
    )
}

/// Returns those of these loans that are still open, and locks them until the transaction ends, so that no renewal
/// overtakes a reminder.
pub fn lock_due(tx: &mut Tx<'_>, loans: &[LoanId]) -> Result<Vec<DueLoan>> {
    macro_rules! lock {
        ($($loans:literal),+) => {
            select_to_decide!(
                "SELECT id, user_id, book_id, title, entry_date, return_date,
                        EXISTS (SELECT 1 FROM users LEFT JOIN mail_choices ON mail_choices.person_id = users.id
                                WHERE users.id = loans.user_id
                                  AND COALESCE(users.guardian_email, users.guardian_phone) IS NOT NULL
                                  AND COALESCE(users.guardian_email <> mail_choices.guardian_refused, TRUE)),
                        EXISTS (SELECT 1 FROM mail_choices WHERE mail_choices.person_id = loans.user_id AND weekly)
                 FROM loans WHERE ended_at IS NULL AND id IN (",
                $($loans),+,
                ") ORDER BY id"
            )
        };
    }
    let statement = if tx.is_postgres() {
        lock!(
            "SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS due (id)"
        )
    } else {
        lock!("SELECT value FROM json_each($1)")
    };
    tx.query(statement, &[&json!(loans).to_string()], |row| {
        Ok(DueLoan {
            id: row.get(0)?,
            person: row.get(1)?,
            book: row.get(2)?,
            title: row.get(3)?,
            begun: row.day(4)?,
            due: row.day(5)?,
            has_guardian: row.get(6)?,
            is_weekly: row.get(7)?,
        })
    })
}

/// Locks and returns the ready holds whose last day is `last` or earlier, until the transaction ends.
pub fn lock_kept(tx: &mut Tx<'_>, last: Date) -> Result<Vec<KeptHold>> {
    tx.query(
        select_to_decide!(
            "SELECT id, user_id, book_id, title, ready_until FROM holds
             WHERE state = 'ready' AND ready_until <= $1 ORDER BY ready_until, id"
        ),
        &[&last.to_string()],
        |row| {
            Ok(KeptHold {
                id: row.get(0)?,
                person: row.get(1)?,
                book: row.get(2)?,
                title: row.get(3)?,
                until: row.day(4)?,
            })
        },
    )
}

/// Deletes the unsent reminders of days after `today`, written while the clock was ahead.
pub fn forget_ahead(tx: &mut Tx<'_>, today: Date) -> Result<u64> {
    tx.execute(
        sql!("DELETE FROM notices WHERE day > $1 AND day IS NOT NULL AND mailed_at IS NULL"),
        &[&today.to_string()],
    )
}

/// Deletes old notices. Reminders of open loans stay, so that none is written again.
pub fn forget_before(tx: &mut Tx<'_>, at: i64) -> Result<()> {
    tx.execute(
        sql!("DELETE FROM notices WHERE created_at < $1 AND (withdrawn_at IS NOT NULL OR day IS NULL)"),
        &[&at],
    )?;
    Ok(())
}

/// Moves the notices of one person's loans, holds and account lines to the person who has these now.
pub fn follow_subjects(tx: &mut Tx<'_>, from: UserId) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE notices SET person_id = COALESCE(
                (SELECT user_id FROM loans WHERE loans.id = notices.loan_id),
                (SELECT user_id FROM holds WHERE holds.id = notices.hold_id),
                (SELECT account_lines.person_id FROM account_lines WHERE account_lines.id = notices.line_id),
                notices.person_id)
             WHERE person_id = $1"
        ),
        &[&from],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quiet_hours_hold_back_whatever_can_be_turned_off() {
        for kind in Kind::ALL {
            let goes = in_hours!().contains(&format!("'{}'", kind.as_str()));
            assert_eq!(goes, !kind.is_optional(), "{kind:?}");
        }
    }
}
