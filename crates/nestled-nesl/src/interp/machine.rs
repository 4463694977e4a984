//! The abstract machine of the interpreter: frames on an explicit stack.

use super::random::Random;
use super::scalar::scalar;
use super::sequence::sequence;
use super::streams::Streams;
use super::{Circumstances, Fault, Sequence, Value, World, circumstances};
use crate::core::{Atom, Block, CoreTypes, DataOp, Each, Function, Local, Op, Program, Statement};
use crate::dialect::Dialect;
use crate::fault::FaultCode;
use crate::primitive::Primitive;
use crate::typed::GlobalId;
use nestled_ir::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// Resource limits, so that no program runs for ever.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest number of steps: statements, and elements that they make.
    pub steps: u64,
    /// Largest depth of calls.
    pub depth: usize,
    /// Largest memory of the elements of sequences at one time, in bytes.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: u64::MAX, depth: 2_000_000, bytes: u64::MAX }
    }
}

/// The settings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Widths and identities.
    pub dialect: Dialect,
    /// True if positions, lengths and divisors are checked.
    pub arg_check: bool,
    /// Resource limits.
    pub limits: Limits,
}

/// Computes the value of a program. `globals` holds the values of the top level.
pub fn run(
    program: &Program,
    types: &CoreTypes,
    globals: &HashMap<GlobalId, Value>,
    settings: Settings,
    world: &mut dyn World,
) -> Result<Value, Fault> {
    let main = &program.functions[program.main.0 as usize];
    let mut machine = Machine {
        program,
        types,
        globals,
        settings,
        world,
        frames: Vec::new(),
        environments: Vec::new(),
        random: Random::seeded(0),
        generator: 0,
        started: 0.0,
        steps: 0,
        begun: 0,
        look_up: LOOK_UP,
        streams: Streams::default(),
    };
    machine.enter(main, Vec::new(), Span::NONE, None);
    loop {
        match machine.step() {
            Ok(None) => {}
            Ok(Some(value)) => return Ok(value),
            Err((code, message)) => {
                let span = machine.place();
                // What the program says itself needs no more words.
                let why = if code == FaultCode::Error { Circumstances::default() } else { machine.why() };
                return Err(Fault { code, message, span, why: Box::new(why) });
            }
        }
    }
}

/// A failed check, with the program's message if it has one.
pub(super) type Stop = (FaultCode, Option<String>);

/// A block that is being run.
struct Frame<'p> {
    block: &'p Block,
    at: usize,
    /// True if the environment on top belongs to this frame, not to one below.
    owns: bool,
    each: Option<Box<Elements<'p>>>,
    /// The function that contains the block.
    function: &'p Function,
    /// The place of the call in the program. Statements of the library, which have no place, are there.
    called: Span,
    /// The calls that tail calls have replaced in this frame.
    replaced: Option<Box<Circumstances>>,
}

/// Performs an operation on values of datatypes.
fn data(op: DataOp, mut args: Vec<Value>) -> Value {
    let given = args.pop();
    match (op, given) {
        (DataOp::Construct(tag), content) => Value::data(tag, content),
        (DataOp::Tag, Some(value)) => Value::Int(value.node().tag as i64),
        (DataOp::Content(tag), Some(value)) => {
            debug_assert_eq!(value.node().tag, tag);
            value.node().content.clone().expect("the variant has a content")
        }
        (op, _) => unreachable!("{op:?} is of programs that are flattened"),
    }
}

impl Frame<'_> {
    /// Returns the place in the program of a statement of the frame.
    fn place_of(&self, statement: &Statement) -> Span {
        if statement.span.is_known() { statement.span } else { self.called }
    }
}

/// An apply-to-each that is being run.
struct Elements<'p> {
    each: &'p Each,
    sources: Vec<Arc<Sequence>>,
    n: usize,
    results: Vec<Value>,
    outer: Random,
    split: u32,
}

pub(super) struct Machine<'p, 'w> {
    program: &'p Program,
    types: &'p CoreTypes,
    globals: &'p HashMap<GlobalId, Value>,
    pub(super) settings: Settings,
    pub(super) world: &'w mut dyn World,
    frames: Vec<Frame<'p>>,
    environments: Vec<Vec<Value>>,
    pub(super) random: Random,
    /// The state of the generator shared by all instances.
    pub(super) generator: u64,
    pub(super) started: f64,
    steps: u64,
    /// Number of elements reserved by apply-to-eaches that are being run.
    begun: usize,
    /// The step at which the machine asks next whether it should stop.
    look_up: u64,
    pub(super) streams: Streams,
}

/// Returns the message for a call beyond the limit.
pub(crate) fn too_deep(function: &str, limit: usize) -> String {
    format!(
        "`{function}` is called inside more than {limit} other calls; does a recursion never end? a call in tail position takes no room"
    )
}

/// Number of steps between two questions whether to stop.
const LOOK_UP: u64 = 20_000;

impl<'p> Machine<'p, '_> {
    fn enter(
        &mut self,
        function: &'p Function,
        args: Vec<Value>,
        called: Span,
        replaced: Option<Box<Circumstances>>,
    ) {
        let mut values = vec![Value::Bool(false); function.locals.len()];
        for (parameter, value) in function.parameters.iter().zip(args) {
            values[parameter.0 as usize] = value;
        }
        self.environments.push(values);
        let block = &function.body;
        self.frames.push(Frame { block, at: 0, owns: true, each: None, function, called, replaced });
    }

    fn frame(&mut self) -> &mut Frame<'p> {
        self.frames.last_mut().expect("a running machine has a frame")
    }

    fn set(&mut self, local: Local, value: Value) {
        let values = self.environments.last_mut().expect("a running machine has values");
        values[local.0 as usize] = value;
    }

    fn get(&self, atom: Atom) -> Value {
        match atom {
            Atom::Local(local) => {
                self.environments.last().expect("a running machine has values")[local.0 as usize].clone()
            }
            Atom::Int(value) => Value::Int(value),
            Atom::Float(value) => Value::Float(value),
            Atom::Bool(value) => Value::Bool(value),
            Atom::Char(code) => Value::Char(code),
        }
    }

    fn all(&self, atoms: &[Atom]) -> Vec<Value> {
        atoms.iter().map(|atom| self.get(*atom)).collect()
    }

    fn count(&mut self, steps: usize) -> Result<(), Stop> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps > self.settings.limits.steps {
            let limit = self.settings.limits.steps;
            return Err((FaultCode::Limit, Some(format!("the program takes more than {limit} steps"))));
        }
        if self.steps >= self.look_up {
            self.look_up = self.steps + LOOK_UP;
            if self.world.interrupted() {
                return Err((FaultCode::Interrupted, None));
            }
        }
        Ok(())
    }

    /// Counts elements that are about to be made; fails if memory does not suffice.
    fn make(&mut self, elements: usize) -> Result<(), Stop> {
        self.count(elements)?;
        let limit = self.settings.limits.bytes;
        let size = size_of::<Value>() as u64;
        let wanted = (elements as u64).saturating_mul(size);
        let held = Sequence::held().saturating_add(self.begun as u64 * size);
        if held.saturating_add(wanted) <= limit {
            return Ok(());
        }
        let message = format!(
            "out of memory: {held} bytes are held and {wanted} more are wanted; at most {limit} are allowed"
        );
        Err((FaultCode::Limit, Some(message)))
    }

    /// Returns the innermost place in the user's program.
    fn place(&self) -> Span {
        let Some(frame) = self.frames.last() else { return Span::NONE };
        let last = frame.block.statements.get(frame.at.wrapping_sub(1));
        last.map_or(Span::NONE, |last| frame.place_of(last))
    }

    /// Returns the circumstances of the current statement: its values, elements and calls.
    fn why(&self) -> Circumstances {
        let mut why = Circumstances::default();
        let mut environments = self.environments.iter().rev();
        let mut library = None;
        for (depth, frame) in self.frames.iter().enumerate().rev() {
            let values = if frame.owns { environments.next() } else { environments.clone().next() };
            let Some(values) = values else { return why };
            let statement = frame.block.statements.get(frame.at.wrapping_sub(1));
            if depth + 1 == self.frames.len()
                && let Some(statement) = statement
            {
                let value = |atom: &Atom| match atom {
                    Atom::Local(local) => values[local.0 as usize].clone(),
                    _ => self.get(*atom),
                };
                why.what = circumstances::of_operation(&statement.op, &value);
                why.lengths = circumstances::lengths(&statement.op, &value);
            }
            if let Some(state) = &frame.each
                && !frame.function.library
            {
                why.elements.push(state.results.len());
            }
            if !frame.owns {
                continue;
            }
            if frame.function.library {
                let parameters = &frame.function.parameters;
                let given = parameters.iter().map(|parameter| values[parameter.0 as usize].clone()).collect();
                library = Some((&frame.function.name, given));
            } else if frame.called.is_known() {
                why.call(&frame.function.name, frame.called, 1);
            }
            if let Some(replaced) = &frame.replaced {
                why.calls_of(replaced);
            }
        }
        why.elements.reverse();
        if let Some((name, given)) = library
            && !name.starts_with('_')
        {
            why.what = Some(circumstances::of_call(name, given));
        }
        why
    }

    /// Runs one statement or ends one block; at the end of the program returns its value.
    fn step(&mut self) -> Result<Option<Value>, Stop> {
        self.count(1)?;
        let frame = self.frame();
        let block = frame.block;
        if frame.at == block.statements.len() {
            let value = self.get(block.result);
            return self.leave(value);
        }
        let statement = &block.statements[frame.at];
        frame.at += 1;
        let value = match &statement.op {
            Op::Primitive(primitive, atoms) => self.primitive(*primitive, atoms, statement.local)?,
            Op::Call(function, atoms) => {
                let args = self.all(atoms);
                let function = &self.program.functions[function.0 as usize];
                self.call(function, args, statement)?;
                return Ok(None);
            }
            Op::Global(id) => self.globals[id].clone(),
            Op::Pair(left, right) => Value::pair(self.get(*left), self.get(*right)),
            Op::First(pair) => self.get(*pair).parts().0.clone(),
            Op::Second(pair) => self.get(*pair).parts().1.clone(),
            Op::Closure(atoms) => Value::Closure(Arc::new(self.all(atoms))),
            Op::Captured(closure, position) => match self.get(*closure) {
                Value::Closure(captured) => captured[*position].clone(),
                other => unreachable!("{other:?} is no function value"),
            },
            Op::Sequence(atoms) => Value::seq(self.all(atoms)),
            Op::Data(op, atoms) => {
                let args = self.all(atoms);
                data(*op, args)
            }
            Op::Str(bytes) => Value::string(bytes),
            Op::If(condition, yes, no) => {
                let block = if self.get(*condition).bool() { yes } else { no };
                self.branch(block, statement);
                return Ok(None);
            }
            Op::Each(each) => {
                self.begin(each, statement)?;
                return Ok(None);
            }
        };
        self.set(statement.local, value);
        Ok(None)
    }

    /// True if a statement is in tail position of the frame.
    fn is_last(&mut self, statement: &Statement) -> bool {
        let frame = self.frame();
        let last = frame.at == frame.block.statements.len();
        last && frame.each.is_none() && frame.block.result == Atom::Local(statement.local)
    }

    fn call(&mut self, function: &'p Function, args: Vec<Value>, statement: &Statement) -> Result<(), Stop> {
        let limit = self.settings.limits.depth;
        if self.frames.len() >= limit {
            return Err((FaultCode::Limit, Some(too_deep(&function.name, limit))));
        }
        let place = self.frame().place_of(statement);
        let mut replaced = None;
        if self.is_last(statement) {
            let frame = self.frames.pop().expect("a running machine has a frame");
            if frame.owns {
                self.environments.pop();
                replaced = frame.replaced;
                if !frame.function.library && frame.called.is_known() {
                    replaced.get_or_insert_default().inner_call(&frame.function.name, frame.called);
                }
            }
        }
        self.enter(function, args, place, replaced);
        Ok(())
    }

    fn branch(&mut self, block: &'p Block, statement: &Statement) {
        if self.is_last(statement) {
            let frame = self.frame();
            (frame.block, frame.at) = (block, 0);
            return;
        }
        let frame = self.frame();
        let (function, called) = (frame.function, frame.called);
        let frame = Frame { block, at: 0, owns: false, each: None, function, called, replaced: None };
        self.frames.push(frame);
    }

    fn begin(&mut self, each: &'p Each, statement: &Statement) -> Result<(), Stop> {
        let sources: Vec<Arc<Sequence>> =
            each.sources.iter().map(|atom| self.get(*atom).elements().clone()).collect();
        let shortest = sources.iter().map(|source| source.len()).min().unwrap_or(0);
        let equal = sources.iter().all(|source| source.len() == shortest);
        if !equal && self.settings.arg_check {
            return Err((FaultCode::Length, None));
        }
        self.make(shortest)?;
        let outer = self.random;
        let split = self.random.split();
        if shortest == 0 {
            self.set(statement.local, Value::seq(Vec::new()));
            return Ok(());
        }
        let results = Vec::with_capacity(shortest);
        self.begun += shortest;
        let state = Elements { each, sources, n: shortest, results, outer, split };
        let frame = self.frame();
        let (block, function, called) = (&each.body, frame.function, frame.called);
        let each = Some(Box::new(state));
        let frame = Frame { block, at: 0, owns: false, each, function, called, replaced: None };
        self.frames.push(frame);
        self.element();
        Ok(())
    }

    /// Binds the next elements in the block of an apply-to-each.
    fn element(&mut self) {
        let frame = self.frames.last_mut().expect("a running machine has a frame");
        let state = frame.each.as_ref().expect("the frame is of an apply-to-each");
        let position = state.results.len();
        let values = self.environments.last_mut().expect("a running machine has values");
        for (element, source) in state.each.elements.iter().zip(&state.sources) {
            values[element.0 as usize] = source[position].clone();
        }
        self.random = state.outer.instance(state.split, position);
        frame.at = 0;
    }

    /// Pops the topmost block, which has computed a value.
    fn leave(&mut self, value: Value) -> Result<Option<Value>, Stop> {
        let frame = self.frame();
        let value = match &mut frame.each {
            None => value,
            Some(state) => {
                state.results.push(value);
                if state.results.len() < state.n {
                    self.element();
                    return Ok(None);
                }
                let results = std::mem::take(&mut state.results);
                let mut outer = state.outer;
                outer.split();
                self.random = outer;
                self.begun -= results.len();
                Value::seq(results)
            }
        };
        let frame = self.frames.pop().expect("a running machine has a frame");
        if frame.owns {
            self.environments.pop();
        }
        let Some(below) = self.frames.last() else { return Ok(Some(value)) };
        let local = below.block.statements[below.at - 1].local;
        self.set(local, value);
        Ok(None)
    }

    fn primitive(&mut self, primitive: Primitive, atoms: &[Atom], local: Local) -> Result<Value, Stop> {
        let Settings { dialect, arg_check, .. } = self.settings;
        // Most operations are of one or two scalars, and make no list of them.
        let outcome = match atoms {
            [one] => scalar(primitive, &[self.get(*one)], dialect, arg_check),
            [one, other] => scalar(primitive, &[self.get(*one), self.get(*other)], dialect, arg_check),
            _ => scalar(primitive, &self.all(atoms), dialect, arg_check),
        };
        if let Some(outcome) = outcome {
            return outcome.map_err(|code| (code, None));
        }
        let args = self.all(atoms);
        let ty = self.frame().function.locals[local.0 as usize];
        let types = self.types;
        let element = types.element(ty).map_or(types.get(ty), |element| types.get(element));
        let size: usize = args.iter().map(|arg| if let Value::Seq(e) = arg { e.len() } else { 0 }).sum();
        self.make(size)?;
        if primitive == Primitive::Flatten {
            // Inner sequences may be shared, so that the whole is far larger than what there is.
            let inner = args[0].elements().iter().map(|inner| inner.elements().len());
            self.make(inner.fold(0, usize::saturating_add))?;
        }
        if let (Primitive::Distribute | Primitive::Index, Some(Value::Int(length))) = (primitive, args.last())
        {
            self.make(usize::try_from(*length).unwrap_or(0))?;
            if *length > i64::from(u32::MAX) {
                return Err((
                    FaultCode::Limit,
                    Some(format!("{length} elements are too many for one sequence")),
                ));
            }
        }
        if let Some(outcome) = sequence(primitive, &args, element, dialect, arg_check) {
            return outcome.map_err(|code| (code, None));
        }
        self.effect(primitive, &args)
    }
}
