//! Texts by their letters, those of ASCII: what kinds of characters they have, and their case.

use super::bytes::is_space;
use super::text::{Texts, mapped_texts};
use crate::fault::{Outcome, told};
use crate::nested::Nested;
use nestled_array::{Array, Outside, Result};

/// Kinds of characters, of which all of a text are or are not by [`Nested::letters_are`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Letters and digits, at least one.
    Alphanumeric,
    /// Letters, at least one.
    Alphabetic,
    /// Characters of ASCII; an empty text has no others.
    Ascii,
    /// Digits, at least one.
    Digits,
    /// No letter is an upper one, and at least one is a lower one.
    Lower,
    /// Characters that are seen, and blanks; an empty text has no others.
    Printable,
    /// White space, at least one character.
    Space,
    /// Upper letters begin words, and only they: a word is a row of letters. At least one.
    Title,
    /// No letter is a lower one, and at least one is an upper one.
    Upper,
}

/// The cases that letters get by [`Nested::with_case`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// The first character is in upper case, all others in lower case.
    Capital,
    /// The other case of each.
    Swapped,
    /// The first letter of each row of letters is in upper case, all others in lower case.
    Title,
}

/// Bytes from one to another.
fn between(bytes: &Array<u8>, first: u8, last: u8) -> Array<bool> {
    bytes.ge(first).and(bytes.le(last))
}

fn is_lower(bytes: &Array<u8>) -> Array<bool> {
    between(bytes, b'a', b'z')
}

fn is_upper(bytes: &Array<u8>) -> Array<bool> {
    between(bytes, b'A', b'Z')
}

fn is_letter(bytes: &Array<u8>) -> Array<bool> {
    is_lower(bytes).or(is_upper(bytes))
}

/// True for each byte that has a letter before it in its text.
fn follows_letter(texts: &Texts) -> Array<bool> {
    let before = Array::<i64>::range(texts.bytes.size()) - 1;
    texts.rows.places().gt(0).and(is_letter(texts.bytes).take(0, &before, Outside::Default(false)))
}

impl Letters {
    /// True for each text that is so.
    fn holds(self, texts: &Texts) -> Array<bool> {
        let bytes = texts.bytes;
        let none = |wrong: Array<bool>| texts.rows.counts(&wrong).eq(0);
        let some = |wanted: Array<bool>| texts.rows.counts(&wanted).gt(0);
        let all_of = |wanted: Array<bool>| none(!wanted).and(texts.rows.lengths().gt(0));
        match self {
            Letters::Alphanumeric => all_of(is_letter(bytes).or(between(bytes, b'0', b'9'))),
            Letters::Alphabetic => all_of(is_letter(bytes)),
            Letters::Ascii => none(bytes.ge(0x80)),
            Letters::Digits => all_of(between(bytes, b'0', b'9')),
            Letters::Lower => none(is_upper(bytes)).and(some(is_lower(bytes))),
            Letters::Printable => none(!between(bytes, b' ', b'~')),
            Letters::Space => all_of(is_space(bytes)),
            Letters::Title => {
                let follows = follows_letter(texts);
                let wrong = is_upper(bytes).and(&follows).or(is_lower(bytes).and(!follows));
                none(wrong).and(some(is_letter(bytes)))
            }
            Letters::Upper => none(is_lower(bytes)).and(some(is_upper(bytes))),
        }
    }
}

fn with_case(texts: &Texts, case: Case) -> Nested {
    let bytes = texts.bytes;
    let to_upper = match case {
        Case::Capital => texts.rows.places().eq(0),
        Case::Swapped => is_lower(bytes),
        Case::Title => !follows_letter(texts),
    };
    let by = to_upper.select(is_lower(bytes).select(-32, 0), is_upper(bytes).select(32, 0));
    texts.with(texts.rows, (bytes.cast::<i32>() + by).cast::<u8>())
}

impl Nested {
    /// True for each text whose characters are all of a kind: `ak.str.is_alpha` and its kin, for the letters of ASCII.
    ///
    /// ```
    /// use nestled_nested::{Letters, Nested};
    /// let texts = Nested::from_iter(["ab", "a b", ""]);
    /// assert_eq!(texts.letters_are(Letters::Alphabetic)?.to_list()?.to_string(), "[true, false, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn letters_are(&self, letters: Letters) -> Result<Nested> {
        let found: Outcome<Nested> = mapped_texts(self, &mut |texts| Ok(Nested::of(letters.holds(texts))));
        told("letters_are", found)
    }

    /// Each text with its letters in other cases: `ak.str.capitalize`, `swapcase` and `title`, for the letters of ASCII.
    ///
    /// ```
    /// use nestled_nested::{Case, Nested};
    /// let names = Nested::from_iter(["mu meson"]);
    /// assert_eq!(names.with_case(Case::Title)?.to_list()?.to_string(), r#"["Mu Meson"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn with_case(&self, case: Case) -> Result<Nested> {
        told("with_case", mapped_texts(self, &mut |texts| Ok(with_case(texts, case))))
    }
}
