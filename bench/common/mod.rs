//! Shared code of the benches.
#![allow(dead_code, reason = "each bench uses a part of it")]

pub mod client;
pub mod figures;
pub mod floor;
pub mod library;
pub mod lists;
pub mod load;
pub mod paths;
pub mod server;
pub mod titles;
pub mod wrk;
