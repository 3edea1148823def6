//! Lower bound of the cost of an HTTP response: a bare axum handler that returns prepared bytes, or rows that it reads
//! directly from the database.

use std::{
    cell::RefCell,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::Result;
use axum::{
    Router,
    body::Bytes,
    http::{HeaderName, HeaderValue},
    routing::get,
    serve::ListenerExt as _,
};
use rusqlite::{Connection, OpenFlags, types::ValueRef};
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};

/// Number of books on a page.
pub const PAGE: usize = 24;

/// Query for the columns of a catalogue page, for the books of one page.
const ROWS: &str = "SELECT id, title, author, genre, photo_url, status, no_of_books, location, rating, isbn,
                           published_year, language, review_count, rating_sum
                    FROM books WHERE id IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

thread_local! {
    /// Connection of each runtime thread: a request neither waits for another one's connection nor changes threads.
    static OPEN: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

pub struct Floor {
    pub address: String,
    server: JoinHandle<()>,
}

impl Floor {
    /// Starts a server that answers every path with `headers` and `length` bytes.
    pub async fn start(headers: &'static [(&'static str, &'static str)], length: usize) -> Result<Self> {
        let body = Bytes::from(vec![b'x'; length]);
        let headers: Vec<(HeaderName, HeaderValue)> = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let handler = move || async move { (axum::http::HeaderMap::from_iter(headers), body) };
        Self::serve(Router::new().fallback(get(handler))).await
    }

    /// Starts a server that answers every path with the next of `pages`, read from a database and written as JSON.
    pub async fn reading(database: &Path, pages: Vec<[i64; PAGE]>) -> Result<Self> {
        let (database, pages, next) = (database.to_owned(), Arc::new(pages), Arc::new(AtomicUsize::new(0)));
        let handler = move || async move {
            let page = pages[next.fetch_add(1, Ordering::Relaxed) % pages.len()];
            let json = OPEN.with_borrow_mut(|open| {
                let connection = open.get_or_insert_with(|| connect(&database).expect("the database opens"));
                rows(connection, &page).expect("a page is read")
            });
            ([("content-type", "application/json")], json)
        };
        Self::serve(Router::new().fallback(get(handler))).await
    }

    async fn serve(router: Router) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { address, server })
    }
}

/// Opens the database read-only, with the cache size of the program's connections.
fn connect(database: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "cache_size", -8 * 1024)?;
    Ok(connection)
}

fn rows(connection: &Connection, page: &[i64; PAGE]) -> Result<Vec<u8>> {
    let mut statement = connection.prepare_cached(ROWS)?;
    let columns = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(page))?;
    let mut json = Vec::with_capacity(8 * 1024);
    json.push(b'[');
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            match row.get_ref(column)? {
                ValueRef::Integer(number) => serde_json::to_writer(&mut json, &number)?,
                ValueRef::Real(number) => serde_json::to_writer(&mut json, &number)?,
                ValueRef::Text(text) => serde_json::to_writer(&mut json, std::str::from_utf8(text)?)?,
                ValueRef::Null | ValueRef::Blob(_) => serde_json::to_writer(&mut json, &Value::Null)?,
            }
            json.push(b',');
        }
    }
    json.push(b']');
    Ok(json)
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.server.abort();
    }
}
