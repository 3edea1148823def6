//! Guesses the fields of a file's columns from their headings and contents.

use anyhow::Result;
use indicatif::ProgressBar;
use sha2::{Digest as _, Sha256};

use super::table::{REJECT_COLUMNS, Source, Table};
use crate::domain::isbn::isbn_13;

/// Number of rows read to guess fields by content.
const SAMPLE_ROWS: usize = 200;
/// Number of sample cells shown for each column.
pub const SHOWN: usize = 3;

/// A kind of list, with the fields of its columns and the headings that other programs and schools give them.
pub struct Vocabulary {
    /// Key under which chosen fields are remembered.
    pub kind: &'static str,
    pub required: &'static [&'static str],
    pub fields: &'static [&'static str],
    /// Headings by field: lower-case, letters and digits only. Earlier fields and headings win.
    headings: &'static [(&'static str, &'static [&'static str])],
}

/// Books: headings of Koha, `SLiMS`, Libib, `OpenLibry`, and of accession registers.
pub const BOOKS: Vocabulary = Vocabulary {
    kind: "books",
    required: &["title"],
    fields: super::books::COLUMNS,
    headings: &[
        (
            "title",
            &[
                "title",
                "booktitle",
                "titleofthebook",
                "titleofbook",
                "nameofthebook",
                "nameofbook",
                "bookname",
                "booksname",
                "titel",
                "titre",
                "titulo",
                "judul",
                "शीर्षक",
                "पुस्तककानाम",
                "किताबकानाम",
            ],
        ),
        ("subtitle", &["subtitle", "titleremainder", "remainderoftitle", "untertitel"]),
        (
            "author",
            &[
                "author",
                "authors",
                "creators",
                "authorname",
                "nameoftheauthor",
                "nameofauthor",
                "writer",
                "authoreditor",
                "autor",
                "auteur",
                "pengarang",
                "sor",
                "लेखक",
                "लेखककानाम",
            ],
        ),
        (
            "isbn",
            &[
                "isbn",
                "isbn13",
                "isbnno",
                "isbnnumber",
                "isbnissn",
                "eanisbn13",
                "ean",
                "upcisbn10",
                "isbn10",
            ],
        ),
        (
            "barcode",
            &[
                "barcode",
                "barcodes",
                "accessionno",
                "accessionnumber",
                "accno",
                "accnno",
                "accession",
                "itemcode",
                "itemid",
                "itembarcode",
                "copybarcode",
                "bookid",
                "bookno",
                "registerno",
                "परिग्रहणसंख्या",
            ],
        ),
        (
            "noOfBooks",
            &[
                "noofbooks",
                "copies",
                "noofcopies",
                "numberofcopies",
                "quantity",
                "qty",
                "nos",
                "totalcopies",
                "stock",
                "संख्या",
                "प्रतियाँ",
            ],
        ),
        (
            "genre",
            &[
                "genre",
                "subject",
                "subjects",
                "category",
                "topics",
                "topic",
                "collection",
                "group",
                "class",
                "ccode",
                "itype",
                "booktype",
                "classification",
                "विषय",
                "श्रेणी",
            ],
        ),
        (
            "location",
            &["location", "shelf", "shelfno", "rack", "rackno", "almirah", "almirahno", "स्थान", "अलमारी"],
        ),
        (
            "callNumber",
            &["callnumber", "callno", "itemcallnumber", "classno", "shelfmark", "signatur", "वर्गांक"],
        ),
        ("publisher", &["publisher", "publishers", "publishername", "publishercode", "verlag", "प्रकाशक"]),
        ("edition", &["edition", "editionstatement", "संस्करण"]),
        ("price", &["price", "cost", "replacementprice", "bookprice", "priceinrs", "pricers", "मूल्य"]),
        (
            "publishedYear",
            &[
                "publishedyear",
                "year",
                "yearofpublication",
                "publicationyear",
                "publishyear",
                "pubyear",
                "copyrightdate",
                "publishdate",
                "publisherdate",
                "publicationdate",
                "dateofpublication",
                "jahr",
                "annee",
                "वर्ष",
            ],
        ),
        ("language", &["language", "lang", "languagename", "medium", "sprache", "langue", "भाषा"]),
        ("description", &["description", "summary", "abstract", "editiondescription", "notes", "विवरण"]),
        (
            "photoURL",
            &["photourl", "photo", "cover", "coverurl", "imagelink", "image", "imageurl", "coverimage"],
        ),
        ("rating", &["rating"]),
        ("status", &["status"]),
        ("averageRating", &["averagerating"]),
        ("ratingsCount", &["ratingscount"]),
    ],
};

/// People: headings of admission registers and of Koha.
pub const PEOPLE: Vocabulary = Vocabulary {
    kind: "people",
    required: &["rollNumber"],
    fields: &[
        "rollNumber",
        "name",
        "email",
        "department",
        "batch",
        "section",
        "category",
        "validUntil",
        "phone",
        "guardianEmail",
        "guardianPhone",
    ],
    headings: &[
        (
            "rollNumber",
            &[
                "rollnumber",
                "rollno",
                "admissionno",
                "admissionnumber",
                "admno",
                "adm",
                "admn",
                "admnno",
                "scholarno",
                "scholarnumber",
                "srno",
                "grno",
                "grnumber",
                "regno",
                "registrationno",
                "registrationnumber",
                "enrolmentno",
                "enrollmentno",
                "enrolmentnumber",
                "enrollmentnumber",
                "studentid",
                "idno",
                "employeeid",
                "empid",
                "cardnumber",
                "memberid",
                "uid",
                "usn",
                "प्रवेशसंख्या",
                "प्रवेशक्रमांक",
                "रोलनंबर",
                "अनुक्रमांक",
            ],
        ),
        (
            "name",
            &[
                "name",
                "studentname",
                "nameofthestudent",
                "nameofstudent",
                "fullname",
                "studentsname",
                "membername",
                "employeename",
                "staffname",
                "teachername",
                "नाम",
                "विद्यार्थीकानाम",
                "छात्रकानाम",
            ],
        ),
        ("email", &["email", "emailid", "emailaddress", "mail", "mailid", "studentemail", "ईमेल"]),
        (
            "batch",
            &[
                "batch",
                "class",
                "classname",
                "std",
                "standard",
                "grade",
                "form",
                "year",
                "classsection",
                "sortl",
                "कक्षा",
            ],
        ),
        ("section", &["section", "sec", "div", "division", "वर्ग", "अनुभाग", "सेक्शन"]),
        (
            "department",
            &["department", "dept", "branch", "stream", "course", "programme", "program", "house", "विभाग"],
        ),
        ("category", &["category", "categorycode", "membertype", "usertype", "type", "श्रेणी"]),
        ("validUntil", &["validuntil", "validtill", "expirydate", "dateexpiry", "validupto", "expireson"]),
        (
            "phone",
            &[
                "phone",
                "phoneno",
                "phonenumber",
                "mobile",
                "mobileno",
                "mobilenumber",
                "mobilephone",
                "contactno",
                "contactnumber",
                "studentmobile",
                "studentphone",
                "studentmobileno",
                "whatsapp",
                "whatsappno",
                "मोबाइल",
                "फोन",
            ],
        ),
        (
            "guardianEmail",
            &[
                "guardianemail",
                "guardiansemail",
                "parentemail",
                "parentsemail",
                "parentemailid",
                "fatheremail",
                "fathersemail",
                "fatheremailid",
                "motheremail",
                "mothersemail",
                "अभिभावकईमेल",
            ],
        ),
        (
            "guardianPhone",
            &[
                "guardianphone",
                "guardiansphone",
                "guardianmobile",
                "guardiancontact",
                "parentphone",
                "parentsphone",
                "parentmobile",
                "parentmobileno",
                "parentcontact",
                "parentcontactno",
                "fatherphone",
                "fathermobile",
                "fathersmobile",
                "fathermobileno",
                "fathercontactno",
                "mothermobile",
                "अभिभावकमोबाइल",
                "अभिभावकफोन",
            ],
        ),
    ],
};

/// Headings of a copy's barcode in lists of loans.
const BARCODES: &[&str] = &[
    "barcode",
    "accessionno",
    "accessionnumber",
    "accno",
    "accnno",
    "itemcode",
    "itembarcode",
    "copybarcode",
    "bookid",
    "bookno",
    "परिग्रहणसंख्या",
];

/// Headings of a roll number in lists of loans and charges.
const ROLL_NUMBERS: &[&str] = &[
    "rollnumber",
    "rollno",
    "admissionno",
    "admissionnumber",
    "admno",
    "memberid",
    "membercode",
    "cardnumber",
    "borrower",
    "patron",
    "studentid",
    "idno",
    "regno",
    "enrolmentno",
    "enrollmentno",
    "usn",
    "प्रवेशसंख्या",
    "रोलनंबर",
    "अनुक्रमांक",
];

/// Open loans: headings of Koha's `issues`, of `SLiMS`' `loan`, and of issue registers.
pub const LOANS: Vocabulary = Vocabulary {
    kind: "loans",
    required: &["barcode", "rollNumber", "lent"],
    fields: &["barcode", "rollNumber", "lent", "due", "renewals"],
    headings: &[
        ("barcode", BARCODES),
        ("rollNumber", ROLL_NUMBERS),
        (
            "lent",
            &[
                "lenton",
                "issuedate",
                "dateofissue",
                "issuedon",
                "issued",
                "loandate",
                "checkoutdate",
                "checkedout",
                "borrowedon",
                "from",
                "जारीतिथि",
                "दिया",
            ],
        ),
        (
            "due",
            &[
                "duedate",
                "datedue",
                "dueon",
                "returndate",
                "returnby",
                "lastdate",
                "until",
                "देयतिथि",
                "वापसीतिथि",
            ],
        ),
        ("renewals", &["renewed", "renewalscount", "renewalcount", "timesrenewed", "renewal", "नवीनीकरण"]),
    ],
};

/// Open charges: headings of Koha's `accountlines`, of `SLiMS`' `fines`, and of fine registers.
pub const CHARGES: Vocabulary = Vocabulary {
    kind: "charges",
    required: &["rollNumber", "amount"],
    fields: &["rollNumber", "amount", "kind", "description", "date"],
    headings: &[
        ("rollNumber", ROLL_NUMBERS),
        (
            "amount",
            &[
                "amountoutstanding",
                "outstanding",
                "balance",
                "due",
                "dues",
                "debet",
                "fine",
                "fineamount",
                "owes",
                "राशि",
                "जुर्माना",
            ],
        ),
        ("kind", &["type", "debittypecode", "accounttype", "chargetype", "प्रकार"]),
        ("description", &["reason", "note", "remarks", "remark", "particulars", "title", "कारण", "विवरण"]),
        ("date", &["finesdate", "finedate", "chargedon", "on", "createdon", "तिथि", "दिनांक"]),
    ],
};

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub heading: String,
    /// Guessed field; blank for none.
    pub field: String,
    /// Cells of the first [`SHOWN`] rows.
    pub cells: Vec<String>,
}

/// Guessed columns of a file, and facts about the file.
pub struct Guess {
    pub columns: Vec<Column>,
    /// Number of rows, not counting blank ones.
    pub rows: u64,
    /// Identity of the headings: the key under which the chosen fields are remembered.
    pub headings: String,
    pub table: TableFacts,
}

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableFacts {
    pub kind: super::file::Kind,
    pub encoding: Option<&'static str>,
    pub separator: u8,
}

/// Reduces a heading to lower-case letters and digits.
fn folded(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || ('\u{900}'..='\u{97f}').contains(c))
        .collect()
}

/// True for a heading that some list knows, or the list of rejected rows.
pub(super) fn is_heading(cell: &str) -> bool {
    let cell = folded(cell);
    let is_name = |name: &str| cell == name || cell.strip_suffix('s') == Some(name);
    let fields = [&BOOKS, &PEOPLE, &LOANS, &CHARGES].into_iter().flat_map(|list| list.headings);
    REJECT_COLUMNS.contains(&cell.as_str())
        || fields
            .into_iter()
            .any(|(field, known)| is_name(&folded(field)) || known.iter().copied().any(is_name))
}

/// Returns the identity of a file's headings: their SHA-256 in hexadecimal.
fn identity(headings: &[String]) -> String {
    let mut hash = Sha256::new();
    for heading in headings {
        hash.update(folded(heading));
        hash.update([0x1f]);
    }
    hash.finalize()
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|half| char::from(b"0123456789abcdef"[usize::from(half)]))
        .collect()
}

impl Vocabulary {
    /// Reads the columns of a file and guesses their fields.
    pub fn guess(&self, source: &Source, longest: u64) -> Result<Guess> {
        let mut table = Table::unnamed(source, longest, &ProgressBar::hidden())?;
        let headings: Vec<String> = table.header().map(ToOwned::to_owned).collect();
        let mut samples: Vec<Vec<String>> = vec![Vec::new(); headings.len()];
        let mut rows = 0;
        while let Some(row) = table.next_row()? {
            if row.is_blank() {
                continue;
            }
            rows += 1;
            if rows <= SAMPLE_ROWS {
                for (column, cell) in samples.iter_mut().zip(row.all_cells()) {
                    column.push(cell.trim().chars().take(80).collect());
                }
            }
        }
        let fields = self.fields_of(&headings, &samples, table.is_list_of_rejects());
        let facts =
            TableFacts { kind: table.kind(), encoding: table.encoding(), separator: table.separator() };
        let identity = identity(&headings);
        let columns = headings.into_iter().zip(fields).zip(samples);
        Ok(Guess {
            columns: columns
                .map(|((heading, field), mut cells)| {
                    cells.truncate(SHOWN);
                    Column { heading: heading.chars().take(80).collect(), field, cells }
                })
                .collect(),
            rows: rows as u64,
            headings: identity,
            table: facts,
        })
    }

    /// Returns the identity of a file's headings: the key under which the chosen fields are remembered.
    pub fn headings_of(&self, source: &Source, longest: u64) -> Result<String> {
        let table = Table::unnamed(source, longest, &ProgressBar::hidden())?;
        Ok(identity(&table.header().map(ToOwned::to_owned).collect::<Vec<_>>()))
    }

    /// Returns the guessed field of each column.
    fn fields_of(&self, headings: &[String], samples: &[Vec<String>], are_rejects: bool) -> Vec<String> {
        let mut fields = vec![String::new(); headings.len()];
        let names: Vec<String> = headings.iter().map(|heading| folded(heading)).collect();
        let is_free =
            |index: usize, fields: &[String]| fields[index].is_empty() && !(are_rejects && index < 2);
        for (field, known) in self.headings {
            let own = folded(field);
            let by_name = std::iter::once(own.as_str()).chain(known.iter().copied()).find_map(|name| {
                let is_name = |heading: &str| heading == name || heading.strip_suffix('s') == Some(name);
                (0..names.len()).find(|index| is_name(&names[*index]) && is_free(*index, &fields))
            });
            if let Some(index) = by_name {
                (*field).clone_into(&mut fields[index]);
            }
        }
        let share = |index: usize, test: &dyn Fn(&str) -> bool| {
            let filled: Vec<&String> = samples[index].iter().filter(|cell| !cell.is_empty()).collect();
            !filled.is_empty() && filled.iter().filter(|cell| test(cell)).count() * 10 >= filled.len() * 8
        };
        let mut by_content = |field: &str, test: &dyn Fn(&str) -> bool| {
            if self.fields.contains(&field)
                && !fields.iter().any(|given| given == field)
                && let Some(index) =
                    (0..names.len()).find(|index| is_free(*index, &fields) && share(*index, test))
            {
                field.clone_into(&mut fields[index]);
            }
        };
        by_content("isbn", &|cell| isbn_13(cell).is_some());
        by_content("email", &|cell| cell.contains('@') && cell.contains('.') && !cell.contains(' '));
        by_content("photoURL", &|cell| cell.starts_with("http://") || cell.starts_with("https://"));
        if self.kind == "books" {
            by_content("publishedYear", &|cell| {
                cell.len() == 4 && cell.parse::<u32>().is_ok_and(|year| (1800..=2100).contains(&year))
            });
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn guessed(vocabulary: &Vocabulary, text: &str) -> String {
        let guess =
            vocabulary.guess(&Source::Upload(Bytes::from(text.to_owned())), 1 << 20).expect("a table");
        guess.columns.iter().map(|column| column.field.as_str()).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn the_headings_of_schools_and_other_programs_are_known_r_seam_10() {
        for (text, fields) in [
            // An accession register; the number without a heading is recognised by its check digit.
            (
                "Acc. No.,Name of the Book,Author,Publisher,Rack No.,x\n1,Godan,Premchand,Hans,A1,978-0-7475-3269-9\n",
                "barcode,title,author,publisher,location,isbn",
            ),
            // Koha, SLiMS, Libib, OpenLibry.
            (
                "biblionumber,title,author,isbn,itemcallnumber,barcode\n",
                ",title,author,isbn,callNumber,barcode",
            ),
            (
                "title,gmd_name,edition,isbn_issn,publisher_name,publish_year,call_number,language_name,authors,topics,item_code\n",
                "title,,edition,isbn,publisher,publishedYear,callNumber,language,author,genre,barcode",
            ),
            (
                "item_type,title,creators,ean_isbn13,publish_date,copies\n",
                ",title,author,isbn,publishedYear,noOfBooks",
            ),
            (
                "id,title,author,subtitle,topics,isbn,publisherDate,imageLink\n",
                ",title,author,subtitle,genre,isbn,publishedYear,photoURL",
            ),
            ("शीर्षक;लेखक\n", "title,author"),
            ("line,reason,Book Name,Author\n2,bad,Poems,\n", ",,title,author"),
        ] {
            assert_eq!(guessed(&BOOKS, text), fields, "{text}");
        }
        assert_eq!(
            guessed(&PEOPLE, "Admission No,Student Name,Class,Section\n"),
            "rollNumber,name,batch,section"
        );
    }
}
