//! Compared programs: each a binary with its own database.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};

use crate::common::{
    library::register,
    server::{Server, run, serve, sqlite},
};

/// Number of borrowing students; few, because registration and sign-in through the API hash slowly.
pub const STUDENTS: usize = 64;

pub struct Program {
    pub name: String,
    binary: PathBuf,
    /// Database with the catalogue and the signed-in students; each round begins with a copy.
    prepared: PathBuf,
    /// Sessions of the students.
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
        program.import(catalogue, &work, folder).await?;
        let server = serve(&program.binary, &sqlite(&work)).await?;
        for n in 0..STUDENTS {
            program.cookies.push(register(&server, n).await.context(name.to_owned())?);
        }
        // The copy is complete without a write-ahead log.
        run(&program.binary, &["backup", &prepared.display().to_string()], &sqlite(&work), "")?;
        Ok(program)
    }

    /// Imports a file of books into a new database; returns the duration of the import.
    pub async fn import(&self, books: &Path, database: &Path, folder: &Path) -> Result<Duration> {
        // Only a server creates a new database.
        drop(serve(&self.binary, &sqlite(database)).await?);
        let rejected = folder.join("rejected.csv");
        let arguments =
            ["import", "books", &books.display().to_string(), "--rejected", &rejected.display().to_string()];
        run(&self.binary, &arguments, &sqlite(database), "")
    }

    /// Starts a server on a copy of the prepared database.
    pub async fn start(&self, folder: &Path) -> Result<Server> {
        let database = folder.join(format!("{}-round.db", self.name));
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.join(format!("{}-round.db{suffix}", self.name)));
        }
        std::fs::copy(&self.prepared, &database)?;
        serve(&self.binary, &sqlite(&database)).await
    }
}
