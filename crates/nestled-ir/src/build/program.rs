//! Builder of programs: collects definitions and fault sites, then verifies and renumbers.

use crate::diagnostic::Diagnostic;
use crate::host::Function;
use crate::id::{FunctionId, KernelId, MonoidId, SiteId, ThunkId};
use crate::kernel::Kernel;
use crate::monoid::MonoidDef;
use crate::name::{Name, Value};
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::span::{SourceMap, Span};
use crate::thunk::{Atom, Thunk, ThunkDef};
use crate::typing::Scope;

/// A program that grows by definitions.
#[derive(Debug, Default)]
pub struct ProgramBuilder {
    program: Program,
}

impl ProgramBuilder {
    /// An empty program, with spans that point into these texts.
    pub fn new(sources: SourceMap) -> ProgramBuilder {
        ProgramBuilder { program: Program { sources, ..Program::default() } }
    }

    /// A program that goes on growing.
    pub fn of(program: Program) -> ProgramBuilder {
        ProgramBuilder { program }
    }

    /// The program built so far.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A new place that can fault.
    pub fn site(&mut self, span: Span) -> SiteId {
        self.program.sites.push(span);
        SiteId::from(self.program.sites.len() - 1)
    }

    /// A named thunk.
    pub fn thunk(&mut self, name: &str, thunk: Thunk, span: Span) -> ThunkId {
        let results = thunk.body.results.iter().map(|&atom| type_in(&[], &thunk, atom)).collect();
        self.program.thunks.push(ThunkDef { name: Name::from(name), results, thunk, span });
        ThunkId::from(self.program.thunks.len() - 1)
    }

    /// A monoid that is neither commutative nor exact as far as is known.
    pub fn monoid(&mut self, name: &str, unit: Vec<Scalar>, combine: ThunkId, span: Span) -> MonoidId {
        let name = Name::from(name);
        let def = MonoidDef { name, unit, combine, commutative: false, exact: false, span };
        self.program.monoids.push(def);
        MonoidId::from(self.program.monoids.len() - 1)
    }

    /// Declares a monoid commutative (operands may be exchanged) and exact (any grouping gives the same bits), or neither.
    pub fn promise(&mut self, monoid: MonoidId, commutative: bool, exact: bool) {
        let def = &mut self.program.monoids[monoid.index()];
        (def.commutative, def.exact) = (commutative, exact);
    }

    /// A kernel that is complete.
    pub fn kernel(&mut self, kernel: Kernel) -> KernelId {
        self.program.kernels.push(kernel);
        KernelId::from(self.program.kernels.len() - 1)
    }

    /// A function that is complete.
    pub fn function(&mut self, function: Function) -> FunctionId {
        self.program.functions.push(function);
        FunctionId::from(self.program.functions.len() - 1)
    }

    /// Appends definitions whose ids are right already, and sites.
    pub(super) fn extend(&mut self, more: Program, sites: Vec<Span>) {
        let own = &mut self.program;
        own.thunks.extend(more.thunks);
        own.monoids.extend(more.monoids);
        own.kernels.extend(more.kernels);
        own.functions.extend(more.functions);
        own.sites.extend(sites);
    }

    /// The code of a function that was declared.
    pub fn define(&mut self, declared: FunctionId, function: Function) {
        self.program.functions[declared.index()] = function;
    }

    /// The program, neither renumbered nor verified.
    pub fn into_program(self) -> Program {
        self.program
    }

    /// The program in canonical numbering, verified.
    ///
    /// # Errors
    /// The diagnostics of the [verifier](crate::verify).
    pub fn finish(self) -> Result<Program, Vec<Diagnostic>> {
        crate::verify::verify(&self.program)?;
        let mut program = self.program;
        crate::compact::renumber(&mut program);
        Ok(program)
    }
}

/// The type of an operand of a thunk, in a kernel with these values.
///
/// # Panics
/// If there is no such operand.
pub(super) fn type_in(values: &[Value], thunk: &Thunk, atom: Atom) -> ScalarType {
    let ty = Scope::new(values).thunk_atom(thunk, atom);
    ty.unwrap_or_else(|error| panic!("{atom:?} is no operand: {error}"))
}
