//! The built program: its command line, its import, and what survives its crash.

#[path = "../common/certificate.rs"]
mod certificate;
mod command_line;
#[path = "../common/mod.rs"]
mod common;
mod contract;
mod crowd;
#[path = "../common/device.rs"]
#[expect(dead_code, reason = "other ways of signing are tried in process")]
mod device;
mod disk;
mod durability;
mod edge;
mod faults;
mod files;
mod growth;
mod histories;
mod import;
mod index_file;
#[path = "../common/librarian.rs"]
mod librarian;
mod mail;
#[path = "../common/mail_server.rs"]
#[expect(dead_code, reason = "the other ways in which a mail server fails are tried in process")]
mod mail_server;
mod moving;
mod process;
#[path = "../common/provider.rs"]
#[expect(dead_code, reason = "the ways in which a provider is hostile are tried in process")]
mod provider;
mod restore;
mod rig;
mod role;
mod security;
mod service;
mod setup;
mod tls;
mod upkeep;
