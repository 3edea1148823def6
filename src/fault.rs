//! Faults that the rigs of `docs/reliability.md` plant, to show that they would notice them. A release build has none.

use std::sync::LazyLock;

/// What a broken build could do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Answers before COMMIT.
    EarlyAnswer,
    /// Commits without waiting for the disk.
    NoSync,
    /// Takes a failed commit for a good one.
    SwallowedError,
    /// Lets passwords be checked in the order of arrival.
    OneQueue,
    /// Bears a header that never ends.
    NoHeaderTimer,
    /// Looks how many copies a title has without its lock.
    NoTitleLock,
    /// Shows a reader what was there when the read before ended.
    StaleRead,
    /// Panics while it answers `GET /genres`.
    Panic,
}

/// Whether `LIBRARY_FAULT` names it.
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

/// Fails as a faulty handler does, where that is planted.
pub(crate) fn panic_if_planted() {
    assert!(!is_planted(Fault::Panic), "a fault that was planted");
}
