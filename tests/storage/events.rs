//! The audit.

use library::domain::id::UserId;
use library::storage::{
    Location,
    events::{self, Action, Event},
};
use serde_json::json;

use crate::Store;

on_both_databases!(an_event_tells_who_did_what_to_what, events_are_only_ever_added);

fn event(action: Action, subject: i64, actor: Option<UserId>) -> Event {
    let before = Some(json!({ "title": "alt ✎ \"x\"" }));
    Event { at: 1, actor, action, subject, before, after: None }
}

fn an_event_tells_who_did_what_to_what(store: &Store) {
    let told = store.write(|tx| {
        events::record(tx, &event(Action::UpdateBook, 7, Some(UserId(3))))?;
        events::record(tx, &event(Action::DeleteBook, 7, None))?;
        events::record(tx, &event(Action::Borrow, 7, Some(UserId(3))))?;
        events::record(tx, &event(Action::UpdateBook, 8, Some(UserId(3))))?;
        Ok((events::of(tx, "book", 7)?, events::of(tx, "loan", 7)?, events::of(tx, "review", 7)?))
    });
    let (book, loan, review) = told;
    assert_eq!(book.len(), 2);
    assert_eq!(
        (book[0].action.as_str(), book[0].actor, book[0].after.as_deref()),
        ("update", Some(UserId(3)), None)
    );
    assert_eq!(book[0].before.as_deref(), Some(r#"{"title":"alt ✎ \"x\""}"#));
    assert_eq!((book[1].action.as_str(), book[1].actor), ("delete", None));
    assert_eq!((loan.len(), review.len()), (1, 0));
}

fn events_are_only_ever_added(store: &Store) {
    store.write(|tx| events::record(tx, &event(Action::AddBook, 7, None)));
    let emptied = matches!(store.database.location, Location::Postgres(_)).then_some("TRUNCATE events");
    for attack in ["UPDATE events SET actor_id = 9", "DELETE FROM events"].into_iter().chain(emptied) {
        let refused = store.database.raw(attack).err().unwrap_or_default();
        assert!(refused.contains("events are never"), "{attack}: {refused}");
    }
    assert_eq!(store.read(|tx| events::of(tx, "book", 7)).len(), 1);
}
