//! The programs that are compared: each a binary with a database of its own.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Result, ensure};

use crate::{
    client::Connection,
    server::{Server, run, serve, sqlite},
};

/// Students that borrow. Each is registered and signed in through the API, where hashing takes its time.
pub const STUDENTS: usize = 64;

const PASSWORD: &str = "measured, not judged";

pub struct Program {
    pub name: String,
    binary: PathBuf,
    /// A database with the catalogue and the signed-in students; each round begins with a copy of it.
    prepared: PathBuf,
    /// The sessions of the students.
    pub cookies: Vec<String>,
}

impl Program {
    /// Imports the catalogue and signs the students in.
    pub async fn prepare(name: &str, binary: &Path, catalogue: &Path, folder: &Path) -> Result<Self> {
        let (work, prepared) = (folder.join(format!("{name}-work.db")), folder.join(format!("{name}.db")));
        let mut program = Self {
            name: name.into(),
            binary: binary.into(),
            prepared: prepared.clone(),
            cookies: Vec::new(),
        };
        program.import(catalogue, &work, folder)?;
        let server = serve(&program.binary, &sqlite(&work)).await?;
        let mut connection = Connection::open(&server.address).await?;
        for n in 0..STUDENTS {
            let email = format!("student{n}@example.org");
            let body = format!(
                r#"{{"email":"{email}","password":"{PASSWORD}","name":"Student {n}","rollNumber":"cs28-{n}","#
            ) + r#""department":"Physics","batch":"2028"}"#;
            let answer = connection
                .send(&format!(
                    "POST /library/api/v1/auth/register HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
                     content-length: {}\r\n\r\n{body}",
                    server.address,
                    body.len()
                ))
                .await?;
            ensure!(answer.status < 300, "{name}: auth/register answered {}", answer.status);
            program.cookies.push(connection.sign_in(&server.address, &email, PASSWORD).await?);
        }
        // A copy without the log of what is not yet in the file.
        run(&program.binary, &["backup", &prepared.display().to_string()], &sqlite(&work), "")?;
        Ok(program)
    }

    /// Imports a file of books into a database and answers how long it took.
    pub fn import(&self, books: &Path, database: &Path, folder: &Path) -> Result<Duration> {
        let rejected = folder.join("rejected.csv");
        let arguments =
            ["import", "books", &books.display().to_string(), "--rejected", &rejected.display().to_string()];
        run(&self.binary, &arguments, &sqlite(database), "")
    }

    /// Starts on a copy of what was prepared.
    pub async fn start(&self, folder: &Path) -> Result<Server> {
        let database = folder.join(format!("{}-round.db", self.name));
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.join(format!("{}-round.db{suffix}", self.name)));
        }
        std::fs::copy(&self.prepared, &database)?;
        serve(&self.binary, &sqlite(&database)).await
    }
}
