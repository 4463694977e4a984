//! Verifier of core programs: every value is bound once, before its use, and used at its type.
//!
//! Passes that make or rewrite core programs may rely on these invariants and on nothing else. A message reports a mistake of the compiler, not of the program.

use super::primitive_result;
use super::{
    Atom, Block, CoreType, CoreTypes, DataOp, Each, Function, Local, Op, Program, Statement, Ty, arity,
};
use crate::typed::GlobalId;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Verifies a whole program; `globals` has the types of the top level's values.
pub fn verify(program: &Program, types: &mut CoreTypes, globals: &HashMap<GlobalId, Ty>) -> Result<()> {
    for (position, function) in program.functions.iter().enumerate() {
        let bound = HashSet::new();
        let mut checker = Checker { program, types: &mut *types, globals, function, bound };
        checker.function().map_err(|what| format!("function {position}, {}: {what}", function.name))?;
    }
    match program.functions.get(program.main.0 as usize) {
        Some(main) if main.parameters.is_empty() => Ok(()),
        _ => Err("the main function is missing or has parameters".to_owned()),
    }
}

type Result<T> = std::result::Result<T, String>;

struct Checker<'a> {
    program: &'a Program,
    types: &'a mut CoreTypes,
    globals: &'a HashMap<GlobalId, Ty>,
    function: &'a Function,
    /// All values bound so far, in scope or not.
    bound: HashSet<Local>,
}

/// The values in scope at a place.
type Scope = BTreeSet<Local>;

impl Checker<'_> {
    fn function(&mut self) -> Result<()> {
        let function = self.function;
        let mut scope = Scope::new();
        for &parameter in &function.parameters {
            self.bind(parameter, &mut scope)?;
        }
        let result = self.block(&function.body, scope)?;
        self.same(result, function.result, "the result")
    }

    fn bind(&mut self, local: Local, scope: &mut Scope) -> Result<()> {
        if local.0 as usize >= self.function.locals.len() {
            return Err(format!("{} has no type", local.0));
        }
        if !self.bound.insert(local) {
            return Err(format!("{} is bound twice", local.0));
        }
        scope.insert(local);
        Ok(())
    }

    fn same(&self, found: Ty, wanted: Ty, what: &str) -> Result<()> {
        if found == wanted {
            return Ok(());
        }
        Err(format!("{what} is {}, wanted is {}", self.types.show(found), self.types.show(wanted)))
    }

    fn atom(&mut self, atom: Atom, scope: &Scope) -> Result<Ty> {
        match atom {
            Atom::Local(local) if scope.contains(&local) => Ok(self.function.locals[local.0 as usize]),
            Atom::Local(local) => Err(format!("{} is not in scope", local.0)),
            Atom::Int(_) => Ok(self.types.number(CoreType::Int)),
            Atom::Float(_) => Ok(self.types.number(CoreType::Float)),
            Atom::Bool(_) => Ok(self.types.number(CoreType::Bool)),
            Atom::Char(_) => Ok(self.types.number(CoreType::Char)),
        }
    }

    fn atoms(&mut self, atoms: &[Atom], scope: &Scope) -> Result<Vec<Ty>> {
        atoms.iter().map(|atom| self.atom(*atom, scope)).collect()
    }

    /// Checks a block and returns the type of its result.
    fn block(&mut self, block: &Block, mut scope: Scope) -> Result<Ty> {
        for statement in &block.statements {
            let ty =
                self.statement(statement, &scope).map_err(|what| format!("{}: {what}", statement.local.0))?;
            self.bind(statement.local, &mut scope)?;
            self.same(ty, self.function.locals[statement.local.0 as usize], "the value")?;
        }
        self.atom(block.result, &scope)
    }

    /// Checks a statement and returns the type of its value.
    fn statement(&mut self, statement: &Statement, scope: &Scope) -> Result<Ty> {
        let own = *self.function.locals.get(statement.local.0 as usize).ok_or("it has no type")?;
        match &statement.op {
            Op::Primitive(primitive, atoms) => {
                let types = self.atoms(atoms, scope)?;
                if types.len() != arity(*primitive) {
                    return Err(format!("{primitive:?} does not take {} operands", types.len()));
                }
                Ok(primitive_result(self.types, *primitive, &types))
            }
            Op::Call(callee, atoms) => {
                let types = self.atoms(atoms, scope)?;
                let callee =
                    self.program.functions.get(callee.0 as usize).ok_or("there is no such function")?;
                if types.len() != callee.parameters.len() {
                    return Err("the call has another number of arguments".to_owned());
                }
                for (found, parameter) in types.into_iter().zip(&callee.parameters) {
                    self.same(found, callee.locals[parameter.0 as usize], "an argument")?;
                }
                Ok(callee.result)
            }
            Op::Global(id) => {
                self.globals.get(id).copied().ok_or_else(|| "there is no such global".to_owned())
            }
            Op::Pair(left, right) => {
                let (left, right) = (self.atom(*left, scope)?, self.atom(*right, scope)?);
                Ok(self.types.number(CoreType::Pair(left, right)))
            }
            Op::First(pair) | Op::Second(pair) => {
                let pair = self.atom(*pair, scope)?;
                match (self.types.get(pair), &statement.op) {
                    (CoreType::Pair(left, _), Op::First(_)) => Ok(*left),
                    (CoreType::Pair(_, right), _) => Ok(*right),
                    _ => Err("the operand is no pair".to_owned()),
                }
            }
            Op::Closure(atoms) => {
                let types = self.atoms(atoms, scope)?;
                match self.types.get(own) {
                    CoreType::Closure(closure) if closure.captured == types => Ok(own),
                    _ => Err("it takes other values along".to_owned()),
                }
            }
            Op::Captured(closure, position) => {
                let closure = self.atom(*closure, scope)?;
                let CoreType::Closure(closure) = self.types.get(closure) else {
                    return Err("the operand is no function value".to_owned());
                };
                closure
                    .captured
                    .get(*position)
                    .copied()
                    .ok_or_else(|| "it took no such value along".to_owned())
            }
            Op::Sequence(atoms) => {
                let element = self.types.element(own).ok_or("it is no sequence")?;
                for ty in self.atoms(atoms, scope)? {
                    self.same(ty, element, "an element")?;
                }
                Ok(own)
            }
            Op::Data(op, atoms) => self.data(*op, atoms, own, scope),
            Op::Str(_) => {
                let char = self.types.number(CoreType::Char);
                Ok(self.types.number(CoreType::Seq(char)))
            }
            Op::If(condition, yes, no) => {
                let condition = self.atom(*condition, scope)?;
                let bool = self.types.number(CoreType::Bool);
                self.same(condition, bool, "the condition")?;
                let yes = self.block(yes, scope.clone())?;
                let no = self.block(no, scope.clone())?;
                self.same(no, yes, "the second branch")?;
                Ok(yes)
            }
            Op::Each(each) => self.each(each, scope),
        }
    }

    fn data(&mut self, op: DataOp, atoms: &[Atom], own: Ty, scope: &Scope) -> Result<Ty> {
        let types = self.atoms(atoms, scope)?;
        let variant = |ty: Ty, number: usize| {
            let variants = self.types.variants(ty).ok_or("it is of no datatype")?;
            variants.get(number).map(|variant| variant.content).ok_or("there is no such variant")
        };
        match (op, &*types) {
            (DataOp::Construct(number), given) => match (variant(own, number)?, given) {
                (None, []) => Ok(own),
                (Some(wanted), [found]) => self.same(*found, wanted, "the content").map(|()| own),
                _ => Err("a variant takes its content".to_owned()),
            },
            (DataOp::Tag, [value]) => {
                variant(*value, 0)?;
                Ok(self.types.number(CoreType::Int))
            }
            (DataOp::Content(number), [value]) => {
                variant(*value, number)?.ok_or_else(|| "the variant has no content".to_owned())
            }
            (DataOp::Keep(_), [_]) => Ok(self.types.number(CoreType::Int)),
            (DataOp::Fetch(_), [position]) => {
                let int = self.types.number(CoreType::Int);
                self.same(*position, int, "a position").map(|()| own)
            }
            _ => Err("it takes one operand".to_owned()),
        }
    }

    fn each(&mut self, each: &Each, scope: &Scope) -> Result<Ty> {
        if each.sources.is_empty() || each.sources.len() != each.elements.len() {
            return Err("sources and elements differ in number".to_owned());
        }
        let mut inner: Scope = each.captured.iter().copied().collect();
        if !inner.is_subset(scope) {
            return Err("it takes a value from outside that is not in scope".to_owned());
        }
        for (source, element) in self.atoms(&each.sources, scope)?.into_iter().zip(&each.elements) {
            self.bind(*element, &mut inner)?;
            let wanted = self.types.element(source).ok_or("a source is no sequence")?;
            self.same(self.function.locals[element.0 as usize], wanted, "an element")?;
        }
        let mut used = BTreeSet::new();
        each.body.visit_atoms(&mut |atom| {
            if let Atom::Local(local) = atom {
                used.insert(local);
            }
        });
        if let Some(idle) = each.captured.iter().find(|local| !used.contains(local)) {
            return Err(format!("{} is taken from outside and not used", idle.0));
        }
        let result = self.block(&each.body, inner)?;
        Ok(self.types.number(CoreType::Seq(result)))
    }
}
