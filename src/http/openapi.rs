//! OpenAPI document, generated from the handlers' annotations and completed with the limits and messages of the domain rules.

use std::sync::LazyLock;

use axum::{
    http::{Method, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use utoipa::OpenApi as _;

use super::{
    access::{Access, TABLE},
    idempotency,
};
use crate::{
    domain::{
        account, book, calendar, copy, label, ledger, library, notice, person, review,
        rule::{Kind, Number, Text},
        rules, till, wording,
    },
    message::templates,
    money::Money,
};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(title = "Library", version = "1", description = "The catalogue, the loans and the accounts of a library."),
    servers((url = "/library/api/v1")),
    components(schemas(super::error::Problem, crate::message::Message))
)]
struct Base;

/// Text rules by schema; the screens take the labels from the document.
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
        &[
            book::TITLE,
            book::AUTHOR,
            book::GENRE,
            book::PHOTO_URL,
            book::DESCRIPTION,
            book::LOCATION,
            book::ISBN,
            book::PUBLISHER,
            book::EDITION,
            book::LANGUAGE,
            book::CALL_NUMBER,
        ],
    ),
    ("ReviewForm", &[review::COMMENT]),
    ("CardLookup", &[account::ROLL_NUMBER]),
    (
        "PersonForm",
        &[
            account::NAME,
            account::EMAIL,
            account::ROLL_NUMBER,
            account::DEPARTMENT,
            account::BATCH,
            account::PHONE,
            account::GUARDIAN_EMAIL,
            account::GUARDIAN_PHONE,
        ],
    ),
    ("Redemption", &[account::ROLL_NUMBER, account::EMAIL, super::accounts::CODE, account::PASSWORD]),
    ("ForgottenPassword", &[account::EMAIL, library::LANGUAGE]),
    ("PasswordLink", &[super::forgotten::TOKEN]),
    ("PasswordReset", &[super::forgotten::TOKEN, account::PASSWORD, library::LANGUAGE]),
    ("FirstLibrarian", &[super::accounts::CODE, account::NAME, account::EMAIL, account::PASSWORD]),
    ("ProviderLink", &[super::oidc::LIBRARY_PASSWORD]),
    ("PasswordChange", &[super::security::CURRENT_PASSWORD, super::security::NEW_PASSWORD]),
    ("AuthenticatorBegin", &[super::security::CURRENT_PASSWORD, super::second_factor::CODE]),
    ("SecondFactorCode", &[super::second_factor::CODE]),
    ("NewPasskey", &[super::passkeys::NAME]),
    ("SecondFactorProof", &[super::security::CURRENT_PASSWORD, super::second_factor::CODE]),
    ("Category", &[rules::NAME]),
    ("ClosedDates", &[calendar::NAME]),
    (
        "LibrarySettings",
        &[
            library::NAME,
            library::ADDRESS,
            library::ON_RECEIPTS,
            library::UPI_ADDRESS,
            library::CURRENCY,
            library::CURRENCY_CODE,
            library::ACCESSION_PREFIX,
            library::LANGUAGE,
        ],
    ),
];
/// Text rules of fields whose labels the screens do not take from the document; `[]` means the items of a list.
const MORE_TEXTS: &[(&str, &str, Text)] = &[
    ("NewBook", "title", book::TITLE),
    ("NewBook", "author", book::AUTHOR),
    ("NewBook", "genre", book::GENRE),
    ("NewBook", "photoURL", book::PHOTO_URL),
    ("NewBook", "description", book::DESCRIPTION),
    ("NewBook", "location", book::LOCATION),
    ("NewBook", "isbn", book::ISBN),
    ("NewBook", "publisher", book::PUBLISHER),
    ("NewBook", "edition", book::EDITION),
    ("NewBook", "language", book::LANGUAGE),
    ("NewBook", "callNumber", book::CALL_NUMBER),
    ("NewBook", "barcodes[]", copy::BARCODE),
    ("AccessionForm", "title", book::TITLE),
    ("AccessionForm", "author", super::accessions::LATER_AUTHOR),
    ("AccessionForm", "location", super::accessions::LATER_LOCATION),
    ("AccessionForm", "isbn", book::ISBN),
    ("AccessionForm", "genre", super::accessions::LATER_GENRE),
    ("AccessionForm", "publisher", book::PUBLISHER),
    ("AccessionForm", "edition", book::EDITION),
    ("AccessionForm", "language", book::LANGUAGE),
    ("AccessionForm", "callNumber", book::CALL_NUMBER),
    ("AccessionForm", "barcodes[]", copy::BARCODE),
    ("NewCopies", "barcodes[]", copy::BARCODE),
    ("CopyEdit", "barcode", copy::BARCODE),
    ("CopyEdit", "location", copy::LOCATION),
    ("CopyEdit", "note", copy::NOTE),
    ("ClosingForm", "note", till::NOTE),
    ("Move", "note", copy::NOTE),
    ("Barred", "reason", person::BARRED_REASON),
    ("PersonEdit", "name", account::NAME),
    ("LibrarySettings", "batches[]", library::BATCH),
    ("LibrarySettings", "departments[]", library::DEPARTMENT),
    // Null and blank mean the library's language.
    ("MailChoicesForm", "language", Text { min: 0, kind: Kind::Line, ..library::LANGUAGE }),
    ("WordingDraft", "language", library::LANGUAGE),
    ("WordingDraft", "subject", wording::SUBJECT),
    ("WordingDraft", "body", wording::BODY),
    ("MailWording", "subject", wording::SUBJECT),
    ("MailWording", "body", wording::BODY),
    ("BatchNoDuesForm", "batch", account::BATCH),
    ("BatchCodesForm", "batch", account::BATCH),
    ("PromotionForm", "fromBatch", account::BATCH),
    ("PromotionForm", "toBatch", account::BATCH),
    ("MoveInLine", "reason", super::loans::REASON),
    ("OverrideForm", "reason", super::loans::REASON),
    ("DueDateForm", "reason", super::loans::REASON),
    ("Deactivation", "reason", Text { min: 0, ..super::loans::REASON }),
    ("ChargeForm", "reason", ledger::REASON),
    ("WaiverForm", "reason", ledger::REASON),
    ("ReversalForm", "reason", ledger::REASON),
    ("PaymentForm", "reference", ledger::REFERENCE),
    ("RefundForm", "reference", ledger::REFERENCE),
    ("DamageForm", "note", super::desk::DAMAGE),
    ("ScanForm", "code", super::desk::CODE),
    ("PairForm", "desk", super::phones::DESK),
    ("LabelBatchForm", "sheet", label::SHEET),
    ("SheetForm", "name", label::NAME),
    ("OpenForm", "code", super::phones::PAIRING_CODE),
    ("OpenForm", "token", super::phones::TOKEN),
    ("PhoneScanForm", "key", super::phones::KEY),
    ("PhoneScanForm", "code", super::desk::CODE),
];
const NUMBERS: &[(&str, &[Number])] = &[
    ("BookForm", &[book::NO_OF_BOOKS, book::RATING, book::PUBLISHED_YEAR]),
    ("ReviewForm", &[review::RATING]),
    ("CategoryRules", rules::NUMBERS),
    ("LibrarySettings", &[library::FINANCIAL_YEAR_MONTH, library::FORGET_AFTER_MONTHS]),
    ("NoticeSettings", &[notice::DUE_SOON_DAYS]),
];

const MORE_NUMBERS: &[(&str, &str, Number)] = &[
    ("NewBook", "noOfBooks", book::NO_OF_BOOKS),
    ("NewBook", "publishedYear", book::PUBLISHED_YEAR),
    ("AccessionForm", "publishedYear", book::PUBLISHED_YEAR),
    ("AccessionForm", "count", super::copies::COUNT),
    ("NewCopies", "count", super::copies::COUNT),
    ("MoveInLine", "place", super::holds::PLACE),
    ("BatchCodesForm", "days", super::people::sign_in_code::VALID_DAYS),
    ("NoticeSettings", "overdueDays[]", notice::OVERDUE_DAYS),
    ("Calendar", "closedWeekdays[]", calendar::WEEKDAY),
    ("SheetForm", "pageWidth", label::PAGE_WIDTH),
    ("SheetForm", "pageHeight", label::PAGE_HEIGHT),
    ("SheetForm", "columns", label::COLUMNS),
    ("SheetForm", "rows", label::ROWS),
    ("SheetForm", "width", label::WIDTH),
    ("SheetForm", "height", label::HEIGHT),
    ("SheetForm", "left", label::LEFT),
    ("SheetForm", "top", label::TOP),
    ("SheetForm", "lastLeft", label::LAST_LEFT),
    ("SheetForm", "lastTop", label::LAST_TOP),
];
/// Smallest and largest amounts of money by schema and field.
const AMOUNTS: &[(&str, &str, Money, Money)] = &[
    ("ChargeForm", "amount", ledger::SMALLEST, ledger::LARGEST),
    ("WaiverForm", "amount", ledger::SMALLEST, ledger::LARGEST),
    ("PaymentForm", "amount", ledger::SMALLEST, ledger::LARGEST),
    ("RefundForm", "amount", ledger::SMALLEST, ledger::LARGEST),
    ("LostForm", "price", Money::ZERO, ledger::LARGEST),
    ("DamageForm", "charge", Money::ZERO, ledger::LARGEST),
    ("CopyEdit", "price", Money::ZERO, book::DEAREST),
    ("BookForm", "price", Money::ZERO, book::DEAREST),
    ("NewBook", "price", Money::ZERO, book::DEAREST),
    ("AccessionForm", "price", Money::ZERO, book::DEAREST),
    ("ClosingForm", "opening", Money::ZERO, ledger::LARGEST),
    ("ClosingForm", "counted", Money::ZERO, ledger::LARGEST),
];

/// Smallest and largest numbers of items by schema and list.
const LENGTHS: &[(&str, &str, usize, usize)] = &[
    ("LibrarySettings", "batches", 1, library::BATCHES),
    ("LibrarySettings", "departments", 0, library::DEPARTMENTS),
];

/// Lists that refuse duplicates.
const UNIQUE: &[(&str, &str)] = &[
    ("NewBook", "barcodes"),
    ("AccessionForm", "barcodes"),
    ("NewCopies", "barcodes"),
    ("LabelBatchForm", "copies"),
    ("SlipsForm", "loans"),
    ("PaymentForm", "charges"),
    ("PromotionForm", "except"),
    ("PromotionForm", "only"),
    ("LibrarySettings", "batches"),
    ("LibrarySettings", "departments"),
];

/// Returns a property of a schema; `field[]` selects the items of a list.
fn property<'a>(document: &'a mut Value, schema: &str, field: &str) -> &'a mut Value {
    let properties = &mut document["components"]["schemas"][schema]["properties"];
    match field.strip_suffix("[]") {
        Some(list) => &mut properties[list]["items"],
        None => &mut properties[field],
    }
}

fn limit_text(property: &mut Value, rule: &Text) {
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

/// Adds the limits of [`crate::domain`] to the fields they apply to.
fn limit(document: &mut Value) {
    for (schema, rules) in TEXTS {
        for rule in *rules {
            let property = property(document, schema, rule.field);
            property["x-label"] = json!(rule.label);
            limit_text(property, rule);
        }
    }
    for (schema, field, rule) in MORE_TEXTS {
        limit_text(property(document, schema, field), rule);
    }
    for (schema, rules) in NUMBERS {
        for rule in *rules {
            let property = property(document, schema, rule.field);
            property["x-label"] = json!(rule.label);
            property["minimum"] = json!(rule.min);
            property["maximum"] = json!(rule.max);
        }
    }
    for (schema, field, rule) in MORE_NUMBERS {
        let property = property(document, schema, field);
        property["minimum"] = json!(rule.min);
        property["maximum"] = json!(rule.max);
    }
    for (schema, field, min, max) in AMOUNTS {
        let mut property = property(document, schema, field);
        // An optional amount is `oneOf` amount and null, in this order.
        if property.get("oneOf").is_some() {
            property = &mut property["oneOf"][0];
        }
        property["minimum"] = json!(min);
        property["maximum"] = json!(max);
    }
    for (field, label, max) in rules::AMOUNTS {
        let property = property(document, "CategoryRules", field);
        property["x-label"] = json!(label);
        property["minimum"] = json!(0);
        property["maximum"] = json!(max);
    }
    for (schema, field, min, max) in LENGTHS {
        let property = property(document, schema, field);
        property["minItems"] = json!(min);
        property["maxItems"] = json!(max);
    }
    for (schema, field) in UNIQUE {
        property(document, schema, field)["uniqueItems"] = json!(true);
    }
    property(document, "BookForm", book::PRICE)["x-label"] = json!(book::PRICE_LABEL);
    property(document, "BookForm", book::STATUS.field)["x-label"] = json!(book::STATUS.label);
}

/// Builds the whole document without I/O, so that it can be printed without a database.
#[must_use]
pub fn document() -> Value {
    let (_, api) = utoipa_axum::router::OpenApiRouter::with_openapi(Base::openapi())
        .merge(super::api())
        .split_for_parts();
    let mut document = serde_json::to_value(api).unwrap_or_default();
    limit(&mut document);
    let problem = |description: &str| {
        json!({
            "description": description,
            "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } }
        })
    };
    for (path, operations) in document["paths"].as_object_mut().into_iter().flatten() {
        // A CSV export takes the filters of its list and has no pages.
        if path.strip_suffix(".csv").is_some()
            && let Some(parameters) = operations.pointer_mut("/get/parameters").and_then(Value::as_array_mut)
        {
            parameters.retain(|parameter| parameter["name"] != "limit" && parameter["name"] != "cursor");
        }
        for (method, operation) in operations.as_object_mut().into_iter().flatten() {
            // OpenAPI requires a description of each response; utoipa omits an empty one.
            for answer in operation["responses"].as_object_mut().into_iter().flat_map(|all| all.values_mut())
            {
                if answer.get("description").is_none() {
                    answer["description"] = json!("Success");
                }
            }
            // Every call can fail, always with a problem document.
            operation["responses"]["default"] =
                problem("Problem document (RFC 9457); `code` is the kind of the problem");
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap_or_default();
            if needs_session(&method, path) {
                operation["security"] = json!([{ "session": [] }]);
            }
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
        "description": "Idempotency key of this write. A retry with the same key within 48 hours, by the same person, \
                        gets the stored response and has no further effect. A refusal is not stored: its retry \
                        runs again.",
        "schema": {
            "type": "string", "minLength": 1, "maxLength": idempotency::LONGEST_KEY, "pattern": "^[ -~]*$"
        }
    });
    document["components"]["securitySchemes"]["session"] = json!({
        "type": "apiKey",
        "in": "cookie",
        "name": super::session::cookie_name(false),
        "description": "The session that a sign-in begins; over https the cookie's name has the prefix `__Host-`."
    });
    document["components"]["securitySchemes"]["phone"] = json!({
        "type": "http",
        "scheme": "bearer",
        "description": "The token of a phone that scans for a desk; it opens these calls and no other."
    });
    document["x-messages"] = templates()
        .map(|template| (template.code.to_owned(), json!(template.text)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    document
}

/// True if a call needs a session.
fn needs_session(method: &Method, path: &str) -> bool {
    TABLE.iter().any(|(verb, route, access)| {
        *verb == method.as_str() && *route == path && !matches!(access, Access::Anyone | Access::Phone)
    })
}

/// Documents the idempotency key of a write and the header of a replayed response.
fn document_key(operation: &mut Value) {
    let key = json!({ "$ref": "#/components/parameters/IdempotencyKey" });
    match operation["parameters"].as_array_mut() {
        Some(parameters) => parameters.push(key),
        None => operation["parameters"] = json!([key]),
    }
    for (status, answer) in operation["responses"].as_object_mut().into_iter().flatten() {
        if status.starts_with('2') {
            answer["headers"][idempotency::REPLAYED] = json!({
                "description": "`true` if the response repeats the stored one",
                "schema": { "type": "string", "enum": ["true"] }
            });
            answer["headers"][idempotency::UNDOABLE] = json!({
                "description": "Id of the change, present if the caller may undo the change: librarians until the end of the day, students for five minutes",
                "schema": { "type": "integer" }
            });
        }
    }
}

/// Returns the document as it is checked in and served.
#[must_use]
pub fn text() -> String {
    let mut text = serde_json::to_string_pretty(&document()).unwrap_or_default();
    text.push('\n');
    text
}

/// Read this document.
#[utoipa::path(get, path = "/openapi.json", responses((status = 200, body = Object)))]
pub async fn read_openapi() -> Response {
    static TEXT: LazyLock<String> = LazyLock::new(text);
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}
