//! Summaries of plans, for `nestled explain`: a line for each nest, with every strategy that the plan holds.

use super::print::step_words;
use super::words;
use crate::access::Path;
use crate::nest::Nest;
use crate::plan::Plan;
use crate::schedule::{GroupSweep, Groups, Loops, Schedule, Whole};
use crate::strategy::slide;
use crate::{rolling, scan, stream};
use std::fmt::Write;

/// Summarises each nest in a line: its combinators, its schedule, and the ways of its reads and results.
pub fn summary(plan: &Plan) -> Vec<String> {
    let nests = plan.nests.iter().zip(&plan.schedules).enumerate();
    nests.map(|(number, (nest, schedule))| line(plan, number, nest, schedule)).collect()
}

fn line(plan: &Plan, number: usize, nest: &Nest, schedule: &Schedule) -> String {
    let names: Vec<String> = nest.items.iter().map(|item| step_words(plan, item.step)).collect();
    let mut text = format!("nest {number} ({}): ", names.join(", "));
    let _ = match &schedule.loops {
        Loops::Once => write!(text, "once"),
        Loops::Whole(whole) => write!(text, "{} lanes, {}", schedule.lanes, of_whole(whole)),
        Loops::Groups(groups) => write!(text, "{} lanes, {}", schedule.lanes, of_groups(groups)),
    };
    if let Some(array) = schedule.aligned_to {
        let _ = write!(text, ", aligned-to {}", plan.kernel.values[array.index()].name);
    }
    if schedule.nontemporal {
        text += ", nontemporal stores";
    }
    for (path, words) in WAYS {
        let steps = nest.items.iter().map(|item| item.step).filter(|&step| uses(plan, step, path));
        let names: Vec<String> = steps.map(|step| step_words(plan, step)).collect();
        if !names.is_empty() {
            let _ = write!(text, ", {words} ({})", names.join(", "));
        }
    }
    if plan.bands.iter().any(|band| band.nests().contains(&number)) {
        let _ = write!(text, ", in a {} of rows", rolling::INFO.word);
    }
    text
}

/// The access paths that are strategies, by the words of the strategies.
const WAYS: [(Path, &str); 4] = [
    (Path::SlidingWindow, slide::INFO.word),
    (Path::Scatter, stream::PLACE.word),
    (Path::Tables, stream::TABLES.word),
    (Path::Append, stream::APPEND.word),
];

fn uses(plan: &Plan, step: usize, path: Path) -> bool {
    plan.accesses[step].iter().any(|access| access.path == path)
}

fn of_whole(whole: &Whole) -> String {
    let mut text = words::strategy(whole.main);
    if let Some(totals) = whole.totals {
        let _ =
            write!(text, " after the totals of pieces by {} ({})", words::strategy(totals), scan::INFO.word);
    }
    if whole.short {
        text += ", or short from left to right";
    }
    text
}

/// The versions of a nest over groups, of which each launch chooses one.
fn of_groups(groups: &Groups) -> String {
    let sweeps: Vec<String> = groups.sweeps.iter().map(of_sweep).collect();
    let mut versions = vec![format!("each group: {}", sweeps.join("; then "))];
    let Groups { sweeps: _, transposed, interleaved, across, split } = groups;
    let mut add = |words: &str, is: bool| {
        if is {
            versions.push(words.to_owned());
        }
    };
    add("batches of short groups: transposed-batches", transposed.is_some());
    if let Some(count) = interleaved {
        add(&format!("long rows: interleaved-groups {count}"), true);
    }
    if let Some(across) = across {
        let prefetch = if across.prefetch { " with prefetch" } else { "" };
        add(&format!("side by side in the lanes: across-groups{prefetch}"), true);
    }
    if let Some(split) = split {
        add(&format!("large groups: split-groups {}", words::strategy(*split)), true);
    }
    match versions.as_slice() {
        [only] => only.clone(),
        several => {
            let numbered = several.iter().enumerate().map(|(at, version)| format!("({}) {version}", at + 1));
            format!("chosen at launch: {}", numbered.collect::<Vec<_>>().join(", "))
        }
    }
}

fn of_sweep(sweep: &GroupSweep) -> String {
    match *sweep {
        GroupSweep::PointsUpTo(most, how) => {
            format!("points-up-to {most}, longer {}", words::strategy(how))
        }
        GroupSweep::LeftToRightUpTo(most, how) => {
            format!("left-to-right-up-to {most}, longer {}", words::strategy(how))
        }
        GroupSweep::Any(_) | GroupSweep::LeftToRight | GroupSweep::Tiles(_) => words::group_sweep(sweep),
    }
}
