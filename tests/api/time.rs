//! Clocks and calendars (R14, docs/reliability.md): days in zones with summer time, and clocks that jump.

use std::{sync::Arc, time::Duration};

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use library::{domain::moment::rfc3339, http::session::Lifetimes};
use serde_json::{Value, json};

use crate::{
    app::{NOW, Person, TestApp, form},
    common::Database,
    seeded::{Chance, each, now, seeds},
};

/// Begins of days according to Python's `zoneinfo`: in each zone both changes of summer time and the days after them, a leap
/// day and the day after it, the day after 32-bit seconds end, and 1 March of a century without a leap day. Lord Howe moves its
/// clocks by half an hour; in Santiago they go from midnight to one, so that one day begins there.
const DAYS: [(&str, [(&str, &str); 8]); 4] = [
    (
        "America/New_York",
        [
            ("2027-03-14", "2027-03-14T05:00:00Z"),
            ("2027-03-15", "2027-03-15T04:00:00Z"),
            ("2027-11-07", "2027-11-07T04:00:00Z"),
            ("2027-11-08", "2027-11-08T05:00:00Z"),
            ("2028-02-29", "2028-02-29T05:00:00Z"),
            ("2028-03-01", "2028-03-01T05:00:00Z"),
            ("2038-01-20", "2038-01-20T05:00:00Z"),
            ("2100-03-01", "2100-03-01T05:00:00Z"),
        ],
    ),
    (
        "Europe/London",
        [
            ("2027-03-28", "2027-03-28T00:00:00Z"),
            ("2027-03-29", "2027-03-28T23:00:00Z"),
            ("2027-10-31", "2027-10-30T23:00:00Z"),
            ("2027-11-01", "2027-11-01T00:00:00Z"),
            ("2028-02-29", "2028-02-29T00:00:00Z"),
            ("2028-03-01", "2028-03-01T00:00:00Z"),
            ("2038-01-20", "2038-01-20T00:00:00Z"),
            ("2100-03-01", "2100-03-01T00:00:00Z"),
        ],
    ),
    (
        "Australia/Lord_Howe",
        [
            ("2027-04-04", "2027-04-03T13:00:00Z"),
            ("2027-04-05", "2027-04-04T13:30:00Z"),
            ("2027-10-03", "2027-10-02T13:30:00Z"),
            ("2027-10-04", "2027-10-03T13:00:00Z"),
            ("2028-02-29", "2028-02-28T13:00:00Z"),
            ("2028-03-01", "2028-02-29T13:00:00Z"),
            ("2038-01-20", "2038-01-19T13:00:00Z"),
            ("2100-03-01", "2100-02-28T13:00:00Z"),
        ],
    ),
    (
        "America/Santiago",
        [
            ("2027-04-03", "2027-04-03T03:00:00Z"),
            ("2027-04-04", "2027-04-04T04:00:00Z"),
            ("2027-09-05", "2027-09-05T04:00:00Z"),
            ("2027-09-06", "2027-09-06T03:00:00Z"),
            ("2028-02-29", "2028-02-29T03:00:00Z"),
            ("2028-03-01", "2028-03-01T03:00:00Z"),
            ("2038-01-20", "2038-01-20T03:00:00Z"),
            ("2100-03-01", "2100-03-01T03:00:00Z"),
        ],
    ),
];

fn instant(text: &str) -> i64 {
    text.parse::<Timestamp>().expect("an instant").as_millisecond()
}

fn at(app: &TestApp, instant: i64) {
    app.clock.set(Timestamp::from_millisecond(instant).expect("an instant"));
}

/// Returns the days on which a library whose clock shows `zone` differs from the table: a loan is due the day before, and
/// becomes overdue with the first instant of the day. A clock shows a leap second, 23:59:60, as the same second twice.
async fn otherwise(days: &[(&str, &str)], zone: &str) -> Vec<String> {
    let app = TestApp::with(Arc::new(Database::ready_sqlite()), zone, |_| {}).await;
    let book = app.book("Almanac", 9).await;
    let mut otherwise = Vec::new();
    for (day, begins) in days {
        let begins = instant(begins);
        let day: Date = day.parse().expect("a day");
        let before = day.yesterday().expect("a day");
        // About noon, eight days before.
        at(&app, begins - 180 * 60 * 60 * 1000);
        let student = app.student(1).await;
        let loan = student.ask(&format!("/books/{book}/loans")).await.expect(201);
        let mut told = vec![loan["returnDate"].clone()];
        for moment in [begins - 1, begins, begins - SECOND, begins] {
            at(&app, moment);
            told.extend([
                json!(app.clock.today()),
                app.student(1).await.get("/me/loans").await.expect(200)["totalFine"].clone(),
            ]);
        }
        let (not_yet, late) = ([json!(before), json!(0)], [json!(day), json!(5)]);
        if told != [&[json!(before)][..], &not_yet, &late, &not_yet, &late].concat() {
            otherwise.push(format!("{day}: {told:?}"));
        }
        if app.clock.begin_of(day) != begins {
            otherwise.push(format!("{day} begins at {}", rfc3339(app.clock.begin_of(day))));
        }
        app.admin(0)
            .await
            .post(&format!("/loans/{}/return", loan["id"]), &json!({ "restock": true }))
            .await
            .expect(204);
    }
    otherwise
}

#[tokio::test]
async fn a_fine_counts_the_librarys_own_days_whatever_its_clocks_do_r14_r_loan_8() {
    for (zone, days) in &DAYS {
        assert_eq!(otherwise(days, zone).await, Vec::<String>::new(), "{zone}");
    }
    // Control: days of Greenwich.
    assert!(!otherwise(&DAYS[0].1, "UTC").await.is_empty(), "the rig does not notice days of another zone");
}

/// Defaults of `serve`.
const USUAL: Lifetimes =
    Lifetimes { librarian: Duration::from_hours(12), librarian_idle: Duration::from_mins(30) };
const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Maximum lead of another server's clock.
const AHEAD: i64 = 5 * MINUTE;

/// A librarian's session by the library's clock.
struct Session<'a> {
    librarian: Person<'a>,
    begun: i64,
    /// Last activity.
    used: i64,
}

impl<'a> Session<'a> {
    async fn begin(app: &'a TestApp) -> Self {
        let now = app.clock.now();
        Self { librarian: app.admin(0).await, begun: now, used: now }
    }

    /// Reads as a page does by itself; returns whether the session is open, or an error if it should not be.
    async fn look(&self, now: i64) -> Result<bool, String> {
        let mut request = self.librarian.request("GET", "/auth/session", None);
        request.headers_mut().insert("library-background", "1".parse().expect("a header"));
        let told = self.librarian.send(request).await.expect(200);
        if told["user"].is_null() {
            // A session must not end within its limits, unless the clock was set back.
            let good = self.used <= now && now < self.used + 29 * MINUTE && now < self.begun + 12 * HOUR;
            return if good { Err(format!("signed out after {} ms", now - self.used)) } else { Ok(false) };
        }
        let left = told["expiresIn"].as_i64().unwrap_or(i64::MAX / SECOND) * SECOND;
        let most = (30 * MINUTE + AHEAD).min(self.begun + 12 * HOUR - now).min(self.used + 30 * MINUTE - now);
        if left > most {
            return Err(format!("it lasts {left} ms more, and at most {most} are its own"));
        }
        Ok(true)
    }
}

/// Moves the clock like a real clock, and sometimes like a faulty one.
fn jump(chance: &mut Chance, zone: &TimeZone, now: i64) -> i64 {
    let midnight = || {
        let day = Timestamp::from_millisecond(now).expect("an instant").to_zoned(zone.clone()).date();
        let next = day.tomorrow().expect("a day").to_zoned(zone.clone()).expect("a day begins");
        next.timestamp().as_millisecond()
    };
    match chance.below(13) {
        0..3 => now + i64::try_from(chance.below(40)).expect("small") * MINUTE,
        3 => midnight() - 1,
        4 => midnight(),
        5 => now + DAY,
        6 => now + 8 * DAY,
        7 => now - HOUR,
        8 => now - DAY,
        9 => now - SECOND,
        10 => now - i64::try_from(chance.below(20)).expect("small") * MINUTE,
        11 => {
            let (_, days) = chance.one(&DAYS);
            instant(chance.one(days).1) - i64::try_from(chance.below(2)).expect("small")
        }
        _ => instant(["2038-01-19T03:14:08Z", "2100-02-28T12:00:00Z", NOW][chance.below(3)]),
    }
}

fn date(value: &Value) -> Date {
    value.as_str().expect("text").parse().expect("a day")
}

/// Lends and returns while the clock jumps; returns the first fault.
async fn walk(seed: usize, lifetimes: Lifetimes, shown: Option<&'static str>) -> Result<(), String> {
    let mut chance = Chance::of(seed);
    let name = DAYS[seed % DAYS.len()].0;
    let zone = TimeZone::get(name).expect("a zone");
    let app = TestApp::with(Arc::new(Database::ready_sqlite()), shown.unwrap_or(name), |settings| {
        settings.lifetimes = lifetimes;
    })
    .await;
    let mut now = app.clock.now();
    let added = app.admin(0).await.post("/books", &form("Almanac", 30)).await.expect(201);
    let book = format!("/books/{}/loans", added["id"]);
    let mut session = Session::begin(&app).await;
    for _ in 0..40 {
        now = jump(&mut chance, &zone, now);
        at(&app, now);
        let signed_in = session.look(now).await?;
        if !signed_in {
            session = Session::begin(&app).await;
        }
        // Activity is stored once a minute.
        if session.used + MINUTE <= now {
            session.librarian.get("/people").await.expect(200);
            session.used = now;
        }

        let today = Timestamp::from_millisecond(now).expect("an instant").to_zoned(zone.clone()).date();
        let fine = |due: &Value| 5 * i64::from(date(due).until(today).expect("days").get_days()).max(0);
        let student = app.student(1).await;
        let loans = student.get("/me/loans").await.expect(200)["loans"].clone();
        let loans = loans.as_array().expect("a list");
        for loan in loans {
            let expected = fine(&loan["returnDate"]);
            if loan["fine"] != expected {
                return Err(format!("{loan} costs {expected} on {today}"));
            }
        }
        let chosen = if loans.is_empty() { None } else { Some(chance.one(loans)) };
        match (chance.below(4), chosen) {
            (0, Some(loan)) => {
                let extended = session.librarian.ask(&format!("/loans/{}/extend", loan["id"])).await;
                if extended.status != 200 && extended.status != 409 {
                    return Err(extended.text);
                }
            }
            (1, Some(loan)) => {
                let back = json!({ "restock": true });
                session.librarian.post(&format!("/loans/{}/return", loan["id"]), &back).await.expect(204);
                let kept = app.raw(&format!("SELECT ended_on, fine FROM loans WHERE id = {}", loan["id"]));
                // A loan begun tomorrow by the clock is returned tomorrow.
                let ended = today.max(date(&loan["EntryDate"]));
                let expected = [Some(ended.to_string()), Some((100 * fine(&loan["returnDate"])).to_string())];
                if kept != [expected] {
                    return Err(format!("kept of {loan} on {today}: {kept:?}"));
                }
            }
            _ if loans.len() < 20 => {
                let lent = student.ask(&book).await.expect(201);
                let due = today.saturating_add(jiff::Span::new().days(7));
                if (date(&lent["EntryDate"]), date(&lent["returnDate"])) != (today, due) {
                    return Err(format!("{lent} was lent on {today}"));
                }
            }
            _ => {}
        }
    }
    app.state.library.db.close();
    Ok(())
}

#[test]
fn a_clock_that_jumps_makes_no_fine_and_no_session_longer_r14_asvs_7_3_1() {
    each(seeds(40, 10), |seed| walk(seed, USUAL, None));
    // Controls: days of Greenwich, and sessions that last a day.
    let noticed = |lifetimes, zone| (0..10).any(|seed| now(walk(seed, lifetimes, zone)).is_err());
    assert!(noticed(USUAL, Some("UTC")), "the rig does not notice days of another zone");
    let long = Lifetimes { librarian: Duration::from_hours(24), librarian_idle: Duration::from_hours(24) };
    assert!(noticed(long, None), "the rig does not notice a session that lasts longer");
}
