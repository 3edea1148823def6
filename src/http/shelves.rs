//! Shelves: short lists of books for a reader who has not searched yet.

use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Shared, error::Result, session::Caller};
use crate::{
    domain::{book::Book, id::BookId},
    search::{Query, Sort},
    storage::{books, catalogue, suggestions},
};

/// Maximum number of books on a shelf.
const BOOKS: usize = 12;

/// Books for a reader who has not searched yet. A shelf may be empty.
#[derive(Serialize, ToSchema)]
pub struct Shelves {
    /// Books lent most in the last 30 whole days, most first. Counted once a day.
    popular: Vec<Book>,
    /// Books with the most borrowers in the caller's department this term, most first. Counted once a week.
    department: Vec<Book>,
    /// Newest books, newest first.
    newest: Vec<Book>,
    /// Books returned today that have a copy on the shelf, latest first.
    returned: Vec<Book>,
}

/// List the books of the shelves on the home screen.
#[utoipa::path(get, path = "/shelves", responses((status = 200, body = Shelves)))]
pub async fn list_shelves(State(app): State<Shared>, caller: Caller) -> Result<Json<Shelves>> {
    let today = app.library.clock.today();
    let index = app.library.catalogue.index().await;
    let newest = index.page(&Query { sort: Sort::Newest, limit: BOOKS, ..Query::default() }).ids;
    let popular = app.library.catalogue.popular_this_month();
    let department = caller.person().and_then(|user| user.department.clone());
    let policies = app.library.policies.clone();
    let shelves = app.library.db.read(move |tx| -> Result<_> {
        let suggests = policies.current(tx)?.library.suggestions;
        let department = match department.filter(|_| suggests) {
            Some(department) => suggestions::in_department(tx, &department)?,
            None => Vec::new(),
        };
        let department = books::cards(tx, &department)?;
        let returned = catalogue::returned_today(tx, today, BOOKS)?;
        let mut cards = |ids: &[i64]| books::cards(tx, &ids.iter().copied().map(BookId).collect::<Vec<_>>());
        let (mut popular, newest) = (cards(&popular)?, cards(&newest)?);
        popular.truncate(BOOKS); // The ids include spares, because some books may be deleted.
        Ok(Shelves { popular, department, newest, returned: books::cards(tx, &returned)? })
    });
    Ok(Json(shelves.await?))
}
