#![no_main]
#![allow(dead_code, reason = "the tests' modules have more than a target needs")]

#[path = "../../tests/api/app.rs"]
mod app;
#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/api/contract.rs"]
mod contract;
#[path = "../../tests/fuzz/targets.rs"]
mod targets;

thread_local!(static LIBRARY: targets::Library = targets::Library::new());

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    LIBRARY.with(|library| library.file(data));
});
