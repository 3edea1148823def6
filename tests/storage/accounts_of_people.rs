//! Accounts and sessions.

use library::domain::id::UserId;
use library::{
    domain::account::{ProfileEdit, Role},
    storage::{
        accounts::{self, NewAccount, Taken},
        copies, people, phones,
        sessions::{self, Opened, ValidSession},
    },
};

use crate::{Store, replaceable, student};

on_both_databases!(
    an_account_is_found_by_number_email_and_roll_number,
    an_email_is_taken_without_regard_to_case_r_reg_5,
    a_roll_number_is_taken_r_reg_5,
    librarians_have_no_roll_number_and_are_not_in_each_others_way,
    nobody_is_found_where_nobody_is,
    a_profile_edit_keeps_what_it_does_not_name_r_prof_1,
    two_students_who_want_one_roll_number_at_once_are_told_so_r_reg_5,
    a_reader_and_a_copy_that_want_one_code_at_once_do_not_both_get_it_r_copy_1,
    an_unknown_role_is_told_and_not_used_r_login_5,
    a_session_lasts_until_its_end_r_login_6,
    ended_sessions_are_cleared_away_when_another_begins,
    activity_is_kept_once_a_minute_and_moves_the_end,
    somebody_has_ten_sessions_and_loses_the_one_that_was_not_used_for_longest,
    a_session_goes_on_under_another_token_with_its_phones,
    another_role_ends_every_session_at_once_r_role_1,
);

fn an_account_is_found_by_number_email_and_roll_number(store: &Store) {
    let new = NewAccount {
        name: "Åsa 李 \u{1F4DA} O'Neil".into(),
        department: Some("भौतिकी".into()),
        password_hash: "$argon2id$'; DROP TABLE users; --".into(),
        ..student(1)
    };
    let expected = new.clone();
    let (user, by_id, by_email, by_roll) = store.write(move |tx| {
        let user = accounts::add(tx, &new, 1_793_000_000_123)?.expect("nothing is taken");
        let by_id = accounts::by_id(tx, user.uid)?;
        let by_email = accounts::credentials(tx, " STUDENT1@college.EDU ")?;
        Ok((user, by_id, by_email, accounts::by_roll_number(tx, "cs25-001")?))
    });
    assert_eq!(user.email.as_deref(), Some("Student1@College.edu"), "kept as it was typed");
    assert_eq!((&user.name, &user.department), (&expected.name, &expected.department));
    assert_eq!((user.role, user.batch.as_deref()), (Role::Student, Some("2027")));
    assert_eq!(user.created_at, "2026-10-26T07:33:20.123Z");
    assert_eq!(by_id.and_then(|account| account.user), Some(user.clone()));
    assert_eq!(by_roll.and_then(|account| account.user), Some(user.clone()));
    let (account, hash) = by_email.expect("found without regard to case");
    assert_eq!((account.user, hash), (Some(user), Some(expected.password_hash)));
    assert_eq!(store.read(accounts::count), 1);
}

fn an_email_is_taken_without_regard_to_case_r_reg_5(store: &Store) {
    store.student(1);
    for email in ["Student1@College.edu", "student1@college.edu", "STUDENT1@COLLEGE.EDU"] {
        let again = NewAccount { email: email.into(), ..student(2) };
        assert_eq!(store.write(move |tx| accounts::add(tx, &again, 1)), Err(Taken::Email), "{email}");
    }
    assert_eq!(store.read(accounts::count), 1);
}

fn a_roll_number_is_taken_r_reg_5(store: &Store) {
    let (first, second) = (store.student(1), store.student(2));
    let again = NewAccount { email: "other@college.edu".into(), ..student(1) };
    assert_eq!(store.write(move |tx| accounts::add(tx, &again, 1)), Err(Taken::RollNumber));
    let both = student(1);
    assert_eq!(
        store.write(move |tx| accounts::add(tx, &both, 1)),
        Err(Taken::Email),
        "the email is told first"
    );

    let edit = ProfileEdit { name: "n".into(), roll_number: "cs25-001".into(), department: "d".into() };
    let theirs = edit.clone();
    let told = store.write(move |tx| accounts::update_profile(tx, second.uid, &theirs));
    assert_eq!(told, Some(Err(Taken::RollNumber)));
    let own = store.write(move |tx| accounts::update_profile(tx, first.uid, &edit));
    assert!(own.is_some_and(|own| own.is_ok()), "one's own roll number is free");
}

fn librarians_have_no_roll_number_and_are_not_in_each_others_way(store: &Store) {
    for n in 1..=2 {
        let admin =
            NewAccount { role: Role::Admin, roll_number: None, department: None, batch: None, ..student(n) };
        let user = store.write(move |tx| accounts::add(tx, &admin, 1)).expect("nothing is taken");
        assert_eq!(
            (user.role, user.roll_number, user.department, user.batch),
            (Role::Admin, None, None, None)
        );
    }
}

fn nobody_is_found_where_nobody_is(store: &Store) {
    let edit = ProfileEdit { name: "n".into(), roll_number: "r".into(), department: "d".into() };
    store.write(move |tx| {
        for uid in [0, -1, 1, i64::MAX, i64::MIN].map(UserId) {
            assert!(accounts::by_id(tx, uid)?.is_none());
            assert!(accounts::update_profile(tx, uid, &edit)?.is_none());
        }
        assert!(accounts::credentials(tx, "nobody@college.edu")?.is_none());
        assert!(accounts::by_roll_number(tx, "")?.is_none());
        assert_eq!(accounts::count(tx)?, 0);
        Ok(())
    });
}

fn a_profile_edit_keeps_what_it_does_not_name_r_prof_1(store: &Store) {
    let before = store.student(1);
    let uid = before.uid;
    let edit = ProfileEdit {
        name: "नया नाम".into(), roll_number: "me-7".into(), department: "Arts".into()
    };
    let after = store
        .write(move |tx| accounts::update_profile(tx, uid, &edit))
        .and_then(Result::ok)
        .expect("the account is there");
    assert_eq!((after.name.as_str(), after.roll_number.as_deref()), ("नया नाम", Some("me-7")));
    assert_eq!(after.department.as_deref(), Some("Arts"));
    assert_eq!(
        (after.uid, after.email, after.batch, after.created_at),
        (uid, before.email, before.batch, before.created_at)
    );
}

fn two_students_who_want_one_roll_number_at_once_are_told_so_r_reg_5(store: &Store) {
    for round in 0..8 {
        let (one, other) = (store.student(round * 2), store.student(round * 2 + 1));
        let edit =
            ProfileEdit { name: "n".into(), roll_number: format!("wanted-{round}"), department: "d".into() };
        let start = std::sync::Barrier::new(2);
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let ask = |uid| {
                let (edit, db, start) = (edit.clone(), &store.db, &start);
                scope.spawn(move || {
                    start.wait();
                    db.write_blocking(move |tx| accounts::update_profile(tx, uid, &edit))
                })
            };
            [ask(one.uid), ask(other.uid)].map(|thread| thread.join().expect("no panic")).into()
        });
        let kinds: Vec<_> = outcomes
            .iter()
            .map(|outcome| match outcome {
                Ok(Some(Ok(_))) => "stored".to_owned(),
                Ok(Some(Err(Taken::RollNumber))) => "taken".to_owned(),
                other => format!("{other:?}"),
            })
            .collect();
        assert!(kinds == ["stored", "taken"] || kinds == ["taken", "stored"], "{kinds:?}");
    }
}

fn a_reader_and_a_copy_that_want_one_code_at_once_do_not_both_get_it_r_copy_1(store: &Store) {
    let book = store.book("Godaan", 1);
    for round in 0..8 {
        let code = format!("wanted-{round}");
        let new = NewAccount { roll_number: Some(code.clone()), ..student(round) };
        let start = std::sync::Barrier::new(2);
        let (account, copy) = std::thread::scope(|scope| {
            let account = scope.spawn(|| {
                start.wait();
                store.write(move |tx| accounts::add(tx, &new, 1))
            });
            start.wait();
            let copy = store.write(move |tx| copies::add(tx, book, &code, None));
            (account.join().expect("no panic"), copy)
        });
        assert_eq!(account.is_ok(), copy.is_none(), "{account:?} {copy:?}");
    }
}

fn an_unknown_role_is_told_and_not_used_r_login_5(store: &Store) {
    let uid = store.student(1).uid;
    store.database.raw("UPDATE users SET role = 'principal'").expect("the schema allows it");
    let account = store.read(move |tx| accounts::by_id(tx, uid)).expect("still there");
    assert_eq!((account.uid, account.user), (uid, None));
}

fn a_session_lasts_until_its_end_r_login_6(store: &Store) {
    let user = store.student(1);
    let uid = user.uid;
    assert!(store.write(move |tx| sessions::begin(tx, "token", uid, 1_000, 5_000, Opened::default())));
    let at = |now| store.read(move |tx| sessions::find_valid(tx, "token", now));
    let ValidSession { account, created_at, seen_at, expires_at, second_factor: _ } =
        at(4_999).expect("still good");
    assert_eq!((account.user, created_at, seen_at, expires_at), (Some(user), 1_000, 1_000, 5_000));
    assert!(at(5_000).is_none(), "the end itself is over");
    assert!(store.read(|tx| sessions::find_valid(tx, "another", 1_000)).is_none());

    assert!(
        !store.write(|tx| sessions::begin(tx, "orphan", UserId(999), 1_000, 5_000, Opened::default())),
        "nobody's session does not begin"
    );
    store.write(|tx| sessions::end(tx, "token"));
    assert!(at(1_000).is_none());
    store.write(|tx| sessions::end(tx, "token"));
}

fn ended_sessions_are_cleared_away_when_another_begins(store: &Store) {
    let uid = store.student(1).uid;
    store.write(move |tx| {
        sessions::begin(tx, "old", uid, 0, 10, Opened::default())?;
        sessions::begin(tx, "kept", uid, 0, 11, Opened::default())?;
        sessions::begin(tx, "new", uid, 10, 20, Opened::default())
    });
    let left = store.database.raw("SELECT token_hash FROM sessions ORDER BY token_hash").expect("readable");
    assert_eq!(left, [[Some("kept".to_owned())], [Some("new".to_owned())]]);
}

fn activity_is_kept_once_a_minute_and_moves_the_end(store: &Store) {
    let uid = store.student(1).uid;
    store.write(move |tx| sessions::begin(tx, "token", uid, 0, 100_000, Opened::default()));
    let touched = |now: i64, expires_at: i64| {
        store.write(move |tx| sessions::touch(tx, "token", now, expires_at, now - 60_000));
        store
            .read(move |tx| sessions::find_valid(tx, "token", now))
            .map(|session| (session.seen_at, session.expires_at))
    };
    assert_eq!(touched(59_999, 159_999), Some((0, 100_000)), "another server did it less than a minute ago");
    assert_eq!(touched(60_000, 160_000), Some((60_000, 160_000)));
    assert_eq!(touched(160_000, 260_000), None, "what is over does not begin again");
}

/// ASVS 7.1.2: a person has at most ten sessions.
fn somebody_has_ten_sessions_and_loses_the_one_that_was_not_used_for_longest(store: &Store) {
    let (uid, other) = (store.student(1).uid, store.student(2).uid);
    store.write(move |tx| {
        sessions::begin(tx, "another person's", other, 0, i64::MAX, Opened::default())?;
        for n in 0..10 {
            sessions::begin(tx, &format!("{n}"), uid, n, i64::MAX, Opened::default())?;
        }
        sessions::touch(tx, "0", 100_000, i64::MAX, 100)?;
        sessions::begin(tx, "10", uid, 100_001, i64::MAX, Opened::default())
    });
    let left = store.read(move |tx| sessions::of_person(tx, uid, 0));
    let left: Vec<_> = left.into_iter().map(|session| session.token_hash).collect();
    assert_eq!(left, ["10", "0", "9", "8", "7", "6", "5", "4", "3", "2"]);
    assert_eq!(store.read(move |tx| sessions::of_person(tx, other, 0)).len(), 1);
}

fn a_session_goes_on_under_another_token_with_its_phones(store: &Store) {
    let uid = store.student(1).uid;
    store.write(move |tx| {
        let kept = Opened { kept: true, ..Opened::default() };
        sessions::begin(tx, "old", uid, 0, i64::MAX, kept)?;
        phones::pair(tx, uid, "old", "desk", "phone", 0)?;
        assert_eq!(sessions::renew(tx, "old", "new", 1)?, Some(true));
        assert_eq!(sessions::renew(tx, "old", "newer", 1)?, None, "it has ended");
        Ok(())
    });
    assert!(store.read(|tx| sessions::find_valid(tx, "old", 1)).is_none());
    assert!(
        store.read(|tx| sessions::find_valid(tx, "new", 1)).is_some_and(|session| session.created_at == 0)
    );
    assert_eq!(store.read(move |tx| phones::of_librarian(tx, uid, 1)).len(), 1);
}

fn another_role_ends_every_session_at_once_r_role_1(store: &Store) {
    let (one, other) = (store.student(1).uid, store.student(2).uid);
    store.write(move |tx| {
        for (token, uid) in [("a", one), ("b", one), ("c", other)] {
            sessions::begin(tx, token, uid, 0, 10, Opened::default())?;
        }
        let person = replaceable(tx, one);
        people::set_role(tx, &person, Role::Admin, &[])?;
        assert_eq!(sessions::end_all_of(tx, person.subject())?, 2);
        Ok(())
    });
    let signed_in = |token: &'static str| store.read(move |tx| sessions::find_valid(tx, token, 1)).is_some();
    assert!(!signed_in("a") && !signed_in("b") && signed_in("c"));
    let account = store.read(move |tx| accounts::by_id(tx, one)).expect("still there");
    assert_eq!(account.user.map(|user| user.role), Some(Role::Admin));
}
