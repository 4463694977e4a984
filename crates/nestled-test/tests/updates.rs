//! Sequences that a loop changes one element at a time are changed in place, though the loop reads them too: outside of any context such loops are one launch each, with
//! all that they call; and what a program takes in memory, all in all, grows as its rounds do.

use nestled_cpu::device::{CpuConfig, CpuDevice};
use nestled_ir::Program;
use nestled_ir::interp as lcu;
use nestled_ir::value::{AxisValue, Value};
use nestled_nesl::engine::{Backend, Engine, Halt};
use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use nestled_rt::{Event, Executable, Trace, When};
use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

/// How many bytes were allocated, all in all, and what was launched.
#[derive(Default)]
struct Allocated {
    bytes: u64,
    launches: Vec<String>,
}

impl Trace for Allocated {
    fn event(&mut self, event: Event<'_>, _: When) {
        match event {
            Event::Allocate { bytes } => self.bytes += bytes,
            Event::Launch { kernel, .. } => self.launches.push(kernel.to_owned()),
            _ => {}
        }
    }
}

/// The CPU as users have it.
struct Watched(Rc<CpuDevice>, Rc<RefCell<Allocated>>);

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched")
    }
}

impl Backend for Watched {
    fn run(
        &mut self,
        program: &Program,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn lcu::World,
    ) -> Result<Vec<Value>, Halt> {
        let other = |error: &dyn std::fmt::Display| Halt::Other(error.to_string());
        let mut cx = PassContext::new(PassOptions::default());
        let program = nestled_pass::run(program, DEFAULT, &mut cx).map_err(|bug| other(&bug.pass))?;
        let executable = Executable::new(&program, Rc::clone(&self.0) as _).map_err(|error| other(&error))?;
        let executable = executable.with_trace(Rc::clone(&self.1) as _);
        executable.run(Program::ENTRY, shapes, args, world).map_err(|error| other(&error))
    }
}

/// Runs an example with another size; gives its last line, how many bytes it took, and the names of what was launched.
fn run(stem: &str, n: usize) -> (String, u64, Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{stem}.nesl"));
    let text = fs::read_to_string(path).expect("a readable example");
    let given = text.lines().find(|line| line.starts_with("n = ")).expect("a size").to_owned();
    let text = text.replace(&given, &format!("n = {n};"));
    let allocated: Rc<RefCell<Allocated>> = Rc::default();
    let mut session = Session::new(Dialect::default());
    let device = Rc::new(CpuDevice::new(CpuConfig::default()));
    session.engine = Engine::Flat(Box::new(Watched(device, Rc::clone(&allocated))));
    let mut last = String::new();
    for result in session.run(stem, &text, &mut TestWorld::default()) {
        assert!(result.errors.is_empty() && result.fault.is_none(), "{stem}: {result:?}");
        last = result.line().unwrap_or(last);
    }
    let Allocated { bytes, launches } = std::mem::take(&mut *allocated.borrow_mut());
    (last, bytes, launches)
}

#[test]
fn what_loops_take_grows_as_their_rounds_do() {
    // Rounds are in proportion to the size, but those of the edit distance to its square.
    let cases = [
        ("longest_increasing", 3000, 1, "it = 71 : int"),
        ("kmp", 12000, 1, "it = 9001 : int"),
        ("edit_distance", 60, 2, "it = 101 : int"),
        ("union_find", 3000, 1, "it = 8 : int"),
        ("sieve", 6000, 1, "it = 1438 : int"),
    ];
    for (stem, n, power, shown) in cases {
        let (_, small, _) = run(stem, n);
        let (line, large, _) = run(stem, 2 * n);
        assert_eq!(line, shown, "{stem}");
        let growth = large as f64 / small as f64;
        let most = 2f64.powi(power) * 1.3;
        assert!(growth < most, "{stem}: {small} bytes for {n}, {large} for twice as many");
    }
}

#[test]
fn loops_are_one_launch_with_all_that_they_call() {
    // The name of the outermost loop, and how often examples call it.
    let cases = [
        ("longest_increasing", "fill", 2),
        ("kmp", "table", 3),
        ("edit_distance", "rows", 3),
        ("union_find", "unite", 2),
        ("sieve", "sieve", 2),
    ];
    for (stem, name, calls) in cases {
        let (_, _, few) = run(stem, 100);
        let (_, _, many) = run(stem, 1000);
        assert_eq!(few, many, "{stem}: launches do not grow with the size");
        assert_eq!(many.iter().filter(|launch| *launch == name).count(), calls, "{stem}: {many:?}");
    }
}
