//! Version of the program.

use std::sync::LazyLock;

/// Version of the program, with the commit if the build names it, as `make build` does.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("LIBRARY_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
    format!("{}{commit}", env!("CARGO_PKG_VERSION"))
});
