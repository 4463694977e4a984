//! Reserved words of the grammar.

use crate::op::Op;
use crate::scalar::ScalarType;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A word that cannot be a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// An operation, or a scalar type (as its conversion).
    Op(Op),
    /// Any other word of the grammar.
    Key(&'static str),
}

/// Words that begin a definition, a statement or an expression, or stand where a name might stand.
///
/// Words that only follow other words (`to`, `base`, `clamp`, …) are not here: they may be names as well.
const KEYS: &[&str] = &[
    "thunk",
    "monoid",
    "kernel",
    "fn",
    "over",
    "ret",
    "private",
    "if",
    "else",
    "for",
    "in",
    "with",
    "while",
    "do",
    "check",
    "map",
    "once",
    "reduce",
    "scan",
    "filter",
    "partition",
    "permute",
    "serial",
    "where",
    "argmin",
    "argmax",
    "threefry",
    "len",
    "start",
    "dim",
    "seg",
    "regular",
    "view",
    "size",
    "segments",
    "widen",
    "lengths",
    "starts",
    "same",
    "reshape",
    "run",
    "each",
    "sort",
    "rank",
    "matmul",
    "print",
    "eprint",
    "read_file",
    "write_file",
    "append_file",
    "clock",
    "entropy",
];

/// Words that are literals.
pub(super) const LITERALS: &[&str] = &["true", "false", "inf", "nan"];

fn table() -> &'static HashMap<&'static str, Word> {
    static TABLE: OnceLock<HashMap<&'static str, Word>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let bitcasts = ScalarType::ALL.into_iter().map(Op::Bitcast);
        let conversions = ScalarType::ALL.into_iter().map(Op::Convert);
        let ops = Op::PLAIN.iter().copied().chain(conversions).chain(bitcasts);
        let ops = ops.map(|op| (op.name(), Word::Op(op))).filter(|(name, _)| Op::from_name(name).is_some());
        ops.chain(KEYS.iter().map(|&key| (key, Word::Key(key)))).collect()
    })
}

/// The word of the grammar that is written so.
pub(super) fn lookup(text: &str) -> Option<Word> {
    table().get(text).copied()
}

/// True if a name must be quoted because the grammar reserves it.
pub(super) fn is_reserved(text: &str) -> bool {
    table().contains_key(text) || LITERALS.contains(&text)
}

/// The names of all operations, to suggest one.
pub(super) fn operations() -> impl Iterator<Item = &'static str> {
    table().iter().filter(|(_, word)| matches!(word, Word::Op(_))).map(|(name, _)| *name)
}
