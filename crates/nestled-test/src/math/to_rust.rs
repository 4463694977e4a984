//! Translation of thunks to Rust source.
//!
//! Each named thunk of a verified program becomes one function that calls the operations of `exhaustive/rt.rs`; each
//! local becomes a variable `v7`. Nothing is optimised: that is the compiler's part. Thunks that read arrays of a kernel, use private
//! memory or fault are no functions of their arguments and are refused.

use nestled_ir::{
    Atom, Block, Carried, LocalId, Op, Program, Scalar, ScalarType, Stmt, StmtKind, Thunk, ThunkDef, ThunkId,
};
use std::fmt::{self, Write};

/// A thunk that cannot be written as a function of its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The name of the thunk.
    pub thunk: String,
    /// The unsupported behaviour, in words.
    pub what: &'static str,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thunk `{}` {}", self.thunk, self.what)
    }
}

/// All named thunks of a verified program as Rust functions, in order. They expect the items of `exhaustive/rt.rs` in scope.
pub fn to_rust(program: &Program) -> Result<String, Unsupported> {
    let mut source = String::new();
    for def in &program.thunks {
        let writer = Writer { program, def, thunk: &def.thunk };
        let function = writer.function().map_err(|what| Unsupported { thunk: def.name.to_string(), what })?;
        source += &function;
    }
    Ok(source)
}

/// The name of the function for a thunk: its own where no other thunk has the same.
pub fn function_name(program: &Program, id: ThunkId) -> String {
    let name = &program.thunk(id).name;
    let unique = program.thunks.iter().filter(|def| def.name == *name).count() == 1;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if unique && plain { format!("t_{name}") } else { format!("t{}", id.index()) }
}

type Text = Result<String, &'static str>;

struct Writer<'p> {
    program: &'p Program,
    def: &'p ThunkDef,
    thunk: &'p Thunk,
}

impl Writer<'_> {
    fn function(&self) -> Text {
        let id = self.program.thunks.iter().position(|def| std::ptr::eq(def, self.def)).map(ThunkId::from);
        let name = function_name(self.program, id.ok_or("is not of this program")?);
        let mut params = Vec::new();
        for param in self.thunk.params() {
            params.push(format!("{}: {}", local(param), rust_type(self.thunk.local_type(param))?));
        }
        let results = self.def.results.iter().map(|&ty| rust_type(ty)).collect::<Result<Vec<_>, _>>()?;
        let body = self.block(&self.thunk.body)?;
        Ok(format!(
            "#[inline(always)]\npub fn {name}({}) -> {} {{\n{body}}}\n\n",
            params.join(", "),
            tuple(&results)
        ))
    }

    /// The statements and the results of a block.
    fn block(&self, block: &Block) -> Text {
        let mut text = String::new();
        for stmt in &block.stmts {
            text += &self.stmt(stmt)?;
        }
        text += &self.results(block)?;
        text.push('\n');
        Ok(text)
    }

    fn results(&self, block: &Block) -> Text {
        Ok(tuple(&self.atoms(&block.results)?))
    }

    fn stmt(&self, stmt: &Stmt) -> Text {
        let (dsts, value) = match &stmt.kind {
            StmtKind::Op { dst, op, args } => (vec![*dst], self.op(*op, args)?),
            StmtKind::Threefry { .. } => return Err("draws random bits without the text that defines them"),
            StmtKind::Call { dsts, thunk, args } => {
                let name = function_name(self.program, *thunk);
                (dsts.clone(), format!("{name}({})", self.atoms(args)?.join(", ")))
            }
            StmtKind::If { dsts, cond, then, otherwise } => {
                let (cond, then, otherwise) = (self.atom(*cond)?, self.block(then)?, self.block(otherwise)?);
                (dsts.clone(), format!("if {cond} {{\n{then}}} else {{\n{otherwise}}}"))
            }
            StmtKind::For { dsts, var, from, to, carried, body } => {
                let head = format!("for {} in {}..{}", local(*var), self.atom(*from)?, self.atom(*to)?);
                (dsts.clone(), self.round(carried, &head, body)?)
            }
            StmtKind::While { dsts, carried, cond, body } => {
                let head = format!("while {{\n{}}}", self.block(cond)?);
                (dsts.clone(), self.round(carried, &head, body)?)
            }
            StmtKind::Read { .. } | StmtKind::Own { .. } | StmtKind::Window { .. } => {
                return Err("reads arrays of a kernel");
            }
            StmtKind::Len { .. } | StmtKind::Start { .. } => return Err("reads segmentations of a kernel"),
            StmtKind::PrivateNew { .. } | StmtKind::PrivateGet { .. } | StmtKind::PrivateSet { .. } => {
                return Err("uses private memory");
            }
            StmtKind::Check { .. } => return Err("can fault"),
        };
        let names: Vec<String> = dsts.into_iter().map(local).collect();
        Ok(format!("let {} = {value};\n", tuple(&names)))
    }

    /// A loop as an expression: `{ let mut v1 = …; while … { (v1,) = { … }; } (v1,) }`.
    fn round(&self, carried: &[Carried], head: &str, body: &Block) -> Text {
        let mut text = String::from("{\n");
        for carried in carried {
            let ty = rust_type(self.thunk.local_type(carried.local))?;
            writeln!(text, "let mut {}: {ty} = {};", local(carried.local), self.atom(carried.init)?)
                .map_err(|_| "is too long")?;
        }
        let names: Vec<String> = carried.iter().map(|carried| local(carried.local)).collect();
        let names = tuple(&names);
        Ok(format!("{text}{head} {{\n{names} = {{\n{}}};\n}}\n{names}\n}}", self.block(body)?))
    }

    fn op(&self, op: Op, args: &[Atom]) -> Text {
        let texts = self.atoms(args)?;
        let ty = self.type_of(args[op.first_shared_operand()])?;
        if let Op::Select = op {
            return Ok(format!("if {} {{ {} }} else {{ {} }}", texts[0], texts[1], texts[2]));
        }
        let infix = match op {
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            _ => "",
        };
        if !infix.is_empty() {
            return Ok(format!("{} {infix} {}", texts[0], texts[1]));
        }
        let all = texts.join(", ");
        Ok(match op {
            Op::Convert(to) => format!("Convert::<{}>::convert({all})", rust_type(to)?),
            Op::Bitcast(to) => format!("Bits::<{}>::bitcast({all})", rust_type(to)?),
            op if op.is_elementary() => match self.program.find_thunk(&format!("{op}_{ty}")) {
                Some(id) => format!("{}({all})", function_name(self.program, id)),
                None => return Err("needs the text of an elementary function"),
            },
            op => format!("{}.{op}_({})", texts[0], texts[1..].join(", ")),
        })
    }

    fn atoms(&self, atoms: &[Atom]) -> Result<Vec<String>, &'static str> {
        atoms.iter().map(|&atom| self.atom(atom)).collect()
    }

    fn atom(&self, atom: Atom) -> Text {
        match atom {
            Atom::Local(id) => Ok(local(id)),
            Atom::Const(scalar) => literal(scalar),
            Atom::Value(_) => Err("reads scalars of a kernel"),
        }
    }

    fn type_of(&self, atom: Atom) -> Result<ScalarType, &'static str> {
        match atom {
            Atom::Local(id) => Ok(self.thunk.local_type(id)),
            Atom::Const(scalar) => Ok(scalar.ty()),
            Atom::Value(_) => Err("reads scalars of a kernel"),
        }
    }
}

fn local(id: LocalId) -> String {
    format!("v{}", id.index())
}

/// One thing as it is, several as a tuple.
fn tuple<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [one] => one.as_ref().to_owned(),
        items => format!("({})", items.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")),
    }
}

fn rust_type(ty: ScalarType) -> Result<&'static str, &'static str> {
    match ty {
        ScalarType::Bool => Ok("bool"),
        ScalarType::I8 => Ok("i8"),
        ScalarType::U8 => Ok("u8"),
        ScalarType::I16 => Ok("i16"),
        ScalarType::U16 => Ok("u16"),
        ScalarType::I32 => Ok("i32"),
        ScalarType::U32 => Ok("u32"),
        ScalarType::I64 | ScalarType::Idx => Ok("i64"),
        ScalarType::U64 => Ok("u64"),
        ScalarType::F32 => Ok("f32"),
        ScalarType::F64 => Ok("f64"),
        ScalarType::F16 => Err("uses `f16`"),
    }
}

/// Floats by their bits: exact, and NaNs and infinities need no special case.
fn literal(scalar: Scalar) -> Text {
    Ok(match scalar {
        Scalar::Bool(value) => value.to_string(),
        Scalar::I8(value) => format!("({value}i8)"),
        Scalar::U8(value) => format!("{value}u8"),
        Scalar::I16(value) => format!("({value}i16)"),
        Scalar::U16(value) => format!("{value}u16"),
        Scalar::I32(value) => format!("({value}i32)"),
        Scalar::U32(value) => format!("{value}u32"),
        Scalar::I64(value) | Scalar::Idx(value) => format!("({value}i64)"),
        Scalar::U64(value) => format!("{value}u64"),
        Scalar::F32(value) => format!("f32::from_bits({:#010x})", value.to_bits()),
        Scalar::F64(value) => format!("f64::from_bits({:#018x})", value.to_bits()),
        Scalar::F16(_) => return Err("uses `f16`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn translated(text: &str) -> Result<String, Unsupported> {
        let program =
            nestled_ir::text::parse("test.lcu", text).unwrap_or_else(|failure| panic!("{failure:?}"));
        to_rust(&program)
    }

    #[test]
    fn operations_become_methods_and_floats_bits() {
        let rust = translated("thunk f(x: f32) -> (f32, bool) {\n  y = mul x 1.5\n  y, gt y x\n}").unwrap();
        assert_eq!(
            rust,
            "#[inline(always)]\npub fn t_f(v0: f32) -> (f32, bool) {\n\
             let v1 = v0.mul_(f32::from_bits(0x3fc00000));\nlet v2 = v1 > v0;\n(v1, v2)\n}\n\n"
        );
    }

    #[test]
    fn loops_become_loops() {
        let rust = translated(
            "thunk f(x: i64) -> i64 {\n  y = while (a = x) { gt a 10 } do { if eq a 11 { 0i64 } else { div a 2 } }\n  y\n}",
        );
        let rust = rust.unwrap_or_default();
        assert!(rust.contains("let mut ") && rust.contains("while {\n"), "{rust}");
    }

    #[test]
    fn what_is_no_function_of_its_arguments_is_refused() {
        let refused = translated("thunk f(x: bool) -> bool {\n  check x \"E1\"\n  x\n}").unwrap_err();
        assert_eq!(refused.to_string(), "thunk `f` can fault");
    }
}
