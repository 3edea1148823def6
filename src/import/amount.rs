//! Amounts as registers and other programs write them.

use crate::{domain::book::DEAREST, money::Money};

/// Parses an amount such as `Rs. 1,250/-`, `₹ 12.50` or `-5`. A comma separates groups of digits, never decimals.
pub(super) fn amount(cell: &str) -> Option<Money> {
    let number = cell.trim_start_matches(|it: char| !it.is_ascii_digit() && it != '-');
    let number = number.trim_end_matches("/-").trim();
    let (whole, _) = number.split_once('.').unwrap_or((number, ""));
    if !are_groups(whole.trim_start_matches('-')) {
        return None;
    }
    Money::from_number(number.replace(',', "").parse().ok()?)
}

/// Parses the price of a copy; `None` beyond its limits.
pub(super) fn price(cell: &str) -> Option<Money> {
    amount(cell).filter(|price| (Money::ZERO..=DEAREST).contains(price))
}

/// True for digits in groups as in 1250, 1,250 and 1,00,000.
fn are_groups(whole: &str) -> bool {
    let groups: Vec<&str> = whole.split(',').collect();
    let is_group = |place: usize, group: &str| match (place, groups.len() - 1 - place) {
        (_, 0) if place > 0 => group.len() == 3,
        (0, _) => !group.is_empty(),
        _ => (2..=3).contains(&group.len()),
    };
    groups
        .iter()
        .enumerate()
        .all(|(place, group)| group.bytes().all(|byte| byte.is_ascii_digit()) && is_group(place, group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_registers_write_them_and_a_comma_is_no_decimal_point() {
        for (cell, expected) in [
            ("15", Some(1500)),
            ("12.50", Some(1250)),
            ("Rs. 1,250/-", Some(125_000)),
            ("₹ 1,00,000.5", Some(10_000_050)),
            ("-5", Some(-500)),
            ("12,50", None),
            ("1,2,3", None),
            ("12.505", None),
            ("free", None),
            ("", None),
        ] {
            assert_eq!(amount(cell), expected.map(Money), "{cell}");
        }
    }
}
