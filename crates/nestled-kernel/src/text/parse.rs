//! The parser of plans. Malformed text is refused with its line; [`verify`](mod@crate::verify) checks whether a parsed plan can run.

use super::words;
use crate::access::Access;
use crate::legalise;
use crate::memory::{Memory, Stored};
use crate::nest::{At, Item, Nest, Order};
use crate::plan::{Plan, Sizes};
use crate::rolling::{Band, Ring, Room, Stage};
use crate::schedule::{Across, Batches, Groups, Loops, Schedule, Whole};
use crate::target::Target;
use nestled_ir::{Direction, Kernel, Program, ScalarType, ValueId};
use std::fmt;

/// A syntax error in the text of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The line, counted from 1.
    pub line: usize,
    /// The message.
    pub what: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for Malformed {}

/// The result of parsing a line; the error is a message.
type Read<T> = Result<T, String>;

/// Parses the output of [`print()`](super::print()): a program of one kernel, and its plan.
///
/// # Errors
/// If the text is not a kernel with a plan.
pub fn parse(text: &str) -> Result<(Program, Plan), Malformed> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = lines.iter().position(|line| *line == "plan") else {
        return Err(Malformed { line: lines.len().max(1), what: "a line `plan` is wanted".into() });
    };
    let program = nestled_ir::text::parse("plan", &lines[..at].join("\n"))
        .map_err(|failure| Malformed { line: 1, what: failure.to_string() })?;
    let [kernel] = &program.kernels[..] else {
        return Err(Malformed { line: 1, what: "one kernel is wanted before the plan".into() });
    };
    let mut reader = Reader { plan: empty(kernel) };
    for (number, line) in lines.iter().enumerate().skip(at + 1) {
        reader.line(line).map_err(|what| Malformed { line: number + 1, what })?;
    }
    let plan = reader.plan;
    if plan.nests.len() != plan.schedules.len() {
        return Err(Malformed { line: lines.len(), what: "a nest has no lanes".into() });
    }
    Ok((program, plan))
}

fn empty(kernel: &Kernel) -> Plan {
    Plan {
        kernel: kernel.clone(),
        legalised: Vec::new(),
        target: Target { vector_bits: 0, avx512: false, f16c: false },
        sizes: Sizes::default(),
        nests: Vec::new(),
        schedules: Vec::new(),
        bands: Vec::new(),
        memory: Memory::results(kernel),
        accesses: vec![Vec::new(); kernel.steps.len()],
    }
}

struct Reader {
    plan: Plan,
}

impl Reader {
    fn line(&mut self, line: &str) -> Read<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match &words[..] {
            [] => {}
            ["target", bits, "bits", flags @ ..] => {
                let [avx512, f16c] = self::flags(flags, ["avx512", "f16c"])?;
                self.plan.target = Target { vector_bits: number(bits)?, avx512, f16c };
            }
            ["sizes", flags @ ..] => {
                let [wide, streaming] = self::flags(flags, ["wide", "streaming"])?;
                self.plan.sizes = Sizes { wide, streaming };
            }
            ["legalised", names @ ..] => {
                for name in names {
                    let pass = legalise::pass(name).ok_or_else(|| format!("no pass is called `{name}`"))?;
                    self.plan.legalised.push(pass.name);
                }
            }
            ["nest", place, "level", level, "groups", group, flags @ ..] => {
                self.nest(number(place)?, number(level)?, number(group)?, flags)?;
            }
            ["nest", place, "level", level, flags @ ..] => {
                self.nest(number(place)?, number(level)?, 0, flags)?
            }
            [word @ ("group" | "sweep"), sweep, steps @ ..] => {
                let sweep = number(sweep.trim_end_matches(':'))?;
                let at = if *word == "sweep" { At::Element(sweep) } else { At::Group(sweep) };
                self.items(at, steps)?;
            }
            ["aligned-to", array] => {
                let array = self.value(array)?;
                self.plan.schedules.last_mut().ok_or("lanes come first")?.aligned_to = Some(array);
            }
            ["lanes", lanes, flags @ ..] => self.lanes(number(lanes)?, flags)?,
            [
                "once" | "whole" | "two-phase-scan" | "short" | "each" | "transposed-batches"
                | "interleaved-groups" | "across-groups" | "split-groups",
                ..,
            ] => {
                self.loops(&words)?;
            }
            ["rolling-window" | "stage" | "ring" | "room", ..] => self.band(&words)?,
            ["stored", place, "is", value, "level", level, flags @ ..] => {
                let [given] = self::flags(flags, ["given"])?;
                let bind = self.value(value)?;
                self.stored(number(place)?, bind, number(level)?, given)?;
            }
            ["reads", step, accesses @ ..] => {
                let step = self.step(step.trim_end_matches(':'))?;
                self.plan.accesses[step] = self.accesses(accesses)?;
            }
            _ => return Err("this line says nothing of a plan".into()),
        }
        Ok(())
    }

    fn nest(&mut self, place: usize, level: usize, group: usize, flags: &[&str]) -> Read<()> {
        let known = ["backward", "points", "flat", "tiled", "chained", "ordered", "strips"];
        let [backward, points, flat, tiled, chained, ordered, strips] = self::flags(flags, known)?;
        in_order(place, self.plan.nests.len())?;
        self.plan.nests.push(Nest {
            group,
            level,
            items: Vec::new(),
            direction: if backward { Direction::Backward } else { Direction::Forward },
            order: if points { Order::Points } else { Order::Vectors },
            flat,
            tiled,
            chained,
            ordered,
            strips,
        });
        Ok(())
    }

    fn items(&mut self, at: At, steps: &[&str]) -> Read<()> {
        let steps = steps.iter().map(|step| self.step(step)).collect::<Read<Vec<usize>>>()?;
        let nest = self.plan.nests.last_mut().ok_or("there is no nest yet")?;
        nest.items.extend(steps.into_iter().map(|step| Item { step, at }));
        nest.items.sort_by_key(|item| item.step);
        Ok(())
    }

    fn lanes(&mut self, lanes: usize, flags: &[&str]) -> Read<()> {
        let [aligned, nontemporal] = self::flags(flags, ["aligned", "nontemporal"])?;
        let nest = self.plan.nests.last().ok_or("there is no nest yet")?;
        if self.plan.schedules.len() + 1 != self.plan.nests.len() {
            return Err("a nest has lanes once".into());
        }
        let groups =
            Groups { sweeps: Vec::new(), transposed: None, interleaved: None, across: None, split: None };
        let loops = if nest.group > 0 { Loops::Groups(groups) } else { Loops::Once };
        self.plan.schedules.push(Schedule { lanes, loops, aligned, aligned_to: None, nontemporal });
        Ok(())
    }

    fn loops(&mut self, words: &[&str]) -> Read<()> {
        let strategy = |words: &[&str]| {
            words::parse_strategy(words).ok_or_else(|| format!("`{}` is no strategy", words.join(" ")))
        };
        let loops = &mut self.plan.schedules.last_mut().ok_or("lanes come first")?.loops;
        match (words, loops) {
            (["once"], Loops::Once) => {}
            (["whole", how @ ..], loops @ Loops::Once) => {
                *loops = Loops::Whole(Whole { main: strategy(how)?, totals: None, short: false });
            }
            (["two-phase-scan", how @ ..], Loops::Whole(whole)) => whole.totals = Some(strategy(how)?),
            (["short"], Loops::Whole(whole)) => whole.short = true,
            (["each", sweep, how @ ..], Loops::Groups(groups)) => {
                in_order(number(sweep.trim_end_matches(':'))?, groups.sweeps.len())?;
                let sweep = words::parse_group_sweep(how);
                groups.sweeps.push(sweep.ok_or_else(|| format!("`{}` is no sweep", how.join(" ")))?);
            }
            (["transposed-batches", flags @ ..], Loops::Groups(groups)) => {
                let [unrolled, flat] = self::flags(flags, ["unrolled", "flat"])?;
                groups.transposed = Some(Batches { unrolled, flat });
            }
            (["interleaved-groups", count], Loops::Groups(groups)) => {
                groups.interleaved = Some(number(count)?);
            }
            (["across-groups", flags @ ..], Loops::Groups(groups)) => {
                let [short, prefetch] = self::flags(flags, ["short", "prefetch"])?;
                groups.across = Some(Across { short, prefetch });
            }
            (["split-groups", how @ ..], Loops::Groups(groups)) => groups.split = Some(strategy(how)?),
            _ => return Err("loops of this kind are not those of the nest".into()),
        }
        Ok(())
    }

    fn band(&mut self, words: &[&str]) -> Read<()> {
        if let ["rolling-window", "nests", from, _, "level", level, flags @ ..] = words {
            let [strips] = self::flags(flags, ["strips"])?;
            let (first, level) = (number(from)?, number(level)?);
            let (stages, rings, rooms) = (Vec::new(), Vec::new(), Vec::new());
            self.plan.bands.push(Band { first, stages, rings, rooms, level, strips });
            return Ok(());
        }
        let band = self.plan.bands.last_mut().ok_or("there is no rolling window yet")?;
        match *words {
            ["stage", "ahead", ahead, "behind", behind, "left", left, "right", right] => {
                band.stages.push(Stage {
                    ahead: number(ahead)?,
                    behind: number(behind)?,
                    left: number(left)?,
                    right: number(right)?,
                })
            }
            [
                "ring",
                "stored",
                stored,
                "stage",
                stage,
                "kept",
                kept,
                "elem",
                elem,
                "room",
                room,
                "like",
                like,
            ] => {
                let elem = ScalarType::from_name(elem).ok_or_else(|| format!("`{elem}` is no type"))?;
                band.rings.push(Ring {
                    stored: number(stored)?,
                    stage: number(stage)?,
                    kept: number(kept)?,
                    elem,
                    room: number(room)?,
                    like: number(like)?,
                });
            }
            ["room", "kept", kept, "size", size] => {
                band.rooms.push(Room { kept: number(kept)?, size: number(size)? });
            }
            _ => return Err("this line says nothing of a rolling window".into()),
        }
        Ok(())
    }

    fn stored(&mut self, place: usize, bind: ValueId, level: usize, given: bool) -> Read<()> {
        in_order(place, self.plan.memory.stored.len())?;
        let axes = self.plan.kernel.values[bind.index()].ty.as_array().map(|array| &array.shape.axes[..]);
        let given = match (given, axes) {
            (false, _) => None,
            (true, Some([axis, ..])) => Some(*axis),
            (true, _) => return Err("what is given is an array".into()),
        };
        self.plan.memory.place(Stored { bind, level, given });
        Ok(())
    }

    fn accesses(&self, words: &[&str]) -> Read<Vec<Access>> {
        let mut list = Vec::new();
        for access in words.join(" ").split(", ").filter(|access| !access.is_empty()) {
            let words: Vec<&str> = access.split(' ').collect();
            let path = words::parse_path(&words[1..]).ok_or_else(|| format!("`{access}` is no access"))?;
            list.push(Access { value: self.value(words[0])?, path });
        }
        Ok(list)
    }

    /// Parses a value, such as `3:xs`.
    fn value(&self, word: &str) -> Read<ValueId> {
        let id: usize = number(word.split(':').next().unwrap_or_default())?;
        let known = id < self.plan.kernel.values.len();
        known.then(|| ValueId::from(id)).ok_or_else(|| format!("the kernel has no value {id}"))
    }

    /// Parses a step, such as `3:map:ys`.
    fn step(&self, word: &str) -> Read<usize> {
        let mut parts = word.split(':');
        let step: usize = number(parts.next().unwrap_or_default())?;
        let kind = self.plan.kernel.steps.get(step).map(|step| step.kind.name());
        match parts.next() == kind && kind.is_some() {
            true => Ok(step),
            false => Err(format!("the kernel has no step `{word}`")),
        }
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Read<T> {
    word.parse().map_err(|_| format!("`{word}` is no number"))
}

fn in_order(place: usize, next: usize) -> Read<()> {
    if place == next { Ok(()) } else { Err(format!("number {next} comes here")) }
}

/// Returns which of the known words are present; others are refused.
fn flags<const N: usize>(words: &[&str], known: [&str; N]) -> Read<[bool; N]> {
    match words.iter().find(|word| !known.contains(word)) {
        Some(word) => Err(format!("`{word}` means nothing here")),
        None => Ok(known.map(|word| words.contains(&word))),
    }
}
