//! Accounts, and explanations of amounts.

use jiff::civil::Date;

use crate::money::Money;

messages! {
    // Errors in form fields.
    "moreThanOwed" = more_than_owed(owed: Money): "Only {owed, number, money} is owed here.";
    "moreThanCredit" = more_than_credit(credit: Money): "The credit is {credit, number, money}.";
    "nobodyBroughtIt" = nobody_brought_it():
        "Nobody brought this copy back today: charge the person on the person's own page.";
    "receiptReversed" = receipt_reversed(): "This receipt is already cancelled.";
    "paidOutSince" = paid_out_since(amount: Money):
        "{amount, number, money} of this payment became credit and was paid out. Undo that, or charge it again.";
    "tillClosed" = till_closed(number: i64, name: &str):
        "{name} has already closed the day (closing {number}). Reload the page.";
    "tillChanged" = till_changed(expected: Money):
        "The till has changed since you counted: {expected, number, money} in cash is expected now. Reload, and count again.";
    "chargeSettled" = charge_settled(): "Nothing more is owed for this.";

    // Recorded changes.
    "change.chargeImported" = change_charge_imported(of: &str, amount: Money, reason: &str):
        "Imported: {amount, number, money} owed ({of}): {reason}.";
    "change.chargedFor" = change_charged_for(of: &str, amount: Money, reason: &str):
        "{amount, number, money} charged ({of}): {reason}.";
    "change.paid" = change_paid(amount: Money, method: &str, receipt: &str):
        "{amount, number, money} paid ({method}), receipt {receipt}.";
    "change.waived" = change_waived(amount: Money): "{amount, number, money} waived.";
    "change.chargeReversed" = change_charge_reversed(title: &str, amount: Money):
        "{amount, number, money} for “{title}” cancelled.";
    "change.paymentReversed" = change_payment_reversed(receipt: &str, amount: Money):
        "Receipt {receipt} cancelled: {amount, number, money} is owed again.";
    "change.tillClosed" = change_till_closed(number: i64, counted: Money, expected: Money):
        "Day closed, closing {number}: {counted, number, money} counted, {expected, number, money} expected.";
    "change.refunded" = change_refunded(amount: Money, method: &str):
        "{amount, number, money} of credit paid out ({method}).";

    // Results of an undo.
    "undone.charged" = undone_charged(amount: Money): "Undone: {amount, number, money} is not charged.";
    "undone.paid" = undone_paid(amount: Money, receipt: &str):
        "Undone: {amount, number, money} is owed again; receipt {receipt} is cancelled.";
    "undone.waived" = undone_waived(amount: Money): "Undone: {amount, number, money} is owed again.";
    "undone.chargeReversed" = undone_charge_reversed(title: &str, amount: Money):
        "Undone: {amount, number, money} for “{title}” is owed again, as before.";
    "undone.paymentReversed" = undone_payment_reversed(receipt: &str, amount: Money):
        "Undone: receipt {receipt} is valid again; {amount, number, money} is paid.";
    "undone.refunded" = undone_refunded(amount: Money): "Undone: {amount, number, money} is credit again.";

    // Explanations of amounts.
    "explain.fine" = explain_fine(amount: Money, days: i64, rate: Money):
        "{amount, number, money} = {days, plural, one {# day} other {# days}} × {rate, number, money}";
    "explain.fineTwoRates" = explain_fine_two_rates(amount: Money, days1: i64, rate1: Money, days2: i64, rate2: Money):
        "{amount, number, money} = {days1, plural, one {# day} other {# days}} × {rate1, number, money} + {days2, plural, one {# day} other {# days}} × {rate2, number, money}";
    "explain.fineTotal" = explain_fine_total(amount: Money, days: i64):
        "{amount, number, money} for {days, plural, one {# day} other {# days}}";
    "explain.finePart" = explain_fine_part(days: i64, rate: Money):
        "{days, plural, one {# day} other {# days}} × {rate, number, money}";
    "explain.fineCapped" = explain_fine_capped(amount: Money, days: i64, rate: Money, sum: Money, max: Money):
        "{amount, number, money}: {days, plural, one {# day} other {# days}} × {rate, number, money} = {sum, number, money}, at most {max, number, money}";
    "explain.fineCappedTotal" = explain_fine_capped_total(amount: Money, days: i64, sum: Money, max: Money):
        "{amount, number, money}: {days, plural, one {# day} other {# days}} come to {sum, number, money}, at most {max, number, money}";
    "explain.fineCappedByDay" = explain_fine_capped_by_day(amount: Money, days: i64, sum: Money):
        "{amount, number, money}: {days, plural, one {# day} other {# days}} come to {sum, number, money}, cut by the highest fine of each day";
    "explain.fineUpToPrice" = explain_fine_up_to_price(price: Money):
        "no more than the book costs, {price, number, money}";
    "explain.grace" = explain_grace(days: i64, grace: i64):
        "{days, plural, one {# day} other {# days}} late, no fine up to {grace, plural, one {# day} other {# days}}";
    "explain.noFine" = explain_no_fine(days: i64):
        "{days, plural, one {# day} other {# days}} late, no fine";
    "explain.freeDays" = explain_free_days(days: i64):
        "{days, plural, one {# day} other {# days}} without a fine";
    "explain.notCounted" = explain_not_counted(day: Date): "{day, date, full} not counted";
    "explain.holidayNotCounted" = explain_holiday_not_counted(day: Date, name: &str):
        "{day, date, full} ({name}) not counted";
    "explain.chargeImported" = explain_charge_imported(file: &str): "From the imported list “{file}”";
    "explain.chargeImportedSince" = explain_charge_imported_since(file: &str, since: Date):
        "From the imported list “{file}”, of {since, date, medium}";
    "explain.paid" = explain_paid(amount: Money, receipt: &str): "{amount, number, money} paid, receipt {receipt}";
    "explain.waived" = explain_waived(amount: Money, reason: &str): "{amount, number, money} waived: {reason}";
    "explain.takenBack" = explain_taken_back(amount: Money): "{amount, number, money} cancelled";
    "explain.owedAgain" = explain_owed_again(amount: Money):
        "{amount, number, money} owed again: what had settled it was undone";
    "explain.stillOpen" = explain_still_open(open: Money): "{open, number, money} still owed";
    "explain.hadFallenAway" = explain_had_fallen_away(amount: Money, from: Date, to: Date):
        "{amount, number, money} had been dropped when the loan was extended from {from, date, medium} to {to, date, medium}";
    "explain.for" = explain_for(amount: Money, reason: &str): "{amount, number, money} for “{reason}”";
    "explain.notOwed" = explain_not_owed(amount: Money, reason: &str):
        "{amount, number, money} for “{reason}” is no longer owed";
    "explain.owedAgainFor" = explain_owed_again_for(amount: Money, reason: &str):
        "{amount, number, money} for “{reason}” is owed again";
    "explain.credit" = explain_credit(amount: Money): "{amount, number, money} had been paid and is credit now";
    "explain.lessCredit" = explain_less_credit(amount: Money): "{amount, number, money} less credit";
    "explain.price" = explain_price(price: Money, barcode: &str): "Price of copy {barcode}: {price, number, money}";
    "explain.priceChanged" = explain_price_changed(amount: Money, price: Money, barcode: &str):
        "{amount, number, money} asked; the price of copy {barcode} is {price, number, money}";
    "explain.priceUnknown" = explain_price_unknown(amount: Money, barcode: &str):
        "{amount, number, money} asked; no price is recorded for copy {barcode}";
    "explain.closedDaysNotCounted" = explain_closed_days_not_counted(days: i64):
        "{days, plural, one {# closed day} other {# closed days}} not counted";
}
