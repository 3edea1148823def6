//! The API's document: equal to the checked-in file, and honoured by every answer of every other test.

use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

use jsonschema::Validator;
use library::http::openapi;
use serde_json::{Value, json};

use crate::app::Answer;

struct Operation {
    method: String,
    path: Vec<String>,
    /// Media type and body check by status or `default`; `None` for an empty body.
    answers: HashMap<String, Option<(String, Check)>>,
}

/// A schema of the document, compiled for the first answer it checks, because a test needs few of them.
struct Check {
    schema: Value,
    compiled: OnceLock<Validator>,
}

impl Check {
    fn of(schema: &Value) -> Self {
        Self { schema: schema.clone(), compiled: OnceLock::new() }
    }

    fn validator(&self) -> &Validator {
        self.compiled.get_or_init(|| {
            let mut schema = self.schema.clone();
            forbid_other_fields(&mut schema, false);
            schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
            schema["components"] = CONTRACT.components.clone();
            jsonschema::options()
                .should_validate_formats(true)
                .build(&schema)
                .expect("a schema of the document")
        })
    }
}

struct Contract {
    operations: Vec<Operation>,
    components: Value,
    problem: Check,
}

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let document = openapi::document();
    let mut components = document["components"].clone();
    forbid_other_fields(&mut components, false);
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("operations") {
            let answers = operation["responses"].as_object().expect("responses");
            let answers = answers.iter().map(|(status, answer)| {
                let content = answer["content"].as_object().and_then(|content| content.iter().next());
                let content = content.map(|(media, content)| (media.clone(), Check::of(&content["schema"])));
                (status.clone(), content)
            });
            operations.push(Operation {
                method: method.to_uppercase(),
                path: path.split('/').map(ToOwned::to_owned).collect(),
                answers: answers.collect(),
            });
        }
    }
    let problem = Check::of(&json!({ "$ref": "#/components/schemas/Problem" }));
    Contract { operations, components, problem }
});

/// Forbids undocumented fields, so that a leaked password hash would be noticed.
fn forbid_other_fields(schema: &mut Value, part_of_all: bool) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("$ref") && !part_of_all {
                object.insert("unevaluatedProperties".into(), json!(false));
            }
            for (name, value) in object {
                let parts = name == "allOf";
                match value {
                    Value::Array(items) => items.iter_mut().for_each(|item| forbid_other_fields(item, parts)),
                    other => forbid_other_fields(other, false),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| forbid_other_fields(item, false)),
        _ => {}
    }
}

fn fits(path: &[String], asked: &str) -> bool {
    let asked: Vec<&str> = asked.split('/').collect();
    path.len() == asked.len()
        && path.iter().zip(asked).all(|(part, asked)| part.starts_with('{') || part == asked)
}

/// Checks an answer against the document.
pub fn check(method: &str, path: &str, answer: &Answer) {
    let told = || format!("{method} {path} → {}: {}", answer.status, answer.text);
    if method == "HEAD" || answer.status == 304 {
        return;
    }
    let body = |check: &Check, media: &str| {
        assert_eq!(answer.header("content-type"), Some(media), "{}", told());
        let json = serde_json::from_str(&answer.text).unwrap_or_else(|error| panic!("{error}: {}", told()));
        let errors: Vec<String> = check
            .validator()
            .iter_errors(&json)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:?}: {}", told());
        json
    };
    if answer.status >= 400 {
        let problem = body(&CONTRACT.problem, "application/problem+json");
        assert_eq!(problem["status"], answer.status, "{}", told());
        for words in ["title", "detail"] {
            assert!(problem[words].as_str().is_some_and(|words| !words.is_empty()), "{}", told());
        }
    }
    let operation =
        CONTRACT.operations.iter().find(|known| known.method == method && fits(&known.path, path));
    let Some(operation) = operation else {
        assert!(answer.status >= 400, "an answer of a call that the document does not know: {}", told());
        return;
    };
    let default = operation.answers.get("default").filter(|_| answer.status >= 400);
    match operation.answers.get(&answer.status.to_string()).or(default) {
        None => panic!("the document does not know this status: {}", told()),
        Some(None) => assert!(answer.text.is_empty(), "{}", told()),
        // A file or a stream is no JSON; only its media type is checked.
        Some(Some((media, _)))
            if ["text/csv", "text/event-stream", "application/marc", "image/jpeg"]
                .contains(&media.as_str()) =>
        {
            assert!(answer.header("content-type").is_some_and(|kind| kind.starts_with(media)), "{}", told());
        }
        Some(Some((media, check))) => {
            body(check, media);
        }
    }
}

#[test]
fn the_document_that_is_checked_in_is_the_servers_own() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/api/openapi.json");
    let kept = std::fs::read_to_string(path).expect("api/openapi.json");
    assert!(
        kept == openapi::text(),
        "api/openapi.json is not what the server says any more: run `cargo run -- openapi > api/openapi.json` and \
         look at the difference"
    );
}

/// OWASP ASVS 5.0, 14.2.1: addresses end up in proxy logs and browser histories.
#[test]
fn no_call_takes_a_secret_in_its_address_asvs_14_2_1() {
    let document: Value = serde_json::from_str(&openapi::text()).expect("JSON");
    let mut looked_at = 0;
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                // A reference is the header of the idempotency key.
                let Some(name) = parameter["name"].as_str().filter(|_| parameter["in"] != "header") else {
                    continue;
                };
                looked_at += 1;
                let secret =
                    ["password", "token", "secret", "challenge"].iter().any(|word| name.contains(word));
                assert!(!secret && name != "code" && name != "email", "{method} {path} takes {name}");
            }
        }
    }
    assert!(looked_at > 50, "{looked_at}");
}

#[test]
fn a_field_that_the_document_does_not_name_is_noticed() {
    let operation =
        CONTRACT.operations.iter().find(|known| known.method == "GET" && fits(&known.path, "/auth/session"));
    let answer = operation.and_then(|known| known.answers.get("200")).and_then(Option::as_ref);
    let validator = answer.expect("it is documented").1.validator();
    let mut session = json!({ "idCard": true, "user": {
        "uid": 1, "email": "a@b.c", "name": "n", "role": "student", "rollNumber": null, "department": null,
        "batch": null, "createdAt": "2026-11-21T06:00:00Z", "capabilities": [],
    }});
    assert!(validator.is_valid(&session) && validator.is_valid(&json!({ "user": null, "idCard": true })));
    session["user"]["passwordHash"] = json!("$argon2id$");
    assert!(!validator.is_valid(&session));
    session["user"]["passwordHash"].take();
    session["user"]["role"] = json!("principal");
    assert!(!validator.is_valid(&session));
}
