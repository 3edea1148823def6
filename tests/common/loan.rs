//! Loans for tests that store them directly, without circulation.

use jiff::civil::Date;
use library::domain::{
    id::{BookId, CopyId, LoanId, UserId},
    loan::OpenLoan,
};

/// Builds a loan as the rules of a new library would make it.
pub fn loan(user: UserId, book: BookId, copy: CopyId, title: &str, entry: Date, due: Date) -> OpenLoan {
    OpenLoan {
        id: LoanId(0),
        user_id: user,
        book_id: book,
        title: title.into(),
        copy_id: copy,
        barcode: String::new(),
        entry_date: entry,
        return_date: due,
        loan_days: 7,
        renewals: 0,
        due_reasons: None,
        category: String::new(),
        price: None,
        title_deleted: false,
    }
}
