//! The printer of plans.

use super::words;
use crate::nest::{At, Nest, Order};
use crate::plan::Plan;
use crate::rolling::Band;
use crate::schedule::{Batches, GroupSweep, Groups, Loops, Schedule, Whole};
use nestled_ir::{Direction, Program, ValueId};
use std::fmt::Write;

/// Prints a plan: its kernel, with the thunks and monoids of its program, then the plan.
pub fn print(program: &Program, plan: &Plan) -> String {
    let only = Program { kernels: vec![plan.kernel.clone()], functions: Vec::new(), ..program.clone() };
    format!("{}\n{}", nestled_ir::text::print(&only), schedule(plan))
}

/// Prints a plan without its kernel.
pub fn schedule(plan: &Plan) -> String {
    let target = &plan.target;
    let mut text = "plan\n".to_owned();
    let bits = target.vector_bits;
    line(
        &mut text,
        1,
        &[&format!("target {bits} bits")],
        &[("avx512", target.avx512), ("f16c", target.f16c)],
    );
    if plan.sizes != Default::default() {
        line(&mut text, 1, &["sizes"], &[("wide", plan.sizes.wide), ("streaming", plan.sizes.streaming)]);
    }
    if !plan.legalised.is_empty() {
        line(&mut text, 1, &["legalised", &plan.legalised.join(" ")], &[]);
    }
    for (number, (nest, how)) in plan.nests.iter().zip(&plan.schedules).enumerate() {
        self::nest(&mut text, plan, number, nest);
        nest_schedule(&mut text, plan, how);
    }
    plan.bands.iter().for_each(|band| self::band(&mut text, band));
    for (number, stored) in plan.memory.stored.iter().enumerate() {
        let head = format!("stored {number} is {} level {}", value(plan, stored.bind), stored.level);
        line(&mut text, 1, &[&head], &[("given", stored.given.is_some())]);
    }
    for (step, accesses) in plan.accesses.iter().enumerate() {
        let accesses: Vec<String> = accesses
            .iter()
            .map(|access| format!("{} {}", value(plan, access.value), words::path(access.path)))
            .collect();
        line(&mut text, 1, &["reads", &format!("{}:", self::step(plan, step)), &accesses.join(", ")], &[]);
    }
    text
}

/// Prints a line: words, then the flags that hold.
fn line(text: &mut String, indent: usize, parts: &[&str], flags: &[(&str, bool)]) {
    let flags = flags.iter().filter(|(_, is)| *is).map(|(word, _)| *word);
    let all: Vec<&str> = parts.iter().copied().chain(flags).filter(|part| !part.is_empty()).collect();
    let _ = writeln!(text, "{}{}", "  ".repeat(indent), all.join(" "));
}

/// Prints a value: its number, and its name where that is a plain word.
fn value(plan: &Plan, value: ValueId) -> String {
    let name = &plan.kernel.values[value.index()].name;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    match !name.is_empty() && name.chars().all(plain) {
        true => format!("{}:{name}", value.index()),
        false => value.index().to_string(),
    }
}

/// Prints a step: its number, its kind, and the name of its first result.
fn step(plan: &Plan, step: usize) -> String {
    let combinator = &plan.kernel.steps[step];
    let word = combinator.kind.name();
    let bind = combinator.binds.first().map(|&bind| value(plan, bind)).unwrap_or_default();
    match bind.split_once(':') {
        Some((_, name)) => format!("{step}:{word}:{name}"),
        None => format!("{step}:{word}"),
    }
}

pub(super) fn step_words(plan: &Plan, number: usize) -> String {
    let words = step(plan, number);
    words.split_once(':').map_or(String::new(), |(_, words)| words.replace(':', " "))
}

fn nest(text: &mut String, plan: &Plan, number: usize, nest: &Nest) {
    let mut head = format!("nest {number} level {}", nest.level);
    if nest.group > 0 {
        let _ = write!(head, " groups {}", nest.group);
    }
    let flags = [
        ("backward", nest.direction == Direction::Backward),
        ("points", nest.order == Order::Points),
        ("flat", nest.flat),
        ("tiled", nest.tiled),
        ("chained", nest.chained),
        ("ordered", nest.ordered),
        ("strips", nest.strips),
    ];
    line(text, 1, &[&head], &flags);
    let steps = |steps: Vec<usize>| -> String {
        steps.into_iter().map(|number| step(plan, number)).collect::<Vec<_>>().join(" ")
    };
    let last = nest.items.iter().map(|item| match item.at {
        At::Element(sweep) | At::Group(sweep) => sweep,
    });
    for sweep in 0..=last.max().unwrap_or(0) {
        let (before, of) = (steps(nest.before_sweep(sweep).collect()), steps(nest.in_sweep(sweep).collect()));
        for (word, steps) in [("group", before), ("sweep", of)] {
            if !steps.is_empty() {
                line(text, 2, &[&format!("{word} {sweep}:"), &steps], &[]);
            }
        }
    }
}

fn nest_schedule(text: &mut String, plan: &Plan, schedule: &Schedule) {
    let flags = [("aligned", schedule.aligned), ("nontemporal", schedule.nontemporal)];
    line(text, 2, &[&format!("lanes {}", schedule.lanes)], &flags);
    if let Some(array) = schedule.aligned_to {
        line(text, 2, &["aligned-to", &value(plan, array)], &[]);
    }
    match &schedule.loops {
        Loops::Once => line(text, 2, &["once"], &[]),
        Loops::Whole(Whole { main, totals, short }) => {
            line(text, 2, &["whole", &words::strategy(*main)], &[]);
            if let Some(totals) = totals {
                line(text, 2, &["two-phase-scan", &words::strategy(*totals)], &[]);
            }
            if *short {
                line(text, 2, &["short"], &[]);
            }
        }
        Loops::Groups(groups) => {
            for (sweep, how) in groups.sweeps.iter().enumerate() {
                let how: &GroupSweep = how;
                line(text, 2, &[&format!("each {sweep}:"), &words::group_sweep(how)], &[]);
            }
            versions(groups).iter().for_each(|version| line(text, 2, &[version], &[]));
        }
    }
}

/// Prints the alternative versions of a nest over groups.
pub(super) fn versions(groups: &Groups) -> Vec<String> {
    let mut list = Vec::new();
    if let Some(Batches { unrolled, flat }) = groups.transposed {
        list.push(flagged("transposed-batches", [("unrolled", unrolled), ("flat", flat)]));
    }
    if let Some(count) = groups.interleaved {
        list.push(format!("interleaved-groups {count}"));
    }
    if let Some(across) = groups.across {
        list.push(flagged("across-groups", [("short", across.short), ("prefetch", across.prefetch)]));
    }
    if let Some(split) = groups.split {
        list.push(format!("split-groups {}", words::strategy(split)));
    }
    list
}

fn band(text: &mut String, band: &Band) {
    let (from, to) = (band.first, band.first + band.stages.len());
    line(
        text,
        1,
        &[&format!("rolling-window nests {from} {to} level {}", band.level)],
        &[("strips", band.strips)],
    );
    for stage in &band.stages {
        let words = format!(
            "stage ahead {} behind {} left {} right {}",
            stage.ahead, stage.behind, stage.left, stage.right
        );
        line(text, 2, &[&words], &[]);
    }
    for ring in &band.rings {
        let words = format!(
            "ring stored {} stage {} kept {} elem {} room {} like {}",
            ring.stored, ring.stage, ring.kept, ring.elem, ring.room, ring.like
        );
        line(text, 2, &[&words], &[]);
    }
    for room in &band.rooms {
        line(text, 2, &[&format!("room kept {} size {}", room.kept, room.size)], &[]);
    }
}

/// A word, followed by the flags that hold.
fn flagged(word: &str, flags: [(&str, bool); 2]) -> String {
    flags.into_iter().filter(|(_, holds)| *holds).fold(word.to_owned(), |text, (flag, _)| text + " " + flag)
}
