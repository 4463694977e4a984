//! What acts on the world, as far as λcu's commands reach: a program asks by a line on standard error, and reads the answer as a file.
//!
//! ```text
//! WRITE INT          eprint "WRITE INT " v
//! FREAD INT          eprint "FREAD INT " fd     then files `vcode:value`, `vcode:message`, and `vcode:ok`, which is there if all went well
//! ```
//!
//! [`World`](crate::world::World) answers, and turns what is written into the text of the language. Where nobody answers, what is read is empty
//! and nothing goes well, as in the original when there is no such file.

use super::operands::{Operands, wrong_operand};
use super::slot::{Descr, Form, Slot, Vector};
use super::template::fresh_site;
use super::{Lower, Lowering};
use crate::stack::ir::Var;
use crate::syntax::instr::{Elem, Instr, Medium};
use nestled_ir::{Axis, Command, HostAtom, HostOp, Name, Op, PrintItem, Scalar, ScalarType, Span};

/// The code of the check by which `EXIT` ends a program.
pub const EXIT: &str = "EXIT";

/// The files in which answers are found.
pub mod protocol {
    /// What was read; of `FOPEN` the number of the file; of `FREAD_CHAR` the text.
    pub const VALUE: &str = "vcode:value";
    /// Of `FREAD_CHAR`, what ended the text; of `SPAWN` the three numbers of files.
    pub const STOP: &str = "vcode:stop";
    /// The message.
    pub const MESSAGE: &str = "vcode:message";
    /// There if all went well.
    pub const OK: &str = "vcode:ok";
    /// The text between the parts of a line.
    pub const SEPARATOR: &str = " ; ";
}

impl Lowering<'_> {
    /// An instruction that reads or writes.
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
                slots.push(Slot::Vector(self.element_or(&fd, "(sub n 1)", -1, span)?));
            }
            Instr::FreadChar => {
                slots.push(Slot::Vector(self.ask_ints(protocol::VALUE, span)?));
                slots.push(Slot::Vector(self.ask_ints(protocol::STOP, span)?));
            }
            Instr::Spawn => {
                let numbers = self.ask_ints(protocol::STOP, span)?;
                for position in ["0", "1", "2"] {
                    slots.push(Slot::Vector(self.element_or(&numbers, position, -1, span)?));
                }
            }
            _ => {}
        }
        slots.push(Slot::Vector(self.ask_ints(protocol::MESSAGE, span)?));
        let (ok, _, _) = self.ask(protocol::OK, span)?;
        slots.push(Slot::Vector(Vector::new(Elem::Bool, Form::One, ok)));
        Ok(slots)
    }

    /// The vector as one list.
    fn printable(&mut self, vector: &Vector, span: Span) -> Lower<HostAtom> {
        match vector.form {
            Form::One | Form::Flat(_) => Ok(vector.atom),
            Form::Seg(seg) => {
                let total = self.total(seg, span)?;
                self.shaped(vector, Form::Flat(total), span)
            }
        }
    }

    /// Reads an answer: whether there is one, how many bytes it has, and the bytes.
    fn ask(&mut self, file: &str, span: Span) -> Lower<(HostAtom, Axis, HostAtom)> {
        let elements: Vec<Scalar> = file.bytes().map(Scalar::U8).collect();
        let op = HostOp::Literal { elem: ScalarType::U8, extents: vec![elements.len() as u64], elements };
        let path = self.emit_one("path", op, span)?;
        let names: [Name; 3] = ["ok".into(), "n".into(), "bytes".into()];
        let names: Vec<&Name> = names.iter().collect();
        let binds = self.emit(&names, HostOp::Command(Command::ReadFile { path }), span)?;
        Ok((HostAtom::Value(binds[0]), Axis::Sym(binds[1]), HostAtom::Value(binds[2])))
    }

    /// An answer that is integers, eight bytes each.
    fn ask_ints(&mut self, file: &str, span: Span) -> Lower<Vector> {
        self.ask_vector(file, Elem::Int, span)
    }

    /// An answer that is a vector, eight bytes for each element.
    fn ask_vector(&mut self, file: &str, elem: Elem, span: Span) -> Lower<Vector> {
        let (_, n, bytes) = self.ask(file, span)?;
        let eighth = self.axis_div8(n, span)?;
        let site = fresh_site(&mut self.out, span);
        let k = self.emit_one("k", HostOp::Dim { extent: eighth, site }, span)?;
        let k = Axis::Sym(k);
        let value = match elem {
            Elem::Int => format!("{} word", self.options.int),
            Elem::Bool => "ne word 0".to_owned(),
            Elem::Float => match self.options.float {
                ScalarType::F32 => "f32 (bitcast_f64 word)".to_owned(),
                _ => "bitcast_f64 word".to_owned(),
            },
        };
        let text = format!(
            "kernel k<n, k>(bytes: [n]u8) over k {{\nread = map {{ i =>\n\
             (word) = for b in 0..8 with (sum = 0i64) {{\nbyte = bytes[add (mul i 8) b]\nor sum (shl (i64 byte) (i64 (mul b 8)))\n}}\n\
             {value}\n}}\nret read\n}}"
        );
        let values = self.run(text, "read", vec![n, k], vec![bytes], span)?;
        Ok(Vector::new(elem, Form::Flat(k), HostAtom::Value(values[0])))
    }

    fn axis_div8(&mut self, axis: Axis, span: Span) -> Lower<HostAtom> {
        let args = vec![super::frame::axis_atom(axis), HostAtom::Const(Scalar::Idx(8))];
        self.scalar(Op::Div, args, span)
    }

    /// What was read.
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

    /// The element of a vector at a position, or a number where it has none there.
    fn element_or(&mut self, vector: &Vector, at: &str, number: i64, span: Span) -> Lower<Vector> {
        let n = self.extent(vector, span)?;
        let given = self.shaped(vector, Form::Flat(n), span)?;
        let int = self.options.int;
        let text =
            format!("kernel k<n>(v: [n]{int}) {{\nlast = once {{ => v[{at}] else {number} }}\nret last\n}}");
        let value = self.run(text, "last", vec![n], vec![given], span)?[0];
        Ok(Vector::new(Elem::Int, Form::One, HostAtom::Value(value)))
    }
}
