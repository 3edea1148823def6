//! Paths of the measured HTTP requests.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use library::{fold::title_key, search::Entry};

use super::{
    library::API,
    titles::{QUERIES, Random},
};

/// Number of paths of a kind that must not repeat a request soon.
const PATHS: usize = 20_000;

/// Paths of each kind, drawn at random from the catalogue.
pub struct Paths {
    /// First page of the catalogue.
    pub first: String,
    /// Any page, in title order and in newest order.
    pub by_title: Vec<String>,
    pub newest: Vec<String>,
    /// Single books.
    pub books: Vec<String>,
    /// Sixteen searches, and uncached words.
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

/// Returns the path of the first page of a search.
pub fn search(words: &str) -> String {
    let text: String = url::form_urlencoded::byte_serialize(words.as_bytes()).collect();
    format!("{API}/books?q={text}&field=any&sort=title&limit=24")
}

/// Returns the cursor after a book, encoded as by the program: bits of the order, id, sort key.
fn cursor(entry: &Entry, newest: bool) -> String {
    if newest { newest_cursor(entry.id) } else { encoded(0b100, entry.id, &title_key(&entry.title)) }
}

/// Returns the cursor after a book in newest order.
pub fn newest_cursor(id: i64) -> String {
    encoded(0b101, id, "")
}

fn encoded(head: u8, id: i64, key: &str) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::json!([head, id, key]).to_string())
}
