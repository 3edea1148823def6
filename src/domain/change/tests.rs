//! Every kind of change, as version 1 stores it.

use std::{collections::BTreeSet, fmt::Debug};

use serde::de::DeserializeOwned;

use super::*;

/// One value of every kind. Optional fields are set, except where the second value of a kind leaves them out.
const STORED: &[&str] = &[
    r#"{"kind":"lent","loan":1,"title":"Godaan","due":"2026-11-28"}"#,
    concat!(
        r#"{"kind":"lent","loan":1,"title":"Godaan","copy":2,"barcode":"L000002","due":"2026-11-28","#,
        r#""overridden":{"blocks":["title.reserved"],"reason":"exam"},"#,
        r#""filled":{"hold":3,"was":"ready","copy":2,"until":"2026-11-24","passedTo":4},"#,
        r#""passedOver":{"hold":4,"copy":2,"until":"2026-11-24","queueKey":5,"cancelled":true},"was":"to-shelve"}"#
    ),
    concat!(
        r#"{"kind":"returned","loan":1,"title":"Godaan","copy":2,"due":"2026-11-28","on":"2026-11-30","to":"to-shelve","#,
        r#""fine":7.5,"caught":3,"charge":4,"was":"missing","#,
        r#""swapped":{"copy":5,"barcode":"L000005","inHand":"L000002","with":6,"was":"on-shelf"}}"#
    ),
    concat!(
        r#"{"kind":"renewed","loan":1,"title":"Godaan","from":"2026-11-28","to":"2026-12-05","charged":2,"charge":4,"#,
        r#""dropped":5,"reasonsBefore":"[]","overridden":{"blocks":[],"reason":"exam"}}"#
    ),
    r#"{"kind":"renewed","loan":1,"title":"Godaan","from":"2026-11-28","to":"2026-12-05"}"#,
    r#"{"kind":"fine-charged","loan":1,"title":"Godaan","renewal":7,"amount":5,"charge":4}"#,
    concat!(
        r#"{"kind":"declared-lost","loan":1,"title":"Godaan","copy":2,"barcode":"L000002","due":"2026-11-28","to":"lost","#,
        r#""was":"on-shelf","fine":0,"charge":4,"price":300,"priceCharge":5}"#
    ),
    r#"{"kind":"due-date-set","loan":1,"title":"Godaan","from":"2026-11-28","to":"2026-12-20","dropped":15,"reasonsBefore":"[]","reason":"Ill"}"#,
    r#"{"kind":"due-date-moved","loan":1,"title":"Godaan","from":"2026-11-28","to":"2026-12-05"}"#,
    r#"{"kind":"slip-printed","loans":[1,2]}"#,
    concat!(
        r#"{"kind":"loan-imported","loan":1,"import":8,"title":"Godaan","copy":2,"barcode":"L000002","#,
        r#""lent":"2026-11-14","due":"2026-11-28","renewals":1,"was":"to-shelve"}"#
    ),
    concat!(
        r#"{"kind":"hold-placed","hold":3,"title":"Godaan","place":1,"#,
        r#""overridden":{"blocks":["holds.limit"],"reason":"exam"}}"#
    ),
    concat!(
        r#"{"kind":"hold-ready","hold":3,"title":"Godaan","copy":2,"barcode":"L000002","until":"2026-11-24","#,
        r#""from":"on-shelf"}"#
    ),
    concat!(
        r#"{"kind":"hold-cancelled","hold":3,"was":"ready","copy":2,"until":"2026-11-24","passedTo":4,"#,
        r#""title":"Godaan","reason":"gone"}"#
    ),
    r#"{"kind":"hold-cancelled","hold":3,"was":"waiting","title":"Godaan"}"#,
    r#"{"kind":"hold-expired","hold":3,"was":"ready","copy":2,"until":"2026-11-24","title":"Godaan"}"#,
    r#"{"kind":"hold-put-back","hold":3,"copy":2,"until":"2026-11-24","queueKey":-1,"title":"Godaan"}"#,
    concat!(
        r#"{"kind":"holds-reordered","hold":3,"title":"Godaan","from":2,"to":1,"before":[{"hold":4,"key":1}],"#,
        r#""after":[{"hold":3,"key":1}],"reason":"exam"}"#
    ),
    r#"{"kind":"copies-added","count":2,"copies":[{"id":2,"barcode":"L000002"}]}"#,
    concat!(
        r#"{"kind":"copy-updated","copy":2,"#,
        r#""before":{"barcode":"L000002","location":null,"note":"","price":null,"acquiredOn":null},"#,
        r#""after":{"barcode":"L000003","location":"A3","note":"torn","price":300,"acquiredOn":"2026-11-21"}}"#
    ),
    r#"{"kind":"copy-moved","copy":2,"barcode":"L000002","from":"to-shelve","to":"on-shelf","note":""}"#,
    r#"{"kind":"charged","line":4,"of":"damage","amount":30,"reason":"torn"}"#,
    r#"{"kind":"charge-imported","line":4,"import":8,"of":"overdue","amount":12.5,"reason":"Godaan"}"#,
    concat!(
        r#"{"kind":"paid","line":6,"receipt":"2026-27/000001","amount":30,"method":"upi","reference":"x","#,
        r#""settled":[{"charge":4,"amount":30}]}"#
    ),
    r#"{"kind":"waived","line":6,"charge":4,"of":"overdue","amount":1,"reason":"a rupee"}"#,
    concat!(
        r#"{"kind":"charge-reversed","line":6,"charge":4,"of":"lost","title":"Godaan","amount":300,"credit":100,"#,
        r#""reason":"found"}"#
    ),
    concat!(
        r#"{"kind":"payment-reversed","line":7,"payment":6,"receipt":"2026-27/000001","amount":30,"method":"upi","#,
        r#""charges":[4],"reason":"bounced"}"#
    ),
    r#"{"kind":"till-closed","number":12,"expected":420,"counted":400,"note":"a rupee too few"}"#,
    r#"{"kind":"refunded","line":6,"amount":100,"method":"cash"}"#,
    r#"{"kind":"registered","role":"student"}"#,
    concat!(
        r#"{"kind":"profile-updated","before":{"name":"Asha","rollNumber":null,"department":null},"#,
        r#""after":{"name":"Asha Rao","rollNumber":"cs25-001","department":"Physics"}}"#
    ),
    concat!(
        r#"{"kind":"person-added","person":{"name":"Asha","email":null,"rollNumber":null,"department":null,"#,
        r#""batch":null,"category":"Student","validUntil":null,"barred":null}}"#
    ),
    concat!(
        r#"{"kind":"person-updated","before":{"name":"Asha","email":null,"rollNumber":null,"department":null,"#,
        r#""batch":null,"category":"Student","validUntil":null,"barred":null},"#,
        r#""after":{"name":"Asha","email":"a@b","rollNumber":"1","department":"Physics","batch":"2027","#,
        r#""category":"Staff","validUntil":"2027-05-31","barred":{"until":"2026-12-01","reason":"lost"}}}"#
    ),
    r#"{"kind":"person-deactivated","reason":"left"}"#,
    r#"{"kind":"person-activated"}"#,
    r#"{"kind":"batch-moved","from":"2027","to":"2028","people":[7]}"#,
    r#"{"kind":"batch-moved","from":"2027","to":null,"people":[7]}"#,
    r#"{"kind":"no-dues-issued","number":"2026/1"}"#,
    r#"{"kind":"people-merged","dropped":8,"name":"Asha R.","rollNumber":"1","loans":2,"lines":3}"#,
    r#"{"kind":"photo-added"}"#,
    r#"{"kind":"photo-changed"}"#,
    r#"{"kind":"photo-removed"}"#,
    r#"{"kind":"photo-restored"}"#,
    r#"{"kind":"person-erased"}"#,
    r#"{"kind":"readers-forgotten","loans":2,"holds":3}"#,
    r#"{"kind":"librarian-made","capabilities":["desk"]}"#,
    r#"{"kind":"librarian-unmade","capabilities":["desk","people"]}"#,
    r#"{"kind":"capabilities-changed","before":[],"after":["desk"]}"#,
    r#"{"kind":"signed-in"}"#,
    r#"{"kind":"sign-in-code-made","expires":1}"#,
    r#"{"kind":"password-set","email":"a@b"}"#,
    r#"{"kind":"address-confirmed"}"#,
    r#"{"kind":"password-changed"}"#,
    r#"{"kind":"second-factor-on"}"#,
    r#"{"kind":"second-factor-off"}"#,
    r#"{"kind":"second-factor-reset"}"#,
    r#"{"kind":"passkey-added"}"#,
    r#"{"kind":"passkey-removed"}"#,
    r#"{"kind":"recovery-codes-made"}"#,
    r#"{"kind":"recovery-code-used","left":9}"#,
    r#"{"kind":"sessions-ended","sessions":2}"#,
    r#"{"kind":"provider-linked","provider":"College"}"#,
    r#"{"kind":"provider-unlinked","provider":"College"}"#,
    concat!(
        r#"{"kind":"book-added","book":{"title":"Godaan","author":"Premchand","genre":"Fiction","photoURL":"","#,
        r#""description":"","status":"Available","noOfBooks":1,"location":"A3","rating":4}}"#
    ),
    concat!(
        r#"{"kind":"book-updated","before":{"title":"Godan","author":"","genre":"","photoURL":"","description":"","#,
        r#""status":"Not Available","noOfBooks":0,"location":"","rating":null},"#,
        r#""after":{"title":"Godaan","author":"","genre":"","photoURL":"","description":"","#,
        r#""status":"Available","noOfBooks":1,"location":"","rating":null,"isbn":"9780141439518","publisher":"Penguin","#,
        r#""edition":"2nd","publishedYear":2003,"language":"en","callNumber":"823","price":250}}"#
    ),
    concat!(
        r#"{"kind":"book-deleted","book":{"title":"Godaan","author":"","genre":"","photoURL":"","description":"","#,
        r#""status":"Not Available","noOfBooks":0,"location":"","rating":null}}"#
    ),
    r#"{"kind":"books-imported","first":1,"last":9,"count":9}"#,
    r#"{"kind":"import-undone","import":2,"count":9}"#,
    r#"{"kind":"reviewed","review":1,"rating":5,"before":{"rating":1,"comment":"No."}}"#,
    r#"{"kind":"review-deleted","review":1,"before":{"rating":1,"comment":"No."}}"#,
    concat!(
        r#"{"kind":"calendar-changed","before":{"closedWeekdays":[],"closedDates":[]},"#,
        r#""after":{"closedWeekdays":[7],"closedDates":[{"from":"2026-12-25","to":"2026-12-25","name":"Christmas"}]}}"#
    ),
    concat!(
        r#"{"kind":"notices-changed","before":{"automatic":true,"dueSoonDays":3,"overdueDays":[1,7,14],"off":["lent"],"#,
        r#""byMail":true,"mailHour":8,"screenOnly":[],"toGuardians":["overdue"],"quiet":null},"#,
        r#""after":{"automatic":false,"dueSoonDays":null,"overdueDays":[],"off":[],"byMail":false,"mailHour":18,"screenOnly":["paid"],"toGuardians":[],"quiet":{"from":21,"to":7}}}"#
    ),
    concat!(
        r#"{"kind":"mail-wording-changed","mail":"digest","before":{"en":null,"hi":null},"#,
        r#""after":{"en":{"subject":"Your books","body":"{books}"},"hi":null}}"#
    ),
    r#"{"kind":"undone","change":1,"first":{"kind":"refunded","line":6,"amount":100,"method":"cash"}}"#,
    concat!(
        r#"{"kind":"undone","change":1,"#,
        r#""first":{"kind":"people-merged","dropped":8,"name":"Asha R.","loans":2,"lines":3}}"#
    ),
    r#"{"kind":"undone","change":1,"first":{"kind":"person-deactivated","reason":"left"}}"#,
    r#"{"kind":"erased"}"#,
];

/// Kinds that are desk work (R-DESK-12), as migration 0020 marked existing rows.
const AT_DESK: &[&str] = &[
    "lent",
    "returned",
    "renewed",
    "fine-charged",
    "due-date-set",
    "charged",
    "paid",
    "waived",
    "refunded",
    "charge-reversed",
    "payment-reversed",
    "till-closed",
    "declared-lost",
    "copy-moved",
    "hold-placed",
    "hold-ready",
    "hold-cancelled",
    "hold-put-back",
    "undone",
];

/// Kinds that name their person, as does their undo (R-PEOPLE-6); migration 0020 marked existing rows likewise.
const PERSONAL: &[&str] = &[
    "due-date-set",
    "registered",
    "profile-updated",
    "person-added",
    "person-updated",
    "person-deactivated",
    "password-set",
    "people-merged",
];

/// All kinds of an area, as serde lists them in its error for an unknown kind.
fn kinds<Area: DeserializeOwned + Debug>() -> Vec<String> {
    let error = serde_json::from_str::<Area>(r#"{"kind":"?"}"#).expect_err("no such kind").to_string();
    error.split('`').skip(3).step_by(2).map(Into::into).collect()
}

/// All kinds of the area of a change.
fn kinds_like(change: &Change) -> Vec<String> {
    match change {
        Change::Loan(_) => kinds::<LoanChange>(),
        Change::SignIn(_) => kinds::<SignInChange>(),
        Change::Hold(_) => kinds::<HoldChange>(),
        Change::Copy(_) => kinds::<CopyChange>(),
        Change::Money(_) => kinds::<MoneyChange>(),
        Change::Person(_) => kinds::<PersonChange>(),
        Change::Catalogue(_) => kinds::<CatalogueChange>(),
        Change::Settings(_) => kinds::<SettingsChange>(),
        Change::Undone { .. } | Change::Erased => vec!["undone".into(), "erased".into()],
        Change::Unknown(unknown) => panic!("{unknown:?} is not read"),
    }
}

#[test]
fn a_change_of_the_notices_from_before_they_were_mailed_is_still_read() {
    let stored = concat!(
        r#"{"kind":"notices-changed","before":{"automatic":true,"dueSoonDays":3,"overdueDays":[1,7,14],"off":["lent"]},"#,
        r#""after":{"automatic":false,"dueSoonDays":null,"overdueDays":[],"off":[]}}"#
    );
    let change: Change = serde_json::from_str(stored).expect("a change");
    assert_eq!(change.action(), "notices-changed");
    assert!(!matches!(change, Change::Unknown(_)));
}

#[test]
fn every_kind_is_stored_as_before_and_tells_what_others_need_to_know() {
    let settings = [
        Change::from(SettingsChange::RulesChanged { before: Box::default(), after: Box::default() }),
        Change::from(SettingsChange::SettingsChanged { before: Box::default(), after: Box::default() }),
    ];
    let settings = settings.map(|change| serde_json::to_string(&change).expect("JSON"));
    let (mut seen, mut known) = (BTreeSet::new(), BTreeSet::new());
    for stored in STORED.iter().copied().chain(settings.iter().map(String::as_str)) {
        let change: Change = serde_json::from_str(stored).expect("a change");
        assert_eq!(serde_json::to_string(&change).expect("JSON"), stored);
        let kind = serde_json::to_value(&change).expect("JSON")["kind"].as_str().expect("text").to_owned();
        let about = change.about();
        assert_eq!(about.action, kind);
        assert_eq!(about.at_desk, AT_DESK.contains(&about.action), "{stored}");
        let named = match &change {
            Change::Undone { first, .. } => first.action(),
            other => other.action(),
        };
        let has_reason = named == "hold-cancelled" && stored.contains(r#""reason":"#);
        assert_eq!(about.personal, has_reason || PERSONAL.contains(&named), "{stored}");
        // An imported loan or charge is undone only with its whole import.
        let is_imported = ["loan-imported", "charge-imported"].contains(&about.action);
        assert_eq!(about.undone_by.is_some() || is_imported, change.undone().is_some(), "{stored}");
        assert_eq!(about.undone_by.is_some(), change.instead().is_some(), "{stored}");
        assert!(!change.messages().is_empty(), "{stored}");
        known.extend(kinds_like(&change));
        seen.insert(kind);
    }
    assert_eq!(seen, known, "a kind without a value in this test");
}

#[test]
fn another_kind_or_shape_is_kept_as_it_is_r_seam_9() {
    for stored in [
        r#"{"kind":"mail-sent","to":["a@b"]}"#,
        r#"{"kind":"paid","method":"wallet"}"#,
        r#"{"kind":"undone","change":1,"first":{"kind":"mail-sent","to":["a@b"]}}"#,
    ] {
        let change: Change = serde_json::from_str(stored).expect("a change");
        assert_eq!(serde_json::to_string(&change).expect("JSON"), stored);
        assert_eq!((change.undone_by(), change.undone()), (None, None));
        assert_eq!(change.messages(), [message::change_newer()]);
    }
}
