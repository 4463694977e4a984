//! Lowering of thunks to functions.
//!
//! ```text
//! { i => check (gt xs[i] 0) "E1", div 1 xs[i] }        fn step0(p: Point1) -> Results0 {
//!                                                        …
//!                                                        if (!l3) { fault(0i, p.a1); return Results0(false, 0i); }
//! ```
//!
//! A lane that faults returns zeros, and that it is not alive. Named thunks become functions that are called; those that cannot fault and have one
//! result return only that. So do the elementary functions, from a library text of their own.

use super::Unsupported;
use super::writer::Writer;
use crate::plan::Inner;
use crate::range::{Interval, interval, intervals};
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{
    Atom, Block, LocalId, Program, ScalarType, SiteId, StmtKind, Thunk, ThunkId, Type, Value, ValueId,
};
use std::collections::BTreeSet;

/// The function of a combinator's thunk.
#[derive(Clone, Debug)]
pub(super) struct ThunkFunction {
    /// Its name. The function takes the point, then the values that it reads of earlier combinators.
    pub name: String,
    /// The type that it returns: `alive`, and `v0`, `v1` ….
    pub results: String,
    /// The values of earlier combinators that it reads at the own coordinates.
    pub owns: Vec<ValueId>,
}

/// The form in which a function returns its results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Returns {
    Struct(String),
    Bare(Repr),
    Nothing,
}

/// A function during emission.
pub(super) struct Body<'w, 'a, 't> {
    pub writer: &'w mut Writer<'a>,
    pub text: Text,
    /// The simplifications of the interior, if that version is emitted.
    pub inner: Option<Inner>,
    program: &'t Program,
    pub thunk: &'t Thunk,
    pub(super) values: &'t [Value],
    found: Vec<Interval>,
    /// The number of the point, for faults.
    pub element: String,
    returns: Returns,
    results: Vec<Repr>,
    names: usize,
}

fn can_fault(program: &Program, block: &Block) -> bool {
    let mut found = false;
    block.walk(&mut |stmt| {
        found |= stmt.kind.site().is_some();
        if let StmtKind::Call { thunk, .. } = &stmt.kind {
            found |= can_fault(program, &program.thunk(*thunk).thunk.body);
        }
    });
    found
}

/// Returns the values that a thunk reads at the own coordinates, without duplicates.
pub(super) fn owns(thunk: &Thunk) -> Vec<ValueId> {
    let mut owns = BTreeSet::new();
    thunk.body.walk(&mut |stmt| {
        if let StmtKind::Own { bind, .. } = &stmt.kind {
            owns.insert(*bind);
        }
    });
    owns.into_iter().collect()
}

impl<'a> Writer<'a> {
    /// Returns the struct type of results of these representations, with `alive` first; defines it at first use.
    pub fn results_type(&mut self, reprs: &[Repr]) -> String {
        let name: String = reprs.iter().fold("Results".to_owned(), |name, repr| name + "_" + repr.name());
        if self.once(&name) {
            let mut fields = vec![("alive".to_owned(), "bool".to_owned())];
            fields
                .extend(reprs.iter().enumerate().map(|(at, repr)| (format!("v{at}"), repr.ty().to_owned())));
            let text = self.dialect.structure(&name, &fields);
            self.define(text);
        }
        name
    }

    /// Emits the function of a combinator's thunk.
    pub fn thunk_function(&mut self, step: usize) -> Result<ThunkFunction, Unsupported> {
        let combinator = &self.kernel.steps[step];
        let (program, thunk) = (self.program, &combinator.body);
        let results: Vec<Repr> = self.result_types(combinator).into_iter().map(Repr::of).collect();
        for &repr in &results {
            self.need(repr)?;
        }
        let results_type = self.results_type(&results);
        let owns = owns(thunk);
        let name = format!("{}{step}", if self.inner { "inner" } else { "step" });
        let level = thunk.n_params;
        let mut params = vec![("p".to_owned(), self.point_type(level))];
        for &own in &owns {
            let repr = Repr::of(self.elem(own));
            self.need(repr)?;
            params.push((format!("own{}", own.0), repr.ty().to_owned()));
        }
        if self.once(&name) {
            let found = intervals(thunk, &self.kernel.values, true);
            let header = self.dialect.function(&name, &params, Some(&results_type));
            let values = &self.kernel.values;
            let inner = self.inner_of(thunk);
            let mut body = Body {
                writer: self,
                inner,
                text: Text::default(),
                program,
                thunk,
                values,
                found,
                element: format!("p.a{level}"),
                returns: Returns::Struct(results_type.clone()),
                results,
                names: 0,
            };
            body.text.open(header);
            for axis in 0..level {
                let line = body.writer.dialect.constant(&format!("l{axis}"), "i32", &format!("p.c{axis}"));
                body.text.line(line);
            }
            let text = body.finish()?;
            self.define(text);
        }
        Ok(ThunkFunction { name, results: results_type, owns })
    }

    /// Emits the function of a named thunk of a program. Returns the form of its results.
    pub(super) fn named(
        &mut self,
        program: &Program,
        name: &str,
        thunk: &Thunk,
    ) -> Result<Returns, Unsupported> {
        let scope = nestled_ir::typing::Scope::new(&[]);
        let ty = |&atom| scope.thunk_atom(thunk, atom).expect("the verifier checks the operands of thunks");
        let results: Vec<Repr> = thunk.body.results.iter().map(ty).map(Repr::of).collect();
        let faults = can_fault(program, &thunk.body);
        let returns = match results.as_slice() {
            [] if !faults => Returns::Nothing,
            [only] if !faults => Returns::Bare(*only),
            _ => Returns::Struct(self.results_type(&results)),
        };
        if self.once(name) {
            let mut params: Vec<(String, String)> = Vec::new();
            if faults {
                params.push(("element".into(), "i32".into()));
            }
            for param in thunk.params() {
                let repr = Repr::of(thunk.local_type(param));
                params.push((format!("l{}", param.0), repr.ty().to_owned()));
            }
            let result = match &returns {
                Returns::Struct(name) => Some(name.clone()),
                Returns::Bare(repr) => Some(repr.ty().to_owned()),
                Returns::Nothing => None,
            };
            let found = intervals(thunk, &[], false);
            let header = self.dialect.function(name, &params, result.as_deref());
            let mut body = Body {
                writer: self,
                inner: None,
                text: Text::default(),
                program,
                thunk,
                values: &[],
                found,
                element: "element".into(),
                returns: returns.clone(),
                results,
                names: 0,
            };
            body.text.open(header);
            let text = body.finish()?;
            self.define(text);
        }
        Ok(returns)
    }

    /// Emits the function of a monoid of the program, which must not fault. Returns its name, and the type of its results if that is a struct.
    pub fn combining(&mut self, thunk: ThunkId) -> Result<(String, Option<String>), Unsupported> {
        let name = format!("thunk{}", thunk.0);
        let program = self.program;
        let returns = self.named(program, &name, &program.thunk(thunk).thunk)?;
        if can_fault(program, &program.thunk(thunk).thunk.body) {
            return Err(Unsupported::new("a monoid whose thunk has faults"));
        }
        Ok((name, if let Returns::Struct(results) = returns { Some(results) } else { None }))
    }
}

impl<'t> Body<'_, '_, 't> {
    pub(super) fn finish(mut self) -> Result<String, Unsupported> {
        self.privates()?;
        self.block(&self.thunk.body)?;
        let results = self.thunk.body.results.iter().zip(self.results.clone());
        let values: Vec<String> = results.map(|(&atom, repr)| self.atom(atom, repr)).collect();
        match &self.returns {
            Returns::Struct(name) => {
                let fields: Vec<String> = std::iter::once("true".to_owned()).chain(values).collect();
                let made = self.writer.dialect.make(name, &fields);
                self.text.line(format!("return {made};"));
            }
            Returns::Bare(_) => self.text.line(format!("return {};", values[0])),
            Returns::Nothing => {}
        }
        self.text.close();
        Ok(self.text.finish())
    }

    /// Returns a new name.
    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}_{}", self.names)
    }

    /// Binds a name to an expression.
    pub fn bind(&mut self, name: &str, ty: &str, value: &str) {
        let line = self.writer.dialect.constant(name, ty, value);
        self.text.line(line);
    }

    /// Declares a variable.
    pub fn variable(&mut self, name: &str, ty: &str, value: Option<&str>) {
        let line = self.writer.dialect.variable(name, ty, value);
        self.text.line(line);
    }

    pub(super) fn local_repr(&self, local: LocalId) -> Repr {
        match self.thunk.local_type(local) {
            ScalarType::Idx if self.found[local.index()].is_small() => Repr::I32,
            ty => Repr::of(ty),
        }
    }

    /// Returns the natural representation of an operand.
    pub fn repr(&self, atom: Atom) -> Repr {
        let ty = match atom {
            Atom::Local(local) => return self.local_repr(local),
            Atom::Const(scalar) => scalar.ty(),
            Atom::Value(value) => self.values[value.index()].ty.as_scalar().unwrap_or(ScalarType::Idx),
        };
        match ty {
            ScalarType::Idx if interval(atom, &self.found, self.values).is_small() => Repr::I32,
            ty => Repr::of(ty),
        }
    }

    /// Returns the expression of an operand in a representation.
    pub fn atom(&mut self, atom: Atom, want: Repr) -> String {
        let have = self.repr(atom);
        let text = match atom {
            Atom::Local(local) => format!("l{}", local.0),
            Atom::Const(scalar) => return self.writer.dialect.literal(scalar, want),
            Atom::Value(value) => match (&self.values[value.index()].ty, self.position(value)) {
                (Type::Dim, Some((true, at))) => {
                    format!("extent({}u)", self.writer.layout.shape_size(at))
                }
                (_, Some((_, at))) => format!("param_{}({}u)", have.name(), self.writer.layout.param(at)),
                (_, None) => unreachable!("thunks capture only parameters as operands"),
            },
        };
        convert(text, have, want)
    }

    /// Returns whether a captured scalar is a shape parameter, and its position among shapes or parameters.
    pub(super) fn position(&self, value: ValueId) -> Option<(bool, usize)> {
        let kernel = self.writer.kernel;
        let shape = kernel.shapes.iter().position(|&shape| shape == value).map(|at| (true, at));
        shape.or_else(|| kernel.params.iter().position(|&param| param == value).map(|at| (false, at)))
    }

    /// Binds a local.
    pub fn set(&mut self, local: LocalId, value: &str, have: Repr) -> Result<(), Unsupported> {
        let want = self.local_repr(local);
        self.writer.need(want)?;
        let value = convert(value.to_owned(), have, want);
        self.bind(&format!("l{}", local.0), want.ty(), &value);
        Ok(())
    }

    /// Returns from the function, since the lane faulted.
    pub fn leave(&mut self) {
        let zeros = self.results.iter().map(|&repr| self.writer.dialect.zero(repr));
        let Returns::Struct(name) = &self.returns else { unreachable!("what can fault returns a struct") };
        let fields: Vec<String> = std::iter::once("false".to_owned()).chain(zeros).collect();
        let made = self.writer.dialect.make(name, &fields);
        self.text.line(format!("return {made};"));
    }

    /// Emits a check: the lane faults unless the condition holds.
    pub fn check(&mut self, condition: &str, site: SiteId) {
        let slot = self.writer.slot(site);
        self.text.open(format!("if (!({condition})) {{"));
        let line = format!("fault({}, {});", self.writer.dialect.small(slot as i64), self.element);
        self.text.line(line);
        self.leave();
        self.text.close();
    }

    pub(super) fn privates(&mut self) -> Result<(), Unsupported> {
        let mut sizes = vec![0u64; self.thunk.privates.len()];
        let mut unknown = Vec::new();
        self.thunk.body.walk(&mut |stmt| {
            if let StmtKind::PrivateNew { array, size } = &stmt.kind {
                let least = match size {
                    Atom::Const(scalar) => scalar.as_integer().unwrap_or(0).max(0) as u64,
                    Atom::Local(_) => unreachable!("the verifier wants one size for all points"),
                    Atom::Value(value) => {
                        unknown.push(*value);
                        self.writer.capacity
                    }
                };
                let known = &mut sizes[array.index()];
                *known = least.max(*known);
            }
        });
        self.writer.private_sizes.extend(unknown);
        let mut bytes = 0u64;
        for (at, (private, &size)) in self.thunk.privates.iter().zip(&sizes).enumerate() {
            let repr = Repr::of(private.elem);
            self.writer.need(repr)?;
            bytes = bytes.saturating_add(size.max(1).saturating_mul(8));
            let line = self.writer.dialect.array(&format!("r{at}"), repr.ty(), size.max(1));
            self.text.line(line);
            let zero = self.writer.dialect.small(0);
            self.variable(&format!("n{at}"), "i32", Some(&zero));
        }
        if bytes > self.writer.dialect.private {
            return Err(Unsupported::new("private arrays of that size"));
        }
        Ok(())
    }

    pub(super) fn block(&mut self, block: &'t Block) -> Result<(), Unsupported> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(&stmt.kind))
    }

    pub(super) fn stmt(&mut self, kind: &'t StmtKind) -> Result<(), Unsupported> {
        match kind {
            StmtKind::Op { dst, op, args } => self.op(*dst, *op, args),
            StmtKind::Threefry { dsts, key, counter } => {
                let args = [*key, *counter].concat();
                let args: Vec<String> = args.iter().map(|&atom| self.atom(atom, Repr::U32)).collect();
                let pair = self.fresh("pair");
                self.bind(&pair, "Pair", &format!("threefry({})", args.join(", ")));
                self.set(dsts[0], &format!("{pair}.a"), Repr::U32)?;
                self.set(dsts[1], &format!("{pair}.b"), Repr::U32)
            }
            StmtKind::Read { dst, array, index, default, site } => {
                self.read(*dst, *array, index, *default, *site)
            }
            StmtKind::Own { dst, bind } => {
                let repr = Repr::of(self.writer.elem(*bind));
                self.set(*dst, &format!("own{}", bind.0), repr)
            }
            StmtKind::Window { dst, bind, offsets, default, site } => {
                self.window(*dst, *bind, offsets, *default, *site)
            }
            StmtKind::Len { dst, seg, at } => self.segment(*dst, *seg, at, "seg_length"),
            StmtKind::Start { dst, seg, at } => self.segment(*dst, *seg, at, "seg_start"),
            StmtKind::Call { dsts, thunk, args } => self.call(dsts, *thunk, args),
            StmtKind::If { dsts, cond, then, otherwise } => self.branch(dsts, *cond, then, otherwise),
            StmtKind::For { dsts, var, from, to, carried, body } => {
                self.for_loop(dsts, *var, (*from, *to), carried, body)
            }
            StmtKind::While { dsts, carried, cond, body } => self.while_loop(dsts, carried, cond, body),
            StmtKind::PrivateNew { array, size } => {
                let at = array.index();
                let known = matches!(size, Atom::Const(_));
                let mut size = self.atom(*size, Repr::I32);
                if !known {
                    // After a fault the size may be any value, so it is clamped to `0..=capacity`.
                    let dialect = self.writer.dialect;
                    let (least, most) = (dialect.small(0), dialect.small(self.writer.capacity as i64));
                    size = format!("max_i32({least}, min_i32({size}, {most}))");
                }
                let repr = Repr::of(self.thunk.privates[at].elem);
                let (zero, one) = (self.writer.dialect.small(0), self.writer.dialect.small(1));
                self.text.line(format!("n{at} = {size};"));
                let index = self.fresh("k");
                self.variable(&index, "i32", Some(&zero));
                self.text.open(format!("while ({index} < n{at}) {{"));
                self.text.line(format!("r{at}[{index}] = {};", self.writer.dialect.zero(repr)));
                self.text.line(format!("{index} = {index} + {one};"));
                self.text.close();
                Ok(())
            }
            StmtKind::PrivateGet { dst, array, at, site } => {
                let place = self.private_place(array.index(), *at, *site)?;
                let repr = Repr::of(self.thunk.privates[array.index()].elem);
                self.set(*dst, &place, repr)
            }
            StmtKind::PrivateSet { array, at, value, site } => {
                let place = self.private_place(array.index(), *at, *site)?;
                let repr = Repr::of(self.thunk.privates[array.index()].elem);
                let value = self.atom(*value, repr);
                self.text.line(format!("{place} = {value};"));
                Ok(())
            }
            StmtKind::Check { cond, code: _, site } => {
                let cond = self.atom(*cond, Repr::Bool);
                self.check(&cond, *site);
                Ok(())
            }
        }
    }

    pub(super) fn private_place(
        &mut self,
        array: usize,
        at: Atom,
        site: Option<SiteId>,
    ) -> Result<String, Unsupported> {
        let repr = self.repr(at);
        self.writer.need(repr)?;
        let index = self.atom(at, repr);
        let suffix = repr.name();
        if let Some(site) = site {
            self.check(&format!("inside_{suffix}({index}, n{array})"), site);
        }
        Ok(format!("r{array}[narrow_{suffix}({index})]"))
    }

    pub(super) fn call(
        &mut self,
        dsts: &[LocalId],
        thunk: ThunkId,
        args: &[Atom],
    ) -> Result<(), Unsupported> {
        let program = self.program;
        let callee = &program.thunk(thunk).thunk;
        // Elementary functions belong to a program of their own, so their thunks need other names.
        let library = !std::ptr::eq(program, self.writer.program);
        let name = format!("{}{}", if library { "math_thunk" } else { "thunk" }, thunk.0);
        let returns = self.writer.named(program, &name, callee)?;
        let mut texts = Vec::new();
        let faults = can_fault(program, &callee.body);
        if faults {
            texts.push(self.element.clone());
        }
        for (param, &atom) in callee.params().zip(args) {
            texts.push(self.atom(atom, Repr::of(callee.local_type(param))));
        }
        let call = format!("{name}({})", texts.join(", "));
        match returns {
            Returns::Nothing => Ok(()),
            Returns::Bare(repr) => self.set(dsts[0], &call, repr),
            Returns::Struct(ty) => {
                let result = self.fresh("result");
                self.bind(&result, &ty, &call);
                if faults {
                    self.text.open(format!("if (!{result}.alive) {{"));
                    self.leave();
                    self.text.close();
                }
                for (at, &dst) in dsts.iter().enumerate() {
                    let repr = Repr::of(self.thunk.local_type(dst));
                    self.set(dst, &format!("{result}.v{at}"), repr)?;
                }
                Ok(())
            }
        }
    }
}

/// Converts between representations of an index.
pub(super) fn convert(text: String, have: Repr, want: Repr) -> String {
    match (have, want) {
        (Repr::I32, Repr::I64) => format!("widen_i32({text})"),
        (Repr::I64, Repr::I32) => format!("narrow_i64({text})"),
        _ => text,
    }
}
