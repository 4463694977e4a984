//! Effects of the interpreter: random numbers, clocks, printing, files, processes.

use super::machine::{Machine, Stop};
use super::random::Random;
use super::streams::Streams;
use super::world::World;
use super::{Value, lcg};
use crate::dialect::Dialect;
use crate::fault::FaultCode;
use crate::primitive::{Column, HostCall, Primitive};

impl Machine<'_, '_> {
    pub(super) fn effect(&mut self, primitive: Primitive, args: &[Value]) -> Result<Value, Stop> {
        match primitive {
            Primitive::Rand => self.rand(&args[0]).map_err(|code| (code, None)),
            Primitive::RandSeed => {
                self.random = Random::seeded(args[0].int());
                Ok(Value::Bool(true))
            }
            Primitive::RandInOrder => self.rand_in_order(&args[0]).map_err(|code| (code, None)),
            Primitive::SeedInOrder => {
                self.generator = lcg::seeded(args[0].int());
                Ok(Value::Bool(true))
            }
            Primitive::StartTimer => {
                self.started = self.world.seconds();
                Ok(args[0].clone())
            }
            Primitive::StopTimer => {
                Ok(Value::Float(self.settings.dialect.round(elapsed(self.started, self.world.seconds()))))
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
            Primitive::Host(call) => {
                let value = host(&mut self.streams, call, args, self.settings.dialect, self.world);
                if self.world.interrupted() { Err((FaultCode::Interrupted, None)) } else { Ok(value) }
            }
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
}

impl Machine<'_, '_> {
    fn rand_in_order(&mut self, bound: &Value) -> Result<Value, FaultCode> {
        self.generator = lcg::skip(self.generator, 1);
        let number = (self.generator >> lcg::SHIFT) as i64;
        match *bound {
            Value::Int(bound) if bound > 0 => Ok(Value::Int(number % bound)),
            Value::Float(bound) if bound > 0.0 => {
                let part = (number & ((1 << 30) - 1)) as f64 / f64::from(1u32 << 30);
                Ok(Value::Float(self.settings.dialect.round(bound * part)))
            }
            Value::Int(_) if !self.settings.arg_check => Ok(Value::Int(0)),
            Value::Float(_) if !self.settings.arg_check => Ok(Value::Float(0.0)),
            _ => Err(FaultCode::Rand),
        }
    }
}

/// Returns the seconds between two moments, rounded to microseconds: finer digits say nothing of a program, and take room where they are shown.
pub fn elapsed(from: f64, to: f64) -> f64 {
    ((to - from) * 1e6).round() / 1e6
}

/// Executes a host call. An error is part of the returned value.
pub fn host(
    streams: &mut Streams,
    call: HostCall,
    args: &[Value],
    dialect: Dialect,
    world: &mut dyn World,
) -> Value {
    let text = |at: usize| String::from_utf8_lossy(&args[at].bytes()).into_owned();
    let empty = || Value::string(b"");
    match call {
        HostCall::ReadFile => with_state(world.read_file(&text(0)).map(Value::text), empty),
        HostCall::WriteFile => state(world.write_file(&text(1), &args[0].bytes(), args[2].int() != 0)),
        HostCall::Open => {
            let handle = streams.open(text(0), args[1].int(), world);
            with_state(handle.map(Value::Int), || Value::Int(-1))
        }
        HostCall::Close => state(streams.close(args[0].int())),
        HostCall::Read => {
            let read = streams.read(&args[0].bytes(), args[1].int(), args[2].int(), world);
            let pair = |(text, status): (Vec<u8>, i64)| Value::pair(Value::text(text), Value::Int(status));
            with_state(read.map(pair), || pair((Vec::new(), -1)))
        }
        HostCall::Write => state(streams.write(&args[0].bytes(), args[1].int(), dialect.compat, world)),
        HostCall::ReadColumn(column) => {
            let wanted = args[0].int();
            let read = read_column(streams, column, args[1].int(), dialect, world).and_then(|values| {
                match wanted < 0 || values.len() as i64 == wanted {
                    true => Ok(Value::seq(values)),
                    false => Err(format!("the file has {} values where {wanted} are expected", values.len())),
                }
            });
            with_state(read, || Value::seq(Vec::new()))
        }
        HostCall::WriteColumn(column) => {
            let text = column_text(column, &args[0]);
            state(streams.write(&text, args[1].int(), dialect.compat, world))
        }
        HostCall::Variable => Value::string(world.variable(&text(0)).as_bytes()),
        HostCall::Shell => match streams.command(&text(0), &args[1].bytes(), world) {
            Ok(output) => Value::text(output),
            Err(message) => {
                world.report(format!("{message}\n").as_bytes());
                empty()
            }
        },
        HostCall::Spawn => {
            let handles = [1, 2, 3].map(|at| args[at].int());
            let triple =
                |[a, b, c]: [i64; 3]| Value::pair(Value::Int(a), Value::pair(Value::Int(b), Value::Int(c)));
            with_state(streams.spawn(&text(0), handles, world).map(triple), || triple([-1; 3]))
        }
        HostCall::Draw => {
            let numbers: Vec<i64> = args[1].elements().iter().map(Value::int).collect();
            with_state(world.draw(&text(0), &numbers, &args[2].bytes()).map(Value::Int), || Value::Int(-1))
        }
    }
}

/// Returns the pair of success flag and message with which host calls end.
fn state(result: Result<(), String>) -> Value {
    let message = result.as_ref().err().map_or("", |message| message);
    Value::pair(Value::Bool(result.is_ok()), Value::string(message.as_bytes()))
}

/// Returns a value paired with that state, or the state of an error with another value.
fn with_state(result: Result<Value, String>, otherwise: impl Fn() -> Value) -> Value {
    match result {
        Ok(value) => Value::pair(value, state(Ok(()))),
        Err(message) => Value::pair(otherwise(), state(Err(message))),
    }
}

fn read_column(
    streams: &mut Streams,
    column: Column,
    handle: i64,
    dialect: Dialect,
    world: &mut dyn World,
) -> Result<Vec<Value>, String> {
    if column == Column::Chars {
        return Ok(streams.characters(handle, world)?.into_iter().map(Value::Char).collect());
    }
    let words = streams.column(column, handle, world)?;
    let value = |word: &Vec<u8>| {
        let word = std::str::from_utf8(word).ok()?;
        match column {
            Column::Ints => word.parse::<i64>().ok().map(|value| Value::Int(dialect.wrap(value))),
            Column::Lengths => word.parse::<u32>().ok().map(|value| Value::Int(i64::from(value))),
            Column::Floats => word.parse::<f64>().ok().map(|value| Value::Float(dialect.round(value))),
            Column::Bools => match word {
                "T" | "t" => Some(Value::Bool(true)),
                "F" | "f" => Some(Value::Bool(false)),
                _ => None,
            },
            Column::Chars => None,
        }
    };
    let wrong =
        |word: &Vec<u8>| format!("`{}` in the file is no value of this type", String::from_utf8_lossy(word));
    words.iter().map(|word| value(word).ok_or_else(|| wrong(word))).collect()
}

fn column_text(column: Column, values: &Value) -> Vec<u8> {
    if column == Column::Chars {
        let bytes = values.bytes();
        return [format!("( {} )\n", bytes.len()).as_bytes(), &*bytes, b"\n"].concat();
    }
    let (open, close) = if column == Column::Lengths { ("[ ", "]\n") } else { ("( ", ")\n") };
    let mut text = open.to_owned();
    for value in values.elements().iter() {
        text += &match value {
            Value::Int(value) => value.to_string(),
            Value::Float(value) => c_exponent(*value),
            Value::Bool(value) => if *value { "T" } else { "F" }.to_owned(),
            other => unreachable!("{other:?} has a column of its own"),
        };
        text.push(' ');
    }
    (text + close).into_bytes()
}

/// Formats a float as C does with `%.14e`: at least two digits of exponent, with its sign.
fn c_exponent(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let text = format!("{value:.14e}");
    let (mantissa, exponent) = text.split_once('e').expect("the format has an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}
