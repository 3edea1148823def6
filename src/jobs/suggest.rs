//! Computes suggestions from the loans of all readers.

use jiff::{ToSpan as _, civil::Date};

use super::{Job, LEASE, Outcome};
use crate::{
    domain::{
        id::BookId,
        suggestion::{self, BOOKS},
    },
    library::Library,
    storage::{self, leases, suggestions},
};

/// Number of years whose loans count for titles borrowed by the same readers (`reach.md` A8).
const YEARS: i64 = 3;

/// Number of days whose loans count for popularity in a department: about one term.
const TERM_DAYS: i64 = 90;

/// Titles written per transaction: a request from a desk waits for one portion at most.
const PORTION: usize = 500;

/// Checks daily whether the weekly count is due.
pub struct Suggest;

impl Job for Suggest {
    const NAME: &'static str = "suggest";
    const DAILY: bool = true;

    async fn run(&self, library: &Library, owner: &str) -> storage::Result<Outcome> {
        match suggest(library, owner).await? {
            None => return Ok(Outcome::Elsewhere),
            Some(0) => {}
            Some(titles) => tracing::info!(titles, "suggestions are counted"),
        }
        Ok(Outcome::Done)
    }
}

/// Result of one count.
#[derive(Default)]
struct Counted {
    also_borrowed: Vec<(BookId, Vec<BookId>)>,
    departments: Vec<(String, Vec<BookId>)>,
    /// Day of the count; `None` if the library makes no suggestions.
    on: Option<Date>,
}

/// Counts the loans if the week's count is due, and replaces the suggestions in portions. Returns the number of titles with
/// suggestions; `None` if another server holds the lease.
pub async fn suggest(library: &Library, owner: &str) -> storage::Result<Option<usize>> {
    let Some(counted) = count(library).await? else { return Ok(Some(0)) };
    let titles = counted.also_borrowed.len();
    let mut portions: Vec<Vec<(BookId, Vec<BookId>)>> =
        counted.also_borrowed.chunks(PORTION).map(<[_]>::to_vec).collect();
    let rest = portions.pop().unwrap_or_default();
    let mut after = BookId(0);
    for portion in portions {
        let last = portion.last().map_or(after, |(book, _)| *book);
        let written =
            leased(library, owner, move |tx| suggestions::replace_also_borrowed(tx, after, last, &portion));
        if !written.await? {
            return Ok(None);
        }
        after = last;
    }
    let name = owner.to_owned();
    let written = leased(library, owner, move |tx| {
        suggestions::replace_also_borrowed(tx, after, BookId(i64::MAX), &rest)?;
        suggestions::replace_departments(tx, &counted.departments)?;
        suggestions::set_counted_on(tx, counted.on)?;
        leases::give_back(tx, Suggest::NAME, &name)
    });
    Ok(written.await?.then_some(titles))
}

/// Runs a write under the job's lease; returns false if another server holds it.
async fn leased(
    library: &Library,
    owner: &str,
    write: impl FnOnce(&mut storage::Tx<'_>) -> storage::Result<()> + Send + 'static,
) -> storage::Result<bool> {
    let (name, at) = (owner.to_owned(), library.clock.moment().at);
    let work = move |tx: &mut storage::Tx<'_>| -> storage::Result<bool> {
        let ours = leases::take(tx, Suggest::NAME, &name, at, at + LEASE)?;
        if ours {
            write(tx)?;
        }
        Ok(ours)
    };
    library.db.write(work).await
}

/// Counts the loans of whole days; returns `None` if nothing is to be written.
async fn count(library: &Library) -> storage::Result<Option<Counted>> {
    let (policies, today) = (library.policies.clone(), library.clock.today());
    let read = library.db.read(move |tx| -> storage::Result<_> {
        let counted = suggestions::counted_on(tx)?;
        if !policies.current(tx)?.library.suggestions {
            return Ok(counted.map(|_| (Counted::default(), Vec::new())));
        }
        if !suggestion::is_due(counted, today) {
            return Ok(None);
        }
        let lent = suggestions::lent(tx, today.saturating_sub(YEARS.years()), today)?;
        let popular = suggestions::lent_in_departments(tx, today.saturating_sub(TERM_DAYS.days()), today)?;
        let departments = popular
            .chunk_by(|one, next| one.0 == next.0)
            .map(|titles| (titles[0].0.clone(), titles.iter().take(BOOKS).map(|(_, book)| *book).collect()))
            .collect();
        Ok(Some((Counted { departments, on: Some(today), ..Counted::default() }, lent)))
    });
    let Some((counted, lent)) = read.await? else { return Ok(None) };
    let also_borrowed = tokio::task::spawn_blocking(move || suggestion::also_borrowed(&lent));
    match also_borrowed.await {
        Ok(also_borrowed) => Ok(Some(Counted { also_borrowed, ..counted })),
        Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
        Err(_) => Err(storage::Error::Closed),
    }
}
