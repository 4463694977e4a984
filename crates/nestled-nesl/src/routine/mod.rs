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

mod arguments;
mod explain;
mod plain;
mod wrap;

pub use plain::{DataVariant, Datatype, Optional, Plain};

use crate::core::Ty;
use crate::data::{Encoder, Forms};
use crate::fault::FaultCode;
use crate::infer::Checked;
use crate::interp::Fault;
use crate::session::Session;
use crate::token::Text;
use crate::typed::GlobalId;
use arguments::{Argument, ITSELF, Represented};
use explain::Explainer;
use nestled_ir::{Program, SiteId, Span};
use wrap::{Border, Taken, axes_of};

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
    /// are shape parameters. A value of a datatype with variants is the number of its variant and, one after another, a content of each variant that has one, of which only
    /// that of its own variant counts.
    pub program: Program,
    /// The same program with another border: nested sequences are segmentations, which `main` takes as shape parameters and returns, and arrays over them. There are
    /// no lengths.
    pub segmented: Program,
    /// The types of what represents the arguments, without datatypes.
    pub signature: Vec<Plain>,
    /// The type of what represents the result.
    pub given: Plain,
    /// The types of the arguments, with the datatypes that unions are.
    pub arguments: Vec<Plain>,
    /// The type of the result.
    pub result: Plain,
    codes: Vec<FaultCode>,
    explainer: Explainer,
}

impl Routine {
    /// Returns whether a fault at a site is one of the function's. Others say that arguments do not fit together.
    pub fn is_own_fault(&self, site: SiteId) -> bool {
        site.index() < self.codes.len()
    }

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

impl Session {
    /// Compiles a function of the session for arguments of these types.
    ///
    /// # Errors
    /// A message: the function does not exist or does not fit the arguments; nothing tells which datatype a union is, or it may hold itself; the function acts on the world; or it
    /// uses a variable that is a nested sequence.
    pub fn routine(&mut self, function: &str, arguments: &[Plain]) -> Result<Routine, String> {
        let mut forms = Forms::default();
        let arguments = self.arguments(function, arguments, &mut forms)?;
        let globals: Vec<GlobalId> =
            arguments.iter().enumerate().map(|(number, argument)| self.declare(number, argument)).collect();
        let names: Vec<String> = (0..globals.len()).map(argument_name).collect();
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
        let (result, represented) = self.result(function, ty, &mut forms)?;
        let flat = self.flatten(&expr).map_err(|diagnostic| render(self, diagnostic))?;
        if !flat.calls.is_empty() {
            return Err(format!("`{function}` reads, writes or draws; only a session can run it"));
        }
        let mut order = Vec::new();
        for (id, ty) in &flat.globals {
            order.push(match globals.iter().position(|known| known == id) {
                Some(number) => Taken::Argument(number),
                None => self.variable(function, *id, *ty, &mut forms)?,
            });
        }
        let explained = globals.into_iter().zip(&arguments);
        let explained = explained.map(|(id, argument)| (id, argument.core, argument.represented.clone()));
        let explainer = self.explainer(core, &flat.globals, explained.collect(), forms);
        let codes = flat.codes;
        let taken: Vec<&Plain> = arguments.iter().map(|argument| &argument.represented.plain).collect();
        let segmented =
            wrap::wrap(flat.program.clone(), (dialect, Border::Segments), &taken, &order, &represented.plain);
        let program = wrap::wrap(flat.program, (dialect, Border::Flat), &taken, &order, &represented.plain)?;
        let signature = taken.into_iter().cloned().collect();
        let arguments = arguments.into_iter().map(|argument| argument.plain).collect();
        let segmented = segmented?;
        let given = represented.plain;
        Ok(Routine { program, segmented, signature, given, arguments, result, codes, explainer })
    }

    /// Returns the type of what a function gives, and of what represents it.
    fn result(&mut self, function: &str, ty: Ty, forms: &mut Forms) -> Result<(Plain, Represented), String> {
        let types = self.core_types_mut();
        if forms.has_links(types, ty) {
            return Err(format!("`{function}` gives a datatype that {ITSELF}"));
        }
        let found = Plain::of(ty, types).zip(Represented::of(ty, types, forms));
        found.ok_or_else(|| format!("`{function}` gives a function"))
    }

    /// Returns the value of a variable, which becomes part of the program. `ty` is the type of what represents it.
    fn variable(&mut self, function: &str, id: GlobalId, ty: Ty, forms: &mut Forms) -> Result<Taken, String> {
        let own = self.core_type_of(id);
        let types = self.core_types_mut();
        let axes = axes_of(ty, types);
        if !types.is_nominal(own) {
            return Ok(Taken::Known(self.known(id, ty), axes));
        }
        if forms.has_links(types, own) {
            return Err(format!("`{function}` uses a variable of a datatype that {ITSELF}"));
        }
        forms.of(types, own);
        let value = self.value_of(id).ok_or("a variable has no value")?;
        let value = Encoder::new(forms, self.core_types(), 0).value(value, own);
        Ok(Taken::Known(self.flat_form(&value, ty), axes))
    }

    /// Declares a global for an argument, without a value.
    fn declare(&mut self, number: usize, argument: &Argument) -> GlobalId {
        self.bind_type(&Text::from(argument_name(number)), argument.ty, Span::NONE, argument.core, false)
    }
}

fn argument_name(number: usize) -> String {
    format!("argument_{number}")
}
