//! Libraries to measure with: a catalogue, people, accounts and loans.

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use jiff::{ToSpan as _, tz::TimeZone};
use library::{
    circulation::{Actor, CheckOut, CopyToLend, check_out},
    clock::Clock,
    domain::{
        id::{BookId, UserId},
        moment::Moment,
        rulebook::Rulebook,
    },
    search::Entry,
    storage::{Db, Location},
};

use super::{
    client::Connection,
    server::{Server, run},
    titles::Random,
};

pub const API: &str = "/library/api/v1";
pub const EMAIL: &str = "bench@example.org";
pub const PASSWORD: &str = "measured, not judged";

const GIVEN: [&str; 20] = [
    "Aarav", "Asha", "Bala", "Chitra", "Deepa", "Esha", "Farah", "Gopal", "Harini", "Imran", "Jaya", "Kiran",
    "Lakshmi", "Manoj", "Nandini", "Omkar", "Priya", "Ravi", "Sunita", "Vikram",
];
const FAMILY: [&str; 25] = [
    "Bose",
    "Chatterjee",
    "Das",
    "Fernandes",
    "Ghosh",
    "Gupta",
    "Iyer",
    "Joshi",
    "Khan",
    "Kulkarni",
    "Kumar",
    "Menon",
    "Mishra",
    "Nair",
    "Naidu",
    "Patel",
    "Pillai",
    "Rao",
    "Reddy",
    "Sharma",
    "Shetty",
    "Singh",
    "Thomas",
    "Varma",
    "Yadav",
];

/// Returns the given name of the n-th person, shared by every twentieth person.
pub fn given_name(n: usize) -> &'static str {
    GIVEN[n % GIVEN.len()]
}

/// Returns the name of the n-th person, shared by every five-hundredth person.
pub fn name(n: usize) -> String {
    format!("{} {}", given_name(n), FAMILY[n / GIVEN.len() % FAMILY.len()])
}

/// Returns the roll number of the n-th person.
pub fn roll_number(n: usize) -> String {
    format!("p{n:06}")
}

/// Returns the id of the n-th person, in a library whose first account is the librarian's.
pub fn person_id(n: usize) -> usize {
    n + 2
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Creates the librarian's account that the benches sign in with.
pub fn add_librarian(program: &Path, database: &str) -> Result<Duration> {
    let admin = ["admin", "create", "--email", EMAIL, "--name", "The Bench", "--password-stdin"];
    run(program, &admin, database, &format!("{PASSWORD}\n"))
}

/// Imports `count` people; returns the duration.
pub fn import_people(program: &Path, database: &str, folder: &Path, count: usize) -> Result<Duration> {
    let path = folder.join("people.csv");
    let mut file = BufWriter::new(File::create(&path)?);
    writeln!(file, "rollNumber,name,email,department,batch,category")?;
    for n in 0..count {
        let (number, name) = (roll_number(n), name(n));
        writeln!(file, "{number},{name},,Department {},{},Student", n % 12, 2020 + n % 8)?;
    }
    file.flush()?;
    run(program, &["import", "people", &text(&path)], database, "")
}

/// Imports titles with `copies` copies each; returns the duration.
pub fn import_titles(
    program: &Path,
    database: &str,
    folder: &Path,
    entries: &[Entry],
    copies: usize,
) -> Result<Duration> {
    let path = folder.join("catalogue.csv");
    let mut random = Random::new(3);
    let mut file = csv::Writer::from_writer(BufWriter::new(File::create(&path)?));
    file.write_record(["title", "author", "genre", "description", "publishedYear", "noOfBooks", "location"])?;
    for entry in entries {
        let words: Vec<String> = (0..30 + random.below(30)).map(|_| random.word(3)).collect();
        let (year, location) = (1900 + random.below(120), format!("A-{}", random.below(90)));
        file.write_record([
            &entry.title,
            &entry.author,
            "Fiction",
            &words.join(" "),
            &year.to_string(),
            &copies.to_string(),
            &location,
        ])?;
    }
    file.flush()?;
    drop(file);
    let rejected = folder.join("rejected.csv");
    let took =
        run(program, &["import", "books", &text(&path), "--rejected", &text(&rejected)], database, "")?;
    std::fs::remove_file(path)?;
    Ok(took)
}

/// Lends two titles to each of the first `people` by the default rules, within the last twenty days: some are overdue.
pub fn lend(database: &str, people: usize) -> Result<()> {
    const BATCH: usize = 500;
    let location: Location = database.parse().map_err(anyhow::Error::msg)?;
    let now = Clock::system(TimeZone::UTC).moment();
    let db = Db::open(&location)?;
    for first in (0..people).step_by(BATCH) {
        db.write_blocking(move |tx| -> library::storage::Result<()> {
            for n in first..(first + BATCH).min(people) {
                let ago = i64::try_from(n % 20).unwrap_or(0);
                let on = Moment { at: now.at - ago * 86_400_000, today: now.today - ago.days() };
                let reader = UserId(i64::try_from(person_id(n)).unwrap_or(0));
                for book in [2 * n + 1, 2 * n + 2] {
                    let copy = CopyToLend::AnyOf(BookId(i64::try_from(book).unwrap_or(0)));
                    let what = CheckOut { reader, copy, overriding: None };
                    check_out(tx, Actor::Student(reader), on, &Rulebook::default(), &what)
                        .map_err(library::circulation::Error::into_storage)?;
                }
            }
            Ok(())
        })?;
    }
    db.close();
    Ok(())
}

/// Signs the librarian in; returns the cookies of the session.
pub async fn sign_in(server: &Server) -> Result<String> {
    let mut connection = Connection::open(&server.address).await?;
    Ok(connection.sign_in(&server.address, EMAIL, PASSWORD).await?)
}

/// Borrows and returns a book as a student; `key` must be unique to the pair.
pub async fn pair(
    connection: &mut Connection,
    address: &str,
    cookie: &str,
    book: u64,
    key: &str,
) -> Result<()> {
    let post = |path: &str, key: &str| {
        format!(
            "POST {API}/{path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\nidempotency-key: {key}\r\n\
             content-length: 0\r\n\r\n"
        )
    };
    let answer = connection.send(&post(&format!("books/{book}/loans"), &format!("pair-{key}"))).await?;
    ensure!(answer.status == 201, "a borrow answered {}", answer.status);
    let loan = connection.number("id").context("the loan has no id")?;
    let answer = connection.send(&post(&format!("loans/{loan}/return"), &format!("back-{key}"))).await?;
    ensure!(answer.status < 300, "a return answered {}", answer.status);
    Ok(())
}

/// Registers a student through the API and signs them in; returns the cookies of the session.
pub async fn register(server: &Server, n: usize) -> Result<String> {
    let mut connection = Connection::open(&server.address).await?;
    let email = format!("student{n}@example.org");
    let body = format!(
        r#"{{"email":"{email}","password":"{PASSWORD}","name":"Student {n}","rollNumber":"cs28-{n}","#
    ) + r#""department":"Physics","batch":"2028"}"#;
    let answer = connection
        .send(&format!(
            "POST {API}/auth/register HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            server.address,
            body.len()
        ))
        .await?;
    ensure!(answer.status < 300, "auth/register answered {}", answer.status);
    connection.sign_in(&server.address, &email, PASSWORD).await.context("a student signs in")
}
