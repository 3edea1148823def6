//! What is asked for over HTTP.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use library::{fold::title_key, search::Entry};

use super::{
    library::API,
    titles::{QUERIES, Random},
};

/// Paths that take turns where no answer is to be asked for twice in a while.
const PATHS: usize = 20_000;

/// Addresses of each kind, drawn from the catalogue.
pub struct Paths {
    /// The first page of the catalogue.
    pub first: String,
    /// Any page, in the order of titles and from the newest.
    pub by_title: Vec<String>,
    pub newest: Vec<String>,
    /// One book.
    pub books: Vec<String>,
    /// Sixteen searches, and words that nobody asked for before.
    pub searches: Vec<String>,
    pub words: Vec<String>,
}

impl Paths {
    pub fn of(entries: &[Entry]) -> Self {
        let mut random = Random::new(11);
        let mut some = |path: &mut dyn FnMut(&mut Random, &Entry) -> String| -> Vec<String> {
            (0..PATHS)
                .map(|_| {
                    let entry = &entries[random.below(entries.len())];
                    path(&mut random, entry)
                })
                .collect()
        };
        let deep = |sort: &'static str| {
            move |_: &mut Random, entry: &Entry| {
                let cursor = cursor(entry, sort == "newest");
                format!("{API}/books?field=any&sort={sort}&limit=24&cursor={cursor}")
            }
        };
        Self {
            first: format!("{API}/books?field=any&sort=title&limit=24"),
            by_title: some(&mut deep("title")),
            newest: some(&mut deep("newest")),
            books: some(&mut |_, entry| format!("{API}/books/{}", entry.id)),
            searches: QUERIES.iter().map(|query| search(query)).collect(),
            words: some(&mut |random, _| search(&random.word(3))),
        }
    }
}

/// The first page of a search.
pub fn search(words: &str) -> String {
    let text: String = url::form_urlencoded::byte_serialize(words.as_bytes()).collect();
    format!("{API}/books?q={text}&field=any&sort=title&limit=24")
}

/// A cursor behind this book, as the program makes them: the order's bits, the number, the key.
fn cursor(entry: &Entry, newest: bool) -> String {
    if newest { newest_cursor(entry.id) } else { encoded(0b100, entry.id, &title_key(&entry.title)) }
}

/// A cursor behind the book of this number, from the newest.
pub fn newest_cursor(id: i64) -> String {
    encoded(0b101, id, "")
}

fn encoded(head: u8, id: i64, key: &str) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::json!([head, id, key]).to_string())
}
