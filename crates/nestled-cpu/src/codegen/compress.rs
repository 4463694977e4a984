//! Compress of a vector: stores the lanes in a mask one behind the other. Elements behind the last of them are overwritten, up to a whole vector.
//!
//! AVX-512 has an instruction. AVX2 permutes eight words by the entry of a table that the mask selects, four elements of eight bytes by that of another:
//!
//! ```text
//! mask    0b0010_0110      entry 1, 2, 5, …
//! words   a b c d e f g h  →  b c f . . . . .
//! ```
//!
//! On other processors LLVM branches for each lane.

use super::emit::{memory_suffix, memory_type};
use super::function::Function;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{Scalar, ScalarType};
use std::fmt::Write;

/// Stores the lanes in the mask, of sixteen, contiguously, from element `at` of a buffer on.
pub fn compress(f: &mut Function<'_, '_>, buffer: &str, at: &str, val: &Val, mask: &Val) {
    if mask.is(Scalar::Bool(true)) {
        return f.store_vector(buffer, at, val, &Val::truth(true), false);
    }
    let lanes = f.emit.lanes;
    let mut name = f.emit.vector(val);
    if val.ty == ScalarType::Bool {
        let (bits, bytes) = (f.emit.wide("i1"), f.emit.wide("i8"));
        name = f.emit.define(format_args!("zext {bits} {name} to {bytes}"));
    }
    let vector = Vector { ty: val.ty, memory: memory_type(val.ty), name };
    let target = &f.shared.plan.target;
    if target.avx512 {
        in_registers(f, &vector, mask, (buffer, at));
    } else if target.has_avx2() {
        by_table(f, &vector, mask, (buffer, at));
    } else {
        let (wide, bits, truth) = (f.emit.wide(vector.memory), f.emit.wide("i1"), f.emit.vector(mask));
        let place = f.element(Depth::Here, buffer, vector.ty, at);
        let call = format!("@llvm.masked.compressstore.v{lanes}{}", memory_suffix(vector.ty));
        f.emit.declare(format!("declare void {call}({wide}, ptr, {bits})"));
        f.emit.line(format_args!("call void {call}({wide} {}, ptr {place}, {bits} {truth})", vector.name));
    }
}

/// A vector of elements in their form in memory.
struct Vector {
    ty: ScalarType,
    memory: &'static str,
    name: Name,
}

/// Compresses by AVX-512, in a register that is then stored as a whole: its compressing store is slow on many processors.
fn in_registers(f: &mut Function<'_, '_>, vector: &Vector, mask: &Val, (buffer, at): (&str, &str)) {
    let (ty, memory) = (vector.ty, vector.memory);
    let mask = f.emit.vector(mask);
    let wide = f.emit.wide(memory);
    let mut name = vector.name.clone();
    match ty.size() {
        8 => {
            let half = |f: &mut Function<'_, '_>, ty: &str, name: &str, from: usize| {
                let lanes: Vec<String> = (from..from + 8).map(|lane| format!("i32 {lane}")).collect();
                let wide = f.emit.wide(ty);
                let order = lanes.join(", ");
                f.emit.define(format_args!("shufflevector {wide} {name}, {wide} poison, <8 x i32> <{order}>"))
            };
            let low_mask = half(f, "i1", &mask, 0);
            let count = f.emit.define(format_args!("bitcast <8 x i1> {low_mask} to i8"));
            f.emit.declare("declare i8 @llvm.ctpop.i8(i8)");
            let count = f.emit.define(format_args!("call i8 @llvm.ctpop.i8(i8 {count})"));
            let count = f.emit.define(format_args!("zext i8 {count} to i64"));
            let then = f.emit.define(format_args!("add i64 {at}, {count}"));
            let high_mask = half(f, "i1", &mask, 8);
            let (low, high) = (half(f, memory, &name, 0), half(f, memory, &name, 8));
            pack(f, (8, memory, ty), &low, &low_mask, buffer, at);
            pack(f, (8, memory, ty), &high, &high_mask, buffer, &then);
        }
        4 => pack(f, (16, memory, ty), &name, &mask, buffer, at),
        size => {
            let small = format!("i{}", 8 * size);
            let narrow = f.emit.wide(&small);
            if ty == ScalarType::F16 {
                name = f.emit.define(format_args!("bitcast {wide} {name} to {narrow}"));
            }
            let long = f.emit.wide("i32");
            let name = f.emit.define(format_args!("zext {narrow} {name} to {long}"));
            let packed = packed(f, (16, "i32", ScalarType::I32), &name, &mask);
            let packed = f.emit.define(format_args!("trunc {long} {packed} to {narrow}"));
            let place = f.element(Depth::Here, buffer, ty, at);
            f.emit.line(format_args!("store {narrow} {packed}, ptr {place}, align {size}"));
        }
    }
}

/// Compresses the lanes in the mask, in a vector that fills a register of AVX-512.
fn packed(
    f: &mut Function<'_, '_>,
    (lanes, memory, ty): (usize, &str, ScalarType),
    name: &str,
    mask: &str,
) -> Name {
    let (wide, bits) = (format!("<{lanes} x {memory}>"), format!("<{lanes} x i1>"));
    let call = format!("@llvm.x86.avx512.mask.compress.v{lanes}{}", memory_suffix(ty));
    f.emit.declare(format!("declare {wide} {call}({wide}, {wide}, {bits})"));
    f.emit.define(format_args!("call {wide} {call}({wide} {name}, {wide} zeroinitializer, {bits} {mask})"))
}

fn pack(
    f: &mut Function<'_, '_>,
    shape: (usize, &str, ScalarType),
    name: &str,
    mask: &str,
    buffer: &str,
    at: &str,
) {
    let (lanes, memory, ty) = shape;
    let packed = packed(f, shape, name, mask);
    let place = f.element(Depth::Here, buffer, ty, at);
    f.emit.line(format_args!("store <{lanes} x {memory}> {packed}, ptr {place}, align {}", ty.size()));
}

/// The order of a mask's lanes, as bytes of an integer: lane numbers, for a vector of eight words.
const WORDS: (&str, usize) = ("@compress_words", 8);
/// The same for a vector of four elements of eight bytes each: numbers of their halves.
const PAIRS: (&str, usize) = ("@compress_pairs", 4);

/// Compresses by permutations of AVX2, eight words or four longer elements at a time.
fn by_table(f: &mut Function<'_, '_>, vector: &Vector, mask: &Val, (buffer, at): (&str, &str)) {
    let (ty, lanes) = (vector.ty, f.emit.lanes);
    let ((table, group), wide) = (if ty.size() == 8 { PAIRS } else { WORDS }, f.emit.wide(vector.memory));
    f.emit.declare(declaration(table, group));
    f.emit.declare("declare <8 x i32> @llvm.x86.avx2.permd(<8 x i32>, <8 x i32>)");
    f.emit.declare("declare i8 @llvm.ctpop.i8(i8)");
    let mask = f.emit.bits(mask);
    let mut at = Name::from(at);
    for from in (0..lanes).step_by(group) {
        let order: Vec<String> = (from..from + group).map(|lane| format!("i32 {lane}")).collect();
        let part = f.emit.define(format_args!(
            "shufflevector {wide} {}, {wide} poison, <{group} x i32> <{}>",
            vector.name,
            order.join(", ")
        ));
        let bits = f.emit.define(format_args!("lshr i{lanes} {mask}, {from}"));
        let bits = match lanes {
            8 => bits,
            _ => f.emit.define(format_args!("trunc i{lanes} {bits} to i8")),
        };
        let bits = match group {
            8 => bits,
            _ => f.emit.define(format_args!("and i8 {bits}, {}", (1 << group) - 1)),
        };
        let packed = permuted(f, vector, &part, &bits, (table, group));
        let place = f.element(Depth::Here, buffer, ty, &at);
        let small = format!("<{group} x {}>", vector.memory);
        f.emit.line(format_args!("store {small} {packed}, ptr {place}, align {}", ty.size()));
        if from + group < lanes {
            let count = f.emit.define(format_args!("call i8 @llvm.ctpop.i8(i8 {bits})"));
            let count = f.emit.define(format_args!("zext i8 {count} to i64"));
            at = f.emit.define(format_args!("add i64 {at}, {count}"));
        }
    }
}

/// Moves the lanes of the mask to the front, in a vector of a group.
fn permuted(
    f: &mut Function<'_, '_>,
    vector: &Vector,
    part: &str,
    bits: &str,
    (table, group): (&str, usize),
) -> Name {
    let index = f.emit.define(format_args!("zext i8 {bits} to i64"));
    let entry = f.emit.define(format_args!("getelementptr i64, ptr {table}, i64 {index}"));
    let order = f.emit.define(format_args!("load <8 x i8>, ptr {entry}, align 8"));
    let order = f.emit.define(format_args!("zext <8 x i8> {order} to <8 x i32>"));
    let small = format!("<{group} x {}>", vector.memory);
    let narrow = (vector.ty.size() < 4).then(|| format!("<8 x i{}>", 8 * vector.ty.size()));
    let words = match &narrow {
        None => f.emit.define(format_args!("bitcast {small} {part} to <8 x i32>")),
        Some(narrow) => {
            let whole = f.emit.define(format_args!("bitcast {small} {part} to {narrow}"));
            f.emit.define(format_args!("zext {narrow} {whole} to <8 x i32>"))
        }
    };
    let words = f
        .emit
        .define(format_args!("call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> {words}, <8 x i32> {order})"));
    match &narrow {
        None => f.emit.define(format_args!("bitcast <8 x i32> {words} to {small}")),
        Some(narrow) => {
            let whole = f.emit.define(format_args!("trunc <8 x i32> {words} to {narrow}"));
            f.emit.define(format_args!("bitcast {narrow} {whole} to {small}"))
        }
    }
}

/// The table of a group of lanes: for each mask the lanes in it, in order.
fn declaration(table: &str, group: usize) -> String {
    let mut text = format!("{table} = private unnamed_addr constant [{} x i64] [", 1 << group);
    for mask in 0..1u32 << group {
        let separator = if mask == 0 { "" } else { ", " };
        let _ = write!(text, "{separator}i64 {}", entry(mask, group) as i64);
    }
    text.push(']');
    text
}

/// The words of the lanes of a mask, a byte for each; those behind are 0.
fn entry(mask: u32, group: usize) -> u64 {
    let words = 8 / group;
    let lanes = (0..group).filter(|lane| mask >> lane & 1 == 1);
    let moved = lanes.flat_map(|lane| (0..words).map(move |word| lane * words + word));
    moved.enumerate().map(|(place, word)| (word as u64) << (8 * place)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_the_lanes_of_a_mask() {
        assert_eq!(entry(0b0010_0110, WORDS.1), 0x05_02_01);
        assert_eq!(entry(0xff, WORDS.1), 0x07_06_05_04_03_02_01_00);
        assert_eq!(entry(0b1001, PAIRS.1), 0x07_06_01_00);
        assert_eq!(entry(0, PAIRS.1), 0);
    }
}
