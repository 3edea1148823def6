//! The librarian's lists of loans and people: one client requests every search, filter and order.

use std::time::Instant;

use anyhow::{Result, ensure};

use super::{
    client::Connection,
    figures::{median, percentile},
    library::{API, given_name, name, roll_number},
    server::Server,
};

/// One kind of list, and the milliseconds of its responses.
pub struct Kind {
    pub what: String,
    pub times: Vec<f64>,
}

impl Kind {
    pub fn p99(&self) -> f64 {
        percentile(&self.times, 99)
    }

    pub fn row(&self) -> String {
        let longest = percentile(&self.times, 100);
        format!("| {} | {:.1} | {:.1} | {longest:.1} |", self.what, median(&self.times), self.p99())
    }
}

/// Header of a table of kinds.
pub const HEAD: &str = "| List | median ms | p99 ms | longest ms |\n|---|---|---|---|";

/// Number of rows of a table of kinds: the slowest kinds suffice to show a missed goal.
const SLOWEST: usize = 10;

/// Returns the rows of the slowest kinds, by p99.
pub fn slowest_rows(kinds: &[Kind]) -> Vec<String> {
    let mut kinds: Vec<&Kind> = kinds.iter().collect();
    kinds.sort_by(|a, b| b.p99().total_cmp(&a.p99()));
    kinds.into_iter().take(SLOWEST).map(Kind::row).collect()
}

/// Text of the n-th search of a kind, for a given number of people.
type Words = fn(usize, usize) -> String;

/// Address of the n-th request of a kind.
type Address = Box<dyn Fn(usize) -> String>;

const SEARCHES: [(&str, Words); 5] = [
    ("a roll number", |n, people| roll_number(n * 331 % people)),
    ("the end of a roll number", |n, _| format!("{:04}", n * 331 % 10_000)),
    ("a given name", |n, _| given_name(n).to_lowercase()),
    ("a whole name", |n, _| name(n * 7).to_lowercase().replace(' ', "%20")),
    ("an unknown name", |n, _| format!("zz{n}")),
];
const FILTERS: [&str; 5] = ["hasBooks", "overdue", "owes", "inactive", "librarians"];
const ORDERS: [&str; 7] = ["name", "rollNumber", "batch", "department", "openLoans", "overdueLoans", "owes"];

/// Requests every kind `times` times, one response after the other.
pub async fn measure(server: &Server, cookie: &str, people: usize, times: usize) -> Result<Vec<Kind>> {
    let mut connection = Connection::open(&server.address).await?;
    let mut kinds: Vec<(String, Address)> = Vec::new();
    for list in ["loans", "people"] {
        kinds.push((format!("{list}, first page"), Box::new(move |_| list.to_owned())));
        for (what, words) in SEARCHES {
            let path = move |n| format!("{list}?q={}", words(n, people));
            kinds.push((format!("{list}, {what}"), Box::new(path)));
        }
    }
    for filter in FILTERS {
        kinds.push((format!("people, only {filter}"), Box::new(move |_| format!("people?filter={filter}"))));
    }
    for order in ORDERS {
        let path = move |n| format!("people?sort={}{order}", if n % 2 == 0 { "" } else { "-" });
        kinds.push((format!("people by {order}, either way"), Box::new(path)));
        let path = move |n: usize| format!("people?q={}&sort={order}", given_name(n).to_lowercase());
        kinds.push((format!("people by {order}, a given name"), Box::new(path)));
    }
    let mut found = Vec::new();
    for (what, path) in kinds {
        let mut answered = Vec::with_capacity(times);
        for n in 0..times {
            let request = format!(
                "GET {API}/{} HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\n\r\n",
                path(n),
                server.address
            );
            let begun = Instant::now();
            let status = connection.send(&request).await?.status;
            answered.push(begun.elapsed().as_secs_f64() * 1000.0);
            ensure!(status == 200, "{what} answered {status}");
        }
        found.push(Kind { what, times: answered });
    }
    Ok(found)
}
