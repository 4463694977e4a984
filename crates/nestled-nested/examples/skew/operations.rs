//! The operations that are measured, each on the input that it works on.
//!
//! What works on each element by itself is left out, for it sees no lists: arithmetic and comparisons of one shape, `cast`, `fill_missing`, `nan_to_num`, fields.

use crate::inputs::Inputs;
use nestled_nested::{
    Case, Ends, Join, Kind, Letters, Nested, Result, Slice, arg_cartesian, broadcast_arrays, cartesian,
    concatenate, nested_cartesian, zip,
};

/// An operation on one of the inputs.
pub type Operation = fn(&Inputs) -> Result<Nested>;

const TEXT: &str = "
function total(row) = sum(row);
function spread(row) = let m = sum(row) in {x - m : x in row};
function above(row) = let m = sum(row) / float(max(#row, 1)) in {x in row | x > m};
function ordered(row) = sort(row);
function vowels(word) = #{c in word | c == `a or c == `e};";

/// All of them, with their names.
pub const OPERATIONS: &[(&str, Operation)] = &[
    ("num", |own| own.numbers.num(1)),
    ("local_index", |own| own.numbers.local_index(1)),
    ("count", |own| own.optional.count(1)),
    ("count_nonzero", |own| own.few.count_nonzero(1)),
    ("sum", |own| own.numbers.sum(1)),
    ("sum int", |own| own.few.sum(1)),
    ("sum optional", |own| own.optional.sum(1)),
    ("prod", |own| own.numbers.prod(1)),
    ("any", |own| own.mask.any(1)),
    ("all", |own| own.mask.all(1)),
    ("mean", |own| own.numbers.mean(1)),
    ("min", |own| own.numbers.min(1)),
    ("max optional", |own| own.optional.max(1)),
    ("argmin", |own| own.numbers.argmin(1)),
    ("argmax optional", |own| own.optional.argmax(1)),
    ("var", |own| own.numbers.var(1, 0)),
    ("std optional", |own| own.optional.std(1, 1)),
    ("ptp", |own| own.numbers.ptp(1)),
    ("median", |own| own.numbers.median(1)),
    ("quantile optional", |own| own.optional.quantile(0.3, 1)),
    ("histogram", |own| own.numbers.histogram(4, 0.0, 1.0, 1)),
    ("sum outer", |own| own.pairs.sum(1)),
    ("max outer", |own| own.pairs.max(1)),
    ("sum inner of two", |own| own.pairs.sum(2)),
    ("softmax", |own| own.numbers.softmax(1)),
    ("cumsum", |own| own.numbers.cumsum(1)),
    ("cumsum optional", |own| own.optional.cumsum(1)),
    ("cumprod", |own| own.numbers.cumprod(1)),
    ("cummin", |own| own.few.cummin(1)),
    ("cummax", |own| own.numbers.cummax(1)),
    ("sort", |own| own.numbers.sort(1, true)),
    ("sort down", |own| own.numbers.sort(1, false)),
    ("sort int", |own| own.few.sort(1, true)),
    ("sort optional", |own| own.optional.sort(1, true)),
    ("sort words", |own| own.words.sort(1, true)),
    ("sort texts", |own| own.texts.sort(0, true)),
    ("sort outer", |own| own.pairs.sort(1, true)),
    ("argsort", |own| own.numbers.argsort(1, true)),
    ("rank", |own| own.numbers.rank(1, true)),
    ("top", |own| own.numbers.top(3, 1)),
    ("unique", |own| own.numbers.unique(1)),
    ("unique int", |own| own.few.unique(1)),
    ("value_counts", |own| own.few.value_counts(1)),
    ("run_lengths", |own| own.few.run_lengths(-1)),
    ("run_lengths words", |own| own.words.run_lengths(-1)),
    ("is_in", |own| own.few.is_in(&Nested::from_iter([1, 5]))),
    ("index_in words", |own| own.words.index_in(&own.known())),
    ("nearest", |own| own.numbers.nearest(&own.optional, 1)),
    ("filter", |own| own.numbers.filter(&own.mask)),
    ("filter records", |own| own.records.filter(&own.mask)),
    ("filter words", |own| own.words.filter(&own.mask)),
    ("filter lists", |own| own.numbers.filter(&own.lengths.gt(0)?)),
    ("mask", |own| own.numbers.mask(&own.mask)),
    ("choose", |own| own.mask.choose(&own.numbers, &own.of_lists)),
    ("drop_missing", |own| own.optional.drop_missing(1)),
    ("is_missing", |own| own.optional.is_missing(1)),
    ("firsts", |own| own.numbers.firsts(1)),
    ("singletons", |own| own.optional.singletons(1)),
    ("at", |own| own.numbers.at(-1, 1)),
    ("get", |own| own.numbers.get(6, 1)),
    ("get of each", |own| own.numbers.get(&own.lengths - 2, 1)),
    ("pick", |own| own.numbers.pick(&own.places)),
    ("pick words", |own| own.words.pick(&own.places)),
    ("pick lists", |own| own.numbers.reversed(0)),
    ("slice", |own| own.numbers.slice(1.., 1)),
    ("slice first", |own| own.numbers.slice(..3, 1)),
    ("slice last", |own| own.records.slice(-2.., 1)),
    ("slice step", |own| own.numbers.slice(Slice::from(..).step(2), 1)),
    ("slice words", |own| own.words.slice(1.., 1)),
    ("reversed", |own| own.numbers.reversed(1)),
    ("pad", |own| own.numbers.pad(own.padded, 1)),
    ("pad_clip", |own| own.numbers.pad_clip(4, 1)),
    ("flatten", |own| own.optional.flatten(1)),
    ("flatten inner", |own| own.pairs.flatten(2)),
    ("ravel", |own| own.optional.ravel()),
    ("unflatten", |own| own.numbers.flatten(1)?.unflatten(&own.lengths)),
    ("add_axis", |own| own.numbers.add_axis(2)),
    ("keep_axis", |own| own.numbers.keep_axis(1, &Nested::sum)),
    ("concatenate", |own| concatenate(&[&own.numbers, &own.numbers], 0)),
    ("concatenate lists", |own| concatenate(&[&own.numbers, &own.optional], 1)),
    ("concatenate words", |own| concatenate(&[&own.words, &own.words], 1)),
    ("broadcast", |own| Ok(broadcast_arrays(&[&own.numbers, &own.of_lists])?.remove(1))),
    ("minus of lists", |own| own.numbers.try_sub(&own.of_lists)),
    ("zip", |own| zip(&[("x", &own.numbers), ("list", &own.of_lists)])),
    ("cartesian", |own| cartesian(&[&own.numbers, &own.two_each()?], 1)),
    ("arg_cartesian", |own| arg_cartesian(&[&own.numbers, &own.two_each()?], 1)),
    ("nested_cartesian", |own| nested_cartesian(&[&own.numbers, &own.two_each()?], 1)),
    ("combinations", |own| own.to_combine.combinations(2, 1)),
    ("combinations twice", |own| own.to_combine.combinations_with_replacement(2, 1)),
    ("arg_combinations", |own| own.to_combine.arg_combinations(2, 1)),
    ("group_by", |own| own.numbers.flatten(1)?.group_by(&own.keys)),
    ("join inner", |own| own.facts()?.join(&own.table()?, &["key"], Join::Inner)),
    ("join left", |own| own.facts()?.join(&own.table()?, &["key"], Join::Left)),
    ("join to many", |own| own.table()?.join(&own.facts()?, &["key"], Join::Inner)),
    ("map_rows sum", |own| own.numbers.map_rows(TEXT, "total")),
    ("map_rows spread", |own| own.numbers.map_rows(TEXT, "spread")),
    ("map_rows filter", |own| own.numbers.map_rows(TEXT, "above")),
    ("map_rows sort", |own| own.numbers.map_rows(TEXT, "ordered")),
    ("map_elements texts", |own| own.texts.map_elements(TEXT, "vowels")),
    ("to_regular", |own| own.pairs.to_regular(2)),
    ("join_texts", |own| own.words.join_texts("-", 1)),
    ("text_length", |own| own.texts.text_length()),
    ("to_upper", |own| own.texts.to_upper()),
    ("with_case", |own| own.texts.with_case(Case::Title)),
    ("letters_are", |own| own.texts.letters_are(Letters::Alphabetic)),
    ("starts_with", |own| own.texts.starts_with("ab")),
    ("ends_with", |own| own.texts.ends_with("ab")),
    ("eq texts", |own| own.texts.eq(&own.texts.reversed(0)?)),
    ("lt texts", |own| own.texts.lt("abc")),
    ("trim", |own| own.texts.trim()),
    ("trim_of", |own| own.texts.trim_of("ab", Ends::Both)),
    ("contains", |own| own.texts.contains("abc")),
    ("find", |own| own.texts.find("ab")),
    ("count_text", |own| own.texts.count_text("ab")),
    ("replace", |own| own.texts.replace("ab", "long")),
    ("split", |own| own.texts.split(" ")),
    ("split_texts", |own| own.texts.split_texts(None, None)),
    ("matches_regex", |own| own.texts.matches_regex("a[b-d]+ ")),
    ("find_regex", |own| own.texts.find_regex("a[b-d]+ ")),
    ("slice_texts", |own| own.texts.slice_texts(Some(1), None, 1)),
    ("slice_texts back", |own| own.texts.slice_texts(None, None, -1)),
    ("replace_slice", |own| own.texts.replace_slice(1, 3, "xyz")),
    ("pad_texts", |own| own.texts.pad_texts(own.padded as i64, ".", Ends::Left)),
    ("repeat_texts", |own| own.texts.repeat_texts(2)),
    ("followed_by", |own| own.texts.followed_by(&own.texts)),
    ("parse", |own| own.words.parse(Kind::Int64)),
    ("unique texts", |own| own.texts.unique(0)),
    ("group_by texts", |own| own.of_lists.group_by(&own.texts)),
];

const SORT: &str = "a sort of half a million goes over memory, one of ten stays in the nearest cache";

/// Operations that may cost more, how much more, and why.
pub const EXCEPTIONS: &[(&str, f64, &str)] = &[
    ("median", 1.6, SORT),
    ("quantile optional", 1.6, SORT),
    ("sort", 1.6, SORT),
    ("sort down", 1.6, SORT),
    ("sort optional", 1.6, SORT),
    ("argsort", 1.6, SORT),
    ("rank", 1.6, SORT),
    ("top", 1.6, SORT),
    ("nearest", 1.6, "it sorts, and a search among half a million takes 19 steps, one among ten four"),
];

/// Why all matches of an expression are not counted here.
const MATCHES: &str = "matches are found one after another, in as many rounds as one text has matches";

/// Operations that are not measured, because they follow the longest list, and why.
pub const LEFT_OUT: &[(&str, &str)] =
    &[("count_regex", MATCHES), ("replace_regex", MATCHES), ("split_regex", MATCHES)];
