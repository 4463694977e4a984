//! Builders: the API by which front ends construct λcu programs, without going through text.
//!
//! - A [`ProgramBuilder`] collects definitions and fault sites; [`finish`](ProgramBuilder::finish) numbers and verifies the program.
//! - A [`FunctionBuilder`] writes host code.
//! - A [`KernelBuilder`] writes a kernel; values of the enclosing function that it mentions become parameters.
//! - A [`CodeBuilder`] writes the scalar code of one thunk.
//! - [`import`](ProgramBuilder::import) takes over the definitions of a whole program.
//!
//! Every binding gets a fresh id, and the type that the [typing rules](crate::typing) give. **Names are hints for readers**: they may be
//! empty, equal, or words of the text form, and mean nothing. A construct that does not fit its operands is a bug of the front end, and
//! panics at the call that makes it.
//!
//! ```
//! use nestled_ir::build::{FunctionBuilder, KernelBuilder, ProgramBuilder};
//! use nestled_ir::{Atom, Axis, HostAtom, Index, Op, Rule, Scalar, ScalarType, Shape, Span, Type};
//!
//! let (mut program, mut main) = (ProgramBuilder::default(), FunctionBuilder::new("main", Span::NONE));
//! let n = main.shape_param("n", Type::Dim);
//! let xs = main.param("xs", Type::dense(ScalarType::F32, Shape::of(n)));
//!
//! let mut kernel = KernelBuilder::new("double", &main, &[Axis::Sym(n)], Span::NONE);
//! let (array, at) = (kernel.param(&main, xs), kernel.code.params()[0]);
//! let x = kernel.code.read(array, vec![Index { at, rule: Rule::Proved }], None, None);
//! let twice = kernel.code.op(Op::Mul, &[x, Atom::Const(Scalar::F32(2.0))]);
//! let ys = kernel.end_map("ys", vec![twice]);
//!
//! let ys = main.run(&mut program, kernel, ys, &["ys"]);
//! main.result("", Type::dense(ScalarType::F32, Shape::of(n)));
//! program.function(main.finish(vec![HostAtom::Value(ys[0])]));
//! assert!(program.finish().is_ok());
//! ```

mod code;
mod function;
mod import;
mod kernel;
mod program;

pub use code::CodeBuilder;
pub use function::{FunctionBuilder, SuspendedBlock};
pub use kernel::KernelBuilder;
pub use program::ProgramBuilder;
