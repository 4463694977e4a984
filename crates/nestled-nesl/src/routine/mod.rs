//! Routines: NESL functions compiled for callers outside, as λcu programs that take and return flat arrays.
//!
//! ```text
//! function sums(v) = {sum(r) : r in v};
//!
//! fn main<n, t>(lengths: [n]i64, elements: [t]f64) -> (k: dim, [k]f64)
//! ```
//!
//! A nested sequence is represented by its elements, concatenated, and by the lengths for each level of nesting. So no data is copied on the way in or out: a
//! [wrapper](wrap) around the flat program makes segmentations of lengths, and lengths of segmentations.

mod explain;
mod wrap;

use crate::core::{CoreType, CoreTypes, Ty};
use crate::dialect::Dialect;
use crate::fault::FaultCode;
use crate::infer::Checked;
use crate::interp::Fault;
use crate::session::Session;
use crate::token::Text;
use crate::typed::GlobalId;
use crate::types::{Base, Type, TypeId};
use explain::Explainer;
use nestled_ir::{Program, ScalarType, SiteId, Span};
use std::fmt;
use wrap::Taken;

/// A type without functions, whose values can be passed in and out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plain {
    /// `int`
    Int,
    /// `float`
    Float,
    /// `char`
    Char,
    /// `bool`
    Bool,
    /// `[element]`
    Seq(Box<Plain>),
    /// `(left, right)`
    Pair(Box<Plain>, Box<Plain>),
}

/// A function of a session, compiled as a program of its own.
///
/// ```
/// use nestled_nesl::interp::TestWorld;
/// use nestled_nesl::{Dialect, Plain, Session};
/// let mut session = Session::new(Dialect::default());
/// session.run("example", "function total(v) = sum(v);", &mut TestWorld::default());
/// let routine = session.routine("total", &[Plain::Seq(Box::new(Plain::Int))]).unwrap();
/// assert_eq!(routine.result, Plain::Int);
/// ```
#[derive(Debug)]
pub struct Routine {
    /// The program. For each argument `main` takes, and for its result it returns, from the outside to the inside: the extent of each sequence (for sequences
    /// inside of sequences an array of their lengths first, and then the extent of all of them together), and an array for each scalar at the bottom. Extents
    /// are shape parameters.
    pub program: Program,
    /// The type of the result.
    pub result: Plain,
    codes: Vec<FaultCode>,
    explainer: Explainer,
}

impl Routine {
    /// Returns the message of a fault at a site, as the command line prints it; `main` was called with these extents and, in order, these scalars and arrays.
    pub fn fault(&self, site: SiteId, extents: &[u64], args: &[nestled_ir::value::Value]) -> String {
        let Some(&code) = self.codes.get(site.index()) else {
            return "the lengths do not add up to the elements".to_owned();
        };
        let span = self.program.sites[site.index()];
        let why = Box::new(self.explainer.why((code, span), extents, args));
        Fault { code, message: None, span, why }.diagnostic().render(&self.program.sources)
    }
}

impl Plain {
    /// Returns the type of a scalar.
    fn scalar(&self, dialect: Dialect) -> ScalarType {
        match self {
            Plain::Int => dialect.int_type(),
            Plain::Float => dialect.float_type(),
            Plain::Char => ScalarType::U8,
            Plain::Bool => ScalarType::Bool,
            Plain::Seq(_) | Plain::Pair(..) => unreachable!("these have parts"),
        }
    }

    fn of(ty: Ty, types: &CoreTypes) -> Option<Plain> {
        Some(match types.get(ty) {
            CoreType::Int => Plain::Int,
            CoreType::Float => Plain::Float,
            CoreType::Char => Plain::Char,
            CoreType::Bool => Plain::Bool,
            CoreType::Seq(element) => Plain::Seq(Box::new(Plain::of(*element, types)?)),
            CoreType::Pair(left, right) => {
                Plain::Pair(Box::new(Plain::of(*left, types)?), Box::new(Plain::of(*right, types)?))
            }
            CoreType::Closure(_) | CoreType::Data(_) => return None,
        })
    }
}

/// Prints the type as the language writes it.
impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plain::Int => f.write_str("int"),
            Plain::Float => f.write_str("float"),
            Plain::Char => f.write_str("char"),
            Plain::Bool => f.write_str("bool"),
            Plain::Seq(element) => write!(f, "[{element}]"),
            Plain::Pair(left, right) => write!(f, "({left}, {right})"),
        }
    }
}

impl Session {
    /// Compiles a function of the session for arguments of these types.
    ///
    /// # Errors
    /// A message: the function does not exist or does not fit the arguments; it acts on the world; or it uses a variable that is a nested sequence.
    pub fn routine(&mut self, function: &str, arguments: &[Plain]) -> Result<Routine, String> {
        let mut globals = Vec::new();
        let mut names = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let name = format!("argument_{number}");
            globals.push(self.declare(&name, argument));
            names.push(name);
        }
        let text = format!("{function}({});", names.join(", "));
        let mut statements = self.read(function, &text);
        let (Some(Ok(statement)), true) = (statements.pop(), statements.is_empty()) else {
            return Err(format!("`{function}` is no name of a function"));
        };
        let dialect = self.dialect();
        let outcome = self.environment_mut().check(&statement, dialect, false);
        let Some(Checked::Expr(expr)) = outcome.checked else {
            return Err(nestled_ir::render_all(&outcome.errors, &self.sources));
        };
        let render = |session: &Session, diagnostic| nestled_ir::render_all(&[diagnostic], &session.sources);
        let (core, ty) = self.specialise(&expr).map_err(|diagnostic| render(self, diagnostic))?;
        let Some(result) = Plain::of(ty, self.core_types()) else {
            return Err(format!("`{function}` gives a function, or a value of a datatype with variants"));
        };
        let flat = self.flatten(&expr).map_err(|diagnostic| render(self, diagnostic))?;
        if !flat.calls.is_empty() {
            return Err(format!("`{function}` reads, writes or draws; only a session can run it"));
        }
        let mut order = Vec::new();
        for (id, ty) in &flat.globals {
            if self.core_types().is_nominal(self.core_type_of(*id)) {
                return Err(format!(
                    "`{function}` uses a variable that holds values of a datatype with variants"
                ));
            }
            order.push(match globals.iter().position(|known| known == id) {
                Some(number) => Taken::Argument(number),
                None => Taken::Known(self.known(*id, *ty)),
            });
        }
        let explainer =
            self.explainer(core, &flat.globals, globals.into_iter().zip(arguments.iter().cloned()));
        let codes = flat.codes;
        let program = wrap::wrap(flat.program, dialect, arguments, &order, &result)?;
        Ok(Routine { program, result, codes, explainer })
    }

    /// Declares a global for an argument, without a value.
    fn declare(&mut self, name: &str, plain: &Plain) -> GlobalId {
        let (ty, core) = self.type_of_plain(plain);
        self.environment_mut().types.commit();
        self.bind_type(&Text::from(name), ty, Span::NONE, core, false)
    }

    fn type_of_plain(&mut self, plain: &Plain) -> (TypeId, Ty) {
        let (ty, core) = match plain {
            Plain::Int => (Type::Base(Base::Int), CoreType::Int),
            Plain::Float => (Type::Base(Base::Float), CoreType::Float),
            Plain::Char => (Type::Base(Base::Char), CoreType::Char),
            Plain::Bool => (Type::Base(Base::Bool), CoreType::Bool),
            Plain::Seq(element) => {
                let (ty, core) = self.type_of_plain(element);
                (Type::Seq(ty), CoreType::Seq(core))
            }
            Plain::Pair(left, right) => {
                let (left, right) = (self.type_of_plain(left), self.type_of_plain(right));
                (Type::Pair(left.0, right.0), CoreType::Pair(left.1, right.1))
            }
        };
        (self.environment_mut().types.add(ty), self.core_types_mut().number(core))
    }
}
