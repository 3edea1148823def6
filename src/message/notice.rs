//! Notices to readers.

use jiff::civil::Date;

use crate::money::Money;

messages! {
    "notice.dueSoon" = notice_due_soon(title: &str, due: Date): "“{title}” is due back on {due, date, medium}.";
    "notice.dueToday" = notice_due_today(title: &str, due: Date): "“{title}” is due back today, {due, date, medium}.";
    "notice.overdue" = notice_overdue(title: &str, due: Date):
        "“{title}” was due back on {due, date, medium}. Please return it.";
    "notice.holdReady" = notice_hold_ready(title: &str, until: Date):
        "“{title}” is kept for you until {until, date, medium}.";
    "notice.holdExpiring" = notice_hold_expiring(title: &str, until: Date):
        "“{title}” is kept for you until tomorrow, {until, date, medium}.";
    "notice.holdLapsed" = notice_hold_lapsed(title: &str):
        "“{title}” is no longer kept for you: it was not picked up in time.";
    "notice.holdCancelled" = notice_hold_cancelled(title: &str): "The library cancelled your reservation of “{title}”.";
    "notice.holdPutBack" = notice_hold_put_back(title: &str):
        "The copy of “{title}” kept for you is no longer there. You are first in line again.";
    "notice.dueDateMoved" = notice_due_date_moved(title: &str, from: Date, to: Date):
        "“{title}” is now due back on {to, date, medium} instead of {from, date, medium}.";
    "notice.charged" = notice_charged(amount: Money, reason: &str): "{amount, number, money} was charged: {reason}";
    "notice.fineCharged" = notice_fine_charged(title: &str, amount: Money):
        "A fine of {amount, number, money} was charged for “{title}”.";
    "notice.priceCharged" = notice_price_charged(title: &str, amount: Money):
        "{amount, number, money} was charged for the lost copy of “{title}”.";
    "notice.paid" = notice_paid(amount: Money, receipt: &str): "You paid {amount, number, money}. Receipt {receipt}.";
    "notice.newDevice" = notice_new_device(device: &str):
        "New sign-in: {device}. If this was not you, change your password.";
    "notice.newBrowser" = notice_new_browser():
        "New sign-in in another browser. If this was not you, change your password.";
    "notice.lent" = notice_lent(title: &str, due: Date): "You borrowed “{title}”, due back on {due, date, medium}.";
    "notice.returned" = notice_returned(title: &str): "“{title}” was returned.";
}
