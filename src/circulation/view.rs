//! View of an open loan, with today's fine and its explanation.

use jiff::civil::Date;

use crate::{
    domain::{
        fine,
        loan::{Loan, OpenLoan},
        rulebook::Rulebook,
    },
    message::{self, Message},
};

/// Explains the loan's return date.
#[must_use]
pub fn due_reasons(loan: &OpenLoan) -> Vec<Message> {
    match &loan.due_reasons {
        Some(stored) => Message::parse_stored(stored),
        None if loan.renewals == 0 => vec![message::explain_due(loan.loan_days, loan.entry_date)],
        // An older version of the program renewed the loan and stored no reasons.
        None => vec![message::explain_renewed_times(loan.renewals, loan.return_date)],
    }
}

/// Computes today's fine and explanation.
#[must_use]
pub fn view(loan: OpenLoan, rulebook: &Rulebook, today: Date) -> Loan {
    let mut reasons = due_reasons(&loan);
    let running = fine::of(loan.return_date, today, &rulebook.history, &loan, &rulebook.calendar);
    reasons.extend(running.explain);
    let renewal_days = rulebook.policy(&loan.category, today).renewal_days;
    Loan {
        id: loan.id,
        user_id: loan.user_id,
        book_id: loan.book_id,
        copy_id: loan.copy_id,
        barcode: loan.barcode,
        entry_date: loan.entry_date,
        return_date: loan.return_date,
        renewals: loan.renewals,
        renewal_days,
        fine: running.amount,
        overdue_days: fine::overdue_days(loan.return_date, today),
        explain: reasons.iter().map(Message::text).collect(),
        reasons,
        title: loan.title,
        title_deleted: loan.title_deleted,
    }
}
