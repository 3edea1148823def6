//! Malformed requests, and failures that any request can have.

messages! {
    // Parts of a request that do not parse.
    "missing" = missing(): "This field is missing.";
    "unknownField" = unknown_field(name: &str): "There is no field \"{name}\" here.";
    "duplicate" = duplicate(): "This field appears twice.";
    "notText" = not_text(): "This must be text.";
    "notWholeNumber" = not_whole_number(): "This must be a whole number.";
    "notNumber" = not_number(): "This must be a number.";
    "notTrueOrFalse" = not_true_or_false(): "This must be true or false.";
    "notAmount" = not_amount(): "This must be an amount with at most two decimals.";
    "notObject" = not_object(): "This must be an object.";
    "notList" = not_list(): "This must be a list.";
    "notOneOf" = not_one_of(choices: &str): "This must be one of {choices}.";
    "wrongType" = wrong_type(reason: &str): "This does not fit: {reason}.";
    "badCursor" = bad_cursor(): "This list has no such page. Start from its first page.";
    "notIdempotencyKey" = not_idempotency_key(max: usize):
        "Idempotency-Key must be one key of 1 to {max} printable ASCII characters.";
    "tooManyFigures" = too_many_figures(max: usize): "At most {max} figures, each a number.";
    "notIds" = not_ids(max: usize): "This must be up to {max} whole numbers, separated by commas.";
    "noSuchOrder" = no_such_order(choices: &str): "The list can be ordered by {choices}.";

    // Failed requests.
    "problem.invalid" = problem_invalid(count: usize):
        "{count, plural, one {# field needs your attention.} other {# fields need your attention.}}";
    "problem.malformed-json" = problem_malformed_json(reason: &str):
        "The request's body is not well-formed JSON: {reason}.";
    "problem.payload-too-large" = problem_payload_too_large(max: usize):
        "This is larger than {max, number} kB. Choose a smaller file, or shorten the text.";
    "problem.request-timeout" = problem_request_timeout():
        "The request did not arrive in time. Nothing was changed; please try again.";
    "problem.unsound-request" = problem_unsound_request():
        "The request must name one Host and say the length of its body with Content-Length; bodies in chunks are not taken.";
    "problem.unsupported-media-type" = problem_unsupported_media_type():
        "The request's body must be JSON, sent with Content-Type: application/json.";
    "problem.forbidden" = problem_forbidden(): "Your account may not do this.";
    "problem.cross-origin" = problem_cross_origin(): "This request came from another site and was refused.";
    "problem.not-found" = problem_not_found(): "There is nothing here, or it is no longer there.";
    "problem.method-not-allowed" = problem_method_not_allowed(): "This address does not take this method.";
    "problem.refused" = problem_refused(): "The library's rules do not allow this.";
    "problem.stale" = problem_stale():
        "This was saved elsewhere while you were editing it. Nothing was overwritten.";
    "problem.idempotency-key-reused" = problem_idempotency_key_reused():
        "This Idempotency-Key was used for another request. Nothing was changed; send each new request with a new key.";
    "problem.version-required" = problem_version_required():
        "Say which version you edited: send the ETag that you loaded in If-Match.";
    "problem.too-many-requests" = problem_too_many_requests(seconds: u64, minutes: u64):
        "Too many tries. Wait {minutes, plural, =0 {{seconds, plural, one {a second} other {# seconds}}} one {a minute} other {# minutes}} and try again.";
    "problem.busy" = problem_busy(): "The library is very busy. Nothing was changed; please try again in a moment.";
    "problem.disk-full" = problem_disk_full():
        "The disk of the library's server is full. Nothing was changed; please tell the library's staff.";
    "problem.unavailable" = problem_unavailable():
        "The library cannot reach its records right now. Nothing was changed; please try again in a few minutes.";
    "problem.outcome-unknown" = problem_outcome_unknown():
        "It is not certain whether this was saved. Please reload and look before you try again: it may have worked.";
    "problem.internal" = problem_internal():
        "Something went wrong on the server. Nothing was changed; please try again.";
}
