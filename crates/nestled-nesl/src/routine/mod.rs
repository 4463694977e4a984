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
//!
//! A value of a datatype that holds itself is a place in a pool, one for each variant that has a content. The pools are sequences of their own, which come after the arguments, and after
//! the result.

mod arguments;
mod explain;
mod plain;
mod wrap;

pub use plain::{DataVariant, Datatype, Optional, Plain};

use crate::core::{CoreType, Ty};
use crate::data::{Encoder, Forms, Translated};
use crate::fault::FaultCode;
use crate::infer::Checked;
use crate::interp::Fault;
use crate::session::Session;
use crate::token::Text;
use crate::typed::GlobalId;
use arguments::{Argument, Represented};
use explain::{Explained, Explainer};
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
    /// that of its own variant counts. If it holds itself, it is that number, if there are several, and a place in the pool of the variant.
    pub program: Program,
    /// The same program with another border: nested sequences are segmentations, which `main` takes as shape parameters and returns, and arrays over them. There are
    /// no lengths.
    pub segmented: Program,
    /// The types of what represents the arguments, without datatypes, and of the pools that are taken.
    pub signature: Vec<Plain>,
    /// The type of what represents the result; paired with the pools, if they are given.
    pub given: Plain,
    /// The pools: the types of the sequences.
    pub pools: Vec<Plain>,
    /// Number of pools, of the first, that are taken after the arguments.
    pub pools_taken: usize,
    /// Number of pools, of the first, that are given after the result.
    pub pools_given: usize,
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
    /// A message: the function does not exist or does not fit the arguments; nothing tells which datatype a union is; the function acts on the world; or it uses a variable that is a
    /// nested sequence, or of a datatype that holds itself.
    pub fn routine(&mut self, function: &str, arguments: &[Plain]) -> Result<Routine, String> {
        let arguments = self.arguments(function, arguments)?;
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
        let (flat, translated) =
            self.flatten_translated(&expr).map_err(|diagnostic| render(self, diagnostic))?;
        if !flat.calls.is_empty() {
            return Err(format!("`{function}` reads, writes or draws; only a session can run it"));
        }
        let (pools_taken, pools_given, mut forms) = translated.map_or_else(Default::default, pools_of);
        let types = self.core_types_mut();
        let result = Represented::of(ty, types, &mut forms);
        let result = result.ok_or_else(|| format!("`{function}` gives a function"))?;
        let arguments = arguments.iter().map(|argument| Represented::of(argument.core, types, &mut forms));
        let arguments: Vec<Represented> =
            arguments.collect::<Option<_>>().ok_or("an argument is a function")?;
        let pools = self.pools(&mut forms);
        let mut order = Vec::new();
        for (id, ty) in &flat.globals {
            order.push(match globals.iter().position(|known| known == id) {
                Some(number) => Taken::Argument(number),
                None => self.variable(function, *id, *ty, &mut forms)?,
            });
        }
        let mut signature: Vec<Plain> = arguments.iter().map(|argument| argument.by_plain.clone()).collect();
        let rows = |count| pools[..count].iter().map(|pool: &Represented| pool.by_plain.clone());
        order.extend((0..pools_taken).map(|pool| Taken::Argument(arguments.len() + pool)));
        signature.extend(rows(pools_taken));
        let pair = |left, right| Plain::Pair(Box::new(left), Box::new(right));
        let given = rows(pools_given).fold(result.by_plain, pair);
        let wrapped = |program, border| wrap::wrap(program, (dialect, border), &signature, &order, &given);
        let segmented = wrapped(flat.program.clone(), Border::Segments)?;
        let program = wrapped(flat.program, Border::Flat)?;
        let plain = arguments.iter().map(|argument| argument.plain.clone()).collect();
        let known = pools.iter().map(|pool| pool.plain.clone()).collect();
        let taken = pools.into_iter().take(pools_taken).collect();
        let explained =
            Explained { arguments: globals.into_iter().zip(arguments).collect(), pools: taken, forms };
        let explainer = self.explainer(core, &flat.globals, explained);
        Ok(Routine {
            program,
            segmented,
            signature,
            given,
            pools: known,
            pools_taken,
            pools_given,
            arguments: plain,
            result: result.plain,
            codes: flat.codes,
            explainer,
        })
    }

    /// Returns the pools, in order.
    fn pools(&mut self, forms: &mut Forms) -> Vec<Represented> {
        let contents = forms.contents().to_vec();
        let types = self.core_types_mut();
        let pools = contents.into_iter().map(|content| {
            let rows = types.number(CoreType::Seq(content));
            Represented::of(rows, types, forms).expect("no function is in a pool")
        });
        pools.collect()
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
            return Err(format!(
                "`{function}` uses a variable of a datatype that may hold itself: make it an argument"
            ));
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

/// Returns how many pools are taken, how many are given, and how datatypes are represented.
fn pools_of(translated: Translated) -> (usize, usize, Forms) {
    let pools = &translated.program.pools;
    let count = |wanted| if wanted { pools.elements.len() } else { 0 };
    (count(pools.given), count(pools.wanted), translated.forms)
}

fn argument_name(number: usize) -> String {
    format!("argument_{number}")
}
