//! Pages of a list: their length, and the cursors that lead from one to the next.
//!
//! To the client a cursor is opaque text: the position in the list as JSON in base64url.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};

use super::error::{Error, Result};
use crate::{
    domain::rule::{Invalid, Number},
    message,
};

/// Limits of the number of rows on a page.
pub const LENGTH: Number = Number { field: "limit", label: "The page's length", min: 1, max: 100 };

/// Checks the requested page length.
pub fn length(requested: Option<i64>, default: i64) -> Result<i64> {
    let mut invalid = Invalid::default();
    let length = LENGTH.check(requested.unwrap_or(default), &mut invalid);
    Ok(invalid.into_result(length)?)
}

/// Encodes a position in a list as a cursor.
pub fn cursor(place: &impl Serialize) -> String {
    // Positions consist of numbers and texts, which always serialise.
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(place).unwrap_or_default())
}

/// Decodes a cursor; `None`, the start of the list, if it is missing or blank.
pub fn place<P: DeserializeOwned>(cursor: Option<&str>) -> Result<Option<P>> {
    let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else { return Ok(None) };
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| bad_cursor())?;
    serde_json::from_slice(&bytes).map(Some).map_err(|_| bad_cursor())
}

/// Returns the error for a cursor that is malformed or belongs to another list.
#[must_use]
pub fn bad_cursor() -> Error {
    Invalid::field("cursor", message::bad_cursor()).into()
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, date};

    use super::*;
    use crate::storage::page::Position;

    #[test]
    fn a_cursor_survives_the_way_to_the_browser_and_back() {
        let key = date(2026, 11, 28);
        for position in [Position::After(key, 7), Position::Before(key, i64::MIN)] {
            assert_eq!(place(Some(&cursor(&position))).ok(), Some(Some(position)));
        }
        assert_eq!(place::<i64>(None).ok(), Some(None));
        assert_eq!(place::<i64>(Some("")).ok(), Some(None));
    }

    #[test]
    fn a_malformed_cursor_names_its_field_s24() {
        let other_list = cursor(&7);
        for odd in ["a", "%%", "YQ", "e30", "bnVsbA", "eyJhIjpbIjIwMjYtMTMtMjgiLDddfQ", &other_list] {
            let Err(Error::Invalid(invalid)) = place::<Position<Date>>(Some(odd)) else {
                panic!("{odd} is a cursor")
            };
            assert_eq!(invalid.0[0].field, "cursor", "{odd}");
        }
    }
}
