//! The machine: frames on a stack of its own.

use super::random::Random;
use super::scalar::scalar;
use super::sequence::sequence;
use super::{Fault, Value, World};
use crate::core::{Atom, Block, CoreTypes, Each, Function, Local, Op, Program, Statement, Ty};
use crate::dialect::Dialect;
use crate::fault::FaultCode;
use crate::primitive::{HostCall, Primitive};
use crate::typed::GlobalId;
use nestled_ir::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// What keeps a program from running for ever.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Statements, and elements that they make.
    pub steps: u64,
    /// Calls inside one another.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: u64::MAX, depth: 2_000_000 }
    }
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Widths and identities.
    pub dialect: Dialect,
    /// Whether positions, lengths and divisors are checked.
    pub arg_check: bool,
    /// Where to stop.
    pub limits: Limits,
    /// Sources before this one are the library's: faults are reported where the program called it.
    pub first_user_source: u32,
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
        started: 0.0,
        steps: 0,
        streams: Vec::new(),
    };
    machine.enter(main, Vec::new(), Span::NONE);
    loop {
        match machine.step() {
            Ok(None) => {}
            Ok(Some(value)) => return Ok(value),
            Err((code, message)) => {
                let span = machine.place();
                return Err(Fault { code, message, span });
            }
        }
    }
}

/// A check that failed, and what the program said about it.
type Stop = (FaultCode, Option<String>);

/// A block that is being run.
struct Frame<'p> {
    block: &'p Block,
    at: usize,
    /// Whether the values on top belong to this frame, not to one below.
    owns: bool,
    each: Option<Box<Elements<'p>>>,
    /// The types of the function's values.
    locals: &'p [Ty],
    /// The innermost place of the user's program that led here.
    user: Span,
}

/// An apply-to-each that is being run.
struct Elements<'p> {
    each: &'p Each,
    sources: Vec<Arc<Vec<Value>>>,
    n: usize,
    results: Vec<Value>,
    outer: Random,
    split: u32,
}

/// A file that is open.
struct Stream {
    name: String,
    /// What is left to be read.
    rest: std::collections::VecDeque<u8>,
    writes: bool,
    open: bool,
}

struct Machine<'p, 'w> {
    program: &'p Program,
    types: &'p CoreTypes,
    globals: &'p HashMap<GlobalId, Value>,
    settings: Settings,
    world: &'w mut dyn World,
    frames: Vec<Frame<'p>>,
    environments: Vec<Vec<Value>>,
    random: Random,
    started: f64,
    steps: u64,
    streams: Vec<Stream>,
}

/// Streams 0 to 2 are the standard ones.
const FIRST_STREAM: i64 = 3;

impl<'p> Machine<'p, '_> {
    fn enter(&mut self, function: &'p Function, args: Vec<Value>, user: Span) {
        let mut values = vec![Value::Bool(false); function.locals.len()];
        for (parameter, value) in function.parameters.iter().zip(args) {
            values[parameter.0 as usize] = value;
        }
        self.environments.push(values);
        let locals = &function.locals;
        self.frames.push(Frame { block: &function.body, at: 0, owns: true, each: None, locals, user });
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
        if self.steps > self.settings.limits.steps { Err((FaultCode::Limit, None)) } else { Ok(()) }
    }

    /// The innermost place in the user's program.
    fn place(&self) -> Span {
        let Some(frame) = self.frames.last() else { return Span::NONE };
        let own = frame.block.statements.get(frame.at.wrapping_sub(1)).map_or(Span::NONE, |last| last.span);
        self.users(own, frame.user)
    }

    fn users(&self, span: Span, otherwise: Span) -> Span {
        if span.is_known() && span.source >= self.settings.first_user_source { span } else { otherwise }
    }

    /// Runs one statement or ends one block; gives the value of the program at its end.
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

    /// Whether nothing is left to do in the frame but to give what this statement gives.
    fn is_last(&mut self, statement: &Statement) -> bool {
        let frame = self.frame();
        let last = frame.at == frame.block.statements.len();
        last && frame.each.is_none() && frame.block.result == Atom::Local(statement.local)
    }

    fn call(&mut self, function: &'p Function, args: Vec<Value>, statement: &Statement) -> Result<(), Stop> {
        if self.frames.len() >= self.settings.limits.depth {
            return Err((FaultCode::Limit, None));
        }
        let outer = self.frame().user;
        let user = self.users(statement.span, outer);
        if self.is_last(statement) {
            let frame = self.frames.pop().expect("a running machine has a frame");
            if frame.owns {
                self.environments.pop();
            }
        }
        self.enter(function, args, user);
        Ok(())
    }

    fn branch(&mut self, block: &'p Block, statement: &Statement) {
        if self.is_last(statement) {
            let frame = self.frame();
            (frame.block, frame.at) = (block, 0);
            return;
        }
        let frame = self.frame();
        let frame = Frame { block, at: 0, owns: false, each: None, locals: frame.locals, user: frame.user };
        self.frames.push(frame);
    }

    fn begin(&mut self, each: &'p Each, statement: &Statement) -> Result<(), Stop> {
        let sources: Vec<Arc<Vec<Value>>> =
            each.sources.iter().map(|atom| self.get(*atom).elements().clone()).collect();
        let shortest = sources.iter().map(|source| source.len()).min().unwrap_or(0);
        let equal = sources.iter().all(|source| source.len() == shortest);
        if !equal && self.settings.arg_check {
            return Err((FaultCode::Length, None));
        }
        self.count(shortest)?;
        let outer = self.random;
        let split = self.random.split();
        if shortest == 0 {
            self.set(statement.local, Value::seq(Vec::new()));
            return Ok(());
        }
        let results = Vec::with_capacity(shortest);
        let state = Elements { each, sources, n: shortest, results, outer, split };
        let frame = self.frame();
        let (locals, user) = (frame.locals, frame.user);
        let frame =
            Frame { block: &each.body, at: 0, owns: false, each: Some(Box::new(state)), locals, user };
        self.frames.push(frame);
        self.element();
        Ok(())
    }

    /// Gives the block of an apply-to-each its next elements.
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

    /// The block on top gave a value.
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
        let args = self.all(atoms);
        let Settings { dialect, arg_check, .. } = self.settings;
        if let Some(outcome) = scalar(primitive, &args, dialect, arg_check) {
            return outcome.map_err(|code| (code, None));
        }
        let ty = self.frame().locals[local.0 as usize];
        let types = self.types;
        let element = types.element(ty).map_or(types.get(ty), |element| types.get(element));
        let size: usize = args.iter().map(|arg| if let Value::Seq(e) = arg { e.len() } else { 0 }).sum();
        self.count(size)?;
        if let (Primitive::Distribute | Primitive::Index, Some(Value::Int(length))) = (primitive, args.last())
        {
            self.count(usize::try_from(*length).unwrap_or(0))?;
            if *length > i64::from(u32::MAX) {
                return Err((FaultCode::Limit, None));
            }
        }
        if let Some(outcome) = sequence(primitive, &args, element, dialect, arg_check) {
            return outcome.map_err(|code| (code, None));
        }
        self.effect(primitive, &args)
    }

    fn effect(&mut self, primitive: Primitive, args: &[Value]) -> Result<Value, Stop> {
        match primitive {
            Primitive::Rand => self.rand(&args[0]).map_err(|code| (code, None)),
            Primitive::RandSeed => {
                self.random = Random::seeded(args[0].int());
                Ok(Value::Bool(true))
            }
            Primitive::StartTimer => {
                self.started = self.world.seconds();
                Ok(args[0].clone())
            }
            Primitive::StopTimer => {
                Ok(Value::Float(self.settings.dialect.round(self.world.seconds() - self.started)))
            }
            Primitive::PrintString => {
                self.world.print(&args[0].bytes());
                Ok(Value::Bool(true))
            }
            Primitive::Abort => {
                let message = String::from_utf8_lossy(&args[0].bytes()).into_owned();
                Err((FaultCode::Error, Some(message)))
            }
            Primitive::Check(code) => {
                let always = code == FaultCode::Unsupported;
                if args[0].bool() || !(self.settings.arg_check || always) {
                    Ok(Value::Bool(true))
                } else {
                    Err((code, None))
                }
            }
            Primitive::Host(call) => self.host(call, args),
            other => unreachable!("{other:?} is a scalar, a sequence or gone"),
        }
    }

    fn rand(&mut self, bound: &Value) -> Result<Value, FaultCode> {
        let bits = self.random.draw();
        match *bound {
            Value::Int(bound) if bound > 0 => {
                Ok(Value::Int(((u128::from(bits) * bound as u128) >> 64) as i64))
            }
            Value::Float(bound) if bound > 0.0 => {
                let steps = (bits >> 34) as f64;
                Ok(Value::Float(self.settings.dialect.round(bound * steps / f64::from(1u32 << 30))))
            }
            Value::Int(_) if !self.settings.arg_check => Ok(Value::Int(0)),
            Value::Float(_) if !self.settings.arg_check => Ok(Value::Float(0.0)),
            _ => Err(FaultCode::Rand),
        }
    }

    fn host(&mut self, call: HostCall, args: &[Value]) -> Result<Value, Stop> {
        let text = |value: &Value| String::from_utf8_lossy(&value.bytes()).into_owned();
        Ok(match call {
            HostCall::ReadFile => match self.world.read_file(&text(&args[0])) {
                Ok(bytes) => Value::pair(Value::string(&bytes), state(Ok(()))),
                Err(message) => Value::pair(Value::string(b""), state(Err(message))),
            },
            HostCall::WriteFile => {
                state(self.world.write_file(&text(&args[1]), &args[0].bytes(), args[2].int() != 0))
            }
            HostCall::Open => match self.open(text(&args[0]), args[1].int()) {
                Ok(handle) => Value::pair(Value::Int(handle), state(Ok(()))),
                Err(message) => Value::pair(Value::Int(-1), state(Err(message))),
            },
            HostCall::Close => state(match self.stream(args[0].int()) {
                Some(stream) => {
                    stream.open = false;
                    Ok(())
                }
                None => Err("the stream is not open".to_owned()),
            }),
            HostCall::ReadByte => match self.read_byte(args[0].int()) {
                Ok(byte) => Value::pair(Value::Int(byte.map_or(-1, i64::from)), state(Ok(()))),
                Err(message) => Value::pair(Value::Int(-1), state(Err(message))),
            },
            HostCall::Write => state(self.write(&args[0].bytes(), args[1].int())),
            HostCall::Variable => Value::string(self.world.variable(&text(&args[0])).as_bytes()),
            HostCall::Shell | HostCall::Spawn => return Err((FaultCode::Unsupported, None)),
        })
    }

    /// Mode 1 reads, 2 writes, 3 appends.
    fn open(&mut self, name: String, mode: i64) -> Result<i64, String> {
        let rest = if mode == 1 { self.world.read_file(&name)?.into() } else { Default::default() };
        if mode == 2 {
            self.world.write_file(&name, b"", false)?;
        }
        self.streams.push(Stream { name, rest, writes: mode != 1, open: true });
        Ok(self.streams.len() as i64 - 1 + FIRST_STREAM)
    }

    fn stream(&mut self, handle: i64) -> Option<&mut Stream> {
        let position = usize::try_from(handle - FIRST_STREAM).ok()?;
        self.streams.get_mut(position).filter(|stream| stream.open)
    }

    fn read_byte(&mut self, handle: i64) -> Result<Option<u8>, String> {
        if handle == 0 {
            return Ok(self.world.read_input());
        }
        match self.stream(handle) {
            Some(stream) if !stream.writes => Ok(stream.rest.pop_front()),
            _ => Err("the stream is not open for reading".to_owned()),
        }
    }

    fn write(&mut self, bytes: &[u8], handle: i64) -> Result<(), String> {
        if handle == 1 || handle == 2 {
            self.world.print(bytes);
            return Ok(());
        }
        let name = match self.stream(handle) {
            Some(stream) if stream.writes => stream.name.clone(),
            _ => return Err("the stream is not open for writing".to_owned()),
        };
        self.world.write_file(&name, bytes, true)
    }
}

/// The pair of success and message that host calls end with.
fn state(result: Result<(), String>) -> Value {
    let message = result.as_ref().err().map_or("", |message| message);
    Value::pair(Value::Bool(result.is_ok()), Value::string(message.as_bytes()))
}
