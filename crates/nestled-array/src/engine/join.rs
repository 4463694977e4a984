//! Concatenation by copying: many arrays are put one after another into one, however many there are.
//!
//! A kernel with a parameter for each of hundreds of arrays takes seconds to compile, and another number of arrays is another kernel. So parts
//! beyond a few are computed first (`batch.rs`) and copied one after another, which compiles nothing. Where they lie beside each other in rows, the rows
//! are put in order by one kernel, the same for any number of parts. A program of `jit` in which there are so many parts is evaluated as its
//! nodes would be: each call makes them anew over its arguments, and finds their plans.

use super::errors::plain;
use super::kept::Kept;
use super::state::State;
use super::ticket::Ticket;
use super::{Engine, inputs};
use crate::error::Result;
use crate::node::{Data, GatherAxis, Node, NodeRef, Op, State as NodeState, View, ViewAxis, ViewExtent};
use crate::plan::{Graph, Item, Kind};
use crate::shape::Shape;
use nestled_ir::value::Buffer;
use nestled_ir::{Op as ScalarOp, Rule, ScalarType};
use std::sync::Arc;

/// More parts than these are copied; fewer are read by the kernels that use them.
const MANY: usize = 16;

/// The parts of an item, if they are many.
fn many(item: &Item) -> Option<(&[NodeRef], usize)> {
    match item.op() {
        Some(Op::Concat { args, axis }) if args.len() > MANY => Some((args, *axis)),
        _ => None,
    }
}

/// Cuts a graph at its concatenations by copying, so that it can be shown as it is computed: their parts become roots, and they themselves inputs.
pub(crate) fn cut_at_copies(graph: &mut Graph) {
    let mut parts = Vec::new();
    for item in &mut graph.items {
        if many(item).is_some() {
            let nothing = Arc::new(Buffer::zeroed(item.node.elem, 0));
            item.kind = Kind::Leaf(Data::Host(nothing));
            parts.append(&mut item.args);
        }
    }
    parts.retain(|&part| !graph.items[part].is_input());
    graph.roots.append(&mut parts);
}

/// Whether a graph has a concatenation by copying.
pub(crate) fn copies_parts(graph: &Graph) -> bool {
    graph.items.iter().any(|item| many(item).is_some())
}

impl Engine {
    /// Computes what is put together of many parts for a graph; whether there was such a thing.
    pub(crate) fn join_many(&self, graph: &Graph) -> Result<bool> {
        self.join_many_by(graph, &self.ticket())
    }

    pub(super) fn join_many_by(&self, graph: &Graph, ticket: &Ticket) -> Result<bool> {
        let mut any = false;
        for item in &graph.items {
            if let Some((args, axis)) = many(item) {
                self.join(&item.node, args, axis, ticket)?;
                any = true;
            }
        }
        Ok(any)
    }

    fn join(&self, node: &NodeRef, args: &[NodeRef], axis: usize, ticket: &Ticket) -> Result<()> {
        let parts: Vec<NodeRef> = args.iter().map(same_elements).collect();
        self.eval_alike(&parts, ticket)?;
        let mut data = Vec::with_capacity(parts.len());
        for part in &parts {
            if let NodeState::Ready(known) = part.state() {
                data.push((self.bring_one_by(part, &known, ticket)?, part.shape.size() as u64));
            }
        }
        let rows: usize = node.shape[..axis].iter().product();
        let total = node.shape.size();
        let flat = if rows == 1 { node.shape } else { Shape::new(&[total])? };
        let kept = self.with_by(ticket, |state| state.join(node.elem, &data, &flat))?;
        let joined = self.resident(kept);
        if rows == 1 {
            node.fulfil(joined);
            return Ok(());
        }
        let flat = Node::ready(node.elem, flat, joined);
        let sizes: Vec<usize> = parts.iter().map(|part| part.shape.size()).collect();
        let whole = in_rows(&flat, rows, &sizes, node)?;
        self.eval_by(std::slice::from_ref(&whole), ticket)?;
        if let NodeState::Ready(data) = whole.state() {
            node.fulfil(data);
        }
        Ok(())
    }
}

impl State {
    /// Arrays and numbers one after another, as an array of a shape.
    fn join(&mut self, elem: ScalarType, parts: &[(Data, u64)], shape: &Shape) -> Result<Kept> {
        let mut handles = Vec::with_capacity(parts.len());
        let porter = self.places.porter(elem)?;
        for (data, len) in parts {
            handles.push((inputs::handle(data, porter)?, *len));
        }
        let extents: Vec<u64> = shape.iter().map(|&extent| extent as u64).collect();
        let handle = porter.join(elem, &handles, &extents).map_err(|error| plain(&error))?;
        self.keep(handle)
    }
}

/// The node with the same elements in the same order that is nearest to data.
fn same_elements(node: &NodeRef) -> NodeRef {
    let mut node = Arc::clone(node);
    while let Some(op) = node.op() {
        node = match &*op {
            Op::Reshape { arg } => Arc::clone(arg),
            Op::View { arg, view } if only_adds_axes(view, &arg.shape, &node.shape) => Arc::clone(arg),
            _ => break,
        };
    }
    node
}

/// Whether a view shows all elements in order, and its new axes have one element.
fn only_adds_axes(view: &View, source: &Shape, shape: &Shape) -> bool {
    let mut next = 0;
    let in_order = view.axes.iter().zip(source.iter()).all(|(axis, &extent)| {
        let ViewAxis { from: Some(from), stride: 1, offset: 0, reflected: false, .. } = *axis else {
            return false;
        };
        let follows = from >= next && shape[from] == extent;
        next = from + 1;
        follows
    });
    in_order && shape.size() == source.size()
}

/// Parts that lie one after another, each of them some rows, as rows that go through all parts.
fn in_rows(flat: &NodeRef, rows: usize, sizes: &[usize], node: &NodeRef) -> Result<NodeRef> {
    let lazy = |shape: Shape, elem, op| Node::lazy_at(elem, shape, op, node.place);
    let arranged = if sizes.iter().all(|size| *size == sizes[0]) {
        let parts = Shape::new(&[sizes.len(), rows, sizes[0] / rows])?;
        let parts = lazy(parts, node.elem, Op::Reshape { arg: Arc::clone(flat) });
        let turned = Shape::new(&[rows, sizes.len(), sizes[0] / rows])?;
        let view = View {
            axes: [1, 0, 2].map(ViewAxis::own).to_vec(),
            out: [1, 0, 2].map(ViewExtent::Same).to_vec(),
            default: None,
        };
        lazy(turned, node.elem, Op::View { arg: parts, view })
    } else {
        let (begins, steps) = columns(rows, sizes);
        let shape = Shape::new(&[rows, begins.len()])?;
        let table = |numbers: Vec<i64>| {
            let extents = Shape::new(&[numbers.len()])?;
            Ok(Node::ready(ScalarType::I64, extents, Data::Host(Arc::new(Buffer::I64(numbers)))))
        };
        let (begins, steps) = (table(begins)?, table(steps)?);
        let row = lazy(Shape::new(&[rows, 1])?, ScalarType::I64, Op::Iota { axis: 0 });
        let ahead = Op::Map { op: ScalarOp::Mul, args: vec![row, steps] };
        let ahead = lazy(shape, ScalarType::I64, ahead);
        let index = Op::Map { op: ScalarOp::Add, args: vec![begins, ahead] };
        let index = lazy(shape, ScalarType::I64, index);
        let axes = vec![GatherAxis::Index(0, Rule::Proved)];
        let op = Op::Gather {
            source: Arc::clone(flat),
            indices: vec![index],
            axes,
            default: None,
            name: "concat",
        };
        lazy(shape, node.elem, op)
    };
    Ok(lazy(node.shape, node.elem, Op::Reshape { arg: arranged }))
}

/// For each column of rows through all parts where it begins in the first row, and how far it is from row to row.
fn columns(rows: usize, sizes: &[usize]) -> (Vec<i64>, Vec<i64>) {
    let (mut begins, mut steps) = (Vec::new(), Vec::new());
    let mut before = 0;
    for &size in sizes {
        let width = size / rows.max(1);
        begins.extend((0..width).map(|column| (before + column) as i64));
        steps.extend(std::iter::repeat_n(width as i64, width));
        before += size;
    }
    (begins, steps)
}
