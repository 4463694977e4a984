//! λcu, the intermediate representation of Nestled.
//!
//! Three languages, three Rust types, so that no program can mix them up:
//!
//! 1. **Host code** ([`Function`]): serial code over scalars, arrays and shapes; runs kernels.
//! 2. **Kernels** ([`Kernel`]): one sweep over a chain of levels, and a list of combinators, each at its level.
//! 3. **Thunks** ([`Thunk`]): scalar code for one point of a kernel's space.
//!
//! The reference interpreter ([`interp`]) defines the meaning of programs. The text form ([`text`]) shows a program whole: printing and
//! parsing round-trip. The verifier ([`verify`]) decides whether a program is well-formed; the interpreter, the passes and the devices take
//! only such programs.
//!
//! `docs/lcu.md` describes the text form and the meaning for readers and writers of programs.
//!
//! # Files
//!
//! Host code is in `host.rs`, kernels in `kernel.rs`, thunks in `thunk.rs`; `parts.rs` in the folder of each has the roles that its fields state (operand, value, axis, block, site, …), and `describe.rs` generates visitors
//! from these. `types.rs` has the types with shapes in them, `op.rs` every scalar operation, `typing.rs` what each construct binds. `text/` parses and prints, `build/` makes programs for front ends, of
//! ids and types, `compact.rs` renumbers canonically, `verify/` says whether a program is well-formed (ids, then types, then stage rules), `value/` holds run-time values, `interp/` is the interpreter,
//! `math.lcu` the elementary functions. `bytes/` writes a program as bytes and reads it again, exactly. `reduction_order.rs` has the constants of the order of float sums. `interp/sandbox.rs` is the gate through which the worlds of all languages reach the machine.
#![forbid(unsafe_code)]

mod alone;
pub mod build;
pub mod bytes;
pub mod compact;
mod describe;
mod diagnostic;
pub mod expressions;
mod host;
mod id;
pub mod interp;
mod kernel;
mod monoid;
mod name;
mod op;
mod program;
pub mod reduction_order;
mod scalar;
mod span;
pub mod splitmix;
pub mod text;
mod thunk;
mod types;
pub mod typing;
pub mod value;
pub mod verify;

pub use alone::alone;
pub use diagnostic::{Diagnostic, Label, MOST_MESSAGES, not_shown, render_all};
pub use host::{
    Command, EachArg, Function, HostAtom, HostBlock, HostOp, HostPart, HostPartMut, HostStmt, Library, Order,
    PrintItem,
};
pub use id::{FunctionId, KernelId, LocalId, MonoidId, PrivateId, SiteId, ThunkId, ValueId};
pub use kernel::{
    Base, Collision, Combinator, CombinatorKind, CombinatorPart, CombinatorPartMut, Direction, Inclusion,
    Kernel, Level, Range, are_own_coordinates,
};
pub use monoid::{Monoid, MonoidDef, MonoidOp, MonoidPart};
pub use name::{Name, Value};
pub use op::{Op, OpError};
pub use program::Program;
pub use scalar::{Scalar, ScalarType};
pub use span::{Place, Source, SourceMap, Span};
pub use thunk::{
    Atom, Block, Carried, Index, Local, Offset, Private, Rule, Stmt, StmtKind, Thunk, ThunkDef, ThunkPart,
    ThunkPartMut,
};
pub use types::{ArrayType, Axis, Form, Placement, SegType, Shape, Type};
