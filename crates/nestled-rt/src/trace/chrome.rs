//! Chrome traces: writes events in Chrome's trace format, which `ui.perfetto.dev` and others show.
//!
//! The file is a list of events, written as they come: a run may be long, and it may end badly. Viewers accept a list without an end, so the
//! trace of a killed run can be viewed as well.

use super::event::{Event, Trace, When, Work};
use super::places::Places;
use crate::json::Object;
use nestled_ir::{SourceMap, Span};
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The track of the host's events.
const HOST: usize = 1;
/// Kernels that are made side by side have tracks from here on.
const COMPILERS: usize = 10;

/// Writes each event to a file.
pub struct ChromeTrace {
    out: Box<dyn Write>,
    places: Places,
    /// Time zero of the trace.
    start: Instant,
    /// Bytes that are allocated.
    live: u64,
    /// The time spans occupied on each compiler track.
    compilers: Vec<Vec<When>>,
    /// Text before the next event; empty once the file has been finished.
    separator: &'static str,
    /// The first thing that went wrong.
    outcome: io::Result<()>,
}

impl ChromeTrace {
    /// Sets the sources, where a program comes piece by piece.
    pub fn set_sources(&mut self, sources: &SourceMap) {
        self.places = Places::new(sources.clone());
    }

    /// A trace of the program with these sources; time zero is `start`. It should be [finished](ChromeTrace::finish), which reports errors;
    /// otherwise dropping it ends the file.
    pub fn new(out: Box<dyn Write>, sources: SourceMap, start: Instant) -> ChromeTrace {
        let mut trace = ChromeTrace {
            out,
            places: Places::new(sources),
            start,
            live: 0,
            compilers: Vec::new(),
            separator: "[\n",
            outcome: Ok(()),
        };
        trace.title("process_name", HOST, "nestled");
        trace.title("thread_name", HOST, "host");
        trace
    }

    /// Ends the file. Nothing is written afterwards.
    ///
    /// # Errors
    /// The first thing that went wrong while it was written.
    pub fn finish(&mut self) -> io::Result<()> {
        if !self.separator.is_empty() {
            self.write("\n]\n");
            self.separator = "";
            if self.outcome.is_ok() {
                self.outcome = self.out.flush();
            }
        }
        std::mem::replace(&mut self.outcome, Ok(()))
    }

    fn write(&mut self, text: &str) {
        if self.outcome.is_ok() {
            self.outcome = self.out.write_all(text.as_bytes());
        }
    }

    /// Adds one event.
    fn add(&mut self, fill: impl FnOnce(&mut Object<'_>)) {
        if self.separator.is_empty() {
            return;
        }
        let mut line = std::mem::replace(&mut self.separator, ",\n").to_owned();
        let mut object = Object::begin(&mut line);
        fill(&mut object);
        object.end();
        self.write(&line);
    }

    /// Names the process, or a track.
    fn title(&mut self, kind: &str, track: usize, title: &str) {
        self.add(|event| {
            event.text("name", kind).text("ph", "M").plain("pid", 1).plain("tid", track);
            event.object("args", |args| {
                args.text("name", title);
            });
        });
    }

    /// Adds a time span on a track.
    fn slice(
        &mut self,
        (kind, name): (&str, &str),
        track: usize,
        when: When,
        args: impl FnOnce(&mut Object<'_>),
    ) {
        let ts = Micros(when.start.saturating_duration_since(self.start));
        let dur = Micros(when.time());
        self.add(|event| {
            event.text("name", name).text("cat", kind).text("ph", "X");
            event.plain("ts", ts).plain("dur", dur).plain("pid", 1).plain("tid", track);
            event.object("args", args);
        });
    }

    /// Adds a time span for an event of a statement.
    fn of_statement(&mut self, event: (&str, &str), when: When, span: Span, numbers: &[(&str, u64)]) {
        let place = self.places.get(span).to_owned();
        self.slice(event, HOST, when, |args| {
            if !place.is_empty() {
                args.text("place", &place);
            }
            numbers.iter().for_each(|(name, number)| {
                args.plain(name, number);
            });
        });
    }

    fn memory(&mut self, when: When) {
        let (ts, live) = (Micros(when.end.saturating_duration_since(self.start)), self.live);
        self.add(|event| {
            event.text("name", "live bytes").text("ph", "C").plain("ts", ts).plain("pid", 1);
            event.object("args", |args| {
                args.plain("bytes", live);
            });
        });
    }

    /// A track on which nothing lies at that time: slices of one track must not overlap.
    fn compiler(&mut self, when: When) -> usize {
        let apart = |other: &When| other.end <= when.start || when.end <= other.start;
        let free = self.compilers.iter().position(|track| track.iter().all(apart));
        let at = free.unwrap_or(self.compilers.len());
        if free.is_none() {
            self.compilers.push(Vec::new());
            self.title("thread_name", COMPILERS + at, &format!("compiler {}", at + 1));
        }
        self.compilers[at].push(when);
        COMPILERS + at
    }
}

impl Trace for ChromeTrace {
    fn event(&mut self, event: Event<'_>, when: When) {
        match event {
            Event::Phase { name } => self.slice(("phase", name), HOST, when, |_| {}),
            Event::Pass { name } => self.slice(("pass", name), HOST, when, |_| {}),
            Event::Prepare { kernels } => self.slice(("compile", "prepare kernels"), HOST, when, |args| {
                args.plain("kernels", kernels);
            }),
            Event::Compile { kernel, wide, origin } => {
                let track = self.compiler(when);
                self.slice(("compile", kernel), track, when, |args| {
                    args.text("origin", origin.name()).plain("wide", wide);
                });
            }
            Event::Launch { kernel, places: _, span, work } => {
                self.of_statement(("launch", kernel), when, span, &numbers(work));
            }
            Event::Native { name, span, work } => {
                self.of_statement(("native", name), when, span, &numbers(work));
            }
            Event::Allocate { bytes } => {
                self.live = self.live.saturating_add(bytes);
                self.memory(when);
            }
            Event::Free { bytes } => {
                self.live = self.live.saturating_sub(bytes);
                self.memory(when);
            }
            Event::CopyIn { bytes, span } => {
                self.of_statement(("copy", "copy in"), when, span, &[("bytes", bytes)]);
            }
            Event::CopyOut { bytes, span } => {
                self.of_statement(("copy", "copy out"), when, span, &[("bytes", bytes)]);
            }
            Event::Wait { span } => self.of_statement(("wait", "wait"), when, span, &[]),
        }
    }
}

impl Drop for ChromeTrace {
    fn drop(&mut self) {
        // Whoever wants to know what went wrong finishes it.
        let _ = self.finish();
    }
}

impl fmt::Debug for ChromeTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChromeTrace")
            .field("start", &self.start)
            .field("live", &self.live)
            .finish_non_exhaustive()
    }
}

fn numbers(work: Work) -> [(&'static str, u64); 3] {
    let Work { points, read, written } = work;
    [("points", points), ("bytes read", read), ("bytes written", written)]
}

/// Microseconds with three decimals: the unit of the format, to the nanosecond.
struct Micros(Duration);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        write!(f, "{}.{:03}", nanos / 1000, nanos % 1000)
    }
}
