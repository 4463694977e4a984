//! Bounds rules: resolves an index outside of its axis by clamping, wrapping, a default or a fault.

use crate::thunk::Rule;

/// The resolved target of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resolved {
    /// An entry of the axis.
    At(u64),
    /// Zero: the axis is empty.
    Zero,
    /// The default of the read.
    Default,
    /// Outside, which is a fault.
    Fault,
    /// Outside, against a proof.
    Violation,
}

/// Resolves an index along an axis of `extent` entries.
pub(super) fn resolve_index(index: i64, extent: u64, rule: Rule) -> Resolved {
    if index >= 0 && (index as u64) < extent {
        return Resolved::At(index as u64);
    }
    match rule {
        Rule::Clamp | Rule::Wrap if extent == 0 => Resolved::Zero,
        Rule::Clamp => Resolved::At(if index < 0 { 0 } else { extent - 1 }),
        Rule::Wrap => Resolved::At(i128::from(index).rem_euclid(i128::from(extent)) as u64),
        Rule::Else => Resolved::Default,
        Rule::Fault => Resolved::Fault,
        Rule::Proved => Resolved::Violation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_land_by_their_rule() {
        use Resolved::*;
        let cases = [
            (2, 3, Rule::Fault, At(2)),
            (3, 3, Rule::Fault, Fault),
            (-1, 3, Rule::Clamp, At(0)),
            (i64::MAX, 3, Rule::Clamp, At(2)),
            (i64::MIN, 3, Rule::Wrap, At(1)),
            (7, 3, Rule::Wrap, At(1)),
            (-1, 3, Rule::Else, Default),
            (3, 3, Rule::Proved, Violation),
            (0, 0, Rule::Clamp, Zero),
            (5, 0, Rule::Wrap, Zero),
            (0, 0, Rule::Else, Default),
        ];
        for (index, extent, rule, landing) in cases {
            assert_eq!(resolve_index(index, extent, rule), landing, "{index} {extent} {rule:?}");
        }
    }
}
