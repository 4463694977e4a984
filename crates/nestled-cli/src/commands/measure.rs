//! `nestled explain --run`: runs a program with the plan of every fusion planner, and shows what was estimated and what was measured.

use crate::cli::{Explain, Run};
use crate::commands::pass::{apply_in, pass_options};
use crate::commands::run::{failure, no_function};
use crate::exit_codes::Failure;
use crate::explain::measured::{Call, Measured, differing, text};
use crate::explain::names::Names;
use crate::kinds::Kind;
use crate::load::load;
use crate::nesl::observed::observed;
use crate::nesl::run::Shown;
use crate::{device, input, nesl, output, signals};
use nestled_finished::Finished;
use nestled_ir::Program;
use nestled_ir::interp::Interrupt;
use nestled_pass::fuse::plan::FusionPlan;
use nestled_pass::fuse::report::RegionReport;
use nestled_pass::fuse::solve::Planner;
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use nestled_rt::Executable;
use std::cell::RefCell;
use std::rc::Rc;

/// Runs and measures; fails if two plans give different results.
pub fn run(options: &Explain) -> Result<(), Failure> {
    let run = Rc::new(as_run(options)?);
    let file = run.file.as_deref().filter(|_| run.expression.is_none());
    let kind = file.map_or(Kind::Nesl, |file| Kind::of(file, run.lang));
    let comparison = Comparison::new(&run, kind == Kind::Nesl);
    let plans = match (kind, file) {
        (Kind::Lcu, Some(file)) => {
            let mut comparison = comparison;
            run_lcu(&run, &load(file, kind, &options.vcode, &options.nesl.widths)?, &mut comparison)?;
            comparison.plans
        }
        (Kind::Vcode, _) => {
            let text = "`--run` is for λcu and NESL; `nestled compare` measures programs in VCODE";
            return Err(Failure::usage(text));
        }
        (Kind::Nesl | Kind::Lcu, _) => run_nesl(&run, comparison)?,
    };
    output::print(&text(&plans))?;
    match differing(&plans).as_slice() {
        [] => Ok(()),
        names => Err(Failure::failed(format!(
            "error: the results differ from those of `search` with {}\n",
            names.join(", ")
        ))),
    }
}

/// The options that `nestled run` would have.
fn as_run(options: &Explain) -> Result<Run, Failure> {
    let mut words: Vec<(&str, &str)> = Vec::new();
    words.extend(options.named.iter().map(|named| ("arg", &**named)));
    words.extend(options.shape.iter().map(|shape| ("shape", &**shape)));
    words.extend(options.device.iter().map(|device| ("device", &**device)));
    words.extend(options.function.iter().map(|function| ("fn", &**function)));
    let run = Run::of(&words, options.file.as_deref(), options.expression.as_deref(), &options.args)?;
    let (nesl, distrust) = (options.nesl.clone(), options.distrust.clone());
    Ok(Run { lang: options.lang, math: options.math, nesl, distrust, ..run })
}

fn run_lcu(options: &Run, program: &Program, comparison: &mut Comparison) -> Result<(), Failure> {
    let function =
        program.find_function(&options.function).ok_or_else(|| no_function(program, &options.function))?;
    let room = device::room(options.memory.as_deref())?;
    let arguments = input::arguments(program, function, options.shape.as_deref(), &options.args, room)?;
    let call = Call { function: &options.function, shapes: &arguments.shapes, values: &arguments.values };
    comparison.measure(program, call)
}

/// Runs the statements; each program that has run is measured.
fn run_nesl(options: &Run, comparison: Comparison) -> Result<Vec<Measured>, Failure> {
    let comparison = Rc::new(RefCell::new(comparison));
    let own = Rc::clone(&comparison);
    nesl::run::run_with(options, Shown::All, |engine| {
        observed(engine, move |program, (shapes, values), _| {
            own.borrow_mut().measure(program, Call { function: Program::ENTRY, shapes, values })
        })
    })?;
    Ok(std::mem::take(&mut comparison.borrow_mut().plans))
}

/// The measurements of each planner, and what it takes to add to them.
struct Comparison {
    options: Rc<Run>,
    interrupt: Interrupt,
    by_expression: bool,
    plans: Vec<Measured>,
}

impl Comparison {
    fn new(options: &Rc<Run>, by_expression: bool) -> Comparison {
        let interrupt = signals::interrupt();
        // `--fuse ilp` takes a solver from outside, and finds the plan of the search as a rule.
        let planners = Planner::ALL.into_iter().filter(|planner| *planner != Planner::Ilp);
        let plans = planners.map(Measured::new).collect();
        Comparison { options: Rc::clone(options), interrupt, by_expression, plans }
    }

    /// Measures a program with each planner; the first finds the expected results.
    fn measure(&mut self, program: &Program, call: Call<'_>) -> Result<(), Failure> {
        let math = self.options.math.or_strict(self.options.nesl.compat);
        let opened = device::open_compiled(&self.options, math, program, &self.interrupt)?;
        let (mut expected, mut searched) = (None, Vec::new());
        for plan in &mut self.plans {
            let keep_all = call.function != Program::ENTRY;
            let options = PassOptions {
                keep_all,
                limits: opened.limits(),
                rates: opened.rates(),
                ..pass_options(math, plan.planner())
            };
            let mut cx = PassContext { explain: true, ..PassContext::new(options) };
            let program = apply_in(&Finished::off(), &mut cx, program, DEFAULT, self.options.gate())?;
            let regions = match plan.planner() {
                Planner::Off => unfused(&searched),
                Planner::Search | Planner::Ilp | Planner::GreedyDown | Planner::GreedyUp => cx.fusion,
            };
            let names = Names::new(&program, self.by_expression);
            let executable =
                Executable::new(&program, opened.device()).map_err(|error| failure(&error, &program))?;
            let executable = executable.with_interrupt(self.interrupt.clone());
            let results = plan.add(
                (&program, &regions, names),
                executable,
                call,
                (&opened.rates(), expected.as_deref()),
            );
            let results = results.map_err(|error| failure(&error, &program))?;
            if expected.is_none() {
                (expected, searched) = (Some(results), regions);
            }
        }
        Ok(())
    }
}

/// The same regions without fusion, for which the pass makes no reports.
fn unfused(regions: &[RegionReport]) -> Vec<RegionReport> {
    let mut regions = regions.to_vec();
    for region in &mut regions {
        region.solution.plan = FusionPlan::unfused(&region.problem);
        region.solution.cost = region.unfused;
    }
    regions
}
