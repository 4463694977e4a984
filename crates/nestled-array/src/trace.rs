//! Closures that become thunks: operators of reductions and scans, loops at each element.
//!
//! A closure is run once, with arrays of rank 0 that stand for its parameters. What it does with them is written down as scalar code of λcu.

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Reason, Result, expect};
use crate::node::{Body, Data, Fold, Node, NodeRef, Op};
use crate::ops::common_shape;
use crate::plan::{Graph, Kind};
use crate::shape::Shape;
use nestled_ir::build::CodeBuilder;
use nestled_ir::{Atom, Carried as CarriedLocal, Direction, Inclusion, ScalarType, Span};
use std::sync::Arc;

/// Writes what computes some scalars from parameters, which the closure knows by their numbers.
fn lines(results: &[NodeRef], params: &[Atom], code: &mut CodeBuilder) -> Result<Vec<Atom>> {
    let graph = Graph::of(results);
    let mut atoms: Vec<Atom> = Vec::with_capacity(graph.items.len());
    for item in &graph.items {
        let wrong =
            |what: &str| Error::at("closure", Reason::Argument(what.to_owned()), Some(item.node.place));
        if item.rank() != 0 {
            return Err(wrong("a closure that runs at each element works on numbers, not on arrays"));
        }
        atoms.push(match &item.kind {
            Kind::Leaf(Data::Scalar(scalar)) => Atom::Const(*scalar),
            Kind::Leaf(_) => {
                return Err(wrong("a closure that runs at each element cannot use computed arrays"));
            }
            Kind::Lazy(op) => match &**op {
                Op::Param(number) => params[*number],
                Op::Fill(value) => Atom::Const(*value),
                Op::Map { op, .. } => {
                    let args: Vec<Atom> = item.args.iter().map(|&arg| atoms[arg]).collect();
                    code.op(*op, &args)
                }
                other => {
                    return Err(wrong(&format!("`{}` is nothing that happens at one element", other.name())));
                }
            },
        });
    }
    Ok(graph.roots.iter().map(|&root| atoms[root]).collect())
}

/// The body of a closure that gives these scalars.
fn body(params: &[ScalarType], results: &[NodeRef]) -> Result<Arc<Body>> {
    let mut code = CodeBuilder::new(params, Span::NONE);
    let given = code.params();
    let results = lines(results, &given, &mut code)?;
    Ok(Arc::new(Body::new(code.finish(results))))
}

/// The number `number` of a closure's parameters.
#[track_caller]
fn param<T: Element>(number: usize) -> Array<T> {
    Array::lazy(Shape::SCALAR, Op::Param(number))
}

/// A closure of two parameters as the body of an operator.
#[track_caller]
pub(crate) fn operator<T: Element>(combine: impl Fn(Array<T>, Array<T>) -> Array<T>) -> Result<Arc<Body>> {
    let result = combine(param(0), param(1));
    body(&[T::TYPE; 2], &[result.node])
}

crate::ops::fallible! { impl[T: Element] Array<T> {
    /// The reduction along an axis by an associative closure with a unit.
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

    /// Prefixes along an axis by an associative closure with a unit.
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

    /// A closure from one element to the next along an axis, in order, beginning with `start`. Rows are independent; each is done by one thread.
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
        let result = step(param(0), param(1));
        let body = body(&[U::TYPE, T::TYPE], &[result.node])?;
        let op = Op::Fold { arg: Arc::clone(&self.node), axis, body, start: start.scalar() };
        Ok(Array::lazy(self.shape().without(&[axis]), op))
    }

    /// A closure at each element.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, 2.0]).map_with(|x| &x * &x + 1.0).to_vec()?, [2.0, 5.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn map_with try_map_with[U: Element](&self, function: impl Fn(Array<T>) -> Array<U>) -> Array<U> {
        let result = function(param(0));
        apply(&[&self.node], &[T::TYPE], result.node).map(Array::of)
    }

    /// A closure at each pair of elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, 2.0]).zip_with(&Array::from_vec(vec![3.0, 4.0]), |x, y| x * y).to_vec()?, [3.0, 8.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn zip_with try_zip_with[U: Element, V: Element](&self, other: &Array<U>, function: impl Fn(Array<T>, Array<U>) -> Array<V>) -> Array<V> {
        let result = function(param(0), param(1));
        apply(&[&self.node, &other.node], &[T::TYPE, U::TYPE], result.node).map(Array::of)
    }
}}

/// The result of a closure at each element.
#[track_caller]
fn apply(args: &[&NodeRef], params: &[ScalarType], result: NodeRef) -> Result<NodeRef> {
    let shape = common_shape("closure", args)?;
    let elem = result.elem;
    let body = body(params, &[result])?;
    let args = args.iter().map(|&arg| Arc::clone(arg)).collect();
    Ok(Node::lazy(elem, shape, Op::Apply { body, args, result: 0 }))
}

/// A tuple of arrays that a loop carries.
///
/// ```
/// # use nestled_array::*;
/// let (x, steps) = while_with(
///     (Array::from_vec(vec![1, 5]), Array::zeros(&[2])),
///     |(x, _): &(Array<i32>, Array<i32>)| x.lt(8),
///     |(x, steps)| (x * 2, steps + 1),
/// );
/// assert_eq!((x.to_vec()?, steps.to_vec()?), (vec![8, 10], vec![3, 1]));
/// # Ok::<(), Error>(())
/// ```
pub trait Carried: Sized {
    #[doc(hidden)]
    fn types() -> Vec<ScalarType>;
    #[doc(hidden)]
    fn nodes(&self) -> Vec<NodeHandle>;
    #[doc(hidden)]
    fn of(nodes: Vec<NodeHandle>) -> Option<Self>;
}

/// An opaque reference to a node.
///
/// ```
/// # use nestled_array::*;
/// let nodes: Vec<NodeHandle> = (Array::<i32>::zeros(&[2]),).nodes();
/// assert_eq!(nodes.len(), 1);
/// # Ok::<(), Error>(())
/// ```
pub struct NodeHandle(NodeRef);

macro_rules! carried {
    ($($ty:ident $at:tt),*) => {
        impl<$($ty: Element),*> Carried for ($(Array<$ty>,)*) {
            fn types() -> Vec<ScalarType> {
                vec![$($ty::TYPE),*]
            }
            fn nodes(&self) -> Vec<NodeHandle> {
                vec![$(NodeHandle(Arc::clone(&self.$at.node))),*]
            }
            fn of(nodes: Vec<NodeHandle>) -> Option<Self> {
                let mut nodes = nodes.into_iter();
                Some(($(Array::<$ty>::of(nodes.next()?.0),)*))
            }
        }
    };
}

carried!(A 0);
carried!(A 0, B 1);
carried!(A 0, B 1, C 2);
carried!(A 0, B 1, C 2, D 3);
carried!(A 0, B 1, C 2, D 3, E 4);
carried!(A 0, B 1, C 2, D 3, E 4, G 5);

/// A loop at each element: `step` is repeated as long as `going` holds, for each element by itself. All of it is one kernel.
///
/// ```
/// use nestled_array::{Array, while_with};
/// // How many steps until 1, if an even number is halved and an odd one is tripled and one added?
/// let n = Array::from_vec(vec![1i64, 6, 7]);
/// let (_, steps) = while_with(
///     (n, Array::zeros(&[3])),
///     |(n, _): &(Array<i64>, Array<i64>)| n.gt(1),
///     |(n, k)| ((&n & 1).eq(0).select(&n / 2, &n * 3 + 1), k + 1),
/// );
/// assert_eq!(steps.to_vec()?, [0, 8, 16]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
///
/// # Panics
/// Where shapes do not go together, or a closure does something that does not happen at one element.
#[track_caller]
pub fn while_with<S: Carried>(start: S, going: impl Fn(&S) -> Array<bool>, step: impl Fn(S) -> S) -> S {
    expect(try_while_with(start, going, step))
}

/// As [`while_with`], but an error instead of a panic.
///
/// ```
/// # use nestled_array::*;
/// let start = (Array::<i32>::zeros(&[2]), Array::<i32>::zeros(&[3]));
/// let wrong = try_while_with(start, |(x, _)| x.lt(1), |(x, y)| (x + 1, y));
/// assert!(wrong.is_err());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Shapes do not go together, or a closure does something that does not happen at one element.
#[track_caller]
pub fn try_while_with<S: Carried>(
    start: S,
    going: impl Fn(&S) -> Array<bool>,
    step: impl Fn(S) -> S,
) -> Result<S> {
    let types = S::types();
    let params = || {
        let one = |(number, &elem): (usize, &ScalarType)| {
            NodeHandle(Node::lazy(elem, Shape::SCALAR, Op::Param(number)))
        };
        S::of(types.iter().enumerate().map(one).collect())
    };
    let missing = || Error::new("while_with", "a carried array is missing");
    let cond = going(&params().ok_or_else(missing)?);
    let next = step(params().ok_or_else(missing)?);
    let next: Vec<NodeRef> = next.nodes().into_iter().map(|node| node.0).collect();
    let body = repeated(&types, cond.node, &next)?;
    let start: Vec<NodeRef> = start.nodes().into_iter().map(|node| node.0).collect();
    let shape = common_shape("while_with", &start.iter().collect::<Vec<_>>())?;
    let one = |(result, &elem): (usize, &ScalarType)| {
        NodeHandle(Node::lazy(
            elem,
            shape,
            Op::Apply { body: Arc::clone(&body), args: start.clone(), result },
        ))
    };
    S::of(types.iter().enumerate().map(one).collect()).ok_or_else(missing)
}

/// The body of a loop that carries values of these types.
fn repeated(types: &[ScalarType], cond: NodeRef, next: &[NodeRef]) -> Result<Arc<Body>> {
    let mut code = CodeBuilder::new(types, Span::NONE);
    let given = code.params();
    let carried: Vec<CarriedLocal> = given.into_iter().map(|init| code.carried("a", init)).collect();
    let inside: Vec<Atom> = carried.iter().map(|one| Atom::Local(one.local)).collect();
    code.open();
    let cond = lines(&[cond], &inside, &mut code)?;
    let cond = code.close(cond);
    code.open();
    let next = lines(next, &inside, &mut code)?;
    let next = code.close(next);
    let results = code.while_loop(carried, cond, next);
    Ok(Arc::new(Body::new(code.finish(results))))
}
