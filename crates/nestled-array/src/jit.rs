//! Programs as values: traced once, called often.

use crate::array::Array;
use crate::element::Element;
use crate::engine::{Engine, Explanation, Waste, WeakEngine};
use crate::error::{Error, Reason, Result};
use crate::node::{Data, Node, NodeRef, Op, State};
use crate::plan::Graph;
use crate::shape::Shape;
use nestled_devices::fork;
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
    /// What was used last comes last.
    traced: Mutex<Vec<Arc<Traced>>>,
    types: PhantomData<fn(A) -> R>,
}

/// A program out of a closure; see [`Jit`].
///
/// ```
/// # use nestled_array::*;
/// let double = jit(|x: Array<i32>| x * 2);
/// assert_eq!(double.call((&Array::from_vec(vec![4]),))?.to_vec()?, [8]);
/// # Ok::<(), Error>(())
/// ```
pub fn jit<F: Trace<A, R>, A, R: Outputs>(function: F) -> Jit<F, A, R> {
    Jit { function, traced: Mutex::default(), types: PhantomData }
}

/// A closure over arrays.
///
/// ```
/// # use nestled_array::*;
/// fn twice<F: Trace<(i32,), Array<i32>>>(function: F, x: &Array<i32>) -> Result<Array<i32>> {
///     let program = jit(function);
///     program.call((&program.call((x,))?,))
/// }
/// assert_eq!(twice(|x: Array<i32>| x + 3, &Array::scalar(1))?.item()?, 7);
/// # Ok::<(), Error>(())
/// ```
pub trait Trace<A, R> {
    #[doc(hidden)]
    fn trace(&self, params: &[Param]) -> R;
}

/// Arguments of a call: a tuple of references to arrays.
///
/// ```
/// # use nestled_array::*;
/// let sum = jit(|x: Array<i32>, y: Array<i32>| x + y);
/// assert_eq!(sum.call((&Array::scalar(1), &Array::scalar(2)))?.item()?, 3);
/// # Ok::<(), Error>(())
/// ```
pub trait Inputs<A> {
    #[doc(hidden)]
    fn params(self) -> Vec<Param>;
}

/// Results of a program: an array, or a tuple of results, or so many of them.
///
/// ```
/// # use nestled_array::*;
/// let both = jit(|x: Array<i32>| (x.min(), x.max()));
/// let (least, greatest) = both.call((&Array::from_vec(vec![3, 1, 2]),))?;
/// assert_eq!((least.item()?, greatest.item()?), (1, 3));
/// # Ok::<(), Error>(())
/// ```
pub trait Outputs: Sized {
    #[doc(hidden)]
    fn params(&self, into: &mut Vec<Param>);
    #[doc(hidden)]
    fn of(from: &mut std::vec::IntoIter<Param>) -> Option<Self>;
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

/// For how many combinations of shapes and engines what the closure made is kept.
const KEPT: usize = 256;

/// What the closure made of arguments of certain shapes.
struct Traced {
    engine: WeakEngine,
    shapes: Vec<Shape>,
    /// Its number, on all engines.
    program: u64,
    outputs: Vec<Output>,
    /// The types and shapes of the results.
    made: Vec<(ScalarType, Shape)>,
    /// What it computes, and the data that it captured.
    graph: Graph,
}

impl Drop for Traced {
    fn drop(&mut self) {
        self.engine.give_up(Waste::Program(self.program));
    }
}

/// A number that no program had before.
fn fresh_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Where a result comes from.
enum Output {
    Root(usize),
    Argument(usize),
    Known(NodeRef),
}

impl<F: Trace<A, R>, A, R: Outputs> Jit<F, A, R> {
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
    /// Those of evaluation.
    pub fn call<I: Inputs<A>>(&self, args: I) -> Result<R> {
        let args = args.params();
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
        let traced = match self.known(&engine, &args) {
            Some(known) => known,
            None => self.keep(self.trace(&engine, &args)?),
        };
        let kept = engine.with(|state| state.call((traced.program, &traced.graph), &data))?;
        // What is given twice has one owner.
        let roots: Vec<Data> = kept.into_iter().map(|kept| engine.resident(kept)).collect();
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
        R::of(&mut results.into_iter())
            .ok_or_else(|| Error::at("jit", Reason::Bug("a result is missing".to_owned()), None))
    }

    /// What was made of arguments like these on an engine.
    fn known(&self, engine: &Engine, args: &[Param]) -> Option<Arc<Traced>> {
        let fits = |traced: &Arc<Traced>| {
            traced.engine.is(engine) && traced.shapes.iter().eq(args.iter().map(|arg| &arg.0.shape))
        };
        let mut list = fork::lock(&self.traced);
        let at = list.iter().rposition(fits)?;
        let found = list.remove(at);
        list.push(Arc::clone(&found));
        Some(found)
    }

    fn keep(&self, traced: Traced) -> Arc<Traced> {
        let traced = Arc::new(traced);
        let mut list = fork::lock(&self.traced);
        let mut gone: Vec<Arc<Traced>> = list.extract_if(.., |one| one.engine.is_gone()).collect();
        let over = (list.len() + 1).saturating_sub(KEPT);
        gone.extend(list.drain(..over));
        list.push(Arc::clone(&traced));
        drop(list);
        traced
    }

    /// What a call with such arguments would run, without running it.
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
    /// Those of evaluating data that the closure captured.
    pub fn explain<I: Inputs<A>>(&self, args: I) -> Result<Explanation> {
        let engine = Engine::current();
        let mut made = Vec::new();
        self.outputs(&args.params()).params(&mut made);
        let wanted: Vec<NodeRef> = made.into_iter().map(|one| one.0).collect();
        let computed = |node: &NodeRef| !matches!(node.op().as_deref(), None | Some(Op::Param(_)));
        let mut graph = Graph::of(&wanted.into_iter().filter(computed).collect::<Vec<_>>());
        engine.bring(&mut graph)?;
        engine.explain_graph(&graph)
    }

    /// What the closure makes of arguments like these.
    fn outputs(&self, args: &[Param]) -> R {
        let params: Vec<Param> = args
            .iter()
            .enumerate()
            .map(|(number, arg)| Param(Node::lazy(arg.0.elem, arg.0.shape, Op::Param(number))))
            .collect();
        self.function.trace(&params)
    }

    fn trace(&self, engine: &Engine, args: &[Param]) -> Result<Traced> {
        let result = self.outputs(args);
        let mut made = Vec::new();
        result.params(&mut made);
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
        Ok(Traced { engine: engine.downgrade(), shapes, program: fresh_number(), outputs, made, graph })
    }
}

impl<T: Element> Outputs for Array<T> {
    fn params(&self, into: &mut Vec<Param>) {
        into.push(Param(Arc::clone(&self.node)));
    }

    fn of(from: &mut std::vec::IntoIter<Param>) -> Option<Array<T>> {
        from.next().map(|param| Array::of(param.0))
    }
}

impl<R: Outputs, const N: usize> Outputs for [R; N] {
    fn params(&self, into: &mut Vec<Param>) {
        self.iter().for_each(|one| one.params(into));
    }

    fn of(from: &mut std::vec::IntoIter<Param>) -> Option<[R; N]> {
        let all: Vec<R> = (0..N).map(|_| R::of(from)).collect::<Option<_>>()?;
        all.try_into().ok()
    }
}

macro_rules! arity {
    ($($ty:ident $result:ident $at:tt),*) => {
        impl<Func, Res, $($ty: Element),*> Trace<($($ty,)*), Res> for Func
        where
            Func: Fn($(Array<$ty>),*) -> Res,
        {
            fn trace(&self, params: &[Param]) -> Res {
                self($(Array::of(Arc::clone(&params[$at].0))),*)
            }
        }

        impl<$($ty: Element),*> Inputs<($($ty,)*)> for ($(&Array<$ty>,)*) {
            fn params(self) -> Vec<Param> {
                vec![$(Param(Arc::clone(&self.$at.node))),*]
            }
        }

        impl<$($result: Outputs),*> Outputs for ($($result,)*) {
            fn params(&self, into: &mut Vec<Param>) {
                $(self.$at.params(into);)*
            }

            fn of(from: &mut std::vec::IntoIter<Param>) -> Option<Self> {
                Some(($($result::of(from)?,)*))
            }
        }
    };
}

arity!(A RA 0);
arity!(A RA 0, B RB 1);
arity!(A RA 0, B RB 1, C RC 2);
arity!(A RA 0, B RB 1, C RC 2, D RD 3);
arity!(A RA 0, B RB 1, C RC 2, D RD 3, E RE 4);
arity!(A RA 0, B RB 1, C RC 2, D RD 3, E RE 4, G RG 5);

impl<T: Element> Inputs<(T,)> for &Array<T> {
    fn params(self) -> Vec<Param> {
        vec![Param(Arc::clone(&self.node))]
    }
}
