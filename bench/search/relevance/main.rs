//! Judges the order of search results by queries with a known wanted book: hit@1, hit@3, hit@10 and mean reciprocal
//! rank. SQLite's FTS5 with trigrams, and the filter of `PocketBase`, answer the same queries.
//!
//! Half of the queries are in `queries.tsv`; the others are generated from the catalogue, with a fixed seed. A fifth of
//! all queries is held out: tune with the others, and read only the scores of the held-out ones (`--held-out`).

#[path = "../../common/titles.rs"]
#[expect(dead_code, reason = "only the random numbers are used")]
mod titles;

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::Read as _,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use clap::Parser;
use library::{
    domain::isbn::isbn_13,
    fold::fold,
    search::{Entry, Index, Loading, Query},
};
use rusqlite::{Connection, params};

use titles::Random;

/// Measures how well the search finds the wanted book.
#[derive(Parser)]
struct Options {
    /// CSV file of real books with the columns title, author, isbn and ratingsCount; may be gzipped.
    #[arg(long, env = "LIBRARY_REAL_BOOKS")]
    books: PathBuf,
    /// Judges the held-out fifth instead of the other queries.
    #[arg(long)]
    held_out: bool,
    /// Ignores the popularity of books.
    #[arg(long)]
    unpopular: bool,
    /// Lists the queries whose wanted book is not first. Not available for the held-out fifth.
    #[arg(long)]
    misses: bool,
}

struct Book {
    title: String,
    author: String,
    isbn: Option<String>,
    ratings: u64,
    /// Words of the title without a leading article, between blanks; and the folded author.
    folded: (String, String),
}

/// Book that a query may want.
struct Wanted {
    title: String,
    author: String,
}

struct Case {
    kind: String,
    text: String,
    wanted: Vec<Wanted>,
}

/// Returns the folded words of a title between blanks, without a leading article.
fn words(title: &str) -> String {
    let folded = fold(title);
    let letters = folded
        .split(|letter: char| letter.is_ascii_punctuation() && !matches!(letter, '+' | '#') || letter == ' ');
    let mut words: Vec<&str> = letters.filter(|word| !word.is_empty()).collect();
    if words.len() > 1 && matches!(words[0], "the" | "a" | "an") {
        words.remove(0);
    }
    format!(" {} ", words.join(" "))
}

impl Wanted {
    fn parse(text: &str) -> Self {
        let text = format!(" {text}");
        let (title, author) = text.split_once(" / ").unwrap_or((&text, ""));
        Self { title: words(title), author: fold(author).trim().to_owned() }
    }

    fn is(&self, book: &Book) -> bool {
        let (title, author) = &book.folded;
        (self.title.trim().is_empty() || title.starts_with(&self.title)) && author.contains(&self.author)
    }
}

fn read(options: &Options) -> Result<Vec<Book>> {
    let mut content = Vec::new();
    let opened = File::open(&options.books)?;
    if options.books.extension().is_some_and(|extension| extension == "gz") {
        flate2::read::GzDecoder::new(opened).read_to_end(&mut content)?;
    } else {
        (&opened).read_to_end(&mut content)?;
    }
    let book = |title: &str, author: &str, isbn: &str, ratings: &str| Book {
        folded: (words(title), fold(author)),
        title: title.to_owned(),
        author: author.to_owned(),
        isbn: isbn_13(isbn),
        ratings: ratings.parse().unwrap_or_default(),
    };
    let mut rows = csv::Reader::from_reader(content.as_slice());
    let headers = rows.headers()?.clone();
    let column = |name: &str| headers.iter().position(|header| header == name).context(name.to_owned());
    let (title, author) = (column("title")?, column("author")?);
    let (isbn, ratings) = (column("isbn")?, column("ratingsCount")?);
    let mut books = Vec::new();
    for row in rows.records() {
        let row = row?;
        books.push(book(&row[title], &row[author], &row[isbn], &row[ratings]));
    }
    // The demo catalogue has the titles in the scripts of India.
    let demo: serde_json::Value = serde_json::from_str(include_str!("../../../src/demo/catalogue.json"))?;
    let demo =
        demo.get("books").and_then(|books| books.as_array()).context("the demo catalogue has no books")?;
    for one in demo {
        let text = |name: &str| one.get(name).and_then(|value| value.as_str()).unwrap_or_default();
        books.push(book(text("title"), text("author"), text("isbn"), ""));
    }
    Ok(books)
}

fn written_by_hand() -> Vec<Case> {
    let lines = include_str!("queries.tsv").lines().filter(|line| !line.starts_with('#'));
    let case = |line: &str| {
        let mut parts = line.split('\t');
        let mut part = || parts.next().unwrap_or_default().to_owned();
        let (kind, text, wanted) = (part(), part(), part());
        Case { kind, text, wanted: wanted.split(" | ").map(Wanted::parse).collect() }
    };
    lines.map(case).collect()
}

/// Number of generated queries of each kind.
const OF_EACH: usize = 40;

/// Makes queries from books drawn at random, half of them among those with ratings.
fn made_by_rule(books: &[Book]) -> Vec<Case> {
    let mut random = Random::new(11);
    let rated: Vec<&Book> = books.iter().filter(|book| book.ratings > 0).collect();
    let mut cases = Vec::new();
    for kind in [
        "made: title",
        "made: half",
        "made: typo",
        "made: two",
        "made: extra",
        "made: blank",
        "made: both",
        "made: ISBN",
    ] {
        let mut made = 0;
        while made < OF_EACH {
            let book = if made % 2 == 0 && !rated.is_empty() {
                rated[random.below(rated.len())]
            } else {
                &books[random.below(books.len())]
            };
            if let Some(text) = make(kind, book, &mut random) {
                let wanted = Wanted { title: words(main_title(&book.title)), author: book.folded.1.clone() };
                cases.push(Case { kind: kind.to_owned(), text, wanted: vec![wanted] });
                made += 1;
            }
        }
    }
    cases
}

/// Returns the title up to the subtitle or the series.
fn main_title(title: &str) -> &str {
    let end = title.find([':', ';', '(', '=']).unwrap_or(title.len());
    title[..end].trim()
}

/// Makes a query of a kind that wants this book; `None` if the title is too short for it.
fn make(kind: &str, book: &Book, random: &mut Random) -> Option<String> {
    let main = words(main_title(&book.title));
    let main = main.trim();
    let long: Vec<&str> = main.split(' ').filter(|word| word.chars().count() >= 5).collect();
    // A single word of a title does not identify a book.
    if main.chars().count() < 8 || main.split(' ').count() < 2 || long.is_empty() {
        return None;
    }
    let replaced = |word: &str, other: &str| main.replacen(word, other, 1);
    match kind {
        "made: title" => Some(main.to_owned()),
        "made: half" => {
            let letters: Vec<char> = main.chars().collect();
            (letters.len() >= 14)
                .then(|| letters[..letters.len() * 2 / 3].iter().collect::<String>().trim().to_owned())
        }
        "made: typo" => {
            let word = long[random.below(long.len())];
            Some(replaced(word, &with_error(word, random)))
        }
        "made: two" => {
            let longest = long.iter().max_by_key(|word| word.chars().count())?;
            let wrong = with_error(&with_error(longest, random), random);
            (longest.chars().count() >= 8).then(|| replaced(longest, &wrong))
        }
        "made: extra" => {
            const EXTRA: [&str; 6] = ["pdf", "ebook", "paperback", "unabridged", "bestseller", "hardcover"];
            Some(format!("{main} {}", EXTRA[random.below(EXTRA.len())]))
        }
        "made: blank" => {
            if random.below(2) == 0 {
                return Some(main.replacen(' ', "", 1));
            }
            let word = long.iter().max_by_key(|word| word.len())?;
            let middle = word.char_indices().nth(word.chars().count() / 2)?.0;
            Some(replaced(word, &format!("{} {}", &word[..middle], &word[middle..])))
        }
        "made: both" => {
            let author =
                book.folded.1.split(';').next()?.split(' ').rfind(|word| word.chars().count() > 3)?;
            let word = long.iter().max_by_key(|word| word.len())?;
            Some(if random.below(2) == 0 { format!("{author} {word}") } else { format!("{word} {author}") })
        }
        _ => book.isbn.clone(),
    }
}

/// Returns a word with one letter missing, doubled, replaced or swapped with its neighbour.
fn with_error(word: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + random.below(letters.len() - 2);
    match random.below(4) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letters[at]),
        2 => letters[at] = if letters[at] == 'e' { 'a' } else { 'e' },
        _ => letters.swap(at, at - 1),
    }
    letters.into_iter().collect()
}

/// Returns whether a query is in the held-out fifth (FNV-1a).
fn is_held_out(text: &str) -> bool {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    (text.bytes().fold(0xCBF2_9CE4_8422_2325, hash) >> 20).is_multiple_of(5)
}

/// Counts of the ranks of wanted books.
#[derive(Default)]
struct Score {
    queries: usize,
    first: usize,
    three: usize,
    ten: usize,
    reciprocal: f64,
}

impl Score {
    fn count(&mut self, rank: Option<usize>) {
        self.queries += 1;
        let Some(rank) = rank else { return };
        self.first += usize::from(rank < 1);
        self.three += usize::from(rank < 3);
        self.ten += usize::from(rank < 10);
        #[expect(clippy::cast_precision_loss, reason = "a rank is small")]
        let place = (rank + 1) as f64;
        self.reciprocal += 1.0 / place;
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of queries is small")]
    fn cells(&self) -> String {
        let queries = self.queries.max(1) as f64;
        let share = |found: usize| found as f64 / queries;
        format!(
            "{:.2} | {:.2} | {:.2} | {:.2}",
            share(self.first),
            share(self.three),
            share(self.ten),
            self.reciprocal / queries
        )
    }
}

/// The catalogue in SQLite's full-text index; `None` if SQLite is compiled without it, as for the program
/// (`.cargo/config.toml`).
fn peer(books: &[Book]) -> Result<Option<Connection>> {
    let mut peer = Connection::open_in_memory()?;
    if peer
        .query_row("SELECT sqlite_compileoption_used('ENABLE_FTS5')", [], |row| Ok(!row.get::<_, bool>(0)?))?
    {
        return Ok(None);
    }
    peer.execute(
        "CREATE VIRTUAL TABLE books USING fts5 (title, author, tokenize = 'trigram remove_diacritics 1')",
        [],
    )?;
    let tx = peer.transaction()?;
    for (id, book) in books.iter().enumerate() {
        let id = i64::try_from(id)?;
        tx.execute(
            "INSERT INTO books (rowid, title, author) VALUES (?1, ?2, ?3)",
            params![id, book.title, book.author],
        )?;
    }
    tx.commit()?;
    Ok(Some(peer))
}

/// Searches the peer for books with all words.
fn of_peer(peer: &Connection, text: &str) -> Result<Vec<usize>> {
    let words: Vec<String> =
        text.split_whitespace().map(|word| format!("\"{}\"", word.replace('"', ""))).collect();
    let mut found =
        peer.prepare_cached("SELECT rowid FROM books WHERE books MATCH ?1 ORDER BY rank LIMIT 10")?;
    let found = found.query_map([words.join(" ")], |row| row.get::<_, i64>(0))?;
    found.map(|id| Ok(usize::try_from(id?)?)).collect()
}

/// Returns a table of the catalogue for [`of_filter`].
fn filtered(books: &[Book]) -> Result<Connection> {
    let mut filtered = Connection::open_in_memory()?;
    filtered.execute(
        "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL)",
        [],
    )?;
    let tx = filtered.transaction()?;
    for (id, book) in books.iter().enumerate() {
        tx.prepare_cached("INSERT INTO books VALUES (?1, ?2, ?3)")?.execute(params![
            i64::try_from(id)?,
            book.title,
            book.author
        ])?;
    }
    tx.commit()?;
    Ok(filtered)
}

/// Searches with the statement of PocketBase's filter `title ~ text || author ~ text`, in the order of the table.
fn of_filter(filtered: &Connection, text: &str) -> Result<Vec<usize>> {
    let contains = format!("%{}%", text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
    let mut found = filtered.prepare_cached(
        "SELECT id FROM books WHERE title LIKE ?1 ESCAPE '\\' OR author LIKE ?1 ESCAPE '\\' LIMIT 10",
    )?;
    let found = found.query_map([contains], |row| row.get::<_, i64>(0))?;
    found.map(|id| Ok(usize::try_from(id?)?)).collect()
}

/// Searches the index as the list of books does: looks up an ISBN if nothing matches.
fn of_index(index: &Index, isbns: &HashMap<&str, usize>, text: &str) -> Vec<usize> {
    let page = index.page(&Query { text, similar: true, limit: 24, ..Query::default() });
    let number = isbn_13(text).and_then(|isbn| isbns.get(isbn.as_str()).copied());
    if let Some(number) = number.filter(|_| page.total == 0 || page.meant.is_some()) {
        return vec![number];
    }
    let similar: Vec<i64> = page.similar.iter().map(|other| other.id).collect();
    let listed = if page.similar_first { [similar, page.ids] } else { [page.ids, similar] };
    listed.concat().into_iter().filter_map(|id| usize::try_from(id).ok()).collect()
}

fn main() -> Result<()> {
    let options = Options::parse();
    let books = read(&options)?;
    let isbns: HashMap<&str, usize> =
        books.iter().enumerate().filter_map(|(id, book)| Some((book.isbn.as_deref()?, id))).collect();
    let mut loading = Loading::default();
    let entries = (0_i64..).zip(&books).map(|(id, book)| Entry {
        id,
        title: book.title.clone(),
        author: book.author.clone(),
        // Scales thousands of ratings to the number of loans of a library in some years.
        popularity: if options.unpopular {
            0
        } else {
            u32::try_from(book.ratings / 2000).unwrap_or(u32::MAX)
        },
        ..Entry::default()
    });
    loading.push(entries.collect());
    let index = loading.finish();
    index.learn_words();
    let (peer, filtered) = (peer(&books)?, filtered(&books)?);

    let mut cases = written_by_hand();
    cases.extend(made_by_rule(&books));
    println!("{} books, {} queries", books.len(), cases.len());
    let mut scores: BTreeMap<&str, [Score; 3]> = BTreeMap::new();
    let mut times: Vec<Duration> = Vec::new();
    for case in &cases {
        let wants = |id: &usize| case.wanted.iter().any(|wanted| wanted.is(&books[*id]));
        if !(0..books.len()).any(|id| wants(&id)) {
            println!("no such book: {} ({})", case.text, case.kind);
        }
        if is_held_out(&case.text) != options.held_out {
            continue;
        }
        let begun = Instant::now();
        let found = of_index(&index, &isbns, &case.text);
        times.push(begun.elapsed());
        let rank = found.iter().position(wants);
        if options.misses && !options.held_out && rank != Some(0) {
            let titles: Vec<&str> = found.iter().take(3).map(|id| books[*id].title.as_str()).collect();
            println!("{}: {} at {rank:?} after {titles:?}", case.kind, case.text);
        }
        let others = peer.as_ref().map(|peer| of_peer(peer, &case.text)).transpose()?;
        let others = others.map(|others| others.iter().position(wants));
        let contained = of_filter(&filtered, &case.text)?.iter().position(wants);
        for kind in [case.kind.as_str(), "~ all"] {
            let [own, peers, filter] = scores.entry(kind).or_default();
            own.count(rank);
            filter.count(contained);
            if let Some(others) = others {
                peers.count(others);
            }
        }
    }
    println!(
        "\n| Kind | queries | hit@1 | hit@3 | hit@10 | MRR | FTS5: hit@1 | hit@3 | hit@10 | MRR | filter: hit@1 | hit@3 | hit@10 | MRR |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (kind, [own, peers, filter]) in &scores {
        println!(
            "| {} | {} | {} | {} | {} |",
            kind.trim_start_matches("~ "),
            own.queries,
            own.cells(),
            if peer.is_some() { peers.cells() } else { "| | |".to_owned() },
            filter.cells()
        );
    }
    times.sort_unstable();
    let ms = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!("\na query: median {:.2} ms, p99 {:.2} ms", ms(50), ms(99));
    Ok(())
}
