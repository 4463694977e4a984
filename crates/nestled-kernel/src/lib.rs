//! Plans: the schedule of a kernel on a machine, as data.
//!
//! A [`Plan`] stands between a λcu kernel and its generated code. It holds
//!
//! - the kernel, *legalised* ([`legalise`]: named passes),
//! - its combinators fused into *loop nests* ([`nest`]), and the storage of values that go from nest to nest ([`memory`]): whole arrays or a
//!   *rolling window* of rows ([`rolling`]),
//! - the *schedule* of each nest ([`schedule`]): one strategy for each sweep, the number of lanes ([`mod@lanes`]), versions for other sizes, alignment, non-temporal stores,
//!   prefetching,
//! - the *access path* of every read ([`access`]), as far as it is known before code generation.
//!
//! Each strategy is a file of [`strategy`] with its condition and its cost; [`strategy::sweep`] chooses. Back ends look decisions up and emit code.
//! [`text`] prints and parses plans, [`verify`] checks that one can run. `docs/plans.md` describes the text and every strategy.
//!
//! ```text
//! kernel ─ legalise ─▶ nests ─ strategy::sweep ─▶ Plan ─ a back end ─▶ LLVM text
//! ```
//!
//! **Invariant.** A plan is a function of the kernel, the target and the [`plan::Sizes`]: it asks no device, reads no clock, and is the same on every
//! machine. It never changes the results, bit for bit.

pub mod access;
pub mod axes;
pub mod combinator;
pub mod cost;
pub mod form;
pub mod lanes;
pub mod legalise;
pub mod memory;
pub mod monoid;
pub mod nest;
pub mod plan;
pub mod reduction;
pub mod risk;
pub mod rolling;
pub mod scan;
pub mod schedule;
pub mod stages;
pub mod strategy;
pub mod stream;
pub mod target;
pub mod text;
pub mod uniform;
pub mod verify;

pub use combinator::result_types;
pub use plan::{Plan, Sizes, plan};
pub use target::Target;
