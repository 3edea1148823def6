//! Faults injected by the rigs of `docs/reliability.md`, which must detect them. Release builds have none.

use std::sync::LazyLock;

/// Fault that can be injected into a debug build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Answers before COMMIT.
    EarlyAnswer,
    /// Commits without waiting for the disk.
    NoSync,
    /// Treats a failed commit as successful.
    SwallowedError,
    /// Verifies passwords in order of arrival.
    OneQueue,
    /// Tolerates a header that never ends.
    NoHeaderTimer,
    /// Reads a title's number of copies without its lock.
    NoTitleLock,
    /// Gives a reader the snapshot of an earlier read.
    StaleRead,
    /// Panics in `GET /genres`.
    Panic,
}

/// True if `LIBRARY_FAULT` names this fault; always false in a release build.
pub(crate) fn is_planted(fault: Fault) -> bool {
    static PLANTED: LazyLock<Option<Fault>> =
        LazyLock::new(|| match std::env::var("LIBRARY_FAULT").ok()?.as_str() {
            "early-answer" => Some(Fault::EarlyAnswer),
            "no-sync" => Some(Fault::NoSync),
            "panic" => Some(Fault::Panic),
            "swallowed-error" => Some(Fault::SwallowedError),
            "one-queue" => Some(Fault::OneQueue),
            "no-title-lock" => Some(Fault::NoTitleLock),
            "stale-read" => Some(Fault::StaleRead),
            "no-header-timer" => Some(Fault::NoHeaderTimer),
            _ => None,
        });
    cfg!(debug_assertions) && *PLANTED == Some(fault)
}

/// Panics like a faulty handler, if injected.
pub(crate) fn panic_if_planted() {
    assert!(!is_planted(Fault::Panic), "a fault that was planted");
}
