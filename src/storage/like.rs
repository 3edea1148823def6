//! `LIKE … ESCAPE …` for `SQLite`: compares as `PostgreSQL` does, telling capitals apart, and searches with `memchr`.
//!
//! `SQLite`'s own function compares letter by letter in both cases.
//! `LIKE` without `ESCAPE` is left as it is.

use memchr::memmem::Finder;
use rusqlite::{Connection, Error, Result, functions::FunctionFlags, types::ValueRef};

/// Replaces `LIKE … ESCAPE …` on a connection.
pub(super) fn replace(connection: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    // SQLite passes the pattern first.
    connection.create_scalar_function("like", 3, flags, |values| {
        let ValueRef::Text(text) = values.get_raw(1) else { return Ok(None) };
        // The pattern is parsed once a statement, not once a row.
        let pattern = values.get_or_create_aux(0, |pattern| -> Result<Option<Pattern>> {
            let ValueRef::Text(_) = pattern else { return Ok(None) };
            let (pattern, escape) = (pattern.as_str()?, values.get_raw(2).as_str()?.chars().next());
            match Pattern::parse(pattern, escape) {
                Some(pattern) => Ok(Some(pattern)),
                None => Err(Error::UserFunctionError(format!("LIKE {pattern} has % or _ inside").into())),
            }
        })?;
        Ok((*pattern).as_ref().map(|pattern| pattern.matches(text)))
    })
}

/// Text to find, anywhere or at an end: all that the statements ask for.
struct Pattern {
    text: Finder<'static>,
    begins: bool,
    ends: bool,
}

impl Pattern {
    /// Parses a text with or without `%` at its ends; `None` if it has other wildcards.
    fn parse(pattern: &str, escape: Option<char>) -> Option<Self> {
        let (mut text, mut letters) = (String::with_capacity(pattern.len()), pattern.chars().peekable());
        let begins = letters.next_if_eq(&'%').is_none();
        let mut ends = true;
        while let Some(letter) = letters.next() {
            match letter {
                _ if Some(letter) == escape => text.push(letters.next()?),
                '%' if letters.peek().is_none() => ends = false,
                '%' | '_' => return None,
                _ => text.push(letter),
            }
        }
        // `%` alone is read at the beginning.
        let ends = ends && pattern != "%";
        Some(Self { text: Finder::new(text.as_bytes()).into_owned(), begins, ends })
    }

    fn matches(&self, text: &[u8]) -> bool {
        match (self.begins, self.ends) {
            (false, false) => self.text.find(text).is_some(),
            (true, false) => text.starts_with(self.text.needle()),
            (false, true) => text.ends_with(self.text.needle()),
            (true, true) => text == self.text.needle(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_finds_a_text_anywhere_or_at_an_end() {
        let connection = Connection::open_in_memory().expect("a database");
        replace(&connection).expect("a function");
        let like = |text: Option<&str>, pattern: &str| -> Option<bool> {
            let statement = "SELECT ?1 LIKE ?2 ESCAPE '\\'";
            connection.query_row(statement, (text, pattern), |row| row.get(0)).expect("an answer")
        };
        for (text, pattern, is_like) in [
            ("die blechtrommel", "%trommel%", true),
            ("die blechtrommel", "%trommeln%", false),
            ("die blechtrommel", "die%", true),
            ("die blechtrommel", "blech%", false),
            ("die blechtrommel", "%el", true),
            ("die blechtrommel", "%die", false),
            ("die", "die", true),
            ("dies", "die", false),
            ("अंधा युग", "%युग%", true),
            ("50 % more", "%50 \\% m%", true),
            ("50 of more", "%50 \\% m%", false),
            ("a_b\\c", "%\\_b\\\\%", true),
            ("any", "%", true),
            ("", "%%", true),
            ("Die", "%die%", false),
        ] {
            assert_eq!(like(Some(text), pattern), Some(is_like), "{text} LIKE {pattern}");
        }
        assert_eq!(like(None, "%a%"), None);
        let of_nothing =
            connection.query_row("SELECT 'a' LIKE NULL ESCAPE '\\'", [], |row| row.get::<_, Option<bool>>(0));
        assert_eq!(of_nothing.expect("an answer"), None);
    }

    #[test]
    fn like_refuses_a_pattern_that_it_cannot_compare() {
        let connection = Connection::open_in_memory().expect("a database");
        replace(&connection).expect("a function");
        let refused =
            connection.query_row("SELECT 'abc' LIKE 'a_c' ESCAPE '\\'", [], |row| row.get::<_, bool>(0));
        assert!(refused.is_err_and(|error| error.to_string().contains("a_c")));
    }
}
