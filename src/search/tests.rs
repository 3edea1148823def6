//! Tests of the index as its callers see it, by example.

mod model;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::chunk::SMALL_CHUNK;
use super::order::Order;
use super::{AtRest, Cursor, Entry, Field, Index, Loading, Page, Query, Sort, written};

const ALL: RangeInclusive<i64> = i64::MIN..=i64::MAX;

fn entry(id: i64, title: &str, author: &str) -> Entry {
    Entry { id, title: title.to_owned(), author: author.to_owned(), ..Entry::default() }
}

/// Builds an index of books with the ids 1, 2, 3, …
fn index_of(books: &[(&str, &str)]) -> Index {
    let entries = (1..).zip(books).map(|(id, (title, author))| entry(id, title, author));
    let index = Index::new();
    index.replace(ALL, entries.collect());
    index
}

fn query(text: &str) -> Query<'_> {
    Query { text, limit: 100, ..Query::default() }
}

/// Returns the ids of the matches, lowest first.
fn found(index: &Index, text: &str) -> Vec<i64> {
    let mut ids = index.page(&query(text)).ids;
    ids.sort_unstable();
    ids
}

fn found_in_title(index: &Index, text: &str) -> Vec<i64> {
    let page = index.page(&Query { field: Field::Title, ..query(text) });
    page.ids
}

#[test]
fn r_home_2_a_book_is_found_by_any_part_of_its_title_or_author_in_any_case() {
    let index = index_of(&[
        ("The Hobbit", "J. R. R. Tolkien"),
        ("Emma", "Jane Austen"),
        ("Persuasion", "Jane Austen"),
    ]);
    assert_eq!(found(&index, "hob"), [1]);
    assert_eq!(found(&index, "BBIT"), [1]);
    assert_eq!(found(&index, "jane au"), [2, 3]);
    assert_eq!(found(&index, "M"), [2]);
    assert_eq!(found(&index, "e hobbit"), [1]);
    assert_eq!(found(&index, "tolkien"), [1]);
    assert_eq!(found(&index, "dickens"), [0_i64; 0]);
}

#[test]
fn an_index_loaded_in_portions_equals_one_built_at_once() {
    // Titles that differ after the eighth letter, only by id, or in the first letter, and titles without letters.
    let title = |n: i64| match n % 4 {
        0 => format!("A history of the {}", 1000 - n),
        1 => "Poems".to_owned(),
        2 => format!("{n}"),
        _ => "???".to_owned(),
    };
    let entries: Vec<Entry> = (1..=200).map(|n| entry(n * 3, &title(n), "Someone")).collect();
    let whole = Index::new();
    whole.replace(ALL, entries.clone());
    for portion in [1, 7, 64, 1000] {
        let mut loading = Loading::default();
        entries.chunks(portion).for_each(|portion| loading.push(portion.to_vec()));
        let loaded = loading.finish();
        for sort in [Sort::Title, Sort::Newest] {
            let all = Query { sort, limit: 1000, ..Query::default() };
            assert_eq!(loaded.page(&all), whole.page(&all), "{sort:?} in portions of {portion}");
            let some = Query { text: "history", ..all };
            assert_eq!(loaded.page(&some), whole.page(&some), "{sort:?} in portions of {portion}");
        }
        loaded.replace(6..=6, Vec::new());
        assert_eq!(loaded.len(), 199);
    }
    assert!(Loading::default().finish().is_empty());
}

/// Writes an index as its file.
fn file_of(index: &Index) -> Vec<u8> {
    let mut file = Vec::new();
    index.write("a stamp", &mut file).expect("written");
    file
}

fn read_back(file: &[u8]) -> std::io::Result<Index> {
    let kept = AtRest::open(file, file.len() as u64)?;
    assert_eq!(kept.stamp(), "a stamp");
    kept.index()
}

#[test]
fn an_index_read_from_its_file_answers_and_changes_like_the_one_written() {
    let titles = ["Godaan", "गीता", "Emma", "The Hobbit", "C++ Primer", "পথের পাঁচালী", "???"];
    let entries: Vec<Entry> = (1..=300)
        .map(|id| Entry {
            id,
            title: format!("{} {}", titles[usize::try_from(id).expect("small") % titles.len()], id / 9),
            author: if id % 5 == 0 { String::new() } else { format!("Author {}", id % 17) },
            genre: format!("Genre {}", id % 4),
            popularity: u32::try_from(id % 40).expect("small"),
            available: id % 3 > 0,
        })
        .collect();
    let index = Index::new();
    index.replace(ALL, entries);
    index.count_loans((1..60).map(|id| (id * 2, 7)).collect());
    index.learn_words();
    index.replace(7..=8, vec![entry(7, "Zauberberg", "Thomas Mann")]);
    let read = read_back(&file_of(&index)).expect("a sound file");
    assert_eq!((read.len(), read.genres()), (index.len(), index.genres()));
    assert!(!read.has_words_to_learn());
    let same = |what: &str| {
        for sort in [Sort::Title, Sort::Newest, Sort::Popular, Sort::Author] {
            for text in ["", "emma", "geeta", "hobit", "zauberberg", "author 3", "c++"] {
                for genre in [None, Some("Genre 2")] {
                    let query = Query { sort, genre, similar: true, exact: true, ..query(text) };
                    assert_eq!(read.page(&query), index.page(&query), "{what}: {sort:?} {text} {genre:?}");
                    let query = Query { available: true, ..query };
                    assert_eq!(read.page(&query), index.page(&query), "{what}: {sort:?} {text} {genre:?}");
                }
            }
        }
    };
    same("as read");
    for index in [&read, &index] {
        index.replace(1..=30, vec![entry(4, "Emma again", "Jane Austen")]);
        index.count_loans([(4, 9)].into());
    }
    same("changed since");
    assert!(read_back(&file_of(&Index::new())).expect("a sound file").is_empty());
}

#[test]
fn a_damaged_file_of_the_index_is_an_error() {
    let index = index_of(&[("Emma", "Jane Austen"), ("Godaan", "Premchand"), ("गीता", "")]);
    index.learn_words();
    let file = file_of(&index);
    assert!(read_back(&file).is_ok());
    let after_stamp = 20;
    for at in (after_stamp..file.len()).step_by(37) {
        assert!(read_back(&file[..at]).is_err(), "cut off at {at}");
        for bit in [1, 128] {
            let mut changed = file.clone();
            changed[at] ^= bit;
            assert!(read_back(&changed).is_err(), "changed at {at}");
        }
    }
    let longer = [&file[..], b"x"].concat();
    assert!(read_back(&longer).is_err());
}

#[test]
fn u6_exact_matches_come_before_books_with_all_the_words() {
    let index = index_of(&[
        ("Gemma", "Someone"),
        ("Dear Emma", "Someone"),
        ("Emma's War", "Someone"),
        ("Emma", "Jane Austen"),
        ("Anna Karenina", "Leo Tolstoy"),
        ("Hamlet", "William Shakespeare"),
        ("The Guide", "R. K. Narayan"),
        ("The Hobbit", "J.R.R. Tolkien"),
    ]);
    let all = |text: &str| index.page(&query(text)).ids;
    assert_eq!(all("emma"), [4, 3, 2, 1]);
    assert_eq!(all("tolstoy anna"), [5]);
    assert_eq!(all("shakespeare hamlet"), [6]);
    for narayan in ["RK Narayan", "R K Narayan", "r.k. narayan", "narayan guide", "rk"] {
        assert_eq!(all(narayan), [7], "{narayan}");
    }
    assert_eq!(all("jrr tolkien hobbit"), [8]);
    assert_eq!(all("tolstoy hamlet"), [0_i64; 0], "all words are of one book");
}

/// Returns the titles that other spellings of a text find, each with the words in that spelling.
fn similar<'b>(index: &Index, books: &[(&'b str, &'b str)], text: &str) -> Vec<(&'b str, String)> {
    let page = index.page(&Query { similar: true, ..query(text) });
    let title = |id: i64| books[usize::try_from(id).expect("an id of ours") - 1].0;
    page.similar.into_iter().map(|other| (title(other.id), other.spelled.join(" "))).collect()
}

#[test]
fn u6_another_spelling_finds_books_that_the_text_itself_does_not() {
    let books = [
        ("Ramayana", "Valmiki"),
        ("रामायण", "वाल्मीकि"),
        ("The Ramayan of Tulsidas", "F. S. Growse"),
        ("গীতা", ""),
        ("Harry Potter", "J. K. Rowling"),
        ("Pottery for All", "A. Shaper"),
        ("1984", "George Orwell"),
    ];
    let index = index_of(&books);
    let spelled = |text: &str| similar(&index, &books, text);
    let meant = |text: &str| {
        let page = index.page(&Query { similar: true, ..query(text) });
        let words = page.meant.map(|meant| meant.words.join(" ")).unwrap_or_default();
        let ids = page.ids.into_iter();
        (words, ids.map(|id| books[usize::try_from(id).expect("an id of ours") - 1].0).collect::<Vec<_>>())
    };
    let of = |title: &'static str, word: &str| (title, word.to_owned());
    let latin = |words: &str, titles: &[&'static str]| (words.to_owned(), titles.to_vec());
    assert_eq!(found(&index, "ramayan"), [1, 3], "as typed");
    assert_eq!(spelled("ramayan"), [of("रामायण", "रामायण")], "an exact match is not repeated");
    assert_eq!(spelled("रामायण").len(), 2, "the same word in Latin letters");
    assert_eq!(meant("geeta"), latin("গীতা", &["গীতা"]));
    assert_eq!(meant("hary poter"), latin("harry potter", &["Harry Potter"]), "one error in each word");
    assert_eq!(meant("poter harry"), latin("potter harry", &["Harry Potter"]), "in any order");
    assert_eq!(meant("rowlnig"), latin("rowling", &["Harry Potter"]), "two neighbours swapped");
    assert_eq!(meant("harrypotter"), latin("harry potter", &["Harry Potter"]), "without the blank");
    for text in ["pot", "1985", "xyzzy", "potter", ""] {
        assert_eq!((spelled(text), meant(text).0), (Vec::new(), String::new()), "{text}");
    }
    let in_title = Query { similar: true, field: Field::Title, ..query("rowlnig") };
    assert_eq!(index.page(&in_title).ids, [0_i64; 0]);
}

#[test]
fn r_home_2_the_vowel_that_links_two_urdu_words_may_be_any_or_missing() {
    let index = index_of(&[
        ("Dīvān-i G̲h̲ālib", "Taḥsīn Firāqī"),
        ("Kayıp dîwan", "Mehmet Uzun"),
        ("Shahr-e dil", "Anis Ghalib"),
        ("Discrete Mathematics", ""),
        ("Discrete Mathematics I", ""),
    ]);
    let first = |text: &str| index.page(&Query { similar: true, ..query(text) }).ids[0];
    for text in ["diwan e ghalib", "diwan-e-ghalib", "diwan o ghalib"] {
        assert_eq!(first(text), 1, "{text}");
    }
    assert_eq!(first("discrete mathmatics i"), 5, "the letter is not left out where a title has it");
    assert_eq!(first("discrete mathmatics"), 4);
}

#[test]
fn r_home_2_a_word_of_another_script_is_found_while_it_is_typed() {
    let index = index_of(&[
        ("गोदान", "प्रेमचंद"),
        ("गीतांजलि", "रवीन्द्रनाथ ठाकुर"),
        ("பொன்னியின் செல்வன்", "கல்கி"),
        ("The Premature Burial", "Edgar Allan Poe"),
    ]);
    let found = |text: &str| index.page(&Query { similar: true, ..query(text) }).ids;
    for (typed, books) in [
        ("premch", &[1][..]),
        ("gita", &[2]),
        ("gitanj", &[2]),
        ("ponni", &[3]),
        ("kalki ponn", &[3]),
        ("prema", &[4]),
        ("xitanj", &[]),
    ] {
        assert_eq!(found(typed), books, "{typed}");
    }
}

#[test]
fn r_home_2_a_name_with_a_blank_too_many_is_found_in_another_spelling() {
    let index = index_of(&[("The Koran", "N. J. Dawood"), ("Muhammad", "Karen Armstrong")]);
    let meant = |text: &str| index.page(&Query { similar: true, ..query(text) }).ids;
    assert_eq!(meant("qur an"), [1]);
    assert_eq!(meant("moham mad"), [2]);
}

#[test]
fn r_home_2_a_query_with_a_known_word_finds_books_with_fewer_words() {
    let index = index_of(&[
        ("A Brief History of Time", "Stephen Hawking"),
        ("The Art and Practice of Hawking", "E. B. Michell"),
        ("Steven and the Bear", "A. Writer"),
    ]);
    let meant = |text: &str| {
        let page = index.page(&Query { similar: true, ..query(text) });
        (page.meant.map(|meant| (meant.words.join(" "), meant.fewer)), page.ids)
    };
    assert_eq!(meant("hawking quarks").0, Some(("hawking".to_owned(), true)));
    assert_eq!(meant("hawking quarks").1.len(), 2);
    assert_eq!(meant("history of time hawking pdf").1, [1]);
    assert_eq!(
        meant("steven hawking"),
        (Some(("stephen hawking".to_owned(), false)), vec![1]),
        "a name's other spelling"
    );
    assert_eq!(meant("the quarks"), (None, vec![]), "an article is no word to find a book by");
}

#[test]
fn r_home_2_a_query_is_not_replaced_by_an_accidental_likeness() {
    let index = index_of(&[
        ("Sherlock Holmes", "Arthur Conan Doyle"),
        ("A Home for Nita", "Walter Bart"),
        ("Six Ways to Mend a Net", "Operations Group"),
    ]);
    let meant = |text| {
        let page = index.page(&Query { similar: true, ..query(text) });
        page.meant.map(|meant| meant.words.join(" "))
    };
    assert_eq!(meant("sherlok homs").as_deref(), Some("sherlock"), "not the home");
    assert_eq!(meant("शरलॉक होम्स").as_deref(), Some("sherlock holmes"));
    for text in [".net", "भारत", "शिक्षा", "bhagavad gita", "operating concepts"] {
        assert_eq!(meant(text), None, "{text}");
    }
}

#[test]
fn r_home_2_a_whole_word_counts_behind_many_words_that_contain_it() {
    let dramas: Vec<String> = (0..150).map(|n| format!("A Drama {n:03}")).collect();
    let mut books: Vec<(&str, &str)> = dramas.iter().map(|title| (title.as_str(), "A. Writer")).collect();
    books.push(("Life of Rama", "B. Writer"));
    let page = index_of(&books).page(&Query { similar: true, ..query("raama") });
    assert_eq!(page.meant, Some(super::Meant { words: vec!["rama".to_owned()], fewer: false }));
}

#[test]
fn r_home_2_a_short_word_typed_without_a_blank_is_next_to_the_other_one() {
    let men: Vec<String> = (0..16).map(|n| format!("A Man {n}")).collect();
    let men: Vec<(&str, &str)> = men.iter().map(|title| (title.as_str(), "A. Writer")).collect();
    let meant = |text, books: &[_]| {
        let index = index_of(&[&men[..], books].concat());
        let page = index.page(&Query { similar: true, ..query(text) });
        page.meant.map(|meant| meant.words.join(" "))
    };
    let spiders = [("A Spider Bit the Man", "B. Writer"), ("Spidery Manners", "C. Writer")];
    assert_eq!(meant("spiderman", &spiders), None);
    for title in ["The Amazing Spider-Man", "Spider Man (Heroes, #2)"] {
        let books = [&spiders[..], &[(title, "Stan Lee")]].concat();
        assert_eq!(meant("spiderman", &books).as_deref(), Some("spider man"), "{title}");
    }
    let books = [&spiders[..], &[("Spider Man (Heroes, #2)", "Stan Lee")]].concat();
    assert_eq!(meant("spiderman2", &books).as_deref(), Some("spider man 2"), "a number is anywhere");
    assert_eq!(meant("spiderwriter", &spiders).as_deref(), Some("spider writer"), "in title and author");
}

#[test]
fn r_home_2_words_in_another_script_are_likelier_meant_than_parts_of_longer_words() {
    let books = [
        ("Prāyaścittagodāna", "P. Sharma"),
        ("गोदान", "प्रेमचंद"),
        ("Metabolic Diseases", "A. Writer"),
        ("আবোল তাবোল", "সুকুমার রায়"),
    ];
    let index = index_of(&books);
    let page = |text: &str| index.page(&Query { similar: true, ..query(text) });
    for (text, inside, meant) in [("godan", 1, 2), ("abol tabol", 3, 4)] {
        let page = page(text);
        let similar: Vec<i64> = page.similar.iter().map(|other| other.id).collect();
        assert_eq!((page.ids, similar, page.similar_first), (vec![inside], vec![meant], true), "{text}");
    }
    for text in ["metabo", "metabolic diseases", "abolic", "गोदान"] {
        assert!(!page(text).similar_first, "{text}");
    }
}

#[test]
fn r_home_2_a_word_that_readers_add_hides_no_book() {
    let index = index_of(&[
        ("Four-Book Boxed Set: The Hobbit", "J. R. R. Tolkien"),
        ("The Hobbit", "J. R. R. Tolkien"),
        ("Book of Tea", "Okakura Kakuzō"),
    ]);
    let page = |text: &str| index.page(&Query { similar: true, ..query(text) });
    let found = page("hobbit book");
    assert_eq!((found.ids, found.similar.len(), found.similar_first), (vec![1], 1, false));
    assert_eq!((found.similar[0].id, &found.similar[0].spelled), (2, &Vec::new()));
    assert_eq!(page("book of tea").similar, [], "“tea” is too short to name a book");
}

#[test]
fn r_home_2_the_title_itself_comes_first_then_what_most_readers_borrow() {
    let popular =
        |id, title: &str, author: &str, popularity| Entry { popularity, ..entry(id, title, author) };
    let index = Index::new();
    index.replace(
        ALL,
        vec![
            popular(1, "Catching Fire (The Hunger Games, #2)", "Suzanne Collins", 90),
            popular(2, "The Hunger Games (The Hunger Games, #1)", "Suzanne Collins", 95),
            popular(3, "The Hunger Games and Philosophy", "", 0),
            popular(4, "Hunger Gamesmanship", "", 0),
            popular(5, "C++ Primer", "", 0),
            popular(6, "1995, primer año de trabajo", "C. Ruiz", 0),
        ],
    );
    let ids = |text: &str| index.page(&query(text)).ids;
    assert_eq!(ids("hunger games"), [2, 1, 3, 4]);
    assert_eq!(ids("the hunger games")[0], 2);
    assert_eq!((ids("c++"), ids("primer c++")), (vec![5], vec![5]));
}

#[test]
fn u6_other_spellings_follow_the_catalogue() {
    let index = Index::new();
    let ids = |text: &str| -> Vec<i64> {
        let page = index.page(&Query { similar: true, ..query(text) });
        page.ids.into_iter().chain(page.similar.into_iter().map(|other| other.id)).collect()
    };
    let many = (1..=1000).map(|id| entry(id, &format!("Volume {id}"), "Somebody")).collect();
    index.replace(ALL, many);
    assert_eq!(ids("someboby"), [0_i64; 0], "words of many books are collected later");
    assert!(index.has_words_to_learn());
    index.replace(2000..=2000, vec![entry(2000, "Godaan", "")]);
    assert_eq!(ids("गोदान"), [2000], "words of one book are added at once");
    index.learn_words();
    assert!(!index.has_words_to_learn());
    assert_eq!(ids("someboby").len(), 100, "a page of books by Somebody");
    assert_eq!(ids("गोदान"), [2000]);
    index.replace(2000..=2000, vec![entry(2000, "Nirmala", "")]);
    assert_eq!((ids("गोदान"), ids("निर्मला")), (vec![], vec![2000]));
    index.replace(2000..=2000, Vec::new());
    assert_eq!(ids("निर्मला"), [0_i64; 0]);
}

#[test]
fn u6_other_spellings_are_tried_only_on_the_first_page_and_below_ten_matches() {
    for (count, similar) in [(9, 1), (10, 0)] {
        let mut books: Vec<Entry> = (1..=count).map(|id| entry(id, "Harry", "")).collect();
        books.push(entry(100, "Hary", ""));
        let index = Index::new();
        index.replace(ALL, books);
        let first = index.page(&Query { similar: true, limit: 4, ..query("harry") });
        assert_eq!((first.total, first.similar.len()), (usize::try_from(count).expect("few"), similar));
        let second = Query { similar: true, limit: 4, cursor: first.next.as_ref(), ..query("harry") };
        assert_eq!(index.page(&second).similar, []);
    }
}

#[test]
fn a_folded_word_is_shown_as_it_is_written() {
    assert_eq!(written("The «Rāmāyaṇa» of Vālmīki", "ramayana"), Some("Rāmāyaṇa"));
    assert_eq!(written("The Rāmāyaṇa", "rama"), None);
}

#[test]
fn r_home_2_books_are_found_in_every_script() {
    let index = index_of(&[
        ("गोदान", "मुंशी प्रेमचंद"),
        ("الأيام", "طه حسين"),
        ("紅樓夢", "曹雪芹"),
        ("Война и мир", "Лев Толстой"),
        ("סיפור פשוט", "שמואל יוסף עגנון"),
        ("Βίος και Πολιτεία", "Νίκος Καζαντζάκης"),
        ("Les Misérables", "Victor Hugo"),
        ("Prestuplenie i nakazanie: russkai\u{FE20}a\u{FE21} klassika", "F. M. Dostoevskiĭ"),
        ("토지", "박경리"),
    ]);
    for (text, id) in [
        ("दान", 1),
        ("प्रेम", 1),
        ("أيام", 2),
        ("حسين", 2),
        ("樓", 3),
        ("ВОЙНА", 4),
        ("воина", 4),
        ("толстой", 4),
        ("פשוט", 5),
        ("ΠΟΛΙΤΕΙΑ", 6),
        ("καζαντζακης", 6),
        ("miserables", 7),
        ("MISE\u{301}RABLES", 7),
        ("russkaia", 8),
        ("dostoevskii", 8),
        ("토지", 9),
    ] {
        assert_eq!(found(&index, text), [id], "{text}");
    }
    assert_eq!(found(&index, "गोदीन"), [0_i64; 0], "another vowel, another word");
}

#[test]
fn a_title_query_does_not_look_into_the_author() {
    let index = index_of(&[("Homer", "Someone"), ("Iliad", "Homer"), ("Home and Homer", "Homer")]);
    assert_eq!(found(&index, "homer"), [1, 2, 3]);
    assert_eq!(found_in_title(&index, "homer"), [1, 3]);
    assert_eq!(found_in_title(&index, "someone"), [0_i64; 0]);
}

#[test]
fn a_match_does_not_run_from_title_to_author_or_from_book_to_book() {
    let index = index_of(&[("ab", "cd"), ("ef", "gh")]);
    for text in ["bc", "b c", "b\u{1F}c", "b\nc", "de", "d e", "d\ne"] {
        assert_eq!(found(&index, text), [0_i64; 0], "{text:?}");
        assert_eq!(found_in_title(&index, text), [0_i64; 0], "{text:?}");
    }
    let index = index_of(&[("a\u{1F}b\nc", "d\n\u{1F}e")]);
    assert_eq!(found(&index, "a b c"), [1]);
    assert_eq!(found_in_title(&index, "b c"), [1]);
    assert_eq!(found_in_title(&index, "d e"), [0_i64; 0]);
}

#[test]
fn a_blank_query_lists_every_book_with_the_exact_total() {
    let index = index_of(&[("b", ""), ("a", ""), ("", "x")]);
    for text in ["", " ", "\t\n", "\u{A0}"] {
        let page = index.page(&query(text));
        assert_eq!(page.ids, [3, 2, 1]);
        assert_eq!((page.total, page.total_is_exact), (3, true));
    }
    assert_eq!(found(&index, "  x "), [3], "blanks at the ends are trimmed");
}

#[test]
fn r_home_2_a_list_by_title_or_author_begins_at_a_letter() {
    let index = index_of(&[
        ("\"Dune\"", "Frank Herbert"),
        ("Emma", "Jane Austen"),
        ("1984", "George Orwell"),
        ("Éclair", ""),
        ("गोदान", "प्रेमचंद"),
    ]);
    let from = |sort, text: &str| {
        let cursor = Cursor::beginning(sort, text);
        let page = index.page(&Query { sort, cursor: cursor.as_ref(), ..query("") });
        (page.ids, page.previous.is_some())
    };
    assert_eq!(from(Sort::Title, "E"), (vec![4, 2, 5], true));
    assert_eq!(from(Sort::Title, "em"), (vec![2, 5], true));
    assert_eq!(from(Sort::Title, "F"), (vec![5], true), "no title begins so: the next one");
    assert_eq!(from(Sort::Title, "1"), (vec![3, 1, 4, 2, 5], false));
    assert_eq!(from(Sort::Title, "ह"), (vec![], true));
    assert_eq!(from(Sort::Author, "G"), (vec![3, 2, 5, 4], true), "an unknown author is last");
    assert!(Cursor::beginning(Sort::Newest, "E").is_none());
    assert!(Cursor::beginning(Sort::Title, " ").is_none());
}

#[test]
fn an_empty_index_has_an_empty_page() {
    let exact = Page { total_is_exact: true, ..Page::default() };
    let index = Index::new();
    assert!(index.is_empty());
    assert_eq!(index.page(&query("")), exact);
    assert_eq!(index.page(&query("a")), exact);
}

#[test]
fn books_stand_in_title_order_or_newest_first() {
    let index = index_of(&[
        ("Ulysses", ""),
        ("éclair", ""),
        ("\"Dubliners\"", ""),
        ("dubliners", ""),
        ("Zorro", ""),
        ("1984", ""),
    ]);
    assert_eq!(index.page(&query("")).ids, [6, 4, 3, 2, 1, 5]);
    let newest = index.page(&Query { sort: Sort::Newest, ..query("") });
    assert_eq!(newest.ids, [6, 5, 4, 3, 2, 1]);
}

#[test]
fn r_home_2_books_are_listed_by_loans_then_by_title() {
    let index = index_of(&[("b", ""), ("c", ""), ("a", ""), ("d", "")]);
    let popular = |text| index.page(&Query { sort: Sort::Popular, ..query(text) }).ids;
    assert_eq!(popular(""), [3, 1, 2, 4], "no loans: by title");
    index.count_loans([(4, 2), (2, 9), (1, 2), (99, 5)].into());
    assert_eq!(popular(""), [2, 1, 4, 3]);
    assert_eq!(popular("d"), [4]);
    index.replace(4..=4, vec![entry(4, "a d", "")]);
    assert_eq!(popular(""), [2, 4, 1, 3], "a renamed title keeps its loans");
    index.count_loans([(3, 1)].into());
    assert_eq!(popular(""), [3, 4, 1, 2]);
}

#[test]
fn r_home_2_books_are_listed_by_author_then_by_title_and_those_without_last() {
    let books =
        [("b", "Émile Zola"), ("a", ""), ("z", "\"Anon\""), ("a", "emile zola"), ("c", "Jane Austen")];
    let index = index_of(&books);
    let by_author = |index: &Index| index.page(&Query { sort: Sort::Author, ..query("") }).ids;
    assert_eq!(by_author(&index), [3, 4, 1, 5, 2]);
    let mut loading = Loading::default();
    loading.push((1..).zip(books).map(|(id, (title, author))| entry(id, title, author)).collect());
    assert_eq!(by_author(&loading.finish()), [3, 4, 1, 5, 2], "a whole catalogue is listed alike");
}

#[test]
fn r_home_2_a_listing_finds_few_and_many_matches_alike() {
    let index = Index::new();
    let author = |id: i64| if id % 2 == 0 { "Zola" } else { "Austen" };
    index.replace(ALL, (1..=3000).map(|id| entry(id, &format!("Poems {id:04}"), author(id))).collect());
    for text in ["", "poem", "poems 000"] {
        let mut ids = Vec::new();
        let mut cursor = None;
        loop {
            let page = index.page(&Query { sort: Sort::Author, cursor: cursor.as_ref(), ..query(text) });
            ids.extend(page.ids);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        let number = text.trim_start_matches(char::is_alphabetic).trim();
        let found = |id: &i64| format!("{id:04}").contains(number);
        let odd = (1..=3000).filter(|id| id % 2 == 1);
        let expected: Vec<i64> = odd.chain((1..=3000).filter(|id| id % 2 == 0)).filter(found).collect();
        assert_eq!(ids, expected, "{text:?}");
    }
}

#[test]
fn matches_are_counted_up_to_a_thousand() {
    let books = |count: i64| (1..=count).map(|id| entry(id, "Poems", "")).collect();
    let index = Index::new();
    for (count, total, exact) in [(999, 999, true), (1000, 1000, true), (1001, 1000, false)] {
        index.replace(ALL, books(count));
        let page = index.page(&query("poem"));
        assert_eq!((page.total, page.total_is_exact), (total, exact));
        let page = index.page(&Query { exact: true, ..query("poem") });
        assert_eq!((page.total, page.total_is_exact), (index.len(), true));
        let page = index.page(&query(""));
        assert_eq!((page.total, page.total_is_exact), (index.len(), true));
    }
}

#[test]
fn replacing_a_range_adds_changes_and_removes() {
    let index = index_of(&[("one", ""), ("two", ""), ("three", ""), ("four", "")]);
    index.replace(
        2..=5,
        vec![entry(5, "five", ""), entry(2, "zwei", ""), entry(9, "stray", ""), entry(2, "deux", "")],
    );
    assert_eq!(found(&index, ""), [1, 2, 5]);
    assert_eq!(found(&index, "deux"), [2], "the last entry of an id counts");
    index.replace(1..=1, Vec::new());
    assert_eq!(found(&index, ""), [2, 5]);
    #[expect(clippy::reversed_empty_ranges, reason = "an empty range is the case at hand")]
    index.replace(9..=1, vec![entry(5, "stray", "")]);
    assert_eq!(found(&index, ""), [2, 5]);
    index.replace(ALL, vec![entry(i64::MAX, "last", ""), entry(i64::MIN, "first", "")]);
    assert_eq!(found(&index, ""), [i64::MIN, i64::MAX]);
    index.replace(ALL, Vec::new());
    assert!(index.is_empty());
}

#[test]
fn changing_one_book_copies_only_the_chunks_it_is_in() {
    let index = Index::new();
    let books = (1..=800).map(|id| entry(id, &format!("Title {id:04}"), ""));
    index.replace(ALL, books.collect());
    let before = index.snapshot();
    index.replace(400..=400, vec![entry(400, "Title 0001 again", "")]);
    let after = index.snapshot();
    let copied = |old: &Order, new: &Order| {
        let shared = |chunk| old.chunks.iter().any(|other| Arc::ptr_eq(chunk, other));
        new.chunks.iter().filter(|chunk| !shared(chunk)).count()
    };
    assert_eq!(copied(&before.newest, &after.newest), 1);
    assert!(copied(&before.by_title, &after.by_title) <= 3, "where it was, and where it is now, in two");

    index.replace(400..=400, vec![entry(400, "TITLE 0001 Again", "")]);
    assert!(Arc::ptr_eq(&after, &index.snapshot()), "nothing differs once folded");
}

#[test]
fn chunks_that_have_lost_most_books_are_joined() {
    let index = Index::new();
    let books: Vec<Entry> = (1..=800).map(|id| entry(id, &id.to_string(), "")).collect();
    index.replace(ALL, books);
    for id in 1..=800 {
        if id % 100 != 0 {
            index.replace(id..=id, Vec::new());
        }
    }
    let snapshot = index.snapshot();
    for order in [&snapshot.by_title, &snapshot.newest] {
        assert_eq!(order.len, 8);
        assert!(order.chunks.len() <= order.len / SMALL_CHUNK);
    }
}

#[test]
fn a_chunk_left_small_between_two_changes_is_joined_too() {
    let index = Index::new();
    let books: Vec<Entry> = (1..=800).map(|id| entry(id, &format!("{id:04}"), "")).collect();
    index.replace(ALL, books.clone());
    let mut left = books.into_iter().skip(13).collect::<Vec<_>>();
    left.extend([entry(800, "0800", "Someone")]);
    index.replace(ALL, left);
    let snapshot = index.snapshot();
    for order in [&snapshot.by_title, &snapshot.newest] {
        assert_eq!(order.len, 787);
        assert!(order.chunks.iter().all(|chunk| chunk.len() >= SMALL_CHUNK));
    }
}

#[test]
fn a_cursor_keeps_its_place_when_its_book_is_renamed_or_deleted() {
    let index = index_of(&[("a", ""), ("b", ""), ("c", ""), ("d", ""), ("e", "")]);
    let page = |cursor: Option<&Cursor>| index.page(&Query { limit: 2, cursor, ..query("") });
    let first = page(None);
    assert_eq!(first.ids, [1, 2]);
    let next = first.next.expect("more books follow");
    index.replace(2..=2, Vec::new());
    assert_eq!(page(Some(&next)).ids, [3, 4]);
    index.replace(2..=2, vec![entry(2, "z", "")]);
    assert_eq!(page(Some(&next)).ids, [3, 4]);
    let back = page(Some(&next)).previous.expect("a book comes before");
    assert_eq!(page(Some(&back)).ids, [1], "fewer than the limit come before");
}

#[test]
fn a_page_behind_the_last_match_is_empty_and_leads_back() {
    let index = index_of(&[("a", ""), ("b", ""), ("c", "")]);
    let page = |cursor: Option<&Cursor>| index.page(&Query { limit: 2, cursor, ..query("") });
    let next = page(None).next.expect("one more book follows");
    index.replace(3..=3, Vec::new());
    let empty = page(Some(&next));
    assert_eq!(empty.ids, [0_i64; 0]);
    assert_eq!(empty.next, None);
    let back = page(empty.previous.as_ref());
    assert_eq!(back.ids, [1, 2], "the book before the cut is not lost");
    assert_eq!((back.next, back.previous), (None, None));
}

#[test]
fn a_cursor_of_another_sort_is_ignored() {
    let index = index_of(&[("a", ""), ("b", ""), ("c", "")]);
    let by_title = Query { limit: 1, ..query("") };
    let cursor = index.page(&by_title).next.expect("more books follow");
    assert_eq!(cursor.sort(), Sort::Title);
    let newest = Query { sort: Sort::Newest, cursor: Some(&cursor), ..by_title };
    let page = index.page(&newest);
    assert_eq!(page.ids, [3]);
    assert_eq!(page.next.map(|cursor| cursor.sort()), Some(Sort::Newest));
}

#[test]
fn a_page_has_at_least_one_book() {
    let index = index_of(&[("a", ""), ("b", "")]);
    let page = index.page(&Query { limit: 0, ..query("") });
    assert_eq!(page.ids, [1]);
}

#[test]
fn readers_see_all_of_a_replacement_or_nothing() {
    let books = |title: &str| (1..=60).map(|id| entry(id, title, "")).collect::<Vec<_>>();
    let index = Index::new();
    index.replace(ALL, books("old"));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for sort in [Sort::Title, Sort::Newest] {
            let (index, done) = (&index, &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let page = index.page(&Query { sort, ..query("old") });
                    assert!(matches!(page.total, 0 | 60));
                    assert_eq!(page.ids.len(), page.total);
                }
            });
        }
        for round in 0..200 {
            index.replace(ALL, books(if round % 2 == 0 { "new" } else { "old" }));
        }
        done.store(true, Ordering::Relaxed);
    });
}
