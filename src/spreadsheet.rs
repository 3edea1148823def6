//! Guards cells of CSV files against spreadsheets, which run some texts as formulas.

/// True if a spreadsheet may run this text as a formula. Some spreadsheets skip white space before a formula, and some
/// accept full-width characters.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['\t', '\r', '\n'])
        || cell
            .trim_start_matches(|c: char| c.is_whitespace() || c.is_control())
            .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

/// Puts an apostrophe before a formula, which makes it text.
#[must_use]
pub fn guarded(cell: &str) -> String {
    if needs_guard(cell) { format!("'{cell}") } else { cell.to_owned() }
}

/// Reverses [`guarded`].
#[must_use]
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| needs_guard(text)).unwrap_or(cell)
}

/// True for a formula, also behind its own apostrophe: [`guarded`] adds another, so that [`unguarded`] restores the text.
fn needs_guard(cell: &str) -> bool {
    is_formula(cell.trim_start_matches('\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_behind_white_space_too_p13() {
        for formula in ["=1+1", "+1", "-1", "@cmd", "\t=1", "\r=1", " =1", "\n=1", "\u{a0}=1", "＝1", "'=1"]
        {
            assert_eq!(guarded(formula), format!("'{formula}"));
            assert_eq!(unguarded(&guarded(formula)), formula);
        }
        for text in ["Poems", "'Tis", "1 = 1", ""] {
            assert_eq!((guarded(text).as_str(), unguarded(text)), (text, text));
        }
    }
}
