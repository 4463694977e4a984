//! NESL from Rust: functions of a NESL text as typed functions over arrays.
//!
//! ```text
//! int                       i64, or i8 i16 i32 u16 u32 u64
//! float                     f64, or f32
//! char bool                 u8 bool
//! [float]                   Array<f64>, of rank 1
//! [[float]] [[[float]]]     Ragged<f64>, Ragged<Ragged<f64>>
//! ([int], float)            (Array<i64>, f64); of three (A, B, C)
//! datatype d = one(int) | … an enum of `#[derive(Datatype)]`
//! datatype m = none | just(float)  Option<f64>
//! (float, int)              a struct of `#[derive(Record)]`
//! [d] [[char]] [m] …        Vec<D>, Vec<String>, Vec<Option<f64>>, on the host
//! ```

mod blank;
mod calls;
mod drawing;
mod dynamic;
mod host_columns;
mod lazily;
mod nodes;
mod picture;
mod program;
mod row;
mod value;

pub use drawing::NeslDrawings;
pub use dynamic::{NeslColumn, NeslDatum, NeslVariants};
pub use host_columns::{GivenPools, HostColumns, unfit_columns};
/// A type of NESL's, without functions.
pub use nestled_nesl::Plain as NeslType;
pub use nestled_nesl::{DataVariant as NeslVariant, Datatype as NeslDatatype, Optional as NeslOptional};
pub use nodes::{Giving, NeslNode, TakenPools, Taking, Wanted, pull_data, want_data};
pub use program::NeslRun;
pub use row::{NeslRow, datatype_type, give_row, record_type, take_row, tuple_type};
pub(crate) use value::Kind;
pub use value::{NeslArguments, NeslContent, NeslValue, Piece};

use crate::engine::{Engine, Garbage, Given, WeakEngine};
use crate::error::{Error, Result};
use crate::function::Border;
use crate::node::Data;
use nestled_fork as fork;
use nestled_nesl::{Dialect, Routine, Session};
use program::Quiet;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A text in NESL.
///
/// ```
/// use nestled_array::{Array, Nesl, Ragged};
/// let text = Nesl::compile(
///     "function mean(v) = sum(v) / float(#v);
///      function means(m) = {mean(row) : row in m};",
/// )?;
/// let mean = text.function::<(Array<f64>,), f64>("mean")?;
/// assert_eq!(mean.call((Array::from_vec(vec![1.0, 2.0, 6.0]),))?, 3.0);
/// let means = text.function::<(Ragged<f64>,), Array<f64>>("means")?;
/// let rows = Ragged::from_rows(&[vec![1.0, 3.0], vec![5.0]]);
/// assert_eq!(means.call((rows,))?.to_vec()?, [2.0, 5.0]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Nesl {
    source: Arc<str>,
}

/// A function of a NESL text; see [`Nesl::function`].
///
/// ```
/// # use nestled_array::*;
/// let text = Nesl::compile("function next(n) = n + 1;")?;
/// let next: NeslFunction<(i64,), i64> = text.function("next")?;
/// assert_eq!(next.call((41,))?, 42);
/// # Ok::<(), Error>(())
/// ```
pub struct NeslFunction<A, R> {
    routine: NeslRoutine,
    types: PhantomData<fn(A) -> R>,
}

/// A function of a NESL text, with types that are known at run time; see [`Nesl::routine`].
pub struct NeslRoutine {
    routine: Routine,
    border: Border,
    /// The function's number, unique over all engines.
    number: u64,
    /// The engines on which it has been called.
    known: Mutex<Vec<WeakEngine>>,
    /// What it is for each pattern of equal shapes that it was called with.
    forms: Mutex<Vec<lazily::Form>>,
}

/// A number that no function has had before.
fn fresh_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Drop for NeslRoutine {
    fn drop(&mut self) {
        let known = self.known.get_mut().unwrap_or_else(PoisonError::into_inner);
        known.iter().for_each(|engine| engine.give_up(Garbage::Routine(self.number)));
    }
}

impl Nesl {
    /// Reads and checks a text.
    ///
    /// ```
    /// use nestled_array::Nesl;
    /// let wrong = Nesl::compile("function f(x) = y;").unwrap_err();
    /// assert!(wrong.to_string().contains('y'));
    /// ```
    ///
    /// # Errors
    /// Errors of the text, with their lines.
    #[track_caller]
    pub fn compile(source: impl Into<Arc<str>>) -> Result<Nesl> {
        let source = source.into();
        session(&source)?;
        Ok(Nesl { source })
    }

    /// A function of the text, for arguments and a result of these types.
    ///
    /// ```
    /// use nestled_array::{Array, Nesl};
    /// let text = Nesl::compile("function evens(v) = {x in v | rem(x, 2) == 0};")?;
    /// let evens = text.function::<(Array<i64>,), Array<i64>>("evens")?;
    /// assert_eq!(evens.call((Array::from_vec(vec![1, 2, 3, 4]),))?.to_vec()?, [2, 4]);
    /// assert!(text.function::<(Array<i64>,), f64>("evens").is_err());
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such function, it is for others, it gives another type, or it acts on the world or uses variables of the text.
    #[track_caller]
    pub fn function<A: NeslArguments, R: NeslValue>(&self, name: &str) -> Result<NeslFunction<A, R>> {
        let routine = NeslRoutine::new(self, name, &A::types())?;
        let wanted = R::plain();
        if !routine.result().is_like(&wanted) {
            return Err(Error::new("nesl", format!("`{name}` gives {}, not {wanted}", routine.result())));
        }
        Ok(NeslFunction { routine, types: PhantomData })
    }

    /// The type, in NESL's words, of what a function of the text gives for arguments of these types.
    ///
    /// ```
    /// use nestled_array::{Array, Nesl};
    /// let text = Nesl::compile("function evens(v) = {x in v | rem(x, 2) == 0};")?;
    /// assert_eq!(text.result_type::<(Array<i64>,)>("evens")?, "[int]");
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such function, it is for others, or it acts on the world or uses variables of the text.
    #[track_caller]
    pub fn result_type<A: NeslArguments>(&self, name: &str) -> Result<String> {
        match session(&self.source)?.routine(name, &A::types()) {
            Ok(routine) => Ok(routine.result.to_string()),
            Err(why) => Err(Error::new("nesl", why)),
        }
    }
}

/// A session that has run a text.
#[track_caller]
fn session(source: &str) -> Result<Session> {
    let mut session = Session::new(Dialect::default());
    for result in session.run("nesl", source, &mut Quiet::default()) {
        let fault = result.fault.map(|fault| fault.diagnostic());
        let errors: Vec<_> = result.errors.into_iter().chain(fault).collect();
        if !errors.is_empty() {
            return Err(Error::new("nesl", nestled_ir::render_all(&errors, &session.sources)));
        }
    }
    Ok(session)
}

impl NeslRoutine {
    #[track_caller]
    fn new(text: &Nesl, name: &str, arguments: &[NeslType]) -> Result<NeslRoutine> {
        match session(&text.source)?.routine(name, arguments) {
            Ok(routine) => Ok(NeslRoutine {
                border: Border::of(&routine.signature, &routine.given),
                routine,
                number: fresh_number(),
                known: Mutex::default(),
                forms: Mutex::default(),
            }),
            Err(why) => Err(Error::new("nesl", why)),
        }
    }

    /// The types of the arguments, with the datatypes that unions are.
    ///
    /// ```
    /// use nestled_array::{Nesl, NeslDatatype, NeslType};
    /// let text = Nesl::compile(
    ///     "datatype either = number(int) | flag(bool);
    ///      function twice(e) = match e with number(n) => 2 * n | flag(on) => if on then 1 else 0;",
    /// )?;
    /// let union = NeslDatatype::union(vec![NeslType::Int, NeslType::Bool]);
    /// let twice = text.routine("twice", &[NeslType::Data(union)])?;
    /// assert_eq!(twice.arguments()[0].to_string(), "either");
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    pub fn arguments(&self) -> &[NeslType] {
        &self.routine.arguments
    }

    /// The type of what the function gives.
    ///
    /// ```
    /// use nestled_array::{Nesl, NeslType};
    /// let next = Nesl::compile("function half(n) = n / 2.0;")?.routine("half", &[NeslType::Float])?;
    /// assert_eq!(*next.result(), NeslType::Float);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    pub fn result(&self) -> &NeslType {
        &self.routine.result
    }

    #[track_caller]
    fn call_pieces(&self, mut pieces: Vec<Piece>) -> Result<Vec<Piece>> {
        let engine = Engine::current();
        if let Some(results) = self.call_lazily(&pieces, &engine)? {
            return Ok(results);
        }
        engine.eval_nodes(&pieces.iter().filter_map(Piece::to_compute).collect::<Vec<_>>())?;
        for piece in &mut pieces {
            piece.bring(&engine)?;
        }
        let mut known = fork::lock(&self.known);
        if !known.iter().any(|one| one.is(&engine)) {
            known.retain(|one| !one.is_gone());
            known.push(engine.downgrade());
        }
        drop(known);
        let fault = |site, extents: &[u64], args: &[_]| self.routine.fault(site, extents, args);
        let results =
            engine.with(|state| state.call_routine((self.number, &self.routine.program), &pieces, &fault))?;
        let resident = |result| match result {
            Given::Extent(extent) => Piece(Kind::Extent(extent)),
            Given::Scalar(scalar) => Piece(Kind::Data(Data::Scalar(scalar))),
            Given::Kept(kept) => Piece(Kind::Data(engine.resident(kept))),
        };
        Ok(results.into_iter().map(resident).collect())
    }
}

impl<A: NeslArguments, R: NeslValue> NeslFunction<A, R> {
    /// Calls the function. It is a part of the graph, as operations of arrays are, if it cannot fault, does not decide on the host what it does, and gives sequences whose
    /// lengths follow from those that it is given; otherwise it is computed at once. Numbers are always computed.
    ///
    /// ```
    /// use nestled_array::{Array, Nesl};
    /// let text = Nesl::compile("function halve(v, by) = {x / by : x in v};")?;
    /// let halve = text.function::<(Array<f64>, f64), Array<f64>>("halve")?;
    /// assert_eq!(halve.call((Array::from_vec(vec![1.0, 3.0]), 2.0))?.to_vec()?, [0.5, 1.5]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// Faults of the program, and those of evaluation.
    #[track_caller]
    pub fn call(&self, arguments: A) -> Result<R> {
        let routine = &self.routine.routine;
        let mut giving = Giving::new(routine);
        arguments.give(&routine.arguments, &mut giving)?;
        let results = self.routine.call_pieces(giving.finish(routine)?)?;
        R::take(&routine.result, &mut Taking::new(routine, results)?)
    }
}

impl<A, R> std::fmt::Debug for NeslFunction<A, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NeslFunction").field("result", self.routine.result()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for NeslRoutine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NeslRoutine").field("result", self.result()).finish_non_exhaustive()
    }
}

/// Functions in NESL as functions in Rust.
///
/// ```
/// use nestled_array::{Array, nesl};
/// nesl! {
///     "function dot(a, b) = sum({x * y : x in a; y in b});
///      function squares(v) = {x * x : x in v};";
///     /// The inner product.
///     fn dot(a: Array<f64>, b: Array<f64>) -> f64;
///     fn squares(v: Array<i64>) -> Array<i64>;
/// }
/// let v = Array::from_vec(vec![1.0, 2.0, 3.0]);
/// assert_eq!(dot(v.clone(), v)?, 14.0);
/// assert_eq!(squares(Array::from_vec(vec![2, 3]))?.to_vec()?, [4, 9]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[macro_export]
macro_rules! nesl {
    ($source:expr; $($(#[$note:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;)*) => {$(
        $(#[$note])*
        #[track_caller]
        $visibility fn $name($($argument: $type),*) -> $crate::Result<$result> {
            static FUNCTION: ::std::sync::OnceLock<$crate::Result<$crate::NeslFunction<($($type,)*), $result>>> =
                ::std::sync::OnceLock::new();
            let function = FUNCTION
                .get_or_init(|| $crate::Nesl::compile($source).and_then(|text| text.function(stringify!($name))));
            match function {
                Ok(function) => function.call(($($argument,)*)),
                Err(error) => Err(error.clone()),
            }
        }
    )*};
}
