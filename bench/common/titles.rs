//! Titles to measure with: real ones from a file, or generated ones.

use std::{fs::File, io::Read as _, path::Path};

use anyhow::Result;
use library::search::Entry;

/// Queries with many, few and no hits, in several scripts.
pub const QUERIES: [&str; 16] = [
    "a",
    "an",
    "zx",
    "qz",
    "the",
    "ing",
    "harry",
    "dragon",
    "xyzq",
    "history of the",
    "agatha christie",
    "zzzz not there",
    "shakespeare",
    "война",
    "गोदान",
    "tolstoy anna",
];

/// Reproducible pseudo-random numbers: the linear congruential generator of Knuth's MMIX.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % end
    }

    /// Returns a made-up word of `syllables` syllables.
    pub fn word(&mut self, syllables: usize) -> String {
        const CONSONANTS: [&str; 20] = [
            "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "y", "z",
            "sh",
        ];
        const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ai"];
        let mut word = String::new();
        for _ in 0..syllables {
            word.push_str(CONSONANTS[self.below(CONSONANTS.len())]);
            word.push_str(VOWELS[self.below(VOWELS.len())]);
        }
        word
    }
}

/// Returns `count` titles with their authors: those of a CSV file (columns title and author, may be gzipped), repeated
/// as further volumes, or generated ones.
pub fn titles(file: Option<&Path>, count: usize) -> Result<Vec<Entry>> {
    let given = match file {
        Some(file) => read(file)?,
        None => generated(count),
    };
    Ok((0..count)
        .map(|n| {
            let (title, author) = &given[n % given.len()];
            let title = match n / given.len() {
                0 => title.clone(),
                again => format!("{title}, volume {}", again + 1),
            };
            Entry {
                id: i64::try_from(n + 1).unwrap_or(i64::MAX),
                title,
                author: author.clone(),
                ..Entry::default()
            }
        })
        .collect())
}

fn read(file: &Path) -> Result<Vec<(String, String)>> {
    let mut content = Vec::new();
    let opened = File::open(file)?;
    if file.extension().is_some_and(|extension| extension == "gz") {
        flate2::read::GzDecoder::new(opened).read_to_end(&mut content)?;
    } else {
        (&opened).read_to_end(&mut content)?;
    }
    let mut rows = csv::Reader::from_reader(content.as_slice());
    rows.records()
        .map(|row| row.map(|row| (row[0].to_owned(), row[1].to_owned())).map_err(Into::into))
        .collect()
}

/// Generates titles and authors from words by Zipf's law: the nth most common word is n times rarer than the first.
fn generated(count: usize) -> Vec<(String, String)> {
    let mut random = Random::new(1);
    let words: Vec<String> = (0..40_000).map(|n| random.word(1 + n % 4)).collect();
    let mut word = || {
        // The logarithm of a rank is distributed uniformly.
        let bits = random.below(16);
        let rank = (1_usize << bits) + random.below(1 << bits);
        words[rank.min(words.len()) - 1].clone()
    };
    (0..count)
        .map(|n| {
            let title: Vec<String> = (0..3 + n % 6).map(|_| word()).collect();
            (title.join(" "), format!("{} {}", word(), word()))
        })
        .collect()
}
