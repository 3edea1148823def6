//! R9 on a stable compiler: the kept corpus, then random mutations. `make fuzz` does the same guided by coverage.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use crate::{
    fuzz_targets::{Library, text},
    librarian::Random,
};

/// Inputs that parsers tend to stumble over.
const ODD: [&[u8]; 24] = [
    b"\0",
    b"\r",
    b"\n\n",
    b"\"",
    b"\\",
    b"%00",
    b"%ff",
    b"%2e%2e/",
    b"&",
    b"=",
    b";",
    b",,",
    b"{}",
    b"[[[[",
    b"null",
    b"-1",
    b"9223372036854775808",
    b"1e999",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "\u{202e}".as_bytes(),
    "İ".as_bytes(),
    "𐀀".as_bytes(),
    b"=cmd|' /C calc'!A0",
];

/// Returns the corpus files in a fixed order.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a corpus").map(|file| file.expect("a file").path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).expect("readable")).collect()
}

/// Applies one to four mutations: flips, deletes or inserts a byte, inserts an odd text, repeats a piece or takes one of
/// another file.
fn changed(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut data = random.one_of(corpus).expect("not empty").clone();
    for _ in 0..=random.below(4) {
        let at = random.below(data.len() + 1);
        let to = at + random.below((data.len() - at).min(40) + 1);
        match random.below(6) {
            0 if at < data.len() => data[at] ^= 1 << random.below(8),
            1 => drop(data.drain(at..to)),
            2 => {
                let piece = data[at..to].repeat(1 + random.below(60));
                data.splice(at..at, piece);
            }
            3 => {
                let other = random.one_of(corpus).expect("not empty");
                let from = random.below(other.len() + 1);
                data.splice(at..to, other[from..].iter().copied());
            }
            _ => {
                let odd = *random.one_of(&ODD).expect("not empty");
                data.splice(at..to, odd.iter().copied());
            }
        }
    }
    data
}

/// Runs the target on the corpus and on its mutations; returns how many inputs the target accepted.
fn run(name: &str, rounds: usize, mut target: impl FnMut(&[u8]) -> bool) -> usize {
    let corpus = corpus(name);
    let mut random = Random(20_261_123);
    let kept = corpus.iter().cloned();
    let others = (0..rounds).map(|_| changed(&mut random, &corpus));
    let mut useful = 0;
    for data in kept.chain(others) {
        let used = catch_unwind(AssertUnwindSafe(|| target(&data))).unwrap_or_else(|_| {
            panic!("put this into tests/fuzz/corpus/{name}: {:?}", String::from_utf8_lossy(&data))
        });
        useful += usize::from(used);
    }
    useful
}

/// Returns the number of mutations: that of the gate, unless the environment asks for more.
fn rounds(gate: usize) -> usize {
    let soak = std::env::var("LIBRARY_TEST_SOAK").ok().and_then(|rounds| rounds.parse::<usize>().ok());
    gate * soak.unwrap_or(1)
}

#[test]
fn no_request_is_the_servers_fault_r9() {
    let library = Library::new();
    let rounds = rounds(3000);
    let asked = run("requests", rounds, |data| library.request(data));
    assert!(asked > rounds / 2, "{asked} of {rounds} were requests");
}

#[test]
fn no_file_of_books_stops_the_import_r9() {
    let library = Library::new();
    let taken = run("files", rounds(400), |data| library.file(data));
    assert!(taken > 20, "{taken} were taken");
}

#[test]
fn no_text_is_too_odd_r9() {
    run("texts", rounds(4000), |data| {
        text(data);
        true
    });
}

/// Control of R9: a fault behind two conditions is found.
#[test]
fn a_panic_that_was_planted_is_found_r9() {
    let library = Library::new();
    let fault = |data: &[u8]| {
        let odd = data.windows(3).any(|bytes| bytes == b"%00") && data.starts_with(b"GET /books");
        assert!(!odd, "a fault that was planted");
        library.request(data)
    };
    let found = catch_unwind(AssertUnwindSafe(|| run("requests", 3000, fault)));
    assert!(found.is_err(), "nothing was found");
}
