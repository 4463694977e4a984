//! Nested data of any schema: lists, records, missing values and strings, as columns of lazy arrays.
//!
//! An operation makes lazy operations on columns and returns; asking for data computes them as few kernels. A field that nobody asks for is never touched.
//!
//! ```
//! use nestled_nested::{Nested, Value};
//! let muon = |pt: f64, charge: i64| Value::record([("pt", pt.into()), ("charge", charge.into())]);
//! let events = Nested::from_iter([
//!     Value::record([("muons", Value::list([muon(20.5, 1), muon(10.5, -1)]))]),
//!     Value::record([("muons", Value::list([muon(5.5, 1)]))]),
//! ]);
//! let muons = events.field("muons")?;
//! let hard = muons.filter(&muons.field("pt")?.gt(8.0)?)?;
//! assert_eq!(hard.field("charge")?.sum(-1)?.to_list()?.to_string(), "[0, 0]");
//! # Ok::<(), nestled_nested::Error>(())
//! ```
//!
//! - [`Nested`] is the array, [`Schema`] what is in it, [`Value`] a tree of values on the host.
//! - Names and axes are those of Awkward Array; `docs/ragged.md` has the table, and the rules for axes and missing values.
//! - Operators panic where operands do not go together, as those of arrays do; all else gives an [`Error`], which names the operation, the field and the caller's line.
//!
//! # Files
//!
//! `schema/` has schemas and their text, `zone/` the time zones, `value.rs` and `values/` trees of values, `row.rs` Rust types as elements, `column.rs` columns of any element type, `rows.rs` the lengths of
//! lists. `nested.rs` is the array: a tree of columns; `from_parts.rs` checks what it is put together from, `layer.rs` takes it apart. `axis.rs` finds the lists that an axis means, `broadcast.rs` brings
//! arrays of different depths together; `ops/` has the operations.

mod axis;
mod broadcast;
mod calendar;
mod column;
mod convert;
mod fault;
mod from_parts;
mod layer;
mod nested;
mod ops;

mod row;
mod rows;
mod schema;
mod show;
mod value;
mod values;
mod zone;

pub use column::Typed;
pub use layer::Layer;
pub use nested::Nested;
pub use nestled_array::{Array, Error, Ragged, Result, Segments};
pub use ops::{
    Binary, Case, Ends, Join, Letters, Slice, Term, arg_cartesian, broadcast_arrays, cartesian, combine,
    concatenate, elementwise, nested_cartesian, zip,
};

pub use row::Row;
pub use schema::{BadSchema, Kind, Meaning, Schema, Unit};
pub use value::Value;
