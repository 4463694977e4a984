//! Planning: from nodes to a graph that can be compiled and found again under its key.
//!
//! [`Graph`] is the part of the program's nodes that an evaluation needs, in an order in which they can be computed. [`Key`] is its structure
//! without its numbers: extents, offsets and literals stand beside it in a list. Plans are kept under the key. The first plan of
//! a structure takes small extents, offsets and literals as constants; when the structure comes again with other numbers, those that differ become
//! parameters of another plan. So nothing is compiled a third time.

mod graph;
mod key;

pub(crate) use graph::{Graph, Item, Kind};
pub(crate) use key::{Key, Number, broadcast_mask, key};
