//! Regular expressions in texts. Each text is gone through by itself, all of them side by side; the matches of a text are found one after another.
//!
//! A round finds the next match of all texts on the device. What has more matches than most is gone through on the host, text by text: one long text would take as many rounds as it
//! has matches.

use super::automaton::{Automaton, Regex};
use super::text::{Texts, mapped_texts};
use super::text_cut::Ends;
use super::text_match::{parts_around, replaced_at};
use crate::fault::{Outcome, fault, told};
use crate::nested::Nested;
use crate::rows::Rows;
use nestled_array::{
    Array, Collision, Direction, Engine, Inclusion, Nesl, NeslColumn, NeslDatum, NeslRoutine, NeslType,
    Operator, Outside, Result,
};
use std::cell::OnceCell;

/// The walks through an automaton, which [`Automaton`] explains.
const WALKS: &str = "
function before(s, starts, p) =
  if p < 0 or p > #s then 0 else starts[if p == 0 then 256 else char_code(s[p - 1])];
function behind(s, starts, p) =
  if p < 0 then 0 else starts[if p == #s then 256 else char_code(s[p])];

function is_found(s, classes, next, width, least, i, state) =
  if state == 0 or i > #s then f
  else
    let class = if i == #s then width - 1 else classes[char_code(s[i])];
        state = next[state * width + class]
    in if state >= least then t else is_found(s, classes, next, width, least, i + 1, state);

function last_end(s, classes, next, width, least, i, state, last) =
  if state == 0 or i > #s then last
  else
    let class = if i == #s then width - 1 else classes[char_code(s[i])];
        state = next[state * width + class];
        last = if state >= least then i else last
    in last_end(s, classes, next, width, least, i + 1, state, last);

function first_begin(s, classes, next, width, least, p, i, state, last) =
  if state == 0 or i < p then last
  else
    let class = if i == 0 then width - 1 else classes[char_code(s[i - 1])];
        state = next[state * width + class];
        last = if state >= least then i else last
    in first_begin(s, classes, next, width, least, p, i - 1, state, last);

function any_match(texts, (starts, (classes, (next, (width, least))))) =
  {is_found(s, classes, next, width, least, 0, before(s, starts, 0)) : s in texts};

function ends(texts, from, (starts, (classes, (next, (width, least))))) =
  {last_end(s, classes, next, width, least, p, before(s, starts, p), -1) : s in texts; p in from};

function begins(texts, from, to, (starts, (classes, (next, (width, least))))) =
  {first_begin(s, classes, next, width, least, p, e, behind(s, starts, e), -1) : s in texts; p in from; e in to};
";

/// The routines of [`WALKS`].
struct Walks {
    any_match: NeslRoutine,
    ends: NeslRoutine,
    begins: NeslRoutine,
}

thread_local! {
    static COMPILED: OnceCell<Walks> = const { OnceCell::new() };
}

impl Walks {
    fn compile() -> Result<Walks> {
        let seq = |element: NeslType| NeslType::Seq(Box::new(element));
        let pair = |left: NeslType, right: NeslType| NeslType::Pair(Box::new(left), Box::new(right));
        let (texts, numbers) = (seq(seq(NeslType::Char)), seq(NeslType::Int));
        let tables = [numbers.clone(), numbers.clone(), numbers.clone(), NeslType::Int]
            .into_iter()
            .rev()
            .fold(NeslType::Int, |rest, part| pair(part, rest));
        let walks = Nesl::compile(WALKS)?;
        Ok(Walks {
            any_match: walks.routine("any_match", &[texts.clone(), tables.clone()])?,
            ends: walks.routine("ends", &[texts.clone(), numbers.clone(), tables.clone()])?,
            begins: walks.routine("begins", &[texts, numbers.clone(), numbers, tables])?,
        })
    }

    fn call(routine: fn(&Walks) -> &NeslRoutine, arguments: &[NeslDatum]) -> Outcome<NeslColumn> {
        COMPILED.with(|compiled| {
            let walks = match compiled.get() {
                Some(walks) => walks,
                None => {
                    let made = Walks::compile()?;
                    compiled.get_or_init(|| made)
                }
            };
            match routine(walks).call(arguments)? {
                NeslDatum::Seq(_, column) => Ok(column),
                other => fault(format!("a walk gave `{}`", other.value_type())),
            }
        })
    }
}

fn vector(numbers: &Array<i64>) -> NeslDatum {
    NeslDatum::Seq(numbers.size(), NeslColumn::Int(numbers.clone()))
}

/// The tables of an automaton, as NESL takes them.
fn tables(automaton: &Automaton) -> NeslDatum {
    let Automaton { starts, classes, next, width, least } = automaton;
    [vector(starts), vector(classes), vector(next), NeslDatum::Int(*width)]
        .into_iter()
        .rev()
        .fold(NeslDatum::Int(*least), |rest, part| NeslDatum::Pair(Box::new(part), Box::new(rest)))
}

fn given(texts: &Texts) -> NeslDatum {
    let bytes = NeslColumn::Char(texts.bytes.clone());
    NeslDatum::Seq(texts.rows.count(), NeslColumn::Seq(texts.rows.segments().clone(), Box::new(bytes)))
}

fn integers(column: NeslColumn) -> Outcome<Array<i64>> {
    match column {
        NeslColumn::Int(numbers) => Ok(numbers),
        other => fault(format!("a walk gave `{}`", other.element_type())),
    }
}

impl Regex {
    /// True for each text in which it matches.
    fn matches(&self, texts: &Texts) -> Outcome<Array<bool>> {
        match Walks::call(|walks| &walks.any_match, &[given(texts), tables(&self.forward)])? {
            NeslColumn::Bool(found) => Ok(found),
            other => fault(format!("a walk gave `{}`", other.element_type())),
        }
    }

    /// The first match of each text from a place on, as begin and end; −1 where there is none. A place below 0 finds nothing.
    fn next(&self, texts: &Texts, from: &Array<i64>) -> Outcome<[Array<i64>; 2]> {
        let texts = given(texts);
        let forward = [texts.clone(), vector(from), tables(&self.forward)];
        let ends = integers(Walks::call(|walks| &walks.ends, &forward)?)?;
        let backward = [texts, vector(from), vector(&ends), tables(&self.backward)];
        let begins = integers(Walks::call(|walks| &walks.begins, &backward)?)?;
        Ok([begins, ends])
    }
}

/// The matches of all texts that do not overlap.
struct Found {
    /// The number of matches of each text.
    counts: Array<i64>,
    /// The bytes at which they begin.
    starts: Array<bool>,
    /// All their bytes.
    covered: Array<bool>,
}

/// Rounds after which the host goes on with the texts that are left: if they are few, and if they are many.
const ROUNDS: [usize; 2] = [3, 16];

/// A text in so many is few.
const FEW: usize = 16;

/// Finds all matches: the first ones of all texts, then the second ones, … A round costs what the walks cost that it makes, and something for each text that had a match lately: those
/// that have none any more are left out as soon as they are as many as the others.
fn all(texts: &Texts, regex: &Regex) -> Outcome<Found> {
    if regex.may_be_empty {
        return fault("the regular expression matches an empty text");
    }
    let (count, total) = (texts.rows.count(), texts.rows.total());
    let (mut begins, mut ends, mut counts) = (Vec::new(), Vec::new(), vec![0i64; count]);
    let mut rest = Rest {
        rows: texts.rows.clone(),
        bytes: texts.bytes.clone(),
        texts: (0..count).zip(texts.rows.starts().to_vec()?).collect(),
    };
    let mut from = vec![0i64; count];
    for round in 1.. {
        let own = Texts { face: texts.face, rows: &rest.rows, bytes: &rest.bytes };
        let [begin, end] = regex.next(&own, &Array::from_vec(from))?;
        Engine::current().eval(&[&begin, &end])?;
        let (begin, end) = (begin.to_vec()?, end.to_vec()?);
        let mut n_found = 0;
        for ((&(text, start), begin), end) in rest.texts.iter().zip(&begin).zip(&end) {
            if *end >= 0 {
                begins.push(start + begin);
                ends.push(start + end);
                counts[text] += 1;
                n_found += 1;
            }
        }
        if n_found == 0 {
            break;
        }
        from = end;
        if 2 * n_found <= rest.texts.len() {
            rest = rest.of(&from)?;
            from.retain(|end| *end >= 0);
        }
        let limit = if from.len() <= count / FEW { ROUNDS[0] } else { ROUNDS[1] };
        if round >= limit {
            for (text, begin, end) in rest.matches(regex, &from)? {
                begins.push(begin);
                ends.push(end);
                counts[text] += 1;
            }
            break;
        }
    }
    let marks = |places: Vec<i64>| {
        let found = Array::fill(true, &[places.len()]);
        let none = Array::<bool>::fill(false, &[total + 1]);
        none.scatter(&[&Array::from_vec(places)], &found, Collision::Last)
    };
    let (starts, ends) = (marks(begins), marks(ends));
    let sum = |marks: &Array<bool>| {
        marks.cast::<i64>().scan(0, Operator::Add, Inclusion::Inclusive, Direction::Forward)
    };
    let covered = sum(&starts).gt(sum(&ends));
    let cut = |marks: &Array<bool>| marks.take(0, &Array::<i64>::range(total), Outside::Clamp);
    Ok(Found { counts: Array::from_vec(counts), starts: cut(&starts), covered: cut(&covered) })
}

/// The texts that may have another match.
struct Rest {
    rows: Rows,
    bytes: Array<u8>,
    /// For each its number among all texts, and where it begins among their bytes.
    texts: Vec<(usize, i64)>,
}

impl Rest {
    /// Those whose last match ends somewhere.
    fn of(&self, ends: &[i64]) -> Outcome<Rest> {
        let has_match = Array::from_vec(ends.iter().map(|end| *end >= 0).collect());
        let bytes = self.bytes.compress(&self.rows.spread(&has_match))?;
        let rows = Rows::known(&self.rows.lengths().compress(&has_match)?, bytes.size());
        let texts = self.texts.iter().zip(ends).filter(|(_, end)| **end >= 0).map(|(text, _)| *text);
        Ok(Rest { rows, bytes, texts: texts.collect() })
    }

    /// The matches of each from its place on, by the host: the number of the text, and begin and end among all bytes.
    fn matches(&self, regex: &Regex, from: &[i64]) -> Outcome<Vec<(usize, i64, i64)>> {
        let (bytes, lengths) = (self.bytes.to_vec()?, self.rows.lengths().to_vec()?);
        let (mut found, mut rest) = (Vec::new(), &bytes[..]);
        for ((&(text, start), from), length) in self.texts.iter().zip(from).zip(lengths) {
            let own;
            (own, rest) = rest.split_at(length as usize);
            // Below 0 there are no more.
            let Ok(from) = usize::try_from(*from) else { continue };
            let matches = regex.matches_from(own, from);
            found.extend(matches.map(|(begin, end)| (text, start + begin as i64, start + end as i64)));
        }
        Ok(found)
    }
}

impl Nested {
    /// True for each text in which a regular expression matches: `ak.str.match_substring_regex`. The syntax is that of the crate `regex`, without groups that are remembered and
    /// without Unicode's word boundaries. Computes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let names = Nested::from_iter(["run 17", "runs", "17 runs"]);
    /// assert_eq!(names.matches_regex(r"^run \d+$")?.to_list()?.to_string(), "[true, false, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts, or it is no regular expression; and errors of evaluation.
    #[track_caller]
    pub fn matches_regex(&self, pattern: &str) -> Result<Nested> {
        let found = Regex::new(pattern)
            .and_then(|regex| mapped_texts(self, &mut |texts| Ok(Nested::of(regex.matches(texts)?))));
        told("matches_regex", found)
    }

    /// The place of the first byte of the first match of a regular expression in each text, −1 where there is none: `ak.str.find_substring_regex`. Computes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["muon 7", "tau"]).find_regex("[0-9]")?.to_list()?.to_string(), "[5, -1]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`matches_regex`](Nested::matches_regex).
    #[track_caller]
    pub fn find_regex(&self, pattern: &str) -> Result<Nested> {
        let found = Regex::new(pattern).and_then(|regex| {
            mapped_texts(self, &mut |texts| {
                let [begins, _] = regex.next(texts, &Array::zeros(&[texts.rows.count()]))?;
                Ok(Nested::of(begins))
            })
        });
        told("find_regex", found)
    }

    /// The number of matches of a regular expression in each text, without overlaps: `ak.str.count_substring_regex`. Computes at once, the first matches of all texts, then the
    /// second ones, and so on.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["a1b22", "c"]).count_regex(r"\d+")?.to_list()?.to_string(), "[2, 0]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`matches_regex`](Nested::matches_regex), or the expression matches an empty text.
    #[track_caller]
    pub fn count_regex(&self, pattern: &str) -> Result<Nested> {
        let counts = Regex::new(pattern)
            .and_then(|regex| mapped_texts(self, &mut |texts| Ok(Nested::of(all(texts, &regex)?.counts))));
        told("count_regex", counts)
    }

    /// Each text with another in the place of each match of a regular expression, as it is: `ak.str.replace_substring_regex`. Computes at once, as
    /// [`count_regex`](Nested::count_regex) does.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter(["a1b22", "c"]).replace_regex(r"\d+", "#")?.to_list()?.to_string(), r##"["a#b#", "c"]"##);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`count_regex`](Nested::count_regex).
    #[track_caller]
    pub fn replace_regex(&self, pattern: &str, with: &str) -> Result<Nested> {
        let replaced = Regex::new(pattern).and_then(|regex| {
            mapped_texts(self, &mut |texts| {
                let found = all(texts, &regex)?;
                replaced_at(texts, &found.starts, &found.covered, with.as_bytes())
            })
        });
        told("replace_regex", replaced)
    }

    /// The parts of each text between the matches of a regular expression, as lists of texts; with a limit around so many matches at one end only: `ak.str.split_pattern_regex`. Computes
    /// at once, as [`count_regex`](Nested::count_regex) does.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let parts = Nested::from_iter(["a, b;c", ""]).split_regex("[,;] *", None)?;
    /// assert_eq!(parts.to_list()?.to_string(), r#"[["a", "b", "c"], [""]]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`count_regex`](Nested::count_regex).
    #[track_caller]
    pub fn split_regex(&self, pattern: &str, limit: Option<(i64, Ends)>) -> Result<Nested> {
        let parts = Regex::new(pattern).and_then(|regex| {
            mapped_texts(self, &mut |texts| {
                let found = all(texts, &regex)?;
                parts_around(texts, &found.starts, &found.covered, limit)
            })
        });
        told("split_regex", parts)
    }
}
