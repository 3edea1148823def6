//! Accounts: the rows of people that sign-in, sessions and loans read.

use jiff::civil::Date;

use super::{
    Error, Result, Row, Tx,
    sessions::{self, ValidSession},
};
use crate::{
    domain::{
        account::{Capability, ProfileEdit, Role, User, folded_email},
        id::UserId,
        moment::rfc3339,
        person::Barred,
    },
    fold::fold,
    select_to_decide, sql,
};

macro_rules! columns {
    () => {
        "id, email, name, role, roll_number, department, batch, created_at, active, capabilities, claimed"
    };
}

/// Account as stored: its role may be one that the program does not know (R-LOGIN-5).
#[derive(Clone, Debug)]
pub struct Account {
    pub uid: UserId,
    /// The person; `None` if the stored role is neither student nor librarian.
    pub user: Option<User>,
    /// True if the person may sign in, borrow and reserve (R-PEOPLE-6).
    pub active: bool,
    /// True if the person entered the address or the roll number themself, without proof that it is theirs.
    pub claimed: bool,
}

impl Account {
    /// Returns the person; fails with [`Error::Inconsistent`] if the role is unknown.
    fn known(self) -> Result<User> {
        self.user.ok_or(Error::Inconsistent("an account has a role that does not exist"))
    }
}

fn account(row: &Row<'_>) -> Result<Account> {
    let (uid, active, claimed) = (row.get(0)?, row.get(8)?, row.get(10)?);
    let Some(role) = Role::parse(&row.get::<String>(3)?) else {
        return Ok(Account { uid, user: None, active, claimed });
    };
    let user = User {
        uid,
        email: row.get(1)?,
        name: row.get(2)?,
        role,
        roll_number: row.get(4)?,
        department: row.get(5)?,
        batch: row.get(6)?,
        created_at: rfc3339(row.get(7)?),
        capabilities: Capability::stored(role, row.get::<Option<String>>(9)?.as_deref()),
    };
    Ok(Account { uid, user: Some(user), active, claimed })
}

/// Account to add.
#[derive(Clone)]
pub struct NewAccount {
    /// Email address as typed.
    pub email: String,
    pub name: String,
    pub role: Role,
    /// Folded roll number; `None` for librarians.
    pub roll_number: Option<String>,
    pub department: Option<String>,
    pub batch: Option<String>,
    /// PHC string.
    pub password_hash: String,
}

/// Reason why an email address or a roll number cannot be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Another account has the email address.
    Email,
    /// Another account has the roll number.
    RollNumber,
    /// The roll number is the barcode of a copy.
    Barcode,
}

/// Folded texts for searching and sorting people.
pub(super) struct Keys {
    pub name: String,
    /// Name, roll number and batch.
    pub search: String,
    /// Name, roll number, batch, email and department.
    pub directory: String,
}

pub(super) fn keys(
    name: &str,
    roll_number: Option<&str>,
    batch: Option<&str>,
    email: Option<&str>,
    department: Option<&str>,
) -> Keys {
    let name = fold(name);
    let [roll_number, batch, email, department] =
        [roll_number, batch, email, department].map(|text| fold(text.unwrap_or_default()));
    let search = [name.as_str(), &roll_number, &batch].join("\u{1f}");
    let directory = [search.as_str(), &email, &department].join("\u{1f}");
    Keys { name, search, directory }
}

/// Serialises transactions that assign the same email address, roll number or barcode, so that the second one finds it
/// taken. Waits for transactions that called [`lock_all_codes`]. A no-op on `SQLite`, which has one writer.
pub(super) fn lock_code(tx: &mut Tx<'_>, code: &str) -> Result<()> {
    if tx.is_postgres() {
        tx.execute(
            sql!(
                "SELECT pg_advisory_xact_lock_shared(7309940714), pg_advisory_xact_lock(hashtextextended($1, 0))"
            ),
            &[&code],
        )?;
    }
    Ok(())
}

/// Blocks other transactions from assigning an email address, roll number or barcode until this one ends. A caller that
/// also locks people must lock them first, in the same order as every edit of a person.
pub(super) fn lock_all_codes(tx: &mut Tx<'_>) -> Result<()> {
    if tx.is_postgres() {
        tx.execute(sql!("SELECT pg_advisory_xact_lock(7309940714)"), &[])?;
    }
    Ok(())
}

/// Returns a conflict if another account than `uid` has the email address or the roll number, or if a copy has the roll number
/// as its barcode. Every function that assigns an email address or a (folded) roll number must call this first. The account's
/// present roll number is accepted even if it is also a barcode: old libraries have such pairs, which `library doctor` lists.
pub(super) fn find_conflict(
    tx: &mut Tx<'_>,
    uid: Option<UserId>,
    email: Option<&str>,
    roll_number: Option<&str>,
) -> Result<Option<Taken>> {
    let uid = uid.unwrap_or(UserId(0));
    if let Some(email) = email.map(folded_email) {
        lock_code(tx, &email)?;
        let other = tx.query_opt(
            sql!("SELECT id FROM users WHERE email_key = $1 AND id <> $2"),
            &[&email, &uid],
            |row| row.get::<UserId>(0),
        )?;
        if other.is_some() {
            return Ok(Some(Taken::Email));
        }
    }
    let Some(roll_number) = roll_number else { return Ok(None) };
    lock_code(tx, roll_number)?;
    tx.query_one(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM users WHERE roll_number = $1 AND id <> $2),
                    EXISTS (SELECT 1 FROM copies WHERE barcode_key = $1)
                      AND NOT EXISTS (SELECT 1 FROM users WHERE roll_number = $1 AND id = $2)"
        ),
        &[&roll_number, &uid],
        |row| {
            Ok(match (row.get(0)?, row.get(1)?) {
                (true, _) => Some(Taken::RollNumber),
                (_, true) => Some(Taken::Barcode),
                _ => None,
            })
        },
    )
}

/// Adds an account, unless its email or its roll number is taken.
pub fn add(tx: &mut Tx<'_>, new: &NewAccount, now: i64) -> Result<Result<User, Taken>> {
    if let Some(taken) = find_conflict(tx, None, Some(&new.email), new.roll_number.as_deref())? {
        return Ok(Err(taken));
    }
    let keys = keys(
        &new.name,
        new.roll_number.as_deref(),
        new.batch.as_deref(),
        Some(&new.email),
        new.department.as_deref(),
    );
    let added = tx.query_opt(
        sql!(
            "INSERT INTO users (email, email_key, name, name_key, search_key, directory_key, role, roll_number, department,
                                batch, password_hash, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
             ON CONFLICT DO NOTHING RETURNING ",
            columns!()
        ),
        &[
            &new.email,
            &folded_email(&new.email),
            &new.name,
            &keys.name,
            &keys.search,
            &keys.directory,
            &new.role.as_str(),
            &new.roll_number,
            &new.department,
            &new.batch,
            &new.password_hash,
            &now,
        ],
        account,
    )?;
    Ok(match added {
        Some(account) => Ok(account.known()?),
        // Another transaction has assigned the email address or the roll number meanwhile.
        None => match find_conflict(tx, None, Some(&new.email), None)? {
            Some(taken) => Err(taken),
            None => Err(Taken::RollNumber),
        },
    })
}

/// Returns the account with an email address, and its password hash if it has a password.
pub fn credentials(tx: &mut Tx<'_>, email: &str) -> Result<Option<(Account, Option<String>)>> {
    tx.query_opt(
        sql!("SELECT ", columns!(), ", password_hash FROM users WHERE email_key = $1 AND gone_at IS NULL"),
        &[&folded_email(email)],
        |row| Ok((account(row)?, row.get(11)?)),
    )
}

/// Returns the key for counting a person's wrong entries of their own password, and the password hash, if any.
pub fn own_credentials(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<(String, Option<String>)>> {
    tx.query_opt(
        sql!("SELECT COALESCE(email_key, roll_number, ''), password_hash FROM users WHERE id = $1"),
        &[&uid],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Returns the account with an id.
pub fn by_id(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<Account>> {
    tx.query_opt(sql!("SELECT ", columns!(), " FROM users WHERE id = $1"), &[&uid], account)
}

/// Returns the category whose rules apply to a person; `None` if there is no such account.
pub fn category(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<String>> {
    tx.query_opt(sql!("SELECT category FROM users WHERE id = $1"), &[&uid], |row| row.get(0))
}

/// Returns the category whose rules apply to a person, and true if the person is active; `None` if there is no such
/// account.
pub fn category_and_activity(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<(String, bool)>> {
    tx.query_opt(
        sql!("SELECT category, CASE WHEN active AND gone_at IS NULL THEN TRUE ELSE FALSE END FROM users WHERE id = $1"),
        &[&uid],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Facts that decide whether a person may borrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader {
    pub uid: UserId,
    pub category: String,
    pub active: bool,
    /// The last day on which the person may borrow.
    pub valid_until: Option<Date>,
    pub barred: Option<Barred>,
}

macro_rules! reader {
    ($select:ident, $tx:expr, $uid:expr) => {
        $tx.query_opt(
            $select!(
                "SELECT category, active, valid_until, barred_until, barred_reason FROM users
                 WHERE id = $1 AND gone_at IS NULL"
            ),
            &[&$uid],
            |row| {
                Ok(Reader {
                    uid: $uid,
                    category: row.get(0)?,
                    active: row.get(1)?,
                    valid_until: row.optional_day(2)?,
                    barred: barred(row.optional_day(3)?, row.get(4)?),
                })
            },
        )
    };
}

/// Reads the facts about a borrower without a lock, for display.
pub fn reader(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<Reader>> {
    reader!(sql, tx, uid)
}

/// Reads the facts and locks the person like [`lock`], for a decision about a loan.
pub fn lock_reader(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<Reader>> {
    reader!(select_to_decide, tx, uid)
}

pub(super) fn barred(until: Option<Date>, reason: Option<String>) -> Option<Barred> {
    until.zip(reason).map(|(until, reason)| Barred { until, reason })
}

/// Locks a person until the transaction ends, so that transactions which decide about the person's loans run one by
/// one.
pub fn lock(tx: &mut Tx<'_>, uid: UserId) -> Result<()> {
    tx.query(select_to_decide!("SELECT id FROM users WHERE id = $1"), &[&uid], |row| row.get::<UserId>(0))?;
    Ok(())
}

/// Returns the valid session of a token with its account. One statement reads both, so that a change of role, which
/// ends the sessions, cannot come between.
pub(super) fn of_session(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<ValidSession>> {
    tx.query_opt(
        sql!(
            "SELECT ",
            columns!(),
            ", began_at, seen_at, expires_at,
             EXISTS (SELECT 1 FROM authenticators WHERE authenticators.user_id = users.id AND confirmed_at IS NOT NULL)
             OR EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id)
             FROM users JOIN (SELECT user_id, created_at AS began_at, seen_at, expires_at FROM sessions
                              WHERE token_hash = $1 AND expires_at > $2 AND seen_at <= $3) AS session ON session.user_id = users.id
             WHERE active AND gone_at IS NULL"
        ),
        &[&token_hash, &now, &now.saturating_add(sessions::AHEAD)],
        |row| {
            Ok(ValidSession {
                account: account(row)?,
                created_at: row.get(11)?,
                seen_at: row.get(12)?,
                expires_at: row.get(13)?,
                second_factor: row.get(14)?,
            })
        },
    )
}

/// Returns the account with a (folded) roll number: its own, or that of a record merged into it (R-PEOPLE-9).
pub fn by_roll_number(tx: &mut Tx<'_>, roll_number: &str) -> Result<Option<Account>> {
    tx.query_opt(
        sql!(
            "SELECT ",
            columns!(),
            " FROM users WHERE id = (SELECT COALESCE(known.merged_into, known.id) FROM users AS known
                                     WHERE known.roll_number = $1)"
        ),
        &[&roll_number],
        account,
    )
}

/// Stores a profile edit; `None` if the account no longer exists.
pub fn update_profile(
    tx: &mut Tx<'_>,
    uid: UserId,
    edit: &ProfileEdit,
) -> Result<Option<Result<User, Taken>>> {
    if let Some(taken) = find_conflict(tx, Some(uid), None, Some(&edit.roll_number))? {
        return Ok(Some(Err(taken)));
    }
    let Some(before) = by_id(tx, uid)? else { return Ok(None) };
    let before = before.known()?;
    let keys = keys(
        &edit.name,
        Some(&edit.roll_number),
        before.batch.as_deref(),
        before.email.as_deref(),
        Some(&edit.department),
    );
    let updated = tx.query_opt(
        sql!(
            "UPDATE users SET name = $2, roll_number = $3, department = $4, name_key = $5, search_key = $6 || merged_key,
                    directory_key = $7 || merged_key,
                    claimed = CASE WHEN COALESCE(roll_number, '') <> $3 THEN TRUE ELSE claimed END
             WHERE id = $1 RETURNING ",
            columns!()
        ),
        &[&uid, &edit.name, &edit.roll_number, &edit.department, &keys.name, &keys.search, &keys.directory],
        account,
    )?;
    updated.map(|account| account.known().map(Ok)).transpose()
}

/// Records that the person entered the address or the roll number.
pub fn claim(tx: &mut Tx<'_>, uid: UserId) -> Result<()> {
    tx.execute_one(sql!("UPDATE users SET claimed = TRUE WHERE id = $1"), &[&uid])
}

/// Replaces a password; `false` if another request changed the password, so that `stored` is no longer its hash.
pub fn change_password(tx: &mut Tx<'_>, uid: UserId, stored: &str, hash: &str) -> Result<bool> {
    let changed = tx.execute(
        sql!("UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2"),
        &[&uid, &stored, &hash],
    )?;
    Ok(changed == 1)
}

/// Counts the people who are not librarians, and the librarians who can sign in.
pub fn by_role(tx: &mut Tx<'_>) -> Result<(i64, i64)> {
    tx.query_one(
        sql!(
            "SELECT COUNT(CASE WHEN role <> 'admin' THEN 1 END),
                    COUNT(CASE WHEN role = 'admin' AND active AND password_hash IS NOT NULL THEN 1 END)
             FROM users WHERE gone_at IS NULL"
        ),
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// True if the library has a librarian, active or not.
pub fn has_librarian(tx: &mut Tx<'_>) -> Result<bool> {
    tx.query_one(
        sql!("SELECT EXISTS (SELECT 1 FROM users WHERE role = 'admin' AND gone_at IS NULL)"),
        &[],
        |row| row.get(0),
    )
}

/// Counts all accounts.
pub fn count(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT COUNT(*) FROM users"), &[], |row| row.get(0))
}
