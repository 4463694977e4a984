//! What watchers make of events.

use nestled_ir::{SourceMap, Span};
use nestled_rt::device::Origin;
use nestled_rt::{ChromeTrace, Event, Profile, Trace, When, Work};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A file in memory that can be looked at while it is written.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file on a full disk.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn sources() -> SourceMap {
    SourceMap::single("f.lcu", "one\ntwo\n")
}

/// From one microsecond after the beginning to another.
fn when(start: Instant, from: u64, to: u64) -> When {
    When { start: start + Duration::from_micros(from), end: start + Duration::from_micros(to) }
}

fn compiled(kernel: &str) -> Event<'_> {
    Event::Compile { kernel, wide: false, origin: Origin::Compiler }
}

#[test]
fn kernels_made_side_by_side_have_tracks_of_their_own() {
    let (file, start) = (Shared::default(), Instant::now());
    let mut trace = ChromeTrace::new(Box::new(file.clone()), sources(), start);
    trace.event(compiled("a"), when(start, 0, 10));
    trace.event(compiled("b"), when(start, 5, 15));
    trace.event(compiled("c"), when(start, 10, 20));
    trace.event(compiled("d"), when(start, 15, 20));
    trace.finish().unwrap();
    let text = file.text();
    let track = |name: &str| {
        let line = text.lines().find(|line| line.contains(&format!("{{\"name\":\"{name}\""))).unwrap();
        line.split("\"tid\":").nth(1).unwrap().split(',').next().unwrap().to_owned()
    };
    assert_eq!(["a", "b", "c", "d"].map(track), ["10", "11", "10", "11"]);
    assert_eq!(text.matches("compiler 2").count(), 1);
    assert!(text.contains(r#""args":{"origin":"compiled","wide":false}"#), "{text}");
    assert!(text.ends_with("}\n]\n"));
}

#[test]
fn a_trace_that_is_dropped_is_whole_and_one_that_is_finished_takes_nothing_more() {
    let (file, start) = (Shared::default(), Instant::now());
    let mut trace = ChromeTrace::new(Box::new(file.clone()), sources(), start);
    trace.event(Event::Wait { span: Span::new(0, 4, 7) }, when(start, 1, 3));
    drop(trace);
    let text = file.text();
    assert!(
        text.contains(r#""ts":1.000,"dur":2.000,"pid":1,"tid":1,"args":{"place":"f.lcu:2:1"}}"#),
        "{text}"
    );
    assert!(text.ends_with("}\n]\n"));

    let file = Shared::default();
    let mut trace = ChromeTrace::new(Box::new(file.clone()), sources(), start);
    trace.finish().unwrap();
    let text = file.text();
    trace.event(Event::Wait { span: Span::NONE }, when(start, 1, 3));
    trace.finish().unwrap();
    drop(trace);
    assert_eq!(file.text(), text);
}

#[test]
fn a_trace_that_cannot_be_written_says_so_once() {
    let start = Instant::now();
    let mut trace = ChromeTrace::new(Box::new(Full), sources(), start);
    trace.event(Event::Wait { span: Span::NONE }, when(start, 1, 3));
    assert_eq!(trace.finish().unwrap_err().to_string(), "full");
    assert!(trace.finish().is_ok());
}

/// The columns of a row of a profile.
fn row<'a>(table: &'a str, name: &str) -> Vec<&'a str> {
    let line =
        table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}:\n{table}"));
    line[name.len()..].split_whitespace().collect()
}

#[test]
fn a_profile_adds_up() {
    let start = Instant::now();
    let mut profile = Profile::new(sources(), start);
    let (one, two) = (Span::new(0, 0, 3), Span::new(0, 4, 7));
    let work = Work { points: 1000, read: 8000, written: 12_000 };
    profile.event(Event::Pass { name: "simplify" }, when(start, 110, 150));
    profile.event(Event::Phase { name: "passes" }, when(start, 100, 200));
    profile.event(Event::Prepare { kernels: 3 }, when(start, 250, 350));
    profile.event(compiled("a"), when(start, 250, 340));
    profile.event(Event::Compile { kernel: "b", wide: true, origin: Origin::Disk }, when(start, 250, 260));
    profile.event(compiled("c"), when(start, 250, 350));
    profile.event(Event::Phase { name: "making ready" }, when(start, 200, 400));
    profile.event(Event::Allocate { bytes: 70 }, when(start, 400, 401));
    profile.event(Event::Free { bytes: 20 }, when(start, 401, 402));
    profile.event(Event::Allocate { bytes: 30 }, when(start, 402, 403));
    profile.event(Event::Launch { kernel: "a", places: &[], span: one, work }, when(start, 410, 420));
    profile.event(Event::Launch { kernel: "a", places: &[], span: two, work }, when(start, 420, 440));
    profile.event(Event::Launch { kernel: "b", places: &[], span: one, work }, when(start, 440, 441));
    profile.event(Event::Launch { kernel: "a", places: &[], span: one, work }, when(start, 450, 480));
    profile.event(Event::Native { name: "sort", span: two, work }, when(start, 500, 600));
    profile.event(Event::CopyOut { bytes: 5, span: two }, when(start, 600, 650));
    profile.event(Event::Wait { span: two }, when(start, 650, 700));
    profile.event(Event::Phase { name: "host code" }, when(start, 400, 900));
    let table = profile.table(start + Duration::from_micros(1000));

    assert_eq!(row(&table, "sort"), ["f.lcu:2:1", "1", "0.100", "100.0", "0.20", "10.0", "%"]);
    assert_eq!(row(&table, "a   "), ["f.lcu:1:1", "2", "0.040", "20.0", "1.00", "4.0", "%"]);
    assert_eq!(row(&table, "b   "), ["f.lcu:1:1", "1", "0.001", "1.0", "20.00", "0.1", "%"]);
    assert_eq!(row(&table, "memory"), ["80", "bytes", "at", "most", "3", "0.003", "1.0", "0.3", "%"]);
    let compilation = ["2", "compiled,", "1", "cached", "on", "disk", "1", "0.100", "100.0", "10.0", "%"];
    assert_eq!(row(&table, "compilation"), compilation);
    assert_eq!(row(&table, "making ready"), ["0.100", "10.0", "%"], "without compilation");
    // Of 500, all that the device did is left out: 3 + 10 + 20 + 1 + 30 + 100 + 50 + 50.
    assert_eq!(row(&table, "host code"), ["0.236", "23.6", "%"]);
    assert_eq!(row(&table, "everything else"), ["0.200", "20.0", "%"]);
    assert_eq!(row(&table, "all"), ["1.000", "100.0", "%"]);

    let names: Vec<&str> = table.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names[..5], ["kernel", "sort", "a", "a", "b"], "the slowest comes first");
    let times = table.lines().filter_map(|line| line.strip_suffix(" %")).map(|line| {
        line.split_whitespace()
            .filter(|word| word.contains('.') && word.len() == 5)
            .find_map(|word| word.parse::<f64>().ok())
    });
    let times: Vec<f64> = times.map(|time| time.unwrap()).collect();
    let (all, parts) = times.split_last().unwrap();
    assert!((parts.iter().sum::<f64>() - all).abs() < 1e-9, "{parts:?}");
}
