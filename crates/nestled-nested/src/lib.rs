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
//! `schema/` has schemas and their text, `zone/` the time zones, `value.rs` and `values/` trees of values, `row.rs` Rust types as elements, `derived.rs` what code of derives names, `column.rs` columns of any element type, `rows.rs` the lengths of
//! lists. `nested.rs` is the array: a tree of columns; `from_parts.rs` checks what it is put together from, `layer.rs` takes it apart. `axis.rs` finds the lists that an axis means, `broadcast.rs` brings
//! arrays of different depths together; `ops/` has the operations, `in_row/` closures of one row, run on all.

mod axis;
mod broadcast;
mod calendar;
mod column;
mod convert;
#[doc(hidden)]
pub mod derived;
mod fault;
mod from_parts;
mod in_row;
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
pub use convert::Columns;
pub use in_row::{InRow, InRowTerm, RowResult};
pub use layer::Layer;
pub use nested::Nested;
pub use nestled_array::{Array, Error, Ragged, Result, Segments};
pub use ops::{
    Binary, Case, Ends, Join, Letters, Slice, Term, arg_cartesian, broadcast_arrays, cartesian, combine,
    concatenate, elementwise, nested_cartesian, zip,
};

/// A struct whose values are records in nested arrays, and tuples in NESL: a derive of [`Row`] and [`NeslRow`](nestled_array::NeslRow).
///
/// ```
/// use nestled_nested::{Nested, Record};
/// /// A muon.
/// #[derive(Debug, PartialEq, Record)]
/// # #[record(crate = nestled_nested)]
/// pub struct Muon {
///     pub pt: f64,
///     pub charge: Option<i8>,
/// }
/// let muons = Nested::from_rows([vec![Muon { pt: 20.5, charge: Some(1) }], vec![]]);
/// assert_eq!(muons.type_string(), "2 * var * {pt: float64, charge: ?int8}");
/// let negative = muons.with_field("charge", &-muons.field("charge")?)?;
/// assert_eq!(negative.to_rows::<Vec<Muon>>()?[0], [Muon { pt: 20.5, charge: Some(-1) }]);
///
/// // Fields may be such records, in lists and missing ones too. Types may have parameters.
/// #[derive(Record)]
/// # #[record(crate = nestled_nested)]
/// pub struct Event<T> {
///     #[record(rename = "type")]
///     pub kind: T,
///     pub muons: Vec<Muon>,
///     pub best: Option<Muon>,
/// }
/// let events = Nested::from_rows([Event { kind: 1u32, muons: vec![Muon { pt: 2.5, charge: None }], best: None }]);
/// assert_eq!(events.field("muons")?.field("pt")?.max(1)?.to_list()?.to_string(), "[2.5]");
/// assert_eq!(events.to_rows::<Event<u32>>()?[0].muons.len(), 1);
///
/// // Fields without names are tuples; one alone is what it holds.
/// #[derive(Record)]
/// # #[record(crate = nestled_nested)]
/// struct Point(f32, f32);
/// assert_eq!(Nested::from_rows([Point(0.5, 1.5)]).type_string(), "1 * (float32, float32)");
///
/// // To NESL a record is a tuple of its fields.
/// nestled_array::nesl! {
///     "datatype option = none | some(a) :: (a in any);
///      function flipped(muons) = {(pt, match charge with none => none | some(c) => some(0 - c)) : (pt, charge) in muons};";
///     fn flipped(muons: Vec<Muon>) -> Vec<Muon>;
/// }
/// assert_eq!(flipped(vec![Muon { pt: 2.5, charge: Some(1) }])?, [Muon { pt: 2.5, charge: Some(-1) }]);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// `columns = Name` makes a struct of columns too, with an array for each field. Then the struct is a [`Content`](nestled_array::Content) of `Ragged`, whose rows are never structs but
/// on the host; its fields are elements, pairs, `Vec`s and such structs:
///
/// ```
/// use nestled_array::{Array, Ragged, nesl};
/// use nestled_nested::Record;
/// #[derive(Clone, Debug, PartialEq, Record)]
/// # #[record(crate = nestled_nested)]
/// #[record(columns = MuonColumns)]
/// pub struct Muon {
///     pub pt: f64,
///     pub charge: i8,
/// }
/// let one = |pt, charge| Muon { pt, charge };
/// let muons = Ragged::<Muon>::from_host(vec![vec![one(20.5, 1), one(3.0, -1)], vec![]]);
/// let MuonColumns { pt, charge } = muons.flatten();
/// let signed: Ragged<f64> = Ragged::new(&(pt * charge.cast::<f64>()), muons.segments())?;
/// assert_eq!(signed.sum().to_vec()?, [17.5, 0.0]);
/// nesl! {
///     "function total(rows) = {sum({pt : pt, charge in row}) : row in rows};";
///     fn total(rows: Ragged<Muon>) -> Array<f64>;
/// }
/// assert_eq!(total(muons.clone())?.to_vec()?, [23.5, 0.0]);
/// // Nested arrays have such columns, too: nothing is copied.
/// let nested = nestled_nested::Nested::from(&muons);
/// assert_eq!(nested.type_string(), "2 * var * {pt: float64, charge: int8}");
/// assert_eq!(Ragged::<Muon>::try_from(&nested)?.to_host()?[0][1].charge, -1);
/// # Ok::<(), nestled_array::Error>(())
/// ```
///
/// `#[record(crate = path)]` says where Nestled is, if that is not `::nestled`. A struct that holds itself, or that has a field that is no [`Row`], such as an enum of
/// [`#[derive(Datatype)]`](derive@Datatype), is a tuple in NESL only. Enums and unions are no records, and fields own their values:
///
/// ```compile_fail
/// # use nestled_nested::Record;
/// #[derive(Record)]
/// # #[record(crate = nestled_nested)]
/// struct Name<'a> {
///     name: &'a str,
/// }
/// ```
pub use nestled_derive::Record;

/// An enum whose values are those of a datatype with variants in NESL: a derive of [`NeslRow`](nestled_array::NeslRow). The names are the same, but for large letters and `_`, or
/// that of `rename`; variants hold tuples of any length. Types that are parameters are parameters of the datatype, in order.
///
/// ```
/// use nestled_array::nesl;
/// use nestled_nested::Datatype;
/// #[derive(Clone, Debug, PartialEq, Datatype)]
/// # #[datatype(crate = nestled_nested)]
/// pub enum Shape {
///     Circle(f64),
///     Rect { width: f64, height: f64 },
///     #[datatype(rename = "named")]
///     Called(String, Vec<i64>),
///     Dot,
/// }
/// nesl! {
///     "datatype shape = circle(float) | rect(float, float) | named([char], [int]) | dot;
///      function area(s) = match s with
///          circle(r) => 3.0 * r * r | rect(a, b) => a * b | named(name, sizes) => float(sum(sizes)) | dot => 0.0;
///      function wide(shapes) = {rect(area(s), 1.0) : s in shapes | area(s) > 0.0};";
///     fn area(shape: Shape) -> f64;
///     fn wide(shapes: Vec<Shape>) -> Vec<Shape>;
/// }
/// assert_eq!(area(Shape::Called("u".to_owned(), vec![1, 2]))?, 3.0);
/// assert_eq!(wide(vec![Shape::Dot, Shape::Circle(1.0)])?, [Shape::Rect { width: 3.0, height: 1.0 }]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
///
/// A datatype may hold itself, in a `Box` or a `Vec`; so may a record in an `Option<Box<_>>`. Trees may be of any depth. A node that several hold is copied for each of them:
///
/// ```
/// use nestled_array::nesl;
/// use nestled_nested::Datatype;
/// #[derive(Clone, Debug, PartialEq, Datatype)]
/// # #[datatype(crate = nestled_nested)]
/// pub enum Tree {
///     Leaf(i64),
///     Node(Vec<Tree>),
/// }
/// nesl! {
///     "datatype tree = leaf(int) | node([tree]);
///      function grown(x) = match x with leaf(n) => node([leaf(n), leaf(n + 1)]) | node(kids) => node({grown(k) : k in kids});";
///     fn grown(tree: Tree) -> Tree;
/// }
/// let tree = grown(Tree::Node(vec![Tree::Leaf(5)]))?;
/// assert_eq!(tree, Tree::Node(vec![Tree::Node(vec![Tree::Leaf(5), Tree::Leaf(6)])]));
/// # Ok::<(), nestled_array::Error>(())
/// ```
///
/// `#[datatype(crate = path)]` says where Nestled is, if that is not `::nestled`.
pub use nestled_derive::Datatype;
pub use row::Row;
pub use schema::{BadSchema, Kind, Meaning, Schema, Unit};
pub use value::Value;
