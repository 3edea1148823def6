//! Folding: the normal form in which texts are searched and titles are sorted.
//!
//! Two texts that a reader would call the same word fold to the same key, from any keyboard, catalogue or normalisation
//! form. The rules are the same for every script and independent of language:
//!
//! - compatibility forms are resolved (NFKC): full-width letters, ligatures, half-width kana, presentation forms;
//! - case is folded in full: `ß`, `ẞ` and `ss` are one, so are `σ` and `ς`, and so are `i`, `I`, `İ` and `ı`;
//! - the accents of Latin, Greek and Cyrillic letters are dropped, and letters with a stroke or ligature that Unicode
//!   does not decompose (`ø`, `ł`, `đ`, `æ`, `œ`, …) become plain letters;
//! - the marks of Arabic letters (vowels, hamza, madda) are dropped, and the letters that Arabic, Persian and Urdu
//!   keyboards have in different forms (yeh, kaf, heh) become one;
//! - marks that are part of the spelling in other scripts stay: vowel signs, nuktas, points, voicing marks;
//! - romanisation marks (half marks, modifier apostrophes) and invisible formatting characters are dropped;
//! - digits of Arabic and of the scripts of India become the ASCII ones;
//! - typographic apostrophes, quotation marks and dashes become the ASCII ones;
//! - every run of white space and control characters becomes one space.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::text::is_invisible;

/// Maximum length of a [`title_key`] in characters.
///
/// Cursors contain the key, so it must be short. Titles with the same key are ordered by id.
pub const TITLE_KEY_CHARS: usize = 64;

/// Returns the search key of a text.
///
/// Folding is idempotent, gives composed and decomposed text (NFC, NFD) the same key, and leaves no control
/// characters and no two spaces in a row. It keeps one space at each end, if there were any.
///
/// ```
/// # use library::fold::fold;
/// assert_eq!(fold("Die  GROẞE Straße"), "die grosse strasse");
/// assert_eq!(fold("Ἀθῆναι"), "αθηναι");
/// assert_eq!(fold("Les Misérables — l’œuvre"), "les miserables - l'oeuvre");
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    let mut key = Key { text: String::with_capacity(text.len()), after_space: false };
    if text.is_ascii() {
        text.chars().for_each(|letter| key.push_ascii(letter));
        return key.text;
    }
    text.chars().map(spacing_accent_to_apostrophe).nfkd().for_each(|letter| key.push(letter));
    if is_nfc_quick(key.text.chars()) == IsNormalized::Yes { key.text } else { key.text.nfc().collect() }
}

/// Returns the sort key of a title.
///
/// The key is the folded title from its first letter or digit on, at most [`TITLE_KEY_CHARS`] characters, so
/// `"…And Ladies of the Club"` sorts under A. A title without any letter or digit keeps its folded text.
///
/// ```
/// # use library::fold::title_key;
/// assert_eq!(title_key("«Éloge de l’ombre»"), "eloge de l'ombre\"");
/// assert_eq!(title_key("???"), "???");
/// ```
#[must_use]
pub fn title_key(title: &str) -> String {
    sort_key(&fold(title)).to_owned()
}

/// Returns the [`title_key`] of a folded title, as a slice of the title.
pub(crate) fn sort_key(folded: &str) -> &str {
    let key = match folded.trim_start_matches(|letter: char| !letter.is_alphanumeric()) {
        "" => folded,
        key => key,
    };
    if key.len() <= TITLE_KEY_CHARS {
        return key;
    }
    let end = key.char_indices().nth(TITLE_KEY_CHARS);
    &key[..end.map_or(key.len(), |(end, _)| end)]
}

/// Builder of a key.
struct Key {
    text: String,
    /// The last character pushed was a space, so the next space is dropped.
    after_space: bool,
}

impl Key {
    fn push_ascii(&mut self, letter: char) {
        if letter == ' ' || letter.is_ascii_control() {
            if !self.after_space {
                self.text.push(' ');
            }
            self.after_space = true;
        } else {
            self.text.push(letter.to_ascii_lowercase());
            self.after_space = false;
        }
    }

    /// Folds and appends one character of decomposed text.
    fn push(&mut self, letter: char) {
        if letter.is_ascii() {
            return self.push_ascii(letter);
        }
        if letter.is_whitespace() || letter.is_control() {
            return self.push_ascii(' ');
        }
        if is_accent(letter) || is_romanisation_mark(letter) || is_invisible(letter) {
            return;
        }
        self.after_space = false;
        if let Some(plain) = ascii_punctuation(letter) {
            return self.text.push(plain);
        }
        // All three steps are needed: capital ẞ lowers to ß, which capitalises to SS, which lowers to ss.
        let folded = letter.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
        for letter in folded {
            match plain_letters(letter) {
                Some(plain) => self.text.push_str(plain),
                None => self.text.push(letter),
            }
        }
    }
}

/// Replaces a spacing accent with an apostrophe, because typists (and Greek elision) use the accent as one. Runs before
/// compatibility decomposition, which would turn the accent into a space with an accent. The ranges are the breathings
/// with a second accent, which must fold like their canonical first part.
fn spacing_accent_to_apostrophe(letter: char) -> char {
    match letter {
        '\u{00B4}'
        | '\u{1FBD}'
        | '\u{1FBF}'
        | '\u{1FCD}'..='\u{1FCF}'
        | '\u{1FDD}'..='\u{1FDF}'
        | '\u{1FFD}'
        | '\u{1FFE}' => '\'',
        _ => letter,
    }
}

/// Returns whether a character is a combining mark of Latin, Greek, Cyrillic or Arabic letters, or of symbols. Marks of
/// other scripts have blocks of their own. The check ignores the letter below the mark, so folding is free of context: a
/// part of a text folds as it does within the whole.
fn is_accent(letter: char) -> bool {
    matches!(letter,
        '\u{0300}'..='\u{036F}'     // diacritical marks
        | '\u{0483}'..='\u{0489}'   // Cyrillic titlo and number signs
        | '\u{0610}'..='\u{061A}'   // Arabic signs above a name, and small vowels
        | '\u{0640}'               // the stroke that stretches an Arabic word
        | '\u{064B}'..='\u{065F}'   // Arabic vowels, madda and hamza
        | '\u{0670}'               // Arabic alef above a letter
        | '\u{06D6}'..='\u{06DC}'   // Arabic marks of reciting
        | '\u{06DF}'..='\u{06E4}'
        | '\u{06E7}' | '\u{06E8}'
        | '\u{06EA}'..='\u{06ED}'
        | '\u{1AB0}'..='\u{1AFF}'   // diacritical marks extended
        | '\u{1DC0}'..='\u{1DFF}'   // diacritical marks supplement
        | '\u{20D0}'..='\u{20FF}'   // marks for symbols
        | '\u{2DE0}'..='\u{2DFF}'   // Cyrillic letters above
        | '\u{A66F}'..='\u{A672}'   // Cyrillic marks
        | '\u{A674}'..='\u{A67D}'   // Cyrillic letters above and payerok
        | '\u{A69E}'..='\u{A69F}'   // Cyrillic letters above
        | '\u{FE20}'..='\u{FE2F}'   // half marks: the two ends of a romanisation ligature
    )
}

/// Returns whether a character is a prime, comma or ring that romanises hard and soft signs, hamza or ayn. Few readers
/// type them.
fn is_romanisation_mark(letter: char) -> bool {
    matches!(letter, '\u{02B9}'..='\u{02BF}')
}

/// Returns the ASCII form of a typographic apostrophe, quotation mark, dash or slash.
fn ascii_punctuation(letter: char) -> Option<char> {
    match letter {
        '‘' | '’' | '‚' | '‛' | '′' | '‹' | '›' | '׳' => Some('\''),
        '“' | '”' | '„' | '‟' | '«' | '»' | '״' => Some('"'),
        // From the hyphen to the horizontal bar, the long dashes, the minus sign and the Hebrew maqaf.
        '\u{2010}'..='\u{2015}' | '\u{2E3A}' | '\u{2E3B}' | '\u{2212}' | '\u{05BE}' => Some('-'),
        '\u{2044}' => Some('/'), // the fraction slash within ½
        _ => None,
    }
}

/// Returns the plain letters of a small Latin letter with a stroke or ligature, which Unicode does not decompose, the Arabic
/// form of a Persian or Urdu letter, and the ASCII form of a digit.
fn plain_letters(letter: char) -> Option<&'static str> {
    Some(match letter {
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ⱥ' => "a",
        'ƀ' => "b",
        'ȼ' => "c",
        'đ' | 'ð' => "d",
        'ɇ' => "e",
        'ǥ' => "g",
        'ħ' => "h",
        'ɨ' => "i",
        'ɉ' => "j",
        'ł' | 'ƚ' => "l",
        'ŋ' => "n",
        'ø' | 'ɵ' => "o",
        'ɍ' => "r",
        'ŧ' | 'ⱦ' => "t",
        'ʉ' => "u",
        'ɏ' => "y",
        'ƶ' => "z",
        // Farsi yeh and alef maksura; keheh; heh goal, ae, and teh marbuta in both forms.
        '\u{06CC}' | '\u{0649}' => "\u{064A}",
        '\u{06A9}' => "\u{0643}",
        '\u{06C1}' | '\u{06D5}' | '\u{0629}' | '\u{06C3}' => "\u{0647}",
        _ => return ascii_digit(letter),
    })
}

/// Returns the ASCII form of an Arabic digit, or of one of a script of India.
fn ascii_digit(letter: char) -> Option<&'static str> {
    const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    // Arabic, Urdu, Devanagari, Bengali, Gurmukhi, Gujarati, Odia, Tamil, Telugu, Kannada, Malayalam.
    const ZEROS: [u32; 11] =
        [0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66];
    ZEROS.iter().find_map(|zero| DIGITS.get(u32::from(letter).checked_sub(*zero)? as usize).copied())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    /// Asserts that both texts of each pair fold to the same key.
    fn assert_alike(pairs: &[(&str, &str)]) {
        for (written, typed) in pairs {
            assert_eq!(fold(written), fold(typed), "{written} and {typed}");
        }
    }

    #[test]
    fn r_home_2_case_does_not_matter_in_any_script() {
        assert_alike(&[
            ("HARRY Potter", "harry potter"),
            ("GROSSE STRASSE", "große Straße"),
            ("GROẞE", "grosse"),
            ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
            ("ВОЙНА И МИР", "война и мир"),
            ("İSTANBUL", "istanbul"),
            ("ISPARTA", "ısparta"),
            ("ՀԱՅԱՍՏԱՆ", "հայաստան"),
            ("ﬁne ﬂowers", "FINE FLOWERS"),
        ]);
        assert_eq!(fold("ΟΔΟΣ"), "οδοσ", "a final sigma is a sigma");
    }

    #[test]
    fn r_home_2_accents_of_latin_greek_and_cyrillic_letters_do_not_matter() {
        assert_alike(&[
            ("Les Misérables", "les miserables"),
            ("Ἰλιάς", "Ιλιας"),
            ("ᾠδή", "ωδη"),
            ("Ёлки и ёжик", "елки и ежик"),
            ("Майор", "Маиор"),
            ("Їжак", "Іжак"),
            ("Tiếng Việt", "tieng viet"),
            ("Øresund", "oresund"),
            ("Łódź", "lodz"),
            ("Đặng", "dang"),
            ("Æsop, œuvre", "aesop, oeuvre"),
            ("Þórbergur Þórðarson", "thorbergur thordarson"),
            ("Ħal", "hal"),
            ("Ǽ", "ae"),
        ]);
    }

    #[test]
    fn r_home_2_romanisation_marks_do_not_matter() {
        assert_alike(&[
            ("Russkai\u{FE20}a\u{FE21} i\u{FE20}u\u{FE21}nost\u{02B9}", "russkaia iunost"),
            ("\u{02BB}Ajā\u{02BC}ib", "ajaib"),
            ("ʿAbd al-Raḥmān", "abd al-rahman"),
        ]);
    }

    #[test]
    fn the_marks_that_spell_other_scripts_stay() {
        for word in [
            "हिन्दी की किताब", // Devanagari vowel signs
            "ज\u{093C}ेवर",    // nukta
            "தமிழ்",
            "ภาษาไทย",
            "עִבְרִית",
            "がぎぐ",
            "한국어",
            "中文书名",
        ] {
            let normal: String = word.nfc().collect();
            assert_eq!(fold(word), normal);
        }
        assert_ne!(fold("कि"), fold("की"));
        assert_ne!(fold("か"), fold("が"));
    }

    #[test]
    fn r_home_2_one_word_from_arabic_persian_and_urdu_keyboards_is_one_word() {
        assert_alike(&[
            ("دیوانِ غالب", "ديوان غالب"),
            ("کتاب", "كتاب"),
            ("آگ کا دریا", "اگ كا دريا"),
            ("موسى", "موسی"),
            ("کوئی", "كوئي"),
            ("شاہنامہ", "شاهنامه"),
            ("العَرَبِيَّة", "العربيه"),
            ("خـــط", "خط"),
            ("غالبؔ", "غالب"),
            ("چا٘ند", "چاند"),
        ]);
        assert_ne!(fold("بھارت"), fold("بہارت"), "aspiration tells words apart");
    }

    #[test]
    fn r_home_2_a_year_in_the_digits_of_a_script_is_that_year() {
        assert_alike(&[("१८५७", "1857"), ("۱۹۸۴", "١٩٨٤"), ("১৯৭১", "1971"), ("௨௦௨௬", "2026")]);
    }

    #[test]
    fn compatibility_forms_are_resolved() {
        assert_alike(&[
            ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
            ("ｶﾞｲﾄﾞ", "ガイド"),
            ("ﷲ", "الله"),
            ("½ life", "1/2 life"),
            ("№ 5 … ™", "no 5 ... tm"),
        ]);
    }

    #[test]
    fn typographic_punctuation_is_the_keyboards() {
        assert_alike(&[
            ("L’été", "l'ete"),
            ("L´été", "l'ete"),
            ("ἀλλ᾽ ἐγώ", "αλλ' εγω"),
            ("“Quoted” „Text‟ «zitiert»", "\"quoted\" \"text\" \"zitiert\""),
            ("1914–1918 — a war", "1914-1918 - a war"),
            ("צה״ל", "צה\"ל"),
            ("תל־אביב", "תל-אביב"),
        ]);
    }

    #[test]
    fn white_space_and_control_characters_become_one_space() {
        assert_eq!(fold("a \t\r\n b\u{1F}c\u{0}d"), "a b c d");
        assert_eq!(fold("é\u{A0}\u{3000}\u{85} b\u{1F}\u{2028}c"), "e b c");
        assert_eq!(fold(" a \u{301} b "), " a b ");
    }

    #[test]
    fn invisible_characters_are_dropped() {
        assert_alike(&[
            ("co\u{AD}operate", "cooperate"),
            ("\u{200F}שלום\u{200E}", "שלום"),
            ("می\u{200C}خواهم", "میخواهم"),
            ("\u{FEFF}Title", "title"),
        ]);
    }

    #[test]
    fn every_character_folds_the_same_again_and_in_every_form_and_case() {
        for letter in ('\0'..='\u{2FFFF}').chain('\u{E0000}'..='\u{E0FFF}') {
            let text = letter.to_string();
            let key = fold(&text);
            if text.is_ascii() && !letter.is_control() {
                assert_eq!(key, text.to_ascii_lowercase());
            }
            assert_eq!(fold(&key), key, "{letter:?} again");
            let decomposed: String = text.nfd().collect();
            let mut forms = vec![text.nfc().collect(), text.to_lowercase()];
            // The iota below a Greek vowel folds as an accent, but as a letter where capitals write it beside the vowel.
            if !decomposed.contains('\u{345}') {
                forms.push(text.to_uppercase());
            }
            forms.push(decomposed);
            for form in forms {
                if form != text {
                    assert_eq!(fold(&form), key, "{letter:?} as {form:?}");
                }
            }
        }
    }

    #[test]
    fn titles_are_ordered_from_their_first_letter_or_digit() {
        assert_eq!(title_key("  “…And Ladies of the Club”"), "and ladies of the club\"");
        assert_eq!(title_key("#1 Hit"), "1 hit");
        assert_eq!(title_key("‘हिन्दी’"), "हिन्दी'");
        assert_eq!(title_key("¿¡!?"), "¿¡!?");
        assert_eq!(title_key(""), "");
    }

    #[test]
    fn a_title_key_is_at_most_64_characters() {
        assert_eq!(title_key(&"ab".repeat(100)), "ab".repeat(32));
        assert_eq!(title_key(&"書".repeat(100)), "書".repeat(64));
        assert_eq!(title_key(&format!("- {}", "書".repeat(64))), "書".repeat(64));
        assert_eq!(title_key(&"?".repeat(100)), "?".repeat(64));
    }

    /// Generates text of mixed scripts with many hard cases: marks in any order, joiners, controls, letters with unusual
    /// case mappings.
    fn text() -> impl Strategy<Value = String> {
        let letter = prop_oneof![
            4 => any::<char>(),
            4 => proptest::sample::select(
                "aAeéßẞſıİØœΆσςΣᾠйЁअकि़न्दीاأَלשׁ한글ᄒ\u{1161}\u{11ab}がか\u{3099}ﾞ書𝔄ﬁ½᾿´΅\u{340}\u{343}"
                    .chars()
                    .collect::<Vec<_>>()
            ),
            3 => proptest::sample::select(
                " \t\n\u{1f}\u{a0}\u{300}\u{301}\u{308}\u{323}\u{327}\u{345}\u{34f}\u{5b0}\u{64b}\u{93c}\u{94d}\u{fe20}\u{2bc}\u{200d}\u{ad}’—“"
                    .chars()
                    .collect::<Vec<_>>()
            ),
        ];
        proptest::collection::vec(letter, 0..24).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(text in text()) {
            let key = fold(&text);
            prop_assert_eq!(fold(&key), key);
        }

        #[test]
        fn the_normalisation_form_does_not_matter(text in text()) {
            let key = fold(&text);
            prop_assert_eq!(&fold(&text.nfc().collect::<String>()), &key);
            prop_assert_eq!(&fold(&text.nfd().collect::<String>()), &key);
        }

        #[test]
        fn a_key_has_no_control_character_and_no_two_spaces(text in text()) {
            let key = fold(&text);
            prop_assert!(!key.contains(char::is_control));
            prop_assert!(!key.contains("  "));
        }

        #[test]
        fn the_fast_path_of_plain_ascii_gives_the_same_key(text in "[ -~\t\n\x1f]{0,40}") {
            // The appended mark is dropped, but makes the text take the general path.
            prop_assert_eq!(fold(&format!("{text}\u{301}")), fold(&text));
        }

        #[test]
        fn a_title_key_is_a_bounded_part_of_the_key(text in text()) {
            let key = title_key(&text);
            prop_assert!(fold(&text).contains(&key));
            prop_assert!(key.chars().count() <= TITLE_KEY_CHARS);
        }
    }
}
