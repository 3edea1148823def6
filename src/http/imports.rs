//! Imports of books from a file, and detection of the columns of a file (R-SEAM-10).

use std::sync::Arc;

use axum::{
    body::{Body as Stream, Bytes},
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::{Body, Id, Query},
    idempotency::{Answer, Once},
    people::import::{ImportPermit, chosen},
    session::SignedIn,
};
use crate::{
    circulation::{NotUndone, undo::not_undone},
    domain::{
        id::{BookId, ImportId},
        moment::rfc3339,
        rule::Invalid,
    },
    import::{
        books::{self, BooksReport, Options},
        columns::{BOOKS, PEOPLE, Vocabulary},
        file::Kind,
        marc, people,
        table::Source,
        undo,
    },
    message,
    storage::{
        Tx,
        imports::{self, Import},
    },
};

/// A column of a file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileColumn {
    /// Heading of the column, cut if it is very long.
    heading: String,
    /// Field chosen for the column last time, otherwise the guessed one; blank for none.
    field: String,
    /// Cells of the column in the first three rows, cut if they are very long.
    cells: Vec<String>,
}

/// The columns of a file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileColumns {
    /// `csv`, `workbook` or `marc`. For `marc`, no columns need to be chosen.
    kind: &'static str,
    /// Encoding of the file, if it is not UTF-8.
    #[schema(required)]
    encoding: Option<&'static str>,
    /// Separator of a CSV file.
    separator: String,
    /// Rows of the file.
    rows: u64,
    columns: Vec<FileColumn>,
    /// Fields that a column can be assigned to.
    fields: Vec<&'static str>,
    /// Field that one column must be assigned to.
    required: &'static str,
    /// True if the fields are those chosen last time for a file with these headings.
    remembered: bool,
}

/// Options of an import of books.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct BooksQuery {
    /// Field of each column of the file, in order, separated by commas; a blank ignores the column. If omitted, the
    /// header must contain the names of the fields.
    #[serde(default)]
    columns: Option<String>,
    /// Add rows whose ISBN another title in the catalogue has; otherwise they are rejected.
    #[serde(default)]
    with_clashes: bool,
    /// Name of the file, shown in the list of imports.
    #[serde(default)]
    name: Option<String>,
}

/// An import of books.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportOfBooks {
    id: ImportId,
    file_name: String,
    /// Name of the librarian; null for the command line.
    #[schema(required)]
    by: Option<String>,
    /// `running`, `stopped`, `done`, `undoing` or `undone`.
    state: &'static str,
    /// Rows of the file.
    rows: i64,
    /// Rows read so far.
    done: i64,
    /// New titles.
    added: i64,
    /// Rows that added copies to a title in the catalogue.
    more: i64,
    /// New copies.
    copies: i64,
    /// Rows that were in the catalogue before.
    known: i64,
    /// Rejected rows whose ISBN is that of another title in the catalogue.
    clashes: i64,
    /// Rejected rows, clashes included.
    rejected: i64,
    started_at: String,
    /// Number of titles and copies that an undo would remove, or must still remove.
    left: i64,
    /// Number of imported titles and copies that were lent, reserved or reviewed since; unless it is 0, the undo is
    /// refused.
    in_use: i64,
}

/// The last imports of books.
#[derive(Serialize, ToSchema)]
pub struct ImportsOfBooks {
    imports: Vec<ImportOfBooks>,
}

impl ImportOfBooks {
    fn new(import: Import, left: i64, in_use: i64) -> Self {
        Self {
            id: import.id,
            file_name: import.file_name,
            by: import.by,
            state: import.state.as_str(),
            rows: import.rows,
            done: import.counts.done,
            added: import.counts.added,
            more: import.counts.more,
            copies: import.counts.copies,
            known: import.counts.known,
            clashes: import.counts.clashes,
            rejected: import.counts.rejected,
            started_at: rfc3339(import.started_at),
            left,
            in_use,
        }
    }

    fn of(tx: &mut Tx<'_>, id: ImportId, now: i64) -> Result<Self> {
        let import = imports::by_id(tx, id, now)?.ok_or(Error::NotFound)?;
        let (left, in_use) = (imports::count_left(tx, id)?, imports::in_use(tx, id)?);
        Ok(Self::new(import, left, in_use))
    }
}

/// Turns the error of a file into a message about the field `file`, without the outermost context, which names the file.
fn unsound(error: &anyhow::Error) -> Error {
    let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
    Invalid::field("file", message::import_unsound(&causes.join(": "))).into()
}

/// Runs blocking work on a thread of its own, and holds the import permit until the work ends.
async fn blocking<T: Send + 'static>(
    permit: ImportPermit,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let work = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(permit);
        done
    });
    work.await.map_err(|error| Error::Internal(Box::new(error)))?
}

async fn columns_of(
    app: &Shared,
    vocabulary: &'static Vocabulary,
    longest: u64,
    permit: ImportPermit,
    file: Bytes,
) -> Result<axum::Json<FileColumns>> {
    let db = app.library.db.clone();
    let columns = blocking(permit, move || {
        let mut guess = vocabulary.guess(&Source::Upload(file), longest).map_err(|error| unsound(&error))?;
        let headings = guess.headings;
        let kept = db.read_blocking(move |tx| imports::fields(tx, vocabulary.kind, &headings))?;
        let kept = kept.filter(|kept| kept.len() == guess.columns.len());
        let is_remembered = kept.is_some();
        for (column, field) in guess.columns.iter_mut().zip(kept.into_iter().flatten()) {
            column.field = field;
        }
        let columns = guess.columns.into_iter();
        Ok(FileColumns {
            kind: match guess.table.kind {
                Kind::Csv => "csv",
                Kind::Workbook => "workbook",
                Kind::Marc => "marc",
            },
            encoding: guess.table.encoding,
            separator: char::from(guess.table.separator).to_string(),
            rows: guess.rows,
            columns: columns
                .map(|column| FileColumn {
                    heading: column.heading,
                    field: column.field,
                    cells: column.cells,
                })
                .collect(),
            fields: vocabulary.fields.to_vec(),
            required: vocabulary.required,
            remembered: is_remembered,
        })
    });
    Ok(axum::Json(columns.await?))
}

/// Read the columns of a list of people, and guess their fields (R-PEOPLE-4). Stores nothing.
#[utoipa::path(post, path = "/imports/people/columns",
    request_body(content = String, content_type = "application/octet-stream"), responses((status = 200, body = FileColumns)))]
pub async fn read_people_columns(
    State(app): State<Shared>,
    permit: ImportPermit,
    Body(file): Body,
) -> Result<axum::Json<FileColumns>> {
    columns_of(&app, &PEOPLE, people::LONGEST, permit, file).await
}

/// Read the columns of a list of books, and guess their fields. Stores nothing.
#[utoipa::path(post, path = "/imports/books/columns",
    request_body(content = String, content_type = "application/octet-stream"), responses((status = 200, body = FileColumns)))]
pub async fn read_books_columns(
    State(app): State<Shared>,
    permit: ImportPermit,
    Body(file): Body,
) -> Result<axum::Json<FileColumns>> {
    columns_of(&app, &BOOKS, books::LONGEST, permit, file).await
}

/// Preview an import of books: the numbers of rows that would be new, are already in the catalogue, or are rejected.
/// Stores nothing.
#[utoipa::path(post, path = "/imports/books/check", params(BooksQuery),
    request_body(content = String, content_type = "application/octet-stream"), responses((status = 200, body = BooksReport)))]
pub async fn check_books(
    State(app): State<Shared>,
    Query(query): Query<BooksQuery>,
    permit: ImportPermit,
    Body(file): Body,
) -> Result<axum::Json<BooksReport>> {
    let library = app.library.clone();
    let report = blocking(permit, move || {
        let options = Options {
            fields: query.columns.as_deref().map(chosen),
            with_clashes: query.with_clashes,
            by: None,
            moment: library.clock.moment(),
        };
        books::check(&library.db, &Source::Upload(file), &options).map_err(|error| unsound(&error))
    });
    Ok(axum::Json(report.await?))
}

/// Import books from a file: CSV, a spreadsheet (XLSX, ODS) or MARC 21 (ISO 2709, MARCXML), at most 100 000 rows. The
/// import runs in the background; read its progress.
#[utoipa::path(post, path = "/imports/books", params(BooksQuery),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 202, body = ImportOfBooks)))]
pub async fn import_books(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Query(query): Query<BooksQuery>,
    permit: ImportPermit,
    once: Once,
    Body(file): Body,
) -> Result<Answer> {
    let (library, moment) = (app.library.clone(), app.library.clock.moment());
    let file = Source::Upload(file);
    let options = Options {
        fields: query.columns.as_deref().map(chosen),
        with_clashes: query.with_clashes,
        by: Some(librarian.uid),
        moment,
    };
    let (checked, wanted) = (file.clone(), options.clone());
    let counted = tokio::task::spawn_blocking(move || {
        let rows = books::count_rows(&checked, &wanted).map_err(|error| unsound(&error))?;
        let headings = BOOKS.headings_of(&checked, books::LONGEST).map_err(|error| unsound(&error))?;
        Ok::<_, Error>((rows, headings))
    });
    let (rows, headings) = counted.await.map_err(|error| Error::Internal(Box::new(error)))??;
    let name: String = query.name.unwrap_or_default().chars().filter(|c| !c.is_control()).take(200).collect();
    let fields = options.fields.clone();
    let begun = Arc::new(std::sync::Mutex::new(None));
    let noted = Arc::clone(&begun);
    let answer = app
        .once(once, move |tx| {
            let rows = i64::try_from(rows).unwrap_or(i64::MAX);
            let id = imports::begin(tx, &name, Some(librarian.uid), rows, moment.at)?;
            let id = id.ok_or(Error::ImportRunning)?;
            if let Some(fields) = &fields {
                imports::keep_fields(tx, BOOKS.kind, &headings, fields)?;
            }
            *noted.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(id);
            Answer::json(StatusCode::ACCEPTED, &ImportOfBooks::of(tx, id, moment.at)?)
        })
        .await?;
    // From here on the database enforces one import at a time. With the permit released, a repeat of this request gets
    // its stored response while the import runs.
    drop(permit);
    let begun = begun.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    // `None` for a repeat: the first request has started the import.
    if let Some(id) = begun {
        tokio::task::spawn_blocking(move || {
            if let Err(error) = books::run(&library.db, &file, options, id) {
                tracing::error!(import = id.0, error = format!("{error:#}"), "an import of books stopped");
            }
        });
    }
    Ok(answer)
}

/// List the last twenty imports of books, newest first.
#[utoipa::path(get, path = "/imports/books", responses((status = 200, body = ImportsOfBooks)))]
pub async fn list_imports(State(app): State<Shared>) -> Result<axum::Json<ImportsOfBooks>> {
    let now = app.library.clock.now();
    let found = app.library.db.read(move |tx| imports::last(tx, 20, now)).await.map_err(Error::from)?;
    let imports = found.into_iter().map(|import| ImportOfBooks::new(import, 0, 0)).collect();
    Ok(axum::Json(ImportsOfBooks { imports }))
}

/// Read the progress of an import of books, or its result.
#[utoipa::path(get, path = "/imports/books/{id}", params(("id" = i64, Path)),
    responses((status = 200, body = ImportOfBooks)))]
pub async fn read_import(
    State(app): State<Shared>,
    Id(id): Id<ImportId>,
) -> Result<axum::Json<ImportOfBooks>> {
    let now = app.library.clock.now();
    Ok(axum::Json(app.library.db.snapshot(move |tx| ImportOfBooks::of(tx, id, now)).await?))
}

/// Download the rejected rows of an import of books, each preceded by its line number and the reason, to correct and
/// import again.
#[utoipa::path(get, path = "/imports/books/{id}/rejected.csv", params(("id" = i64, Path)),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_rejected_books(State(app): State<Shared>, Id(id): Id<ImportId>) -> Result<Response> {
    let found = app.library.db.read(move |tx| imports::rejects(tx, id)).await.map_err(Error::from)?;
    let (_, rejects) = found.ok_or(Error::NotFound)?;
    Ok(download("text/csv; charset=utf-8", &format!("books-{id}.rejected.csv"), Stream::from(rejects)))
}

fn download(kind: &str, name: &str, body: Stream) -> Response {
    let saved = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, saved)], body).into_response()
}

/// Undo a whole import of books, unless one of its books was lent, reserved or reviewed since. The undo runs in the
/// background; read its progress.
#[utoipa::path(post, path = "/imports/books/{id}/undo", params(("id" = i64, Path)),
    responses((status = 202, body = ImportOfBooks)))]
pub async fn undo_import(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(id): Id<ImportId>,
    once: Once,
) -> Result<Answer> {
    let now = app.library.clock.now();
    let is_begun = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let noted = Arc::clone(&is_begun);
    let answer = app
        .once(once, move |tx| {
            let import = imports::by_id(tx, id, now)?.ok_or(Error::NotFound)?;
            if import.state == imports::State::Undone {
                return Err(not_undone(NotUndone::Already).into());
            }
            undo::check(tx, id)?;
            if !imports::begin_undo(tx, id, now)? {
                return Err(Error::ImportRunning);
            }
            noted.store(true, std::sync::atomic::Ordering::Relaxed);
            Answer::json(StatusCode::ACCEPTED, &ImportOfBooks::of(tx, id, now)?)
        })
        .await?;
    if is_begun.load(std::sync::atomic::Ordering::Relaxed) {
        let library = app.library.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = undo::run(&library.db, id, librarian.uid, &library.clock) {
                tracing::error!(import = id.0, error = format!("{error:#}"), "the undo of an import stopped");
            }
        });
    }
    Ok(answer)
}

/// Titles read at once for a download.
const PORTION: i64 = 200;

/// Download the catalogue as MARC 21 (ISO 2709, UTF-8): imported records unchanged, and a short record for each other
/// title.
#[utoipa::path(get, path = "/books.mrc", responses((status = 200, body = String, content_type = "application/marc")))]
pub async fn export_marc(State(app): State<Shared>) -> Result<Response> {
    let today = app.library.clock.today();
    let records = stream::try_unfold((app, BookId(0)), async |(app, after)| -> Result<_> {
        let (records, last) =
            app.library.db.read(move |tx| marc::portion(tx, after, PORTION)).await.map_err(Error::from)?;
        Ok(last.map(|last| (Bytes::from(records), (app, last))))
    });
    Ok(download("application/marc", &format!("books-{today}.mrc"), Stream::from_stream(records)))
}
