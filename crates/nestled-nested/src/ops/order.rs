//! Order as numbers: for each text, record or list a code, less where it comes before, and equal where it is the same.

use super::bytes::{as_bytes, decoded, text};
use super::differ::differ_from_before;
use super::join::joined;
use crate::column::{Column, Typed, each_number};
use crate::fault::{Outcome, fault};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Collision, Direction, Engine, Inclusion, Operator, Ordered, Outside, try_concat};

/// Number of bytes that are compared at once.
pub(super) const CHUNK: i64 = 7;

/// Codes of texts in one order over several arrays, none of which has missing ones. The greatest length is computed at once.
pub(super) fn codes_of(parts: &[Nested]) -> Outcome<Vec<Array<i64>>> {
    if let [Nested { layout: Layout::Category(own, words), .. }] = parts {
        return Ok(vec![codes_of_keys(words)?.take(0, own, Outside::Clamp)]);
    }
    let bytes = parts.iter().map(|part| as_bytes(&decoded(part)?)).collect::<Outcome<Vec<_>>>()?;
    split(parts, &codes_of_texts(&joined(&bytes)?)?)
}

/// The codes of each of several arrays that were put one after another.
fn split(parts: &[Nested], codes: &Array<i64>) -> Outcome<Vec<Array<i64>>> {
    let mut start = 0;
    let mut own = Vec::with_capacity(parts.len());
    for part in parts {
        own.push(codes.try_slice(0, start..start + part.length)?);
        start += part.length;
    }
    Ok(own)
}

fn codes_of_texts(texts: &Nested) -> Outcome<Array<i64>> {
    let Some((rows, bytes)) = text(texts) else {
        return fault(format!("`{}` is neither a number nor a text", texts.schema()));
    };
    let count = rows.count();
    let mut open = Array::<i64>::range(count);
    if count == 0 || rows.lengths().max().item()? <= CHUNK {
        return Ok(dense(&Column::from(chunk(rows, bytes, &open, 0))));
    }
    let mut codes = Array::<i64>::zeros(&[count]);
    let (mut places, mut found) = (Vec::new(), Vec::new());
    for begin in (0..).step_by(CHUNK as usize) {
        let refined = refined(&codes, &chunk(rows, bytes, &open, begin));
        let order = open.take(0, &refined.order, Outside::Clamp);
        let goes_on = rows.lengths().take(0, &order, Outside::Clamp).ge(begin + CHUNK);
        let is_open = refined.is_shared.and(goes_on);
        Engine::current().eval(&[&order, &refined.codes, &is_open])?;
        places.push(order.compress(&!&is_open)?);
        found.push(refined.codes.compress(&!&is_open)?);
        open = order.compress(&is_open)?;
        if open.size() == 0 {
            break;
        }
        codes = refined.codes.compress(&is_open)?;
        if places.last().is_some_and(|places| places.size() == 0) {
            // Nothing was told apart for good: long runs of equal bytes leave no empty arrays behind.
            places.pop();
            found.pop();
        }
    }
    let joined = |parts: &[Array<i64>]| try_concat(&parts.iter().collect::<Vec<_>>(), 0);
    Ok(Array::zeros(&[count]).scatter(&[&joined(&places)?], &joined(&found)?, Collision::Last))
}

/// Texts that have some codes, in a finer order.
struct Refined {
    /// For each place in the order where its text was.
    order: Array<i64>,
    /// In that order, the number of texts that are less.
    codes: Array<i64>,
    /// In that order, where texts next to one another are still equal.
    is_shared: Array<bool>,
}

/// The order of all texts that have one of some codes, the number of those that are less, by more of their bytes. What is told apart, or at its end, is not looked at again: the work follows the
/// bytes that tell texts apart, whatever the greatest length.
fn refined(codes: &Array<i64>, chunks: &Array<i64>) -> Refined {
    let order = order_of_pairs(codes, chunks);
    let (codes, chunks) = (codes.take(0, &order, Outside::Clamp), chunks.take(0, &order, Outside::Clamp));
    let place = Array::<i64>::range(order.size());
    let differs = |codes: &Array<i64>| differ_from_before(&Column::from(codes.clone()), None, false);
    let of_code = place.eq(0).or(differs(&codes));
    let of_chunk = of_code.or(differs(&chunks));
    let begin = |begins: &Array<bool>| {
        begins.select(&place, 0).scan(0, Operator::Max, Inclusion::Inclusive, Direction::Forward)
    };
    let is_last = of_chunk.take(0, &(&place + 1), Outside::Default(true));
    Refined { codes: codes + begin(&of_chunk) - begin(&of_code), is_shared: !of_chunk.and(is_last), order }
}

/// A few bytes of some texts as a number, zeros after their ends; how many are left comes last, so that a text is less than one that goes on with zeros.
pub(super) fn chunk(rows: &Rows, bytes: &Array<u8>, texts: &Array<i64>, begin: i64) -> Array<i64> {
    let of_text = |numbers: &Array<i64>| numbers.take(0, texts, Outside::Clamp);
    let rest = (of_text(rows.lengths()) - begin).maximum(0).minimum(CHUNK);
    let from = of_text(rows.starts()) + begin;
    (0..CHUNK).fold(rest.clone(), |sum, place| {
        let byte = bytes.take(0, &(&from + place), Outside::Default(0)).cast::<i64>();
        sum + rest.gt(place).select(byte, 0) * (1i64 << (3 + 8 * (CHUNK - 1 - place)))
    })
}

/// The number of different elements before each, in their order; NaN comes last.
fn dense(column: &Column) -> Array<i64> {
    let count = column.len();
    let order = order_of(&Rows::single(count), column, &Array::range(count), true);
    numbered(&differ_from_before(&column.take(&order), None, true), &order)
}

/// As [`dense`], of pairs of codes: by the first, and by the second where those are equal.
fn dense_pairs(first: &Array<i64>, second: &Array<i64>) -> Array<i64> {
    let order = order_of_pairs(first, second);
    let differ = |codes: &Array<i64>| {
        differ_from_before(&Column::from(codes.take(0, &order, Outside::Clamp)), None, false)
    };
    numbered(&differ(first).or(differ(second)), &order)
}

/// For each place in the order of pairs where its pair was.
fn order_of_pairs(first: &Array<i64>, second: &Array<i64>) -> Array<i64> {
    let by_second = Array::<i64>::range(second.size()).sort_by_key(0, second);
    by_second.sort_by_key(0, &first.take(0, &by_second, Outside::Clamp))
}

/// The number of changes up to each element, back at the places where they were before they were sorted.
fn numbered(differ: &Array<bool>, order: &Array<i64>) -> Array<i64> {
    let codes = differ.cast::<i64>().scan(0, Operator::Add, Inclusion::Inclusive, Direction::Forward);
    Array::zeros(&[order.size()]).scatter(&[order], &codes, Collision::Last)
}

/// Codes of keys in one order over several arrays: numbers, texts, or records and lists of those. What is missing comes last.
pub(super) fn key_codes(parts: &[Nested]) -> Outcome<Vec<Array<i64>>> {
    split(parts, &codes_of_keys(&joined(parts)?)?)
}

fn codes_of_keys(keys: &Nested) -> Outcome<Array<i64>> {
    let of_fields = |fields: &mut dyn Iterator<Item = &Nested>| {
        let mut all: Option<Array<i64>> = None;
        for field in fields {
            let own = codes_of_keys(field)?;
            all = Some(match all {
                Some(before) => dense_pairs(&before, &own),
                None => own,
            });
        }
        Ok(all.unwrap_or_else(|| Array::zeros(&[keys.length])))
    };
    match &keys.layout {
        Layout::Option(valid, content) => Ok(valid.select(codes_of_keys(content)?, keys.length as i64)),
        Layout::Leaf(column) | Layout::Meant(_, column) => Ok(dense(column)),
        Layout::Record(fields) => of_fields(&mut fields.iter().map(|(_, field)| field)),
        Layout::Tuple(fields) => of_fields(&mut fields.iter()),
        Layout::List(..) | Layout::Category(..) if !keys.is_lists() => {
            Ok(codes_of(std::slice::from_ref(keys))?[0].clone())
        }
        Layout::List(..) | Layout::Fixed(..) | Layout::Category(..) | Layout::Union(..) => {
            match keys.as_rows()? {
                Some((rows, content)) => codes_of_lists(&rows, &codes_of_keys(&content)?),
                None => fault(format!("`{}` has no order", keys.schema())),
            }
        }
    }
}

/// Codes of lists in the order of a dictionary, by those of their elements. Two elements become one, again and again, so that the lists get half as long each time; their number
/// is computed at once.
fn codes_of_lists(rows: &Rows, codes: &Array<i64>) -> Outcome<Array<i64>> {
    if rows.total() == 0 {
        return Ok(Array::zeros(&[rows.count()]));
    }
    let (mut rows, mut codes) = (rows.clone(), codes.clone());
    let mut longest = rows.lengths().max().item()?;
    while longest > 1 {
        let halves = Rows::of(&(rows.lengths() + 1).shift_right(1))?;
        let place = halves.places() * 2;
        let first = halves.spread(rows.starts()) + &place;
        let has_second = (place + 1).lt(halves.spread(rows.lengths()));
        let second = has_second.select(codes.take(0, &(&first + 1), Outside::Default(0)), -1);
        codes = dense_pairs(&codes.take(0, &first, Outside::Clamp), &second);
        (rows, longest) = (halves, (longest + 1) / 2);
    }
    let alone = codes.take(0, rows.starts(), Outside::Default(0));
    Ok(dense(&Column::from(rows.lengths().gt(0).select(alone, -1))))
}

/// Numbers in the order of elements, none of which is missing: numbers, texts, and records and lists of what may be missing. NaN comes last.
pub(super) fn comparable(present: &Nested) -> Outcome<Column> {
    match &present.layout {
        Layout::Leaf(column) | Layout::Meant(_, column) => Ok(column.clone()),
        _ => Ok(Column::from(codes_of_keys(present)?)),
    }
}

/// For each place in sorted rows where its element was.
pub(super) fn order_of(rows: &Rows, column: &Column, before: &Array<i64>, ascending: bool) -> Array<i64> {
    fn of<K: Typed + Ordered>(
        rows: &Rows,
        keys: &Array<K>,
        before: &Array<i64>,
        ascending: bool,
    ) -> Array<i64> {
        let before = rows.ragged(before);
        let sorted = if ascending { before.sort_by_key(keys) } else { before.sort_by_key_descending(keys) };
        sorted.flatten().clone()
    }
    each_number!(column, keys => of(rows, keys, before, ascending))
}
