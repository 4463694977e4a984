//! Specialisation (monomorphisation and defunctionalisation): from the typed tree to the core, with one copy of a function for each type at which it is used,
//! and no function values.
//!
//! Concrete types are found bottom-up: the type of the argument selects the copy that is called. The identity of a function value is part of its type, so the
//! callee of every call is known. Inferred types are needed only where a result must be known before its body is specialised, as in recursion.
//!
//! Statements of the library's functions have no place: what fails in them is reported at the place *in the program* that calls the library. Whoever runs or
//! inlines such a function knows that place.
//!
//! ```text
//! function twice(g, x) = g(g(x));  twice(y => y + n, 1)
//!   →  fn twice(n : int; x : int)   calls  fn =>(n : int; y : int)
//! ```

mod body;
mod call;
mod concrete;
mod data;
mod each;
mod hoist_closed;
mod pieces;
mod primitive;
mod value;

use crate::core::{Block, CoreType, CoreTypes, Function, FunctionId, Pools, Program, Ty};
use crate::dialect::Dialect;
use crate::environment::Environment;
use crate::typed::{Expr, GlobalId, Lambda, LambdaId};
use crate::types::TypeId;
use nestled_ir::{Diagnostic, Span};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Specialises an expression to a program; returns it with the concrete type of its value. `values` has the types of the top level's values.
pub fn specialise(
    env: &mut Environment,
    types: &mut CoreTypes,
    values: &HashMap<GlobalId, Ty>,
    dialect: Dialect,
    expr: &Expr,
) -> Result<(Program, Ty), Diagnostic> {
    let mut specialise = Specialise::new(env, types, values, dialect);
    let result = specialise.program(expr);
    let failure = specialise.failure;
    result.map_err(|Stop| failure.expect("whoever stops says why"))
}

/// Returns the concrete type of an inferred one; none if a variable is undetermined or there are functions.
pub(crate) fn concrete(
    env: &mut Environment,
    types: &mut CoreTypes,
    dialect: Dialect,
    ty: TypeId,
) -> Option<Ty> {
    Specialise::new(env, types, &HashMap::new(), dialect).concrete(ty, &Chosen::new())
}

/// Specialisation stops; the error has been recorded.
struct Stop;

type Result<T, E = Stop> = std::result::Result<T, E>;

/// The concrete types of type variables.
type Chosen = BTreeMap<TypeId, Ty>;

/// The key of a copy: a function at concrete types.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    lambda: LambdaId,
    chosen: Vec<(TypeId, Ty)>,
    captured: Vec<Ty>,
    argument: Ty,
    /// The type of the result, only where the argument does not determine it.
    wanted: Option<Ty>,
}

/// A copy, possibly still in progress.
struct Copy {
    result: Option<Ty>,
    function: Option<Function>,
}

/// A copy whose body is still to be specialised.
struct Work {
    id: FunctionId,
    lambda: Arc<Lambda>,
    chosen: Chosen,
    captured: Vec<Ty>,
    argument: Ty,
    /// For a function of the library, the first place in the program that asks for the copy.
    place: Option<Span>,
}

struct Specialise<'e> {
    env: &'e mut Environment,
    types: &'e mut CoreTypes,
    values: &'e HashMap<GlobalId, Ty>,
    dialect: Dialect,
    functions: Vec<Copy>,
    copies: HashMap<Key, FunctionId>,
    pending: Vec<Work>,
    depth: usize,
    /// In a body of the library, the first place in the program that asks for it, where errors are reported.
    place: Option<Span>,
    failure: Option<Diagnostic>,
}

/// Largest nesting depth, so that recursion fits on any stack.
const MAX_DEPTH: usize = 700;
/// Largest number of copies; a program beyond it probably needs infinitely many.
const MAX_COPIES: usize = 20_000;
/// Largest number of arrays of a value: every step of the program would be a step for each of them.
const MAX_SIZE: u32 = 2_000;

impl<'e> Specialise<'e> {
    fn new(
        env: &'e mut Environment,
        types: &'e mut CoreTypes,
        values: &'e HashMap<GlobalId, Ty>,
        dialect: Dialect,
    ) -> Specialise<'e> {
        Specialise {
            env,
            types,
            values,
            dialect,
            functions: Vec::new(),
            copies: HashMap::new(),
            pending: Vec::new(),
            depth: 0,
            place: None,
            failure: None,
        }
    }
}

impl Specialise<'_> {
    fn program(&mut self, expr: &Expr) -> Result<(Program, Ty)> {
        self.functions.push(Copy { result: None, function: None });
        let mut body = body::Body::new(Chosen::new(), None);
        let value = self.expr(&mut body, expr)?;
        let result = value.ty;
        let atom = self.atom(&mut body, &value, expr.span);
        let name = "main".into();
        self.functions[0].function = Some(body.finish(name, Vec::new(), atom, result));
        while let Some(work) = self.pending.pop() {
            self.copy_body(work)?;
        }
        let functions = self
            .functions
            .drain(..)
            .map(|copy| copy.function.expect("every copy that is called was read"))
            .collect();
        Ok((Program { functions, main: FunctionId(0), pools: Pools::default() }, result))
    }

    /// Specialises the body of a copy; returns the type of its result.
    fn copy_body(&mut self, work: Work) -> Result<Ty> {
        let outer = std::mem::replace(&mut self.place, work.place);
        let mut body = body::Body::new(work.chosen, work.place);
        let parameters = self.parameters(&mut body, &work.lambda, &work.captured, work.argument)?;
        let value = self.expr(&mut body, &work.lambda.body)?;
        let result = value.ty;
        let atom = self.atom(&mut body, &value, work.lambda.body.span);
        let copy = &mut self.functions[work.id.0 as usize];
        let promised = copy.result.replace(result);
        copy.function = Some(body.finish(work.lambda.name.clone(), parameters, atom, result));
        if promised.is_some_and(|promised| promised != result) {
            return Err(self.differ(work.lambda.body.span, None));
        }
        self.place = outer;
        Ok(result)
    }

    fn stop(&mut self, mut diagnostic: Diagnostic) -> Stop {
        if let Some(place) = self.place {
            diagnostic.labels[0].span = place;
        }
        self.failure.get_or_insert(diagnostic);
        Stop
    }

    /// The error that two function values meet where only one is allowed.
    fn differ(&mut self, span: Span, other: Option<Span>) -> Stop {
        let mut diagnostic = Diagnostic::new("N0201", "two different functions meet here", span)
            .help("which function a value is must be known before the program runs: choose between results, not functions");
        if let Some(other) = other {
            diagnostic = diagnostic.label(other, "the other one");
        }
        self.stop(diagnostic)
    }

    fn too_large(&mut self, span: Span) -> Stop {
        let message = format!("this value would be made of more than {MAX_SIZE} arrays");
        let diagnostic = Diagnostic::new("N0118", message, span)
            .help("pairs of pairs double with each step; keep what belongs together in sequences");
        self.stop(diagnostic)
    }

    fn endless(&mut self, span: Span) -> Stop {
        let diagnostic = Diagnostic::new("N0202", "function values nest without end here", span)
            .help("a recursive function must be called with the same functions it was given");
        self.stop(diagnostic)
    }

    /// The error that no argument determines the type of a recursive call's result.
    fn untold(&mut self, lambda: &Lambda, span: Span) -> Stop {
        if self.env.types.has_function(lambda.body.ty) {
            return self.endless(span);
        }
        let message = format!("nothing tells the type of what `{}` gives", lambda.name);
        let diagnostic = Diagnostic::new("N0119", message, span)
            .help("a function whose every branch calls it again never gives anything");
        self.stop(diagnostic)
    }

    fn deeper<T>(&mut self, span: Span, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.endless(span));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn ty(&mut self, ty: CoreType) -> Ty {
        self.types.number(ty)
    }
}

/// Returns the free values of a block.
pub(crate) fn free_locals(block: &Block, own: &[crate::core::Local]) -> Vec<crate::core::Local> {
    use crate::core::{Atom, Local, Op};
    fn bound(block: &Block, found: &mut std::collections::HashSet<Local>) {
        for statement in &block.statements {
            found.insert(statement.local);
            match &statement.op {
                Op::If(_, yes, no) => {
                    bound(yes, found);
                    bound(no, found);
                }
                Op::Each(each) => {
                    found.extend(&each.elements);
                    bound(&each.body, found);
                }
                _ => {}
            }
        }
    }
    let mut inside = own.iter().copied().collect();
    bound(block, &mut inside);
    let mut free = std::collections::BTreeSet::new();
    block.visit_atoms(&mut |atom| {
        if let Atom::Local(local) = atom
            && !inside.contains(&local)
        {
            free.insert(local);
        }
    });
    free.into_iter().collect()
}
