//! Merging of exclusive calls: recursive calls in different branches of a conditional become one call.
//!
//! In a context each branch of a conditional would make its own call on its own points, and each of those calls two more: soon there are more calls than
//! instances. So a function that calls itself in several branches gets a second body for contexts. In it the branches meet at the call and part again behind it.
//!
//! ```text
//! if c then 1 + f(n / 2) else f(3 * n) - x
//!
//! m = if c then n / 2 else 3 * n
//! r = f(m)
//! if c then 1 + r else r - x
//! ```
//!
//! A branch that does not call sets a flag and waits behind the call. Values that a branch computes before its call and needs afterwards are carried over the
//! call.

use super::analysis::Analysis;
use super::free::free_in;
use crate::core::{
    Atom, Block, CoreType, CoreTypes, Function, FunctionId, Local, Op, Program, Statement, Ty,
};
use nestled_ir::Span;
use std::collections::HashMap;

/// The bodies for contexts, by function.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub functions: HashMap<usize, Function>,
    /// The types of the program and those of the new bodies, if there are any.
    pub types: Option<CoreTypes>,
}

/// Makes a body for contexts for every function with exclusive recursive calls that is neither serial, nor tail recursive, nor acts on the world.
pub(super) fn merged(program: &Program, types: &CoreTypes, analysis: &Analysis) -> Merged {
    let mut made = Merged::default();
    for (at, function) in program.functions.iter().enumerate() {
        let facts = &analysis.functions[at];
        if !facts.recursive
            || facts.serial
            || facts.rounds
            || facts.acts
            || !has_exclusive(&function.body, at)
        {
            continue;
        }
        let mut types = made.types.take().unwrap_or_else(|| types.clone());
        let own = FunctionId(at as u32);
        let mut function = function.clone();
        let body = std::mem::take(&mut function.body);
        function.body = CallMerger { own, function: &mut function, types: &mut types }.block(body);
        made.functions.insert(at, function);
        made.types = Some(types);
    }
    made
}

/// True if both branches of some conditional call the function.
fn has_exclusive(block: &Block, own: usize) -> bool {
    block.statements.iter().any(|statement| match &statement.op {
        Op::If(_, yes, no) => {
            (has_call(yes, own) && has_call(no, own)) || has_exclusive(yes, own) || has_exclusive(no, own)
        }
        Op::Each(each) => has_exclusive(&each.body, own),
        _ => false,
    })
}

/// True if a block calls the function outside of the apply-to-eaches in it.
fn has_call(block: &Block, own: usize) -> bool {
    block.statements.iter().any(|statement| is_call(&statement.op, own))
}

fn is_call(op: &Op, own: usize) -> bool {
    match op {
        Op::Call(callee, _) => callee.0 as usize == own,
        Op::If(_, yes, no) => has_call(yes, own) || has_call(no, own),
        _ => false,
    }
}

/// A block, split at its first call.
struct Cut {
    before: Vec<Statement>,
    /// Flag: true if this instance calls. The arguments of the call follow.
    wants: Atom,
    args: Vec<Atom>,
    /// True if every instance calls.
    always: bool,
    behind: Block,
}

struct CallMerger<'j> {
    own: FunctionId,
    function: &'j mut Function,
    types: &'j mut CoreTypes,
}

impl CallMerger<'_> {
    fn own(&self) -> usize {
        self.own.0 as usize
    }

    fn block(&mut self, block: Block) -> Block {
        let mut statements = Vec::new();
        for statement in block.statements {
            self.statement(statement, &mut statements);
        }
        Block { statements, result: block.result }
    }

    fn statement(&mut self, mut statement: Statement, into: &mut Vec<Statement>) {
        match &mut statement.op {
            Op::If(_, yes, no) if has_call(yes, self.own()) && has_call(no, self.own()) => {
                let span = statement.span;
                let result = Atom::Local(statement.local);
                let whole = Block { statements: vec![statement], result };
                let given = self.local(self.function.result);
                let cut = self.cut(whole, given);
                into.extend(cut.before);
                let call = Op::Call(self.own, cut.args);
                let op = if cut.always {
                    call
                } else {
                    let found = self.local(self.function.result);
                    let call = Statement { local: found, op: call, span };
                    let yes = Block { statements: vec![call], result: Atom::Local(found) };
                    let mut statements = Vec::new();
                    let result = self.zero(self.function.result, span, &mut statements);
                    Op::If(cut.wants, yes, Block { statements, result })
                };
                into.push(Statement { local: given, op, span });
                // Behind the first call there may be others.
                for statement in cut.behind.statements {
                    self.statement(statement, into);
                }
                return;
            }
            Op::If(_, yes, no) => {
                *yes = self.block(std::mem::take(yes));
                *no = self.block(std::mem::take(no));
            }
            Op::Each(each) => each.body = self.block(std::mem::take(&mut each.body)),
            _ => {}
        }
        into.push(statement);
    }

    /// Splits a block at its call; behind the cut, `given` is the result of the call.
    fn cut(&mut self, block: Block, given: Local) -> Cut {
        let mut statements = block.statements;
        let own = self.own();
        let at =
            statements.iter().position(|statement| is_call(&statement.op, own)).expect("the block calls");
        let mut behind = statements.split_off(at + 1);
        let Statement { local, op, span } = statements.pop().expect("the one that calls");
        let mut before = statements;
        match op {
            Op::Call(_, args) => {
                // Another name for what the call gave.
                let bool = self.types.number(CoreType::Bool);
                let ty = self.types.number(CoreType::Pair(self.function.result, bool));
                let pair = self.local(ty);
                let alias = [
                    Statement { local: pair, op: Op::Pair(Atom::Local(given), Atom::Bool(false)), span },
                    Statement { local, op: Op::First(Atom::Local(pair)), span },
                ];
                behind.splice(0..0, alias);
                let behind = Block { statements: behind, result: block.result };
                Cut { before, wants: Atom::Bool(true), args, always: true, behind }
            }
            Op::If(cond, yes, no) => {
                let sides = [yes, no].map(|side| match has_call(&side, own) {
                    true => Ok(self.cut(side, given)),
                    false => Err(side),
                });
                let always = sides.iter().all(|side| side.as_ref().is_ok_and(|cut| cut.always));
                let parameters: Vec<Ty> =
                    self.function.parameters.clone().into_iter().map(|local| self.ty(local)).collect();
                // What each side hands over: whether it calls, what with, and what it needs behind the call.
                let needed: Vec<Vec<Local>> = sides
                    .iter()
                    .map(|side| match side {
                        Ok(cut) => {
                            let needs = free_in(&cut.behind);
                            let has = |local: &Local| cut.before.iter().any(|one| one.local == *local);
                            needs.into_iter().filter(has).collect()
                        }
                        Err(_) => Vec::new(),
                    })
                    .collect();
                let bool = self.types.number(CoreType::Bool);
                let mut types = vec![bool];
                types.extend(&parameters);
                types.extend(needed.iter().flatten().map(|local| self.ty(*local)));
                let mut firsts = Vec::new();
                let mut seconds = Vec::new();
                for (position, side) in sides.into_iter().enumerate() {
                    let mut statements;
                    let mut atoms;
                    match side {
                        Ok(cut) => {
                            statements = cut.before;
                            atoms = vec![cut.wants];
                            atoms.extend(cut.args);
                            seconds.push(cut.behind);
                        }
                        Err(side) => {
                            statements = Vec::new();
                            atoms = vec![Atom::Bool(false)];
                            for &ty in &parameters {
                                atoms.push(self.zero(ty, span, &mut statements));
                            }
                            seconds.push(side);
                        }
                    }
                    for (of, locals) in needed.iter().enumerate() {
                        for &local in locals {
                            atoms.push(match of == position {
                                true => Atom::Local(local),
                                false => self.zero(self.ty(local), span, &mut statements),
                            });
                        }
                    }
                    let result = self.tuple(&atoms, &types, span, &mut statements);
                    firsts.push(Block { statements, result });
                }
                let (no, yes) = (firsts.pop().expect("two sides"), firsts.pop().expect("two sides"));
                let ty = self.tuple_type(&types);
                let tuple = self.local(ty);
                before.push(Statement { local: tuple, op: Op::If(cond, yes, no), span });
                let mut parts: Vec<Local> =
                    types[..1 + parameters.len()].iter().map(|ty| self.local(*ty)).collect();
                parts.extend(needed.iter().flatten());
                self.take_apart(tuple, &parts, &types, span, &mut before);
                let (no, yes) = (seconds.pop().expect("two sides"), seconds.pop().expect("two sides"));
                behind.insert(0, Statement { local, op: Op::If(cond, yes, no), span });
                let args = parts[1..=parameters.len()].iter().map(|local| Atom::Local(*local)).collect();
                let wants = if always { Atom::Bool(true) } else { Atom::Local(parts[0]) };
                Cut {
                    before,
                    wants,
                    args,
                    always,
                    behind: Block { statements: behind, result: block.result },
                }
            }
            other => unreachable!("{other:?} does not call"),
        }
    }

    fn local(&mut self, ty: Ty) -> Local {
        self.function.locals.push(ty);
        Local(self.function.locals.len() as u32 - 1)
    }

    fn ty(&self, local: Local) -> Ty {
        self.function.locals[local.0 as usize]
    }

    /// Returns the type of a right-nested tuple: `(a, (b, c))`.
    fn tuple_type(&mut self, types: &[Ty]) -> Ty {
        let (last, before) = types.split_last().expect("a tuple has parts");
        before.iter().rev().fold(*last, |rest, ty| self.types.number(CoreType::Pair(*ty, rest)))
    }

    fn tuple(&mut self, atoms: &[Atom], types: &[Ty], span: Span, into: &mut Vec<Statement>) -> Atom {
        let mut rest = *atoms.last().expect("a tuple has parts");
        for at in (0..atoms.len() - 1).rev() {
            let ty = self.tuple_type(&types[at..]);
            let local = self.local(ty);
            into.push(Statement { local, op: Op::Pair(atoms[at], rest), span });
            rest = Atom::Local(local);
        }
        rest
    }

    fn take_apart(
        &mut self,
        tuple: Local,
        parts: &[Local],
        types: &[Ty],
        span: Span,
        into: &mut Vec<Statement>,
    ) {
        let mut rest = tuple;
        for (at, &part) in parts.iter().enumerate() {
            if at + 2 == parts.len() {
                into.push(Statement { local: part, op: Op::First(Atom::Local(rest)), span });
                into.push(Statement { local: parts[at + 1], op: Op::Second(Atom::Local(rest)), span });
                return;
            }
            into.push(Statement { local: part, op: Op::First(Atom::Local(rest)), span });
            let ty = self.tuple_type(&types[at + 1..]);
            let next = self.local(ty);
            into.push(Statement { local: next, op: Op::Second(Atom::Local(rest)), span });
            rest = next;
        }
    }

    /// Makes some value of a type, the smallest there is.
    fn zero(&mut self, ty: Ty, span: Span, into: &mut Vec<Statement>) -> Atom {
        let op = match self.types.get(ty).clone() {
            CoreType::Int => return Atom::Int(0),
            CoreType::Float => return Atom::Float(0.0),
            CoreType::Char => return Atom::Char(0),
            CoreType::Bool => return Atom::Bool(false),
            CoreType::Seq(_) => Op::Sequence(Vec::new()),
            CoreType::Pair(left, right) => {
                let left = self.zero(left, span, into);
                Op::Pair(left, self.zero(right, span, into))
            }
            CoreType::Data(_) => unreachable!("datatypes were translated"),
            CoreType::Closure(closure) => {
                Op::Closure(closure.captured.iter().map(|ty| self.zero(*ty, span, into)).collect())
            }
        };
        let local = self.local(ty);
        into.push(Statement { local, op, span });
        Atom::Local(local)
    }
}
