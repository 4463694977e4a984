//! Checks with many points, on a given engine: they find faults that small inputs do not show. They run on the stand-in in tests, and on cards wherever there
//! are some. They panic on a wrong result.

pub mod points;
pub mod sorts;
pub mod sums;

use crate::corpus::{Engine, interpret};
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Value, same_bits};
use nestled_ir::{Program, Scalar, ScalarType};
use std::sync::Arc;

/// A check, with its name.
pub type Check = (&'static str, fn(&Engine));

/// All checks for any engine.
pub const CHECKS: [Check; 16] = [
    ("many points", points::many_points),
    ("sorting bool", |engine| sorts::every_form(engine, ScalarType::Bool)),
    ("sorting i8", |engine| sorts::every_form(engine, ScalarType::I8)),
    ("sorting u8", |engine| sorts::every_form(engine, ScalarType::U8)),
    ("sorting i16", |engine| sorts::every_form(engine, ScalarType::I16)),
    ("sorting u16", |engine| sorts::every_form(engine, ScalarType::U16)),
    ("sorting u32", |engine| sorts::every_form(engine, ScalarType::U32)),
    ("sorting i32", |engine| sorts::every_form(engine, ScalarType::I32)),
    ("sorting f32", |engine| sorts::every_form(engine, ScalarType::F32)),
    ("sorting i64", |engine| sorts::every_form(engine, ScalarType::I64)),
    ("sorting u64", |engine| sorts::every_form(engine, ScalarType::U64)),
    ("sorting f64", |engine| sorts::every_form(engine, ScalarType::F64)),
    ("sorting many keys", sorts::many_keys),
    ("sorting rows", sorts::rows_of_any_lengths),
    ("sorting what the device counts", sorts::lengths_of_the_device),
    ("scatters of floats", sums::scatters_of_floats),
];

/// Those of them that differ in the type of keys only.
pub const TYPES: std::ops::Range<usize> = 1..12;

/// A check of CUDA with a freedom of order, with its name.
pub type FreeCheck = (&'static str, fn(sums::Open<'_>));

/// All checks of float sums in free order.
pub const FREE_CHECKS: [FreeCheck; 7] = [
    ("products by the library", sums::products_go_to_the_library),
    ("products without columns", sums::products_without_columns_are_zeros),
    ("products of sizes that the device knows", sums::products_of_sizes_that_the_device_knows_stay_there),
    ("strict products", sums::strict_products_are_summed_from_left_to_right),
    ("sums that repeat", sums::sums_repeat),
    ("fast sums of scatters", sums::fast_sums_of_scatters),
    ("fast sums", sums::fast_sums_are_off_by_rounding_only),
];

fn array(elem: ScalarType, shape: Vec<AxisValue>, list: impl Iterator<Item = Scalar>) -> Value {
    let list: Vec<Scalar> = list.collect();
    let data = Arc::new(Buffer::from_scalars(elem, &list));
    Value::Array(Array { elem, shape, starts: None, data })
}

fn same(found: &[Value], wanted: &[Value]) -> bool {
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| same_bits(a, b))
}

/// Asserts that an engine and the interpreter give the same bits.
fn agree(
    engine: &Engine,
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    what: &str,
) {
    let found = (engine.run)(program, function, shapes, args, &mut TestWorld::default()).expect("no faults");
    let wanted = interpret(program, function, shapes, args, &mut TestWorld::default()).expect("no faults");
    assert_eq!(found.len(), wanted.len(), "{function}");
    for (at, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        assert!(same_bits(found, wanted), "{}: {function}, {what}: result {at} differs", engine.name);
    }
}
