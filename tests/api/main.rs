//! The product through its API: the real router in process, on a real database, with a clock that the test moves.
//!
//! One file per area; names are sentences and carry the requirement they show. Every answer is held against the API's
//! document on the way (`contract.rs`).

mod access;
mod accounts;
mod app;
mod bodies;
mod card;
mod catalogue;
mod circulation;
#[path = "../common/mod.rs"]
mod common;
mod connections;
mod contract;
mod detail;
mod edge;
mod health;
mod idempotency;
mod limits;
#[path = "../common/loan.rs"]
mod loan;
mod model;
mod race;
mod screens;
mod servers;
mod settings;
