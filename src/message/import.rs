//! Imported files.

use jiff::civil::Date;

use super::Message;

messages! {
    // Failed requests.
    "problem.import-running" = problem_import_running():
        "Another import is still running. Nothing was changed; wait until it is done, and try again.";
    "problem.import-stopped" = problem_import_stopped(stored: usize):
        "The import stopped after {stored, plural, one {# person was} other {# people were}} stored. They stay stored. Import the same file again: it goes on from there.";

    // Rows and cells.
    "import.isbnShortened" = import_isbn_shortened(value: &str):
        "\"{value}\": the spreadsheet has shortened this ISBN; format the column as text, and enter the number again";
    "import.isbnLength" = import_isbn_length(value: &str): "\"{value}\" is not an ISBN, which has 10 or 13 digits";
    "import.notIsbn" = import_not_isbn(value: &str): "\"{value}\" is not an ISBN: its check digit does not fit";
    "import.notYear" = import_not_year(value: &str): "\"{value}\" is not a year";
    "import.notLanguage" = import_not_language(value: &str): "\"{value}\" is not a language code";
    "import.notNumber" = import_not_number(value: &str, min: i64, max: i64):
        "\"{value}\" is not a number from {min} to {max}";
    "import.notWholeNumber" = import_not_whole_number(value: &str): "\"{value}\" is not a whole number";
    "import.outOfRange" = import_out_of_range(value: &str, min: i64, max: i64):
        "\"{value}\" is not a whole number from {min} to {max}";
    "import.notStatus" = import_not_status(value: &str): "\"{value}\" is not \"Available\" or \"Not Available\"";
    "import.row" = import_row(reason: &str): "The row {reason}.";
    "import.record" = import_record(reason: &str): "This record cannot be imported: {reason}.";
    "import.sameRow" = import_same_row(line: u64): "same as line {line}";
    "import.clash" = import_clash(title: &str): "“{title}” in the catalogue has this ISBN";
    "import.rowTwice" = import_row_twice(line: u64): "The same roll number is in line {line}.";
    "import.rowOften" = import_row_often(line: u64, more: usize):
        "The same roll number is in line {line} and in {more, plural, one {# more line} other {# more lines}}.";
    "import.merged" = import_merged(name: &str, roll_number: &str):
        "This number belongs to {name} since two records were merged. Use {roll_number}.";
    "import.zerosLost" = import_zeros_lost(known: &str, name: &str):
        "{name} has the roll number {known}: a spreadsheet may have dropped its zeros. Correct the number; if this is somebody else, add them by hand.";
    "import.zerosLostOf" = import_zeros_lost_of(known: &str, name: &str):
        "{name} has the roll number {known}: a spreadsheet may have dropped its zeros. Correct the number.";
    "import.unknownRollNumber" = import_unknown_roll_number(value: &str):
        "No person has the roll number {value}. Import the people first, or correct the number.";
    "import.photoTwice" = import_photo_twice(file: &str):
        "{file} is a photo of the same person. Keep one of the two files.";
    "import.photoLarge" = import_photo_large(max: usize):
        "This file has more than {max} MB. Make the picture smaller.";
    "import.inactive" = import_inactive(name: &str):
        "{name} is deactivated. Activate this person, and import the row again.";
    "import.unknownBarcode" = import_unknown_barcode(value: &str):
        "No copy has the barcode {value}. Import its book first, or correct the barcode.";
    "import.barcodeTwice" = import_barcode_twice(line: u64): "The same barcode is in line {line}. Keep one of the rows.";
    "import.onLoanTo" = import_on_loan_to(name: &str, due: Date):
        "{name} has this copy on loan, due {due, date, medium}. Return it first, or remove the row.";
    "import.copyKept" = import_copy_kept():
        "This copy is kept for a reservation. Cancel the reservation, or remove the row.";
    "import.copyInRepair" = import_copy_in_repair():
        "This copy is in repair. Move it to the shelf, and import the row again.";
    "import.copyLost" = import_copy_lost(): "This copy is marked as lost. Move it to the shelf, and import the row again.";
    "import.copyMissing" = import_copy_missing():
        "This copy is marked as missing. Move it to the shelf, and import the row again.";
    "import.copyWithdrawn" = import_copy_withdrawn():
        "This copy was withdrawn. Move it to the shelf, and import the row again.";
    "import.lentInFuture" = import_lent_in_future(on: Date): "{on, date, medium} is in the future. Correct the day.";
    "import.dueBeforeLent" = import_due_before_lent(due: Date, lent: Date):
        "The due date, {due, date, medium}, is before the day of the loan, {lent, date, medium}. Correct one of them.";
    "import.dayTwoWays" = import_day_two_ways(value: &str):
        "\"{value}\" can be read two ways, because the file writes days both ways. Write it as year-month-day, such as 2026-05-31.";
    "import.notRenewals" = import_not_renewals(value: &str, max: i64):
        "\"{value}\" is not a number of extensions from 0 to {max}.";
    "import.notAmount" = import_not_amount(value: &str):
        "\"{value}\" is not an amount above 0 with at most two decimals, such as 12.50.";
    "import.notChargeKind" = import_not_charge_kind(value: &str):
        "\"{value}\" is not one of overdue, lost, damage and other.";
    "import.notDay" = import_not_day(value: &str): "\"{value}\" is not a day, such as 31-05-2027.";
    "import.emailOfAnother" = import_email_of_another(email: &str): "{email} is the email of another person.";
    "import.tooManyRows" = import_too_many_rows(max: usize):
        "This file has more than {max, number} rows. Split it, and import the parts one after the other.";
    "import.wrongFile" = import_wrong_file(max: usize, line: u64, reason: &Message):
        "More than {max, number} rows of this file cannot be imported. It is probably not the right file, or its columns are mixed up. Nothing was stored. The first of these rows is line {line}: {reason}";
    "import.unsound" = import_unsound(reason: &str): "This file cannot be imported: {reason}.";
    "import.notZip" = import_not_zip(): "This is not a ZIP file, or it is damaged. Pack the photos again.";
    "import.lockedZip" = import_locked_zip():
        "This ZIP file is protected with a password. Pack the photos again without one.";
    "import.fullZip" = import_full_zip(max: usize):
        "This ZIP file has more than {max, number} files. Import the photos in parts.";
    "import.emptyZip" = import_empty_zip(): "This ZIP file contains no files.";
}
