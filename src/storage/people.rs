//! People: their stored records, and the searches and lists for librarians.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{
    Result, Row, Tx,
    accounts::{self, Taken},
    anywhere,
    authority::{Replaceable, Subject},
    contains,
};
use crate::{
    domain::{
        account::{Capability, Role, folded_email},
        id::UserId,
        moment::rfc3339,
        person::Details,
    },
    fold::fold,
    insert,
    money::Money,
    select_to_decide, sql,
};

macro_rules! columns {
    () => {
        "users.id, users.name, users.email, users.roll_number, users.department, users.batch, users.category, users.role,
         users.active, users.valid_until, users.barred_until, users.barred_reason, users.password_hash IS NOT NULL,
         users.created_at, users.capabilities,
         EXISTS (SELECT 1 FROM authenticators WHERE authenticators.user_id = users.id AND confirmed_at IS NOT NULL)
         OR EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id), users.guardian_email, users.guardian_phone,
         users.phone"
    };
}

/// Number of columns in [`columns!`].
const COLUMNS: usize = 19;

/// Stored record of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub uid: UserId,
    pub details: Details,
    /// `None` if the stored role is unknown (R-LOGIN-5).
    pub role: Option<Role>,
    pub capabilities: Vec<Capability>,
    pub active: bool,
    pub has_password: bool,
    /// True if sign-in asks for a second factor.
    pub second_factor: bool,
    /// RFC 3339.
    pub created_at: String,
}

fn record(row: &Row<'_>) -> Result<Record> {
    let role = Role::parse(&row.get::<String>(7)?);
    let stored: Option<String> = row.get(14)?;
    let capabilities = role.map_or_else(Vec::new, |role| Capability::stored(role, stored.as_deref()));
    Ok(Record {
        uid: row.get(0)?,
        details: Details {
            name: row.get(1)?,
            email: row.get(2)?,
            roll_number: row.get(3)?,
            department: row.get(4)?,
            batch: row.get(5)?,
            category: row.get(6)?,
            valid_until: row.optional_day(9)?,
            barred: accounts::barred(row.optional_day(10)?, row.get(11)?),
            phone: row.get(18)?,
            guardian_email: row.get(16)?,
            guardian_phone: row.get(17)?,
        },
        role,
        capabilities,
        active: row.get(8)?,
        has_password: row.get(12)?,
        second_factor: row.get(15)?,
        created_at: rfc3339(row.get(13)?),
    })
}

/// Returns a person; `None` if the id is unknown, or the person was erased or merged into another.
pub fn by_id(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<Record>> {
    tx.query_opt(
        sql!("SELECT ", columns!(), " FROM users WHERE users.id = $1 AND users.gone_at IS NULL"),
        &[&uid],
        record,
    )
}

/// Returns the people with these ids, in the same order; erased and merged ones are left out.
pub fn by_ids(tx: &mut Tx<'_>, uids: &[UserId]) -> Result<Vec<Record>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT ",
            columns!(),
            " FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) WITH ORDINALITY AS wanted (id, place)
              JOIN users ON users.id = CAST(wanted.id AS BIGINT) WHERE users.gone_at IS NULL ORDER BY wanted.place"
        )
    } else {
        sql!(
            "SELECT ",
            columns!(),
            " FROM json_each($1) AS wanted CROSS JOIN users ON users.id = wanted.value
              WHERE users.gone_at IS NULL ORDER BY wanted.key"
        )
    };
    tx.query(statement, &[&json!(uids).to_string()], record)
}

/// Returns the record into which this one was merged; `None` if it was not merged.
pub fn kept_instead(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<UserId>> {
    let found =
        tx.query_opt(sql!("SELECT merged_into FROM users WHERE id = $1"), &[&uid], |row| row.get(0))?;
    Ok(found.flatten())
}

/// Adds a person without a password, unless email or roll number is taken.
pub fn add(tx: &mut Tx<'_>, details: &Details, now: i64) -> Result<Result<UserId, Taken>> {
    if let Some(taken) = find_conflict(tx, details, None)? {
        return Ok(Err(taken));
    }
    let keys = keys(details);
    let id = tx.insert(
        insert!(
            "INSERT INTO users (email, email_key, name, name_key, search_key, directory_key, role, roll_number, department,
                                batch, category, valid_until, barred_until, barred_reason, guardian_email,
                                guardian_phone, phone, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, 'student', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
        ),
        &[
            &details.email,
            &details.email.as_deref().map(folded_email),
            &details.name,
            &keys.name,
            &keys.search,
            &keys.directory,
            &details.roll_number,
            &details.department,
            &details.batch,
            &details.category,
            &details.valid_until.map(|day| day.to_string()),
            &details.barred.as_ref().map(|barred| barred.until.to_string()),
            &details.barred.as_ref().map(|barred| barred.reason.clone()),
            &details.guardian_email,
            &details.guardian_phone,
            &details.phone,
            &now,
        ],
    )?;
    Ok(Ok(id.into()))
}

/// Stores the details of a person, unless email or roll number belongs to another person.
pub fn update(tx: &mut Tx<'_>, person: &Subject, details: &Details) -> Result<Result<(), Taken>> {
    if let Some(taken) = find_conflict(tx, details, Some(person.uid()))? {
        return Ok(Err(taken));
    }
    set(tx, person.uid(), details)?;
    Ok(Ok(()))
}

/// Stores the details of a person. The caller has ensured that email and roll number belong to no other person.
pub(super) fn set(tx: &mut Tx<'_>, uid: UserId, details: &Details) -> Result<()> {
    let keys = keys(details);
    tx.execute_one(
        sql!(
            "UPDATE users SET email = $2, email_key = $3, name = $4, name_key = $5, search_key = $6 || merged_key,
                    directory_key = $7 || merged_key,
                    roll_number = $8, department = $9, batch = $10, category = $11, valid_until = $12,
                    barred_until = $13, barred_reason = $14, guardian_email = $15, guardian_phone = $16,
                    phone = $17 WHERE id = $1"
        ),
        &[
            &uid,
            &details.email,
            &details.email.as_deref().map(folded_email),
            &details.name,
            &keys.name,
            &keys.search,
            &keys.directory,
            &details.roll_number,
            &details.department,
            &details.batch,
            &details.category,
            &details.valid_until.map(|day| day.to_string()),
            &details.barred.as_ref().map(|barred| barred.until.to_string()),
            &details.barred.as_ref().map(|barred| barred.reason.clone()),
            &details.guardian_email,
            &details.guardian_phone,
            &details.phone,
        ],
    )
}

fn find_conflict(tx: &mut Tx<'_>, details: &Details, uid: Option<UserId>) -> Result<Option<Taken>> {
    accounts::find_conflict(tx, uid, details.email.as_deref(), details.roll_number.as_deref())
}

fn keys(details: &Details) -> accounts::Keys {
    accounts::keys(
        &details.name,
        details.roll_number.as_deref(),
        details.batch.as_deref(),
        details.email.as_deref(),
        details.department.as_deref(),
    )
}

/// Returns the words of a search as `LIKE` patterns; the third one has the rest of the text. A missing word becomes
/// `%%`, which matches everything.
pub(super) fn patterns(query: &str) -> [String; 3] {
    let mut words = query.trim().splitn(3, char::is_whitespace);
    std::array::from_fn(|_| contains(words.next().unwrap_or_default()))
}

/// Returns up to `limit` people who match a search, best matches first: exact roll number or email, then names and roll
/// numbers that begin with the text, then names in which a later word begins with it, then the rest. Active people come
/// first in each group.
pub fn search(tx: &mut Tx<'_>, query: &str, limit: i64) -> Result<Vec<Record>> {
    let [one, two, three] = patterns(query);
    let whole = query.trim().to_lowercase();
    let folded = fold(query.trim());
    let begins = &contains(&folded)[1..];
    let word = format!("% {begins}");
    tx.query(
        sql!(
            "SELECT ",
            columns!(),
            " FROM users WHERE users.id IN (
                  SELECT found.id FROM users AS found
                  WHERE found.gone_at IS NULL AND found.name_key >= '' AND found.directory_key LIKE $1 ESCAPE '\\'
                    AND found.directory_key LIKE $2 ESCAPE '\\' AND found.directory_key LIKE $3 ESCAPE '\\')
              ORDER BY CASE WHEN users.roll_number = $4 OR users.email_key = $4 THEN 0
                            WHEN users.name_key LIKE $5 ESCAPE '\\' OR users.roll_number LIKE $5 ESCAPE '\\' THEN 1
                            WHEN users.name_key LIKE $6 ESCAPE '\\' THEN 2 ELSE 3 END,
                       users.active DESC, users.name_key, users.id
              LIMIT $7"
        ),
        &[&one, &two, &three, &whole, &begins, &word, &limit],
        record,
    )
}

/// Open loan with the fields that its reader's standing needs.
#[derive(Clone, Debug)]
pub struct OpenLoanFacts {
    pub user: UserId,
    pub due: Date,
    pub category: String,
    pub price: Option<Money>,
}

fn open_loan_facts(row: &Row<'_>) -> Result<OpenLoanFacts> {
    Ok(OpenLoanFacts { user: row.get(0)?, due: row.day(1)?, category: row.get(2)?, price: row.get(3)? })
}

/// Returns the open loans of these people.
pub fn open_loans_of(tx: &mut Tx<'_>, people: &[UserId]) -> Result<Vec<OpenLoanFacts>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT loans.user_id, loans.return_date, users.category, COALESCE(copies.price, books.price)
             FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id)
             JOIN users ON users.id = CAST(wanted.id AS BIGINT)
             JOIN loans ON loans.user_id = users.id AND loans.ended_at IS NULL
             JOIN copies ON copies.id = loans.copy_id LEFT JOIN books ON books.id = loans.book_id"
        )
    } else {
        sql!(
            "SELECT loans.user_id, loans.return_date, users.category, COALESCE(copies.price, books.price)
             FROM json_each($1) AS wanted CROSS JOIN users ON users.id = wanted.value
             CROSS JOIN loans ON loans.user_id = users.id AND loans.ended_at IS NULL
             CROSS JOIN copies ON copies.id = loans.copy_id LEFT JOIN books ON books.id = loans.book_id"
        )
    };
    tx.query(statement, &[&json!(people).to_string()], open_loan_facts)
}

/// Returns the people outside the default category, with their categories, in the order of their ids.
pub fn of_other_categories(tx: &mut Tx<'_>) -> Result<Vec<(UserId, String)>> {
    tx.query(sql!("SELECT id, category FROM users WHERE category <> 'Student' ORDER BY id"), &[], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Deactivates a person, who then can no longer sign in, borrow or place holds.
pub fn deactivate(tx: &mut Tx<'_>, person: &Replaceable) -> Result<()> {
    tx.execute_one(sql!("UPDATE users SET active = FALSE WHERE id = $1"), &[&person.uid()])
}

/// Reactivates a person, who then can sign in, borrow and place holds again.
pub fn activate(tx: &mut Tx<'_>, person: &Subject) -> Result<()> {
    tx.execute_one(sql!("UPDATE users SET active = TRUE WHERE id = $1"), &[&person.uid()])
}

/// Reactivates several people in one statement.
pub fn activate_all(tx: &mut Tx<'_>, people: &[Subject]) -> Result<()> {
    let uids: Vec<UserId> = people.iter().map(Subject::uid).collect();
    let statement = if tx.is_postgres() {
        sql!(
            "UPDATE users SET active = TRUE WHERE id IN
               (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id))"
        )
    } else {
        sql!("UPDATE users SET active = TRUE WHERE id IN (SELECT value FROM json_each($1))")
    };
    tx.execute_all(statement, uids.len(), &[&json!(uids).to_string()])
}

/// Stores the hash of a person's password.
pub fn set_password(tx: &mut Tx<'_>, person: &Subject, hash: &str) -> Result<()> {
    tx.execute_one(sql!("UPDATE users SET password_hash = $2 WHERE id = $1"), &[&person.uid(), &hash])
}

/// Returns the person with this roll number or, without one, with this email (both folded). The roll number of a merged
/// record finds the record that was kept.
pub fn known_as(tx: &mut Tx<'_>, roll_number: Option<&str>, email: Option<&str>) -> Result<Option<Record>> {
    match (roll_number, email) {
        (Some(roll_number), _) => tx.query_opt(
            sql!(
                "SELECT ",
                columns!(),
                " FROM users WHERE users.id = (SELECT COALESCE(known.merged_into, known.id) FROM users AS known
                                               WHERE known.roll_number = $1) AND users.gone_at IS NULL"
            ),
            &[&roll_number],
            record,
        ),
        (None, Some(email)) => tx.query_opt(
            sql!("SELECT ", columns!(), " FROM users WHERE users.email_key = $1 AND users.gone_at IS NULL"),
            &[&email],
            record,
        ),
        (None, None) => Ok(None),
    }
}

/// Returns the people with these (folded) roll numbers.
pub fn with_roll_numbers(tx: &mut Tx<'_>, roll_numbers: &[&str]) -> Result<Vec<Record>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT ",
            columns!(),
            " FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (it)
              JOIN users ON users.roll_number = wanted.it WHERE users.gone_at IS NULL"
        )
    } else {
        sql!(
            "SELECT ",
            columns!(),
            " FROM json_each($1) AS wanted CROSS JOIN users ON users.roll_number = wanted.value
              WHERE users.gone_at IS NULL"
        )
    };
    tx.query(statement, &[&json!(roll_numbers).to_string()], record)
}

/// Returns the kept records into which records with these (folded) roll numbers were merged, each with that number.
pub fn with_merged_roll_numbers(tx: &mut Tx<'_>, roll_numbers: &[&str]) -> Result<Vec<(String, Record)>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT ",
            columns!(),
            ", merged.roll_number FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (it)
              JOIN users AS merged ON merged.roll_number = wanted.it JOIN users ON users.id = merged.merged_into
              WHERE users.gone_at IS NULL"
        )
    } else {
        sql!(
            "SELECT ",
            columns!(),
            ", merged.roll_number FROM json_each($1) AS wanted CROSS JOIN users AS merged
              ON merged.roll_number = wanted.value CROSS JOIN users ON users.id = merged.merged_into
              WHERE users.gone_at IS NULL"
        )
    };
    tx.query(statement, &[&json!(roll_numbers).to_string()], |row| Ok((row.get(COLUMNS)?, record(row)?)))
}

/// Returns those of these codes that are barcodes of copies.
pub fn barcodes_among(tx: &mut Tx<'_>, codes: &[&str]) -> Result<Vec<String>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT copies.barcode_key FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (it)
             JOIN copies ON copies.barcode_key = wanted.it"
        )
    } else {
        sql!(
            "SELECT copies.barcode_key FROM json_each($1) AS wanted CROSS JOIN copies
             ON copies.barcode_key = wanted.value"
        )
    };
    tx.query(statement, &[&json!(codes).to_string()], |row| row.get(0))
}

/// Returns the people with these (folded) email addresses.
pub fn owners_of_emails(tx: &mut Tx<'_>, emails: &[String]) -> Result<Vec<(String, UserId)>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT users.email_key, users.id
             FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (it)
             JOIN users ON users.email_key = wanted.it"
        )
    } else {
        sql!(
            "SELECT users.email_key, users.id FROM json_each($1) AS wanted CROSS JOIN users
             ON users.email_key = wanted.value"
        )
    };
    tx.query(statement, &[&json!(emails).to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Returns the columns of a person as a JSON row: email, its key, name and the other keys, roll number, department,
/// batch, category, valid until, guardian's email and phone, own phone.
fn json_row(details: &Details) -> Value {
    let keys = keys(details);
    json!([
        details.email,
        details.email.as_deref().map(folded_email),
        details.name,
        keys.name,
        keys.search,
        keys.directory,
        details.roll_number,
        details.department,
        details.batch,
        details.category,
        details.valid_until,
        details.guardian_email,
        details.guardian_phone,
        details.phone,
    ])
}

/// Adds people in one statement and returns their ids in the same order. Their emails and roll numbers must be free.
pub fn add_all(tx: &mut Tx<'_>, people: &[Details], now: i64) -> Result<Vec<UserId>> {
    let rows = Value::Array(people.iter().map(json_row).collect()).to_string();
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO users (role, created_at, email, email_key, name, name_key, search_key, directory_key, roll_number,
                                department, batch, category, valid_until, guardian_email, guardian_phone, phone)
             SELECT 'student', CAST($2 AS BIGINT), it ->> 0, it ->> 1, it ->> 2, it ->> 3, it ->> 4, it ->> 5, it ->> 6,
                    it ->> 7, it ->> 8, it ->> 9, it ->> 10, it ->> 11, it ->> 12, it ->> 13
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) WITH ORDINALITY AS new (it, number)
             ORDER BY number RETURNING id"
        )
    } else {
        sql!(
            "INSERT INTO users (role, created_at, email, email_key, name, name_key, search_key, directory_key, roll_number,
                                department, batch, category, valid_until, guardian_email, guardian_phone, phone)
             SELECT 'student', $2, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
                    value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13
             FROM json_each($1) ORDER BY key RETURNING id"
        )
    };
    let mut uids: Vec<UserId> = tx.query(statement, &[&rows, &now], |row| row.get(0))?;
    uids.sort_unstable();
    Ok(uids)
}

/// Stores the details of people in one statement, except roll numbers and bars.
pub fn update_all(tx: &mut Tx<'_>, people: &[(&Subject, Details)]) -> Result<()> {
    let rows = people.iter().map(|(person, details)| {
        let mut row = json_row(details);
        if let Value::Array(cells) = &mut row {
            cells.push(json!(person.uid()));
        }
        row
    });
    let rows = Value::Array(rows.collect()).to_string();
    let statement = if tx.is_postgres() {
        sql!(
            "UPDATE users SET email = it ->> 0, email_key = it ->> 1, name = it ->> 2, name_key = it ->> 3,
                    search_key = (it ->> 4) || merged_key, directory_key = (it ->> 5) || merged_key, department = it ->> 7,
                    batch = it ->> 8, category = it ->> 9, valid_until = it ->> 10, guardian_email = it ->> 11,
                    guardian_phone = it ->> 12, phone = it ->> 13
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) AS changed (it)
             WHERE users.id = CAST(it ->> 14 AS BIGINT) AND users.gone_at IS NULL"
        )
    } else {
        sql!(
            "UPDATE users SET email = value ->> 0, email_key = value ->> 1, name = value ->> 2, name_key = value ->> 3,
                    search_key = (value ->> 4) || merged_key, directory_key = (value ->> 5) || merged_key,
                    department = value ->> 7, batch = value ->> 8, category = value ->> 9, valid_until = value ->> 10,
                    guardian_email = value ->> 11, guardian_phone = value ->> 12,
                    phone = value ->> 13
             FROM json_each($1) AS changed WHERE users.id = changed.value ->> 14 AND users.gone_at IS NULL"
        )
    };
    tx.execute_all(statement, people.len(), &[&rows])
}

/// Makes a person a librarian with these capabilities, or a student.
pub fn set_role(
    tx: &mut Tx<'_>,
    person: &Replaceable,
    role: Role,
    capabilities: &[Capability],
) -> Result<()> {
    let capabilities = if role == Role::Admin { Capability::to_stored(capabilities) } else { None };
    tx.execute_one(
        sql!("UPDATE users SET role = $2, capabilities = $3 WHERE id = $1"),
        &[&person.uid(), &role.as_str(), &capabilities],
    )
}

/// Locks all librarians who can sign in, in the order of their ids, so that transactions that make or remove librarians
/// run one after another. `id + 0` keeps `SQLite` from scanning all people in the order of ids.
pub fn lock_librarians(tx: &mut Tx<'_>) -> Result<Vec<(UserId, Vec<Capability>)>> {
    tx.query(
        select_to_decide!(
            "SELECT id, capabilities FROM users
             WHERE gone_at IS NULL AND role = 'admin' AND active AND password_hash IS NOT NULL AND name_key >= ''
             ORDER BY id + 0"
        ),
        &[],
        |row| {
            let stored: Option<String> = row.get(1)?;
            Ok((row.get(0)?, Capability::stored(Role::Admin, stored.as_deref())))
        },
    )
}

/// Returns all librarians by name.
pub fn librarians(tx: &mut Tx<'_>) -> Result<Vec<Record>> {
    tx.query(
        sql!(
            "SELECT ",
            columns!(),
            " FROM users WHERE users.gone_at IS NULL AND users.role = 'admin' ORDER BY users.name_key, users.id"
        ),
        &[],
        record,
    )
}

/// Returns up to `limit` batches of people, in the order of their texts. Jumps from one batch to the next in the index.
pub fn batches(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<String>> {
    tx.query(
        sql!(
            "WITH RECURSIVE jumps (batch) AS (
               SELECT MIN(COALESCE(batch, '')) FROM users WHERE gone_at IS NULL AND COALESCE(batch, '') > ''
               UNION ALL
               SELECT (SELECT MIN(COALESCE(batch, '')) FROM users WHERE gone_at IS NULL AND COALESCE(batch, '') > jumps.batch)
               FROM jumps WHERE jumps.batch IS NOT NULL)
             SELECT batch FROM jumps WHERE batch IS NOT NULL LIMIT $1"
        ),
        &[&limit],
        |row| row.get(0),
    )
}

/// Returns the active students of a batch by name, locked until the transaction ends.
pub fn of_batch(tx: &mut Tx<'_>, batch: &str) -> Result<Vec<Record>> {
    let mut people = tx.query(
        select_to_decide!(
            "SELECT ",
            columns!(),
            " FROM users WHERE COALESCE(users.batch, '') = $1 AND users.gone_at IS NULL AND users.active
                AND users.role = 'student' ORDER BY users.id"
        ),
        &[&batch],
        record,
    )?;
    // Sorted here and not in the statement, which locks the rows in the order in which it returns them.
    people.sort_by_cached_key(|person| keys(&person.details).name);
    Ok(people)
}

/// Returns the ids of the people of a batch.
pub fn uids_of_batch(tx: &mut Tx<'_>, batch: &str) -> Result<Vec<UserId>> {
    tx.query(
        sql!("SELECT id FROM users WHERE COALESCE(users.batch, '') = $1 AND users.gone_at IS NULL"),
        &[&batch],
        |row| row.get(0),
    )
}

/// Person in the order of batches and names.
pub struct OfBatch {
    pub uid: UserId,
    /// Empty if the person has no batch.
    pub batch: String,
    pub name_key: String,
    pub name: String,
    pub roll_number: Option<String>,
    pub is_active_student: bool,
}

/// Returns the next people after a position (batch, folded name, id) in the order of batches and names.
pub fn along_batches(
    tx: &mut Tx<'_>,
    place: &(String, String, UserId),
    limit: usize,
) -> Result<Vec<OfBatch>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.query(
        sql!(
            "SELECT users.id, COALESCE(users.batch, ''), users.name_key, users.name, users.roll_number,
                    users.active AND users.role = 'student'
             FROM users WHERE users.gone_at IS NULL AND COALESCE(users.batch, '') >= $1
               AND (COALESCE(users.batch, ''), users.name_key, users.id) > ($1, $2, $3)
             ORDER BY COALESCE(users.batch, ''), users.name_key, users.id LIMIT $4"
        ),
        &[&place.0, &place.1, &place.2, &limit],
        |row| {
            Ok(OfBatch {
                uid: row.get(0)?,
                batch: row.get(1)?,
                name_key: row.get(2)?,
                name: row.get(3)?,
                roll_number: row.get(4)?,
                is_active_student: row.get(5)?,
            })
        },
    )
}

/// Keeps other transactions from taking a roll number or an address until this one ends (`accounts::lock_code`).
pub fn lock_identifiers(tx: &mut Tx<'_>) -> Result<()> {
    accounts::lock_all_codes(tx)
}

/// Returns these people, locked until the transaction ends; erased and merged ones are left out.
pub fn lock_all(tx: &mut Tx<'_>, people: &[UserId]) -> Result<Vec<Record>> {
    let statement = if tx.is_postgres() {
        select_to_decide!(
            "SELECT ",
            columns!(),
            " FROM users WHERE users.gone_at IS NULL AND users.id IN
               (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id))
             ORDER BY users.id"
        )
    } else {
        select_to_decide!(
            "SELECT ",
            columns!(),
            " FROM users WHERE users.gone_at IS NULL AND users.id IN (SELECT value FROM json_each($1)) ORDER BY users.id"
        )
    };
    tx.query(statement, &[&json!(people).to_string()], record)
}

/// Returns a record that was merged into another, locked until the transaction ends.
pub fn lock_merged(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<Record>> {
    tx.query_opt(
        select_to_decide!(
            "SELECT ",
            columns!(),
            " FROM users WHERE users.id = $1 AND users.merged_into IS NOT NULL"
        ),
        &[&uid],
        record,
    )
}

/// Returns the ids of the records that were merged into this one.
pub fn merged_into(tx: &mut Tx<'_>, uid: UserId) -> Result<Vec<UserId>> {
    tx.query(sql!("SELECT id FROM users WHERE merged_into = $1 ORDER BY id"), &[&uid], |row| row.get(0))
}

/// Erases everything that identifies a person: the record and those merged into it, names in reviews and changes, and
/// stored responses. Loans stay, with department and batch.
pub fn erase(tx: &mut Tx<'_>, person: &Replaceable, now: i64) -> Result<()> {
    let mut records = vec![(person.uid(), person.record().details.name.clone())];
    records.extend(tx.query(
        sql!("SELECT id, name FROM users WHERE merged_into = $1 ORDER BY id"),
        &[&person.uid()],
        |row| Ok((row.get::<UserId>(0)?, row.get::<String>(1)?)),
    )?);
    for (uid, name) in records {
        erase_record(tx, uid, now)?;
        // Stored responses that name the person would live for two more days; no client repeats a request about an
        // erased person.
        let name = Value::from(name.as_str()).to_string();
        tx.execute(
            sql!("DELETE FROM idempotency WHERE user_id = $1 OR body LIKE $2 ESCAPE '\\'"),
            &[&uid, &anywhere(&name)],
        )?;
    }
    Ok(())
}

fn erase_record(tx: &mut Tx<'_>, uid: UserId, now: i64) -> Result<()> {
    for statement in [
        sql!("DELETE FROM sessions WHERE user_id = $1"),
        sql!("DELETE FROM sign_in_codes WHERE user_id = $1"),
        sql!("DELETE FROM mails WHERE person_id = $1"),
        sql!("DELETE FROM mail_choices WHERE person_id = $1"),
        sql!("DELETE FROM calendar_links WHERE person_id = $1"),
        sql!("DELETE FROM uncounted_readers WHERE person_id = $1"),
        sql!("DELETE FROM authenticators WHERE user_id = $1"),
        sql!("DELETE FROM passkeys WHERE user_id = $1"),
        sql!("DELETE FROM recovery_codes WHERE user_id = $1"),
        sql!("DELETE FROM half_sign_ins WHERE user_id = $1"),
        sql!("DELETE FROM oidc_links WHERE user_id = $1"),
        sql!("DELETE FROM oidc_proofs WHERE user_id = $1"),
        sql!("DELETE FROM no_dues WHERE user_id = $1"),
        sql!("DELETE FROM photos WHERE person_id = $1"),
        sql!("DELETE FROM replaced_photos WHERE person_id = $1"),
        sql!("DELETE FROM notices WHERE person_id = $1"),
        sql!("UPDATE reviews SET user_name = '' WHERE user_id = $1"),
        sql!("UPDATE deleted_reviews SET user_name = '' WHERE user_id = $1"),
        sql!("DELETE FROM merges WHERE change_id IN (SELECT id FROM events WHERE person_id = $1)"),
        sql!(r#"UPDATE events SET change = '{"v":1,"kind":"erased"}' WHERE person_id = $1 AND personal"#),
    ] {
        tx.execute(statement, &[&uid])?;
    }
    tx.execute_one(
        sql!(
            "UPDATE users SET gone_at = $2, active = FALSE, name = '', name_key = '', search_key = '', directory_key = '',
                    merged_key = '', email = NULL, email_key = NULL, roll_number = NULL, password_hash = NULL,
                    valid_until = NULL, barred_until = NULL, barred_reason = NULL, guardian_email = NULL,
                    guardian_phone = NULL, phone = NULL WHERE id = $1"
        ),
        &[&uid, &now],
    )
}
