//! Programs in NESL: the statements of a text run one after another, on an engine; what they print and draw is kept.
//!
//! A program reaches no files, no input and no processes: data come in as arguments of functions.

use super::{Nesl, NeslDrawings};
use crate::engine::Engine;
use crate::error::{Error, Reason, Result};
use nestled_ir::interp::Gate;
use nestled_ir::value::{AxisValue, Value};
use nestled_nesl::ast::{Statement, StatementKind};
use nestled_nesl::engine::{Backend, Engine as SessionEngine, Halt};
use nestled_nesl::interp::World;
use nestled_nesl::{Dialect, FaultCode, Session, print_result};
use nestled_rt::Error as RunError;
use std::fmt;

/// The output, drawings and definitions of a program in NESL that ran; see [`Nesl::run`].
///
/// ```
/// # use nestled_array::*;
/// let run: NeslRun = Nesl::run("x = {i * i : i in [0:4]}; sum(x);")?;
/// assert_eq!(run.printed, "x = [0, 1, 4, 9] : [int]\nit = 14 : int\n");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NeslRun {
    /// The values of its statements, and what it printed, as on the command line.
    pub printed: String,
    /// The title and the SVG of each window.
    pub drawings: Vec<(String, String)>,
    /// Its definitions, for whom the functions are to be called: the text without expressions, its lines at their places.
    pub definitions: String,
}

/// The world of a text: it may print and draw.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    output: Vec<u8>,
    errors: Vec<u8>,
    drawings: NeslDrawings,
    gate: Gate,
}

const NO_FILES: &str =
    "files are not reached from here: read them outside, and give what they hold as arguments";

impl World for Quiet {
    fn print(&mut self, bytes: &[u8]) {
        self.output.extend(bytes);
    }

    fn report(&mut self, bytes: &[u8]) {
        self.errors.extend(bytes);
    }

    fn seconds(&mut self) -> f64 {
        self.gate.clock().map_or(0.0, |clock| clock.seconds())
    }

    fn read_file(&mut self, _name: &str) -> std::result::Result<Vec<u8>, String> {
        Err(NO_FILES.to_owned())
    }

    fn write_file(&mut self, _name: &str, _bytes: &[u8], _append: bool) -> std::result::Result<(), String> {
        Err(NO_FILES.to_owned())
    }

    fn variable(&mut self, _name: &str) -> String {
        String::new()
    }

    fn read_input(&mut self) -> Option<u8> {
        None
    }

    fn draw(&mut self, what: &str, numbers: &[i64], text: &[u8]) -> std::result::Result<i64, String> {
        self.drawings.draw(what, numbers, text)
    }
}

/// The engine of arrays, for the statements of a session.
struct OnEngine(Engine);

impl fmt::Debug for OnEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnEngine")
    }
}

impl Backend for OnEngine {
    fn run(
        &mut self,
        program: &nestled_ir::Program,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn nestled_ir::interp::World,
    ) -> std::result::Result<Vec<Value>, Halt> {
        let outcome = self.0.with(|state| state.run_once(program, shapes, args, world));
        let outcome = outcome.map_err(|error| match error.reason() {
            Reason::Cancelled => Halt::Interrupted,
            _ => Halt::Other(error.to_string()),
        })?;
        outcome.map_err(|error| match error {
            RunError::Fault(fault) => Halt::Fault(fault.site),
            RunError::Interrupted => Halt::Interrupted,
            RunError::Depth { span, .. } => Halt::Depth(error.to_string(), span),
            RunError::OutOfMemory { .. } | RunError::Points { .. } => Halt::Limit(error.to_string()),
            other => Halt::Other(other.to_string()),
        })
    }
}

impl Nesl {
    /// Runs a program on the current engine, up to the first error.
    ///
    /// ```
    /// use nestled_array::Nesl;
    /// let run = Nesl::run(
    ///     "function corner(n) = (n, n);
    ///      (window, box) = w_make_window_box(((0, 0), 80, 60), ((0.0, 0.0), 1.0, 1.0), \"a line\", w_black, \"\");
    ///      w_draw_segments([((0.0, 0.0), 1.0, 1.0)], 1, w_red, box);",
    /// )?;
    /// let (title, svg) = &run.drawings[0];
    /// assert!(title == "a line" && svg.starts_with("<svg") && svg.contains("#ff0000"));
    /// assert!(run.definitions.contains("corner") && !run.definitions.contains("w_red"));
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors and faults of the text, with their lines; it was cancelled.
    #[track_caller]
    pub fn run(source: &str) -> Result<NeslRun> {
        let mut session = Session::new(Dialect::default());
        session.engine = SessionEngine::Flat(Box::new(OnEngine(Engine::current())));
        let mut world = Quiet::default();
        let mut definitions = source.as_bytes().to_vec();
        for statement in session.read("nesl", source) {
            let statement = statement.map_err(|error| Error::new("nesl", error.render(&session.sources)))?;
            match statement.kind {
                StatementKind::Command { .. } | StatementKind::Background { .. } => {
                    let line = 1 + source[..statement.span.start as usize].matches('\n').count();
                    let text =
                        format!("line {line}: commands and work in the background are for the command line");
                    return Err(Error::new("nesl", text));
                }
                StatementKind::Expr(_) => blank(&mut definitions, &statement),
                _ => {}
            }
            let result = session.execute(&statement, &mut world);
            for warning in &result.warnings {
                world.report(warning.render_warning(&session.sources).as_bytes());
            }
            if result.fault.as_ref().is_some_and(|fault| fault.code == FaultCode::Interrupted) {
                return Err(Error::of("nesl", Reason::Cancelled));
            }
            let fault = result.fault.map(|fault| fault.diagnostic());
            let is_fault = fault.is_some();
            let errors: Vec<_> = result.errors.into_iter().chain(fault).collect();
            if !errors.is_empty() {
                let text = nestled_ir::render_all(&errors, &session.sources);
                let reason = if is_fault { Reason::Fault(text) } else { Reason::Argument(text) };
                return Err(Error::of("nesl", reason));
            }
            if let Some(shown) = &result.shown {
                print_result(shown, &mut world);
            }
        }
        let Quiet { mut output, errors, drawings: mut windows, .. } = world;
        output.extend(errors);
        let titles: Vec<String> = windows.titles().map(str::to_owned).collect();
        let titles = titles.into_iter().enumerate();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(NeslRun {
            printed: text(&output),
            drawings: titles.filter_map(|(id, title)| Some((title, windows.news(id)?))).collect(),
            definitions: text(&definitions),
        })
    }
}

/// Puts blanks in the place of a statement and of its end.
fn blank(text: &mut [u8], statement: &Statement) {
    let (start, mut end) = (statement.span.start as usize, statement.span.end as usize);
    let after = text[end..].iter().position(|byte| !byte.is_ascii_whitespace());
    if let Some(gap) = after.filter(|gap| text[end + gap] == b';') {
        end += gap + 1;
    }
    text[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}
