//! Answers of other catalogues. Values that do not fit into a field of the form are left out or cut.

use std::collections::HashMap;

use anyhow::{Context as _, Result, ensure};
use memchr::memmem;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use url::Url;
use utoipa::ToSchema;

use crate::{
    domain::{
        book::{
            AUTHOR, BookForm, CALL_NUMBER, DESCRIPTION, EDITION, GENRE, LANGUAGE, PHOTO_URL, PUBLISHED_YEAR,
            PUBLISHER, TITLE,
        },
        isbn::isbn_13,
        rule::{Invalid, Text},
    },
    import::{books, marc, table},
};

/// Values for the form of a book; unknown ones are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundBook {
    pub title: String,
    /// Author or authors.
    pub author: String,
    pub genre: String,
    /// May be shorter than the form requires.
    pub description: String,
    pub publisher: String,
    pub edition: String,
    /// Year of publication.
    #[schema(required)]
    pub published_year: Option<i64>,
    /// ISO 639 code.
    #[schema(required)]
    pub language: Option<String>,
    pub call_number: String,
    /// Address of a picture of the cover.
    #[serde(rename = "photoURL")]
    pub photo_url: String,
}

/// Cuts a text to the maximum length of its field; blank if the field does not accept it.
fn fit(rule: Text, text: &str) -> String {
    let cut: String = text.chars().take(rule.max).collect();
    let mut invalid = Invalid::default();
    let checked = Text { min: 0, ..rule }.check(&cut, &mut invalid);
    invalid.into_result(checked).unwrap_or_default()
}

/// Raw values of an answer.
#[derive(Default)]
struct Raw {
    title: String,
    subtitle: String,
    authors: Vec<String>,
    publisher: String,
    /// Date of publication in any notation.
    date: String,
    description: String,
    genre: String,
    language: String,
    picture: String,
}

impl From<Raw> for FoundBook {
    fn from(raw: Raw) -> Self {
        let title = if raw.subtitle.trim().is_empty() {
            raw.title
        } else {
            format!("{}: {}", raw.title.trim(), raw.subtitle.trim())
        };
        // Both catalogues also serve their pictures over https.
        let picture = raw.picture.replacen("http://", "https://", 1);
        let year = marc::year(&raw.date).and_then(|year| year.parse().ok());
        Self {
            title: fit(TITLE, &title),
            author: fit(AUTHOR, &raw.authors.join("; ")),
            genre: fit(GENRE, &raw.genre),
            description: fit(DESCRIPTION, &raw.description),
            publisher: fit(PUBLISHER, &raw.publisher),
            published_year: year.filter(|year| (PUBLISHED_YEAR.min..=PUBLISHED_YEAR.max).contains(year)),
            language: Some(fit(LANGUAGE, &raw.language)).filter(|code| !code.is_empty()),
            photo_url: Some(fit(PHOTO_URL, &picture))
                .filter(|url| Url::parse(url).is_ok())
                .unwrap_or_default(),
            ..Self::default()
        }
    }
}

impl From<BookForm> for FoundBook {
    fn from(form: BookForm) -> Self {
        let text = |given: Option<Option<String>>| given.flatten().unwrap_or_default();
        Self {
            title: form.title,
            author: form.author,
            genre: form.genre,
            description: form.description,
            publisher: fit(PUBLISHER, &text(form.publisher)),
            edition: fit(EDITION, &text(form.edition)),
            published_year: form.published_year.flatten(),
            language: form.language.flatten(),
            call_number: fit(CALL_NUMBER, &text(form.call_number)),
            photo_url: form.photo_url,
        }
    }
}

fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).context("it is not the expected JSON")
}

/// Person, publisher or subject in an answer of Open Library.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Pictures {
    #[serde(default)]
    large: String,
}

/// Book in an answer of Open Library (`api/books` with `jscmd=data`).
#[derive(Deserialize)]
struct OpenLibraryBook {
    title: String,
    #[serde(default)]
    subtitle: String,
    #[serde(default)]
    authors: Vec<Named>,
    #[serde(default)]
    publishers: Vec<Named>,
    #[serde(default)]
    subjects: Vec<Named>,
    #[serde(default)]
    publish_date: String,
    cover: Option<Pictures>,
}

fn first(named: Vec<Named>) -> String {
    named.into_iter().next().map(|it| it.name).unwrap_or_default()
}

/// Reads an answer of Open Library.
pub fn of_open_library(body: &[u8], isbn: &str) -> Result<Option<FoundBook>> {
    let mut books: HashMap<String, OpenLibraryBook> = json(body)?;
    let Some(book) = books.remove(&format!("ISBN:{isbn}")) else { return Ok(None) };
    let raw = Raw {
        title: book.title,
        subtitle: book.subtitle,
        authors: book.authors.into_iter().map(|author| author.name).collect(),
        publisher: first(book.publishers),
        date: book.publish_date,
        genre: first(book.subjects),
        picture: book.cover.map(|cover| cover.large).unwrap_or_default(),
        ..Raw::default()
    };
    Ok(Some(raw.into()))
}

#[derive(Deserialize)]
struct Volumes {
    #[serde(default)]
    items: Vec<Volume>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Volume {
    volume_info: VolumeInfo,
}

/// Book in an answer of Google Books.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct VolumeInfo {
    title: String,
    subtitle: String,
    authors: Vec<String>,
    publisher: String,
    published_date: String,
    description: String,
    categories: Vec<String>,
    language: String,
    industry_identifiers: Vec<Identifier>,
    image_links: Option<Links>,
}

#[derive(Deserialize)]
struct Identifier {
    #[serde(default)]
    identifier: String,
}

#[derive(Deserialize)]
struct Links {
    #[serde(default)]
    thumbnail: String,
}

/// Reads an answer of Google Books, which also lists books with other ISBNs.
pub fn of_google(body: &[u8], isbn: &str) -> Result<Option<FoundBook>> {
    let volumes: Volumes = json(body)?;
    let has_isbn = |info: &VolumeInfo| {
        info.industry_identifiers.iter().any(|it| isbn_13(&it.identifier).as_deref() == Some(isbn))
    };
    let book = volumes.items.into_iter().map(|volume| volume.volume_info).find(has_isbn);
    Ok(book.filter(|book| !book.title.is_empty()).map(|book| {
        let raw = Raw {
            title: book.title,
            subtitle: book.subtitle,
            authors: book.authors,
            publisher: book.publisher,
            date: book.published_date,
            description: book.description,
            genre: book.categories.into_iter().next().unwrap_or_default(),
            language: book.language,
            picture: book.image_links.map(|links| links.thumbnail).unwrap_or_default(),
        };
        raw.into()
    }))
}

/// Reads an answer of SRU with MARCXML. A server may ignore a part of the query, so only a record with the ISBN counts.
pub fn of_sru(body: &[u8], isbn: &str) -> Result<Option<FoundBook>> {
    let holds = |text: &[u8]| memmem::find(body, text).is_some();
    ensure!(holds(b"searchRetrieveResponse"), "it is not a response of SRU");
    ensure!(
        !holds(b"diagnostic>"),
        "the query was refused: its address must name the server's index of ISBNs"
    );
    let Some(record) = marc::with_isbn(body, isbn)? else { return Ok(None) };
    let source = table::Source::Upload(record.to_iso_2709().into());
    let mut found = None;
    books::each_form(&source, super::LONGEST_ANSWER as u64, |form| {
        found = Some(FoundBook::from(form));
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISBN: &str = "9780747532699";

    #[test]
    fn an_answer_of_open_library_fills_the_form() {
        let body = br#"{"ISBN:9780747532699":{"title":"Godaan","subtitle":"The gift of a cow","authors":[{"name":"Premchand"}],
            "publishers":[{"name":"Saraswati Press"}],"publish_date":"June 26, 1936","subjects":[{"name":"Hindi fiction"}],
            "cover":{"large":"http://covers.example.org/1-L.jpg"},"more":[1]}}"#;
        let found = of_open_library(body, ISBN).expect("an answer").expect("found");
        assert_eq!(found.title, "Godaan: The gift of a cow");
        assert_eq!((found.author.as_str(), found.published_year), ("Premchand", Some(1936)));
        assert_eq!(found.photo_url, "https://covers.example.org/1-L.jpg");
        assert_eq!(of_open_library(b"{}", ISBN).expect("an answer"), None);
        assert!(of_open_library(b"<html>", ISBN).is_err());
    }

    #[test]
    fn an_answer_of_google_is_taken_for_the_same_isbn_only() {
        let body = |isbn: &str| {
            format!(
                r#"{{"totalItems":1,"items":[{{"volumeInfo":{{"title":"Godaan","authors":["Premchand","B"],"publishedDate":"1936-06",
                "language":"hi","industryIdentifiers":[{{"type":"ISBN_10","identifier":"{isbn}"}}],"description":"d"}}}}]}}"#
            )
        };
        let found = of_google(body("0747532699").as_bytes(), ISBN).expect("an answer").expect("found");
        assert_eq!((found.author.as_str(), found.language.as_deref()), ("Premchand; B", Some("hi")));
        assert_eq!(of_google(body("080442957X").as_bytes(), ISBN).expect("an answer"), None);
        assert_eq!(of_google(br#"{"totalItems":0}"#, ISBN).expect("an answer"), None);
    }

    #[test]
    fn an_answer_of_sru_must_have_a_record_with_the_isbn() {
        // Servers repeat the query, with its ISBN.
        let body = |isbn: &str| {
            format!(
                "<searchRetrieveResponse><records><record><recordSchema>marcxml</recordSchema><recordData>\
                 <record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader>00000nam a2200000 i 4500</leader>\
                 <datafield tag=\"020\" ind1=\" \" ind2=\" \"><subfield code=\"a\">{isbn} (pbk.)</subfield></datafield>\
                 <datafield tag=\"245\" ind1=\"1\" ind2=\"0\"><subfield code=\"a\">Godaan</subfield></datafield>\
                 <datafield tag=\"260\" ind1=\" \" ind2=\" \"><subfield code=\"b\">Saraswati Press</subfield></datafield>\
                 </record></recordData></record></records><query>bath.isbn={ISBN}</query></searchRetrieveResponse>"
            )
        };
        for isbn in ["978-0-7475-3269-9", "0-7475-3269-9"] {
            let found = of_sru(body(isbn).as_bytes(), ISBN).expect("an answer").expect("found");
            assert_eq!((found.title.as_str(), found.publisher.as_str()), ("Godaan", "Saraswati Press"));
        }
        assert_eq!(of_sru(body("0-8044-2957-X").as_bytes(), ISBN).expect("an answer"), None);
        let diagnostic = "<searchRetrieveResponse><diagnostic></diagnostic></searchRetrieveResponse>";
        let hostile = format!("<!DOCTYPE r [<!ENTITY a \"b\">]>{}", body(ISBN));
        for refused in ["<html>Sign in to the Wi-Fi</html>", diagnostic, &hostile] {
            assert!(of_sru(refused.as_bytes(), ISBN).is_err(), "{refused}");
        }
    }

    #[test]
    fn values_too_long_for_the_form_are_cut_and_others_left_out() {
        let raw = Raw {
            title: "t".repeat(2000),
            date: "99999".into(),
            picture: "javascript:alert(1)".into(),
            ..Raw::default()
        };
        let found = FoundBook::from(raw);
        assert_eq!(found.title.len(), TITLE.max);
        assert_eq!((found.published_year, found.photo_url.as_str()), (None, ""));
    }
}
