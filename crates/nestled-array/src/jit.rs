//! Just-in-time compilation of closures over arrays: traced once for each combination of shapes, called often.

use crate::array::Array;
use crate::complex::{Complex, Quaternion};
use crate::element::{Element, Float};
use crate::engine::{Engine, Explanation, Garbage, WeakEngine, copies_parts, cut_at_copies};
use crate::error::{Error, Reason, Result};
use crate::node::{Data, Node, NodeRef, Op, State};
use crate::plan::Graph;
use crate::ragged::{Content, Ragged, Segments};
use crate::shape::Shape;
use nestled_fork as fork;
use nestled_ir::ScalarType;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A program made of a closure over arrays. The closure runs once for each combination of shapes; afterwards a call launches what was compiled,
/// which costs microseconds.
///
/// ```
/// use nestled_array::{Array, jit};
/// let length = jit(|x: Array<f32>, y: Array<f32>| (&x * &x + &y * &y).sqrt());
/// let (x, y) = (Array::from_vec(vec![3.0, 6.0]), Array::from_vec(vec![4.0, 8.0]));
/// assert_eq!(length.call((&x, &y))?.to_vec()?, [5.0, 10.0]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
pub struct Jit<F, A, R> {
    function: F,
    /// In order of use, least recently used first.
    traced: Mutex<Vec<Arc<Traced<R>>>>,
    types: PhantomData<fn(A) -> R>,
}

/// Makes a program from a closure; see [`Jit`].
///
/// ```
/// # use nestled_array::*;
/// let double = jit(|x: Array<i32>| x * 2);
/// assert_eq!(double.call((&Array::from_vec(vec![4]),))?.to_vec()?, [8]);
/// # Ok::<(), Error>(())
/// ```
pub fn jit<F: Trace<A, R>, A, R: Arrays>(function: F) -> Jit<F, A, R> {
    Jit { function, traced: Mutex::default(), types: PhantomData }
}

/// Arguments and results of programs: arrays, and values made of arrays. These are [`Complex`](crate::Complex), [`Quaternion`](crate::Quaternion), [`Ragged`](crate::Ragged),
/// vectors, lists of fixed length, and tuples.
///
/// ```
/// # use nestled_array::*;
/// let total = jit(|terms: Vec<Array<i32>>| terms.into_iter().reduce(|sum, term| sum + term).unwrap_or(Array::scalar(0)));
/// assert_eq!(total.call((&vec![Array::scalar(1), Array::scalar(2)],))?.item()?, 3);
/// let longest = jit(|rows: Ragged<f64>| (rows.max(), rows.map(|x| x * 2.0)));
/// let (most, twice) = longest.call((&Ragged::from_rows(&[vec![1.0, 3.0], vec![2.0]]),))?;
/// assert_eq!((most.to_vec()?, twice.to_rows()?), (vec![3.0, 2.0], vec![vec![2.0, 6.0], vec![4.0]]));
/// # Ok::<(), Error>(())
/// ```
pub trait Arrays: Sized {
    /// Replaces each array.
    #[doc(hidden)]
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Self;
    /// Appends the lengths of vectors, which the arrays alone do not tell.
    #[doc(hidden)]
    fn counts(&self, into: &mut Vec<usize>);
}

/// A closure over arrays.
///
/// ```
/// # use nestled_array::*;
/// fn twice<F: Trace<(Array<i32>,), Array<i32>>>(function: F, x: &Array<i32>) -> Result<Array<i32>> {
///     let program = jit(function);
///     program.call((&program.call((x,))?,))
/// }
/// assert_eq!(twice(|x: Array<i32>| x + 3, &Array::scalar(1))?.item()?, 7);
/// # Ok::<(), Error>(())
/// ```
pub trait Trace<A, R> {
    #[doc(hidden)]
    fn trace(&self, args: A) -> R;
}

/// Arguments of a call: a tuple of references to [`Arrays`].
///
/// ```
/// # use nestled_array::*;
/// let sum = jit(|x: Array<i32>, y: Array<i32>| x + y);
/// assert_eq!(sum.call((&Array::scalar(1), &Array::scalar(2)))?.item()?, 3);
/// # Ok::<(), Error>(())
/// ```
pub trait Inputs<A> {
    /// Replaces each array.
    #[doc(hidden)]
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> A;
    #[doc(hidden)]
    fn counts(&self, into: &mut Vec<usize>);
}

/// An array of any type.
///
/// ```
/// # use nestled_array::*;
/// let both = jit(|x: Array<i32>| [x.clone(), x + 1]);
/// assert_eq!(both.call((&Array::scalar(1),))?.len(), 2);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Param(pub(crate) NodeRef);

/// The most traces kept for a closure.
const KEPT: usize = 256;

/// A trace: the closure's results for arguments of certain shapes.
struct Traced<R> {
    engine: WeakEngine,
    shapes: Vec<Shape>,
    /// Lengths of the vectors among the arguments.
    counts: Vec<usize>,
    /// The closure's result; each call puts its own arrays into it.
    result: R,
    /// The program's number, unique over all engines.
    program: u64,
    outputs: Vec<Output>,
    /// The types and shapes of the results.
    made: Vec<(ScalarType, Shape)>,
    /// The traced computation, and the data that the closure captured.
    graph: Graph,
    /// True if the trace concatenates by copying parts. No program does that, so each call evaluates nodes instead.
    copies_parts: bool,
}

impl<R> Traced<R> {
    /// Evaluates the roots of the trace, with data in place of parameters.
    fn evaluate(&self, engine: &Engine, args: &[Param], data: &[Data]) -> Result<Vec<Data>> {
        let given: Vec<NodeRef> = args
            .iter()
            .zip(data)
            .map(|(arg, data)| Node::ready(arg.0.elem, arg.0.shape, data.clone()))
            .collect();
        let roots = self.graph.over(&given);
        engine.eval_nodes(&roots)?;
        let there = |root: &NodeRef| match root.state() {
            State::Ready(data) => engine.bring_one(root, &data),
            State::Lazy(_) => Err(Error::at("jit", Reason::Bug("a result is not there".to_owned()), None)),
        };
        roots.iter().map(there).collect()
    }
}

impl<R> Drop for Traced<R> {
    fn drop(&mut self) {
        self.engine.give_up(Garbage::Program(self.program));
    }
}

/// A number that no program has had before.
fn fresh_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The origin of a result: a root of the graph, an argument, or data known since tracing.
enum Output {
    Root(usize),
    Argument(usize),
    Known(NodeRef),
}

impl<F: Trace<A, R>, A, R: Arrays> Jit<F, A, R> {
    /// Runs the program. Results stay on the device until they are asked for.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let norm = jit(|x: Array<f64>| x.square().sum().sqrt());
    /// for scale in [1.0, 2.0] {
    ///     let x = Array::from_vec(vec![3.0 * scale, 4.0 * scale]);
    ///     assert_eq!(norm.call((&x,))?.item()?, 5.0 * scale);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation.
    #[track_caller]
    pub fn call<I: Inputs<A>>(&self, args: I) -> Result<R> {
        match self.run(args) {
            Ok(result) => Ok(result),
            Err(error) => Err(error.by_caller()),
        }
    }

    fn run<I: Inputs<A>>(&self, inputs: I) -> Result<R> {
        let (args, counts) = parts(&inputs);
        let engine = Engine::current();
        let mut data: Vec<Data> = Vec::with_capacity(args.len());
        for arg in &args {
            if arg.0.op().is_some() {
                engine.eval_nodes(std::slice::from_ref(&arg.0))?;
            }
            match arg.0.state() {
                State::Ready(known) => data.push(engine.bring_one(&arg.0, &known)?),
                State::Lazy(_) => {
                    return Err(Error::at("jit", Reason::Bug("an argument is not there".to_owned()), None));
                }
            }
        }
        let traced = match self.known(&engine, &args, &counts) {
            Some(known) => known,
            None => self.keep(self.trace(&engine, &inputs, &args, counts)?),
        };
        // What is given twice has one owner.
        let roots: Vec<Data> = if traced.copies_parts {
            traced.evaluate(&engine, &args, &data)?
        } else {
            let kept = engine.with(|state| state.call((traced.program, &traced.graph), &data))?;
            kept.into_iter().map(|kept| engine.resident(kept)).collect()
        };
        let results: Vec<Param> = traced
            .outputs
            .iter()
            .zip(&traced.made)
            .map(|(output, &(elem, shape))| match output {
                Output::Root(root) => Param(Node::ready(elem, shape, roots[*root].clone())),
                Output::Argument(number) => args[*number].clone(),
                Output::Known(node) => Param(Arc::clone(node)),
            })
            .collect();
        let mut results = results.into_iter();
        // There is one for each array that the closure gave.
        Ok(traced.result.with(&mut |given| results.next().unwrap_or_else(|| given.clone())))
    }

    /// Looks up the trace for arguments of these shapes on an engine, and marks it as most recently used.
    fn known(&self, engine: &Engine, args: &[Param], counts: &[usize]) -> Option<Arc<Traced<R>>> {
        let fits = |traced: &Arc<Traced<R>>| {
            traced.engine.is(engine)
                && traced.counts == counts
                && traced.shapes.iter().eq(args.iter().map(|arg| &arg.0.shape))
        };
        let mut list = fork::lock(&self.traced);
        let at = list.iter().rposition(fits)?;
        let found = list.remove(at);
        list.push(Arc::clone(&found));
        Some(found)
    }

    fn keep(&self, traced: Traced<R>) -> Arc<Traced<R>> {
        let traced = Arc::new(traced);
        let mut list = fork::lock(&self.traced);
        let mut gone: Vec<Arc<Traced<R>>> = list.extract_if(.., |one| one.engine.is_gone()).collect();
        let over = (list.len() + 1).saturating_sub(KEPT);
        gone.extend(list.drain(..over));
        list.push(Arc::clone(&traced));
        drop(list);
        traced
    }

    /// Explains the program that a call with such arguments would run, without running it.
    ///
    /// ```
    /// use nestled_array::{Array, jit};
    /// let length = jit(|x: Array<f32>, y: Array<f32>| (&x * &x + &y * &y).sqrt());
    /// let x = Array::<f32>::ones(&[1000]);
    /// assert_eq!(length.explain((&x, &x))?.kernels(), 1);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluating data that the closure captured.
    pub fn explain<I: Inputs<A>>(&self, args: I) -> Result<Explanation> {
        let engine = Engine::current();
        let made = arrays(&self.outputs(&args));
        let wanted: Vec<NodeRef> = made.into_iter().map(|one| one.0).collect();
        let computed = |node: &NodeRef| !matches!(node.op().as_deref(), None | Some(Op::Param(_)));
        let mut graph = Graph::of(&wanted.into_iter().filter(computed).collect::<Vec<_>>());
        cut_at_copies(&mut graph);
        engine.bring(&mut graph)?;
        engine.explain_graph(&graph)
    }

    /// Traces the closure: calls it with parameters in place of the arguments.
    fn outputs(&self, args: &impl Inputs<A>) -> R {
        let mut number = 0;
        self.function.trace(args.with(&mut |arg| {
            number += 1;
            Param(Node::lazy_at(arg.0.elem, arg.0.shape, Op::Param(number - 1), arg.0.place))
        }))
    }

    fn trace(
        &self,
        engine: &Engine,
        inputs: &impl Inputs<A>,
        args: &[Param],
        counts: Vec<usize>,
    ) -> Result<Traced<R>> {
        let result = self.outputs(inputs);
        let made = arrays(&result);
        let mut wanted: Vec<NodeRef> = Vec::new();
        let mut outputs = Vec::new();
        for one in &made {
            outputs.push(match one.0.op().as_deref() {
                None => Output::Known(Arc::clone(&one.0)),
                Some(Op::Param(number)) => Output::Argument(*number),
                Some(_) => {
                    let known = wanted.iter().position(|known| Arc::ptr_eq(known, &one.0));
                    Output::Root(known.unwrap_or_else(|| {
                        wanted.push(Arc::clone(&one.0));
                        wanted.len() - 1
                    }))
                }
            });
        }
        let mut graph = Graph::of(&wanted);
        engine.bring(&mut graph)?;
        let made = made.iter().map(|one| (one.0.elem, one.0.shape)).collect();
        let shapes = args.iter().map(|arg| arg.0.shape).collect();
        Ok(Traced {
            engine: engine.downgrade(),
            shapes,
            counts,
            result,
            program: fresh_number(),
            outputs,
            made,
            copies_parts: copies_parts(&graph),
            graph,
        })
    }
}

/// The arrays of the arguments, and the lengths of vectors, which the arrays alone do not tell.
fn parts<A>(inputs: &impl Inputs<A>) -> (Vec<Param>, Vec<usize>) {
    let (mut args, mut counts) = (Vec::new(), Vec::new());
    inputs.with(&mut |arg| {
        args.push(arg.clone());
        arg.clone()
    });
    inputs.counts(&mut counts);
    (args, counts)
}

/// The arrays of a result.
fn arrays(result: &impl Arrays) -> Vec<Param> {
    let mut all = Vec::new();
    result.with(&mut |one| {
        all.push(one.clone());
        one.clone()
    });
    all
}

impl<T: Element> Arrays for Array<T> {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Array<T> {
        Array::of(other(&Param(Arc::clone(&self.node))).0)
    }

    fn counts(&self, _: &mut Vec<usize>) {}
}

impl<T: Float> Arrays for Complex<T> {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Complex<T> {
        Complex { re: self.re.with(other), im: self.im.with(other) }
    }

    fn counts(&self, _: &mut Vec<usize>) {}
}

impl<T: Float> Arrays for Quaternion<T> {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Quaternion<T> {
        let Quaternion { w, x, y, z } = self;
        Quaternion { w: w.with(other), x: x.with(other), y: y.with(other), z: z.with(other) }
    }

    fn counts(&self, _: &mut Vec<usize>) {}
}

/// Appends no counts: the number of elements is the extent of an array.
impl<T: Content> Arrays for Ragged<T> {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Ragged<T> {
        let values = T::with(&self.values, other);
        let segments = Segments { lengths: self.segments.lengths.with(other), total: self.segments.total };
        Ragged { values, segments }
    }

    fn counts(&self, _: &mut Vec<usize>) {}
}

impl<A: Arrays> Arrays for Vec<A> {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Vec<A> {
        self.iter().map(|one| one.with(other)).collect()
    }

    fn counts(&self, into: &mut Vec<usize>) {
        into.push(self.len());
        self.iter().for_each(|one| one.counts(into));
    }
}

impl<A: Arrays, const N: usize> Arrays for [A; N] {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> [A; N] {
        self.each_ref().map(|one| one.with(other))
    }

    fn counts(&self, into: &mut Vec<usize>) {
        self.iter().for_each(|one| one.counts(into));
    }
}

macro_rules! arity {
    ($($ty:ident $at:tt),*) => {
        impl<Func, Res, $($ty),*> Trace<($($ty,)*), Res> for Func
        where
            Func: Fn($($ty),*) -> Res,
        {
            fn trace(&self, args: ($($ty,)*)) -> Res {
                self($(args.$at),*)
            }
        }

        impl<$($ty: Arrays),*> Inputs<($($ty,)*)> for ($(&$ty,)*) {
            fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> ($($ty,)*) {
                ($(self.$at.with(other),)*)
            }

            fn counts(&self, into: &mut Vec<usize>) {
                $(self.$at.counts(into);)*
            }
        }

        impl<$($ty: Arrays),*> Arrays for ($($ty,)*) {
            fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Self {
                ($(self.$at.with(other),)*)
            }

            fn counts(&self, into: &mut Vec<usize>) {
                $(self.$at.counts(into);)*
            }
        }
    };
}

arity!(A 0);
arity!(A 0, B 1);
arity!(A 0, B 1, C 2);
arity!(A 0, B 1, C 2, D 3);
arity!(A 0, B 1, C 2, D 3, E 4);
arity!(A 0, B 1, C 2, D 3, E 4, G 5);

impl<A: Arrays> Inputs<(A,)> for &A {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> (A,) {
        ((*self).with(other),)
    }

    fn counts(&self, into: &mut Vec<usize>) {
        (*self).counts(into);
    }
}
