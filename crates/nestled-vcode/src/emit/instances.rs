//! The functions of a program that is being written: one for each function of the core at each *form* of its arguments, and the few that are always the same.
//!
//! A function is written for one instance, where an `if` is an `IF`, or for as many as there are: then its first parameter is the extent of the context. Values
//! of the top level are parameters too, behind the others.

use super::code::Function;
use super::value::Form;
use nestled_ir::Span;
use nestled_nesl::core::{Block, FunctionId, Op, Program, Statement, Ty};
use nestled_nesl::typed::GlobalId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// A function that is wanted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// A function of the core.
    Core(Wanted),
    /// The greatest or least float of each segment; or, of all before each element.
    Extreme {
        /// True for the least.
        least: bool,
        /// True for a scan.
        scan: bool,
        /// True if nothing is below −10³⁶ or above 10³⁶.
        bounded: bool,
    },
}

/// A function of the core at forms of its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wanted {
    /// The number of the statement.
    pub statement: usize,
    /// The function.
    pub function: FunctionId,
    /// True for many instances.
    pub many: bool,
    /// The forms of the arguments.
    pub forms: Vec<Form>,
    /// The forms of the values of the top level that it uses.
    pub globals: Vec<(GlobalId, Form)>,
}

/// The functions so far. `MAIN` is the first.
#[derive(Clone, Debug, Default)]
pub struct Instances {
    known: HashMap<Key, usize>,
    /// Those that are to be written, with the place of the first call.
    pub open: Vec<(usize, Key, Span)>,
    /// Those that are written, by number.
    pub written: Vec<Option<Function>>,
}

impl Instances {
    /// Returns the number of a function.
    pub fn number(&mut self, key: Key, called: Span) -> usize {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if self.written.is_empty() {
            self.written.push(None);
        }
        let number = self.written.len();
        self.written.push(None);
        self.known.insert(key.clone(), number);
        self.open.push((number, key, called));
        number
    }
}

/// A program of the core, and what its functions reach.
#[derive(Debug)]
pub struct Reach {
    /// The program.
    pub program: Program,
    /// For each function whether a call of it may call a function inside itself.
    recursive: Vec<bool>,
    /// For each function the values of the top level that it uses, directly or not.
    globals: Vec<BTreeSet<GlobalId>>,
    /// The types of these values.
    pub types: BTreeMap<GlobalId, Ty>,
}

impl Reach {
    /// Finds what the functions of a program reach.
    pub fn of(program: Program) -> Rc<Reach> {
        let n = program.functions.len();
        let mut calls = vec![BTreeSet::new(); n];
        let mut globals = vec![BTreeSet::new(); n];
        let mut types = BTreeMap::new();
        for (at, function) in program.functions.iter().enumerate() {
            statements(&function.body, &mut |statement| match &statement.op {
                Op::Call(callee, _) => {
                    calls[at].insert(callee.0 as usize);
                }
                Op::Global(id) => {
                    globals[at].insert(*id);
                    types.insert(*id, function.locals[statement.local.0 as usize]);
                }
                _ => {}
            });
        }
        // Called functions, to any depth; programs have few enough of them.
        let mut reached = calls.clone();
        loop {
            let mut grown = false;
            for at in 0..n {
                let more: BTreeSet<usize> =
                    reached[at].iter().flat_map(|callee| reached[*callee].iter().copied()).collect();
                let used: BTreeSet<GlobalId> =
                    reached[at].iter().flat_map(|callee| globals[*callee].iter().copied()).collect();
                let before = (reached[at].len(), globals[at].len());
                reached[at].extend(more);
                globals[at].extend(used);
                grown |= before != (reached[at].len(), globals[at].len());
            }
            if !grown {
                break;
            }
        }
        let circle: Vec<bool> = (0..n).map(|at| reached[at].contains(&at)).collect();
        let recursive =
            (0..n).map(|at| circle[at] || reached[at].iter().any(|callee| circle[*callee])).collect();
        Rc::new(Reach { program, recursive, globals, types })
    }

    /// True if a block may call a function inside itself.
    pub fn may_recur(&self, block: &Block) -> bool {
        let mut found = false;
        statements(block, &mut |statement| {
            if let Op::Call(callee, _) = &statement.op {
                found |= self.recursive[callee.0 as usize];
            }
        });
        found
    }

    /// Returns the values of the top level that a function uses.
    pub fn globals(&self, function: FunctionId) -> &BTreeSet<GlobalId> {
        &self.globals[function.0 as usize]
    }
}

/// Calls `see` with every statement of a block, those of inner blocks included.
fn statements<'a>(block: &'a Block, see: &mut dyn FnMut(&'a Statement)) {
    for statement in &block.statements {
        see(statement);
        match &statement.op {
            Op::If(_, yes, no) => {
                statements(yes, see);
                statements(no, see);
            }
            Op::Each(each) => statements(&each.body, see),
            _ => {}
        }
    }
}
