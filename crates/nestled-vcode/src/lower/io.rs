//! Lowering of input and output. λcu has only commands, so a program requests by a line on standard error and reads the answer as a file.
//!
//! ```text
//! WRITE INT          eprint "WRITE INT " v
//! FREAD INT          eprint "FREAD INT " fd     then files `vcode:value`, `vcode:message`, and `vcode:ok`, which is there if all went well
//! ```
//!
//! [`World`](crate::world::World) answers, and converts written values to the text of the language. Without anyone to answer, values that are read are empty and
//! every request fails, as in the original when there is no such file.

use super::kernel::{Sweep, number, position};
use super::operands::{Operands, wrong_operand};
use super::slot::{Descr, Form, Slot, Vector};
use super::{Lower, Lowering};
use crate::stack::ir::Var;
use crate::syntax::instr::{Elem, Instr, Medium};
use nestled_ir::{
    Atom, Axis, Command, HostAtom, HostOp, Index, Name, Op, PrintItem, Rule, Scalar, ScalarType, Span,
    ValueId,
};

/// The code of the check by which `EXIT` ends a program.
pub const EXIT: &str = "EXIT";

/// The files in which answers are found, and the separator of requests.
pub mod protocol {
    /// The value; for `FOPEN` the number of the file; for `FREAD_CHAR` the text.
    pub const VALUE: &str = "vcode:value";
    /// For `FREAD_CHAR` the character that ended the text; for `SPAWN` the three numbers of files.
    pub const STOP: &str = "vcode:stop";
    /// The error message.
    pub const MESSAGE: &str = "vcode:message";
    /// Exists if the request succeeded.
    pub const OK: &str = "vcode:ok";
    /// The text between the parts of a line.
    pub const SEPARATOR: &str = " ; ";
}

impl Lowering<'_> {
    /// Writes an instruction that reads or writes.
    pub fn talk(&mut self, instr: Instr, args: &[Var], what: &str, span: Span) -> Lower<Vec<Slot>> {
        let medium = match instr {
            Instr::Write(medium) | Instr::Fwrite(medium) | Instr::Read(medium) | Instr::Fread(medium) => {
                medium
            }
            _ => Medium::Char,
        };
        let writes = matches!(instr, Instr::Write(_) | Instr::Fwrite(_));
        let mut said = Vec::new();
        let mut line = what.to_owned();
        for (position, &arg) in args.iter().enumerate() {
            let slot = self.frame.slot(arg).clone();
            let atom = match slot {
                // What is written is printed by its own type, unless it is characters.
                Slot::Vector(vector) if writes && position == 0 => {
                    if medium == Medium::Char && vector.elem != Elem::Int {
                        return Err(wrong_operand(what, &slot, "INT", span));
                    }
                    if medium != Medium::Char {
                        line = format!("{} {}", what.split(' ').next().unwrap_or(what), vector.elem.word());
                    }
                    self.printable(&vector, span)?
                }
                Slot::Descr(descr) if writes && position == 0 => {
                    line = format!("{} SEGDES", what.split(' ').next().unwrap_or(what));
                    let lengths = self.lengths(descr, span)?;
                    self.printable(&lengths, span)?
                }
                _ => {
                    let mut operands = Operands { lowering: self, what, args, span };
                    let vector = operands.vector(position, Elem::Int)?;
                    self.printable(&vector, span)?
                }
            };
            said.push(atom);
        }
        let mut items = vec![PrintItem::Text(line.into())];
        for atom in said {
            items.push(PrintItem::Text(protocol::SEPARATOR.into()));
            items.push(PrintItem::Value(atom));
        }
        let command = Command::Print { items, to_error: true };
        self.emit(&[], HostOp::Command(command), span)?;
        let mut slots = Vec::new();
        match instr {
            Instr::Read(medium) | Instr::Fread(medium) => slots.push(self.answer(medium, span)?),
            Instr::Fopen => {
                let fd = self.ask_ints(protocol::VALUE, span)?;
                slots.push(Slot::Vector(self.element_or(&fd, Place::Last, span)?));
            }
            Instr::FreadChar => {
                slots.push(Slot::Vector(self.ask_ints(protocol::VALUE, span)?));
                slots.push(Slot::Vector(self.ask_ints(protocol::STOP, span)?));
            }
            Instr::Spawn => {
                let numbers = self.ask_ints(protocol::STOP, span)?;
                for at in 0..3 {
                    slots.push(Slot::Vector(self.element_or(&numbers, Place::At(at), span)?));
                }
            }
            _ => {}
        }
        slots.push(Slot::Vector(self.ask_ints(protocol::MESSAGE, span)?));
        let (ok, _, _) = self.ask(protocol::OK, span)?;
        slots.push(Slot::Vector(Vector::new(Elem::Bool, Form::One, ok)));
        Ok(slots)
    }

    /// Returns the elements of a vector as one list.
    fn printable(&mut self, vector: &Vector, span: Span) -> Lower<HostAtom> {
        match vector.form {
            Form::One | Form::Flat(_) => Ok(vector.atom),
            Form::Seg(seg) => {
                let total = self.total(seg, span)?;
                self.shaped(vector, Form::Flat(total), span)
            }
        }
    }

    /// Reads an answer: a flag that it exists, its length in bytes, and its bytes.
    fn ask(&mut self, file: &str, span: Span) -> Lower<(HostAtom, Axis, HostAtom)> {
        let elements: Vec<Scalar> = file.bytes().map(Scalar::U8).collect();
        let op = HostOp::Literal { elem: ScalarType::U8, extents: vec![elements.len() as u64], elements };
        let path = self.emit_one("path", op, span)?;
        let names: [Name; 3] = ["ok".into(), "n".into(), "bytes".into()];
        let names: Vec<&Name> = names.iter().collect();
        let binds = self.emit(&names, HostOp::Command(Command::ReadFile { path }), span)?;
        Ok((HostAtom::Value(binds[0]), Axis::Sym(binds[1]), HostAtom::Value(binds[2])))
    }

    /// Reads an answer of integers, eight bytes each.
    fn ask_ints(&mut self, file: &str, span: Span) -> Lower<Vector> {
        self.ask_vector(file, Elem::Int, span)
    }

    /// Reads an answer that is a vector, eight bytes for each element.
    fn ask_vector(&mut self, file: &str, elem: Elem, span: Span) -> Lower<Vector> {
        let (_, n, bytes) = self.ask(file, span)?;
        let eighth = self.axis_div8(n, span)?;
        let site = self.out.site(span);
        let k = self.emit_one("k", HostOp::Dim { extent: eighth, site }, span)?;
        let k = Axis::Sym(k);
        let mut sweep = self.sweep("read", Form::One, span);
        let (n_bytes, n_words) = (sweep.extent("n"), sweep.extent("k"));
        let data = sweep.array("bytes", ScalarType::U8, Some(n_bytes));
        sweep.space = vec![n_words];
        Self::begin(&mut sweep);
        let word = self.eight_bytes(&mut sweep, data, span);
        let code = sweep.code();
        let value = match (elem, self.options.float) {
            (Elem::Int, _) => code.op(Op::Convert(self.options.int), &[word]),
            (Elem::Bool, _) => code.op(Op::Ne, &[word, number(ScalarType::I64, 0)]),
            (Elem::Float, float) => {
                let value = code.op(Op::Bitcast(ScalarType::F64), &[word]);
                if float == ScalarType::F32 { code.op(Op::Convert(float), &[value]) } else { value }
            }
        };
        let read = sweep.map("read", value);
        let values = self.run(sweep, vec![read], vec![n, k], vec![bytes], span)?;
        Ok(Vector::new(elem, Form::Flat(k), HostAtom::Value(values[0])))
    }

    /// Reads eight bytes at the thunk's own place as a word, least significant byte first.
    fn eight_bytes(&mut self, sweep: &mut Sweep, bytes: ValueId, span: Span) -> Atom {
        let i64 = ScalarType::I64;
        let own = sweep.at()[0];
        let code = sweep.code();
        let carried = vec![code.carried("sum", number(i64, 0))];
        let b = code.local("b", ScalarType::Idx);
        let (sum, at) = (Atom::Local(carried[0].local), Atom::Local(b));
        code.open();
        let first = code.op(Op::Mul, &[own, position(8)]);
        let place = code.op(Op::Add, &[first, at]);
        let site = self.out.site(span);
        let byte = sweep.element(bytes, &[place], Rule::Fault, Some(site));
        let code = sweep.code();
        let byte = code.op(Op::Convert(i64), &[byte]);
        let bits = code.op(Op::Mul, &[at, position(8)]);
        let bits = code.op(Op::Convert(i64), &[bits]);
        let byte = code.op(Op::Shl, &[byte, bits]);
        let sum = code.op(Op::Or, &[sum, byte]);
        let body = code.close(vec![sum]);
        code.for_loop(b, [position(0), position(8)], carried, body)[0]
    }

    fn axis_div8(&mut self, axis: Axis, span: Span) -> Lower<HostAtom> {
        let args = vec![super::frame::axis_atom(axis), HostAtom::Const(Scalar::Idx(8))];
        self.scalar(Op::Div, args, span)
    }

    /// Reads the answer as a value of the medium.
    fn answer(&mut self, medium: Medium, span: Span) -> Lower<Slot> {
        match medium {
            Medium::Vector(elem) => Ok(Slot::Vector(self.ask_vector(protocol::VALUE, elem, span)?)),
            Medium::Char => Ok(Slot::Vector(self.ask_ints(protocol::VALUE, span)?)),
            Medium::Segdes => {
                let lengths = self.ask_ints(protocol::VALUE, span)?;
                let descr: Descr = self.make_segdes(&lengths, span)?;
                Ok(Slot::Descr(descr))
            }
        }
    }

    /// Returns the element of a vector at a place, or -1 where there is none.
    fn element_or(&mut self, vector: &Vector, place: Place, span: Span) -> Lower<Vector> {
        let n = self.extent(vector, span)?;
        let given = self.shaped(vector, Form::Flat(n), span)?;
        let int = self.options.int;
        let mut sweep = self.sweep("last", Form::Flat(n), span);
        let v = sweep.vector("v", int);
        let extent = sweep.space.pop();
        Self::begin(&mut sweep);
        let at = match (place, extent) {
            (Place::Last, Some(Axis::Sym(n))) => sweep.code().op(Op::Sub, &[Atom::Value(n), position(1)]),
            (Place::Last, Some(Axis::Const(_)) | None) => unreachable!("a vector's extent has a name"),
            (Place::At(at), _) => position(at),
        };
        let index = vec![Index { at, rule: Rule::Else }];
        let element = sweep.code().read(v, index, Some(number(int, -1)), None);
        let last = sweep.map("last", element);
        let value = self.run(sweep, vec![last], vec![n], vec![given], span)?[0];
        Ok(Vector::new(Elem::Int, Form::One, HostAtom::Value(value)))
    }
}

/// A place in a vector.
#[derive(Clone, Copy)]
enum Place {
    /// The last element.
    Last,
    /// A position.
    At(i64),
}
