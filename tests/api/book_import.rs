//! Imports of books from the browser: any list of a school, previewed, stored once with its progress, undone as a whole, and
//! hostile files refused in plain words.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::{
    app::TestApp,
    common::Database,
    upload::{fields, finished, send, xlsx, zipped},
};

on_both_databases!(
    a_register_with_its_own_headings_is_imported_and_undone_as_a_whole_r_copy_7,
    an_import_of_which_a_book_was_lent_stays_r_undo_2,
    a_repeat_of_an_import_imports_nothing_twice_and_the_choice_is_remembered_r_seam_10,
);

const REGISTER: &str = "Acc. No.;Name of the Book;Writer;Rack No.;Nr;Publisher\n\
                        1001;Godan;Premchand;A1;9780747532699;Hans\n\
                        1002;Godan;Premchand;A1;9780747532699;Hans\n\
                        1003;The Guide;R. K. Narayan;A2;;Indian Thought\n\
                        1003;Kim;Kipling;A2;;\n\
                        1004;;Nobody;A2;;\n";

async fn a_register_with_its_own_headings_is_imported_and_undone_as_a_whole_r_copy_7(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let columns = send(&librarian, "/imports/books/columns", REGISTER, None).await.expect(200);
    let fields = fields(&columns);
    assert_eq!(fields, ["barcode", "title", "author", "location", "isbn", "publisher"]);
    assert_eq!((&columns["rows"], &columns["separator"]), (&json!(5), &json!(";")));
    let query = format!("columns={}&name=register.csv", fields.join(","));
    let report = send(&librarian, &format!("/imports/books/check?{query}"), REGISTER, None).await.expect(200);
    for (field, count) in
        [("rows", 5), ("added", 2), ("more", 1), ("copies", 3), ("known", 0), ("rejected", 2)]
    {
        assert_eq!(report[field], count, "{field} of {report}");
    }
    assert_eq!(report["rejectedRows"][0]["line"], 5);
    assert_eq!(app.raw("SELECT COUNT(*) FROM books"), app.raw("SELECT 0"));

    let begun = send(&librarian, &format!("/imports/books?{query}"), REGISTER, None).await.expect(202);
    let done = finished(&librarian, "books", &begun["id"]).await;
    for (field, value) in [
        ("state", json!("done")),
        ("rows", json!(5)),
        ("done", json!(5)),
        ("added", json!(2)),
        ("copies", json!(3)),
        ("rejected", json!(2)),
        ("left", json!(2)),
        ("inUse", json!(0)),
        ("by", json!("Librarian 0")),
    ] {
        assert_eq!(done[field], value, "{field} of {done}");
    }
    let stored = app.raw("SELECT title, no_of_books, location FROM books ORDER BY title");
    let stored: Vec<Vec<&str>> =
        stored.iter().map(|row| row.iter().filter_map(Option::as_deref).collect()).collect();
    assert_eq!(stored, [["Godan", "2", "A1"], ["The Guide", "1", "A2"]]);
    let path = format!("/imports/books/{}/rejected.csv", begun["id"]);
    let rejects = librarian.get(&path).await.text;
    assert!(rejects.starts_with("line,reason,Acc. No.,Name of the Book"), "{rejects}");

    let undo = format!("/imports/books/{}/undo", begun["id"]);
    librarian.post(&undo, &json!({})).await.expect(202);
    assert_eq!(finished(&librarian, "books", &begun["id"]).await["state"], "undone");
    assert_eq!(app.raw("SELECT COUNT(*) FROM books"), app.raw("SELECT 0"));
    librarian.post(&undo, &json!({})).await.problem(409, "refused");
    // The barcodes are free again.
    let again = send(&librarian, &format!("/imports/books?{query}"), REGISTER, None).await.expect(202);
    assert_eq!(finished(&librarian, "books", &again["id"]).await["copies"], 3);
}

async fn an_import_of_which_a_book_was_lent_stays_r_undo_2(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let begun =
        send(&librarian, "/imports/books", "title,barcode\nGodan,B1\nKim,B2\n", None).await.expect(202);
    finished(&librarian, "books", &begun["id"]).await;
    // More copies of a title that was there before.
    let more = send(&librarian, "/imports/books", "title,barcode\nKim,B3\n", None).await.expect(202);
    assert_eq!(finished(&librarian, "books", &more["id"]).await["more"], 1);
    let book = app.raw("SELECT id FROM books WHERE title = 'Godan'")[0][0].clone().expect("a book");
    app.student(1).await.borrow(book.parse().expect("a number")).await;
    let undo = |id: &Value| format!("/imports/books/{id}/undo");
    let refused = librarian.post(&undo(&begun["id"]), &json!({})).await;
    assert!(refused.problem(409, "refused").contains("1 of these books was lent"));
    // The second import can go.
    librarian.post(&undo(&more["id"]), &json!({})).await.expect(202);
    finished(&librarian, "books", &more["id"]).await;
    assert_eq!(app.raw("SELECT no_of_books FROM books WHERE title = 'Kim'"), app.raw("SELECT 1"));
    assert_eq!(app.raw("SELECT COUNT(*) FROM copies WHERE barcode_key = 'b3'"), app.raw("SELECT 0"));
}

async fn a_repeat_of_an_import_imports_nothing_twice_and_the_choice_is_remembered_r_seam_10(
    database: Database,
) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let (path, file) = ("/imports/books?columns=,title", "No.,What it is called\n1,Godan\n");
    let first = send(&librarian, path, file, Some("key")).await.expect(202);
    // Also while the import runs.
    let repeat = send(&librarian, path, file, Some("key")).await;
    assert_eq!(
        (repeat.expect(202)["id"].clone(), app.raw("SELECT COUNT(*) FROM imports")),
        (first["id"].clone(), app.raw("SELECT 1"))
    );
    finished(&librarian, "books", &first["id"]).await;
    let second = send(&librarian, path, file, Some("another")).await.expect(202);
    let second = finished(&librarian, "books", &second["id"]).await;
    assert_eq!((&second["known"], &second["added"]), (&json!(1), &json!(0)));
    let columns = send(&librarian, "/imports/books/columns", file, None).await.expect(200);
    assert_eq!((&columns["remembered"], &columns["columns"][1]["field"]), (&json!(true), &json!("title")));
    // An ISBN of another title is a clash, until the librarian wants it.
    let with_isbn = |title: &str| format!("title,isbn\n{title},9780747532699\n");
    let one = send(&librarian, "/imports/books", with_isbn("Godan"), None).await.expect(202);
    finished(&librarian, "books", &one["id"]).await;
    for (clashes, expected) in [(false, [0, 1]), (true, [1, 0])] {
        let path = format!("/imports/books/check?withClashes={clashes}");
        let report = send(&librarian, &path, with_isbn("Gaban"), None).await.expect(200);
        assert_eq!([&report["added"], &report["clashes"]], expected.map(Value::from).each_ref());
    }
    // So are books of which only an ISBN or a year is wrong; a row without a title stays rejected.
    let list =
        "title,isbn,publishedYear,price\nGora,978,1910,\nNirmala,,nineteen,Rs ten\n,978,,\nKim,,1901,250\n";
    for (without, [added, faulty, rejected]) in [(false, [1, 2, 3]), (true, [3, 2, 1])] {
        let path = format!("/imports/books/check?withoutFaulty={without}");
        let report = send(&librarian, &path, list.to_owned(), None).await.expect(200);
        for (field, count) in [("added", added), ("faulty", faulty), ("rejected", rejected)] {
            assert_eq!(report[field], count, "{field} of {report}");
        }
        let lines: Vec<_> =
            report["leftOut"].as_array().into_iter().flatten().map(|row| &row["line"]).collect();
        assert_eq!(lines, if without { vec![2, 3] } else { Vec::new() });
    }
    let begun =
        send(&librarian, "/imports/books?withoutFaulty=true", list.to_owned(), None).await.expect(202);
    assert_eq!(finished(&librarian, "books", &begun["id"]).await["added"], 3);
    let gora = app.raw("SELECT isbn, published_year FROM books WHERE title = 'Gora'");
    assert_eq!(gora, [[None, Some("1910".to_owned())]]);
}

fn ods(rows: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\"><office:body><office:spreadsheet>\
         <table:table table:name=\"1\">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    zipped(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
    ])
}

#[tokio::test]
async fn spreadsheets_are_read_below_the_name_of_the_school_r_seam_10() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let cell = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let book = xlsx(&format!(
        "<row r=\"1\">{}</row><row r=\"3\">{}{}{}</row><row r=\"4\">{}{}<c><v>9780747532699</v></c></row>",
        cell("St. Mary's School"),
        cell("Acc No"),
        cell("Book Name"),
        cell("ISBN"),
        cell("77"),
        cell("Godan &amp; more"),
    ));
    let text = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let calc = ods(&format!(
        "<table:table-row>{}</table:table-row><table:table-row table:number-rows-repeated=\"1\"/>\
         <table:table-row>{}{}{}</table:table-row>\
         <table:table-row>{}{}<table:table-cell office:value-type=\"float\" office:value=\"9780747532699\"><text:p>9.78E+12</text:p></table:table-cell></table:table-row>\
         <table:table-row table:number-rows-repeated=\"1048573\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>",
        text("St. Mary's School"),
        text("Acc No"),
        text("Book Name"),
        text("ISBN"),
        text("77"),
        text("Godan &amp; more"),
    ));
    for file in [book, calc] {
        let columns = send(&librarian, "/imports/books/columns", file.clone(), None).await.expect(200);
        assert_eq!((&columns["kind"], &columns["rows"]), (&json!("workbook"), &json!(1)), "{columns}");
        let cells: Vec<&Value> =
            columns["columns"].as_array().expect("a list").iter().map(|column| &column["cells"][0]).collect();
        assert_eq!(cells, ["77", "Godan & more", "9780747532699"]);
        let path = "/imports/books/check?columns=barcode,title,isbn";
        assert_eq!(send(&librarian, path, file, None).await.expect(200)["added"], 1);
    }
}

/// Packs this many mebibytes of blanks.
fn packed(mebibytes: usize) -> Vec<u8> {
    let mut packed = GzEncoder::new(b"".to_vec(), Compression::best());
    let blanks = vec![b' '; 1024 * 1024];
    for _ in 0..mebibytes {
        packed.write_all(&blanks).expect("packed");
    }
    packed.finish().expect("packed")
}

#[tokio::test]
async fn hostile_files_are_refused_with_a_reason_p13() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let bomb = vec![b'a'; 60 * 1024 * 1024];
    let many =
        "<table:table-row><table:table-cell table:number-columns-repeated=\"2000000000\"><text:p>x</text:p></table:table-cell></table:table-row>"
        .to_owned();
    for (what, file, reason) in [
        ("a row that never ends", packed(80), "1 MiB"),
        ("10⁵ columns", format!("title{}\n", ",x".repeat(100_000)).into_bytes(), "columns"),
        ("a NUL", b"title\na\0b\n".to_vec(), "NUL"),
        ("nothing", Vec::new(), "empty"),
        ("an archive that is none", b"PK\x03\x04 and more".to_vec(), "damaged"),
        ("an archive without a sheet", zipped(&[("a.txt", b"a")]), "without a spreadsheet"),
        ("an archive that unpacks without end", zipped(&[("xl/workbook.xml", &bomb)]), "unpacked"),
        ("a cell for all columns", ods(&many), "columns"),
        ("a sheet with a cell far away", xlsx("<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"XFD1\"><v>1</v></c></row>"), "columns"),
        ("Excel of the old kind", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), ".xlsx"),
        ("XML with a document type", b"<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><collection><record>&x;</record></collection>".to_vec(), "document type"),
        ("XML without records", b"<html></html>".to_vec(), "no MARC record"),
        ("an open quote", b"title\n\"a\n".to_vec(), "never closed"),
    ] {
        for path in ["/imports/books/columns", "/imports/books/check?columns=title", "/imports/books?columns=title"] {
            let refused = send(&librarian, path, file.clone(), None).await;
            let told = refused.problem(422, "invalid");
            let messages = refused.messages().join(" ");
            assert!(messages.contains(reason), "{what}: {told} {messages}");
        }
    }
    for columns in ["", "title,title", "nonsense", "title,author,isbn"] {
        let path = format!("/imports/books/check?columns={columns}");
        send(&librarian, &path, "a,b\n1,2\n", None).await.problem(422, "invalid");
    }
    assert_eq!(app.raw("SELECT COUNT(*) FROM imports"), app.raw("SELECT 0"));
}

#[tokio::test]
async fn a_gzipped_file_brings_up_to_a_million_rows_r_seam_10() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let of_rows = |rows: usize| {
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        file.write_all(format!("title\n{}", "Godan\n".repeat(rows)).as_bytes()).expect("packed");
        file.finish().expect("packed")
    };
    let report = send(&librarian, "/imports/books/check", of_rows(100_001), None).await.expect(200);
    assert_eq!((&report["rows"], &report["added"]), (&json!(100_001), &json!(1)));
    let refused = send(&librarian, "/imports/books/check", of_rows(1_000_001), None).await;
    refused.problem(422, "invalid");
    assert!(refused.messages().join(" ").contains("more than 1000000 rows"), "{:?}", refused.messages());
}

#[tokio::test]
async fn records_of_marc_come_out_as_they_came_in_r_seam_10() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let record = "<record><leader>00000nam a2200000 i 4500</leader><controlfield tag=\"001\">x1</controlfield>\
                  <datafield tag=\"245\" ind1=\"1\" ind2=\"0\"><subfield code=\"6\">880-01</subfield>\
                  <subfield code=\"a\">Godān /</subfield></datafield><datafield tag=\"880\" ind1=\"1\" ind2=\"0\">\
                  <subfield code=\"6\">245-01</subfield><subfield code=\"a\">गोदान /</subfield></datafield>\
                  <datafield tag=\"999\" ind1=\" \" ind2=\"9\"><subfield code=\"z\">kept</subfield></datafield></record>";
    let file = format!(
        "<collection>{record}<record><controlfield tag=\"001\">2</controlfield></record></collection>"
    );
    let report = send(&librarian, "/imports/books/check", file.clone(), None).await.expect(200);
    assert_eq!((&report["added"], &report["rejectedRows"][0]["line"]), (&json!(1), &json!(2)));
    let begun = send(&librarian, "/imports/books", file, None).await.expect(202);
    finished(&librarian, "books", &begun["id"]).await;
    assert_eq!(app.raw("SELECT title FROM books")[0][0].as_deref(), Some("गोदान = Godān"));
    app.book("Without a record", 1).await;
    let out = librarian.get("/books.mrc").await;
    assert_eq!(out.header("content-type"), Some("application/marc"));
    let text = out.text.clone();
    let records: Vec<&str> = text.split_terminator('\u{1d}').collect();
    assert_eq!(records.len(), 2);
    assert!(
        records[0].contains(" 9\u{1f}zkept\u{1e}") && records[0].contains("\u{1f}aगोदान /\u{1e}"),
        "{text:?}"
    );
    assert!(records[1].contains("\u{1f}aWithout a record\u{1e}"), "{text:?}");
}
