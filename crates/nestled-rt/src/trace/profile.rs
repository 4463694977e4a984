//! Profiles: time by kernel and statement, and by kind of other event.

use super::event::{Event, Trace, When, Work};
use super::places::Places;
use super::table::{Sum, Table};
use crate::device::Origin;
use nestled_ir::{SourceMap, Span};
use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

/// Adds up times: launches by kernel and statement, everything else by kind.
pub struct Profile {
    places: Places,
    /// Whether kernels are called by the expressions that they compute.
    by_expression: bool,
    start: Instant,
    rows: Vec<Row>,
    /// The rows of each statement, by index into `rows`.
    of_statement: HashMap<(u32, u32), Vec<usize>>,
    others: [Sum; OTHERS.len()],
    /// Phases in order; their times exclude events inside them.
    phases: Vec<(String, Duration)>,
    /// Time of the events inside the current phase, subtracted when it ends.
    held: Duration,
    /// Kernels by where their code came from.
    origins: [u64; ORIGINS.len()],
    /// Bytes that are allocated now, and that were at most.
    live: u64,
    peak: u64,
}

/// A kernel or a native operation at one statement.
struct Row {
    name: String,
    /// The places of the kernel's combinators.
    parts: Vec<Span>,
    span: Span,
    sum: Sum,
}

/// Device events besides kernels and native operations.
#[derive(Clone, Copy)]
enum Other {
    CopyIn,
    CopyOut,
    Wait,
    Memory,
    Prepare,
}

const OTHERS: [(Other, &str); 5] = [
    (Other::CopyIn, "copies in"),
    (Other::CopyOut, "copies out"),
    (Other::Wait, "waiting"),
    (Other::Memory, "memory"),
    (Other::Prepare, "compilation"),
];

const ORIGINS: [Origin; 4] = [Origin::Compiler, Origin::Disk, Origin::Memory, Origin::Later];

impl Profile {
    /// A profile of the program with these sources; time zero is `start`.
    pub fn new(sources: SourceMap, start: Instant) -> Profile {
        Profile {
            places: Places::new(sources),
            by_expression: false,
            start,
            rows: Vec::new(),
            of_statement: HashMap::new(),
            others: [Sum::default(); OTHERS.len()],
            phases: Vec::new(),
            held: Duration::ZERO,
            origins: [0; ORIGINS.len()],
            live: 0,
            peak: 0,
        }
    }

    /// Calls kernels by the expressions that they compute in these sources, which have those of before and perhaps more.
    pub fn name_by_expression(&mut self, sources: &SourceMap) {
        self.places = Places::new(sources.clone());
        self.by_expression = true;
    }

    /// The table of everything until `end`: kernels and native operations with the slowest first, then the rest. The times of the rows add
    /// up to the time of the last one.
    pub fn table(&mut self, end: Instant) -> String {
        let whole = When { start: self.start, end }.time();
        let mut table = Table::new(whole);
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.sum.time));
        for row in rows {
            let is_renamed = self.by_expression && !row.parts.is_empty();
            let expressions = is_renamed.then(|| self.places.expressions(&row.parts, row.span)).flatten();
            table.work(expressions.as_ref().unwrap_or(&row.name), self.places.get(row.span), row.sum);
        }
        table.rule();
        for (other, name) in OTHERS {
            let sum = self.others[other as usize];
            if sum.runs > 0 {
                table.other(name, &self.detail(other), sum);
            }
        }
        for (name, time) in &self.phases {
            table.other(name, "", Sum { time: *time, ..Sum::default() });
        }
        table.finish()
    }

    fn detail(&self, other: Other) -> String {
        match other {
            Other::CopyIn | Other::CopyOut => format!("{} bytes", self.others[other as usize].bytes),
            Other::Wait => String::new(),
            Other::Memory => format!("{} bytes at most", self.peak),
            Other::Prepare => {
                let some = ORIGINS.iter().zip(self.origins).filter(|(_, kernels)| *kernels > 0);
                let some: Vec<_> =
                    some.map(|(origin, kernels)| format!("{kernels} {}", origin.name())).collect();
                some.join(", ")
            }
        }
    }

    fn statement(&mut self, (name, parts): (&str, &[Span]), span: Span, work: Work, when: When) {
        let Profile { rows, of_statement, .. } = self;
        let known = of_statement.entry((span.source, span.start)).or_default();
        let at = known.iter().copied().find(|&at| rows[at].name == name).unwrap_or_else(|| {
            known.push(rows.len());
            rows.push(Row { name: name.to_owned(), parts: parts.to_vec(), span, sum: Sum::default() });
            rows.len() - 1
        });
        rows[at].sum.add(when.time(), work.read.saturating_add(work.written));
        self.held += when.time();
    }

    fn other(&mut self, other: Other, bytes: u64, when: When) {
        self.others[other as usize].add(when.time(), bytes);
        self.held += when.time();
    }
}

impl Trace for Profile {
    fn event(&mut self, event: Event<'_>, when: When) {
        match event {
            Event::Phase { name } => {
                let held = std::mem::take(&mut self.held);
                self.phases.push((name.to_owned(), when.time().saturating_sub(held)));
            }
            // Passes lie in a phase.
            Event::Pass { .. } => {}
            Event::Prepare { .. } => self.other(Other::Prepare, 0, when),
            // Inside `Prepare`.
            Event::Compile { origin, .. } => {
                let at = ORIGINS.iter().position(|known| *known == origin);
                self.origins[at.expect("all origins are listed")] += 1;
            }
            Event::Launch { kernel, places, span, work } => {
                self.statement((kernel, places), span, work, when);
            }
            Event::Native { name, span, work } => self.statement((name, &[]), span, work, when),
            Event::Allocate { bytes } => {
                self.live = self.live.saturating_add(bytes);
                self.peak = self.peak.max(self.live);
                self.other(Other::Memory, 0, when);
            }
            Event::Free { bytes } => {
                self.live = self.live.saturating_sub(bytes);
                self.other(Other::Memory, 0, when);
            }
            Event::CopyIn { bytes, .. } => self.other(Other::CopyIn, bytes, when),
            Event::CopyOut { bytes, .. } => self.other(Other::CopyOut, bytes, when),
            Event::Wait { .. } => self.other(Other::Wait, 0, when),
        }
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("rows", &self.rows.len())
            .field("peak", &self.peak)
            .finish_non_exhaustive()
    }
}
