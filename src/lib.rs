//! A library: its catalogue, its loans, its readers.
//!
//! The map of the crate, from the outside in:
//!
//! - [`config`] is the command line; `main.rs` runs its commands; [`server`] listens.
//! - [`http`] answers requests, one file per area; [`http::access`] lists who may call what.
//! - [`catalogue`] keeps [`search`]'s index equal to the database; [`fold`] normalises text for comparison;
//!   [`text`] knows the invisible characters.
//! - [`circulation`] decides who may have which copy until when; handlers, imports and the demo call it.
//! - [`people`] adds, changes, deactivates and erases people; handlers and imports call it.
//! - [`domain`] has the rules as pure functions: dates, fines, status, limits of fields.
//! - [`storage`] is the only place that knows the two databases; one file per area there too.
//! - [`policies`] caches the librarians' settings; [`effect`] previews and applies their effect on open loans.
//! - [`jobs`] does background work, such as expiring holds.
//! - [`import`] and [`demo`] fill the catalogue, [`cover`] draws missing pictures; [`spreadsheet`] guards exported
//!   lists against formulas.
//! - [`oidc`] signs people in by the college's provider; [`outbound`] makes the calls to other machines,
//!   except that [`mail`] hands mails to the operator's mail server.
//! - [`message`] has every text for people, by code, in English; [`money`] is an amount.
//! - [`clock`] reads the time, [`time_zone`] keeps the library's, [`password`] hashes, [`second_factor`] checks codes of
//!   authenticator apps, [`passkey`] checks signatures of passkeys, [`limit`] limits rates, [`tls`] names the cryptography,
//!   [`token`] makes random tokens.

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
pub mod icalendar;
pub mod import;
pub mod jobs;
pub mod library;
pub mod limit;
pub mod look_up;
pub mod mail;
pub mod message;
pub mod money;
pub mod oidc;
pub mod outbound;
pub mod passkey;
pub mod password;
pub mod people;
pub mod picture;
pub mod policies;
pub mod restore_book;
pub mod search;
pub mod second_factor;
pub mod server;
pub mod spreadsheet;
pub mod storage;
pub mod supervise;
pub mod text;
pub mod time_zone;
pub mod tls;
pub mod token;
pub mod version;
