//! What differs between the languages of GPUs. Statements and expressions are alike in both: `x = f(a, b);`, `if (c) { … }`, `while (c) { … }`,
//! `return x;`. Operations are functions with the same names, which live in `rts/wgsl` and `rts/cuda`.

use crate::repr::Repr;
use nestled_ir::Scalar;
use nestled_rt::device::Math;

/// A language, and what a machine that speaks it can do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// Which language.
    pub language: Language,
    /// Whether there are integers of 64 bits.
    pub int64: bool,
    /// Whether there are floats of 64 bits.
    pub float64: bool,
    /// Threads of a workgroup.
    pub workgroup: u32,
    /// Bytes of private arrays that a thread may have.
    pub private: u64,
    /// In which orders floats may be joined.
    pub math: Math,
    /// The text of operations that a module begins with, or takes what it needs of.
    pub library: String,
}

/// The languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// The WebGPU shading language.
    Wgsl,
    /// CUDA C++, of which everything lies inside one struct, so that functions see memory and parameters.
    Cuda,
}

impl Dialect {
    /// `let x: T = e;`
    pub fn constant(&self, name: &str, ty: &str, value: &str) -> String {
        match self.language {
            Language::Wgsl => format!("let {name}: {ty} = {value};"),
            Language::Cuda => format!("const {ty} {name} = {value};"),
        }
    }

    /// `var x: T;`
    pub fn variable(&self, name: &str, ty: &str, value: Option<&str>) -> String {
        match (self.language, value) {
            (Language::Wgsl, Some(value)) => format!("var {name}: {ty} = {value};"),
            (Language::Wgsl, None) => format!("var {name}: {ty};"),
            (Language::Cuda, Some(value)) => format!("{ty} {name} = {value};"),
            (Language::Cuda, None) => format!("{ty} {name} = {{}};"),
        }
    }

    /// A private array of so many elements, of which there is at least one.
    pub fn array(&self, name: &str, ty: &str, len: u64) -> String {
        match self.language {
            Language::Wgsl => format!("var {name}: array<{ty}, {len}>;"),
            Language::Cuda => format!("{ty} {name}[{len}];"),
        }
    }

    /// The line that begins a function.
    pub fn function(&self, name: &str, params: &[(String, String)], result: Option<&str>) -> String {
        match self.language {
            Language::Wgsl => {
                let params: Vec<String> = params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                let result = result.map_or(String::new(), |ty| format!(" -> {ty}"));
                format!("fn {name}({}){result} {{", params.join(", "))
            }
            Language::Cuda => {
                let params: Vec<String> = params.iter().map(|(name, ty)| format!("{ty} {name}")).collect();
                format!(
                    "__device__ __forceinline__ {} {name}({}) {{",
                    result.unwrap_or("void"),
                    params.join(", ")
                )
            }
        }
    }

    /// The definition of a struct, which has at least one field.
    pub fn structure(&self, name: &str, fields: &[(String, String)]) -> String {
        match self.language {
            Language::Wgsl => {
                let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                format!("struct {name} {{ {} }}", fields.join(", "))
            }
            Language::Cuda => {
                let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{ty} {name};")).collect();
                format!("struct {name} {{ {} }};", fields.join(" "))
            }
        }
    }

    /// A value of a struct.
    pub fn make(&self, name: &str, fields: &[String]) -> String {
        match self.language {
            Language::Wgsl => format!("{name}({})", fields.join(", ")),
            Language::Cuda => format!("{name}{{{}}}", fields.join(", ")),
        }
    }

    /// An array that the threads of a workgroup share: of module scope in WGSL, of the function in CUDA.
    pub fn shared(&self, name: &str, ty: &str, len: u32) -> String {
        match self.language {
            Language::Wgsl => format!("var<workgroup> {name}: array<{ty}, {len}>;"),
            Language::Cuda => format!("__shared__ {ty} {name}[{len}];"),
        }
    }

    /// Waits for the other threads of the workgroup, and for what they wrote to memory.
    pub fn barrier(&self) -> &'static str {
        match self.language {
            Language::Wgsl => "workgroupBarrier(); storageBarrier();",
            Language::Cuda => "__syncthreads();",
        }
    }

    /// A literal, held so. Floats are made of their bits where no compiler sees it, lest it complain of infinities, or fold otherwise.
    pub fn literal(&self, scalar: Scalar, repr: Repr) -> String {
        let bits = scalar.to_bits();
        let cuda = self.language == Language::Cuda;
        match repr {
            Repr::Bool => (bits != 0).to_string(),
            Repr::U8 | Repr::U16 | Repr::U32 | Repr::F16 => format!("{bits}u"),
            Repr::I8 => self.small(i64::from(bits as i8)),
            Repr::I16 => self.small(i64::from(bits as i16)),
            Repr::I32 => match (bits as i32, cuda) {
                (i32::MIN, false) => "i32(-2147483648)".to_owned(),
                (i32::MIN, true) => "(-2147483647 - 1)".to_owned(),
                (value, false) => format!("{value}i"),
                (value, true) => format!("({value})"),
            },
            Repr::I64 => match (bits as i64, cuda) {
                (i64::MIN, false) => "(-9223372036854775807li - 1li)".to_owned(),
                (i64::MIN, true) => "(-9223372036854775807ll - 1ll)".to_owned(),
                (value, false) => format!("{value}li"),
                (value, true) => format!("({value}ll)"),
            },
            Repr::F32 => format!("lit_f32(0x{bits:08x}u)"),
            Repr::F64 => format!("lit_f64(0x{bits:016x}{})", if cuda { "ull" } else { "lu" }),
        }
    }

    /// Zero.
    pub fn zero(&self, repr: Repr) -> String {
        match repr {
            Repr::Bool => "false".to_owned(),
            Repr::F32 => "0.0f".to_owned(),
            Repr::F64 if self.language == Language::Wgsl => "0.0lf".to_owned(),
            Repr::F64 => "0.0".to_owned(),
            other => self.literal(Scalar::I64(0), other),
        }
    }

    /// An index literal of 32 bits.
    pub fn small(&self, value: i64) -> String {
        self.literal(Scalar::I32(value as i32), Repr::I32)
    }
}
