//! Import of people from a file (R-PEOPLE-4).

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, State},
    http::{Method, StatusCode, request::Parts},
};
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use utoipa::IntoParams;

use crate::{
    http::{
        App, Shared,
        error::{Error, Result},
        extract::{Body, Query},
        idempotency::{Answer, Once},
        security_log,
        session::SignedIn,
    },
    import::{
        people::{Import, Report},
        table::Source,
    },
    storage::authority::Authority,
};

/// Options of an import.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct ImportQuery {
    /// Preview: store nothing.
    #[serde(default)]
    dry_run: bool,
    /// Field of each column of the file, in order, separated by commas; a blank ignores the column. If omitted, the
    /// header must contain the names of the fields.
    #[serde(default)]
    columns: Option<String>,
    /// Name of the file, shown in the list of imports.
    #[serde(default)]
    name: Option<String>,
}

/// Import people from a CSV file or a spreadsheet (XLSX, ODS), plain or gzipped, with the header
/// `rollNumber,name,email,department,batch,category,validUntil,phone,guardianEmail,guardianPhone` or some of these columns,
/// or with the columns that `columns` names, at most 200 000 rows (R-PEOPLE-4). The server stores a thousand rows at a
/// time, each thousand completely or not at all.
#[utoipa::path(post, path = "/people/import", params(ImportQuery),
    request_body(content = String, content_type = "text/csv"), responses((status = 200, body = Report)))]
pub async fn import_people(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Query(query): Query<ImportQuery>,
    permit: ImportPermit,
    once: Once,
    Body(file): Body,
) -> Result<Answer> {
    if let Some(answer) = app.kept_answer(&once).await? {
        return Ok(answer);
    }
    // A separate task continues if the browser disconnects: the whole file is stored, and the response kept for a
    // repeat.
    let by = librarian.uid;
    let authority = app.library.db.read(move |tx| Authority::of(tx, by)).await?;
    let fields = query.columns.as_deref().map(chosen);
    let (dry_run, name) = (query.dry_run, shown(query.name));
    let work = tokio::spawn(async move {
        let library = app.library.clone();
        let report = tokio::task::spawn_blocking(move || {
            let import = Import {
                db: &library.db,
                policies: &library.policies,
                authority: &authority,
                moment: library.clock.moment(),
                name: &name,
                fields: fields.as_deref(),
                dry_run,
                rejected: None,
            };
            let report = import.run(&Source::Upload(file));
            drop(permit);
            report
        });
        let report: Report = report.await.map_err(|error| Error::Internal(Box::new(error)))??;
        app.keep_answer(once, Answer::json(StatusCode::OK, &report)?).await
    });
    let answer = work.await.map_err(|error| Error::Internal(Box::new(error)))??;
    if !dry_run {
        security_log::override_event(security_log::Event::AccountMade);
    }
    Ok(answer)
}

/// Returns a file name without control characters, cut after 200 characters.
#[must_use]
pub fn shown(name: Option<String>) -> String {
    name.unwrap_or_default().chars().filter(|c| !c.is_control()).take(200).collect()
}

/// Parses the comma-separated fields chosen for the columns of a file.
#[must_use]
pub fn chosen(columns: &str) -> Vec<String> {
    columns.split(',').map(|field| field.trim().to_owned()).collect()
}

/// True for the path of a request that uploads a file.
#[must_use]
pub fn is_upload(path: &str) -> bool {
    let of_imports = |path: &str| match path {
        "books" | "loans" | "charges" | "photos" => true,
        path => path.ends_with("/columns") || path.ends_with("/check"),
    };
    path.ends_with("/people/import")
        || path.split_once("/imports/").is_some_and(|(_, upload)| of_imports(upload))
}

/// Limit of one import at a time per server: an import may need 100 MiB of memory.
pub struct Importing(Arc<Semaphore>);

impl Default for Importing {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// Permit of a running import.
#[derive(Clone)]
pub struct ImportPermit(
    #[expect(dead_code, reason = "given back when it is dropped")] Arc<OwnedSemaphorePermit>,
);

impl ImportPermit {
    /// True for a request that needs the permit, because it reads a file into memory.
    #[must_use]
    pub fn is_needed(method: &Method, route: &str) -> bool {
        method == Method::POST && is_upload(route)
    }

    /// Takes the permit, before the file is read into memory.
    pub fn take(app: &App) -> Result<Self> {
        let permit = Arc::clone(&app.importing.0).try_acquire_owned();
        permit.map(|permit| Self(Arc::new(permit))).map_err(|_| Error::ImportRunning)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ImportPermit {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        parts.extensions.remove().ok_or(Error::ImportRunning)
    }
}
