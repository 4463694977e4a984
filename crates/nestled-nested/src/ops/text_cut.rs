//! Texts as characters: parts of them, others in the place of parts, characters added and taken off.

use super::text::{Texts, mapped_texts};
use crate::broadcast::broadcast;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Face, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Operator, Outside, Result};

/// The ends of texts at which something is added or taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The beginning.
    Left,
    /// The end.
    Right,
    /// Both.
    Both,
}

/// Texts with their characters; those of bytes are bytes.
struct Characters<'t> {
    texts: &'t Texts<'t>,
    /// The number of characters of each text.
    rows: Rows,
    /// The number of bytes of each character.
    bytes: Rows,
}

impl<'t> Characters<'t> {
    /// Computes the number of characters.
    fn of(texts: &'t Texts<'t>) -> Outcome<Characters<'t>> {
        let count = texts.bytes.size();
        if texts.face == Face::Bytes {
            let bytes = Rows::even(count, 1);
            return Ok(Characters { texts, rows: texts.rows.clone(), bytes });
        }
        // All bytes of a character but the first are of the form 10xxxxxx.
        let begins = texts.bytes.and(0xc0).ne(0x80);
        let rows = Rows::of(&texts.rows.counts(&begins))?;
        if rows.total() == count {
            return Ok(Characters { texts, rows, bytes: Rows::even(count, 1) });
        }
        let lengths = (begins.cast::<i64>().cumsum(0) - 1).histogram(rows.total());
        Ok(Characters { texts, rows, bytes: Rows::known(&lengths, count) })
    }

    /// Texts of the characters at these places among those of all texts, and of a filler where a place is negative. Computes the number of bytes.
    fn at(&self, rows: &Rows, places: &Array<i64>, filler: &[u8]) -> Outcome<Nested> {
        let is_own = places.ge(0);
        let lengths = self.bytes.lengths().take(0, places, Outside::Default(0));
        let made = Rows::of(&is_own.select(lengths, filler.len() as i64))?;
        let begin = self.bytes.starts().take(0, places, Outside::Default(0));
        let own = self.texts.bytes.take(0, &(made.spread(&begin) + made.places()), Outside::Default(0));
        let filler = Array::from_slice(filler).take(0, made.places(), Outside::Default(0));
        Ok(self.texts.with(&rows.joined(&made), made.spread(&is_own).select(own, filler)))
    }

    /// Texts of some characters of each: so many, from a place on, with a step. Computes how many.
    fn part(&self, from: &Array<i64>, counts: &Array<i64>, step: i64) -> Outcome<Nested> {
        let made = Rows::of(counts)?;
        let first = made.spread(&(self.rows.starts() + from));
        self.at(&made, &(first + made.places() * step), &[])
    }

    /// True for each character that is one of these.
    fn among(&self, wanted: &str) -> Array<bool> {
        let places = self.bytes.starts();
        let byte = |at: i64| self.texts.bytes.take(0, &(places + at), Outside::Default(0)).cast::<i64>();
        // The bytes of a character as one number.
        let mut code = byte(0);
        for at in 1..4 {
            code = self.bytes.lengths().gt(at).select(&code * 256 + byte(at), &code);
        }
        let number = |bytes: &[u8]| bytes.iter().fold(0, |code, &byte| code * 256 + i64::from(byte));
        let numbers: Vec<i64> = match self.texts.face {
            Face::Bytes => wanted.bytes().map(i64::from).collect(),
            _ => wanted.chars().map(|one| number(one.encode_utf8(&mut [0; 4]).as_bytes())).collect(),
        };
        let none = Array::fill(false, &[self.rows.total()]);
        numbers.iter().fold(none, |found, &number| found.or(code.eq(number)))
    }

    fn without(&self, wanted: &str, ends: Ends) -> Outcome<Nested> {
        let (rows, taken) = (&self.rows, self.among(wanted));
        let zero = Array::fill(0i64, &[rows.count()]);
        let first = rows.ragged(&taken.select(i64::MAX, rows.places())).reduce(Operator::Min);
        let last = rows.ragged(&taken.select(-1, rows.places())).reduce(Operator::Max);
        let begin = if ends == Ends::Right { zero.clone() } else { first };
        let end = if ends == Ends::Left { rows.lengths().clone() } else { &last + 1 };
        // Where all are taken off, none is left.
        let counts = last.ge(0).select(end - &begin, &zero);
        self.part(&last.ge(0).select(&begin, &zero), &counts, 1)
    }

    fn padded(&self, width: i64, filler: &str, ends: Ends) -> Outcome<Nested> {
        let own = self.rows.lengths();
        let added = (own * -1 + width).maximum(0);
        let before = match ends {
            Ends::Left => added.clone(),
            Ends::Right => Array::fill(0i64, &[self.rows.count()]),
            // The lesser half is on the left.
            Ends::Both => &added / 2,
        };
        let made = Rows::of(&(own + &added))?;
        let place = made.places() - made.spread(&before);
        let inside = place.ge(0).and(place.lt(made.spread(own)));
        let from = made.spread(self.rows.starts()) + &place;
        self.at(&made, &inside.select(from, -1), filler.as_bytes())
    }

    /// With a text in the place of the characters from one place to another.
    fn replaced(&self, start: i64, stop: i64, with: &str) -> Outcome<Nested> {
        let own = self.rows.lengths();
        let from = clipped(own, start);
        let until = clipped(own, stop).maximum(&from);
        let made = Rows::of(&(own - &until + &from + 1))?;
        let place = made.places();
        let (from, begin) = (made.spread(&from), made.spread(self.rows.starts()));
        let behind = made.spread(&until) - &from + place - 1;
        let at = place.lt(&from).select(&begin + place, begin + behind);
        self.at(&made, &place.eq(from).select(-1, at), with.as_bytes())
    }
}

/// A place in texts of such lengths, counted from the end where it is negative, as in Python.
fn clipped(lengths: &Array<i64>, place: i64) -> Array<i64> {
    if place < 0 { (lengths + place).maximum(0) } else { lengths.minimum(place) }
}

/// The beginning of a slice of Python's in texts of such lengths, and its number of characters.
fn sliced(
    lengths: &Array<i64>,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> (Array<i64>, Array<i64>) {
    if step > 0 {
        let from = clipped(lengths, start.unwrap_or(0));
        let until = stop.map_or_else(|| lengths.clone(), |stop| clipped(lengths, stop));
        let counts = (until - &from).maximum(0);
        // Rounded up, without a sum that may be too great.
        return (from, (&counts + step.min(MOST) - 1) / step.min(MOST));
    }
    let end = |place: i64| {
        if place < 0 { (lengths + place).maximum(-1) } else { (lengths - 1).minimum(place) }
    };
    let from = start.map_or_else(|| lengths - 1, end);
    let until = stop.map_or_else(|| Array::fill(-1i64, &[lengths.size()]), end);
    let step = step.max(-MOST).abs();
    let counts = (&from - until).maximum(0);
    (from, (counts + (step - 1)) / step)
}

/// More than the length of any text: a greater step is as this one.
const MOST: i64 = 1 << 40;

/// A function of the characters of each text.
fn mapped(nested: &Nested, map: &mut dyn FnMut(&Characters) -> Outcome<Nested>) -> Outcome<Nested> {
    mapped_texts(nested, &mut |texts| map(&Characters::of(texts)?))
}

impl Nested {
    /// Characters of each text as by a slice of Python's: `ak.str.slice`. Computes the numbers of characters and of bytes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let names = Nested::from_iter(["müon", "e"]);
    /// assert_eq!(names.slice_texts(Some(1), None, 1)?.to_list()?.to_string(), r#"["üon", ""]"#);
    /// assert_eq!(names.slice_texts(None, None, -1)?.to_list()?.to_string(), r#"["noüm", "e"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, or the step is zero; and errors of evaluation.
    #[track_caller]
    pub fn slice_texts(&self, start: Option<i64>, stop: Option<i64>, step: i64) -> Result<Nested> {
        if step == 0 {
            return told("slice_texts", fault("a step of zero goes nowhere"));
        }
        let made = mapped(self, &mut |characters| {
            let (from, counts) = sliced(characters.rows.lengths(), start, stop, step);
            characters.part(&from, &counts, step.clamp(-MOST, MOST))
        });
        told("slice_texts", made)
    }

    /// Each text with another in the place of the characters from one place to another: `ak.str.replace_slice`. Computes the numbers of characters and of bytes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let names = Nested::from_iter(["muon", "e"]);
    /// assert_eq!(names.replace_slice(1, 3, "-")?.to_list()?.to_string(), r#"["m-n", "e-"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts; and errors of evaluation.
    #[track_caller]
    pub fn replace_slice(&self, start: i64, stop: i64, with: &str) -> Result<Nested> {
        told("replace_slice", mapped(self, &mut |characters| characters.replaced(start, stop, with)))
    }

    /// Each text with a character added at its ends until it has a width: `ak.str.lpad`, `rpad`, `center`. Computes the numbers of characters and of bytes at once.
    ///
    /// ```
    /// use nestled_nested::{Ends, Nested};
    /// let numbers = Nested::from_iter(["7", "123"]);
    /// assert_eq!(numbers.pad_texts(2, "0", Ends::Left)?.to_list()?.to_string(), r#"["07", "123"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, or what is added is not one character; and errors of evaluation.
    #[track_caller]
    pub fn pad_texts(&self, width: i64, filler: &str, ends: Ends) -> Result<Nested> {
        if filler.chars().count() != 1 {
            return told("pad_texts", fault(format!("`{filler}` is not one character")));
        }
        told("pad_texts", mapped(self, &mut |characters| characters.padded(width, filler, ends)))
    }

    /// Each text without the characters of another at its ends: `ak.str.trim`, `ltrim`, `rtrim`. Computes the numbers of characters and of bytes at once.
    ///
    /// ```
    /// use nestled_nested::{Ends, Nested};
    /// let texts = Nested::from_iter(["--a-", "µµ"]);
    /// assert_eq!(texts.trim_of("µ-", Ends::Both)?.to_list()?.to_string(), r#"["a", ""]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts; and errors of evaluation.
    #[track_caller]
    pub fn trim_of(&self, characters: &str, ends: Ends) -> Result<Nested> {
        told("trim_of", mapped(self, &mut |texts| texts.without(characters, ends)))
    }

    /// Each text so many times, one after another: `ak.str.repeat`. Computes the number of bytes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["ab", ""]).repeat_texts(2)?.to_list()?.to_string(), r#"["abab", ""]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, or the number is negative; and errors of evaluation.
    #[track_caller]
    pub fn repeat_texts(&self, times: i64) -> Result<Nested> {
        if times < 0 {
            return told("repeat_texts", fault(format!("a text cannot be there {times} times")));
        }
        let made = mapped_texts(self, &mut |texts| {
            let rows = Rows::of(&(texts.rows.lengths() * times))?;
            // No text that is repeated is empty.
            let place = rows.places() % rows.spread(texts.rows.lengths()).maximum(1);
            let from = rows.spread(texts.rows.starts()) + place;
            Ok(texts.with(&rows, texts.bytes.take(0, &from, Outside::Default(0))))
        });
        told("repeat_texts", made)
    }

    /// Each text with one of another array behind it. Computes the number of bytes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let (first, second) = (Nested::from_iter(["a", "b"]), Nested::from_iter(["1", ""]));
    /// assert_eq!(first.followed_by(&second)?.to_list()?.to_string(), r#"["a1", "b"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, or lists differ in length; and errors of evaluation.
    #[track_caller]
    pub fn followed_by(&self, other: &Nested) -> Result<Nested> {
        let parts = [self.clone(), other.clone()];
        let made = broadcast(&parts, &|_| false, &mut |sides| {
            let words = [super::bytes::decoded(&sides[0])?, super::bytes::decoded(&sides[1])?];
            match (Texts::of(&words[0]), Texts::of(&words[1])) {
                (Some(one), Some(other)) => one_behind_other(&one, &other),
                _ => fault(format!("`{}` and `{}` are no texts", words[0].schema(), words[1].schema())),
            }
        });
        told("followed_by", made)
    }
}

fn one_behind_other(one: &Texts, other: &Texts) -> Outcome<Nested> {
    let made = Rows::of(&(one.rows.lengths() + other.rows.lengths()))?;
    let rest = made.places() - made.spread(one.rows.lengths());
    let first = made.spread(one.rows.starts()) + made.places();
    let second = made.spread(other.rows.starts()) + &rest;
    let first = one.bytes.take(0, &first, Outside::Default(0));
    let second = other.bytes.take(0, &second, Outside::Default(0));
    Ok(one.with(&made, rest.lt(0).select(first, second)))
}
