//! Promised error bounds: the comment above each thunk of `math.lcu` ends in "At most 1 ULP."

use std::collections::BTreeMap;

/// The text that defines the elementary functions.
pub const MATH: &str = include_str!("../../../nestled-ir/src/math.lcu");

/// The text that defines random numbers.
pub const RANDOM: &str = include_str!("../../../nestled-ir/src/random.lcu");

/// The bound of each function that promises one, in ULP: `("exp_f32", 1.0)`.
pub fn bounds() -> BTreeMap<String, f64> {
    let mut bounds = BTreeMap::new();
    let mut promised = None;
    for line in MATH.lines().chain(RANDOM.lines()) {
        if let Some(comment) = line.strip_prefix(';') {
            promised = promised.or_else(|| in_comment(comment));
        } else if let Some(rest) = line.strip_prefix("thunk ") {
            let name = rest.split('(').next().unwrap_or_default();
            bounds.extend(promised.take().map(|bound| (name.to_owned(), bound)));
        } else {
            promised = None;
        }
    }
    bounds
}

fn in_comment(comment: &str) -> Option<f64> {
    let (_, rest) = comment.split_once("At most ")?;
    let (number, _) = rest.split_once(" ULP.")?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_elementary_function_promises_a_bound() {
        let bounds = bounds();
        for op in nestled_ir::Op::PLAIN.iter().filter(|op| op.is_elementary()) {
            for ty in ["f32", "f64"] {
                assert!(bounds.contains_key(&format!("{op}_{ty}")), "{op}_{ty}");
            }
        }
        assert_eq!(bounds["exp_f32"], 1.0);
    }
}
