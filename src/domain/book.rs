//! Books: the catalogue's record, its form, and the status that follows from the number of copies.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{
    copy,
    id::BookId,
    isbn,
    rule::{Choice, Invalid, Kind, Number, Text},
};
use crate::{message, money::Money};

/// Label and limits of each field of the form (R-BOOK-2). The longest of 69 649 real titles has 958 characters.
pub const TITLE: Text = Text { field: "title", label: "Title", min: 1, max: 1000, kind: Kind::Line };
/// One line for all authors of a book.
pub const AUTHOR: Text = Text { field: "author", label: "Author", min: 1, max: 1000, kind: Kind::Line };
pub const GENRE: Text = Text { field: "genre", label: "Genre", min: 1, max: 200, kind: Kind::Line };
pub const PHOTO_URL: Text =
    Text { field: "photoURL", label: "Photo URL", min: 1, max: 2048, kind: Kind::Url };
/// R-BOOK-2: at least 200 characters.
pub const DESCRIPTION: Text =
    Text { field: "description", label: "Description", min: 200, max: 10_000, kind: Kind::Paragraphs };
pub const LOCATION: Text = Text { field: "location", label: "Location", min: 1, max: 200, kind: Kind::Line };
/// R-BOOK-2: at least 1 copy.
pub const NO_OF_BOOKS: Number = Number { field: "noOfBooks", label: "Number of books", min: 1, max: 100_000 };
/// R-BOOK-2: one to five stars.
pub const RATING: Number = Number { field: "rating", label: "Rating", min: 1, max: 5 };

/// Label and limits of each field of the imprint; every one may be empty.
pub const ISBN: Text = Text { field: "isbn", label: "ISBN", min: 0, max: 40, kind: Kind::Line };
pub const PUBLISHER: Text =
    Text { field: "publisher", label: "Publisher", min: 0, max: 200, kind: Kind::Line };
pub const EDITION: Text = Text { field: "edition", label: "Edition", min: 0, max: 100, kind: Kind::Line };
pub const PUBLISHED_YEAR: Number =
    Number { field: "publishedYear", label: "Year of publication", min: -5000, max: 2200 };
/// ISO 639 code.
pub const LANGUAGE: Text = Text { field: "language", label: "Language", min: 0, max: 35, kind: Kind::Line };
pub const CALL_NUMBER: Text =
    Text { field: "callNumber", label: "Call number", min: 0, max: 100, kind: Kind::Line };
pub const PRICE: &str = "price";
pub const PRICE_LABEL: &str = "Price of a copy";
/// Highest price of a copy; more is a typing mistake.
pub const DEAREST: Money = Money::main(10_000_000);

pub const STATUS: Choice = Choice { field: "status", label: "Status" };

/// Availability of a book (R-DETAIL-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub enum Status {
    /// A copy is on the shelf, or a librarian set this status.
    #[default]
    Available,
    /// No copy is on the shelf, or a librarian set this status.
    #[serde(rename = "Not Available")]
    NotAvailable,
}

impl Status {
    /// Derives the status from the number of copies: Available above 0 (R-DETAIL-3).
    #[must_use]
    pub fn of(copies: i64) -> Self {
        if copies > 0 { Self::Available } else { Self::NotAvailable }
    }

    /// Name in the database and the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Available => "Available",
            Self::NotAvailable => "Not Available",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Available, Self::NotAvailable].into_iter().find(|status| status.as_str() == text)
    }
}

/// A book of the catalogue (R-DATA-2), without its description, which lists do not show. Texts of an imported book may
/// be empty.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Book {
    /// Never reused.
    pub id: BookId,
    pub title: String,
    /// Author or authors.
    pub author: String,
    pub genre: String,
    /// Address of the cover's picture; empty for none.
    #[serde(rename = "photoURL")]
    pub photo_url: String,
    pub status: Status,
    /// Copies on the shelf.
    #[schema(minimum = 0)]
    pub no_of_books: i64,
    /// Shelf location.
    pub location: String,
    /// The librarian's rating, 1 to 5 stars.
    #[schema(required, minimum = 1, maximum = 5)]
    pub rating: Option<i64>,
    /// ISBN-13, if known.
    #[schema(required)]
    pub isbn: Option<String>,
    /// Year of publication; negative for years BC.
    #[schema(required)]
    pub published_year: Option<i64>,
    /// ISO 639 code of the language.
    #[schema(required)]
    pub language: Option<String>,
    /// Average of the readers' reviews with one decimal; null without reviews.
    #[schema(required)]
    pub average_rating: Option<f64>,
    /// Number of reviews.
    #[schema(minimum = 0)]
    pub review_count: i64,
}

/// Publication data and price of a title; unknown values are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Imprint {
    /// ISBN-13.
    pub isbn: Option<String>,
    pub publisher: String,
    pub edition: String,
    pub published_year: Option<i64>,
    /// ISO 639 code.
    pub language: Option<String>,
    pub call_number: String,
    /// Price of a copy without a price of its own.
    pub price: Option<Money>,
}

/// Optional field of a form: `None` if omitted, `Some(None)` if null.
pub type Given<T> = Option<Option<T>>;

fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Given<T>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Request of `Add New Book` and `Update Book Details` (R-BOOK-2). An update leaves omitted fields of the imprint as they
/// are; null and the empty text clear them.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BookForm {
    #[serde(default)]
    #[schema(required)]
    pub title: String,
    /// Author or authors.
    #[serde(default)]
    #[schema(required)]
    pub author: String,
    #[serde(default)]
    #[schema(required)]
    pub genre: String,
    /// Address of the cover's picture.
    #[serde(default, rename = "photoURL")]
    #[schema(required)]
    pub photo_url: String,
    #[serde(default)]
    #[schema(required)]
    pub description: String,
    /// Copies on the shelf.
    #[serde(default)]
    #[schema(required)]
    pub no_of_books: i64,
    /// Shelf location.
    #[serde(default)]
    #[schema(required)]
    pub location: String,
    /// Availability set by the librarian.
    #[serde(default)]
    #[schema(required, value_type = Status)]
    pub status: Option<Status>,
    /// The librarian's rating, 1 to 5 stars: required for a new book, unchanged by an update without it.
    #[serde(default)]
    pub rating: Option<i64>,
    /// ISBN of 10 or 13 digits.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub isbn: Given<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub publisher: Given<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub edition: Given<String>,
    /// Year of publication; negative for years BC.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<i64>)]
    pub published_year: Given<i64>,
    /// ISO 639 code.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub language: Given<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub call_number: Given<String>,
    /// Price of a copy without a price of its own.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Money>)]
    pub price: Given<Money>,
}

/// Validates and normalises an optional text; blank becomes null.
pub fn checked_text(rule: &Text, raw: Given<String>, invalid: &mut Invalid) -> Given<String> {
    raw.map(|raw| raw.map(|raw| rule.check(&raw, invalid)).filter(|text| !text.is_empty()))
}

/// Validates a language code and converts it to lower case.
pub fn checked_language(raw: Given<String>, invalid: &mut Invalid) -> Given<String> {
    checked_text(&LANGUAGE, raw, invalid).map(|code| code.map(|code| code.to_lowercase()))
}

/// Validates an ISBN and returns it with 13 digits.
pub fn checked_isbn(raw: &str, invalid: &mut Invalid) -> Option<String> {
    let text = ISBN.check(raw, invalid);
    if text.is_empty() {
        return None;
    }
    match isbn::parse(&text) {
        Ok(isbn) => Some(isbn),
        Err(isbn::Wrong::Digits(count)) => {
            invalid.push(ISBN.field, message::isbn_length(count));
            None
        }
        Err(isbn::Wrong::Check) => {
            invalid.push(ISBN.field, message::isbn_check(&text));
            None
        }
    }
}

/// Adds an error if the price of a copy is out of range.
pub fn check_price(price: Option<Money>, invalid: &mut Invalid) {
    if price.is_some_and(|price| !(Money::ZERO..=DEAREST).contains(&price)) {
        invalid.push(PRICE, message::amount_out_of_range(PRICE_LABEL, Money::ZERO, DEAREST));
    }
}

impl BookForm {
    /// Applies the form's fields to an imprint.
    #[must_use]
    pub fn imprint(&self, before: Imprint) -> Imprint {
        fn put<T: Clone>(given: Option<&Option<T>>, before: Option<T>) -> Option<T> {
            given.map_or(before, Clone::clone)
        }
        let text = |given: Option<&Option<String>>, before| put(given, Some(before)).unwrap_or_default();
        Imprint {
            isbn: put(self.isbn.as_ref(), before.isbn),
            publisher: text(self.publisher.as_ref(), before.publisher),
            edition: text(self.edition.as_ref(), before.edition),
            published_year: put(self.published_year.as_ref(), before.published_year),
            language: put(self.language.as_ref(), before.language),
            call_number: text(self.call_number.as_ref(), before.call_number),
            price: put(self.price.as_ref(), before.price),
        }
    }

    /// Returns the form's status; without one, as in an import, derives it from the number of copies.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status.unwrap_or(Status::of(self.no_of_books))
    }

    /// Validates and normalises a new book; returns all its errors.
    pub fn checked_for_add(self) -> Result<Self, Invalid> {
        self.checked_as_new(Invalid::default())
    }

    fn checked_as_new(self, mut invalid: Invalid) -> Result<Self, Invalid> {
        NO_OF_BOOKS.check(self.no_of_books, &mut invalid);
        if self.rating.is_none() {
            RATING.missing(&mut invalid);
        }
        self.checked(invalid)
    }

    /// Validates and normalises an update. The number of copies may stay 0 if `loaded_copies` is 0 (R-BOOK-8).
    pub fn checked_for_update(self, loaded_copies: i64) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        if !(loaded_copies == 0 && self.no_of_books == 0) {
            NO_OF_BOOKS.check(self.no_of_books, &mut invalid);
        }
        self.checked(invalid)
    }

    fn checked(self, mut invalid: Invalid) -> Result<Self, Invalid> {
        check_price(self.price.flatten(), &mut invalid);
        let checked = Self {
            title: TITLE.check(&self.title, &mut invalid),
            author: AUTHOR.check(&self.author, &mut invalid),
            genre: GENRE.check(&self.genre, &mut invalid),
            photo_url: PHOTO_URL.check(&self.photo_url, &mut invalid),
            description: DESCRIPTION.check(&self.description, &mut invalid),
            location: LOCATION.check(&self.location, &mut invalid),
            rating: self.rating.map(|stars| RATING.check(stars, &mut invalid)),
            status: STATUS.present(self.status, &mut invalid),
            isbn: self.isbn.map(|raw| raw.and_then(|raw| checked_isbn(&raw, &mut invalid))),
            publisher: checked_text(&PUBLISHER, self.publisher, &mut invalid),
            edition: checked_text(&EDITION, self.edition, &mut invalid),
            published_year: self
                .published_year
                .map(|year| year.map(|year| PUBLISHED_YEAR.check(year, &mut invalid))),
            language: checked_language(self.language, &mut invalid),
            call_number: checked_text(&CALL_NUMBER, self.call_number, &mut invalid),
            ..self
        };
        invalid.into_result(checked)
    }
}

/// Request of `Add New Book`: the form, and barcodes of copies that already have one (R-COPY-3).
// Repeats the form's fields because serde cannot refuse unknown fields of a struct with a flattened one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewBook {
    #[serde(default)]
    #[schema(required)]
    pub title: String,
    #[serde(default)]
    #[schema(required)]
    pub author: String,
    #[serde(default)]
    #[schema(required)]
    pub genre: String,
    #[serde(default, rename = "photoURL")]
    #[schema(required)]
    pub photo_url: String,
    #[serde(default)]
    #[schema(required)]
    pub description: String,
    /// Copies to put on the shelf.
    #[serde(default)]
    #[schema(required)]
    pub no_of_books: i64,
    #[serde(default)]
    #[schema(required)]
    pub location: String,
    #[serde(default)]
    #[schema(required, value_type = Status)]
    pub status: Option<Status>,
    #[serde(default)]
    #[schema(required, value_type = i64, minimum = 1, maximum = 5)]
    pub rating: Option<i64>,
    /// Barcodes of the first copies; the others get the next accession numbers.
    #[serde(default)]
    pub barcodes: Vec<String>,
    /// ISBN of 10 or 13 digits.
    pub isbn: Option<String>,
    pub publisher: Option<String>,
    pub edition: Option<String>,
    /// Year of publication; negative for years BC.
    pub published_year: Option<i64>,
    /// ISO 639 code.
    pub language: Option<String>,
    pub call_number: Option<String>,
    /// Price of a copy without a price of its own.
    pub price: Option<Money>,
}

impl NewBook {
    /// Validates and normalises form and barcodes; returns all their errors.
    pub fn checked_for_add(self) -> Result<(BookForm, Vec<String>), Invalid> {
        let mut invalid = Invalid::default();
        let barcodes = copy::barcodes(&self.barcodes, Some(self.no_of_books), &mut invalid);
        let form = BookForm {
            title: self.title,
            author: self.author,
            genre: self.genre,
            photo_url: self.photo_url,
            description: self.description,
            no_of_books: self.no_of_books,
            location: self.location,
            status: self.status,
            rating: self.rating,
            isbn: Some(self.isbn),
            publisher: Some(self.publisher),
            edition: Some(self.edition),
            published_year: Some(self.published_year),
            language: Some(self.language),
            call_number: Some(self.call_number),
            price: Some(self.price),
        };
        Ok((form.checked_as_new(invalid)?, barcodes))
    }
}

/// Average rating with one decimal; `None` without reviews (R-REV-2).
#[must_use]
pub fn average_rating(sum: i64, count: i64) -> Option<f64> {
    if count == 0 {
        return None;
    }
    // Integer tenths, rounded half up, so that 4.25 is 4.3 on every machine.
    let tenths = (sum * 20 + count) / (count * 2);
    #[expect(clippy::cast_precision_loss, reason = "10 to 50")]
    Some(tenths as f64 / 10.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form() -> BookForm {
        BookForm {
            title: "Godaan".into(),
            author: "Premchand".into(),
            genre: "Fiction".into(),
            photo_url: "https://example.org/godaan.jpg".into(),
            description: "d".repeat(200),
            no_of_books: 3,
            location: "A3".into(),
            status: Some(Status::Available),
            rating: Some(5),
            ..BookForm::default()
        }
    }

    fn wrong(form: BookForm) -> Vec<String> {
        form.checked_for_add()
            .err()
            .map(|i| i.0.into_iter().map(|e| e.field.into_owned()).collect())
            .unwrap_or_default()
    }

    #[test]
    fn a_full_form_is_taken_and_each_wrong_field_is_named_r_book_5() {
        assert!(wrong(form()).is_empty());
        assert_eq!(wrong(BookForm { description: "d".repeat(199), ..form() }), ["description"]);
        assert_eq!(
            wrong(BookForm { description: format!("{}   ", "d".repeat(199)), ..form() }),
            ["description"]
        );
        assert_eq!(wrong(BookForm { no_of_books: 0, ..form() }), ["noOfBooks"]);
        assert_eq!(wrong(BookForm { no_of_books: i64::MIN, ..form() }), ["noOfBooks"]);
        assert_eq!(wrong(BookForm { rating: None, ..form() }), ["rating"]);
        assert_eq!(wrong(BookForm { rating: Some(6), ..form() }), ["rating"]);
        assert_eq!(wrong(BookForm { status: None, ..form() }), ["status"]);
        assert_eq!(wrong(BookForm { photo_url: "not an address".into(), ..form() }), ["photoURL"]);
        assert_eq!(
            wrong(BookForm { title: " ".into(), author: String::new(), ..form() }),
            ["title", "author"]
        );
    }

    #[test]
    fn an_imprint_takes_what_a_form_gives_and_keeps_what_it_omits_r_book_2() {
        let given = BookForm {
            isbn: Some(Some("0-7475-3269-9".into())),
            publisher: Some(Some("  Navneet ".into())),
            language: Some(Some("HI".into())),
            edition: Some(None),
            call_number: Some(Some(" ".into())),
            ..form()
        };
        let before = Imprint { edition: "2nd".into(), published_year: Some(1936), ..Imprint::default() };
        let after = given.checked_for_add().map(|form| form.imprint(before)).unwrap_or_default();
        assert_eq!(
            after,
            Imprint {
                isbn: Some("9780747532699".into()),
                publisher: "Navneet".into(),
                published_year: Some(1936),
                language: Some("hi".into()),
                ..Imprint::default()
            }
        );
        for (isbn, field) in [("9780747532698", "isbn"), ("97807475", "isbn"), ("8901234567894", "isbn")] {
            assert_eq!(wrong(BookForm { isbn: Some(Some(isbn.into())), ..form() }), [field], "{isbn}");
        }
        assert_eq!(wrong(BookForm { published_year: Some(Some(20_026)), ..form() }), ["publishedYear"]);
        assert_eq!(wrong(BookForm { price: Some(Some(Money::main(-1))), ..form() }), ["price"]);
    }

    #[test]
    fn a_number_that_is_0_because_all_are_lent_may_stay_0_r_book_8() {
        let zero = BookForm { no_of_books: 0, ..form() };
        assert!(zero.clone().checked_for_update(0).is_ok());
        assert!(zero.checked_for_update(2).is_err());
    }

    #[test]
    fn averages_have_one_decimal_r_rev_2() {
        assert_eq!(average_rating(0, 0), None);
        assert_eq!(average_rating(9, 2), Some(4.5));
        assert_eq!(average_rating(10, 3), Some(3.3));
        assert_eq!(average_rating(17, 4), Some(4.3), "4.25 is rounded up");
    }

    proptest! {
        #[test]
        fn an_average_lies_between_one_and_five_stars(ratings in prop::collection::vec(1_i64..=5, 1..200)) {
            let (sum, count) = (ratings.iter().sum::<i64>(), i64::try_from(ratings.len()).unwrap_or(i64::MAX));
            let average = average_rating(sum, count).unwrap_or_default();
            prop_assert!((1.0..=5.0).contains(&average));
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let exact = sum as f64 / count as f64;
            prop_assert!((average - exact).abs() <= 0.05 + 1e-9);
        }

        #[test]
        fn the_status_is_available_exactly_above_zero_r_detail_3(copies in 0_i64..1000) {
            prop_assert_eq!(Status::of(copies) == Status::Available, copies > 0);
            prop_assert_eq!(Status::parse(Status::of(copies).as_str()), Some(Status::of(copies)));
        }
    }
}
