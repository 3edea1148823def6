//! Sheets of labels, and the labels of copies.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    copy::folded_barcode,
    id::{BookId, CopyId},
    rule::{Invalid, Kind, Number, Text},
};
use crate::message;

/// Maximum number of labels printed at once.
pub const AT_ONCE: usize = 2000;

/// Name of a sheet.
pub const SHEET: Text = Text { field: "sheet", label: "Sheet", min: 1, max: 60, kind: Kind::Line };
pub const NAME: Text = Text { field: "name", label: "Name", min: 1, max: 60, kind: Kind::Line };
/// Hundredths of a millimetre.
pub const PAGE_WIDTH: Number =
    Number { field: "pageWidth", label: "Width of the paper", min: 1000, max: 60_000 };
pub const PAGE_HEIGHT: Number =
    Number { field: "pageHeight", label: "Height of the paper", min: 1000, max: 60_000 };
pub const COLUMNS: Number = Number { field: "columns", label: "Labels side by side", min: 1, max: 20 };
pub const ROWS: Number = Number { field: "rows", label: "Labels one below the other", min: 1, max: 50 };
pub const WIDTH: Number = Number { field: "width", label: "Width of a label", min: 1000, max: 60_000 };
pub const HEIGHT: Number = Number { field: "height", label: "Height of a label", min: 800, max: 60_000 };
pub const LEFT: Number =
    Number { field: "left", label: "First label, distance from the left", min: 0, max: 60_000 };
pub const TOP: Number =
    Number { field: "top", label: "First label, distance from the top", min: 0, max: 60_000 };
pub const LAST_LEFT: Number =
    Number { field: "lastLeft", label: "Last label, distance from the left", min: 0, max: 60_000 };
pub const LAST_TOP: Number =
    Number { field: "lastTop", label: "Last label, distance from the top", min: 0, max: 60_000 };

/// Tolerance for measures taken with a ruler.
const RULER_TOLERANCE: i64 = 100;

/// Measures of a sheet of labels in hundredths of a millimetre. The pitch follows from the first and the last label, so
/// a measuring error does not add up down the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SheetForm {
    pub name: String,
    pub page_width: i64,
    pub page_height: i64,
    pub columns: i64,
    pub rows: i64,
    /// Width of a label.
    pub width: i64,
    /// Height of a label.
    pub height: i64,
    /// Distance of the first label from the left edge of the paper.
    pub left: i64,
    /// Distance of the first label from the top edge of the paper.
    pub top: i64,
    /// Distance of the last label from the left edge of the paper.
    pub last_left: i64,
    /// Distance of the last label from the top edge of the paper.
    pub last_top: i64,
}

impl SheetForm {
    /// Validates the measures: all labels are on the paper, and none covers another.
    pub fn checked(self) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let name = NAME.check(&self.name, &mut invalid);
        for (rule, value) in [
            (PAGE_WIDTH, self.page_width),
            (PAGE_HEIGHT, self.page_height),
            (COLUMNS, self.columns),
            (ROWS, self.rows),
            (WIDTH, self.width),
            (HEIGHT, self.height),
            (LEFT, self.left),
            (TOP, self.top),
            (LAST_LEFT, self.last_left),
            (LAST_TOP, self.last_top),
        ] {
            rule.check(value, &mut invalid);
        }
        let sheet = invalid.into_result(Self { name, ..self })?;
        let mut invalid = Invalid::default();
        for (rule, count, first, last, size, page) in [
            (LAST_LEFT, sheet.columns, sheet.left, sheet.last_left, sheet.width, sheet.page_width),
            (LAST_TOP, sheet.rows, sheet.top, sheet.last_top, sheet.height, sheet.page_height),
        ] {
            if last + size > page {
                invalid.push(rule.field, message::label_off_paper(rule.label));
            } else if last - first + RULER_TOLERANCE < (count - 1) * size || (count == 1 && last != first) {
                invalid.push(rule.field, message::labels_overlap(rule.label));
            }
        }
        invalid.into_result(sheet)
    }
}

/// A sheet that the library defined itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Sheet {
    pub id: i64,
    pub measures: SheetForm,
}

/// Text of a copy's label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Label {
    pub copy_id: CopyId,
    pub book_id: BookId,
    pub barcode: String,
    pub title: String,
    pub author: String,
    /// Shelf of the copy, else of its title.
    pub location: String,
    /// True if the copy is in a printed batch.
    pub printed: bool,
}

/// A printed batch of labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelBatch {
    pub id: i64,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub at: String,
    /// Name of the librarian.
    pub by: String,
    /// Name of the sheet.
    pub sheet: String,
    /// Number of labels.
    pub count: i64,
    /// Barcode of its first label.
    pub first: String,
    /// Barcode of its last label.
    pub last: String,
}

/// Range of barcodes with the same prefix, from the number of `from` to the number of `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Part before the number, folded.
    pub prefix: String,
    pub from: String,
    pub to: String,
}

impl Range {
    /// Validates a range; a missing bound is the same as the other one.
    pub fn checked(from: &str, to: &str) -> Result<Option<Self>, Invalid> {
        let (from, to) = (folded_barcode(from.trim()), folded_barcode(to.trim()));
        let (from, to) = match (from.is_empty(), to.is_empty()) {
            (true, true) => return Ok(None),
            (true, false) => (to.clone(), to),
            (false, true) => (from.clone(), from),
            (false, false) => (from, to),
        };
        let prefix = |barcode: &str| barcode.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        if prefix(&from) != prefix(&to) {
            return Err(Invalid::field("to", message::other_letters(&prefix(&from).to_uppercase())));
        }
        if (to.len(), &to) < (from.len(), &from) {
            return Err(Invalid::field("to", message::before_first()));
        }
        Ok(Some(Self { prefix: prefix(&from), from, to }))
    }
}

/// Filter of copies; a copy must match every given field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    pub range: Option<Range>,
    pub book: Option<BookId>,
    /// First day of acquisition, ISO.
    pub since: Option<String>,
    pub batch: Option<i64>,
    /// Only copies in no printed batch.
    pub unprinted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> SheetForm {
        SheetForm {
            name: "Ours".into(),
            page_width: 21_000,
            page_height: 29_700,
            columns: 3,
            rows: 8,
            width: 6400,
            height: 3400,
            left: 700,
            top: 1250,
            last_left: 13_900,
            last_top: 25_050,
        }
    }

    fn fields(sheet: SheetForm) -> Vec<String> {
        let errors = sheet.checked().err().unwrap_or_default().0;
        errors.into_iter().map(|error| format!("{}: {}", error.field, error.rule)).collect()
    }

    #[test]
    fn a_measured_sheet_has_its_labels_on_the_paper_and_side_by_side() {
        assert_eq!(fields(sheet()), [""; 0]);
        assert_eq!(
            fields(SheetForm { top: 1350, ..sheet() }),
            [""; 0],
            "a millimetre is an error of the ruler"
        );
        assert_eq!(fields(SheetForm { last_top: 26_500, ..sheet() }), ["lastTop: labelOffPaper"]);
        assert_eq!(fields(SheetForm { last_left: 13_000, ..sheet() }), ["lastLeft: labelsOverlap"]);
        let odd = SheetForm { name: " ".into(), columns: 0, ..sheet() };
        assert_eq!(fields(odd), ["name: required", "columns: outOfRange"]);
    }

    #[test]
    fn a_range_has_the_same_letters_and_ends_after_it_begins() {
        let range = |from: &str, to: &str| {
            Range::checked(from, to).map_err(|invalid| (invalid.0[0].field.clone(), invalid.0[0].rule))
        };
        let some =
            |from: &str, to: &str| Ok(Some(Range { prefix: "l".into(), from: from.into(), to: to.into() }));
        assert_eq!(range(" L000124", "l000623 "), some("l000124", "l000623"));
        assert_eq!(range("L99", "L101"), some("l99", "l101"));
        assert_eq!(range("L7", ""), some("l7", "l7"));
        assert_eq!(range("", ""), Ok(None));
        assert_eq!(range("L1", "M2"), Err(("to".into(), "otherLetters")));
        assert_eq!(range("L12", "L2"), Err(("to".into(), "beforeFirst")));
    }
}
