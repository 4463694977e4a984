//! Plans as text: a line for each pass with its combinators, and one with its schedule.
//!
//! ```text
//! plan
//!   legalised split-mixed
//!   pass 0 level 1: 0:map:p 1:reduce:s
//!     reduce whole commutes ahead 8
//!   carried 0:p level 1
//! ```

use super::{Groups, LongRuns, Maps, Pace, Pack, Pass, Plan, Reduce, Scan, Scatter, Schedule, Stores};
use crate::plan::bind_level;
use nestled_ir::{CombinatorKind, Kernel, Program};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Prints a plan: its kernel, with the thunks and monoids of its program, then the plan.
pub fn print(program: &Program, plan: &Plan<'_>) -> String {
    let kernels = vec![plan.kernel.clone().into_owned()];
    let only = Program { kernels, functions: Vec::new(), ..program.clone() };
    format!("{}\n{}", nestled_ir::text::print(&only), schedules(plan))
}

/// Prints a plan without its kernel.
pub fn schedules(plan: &Plan<'_>) -> String {
    let kernel = &plan.kernel;
    let mut text = "plan\n".to_owned();
    if matches!(plan.kernel, Cow::Owned(_)) {
        text.push_str("  legalised split-mixed\n");
    }
    for (number, pass) in plan.passes.iter().enumerate() {
        let steps = pass.maps.iter().chain(&pass.sink).map(|&at| step(kernel, at));
        let steps: Vec<String> = steps.collect();
        let _ = writeln!(text, "  pass {number} level {}: {}", pass.level, steps.join(" "));
        let _ = writeln!(text, "    {}", schedule(&pass.schedule));
    }
    for &value in &plan.carried {
        let level = bind_level(kernel, value);
        let at = kernel.binder(value).map_or(0, |(at, _)| at);
        let name = &kernel.values[value.index()].name;
        let _ = writeln!(text, "  carried {at}:{name} level {level}");
    }
    if plan.in_place {
        text.push_str("  in-place\n");
    }
    text
}

/// Prints a combinator: number, kind, name of its first result.
fn step(kernel: &Kernel, at: usize) -> String {
    let step = &kernel.steps[at];
    let kind = step.kind.name();
    let name = step.binds.first().map_or("_", |&bind| &*kernel.values[bind.index()].name);
    format!("{at}:{kind}:{name}")
}

/// Words of a schedule.
pub fn schedule(schedule: &Schedule) -> String {
    match schedule {
        Schedule::Maps(Maps { stores, interior }) => {
            let stores = match stores {
                Stores::Points => "points",
                Stores::Packed => "packed",
                Stores::Fours => "fours",
            };
            format!("maps {stores}{}", if *interior { " interior" } else { "" })
        }
        Schedule::Reduce(Reduce { groups, commutes, pace, across }) => {
            let groups = match groups {
                Groups::Tiles => "tiles",
                Groups::Whole => "whole",
                Groups::Worklist => "worklist",
            };
            let pace = match pace {
                Pace::Single => String::new(),
                Pace::Ahead(points) => format!(" ahead {points}"),
                Pace::Fours(times) => format!(" fours {times}"),
            };
            let (commutes, across) =
                (if *commutes { " commutes" } else { "" }, if *across { " across" } else { "" });
            format!("reduce {groups}{commutes}{pace}{across}")
        }
        Schedule::Scan(scan) => format!(
            "scan {}",
            match scan {
                Scan::SinglePass { values: false } => "single-pass",
                Scan::SinglePass { values: true } => "single-pass values",
                Scan::ReduceThenScan => "reduce-then-scan",
                Scan::Vectors => "vectors",
                Scan::VectorsInOneSweep => "vectors-in-one-sweep",
                Scan::Points => "points-of-blocks",
            }
        ),
        Schedule::Filter(pack) => format!("filter {}", pack_word(*pack)),
        Schedule::Partition(pack) => format!("partition {}", pack_word(*pack)),
        Schedule::Scatter(scatter) => format!(
            "scatter {}",
            match scatter {
                Scatter::Direct => "direct",
                Scatter::Claims => "claims",
                Scatter::Atomics => "atomics",
                Scatter::Privatised => "privatised",
                Scatter::Sort(LongRuns::Cut) => "sort cut",
                Scatter::Sort(LongRuns::Workgroup) => "sort workgroup",
                Scatter::Sort(LongRuns::Thread) => "sort thread",
            }
        ),
        Schedule::Interpreted => "interpreted".to_owned(),
    }
}

fn pack_word(pack: Pack) -> &'static str {
    match pack {
        Pack::SinglePass => "single-pass",
        Pack::CountAndMove => "count-and-move",
        Pack::Sort => "sort",
    }
}

/// Reads a plan of a kernel back: of the kernel as it was legalised, if the text says that it was.
///
/// # Errors
/// The line that is none of a plan.
pub fn parse<'k>(kernel: &'k Kernel, text: &str) -> Result<Plan<'k>, String> {
    let mut plan =
        Plan { kernel: Cow::Borrowed(kernel), passes: Vec::new(), carried: Vec::new(), in_place: false };
    let mut open: Option<Pass> = None;
    for line in text.lines().skip(1) {
        let wrong = || format!("`{line}` is no line of a plan");
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["legalised", "split-mixed"] => plan.kernel = Cow::Owned(kernel.clone()),
            ["in-place"] => plan.in_place = true,
            ["pass", _, "level", level, steps @ ..] => {
                let level = level.trim_end_matches(':').parse().map_err(|_| wrong())?;
                let at = |word: &&str| word.split(':').next().and_then(|at| at.parse::<usize>().ok());
                let steps: Vec<usize> = steps.iter().map(at).collect::<Option<_>>().ok_or_else(wrong)?;
                let is_map = |&at: &usize| {
                    kernel
                        .steps
                        .get(at)
                        .map(|step| matches!(step.kind, CombinatorKind::Map))
                        .ok_or_else(wrong)
                };
                let mut maps = Vec::new();
                let mut sink = None;
                for at in steps {
                    if is_map(&at)? { maps.push(at) } else { sink = Some(at) }
                }
                open = Some(Pass { level, maps, sink, schedule: Schedule::Interpreted });
            }
            ["carried", value, "level", _] => {
                let (at, name) = value.split_once(':').ok_or_else(wrong)?;
                let step = at.parse().ok().and_then(|at: usize| kernel.steps.get(at)).ok_or_else(wrong)?;
                let named = |bind: &&nestled_ir::ValueId| *kernel.values[bind.index()].name == *name;
                plan.carried.push(*step.binds.iter().find(named).ok_or_else(wrong)?);
            }
            words => {
                let schedule = read_schedule(words).ok_or_else(wrong)?;
                let pass = open.take().ok_or_else(wrong)?;
                plan.passes.push(Pass { schedule, ..pass });
            }
        }
    }
    if open.is_some() { Err("a pass has no schedule".to_owned()) } else { Ok(plan) }
}

fn read_schedule(words: &[&str]) -> Option<Schedule> {
    let (first, rest) = words.split_first()?;
    Some(match (*first, rest) {
        ("maps", [stores, more @ ..]) => {
            let stores = match *stores {
                "points" => Stores::Points,
                "packed" => Stores::Packed,
                "fours" => Stores::Fours,
                _ => return None,
            };
            Schedule::Maps(Maps { stores, interior: more == ["interior"] })
        }
        ("reduce", [groups, more @ ..]) => {
            let groups = match *groups {
                "tiles" => Groups::Tiles,
                "whole" => Groups::Whole,
                "worklist" => Groups::Worklist,
                _ => return None,
            };
            let number = |word: &str| {
                let at = more.iter().position(|own| *own == word)?;
                more.get(at + 1)?.parse::<u32>().ok()
            };
            let pace = match (number("ahead"), number("fours")) {
                (Some(points), _) => Pace::Ahead(points),
                (None, Some(times)) => Pace::Fours(times),
                (None, None) => Pace::Single,
            };
            let (commutes, across) = (more.contains(&"commutes"), more.contains(&"across"));
            Schedule::Reduce(Reduce { groups, commutes, pace, across })
        }
        ("scan", ["single-pass"]) => Schedule::Scan(Scan::SinglePass { values: false }),
        ("scan", ["single-pass", "values"]) => Schedule::Scan(Scan::SinglePass { values: true }),
        ("scan", ["reduce-then-scan"]) => Schedule::Scan(Scan::ReduceThenScan),
        ("scan", ["vectors"]) => Schedule::Scan(Scan::Vectors),
        ("scan", ["vectors-in-one-sweep"]) => Schedule::Scan(Scan::VectorsInOneSweep),
        ("scan", ["points-of-blocks"]) => Schedule::Scan(Scan::Points),
        ("filter", [pack]) => Schedule::Filter(read_pack(pack)?),
        ("partition", [pack]) => Schedule::Partition(read_pack(pack)?),
        ("scatter", ["direct"]) => Schedule::Scatter(Scatter::Direct),
        ("scatter", ["claims"]) => Schedule::Scatter(Scatter::Claims),
        ("scatter", ["atomics"]) => Schedule::Scatter(Scatter::Atomics),
        ("scatter", ["privatised"]) => Schedule::Scatter(Scatter::Privatised),
        ("scatter", ["sort", long]) => Schedule::Scatter(Scatter::Sort(match *long {
            "cut" => LongRuns::Cut,
            "workgroup" => LongRuns::Workgroup,
            "thread" => LongRuns::Thread,
            _ => return None,
        })),
        ("interpreted", []) => Schedule::Interpreted,
        _ => return None,
    })
}

fn read_pack(word: &str) -> Option<Pack> {
    match word {
        "single-pass" => Some(Pack::SinglePass),
        "count-and-move" => Some(Pack::CountAndMove),
        "sort" => Some(Pack::Sort),
        _ => None,
    }
}
