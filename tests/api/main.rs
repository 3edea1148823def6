//! The product through its API: the real router in process, on a real database, with a clock that the test moves.
//!
//! One file per area; names are sentences and carry the requirement they show. Every answer is held against the API's
//! document on the way (`contract.rs`).

/// Makes two tests of each function, on several threads: one on `SQLite`, one on `PostgreSQL`.
macro_rules! on_both_databases {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $test() { super::$test(crate::common::Database::ready_sqlite()).await; }
        )+ }
        mod postgres { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $test() { super::$test(crate::common::Database::ready_postgres()).await; }
        )+ }
    };
}

mod access;
mod accounts;
mod app;
mod authority;
mod backups;
mod bodies;
mod book_import;
mod calendar_link;
mod card;
mod catalogue;
#[path = "../common/certificate.rs"]
mod certificate;
mod circulation;
mod codes;
#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "an app opens a database with the current schema")]
mod common;
mod connections;
mod contract;
mod copies;
mod covers;
mod demo;
mod desk;
mod detail;
#[path = "../common/device.rs"]
mod device;
mod edge;
mod fuzz;
#[path = "../fuzz/targets.rs"]
mod fuzz_targets;
mod health;
mod holds;
mod idempotency;
mod import;
mod jobs;
mod labels;
mod law;
#[path = "../common/librarian.rs"]
mod librarian;
mod limits;
#[path = "../common/loan.rs"]
mod loan;
mod look_up;
mod mail_notices;
#[path = "../common/mail_server.rs"]
mod mail_server;
mod mails;
mod model;
mod money;
mod moving_in;
mod network;
mod newer;
mod notices;
mod oidc;
mod own_undo;
mod passing;
mod passkeys;
mod people;
mod phone;
mod photos;
#[path = "../common/provider.rs"]
mod provider;
mod race;
#[path = "../common/ready.rs"]
mod ready;
mod rush;
mod screens;
mod second_factor;
mod seeded;
mod servers;
mod sessions;
mod settings;
mod setup;
mod sign_in_codes;
mod structure;
mod suggestions;
mod texts;
mod time;
mod tls;
mod upload;
mod wordings;
