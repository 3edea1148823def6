//! HTTP side of the server: one file per area with routes, request and response types, and handlers.
//!
//! A handler reads top to bottom: parse, authorise, decide, store, respond. Access control is in [`access`].

pub mod access;
pub mod accessions;
pub mod accounts;
pub mod address_link;
pub mod backups;
pub mod bell;
pub mod books;
pub mod calendar_link;
pub mod changes;
pub mod client;
mod cookie;
pub mod copies;
pub mod covers;
mod csv_file;
pub mod desk;
pub mod device;
pub mod edge;
pub mod error;
pub mod exports;
pub mod extract;
pub mod forgotten;
pub mod headers;
pub mod holds;
pub mod idempotency;
pub mod imports;
pub mod labels;
pub mod ledger;
pub mod limits;
pub mod loans;
pub mod look_up;
pub mod mail_choices;
pub mod mails;
pub mod money;
pub mod notices;
pub mod oidc;
pub mod openapi;
pub mod options;
pub mod overview;
pub mod page;
pub mod passkeys;
pub mod people;
pub mod phones;
mod plain_page;
pub mod ready;
pub mod reviews;
pub mod second_factor;
pub mod security;
pub mod security_log;
pub mod session;
pub mod settings;
pub mod setup;
pub mod shelves;
pub mod suggestions;
pub mod till;
pub mod unsubscribe;
pub mod vitals;
pub mod web;
pub mod wordings;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    http::{Method, StatusCode, header},
    middleware,
    response::{IntoResponse, Redirect, Response},
    routing::{any, get},
};
use tower::ServiceBuilder;
use tower_http::csrf::CsrfLayer;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{backups::Backups, import::photos, library::Library, password::Passwords, picture};

use error::Error;
pub use limits::Limits;
pub use options::Settings;
use session::Sessions;

/// Base path of the product.
pub const BASE: &str = "/library";
/// Base path of the API.
pub const API: &str = "/library/api/v1";

/// Maximum length of a request body, except uploads.
const BODY_LIMIT: usize = 64 * 1024;
/// Maximum length of an imported file: about 100 000 people.
const UPLOAD_LIMIT: usize = 16 * 1024 * 1024;
/// Maximum length of an imported file of books, gzipped if it is long: about 1 000 000 books.
const BOOKS_LIMIT: usize = 64 * 1024 * 1024;
/// Returns the maximum body length of a path.
fn body_limit(path: &str) -> usize {
    if path.ends_with("/imports/photos") || path.ends_with("/imports/photos/check") {
        photos::LONGEST_ARCHIVE
    } else if path.contains("/imports/books") && people::import::is_upload(path) {
        BOOKS_LIMIT
    } else if people::import::is_upload(path) {
        UPLOAD_LIMIT
    } else if path.ends_with("/covers") || path.ends_with("/photo") {
        picture::LONGEST
    } else {
        BODY_LIMIT
    }
}

/// Time limit of a handler; a registration waits up to 15 s for its turn at hashing.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit of a handler that reads a file: 64 MiB through a line of 2 Mbit/s, and the preview of a million books.
const UPLOAD_TIMEOUT: Duration = Duration::from_mins(5);

/// Returns the time limit of a handler.
fn time_limit(method: &Method, path: &str) -> Duration {
    if people::import::ImportPermit::is_needed(method, path) { UPLOAD_TIMEOUT } else { HANDLER_TIMEOUT }
}

/// State shared by all handlers.
pub struct App {
    pub library: Library,
    /// Catalogue pages that are ready to send.
    pub pages: ready::Answers<books::Asked>,
    pub passwords: Passwords,
    /// Secret key, shared by all servers, that signs links and the proof that an account signed in with a browser
    /// before.
    pub browser_key: String,
    pub sessions: Sessions,
    /// Operator's settings.
    pub settings: Settings,
    pub screens: web::Screens,
    pub limits: Limits,
    /// Code for the first librarian.
    pub setup: setup::Setup,
    /// Allows one import at a time.
    pub importing: people::import::Importing,
    /// Allows one decoding of an uploaded cover at a time.
    pub decode_limit: covers::DecodeLimit,
    /// Daily backups, and those made by hand.
    pub backups: Arc<Backups>,
    /// Set when the server was asked to stop.
    pub stopping: AtomicBool,
}

pub type Shared = Arc<App>;

/// Returns the routes of labels, and of books and holds as CSV.
fn label_and_export_api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(exports::export_books))
        .routes(routes!(exports::export_holds))
        .routes(routes!(labels::list_labels))
        .routes(routes!(labels::export_labels))
        .routes(routes!(labels::list_label_batches, labels::add_label_batch))
        .routes(routes!(labels::list_label_sheets, labels::save_label_sheet))
        .routes(routes!(labels::delete_label_sheet))
}

/// Returns the routes of mails and of mailed password reset links.
fn mail_api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(forgotten::forget_password))
        .routes(routes!(forgotten::check_password_link))
        .routes(routes!(forgotten::reset_password))
        .routes(routes!(mails::list_mails))
        .routes(routes!(mails::stop_mail))
        .routes(routes!(mails::send_mail_again))
        .routes(routes!(mails::send_failed_mails_again))
        .routes(routes!(mails::preview_mails))
        .routes(routes!(address_link::send_address_link))
        .routes(routes!(mail_choices::read_mail_choices, mail_choices::save_mail_choices))
        .routes(routes!(
            calendar_link::read_calendar_link,
            calendar_link::make_calendar_link,
            calendar_link::end_calendar_link
        ))
}

/// Returns the API's routes; a route without documentation cannot be added.
fn api() -> OpenApiRouter<Shared> {
    account_api()
        .merge(money_api())
        .merge(people_api())
        .routes(routes!(books::list_books, books::add_book))
        .routes(routes!(books::list_genres))
        .routes(routes!(books::count_copies_of_books))
        .routes(routes!(shelves::list_shelves))
        .routes(routes!(suggestions::list_also_borrowed))
        .routes(routes!(suggestions::read_suggestion_choice, suggestions::save_suggestion_choice))
        .routes(routes!(books::read_book, books::update_book, books::delete_book))
        .routes(routes!(covers::upload_cover))
        .routes(routes!(copies::list_copies_of_book, copies::add_copies))
        .routes(routes!(copies::list_copies))
        .routes(routes!(copies::update_copy))
        .routes(routes!(copies::move_copy))
        .routes(routes!(copies::shelve_copies))
        .merge(label_and_export_api())
        .routes(routes!(desk::scan_at_desk))
        .routes(routes!(accessions::add_accession, accessions::list_accessions))
        .routes(routes!(look_up::look_up_isbn))
        .routes(routes!(desk::read_desk_today))
        .routes(routes!(phones::pair_phone, phones::list_phones))
        .routes(routes!(phones::unpair_phone))
        .routes(routes!(phones::hear_scans))
        .routes(routes!(phones::open_phone))
        .routes(routes!(phones::send_scan))
        .routes(routes!(phones::hear_answers))
        .routes(routes!(changes::undo_change))
        .routes(routes!(changes::list_changes))
        .routes(routes!(changes::export_changes))
        .routes(routes!(reviews::list_reviews, reviews::add_review))
        .routes(routes!(reviews::delete_review))
        .routes(routes!(loans::borrow_book))
        .routes(routes!(loans::list_loans))
        .routes(routes!(loans::export_loans))
        .routes(routes!(loans::list_my_loans))
        .routes(routes!(loans::return_loan))
        .routes(routes!(loans::extend_loan))
        .routes(routes!(loans::set_due_date))
        .routes(routes!(loans::record_slips))
        .routes(routes!(imports::read_people_columns))
        .routes(routes!(imports::list_imports, imports::import_books))
        .routes(routes!(imports::read_books_columns))
        .routes(routes!(imports::check_books))
        .routes(routes!(imports::read_import))
        .routes(routes!(imports::export_rejected_books))
        .routes(routes!(imports::undo_import))
        .routes(routes!(imports::list_people_imports))
        .routes(routes!(imports::read_people_import))
        .routes(routes!(imports::export_rejected_people))
        .routes(routes!(imports::undo_people_import))
        .routes(routes!(imports::check_photos))
        .routes(routes!(imports::list_photo_imports, imports::import_photos))
        .routes(routes!(imports::read_photo_import))
        .routes(routes!(imports::export_rejected_photos))
        .routes(routes!(imports::undo_photo_import))
        .routes(routes!(imports::list_loan_imports, imports::import_loans))
        .routes(routes!(imports::read_loans_columns))
        .routes(routes!(imports::check_loans))
        .routes(routes!(imports::read_loan_import))
        .routes(routes!(imports::export_rejected_loans))
        .routes(routes!(imports::undo_loan_import))
        .routes(routes!(imports::list_charge_imports, imports::import_charges))
        .routes(routes!(imports::read_charges_columns))
        .routes(routes!(imports::check_charges))
        .routes(routes!(imports::read_charge_import))
        .routes(routes!(imports::export_rejected_charges))
        .routes(routes!(imports::undo_charge_import))
        .routes(routes!(imports::export_marc))
        .routes(routes!(holds::place_hold, holds::list_holds_of_book, holds::cancel_holds_of_book))
        .routes(routes!(holds::list_holds))
        .routes(routes!(holds::list_wanted_titles))
        .routes(routes!(holds::cancel_hold))
        .routes(routes!(holds::move_hold))
        .routes(routes!(holds::list_my_holds))
        .routes(routes!(holds::list_holds_of_person))
        .routes(routes!(notices::list_my_notices))
        .routes(routes!(notices::read_my_notices))
        .routes(routes!(bell::hear_unread))
        .routes(routes!(notices::list_notices_of_person))
        .routes(routes!(settings::read_notices, settings::save_notices))
        .routes(routes!(wordings::list_wordings))
        .routes(routes!(wordings::read_wordings, wordings::save_wordings))
        .routes(routes!(wordings::preview_wording))
        .routes(routes!(wordings::send_wording))
        .routes(routes!(settings::read_config))
        .routes(routes!(settings::read_rules, settings::save_rules))
        .routes(routes!(settings::preview_rules))
        .routes(routes!(settings::read_calendar, settings::save_calendar))
        .routes(routes!(settings::preview_calendar))
        .routes(routes!(settings::read_library, settings::save_library))
        .routes(routes!(settings::preview_library))
        .routes(routes!(backups::list_backups, backups::make_backup))
        .routes(routes!(backups::download_backup))
        .routes(routes!(overview::read_overview))
        .routes(routes!(overview::show_steps))
        .routes(routes!(overview::note_printed))
        .routes(routes!(setup::read_setup, setup::set_up))
        .routes(routes!(vitals::record_vitals))
        .routes(routes!(openapi::read_openapi))
}

/// Returns the routes of readers' money accounts, receipts and the till.
fn money_api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(money::read_account))
        .routes(routes!(money::read_my_account))
        .routes(routes!(money::add_charge))
        .routes(routes!(money::add_payment))
        .routes(routes!(money::waive_charge))
        .routes(routes!(money::read_receipt))
        .routes(routes!(money::count_print))
        .routes(routes!(money::declare_lost))
        .routes(routes!(money::reverse_charge))
        .routes(routes!(money::reverse_payment))
        .routes(routes!(money::add_refund))
        .routes(routes!(ledger::read_takings))
        .routes(routes!(till::read_till))
        .routes(routes!(till::close_till, till::list_closings))
        .routes(routes!(till::read_closing))
        .routes(routes!(ledger::list_debtors))
        .routes(routes!(ledger::list_lines))
        .routes(routes!(ledger::export_lines))
        .routes(routes!(ledger::read_totals))
}

/// Returns the routes of people and their certificates.
fn people_api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(people::list::list_people, people::record::add_person))
        .routes(routes!(people::list::export_people))
        .routes(routes!(people::list::list_batches))
        .routes(routes!(
            people::record::read_person,
            people::record::update_person,
            people::record::erase_person
        ))
        .routes(routes!(people::photo::read_photo, people::photo::upload_photo, people::photo::remove_photo))
        .routes(routes!(people::photo::read_my_photo))
        .routes(routes!(people::data::export_person))
        .routes(routes!(people::data::export_me))
        .routes(routes!(people::import::import_people))
        .routes(routes!(people::promotion::promote_batch))
        .routes(routes!(people::merge::merge_people))
        .routes(routes!(people::role::change_role))
        .routes(routes!(security::end_sessions_of_person))
        .routes(routes!(people::certificate::issue_no_dues))
        .routes(routes!(people::certificate::issue_no_dues_of_batch))
        .routes(routes!(people::certificate::read_no_dues))
        .routes(routes!(people::record::deactivate_person))
        .routes(routes!(people::record::activate_person))
        .routes(routes!(people::sign_in_code::make_sign_in_code))
        .routes(routes!(people::sign_in_code::make_sign_in_codes))
        .routes(routes!(people::loans::list_loans_of_person))
}

/// Returns the routes of accounts: sign-in, sessions and second factors.
fn account_api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .merge(mail_api())
        .routes(routes!(accounts::register))
        .routes(routes!(accounts::sign_in))
        .routes(routes!(accounts::redeem_code))
        .routes(routes!(accounts::sign_out))
        .routes(routes!(accounts::read_session))
        .routes(routes!(accounts::look_up_id_card))
        .routes(routes!(accounts::read_me, accounts::update_me))
        .routes(routes!(security::list_own_sessions, security::end_other_sessions))
        .routes(routes!(security::end_own_session))
        .routes(routes!(security::change_password))
        .routes(routes!(second_factor::give_code))
        .routes(routes!(second_factor::read_second_factor))
        .routes(routes!(second_factor::read_second_step))
        .routes(routes!(second_factor::begin_authenticator))
        .routes(routes!(second_factor::confirm_authenticator))
        .routes(routes!(second_factor::remove_authenticator))
        .routes(routes!(second_factor::make_recovery_codes))
        .routes(routes!(second_factor::reset_second_factor))
        .routes(routes!(passkeys::begin_passkey))
        .routes(routes!(passkeys::add_passkey))
        .routes(routes!(passkeys::remove_passkey))
        .routes(routes!(passkeys::begin_passkey_sign_in))
        .routes(routes!(passkeys::sign_in_with_passkey))
        .routes(routes!(oidc::begin_oidc))
        .routes(routes!(oidc::finish_oidc))
        .routes(routes!(oidc::link_oidc))
        .routes(routes!(oidc::read_own_oidc, oidc::unlink_own_oidc))
}

/// Returns the whole product as one service.
pub fn router(state: Shared) -> Router {
    let api = api()
        .split_for_parts()
        .0
        .method_not_allowed_fallback(method_not_allowed)
        .route_layer(middleware::from_fn_with_state(Arc::clone(&state), access::enforce));
    let routes = Router::new()
        .nest(API, api)
        .route("/library/covers/preview.svg", get(books::preview_cover))
        .route("/library/covers/{file}", get(books::cover))
        .route("/library/calendar/{file}", get(calendar_link::calendar))
        .route("/library/confirm", get(address_link::incomplete))
        .route("/library/confirm/", get(address_link::incomplete))
        .route("/library/confirm/{token}", get(address_link::ask).post(address_link::answer))
        .route("/library/unsubscribe", get(unsubscribe::incomplete))
        .route("/library/unsubscribe/", get(unsubscribe::incomplete))
        .route("/library/unsubscribe/{token}", get(unsubscribe::ask).post(unsubscribe::answer))
        .route("/library/healthz", get(healthy))
        .route("/library/readyz", get(ready))
        .route("/library", any(web::app))
        .route("/library/", any(web::app))
        .route("/library/{*path}", any(web::app))
        .route("/", get(to_the_library))
        .method_not_allowed_fallback(method_not_allowed)
        .fallback(outside)
        .with_state(Arc::clone(&state));
    guarded(routes, state)
}

/// Wraps routes in the layers that every request passes.
pub fn guarded(routes: Router, state: Shared) -> Router {
    // One combined layer: each layer of a router costs every request an allocation or two.
    routes.layer(
        ServiceBuilder::new()
            .layer(middleware::from_fn_with_state(state, edge::handle_request))
            .layer(CsrfLayer::new().with_rejection_response(|_| Error::CrossOrigin.into_response())),
    )
}

async fn method_not_allowed() -> Error {
    Error::MethodNotAllowed
}

async fn to_the_library() -> Redirect {
    Redirect::permanent("/library/")
}

async fn outside() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "Not found. The library is at /library/\n")
}

/// Liveness probe.
async fn healthy() -> &'static str {
    "ok\n"
}

/// Readiness probe: the database and the search work, and the server is not stopping.
async fn ready(State(app): State<Shared>) -> Response {
    let no_store = [(header::CACHE_CONTROL, "no-store")];
    if app.stopping.load(Ordering::Relaxed) {
        return (StatusCode::SERVICE_UNAVAILABLE, no_store, "stopping\n").into_response();
    }
    match app.library.db.health().await.and_then(|()| app.library.catalogue.health()) {
        Ok(()) => (no_store, "ready\n").into_response(),
        Err(reason) => {
            (StatusCode::SERVICE_UNAVAILABLE, no_store, format!("not ready: {reason}\n")).into_response()
        }
    }
}
