//! Structure of `src/`: its folders import each other in one direction.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Imports within a circle that are tolerated: (importing folder, imported folder).
const TOLERATED: &[(&str, &str)] = &[];

/// Imported folders by importing folder, each with a file that imports it. A file of `src/` counts as a folder.
type Imports = BTreeMap<String, BTreeMap<String, PathBuf>>;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the first names after `crate::` in a source: `a` and `b` of `use crate::{a::X, b};`.
fn imported(source: &str) -> BTreeSet<String> {
    let lines = source.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    let code = lines.collect::<Vec<_>>().join("\n");
    let name =
        |text: &str| text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
    let mut names = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let Some(group) = after.strip_prefix('{') else {
            names.insert(name(after));
            continue;
        };
        let (mut depth, mut begins) = (0_usize, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && !c.is_whitespace() => {
                    names.insert(name(&group[at..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    names
}

fn imports() -> Imports {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let folder = |file: &Path| {
        let below = file.strip_prefix(&source).expect("below src").iter().next().expect("a name");
        below.to_str().expect("UTF-8").trim_end_matches(".rs").to_owned()
    };
    let folders: BTreeSet<String> = files.iter().map(|file| folder(file)).collect();
    let mut imports = Imports::new();
    for file in &files {
        let from = folder(file);
        let text = fs::read_to_string(file).expect("readable");
        for to in imported(&text).into_iter().filter(|to| *to != from && folders.contains(to)) {
            imports.entry(from.clone()).or_default().entry(to).or_insert_with(|| file.clone());
        }
    }
    imports
}

fn reachable(imports: &Imports, from: &str) -> BTreeSet<String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(folder) = next.pop() {
        for to in imports.get(&folder).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(to.clone()) {
                next.push(to.clone());
            }
        }
    }
    seen
}

/// Returns the imports that lead back to the importing folder.
fn circles(imports: &Imports) -> BTreeMap<(&str, &str), &Path> {
    let all = imports.iter().flat_map(|(from, into)| into.iter().map(move |(to, file)| (from, to, file)));
    all.filter(|(from, to, _)| reachable(imports, to).contains(*from))
        .map(|(from, to, file)| ((from.as_str(), to.as_str()), file.as_path()))
        .collect()
}

#[test]
fn no_two_folders_import_each_other_in_a_circle() {
    let imports = imports();
    assert!(imports["http"].contains_key("circulation"), "no import is read: {imports:#?}");
    let mut circles = circles(&imports);
    let gone: Vec<_> = TOLERATED.iter().filter(|pair| circles.remove(*pair).is_none()).collect();
    assert!(gone.is_empty(), "no longer in a circle, remove from the list: {gone:?}");
    assert!(circles.is_empty(), "imports in a circle, each with one of its files: {circles:#?}");
}

#[test]
fn a_circle_of_imports_is_found() {
    let source = "use crate::{a::{B, C}, d as e, f}; // crate::no\nfn g() { crate::h::i(); }";
    assert_eq!(imported(source).into_iter().collect::<Vec<_>>(), ["a", "d", "f", "h"]);
    let mut imports = Imports::new();
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")] {
        imports.entry(from.into()).or_default().insert(to.into(), PathBuf::new());
    }
    assert_eq!(circles(&imports).into_keys().collect::<Vec<_>>(), [("a", "b"), ("b", "c"), ("c", "a")]);
}
