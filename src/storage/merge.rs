//! Merge of two records of one person: moves all rows to the kept record; an undo moves exactly these rows back
//! (R-PEOPLE-9).

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Error, Result, Tx,
    authority::{Replaceable, Subject},
    ledger, notices, people as records, photos, reviews, second_factors,
};
use crate::{
    domain::{
        id::{BookId, ChangeId, HoldId, LineId, LoanId, ReviewId, UserId},
        person::Details,
    },
    fold::fold,
    money::Money,
    sql,
};

/// Numbers of loans and other rows that belong to a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Belongings {
    pub open_loans: i64,
    pub ended_loans: i64,
    pub lines: i64,
    pub holds: i64,
    pub reviews: i64,
}

/// Counts the rows that belong to a record.
pub fn belongings(tx: &mut Tx<'_>, uid: UserId) -> Result<Belongings> {
    let mut count = |statement| tx.query_one(statement, &[&uid], |row| row.get::<i64>(0));
    Ok(Belongings {
        open_loans: count(sql!("SELECT COUNT(*) FROM loans WHERE user_id = $1 AND ended_at IS NULL"))?,
        ended_loans: count(sql!(
            "SELECT COUNT(*) FROM loans WHERE user_id = $1 AND ended_at IS NOT NULL AND NOT voided"
        ))?,
        lines: count(sql!("SELECT COUNT(*) FROM account_lines WHERE person_id = $1"))?,
        holds: count(sql!(
            "SELECT COUNT(*) FROM holds WHERE user_id = $1 AND state IN ('waiting', 'ready')"
        ))?,
        reviews: count(sql!("SELECT COUNT(*) FROM reviews WHERE user_id = $1"))?,
    })
}

/// Title for which both records have an open hold; `worse` is the hold to cancel.
#[derive(Clone, Debug)]
pub struct TwoHolds {
    pub worse: HoldId,
    pub title: String,
}

/// Returns the titles for which both records have an open hold, in locking order. A ready hold is better than a waiting
/// one; of two alike, the earlier one in the queue is better.
pub fn two_holds(tx: &mut Tx<'_>, keep: UserId, dropped: UserId) -> Result<Vec<TwoHolds>> {
    tx.query(
        sql!(
            "SELECT CASE WHEN (a.state, a.queue_key, a.id) < (b.state, b.queue_key, b.id) THEN b.id ELSE a.id END, a.title
             FROM holds AS a JOIN holds AS b ON b.user_id = $2 AND b.book_id = a.book_id AND b.state IN ('waiting', 'ready')
             WHERE a.user_id = $1 AND a.state IN ('waiting', 'ready') ORDER BY a.book_id"
        ),
        &[&keep, &dropped],
        |row| Ok(TwoHolds { worse: row.get(0)?, title: row.get(1)? }),
    )
}

/// Review that is deleted in a merge in favour of the person's newer one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplacedReview {
    id: ReviewId,
    pub book: BookId,
    user: UserId,
    user_name: String,
    rating: i64,
    comment: String,
    created_at: i64,
    #[serde(skip)]
    pub title: String,
}

/// Returns the older review of each title that both records have reviewed.
pub fn two_reviews(tx: &mut Tx<'_>, keep: UserId, dropped: UserId) -> Result<Vec<ReplacedReview>> {
    tx.query(
        sql!(
            "SELECT old.id, old.book_id, old.user_id, old.user_name, old.rating, old.comment, old.created_at, books.title
             FROM reviews AS old JOIN reviews AS new ON new.book_id = old.book_id AND new.id > old.id
                  JOIN books ON books.id = old.book_id
             WHERE (old.user_id = $1 AND new.user_id = $2) OR (old.user_id = $2 AND new.user_id = $1) ORDER BY old.id"
        ),
        &[&keep, &dropped],
        |row| {
            Ok(ReplacedReview {
                id: row.get(0)?,
                book: row.get(1)?,
                user: row.get(2)?,
                user_name: row.get(3)?,
                rating: row.get(4)?,
                comment: row.get(5)?,
                created_at: row.get(6)?,
                title: row.get(7)?,
            })
        },
    )
}

/// Rows and details that a merge moved from one record to the other, as needed for its undo.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Moved {
    loans: Vec<LoanId>,
    lines: Vec<LineId>,
    holds: Vec<HoldId>,
    reviews: Vec<ReviewId>,
    given_up: Vec<ReplacedReview>,
    certificates: Vec<String>,
    /// Records that were merged into the dropped one earlier.
    merged: Vec<UserId>,
    /// Details of the kept record before the merge.
    kept: Details,
    dropped: Details,
    /// True if the kept record had no password and got that of the dropped one.
    password: bool,
    /// True if the kept record's address and roll number were only its holder's claim; `None` in merges stored without
    /// this field.
    #[serde(default)]
    claimed: Option<bool>,
    /// Version of the photo that the kept record got, because it had none.
    #[serde(default)]
    photo: Option<String>,
    /// Newest line of all accounts right after the merge.
    last_line: i64,
}

impl Moved {
    #[must_use]
    pub fn loans(&self) -> &[LoanId] {
        &self.loans
    }

    /// Returns the titles whose older review was given up.
    pub fn titles(&self) -> impl Iterator<Item = BookId> {
        self.given_up.iter().map(|review| review.book)
    }

    /// Returns the numbers of moved loans and account lines.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.loans.len(), self.lines.len())
    }
}

/// Merge to perform.
#[derive(Clone, Debug)]
pub struct Merge<'m> {
    pub keep: &'m Subject,
    pub dropped: &'m Replaceable,
    /// Details of the kept record after the merge.
    pub after: &'m Details,
    /// True if the kept record gets the password of the dropped one.
    pub password: bool,
}

/// Moves all rows of the dropped record to the kept one, and removes the dropped record from all lists. The caller has
/// locked both records and the titles of [`two_reviews`], and ensured that they have no open holds of the same title.
pub fn merge(tx: &mut Tx<'_>, merge: &Merge<'_>, now: i64) -> Result<Moved> {
    let (keep, dropped) = (merge.keep.uid(), merge.dropped.uid());
    let given_up = two_reviews(tx, keep, dropped)?;
    for review in &given_up {
        tx.execute_one(sql!("DELETE FROM reviews WHERE id = $1"), &[&review.id])?;
        reviews::recount(tx, review.book)?;
    }
    // The accounts count the open loans.
    ledger::lock_all(tx, [dropped, keep])?;
    let mut loans: Vec<LoanId> = tx.query(
        sql!("UPDATE loans SET user_id = $1 WHERE user_id = $2 AND ended_at IS NULL RETURNING id"),
        &[&keep, &dropped],
        |row| row.get(0),
    )?;
    loans.extend(tx.query(
        sql!("UPDATE loans SET user_id = $1 WHERE user_id = $2 AND ended_at IS NOT NULL RETURNING id"),
        &[&keep, &dropped],
        |row| row.get::<LoanId>(0),
    )?);
    let holds = tx.query(
        sql!("UPDATE holds SET user_id = $1 WHERE user_id = $2 RETURNING id"),
        &[&keep, &dropped],
        |row| row.get(0),
    )?;
    let reviews = tx.query(
        sql!("UPDATE reviews SET user_id = $1, user_name = $3 WHERE user_id = $2 RETURNING id"),
        &[&keep, &dropped, &merge.after.name],
        |row| row.get(0),
    )?;
    let certificates = tx.query(
        sql!("UPDATE no_dues SET user_id = $1 WHERE user_id = $2 RETURNING number"),
        &[&keep, &dropped],
        |row| row.get(0),
    )?;
    let lines = move_lines(tx, dropped, keep, None)?;
    notices::follow_subjects(tx, dropped)?;
    tx.execute(sql!("DELETE FROM sessions WHERE user_id = $1"), &[&dropped])?;
    tx.execute(sql!("DELETE FROM sign_in_codes WHERE user_id = $1"), &[&dropped])?;
    tx.execute(sql!("UPDATE mails SET person_id = $1 WHERE person_id = $2"), &[&keep, &dropped])?;
    // Not moved: the next sign-in with the provider finds the kept record by roll number or address, and links it
    // again.
    tx.execute(sql!("DELETE FROM oidc_links WHERE user_id = $1"), &[&dropped])?;
    tx.execute(sql!("DELETE FROM oidc_proofs WHERE user_id = $1"), &[&dropped])?;
    // The loans of a reader who chose not to be counted stay uncounted, also after an undo.
    tx.execute(
        sql!(
            "INSERT INTO uncounted_readers (person_id) SELECT CAST($1 AS BIGINT) FROM uncounted_readers
             WHERE person_id = $2 ON CONFLICT (person_id) DO NOTHING"
        ),
        &[&keep, &dropped],
    )?;
    let merged = tx.query(
        sql!("UPDATE users SET merged_into = $1 WHERE merged_into = $2 RETURNING id"),
        &[&keep, &dropped],
        |row| row.get(0),
    )?;
    tx.execute_one(
        sql!("UPDATE users SET gone_at = $3, merged_into = $1 WHERE id = $2"),
        &[&keep, &dropped, &now],
    )?;
    if merge.password {
        tx.execute_one(
            sql!(
                "UPDATE users SET password_hash = (SELECT other.password_hash FROM users AS other WHERE other.id = $2)
                 WHERE id = $1"
            ),
            &[&keep, &dropped],
        )?;
        second_factors::hand_over(tx, dropped, keep)?;
    }
    let claimed =
        tx.query_one(sql!("SELECT claimed FROM users WHERE id = $1"), &[&keep], |row| row.get(0))?;
    tx.execute(
        sql!(
            "UPDATE users SET claimed = TRUE
             WHERE id = $1 AND EXISTS (SELECT 1 FROM users AS other WHERE other.id = $2 AND other.claimed)"
        ),
        &[&keep, &dropped],
    )?;
    // The dropped record releases its address and roll number before the kept one gets them, because they are unique.
    let (given, after) = (&merge.dropped.record().details, merge.after);
    let left = Details {
        email: given.email.clone().filter(|email| after.email.as_ref() != Some(email)),
        roll_number: given.roll_number.clone().filter(|number| after.roll_number.as_ref() != Some(number)),
        ..given.clone()
    };
    records::set(tx, dropped, &left)?;
    set_merged_key(tx, keep)?;
    records::set(tx, keep, after)?;
    Ok(Moved {
        loans,
        lines,
        holds,
        reviews,
        given_up,
        certificates,
        merged,
        kept: merge.keep.record().details.clone(),
        dropped: given.clone(),
        password: merge.password,
        claimed: Some(claimed),
        photo: photos::give(tx, dropped, keep)?,
        last_line: last_line(tx)?,
    })
}

/// Moves the rows of a merge back; `false` if a row was changed since the merge. The caller must then roll back.
pub fn undo_merge(tx: &mut Tx<'_>, keep: &Subject, dropped: &Subject, moved: &Moved) -> Result<bool> {
    let (keep, dropped) = (keep.uid(), dropped.uid());
    let newer = tx.query_opt(
        sql!("SELECT id FROM account_lines WHERE person_id = $1 AND id > $2 LIMIT 1"),
        &[&keep, &moved.last_line],
        |row| row.get::<LineId>(0),
    )?;
    let lines = if newer.is_some() { Vec::new() } else { move_lines(tx, keep, dropped, Some(&moved.lines))? };
    let whole = newer.is_none()
        && lines.len() == moved.lines.len()
        && give_back(tx, MoveBack::LOANS, keep, dropped, &json!(moved.loans).to_string(), moved.loans.len())?
        && give_back(tx, MoveBack::HOLDS, keep, dropped, &json!(moved.holds).to_string(), moved.holds.len())?
        && give_back(
            tx,
            MoveBack::REVIEWS,
            keep,
            dropped,
            &json!(moved.reviews).to_string(),
            moved.reviews.len(),
        )?;
    if !whole {
        return Ok(false);
    }
    notices::follow_subjects(tx, keep)?;
    tx.execute(
        sql!("UPDATE reviews SET user_name = $2 WHERE user_id = $1"),
        &[&dropped, &moved.dropped.name],
    )?;
    for review in &moved.given_up {
        tx.execute_one(
            sql!(
                "INSERT INTO reviews (id, book_id, user_id, user_name, rating, comment, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)"
            ),
            &[
                &review.id,
                &review.book,
                &review.user,
                &review.user_name,
                &review.rating,
                &review.comment,
                &review.created_at,
            ],
        )?;
        reviews::recount(tx, review.book)?;
    }
    for number in &moved.certificates {
        tx.execute(sql!("UPDATE no_dues SET user_id = $2 WHERE number = $1"), &[number, &dropped])?;
    }
    tx.execute_one(sql!("UPDATE users SET gone_at = NULL, merged_into = NULL WHERE id = $1"), &[&dropped])?;
    for earlier in &moved.merged {
        tx.execute_one(sql!("UPDATE users SET merged_into = $2 WHERE id = $1"), &[earlier, &dropped])?;
    }
    if moved.password {
        tx.execute_one(sql!("UPDATE users SET password_hash = NULL WHERE id = $1"), &[&keep])?;
        second_factors::hand_over(tx, keep, dropped)?;
    }
    if let Some(claimed) = moved.claimed {
        tx.execute_one(sql!("UPDATE users SET claimed = $2 WHERE id = $1"), &[&keep, &claimed])?;
    }
    if let Some(version) = &moved.photo {
        photos::give_back(tx, keep, dropped, version)?;
    }
    set_merged_key(tx, keep)?;
    records::set(tx, keep, &moved.kept)?;
    set_merged_key(tx, dropped)?;
    records::set(tx, dropped, &moved.dropped)?;
    Ok(true)
}

/// Statements that move the listed rows of a table back, one for each database.
#[derive(Clone, Copy)]
struct MoveBack {
    postgres: super::sql::Sql,
    sqlite: super::sql::Sql,
}

macro_rules! move_back {
    ($table:literal) => {
        MoveBack {
            postgres: sql!(
                "UPDATE ",
                $table,
                " SET user_id = $2 WHERE user_id = $1 AND id IN
                   (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS moved (id))"
            ),
            sqlite: sql!(
                "UPDATE ",
                $table,
                " SET user_id = $2 WHERE user_id = $1 AND id IN (SELECT value FROM json_each($3))"
            ),
        }
    };
}

impl MoveBack {
    const LOANS: Self = move_back!("loans");
    const HOLDS: Self = move_back!("holds");
    const REVIEWS: Self = move_back!("reviews");
}

fn give_back(
    tx: &mut Tx<'_>,
    statement: MoveBack,
    keep: UserId,
    dropped: UserId,
    ids: &str,
    count: usize,
) -> Result<bool> {
    let statement = if tx.is_postgres() { statement.postgres } else { statement.sqlite };
    let touched = tx.execute(statement, &[&keep, &dropped, &ids])?;
    Ok(usize::try_from(touched).is_ok_and(|touched| touched == count))
}

/// Moves all lines of an account, or only these, to another account, and adjusts both balances.
fn move_lines(tx: &mut Tx<'_>, from: UserId, to: UserId, only: Option<&[LineId]>) -> Result<Vec<LineId>> {
    ledger::lock_all(tx, [from, to])?;
    let line = |row: &super::Row<'_>| Ok((row.get::<LineId>(0)?, row.get::<Money>(1)?));
    let lines: Vec<(LineId, Money)> = match only {
        None => tx.query(
            sql!("UPDATE account_lines SET person_id = $2 WHERE person_id = $1 RETURNING id, amount"),
            &[&from, &to],
            line,
        )?,
        Some(only) => {
            let statement = if tx.is_postgres() {
                sql!(
                    "UPDATE account_lines SET person_id = $2 WHERE person_id = $1 AND id IN
                       (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS moved (id))
                     RETURNING id, amount"
                )
            } else {
                sql!(
                    "UPDATE account_lines SET person_id = $2 WHERE person_id = $1
                       AND id IN (SELECT value FROM json_each($3)) RETURNING id, amount"
                )
            };
            tx.query(statement, &[&from, &to, &json!(only).to_string()], line)?
        }
    };
    let sum: Money = lines.iter().map(|(_, amount)| *amount).sum();
    for (uid, by) in [(from, -sum), (to, sum)] {
        tx.execute_one(
            sql!("UPDATE balances SET balance = balance + $2 WHERE person_id = $1"),
            &[&uid, &by],
        )?;
    }
    Ok(lines.into_iter().map(|(id, _)| id).collect())
}

fn last_line(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT COALESCE(MAX(id), 0) FROM account_lines"), &[], |row| row.get(0))
}

/// Stores the roll numbers of the records merged into this one, so that a search by such a number finds this record.
pub(super) fn set_merged_key(tx: &mut Tx<'_>, uid: UserId) -> Result<()> {
    let numbers: Vec<Option<String>> =
        tx.query(sql!("SELECT roll_number FROM users WHERE merged_into = $1 ORDER BY id"), &[&uid], |row| {
            row.get(0)
        })?;
    let mut key = String::new();
    for number in numbers.iter().flatten() {
        key.push('\u{1f}');
        key.push_str(&fold(number));
    }
    tx.execute_one(sql!("UPDATE users SET merged_key = $2 WHERE id = $1"), &[&uid, &key])
}

/// Stores the undo data of a merge, and deletes that of merges too old to be undone.
pub fn keep(tx: &mut Tx<'_>, change: ChangeId, at: i64, moved: &Moved) -> Result<()> {
    forget_before(tx, at - 2 * 24 * 60 * 60 * 1000)?;
    let json = serde_json::to_string(moved).map_err(|error| Error::Database(Box::new(error)))?;
    tx.execute_one(
        sql!("INSERT INTO merges (change_id, at, moved) VALUES ($1, $2, $3)"),
        &[&change, &at, &json],
    )
}

/// Deletes the undo data of merges before this instant.
pub fn forget_before(tx: &mut Tx<'_>, at: i64) -> Result<()> {
    tx.execute(sql!("DELETE FROM merges WHERE at < $1"), &[&at])?;
    Ok(())
}

/// Returns the undo data of the merge that this change recorded.
pub fn of_change(tx: &mut Tx<'_>, change: ChangeId) -> Result<Option<Moved>> {
    let found = tx.query_opt(sql!("SELECT moved FROM merges WHERE change_id = $1"), &[&change], |row| {
        row.get::<String>(0)
    })?;
    found
        .map(|json| serde_json::from_str(&json).map_err(|error| Error::Database(Box::new(error))))
        .transpose()
}
