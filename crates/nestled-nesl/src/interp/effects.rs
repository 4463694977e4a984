//! Primitives that reach outside: random numbers, clocks, printing, files.

use super::Value;
use super::machine::{Machine, Stop};
use super::random::Random;
use crate::fault::FaultCode;
use crate::primitive::{HostCall, Primitive};

/// A file that is open.
pub(super) struct Stream {
    name: String,
    /// What is left to be read.
    rest: std::collections::VecDeque<u8>,
    writes: bool,
    open: bool,
}

/// Streams 0 to 2 are the standard ones.
const FIRST_STREAM: i64 = 3;

impl Machine<'_, '_> {
    pub(super) fn effect(&mut self, primitive: Primitive, args: &[Value]) -> Result<Value, Stop> {
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
