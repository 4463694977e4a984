//! Squares of sixteen vectors in memory, and their transposition.

use super::function::Function;
use super::text::Name;
use super::value::Val;
use nestled_ir::ScalarType;
use nestled_kernel::strategy::transpose::SIDE;

/// Returns the address of a row of a square.
fn place(f: &mut Function<'_, '_>, ty: ScalarType, buffer: &Name, number: &str) -> Name {
    let wide = f.emit.vector_type(ty);
    f.emit.define(format_args!("getelementptr inbounds {wide}, ptr {buffer}, i64 {number}"))
}

/// Stores a row of a square.
pub fn store_row(f: &mut Function<'_, '_>, buffer: &Name, number: &str, val: &Val) {
    let (wide, place) = (f.emit.vector_type(val.ty), place(f, val.ty, buffer, number));
    f.emit.line(format_args!("store {wide} {}, ptr {place}", val.name));
}

/// Loads a row of a square.
pub fn row(f: &mut Function<'_, '_>, ty: ScalarType, buffer: &Name, number: usize) -> Val {
    let (wide, place) = (f.emit.vector_type(ty), place(f, ty, buffer, &number.to_string()));
    Val::varying(ty, f.emit.define(format_args!("load {wide}, ptr {place}")))
}

/// Transposes a square: returns its columns.
pub fn turned(f: &mut Function<'_, '_>, mut rows: Vec<Val>) -> Vec<Val> {
    let mut step = 1;
    while step < SIDE {
        for upper in (0..SIDE).filter(|row| row & step == 0) {
            let (a, b) = (rows[upper].clone(), rows[upper + step].clone());
            // Lane l of the second operand is numbered 16 + l.
            let above = |lane: usize| if lane & step == 0 { lane } else { SIDE + lane - step };
            let below = |lane: usize| if lane & step == 0 { lane + step } else { SIDE + lane };
            rows[upper] = mix(f, &a, &b, above);
            rows[upper + step] = mix(f, &a, &b, below);
        }
        step *= 2;
    }
    rows
}

fn mix(f: &mut Function<'_, '_>, a: &Val, b: &Val, lane: impl Fn(usize) -> usize) -> Val {
    let (wide, left, right) = (f.emit.vector_type(a.ty), f.emit.vector(a), f.emit.vector(b));
    let order: Vec<String> = (0..SIDE).map(|at| format!("i32 {}", lane(at))).collect();
    let order = format!("<{SIDE} x i32> <{}>", order.join(", "));
    Val::varying(a.ty, f.emit.define(format_args!("shufflevector {wide} {left}, {wide} {right}, {order}")))
}
