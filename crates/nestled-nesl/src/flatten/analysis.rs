//! Program analysis for flattening: decides which code is flattened and which is left to thunks.
//!
//! A block is *serial* if a single point can compute it: scalars, reads of existing sequences, conditionals, and calls of serial functions that are not too
//! large. Such functions may call themselves in tail position, which makes them loops. All other code is flattened. The modules that write λcu ask here and
//! decide none of this themselves.

mod uniqueness;

use super::inlining::InlineBudget;
use crate::core::{Atom, Block, CoreType, CoreTypes, Function, Local, Op, Program, Statement, Ty};
use crate::primitive::Primitive;
use crate::typed::GlobalId;
use std::collections::{BTreeSet, HashMap};
use uniqueness::Updates;

/// The facts about a function.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionFacts {
    /// True if it may call itself, perhaps through others.
    pub recursive: bool,
    /// True if one point can compute it.
    pub serial: bool,
    /// True if it calls itself in tail position only.
    pub rounds: bool,
    /// True if it can fault.
    pub faults: bool,
    /// True if it might not terminate: a function that it calls recurs.
    loops: bool,
    /// True if it decides something, or a function that it calls does.
    branches: bool,
    /// True if it acts on the world.
    pub acts: bool,
    /// True if it draws random numbers, or advances their count.
    pub draws: bool,
    /// True if it draws random numbers.
    pub random: bool,
    /// True if it might not terminate, or acts on the world: earlier faults must be reported before it.
    pub wanted: bool,
    /// True if its recursion involves other functions.
    mutual: bool,
    /// The values of the top level that it needs.
    pub globals: BTreeSet<GlobalId>,
}

/// The facts about a program.
#[derive(Debug)]
pub(super) struct Analysis {
    pub functions: Vec<FunctionFacts>,
    /// For each type, whether it holds a sequence.
    nested: HashMap<Ty, bool>,
    checked: bool,
    /// True if random numbers are drawn anywhere.
    pub random: bool,
    /// Sizes of functions, for inlining.
    pub growth: InlineBudget,
    /// The functions that update sequences in place.
    pub updates: HashMap<usize, Updates>,
    /// Functions with callees before their callers.
    order: Vec<usize>,
}

/// The way in which a primitive is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// At each point.
    Scalar,
    /// By kernels over whole sequences.
    Sequence,
    /// By the host.
    Act,
}

pub(super) fn kind(primitive: Primitive) -> Kind {
    use Primitive::*;
    match primitive {
        Not | And | Or | Xor | Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual | Add
        | Subtract | Multiply | Divide | Remainder | Negate | ShiftLeft | ShiftRight | Sqrt | Ln | Exp
        | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | BoolToInt | CodeChar | CharCode
        | IntToFloat | Floor | Truncate | IntToAny | AnyToFloat | FloatToAny | MaxInt | Length | Element
        | Check(_) | Rand => Kind::Scalar,
        Distribute | Index | Slice | Gather | Put | Pack | Append | Flatten | Partition | PlusScan
        | MultScan | MaxScan | MinScan | OrScan | AndScan | XorScan | Sum | Product | MaxVal | MinVal
        | Any | All | Parity | Rank | RankDown => Kind::Sequence,
        RandSeed | RandInOrder | SeedInOrder | StartTimer | StopTimer | PrintString | Abort | Host(_) => {
            Kind::Act
        }
        Dispatch(_) => unreachable!("the core has none"),
    }
}

/// True if a scalar primitive can fault.
fn primitive_faults(primitive: Primitive, checked: bool) -> bool {
    use Primitive::*;
    match primitive {
        Element => true,
        Divide | Remainder | Sqrt | Ln | Rand => checked,
        Check(code) => checked || code == crate::fault::FaultCode::Unsupported,
        _ => false,
    }
}

impl Analysis {
    pub fn new(program: &Program, types: &CoreTypes, checked: bool) -> Analysis {
        let (functions, nested, growth) = (Vec::new(), HashMap::new(), InlineBudget::default());
        let (updates, order) = (HashMap::new(), Vec::new());
        let mut analysis = Analysis { functions, nested, checked, random: false, growth, updates, order };
        program.functions.iter().for_each(|function| analysis.note_types(types, function));
        analysis.functions =
            vec![FunctionFacts { serial: true, ..FunctionFacts::default() }; program.functions.len()];
        analysis.find_recursion(program);
        let recursive: Vec<bool> = analysis.functions.iter().map(|facts| facts.recursive).collect();
        analysis.growth = InlineBudget::new(program, &recursive);
        // Least and greatest fixpoints, by going round until nothing changes.
        loop {
            let mut changed = false;
            for (at, function) in program.functions.iter().enumerate() {
                let before = analysis.functions[at].clone();
                let mut after = before.clone();
                analysis.block_facts(&function.body, &mut after);
                after.serial = before.serial && analysis.is_serial_function(at, function);
                changed |= after.serial != before.serial
                    || after.faults != before.faults
                    || after.loops != before.loops
                    || after.acts != before.acts
                    || after.draws != before.draws
                    || after.wanted != before.wanted
                    || after.globals.len() != before.globals.len();
                analysis.functions[at] = after;
            }
            if !changed {
                break;
            }
        }
        for (at, function) in program.functions.iter().enumerate() {
            let facts = &analysis.functions[at];
            let may = facts.recursive && !facts.mutual && !facts.serial && !facts.acts;
            let rounds = may && only_tail_calls(&function.body, true, at);
            analysis.functions[at].rounds = rounds;
        }
        analysis.random = analysis.functions.iter().any(|facts| facts.random);
        analysis.updates = uniqueness::updates(program, types, &analysis, &analysis.order);
        analysis
    }

    /// Records the types of a function.
    pub fn note_types(&mut self, types: &CoreTypes, function: &Function) {
        for &ty in function.locals.iter().chain([&function.result]) {
            self.is_nested(types, ty);
        }
    }

    fn is_nested(&mut self, types: &CoreTypes, ty: Ty) -> bool {
        if let Some(&known) = self.nested.get(&ty) {
            return known;
        }
        let nested = match types.get(ty) {
            CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool => false,
            CoreType::Seq(element) => {
                let element = *element;
                self.is_nested(types, element);
                true
            }
            CoreType::Pair(left, right) => {
                let (left, right) = (*left, *right);
                self.is_nested(types, left) | self.is_nested(types, right)
            }
            CoreType::Closure(closure) => {
                let captured = closure.captured.clone();
                captured.into_iter().fold(false, |any, one| any | self.is_nested(types, one))
            }
        };
        self.nested.insert(ty, nested);
        nested
    }

    /// True if values of a type are made of scalars only.
    pub fn is_flat(&self, ty: Ty) -> bool {
        self.nested.get(&ty) == Some(&false)
    }

    /// Marks the functions that can reach themselves, by Tarjan's algorithm with an explicit stack.
    fn find_recursion(&mut self, program: &Program) {
        let calls: Vec<Vec<usize>> =
            program.functions.iter().map(|function| callees(&function.body)).collect();
        let n = calls.len();
        let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
        let (mut on_stack, mut stack, mut next) = (vec![false; n], Vec::new(), 0);
        for root in 0..n {
            if index[root] != usize::MAX {
                continue;
            }
            let mut work = vec![(root, 0)];
            while let Some((at, edge)) = work.pop() {
                if edge == 0 {
                    index[at] = next;
                    low[at] = next;
                    next += 1;
                    stack.push(at);
                    on_stack[at] = true;
                }
                if let Some(&callee) = calls[at].get(edge) {
                    work.push((at, edge + 1));
                    if index[callee] == usize::MAX {
                        work.push((callee, 0));
                    } else if on_stack[callee] {
                        low[at] = low[at].min(index[callee]);
                    }
                    continue;
                }
                if let Some(&(caller, _)) = work.last() {
                    low[caller] = low[caller].min(low[at]);
                }
                if low[at] == index[at] {
                    let from = stack.iter().rposition(|one| *one == at).expect("it is on the stack");
                    let group = stack.split_off(from);
                    for &one in &group {
                        on_stack[one] = false;
                        self.order.push(one);
                        self.functions[one].recursive = group.len() > 1 || calls[one].contains(&one);
                        self.functions[one].mutual = group.len() > 1;
                    }
                }
            }
        }
    }

    fn block_facts(&self, block: &Block, facts: &mut FunctionFacts) {
        for statement in &block.statements {
            match &statement.op {
                Op::Primitive(primitive, _) => {
                    facts.acts |= kind(*primitive) == Kind::Act;
                    facts.draws |= matches!(primitive, Primitive::Rand | Primitive::RandSeed);
                    facts.random |= matches!(primitive, Primitive::Rand | Primitive::RandSeed);
                    facts.wanted |= kind(*primitive) == Kind::Act;
                    facts.faults |= match kind(*primitive) {
                        Kind::Scalar => primitive_faults(*primitive, self.checked),
                        _ => true,
                    };
                }
                Op::Call(callee, _) => {
                    let callee = self.functions[callee.0 as usize].clone();
                    facts.acts |= callee.acts;
                    facts.draws |= callee.draws;
                    facts.faults |= callee.faults;
                    facts.loops |= callee.recursive || callee.loops;
                    facts.branches |= callee.branches;
                    facts.wanted |= callee.wanted || (callee.recursive && !callee.serial);
                    facts.globals.extend(callee.globals);
                }
                Op::Global(id) => {
                    facts.globals.insert(*id);
                }
                Op::If(_, yes, no) => {
                    facts.branches = true;
                    self.block_facts(yes, facts);
                    self.block_facts(no, facts);
                }
                Op::Each(each) => {
                    // An apply-to-each counts on, whatever it does.
                    facts.draws = true;
                    facts.faults = true;
                    self.block_facts(&each.body, facts);
                }
                _ => {}
            }
        }
    }

    /// Returns the facts about one block.
    pub fn facts_of(&self, block: &Block) -> FunctionFacts {
        let mut facts = FunctionFacts::default();
        self.block_facts(block, &mut facts);
        facts
    }

    fn is_serial_function(&self, at: usize, function: &Function) -> bool {
        let loops = self.functions[at].recursive;
        !self.functions[at].mutual
            && self.growth.fits_thunk(at)
            && self.is_flat(function.result)
            && self.is_serial_tail(&function.body, function, loops.then_some(at))
    }

    /// True if a block in tail position is serial; `own` is the function if it may call itself here.
    fn is_serial_tail(&self, block: &Block, function: &Function, own: Option<usize>) -> bool {
        let Some((last, first)) = block.statements.split_last() else { return true };
        if !first.iter().all(|statement| self.is_serial_statement(statement, function, own)) {
            return false;
        }
        let tail = block.result == Atom::Local(last.local);
        match &last.op {
            Op::If(_, yes, no) if tail => {
                self.is_flat(function.locals[last.local.0 as usize])
                    && self.is_serial_tail(yes, function, own)
                    && self.is_serial_tail(no, function, own)
            }
            Op::Call(callee, args) if tail && Some(callee.0 as usize) == own => {
                // Sequences are the same in all rounds.
                function.parameters.iter().zip(args).all(|(parameter, arg)| {
                    self.is_flat(function.locals[parameter.0 as usize]) || *arg == Atom::Local(*parameter)
                })
            }
            _ => self.is_serial_statement(last, function, own),
        }
    }

    fn is_serial_statement(&self, statement: &Statement, function: &Function, own: Option<usize>) -> bool {
        let flat = |local: Local| self.is_flat(function.locals[local.0 as usize]);
        match &statement.op {
            Op::Primitive(Primitive::Rand, _) => false,
            Op::Primitive(primitive, _) => kind(*primitive) == Kind::Scalar && flat(statement.local),
            Op::Call(callee, _) => Some(callee.0 as usize) != own && self.functions[callee.0 as usize].serial,
            Op::Pair(..)
            | Op::First(_)
            | Op::Second(_)
            | Op::Closure(_)
            | Op::Captured(..)
            | Op::Global(_) => true,
            Op::Sequence(_) | Op::Str(_) | Op::Each(_) => false,
            Op::If(_, yes, no) => {
                flat(statement.local)
                    && self.is_serial_inner(yes, function, own)
                    && self.is_serial_inner(no, function, own)
            }
        }
    }

    fn is_serial_inner(&self, block: &Block, function: &Function, own: Option<usize>) -> bool {
        block.statements.iter().all(|statement| self.is_serial_statement(statement, function, own))
    }

    /// True if a statement can be put off, and computed where it is used.
    pub fn is_pending(&self, statement: &Statement, function: &Function) -> bool {
        match &statement.op {
            Op::Primitive(Primitive::Rand, _) => false,
            Op::Primitive(..) | Op::If(..) => self.is_serial_statement(statement, function, None),
            Op::Call(callee, _) => {
                let facts = &self.functions[callee.0 as usize];
                facts.serial && facts.recursive
            }
            _ => false,
        }
    }

    /// True if a function is a loop that updates sequences in place.
    pub fn is_updating_loop(&self, at: usize) -> bool {
        self.functions[at].recursive
            && self.updates.get(&at).is_some_and(|updates| updates.changed.contains(&true))
    }

    /// True if a statement might not terminate; it is then computed even if its result is not used.
    pub fn may_loop(&self, op: &Op) -> bool {
        match op {
            Op::Call(callee, _) => {
                let facts = &self.functions[callee.0 as usize];
                facts.recursive || facts.loops
            }
            Op::If(_, yes, no) => [yes, no].into_iter().any(|block| self.facts_of(block).loops),
            _ => false,
        }
    }

    /// True if a statement can fault.
    pub fn can_fault(&self, op: &Op) -> bool {
        match op {
            Op::Primitive(primitive, _) => primitive_faults(*primitive, self.checked),
            Op::Call(callee, _) => self.functions[callee.0 as usize].faults,
            Op::If(_, yes, no) => [yes, no]
                .into_iter()
                .any(|block| block.statements.iter().any(|statement| self.can_fault(&statement.op))),
            Op::Each(_) => true,
            _ => false,
        }
    }
}

/// True if all calls of a function in a block are in tail position; `tail` says whether the block is.
fn only_tail_calls(block: &Block, tail: bool, own: usize) -> bool {
    block.statements.iter().enumerate().all(|(at, statement)| {
        let last = at + 1 == block.statements.len() && block.result == Atom::Local(statement.local);
        let tail = tail && last;
        match &statement.op {
            Op::Call(callee, _) => tail || callee.0 as usize != own,
            Op::If(_, yes, no) => only_tail_calls(yes, tail, own) && only_tail_calls(no, tail, own),
            Op::Each(each) => only_tail_calls(&each.body, false, own),
            _ => true,
        }
    })
}

/// True if a block calls a function.
pub(super) fn calls(block: &Block, own: usize) -> bool {
    callees(block).contains(&own)
}

/// Returns the functions that a block calls, with repetitions.
fn callees(block: &Block) -> Vec<usize> {
    let mut found = Vec::new();
    for statement in &block.statements {
        match &statement.op {
            Op::Call(callee, _) => found.push(callee.0 as usize),
            Op::If(_, yes, no) => {
                found.extend(callees(yes));
                found.extend(callees(no));
            }
            Op::Each(each) => found.extend(callees(&each.body)),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
