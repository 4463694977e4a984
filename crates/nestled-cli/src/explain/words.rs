//! Fusion report in words: for each region the kernels, the values they keep to themselves, why there are not fewer kernels, and what can be done.

use super::names::Names;
use super::{bytes, time, why_declined};
use nestled_ir::{Name, Program};
use nestled_pass::RunsChanged;
use nestled_pass::fuse::Reason;
use nestled_pass::fuse::plan::FusionPlan;
use nestled_pass::fuse::problem::Unlimited;
use nestled_pass::fuse::report::{FlowReport, RegionReport};
use nestled_pass::fuse::solve::{Planner, Solution};
use nestled_pass::fuse::traffic::Traffic;
use nestled_pass::peak::{self, Peak};
use std::fmt::Write;

/// All regions, after what earlier passes did to the runs.
pub fn text(
    program: &Program,
    names: Names<'_>,
    regions: &[RegionReport],
    changed: &[RunsChanged],
) -> String {
    let mut out = earlier_passes(changed);
    if regions.is_empty() {
        out.push_str("Nothing could be fused: no stretch of host code runs two kernels.\n");
        return out;
    }
    for (at, region) in regions.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        write_region(&mut out, names, region);
    }
    out.push('\n');
    let mut told: Vec<&Name> = Vec::new();
    for RegionReport { function, .. } in regions {
        if !told.contains(&function) {
            told.push(function);
            write_peak(&mut out, program, names, function);
        }
    }
    out.push_str(
        "Sizes are guesses where the program does not say them. Memory has the arrays of the runs listed here, each as often as it is read or written; times are \
         for arrays that lie in no cache, by the rates of the device (`nestled calibrate`); \
         the peak has all arrays of a function, each once, also those of sorts and of kernels that run alone.\n",
    );
    out
}

/// `Passes before fusion turned 3 runs of kernels into 2: inline 3 → 2`
fn earlier_passes(changed: &[RunsChanged]) -> String {
    let (Some(first), Some(last)) = (changed.first(), changed.last()) else { return String::new() };
    let steps: Vec<String> = changed
        .iter()
        .map(|RunsChanged { pass, before, after }| format!("{pass} {before} → {after}"))
        .collect();
    let written = count(first.before, "run");
    format!("Passes before fusion turned {written} of kernels into {}: {}\n", last.after, steps.join(", "))
}

/// Writes the peak memory of a function after all passes.
fn write_peak(out: &mut String, program: &Program, names: Names<'_>, function: &Name) {
    let Some(id) = program.find_function(function) else { return };
    let Peak { bytes: most, arrays, inside } = peak::of_function(program, id);
    let mut shown: Vec<String> = arrays
        .iter()
        .take(6)
        .map(|(array, size)| format!("{} {}", names.value(array), bytes(*size)))
        .collect();
    if arrays.len() > shown.len() {
        shown.push("…".to_owned());
    }
    shown.extend(inside.map(|callee| format!("what `{callee}` holds")));
    let _ = writeln!(out, "estimated peak memory of `{function}`: {} ({})", bytes(most), shown.join(", "));
}

fn write_region(out: &mut String, names: Names<'_>, region: &RegionReport) {
    let place = match names.place(region.span) {
        place if place.is_empty() => place,
        place => format!(" at {place}"),
    };
    let (runs, kernels) = (count(region.runs.len(), "run"), count(region.plan().clusters.len(), "kernel"));
    let _ = writeln!(out, "fn {}{place}: {runs} become {kernels}", region.function);
    write_kernels(out, names, region);
    write_fused(out, names, region);
    write_refused(out, names, region);
    write_costs(out, region);
}

/// Writes the kernels with their runs: on one line each, or where runs are expressions on a line for each run.
fn write_kernels(out: &mut String, names: Names<'_>, region: &RegionReport) {
    let run_name = |run: usize| {
        let report = &region.runs[run];
        format!("{}{}", names.run(report), names.space(report))
    };
    for (at, (cluster, own)) in region.plan().clusters.iter().zip(&region.kernels).enumerate() {
        let runs = cluster.iter().map(|run| run.index());
        let kernel = format!("kernel {} (estimated {})", at + 1, time(region.time_of(own.cost)));
        if !names.by_expression {
            let members: Vec<String> = runs.map(|run| format!("{} {}", run + 1, run_name(run))).collect();
            let _ = writeln!(out, "  {kernel}: {}", members.join(" + "));
            continue;
        }
        let _ = writeln!(out, "  {kernel}: {}", names.cluster(region, cluster));
        for run in runs {
            let _ = writeln!(out, "    {}{}: {}", run + 1, names.at(region.runs[run].span), run_name(run));
        }
    }
}

/// Writes the values that stay inside of kernels.
fn write_fused(out: &mut String, names: Names<'_>, region: &RegionReport) {
    let mut flows = region.flows.iter().filter(|flow| is_fused(region, flow)).peekable();
    if flows.peek().is_some() {
        out.push_str("  fused:\n");
    }
    for flow in flows {
        let runs = format!("{} → {}", flow.from + 1, flow.to + 1);
        let _ = writeln!(out, "    {runs} through {}", value(names, region, flow));
    }
}

fn is_fused(region: &RegionReport, flow: &FlowReport) -> bool {
    let cluster_of = &region.plan().cluster_of;
    cluster_of[flow.from] == cluster_of[flow.to]
}

/// A value between runs, with its bytes if it is an array.
fn value(names: Names<'_>, region: &RegionReport, flow: &FlowReport) -> String {
    let size = flow.array.map(|array| format!(" ({})", bytes(region.problem.arrays[array].bytes)));
    format!("{}{}", names.value(&flow.value), size.unwrap_or_default())
}

/// Something that fusion left apart.
struct Refused {
    what: String,
    why: String,
    remedy: Option<&'static str>,
}

/// Writes what was not fused. What helps against a reason is said once, at its first line.
fn write_refused(out: &mut String, names: Names<'_>, region: &RegionReport) {
    let mut told: Vec<&str> = Vec::new();
    for (at, Refused { what, why, remedy }) in refused(names, region).into_iter().enumerate() {
        if at == 0 {
            out.push_str("  not fused:\n");
        }
        let _ = writeln!(out, "    {what}: {why}");
        if let Some(remedy) = remedy.filter(|remedy| !told.contains(remedy)) {
            told.push(remedy);
            let _ = writeln!(out, "      what helps: {remedy}");
        }
    }
}

fn refused(names: Names<'_>, region: &RegionReport) -> Vec<Refused> {
    let flows = region.flows.iter().filter(|flow| !is_fused(region, flow)).map(|flow| {
        let (why, remedy) = match &flow.verdict {
            Err(reason) => (reason.to_string(), Some(reason.remedy())),
            Ok(()) => (why_declined(region, flow), None),
        };
        let lines = names.lines(region.runs[flow.from].span, region.runs[flow.to].span);
        let lines = if lines.is_empty() { lines } else { format!(" ({lines})") };
        let what =
            format!("{} → {}{lines} through {}", flow.from + 1, flow.to + 1, value(names, region, flow));
        Refused { what, why, remedy }
    });
    flows.chain(apart(region)).collect()
}

/// Pairs that nothing flows between. They are many; one line for each reason is enough.
fn apart(region: &RegionReport) -> Vec<Refused> {
    let mut reasons: Vec<(&Reason, Vec<String>)> = Vec::new();
    for (first, second, reason) in &region.apart {
        if region.flows.iter().any(|flow| (flow.from, flow.to) == (*first, *second)) {
            continue;
        }
        let pair = format!("{} and {}", first + 1, second + 1);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, pairs)) => pairs.push(pair),
            None => reasons.push((reason, vec![pair])),
        }
    }
    reasons.sort_by_key(|(reason, _)| reason.to_string());
    let line = |(reason, pairs): (&Reason, Vec<String>)| {
        let more = if pairs.len() > 6 { ", …" } else { "" };
        let shown: Vec<String> = pairs.into_iter().take(6).collect();
        let what = format!("runs {}{more}", shown.join(", "));
        Refused { what, why: reason.to_string(), remedy: Some(reason.remedy()) }
    };
    reasons.into_iter().map(line).collect()
}

fn write_costs(out: &mut String, region: &RegionReport) {
    let before = Traffic::of(&region.problem, &FusionPlan::unfused(&region.problem));
    let after = Traffic::of(&region.problem, region.plan());
    let again = region.kernels.iter().map(|kernel| kernel.again).sum::<f64>();
    let again = match (bytes(region.unfused_again), bytes(again)) {
        _ if region.unfused_again + again == 0.0 => String::new(),
        (before, after) => format!(" (and {before} → {after} again, in later rounds)"),
    };
    let _ = writeln!(
        out,
        "  memory: {} → {}{again}, temporaries {} → {}, launches {} → {}",
        bytes(before.bytes()),
        bytes(after.bytes()),
        before.temporaries,
        after.temporaries,
        before.launches,
        after.launches
    );
    let time_of = |cost: f64| time(region.time_of(cost));
    let mut others = vec![format!("unfused {}", time_of(region.unfused))];
    others.extend(region.others.iter().map(|(name, _, cost)| format!("{name} {}", time_of(*cost))));
    let _ = writeln!(
        out,
        "  estimated time: {} = {} ({})",
        time_of(region.solution.cost),
        parts_of_cost(region, after).join(" + "),
        others.join(", ")
    );
    write_solver(out, region);
}

/// The parts of the plan's cost: memory, which the line before has too, launches, work, and what is done more than once.
fn parts_of_cost(region: &RegionReport, after: Traffic) -> Vec<String> {
    let launch_of = |cluster: &Vec<_>| {
        let launch = |run: &nestled_pass::fuse::problem::RunId| region.problem.runs[run.index()].launch;
        cluster.iter().map(launch).fold(0.0, f64::max)
    };
    let launches: f64 = region.plan().clusters.iter().map(launch_of).sum();
    let once = region.problem.cost(&Unlimited, region.plan()).unwrap_or(region.solution.cost);
    let (work, again) = (once - after.bytes() - launches, region.solution.cost - once);
    let time_of = |cost: f64| time(region.time_of(cost));
    let mut parts = vec![
        format!("{} memory", time_of(after.bytes())),
        format!("{} for {}", time_of(launches), count(after.launches, "launch")),
    ];
    if work >= 1.0 {
        parts.push(format!("{} of work beside memory", time_of(work)));
    }
    if again >= 1.0 {
        parts.push(format!("{} for what is read or computed again", time_of(again)));
    }
    parts
}

fn write_solver(out: &mut String, region: &RegionReport) {
    let solution = &region.solution;
    let gap = match solution.optimal {
        true => "proved optimal".to_owned(),
        false => format!(
            "not proved optimal (no plan takes less than {}, which is {:.1} % less)",
            time(region.time_of(solution.bound)),
            100.0 * (solution.cost - solution.bound) / solution.cost.max(1.0)
        ),
    };
    let _ = writeln!(
        out,
        "  solver: {gap}; {:.1} ms ({} steps, {} local-search moves, {} branch-and-bound nodes)",
        region.time.as_secs_f64() * 1e3,
        solution.work.steps,
        solution.work.moves,
        solution.work.nodes
    );
    write_exact(out, region);
    if !region.applied {
        out.push_str("  part of the plan was dropped: it would make a dependency cycle through host code\n");
    }
}

/// `integer program: solved in 3 rounds, with 12 cuts; the default search is within 0.12 % of this plan`
fn write_exact(out: &mut String, region: &RegionReport) {
    let Solution { cost, cuts, work, .. } = &region.solution;
    let search = region.others.iter().find(|(name, ..)| *name == Planner::Search.name());
    let Some((_, _, search)) = search.filter(|_| work.rounds > 0) else { return };
    let within = 100.0 * (search - cost) / cost.max(1.0);
    let (rounds, cuts) = (count(work.rounds as usize, "round"), count(cuts.len(), "cut"));
    let _ = writeln!(
        out,
        "  integer program: solved in {rounds}, with {cuts}; the default search is within {within:.2} % of this plan"
    );
}

/// `3 launches`
pub fn count(n: usize, what: &str) -> String {
    let ending = if what.ends_with("ch") { "es" } else { "s" };
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}{ending}") }
}
