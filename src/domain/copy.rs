//! Copies: the physical books of a title, each with a barcode and a state.

use std::collections::HashSet;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    id::{BookId, CopyId, HoldId, LoanId, UserId},
    rule::{FieldError, Invalid, Kind, Text},
};
use crate::{message, money::Money};

/// Barcode as a scanner types it (R-COPY-1). 40 characters of Code 128 fill the width of a label.
pub const BARCODE: Text = Text { field: "barcode", label: "Barcode", min: 1, max: 40, kind: Kind::Line };
/// The copy's own shelf location, if it differs from its title's.
pub const LOCATION: Text =
    Text { field: "location", label: "Shelf location", min: 0, max: 200, kind: Kind::Line };
pub const NOTE: Text = Text { field: "note", label: "Note", min: 0, max: 500, kind: Kind::Line };

/// Validates a barcode and trims it; Code 128 must be able to print it.
pub fn barcode(raw: &str, field: &str, invalid: &mut Invalid) -> String {
    let mut own = Invalid::default();
    let text = BARCODE.check(raw, &mut own);
    if own.0.is_empty() && !text.chars().all(|c| matches!(c, ' '..='~')) {
        own.push(BARCODE.field, message::not_barcode(BARCODE.label));
    }
    invalid.0.extend(own.0.into_iter().map(|error| FieldError { field: field.to_owned().into(), ..error }));
    text
}

/// Validates and trims a list of barcodes: no duplicates, and no more than `copies`.
pub fn barcodes(raw: &[String], copies: Option<i64>, invalid: &mut Invalid) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut sound = Vec::with_capacity(raw.len());
    for (index, raw) in raw.iter().enumerate() {
        let field = format!("{BARCODES}[{index}]");
        let before = invalid.0.len();
        let text = barcode(raw, &field, invalid);
        if invalid.0.len() == before && !seen.insert(folded_barcode(&text)) {
            invalid.push(field, message::barcode_twice(&text));
        }
        sound.push(text);
    }
    if let Some(copies) =
        copies.filter(|copies| *copies >= 0 && i64::try_from(raw.len()).is_ok_and(|given| given > *copies))
    {
        invalid.push(BARCODES, message::too_many_barcodes(raw.len(), copies));
    }
    sound
}

/// Field name of a list of barcodes.
pub const BARCODES: &str = "barcodes";

/// Normalises a barcode for comparison, without regard to case (R-COPY-1).
#[must_use]
pub fn folded_barcode(raw: &str) -> String {
    raw.trim().to_ascii_lowercase()
}

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:tt),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Name in the database and the API.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|name| name.as_str() == text)
            }
        }
    };
}

pub(super) use names;

names! {
    /// Stored condition: the state of a copy without an open loan or a hold that keeps the copy. A kept copy has the
    /// condition `ToShelve`, which takes effect once the hold ends.
    Condition {
        OnShelf = "on-shelf",
        /// Returned, not yet on the shelf (R-COPY-4).
        ToShelve = "to-shelve",
        /// Reported returned by its reader, not checked in yet.
        Unseen = "unseen",
        InRepair = "in-repair",
        /// Lost by a reader.
        Lost = "lost",
        /// Gone, and no reader is responsible.
        Missing = "missing",
        /// Not for loan.
        Reference = "reference",
        /// No longer owned.
        Withdrawn = "withdrawn",
    }
}

names! {
    /// The state of a copy (R-COPY-2).
    State {
        OnShelf = "on-shelf",
        OnLoan = "on-loan",
        ToShelve = "to-shelve",
        /// Kept for a hold.
        OnHoldShelf = "on-hold-shelf",
        Unseen = "unseen",
        InRepair = "in-repair",
        Lost = "lost",
        Missing = "missing",
        Reference = "reference",
        Withdrawn = "withdrawn",
    }
}

impl Condition {
    /// State of a copy without a loan and a kept hold.
    #[must_use]
    pub fn state(self) -> State {
        match self {
            Self::OnShelf => State::OnShelf,
            Self::ToShelve => State::ToShelve,
            Self::Unseen => State::Unseen,
            Self::InRepair => State::InRepair,
            Self::Lost => State::Lost,
            Self::Missing => State::Missing,
            Self::Reference => State::Reference,
            Self::Withdrawn => State::Withdrawn,
        }
    }
}

/// Permission for the desk to lend a copy in a given state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lending {
    Yes,
    /// Only with a reason.
    Override,
    Never,
}

/// Transitions of each state (R-COPY-2): whether a student may take the copy without the desk, whether the desk may
/// lend it, and the conditions to which a librarian may move it. A copy on loan must be returned first; a kept copy
/// moves only when its hold ends, unless it is damaged, lost or missing; `unseen` cannot be set by hand.
const TABLE: &[(State, bool, Lending, &[Condition])] = {
    use Condition as C;
    &[
        (
            State::OnShelf,
            true,
            Lending::Yes,
            &[C::ToShelve, C::InRepair, C::Lost, C::Missing, C::Reference, C::Withdrawn],
        ),
        (State::OnLoan, false, Lending::Never, &[]),
        (
            State::ToShelve,
            false,
            Lending::Yes,
            &[C::OnShelf, C::InRepair, C::Lost, C::Missing, C::Reference, C::Withdrawn],
        ),
        (State::OnHoldShelf, false, Lending::Never, &[C::InRepair, C::Lost, C::Missing]),
        (
            State::Unseen,
            false,
            Lending::Yes,
            &[C::OnShelf, C::ToShelve, C::InRepair, C::Lost, C::Missing, C::Withdrawn],
        ),
        (
            State::InRepair,
            false,
            Lending::Override,
            &[C::OnShelf, C::ToShelve, C::Missing, C::Reference, C::Withdrawn],
        ),
        (
            State::Lost,
            false,
            Lending::Override,
            &[C::OnShelf, C::ToShelve, C::InRepair, C::Missing, C::Withdrawn],
        ),
        (
            State::Missing,
            false,
            Lending::Override,
            &[C::OnShelf, C::ToShelve, C::InRepair, C::Lost, C::Withdrawn],
        ),
        (
            State::Reference,
            false,
            Lending::Override,
            &[C::OnShelf, C::ToShelve, C::InRepair, C::Lost, C::Missing, C::Withdrawn],
        ),
        (State::Withdrawn, false, Lending::Never, &[C::OnShelf, C::ToShelve, C::Reference]),
    ]
};

impl State {
    fn row(self) -> Option<&'static (State, bool, Lending, &'static [Condition])> {
        TABLE.iter().find(|row| row.0 == self)
    }

    /// True if a student may take the copy from the shelf without the desk.
    #[must_use]
    pub fn for_self_service(self) -> bool {
        self.row().is_some_and(|row| row.1)
    }

    #[must_use]
    pub fn lending(self) -> Lending {
        self.row().map_or(Lending::Never, |row| row.2)
    }

    /// Conditions to which a librarian may move the copy.
    #[must_use]
    pub fn moves(self) -> &'static [Condition] {
        self.row().map_or(&[], |row| row.3)
    }
}

/// Open loan of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CopyLoan {
    pub id: LoanId,
    pub user_id: UserId,
    pub user_name: String,
    #[schema(value_type = String, format = Date)]
    pub return_date: Date,
}

/// Hold that keeps a copy (R-HOLD-2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CopyHold {
    pub id: HoldId,
    pub user_id: UserId,
    pub user_name: String,
    /// Last day on which the copy is kept.
    #[schema(value_type = String, format = Date)]
    pub ready_until: Date,
}

/// A copy of a title (R-COPY-1).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Copy {
    pub id: CopyId,
    pub book_id: BookId,
    /// Name of the title; empty once the title is deleted.
    pub title: String,
    /// Barcode as entered.
    pub barcode: String,
    pub state: State,
    /// Shelf location of the copy, else of its title.
    pub location: String,
    /// True if `location` is the copy's own.
    pub own_location: bool,
    pub note: String,
    /// Purchase or replacement price, its own or its title's; null if unknown.
    #[schema(required)]
    pub price: Option<Money>,
    /// True if the price is the copy's own.
    pub own_price: bool,
    #[schema(required, value_type = Option<String>, format = Date)]
    pub acquired_on: Option<Date>,
    /// Conditions to which a librarian may move the copy now.
    pub moves: Vec<Condition>,
    /// Null if it is not on loan.
    #[schema(required)]
    pub loan: Option<CopyLoan>,
    /// Null if it is not kept.
    #[schema(required)]
    pub hold: Option<CopyHold>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_one_row_in_the_table_r_copy_2() {
        for state in State::ALL {
            assert_eq!(TABLE.iter().filter(|row| row.0 == *state).count(), 1, "{state:?}");
        }
        assert_eq!(TABLE.len(), State::ALL.len());
    }

    #[test]
    fn the_table_of_states_keeps_its_laws_r_copy_2() {
        for state in State::ALL {
            let moves = state.moves();
            assert!(!moves.contains(&Condition::Unseen), "nobody makes a copy unseen by hand: {state:?}");
            assert!(moves.iter().all(|to| to.state() != *state), "{state:?} moves to itself");
            let owned_elsewhere = !matches!(state, State::OnLoan | State::OnHoldShelf);
            assert_eq!(moves.is_empty(), *state == State::OnLoan, "{state:?}");
            if owned_elsewhere && *state != State::Withdrawn {
                assert!(moves.contains(&Condition::Withdrawn), "{state:?} can be withdrawn");
            }
            if owned_elsewhere && *state != State::OnShelf {
                assert!(moves.contains(&Condition::OnShelf), "{state:?} can come back to the shelf");
            }
            assert_eq!(state.for_self_service(), *state == State::OnShelf, "{state:?}");
        }
        let lending =
            |wanted| State::ALL.iter().filter(|state| state.lending() == wanted).collect::<Vec<_>>();
        assert_eq!(lending(Lending::Yes), [&State::OnShelf, &State::ToShelve, &State::Unseen]);
        assert_eq!(lending(Lending::Never), [&State::OnLoan, &State::OnHoldShelf, &State::Withdrawn]);
    }

    #[test]
    fn a_barcode_is_what_code_128_can_print_r_copy_1() {
        let check = |raw: &str| {
            let mut invalid = Invalid::default();
            let text = barcode(raw, "barcodes[1]", &mut invalid);
            invalid.into_result(text)
        };
        assert_eq!(check("  L 000124 ").ok().as_deref(), Some("L 000124"));
        assert_eq!(check("a-~!").ok().as_deref(), Some("a-~!"));
        for odd in ["", "  ", "é1", "१२३", &"9".repeat(41)] {
            assert_eq!(
                check(odd).err().map(|e| e.0[0].field.clone()).as_deref(),
                Some("barcodes[1]"),
                "{odd}"
            );
        }
        assert_eq!(folded_barcode(" L000124 "), "l000124");
    }
}
