//! The pass pipeline: all passes, and their default order.

use crate::pass::Pass;
use crate::{
    contract, expand_math, filter_count, fuse, hoist, inline_calls, narrow_keys, reads, rematerialise,
    simplify, sort_keys, split,
};

/// All passes, in alphabetical order; each can be asked for by name.
pub const PASSES: &[Pass] = &[
    contract::PASS,
    expand_math::PASS,
    filter_count::PASS,
    fuse::FILTER_REDUCE,
    fuse::PASS,
    hoist::PASS,
    rematerialise::PASS,
    inline_calls::PASS,
    narrow_keys::PASS,
    reads::ON_DEMAND,
    reads::PASS,
    simplify::PASS,
    sort_keys::PASS,
    split::PASS,
];

/// The default pipeline between a front end and a device.
pub const DEFAULT: &[&Pass] = &[
    // First, so that which multiplications and additions are joined depends on the program alone and not on how much of it
    // `simplify` found to be equal or dead. Before `expand-math`, because the text of the elementary functions says exactly where
    // they round.
    &contract::PASS,
    // Before `simplify`, which then knows the arguments and sees larger regions.
    &inline_calls::PASS,
    // Before `expand-math`, so that equal or unused calls of elementary functions are gone before they are bodies.
    &simplify::PASS,
    // Reads that are known to be inside compose best; afterwards some runs are dead.
    &reads::PASS,
    &simplify::PASS,
    // Keys are simple expressions by now, and what is made of sorted keys is there before anything is inlined or fused.
    &sort_keys::PASS,
    // Asks what expressions cost, so that they should be as simple as they get. Before `fuse`, which takes kernels as they are.
    &rematerialise::PASS,
    // Before `expand-math`, so that what is expensive is seen by its name; after `inline`, so that what is cheap is in the sum already.
    &fuse::FILTER_REDUCE,
    // After `filter-reduce`, which takes the elements that are summed; before `fuse`, which can have counts and their readers in one kernel.
    &filter_count::PASS,
    &expand_math::PASS,
    // The functions brought in have arguments now, often constants, and helpers in common.
    &simplify::PASS,
    &fuse::PASS,
    // Once more, since those who read the kept elements may be in the kernel of the filter now.
    &filter_count::PASS,
    // What `fuse` keeps in registers is not stored; of the arrays that are left, those that are read in part need not be made.
    &reads::ON_DEMAND,
    // What is now in one kernel has expressions in common; host code and kernels that were fused away are dead.
    &simplify::PASS,
    // What keys are made of is in one kernel with them, so that their ranges are known.
    &narrow_keys::PASS,
    // After `reads` and `inline`, which take expressions whole. Elementary functions are named thunks by now, and simple ones code.
    &hoist::PASS,
    // Last, because only now kernels are what the device will see.
    &split::PASS,
];

/// Returns the pass with this name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
