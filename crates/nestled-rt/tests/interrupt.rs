//! Runs end when somebody wishes it: in host code and inside kernels.

use crate::common::program;
use nestled_ir::Scalar;
use nestled_ir::interp::{Interrupt, TestWorld, World};
use nestled_ir::value::Value;
use nestled_rt::{Error, Executable, Reference, ReferenceConfig};
use std::rc::Rc;
use std::time::Duration;

const PROGRAM: &str = "
kernel forever(x: i64) {
  y = once {
    (a) = while (a = x) { true } do { add a 1 }
    a
  }
  ret y
}
fn count(x: i64) -> i64 {
  print x
  y = count(add x 1)
  ret y
}
fn inside(x: i64) -> i64 {
  y = run forever(x)
  ret y
}
fn twice(x: i64) -> i64 {
  print x
  print \"still here\"
  ret x
}
";

fn run(
    function: &str,
    interrupt: &Interrupt,
    deferred: bool,
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let interrupts = Some(interrupt.clone());
    let config = ReferenceConfig { deferred, interrupt: interrupts, ..ReferenceConfig::default() };
    let executable = Executable::new(&program(PROGRAM), Rc::new(Reference::new(config))).unwrap();
    let args = [Value::Scalar(Scalar::I64(0))];
    executable.with_interrupt(interrupt.clone()).run(function, &[], &args, world)
}

/// A world whose user has seen enough after some lines.
struct Impatient {
    world: TestWorld,
    lines: usize,
    interrupt: Interrupt,
}

impl World for Impatient {
    fn print(&mut self, line: &[u8]) {
        self.world.print(line);
        if self.world.output.len() == self.lines {
            self.interrupt.request();
        }
    }

    fn eprint(&mut self, line: &[u8]) {
        self.world.eprint(line);
    }

    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        self.world.read_file(path, max_bytes)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool {
        self.world.write_file(path, bytes, append)
    }

    fn clock(&mut self) -> f64 {
        self.world.clock()
    }

    fn entropy(&mut self) -> i64 {
        self.world.entropy()
    }
}

fn impatient(lines: usize) -> Impatient {
    Impatient { world: TestWorld::default(), lines, interrupt: Interrupt::default() }
}

#[test]
fn a_recursion_without_end_ends() {
    let mut world = impatient(3);
    let interrupt = world.interrupt.clone();
    assert_eq!(run("count", &interrupt, false, &mut world).unwrap_err(), Error::Interrupted);
    assert_eq!(world.world.output, ["0", "1", "2"]);
}

#[test]
fn nothing_is_done_after_the_command_that_is_interrupted() {
    let mut world = impatient(1);
    let interrupt = world.interrupt.clone();
    assert_eq!(run("twice", &interrupt, false, &mut world).unwrap_err(), Error::Interrupted);
    assert_eq!(world.world.output, ["0"]);
}

#[test]
fn a_kernel_without_end_ends() {
    for deferred in [false, true] {
        let interrupt = Interrupt::default();
        let user = interrupt.clone();
        let waits = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            user.request();
        });
        let outcome = run("inside", &interrupt, deferred, &mut TestWorld::default());
        assert_eq!(outcome.unwrap_err(), Error::Interrupted);
        waits.join().unwrap();
    }
}
