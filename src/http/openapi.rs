//! The API's document: made from the handlers' own annotations, with the limits and messages of the rules.

use std::sync::LazyLock;

use axum::{
    http::{Method, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use utoipa::OpenApi as _;

use super::idempotency;
use crate::{
    domain::{
        account, book, calendar, library, review,
        rule::{Kind, Number, Text},
        rules,
    },
    message::TEMPLATES,
};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(title = "Library", version = "1", description = "The catalogue, the loans and the accounts of a library."),
    servers((url = "/library/api/v1")),
    components(schemas(super::error::Problem, crate::message::Message))
)]
struct Base;

/// Which rule checks which field of which request.
const TEXTS: &[(&str, &[Text])] = &[
    (
        "Registration",
        &[
            account::NAME,
            account::EMAIL,
            account::PASSWORD,
            account::ROLL_NUMBER,
            account::DEPARTMENT,
            account::BATCH,
        ],
    ),
    ("ProfileEdit", &[account::NAME, account::ROLL_NUMBER, account::DEPARTMENT]),
    (
        "BookForm",
        &[book::TITLE, book::AUTHOR, book::GENRE, book::PHOTO_URL, book::DESCRIPTION, book::LOCATION],
    ),
    ("ReviewForm", &[review::COMMENT]),
    ("CardLookup", &[account::ROLL_NUMBER]),
    (
        "PersonForm",
        &[account::NAME, account::EMAIL, account::ROLL_NUMBER, account::DEPARTMENT, account::BATCH],
    ),
    ("Redemption", &[account::ROLL_NUMBER, account::EMAIL, super::accounts::CODE, account::PASSWORD]),
    ("ProviderLink", &[super::oidc::LIBRARY_PASSWORD]),
    ("PasswordChange", &[super::security::CURRENT_PASSWORD, super::security::NEW_PASSWORD]),
    ("Category", &[rules::NAME]),
    ("ClosedDates", &[calendar::NAME]),
    (
        "LibrarySettings",
        &[
            library::NAME,
            library::CURRENCY,
            library::CURRENCY_CODE,
            library::ACCESSION_PREFIX,
            library::LANGUAGE,
        ],
    ),
];
const NUMBERS: &[(&str, &[Number])] = &[
    ("BookForm", &[book::NO_OF_BOOKS, book::RATING]),
    ("ReviewForm", &[review::RATING]),
    ("CategoryRules", rules::NUMBERS),
    ("LibrarySettings", &[library::FINANCIAL_YEAR_MONTH, library::FORGET_AFTER_MONTHS]),
];

/// The whole document. Free of I/O, so that it can be printed without a database.
#[must_use]
pub fn document() -> Value {
    let (_, api) = utoipa_axum::router::OpenApiRouter::with_openapi(Base::openapi())
        .merge(super::api())
        .split_for_parts();
    let mut document = serde_json::to_value(api).unwrap_or_default();
    for (schema, rules) in TEXTS {
        for rule in *rules {
            let property = &mut document["components"]["schemas"][schema]["properties"][rule.field];
            property["x-label"] = json!(rule.label);
            if rule.kind != Kind::Secret {
                property["x-trimmed"] = json!(true);
            }
            if let Kind::OneOf(choices) = rule.kind {
                property["enum"] = json!(choices);
            } else {
                property["minLength"] = json!(rule.min);
                property["maxLength"] = json!(rule.max);
            }
            match rule.kind {
                Kind::Url => property["format"] = json!("uri"),
                Kind::Email => property["format"] = json!("email"),
                _ => {}
            }
        }
    }
    for (schema, rules) in NUMBERS {
        for rule in *rules {
            let property = &mut document["components"]["schemas"][schema]["properties"][rule.field];
            property["x-label"] = json!(rule.label);
            property["minimum"] = json!(rule.min);
            property["maximum"] = json!(rule.max);
        }
    }
    for (field, label, max) in rules::AMOUNTS {
        let property = &mut document["components"]["schemas"]["CategoryRules"]["properties"][field];
        property["x-label"] = json!(label);
        property["minimum"] = json!(0);
        property["maximum"] = json!(max);
    }
    document["components"]["schemas"]["BookForm"]["properties"][book::STATUS.field]["x-label"] =
        json!(book::STATUS.label);
    let problem = |description: &str| {
        json!({
            "description": description,
            "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } }
        })
    };
    for (path, operations) in document["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in operations.as_object_mut().into_iter().flatten() {
            // Every call can fail, and always in the same form.
            operation["responses"]["default"] = problem("What went wrong");
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap_or_default();
            if idempotency::is_kept(&method, path) {
                document_key(operation);
                operation["responses"]["422"] = problem(
                    "Fields are wrong (`invalid`), or another request had this key (`idempotency-key-reused`)",
                );
            }
        }
    }
    document["components"]["parameters"]["IdempotencyKey"] = json!({
        "name": idempotency::KEY,
        "in": "header",
        "description": "Names this write, so that it can be repeated when its answer got lost: a repeat within 48 hours, \
                        by the same person, gets the first answer and nothing happens twice. A refused write is \
                        decided anew.",
        "schema": {
            "type": "string", "minLength": 1, "maxLength": idempotency::LONGEST_KEY, "pattern": "^[ -~]*$"
        }
    });
    document["components"]["securitySchemes"]["phone"] = json!({
        "type": "http",
        "scheme": "bearer",
        "description": "The token of a phone that scans for a desk; it opens these calls and no other."
    });
    document["x-messages"] = TEMPLATES
        .iter()
        .map(|template| (template.code.to_owned(), json!(template.text)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    document
}

/// A write takes a key, and tells a repeated answer from a first one.
fn document_key(operation: &mut Value) {
    let key = json!({ "$ref": "#/components/parameters/IdempotencyKey" });
    match operation["parameters"].as_array_mut() {
        Some(parameters) => parameters.push(key),
        None => operation["parameters"] = json!([key]),
    }
    for (status, answer) in operation["responses"].as_object_mut().into_iter().flatten() {
        if status.starts_with('2') {
            answer["headers"][idempotency::REPLAYED] = json!({
                "description": "`true` where this is the first answer again",
                "schema": { "type": "string", "enum": ["true"] }
            });
            answer["headers"][idempotency::UNDOABLE] = json!({
                "description": "The id of the change, where the caller may take it back until the day ends",
                "schema": { "type": "integer" }
            });
        }
    }
}

/// The document as it is checked in and served.
#[must_use]
pub fn text() -> String {
    let mut text = serde_json::to_string_pretty(&document()).unwrap_or_default();
    text.push('\n');
    text
}

/// This document.
#[utoipa::path(get, path = "/openapi.json", responses((status = 200, body = Object)))]
pub async fn read_openapi() -> Response {
    static TEXT: LazyLock<String> = LazyLock::new(text);
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}
