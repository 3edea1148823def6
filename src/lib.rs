//! A library: its catalogue, its loans, its readers.
//!
//! The map of the crate, from the outside in:
//!
//! - [`config`] is the command line; `main.rs` runs what it asks for; [`server`] listens.
//! - [`http`] answers requests, one file per area; who may call what stands in [`http::access`].
//! - [`catalogue`] keeps [`search`]'s index true to the database; [`fold`] makes text comparable;
//!   [`text`] knows which characters show nothing.
//! - [`circulation`] decides who may have which copy until when; handlers, imports and the demo call it.
//! - [`people`] adds, changes, deactivates and erases people; handlers and imports call it.
//! - [`domain`] holds the rules, pure: dates, fines, status, what each field must be.
//! - [`storage`] is the only place that knows the two databases; one file per area there too.
//! - [`policies`] keeps what librarians have decided in memory; [`effect`] tells what a change of it does to open loans.
//! - [`jobs`] does what nobody asks for: holds that are past expire.
//! - [`import`], [`demo`] and [`cover`] fill the catalogue and draw what has no picture; [`spreadsheet`] keeps lists that
//!   are opened there from being run as formulas.
//! - [`oidc`] signs people in by the college's provider; [`outbound`] makes the only calls to other machines.
//! - [`message`] holds every text for people, by code, in English.
//! - [`clock`] tells the time, [`password`] hashes, [`second_factor`] knows what an authenticator app shows, [`passkey`] checks what a passkey signs, [`limit`] keeps count of tries, [`tls`] names the cryptography.

pub mod backups;
pub mod catalogue;
pub mod circulation;
pub mod clock;
pub mod config;
pub mod cover;
pub mod demo;
pub mod domain;
pub mod effect;
mod fault;
pub mod fold;
pub mod http;
pub mod import;
pub mod jobs;
pub mod limit;
pub mod message;
pub mod oidc;
pub mod outbound;
pub mod passkey;
pub mod password;
pub mod people;
pub mod policies;
pub mod restore_book;
pub mod search;
pub mod second_factor;
pub mod server;
pub mod spreadsheet;
pub mod storage;
pub mod text;
pub mod tls;
