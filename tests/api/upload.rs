//! Files sent to the API, and the imports that they begin.

use std::{
    io::{Cursor, Write as _},
    time::Duration,
};

use axum::{body::Body, http::HeaderValue};
use library::http::idempotency::KEY;
use serde_json::Value;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::app::{Answer, Person};

/// Sends a file.
pub async fn send(librarian: &Person<'_>, path: &str, file: impl Into<Body>, key: Option<&str>) -> Answer {
    let mut request = librarian.request("POST", path, None);
    request.headers_mut().insert("content-type", HeaderValue::from_static("application/octet-stream"));
    if let Some(key) = key {
        request.headers_mut().insert(KEY, key.parse().expect("a header"));
    }
    *request.body_mut() = file.into();
    librarian.send(request).await
}

/// Waits until an import or an undo is over; returns it.
pub async fn finished(librarian: &Person<'_>, kind: &str, id: &Value) -> Value {
    for _ in 0..600 {
        let import = librarian.get(&format!("/imports/{kind}/{id}")).await.expect(200);
        if !matches!(import["state"].as_str(), Some("running" | "undoing")) {
            return import;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("import {id} does not end");
}

/// Returns the guessed fields of a file's columns.
pub fn fields(columns: &Value) -> Vec<&str> {
    let columns = columns["columns"].as_array().expect("a list");
    columns.iter().filter_map(|column| column["field"].as_str()).collect()
}

/// Packs files into a ZIP archive.
pub fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(content).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}

/// Makes a spreadsheet of these rows.
pub fn xlsx(rows: &str) -> Vec<u8> {
    let sheet = format!(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{rows}</sheetData></worksheet>"
    );
    zipped(&[
        (
            "[Content_Types].xml",
            b"<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>",
        ),
        (
            "_rels/.rels",
            b"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
        ),
        (
            "xl/workbook.xml",
            b"<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"Books\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            b"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>",
        ),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}
