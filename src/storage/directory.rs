//! The list of people: searched, filtered, sorted and read by pages.
//! A query has up to three steps. For a search, and for some filters, it reads the ids of all matches, unless there
//! are too many. It then reads the sort keys and ids of the page, which an index contains: a few matches are looked up
//! one by one; for more, a scan of the list in order soon finds the ids of a page. Last, it reads the people of the page.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::json;

use super::{
    Result, Row, Tx,
    page::{Page, Position},
    people::{self, Record, patterns},
};
use crate::{domain::id::UserId, sql};

macro_rules! inactive {
    () => {
        "NOT users.active"
    };
}

macro_rules! librarians {
    () => {
        "users.role = 'admin'"
    };
}

macro_rules! of_batch {
    ($which:expr) => {
        sql!(
            "SELECT users.id FROM users WHERE users.gone_at IS NULL AND COALESCE(users.batch, '') = $1 AND ",
            $which
        )
    };
}

/// People that a list searches.
#[derive(Clone, Debug)]
pub enum Source {
    Everybody,
    Inactive,
    Librarians,
    /// People with these ids, in ascending order.
    Among(Vec<UserId>),
}

/// Filter of the people of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfBatch {
    All,
    Inactive,
    Librarians,
}

/// Returns the people of a batch, in the order of their ids.
pub fn of_batch(tx: &mut Tx<'_>, batch: &str, which: OfBatch) -> Result<Vec<UserId>> {
    let statement = match which {
        OfBatch::All => of_batch!("TRUE"),
        OfBatch::Inactive => of_batch!(inactive!()),
        OfBatch::Librarians => of_batch!(librarians!()),
    };
    let mut found = tx.query(statement, &[&batch], |row| row.get(0))?;
    found.sort_unstable();
    Ok(found)
}

/// Sort key of a list of people; ties are sorted by name.
#[derive(Clone, Debug)]
pub enum Order {
    Column(Column),
    /// Amounts of people, in ascending order of ids; a person without an entry has the amount 0.
    Amount(Vec<(UserId, i64)>),
}

/// Sort column of a list of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Name,
    RollNumber,
    Batch,
    Department,
}

/// Search, filter and order of a list of people.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Words to search for; each must occur in the name, roll number, batch, email or department.
    pub query: String,
    pub source: Source,
    pub order: Order,
    /// True for descending order. In an order by amount, people with the same amount are sorted by ascending name anyway.
    pub descending: bool,
}

/// Sort key of a person (an amount as its digits), and the folded name, which breaks ties.
pub type Key = (String, String);

/// Position of a person in an order: key, name and id.
type Place = (Key, UserId);

/// Statement that reads a part of an order; the variants differ in the columns, the source of the rows and the sort key.
macro_rules! keys {
    ($what:expr, $from:expr, $which:expr, $words:expr, ($key:expr, $place:literal $(, $tie:literal)*), $compare:literal, $order:literal) => {
        sql!(
            "SELECT users.id",
            $what,
            " FROM ",
            $from,
            " WHERE users.gone_at IS NULL AND ",
            $which,
            $words,
            " AND ",
            // SQLite uses an index on an expression for this comparison, but not for the row comparison below.
            $key,
            " ",
            $compare,
            "= $1 AND (",
            $key,
            $(", ", $tie,)*
            ") ",
            $compare,
            $place,
            " ORDER BY ",
            $key,
            $(" ", $order, ", ", $tie,)*
            " ",
            $order,
            " LIMIT $4"
        )
    };
}

macro_rules! ordered {
    ($backwards:expr, $what:expr, $from:expr, $which:expr, $words:expr, $sorted:tt) => {
        if $backwards {
            keys!($what, $from, $which, $words, $sorted, "<", "DESC")
        } else {
            keys!($what, $from, $which, $words, $sorted, ">", "ASC")
        }
    };
}

macro_rules! by_column {
    ($backwards:expr, $what:ident, $from:expr, $which:expr, $words:expr, $key:expr) => {
        ordered!(
            $backwards,
            $what!($key),
            $from,
            $which,
            $words,
            ($key, "($1, $2, $3)", "users.name_key", "users.id")
        )
    };
}

macro_rules! sorted {
    ($column:expr, $backwards:expr, $what:ident, $from:expr, $which:expr, $words:expr) => {
        match $column {
            Column::RollNumber => {
                by_column!($backwards, $what, $from, $which, $words, "COALESCE(users.roll_number, '')")
            }
            Column::Batch => {
                by_column!($backwards, $what, $from, $which, $words, "COALESCE(users.batch, '')")
            }
            Column::Department => {
                by_column!($backwards, $what, $from, $which, $words, "COALESCE(users.department, '')")
            }
            // A name breaks no tie of names: SQLite would sort the people of each name once more.
            Column::Name => ordered!(
                $backwards,
                $what!("users.name_key"),
                $from,
                $which,
                $words,
                ("users.name_key", "($2, $3)", "users.id")
            ),
        }
    };
}

/// Condition of a search: `$5` to `$7` are the patterns of its words.
macro_rules! with_words {
    () => {
        " AND ($5 = '%%' OR users.directory_key LIKE $5 ESCAPE '\\') AND ($6 = '%%' OR users.directory_key LIKE $6 ESCAPE '\\')
          AND ($7 = '%%' OR users.directory_key LIKE $7 ESCAPE '\\')"
    };
}

/// Statement of a [`Reading`] for a source.
macro_rules! select {
    ($reading:expr, $source:expr, $what:ident, $words:expr) => {{
        let (column, backwards) = ($reading.column, $reading.backwards);
        match $source {
            Source::Inactive => sorted!(column, backwards, $what, "users", inactive!(), $words),
            Source::Librarians => sorted!(column, backwards, $what, "users", librarians!(), $words),
            Source::Everybody | Source::Among(_) => {
                sorted!(column, backwards, $what, "users", "TRUE", $words)
            }
        }
    }};
}

/// Columns of a [`Place`].
macro_rules! places {
    ($key:expr) => {
        concat!(", ", $key, ", users.name_key")
    };
}

/// No columns besides the id.
macro_rules! ids {
    ($key:expr) => {
        ""
    };
}

/// Scan of an order by a column, forwards or backwards from a place.
struct Reading<'a> {
    patterns: &'a [String; 3],
    column: Column,
    backwards: bool,
    /// The scan begins after this place.
    from: Place,
}

impl<'a> Reading<'a> {
    /// Creates a scan of the whole order, from its first place or, backwards, from its last.
    fn new(patterns: &'a [String; 3], column: Column, backwards: bool) -> Self {
        // U+10FFFF sorts after every text in use.
        let end = if backwards { "\u{10ffff}" } else { "" };
        let id = if backwards { i64::MAX } else { 0 };
        Self { patterns, column, backwards, from: ((end.to_owned(), end.to_owned()), UserId(id)) }
    }

    /// Reads the next people of a source, at most `limit`.
    fn of_source(&self, tx: &mut Tx<'_>, source: &Source, limit: i64) -> Result<Vec<Place>> {
        let statement = select!(self, source, places, with_words!());
        let ([one, two, three], ((key, name), id)) = (self.patterns, &self.from);
        tx.query(statement, &[key, name, id, &limit, one, two, three], place)
    }

    /// Reads the ids of the next people of a source after a place, at most `limit`.
    fn ids_of_source(
        &self,
        tx: &mut Tx<'_>,
        source: &Source,
        from: &Place,
        limit: i64,
    ) -> Result<Vec<UserId>> {
        let ([one, two, three], ((key, name), id)) = (self.patterns, from);
        let id_of = |row: &Row<'_>| row.get(0);
        // Without a search, comparing with its words is a third of the scan.
        if self.patterns.iter().all(|pattern| pattern == "%%") {
            return tx.query(select!(self, source, ids, ""), &[key, name, id, &limit], id_of);
        }
        let statement = select!(self, source, ids, with_words!());
        tx.query(statement, &[key, name, id, &limit, one, two, three], id_of)
    }

    /// Reads the next of the people with these ids, at most `limit`.
    fn of_these(&self, tx: &mut Tx<'_>, uids: &[UserId], limit: i64) -> Result<Vec<Place>> {
        let (column, backwards) = (self.column, self.backwards);
        let statement = if tx.is_postgres() {
            // OFFSET 0 keeps the planner from comparing each person of the order with each of these.
            sorted!(
                column,
                backwards,
                places,
                "(SELECT users.* FROM json_array_elements_text(CAST(CAST($8 AS TEXT) AS JSON)) AS wanted (id)
                  JOIN users ON users.id = CAST(wanted.id AS BIGINT) OFFSET 0) AS users",
                "TRUE",
                with_words!()
            )
        } else {
            sorted!(
                column,
                backwards,
                places,
                "json_each($8) AS wanted CROSS JOIN users ON users.id = wanted.value",
                "TRUE",
                with_words!()
            )
        };
        let ([one, two, three], ((key, name), id)) = (self.patterns, &self.from);
        let wanted = json!(uids).to_string();
        tx.query(statement, &[key, name, id, &limit, one, two, three, &wanted], place)
    }

    /// Scans a source in order, until `limit` wanted people are found or the source ends; returns their ids. Reads ids
    /// alone, because most people scanned are not wanted, and a place costs three times as much (50 000 ids 12 ms).
    fn wanted(
        &self,
        tx: &mut Tx<'_>,
        source: &Source,
        limit: usize,
        is_wanted: impl Fn(UserId) -> bool,
    ) -> Result<Vec<UserId>> {
        let (mut found, mut portion, mut from) = (Vec::new(), PORTION, self.from.clone());
        loop {
            let read = self.ids_of_source(tx, source, &from, portion)?;
            let is_last = i64::try_from(read.len()) != Ok(portion);
            let last = read.last().copied();
            found.extend(read.into_iter().filter(|uid| is_wanted(*uid)));
            let Some(last) = last.filter(|_| !is_last && found.len() < limit) else { break };
            let Some(place) = self.of_these(tx, &[last], 1)?.pop() else { break };
            from = place;
            portion = (portion * 4).min(LARGEST_PORTION);
        }
        found.truncate(limit);
        Ok(found)
    }
}

/// Set of people. Ids are assigned in order, so one bit for each is small, and a scan asks for thousands.
#[derive(Default)]
struct Members {
    /// Bits of the ids below [`Self::BITS`].
    low: Vec<u64>,
    high: BTreeSet<UserId>,
}

impl Members {
    const BITS: usize = 1 << 23;

    /// Returns the word and the bit of an id.
    fn bit(uid: UserId) -> Option<(usize, u64)> {
        let at = usize::try_from(uid.0).ok().filter(|at| *at < Self::BITS)?;
        Some((at / 64, 1 << (at % 64)))
    }

    fn contains(&self, uid: UserId) -> bool {
        match Self::bit(uid) {
            Some((word, bit)) => self.low.get(word).is_some_and(|bits| bits & bit != 0),
            None => self.high.contains(&uid),
        }
    }
}

impl FromIterator<UserId> for Members {
    fn from_iter<T: IntoIterator<Item = UserId>>(uids: T) -> Self {
        let mut members = Self::default();
        for uid in uids {
            match Self::bit(uid) {
                Some((word, bit)) => {
                    if members.low.len() <= word {
                        members.low.resize(word + 1, 0);
                    }
                    members.low[word] |= bit;
                }
                None => {
                    members.high.insert(uid);
                }
            }
        }
        members
    }
}

/// Number of people in the first portion of [`Reading::wanted`], and the maximum in a later one.
const PORTION: i64 = 500;
const LARGEST_PORTION: i64 = 20_000;

fn place(row: &Row<'_>) -> Result<Place> {
    Ok(((row.get(1)?, row.get(2)?), row.get(0)?))
}

/// Maximum number of people to look up one by one; above it, scanning the list in order finds a page sooner.
const FEW: usize = 1000;

/// Maximum number of matches whose ids are read before the page.
const MANY: i64 = 10_000;

macro_rules! matching {
    ($what:literal, $which:expr, $limit:literal) => {
        sql!(
            "SELECT ",
            $what,
            " FROM users WHERE users.gone_at IS NULL AND ",
            $which,
            " AND users.name_key >= '' AND ($1 = '%%' OR users.directory_key LIKE $1 ESCAPE '\\')
              AND ($2 = '%%' OR users.directory_key LIKE $2 ESCAPE '\\') AND ($3 = '%%' OR users.directory_key LIKE $3 ESCAPE '\\')",
            $limit
        )
    };
}

macro_rules! of_source {
    ($source:expr, $what:literal, $limit:literal) => {
        match $source {
            Source::Everybody | Source::Among(_) => matching!($what, "TRUE", $limit),
            Source::Inactive => matching!($what, inactive!(), $limit),
            Source::Librarians => matching!($what, librarians!(), $limit),
        }
    };
}

/// Returns the ids of all listed people in ascending order; `None` if the list has no filter or too many matches, so
/// that it is cheaper to scan the order.
fn known(tx: &mut Tx<'_>, listing: &Listing, [one, two, three]: &[String; 3]) -> Result<Option<Vec<UserId>>> {
    let everything = one == "%%";
    let limit = match (&listing.source, &listing.order) {
        (Source::Among(uids), _) if everything => return Ok(Some(uids.clone())),
        (Source::Among(_), _) | (Source::Inactive | Source::Librarians, Order::Amount(_)) => i64::MAX,
        _ if everything => return Ok(None),
        _ => MANY + 1,
    };
    let statement = of_source!(listing.source, "users.id", " LIMIT $4");
    let mut found: Vec<UserId> = tx.query(statement, &[one, two, three, &limit], |row| row.get(0))?;
    if i64::try_from(found.len()) == Ok(limit) {
        return Ok(None);
    }
    if let Source::Among(uids) = &listing.source {
        found.retain(|uid| uids.binary_search(uid).is_ok());
    }
    found.sort_unstable();
    Ok(Some(found))
}

/// Returns a page of the list and the total number of people in the list. The transaction must be a snapshot: several
/// statements read one list.
pub fn page(
    tx: &mut Tx<'_>,
    listing: &Listing,
    position: Option<Position<Key>>,
    limit: i64,
) -> Result<(Page<Record, Key>, i64)> {
    let patterns = patterns(&listing.query);
    let known = known(tx, listing, &patterns)?;
    let total = match &known {
        Some(known) => i64::try_from(known.len()).unwrap_or(i64::MAX),
        None => {
            let [one, two, three] = &patterns;
            let statement = of_source!(listing.source, "COUNT(*)", "");
            tx.query_one(statement, &[one, two, three], |row| row.get(0))?
        }
    };
    let backwards = matches!(position, Some(Position::Before(..)));
    let from = match &position {
        None => None,
        Some(Position::After(key, id) | Position::Before(key, id)) => Some((key.clone(), UserId(*id))),
    };
    let fetch = usize::try_from(limit).unwrap_or_default() + 1;
    let mut places = places(tx, listing, &patterns, known.as_deref(), from, backwards, fetch)?;
    if backwards {
        places.reverse();
    }
    let page = Page::cut(places, limit, position, |(key, uid)| (key.clone(), uid.0));
    let uids: Vec<UserId> = page.rows.iter().map(|(_, uid)| *uid).collect();
    let rows = people::by_ids(tx, &uids)?;
    Ok((Page { rows, next: page.next, previous: page.previous }, total))
}

/// Returns the ids of the listed people in the order of the list, at most `most`, in a snapshot as [`page`].
pub fn uids(tx: &mut Tx<'_>, listing: &Listing, most: usize) -> Result<Vec<UserId>> {
    let patterns = patterns(&listing.query);
    let known = known(tx, listing, &patterns)?;
    if let (Order::Column(column), Some(known)) = (&listing.order, &known)
        && known.len() > FEW
    {
        let all = people::patterns("");
        let reading = Reading::new(&all, *column, listing.descending);
        let known: Members = known.iter().copied().collect();
        return reading.wanted(tx, &listing.source, most, |uid| known.contains(uid));
    }
    let places = places(tx, listing, &patterns, known.as_deref(), None, false, most)?;
    Ok(places.into_iter().map(|(_, uid)| uid).collect())
}

/// Returns the next `fetch` people of a list after `from`, in the direction of the scan.
fn places(
    tx: &mut Tx<'_>,
    listing: &Listing,
    patterns: &[String; 3],
    known: Option<&[UserId]>,
    from: Option<Place>,
    backwards: bool,
    fetch: usize,
) -> Result<Vec<Place>> {
    // Known people were searched for these words already.
    let all = people::patterns("");
    let patterns = if known.is_some() { &all } else { patterns };
    match &listing.order {
        Order::Column(column) => {
            let mut reading = Reading::new(patterns, *column, backwards != listing.descending);
            reading.from = from.unwrap_or(reading.from);
            let limit = i64::try_from(fetch).unwrap_or(i64::MAX);
            match known {
                None => reading.of_source(tx, &listing.source, limit),
                Some(known) if known.len() <= FEW => reading.of_these(tx, known, limit),
                Some(known) => {
                    let known: Members = known.iter().copied().collect();
                    let found = reading.wanted(tx, &listing.source, fetch, |uid| known.contains(uid))?;
                    reading.of_these(tx, &found, limit)
                }
            }
        }
        Order::Amount(amounts) => {
            ByAmount { patterns, listing, amounts, known, backwards }.read(tx, from, fetch)
        }
    }
}

/// Position of a person in an order by amount: amount, name and id.
type AmountPlace = (i64, String, UserId);

/// List ordered by amount. People with the same amount form a group, which is ordered by name.
struct ByAmount<'a> {
    patterns: &'a [String; 3],
    listing: &'a Listing,
    amounts: &'a [(UserId, i64)],
    known: Option<&'a [UserId]>,
    backwards: bool,
}

impl ByAmount<'_> {
    fn amount(&self, uid: UserId) -> i64 {
        let found = self.amounts.binary_search_by_key(&uid, |(uid, _)| *uid);
        found.map_or(0, |at| self.amounts[at].1)
    }

    /// Compares two amounts by the direction of the scan: `Less` is read earlier.
    fn order(&self, one: i64, other: i64) -> Ordering {
        if self.listing.descending == self.backwards { one.cmp(&other) } else { other.cmp(&one) }
    }

    /// Compares two people by the direction of the scan: `Less` is read earlier.
    fn order_of_places(&self, one: &AmountPlace, other: &AmountPlace) -> Ordering {
        let names = (&one.1, one.2).cmp(&(&other.1, other.2));
        self.order(one.0, other.0).then(if self.backwards { names.reverse() } else { names })
    }

    /// Returns the groups in scan order. If `known` is `None`, the group of amount 0 represents all people without an
    /// amount: it is returned empty, and [`Self::read`] scans for its members.
    fn groups(&self) -> Vec<(i64, Vec<UserId>)> {
        let mut groups: BTreeMap<i64, Vec<UserId>> = BTreeMap::new();
        if let Some(known) = self.known {
            for uid in known {
                groups.entry(self.amount(*uid)).or_default().push(*uid);
            }
        } else {
            groups.insert(0, Vec::new());
            for (uid, amount) in self.amounts {
                groups.entry(*amount).or_default().push(*uid);
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable_by(|(one, _), (other, _)| self.order(*one, *other));
        groups
    }

    /// Returns the next `fetch` people after `from`, in the direction of the scan.
    fn read(&self, tx: &mut Tx<'_>, from: Option<Place>, fetch: usize) -> Result<Vec<Place>> {
        // A cursor of another order has no amount in its key: the amount is read as 0, which still gives a page of this list.
        let from = from.map(|((amount, name), uid)| (amount.parse().unwrap_or(0), name, uid));
        let (mut rows, mut few) = (Vec::new(), Vec::new());
        for (amount, group) in self.groups() {
            let side = from.as_ref().map_or(Ordering::Greater, |from| self.order(amount, from.0));
            if side == Ordering::Less {
                continue;
            }
            let is_rest = amount == 0 && self.known.is_none();
            let is_few = group.len() <= FEW && !is_rest;
            if is_few {
                few.extend(group.iter());
            }
            if !is_few || rows.len() + few.len() >= fetch {
                self.look_up(tx, &mut few, from.as_ref(), &mut rows)?;
            }
            if rows.len() >= fetch {
                break;
            }
            if !is_few {
                let mut reading = Reading::new(self.patterns, Column::Name, self.backwards);
                if let (Ordering::Equal, Some((_, name, uid))) = (side, &from) {
                    reading.from = ((name.clone(), name.clone()), *uid);
                }
                let members: Members = if is_rest {
                    self.amounts.iter().filter(|(_, amount)| *amount != 0).map(|(uid, _)| *uid).collect()
                } else {
                    group.into_iter().collect()
                };
                let is_wanted = |uid| members.contains(uid) != is_rest;
                let found = reading.wanted(tx, &self.listing.source, fetch - rows.len(), is_wanted)?;
                let found = reading.of_these(tx, &found, i64::MAX)?;
                rows.extend(found.into_iter().map(|((_, name), uid)| ((amount.to_string(), name), uid)));
            }
        }
        self.look_up(tx, &mut few, from.as_ref(), &mut rows)?;
        rows.truncate(fetch);
        Ok(rows)
    }

    /// Looks up the people of small groups collected in `few`, and appends them to `rows` in order.
    fn look_up(
        &self,
        tx: &mut Tx<'_>,
        few: &mut Vec<UserId>,
        from: Option<&AmountPlace>,
        rows: &mut Vec<Place>,
    ) -> Result<()> {
        if few.is_empty() {
            return Ok(());
        }
        let reading = Reading::new(self.patterns, Column::Name, self.backwards);
        let found = reading.of_these(tx, few, i64::MAX)?;
        few.clear();
        let mut found: Vec<AmountPlace> =
            found.into_iter().map(|((_, name), uid)| (self.amount(uid), name, uid)).collect();
        found.retain(|one| from.is_none_or(|from| self.order_of_places(one, from).is_gt()));
        found.sort_unstable_by(|one, other| self.order_of_places(one, other));
        rows.extend(found.into_iter().map(|(amount, name, uid)| ((amount.to_string(), name), uid)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_people_contains_its_members_whatever_their_ids() {
        let uids = [1, 63, 64, (1 << 23) - 1, 1 << 23, i64::MAX].map(UserId);
        let members: Members = uids.into_iter().collect();
        for uid in uids {
            assert!(members.contains(uid), "{uid}");
        }
        for uid in [0, 2, 62, 65, (1 << 23) - 2, (1 << 23) + 1, i64::MAX - 1].map(UserId) {
            assert!(!members.contains(uid), "{uid}");
        }
    }
}
