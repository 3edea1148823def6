use super::*;

fn record(fields: &[(&str, &str)]) -> Record {
    let fields =
        fields.iter().map(|(tag, data)| Field { tag: (*tag).to_owned(), data: data.replace('$', "\u{1f}") });
    Record { leader: "00000nam a2200000 i 4500".into(), fields: fields.collect() }
}

fn rows(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    convert(bytes, &mut out).expect("records");
    let mut reader = csv::Reader::from_reader(out.as_slice());
    reader.records().map(|row| row.expect("CSV").iter().map(ToOwned::to_owned).collect()).collect()
}

#[test]
fn a_record_becomes_a_row_and_is_kept_unchanged() {
    let godan = record(&[
        ("008", "850101s1936    ii            000 1 hin d"),
        ("020", "  $a9780747532699 (pbk.)$c100"),
        ("082", "04$a891.433"),
        ("100", "1 $6880-01$aPremchand, Munshi,$d1880-1936."),
        ("245", "10$6880-02$aGodān :$bthe gift of a cow /$cPremchand."),
        ("250", "  $aFirst edition."),
        ("264", " 1$aVārāṇasī :$bSaraswati Press,$c[1936]"),
        ("650", " 0$aHindi fiction."),
        ("880", "10$6245-02$aगोदान /$cप्रेमचंद."),
        ("952", "  $gRs. 120.50$oA3$pL77"),
        ("952", "  $oA3$pL78"),
    ]);
    let stored = godan.to_iso_2709();
    let rows = rows(stored.as_bytes());
    assert_eq!(
        rows[0][..13],
        [
            "गोदान = Godān: the gift of a cow",
            "Munshi Premchand",
            "9780747532699",
            "1936",
            "hi",
            "Hindi fiction",
            "A3",
            "",
            "L77|L78",
            "Saraswati Press",
            "First edition",
            "A3",
            "Rs. 120.50"
        ]
    );
    let kept = record_of(&rows[0][13]).expect("kept");
    assert_eq!(Record::from_iso_2709(&kept).expect("a record").fields, godan.fields);
}

#[test]
fn a_damaged_record_is_named_and_the_next_one_is_read_p13() {
    let sound = record(&[("245", "00$aPoems.")]).to_iso_2709();
    let cut = &sound.as_bytes()[..sound.len() - 9];
    let unimarc = record(&[("200", "1 $aPoèmes")]).to_iso_2709();
    let file = [sound.as_bytes(), b"00999nam\x1d", unimarc.as_bytes(), sound.as_bytes(), cut].concat();
    let rows = rows(&file);
    let problems: Vec<&str> = rows.iter().map(|row| row[14].as_str()).collect();
    assert_eq!(problems.len(), 5);
    assert_eq!((problems[0], problems[3]), ("", ""));
    assert!(problems[1].starts_with("record at byte "), "{problems:?}");
    assert!(problems[2].contains("UNIMARC") && problems[4].contains("cut off"), "{problems:?}");
}

#[test]
fn lengths_that_lie_and_leaders_that_name_the_wrong_encoding_do_no_harm_p13() {
    let sound = record(&[("245", "00$aCafé"), ("500", "  $aNote")]).to_iso_2709();
    // The directory is one byte short for every field after the first.
    let lied = sound.replacen("0010", "0009", 1);
    for text in [sound.clone(), lied, sound.replace("a22", " 22")] {
        assert_eq!(rows(text.as_bytes())[0][0], "Café");
    }
    let latin: Vec<u8> = sound.replace("Café", "Caf@@e").into_bytes();
    let marc_8: Vec<u8> = latin
        .iter()
        .enumerate()
        .map(|(place, byte)| match (byte, latin.get(place + 1)) {
            (b'@', Some(b'e')) => 0xe2,
            (byte, _) => *byte,
        })
        .filter(|byte| *byte != b'@')
        .collect();
    assert_eq!(rows(&marc_8)[0][0], "Café");
}

#[test]
fn xml_is_read_record_by_record_and_a_document_type_is_refused_p13() {
    let text = "<collection><record><leader>00000nam a2200000 a 4500</leader>
        <datafield tag=\"245\" ind1=\"0\" ind2=\"0\"><subfield code=\"a\">War &amp; peace &#x2014; 1</subfield></datafield></record>
        <marc:record><datafield tag=\"245\"><subfield>x</subfield></datafield></marc:record>
        <record><datafield tag=\"245\"><subfield code=\"a\">&bomb;</subfield></datafield></record>
        <record><datafield tag=\"245\"><subfield code=\"a\">Last</subfield></datafield></record></collection>";
    let rows = rows(text.as_bytes());
    let told: Vec<(&str, &str)> = rows.iter().map(|row| (row[0].as_str(), row[14].as_str())).collect();
    assert_eq!((told[0], told[3]), (("War & peace — 1", ""), ("Last", "")));
    assert!(told[1].1.starts_with("record 2: a subfield has no code"), "{told:?}");
    assert!(told[2].1.contains("unknown entity"), "{told:?}");
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"bb\">]><collection><record/></collection>";
    let refused = convert(bomb.as_bytes(), &mut Vec::new());
    assert!(refused.is_err_and(|error| error.to_string().contains("document type")));
}

/// Returns the letters and digits of a title, normalised for comparison.
fn letters(text: &str) -> String {
    plain(text).nfkd().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Runs if `LIBRARY_REAL_MARC` names a folder with records and their answer key, which are not part of the product.
#[test]
fn real_records_are_read_with_none_lost_and_no_title_garbled() {
    let Ok(folder) = std::env::var("LIBRARY_REAL_MARC") else {
        eprintln!("LIBRARY_REAL_MARC names no folder: real records are not read");
        return;
    };
    let folder = std::path::Path::new(&folder);
    let read = |name: &str| rows(&std::fs::read(folder.join(name)).expect("a file"));
    let mut key = csv::Reader::from_path(folder.join("expected-titles.csv")).expect("an answer key");
    let mut files: std::collections::BTreeMap<String, Vec<(usize, String)>> =
        std::collections::BTreeMap::new();
    for row in key.records() {
        let row = row.expect("CSV");
        let number = row[1].parse::<usize>().expect("a number");
        files.entry(row[0].to_owned()).or_default().push((number, row[3].to_owned()));
    }
    let mut titles = 0;
    for (name, expected) in files.iter().filter(|(name, _)| !name.starts_with("tricky/")) {
        let rows = read(name);
        assert_eq!(rows.len(), expected.len(), "{name}");
        for (number, title) in expected {
            let row = &rows[number - 1];
            assert_eq!(row[14], "", "{name} {number}");
            let (found, wanted) = (letters(&row[0]), letters(title));
            // Record 50 has superscripts, which each of its three files encodes differently.
            let is_exempt = name.starts_with("gpo-nbs") && *number == 50;
            assert!(found.contains(&wanted) || is_exempt, "{name} {number}: {title} became {}", row[0]);
            titles += 1;
        }
    }
    for file in std::fs::read_dir(folder.join("tricky")).expect("a folder") {
        let name = format!("tricky/{}", file.expect("a file").file_name().to_string_lossy());
        for row in read(&name) {
            assert!(row[0].is_empty() != row[14].is_empty(), "{name}: {row:?}");
            assert!(!row[0].contains(char::REPLACEMENT_CHARACTER), "{name}: {}", row[0]);
        }
    }
    assert!(titles > 1400, "{titles}");
}
