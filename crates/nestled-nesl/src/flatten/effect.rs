//! Effects: input, output and other requests to the host. λcu has only commands, so a program requests by a line on standard error and reads the answers as
//! files.
//!
//! In a context one request is made for all instances, with the values of all; the host answers for them in order.
//!
//! ```text
//! print_string s     eprint "print 5:hello"
//! _host_open(s, 1)   eprint "call 2 1 s [3] 3:abc i 1"     then files `nesl:0`, `nesl:1`, … with what it gives
//! ```

use super::host::{array, axis_atom};
use super::point::{Point, Run, idx};
use super::val::{At, Base, Leaf, Place, Val};
use super::{Emitter, Result, TypeShape};
use crate::core::Ty;
use crate::fault::FaultCode;
use crate::primitive::Primitive;
use nestled_ir::{
    Atom, Axis, Command, HostAtom, HostBlock, HostOp, Op, PrintItem, Scalar, ScalarType, Shape,
};
use std::rc::Rc;

/// The words of the protocol.
pub(crate) mod protocol {
    /// Prints a text.
    pub const PRINT: &str = "print ";
    /// The message of `error`.
    pub const ABORT: &str = "abort ";
    /// Calls the host.
    pub const CALL: &str = "call ";
    /// Begins to measure time.
    pub const START: &str = "start";
    /// Asks for the time since then.
    pub const STOP: &str = "stop";
    /// Takes a number of random numbers, and asks for the state of the generator before them.
    pub const RANDOM: &str = "random ";
    /// Seeds the random numbers.
    pub const SEED: &str = "seed ";
    /// Prefix of the names of answers.
    pub const ANSWER: &str = "nesl:";
}

impl Emitter<'_> {
    /// Writes a primitive that acts on the world.
    pub fn act(&mut self, primitive: Primitive, args: &[Val], ty: Ty) -> Result<Val> {
        self.settle_all();
        let done = Val::host(0, ScalarType::Bool, HostAtom::Const(Scalar::Bool(true)));
        match primitive {
            Primitive::PrintString => {
                self.say_text(protocol::PRINT, &args[0]);
                Ok(done)
            }
            Primitive::Abort => {
                self.abort(&args[0]);
                Ok(done)
            }
            Primitive::RandSeed => {
                self.seed(&args[0]);
                Ok(done)
            }
            Primitive::RandInOrder => Ok(self.draw_in_order(&args[0])),
            Primitive::SeedInOrder => {
                self.seed_in_order(&args[0]);
                Ok(done)
            }
            Primitive::StartTimer => {
                self.say(vec![PrintItem::Text(protocol::START.into())]);
                Ok(args[0].clone())
            }
            Primitive::StopTimer => {
                self.tie(args);
                self.say(vec![PrintItem::Text(protocol::STOP.into())]);
                Ok(self.answer(ty, &[], &mut 0))
            }
            Primitive::Host(call) => {
                self.out.calls.push(call);
                let size = self.context_size();
                let mut items = vec![PrintItem::Text(protocol::CALL.into())];
                items.push(PrintItem::Text(format!("{} ", self.out.calls.len() - 1).into()));
                items.push(PrintItem::Value(size));
                for arg in args {
                    self.spell(arg, &mut items);
                }
                self.say(items);
                let chain = self.scope.chain.clone();
                Ok(self.answer(ty, &chain, &mut 0))
            }
            other => unreachable!("{other:?} does not act on the world"),
        }
    }

    /// Makes all later code depend on these values, so that timed code is computed neither before nor after.
    pub fn tie(&mut self, vals: &[Val]) {
        let mut after = Vec::new();
        for val in vals {
            self.settled(val).leaves(&mut |leaf| {
                if let At::Host(HostAtom::Value(value)) = leaf.at {
                    after.push(value);
                }
            });
        }
        after.sort_unstable();
        after.dedup();
        if !after.is_empty() {
            self.emit("", HostOp::Command(Command::Clock { after }), 1);
        }
    }

    pub(super) fn say(&mut self, items: Vec<PrintItem>) {
        self.emit("", HostOp::Command(Command::Print { items, to_error: true }), 0);
    }

    /// Writes a request with the texts of all instances concatenated.
    fn say_text(&mut self, what: &str, text: &Val) {
        let text = self.here(text);
        let (_, bytes) = self.flat_data(&text);
        self.say(vec![PrintItem::Text(what.into()), PrintItem::Value(bytes)]);
    }

    /// Returns lengths and elements of flat sequences of the level of the context.
    fn flat_data(&mut self, val: &Val) -> (Option<HostAtom>, HostAtom) {
        let chain = self.scope.chain.clone();
        let solid = self.solid(val, &chain);
        let seq = solid.as_seq();
        let Place::Dense(elems) = &seq.place else { unreachable!("it was made dense") };
        let data = self.resolve(elems.leaf());
        if chain.is_empty() {
            return (None, data);
        }
        let Axis::Sym(seg) = seq.shape else { unreachable!("a segmentation") };
        let lengths = HostAtom::Value(self.emit_one("lengths", HostOp::Lengths { seg }));
        let shape = Shape::new([seq.shape]);
        let size = self.emit_one("size", HostOp::Size { shape });
        let data = self.reshape(data, Shape::new([Axis::Sym(size)]), FaultCode::Limit);
        (Some(lengths), data)
    }

    /// Writes an argument of a call.
    fn spell(&mut self, arg: &Val, items: &mut Vec<PrintItem>) {
        match arg {
            Val::Tuple(parts) => parts.iter().for_each(|part| self.spell(part, items)),
            Val::Scalar(leaf) => {
                let arg = self.here(arg);
                // Arrays of bytes would be printed as texts.
                let chain = self.scope.chain.clone();
                let arg = match leaf.ty {
                    ScalarType::U8 => self.tabulate("code", &chain, &mut |this, k| {
                        let own = k.coordinates();
                        let code = this.read(k, &arg, &own).scalar();
                        Point::Scalar(k.index(code))
                    }),
                    _ => arg,
                };
                let atom = self.resolve(arg.leaf());
                items.push(PrintItem::Text(format!(" {} ", letter(leaf.ty)).into()));
                items.push(PrintItem::Value(atom));
            }
            Val::Seq(seq) => {
                let ty = match &seq.place {
                    Place::Dense(elems) => elems.leaf().ty,
                    Place::View { base, .. } => base.elems.leaf().ty,
                };
                let arg = self.here(arg);
                let (lengths, data) = self.flat_data(&arg);
                let lengths = lengths.unwrap_or_else(|| self.extent_atom(arg.as_seq()));
                items.push(PrintItem::Text(format!(" {} ", letter(ty).to_ascii_uppercase()).into()));
                items.push(PrintItem::Value(lengths));
                items.push(PrintItem::Text(" ".into()));
                items.push(PrintItem::Value(data));
            }
        }
    }

    /// Reads the result of a call for each instance.
    fn answer(&mut self, ty: Ty, chain: &[Axis], next: &mut usize) -> Val {
        match self.shape_of(ty) {
            TypeShape::Tuple(parts) => {
                Val::tuple(parts.into_iter().map(|part| self.answer(part, chain, next)).collect())
            }
            TypeShape::Scalar(ty) => {
                let (_, bytes) = self.read_answer(next);
                self.decoded(bytes, ty, chain)
            }
            TypeShape::Seq(element) => {
                let TypeShape::Scalar(elem) = self.shape_of(element) else {
                    unreachable!("calls give flat sequences")
                };
                let (_, lengths) = self.read_answer(next);
                let (size, bytes) = self.read_answer(next);
                let lengths = self.decoded(lengths, ScalarType::Idx, chain);
                // Characters are bytes as they are.
                let (extent, elems) = match elem {
                    ScalarType::U8 => (size, Val::host(1, elem, bytes)),
                    _ => {
                        let eight = HostAtom::Const(Scalar::Idx(8));
                        let count = self.host_op(Op::Div, vec![axis_atom(size), eight]);
                        let extent = self.dim(count, FaultCode::Limit);
                        (extent, self.decoded(bytes, elem, &[extent]))
                    }
                };
                let base = Rc::new(Base { extent, elems });
                let lengths = self.resolve(lengths.leaf());
                let (shape, starts) = match chain.len() {
                    0 => (self.dim(lengths, FaultCode::Limit), HostAtom::Const(Scalar::Idx(0))),
                    _ => {
                        let shape = self.segments(lengths, FaultCode::Limit);
                        let Axis::Sym(seg) = shape else { unreachable!("a segmentation") };
                        (shape, HostAtom::Value(self.emit_one("starts", HostOp::Starts { seg })))
                    }
                };
                let starts = Leaf { level: chain.len(), ty: ScalarType::Idx, at: At::Host(starts) };
                Val::seq(chain.len(), shape, Place::View { starts, base })
            }
        }
    }

    pub(super) fn read_answer(&mut self, next: &mut usize) -> (Axis, HostAtom) {
        let name = format!("{}{next}", protocol::ANSWER);
        *next += 1;
        let elements: Vec<Scalar> = name.bytes().map(Scalar::U8).collect();
        let op = HostOp::Literal { elem: ScalarType::U8, extents: vec![elements.len() as u64], elements };
        let path = self.emit_one("path", op);
        let binds = self.emit("answer", HostOp::Command(Command::ReadFile { path }), 3);
        (Axis::Sym(binds[1]), HostAtom::Value(binds[2]))
    }

    /// Decodes numbers of eight bytes each, one for each point.
    pub(super) fn decoded(&mut self, bytes: HostAtom, ty: ScalarType, chain: &[Axis]) -> Val {
        let size = self.size(chain);
        let flat: Vec<Axis> = if chain.is_empty() { Vec::new() } else { vec![size] };
        let bytes = array(bytes);
        let val = self.tabulate("decoded", &flat, &mut |this, k| {
            let own = k.coordinates().first().copied().unwrap_or(idx(0));
            let first = k.op(Op::Mul, &[own, idx(8)]);
            let mut word = Atom::Const(Scalar::I64(0));
            for byte in 0..8 {
                let at = k.op(Op::Add, &[first, idx(byte)]);
                let index = vec![nestled_ir::Index { at, rule: nestled_ir::Rule::Clamp }];
                let found = k.read_with(&this.f, bytes, index, None);
                let found = k.convert(found, ScalarType::I64);
                let shifted = k.op(Op::Shl, &[found, Atom::Const(Scalar::I64(8 * byte))]);
                word = k.op(Op::Or, &[word, shifted]);
            }
            let value = match ty {
                ScalarType::F64 | ScalarType::F32 => {
                    let wide = k.op(Op::Bitcast(ScalarType::F64), &[word]);
                    k.convert(wide, ty)
                }
                _ => k.convert(word, ty),
            };
            Point::Scalar(value)
        });
        if chain.len() > 1 { self.reseat(&val, &flat, chain) } else { val }
    }

    /// Writes `error`: stops with the message if the context has a point.
    fn abort(&mut self, message: &Val) {
        let chain = self.scope.chain.clone();
        let message = self.settled(message);
        for level in 1..=chain.len() {
            self.resolve_all(&[&message], level);
        }
        let some = self.is_inhabited(&chain);
        let outer = self.open();
        // That of the first instance.
        let first = self.first_text(&message);
        self.in_context(Vec::new(), |this| this.say_text(protocol::ABORT, &first));
        let site = self.site(FaultCode::Error, self.origin.span);
        let cond = HostAtom::Const(Scalar::Bool(false));
        self.emit("", HostOp::Check { cond, code: FaultCode::Error.to_string().into(), site }, 0);
        let then = self.close(outer, Vec::new());
        self.emit("", HostOp::If { cond: some, then, otherwise: HostBlock::default() }, 0);
    }

    /// Returns the sequence of the first point of the context.
    fn first_text(&mut self, message: &Val) -> Val {
        if message.level() == 0 {
            return message.clone();
        }
        let chain = self.scope.chain.clone();
        let here = self.here(message);
        let size = self.size(&chain);
        let flat = if chain.len() > 1 { self.reseat(&here, &chain, &[size]) } else { here };
        let seq = Rc::clone(flat.as_seq());
        self.tabulate("message", &[], &mut |this, k| {
            let run = Run::At { seq: Rc::clone(&seq), coordinates: vec![idx(0)] };
            Point::Seq(Run::Part(this.run_part(k, &run)))
        })
    }

    /// Writes `rand_seed`.
    fn seed(&mut self, seed: &Val) {
        let chain = self.scope.chain[..seed.level()].to_vec();
        let words = self.tabulate("seed", &chain, &mut |this, k| {
            let own = k.coordinates();
            let seed = this.read(k, seed, &own).scalar();
            let seed = k.convert(seed, ScalarType::I64);
            let high = k.op(Op::Shr, &[seed, Atom::Const(Scalar::I64(32))]);
            let (low, high) = (k.convert(seed, ScalarType::U32), k.convert(high, ScalarType::U32));
            let zero = Point::Scalar(Atom::Const(Scalar::U32(0)));
            Point::Tuple(vec![Point::Scalar(low), Point::Scalar(high), zero])
        });
        self.scope.random = Some(words);
    }
}

/// Returns the letter that stands for a type in a request.
fn letter(ty: ScalarType) -> char {
    match ty {
        ScalarType::Bool => 'b',
        ScalarType::U8 => 'c',
        ScalarType::F32 | ScalarType::F64 => 'f',
        _ => 'i',
    }
}
