//! Comparison of fusion plans: the plan of our solver, of the two greedy planners, and no fusion, measured in turns.
//!
//! The programs lie in `benches/plans`. In all of them the better greedy plan moves more bytes than need be. The benchmarks, the examples and random
//! pipelines are compared with no fusion, against which no plan should lose (`losers`).

use crate::options::Options;
use crate::ours::Ours;
use crate::random::Random;
use crate::report::time;
use crate::timing::{Quartiles, batch, quartiles, sample};
use nestled_ir::value::{Array, AxisValue, Buffer, Value, same_bits};
use nestled_ir::{Axis, Program, ScalarType, Type};
use nestled_pass::fuse::solve::Planner;
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use nestled_rt::device::Device;
use std::rc::Rc;
use std::sync::Arc;

macro_rules! program {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../benches/plans/", $name, ".lcu")))
    };
}

/// The programs, with their names.
pub const PROGRAMS: &[(&str, &str)] = &[
    program!("adam"),
    program!("bicgstab"),
    program!("clipped_step"),
    program!("conjugate_gradient"),
    program!("equalise"),
    program!("k_means"),
    program!("layer_norm"),
    program!("line_search"),
    program!("loudness"),
    program!("pagerank"),
    program!("particle_weights"),
    program!("particles"),
    program!("power_iteration"),
    program!("ranks"),
    program!("relaxation"),
    program!("residual_norm"),
    program!("two_gathers"),
];

/// The planners that are compared, ours first.
const PLANNERS: [Planner; 4] = [Planner::Search, Planner::GreedyDown, Planner::GreedyUp, Planner::Off];

/// A program after the passes, and the estimated cost of its plan.
struct Planned {
    program: Program,
    cost: f64,
}

/// Compares the plans of all programs, or of those that are named, and prints a table.
///
/// # Errors
/// If plans give different results, or nothing runs.
pub fn run(options: &Options) -> Result<(), String> {
    let device = crate::device::open(options.device, options.threads)?;
    println!("{}", header());
    for (name, source) in PROGRAMS {
        if options.names.is_empty() || options.names.iter().any(|named| named == name) {
            println!("{}", compare(name, source, options, &device)?);
        }
    }
    Ok(())
}

fn header() -> String {
    let columns = PLANNERS.map(|planner| format!("{:>12}", planner.name())).concat();
    format!("{:16}{columns}  better greedy / ours, and as estimated", "program")
}

/// Measures a program; a line of the table.
fn compare(name: &str, source: &str, options: &Options, device: &Rc<dyn Device>) -> Result<String, String> {
    let n = match options.size {
        _ if options.check => 1003,
        Some(crate::bench::Size::Tiny) => 1003,
        Some(crate::bench::Size::Small) => 1_000_000,
        None | Some(crate::bench::Size::Large) => 10_000_000,
    };
    let mut plans = Plans::of_text(name, source, n, device)?;
    if options.check {
        return Ok(format!("{name:16} all plans agree"));
    }
    Ok(plans.time(options.pairs)?.line(name, &plans.costs))
}

/// A program with the plan of each planner, ready to run.
pub(crate) struct Plans {
    sides: Vec<Ours>,
    pub costs: Vec<f64>,
}

impl Plans {
    /// Makes the plans of a program in text, for random arguments of a size, and compares their results.
    pub fn of_text(name: &str, source: &str, n: usize, device: &Rc<dyn Device>) -> Result<Plans, String> {
        let program = parsed(name, source)?;
        let (shapes, args) = arguments(name, &program, n)?;
        Plans::new(name, &program, &shapes, &args, device)
    }

    /// Makes the plans of a program, and compares their results.
    pub fn new(
        name: &str,
        program: &Program,
        shapes: &[AxisValue],
        args: &[Value],
        device: &Rc<dyn Device>,
    ) -> Result<Plans, String> {
        let mut plans = Plans { sides: Vec::new(), costs: Vec::new() };
        for planner in PLANNERS {
            let Planned { program, cost } = planned(program, planner)?;
            plans.costs.push(cost);
            plans.sides.push(Ours::of(&program, shapes.to_vec(), args, device)?);
        }
        let expected = plans.values()?;
        for (side, planner) in plans.sides.iter_mut().zip(PLANNERS) {
            if !are_equal(&side.values()?, &expected) {
                return Err(format!("{name}: the plan of {} gives other results", planner.name()));
            }
        }
        Ok(plans)
    }

    /// The results.
    pub fn values(&mut self) -> Result<Vec<Value>, String> {
        self.sides[0].values()
    }

    /// Times all plans in turns.
    pub fn time(&mut self, turns: u32) -> Result<Times, String> {
        let mut batches = Vec::new();
        for side in &mut self.sides {
            batches.push(batch(sample(1, &mut || side.run().map(drop))?));
        }
        let mut times = Times(vec![Vec::new(); self.sides.len()]);
        for _ in 0..turns {
            for (at, side) in self.sides.iter_mut().enumerate() {
                times.0[at].push(sample(batches[at], &mut || side.run().map(drop))?);
            }
        }
        Ok(times)
    }
}

/// The times of the plans, turn by turn.
pub(crate) struct Times(Vec<Vec<f64>>);

impl Times {
    /// The planners, but ours, whose plans are faster by more than so much.
    pub fn lost(&self, loss: f64) -> Vec<Planner> {
        let is_lost = |other: &usize| self.over(*other).median < 1.0 / loss;
        (1..PLANNERS.len()).filter(is_lost).map(|other| PLANNERS[other]).collect()
    }

    /// Another plan's time over ours.
    fn over(&self, other: usize) -> Quartiles {
        quartiles(self.0[other].iter().zip(&self.0[0]).map(|(other, ours)| other / ours).collect())
    }

    /// A line of the table.
    pub fn line(&self, name: &str, costs: &[f64]) -> String {
        let medians: Vec<f64> = self.0.iter().map(|times| quartiles(times.clone()).median).collect();
        let better = if medians[1] <= medians[2] { 1 } else { 2 };
        let Quartiles { low, median, high } = self.over(better);
        let columns: Vec<String> = medians.iter().map(|&median| format!("{:>12}", time(median))).collect();
        let estimated = costs[1].min(costs[2]) / costs[0];
        format!("{name:16}{}  {median:.2} [{low:.2} {high:.2}], {estimated:.2}", columns.concat())
    }
}

/// Makes a program ready to run with the plan of a planner, on random arguments.
///
/// # Errors
/// Any error, as text.
pub fn ours(
    name: &str,
    source: &str,
    planner: Planner,
    n: usize,
    device: &Rc<dyn Device>,
) -> Result<Ours, String> {
    let program = planned(&parsed(name, source)?, planner)?.program;
    let (shapes, args) = arguments(name, &program, n)?;
    Ours::of(&program, shapes, &args, device)
}

/// True if values are equal, bit for bit.
fn are_equal(left: &[Value], right: &[Value]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_bits(left, right))
}

/// Reads and verifies a program.
pub(crate) fn parsed(name: &str, source: &str) -> Result<Program, String> {
    let program = nestled_ir::text::parse(name, source).map_err(|failure| failure.to_string())?;
    nestled_ir::verify::verify(&program).map_err(|errors| format!("{name}: {errors:?}"))?;
    Ok(program)
}

/// Runs all passes with a planner.
fn planned(program: &Program, planner: Planner) -> Result<Planned, String> {
    let mut cx = PassContext::new(PassOptions { planner, ..PassOptions::default() });
    cx.explain = true;
    let program = nestled_pass::run(program, DEFAULT, &mut cx).map_err(|bug| bug.to_string())?;
    Ok(Planned { program, cost: cx.fusion.iter().map(|region| region.solution.cost).sum() })
}

/// Random arguments for `main`, in which every extent that is not in the text is `n`: numbers between 0 and 1, bytes, and
/// indices.
fn arguments(name: &str, program: &Program, n: usize) -> Result<(Vec<AxisValue>, Vec<Value>), String> {
    let main = program.find_function(Program::ENTRY).ok_or("it has no `main`")?;
    let main = program.function(main);
    let mut random = Random::new(name);
    let mut argument = |ty: &Type| {
        let array = ty.as_array().ok_or("an argument is no array")?;
        let extents: Vec<u64> = array
            .shape
            .axes
            .iter()
            .map(|axis| match axis {
                Axis::Const(extent) => *extent,
                Axis::Sym(_) => n as u64,
            })
            .collect();
        let len = extents.iter().product::<u64>() as usize;
        let data = match array.elem {
            ScalarType::F32 => Buffer::F32(random.floats(len, 0.0, 1.0)),
            ScalarType::U8 => Buffer::U8((0..len).map(|_| random.bits() as u8).collect()),
            // Near their places, as the neighbours in a mesh are.
            ScalarType::I32 => {
                Buffer::I32((0..len).map(|at| (at as u64 + random.below(64)) as i32).collect())
            }
            other => return Err(format!("nobody knows what to put into an array of {other}")),
        };
        let shape = extents.into_iter().map(AxisValue::Extent).collect();
        Ok(Value::Array(Array::dense(shape, Arc::new(data))))
    };
    let args: Result<Vec<Value>, String> =
        main.params.iter().map(|param| argument(&main.values[param.index()].ty)).collect();
    let shapes = main.shapes.iter().map(|_| AxisValue::Extent(n as u64)).collect();
    Ok((shapes, args?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_devices::DeviceChoice;

    #[test]
    fn greedy_plans_are_strictly_worse() {
        for (name, source) in PROGRAMS {
            let [ours, down, up, off] = PLANNERS.map(|planner| {
                parsed(name, source)
                    .and_then(|program| planned(&program, planner))
                    .expect("it is planned")
                    .cost
            });
            assert!(ours < down.min(up), "{name}: ours {ours}, greedy down {down}, greedy up {up}");
            assert_eq!(off, 0.0, "{name}: nothing is planned");
        }
    }

    #[test]
    fn plans_change_no_results() {
        let device = crate::device::open(DeviceChoice::Reference, 1).unwrap();
        for (name, source) in PROGRAMS {
            let mut expected: Option<Vec<Value>> = None;
            for planner in PLANNERS {
                let program = parsed(name, source)
                    .and_then(|program| planned(&program, planner))
                    .expect("it is planned")
                    .program;
                let (shapes, args) = arguments(name, &program, 77).expect("arguments are made");
                let values = Ours::of(&program, shapes, &args, &device).and_then(|mut side| side.values());
                let values = values.expect("it runs");
                let expected = expected.get_or_insert_with(|| values.clone());
                assert!(are_equal(&values, expected), "{name}, {planner:?}");
            }
        }
    }
}
