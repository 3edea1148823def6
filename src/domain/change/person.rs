//! Changes of people and their records.

use serde::{Deserialize, Serialize};

use super::About;
use crate::{
    domain::{
        account::{Capability, Role, User},
        id::UserId,
        person::Details,
    },
    message::{self, Message},
};

/// A change of people and their records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum PersonChange {
    Registered {
        role: Role,
    },
    ProfileUpdated {
        before: Profile,
        after: Profile,
    },
    PersonAdded {
        person: Box<Details>,
    },
    PersonUpdated {
        before: Box<Details>,
        after: Box<Details>,
    },
    /// The person may no longer sign in, borrow or hold; loans and dues stay open.
    PersonDeactivated {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    PersonActivated,
    /// A batch was promoted or deactivated (R-PEOPLE-5). `people` lists all affected people.
    BatchMoved {
        from: String,
        /// `None` if the people were deactivated.
        to: Option<String>,
        people: Vec<UserId>,
    },
    NoDuesIssued {
        number: String,
    },
    /// Another record of the same person was merged into this one (R-PEOPLE-9).
    PeopleMerged {
        dropped: UserId,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        roll_number: Option<String>,
        /// Number of rows moved.
        loans: usize,
        lines: usize,
    },
    PhotoAdded,
    /// Also recorded for added and restored photos before there were kinds for them.
    PhotoChanged,
    PhotoRemoved,
    /// The photo that an import had replaced came back.
    PhotoRestored,
    /// The person's own data was erased.
    PersonErased,
    /// Old loans and holds lost their readers' names (R-PEOPLE-10).
    ReadersForgotten {
        loans: i64,
        holds: i64,
    },
    LibrarianMade {
        capabilities: Vec<Capability>,
    },
    LibrarianUnmade {
        capabilities: Vec<Capability>,
    },
    CapabilitiesChanged {
        before: Vec<Capability>,
        after: Vec<Capability>,
    },
}

impl PersonChange {
    pub(super) fn about(&self) -> About<'static> {
        let personal = |action| About { personal: true, ..About::of(action) };
        let undone_by = Some(Capability::People);
        match self {
            Self::Registered { .. } => personal("registered"),
            Self::ProfileUpdated { .. } => personal("profile-updated"),
            Self::PersonAdded { .. } => personal("person-added"),
            Self::PersonUpdated { .. } => personal("person-updated"),
            Self::PersonDeactivated { .. } => About { undone_by, ..personal("person-deactivated") },
            Self::PersonActivated => About::of("person-activated"),
            Self::BatchMoved { .. } => About { undone_by, ..About::of("batch-moved") },
            Self::NoDuesIssued { .. } => About::of("no-dues-issued"),
            Self::PeopleMerged { .. } => About { undone_by, ..personal("people-merged") },
            Self::PhotoAdded => About::of("photo-added"),
            Self::PhotoChanged => About::of("photo-changed"),
            Self::PhotoRemoved => About::of("photo-removed"),
            Self::PhotoRestored => About::of("photo-restored"),
            Self::PersonErased => About::of("person-erased"),
            Self::ReadersForgotten { .. } => About::of("readers-forgotten"),
            Self::LibrarianMade { .. } => About::of("librarian-made"),
            Self::LibrarianUnmade { .. } => About::of("librarian-unmade"),
            Self::CapabilitiesChanged { .. } => About::of("capabilities-changed"),
        }
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        vec![match self {
            Self::Registered { role } => message::change_registered(role.as_str()),
            Self::ProfileUpdated { .. } => message::change_profile_updated(),
            Self::PersonAdded { person } => message::change_person_added(&person.name),
            Self::PersonUpdated { after, .. } => message::change_person_updated(&after.name),
            Self::PersonDeactivated { reason } => {
                let reason = (!reason.is_empty()).then(|| message::change_note(reason));
                return std::iter::once(message::change_person_deactivated()).chain(reason).collect();
            }
            Self::PersonActivated => message::change_person_activated(),
            Self::BatchMoved { from, to: Some(to), people } => {
                message::change_batch_moved(from, to, people.len())
            }
            Self::BatchMoved { from, to: None, people } => message::change_batch_left(from, people.len()),
            Self::NoDuesIssued { number } => message::change_no_dues_issued(number),
            Self::PeopleMerged { name, loans, lines, .. } => {
                message::change_people_merged(name, *loans, *lines)
            }
            Self::PhotoAdded => message::change_photo_added(),
            Self::PhotoChanged => message::change_photo_changed(),
            Self::PhotoRemoved => message::change_photo_removed(),
            Self::PhotoRestored => message::change_photo_restored(),
            Self::PersonErased => message::change_person_erased(),
            Self::ReadersForgotten { loans, holds } => message::change_readers_forgotten(*loans, *holds),
            Self::LibrarianMade { .. } => message::change_librarian_made(),
            Self::LibrarianUnmade { .. } => message::change_librarian_unmade(),
            Self::CapabilitiesChanged { .. } => message::change_capabilities_changed(),
        }]
    }

    pub(super) fn undone(&self) -> Option<Message> {
        match self {
            Self::PersonDeactivated { .. } => Some(message::undone_deactivated()),
            Self::BatchMoved { from, to: Some(_), people } => {
                Some(message::undone_batch_moved(from, people.len()))
            }
            Self::BatchMoved { from, to: None, people } => {
                Some(message::undone_batch_left(from, people.len()))
            }
            Self::PeopleMerged { name, .. } => Some(message::undone_people_merged(name)),
            _ => None,
        }
    }
}

/// Fields of a profile edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    pub name: String,
    pub roll_number: Option<String>,
    pub department: Option<String>,
}

impl From<&User> for Profile {
    fn from(user: &User) -> Self {
        Self {
            name: user.name.clone(),
            roll_number: user.roll_number.clone(),
            department: user.department.clone(),
        }
    }
}
