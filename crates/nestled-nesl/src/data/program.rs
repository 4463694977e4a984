//! Translation of programs: operations on datatypes become pairs, parts of pairs, and operations on pools.

use super::form::{Form, Forms};
use crate::core::{
    Atom, Block, CoreType, CoreTypes, DataOp, Each, Function, Local, Op, Program, Statement, Ty,
};
use crate::typed::GlobalId;
use nestled_ir::Span;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Returns the values of the top level that a program uses.
pub(super) fn globals(program: &Program) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    program.functions.iter().for_each(|function| globals_in(&function.body, &mut found));
    found
}

fn globals_in(block: &Block, found: &mut BTreeSet<GlobalId>) {
    for statement in &block.statements {
        match &statement.op {
            Op::Global(id) => drop(found.insert(*id)),
            Op::If(_, yes, no) => {
                globals_in(yes, found);
                globals_in(no, found);
            }
            Op::Each(each) => globals_in(&each.body, found),
            _ => {}
        }
    }
}

/// Translates all functions; the pools are not known yet.
pub(super) fn translated(program: &Program, types: &mut CoreTypes, forms: &mut Forms) -> Program {
    let functions = program.functions.iter().map(|function| {
        let locals = function.locals.iter().map(|ty| forms.of(types, *ty)).collect();
        let mut writer =
            Writer { types: &mut *types, forms: &mut *forms, function, locals, same: HashMap::new() };
        let body = writer.block(&function.body);
        let locals = writer.locals;
        let result = forms.of(types, function.result);
        Function {
            locals,
            body,
            result,
            name: function.name.clone(),
            parameters: function.parameters.clone(),
            ..*function
        }
    });
    let functions = functions.collect();
    Program { functions, main: program.main, pools: program.pools.clone() }
}

/// The translation of a function.
struct Writer<'a> {
    types: &'a mut CoreTypes,
    forms: &'a mut Forms,
    function: &'a Function,
    locals: Vec<Ty>,
    /// Values that are another value.
    same: HashMap<Local, Atom>,
}

/// The statements of a block that is being written, and the place of the next.
struct Out {
    statements: Vec<Statement>,
    span: Span,
}

impl Writer<'_> {
    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Local(local) => self.same.get(&local).copied().unwrap_or(atom),
            other => other,
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|atom| self.atom(*atom)).collect()
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut out = Out { statements: Vec::with_capacity(block.statements.len()), span: Span::NONE };
        for statement in &block.statements {
            out.span = statement.span;
            if let Op::Data(op, atoms) = &statement.op {
                let atoms = self.atoms(atoms);
                let value = self.data(*op, &atoms, statement, &mut out);
                self.same.insert(statement.local, value);
                continue;
            }
            let op = self.op(&statement.op);
            out.statements.push(Statement { local: statement.local, op, span: statement.span });
        }
        Block { statements: out.statements, result: self.atom(block.result) }
    }

    fn op(&mut self, op: &Op) -> Op {
        match op {
            Op::Primitive(primitive, atoms) => Op::Primitive(*primitive, self.atoms(atoms)),
            Op::Call(callee, atoms) => Op::Call(*callee, self.atoms(atoms)),
            Op::Global(id) => Op::Global(*id),
            Op::Pair(left, right) => Op::Pair(self.atom(*left), self.atom(*right)),
            Op::First(pair) => Op::First(self.atom(*pair)),
            Op::Second(pair) => Op::Second(self.atom(*pair)),
            Op::Closure(atoms) => Op::Closure(self.atoms(atoms)),
            Op::Captured(closure, position) => Op::Captured(self.atom(*closure), *position),
            Op::Sequence(atoms) => Op::Sequence(self.atoms(atoms)),
            Op::Str(bytes) => Op::Str(bytes.clone()),
            Op::Data(op, atoms) => Op::Data(*op, self.atoms(atoms)),
            Op::If(condition, yes, no) => {
                let condition = self.atom(*condition);
                let yes = self.block(yes);
                Op::If(condition, yes, self.block(no))
            }
            Op::Each(each) => {
                let body = self.block(&each.body);
                Op::Each(Each {
                    sources: self.atoms(&each.sources),
                    captured: crate::specialise::free_locals(&body, &each.elements),
                    body,
                    ..each.clone()
                })
            }
        }
    }

    /// Writes an operation on a datatype; returns its value.
    fn data(&mut self, op: DataOp, atoms: &[Atom], statement: &Statement, out: &mut Out) -> Atom {
        match op {
            DataOp::Construct(variant) => {
                let form = self.form(self.function.locals[statement.local.0 as usize]);
                self.construct(&form, variant, atoms.first().copied(), out)
            }
            DataOp::Tag => {
                let form = self.form(self.type_of_operand(&statement.op));
                self.tag(&form, atoms[0], out)
            }
            DataOp::Content(variant) => {
                let form = self.form(self.type_of_operand(&statement.op));
                self.content(&form, variant, atoms[0], out)
            }
            DataOp::Keep(_) | DataOp::Fetch(_) => unreachable!("there are no pools yet"),
        }
    }

    fn form(&mut self, ty: Ty) -> Arc<Form> {
        self.forms.form(self.types, ty)
    }

    /// Returns the type of the only operand, as the program has it.
    fn type_of_operand(&self, op: &Op) -> Ty {
        match op {
            Op::Data(_, atoms) => match atoms[0] {
                Atom::Local(local) => self.function.locals[local.0 as usize],
                other => unreachable!("{other:?} is of no datatype"),
            },
            other => unreachable!("{other:?} is no operation on a datatype"),
        }
    }

    fn emit(&mut self, op: Op, ty: Ty, out: &mut Out) -> Atom {
        let local = Local(self.locals.len() as u32);
        self.locals.push(ty);
        out.statements.push(Statement { local, op, span: out.span });
        Atom::Local(local)
    }

    fn pair(
        &mut self,
        (left, left_type): (Atom, Ty),
        (right, right_type): (Atom, Ty),
        out: &mut Out,
    ) -> (Atom, Ty) {
        let ty = self.types.number(CoreType::Pair(left_type, right_type));
        (self.emit(Op::Pair(left, right), ty, out), ty)
    }

    fn construct(&mut self, form: &Form, variant: usize, content: Option<Atom>, out: &mut Out) -> Atom {
        let int = self.types.number(CoreType::Int);
        let tag = (Atom::Int(variant as i64), int);
        if let Some(pools) = &form.pools {
            let at = match (content, pools[variant]) {
                (Some(content), Some(pool)) => {
                    self.emit(Op::Data(DataOp::Keep(pool), vec![content]), int, out)
                }
                _ => Atom::Int(0),
            };
            return if form.tagged { self.pair(tag, (at, int), out).0 } else { at };
        }
        let mut parts: Vec<(Atom, Ty)> = form.tagged.then_some(tag).into_iter().collect();
        for (number, ty) in form.contents.iter().enumerate() {
            let Some(ty) = *ty else { continue };
            let own = content.filter(|_| number == variant);
            let atom = match own {
                Some(own) => own,
                None => self.zero(ty, out),
            };
            parts.push((atom, ty));
        }
        let last = parts.pop().expect("there is a number or a content");
        parts.into_iter().rev().fold(last, |rest, part| self.pair(part, rest, out)).0
    }

    fn tag(&mut self, form: &Form, value: Atom, out: &mut Out) -> Atom {
        let int = self.types.number(CoreType::Int);
        match (form.tagged, form.ty == int) {
            (false, _) => Atom::Int(0),
            (true, true) => value,
            (true, false) => self.emit(Op::First(value), int, out),
        }
    }

    fn content(&mut self, form: &Form, variant: usize, value: Atom, out: &mut Out) -> Atom {
        let int = self.types.number(CoreType::Int);
        let ty = form.contents[variant].expect("the variant has a content");
        if let Some(pools) = &form.pools {
            let at = if form.tagged { self.emit(Op::Second(value), int, out) } else { value };
            let pool = pools[variant].expect("the variant has a pool");
            return self.emit(Op::Data(DataOp::Fetch(pool), vec![at]), ty, out);
        }
        let before = form.contents[..variant].iter().flatten().count() + usize::from(form.tagged);
        let after = form.contents[variant + 1..].iter().flatten().count();
        let (mut rest, mut rest_type) = (value, form.ty);
        for _ in 0..before {
            let CoreType::Pair(_, right) = *self.types.get(rest_type) else {
                unreachable!("a part is behind it")
            };
            rest = self.emit(Op::Second(rest), right, out);
            rest_type = right;
        }
        if after == 0 { rest } else { self.emit(Op::First(rest), ty, out) }
    }

    /// Writes some value of a type, for a variant that a value is not.
    fn zero(&mut self, ty: Ty, out: &mut Out) -> Atom {
        let op = match self.types.get(ty).clone() {
            CoreType::Int => return Atom::Int(0),
            CoreType::Float => return Atom::Float(0.0),
            CoreType::Char => return Atom::Char(0),
            CoreType::Bool => return Atom::Bool(false),
            CoreType::Seq(_) => Op::Sequence(Vec::new()),
            CoreType::Pair(left, right) => {
                let left = self.zero(left, out);
                Op::Pair(left, self.zero(right, out))
            }
            CoreType::Closure(closure) => {
                Op::Closure(closure.captured.iter().map(|ty| self.zero(*ty, out)).collect())
            }
            CoreType::Data(_) => unreachable!("datatypes are represented by other types"),
        };
        self.emit(op, ty, out)
    }
}
