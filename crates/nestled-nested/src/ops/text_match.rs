//! Texts found in texts: where, how often, replaced, and what lies between them.

use super::bytes::is_space;
use super::text::{Texts, mapped_texts};
use super::text_cut::Ends;
use crate::fault::{Outcome, fault, told};
use crate::nested::Nested;
use crate::rows::Rows;
use nestled_array::{Array, Collision, Direction, Inclusion, Operator, Outside, Result};

/// True for each byte at which a pattern, which is not empty, begins in its text.
fn matches(texts: &Texts, pattern: &[u8]) -> Array<bool> {
    let (count, width) = (texts.bytes.size(), pattern.len());
    let at = Array::<i64>::range(count).add_dim(1) + Array::<i64>::range(width).add_dim(0);
    let same = texts.bytes.take(0, &at, Outside::Default(0)).eq(Array::from_slice(pattern).add_dim(0));
    let left = texts.rows.spread(texts.rows.lengths()) - texts.rows.places();
    same.all_axis(1).and(left.ge(width as i64))
}

/// True if a pattern can begin inside of itself.
fn overlaps_itself(pattern: &[u8]) -> bool {
    (1..pattern.len()).any(|by| pattern.starts_with(&pattern[by..]))
}

/// The matches that do not overlap, from the beginning of each text. The greatest number of one text is computed at once, if the pattern can overlap itself.
fn apart(texts: &Texts, pattern: &[u8]) -> Outcome<Array<bool>> {
    let found = matches(texts, pattern);
    let rows = texts.rows;
    if !overlaps_itself(pattern) || rows.total() == 0 {
        return Ok(found);
    }
    let count = rows.total() as i64;
    let here = found.select(Array::<i64>::range(rows.total()), count);
    let next = rows.ragged(&here).scan(Operator::Min, Inclusion::Inclusive, Direction::Backward);
    let next = next.flatten();
    // From each match to the next that it leaves room for, first one at a time, then two, four …
    let width = pattern.len() as i64;
    let has_room = (rows.places() + width).lt(rows.spread(rows.lengths()));
    let after = next.take(0, &(Array::<i64>::range(rows.total()) + width), Outside::Default(count));
    let mut jump = has_room.and(&found).select(after, count);
    let mut marked = rows.places().eq(0);
    let first = marked.select(next, count);
    marked = mark(&Array::fill(false, &[rows.total()]), &first);
    let mut reach = 1;
    let most = rows.counts(&found).max().item()?;
    while reach < most {
        marked = mark(&marked, &marked.select(&jump, count));
        jump = jump.take(0, &jump, Outside::Default(count));
        reach *= 2;
    }
    Ok(marked)
}

/// Marks more places; those beyond the end are none.
fn mark(marked: &Array<bool>, places: &Array<i64>) -> Array<bool> {
    marked.scatter(&[places], &Array::fill(true, &[places.size()]), Collision::Last)
}

/// True for the bytes of matches.
fn covered(texts: &Texts, starts: &Array<bool>, width: usize) -> Array<bool> {
    let width = width as i64;
    let places = texts.rows.places();
    let last = texts.rows.ragged(&starts.select(places, -width));
    let last = last.scan(Operator::Max, Inclusion::Inclusive, Direction::Forward);
    (places - last.flatten()).lt(width)
}

fn not_empty(pattern: &str) -> Outcome<&[u8]> {
    if pattern.is_empty() { fault("the text to look for is empty") } else { Ok(pattern.as_bytes()) }
}

impl Nested {
    /// True for each text that has another in it.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["muon", "tau"]).contains("uo")?.to_list()?.to_string(), "[true, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn contains(&self, pattern: &str) -> Result<Nested> {
        let found = mapped_texts(self, &mut |texts| {
            if pattern.is_empty() {
                return Ok(Nested::of(Array::fill(true, &[texts.rows.count()])));
            }
            Ok(Nested::of(texts.rows.counts(&matches(texts, pattern.as_bytes())).gt(0)))
        });
        told("contains", found)
    }

    /// The place of the first byte at which a text is found in each text, −1 where it is not: `ak.str.find_substring`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["muon", "tau"]).find("o")?.to_list()?.to_string(), "[2, -1]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts.
    #[track_caller]
    pub fn find(&self, pattern: &str) -> Result<Nested> {
        let found = mapped_texts(self, &mut |texts| {
            if pattern.is_empty() {
                return Ok(Nested::of(Array::fill(0i64, &[texts.rows.count()])));
            }
            let place = matches(texts, pattern.as_bytes()).select(texts.rows.places(), i64::MAX);
            let place = texts.rows.ragged(&place).reduce(Operator::Min);
            Ok(Nested::of(place.eq(i64::MAX).select(-1, &place)))
        });
        told("find", found)
    }

    /// How often a text is found in each text, without overlaps: `ak.str.count_substring`. Computes nothing, unless the text can overlap itself, as `aa`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["banana", "aaa"]).count_text("an")?.to_list()?.to_string(), "[2, 0]");
    /// assert_eq!(Nested::from_iter(["banana", "aaaaa"]).count_text("aa")?.to_list()?.to_string(), "[0, 2]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, or the text to look for is empty; and errors of evaluation.
    #[track_caller]
    pub fn count_text(&self, pattern: &str) -> Result<Nested> {
        let counts = not_empty(pattern).and_then(|pattern| {
            mapped_texts(self, &mut |texts| Ok(Nested::of(texts.rows.counts(&apart(texts, pattern)?))))
        });
        told("count_text", counts)
    }

    /// Each text with one text in the place of another: `ak.str.replace_substring`. Computes the number of bytes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["banana", "an"]).replace("an", "-")?.to_list()?.to_string(), r#"["b--a", "-"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, or the text to look for is empty; and errors of evaluation.
    #[track_caller]
    pub fn replace(&self, pattern: &str, with: &str) -> Result<Nested> {
        let replaced = not_empty(pattern)
            .and_then(|pattern| mapped_texts(self, &mut |texts| replaced(texts, pattern, with.as_bytes())));
        told("replace", replaced)
    }

    /// The parts of each text between the places where another is found, as lists of texts: `ak.str.split_pattern`. Computes the numbers of parts and of bytes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let parts = Nested::from_iter(["a,b,", "", "c"]).split(",")?;
    /// assert_eq!(parts.to_list()?.to_string(), r#"[["a", "b", ""], [""], ["c"]]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, or the text to look for is empty; and errors of evaluation.
    #[track_caller]
    pub fn split(&self, pattern: &str) -> Result<Nested> {
        let parts = not_empty(pattern)
            .and_then(|pattern| mapped_texts(self, &mut |texts| parts_between(texts, pattern)));
        told("split", parts)
    }

    /// As [`split`](Nested::split), around rows of the white space of ASCII where no text is given, and around so many places at one end only: `ak.str.split_whitespace`,
    /// `ak.str.split_pattern`. Computes the numbers of parts and of bytes at once.
    ///
    /// ```
    /// use nestled_nested::{Ends, Nested};
    /// let words = Nested::from_iter(["a  b c"]);
    /// assert_eq!(words.split_texts(None, None)?.to_list()?.to_string(), r#"[["a", "b", "c"]]"#);
    /// assert_eq!(words.split_texts(None, Some((1, Ends::Right)))?.to_list()?.to_string(), r#"[["a  b", "c"]]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, the text to look for is empty, or it can begin inside of itself and is looked for from the end; and errors of evaluation.
    #[track_caller]
    pub fn split_texts(&self, pattern: Option<&str>, limit: Option<(i64, Ends)>) -> Result<Nested> {
        told("split_texts", mapped_texts(self, &mut |texts| split_texts(texts, pattern, limit)))
    }
}

fn replaced(texts: &Texts, pattern: &[u8], with: &[u8]) -> Outcome<Nested> {
    let starts = apart(texts, pattern)?;
    replaced_at(texts, &starts, &covered(texts, &starts, pattern.len()), with)
}

/// Texts with another in the place of rows of bytes, each of which has a start.
pub(super) fn replaced_at(
    texts: &Texts,
    starts: &Array<bool>,
    covered: &Array<bool>,
    with: &[u8],
) -> Outcome<Nested> {
    // How many bytes come in the place of each.
    let own = starts.select(with.len() as i64, covered.select(0i64, 1));
    let made = Rows::of(&own)?;
    let owner = made.owners();
    let new = Array::from_slice(with).take(0, made.places(), Outside::Default(0));
    let is_new = starts.take(0, owner, Outside::Clamp);
    let bytes = is_new.select(new, texts.bytes.take(0, owner, Outside::Clamp));
    Ok(texts.with(&texts.rows.joined(&made), bytes))
}

fn parts_between(texts: &Texts, pattern: &[u8]) -> Outcome<Nested> {
    let starts = apart(texts, pattern)?;
    let covered = covered(texts, &starts, pattern.len());
    parts_around(texts, &starts, &covered, None)
}

/// The parts of texts around rows of bytes, each of which has a start and is left out; with a limit around the first or the last ones only.
pub(super) fn parts_around(
    texts: &Texts,
    starts: &Array<bool>,
    covered: &Array<bool>,
    limit: Option<(i64, Ends)>,
) -> Outcome<Nested> {
    let rows = texts.rows;
    let numbers = |starts: &Array<bool>| {
        let ones = rows.ragged(&starts.cast::<i64>());
        ones.scan(Operator::Add, Inclusion::Inclusive, Direction::Forward).flatten().clone()
    };
    let (starts, covered) = match limit {
        None => (starts.clone(), covered.clone()),
        Some((most, ends)) => {
            let number = numbers(starts);
            let counts = match ends {
                Ends::Right => number.gt(rows.spread(&rows.counts(starts)) - most),
                Ends::Left | Ends::Both => number.le(most),
            };
            (starts.and(&counts), covered.and(counts))
        }
    };
    let kept = !covered;
    let parts = Rows::of(&(rows.counts(&starts) + 1))?;
    let part = rows.spread(parts.starts()) + numbers(&starts);
    let lengths = kept.select(part, -1).histogram(parts.total());
    let bytes = texts.bytes.compress(&kept)?;
    let made = Rows::known(&lengths, bytes.size());
    Ok(Nested::lists(&parts, texts.with(&made, bytes)))
}

/// The parts of texts around white space, or around a pattern, of which so many at one end count.
fn split_texts(texts: &Texts, pattern: Option<&str>, limit: Option<(i64, Ends)>) -> Outcome<Nested> {
    let Some(pattern) = pattern else {
        let space = is_space(texts.bytes);
        let before = Array::<i64>::range(texts.bytes.size()) - 1;
        let follows = space.take(0, &before, Outside::Default(false)).and(texts.rows.places().gt(0));
        return parts_around(texts, &space.and(!follows), &space, limit);
    };
    let pattern = not_empty(pattern)?;
    if overlaps_itself(pattern) && matches!(limit, Some((_, Ends::Right))) {
        return fault("a text that can begin inside of itself is not looked for from the end");
    }
    let starts = apart(texts, pattern)?;
    parts_around(texts, &starts, &covered(texts, &starts, pattern.len()), limit)
}
