//! Mail preferences, and the addressees of a batch of mails.

use std::collections::HashMap;

use serde_json::json;

use super::{Result, Row, Tx};
use crate::{
    domain::{id::UserId, mail::Channel, notice::Kind},
    select_to_decide, sql,
};

/// Mail preferences of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Language of mails; `None` for the library's.
    pub language: Option<String>,
    /// Kinds of notices that the person reads on the screen only.
    pub refused: Vec<Kind>,
    /// Kinds of notices that the person gets in the digest and not by a mail of their own.
    pub in_digest: Vec<Kind>,
    /// True if the digest is mailed once a week.
    pub weekly: bool,
}

impl Choices {
    /// Reads the columns [`choices`] from `index` on; they are null for a person without preferences.
    pub(super) fn read(row: &Row<'_>, index: usize) -> Result<Self> {
        Ok(Self {
            language: row.get(index)?,
            refused: kinds(row.get(index + 1)?),
            in_digest: kinds(row.get(index + 2)?),
            weekly: row.get::<Option<bool>>(index + 3)?.unwrap_or_default(),
        })
    }
}

/// Parses the names of kinds; leaves out those of a newer version of the program.
fn kinds(json: Option<String>) -> Vec<Kind> {
    let names: Vec<String> = json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    names.iter().filter_map(|name| Kind::of(name)).collect()
}

/// Columns that [`Choices::read`] reads.
macro_rules! choices {
    () => {
        "mail_choices.language, mail_choices.refused, mail_choices.in_digest, mail_choices.weekly"
    };
}
pub(super) use choices;

/// Returns a person's mail preferences.
pub fn of(tx: &mut Tx<'_>, person: UserId) -> Result<Choices> {
    let found = tx.query_opt(
        sql!("SELECT ", choices!(), " FROM mail_choices WHERE person_id = $1"),
        &[&person],
        |row| Choices::read(row, 0),
    )?;
    Ok(found.unwrap_or_default())
}

/// True if at least one person gets the digest once a week.
pub fn is_any_weekly(tx: &mut Tx<'_>) -> Result<bool> {
    tx.query_one(
        sql!("SELECT CASE WHEN EXISTS (SELECT 1 FROM mail_choices WHERE weekly AND person_id > 0) THEN TRUE ELSE FALSE END"),
        &[],
        |row| row.get(0),
    )
}

/// Stores a person's mail preferences.
pub fn save(tx: &mut Tx<'_>, person: UserId, choices: &Choices) -> Result<()> {
    let names =
        |kinds: &[Kind]| json!(kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>()).to_string();
    let (refused, in_digest) = (names(&choices.refused), names(&choices.in_digest));
    tx.execute_one(
        sql!(
            "INSERT INTO mail_choices (person_id, language, refused, in_digest, weekly) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (person_id) DO UPDATE SET language = excluded.language, refused = excluded.refused,
                                                   in_digest = excluded.in_digest, weekly = excluded.weekly"
        ),
        &[&person, &choices.language, &refused, &in_digest, &choices.weekly],
    )
}

/// Adds kinds to those that a person refuses by mail.
pub fn refuse(tx: &mut Tx<'_>, person: UserId, kinds: &[Kind]) -> Result<()> {
    change(tx, person, |refused| {
        let more: Vec<Kind> = kinds.iter().copied().filter(|kind| !refused.contains(kind)).collect();
        refused.extend(more);
    })
}

/// Removes kinds from those that a person refuses by mail.
pub fn accept(tx: &mut Tx<'_>, person: UserId, kinds: &[Kind]) -> Result<()> {
    change(tx, person, |refused| refused.retain(|kind| !kinds.contains(kind)))
}

fn change(tx: &mut Tx<'_>, person: UserId, change: impl FnOnce(&mut Vec<Kind>)) -> Result<()> {
    tx.execute(
        sql!("INSERT INTO mail_choices (person_id, refused) VALUES ($1, '[]') ON CONFLICT (person_id) DO NOTHING"),
        &[&person],
    )?;
    let mut choices = tx.query_one(
        select_to_decide!("SELECT ", choices!(), " FROM mail_choices WHERE person_id = $1"),
        &[&person],
        |row| Choices::read(row, 0),
    )?;
    change(&mut choices.refused);
    save(tx, person, &choices)
}

/// True if the person's present guardian has ended the mails.
pub fn guardian_refused(tx: &mut Tx<'_>, person: UserId) -> Result<bool> {
    tx.query_one(
        sql!(
            "SELECT CASE WHEN EXISTS (SELECT 1 FROM users JOIN mail_choices ON mail_choices.person_id = users.id
                                      WHERE users.id = $1 AND users.guardian_email = mail_choices.guardian_refused)
                         THEN TRUE ELSE FALSE END"
        ),
        &[&person],
        |row| row.get(0),
    )
}

/// Stops or resumes the mails to the person's present guardian. A guardian with another address still gets mails.
pub fn refuse_as_guardian(tx: &mut Tx<'_>, person: UserId, refuses: bool) -> Result<()> {
    tx.execute(
        sql!(
            "INSERT INTO mail_choices (person_id, refused, guardian_refused)
             SELECT id, '[]', CASE WHEN $2 THEN guardian_email END FROM users WHERE id = $1
             ON CONFLICT (person_id) DO UPDATE SET guardian_refused = excluded.guardian_refused"
        ),
        &[&person, &refuses],
    )?;
    Ok(())
}

/// Person to whom a mail may be sent.
#[derive(Clone, Debug)]
pub struct Addressee {
    pub name: String,
    pub contacts: Contacts,
    /// True if the person entered the address and has not confirmed it; `contacts` then lacks it.
    pub is_unconfirmed: bool,
    /// False for an inactive, merged or erased person.
    pub active: bool,
    pub choices: Choices,
    pub guardian: Guardian,
}

/// Ways to reach a person or a guardian.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Address for notices.
    pub email: Option<String>,
    pub phone: Option<String>,
}

impl Contacts {
    /// Returns the channel and the address or phone for a notice: mail if the library `has` that channel and there is an
    /// address, otherwise text message.
    pub fn choose(&self, has: impl Fn(Channel) -> bool) -> Option<(Channel, &str)> {
        let contacts = [(Channel::Mail, &self.email), (Channel::Text, &self.phone)];
        let mut known = contacts.into_iter().filter_map(|(channel, to)| Some((channel, to.as_deref()?)));
        known.find(|(channel, _)| has(*channel))
    }
}

/// Parent or guardian of a person.
#[derive(Clone, Debug, Default)]
pub struct Guardian {
    pub contacts: Contacts,
    /// True if the guardian has ended the mails.
    pub refuses: bool,
}

impl Guardian {
    /// True if the guardian has an address or a phone, and has not ended the mails.
    #[must_use]
    pub fn is_reachable(&self) -> bool {
        self.contact(|_| true).is_some()
    }

    /// Returns the channel and the address or phone for a reminder, unless the guardian has ended the mails.
    pub fn contact(&self, has: impl Fn(Channel) -> bool) -> Option<(Channel, &str)> {
        self.contacts.choose(has).filter(|_| !self.refuses)
    }

    /// True if a reminder to the guardian goes to the same address or phone as the reader's own.
    pub fn shares(&self, own: &Contacts, has: impl Fn(Channel) -> bool) -> bool {
        own.choose(&has).zip(self.contact(&has)).is_some_and(|((channel, own), (other, guardian))| {
            channel == other && own.to_lowercase() == guardian.to_lowercase()
        })
    }
}

/// Returns these people with their mail preferences.
pub fn addressees(tx: &mut Tx<'_>, people: &[UserId]) -> Result<HashMap<UserId, Addressee>> {
    macro_rules! addressees {
        ($list:literal) => {
            sql!(
                "SELECT users.id, users.name, CASE WHEN claimed_addresses.user_id IS NULL THEN users.email END, users.active AND users.gone_at IS NULL,
                        users.guardian_email, users.guardian_phone,
                        COALESCE(users.guardian_email = mail_choices.guardian_refused, FALSE),
                        claimed_addresses.user_id IS NOT NULL, users.phone, ",
                choices!(),
                " FROM users LEFT JOIN mail_choices ON mail_choices.person_id = users.id
                      LEFT JOIN claimed_addresses ON claimed_addresses.user_id = users.id AND claimed_addresses.confirmed_at IS NULL
                 WHERE users.id IN (",
                $list,
                ")"
            )
        };
    }
    let statement = if tx.is_postgres() {
        addressees!(
            "SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS asked (id)"
        )
    } else {
        addressees!("SELECT value FROM json_each($1)")
    };
    let found = tx.query(statement, &[&json!(people).to_string()], |row| {
        let addressee = Addressee {
            name: row.get(1)?,
            contacts: Contacts { email: row.get(2)?, phone: row.get(8)? },
            is_unconfirmed: row.get(7)?,
            active: row.get(3)?,
            choices: Choices::read(row, 9)?,
            guardian: Guardian {
                contacts: Contacts { email: row.get(4)?, phone: row.get(5)? },
                refuses: row.get(6)?,
            },
        };
        Ok((row.get(0)?, addressee))
    })?;
    Ok(found.into_iter().collect())
}

/// Returns the person to whom this record belongs now: the record itself, or the one it was merged into; `None` if
/// erased.
pub fn holder(tx: &mut Tx<'_>, person: UserId) -> Result<Option<UserId>> {
    tx.query_opt(
        sql!(
            "SELECT COALESCE(merged_into, id) FROM users WHERE id = $1 AND (gone_at IS NULL OR merged_into IS NOT NULL)"
        ),
        &[&person],
        |row| row.get(0),
    )
}
