//! Tracing of closures into thunks: operators of reductions and scans, loops at each element.
//!
//! A closure is run once, with arrays of rank 0 that stand for its parameters. The nodes that it makes are written down as scalar code of λcu.

mod loops;

use crate::array::Array;
use crate::element::Element;
use crate::engine::Engine;
use crate::error::{Error, Reason, Result};
use crate::node::{Body, Data, Fold, GatherAxis, Node, NodeRef, Op, View};
use crate::ops::common_shape;
use crate::plan::{Graph, Item, Kind};
use crate::shape::Shape;
use nestled_ir::build::CodeBuilder;
use nestled_ir::{Atom, Direction, Inclusion, ScalarType, Span};
use std::sync::Arc;

pub use loops::{Carried, NodeHandle, try_while_with, while_of, while_with};

/// A traced closure: the graph of its results.
struct Closure {
    graph: Graph,
    roles: Vec<Role>,
    /// Whether it reads elements of arrays from outside, at places that depend on its parameters.
    reads: bool,
}

/// The role of a node in a closure.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// The parameter with this number.
    Param(usize),
    /// A line of its code.
    Line,
    /// A number from outside.
    Captured,
    /// A node made only of numbers from outside.
    Unused,
}

impl Closure {
    /// Analyses the results of a closure that was run with these nodes as parameters.
    fn of(results: &[NodeRef], params: &[NodeRef]) -> Result<Closure> {
        let graph = Graph::of(results);
        // Whether something depends on a parameter, and whether it is made of literals.
        let (mut inside, mut plain) = (Vec::new(), Vec::new());
        let mut roles = vec![Role::Unused; graph.items.len()];
        for (at, item) in graph.items.iter().enumerate() {
            let number = params.iter().position(|param| Arc::ptr_eq(param, &item.node));
            inside.push(number.is_some() || item.args.iter().any(|&arg| inside[arg]));
            plain.push(match &item.kind {
                Kind::Leaf(data) => matches!(data, Data::Scalar(_)),
                Kind::Lazy(op) => match &**op {
                    Op::Fill(_) => true,
                    Op::Map { .. } => item.args.iter().all(|&arg| plain[arg]),
                    _ => false,
                },
            });
            if let Some(number) = number {
                roles[at] = Role::Param(number);
            }
        }
        let mut reads = false;
        let mut wanted = vec![false; graph.items.len()];
        graph.roots.iter().for_each(|&root| wanted[root] = true);
        for (at, item) in graph.items.iter().enumerate().rev() {
            if !wanted[at] {
                continue;
            }
            if roles[at] == Role::Unused && (inside[at] || plain[at]) {
                let read = is_read(item, &inside);
                if let Kind::Lazy(op) = &item.kind
                    && !read
                    && !matches!(**op, Op::Map { .. } | Op::Apply { .. } | Op::Fill(_))
                    && !is_same_number(&graph, at)
                {
                    let name = op.name();
                    let what = format!(
                        "`{name}` is nothing that happens at one element: do it before, to whole arrays"
                    );
                    return Err(Error::at("closure", Reason::Argument(what), Some(item.node.place)));
                }
                roles[at] = Role::Line;
                reads |= read;
                item.args.iter().skip(usize::from(read)).for_each(|&arg| wanted[arg] = true);
            } else if roles[at] == Role::Unused {
                roles[at] = Role::Captured;
            }
            if item.rank() > 0 {
                let what = format!(
                    "a closure that runs at each element works on numbers, not on arrays such as this of shape {}: give it as an argument, \
                     as `zip_with` does",
                    item.node.shape
                );
                return Err(Error::at("closure", Reason::Argument(what), Some(item.node.place)));
            }
        }
        Ok(Closure { graph, roles, reads })
    }

    /// The numbers from outside.
    fn captured(&self) -> impl Iterator<Item = &NodeRef> {
        let items = self.graph.items.iter().zip(&self.roles);
        items.filter(|(_, role)| **role == Role::Captured).map(|(item, _)| &item.node)
    }

    /// The closure as an expression of whole arrays. A closure that reads needs it: code of one element has no arrays to read from.
    fn of_arrays(&self, params: &[&NodeRef], shape: Shape) -> NodeRef {
        let mut made: Vec<NodeRef> = Vec::with_capacity(self.roles.len());
        for (item, role) in self.graph.items.iter().zip(&self.roles) {
            let args = || item.args.iter().map(|&arg| Arc::clone(&made[arg])).collect::<Vec<NodeRef>>();
            let op = match (role, item.op()) {
                (Role::Param(number), _) => {
                    made.push(Arc::clone(params[*number]));
                    continue;
                }
                (Role::Line, Some(Op::View { .. })) => {
                    made.push(Arc::clone(&made[item.args[0]]));
                    continue;
                }
                (Role::Line, Some(Op::Map { op, .. })) => Op::Map { op: *op, args: args() },
                (Role::Line, Some(Op::Apply { body, result, .. })) => {
                    Op::Apply { body: Arc::clone(body), args: args(), result: *result }
                }
                (Role::Line, Some(Op::Gather { axes, default, name, .. })) => {
                    let mut args = args();
                    let source = args.remove(0);
                    Op::Gather { source, indices: args, axes: axes.clone(), default: *default, name }
                }
                _ => {
                    made.push(Arc::clone(&item.node));
                    continue;
                }
            };
            made.push(Node::lazy_at(item.node.elem, shape, op, item.node.place));
        }
        Arc::clone(&made[self.graph.roots[0]])
    }

    /// Writes the code of its results, from parameters and from numbers from outside.
    fn lines(
        &self,
        params: &[Atom],
        captured: &[(NodeRef, Atom)],
        code: &mut CodeBuilder,
    ) -> Result<Vec<Atom>> {
        let mut atoms: Vec<Option<Atom>> = Vec::with_capacity(self.roles.len());
        // What loops gave: each is one node for each of its results.
        let mut given: Vec<(&Arc<Body>, Vec<Atom>, Vec<Atom>)> = Vec::new();
        for (item, role) in self.graph.items.iter().zip(&self.roles) {
            let known =
                || captured.iter().find(|(node, _)| Arc::ptr_eq(node, &item.node)).map(|(_, atom)| *atom);
            atoms.push(match role {
                Role::Param(number) => Some(params[*number]),
                Role::Captured => known(),
                Role::Unused => None,
                Role::Line => match &item.kind {
                    Kind::Leaf(Data::Scalar(scalar)) => Some(Atom::Const(*scalar)),
                    Kind::Leaf(_) => None,
                    Kind::Lazy(op) => match &**op {
                        Op::Fill(value) => Some(Atom::Const(*value)),
                        Op::Map { op, .. } => {
                            let args: Option<Vec<Atom>> = item.args.iter().map(|&arg| atoms[arg]).collect();
                            args.map(|args| code.op(*op, &args))
                        }
                        Op::View { .. } => atoms[item.args[0]],
                        Op::Apply { body, result, .. } => {
                            let args: Option<Vec<Atom>> = item.args.iter().map(|&arg| atoms[arg]).collect();
                            args.map(|args| {
                                let same = |known: &&(&Arc<Body>, Vec<Atom>, Vec<Atom>)| {
                                    Arc::ptr_eq(known.0, body) && known.1 == args
                                };
                                if let Some((_, _, results)) = given.iter().find(same) {
                                    return results[*result];
                                }
                                let results = code.inline(&body.thunk, &args);
                                given.push((body, args, results.clone()));
                                results[*result]
                            })
                        }
                        _ => None,
                    },
                },
            });
        }
        let results: Option<Vec<Atom>> = self.graph.roots.iter().map(|&root| atoms[root]).collect();
        results.ok_or_else(|| Error::at("closure", Reason::Bug("a number is missing".to_owned()), None))
    }
}

/// True if a node is an element of an array from outside, at a place that depends on the parameters.
fn is_read(item: &Item, inside: &[bool]) -> bool {
    let at_numbers = |axes: &[GatherAxis]| axes.iter().all(|axis| matches!(axis, GatherAxis::Index(..)));
    matches!(item.op(), Some(Op::Gather { axes, .. }) if at_numbers(axes)) && !inside[item.args[0]]
}

/// True if a node is a view of the only element of another, unchanged.
fn is_same_number(graph: &Graph, at: usize) -> bool {
    let item = &graph.items[at];
    let shows = |view: &View| view.axes.is_empty() && view.default.is_none();
    matches!(item.op(), Some(Op::View { view, .. }) if shows(view)) && item.rank() == 0
}

/// Returns the closure if it has no reads, or else an error.
fn without_reads(closure: Closure, name: &str) -> Result<Closure> {
    let mut items = closure.graph.items.iter().zip(&closure.roles);
    let found =
        items.find(|(item, role)| **role == Role::Line && matches!(item.op(), Some(Op::Gather { .. })));
    let Some((item, _)) = found else { return Ok(closure) };
    let read = item.op().map_or("gather", Op::name);
    let what = format!(
        "`{read}` is nothing that happens at one element of `{name}`: do it before, to whole arrays, or in `map_with` or `zip_with`"
    );
    Err(Error::at("closure", Reason::Argument(what), Some(item.node.place)))
}

/// All numbers that some closures captured, without duplicates.
fn captured_by(closures: &[&Closure]) -> Vec<NodeRef> {
    let mut all: Vec<NodeRef> = Vec::new();
    for node in closures.iter().flat_map(|closure| closure.captured()) {
        if !all.iter().any(|known| Arc::ptr_eq(known, node)) {
            all.push(Arc::clone(node));
        }
    }
    all
}

/// The types of nodes.
fn types_of(nodes: &[NodeRef]) -> Vec<ScalarType> {
    nodes.iter().map(|node| node.elem).collect()
}

/// The body of an operator with these results. Captured numbers are computed now, and become literals of its text.
fn body(params: &[NodeRef], result: &NodeRef) -> Result<Arc<Body>> {
    let closure = without_reads(Closure::of(std::slice::from_ref(result), params)?, "an operator")?;
    let mut known = Vec::new();
    for node in closure.captured() {
        let value = Engine::current().fetch_node(node)?.get(0);
        known.push((Arc::clone(node), Atom::Const(value)));
    }
    let mut code = CodeBuilder::new(&types_of(params), Span::NONE);
    let given = code.params();
    let results = closure.lines(&given, &known, &mut code)?;
    Ok(Arc::new(Body::new(code.finish(results))))
}

/// The parameter `number` of a closure.
#[track_caller]
fn param<T: Element>(number: usize) -> Array<T> {
    Array::lazy(Shape::SCALAR, Op::Param(number))
}

/// A closure of two parameters as the body of an operator.
#[track_caller]
pub(crate) fn operator<T: Element>(combine: impl Fn(Array<T>, Array<T>) -> Array<T>) -> Result<Arc<Body>> {
    let (left, right) = (param(0), param(1));
    let params = [Arc::clone(&left.node), Arc::clone(&right.node)];
    body(&params, &combine(left, right).node)
}

crate::ops::fallible! { impl[T: Element] Array<T> {
    /// Reduces along an axis by an associative closure with a unit.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![3, 1, 2]).reduce_with(0, 1, |a, b| a * b).to_vec()?, [6]);
    /// # Ok::<(), Error>(())
    /// ```
    fn reduce_with try_reduce_with[](&self, axis: usize, unit: T, combine: impl Fn(Array<T>, Array<T>) -> Array<T>) -> Array<T> {
        let fold = Fold::User(operator(combine)?, unit.scalar());
        crate::ops::reduce_by(self, fold, &[axis])
    }

    /// Scans along an axis by an associative closure with a unit.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from_vec(vec![3, 1, 4]);
    /// let greatest = x.scan_with(0, 0, Inclusion::Inclusive, Direction::Forward, |a, b| a.maximum(b));
    /// assert_eq!(greatest.to_vec()?, [3, 3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    fn scan_with try_scan_with[](
        &self,
        axis: usize,
        unit: T,
        inclusion: Inclusion,
        direction: Direction,
        combine: impl Fn(Array<T>, Array<T>) -> Array<T>,
    ) -> Array<T> {
        let fold = Fold::User(operator(combine)?, unit.scalar());
        crate::ops::scan_by(self, axis, fold, inclusion, direction)
    }

    /// Folds along an axis sequentially: a closure from one element to the next, beginning with `start`. Rows are independent; each is done by one thread.
    ///
    /// ```
    /// # use nestled_array::*;
    /// // Horner: 1·x² + 2·x + 3 at 10.
    /// let value = Array::from_vec(vec![1, 2, 3]).fold_with(0, 0, |value: Array<i32>, x| value * 10 + x);
    /// assert_eq!(value.item()?, 123);
    /// # Ok::<(), Error>(())
    /// ```
    fn fold_with try_fold_with[U: Element](&self, axis: usize, start: U, step: impl Fn(Array<U>, Array<T>) -> Array<U>) -> Array<U> {
        if axis >= self.rank() {
            return Err(Error::new("fold_with", format!("{} has no axis {axis}", self.shape())));
        }
        let (value, x) = (param(0), param(1));
        let params = [Arc::clone(&value.node), Arc::clone(&x.node)];
        let body = body(&params, &step(value, x).node)?;
        let op = Op::Fold { arg: Arc::clone(&self.node), axis, body, start: start.scalar() };
        Ok(Array::lazy(self.shape().without(&[axis]), op))
    }

    /// Applies a closure at each element.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, 2.0]).map_with(|x| &x * &x + 1.0).to_vec()?, [2.0, 5.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn map_with try_map_with[U: Element](&self, function: impl Fn(Array<T>) -> Array<U>) -> Array<U> {
        let x = param(0);
        let params = [Arc::clone(&x.node)];
        apply("map_with", &[&self.node], &params, function(x).node).map(Array::of)
    }

    /// Applies a closure at each pair of elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, 2.0]).zip_with(&Array::from_vec(vec![3.0, 4.0]), |x, y| x * y).to_vec()?, [3.0, 8.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn zip_with try_zip_with[U: Element, V: Element](&self, other: &Array<U>, function: impl Fn(Array<T>, Array<U>) -> Array<V>) -> Array<V> {
        let (x, y) = (param(0), param(1));
        let params = [Arc::clone(&x.node), Arc::clone(&y.node)];
        apply("zip_with", &[&self.node, &other.node], &params, function(x, y).node).map(Array::of)
    }
}}

/// The result of a closure at each element. The numbers that it captured are arguments too.
#[track_caller]
fn apply(name: &'static str, args: &[&NodeRef], params: &[NodeRef], result: NodeRef) -> Result<NodeRef> {
    let shape = common_shape(name, args)?;
    let elem = result.elem;
    let closure = Closure::of(&[result], params)?;
    if closure.reads {
        return Ok(closure.of_arrays(args, shape));
    }
    let captured = captured_by(&[&closure]);
    let mut code = CodeBuilder::new(&types_of(&[params, &captured].concat()), Span::NONE);
    let mut given = code.params();
    let outside = given.split_off(params.len());
    let known: Vec<(NodeRef, Atom)> = captured.iter().cloned().zip(outside).collect();
    let results = closure.lines(&given, &known, &mut code)?;
    let body = Arc::new(Body::new(code.finish(results)));
    let args = args.iter().map(|&arg| Arc::clone(arg)).chain(captured).collect();
    Ok(Node::lazy(elem, shape, Op::Apply { body, args, result: 0 }))
}
