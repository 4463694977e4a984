//! The body of a function: statement after statement of the core, in a context.
//!
//! `branch` writes conditionals, `each` apply-to-eaches and calls, `scalar` and `sequence` the primitives, `effect` what acts on the world and what stops the
//! program.

mod branch;
mod each;
mod effect;
mod scalar;
mod sequence;
mod sets;

use super::code::{Block, Function, Var};
use super::instances::{Instances, Key, Reach, Wanted};
use super::value::{Form, Value};
use super::writer::Writer;
use crate::syntax::ast::Constant;
use crate::syntax::codes;
use nestled_ir::{Diagnostic, SourceMap, Span};
use nestled_nesl::Dialect;
use nestled_nesl::core::{self, Atom, CoreType, CoreTypes, Local, Op, Statement, Ty};
use nestled_nesl::typed::GlobalId;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The result of writing. The message is boxed because it is rare.
pub type Written<T> = Result<T, Box<Diagnostic>>;

/// The program around a body, shared by all bodies.
pub struct Around<'a> {
    /// The types of the core.
    pub types: &'a CoreTypes,
    /// The texts of the program.
    pub sources: &'a SourceMap,
    /// Widths and identities.
    pub dialect: Dialect,
    /// The functions of the program.
    pub instances: &'a mut Instances,
}

/// A body that is being written.
pub struct Body<'a, 'b> {
    around: &'b mut Around<'a>,
    out: Writer,
    reach: Rc<Reach>,
    /// The number of the statement to which the program of the core belongs.
    statement: usize,
    function: usize,
    values: HashMap<Local, Value>,
    globals: BTreeMap<GlobalId, Value>,
    /// The extent of the context; none for one instance.
    extent: Option<Var>,
    /// The place of the statement that is being written, in the user's program.
    span: Span,
}

/// Largest number of conditionals inside one another, as in the original.
const MAX_DEPTH: usize = 50;

impl<'a, 'b> Body<'a, 'b> {
    /// Writes the program of a statement for one instance, where `out` stands. `globals` are the values of the top level. Also gives the writer back.
    pub fn of_statement(
        around: &'b mut Around<'a>,
        out: Writer,
        (reach, statement): (Rc<Reach>, usize),
        globals: BTreeMap<GlobalId, Value>,
        span: Span,
    ) -> Written<(Writer, Value)> {
        let function = reach.program.main.0 as usize;
        let values = HashMap::new();
        let mut body = Body { around, out, reach, statement, function, values, globals, extent: None, span };
        let value = body.whole()?;
        Ok((body.out, value))
    }

    /// Writes a function.
    pub fn of_function(
        around: &'b mut Around<'a>,
        reach: Rc<Reach>,
        wanted: &Wanted,
        (name, span): (String, Span),
    ) -> Written<Function> {
        let mut out = Writer::default();
        let slots = wanted.forms.iter().chain(wanted.globals.iter().map(|(_, form)| form));
        let slots: Vec<_> = slots.flat_map(Form::slots).collect();
        let extent = wanted.many.then(|| out.fresh(super::code::Type::Segdes));
        let mut params: Vec<Var> = extent.into_iter().collect();
        params.extend(slots.into_iter().map(|ty| out.fresh(ty)));
        let mut rest = params[extent.iter().len()..].iter().copied();
        if let Some(extent) = extent {
            out.is_one(extent);
        }
        let core = &reach.program.functions[wanted.function.0 as usize];
        let mut values = HashMap::new();
        for (local, form) in core.parameters.iter().zip(&wanted.forms) {
            values.insert(*local, form.take(&mut out, extent, &mut rest));
        }
        let mut globals = BTreeMap::new();
        for (id, form) in &wanted.globals {
            globals.insert(*id, form.take(&mut out, None, &mut rest));
        }
        let (statement, function) = (wanted.statement, wanted.function.0 as usize);
        let mut body = Body { around, out, reach, statement, function, values, globals, extent, span };
        let value = body.whole()?;
        let body_block = body.end(&value);
        Ok(Function { name, params, body: body_block, types: body.out.types })
    }

    fn whole(&mut self) -> Written<Value> {
        let reach = self.reach.clone();
        let value = self.block(&reach.program.functions[self.function].body)?;
        Ok(self.out.full(&value))
    }

    /// Ends the innermost block with a value.
    fn end(&mut self, value: &Value) -> Block {
        let value = self.out.full(value);
        let mut slots = Vec::new();
        value.slots(&mut slots);
        self.out.close(slots)
    }

    fn block(&mut self, block: &core::Block) -> Written<Value> {
        for statement in &block.statements {
            let value = self.statement(statement)?;
            self.values.insert(statement.local, value);
        }
        Ok(self.atom(block.result))
    }

    fn statement(&mut self, statement: &Statement) -> Written<Value> {
        let before = self.span;
        if statement.span.is_known() && !self.core().library {
            self.span = statement.span;
        }
        let ty = self.core().locals[statement.local.0 as usize];
        let value = match &statement.op {
            Op::Primitive(primitive, atoms) => self.primitive(*primitive, atoms, ty)?,
            Op::Call(function, atoms) => self.call(*function, atoms)?,
            Op::Global(id) => {
                let value = self.globals[id].clone();
                self.extent.map_or(value.clone(), |extent| self.out.repeat(&value, extent))
            }
            Op::Pair(left, right) => Value::Tuple(vec![self.atom(*left), self.atom(*right)]),
            Op::First(pair) => self.atom(*pair).parts()[0].clone(),
            Op::Second(pair) => self.atom(*pair).parts()[1].clone(),
            Op::Closure(atoms) => Value::Tuple(self.atoms(atoms)),
            Op::Captured(closure, position) => self.atom(*closure).parts()[*position].clone(),
            Op::Sequence(atoms) => self.sequence(atoms, ty)?,
            Op::Str(bytes) => {
                let text = self.out.text(bytes);
                self.uniform(bytes.len(), text)
            }
            Op::Data(..) => return Err(self.refusal("a datatype that holds itself")),
            Op::If(condition, yes, no) => self.branch(*condition, (yes, no), ty)?,
            Op::Each(each) => self.each(each, ty)?,
        };
        self.span = before;
        Ok(value)
    }

    fn core(&self) -> &core::Function {
        &self.reach.program.functions[self.function]
    }

    /// Returns the form of a type.
    fn form(&self, ty: Ty) -> Written<Form> {
        Form::of(self.around.types, ty).ok_or_else(|| self.refusal("a datatype that holds itself"))
    }

    fn element(&self, ty: Ty) -> Ty {
        self.around.types.element(ty).expect("the core knows what is a sequence")
    }

    fn is_char(&self, ty: Ty) -> bool {
        matches!(self.around.types.get(ty), CoreType::Char)
    }

    fn refusal(&self, what: &str) -> Box<Diagnostic> {
        refusal(what, self.span)
    }

    fn atoms(&mut self, atoms: &[Atom]) -> Vec<Value> {
        atoms.iter().map(|atom| self.atom(*atom)).collect()
    }

    fn atom(&mut self, atom: Atom) -> Value {
        let constant = match atom {
            Atom::Local(local) => return self.values[&local].clone(),
            Atom::Int(value) => Constant::Ints(vec![value]),
            Atom::Float(value) => Constant::Floats(vec![value]),
            Atom::Bool(value) => Constant::Bools(vec![value]),
            Atom::Char(code) => Constant::Ints(vec![i64::from(code)]),
        };
        Value::Scalar(self.out.spread(constant, self.extent))
    }

    /// Returns a sequence in which nothing stands for what lies outside: its descriptor and its elements.
    fn full_sequence(&mut self, value: &Value) -> (Var, Value) {
        match self.out.full(value) {
            Value::Seq(seg, inner) => (seg, (*inner).clone()),
            Value::Scalar(_) | Value::Tuple(_) | Value::Outer(..) => {
                unreachable!("the core knows what is a sequence")
            }
        }
    }

    /// Writes a sequence of constants, which is the same for all instances.
    fn literal(&mut self, constant: Constant) -> Value {
        let length = match &constant {
            Constant::Ints(all) | Constant::Segdes(all) => all.len(),
            Constant::Floats(all) => all.len(),
            Constant::Bools(all) => all.len(),
        };
        let elements = self.out.own_constant(constant);
        self.uniform(length, elements)
    }

    /// Makes a sequence of a vector, which is the same for all instances.
    fn uniform(&mut self, length: usize, elements: Var) -> Value {
        let seg = self.out.constant(Constant::Segdes(vec![length as i64]));
        self.out.is_under(elements, seg);
        let value = Value::Seq(seg, Rc::new(Value::Scalar(elements)));
        self.extent.map_or(value.clone(), |extent| self.out.repeat(&value, extent))
    }

    /// Fails where conditionals lie too deep inside one another.
    fn check_depth(&self) -> Written<()> {
        match self.out.depth() > MAX_DEPTH {
            true => Err(self.refusal("more than 50 conditionals inside one another")),
            false => Ok(()),
        }
    }

    /// Returns the number of a function that is always the same.
    fn helper(&mut self, key: Key) -> usize {
        self.around.instances.number(key, self.span)
    }
}

/// Returns an error: there is no code for something.
pub fn refusal(what: &str, span: Span) -> Box<Diagnostic> {
    let help = "docs/vcode.md says what of NESL becomes VCODE; `nestled run` runs all of it";
    Box::new(Diagnostic::new(codes::FROM_NESL, format!("VCODE has nothing for {what}"), span).help(help))
}
