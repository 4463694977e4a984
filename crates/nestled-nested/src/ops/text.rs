//! Texts: lengths, letters, beginnings and ends, and what lies around them.

use super::bytes::{decoded, is_space, text};
use crate::broadcast::broadcast;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Operator, Outside, Result};

/// Texts, or bytes, that lie one after another.
pub(super) struct Texts<'t> {
    pub face: Face,
    pub rows: &'t Rows,
    pub bytes: &'t Array<u8>,
}

impl<'t> Texts<'t> {
    pub fn of(nested: &'t Nested) -> Option<Texts<'t>> {
        let face = if let Layout::List(face, ..) = &nested.layout { *face } else { return None };
        text(nested).map(|(rows, bytes)| Texts { face, rows, bytes })
    }

    /// Texts of the same kind.
    pub fn with(&self, rows: &Rows, bytes: Array<u8>) -> Nested {
        Nested::list(self.face, rows, Nested::of(bytes))
    }
}

/// A function of texts, without lists and missing ones.
pub(super) type OfTexts<'f> = &'f mut dyn FnMut(&Texts) -> Outcome<Nested>;

/// A function of each text; that of categories is computed for each word once.
pub(super) fn mapped_texts(nested: &Nested, map: OfTexts) -> Outcome<Nested> {
    broadcast(std::slice::from_ref(nested), &|_| false, &mut |sides| match &sides[0].layout {
        Layout::Category(codes, words) => {
            let made = mapped_texts(words, map)?;
            let is_text = Texts::of(&made).is_some();
            if is_text { Ok(Nested::category(codes, &made)) } else { made.take(codes) }
        }
        _ => match Texts::of(&sides[0]) {
            Some(texts) => map(&texts),
            None => fault(format!("`{}` is no text", sides[0].schema())),
        },
    })
}

fn letters(nested: &Nested, first: u8, last: u8, by: i32) -> Outcome<Nested> {
    mapped_texts(nested, &mut |texts| {
        let bytes = texts.bytes;
        let changed = (bytes.cast::<i32>() + by).cast::<u8>();
        let changed = bytes.ge(first).and(bytes.le(last)).select(changed, bytes);
        Ok(texts.with(texts.rows, changed))
    })
}

/// Texts whose bytes at some places, one for each byte of a pattern, are those of the pattern.
fn has_at(texts: &Texts, pattern: &str, place: &Array<i64>) -> Array<bool> {
    let count = pattern.len() as i64;
    let inside = place.ge(0).and(place.lt(count));
    let wanted = Array::from_slice(pattern.as_bytes()).take(0, place, Outside::Default(0));
    let differ = inside.and(texts.bytes.ne(wanted));
    texts.rows.lengths().ge(count).and(texts.rows.counts(&differ).eq(0))
}

impl Nested {
    /// The number of characters of each text: `ak.str.length`. That of `bytes` is the number of them.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let names = Nested::from_iter([vec!["µ", "tau"], vec![""]]);
    /// assert_eq!(names.text_length()?.to_list()?.to_string(), "[[1, 3], [0]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn text_length(&self) -> Result<Nested> {
        let lengths = mapped_texts(self, &mut |texts| {
            if texts.face == Face::Bytes {
                return Ok(Nested::of(texts.rows.lengths().clone()));
            }
            // All bytes of a character but the first are of the form 10xxxxxx.
            let begins = texts.bytes.and(0xc0).ne(0x80);
            Ok(Nested::of(texts.rows.counts(&begins)))
        });
        told("text_length", lengths)
    }

    /// Each text with its ASCII letters in lower case: `ak.str.lower`, for such letters.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["Muon", "Ä"]).to_lower()?.to_list()?.to_string(), r#"["muon", "Ä"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn to_lower(&self) -> Result<Nested> {
        told("to_lower", letters(self, b'A', b'Z', 32))
    }

    /// Each text with its ASCII letters in upper case: `ak.str.upper`, for such letters.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["muon"]).to_upper()?.to_list()?.to_string(), r#"["MUON"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn to_upper(&self) -> Result<Nested> {
        told("to_upper", letters(self, b'a', b'z', -32))
    }

    /// True for each text that begins with another: `ak.str.starts_with`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["muon", "mu", "m"]).starts_with("mu")?.to_list()?.to_string(), "[true, true, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn starts_with(&self, pattern: &str) -> Result<Nested> {
        let found =
            mapped_texts(self, &mut |texts| Ok(Nested::of(has_at(texts, pattern, texts.rows.places()))));
        told("starts_with", found)
    }

    /// True for each text that ends with another: `ak.str.ends_with`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["muon", "on", "n"]).ends_with("on")?.to_list()?.to_string(), "[true, true, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn ends_with(&self, pattern: &str) -> Result<Nested> {
        let found = mapped_texts(self, &mut |texts| {
            let begin = texts.rows.lengths() - pattern.len() as i64;
            Ok(Nested::of(has_at(texts, pattern, &(texts.rows.places() - texts.rows.spread(&begin)))))
        });
        told("ends_with", found)
    }

    /// Each text without the ASCII white space at its ends: `ak.str.trim_whitespace`, for such. Computes the number of bytes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([" a b ", "  ", ""]).trim()?.to_list()?.to_string(), r#"["a b", "", ""]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts; and errors of evaluation.
    #[track_caller]
    pub fn trim(&self) -> Result<Nested> {
        told("trim", mapped_texts(self, &mut trimmed))
    }

    /// The texts of each list along an axis as one, with another between them: `ak.str.join`. What is missing is left out. Computes the number of bytes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let words = Nested::from_iter([vec!["a", "b"], vec![], vec!["c"]]);
    /// assert_eq!(words.join_texts(", ", -1)?.to_list()?.to_string(), r#"["a, b", "", "c"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are no texts; and errors of evaluation.
    #[track_caller]
    pub fn join_texts(&self, between: &str, axis: isize) -> Result<Nested> {
        let joined = self.reduced_by(axis, &mut |part| {
            let words = decoded(part.present)?;
            match part.valid {
                Some(valid) => {
                    let kept = words.compress(valid)?;
                    joined_texts(&part.rows.kept(valid, kept.length), &kept, between)
                }
                None => joined_texts(part.rows, &words, between),
            }
        });
        told("join_texts", joined)
    }
}

fn trimmed(texts: &Texts) -> Outcome<Nested> {
    let (rows, bytes) = (texts.rows, texts.bytes);
    let space = is_space(bytes);
    let first = rows.ragged(&space.select(i64::MAX, rows.places())).reduce(Operator::Min);
    let last = rows.ragged(&space.select(-1, rows.places())).reduce(Operator::Max);
    let lengths = last.ge(0).select(&last - &first + 1, 0);
    let made = Rows::of(&lengths)?;
    let from = made.spread(&(rows.starts() + first)) + made.places();
    Ok(texts.with(&made, bytes.take(0, &from, Outside::Default(0))))
}

fn joined_texts(rows: &Rows, words: &Nested, between: &str) -> Outcome<Nested> {
    let Some(texts) = Texts::of(words) else { return fault(format!("`{}` is no text", words.schema())) };
    let own = texts.rows.lengths();
    let is_last = rows.places().eq(rows.spread(rows.lengths()) - 1);
    let lengths = own + is_last.select(0, between.len() as i64);
    let made = Rows::of(&lengths)?;
    let rest = made.places() - made.spread(own);
    let from = made.places_from(texts.rows.starts());
    let own = texts.bytes.take(0, &from, Outside::Default(0));
    let after = Array::from_slice(between.as_bytes()).take(0, &rest, Outside::Default(0));
    Ok(texts.with(&rows.joined(&made), rest.lt(0).select(own, after)))
}
