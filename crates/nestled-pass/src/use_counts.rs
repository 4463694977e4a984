//! Use counts: the number of uses of each value in the host code of a function, as operand or as result of a block.

use nestled_ir::{Function, ValueId};

/// Counts the uses of each value of a function.
pub(crate) fn use_counts(function: &Function) -> Vec<u32> {
    let mut counts = vec![0; function.values.len()];
    let mut count = |value: ValueId| counts[value.index()] += 1;
    function.body.for_each_result(&mut count);
    function.body.walk(&mut |stmt| {
        stmt.op.for_each_use(&mut count);
        stmt.op.blocks().into_iter().for_each(|block| block.for_each_result(&mut count));
    });
    counts
}
