//! A librarian at work at the desk, for tests: her next call depends on the answers so far.

use serde_json::{Value, json};

/// Deterministic pseudo-random numbers (Knuth's MMIX generator).
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    /// Picks an element, if there is one.
    pub fn one_of<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        if list.is_empty() { None } else { list.get(self.below(list.len())) }
    }
}

/// A write.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: &'static str,
    pub method: &'static str,
    pub path: String,
    pub body: Option<Value>,
}

impl Call {
    pub fn post(name: &'static str, path: impl Into<String>, body: Value) -> Self {
        Self { name, method: "POST", path: path.into(), body: Some(body) }
    }

    /// Creates a write without a body.
    pub fn bare(name: &'static str, method: &'static str, path: impl Into<String>) -> Self {
        Self { name, method, path: path.into(), body: None }
    }

    fn scan(name: &'static str, body: Value) -> Self {
        Self::post(name, "/desk/scans", body)
    }

    /// Copies a scan, with one more field.
    fn with(&self, name: &'static str, field: &str, value: Value) -> Self {
        let mut body = self.body.clone().expect("a scan has a body");
        body[field] = value;
        Self::scan(name, body)
    }
}

/// A librarian who lends, takes back, renews, finds damage, overrides, takes money, waives, and undoes her last changes.
pub struct Librarian {
    random: Random,
    /// Copies on her desk.
    barcodes: Vec<String>,
    people: Vec<i64>,
    /// Call that the last answer leads to.
    next: Option<Call>,
    /// Her last changes.
    changes: Vec<Value>,
}

impl Librarian {
    pub fn new(seed: u64, barcodes: Vec<String>, people: Vec<i64>) -> Self {
        Self { random: Random(seed), barcodes, people, next: None, changes: Vec::new() }
    }

    /// Returns her next call.
    pub fn next(&mut self) -> Call {
        if let Some(next) = self.next.take() {
            return next;
        }
        let code = self.random.one_of(&self.barcodes).expect("a copy").clone();
        let person = *self.random.one_of(&self.people).expect("somebody");
        match self.random.below(12) {
            0..4 => Call::scan("lend", json!({ "code": code, "person": person })),
            4..8 => Call::scan("take back", json!({ "code": code, "intent": "return" })),
            8 => Call::scan("renew", json!({ "code": code, "intent": "renew" })),
            9 => Call::scan(
                "damaged",
                json!({ "code": code, "damaged": { "note": "Cover torn", "charge": 20 } }),
            ),
            _ => match self.changes.pop() {
                Some(change) => Call::bare("undo", "POST", format!("/changes/{change}/undo")),
                None => Call::scan("look", json!({ "code": code })),
            },
        }
    }

    /// Takes the answer to a call into account.
    pub fn hear(&mut self, call: &Call, answer: &Value) {
        if call.name != "undo" && answer["change"].is_i64() {
            self.changes.push(answer["change"].clone());
            // Older changes are undone by others, or never.
            if self.changes.len() > 5 {
                self.changes.remove(0);
            }
        }
        if call.path != "/desk/scans" {
            return;
        }
        let (charge, blocks) = (&answer["charge"], answer["blocks"].as_array());
        let choice = answer["choices"].as_array().and_then(|choices| self.random.one_of(choices));
        self.next = if charge["id"].is_i64() {
            self.settle(charge, &answer["charged"])
        } else if let Some(blocks) = blocks.filter(|blocks| !blocks.is_empty()) {
            let ids: Vec<&Value> = blocks.iter().map(|block| &block["id"]).collect();
            let reason = json!({ "blocks": ids, "reason": "exam week" });
            let overridable = blocks.iter().all(|block| block["overridable"] == true);
            (overridable && self.random.below(3) > 0).then(|| call.with("override", "override", reason))
        } else {
            choice
                .filter(|_| self.random.below(2) == 0)
                .map(|choice| call.with("choose", "choice", choice["id"].clone()))
        };
    }

    /// Chooses what to do with a charge.
    fn settle(&mut self, charge: &Value, person: &Value) -> Option<Call> {
        let id = &charge["id"];
        let payments = format!("/people/{person}/payments");
        match self.random.below(4) {
            0 => Some(Call::post("waive", format!("/charges/{id}/waive"), json!({ "reason": "was ill" }))),
            // Pays the oldest charge.
            1 => Some(Call::post("pay", payments, json!({ "amount": 1, "method": "cash" }))),
            2 => {
                let all =
                    json!({ "amount": charge["open"], "method": "upi", "reference": "T-1", "charges": [id] });
                Some(Call::post("pay", payments, all))
            }
            // Leaves it for later.
            _ => None,
        }
    }
}
