//! The library of elementary functions: their λcu text in `math.lcu`, which is their meaning.

use crate::op::Op;
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::thunk::Thunk;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The text of the elementary functions: a thunk for each function and type, named `exp_f32`, `atan2_f64` and so on.
pub const MATH_TEXT: &str = include_str!("../math.lcu");

/// The text of random numbers: `threefry2x32`, and numbers made of its bits. It calls thunks of [`MATH_TEXT`].
pub const RANDOM_TEXT: &str = include_str!("../random.lcu");

/// The elementary functions as a program.
pub fn math_program() -> &'static Program {
    &library().program
}

struct Library {
    program: Program,
    f32: BTreeMap<Op, usize>,
    f64: BTreeMap<Op, usize>,
}

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let program = crate::text::parse("math.lcu", MATH_TEXT).unwrap_or_else(|failure| {
            panic!("{}", crate::diagnostic::render_all(&failure.diagnostics, &failure.sources))
        });
        let table = |ty: ScalarType| {
            let find = |op: Op| Some((op, program.find_thunk(&format!("{op}_{ty}"))?.index()));
            Op::PLAIN.iter().filter(|op| op.is_elementary()).filter_map(|&op| find(op)).collect()
        };
        Library { f32: table(ScalarType::F32), f64: table(ScalarType::F64), program }
    })
}

/// The thunk that defines an elementary function.
///
/// # Panics
/// If the operation is not elementary.
pub fn math_thunk(op: Op, ty: ScalarType) -> (&'static Program, &'static Thunk) {
    let library = library();
    let table = if ty == ScalarType::F32 { &library.f32 } else { &library.f64 };
    let index = table.get(&op).unwrap_or_else(|| panic!("math.lcu has no `{op}_{ty}`"));
    (&library.program, &library.program.thunks[*index].thunk)
}
