//! The differences between GPU languages. Statements and expressions are alike in both: `x = f(a, b);`, `if (c) { … }`, `while (c) { … }`, `return
//! x;`. Operations are functions with the same names, defined in `rts/` of `nestled-wgpu` and `nestled-cuda`.

use crate::repr::Repr;
use nestled_ir::Scalar;
use nestled_rt::device::Math;

/// A language, and the capabilities of a machine that runs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// The language.
    pub language: Language,
    /// Whether there are integers of 64 bits.
    pub int64: bool,
    /// Whether there are floats of 64 bits.
    pub float64: bool,
    /// Threads of a workgroup.
    pub workgroup: u32,
    /// Maximum bytes of private arrays of a thread.
    pub private: u64,
    /// The orders in which floats may be joined.
    pub math: Math,
    /// The library text of operations, of which a module includes all or the used items.
    pub library: String,
}

/// The languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// The WebGPU shading language.
    Wgsl,
    /// CUDA C++. A module is one struct, so that functions see memory and parameters.
    Cuda,
}

impl Dialect {
    /// True if there are warps, and workgroups may wait for each other.
    pub fn has_warps(&self) -> bool {
        self.language == Language::Cuda
    }

    /// Writes a constant: `let x: T = e;`
    pub fn constant(&self, name: &str, ty: &str, value: &str) -> String {
        match self.language {
            Language::Wgsl => format!("let {name}: {ty} = {value};"),
            Language::Cuda => format!("const {ty} {name} = {value};"),
        }
    }

    /// Writes a variable: `var x: T;`
    pub fn variable(&self, name: &str, ty: &str, value: Option<&str>) -> String {
        match (self.language, value) {
            (Language::Wgsl, Some(value)) => format!("var {name}: {ty} = {value};"),
            (Language::Wgsl, None) => format!("var {name}: {ty};"),
            (Language::Cuda, Some(value)) => format!("{ty} {name} = {value};"),
            (Language::Cuda, None) => format!("{ty} {name} = {{}};"),
        }
    }

    /// Writes the declaration of a private array of `len` elements; `len` is at least 1.
    pub fn array(&self, name: &str, ty: &str, len: u64) -> String {
        match self.language {
            Language::Wgsl => format!("var {name}: array<{ty}, {len}>;"),
            Language::Cuda => format!("{ty} {name}[{len}];"),
        }
    }

    /// Writes the line that begins a function.
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

    /// Writes the definition of a struct, which has at least one field.
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

    /// Writes a value of a struct.
    pub fn make(&self, name: &str, fields: &[String]) -> String {
        match self.language {
            Language::Wgsl => format!("{name}({})", fields.join(", ")),
            Language::Cuda => format!("{name}{{{}}}", fields.join(", ")),
        }
    }

    /// Writes a shared array of a workgroup: of module scope in WGSL, of function scope in CUDA.
    pub fn shared(&self, name: &str, ty: &str, len: u32) -> String {
        match self.language {
            Language::Wgsl => format!("var<workgroup> {name}: array<{ty}, {len}>;"),
            Language::Cuda => format!("__shared__ {ty} {name}[{len}];"),
        }
    }

    /// Writes a workgroup barrier, which also orders writes to memory.
    pub fn barrier(&self) -> &'static str {
        match self.language {
            Language::Wgsl => "workgroupBarrier(); storageBarrier();",
            Language::Cuda => "__syncthreads();",
        }
    }

    /// Writes a literal in a representation. Floats are made from their bits at run time, so that compilers neither reject infinities nor fold them
    /// differently.
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
            Repr::U64 => format!("{bits}{}", if cuda { "ull" } else { "lu" }),
            Repr::F32 => format!("lit_f32(0x{bits:08x}u)"),
            Repr::F64 => format!("lit_f64(0x{bits:016x}{})", if cuda { "ull" } else { "lu" }),
        }
    }

    /// Writes zero.
    pub fn zero(&self, repr: Repr) -> String {
        match repr {
            Repr::Bool => "false".to_owned(),
            Repr::F32 => "0.0f".to_owned(),
            Repr::F64 if self.language == Language::Wgsl => "0.0lf".to_owned(),
            Repr::F64 => "0.0".to_owned(),
            other => self.literal(Scalar::I64(0), other),
        }
    }

    /// Writes an index literal of 32 bits.
    pub fn small(&self, value: i64) -> String {
        self.literal(Scalar::I32(value as i32), Repr::I32)
    }
}
