//! Amounts of money.

use std::{
    borrow::Cow,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An amount in the currency's smallest unit (paise, cents).
///
/// On the wire it is a number of the main unit with at most two decimals: `15`, `7.5`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(pub i64);

/// Smallest units in a main unit. Every currency of the settings has two decimals.
const UNIT: i64 = 100;

/// Format named by deserialisation errors.
pub const EXPECTED: &str = "an amount with at most two decimals";

impl Money {
    pub const ZERO: Self = Self(0);

    /// Converts from the currency's main unit: `Money::main(5)` is ₹5.
    #[must_use]
    pub const fn main(units: i64) -> Self {
        Self(units * UNIT)
    }

    /// Converts from a number of the main unit; `None` for more than two decimals, or if the number is too large for a
    /// floating-point number to hold them.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "checked against the range before")]
    pub fn from_number(number: f64) -> Option<Self> {
        #[expect(clippy::cast_precision_loss, reason = "UNIT is small")]
        let unit = UNIT as f64;
        let smallest = (number * unit).round();
        // 7.55 * 100 is 755.0000000000001; 755 / 100 is the double nearest to 7.55 again.
        #[expect(clippy::float_cmp, reason = "both are the double nearest to the same decimal")]
        (smallest.abs() < 9e15 && smallest / unit == number).then_some(Self(smallest as i64))
    }

    /// Number in the main unit, for the API.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "amounts are far below 2^53")]
    pub fn to_number(self) -> f64 {
        self.0 as f64 / UNIT as f64
    }

    /// Absolute value as whole main units and the remaining smallest units.
    pub(crate) fn parts(self) -> (u64, u64) {
        let amount = self.0.unsigned_abs();
        (amount / UNIT.unsigned_abs(), amount % UNIT.unsigned_abs())
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % UNIT == 0 {
            serializer.serialize_i64(self.0 / UNIT)
        } else {
            serializer.serialize_f64(self.to_number())
        }
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Money;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Money, E> {
                number
                    .checked_mul(UNIT)
                    .map(Money)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Signed(number), &self))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Money, E> {
                i64::try_from(number)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
                    .and_then(|number| self.visit_i64(number))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Money, E> {
                Money::from_number(number)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Float(number), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl utoipa::PartialSchema for Money {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::schema::Object::builder()
            .schema_type(utoipa::openapi::schema::Type::Number)
            .description(Some("An amount in the currency's main unit, with at most two decimals."))
            .into()
    }
}

impl utoipa::ToSchema for Money {
    fn name() -> Cow<'static, str> {
        "Money".into()
    }
}

impl From<i64> for Money {
    /// Converts from the smallest unit.
    fn from(smallest: i64) -> Self {
        Self(smallest)
    }
}

impl Add for Money {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Money {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Money {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<i64> for Money {
    type Output = Self;
    fn mul(self, times: i64) -> Self {
        Self(self.0 * times)
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        Self(amounts.map(|amount| amount.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(value: Value) -> Result<Money, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn an_amount_travels_in_the_main_unit_with_at_most_two_decimals() {
        for (paise, wire) in
            [(1500, "15"), (750, "7.5"), (755, "7.55"), (1, "0.01"), (0, "0"), (-250, "-2.5")]
        {
            assert_eq!(serde_json::to_string(&Money(paise)).unwrap(), wire);
            assert_eq!(serde_json::from_str::<Money>(wire).unwrap(), Money(paise), "{wire}");
        }
        assert_eq!(read(json!(15.0)), Ok(Money::main(15)));
        assert_eq!(serde_json::from_str::<Money>("1e2").unwrap(), Money::main(100));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for bad in [
            json!(7.555),
            json!(0.001),
            json!("15"),
            json!(null),
            json!(1e300),
            json!(i64::MAX),
            json!(u64::MAX),
        ] {
            let refused = read(bad.clone()).unwrap_err();
            assert!(refused.ends_with(EXPECTED), "{bad}: {refused}");
        }
    }

    proptest! {
        #[test]
        fn every_amount_comes_back_as_it_went(paise in -1_000_000_000_000_i64..1_000_000_000_000) {
            let text = serde_json::to_string(&Money(paise)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Money>(&text).unwrap(), Money(paise));
            prop_assert!(text.split_once('.').is_none_or(|(_, decimals)| decimals.len() <= 2), "{}", text);
        }
    }
}
