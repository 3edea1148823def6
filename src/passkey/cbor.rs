//! The subset of CBOR (RFC 8949) that authenticators send: definite lengths only, as in CTAP2's canonical form.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    Whole(i64),
    Bytes(&'a [u8]),
    Text(&'a str),
    List(Vec<Item<'a>>),
    Map(Vec<(Item<'a>, Item<'a>)>),
    Bool(bool),
    Null,
}

/// Maximum nesting; CTAP2 allows four levels.
const DEPTH: usize = 4;

/// Parses the first item and returns it with the remaining bytes; `None` if the item is malformed.
#[must_use]
pub fn read(bytes: &[u8]) -> Option<(Item<'_>, &[u8])> {
    let mut reader = Reader(bytes);
    let item = reader.item(DEPTH)?;
    Some((item, reader.0))
}

impl<'a> Item<'a> {
    /// Value of a map's key; `None` if the key is a duplicate.
    #[must_use]
    pub fn get(&self, key: &Item<'_>) -> Option<&Item<'a>> {
        let Self::Map(pairs) = self else { return None };
        let mut found = pairs.iter().filter(|(name, _)| name == key);
        let (_, value) = found.next()?;
        found.next().is_none().then_some(value)
    }

    #[must_use]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads an item's major type and the number in its head.
    fn head(&mut self) -> Option<(u8, u64)> {
        let first = *self.take(1)?.first()?;
        let (kind, short) = (first >> 5, first & 31);
        let number = match short {
            0..24 => u64::from(short),
            24..28 => {
                self.take(1 << (short - 24))?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
            }
            // Reserved, or an indefinite length.
            _ => return None,
        };
        Some((kind, number))
    }

    fn item(&mut self, depth: usize) -> Option<Item<'a>> {
        let (kind, number) = self.head()?;
        let length = || usize::try_from(number).ok();
        // Allocates nothing for a claimed length.
        match kind {
            0 => Some(Item::Whole(i64::try_from(number).ok()?)),
            1 => Some(Item::Whole(-1 - i64::try_from(number).ok()?)),
            2 => Some(Item::Bytes(self.take(length()?)?)),
            3 => Some(Item::Text(std::str::from_utf8(self.take(length()?)?).ok()?)),
            4 => {
                let below = depth.checked_sub(1)?;
                (0..number).map(|_| self.item(below)).collect::<Option<_>>().map(Item::List)
            }
            5 => {
                let below = depth.checked_sub(1)?;
                let pairs = (0..number).map(|_| Some((self.item(below)?, self.item(below)?)));
                pairs.collect::<Option<_>>().map(Item::Map)
            }
            7 => match number {
                20 => Some(Item::Bool(false)),
                21 => Some(Item::Bool(true)),
                22 => Some(Item::Null),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// RFC 8949, appendix A.
    #[test]
    fn items_are_those_of_rfc_8949() {
        for (bytes, item) in [
            (b"\x17".as_slice(), Item::Whole(23)),
            (b"\x18\x64", Item::Whole(100)),
            (b"\x19\x03\xe8", Item::Whole(1000)),
            (b"\x1b\x00\x00\x00\xe8\xd4\xa5\x10\x00", Item::Whole(1_000_000_000_000)),
            (b"\x20", Item::Whole(-1)),
            (b"\x39\x01\x00", Item::Whole(-257)),
            (b"\x44\x01\x02\x03\x04", Item::Bytes(&[1, 2, 3, 4])),
            (b"\x62\xc3\xbc", Item::Text("ü")),
            (b"\x82\x01\xf5", Item::List(vec![Item::Whole(1), Item::Bool(true)])),
            (b"\xa1\x61a\xf6", Item::Map(vec![(Item::Text("a"), Item::Null)])),
        ] {
            assert_eq!(read(bytes), Some((item, [].as_slice())), "{bytes:x?}");
        }
    }

    #[test]
    fn what_is_cut_off_endless_deep_or_twice_there_is_refused() {
        for odd in [
            b"".as_slice(),
            b"\x44\x01",
            b"\x5f\x41\x01\xff",
            b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x81\x81\x81\x81\x81\x01",
            b"\x61\xff",
            b"\xc0\x01",
            b"\xf9\x00\x00",
        ] {
            assert_eq!(read(odd), None, "{odd:x?}");
        }
        let (twice, _) = read(b"\xa2\x01\x02\x01\x03").expect("a map");
        assert_eq!(twice.get(&Item::Whole(1)), None);
    }

    proptest! {
        #[test]
        fn no_bytes_bring_it_down(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some((_, rest)) = read(&bytes) {
                prop_assert!(rest.len() < bytes.len());
            }
        }
    }
}
