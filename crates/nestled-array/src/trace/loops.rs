//! Loops at each element: what is carried, and how two closures become one.

use super::{Closure, captured_by, types_of, without_reads};
use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Result, expect};
use crate::node::{Body, Node, NodeRef, Op};
use crate::ops::common_shape;
use crate::shape::Shape;
use nestled_ir::build::CodeBuilder;
use nestled_ir::{Atom, Carried as CarriedLocal, ScalarType, Span};
use std::sync::Arc;

/// A tuple of arrays carried by a loop.
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

/// An elementwise loop: `step` is repeated as long as `going` holds, for each element by itself. All of it is one kernel.
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
/// If shapes cannot be broadcast together, or a closure does something that does not happen at one element.
#[track_caller]
pub fn while_with<S: Carried>(start: S, going: impl Fn(&S) -> Array<bool>, step: impl Fn(S) -> S) -> S {
    expect(try_while_with(start, going, step))
}

/// Returns an error where [`while_with`] panics.
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
    let missing = || Error::new("while_with", "a carried array is missing");
    let made = while_of(
        &S::types(),
        start.nodes(),
        |nodes| Ok(NodeHandle(going(&S::of(nodes).ok_or_else(missing)?).node)),
        |nodes| Ok(step(S::of(nodes).ok_or_else(missing)?).nodes()),
    )?;
    S::of(made).ok_or_else(missing)
}

/// As [`try_while_with`], of arrays whose types are known at run time: `going` gives a boolean, and `step` as many arrays of the same types. Its errors are the closures'.
///
/// # Errors
/// Shapes or types do not go together, or a closure does something that does not happen at one element.
#[doc(hidden)]
#[track_caller]
pub fn while_of<E: From<Error>>(
    types: &[ScalarType],
    start: Vec<NodeHandle>,
    going: impl FnOnce(Vec<NodeHandle>) -> std::result::Result<NodeHandle, E>,
    step: impl FnOnce(Vec<NodeHandle>) -> std::result::Result<Vec<NodeHandle>, E>,
) -> std::result::Result<Vec<NodeHandle>, E> {
    let params = || -> Vec<NodeRef> {
        let one = |(number, &elem)| Node::lazy(elem, Shape::SCALAR, Op::Param(number));
        types.iter().enumerate().map(one).collect()
    };
    let handles = |nodes: &[NodeRef]| nodes.iter().map(|node| NodeHandle(Arc::clone(node))).collect();
    let (before, inside) = (params(), params());
    let cond = going(handles(&before))?.0;
    let next: Vec<NodeRef> = step(handles(&inside))?.into_iter().map(|node| node.0).collect();
    if cond.elem != ScalarType::Bool || types_of(&next) != types {
        return Err(
            Error::new("while_with", "a loop goes on with arrays of the types that it began with").into()
        );
    }
    let cond = without_reads(Closure::of(&[cond], &before)?, "while_with")?;
    let next = without_reads(Closure::of(&next, &inside)?, "while_with")?;
    let captured = captured_by(&[&cond, &next]);
    let body = repeated(types, &cond, &next, &captured)?;
    let mut start: Vec<NodeRef> = start.into_iter().map(|node| node.0).collect();
    let shape = common_shape("while_with", &start.iter().collect::<Vec<_>>())?;
    start.extend(captured);
    let one = |(result, &elem): (usize, &ScalarType)| {
        let op = Op::Apply { body: Arc::clone(&body), args: start.clone(), result };
        NodeHandle(Node::lazy(elem, shape, op))
    };
    Ok(types.iter().enumerate().map(one).collect())
}

/// The body of a loop that carries values of these types.
fn repeated(types: &[ScalarType], cond: &Closure, next: &Closure, captured: &[NodeRef]) -> Result<Arc<Body>> {
    let mut code = CodeBuilder::new(&[types, &types_of(captured)].concat(), Span::NONE);
    let mut given = code.params();
    let outside = given.split_off(types.len());
    let known: Vec<(NodeRef, Atom)> = captured.iter().cloned().zip(outside).collect();
    let carried: Vec<CarriedLocal> = given.into_iter().map(|init| code.carried("a", init)).collect();
    let inside: Vec<Atom> = carried.iter().map(|one| Atom::Local(one.local)).collect();
    code.open();
    let cond = cond.lines(&inside, &known, &mut code)?;
    let cond = code.close(cond);
    code.open();
    let next = next.lines(&inside, &known, &mut code)?;
    let next = code.close(next);
    let results = code.while_loop(carried, cond, next);
    Ok(Arc::new(Body::new(code.finish(results))))
}
