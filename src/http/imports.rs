//! Imports of books, people, photos, open loans and open charges from a file, and the columns of an imported file (R-SEAM-10).

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
    people::import::{ImportPermit, chosen, shown},
    session::SignedIn,
};
use crate::{
    circulation::{NotUndone, undo::not_undone},
    domain::{
        id::{BookId, ImportId, UserId},
        moment::rfc3339,
        rule::Invalid,
    },
    import::{
        books::{self, BooksReport, Options},
        charges::Charge,
        columns::{BOOKS, CHARGES, LOANS, PEOPLE, Vocabulary},
        file::Kind,
        loans::Loan,
        marc, people,
        photos::{self, PhotosReport},
        staged::{self, EntriesReport, ListRow, Run},
        table::Source,
        undo,
    },
    message::{self, Message},
    storage::{
        Tx,
        imports::{self, Import, UpTo},
    },
};

/// A column of a file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileColumn {
    /// Heading of the column, cut if it is very long.
    heading: String,
    /// Field chosen for the column last time, otherwise the guessed field; blank for none.
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
    /// Number of rows in the file.
    rows: u64,
    columns: Vec<FileColumn>,
    /// Fields that a column can be assigned to.
    fields: Vec<&'static str>,
    /// Fields that must be assigned to a column.
    required: Vec<&'static str>,
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
    /// True to add rows whose ISBN another title in the catalogue has; by default such rows are rejected.
    #[serde(default)]
    with_clashes: bool,
    /// True to add rows without their wrong cells if only ISBN, year, price, language or ratings are wrong; by default such
    /// rows are rejected.
    #[serde(default)]
    without_faulty: bool,
    /// Name of the file, shown in the list of imports.
    #[serde(default)]
    name: Option<String>,
}

/// Options of an import of loans or charges.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct EntriesQuery {
    /// Field of each column of the file, in order, separated by commas; a blank ignores the column. If omitted, the
    /// header must contain the names of the fields.
    #[serde(default)]
    columns: Option<String>,
    /// Name of the file, shown in the list of imports.
    #[serde(default)]
    name: Option<String>,
}

/// An import of books, loans, charges, people or photos.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileImport {
    id: ImportId,
    file_name: String,
    /// Name of the librarian; null for the command line.
    #[schema(required)]
    by: Option<String>,
    /// `running`, `stopped`, `done`, `undoing` or `undone`.
    state: &'static str,
    /// Number of rows in the file.
    rows: i64,
    /// Number of rows read so far.
    done: i64,
    /// Number of new titles, loans, charges, people or photos.
    added: i64,
    /// Number of rows that added copies to a title in the catalogue, changed a person, or replaced a photo.
    more: i64,
    /// Number of new copies.
    copies: i64,
    /// Number of rows that the library had before.
    known: i64,
    /// Number of rejected rows with the ISBN of another title in the catalogue.
    clashes: i64,
    /// Number of rejected rows, clashes included.
    rejected: i64,
    /// True while the rejected rows can be downloaded. Rejected rows of people, photos, loans and charges are deleted after a week.
    keeps_rejected: bool,
    started_at: String,
    /// Number of titles and copies, loans, charges, people or photos that an undo has still to remove or restore; 0 in a list of
    /// imports.
    left: i64,
    /// Number of these that were lent, reserved or reviewed, returned or changed, paid or cancelled, or that used the library
    /// since, which prevents an undo; 0 in a list of imports, and while the import or its undo runs.
    in_use: i64,
}

/// The last imports of a kind.
#[derive(Serialize, ToSchema)]
pub struct FileImports {
    imports: Vec<FileImport>,
}

impl FileImport {
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
            keeps_rejected: import.keeps_rejects,
            started_at: rfc3339(import.started_at),
            left,
            in_use,
        }
    }

    fn of(tx: &mut Tx<'_>, kind: imports::Kind, id: ImportId, now: i64) -> Result<Self> {
        let import = imports::by_id(tx, kind, id, now)?.ok_or(Error::NotFound)?;
        let is_over = matches!(import.state, imports::State::Done | imports::State::Stopped);
        // While an import or an undo runs, its page asks every second.
        let in_use = if is_over { imports::in_use(tx, id, UpTo::END)? } else { 0 };
        Ok(Self::new(import, imports::count_left(tx, id)?, in_use))
    }
}

/// Turns the error of a file into a message about the field `file`, without the outermost context, which names the file.
pub(super) fn unsound(error: &anyhow::Error) -> Error {
    if let Some(message) = error.downcast_ref::<Message>() {
        return Invalid::field("file", message.clone()).into();
    }
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
            required: vocabulary.required.to_vec(),
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
            without_faulty: query.without_faulty,
            by: None,
            moment: library.clock.moment(),
        };
        books::check(&library.db, &Source::Upload(file), &options).map_err(|error| unsound(&error))
    });
    Ok(axum::Json(report.await?))
}

/// Import books from a file: CSV, a spreadsheet (XLSX, ODS) or MARC 21 (ISO 2709, MARCXML), at most 1 000 000 rows,
/// plain or gzipped. The import runs in the background; read its progress.
#[utoipa::path(post, path = "/imports/books", params(BooksQuery),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 202, body = FileImport)))]
pub async fn import_books(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Query(query): Query<BooksQuery>,
    permit: ImportPermit,
    once: Once,
    Body(file): Body,
) -> Result<Answer> {
    let options = Options {
        fields: query.columns.as_deref().map(chosen),
        with_clashes: query.with_clashes,
        without_faulty: query.without_faulty,
        by: Some(librarian.uid),
        moment: app.library.clock.moment(),
    };
    let columns = options.fields.clone().map(|fields| (&BOOKS, fields));
    let begun = Begun { kind: imports::Kind::Books, name: shown(query.name), columns };
    let (file, wanted) = (Source::Upload(file), options.clone());
    let count = {
        let file = file.clone();
        move || books::count_rows(&file, &wanted)
    };
    let import = {
        let (db, file) = (app.library.db.clone(), file.clone());
        move |id| books::run(&db, &file, options, id)
    };
    begin(&app, librarian.uid, begun, file, (permit, once), count, import).await
}

/// Options of an import of photos.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct PhotosQuery {
    /// True to replace photos that people already have; by default these stay.
    #[serde(default)]
    replace: bool,
    /// Name of the file, shown in the list of imports.
    #[serde(default)]
    name: Option<String>,
}

/// Preview an import of photos: the numbers of people who would get a photo, already have one, or are not found. Stores
/// nothing.
#[utoipa::path(post, path = "/imports/photos/check", params(PhotosQuery),
    request_body(content = String, content_type = "application/octet-stream"), responses((status = 200, body = PhotosReport)))]
pub async fn check_photos(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Query(query): Query<PhotosQuery>,
    permit: ImportPermit,
    Body(file): Body,
) -> Result<axum::Json<PhotosReport>> {
    let library = app.library.clone();
    let report = blocking(permit, move || {
        let options =
            photos::Options { by: librarian.uid, moment: library.clock.moment(), replace: query.replace };
        photos::check(&library.db, file, &options).map_err(|error| unsound(&error))
    });
    Ok(axum::Json(report.await?))
}

/// Import photos of people from a ZIP archive of at most 64 MiB and 5000 files: JPEG, PNG or WebP, each named by the roll
/// number of its person. Where a roll number has a slash, the file name may have a hyphen or an underscore. The import runs
/// in the background; read its progress.
#[utoipa::path(post, path = "/imports/photos", params(PhotosQuery),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 202, body = FileImport)))]
pub async fn import_photos(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Query(query): Query<PhotosQuery>,
    permit: ImportPermit,
    once: Once,
    Body(file): Body,
) -> Result<Answer> {
    let options =
        photos::Options { by: librarian.uid, moment: app.library.clock.moment(), replace: query.replace };
    let begun = Begun { kind: imports::Kind::Photos, name: shown(query.name), columns: None };
    let count = {
        let file = file.clone();
        move || photos::count_files(&file)
    };
    let import = {
        let (db, file) = (app.library.db.clone(), file.clone());
        move |id| photos::run(&db, file, &options, id)
    };
    begin(&app, librarian.uid, begun, Source::Upload(file), (permit, once), count, import).await
}

/// Import to begin.
struct Begun {
    kind: imports::Kind,
    name: String,
    /// Fields chosen for the columns of the file, to be remembered.
    columns: Option<(&'static Vocabulary, Vec<String>)>,
}

/// Begins an import once; `count` counts the rows of the file, `import` stores them on a thread of its own.
async fn begin(
    app: &Shared,
    by: UserId,
    Begun { kind, name, columns }: Begun,
    file: Source,
    (permit, once): (ImportPermit, Once),
    count: impl FnOnce() -> anyhow::Result<u64> + Send + 'static,
    import: impl FnOnce(ImportId) -> anyhow::Result<()> + Send + 'static,
) -> Result<Answer> {
    let now = app.library.clock.now();
    let counted = tokio::task::spawn_blocking(move || {
        let rows = count().map_err(|error| unsound(&error))?;
        let headed = columns.map(|(vocabulary, fields)| {
            let headings = vocabulary.headings_of(&file, books::LONGEST);
            headings.map(|headings| (vocabulary.kind, headings, fields)).map_err(|error| unsound(&error))
        });
        Ok::<_, Error>((rows, headed.transpose()?))
    });
    let (rows, headed) = counted.await.map_err(|error| Error::Internal(Box::new(error)))??;
    let begun = Arc::new(std::sync::Mutex::new(None));
    let noted = Arc::clone(&begun);
    let answer = app
        .once(once, move |tx| {
            let rows = i64::try_from(rows).unwrap_or(i64::MAX);
            let id = imports::begin(tx, kind, &name, Some(by), rows, now)?;
            let id = id.ok_or(Error::ImportRunning)?;
            if let Some((kind, headings, fields)) = &headed {
                imports::keep_fields(tx, kind, headings, fields)?;
            }
            *noted.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(id);
            Answer::json(StatusCode::ACCEPTED, &FileImport::of(tx, kind, id, now)?)
        })
        .await?;
    // From here on the database enforces one import at a time. With the permit released, a repeat of this request gets
    // its stored response while the import runs.
    drop(permit);
    let begun = begun.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    // `None` for a repeat: the first request has started the import.
    if let Some(id) = begun {
        tokio::task::spawn_blocking(move || {
            if let Err(error) = import(id) {
                tracing::error!(import = id.0, error = format!("{error:#}"), "an import stopped");
            }
        });
    }
    Ok(answer)
}

fn entries_run(app: &Shared, by: UserId, query: &EntriesQuery) -> staged::Options {
    staged::Options {
        fields: query.columns.as_deref().map(chosen),
        run: Run { by: Some(by), moment: app.library.clock.moment(), file_name: shown(query.name.clone()) },
    }
}

async fn check_entries<R: ListRow>(
    app: Shared,
    by: UserId,
    query: EntriesQuery,
    permit: ImportPermit,
    file: Bytes,
) -> Result<axum::Json<EntriesReport>> {
    let (db, options) = (app.library.db.clone(), entries_run(&app, by, &query));
    let report = blocking(permit, move || {
        staged::check::<R>(&db, &Source::Upload(file), &options).map_err(|error| unsound(&error))
    });
    Ok(axum::Json(report.await?))
}

async fn import_entries<R: ListRow>(
    app: Shared,
    by: UserId,
    query: EntriesQuery,
    (permit, once): (ImportPermit, Once),
    file: Bytes,
) -> Result<Answer> {
    let options = entries_run(&app, by, &query);
    let columns = options.fields.clone().map(|fields| (R::VOCABULARY, fields));
    let begun = Begun { kind: R::KIND, name: options.run.file_name.clone(), columns };
    let (file, wanted) = (Source::Upload(file), options.clone());
    let count = {
        let file = file.clone();
        move || staged::count_rows::<R>(&file, &wanted)
    };
    let import = {
        let (db, file) = (app.library.db.clone(), file.clone());
        move |id| staged::run::<R>(&db, &file, options, id)
    };
    begin(&app, by, begun, file, (permit, once), count, import).await
}

async fn list(app: &Shared, kind: imports::Kind) -> Result<axum::Json<FileImports>> {
    let now = app.library.clock.now();
    let found = app.library.db.read(move |tx| imports::last(tx, kind, 20, now)).await.map_err(Error::from)?;
    let imports = found.into_iter().map(|import| FileImport::new(import, 0, 0)).collect();
    Ok(axum::Json(FileImports { imports }))
}

async fn read(app: &Shared, kind: imports::Kind, id: ImportId) -> Result<axum::Json<FileImport>> {
    let now = app.library.clock.now();
    Ok(axum::Json(app.library.db.snapshot(move |tx| FileImport::of(tx, kind, id, now)).await?))
}

async fn export_rejected(app: &Shared, kind: imports::Kind, id: ImportId) -> Result<Response> {
    let found = app.library.db.read(move |tx| imports::rejects(tx, kind, id)).await.map_err(Error::from)?;
    let rejects = found.ok_or(Error::NotFound)?;
    let name = format!("{}-{id}.rejected.csv", kind.as_str());
    Ok(download("text/csv; charset=utf-8", &name, Stream::from(rejects)))
}

fn download(kind: &str, name: &str, body: Stream) -> Response {
    let saved = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, saved)], body).into_response()
}

async fn undo_import_of(
    app: &Shared,
    by: UserId,
    kind: imports::Kind,
    id: ImportId,
    once: Once,
) -> Result<Answer> {
    let now = app.library.clock.now();
    let is_begun = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let noted = Arc::clone(&is_begun);
    let answer = app
        .once(once, move |tx| {
            let import = imports::by_id(tx, kind, id, now)?.ok_or(Error::NotFound)?;
            if import.state == imports::State::Undone {
                return Err(not_undone(NotUndone::Already).into());
            }
            undo::check(tx, kind, id, by)?;
            if !imports::begin_undo(tx, id, now)? {
                return Err(Error::ImportRunning);
            }
            noted.store(true, std::sync::atomic::Ordering::Relaxed);
            Answer::json(StatusCode::ACCEPTED, &FileImport::of(tx, kind, id, now)?)
        })
        .await?;
    if is_begun.load(std::sync::atomic::Ordering::Relaxed) {
        let library = app.library.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = undo::run(&library, kind, id, by) {
                tracing::error!(import = id.0, error = format!("{error:#}"), "the undo of an import stopped");
            }
        });
    }
    Ok(answer)
}

/// Defines the calls that list the imports of a kind, read one, export its rejected rows, and undo it.
macro_rules! kept_imports {
    (
        $kind:expr;
        $(#[$list_doc:meta])* $list:ident = $list_path:literal;
        $(#[$read_doc:meta])* $read:ident = $read_path:literal;
        $(#[$rejected_doc:meta])* $rejected:ident = $rejected_path:literal;
        $(#[$undo_doc:meta])* $undo:ident = $undo_path:literal;
    ) => {
        $(#[$list_doc])*
        #[utoipa::path(get, path = $list_path, responses((status = 200, body = FileImports)))]
        pub async fn $list(State(app): State<Shared>) -> Result<axum::Json<FileImports>> {
            list(&app, $kind).await
        }

        $(#[$read_doc])*
        #[utoipa::path(get, path = $read_path, params(("id" = i64, Path)),
            responses((status = 200, body = FileImport)))]
        pub async fn $read(State(app): State<Shared>, Id(id): Id<ImportId>) -> Result<axum::Json<FileImport>> {
            read(&app, $kind, id).await
        }

        $(#[$rejected_doc])*
        #[utoipa::path(get, path = $rejected_path, params(("id" = i64, Path)),
            responses((status = 200, body = String, content_type = "text/csv")))]
        pub async fn $rejected(State(app): State<Shared>, Id(id): Id<ImportId>) -> Result<Response> {
            export_rejected(&app, $kind, id).await
        }

        $(#[$undo_doc])*
        #[utoipa::path(post, path = $undo_path, params(("id" = i64, Path)),
            responses((status = 202, body = FileImport)))]
        pub async fn $undo(
            State(app): State<Shared>,
            SignedIn(librarian): SignedIn,
            Id(id): Id<ImportId>,
            once: Once,
        ) -> Result<Answer> {
            undo_import_of(&app, librarian.uid, $kind, id, once).await
        }
    };
}

kept_imports! {
    imports::Kind::Books;
    /// List the last twenty imports of books, newest first.
    list_imports = "/imports/books";
    /// Read the progress of an import of books, or its result.
    read_import = "/imports/books/{id}";
    /// Download the rejected rows of an import of books, each row preceded by its line number and the reason, to correct
    /// and import again.
    export_rejected_books = "/imports/books/{id}/rejected.csv";
    /// Undo a whole import of books; refused if a title or copy of the import was lent, reserved or reviewed. The undo runs
    /// in the background; read its progress.
    undo_import = "/imports/books/{id}/undo";
}

kept_imports! {
    imports::Kind::People;
    /// List the last twenty imports of people, newest first.
    list_people_imports = "/imports/people";
    /// Read the result of an import of people, or the progress of its undo.
    read_people_import = "/imports/people/{id}";
    /// Download the rejected rows of an import of people, each row preceded by its line number and the reason, to correct
    /// and import again.
    export_rejected_people = "/imports/people/{id}/rejected.csv";
    /// Undo a whole import of people: erase the people that it added, and restore the records that it changed. Refused if one
    /// of these people used the library or was changed since. The undo runs in the background; read its progress.
    undo_people_import = "/imports/people/{id}/undo";
}

kept_imports! {
    imports::Kind::Photos;
    /// List the last twenty imports of photos, newest first.
    list_photo_imports = "/imports/photos";
    /// Read the progress of an import of photos, or its result.
    read_photo_import = "/imports/photos/{id}";
    /// Download the names of the rejected files of an import of photos, each with the reason.
    export_rejected_photos = "/imports/photos/{id}/rejected.csv";
    /// Undo a whole import of photos: remove the photos that it brought, and restore those that it replaced within the last
    /// week. The undo runs in the background; read its progress.
    undo_photo_import = "/imports/photos/{id}/undo";
}

kept_imports! {
    Loan::KIND;
    /// List the last twenty imports of open loans, newest first.
    list_loan_imports = "/imports/loans";
    /// Read the progress of an import of open loans, or its result.
    read_loan_import = "/imports/loans/{id}";
    /// Download the rejected rows of an import of open loans, each row preceded by its line number and the reason, to
    /// correct and import again.
    export_rejected_loans = "/imports/loans/{id}/rejected.csv";
    /// Undo a whole import of open loans; refused if one of the loans was returned, extended or changed. The undo runs
    /// in the background; read its progress.
    undo_loan_import = "/imports/loans/{id}/undo";
}

kept_imports! {
    Charge::KIND;
    /// List the last twenty imports of open charges, newest first.
    list_charge_imports = "/imports/charges";
    /// Read the progress of an import of open charges, or its result.
    read_charge_import = "/imports/charges/{id}";
    /// Download the rejected rows of an import of open charges, each row preceded by its line number and the reason, to
    /// correct and import again.
    export_rejected_charges = "/imports/charges/{id}/rejected.csv";
    /// Undo a whole import of open charges; refused if any part of a charge was paid, waived or cancelled. The undo
    /// runs in the background; read its progress.
    undo_charge_import = "/imports/charges/{id}/undo";
}

/// Defines the calls that import a list in which each row becomes one loan or charge.
macro_rules! entries {
    (
        $row:ty, $vocabulary:ident;
        $(#[$columns_doc:meta])* $columns:ident = $columns_path:literal;
        $(#[$check_doc:meta])* $check:ident = $check_path:literal;
        $(#[$import_doc:meta])* $import:ident = $import_path:literal;
    ) => {
        $(#[$columns_doc])*
        #[utoipa::path(post, path = $columns_path,
            request_body(content = String, content_type = "application/octet-stream"),
            responses((status = 200, body = FileColumns)))]
        pub async fn $columns(
            State(app): State<Shared>,
            permit: ImportPermit,
            Body(file): Body,
        ) -> Result<axum::Json<FileColumns>> {
            columns_of(&app, &$vocabulary, staged::LONGEST, permit, file).await
        }

        $(#[$check_doc])*
        #[utoipa::path(post, path = $check_path, params(EntriesQuery),
            request_body(content = String, content_type = "application/octet-stream"),
            responses((status = 200, body = EntriesReport)))]
        pub async fn $check(
            State(app): State<Shared>,
            SignedIn(librarian): SignedIn,
            Query(query): Query<EntriesQuery>,
            permit: ImportPermit,
            Body(file): Body,
        ) -> Result<axum::Json<EntriesReport>> {
            check_entries::<$row>(app, librarian.uid, query, permit, file).await
        }

        $(#[$import_doc])*
        #[utoipa::path(post, path = $import_path, params(EntriesQuery),
            request_body(content = String, content_type = "application/octet-stream"),
            responses((status = 202, body = FileImport)))]
        pub async fn $import(
            State(app): State<Shared>,
            SignedIn(librarian): SignedIn,
            Query(query): Query<EntriesQuery>,
            permit: ImportPermit,
            once: Once,
            Body(file): Body,
        ) -> Result<Answer> {
            import_entries::<$row>(app, librarian.uid, query, (permit, once), file).await
        }
    };
}

entries! {
    Loan, LOANS;
    /// Read the columns of a list of open loans, and guess their fields. Stores nothing.
    read_loans_columns = "/imports/loans/columns";
    /// Preview an import of open loans: the numbers of rows that would be new, are already in the library, or are
    /// rejected. Stores nothing.
    check_loans = "/imports/loans/check";
    /// Import open loans from another system: CSV or a spreadsheet (XLSX, ODS), at most 100 000 rows with barcode, roll
    /// number, day of the loan, due date and renewals. Limits of the rules do not apply, and no notices are sent. The
    /// import runs in the background; read its progress.
    import_loans = "/imports/loans";
}

entries! {
    Charge, CHARGES;
    /// Read the columns of a list of open charges, and guess their fields. Stores nothing.
    read_charges_columns = "/imports/charges/columns";
    /// Preview an import of open charges: the numbers of rows that would be new, are already in the library, or are
    /// rejected. Stores nothing.
    check_charges = "/imports/charges/check";
    /// Import open charges from another system: CSV or a spreadsheet (XLSX, ODS), at most 100 000 rows with roll
    /// number, amount, kind, description and date. No notices are sent. The import runs in the background; read its
    /// progress.
    import_charges = "/imports/charges";
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
