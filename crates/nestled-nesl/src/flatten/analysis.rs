//! Program analysis for flattening: the facts about each function, found before anything is planned or emitted.
//!
//! A block is *serial* if a single point can compute it: scalars, reads of existing sequences, conditionals, and calls of serial functions that are not too
//! large. Such functions may call themselves in tail position, which makes them loops. All other code is flattened. `plan.rs` decides by these facts.

mod uniqueness;

use super::inlining::Sizes;
use crate::core::{Atom, Block, CoreTypes, DataOp, Function, Local, Op, Program, Statement};
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
    /// True if it appends to pools.
    pub keeps: bool,
    /// True if it reads pools or appends to them.
    pub pools: bool,
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
    checked: bool,
    /// True if random numbers are drawn anywhere.
    pub random: bool,
    /// Sizes of functions, for inlining.
    pub sizes: Sizes,
    /// The functions that update sequences in place.
    pub updates: HashMap<usize, Updates>,
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
        | Any | All | Parity | Rank | RankDown | AreRanks => Kind::Sequence,
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
    /// Analyses a program; `checked` says whether positions, lengths and divisors are checked.
    pub fn new(program: &Program, types: &CoreTypes, checked: bool) -> Analysis {
        let n = program.functions.len();
        let functions = vec![FunctionFacts { serial: true, ..FunctionFacts::default() }; n];
        let (sizes, updates) = (Sizes::default(), HashMap::new());
        let mut analysis = Analysis { functions, checked, random: false, sizes, updates };
        let order = analysis.find_recursion(program);
        let recursive: Vec<bool> = analysis.functions.iter().map(|facts| facts.recursive).collect();
        analysis.sizes = Sizes::new(program, &recursive);
        analysis.find_facts(program, types);
        for (at, function) in program.functions.iter().enumerate() {
            let facts = &analysis.functions[at];
            let may = facts.recursive && !facts.mutual && !facts.serial && !facts.acts && !facts.keeps;
            let rounds = may && only_tail_calls(&function.body, true, at);
            analysis.functions[at].rounds = rounds;
        }
        analysis.random = analysis.functions.iter().any(|facts| facts.random);
        analysis.updates = uniqueness::updates(program, types, &analysis, &order);
        analysis
    }

    /// Finds the facts about all functions: least and greatest fixpoints, by going round until nothing changes.
    fn find_facts(&mut self, program: &Program, types: &CoreTypes) {
        loop {
            let mut changed = false;
            for (at, function) in program.functions.iter().enumerate() {
                let before = self.functions[at].clone();
                let mut after = before.clone();
                self.block_facts(&function.body, &mut after);
                after.serial = before.serial && self.is_serial_function(types, at, function);
                changed |= after.serial != before.serial
                    || after.faults != before.faults
                    || after.loops != before.loops
                    || after.acts != before.acts
                    || after.draws != before.draws
                    || after.keeps != before.keeps
                    || after.pools != before.pools
                    || after.wanted != before.wanted
                    || after.globals.len() != before.globals.len();
                self.functions[at] = after;
            }
            if !changed {
                return;
            }
        }
    }

    /// Marks the functions that can reach themselves, by Tarjan's algorithm with an explicit stack. Returns all functions, callees before their callers.
    fn find_recursion(&mut self, program: &Program) -> Vec<usize> {
        let calls: Vec<Vec<usize>> =
            program.functions.iter().map(|function| callees(&function.body)).collect();
        let n = calls.len();
        let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
        let (mut on_stack, mut stack, mut next) = (vec![false; n], Vec::new(), 0);
        let mut order = Vec::with_capacity(n);
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
                        order.push(one);
                        self.functions[one].recursive = group.len() > 1 || calls[one].contains(&one);
                        self.functions[one].mutual = group.len() > 1;
                    }
                }
            }
        }
        order
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
                    facts.keeps |= callee.keeps;
                    facts.pools |= callee.pools;
                    facts.faults |= callee.faults;
                    facts.loops |= callee.recursive || callee.loops;
                    facts.branches |= callee.branches;
                    facts.wanted |= callee.wanted || (callee.recursive && !callee.serial);
                    facts.globals.extend(callee.globals);
                }
                Op::Data(op, _) => {
                    facts.pools = true;
                    facts.keeps |= matches!(op, DataOp::Keep(_));
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

    fn is_serial_function(&self, types: &CoreTypes, at: usize, function: &Function) -> bool {
        let own = self.functions[at].recursive.then_some(at);
        !self.functions[at].mutual
            && self.sizes.fits_thunk(at)
            && types.is_flat(function.result)
            && Serial { analysis: self, types, function, own }.is_tail(&function.body)
    }

    /// True if a statement can be put off, and computed where it is used.
    pub fn is_delayed(&self, types: &CoreTypes, function: &Function, statement: &Statement) -> bool {
        match &statement.op {
            Op::Primitive(Primitive::Rand, _) => false,
            Op::Primitive(..) | Op::If(..) => {
                Serial { analysis: self, types, function, own: None }.is_statement(statement)
            }
            Op::Call(callee, _) => {
                let facts = &self.functions[callee.0 as usize];
                facts.serial && facts.recursive
            }
            Op::Global(_)
            | Op::Pair(..)
            | Op::First(_)
            | Op::Second(_)
            | Op::Closure(_)
            | Op::Captured(..)
            | Op::Sequence(_)
            | Op::Str(_)
            | Op::Data(..)
            | Op::Each(_) => false,
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

/// Recognises serial code in a function.
struct Serial<'a> {
    analysis: &'a Analysis,
    types: &'a CoreTypes,
    function: &'a Function,
    /// The function, if it may call itself in tail position.
    own: Option<usize>,
}

impl Serial<'_> {
    fn is_flat(&self, local: Local) -> bool {
        self.types.is_flat(self.function.locals[local.0 as usize])
    }

    /// True if a block in tail position is serial.
    fn is_tail(&self, block: &Block) -> bool {
        let Some((last, first)) = block.statements.split_last() else { return true };
        if !first.iter().all(|statement| self.is_statement(statement)) {
            return false;
        }
        let tail = block.result == Atom::Local(last.local);
        match &last.op {
            Op::If(_, yes, no) if tail => self.is_flat(last.local) && self.is_tail(yes) && self.is_tail(no),
            Op::Call(callee, args) if tail && Some(callee.0 as usize) == self.own => {
                // Sequences are the same in all rounds.
                let mut given = self.function.parameters.iter().zip(args);
                given.all(|(parameter, arg)| self.is_flat(*parameter) || *arg == Atom::Local(*parameter))
            }
            _ => self.is_statement(last),
        }
    }

    fn is_statement(&self, statement: &Statement) -> bool {
        match &statement.op {
            Op::Primitive(Primitive::Rand, _) => false,
            Op::Primitive(primitive, _) => kind(*primitive) == Kind::Scalar && self.is_flat(statement.local),
            Op::Call(callee, _) => {
                let callee = callee.0 as usize;
                Some(callee) != self.own && self.analysis.functions[callee].serial
            }
            Op::Pair(..)
            | Op::First(_)
            | Op::Second(_)
            | Op::Closure(_)
            | Op::Captured(..)
            | Op::Global(_) => true,
            Op::Sequence(_) | Op::Str(_) | Op::Data(..) | Op::Each(_) => false,
            Op::If(_, yes, no) => self.is_flat(statement.local) && self.is_block(yes) && self.is_block(no),
        }
    }

    fn is_block(&self, block: &Block) -> bool {
        block.statements.iter().all(|statement| self.is_statement(statement))
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
