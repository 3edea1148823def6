//! Compared programs, each with the same titles in its own database.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use library::search::Entry;
use rusqlite::{Connection as Sqlite, params};

use crate::common::{
    client::Connection,
    server::{Server, serve_other},
    titles::Random,
};

/// Rows of each catalogue.
pub struct Rows<'e> {
    pub entries: &'e [Entry],
    pub copies: usize,
}

const EMAIL: &str = "bench@example.org";
const PASSWORD: &str = "measured, not judged";

impl Rows<'_> {
    fn write(&self, file: &Path, id: impl Fn(usize) -> rusqlite::types::Value) -> Result<()> {
        let mut random = Random::new(3);
        let mut database = Sqlite::open(file)?;
        let tx = database.transaction()?;
        {
            let mut insert = tx.prepare(
                "INSERT INTO books (id, title, author, genre, description, copies) VALUES (?1, ?2, ?3, 'Fiction', ?4, ?5)",
            )?;
            for (n, entry) in self.entries.iter().enumerate() {
                let words: Vec<String> = (0..30 + random.below(30)).map(|_| random.word(3)).collect();
                let copies = i64::try_from(self.copies)?;
                insert.execute(params![id(n + 1), entry.title, entry.author, words.join(" "), copies])?;
            }
        }
        tx.commit()?;
        Ok(())
    }
}

/// Starts the app of `app.mjs`, with the two indexes that its author would create.
pub async fn express(peers: &Path, folder: &Path, rows: &Rows<'_>) -> Result<Server> {
    let file = folder.join("express.db");
    Sqlite::open(&file)?.execute_batch(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author TEXT, genre TEXT, description TEXT, copies INTEGER);
         CREATE TABLE loans (id INTEGER PRIMARY KEY, book INTEGER, student INTEGER);
         CREATE INDEX books_title ON books (title);
         CREATE INDEX loans_book ON loans (book);",
    )?;
    rows.write(&file, |n| i64::try_from(n).unwrap_or(0).into())?;
    let app = peers.join("app.mjs");
    let arguments = |address: &str| {
        let port = address.rsplit(':').next().unwrap_or_default();
        vec![app.display().to_string(), file.display().to_string(), port.to_owned()]
    };
    serve_other(Path::new("node"), arguments, "/books/1").await
}

pub async fn express_pair(connection: &mut Connection, address: &str, book: u64) -> Result<()> {
    let answer = send(connection, address, "POST", &format!("/books/{book}/loans"), "", "").await?;
    ensure!(answer == 201, "a borrow answered {answer}");
    let loan = connection.number("id").context("the loan has no id")?;
    let answer = send(connection, address, "POST", &format!("/loans/{loan}/return"), "", "").await?;
    ensure!(answer == 200, "a return answered {answer}");
    Ok(())
}

/// Returns the id of the n-th book; `PocketBase` requires fifteen letters or digits.
pub fn pocketbase_id(n: usize) -> String {
    format!("b{n:014}")
}

/// Starts `PocketBase` with two public collections, created as its own interface creates them.
pub async fn pocketbase(peers: &Path, folder: &Path, rows: &Rows<'_>) -> Result<Server> {
    let (binary, data) = (peers.join("venv/bin/pocketbase"), folder.join("pocketbase"));
    let data_text = data.display().to_string();
    #[expect(clippy::disallowed_methods, reason = "the bench runs the programs it measures")]
    let made = std::process::Command::new(&binary)
        .args(["superuser", "upsert", EMAIL, PASSWORD, "--dir", &data_text])
        .output()?;
    ensure!(made.status.success(), "PocketBase: {}", String::from_utf8_lossy(&made.stderr));
    let serve = || {
        let data = data_text.clone();
        let arguments =
            move |address: &str| ["serve", "--http", address, "--dir", &data].map(str::to_owned).to_vec();
        serve_other(&binary, arguments, "/api/health")
    };
    let server = serve().await?;
    let mut connection = Connection::open(&server.address).await?;
    let body = serde_json::json!({ "identity": EMAIL, "password": PASSWORD }).to_string();
    let path = "/api/collections/_superusers/auth-with-password";
    ensure!(send(&mut connection, &server.address, "POST", path, "", &body).await? == 200, "no sign-in");
    let answer: serde_json::Value = serde_json::from_str(connection.text())?;
    let token = answer["token"].as_str().context("no token")?.to_owned();
    let text = |name: &str| serde_json::json!({ "name": name, "type": "text", "max": 5000 });
    let number = |name: &str| serde_json::json!({ "name": name, "type": "number" });
    let collections = [
        (
            "books",
            vec![text("title"), text("author"), text("genre"), text("description"), number("copies")],
            vec!["CREATE INDEX books_title ON books (title)"],
        ),
        ("loans", vec![text("book"), number("student")], vec!["CREATE INDEX loans_book ON loans (book)"]),
    ];
    for (name, fields, indexes) in collections {
        let body = serde_json::json!({
            "name": name, "type": "base", "fields": fields, "indexes": indexes,
            "listRule": "", "viewRule": "", "createRule": "", "updateRule": "", "deleteRule": "",
        });
        let status =
            send(&mut connection, &server.address, "POST", "/api/collections", &token, &body.to_string())
                .await?;
        ensure!(status == 200, "PocketBase makes no collection: {}", connection.text());
    }
    drop(server);
    rows.write(&data.join("data.db"), |n| pocketbase_id(n).into())?;
    serve().await
}

pub async fn pocketbase_pair(connection: &mut Connection, address: &str, book: u64) -> Result<()> {
    let records = "/api/collections";
    let id = pocketbase_id(usize::try_from(book)?);
    let body = format!(r#"{{"book":"{id}","student":1}}"#);
    let status = send(connection, address, "POST", &format!("{records}/loans/records"), "", &body).await?;
    ensure!(status == 200, "a borrow answered {status}: {}", connection.text());
    let answer: serde_json::Value = serde_json::from_str(connection.text())?;
    let loan = answer["id"].as_str().context("the loan has no id")?.to_owned();
    let book = format!("{records}/books/records/{id}");
    let status = send(connection, address, "PATCH", &book, "", r#"{"copies-":1}"#).await?;
    ensure!(status == 200, "counting down answered {status}");
    let status =
        send(connection, address, "DELETE", &format!("{records}/loans/records/{loan}"), "", "").await?;
    ensure!(status == 204, "a return answered {status}");
    let status = send(connection, address, "PATCH", &book, "", r#"{"copies+":1}"#).await?;
    ensure!(status == 200, "counting up answered {status}");
    Ok(())
}

async fn send(
    connection: &mut Connection,
    address: &str,
    method: &str,
    path: &str,
    token: &str,
    body: &str,
) -> Result<u16> {
    let authorization = if token.is_empty() { String::new() } else { format!("authorization: {token}\r\n") };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{authorization}content-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    Ok(connection.send(&request).await?.status)
}
