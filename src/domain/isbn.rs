//! Parsing of ISBNs, normalised to ISBN-13.

/// Parses 13 or 10 digits, with or without hyphens and blanks, to an ISBN-13; `None` if the check digit is wrong.
#[must_use]
pub fn isbn_13(text: &str) -> Option<String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !matches!(c, '-' | ' '))
        .map(|c| if matches!(c, 'x' | 'X') { Some(10) } else { c.to_digit(10) })
        .collect::<Option<_>>()?;
    let weighted_sum = |digits: &[u32]| {
        digits.iter().zip([1, 3].iter().cycle()).map(|(digit, weight)| digit * weight).sum::<u32>()
    };
    let thirteen = match digits.len() {
        13 if !digits.contains(&10) && weighted_sum(&digits) % 10 == 0 => digits,
        10 if !digits[..9].contains(&10)
            && digits.iter().zip((1..=10).rev()).map(|(digit, weight)| digit * weight).sum::<u32>() % 11
                == 0 =>
        {
            let mut thirteen = vec![9, 7, 8];
            thirteen.extend(&digits[..9]);
            thirteen.push((10 - weighted_sum(&thirteen) % 10) % 10);
            thirteen
        }
        _ => return None,
    };
    Some(thirteen.iter().map(u32::to_string).collect())
}

/// Reason why a text is no ISBN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It has this number of digits instead of 10 or 13.
    Digits(usize),
    /// Its check digit or its first three digits are wrong.
    Check,
}

/// Parses an ISBN that a person typed or scanned; other article numbers of 13 digits are refused.
///
/// # Errors
/// [`Wrong`].
pub fn parse(text: &str) -> Result<String, Wrong> {
    let digits = text.chars().filter(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X')).count();
    if digits != 10 && digits != 13 {
        return Err(Wrong::Digits(digits));
    }
    isbn_13(text).filter(|isbn| isbn.starts_with("978") || isbn.starts_with("979")).ok_or(Wrong::Check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isbns_of_both_lengths_become_thirteen_digits() {
        assert_eq!(isbn_13("978-0-7475-3269-9").as_deref(), Some("9780747532699"));
        assert_eq!(isbn_13("0-7475-3269-9").as_deref(), Some("9780747532699"));
        assert_eq!(isbn_13("080442957X").as_deref(), Some("9780804429573"));
        for wrong in ["9780747532698", "0747532698", "X747532699", "123", "isbn"] {
            assert_eq!(isbn_13(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_wrong_isbn_says_what_is_wrong_with_it() {
        assert_eq!(parse("ISBN"), Err(Wrong::Digits(0)));
        assert_eq!(parse("978-0-7475-3269"), Err(Wrong::Digits(12)));
        assert_eq!(parse("978-0-7475-3269-8"), Err(Wrong::Check));
        assert_eq!(parse("8901234567894"), Err(Wrong::Check), "an article number, but of no book");
        assert_eq!(parse("0-7475-3269-9").as_deref(), Ok("9780747532699"));
    }
}
