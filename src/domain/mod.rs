//! The library's rules as pure functions: no clock, no database, no HTTP.

pub mod account;
pub mod agent;
pub mod book;
pub mod calendar;
pub mod change;
pub mod code;
pub mod copy;
pub mod due;
pub mod fine;
pub mod hold;
pub mod id;
pub mod isbn;
pub mod label;
pub mod ledger;
pub mod library;
pub mod loan;
pub mod mail;
pub mod moment;
pub mod notice;
pub mod person;
pub mod review;
pub mod rule;
pub mod rulebook;
pub mod rules;
pub mod till;
pub mod wording;
