//! Sixteen neighbouring groups: where they begin, how many elements each has, and the masks of those that are short.

use super::function::Function;
use super::point::StepRef;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::ScalarType;
use nestled_kernel::strategy::transpose::SIDE;

/// Computes the number of elements of each group, one per lane.
pub fn lengths(f: &mut Function<'_, '_>, first: &Name) -> Name {
    match f.captures.space[1].step.clone() {
        StepRef::Extent(extent) => f.emit.vector(&extent),
        StepRef::Offsets(offsets) => {
            let next = f.emit.define(format_args!("add i64 {first}, 1"));
            let [begin, end] =
                [first, &next].map(|at| f.load_vector(&offsets, ScalarType::I64, at, &Val::truth(true)).name);
            let wide = f.emit.wide("i64");
            f.emit.define(format_args!("sub {wide} {end}, {begin}"))
        }
        StepRef::View { .. } => unreachable!("a space is made of shapes"),
    }
}

/// Computes the mask of groups with at most so many elements.
pub fn short_ones(f: &mut Function<'_, '_>, lengths: &Name, most: usize) -> Val {
    let (wide, most) = (f.emit.wide("i64"), f.emit.splat_literal("i64", &most.to_string()));
    Val::varying(ScalarType::Bool, f.emit.define(format_args!("icmp sle {wide} {lengths}, {most}")))
}

/// Computes the number of the first element of sixteen groups, and how many they have together.
pub fn elements(f: &mut Function<'_, '_>, first: &Name) -> (Name, Name) {
    let past = f.emit.define(format_args!("add i64 {first}, {SIDE}"));
    let (begin, end) = (f.first_of(1, 2, first), f.first_of(1, 2, &past));
    let count = f.emit.define(format_args!("sub i64 {end}, {begin}"));
    (begin, count)
}

/// Writes the number of elements to take of each group, an `i32`: none of those that are not short. Returns the address.
pub fn taken_of(f: &mut Function<'_, '_>, lengths: &Name, short: &Val) -> Name {
    let (wide, bits, narrow) = (f.emit.wide("i64"), f.emit.wide("i1"), f.emit.wide("i32"));
    let short = &short.name;
    let taken =
        f.emit.define(format_args!("select {bits} {short}, {wide} {lengths}, {wide} zeroinitializer"));
    let taken = f.emit.define(format_args!("trunc {wide} {taken} to {narrow}"));
    let buffer = f.emit.variable(&narrow);
    f.store_vector(&buffer, "0", &Val::varying(ScalarType::I32, taken), &Val::truth(true), false);
    buffer
}

/// Emits the mask of the first lanes, as many as an `i32` says.
pub fn first_lanes(f: &mut Function<'_, '_>, count: &Val) -> Val {
    let (wide, ramp) = (f.emit.wide("i32"), f.emit.ramp_literal("i32", 1));
    let count = f.emit.splat(Depth::Here, "i32", &count.name);
    Val::varying(ScalarType::Bool, f.emit.define(format_args!("icmp slt {wide} {ramp}, {count}")))
}
