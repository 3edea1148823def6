//! Bringing data in from CSV files, whole: every row is stored, known already, or listed with the reason why not.
//!
//! [`table`] and [`rejects`] are what every import shares: the first reads the rows, the second lists those that could
//! not be taken. What a row means is told by the file of its kind, for instance [`books`].

pub mod books;
pub mod people;
pub mod rejects;
pub mod table;
