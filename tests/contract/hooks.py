"""What the API's document cannot say in a schema, for schemathesis (R8, docs/reliability.md).

Requests get what only a client that read before can know: a key that was not used, the version that is saved over, the
cursor of a page. One check is added: a request that fits the document is refused for one of the reasons below only.
"""

import itertools
import unicodedata

import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection

# Rules of `x-messages` that look at more than one value, at what is stored, or at how a text is written.
BEYOND_A_SCHEMA = {
    # More than one value, or what is stored
    "idempotency-key-reused", "commonPassword", "ownWords", "wrongPassword", "endsBeforeItBegins", "tooManyDays",
    "taken", "barcodeTaken", "rollNumberIsBarcode", "notListed", "moreThanOwed", "moreThanCredit", "nobodyBroughtIt",
    "chargeSettled", "tooFewOnShelf", "dayOutOfRange", "studentMissing", "tooMany", "samePerson", "sameBatch",
    "moveOrDeactivate", "rollNumberOrEmail", "setUpExpired", "otherEmail", "barcodeTwice", "tooManyBarcodes",
    "isbnLength", "isbnCheck", "isbnKnown", "mayStillCome", "dayPast", "tillChanged", "tillClosed", "receiptReversed",
    "paidOutSince", "batchTooLarge", "dayToCome", "labelOffPaper", "labelsOverlap", "otherLetters", "beforeFirst",
    "quietHoursEmpty", "mailHourIsQuiet", "cannotBeMailed", "tooManyCodes",
    # How a text is written
    "badCursor", "notUrl", "notEmail", "notCurrencyCode", "notUpiAddress", "upiNeedsRupees", "notLettersAndDigits",
    "notBarcode", "noSuchOrder", "notAmount", "notPhone", "notIds", "settings.wording.missing", "settings.wording.unknown",
    "settings.wording.oneLine",
    # What a file holds
    "import.unsound", "import.notZip", "import.lockedZip", "import.fullZip", "import.emptyZip", "notPicture",
    "pictureLarge", "pictureDamaged",
}
# What is left of a text once blanks and invisible characters are gone may be too short.
TRIMMED = {"required", "tooShort"}
# Letters that are drawn as nothing.
FILLERS = "\u115f\u1160\u3164\uffa0\u2800"
# JSON Schema takes 4.0 for a whole number, this server does not.
WITH_A_POINT = {"notWholeNumber"}
# A field that is left out in favour of another, or by whom it is not asked of.
ALTERNATIVES = {
    ("POST", "/books/{id}/copies"): {"required"},
    ("POST", "/books/{id}/holds"): {"missing"},
    ("POST", "/people/promote"): {"required"},
    # Required for a copy without a price.
    ("POST", "/loans/{id}/lost"): {"required"},
}

_numbers = itertools.count(1)
_cursors: dict[str, str] = {}
_versions: dict[str, str] = {}


def _is_positive(case) -> bool:
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Gives a request that fits the document what its client would know from earlier answers."""
    if not _is_positive(case):
        return
    headers = case.headers if case.headers is not None else {}
    if "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = f"contract-{next(_numbers)}"
    if "If-Match" in headers and case.path in _versions:
        headers["If-Match"] = _versions[case.path]
    if case.query and case.query.get("cursor") and case.path in _cursors:
        case.query["cursor"] = _cursors[case.path]


@schemathesis.hook
def after_call(ctx, case, response):
    """Notes the version and the next page that an answer tells."""
    if response.status_code != 200:
        return
    tag = response.headers.get("etag")
    if tag:
        _versions[case.path] = tag[0]
    if case.method == "GET" and response.headers.get("content-type", [""])[0].startswith("application/json"):
        body = response.json()
        if isinstance(body, dict) and body.get("next"):
            _cursors[case.path] = body["next"]


@schemathesis.check
def refused_for_a_reason_beyond_a_schema(ctx, response, case):
    """A request that fits the document is not refused for what the document could have said."""
    if not _is_positive(case) or response.status_code not in (400, 415, 422):
        return
    problem = response.json()
    reasons = {error["rule"] for error in problem.get("errors", [])} or {problem["code"]}
    values = list(_values([case.body, dict(case.query or {})]))
    allowed = BEYOND_A_SCHEMA | ALTERNATIVES.get((case.method.upper(), case.path), set())
    if any(isinstance(value, str) and _shrinks(value) for value in values):
        allowed |= TRIMMED
    if any(isinstance(value, float) and value.is_integer() for value in values):
        allowed |= WITH_A_POINT
    unsaid = reasons - allowed
    assert not unsaid, f"the document does not say what was refused: {', '.join(sorted(unsaid))}"


@schemathesis.check
def refused_where_it_breaks_the_document(ctx, response, case):
    """`negative_data_rejection`, but for texts that fit their length once they are trimmed."""
    if not any(isinstance(value, str) and _shrinks(value) for value in _values([case.body, dict(case.query or {})])):
        negative_data_rejection(ctx, response, case)


def _shrinks(text: str) -> bool:
    """Whether a text is shorter without blanks around it and characters that nobody sees (`domain::rule::clean`)."""
    return text != text.strip() or any(unicodedata.category(char)[0] == "C" or char in FILLERS for char in text)


def _values(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)
    else:
        yield value
