//! The lazy graph: one node for each operation that a program asked for.
//!
//! A node knows its operation, its arguments, its type and its shape. It is *lazy* until its data is asked for; then it is *ready*: it drops
//! its arguments, and is a leaf. Making a node hashes and compares nothing.

use crate::function::Straight;
use crate::resident::Resident;
use crate::shape::Shape;
use nestled_fork as fork;
use nestled_ir::value::Buffer;
use nestled_ir::{Direction, Inclusion, MonoidOp, Op as ScalarOp, Rule, Scalar, ScalarType, Thunk};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A shared node.
pub(crate) type NodeRef = Arc<Node>;

/// A lazy operation, or its data.
pub(crate) struct Node {
    pub elem: ScalarType,
    pub shape: Shape,
    /// The caller's line that made it.
    pub place: &'static Location<'static>,
    state: Mutex<State>,
}

/// The state of a node: lazy or computed.
#[derive(Clone)]
pub(crate) enum State {
    /// Not computed.
    Lazy(Arc<Op>),
    /// Computed, with the data.
    Ready(Data),
}

/// The data of a leaf.
#[derive(Clone)]
pub(crate) enum Data {
    /// A single number.
    Scalar(Scalar),
    /// On the host; copied to the device when it is first used there.
    Host(Arc<Buffer>),
    /// On a device.
    Device(Arc<Resident>),
}

/// The operation of a lazy node.
pub(crate) enum Op {
    /// An argument of a program that is being traced; its number.
    Param(usize),
    /// A constant array: the same value everywhere.
    Fill(Scalar),
    /// The index along an axis, at each place.
    Iota { axis: usize },
    /// Random bits, a function of a seed and the position: `u32`, or a uniform float.
    Random { seed: u64 },
    /// A scalar operation at each element; arguments are broadcast.
    Map { op: ScalarOp, args: Vec<NodeRef> },
    /// A thunk at each element; arguments are broadcast.
    Apply { body: Arc<Body>, args: Vec<NodeRef>, result: usize },
    /// Elements of the argument at other places: every coordinate transform.
    View { arg: NodeRef, view: View },
    /// A reduction over some axes.
    Reduce { arg: NodeRef, axes: Vec<usize>, monoid: Fold },
    /// The index of the greatest or least element along an axis.
    ArgReduce { arg: NodeRef, axis: usize, max: bool },
    /// A sequential fold: a thunk from one element to the next along an axis, in order.
    Fold { arg: NodeRef, axis: usize, body: Arc<Body>, start: Scalar },
    /// A scan along an axis.
    Scan { arg: NodeRef, axis: usize, monoid: Fold, inclusion: Inclusion, direction: Direction },
    /// The same elements under another shape.
    Reshape { arg: NodeRef },
    /// A concatenation along an axis.
    Concat { args: Vec<NodeRef>, axis: usize },
    /// A gather: elements at places that are data.
    Gather {
        source: NodeRef,
        indices: Vec<NodeRef>,
        axes: Vec<GatherAxis>,
        default: Option<Scalar>,
        /// The user's name for the operation.
        name: &'static str,
    },
    /// A scatter: elements written to places that are data.
    Scatter { base: NodeRef, indices: Vec<NodeRef>, source: NodeRef, clash: Clash },
    /// The product of two matrices.
    MatMul { left: NodeRef, right: NodeRef },
    /// A filter: the elements where a mask holds. Its extent is data: only ever a root, and computed at once.
    Filter { mask: NodeRef, source: NodeRef },
    /// A segmented operation on a vector. Segments lie one after another.
    Segmented { values: NodeRef, lengths: NodeRef, how: Segmented },
    /// For each element of segments with these lengths the segment it lies in.
    Owners { lengths: NodeRef },
    /// A part of what a function of another front end gives.
    Function { call: Arc<Call>, args: Vec<NodeRef>, result: usize },
    /// A sort of the keys along the last axis; or the payload in the order of its keys.
    Sort { keys: NodeRef, payload: Option<NodeRef>, descending: bool },
}

/// The operator of a reduction or scan.
#[derive(Clone)]
pub(crate) enum Fold {
    /// A built-in operator.
    Op(MonoidOp),
    /// An operator of the user's: a thunk of two parameters, and its unit.
    User(Arc<Body>, Scalar),
}

/// The operation inside each segment.
#[derive(Clone)]
pub(crate) enum Segmented {
    /// A reduction: one element for each segment.
    Reduce(Fold),
    /// A scan.
    Scan(Fold, Inclusion, Direction),
    /// A sort; or the payload in the order of its keys.
    Sort { descending: bool, payload: Option<NodeRef> },
}

/// A call of a function, of which each part is a node.
pub(crate) struct Call {
    pub function: Arc<Straight>,
    /// The nodes of the parts that are computed: whoever computes one computes all that are still wanted.
    pub parts: Mutex<Vec<Weak<Node>>>,
}

/// Scalar code that was traced from a closure.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Body {
    /// The code, with its parameters and results.
    pub thunk: Thunk,
    /// A hash of the code, to find it by.
    pub hash: u64,
}

impl Body {
    /// Code that is complete.
    pub fn new(thunk: Thunk) -> Body {
        let mut hasher = DefaultHasher::new();
        thunk.hash(&mut hasher);
        Body { hash: hasher.finish(), thunk }
    }
}

/// A coordinate transform: which element of the source each place shows.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct View {
    /// One for each axis of the source.
    pub axes: Vec<ViewAxis>,
    /// One for each axis of the result.
    pub out: Vec<ViewExtent>,
    /// The value read where an axis with [`Rule::Else`] is outside.
    pub default: Option<Scalar>,
}

/// The index along one axis of the source: `stride · i + offset`, with `i` the index along an axis of the result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ViewAxis {
    /// The axis of the result; if none, the index is `offset`.
    pub from: Option<usize>,
    pub stride: i64,
    pub offset: i64,
    pub rule: Rule,
    /// Whether an index beyond an end is first reflected there, by less than an extent.
    pub reflected: bool,
}

/// The extent of an axis of a view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ViewExtent {
    /// That of an axis of the source.
    Same(usize),
    /// Another extent.
    New,
}

/// The index along one axis of the source of a gather.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum GatherAxis {
    /// The own index along an axis of the result.
    Own(usize),
    /// The element of an index array, with the rule for an index outside.
    Index(usize, Rule),
}

/// The rule for several elements that a scatter writes to one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clash {
    First,
    Last,
    Combine(MonoidOp),
}

impl Node {
    /// A node that is not computed.
    #[track_caller]
    pub fn lazy(elem: ScalarType, shape: Shape, op: Op) -> NodeRef {
        Node::lazy_at(elem, shape, op, Location::caller())
    }

    /// A node that is not computed, at a known place.
    pub fn lazy_at(elem: ScalarType, shape: Shape, op: Op, place: &'static Location<'static>) -> NodeRef {
        Arc::new(Node { elem, shape, place, state: Mutex::new(State::Lazy(Arc::new(op))) })
    }

    /// A leaf.
    #[track_caller]
    pub fn ready(elem: ScalarType, shape: Shape, data: Data) -> NodeRef {
        let place = Location::caller();
        Arc::new(Node { elem, shape, place, state: Mutex::new(State::Ready(data)) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        fork::lock(&self.state)
    }

    /// The state: lazy with its operation, or ready with its data.
    pub fn state(&self) -> State {
        self.lock().clone()
    }

    /// The operation, if it is not computed.
    pub fn op(&self) -> Option<Arc<Op>> {
        match &*self.lock() {
            State::Lazy(op) => Some(Arc::clone(op)),
            State::Ready(_) => None,
        }
    }

    /// Stores the data, and drops the operation with its arguments.
    pub fn fulfil(&self, data: Data) {
        let before = std::mem::replace(&mut *self.lock(), State::Ready(data));
        if let State::Lazy(op) = before {
            release(op);
        }
    }
}

impl Op {
    /// The arguments, in order.
    pub fn args(&self) -> Vec<&NodeRef> {
        match self {
            Op::Param(_) | Op::Fill(_) | Op::Iota { .. } | Op::Random { .. } => Vec::new(),
            Op::Map { args, .. }
            | Op::Apply { args, .. }
            | Op::Concat { args, .. }
            | Op::Function { args, .. } => args.iter().collect(),
            Op::View { arg, .. }
            | Op::Reduce { arg, .. }
            | Op::ArgReduce { arg, .. }
            | Op::Scan { arg, .. }
            | Op::Fold { arg, .. }
            | Op::Reshape { arg } => vec![arg],
            Op::Gather { source, indices, .. } => std::iter::once(source).chain(indices).collect(),
            Op::Scatter { base, indices, source, .. } => {
                std::iter::once(base).chain(indices).chain(std::iter::once(source)).collect()
            }
            Op::MatMul { left, right } => vec![left, right],
            Op::Owners { lengths } => vec![lengths],
            Op::Filter { mask, source } => vec![mask, source],
            Op::Segmented { values, lengths, how } => {
                let payload = if let Segmented::Sort { payload, .. } = how { payload.as_ref() } else { None };
                [values, lengths].into_iter().chain(payload).collect()
            }
            Op::Sort { keys, payload, .. } => std::iter::once(keys).chain(payload).collect(),
        }
    }

    /// The same operation with other arguments, in the same order.
    pub fn with(&self, other: &mut dyn FnMut(&NodeRef) -> NodeRef) -> Op {
        let mut all = |args: &[NodeRef]| args.iter().map(&mut *other).collect();
        match self {
            Op::Param(number) => Op::Param(*number),
            Op::Fill(value) => Op::Fill(*value),
            Op::Iota { axis } => Op::Iota { axis: *axis },
            Op::Random { seed } => Op::Random { seed: *seed },
            Op::Map { op, args } => Op::Map { op: *op, args: all(args) },
            Op::Apply { body, args, result } => {
                Op::Apply { body: Arc::clone(body), args: all(args), result: *result }
            }
            Op::View { arg, view } => Op::View { arg: other(arg), view: view.clone() },
            Op::Reduce { arg, axes, monoid } => {
                Op::Reduce { arg: other(arg), axes: axes.clone(), monoid: monoid.clone() }
            }
            Op::ArgReduce { arg, axis, max } => Op::ArgReduce { arg: other(arg), axis: *axis, max: *max },
            Op::Fold { arg, axis, body, start } => {
                Op::Fold { arg: other(arg), axis: *axis, body: Arc::clone(body), start: *start }
            }
            Op::Scan { arg, axis, monoid, inclusion, direction } => {
                let (monoid, inclusion, direction) = (monoid.clone(), *inclusion, *direction);
                Op::Scan { arg: other(arg), axis: *axis, monoid, inclusion, direction }
            }
            Op::Reshape { arg } => Op::Reshape { arg: other(arg) },
            Op::Concat { args, axis } => Op::Concat { args: all(args), axis: *axis },
            Op::Gather { source, indices, axes, default, name } => {
                let source = other(source);
                let indices = indices.iter().map(&mut *other).collect();
                Op::Gather { source, indices, axes: axes.clone(), default: *default, name }
            }
            Op::Scatter { base, indices, source, clash } => {
                let base = other(base);
                let indices = indices.iter().map(&mut *other).collect();
                Op::Scatter { base, indices, source: other(source), clash: *clash }
            }
            Op::MatMul { left, right } => Op::MatMul { left: other(left), right: other(right) },
            Op::Filter { mask, source } => Op::Filter { mask: other(mask), source: other(source) },
            Op::Segmented { values, lengths, how } => {
                let (values, lengths) = (other(values), other(lengths));
                let how = match how {
                    Segmented::Sort { descending, payload } => {
                        Segmented::Sort { descending: *descending, payload: payload.as_ref().map(other) }
                    }
                    Segmented::Reduce(_) | Segmented::Scan(..) => how.clone(),
                };
                Op::Segmented { values, lengths, how }
            }
            Op::Owners { lengths } => Op::Owners { lengths: other(lengths) },
            Op::Function { call, args, result } => {
                Op::Function { call: Arc::clone(call), args: all(args), result: *result }
            }
            Op::Sort { keys, payload, descending } => {
                let keys = other(keys);
                Op::Sort { keys, payload: payload.as_ref().map(other), descending: *descending }
            }
        }
    }

    /// Takes the arguments out of the operation: the caller may then hold the last reference to one.
    fn into_args(self) -> Vec<NodeRef> {
        self.args().into_iter().map(Arc::clone).collect()
    }

    /// The users' name for the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Param(_) => "param",
            Op::Fill(_) => "fill",
            Op::Iota { .. } => "iota",
            Op::Random { .. } => "random",
            Op::Map { op, .. } => op.name(),
            Op::Apply { .. } => "apply",
            Op::View { .. } => "view",
            Op::Reduce { .. } => "reduce",
            Op::ArgReduce { max: true, .. } => "argmax",
            Op::ArgReduce { max: false, .. } => "argmin",
            Op::Fold { .. } => "fold_with",
            Op::Scan { .. } => "scan",
            Op::Reshape { .. } => "reshape",
            Op::Concat { .. } => "concat",
            Op::Gather { name, .. } => name,
            Op::Scatter { .. } => "scatter",
            Op::MatMul { .. } => "matmul",
            Op::Filter { .. } => "compress",
            Op::Segmented { .. } => "segmented",
            Op::Owners { .. } => "owners",
            Op::Function { .. } => "nesl",
            Op::Sort { .. } => "sort",
        }
    }
}

/// Drops an operation and everything that only it needed. Iterative: chains may be a million nodes deep.
fn release(op: Arc<Op>) {
    let Some(op) = Arc::into_inner(op) else { return };
    let mut pending = op.into_args();
    while let Some(node) = pending.pop() {
        let Some(node) = Arc::into_inner(node) else { continue };
        // Dropping the node finds it ready, and ends there.
        let state = std::mem::replace(&mut *node.lock(), State::Ready(Data::Scalar(Scalar::Bool(false))));
        if let State::Lazy(op) = state
            && let Some(op) = Arc::into_inner(op)
        {
            pending.extend(op.into_args());
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let State::Lazy(_) = state
            && let State::Lazy(op) = std::mem::replace(state, State::Ready(Data::Scalar(Scalar::Bool(false))))
        {
            release(op);
        }
    }
}

impl View {
    /// The axes of a shape as they are.
    pub fn identity(rank: usize) -> View {
        let axis =
            |from| ViewAxis { from: Some(from), stride: 1, offset: 0, rule: Rule::Proved, reflected: false };
        View {
            axes: (0..rank).map(axis).collect(),
            out: (0..rank).map(ViewExtent::Same).collect(),
            default: None,
        }
    }
}

impl ViewAxis {
    /// The index of the own element, with no rule.
    pub fn own(from: usize) -> ViewAxis {
        ViewAxis { from: Some(from), stride: 1, offset: 0, rule: Rule::Proved, reflected: false }
    }
}
