//! Accounts.

use super::{Error, Result, Row, Tx};
use crate::{
    clock,
    domain::{
        account::{ProfileEdit, Role, User, folded_email},
        id::UserId,
    },
    fold::fold,
    select_for_update, sql,
};

macro_rules! columns {
    () => {
        "id, email, name, role, roll_number, department, batch, created_at"
    };
}

/// An account as the database has it: its role may be none that the program knows (R-LOGIN-5).
#[derive(Clone, Debug)]
pub struct Account {
    pub uid: UserId,
    /// The person; `None` where the stored role is neither of the two.
    pub user: Option<User>,
}

impl Account {
    /// The person of an account whose role is known to be known.
    fn known(self) -> Result<User> {
        self.user.ok_or(Error::Inconsistent("an account has a role that does not exist"))
    }
}

fn account(row: &Row<'_>) -> Result<Account> {
    let uid = row.get(0)?;
    let Some(role) = Role::parse(&row.get::<String>(3)?) else { return Ok(Account { uid, user: None }) };
    let user = User {
        uid,
        email: row.get(1)?,
        name: row.get(2)?,
        role,
        roll_number: row.get(4)?,
        department: row.get(5)?,
        batch: row.get(6)?,
        created_at: clock::rfc3339(row.get(7)?),
    };
    Ok(Account { uid, user: Some(user) })
}

/// A new account.
#[derive(Clone)]
pub struct NewAccount {
    /// Email address as typed.
    pub email: String,
    /// Full name.
    pub name: String,
    /// Role.
    pub role: Role,
    /// Folded roll number; `None` for librarians.
    pub roll_number: Option<String>,
    /// Department.
    pub department: Option<String>,
    /// Batch.
    pub batch: Option<String>,
    /// Password hash, a PHC string.
    pub password_hash: String,
}

/// What another account already has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The email address.
    Email,
    /// The roll number.
    RollNumber,
}

fn search_key(name: &str, roll_number: Option<&str>, batch: Option<&str>) -> String {
    [name, roll_number.unwrap_or_default(), batch.unwrap_or_default()].map(fold).join("\u{1f}")
}

/// Lets those who want the same roll number at the same moment take turns until the transaction ends, so that the second
/// is told that it is taken: an UPDATE has no ON CONFLICT. `SQLite` has one writer anyway.
fn take_turns(tx: &mut Tx<'_>, roll_number: &str) -> Result<()> {
    if tx.is_postgres() {
        tx.execute(sql!("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"), &[&roll_number])?;
    }
    Ok(())
}

/// Adds an account, unless its email or its roll number is taken.
pub fn add(tx: &mut Tx<'_>, new: &NewAccount, now: i64) -> Result<Result<User, Taken>> {
    if let Some(roll_number) = &new.roll_number {
        take_turns(tx, roll_number)?;
    }
    let added = tx.query_opt(
        sql!(
            "INSERT INTO users (email, email_key, name, search_key, role, roll_number, department, batch,
                                password_hash, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             ON CONFLICT DO NOTHING RETURNING ",
            columns!()
        ),
        &[
            &new.email,
            &folded_email(&new.email),
            &new.name,
            &search_key(&new.name, new.roll_number.as_deref(), new.batch.as_deref()),
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
        None if credentials(tx, &new.email)?.is_some() => Err(Taken::Email),
        None => Err(Taken::RollNumber),
    })
}

/// The account and the password hash behind an email address.
pub fn credentials(tx: &mut Tx<'_>, email: &str) -> Result<Option<(Account, String)>> {
    tx.query_opt(
        sql!("SELECT ", columns!(), ", password_hash FROM users WHERE email_key = $1"),
        &[&folded_email(email)],
        |row| Ok((account(row)?, row.get(8)?)),
    )
}

/// An account by its number.
pub fn by_id(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<Account>> {
    tx.query_opt(sql!("SELECT ", columns!(), " FROM users WHERE id = $1"), &[&uid], account)
}

/// A person's category of rules; `None` where there is no such account.
pub fn category(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<String>> {
    tx.query_opt(sql!("SELECT category FROM users WHERE id = $1"), &[&uid], |row| row.get(0))
}

/// Lets those who decide about one person's loans take turns until the transaction ends.
pub fn lock(tx: &mut Tx<'_>, uid: UserId) -> Result<()> {
    tx.query(select_for_update!("SELECT id FROM users WHERE id = $1"), &[&uid], |row| row.get::<UserId>(0))?;
    Ok(())
}

/// The account that a session stands for, and until when. One statement, because both must be of one moment: another role
/// ends the sessions.
pub(super) fn of_session(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<(Account, i64)>> {
    tx.query_opt(
        sql!(
            "SELECT ",
            columns!(),
            ", (SELECT expires_at FROM sessions WHERE token_hash = $1) FROM users
             WHERE id = (SELECT user_id FROM sessions WHERE token_hash = $1 AND expires_at > $2)"
        ),
        &[&token_hash, &now],
        |row| Ok((account(row)?, row.get(8)?)),
    )
}

/// The account with a (folded) roll number.
pub fn by_roll_number(tx: &mut Tx<'_>, roll_number: &str) -> Result<Option<Account>> {
    tx.query_opt(sql!("SELECT ", columns!(), " FROM users WHERE roll_number = $1"), &[&roll_number], account)
}

/// Stores a profile edit; `None` where the account is gone.
pub fn update_profile(
    tx: &mut Tx<'_>,
    uid: UserId,
    edit: &ProfileEdit,
) -> Result<Option<Result<User, Taken>>> {
    take_turns(tx, &edit.roll_number)?;
    let taken = tx.query_opt(
        sql!("SELECT id FROM users WHERE roll_number = $1 AND id <> $2"),
        &[&edit.roll_number, &uid],
        |row| row.get::<i64>(0),
    )?;
    if taken.is_some() {
        return Ok(Some(Err(Taken::RollNumber)));
    }
    let Some(before) = by_id(tx, uid)? else { return Ok(None) };
    let before = before.known()?;
    let updated = tx.query_opt(
        sql!(
            "UPDATE users SET name = $2, roll_number = $3, department = $4, search_key = $5 WHERE id = $1 RETURNING ",
            columns!()
        ),
        &[
            &uid,
            &edit.name,
            &edit.roll_number,
            &edit.department,
            &search_key(&edit.name, Some(&edit.roll_number), before.batch.as_deref()),
        ],
        account,
    )?;
    updated.map(|account| account.known().map(Ok)).transpose()
}

/// Exchanges a password's hash for a stronger one of the same password, unless it was changed meanwhile.
pub fn rehash(tx: &mut Tx<'_>, uid: UserId, stored: &str, stronger: &str) -> Result<()> {
    tx.execute(
        sql!("UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2"),
        &[&uid, &stored, &stronger],
    )?;
    Ok(())
}

/// How many accounts there are.
pub fn count(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT COUNT(*) FROM users"), &[], |row| row.get(0))
}
