//! Fusion report in words: for each region the kernels, the values they keep to themselves, and why there are not fewer kernels.

use super::{bytes, why_declined};
use nestled_ir::{Name, Program, SourceMap, Span};
use nestled_pass::RunsChanged;
use nestled_pass::fuse::report::{FlowReport, RegionReport};
use nestled_pass::fuse::traffic::Traffic;
use nestled_pass::peak::{self, Peak};
use std::collections::BTreeMap;
use std::fmt::Write;

/// All regions, after what earlier passes did to the runs.
pub fn text(program: &Program, regions: &[RegionReport], changed: &[RunsChanged]) -> String {
    let mut out = earlier_passes(changed);
    if regions.is_empty() {
        out.push_str("Nothing could be fused: no stretch of host code runs two kernels.\n");
        return out;
    }
    for (at, region) in regions.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        write_region(&mut out, &program.sources, region);
    }
    out.push('\n');
    let mut told: Vec<&Name> = Vec::new();
    for RegionReport { function, .. } in regions {
        if !told.contains(&function) {
            told.push(function);
            write_peak(&mut out, program, function);
        }
    }
    out.push_str(
        "Sizes are guesses where the program does not say them; bytes are those that go through memory.\n",
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
fn write_peak(out: &mut String, program: &Program, function: &Name) {
    let Some(id) = program.find_function(function) else { return };
    let Peak { bytes: most, arrays, inside } = peak::of_function(program, id);
    let mut names: Vec<String> =
        arrays.iter().take(6).map(|(name, size)| format!("{name} {}", bytes(*size))).collect();
    if arrays.len() > names.len() {
        names.push("…".to_owned());
    }
    names.extend(inside.map(|callee| format!("what `{callee}` holds")));
    let _ = writeln!(out, "estimated peak memory of `{function}`: {} ({})", bytes(most), names.join(", "));
}

fn write_region(out: &mut String, sources: &SourceMap, region: &RegionReport) {
    let plan = region.plan();
    let (runs, kernels) = (region.runs.len(), plan.clusters.len());
    let _ = writeln!(
        out,
        "fn {}{}: {} become {}",
        region.function,
        place(sources, region.span),
        count(runs, "run"),
        count(kernels, "kernel")
    );
    for (at, cluster) in plan.clusters.iter().enumerate() {
        let members: Vec<String> = cluster.iter().map(|run| run_name(region, run.index())).collect();
        let _ = writeln!(out, "  kernel {}: {}", at + 1, members.join(" + "));
    }
    let cluster = |run: usize| plan.cluster_of[run];
    let (inside, outside): (Vec<&FlowReport>, Vec<&FlowReport>) =
        region.flows.iter().partition(|flow| cluster(flow.from) == cluster(flow.to));
    if !inside.is_empty() {
        out.push_str("  fused:\n");
    }
    for flow in inside {
        let _ = writeln!(out, "    {}", flow_name(region, flow));
    }
    let mut refused = Vec::new();
    for flow in outside {
        let why = match &flow.verdict {
            Err(reason) => reason.to_string(),
            Ok(()) => why_declined(region, flow),
        };
        refused.push(format!("{}: {why}", flow_name(region, flow)));
    }
    // Pairs that nothing flows between are many; one line for each reason is enough.
    let mut apart: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for (first, second, reason) in &region.apart {
        let flows = region.flows.iter().any(|flow| (flow.from, flow.to) == (*first, *second));
        if !flows {
            apart.entry(reason.to_string()).or_default().push((*first, *second));
        }
    }
    for (reason, pairs) in apart {
        let shown: Vec<String> =
            pairs.iter().take(6).map(|(a, b)| format!("{} and {}", a + 1, b + 1)).collect();
        let more = if pairs.len() > shown.len() { ", …" } else { "" };
        refused.push(format!("runs {}{more}: {reason}", shown.join(", ")));
    }
    if !refused.is_empty() {
        out.push_str("  not fused:\n");
    }
    for line in refused {
        let _ = writeln!(out, "    {line}");
    }
    write_costs(out, region);
}

fn write_costs(out: &mut String, region: &RegionReport) {
    let before =
        Traffic::of(&region.problem, &nestled_pass::fuse::plan::FusionPlan::unfused(&region.problem));
    let after = Traffic::of(&region.problem, region.plan());
    let _ = writeln!(
        out,
        "  memory: {} → {}, temporaries {} → {}, launches {} → {}",
        bytes(before.bytes()),
        bytes(after.bytes()),
        before.temporaries,
        after.temporaries,
        before.launches,
        after.launches
    );
    let solution = &region.solution;
    let mut costs = vec![format!("unfused {}", bytes(region.unfused))];
    costs.extend(region.others.iter().map(|(name, _, cost)| format!("{name} {}", bytes(*cost))));
    let _ = writeln!(out, "  cost: {} ({})", bytes(solution.cost), costs.join(", "));
    let gap = match solution.optimal {
        true => "proved optimal".to_owned(),
        false => format!(
            "not proved optimal (no plan costs less than {}, which is {:.1} % less)",
            bytes(solution.bound),
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
    if !region.applied {
        out.push_str("  part of the plan was dropped: it would make a dependency cycle through host code\n");
    }
}

/// ` at f.lcu:3:1`, where that is known.
fn place(sources: &SourceMap, span: Span) -> String {
    sources.describe(span).map(|place| format!(" at {place}")).unwrap_or_default()
}

/// `2 blur over [n, m]`
fn run_name(region: &RegionReport, run: usize) -> String {
    let report = &region.runs[run];
    match report.space.is_empty() {
        true => format!("{} {}", run + 1, report.kernel),
        false => format!("{} {} over [{}]", run + 1, report.kernel, report.space.join(", ")),
    }
}

/// `1 → 2 through ys`
fn flow_name(region: &RegionReport, flow: &FlowReport) -> String {
    let FlowReport { from, to, value, verdict: _ } = flow;
    let weight = region
        .arrays
        .iter()
        .zip(&region.problem.arrays)
        .find(|(name, array)| {
            *name == value && array.producer.is_some_and(|producer| producer.index() == *from)
        })
        .map(|(_, array)| format!(" ({})", bytes(array.bytes)));
    format!("{} → {} through {value}{}", from + 1, to + 1, weight.unwrap_or_default())
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
