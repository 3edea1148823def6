//! Limits of a form's fields.

use jiff::civil::Date;

use crate::money::Money;

messages! {
    "required" = required(label: &str): "{label} is required.";
    "tooShort" = too_short(label: &str, min: usize): "{label} must be at least {min} characters.";
    "tooLong" = too_long(label: &str, max: usize): "{label} must be at most {max} characters.";
    "outOfRange" = out_of_range(label: &str, min: i64, max: i64):
        "{label} must be a whole number from {min} to {max}.";
    "amountOutOfRange" = amount_out_of_range(label: &str, min: Money, max: Money):
        "{label} must be an amount from {min, number, money} to {max, number, money}.";
    "dayToCome" = day_to_come(label: &str, today: Date):
        "{label} may not be after today, {today, date, medium}.";
    "dayPast" = day_past(label: &str, today: Date):
        "{label} may not be before today, {today, date, medium}.";
    "dayOutOfRange" = day_out_of_range(label: &str, min: Date, max: Date):
        "{label} must be a day from {min, date, medium} to {max, date, medium}.";
    "notUrl" = not_url(label: &str): "{label} must be a web address that starts with http:// or https://.";
    "notEmail" = not_email(label: &str): "{label} must be an address like name@college.edu.";
    "notPhone" = not_phone(label: &str): "{label} must be a number like +91 98450 12345.";
    "notListed" = not_listed(label: &str): "{label} must be one of the choices offered.";
    "taken" = taken(label: &str, value: &str): "{label} “{value}” is already in the list.";
    "repeated" = repeated(): "This list names the same entry more than once.";
    "tooMany" = too_many(label: &str, max: usize): "{label}: at most {max}.";
    "endsBeforeItBegins" = ends_before_it_begins(): "The last day must not be before the first.";
    "quietHoursEmpty" = quiet_hours_empty(): "The quiet hours must not end in the hour in which they begin.";
    "mailHourIsQuiet" = mail_hour_is_quiet(): "The reminders would be mailed in the quiet hours. Choose an hour outside them.";
    "tooManyDays" = too_many_days(max: i64): "From the first to the last day must be at most {max} days.";
}
