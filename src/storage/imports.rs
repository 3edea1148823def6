//! Imports from files: their progress, the rows that each added, the columns of known files, and the MARC records of titles.

use serde_json::{Value, json};

use jiff::civil::Date;

use super::{Error, Result, Row, Tx};
use crate::{
    domain::id::{BookId, ChangeId, CopyId, ImportId, LineId, LoanId, UserId},
    insert, sql,
};

/// Time without progress after which an import counts as stopped, in milliseconds.
pub const STALE: i64 = 120_000;

/// Kind of the rows of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Books,
    Loans,
    Charges,
    People,
    Photos,
}

impl Kind {
    /// Name in the database and the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Books => "books",
            Self::Loans => "loans",
            Self::Charges => "charges",
            Self::People => "people",
            Self::Photos => "photos",
        }
    }
}

/// State of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    /// The server stopped, or a batch of rows failed; the batches before it are stored.
    Stopped,
    Done,
    Undoing,
    Undone,
}

impl State {
    const ALL: [Self; 5] = [Self::Running, Self::Stopped, Self::Done, Self::Undoing, Self::Undone];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::Undoing => "undoing",
            Self::Undone => "undone",
        }
    }
}

/// Numbers of rows and copies by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows read.
    pub done: i64,
    /// New titles, loans, charges or people.
    pub added: i64,
    /// Rows that added copies to a known title, or changed a known person.
    pub more: i64,
    /// New copies.
    pub copies: i64,
    /// Rows that were in the library before.
    pub known: i64,
    /// Rejected rows with the ISBN of another title.
    pub clashes: i64,
    /// Rejected rows, clashes included.
    pub rejected: i64,
}

/// A stored import.
#[derive(Clone, Debug)]
pub struct Import {
    pub id: ImportId,
    pub file_name: String,
    /// Name of the librarian; `None` for the command line.
    pub by: Option<String>,
    pub state: State,
    /// Number of rows in the file.
    pub rows: i64,
    pub counts: Counts,
    /// Epoch milliseconds.
    pub started_at: i64,
    /// False if the list of rejected rows is deleted.
    pub keeps_rejects: bool,
}

macro_rules! columns {
    () => {
        "i.id, i.file_name, u.name, i.state, i.row_count, i.done, i.added, i.more, i.copies, i.known, i.clashes, i.rejected,
         i.started_at, i.updated_at, CASE WHEN i.rejects = '' THEN FALSE ELSE TRUE END
         FROM imports AS i LEFT JOIN users AS u ON u.id = i.by_id"
    };
}

fn import(row: &Row<'_>, now: i64) -> Result<Import> {
    let state: String = row.get(3)?;
    let state = State::ALL
        .into_iter()
        .find(|known| known.as_str() == state)
        .ok_or_else(|| Error::Database(format!("{state:?} is no state of an import").into()))?;
    let is_stale = row.get::<i64>(13)? < now - STALE;
    Ok(Import {
        id: row.get(0)?,
        file_name: row.get(1)?,
        by: row.get(2)?,
        state: if is_stale && matches!(state, State::Running | State::Undoing) {
            State::Stopped
        } else {
            state
        },
        rows: row.get(4)?,
        counts: Counts {
            done: row.get(5)?,
            added: row.get(6)?,
            more: row.get(7)?,
            copies: row.get(8)?,
            known: row.get(9)?,
            clashes: row.get(10)?,
            rejected: row.get(11)?,
        },
        started_at: row.get(12)?,
        keeps_rejects: row.get(14)?,
    })
}

/// Marks imports without progress as stopped, because their server stopped, so that another import can begin.
fn give_up_stale(tx: &mut Tx<'_>, now: i64) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE imports SET state = 'stopped', active = NULL
             WHERE state IN ('running', 'undoing') AND updated_at < $1"
        ),
        &[&(now - STALE)],
    )?;
    Ok(())
}

/// Begins an import; `None` while another one writes.
pub fn begin(
    tx: &mut Tx<'_>,
    kind: Kind,
    file_name: &str,
    by: Option<UserId>,
    rows: i64,
    now: i64,
) -> Result<Option<ImportId>> {
    give_up_stale(tx, now)?;
    tx.query_opt(
        sql!(
            "INSERT INTO imports (file_name, by_id, state, active, row_count, done, added, more, copies, known, clashes,
                                  rejected, rejects, started_at, updated_at, kind)
             VALUES ($1, $2, 'running', 1, $3, 0, 0, 0, 0, 0, 0, 0, '', $4, $4, $5)
             ON CONFLICT (active) DO NOTHING RETURNING id"
        ),
        &[&file_name, &by, &rows, &now, &kind.as_str()],
        |row| row.get(0),
    )
}

/// Begins an import that may run beside another one: of people, or of the command line. A rerun continues a stopped one.
pub fn begin_apart(
    tx: &mut Tx<'_>,
    kind: Kind,
    file_name: &str,
    by: Option<UserId>,
    now: i64,
) -> Result<ImportId> {
    let id = tx.insert(
        insert!(
            "INSERT INTO imports (file_name, by_id, state, row_count, done, added, more, copies, known, clashes, rejected,
                                  rejects, started_at, updated_at, kind)
             VALUES ($1, $2, 'running', 0, 0, 0, 0, 0, 0, 0, 0, '', $3, $3, $4)"
        ),
        &[&file_name, &by, &now, &kind.as_str()],
    )?;
    Ok(id.into())
}

/// Stores the progress of a running import; fails if the import was marked as stopped meanwhile.
pub fn advance(tx: &mut Tx<'_>, id: ImportId, counts: &Counts, now: i64) -> Result<()> {
    let Counts { done, added, more, copies, known, clashes, rejected } = counts;
    tx.execute_one(
        sql!(
            "UPDATE imports SET done = $2, added = $3, more = $4, copies = $5, known = $6, clashes = $7, rejected = $8,
                    updated_at = $9
             WHERE id = $1 AND state = 'running'"
        ),
        &[&id, done, added, more, copies, known, clashes, rejected, &now],
    )
}

/// Ends an import or an undo.
pub fn end(tx: &mut Tx<'_>, id: ImportId, state: State, rejects: Option<&str>, now: i64) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE imports SET state = $2, active = NULL, rejects = COALESCE($3, rejects), updated_at = $4,
                    row_count = CASE WHEN row_count = 0 THEN done ELSE row_count END
             WHERE id = $1 AND state IN ('running', 'undoing')"
        ),
        &[&id, &state.as_str(), &rejects, &now],
    )?;
    Ok(())
}

/// Records progress of an undo, so that it does not count as stopped after [`STALE`].
pub fn renew(tx: &mut Tx<'_>, id: ImportId, now: i64) -> Result<()> {
    tx.execute_one(sql!("UPDATE imports SET updated_at = $2 WHERE id = $1 AND active = 1"), &[&id, &now])
}

/// Returns an import of a kind by its id.
pub fn by_id(tx: &mut Tx<'_>, kind: Kind, id: ImportId, now: i64) -> Result<Option<Import>> {
    tx.query_opt(
        sql!("SELECT ", columns!(), " WHERE i.id = $1 AND i.kind = $2"),
        &[&id, &kind.as_str()],
        |row| import(row, now),
    )
}

/// Returns the last imports of a kind, newest first.
pub fn last(tx: &mut Tx<'_>, kind: Kind, limit: i64, now: i64) -> Result<Vec<Import>> {
    tx.query(
        sql!("SELECT ", columns!(), " WHERE i.kind = $2 ORDER BY i.id DESC LIMIT $1"),
        &[&limit, &kind.as_str()],
        |row| import(row, now),
    )
}

/// Returns the rejected rows of an import as CSV.
pub fn rejects(tx: &mut Tx<'_>, kind: Kind, id: ImportId) -> Result<Option<String>> {
    tx.query_opt(
        sql!("SELECT rejects FROM imports WHERE id = $1 AND kind = $2"),
        &[&id, &kind.as_str()],
        |row| row.get(0),
    )
}

/// Lifetime of the rejected rows of people, loans and charges, in milliseconds: these rows name readers.
const REJECTS_KEPT_FOR: i64 = 7 * 24 * 60 * 60 * 1000;

/// Deletes the old lists of rejected rows that name readers.
pub fn forget_rejects(tx: &mut Tx<'_>, now: i64) -> Result<()> {
    tx.execute(
        sql!("UPDATE imports SET rejects = '' WHERE kind <> 'books' AND rejects <> '' AND started_at <= $1"),
        &[&(now - REJECTS_KEPT_FOR)],
    )?;
    Ok(())
}

/// Loan or charge that an import made.
#[derive(Clone, Debug)]
pub enum Made {
    Loan { loan: LoanId, copy: CopyId, due: Date, renewals: i64 },
    Charge { line: LineId, key: String },
}

/// Records a loan or a charge that an import made, with its change.
pub fn add_entry(tx: &mut Tx<'_>, id: ImportId, change: ChangeId, made: &Made) -> Result<()> {
    match made {
        Made::Loan { loan, copy, due, renewals } => tx.execute_one(
            sql!(
                "INSERT INTO import_entries (change_id, import_id, loan_id, copy_id, due, renewals)
                 VALUES ($1, $2, $3, $4, $5, $6)"
            ),
            &[&change, &id, loan, copy, &due.to_string(), renewals],
        ),
        Made::Charge { line, key } => tx.execute_one(
            sql!(
                "INSERT INTO import_entries (change_id, import_id, line_id, row_key) VALUES ($1, $2, $3, $4)"
            ),
            &[&change, &id, line, key],
        ),
    }
}

/// Returns those of these row keys that an import added as charges.
pub fn known_rows(tx: &mut Tx<'_>, keys: &[&str]) -> Result<Vec<String>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT row_key FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (it)
             JOIN import_entries ON row_key = wanted.it"
        )
    } else {
        sql!(
            "SELECT row_key FROM json_each($1) AS wanted CROSS JOIN import_entries ON row_key = wanted.value"
        )
    };
    tx.query(statement, &[&json!(keys).to_string()], |row| row.get(0))
}

/// Returns the next changes of an import that are not undone yet.
pub fn entries_left(tx: &mut Tx<'_>, id: ImportId, limit: i64) -> Result<Vec<ChangeId>> {
    tx.query(
        sql!("SELECT change_id FROM import_entries WHERE import_id = $1 ORDER BY change_id LIMIT $2"),
        &[&id, &limit],
        |row| row.get(0),
    )
}

/// Deletes the records of an import's changes that are undone, and renews the time of the import's last progress.
pub fn forget_entries(tx: &mut Tx<'_>, id: ImportId, changes: &[ChangeId], now: i64) -> Result<()> {
    for change in changes {
        tx.execute_one(sql!("DELETE FROM import_entries WHERE change_id = $1"), &[change])?;
    }
    renew(tx, id, now)
}

/// Counts the charges of an import that are on this person's account.
pub fn charges_of(tx: &mut Tx<'_>, id: ImportId, person: UserId) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT COUNT(*) FROM import_entries AS t JOIN account_lines AS line ON line.id = t.line_id
             WHERE t.import_id = $1 AND line.person_id = $2"
        ),
        &[&id, &person],
        |row| row.get(0),
    )
}

/// Records titles that an import added.
pub fn add_titles(tx: &mut Tx<'_>, id: ImportId, titles: &[BookId]) -> Result<()> {
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO import_titles (import_id, book_id)
             SELECT CAST($1 AS BIGINT), CAST(it AS BIGINT)
             FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS added (it)"
        )
    } else {
        sql!("INSERT INTO import_titles (import_id, book_id) SELECT $1, value FROM json_each($2)")
    };
    tx.execute_all(statement, titles.len(), &[&id, &json!(titles).to_string()])
}

/// Records copies that an import added to an existing title.
pub fn add_copies(tx: &mut Tx<'_>, id: ImportId, book: BookId, copies: &[CopyId]) -> Result<()> {
    for copy in copies {
        tx.execute_one(
            sql!("INSERT INTO import_copies (import_id, copy_id, book_id) VALUES ($1, $2, $3)"),
            &[&id, copy, &book],
        )?;
    }
    Ok(())
}

/// Records people that an import added or changed, each with the person's latest change.
pub fn add_people(tx: &mut Tx<'_>, id: ImportId, people: &[UserId]) -> Result<()> {
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO import_people (import_id, person_id, change_id)
             SELECT CAST($1 AS BIGINT), person.id, (SELECT MAX(e.id) FROM events AS e WHERE e.person_id = person.id)
             FROM (SELECT CAST(it AS BIGINT) AS id
                   FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS made (it)) AS person"
        )
    } else {
        sql!(
            "INSERT INTO import_people (import_id, person_id, change_id)
             SELECT $1, value, (SELECT MAX(e.id) FROM events AS e WHERE e.person_id = value) FROM json_each($2)"
        )
    };
    tx.execute_all(statement, people.len(), &[&id, &json!(people).to_string()])
}

/// Returns the next people of an import that are still to be undone, with the import's change of each.
pub fn people_left(tx: &mut Tx<'_>, id: ImportId, limit: i64) -> Result<Vec<(UserId, ChangeId)>> {
    tx.query(
        sql!(
            "SELECT person_id, change_id FROM import_people WHERE import_id = $1 ORDER BY person_id LIMIT $2"
        ),
        &[&id, &limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Beginning of an import in the order of its undo: what has ids up to these.
#[derive(Clone, Copy, Debug)]
pub struct UpTo {
    pub title: BookId,
    pub copy: CopyId,
    pub person: UserId,
}

impl UpTo {
    /// The whole import.
    pub const END: Self = Self { title: BookId(i64::MAX), copy: CopyId(i64::MAX), person: UserId(i64::MAX) };
}

/// Returns the librarians whom an import of people changed, or whose photo an import brought.
pub fn librarians_of(tx: &mut Tx<'_>, id: ImportId, up_to: UpTo) -> Result<Vec<UserId>> {
    tx.query(
        sql!(
            "SELECT u.id FROM (SELECT person_id FROM import_people WHERE import_id = $1 AND person_id <= $2
                               UNION ALL SELECT person_id FROM photos WHERE import_id = $1 AND person_id <= $2) AS t
             JOIN users AS u ON u.id = t.person_id
             WHERE u.role = 'admin' AND u.gone_at IS NULL ORDER BY u.id"
        ),
        &[&id, &up_to.person],
        |row| row.get(0),
    )
}

/// Deletes the records of people that are undone, and renews the time of the import's last progress.
pub fn forget_people(tx: &mut Tx<'_>, id: ImportId, people: &[(UserId, ChangeId)], now: i64) -> Result<()> {
    for (person, _) in people {
        tx.execute_one(
            sql!("DELETE FROM import_people WHERE import_id = $1 AND person_id = $2"),
            &[&id, person],
        )?;
    }
    renew(tx, id, now)
}

/// True if this import added the title.
pub fn has_added(tx: &mut Tx<'_>, id: ImportId, book: BookId) -> Result<bool> {
    let found = tx.query_opt(
        sql!("SELECT 1 FROM import_titles WHERE import_id = $1 AND book_id = $2"),
        &[&id, &book],
        |row| row.get::<i64>(0),
    );
    Ok(found?.is_some())
}

/// Counts the obstacles to the undo of an import: titles with a loan, an open hold or a review, copies with a loan or a
/// hold, loans that were returned or changed or whose title is deleted, charges that are settled in part or in full, and
/// people with a later change, such as a loan, an edit or a sign-in code. Erased and merged people do not count.
pub fn in_use(tx: &mut Tx<'_>, id: ImportId, up_to: UpTo) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT (SELECT COUNT(*) FROM import_titles AS t WHERE t.import_id = $1 AND t.book_id <= $2
                       AND (EXISTS (SELECT 1 FROM copies AS c JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
                                    WHERE c.book_id = t.book_id)
                            OR EXISTS (SELECT 1 FROM copies AS c JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NOT NULL AND NOT l.voided
                                       WHERE c.book_id = t.book_id)
                            OR EXISTS (SELECT 1 FROM holds AS h WHERE h.book_id = t.book_id AND h.state IN ('waiting', 'ready'))
                            OR EXISTS (SELECT 1 FROM reviews AS r WHERE r.book_id = t.book_id)))
                  + (SELECT COUNT(*) FROM import_copies AS t WHERE t.import_id = $1 AND t.copy_id <= $3
                       AND (EXISTS (SELECT 1 FROM loans AS l WHERE l.copy_id = t.copy_id AND l.ended_at IS NULL)
                            OR EXISTS (SELECT 1 FROM loans AS l WHERE l.copy_id = t.copy_id AND l.ended_at IS NOT NULL AND NOT l.voided)
                            OR EXISTS (SELECT 1 FROM holds AS h WHERE h.copy_id = t.copy_id AND h.state = 'ready')))
                  + (SELECT COUNT(*) FROM import_entries AS t WHERE t.import_id = $1 AND t.loan_id IS NOT NULL
                       AND NOT EXISTS (SELECT 1 FROM loans AS l JOIN books AS b ON b.id = l.book_id
                                       WHERE l.id = t.loan_id AND l.ended_at IS NULL AND l.copy_id = t.copy_id
                                         AND l.return_date = t.due AND l.renewals = t.renewals))
                  + (SELECT COUNT(*) FROM import_entries AS t WHERE t.import_id = $1 AND t.line_id IS NOT NULL
                       AND COALESCE((SELECT CAST(SUM(s.amount) AS BIGINT) FROM settlements AS s
                                     WHERE s.charge_id = t.line_id), 0) <> 0)
                  + (SELECT COUNT(*) FROM import_people AS t WHERE t.import_id = $1 AND t.person_id <= $4
                       AND EXISTS (SELECT 1 FROM users AS u WHERE u.id = t.person_id AND u.gone_at IS NULL)
                       AND EXISTS (SELECT 1 FROM events AS e WHERE e.person_id = t.person_id AND e.id > t.change_id))"
        ),
        &[&id, &up_to.title, &up_to.copy, &up_to.person],
        |row| row.get(0),
    )
}

/// Begins the undo of an import that is done or stopped; `false` if the import is in another state, or another one writes.
pub fn begin_undo(tx: &mut Tx<'_>, id: ImportId, now: i64) -> Result<bool> {
    give_up_stale(tx, now)?;
    let is_free = tx
        .query_opt(sql!("SELECT id FROM imports WHERE active = 1"), &[], |row| row.get::<ImportId>(0))?
        .is_none();
    Ok(is_free
        && tx.execute(
            sql!(
                "UPDATE imports SET state = 'undoing', active = 1, updated_at = $2
                 WHERE id = $1 AND state IN ('done', 'stopped')"
            ),
            &[&id, &now],
        )? == 1)
}

/// Titles that an import added, and copies with the titles that they belong to.
pub type Left = (Vec<BookId>, Vec<(CopyId, BookId)>);

/// Returns the next titles and copies of an import that are still to be undone.
pub fn left(tx: &mut Tx<'_>, id: ImportId, limit: i64) -> Result<Left> {
    let titles = tx.query(
        sql!("SELECT book_id FROM import_titles WHERE import_id = $1 ORDER BY book_id LIMIT $2"),
        &[&id, &limit],
        |row| row.get(0),
    )?;
    let copies = tx.query(
        sql!("SELECT copy_id, book_id FROM import_copies WHERE import_id = $1 ORDER BY copy_id LIMIT $2"),
        &[&id, &limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok((titles, copies))
}

/// Deletes the records of titles and copies that are undone, and renews the time of the import's last progress.
pub fn forget(
    tx: &mut Tx<'_>,
    id: ImportId,
    titles: &[BookId],
    copies: &[(CopyId, BookId)],
    now: i64,
) -> Result<()> {
    for title in titles {
        tx.execute_one(
            sql!("DELETE FROM import_titles WHERE import_id = $1 AND book_id = $2"),
            &[&id, title],
        )?;
    }
    for (copy, _) in copies {
        tx.execute_one(
            sql!("DELETE FROM import_copies WHERE import_id = $1 AND copy_id = $2"),
            &[&id, copy],
        )?;
    }
    renew(tx, id, now)
}

/// Counts the titles and copies, loans, charges, people or photos of an import that are still to be undone.
pub fn count_left(tx: &mut Tx<'_>, id: ImportId) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT (SELECT COUNT(*) FROM import_titles WHERE import_id = $1)
                  + (SELECT COUNT(*) FROM import_copies WHERE import_id = $1)
                  + (SELECT COUNT(*) FROM import_entries WHERE import_id = $1)
                  + (SELECT COUNT(*) FROM import_people WHERE import_id = $1)
                  + (SELECT COUNT(*) FROM photos WHERE import_id = $1)"
        ),
        &[&id],
        |row| row.get(0),
    )
}

/// Returns the fields chosen for a file with these headings.
pub fn fields(tx: &mut Tx<'_>, kind: &str, headings: &str) -> Result<Option<Vec<String>>> {
    let found = tx.query_opt(
        sql!("SELECT fields FROM import_columns WHERE kind = $1 AND headings = $2"),
        &[&kind, &headings],
        |row| row.get::<String>(0),
    )?;
    Ok(found.and_then(|fields| serde_json::from_str(&fields).ok()))
}

/// Remembers the fields chosen for a file with these headings.
pub fn keep_fields(tx: &mut Tx<'_>, kind: &str, headings: &str, fields: &[String]) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO import_columns (kind, headings, fields) VALUES ($1, $2, $3)
             ON CONFLICT (kind, headings) DO UPDATE SET fields = excluded.fields"
        ),
        &[&kind, &headings, &json!(fields).to_string()],
    )
}

/// Stores the MARC record from which a title was imported.
pub fn keep_record(tx: &mut Tx<'_>, book: BookId, record: &str) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO marc_records (book_id, record) VALUES ($1, $2)
             ON CONFLICT (book_id) DO UPDATE SET record = excluded.record"
        ),
        &[&book, &record],
    )
}

/// Deletes the MARC records of titles deleted before this instant.
pub fn forget_records(tx: &mut Tx<'_>, before: i64) -> Result<()> {
    tx.execute(
        sql!(
            "DELETE FROM marc_records WHERE book_id IN (SELECT id FROM deleted_books WHERE deleted_at < $1)
               AND NOT EXISTS (SELECT 1 FROM books WHERE id = book_id)"
        ),
        &[&before],
    )?;
    Ok(())
}

/// Title for an export as MARC, with the record from which it was imported, if any.
#[derive(Clone, Debug)]
pub struct Exported {
    pub id: BookId,
    pub title: String,
    pub author: String,
    pub genre: String,
    pub isbn: Option<String>,
    pub published_year: Option<i64>,
    pub language: Option<String>,
    pub location: String,
    pub publisher: String,
    pub edition: String,
    pub call_number: String,
    pub record: Option<String>,
}

/// Returns the titles after this id, in the order of ids.
pub fn exported(tx: &mut Tx<'_>, after: BookId, limit: i64) -> Result<Vec<Exported>> {
    tx.query(
        sql!(
            "SELECT b.id, b.title, b.author, b.genre, b.isbn, b.published_year, b.language, b.location, b.publisher,
                b.edition, b.call_number, m.record
             FROM books AS b LEFT JOIN marc_records AS m ON m.book_id = b.id WHERE b.id > $1 ORDER BY b.id LIMIT $2"
        ),
        &[&after, &limit],
        |row| {
            Ok(Exported {
                id: row.get(0)?,
                title: row.get(1)?,
                author: row.get(2)?,
                genre: row.get(3)?,
                isbn: row.get(4)?,
                published_year: row.get(5)?,
                language: row.get(6)?,
                location: row.get(7)?,
                publisher: row.get(8)?,
                edition: row.get(9)?,
                call_number: row.get(10)?,
                record: row.get(11)?,
            })
        },
    )
}

/// Returns the barcodes of a title's copies.
pub fn barcodes(tx: &mut Tx<'_>, book: BookId) -> Result<Vec<String>> {
    tx.query(
        sql!(
            "SELECT barcode FROM copies WHERE book_id = $1 AND condition <> 'withdrawn' ORDER BY id LIMIT 500"
        ),
        &[&book],
        |row| row.get(0),
    )
}

/// Returns those of these import keys that are in the catalogue, with their titles.
pub fn known_keys(tx: &mut Tx<'_>, keys: &[&str]) -> Result<Vec<(String, BookId)>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT books.import_key, books.id FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (it)
             JOIN books ON books.import_key = wanted.it"
        )
    } else {
        sql!(
            "SELECT books.import_key, books.id FROM json_each($1) AS wanted CROSS JOIN books
             ON books.import_key = wanted.value"
        )
    };
    tx.query(statement, &[&Value::from(keys.to_vec()).to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Finds titles with one of these ISBNs: ISBN, id and title.
pub fn known_isbns(tx: &mut Tx<'_>, isbns: &[&str]) -> Result<Vec<(String, BookId, String)>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT books.isbn, books.id, books.title
             FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (it) JOIN books ON books.isbn = wanted.it"
        )
    } else {
        sql!(
            "SELECT books.isbn, books.id, books.title FROM json_each($1) AS wanted CROSS JOIN books
             ON books.isbn = wanted.value"
        )
    };
    tx.query(statement, &[&Value::from(isbns.to_vec()).to_string()], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })
}

/// Withdraws copies that an import added to a title, and frees their barcodes.
pub fn take_back_copies(tx: &mut Tx<'_>, book: BookId, copies: &[CopyId]) -> Result<()> {
    for copy in copies {
        tx.execute(
            sql!(
                "UPDATE copies SET condition = 'withdrawn', barcode_key = NULL WHERE id = $1 AND book_id = $2"
            ),
            &[copy, &book],
        )?;
    }
    tx.touch_book(book);
    Ok(())
}
