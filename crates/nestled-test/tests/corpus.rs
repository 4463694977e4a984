//! The data files in `tests/` at the root of the repository, on every engine there is.

use nestled_ir::Program;
use nestled_ir::interp::{Error, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_pass::{Limits, Pass, PassContext, PassOptions};
use nestled_rt::Reference;
use nestled_test::corpus::{
    Engine, Rewrite, as_interpreted, check_errors, check_passes, check_programs, interpret,
};
use nestled_test::cpu::{Cpu, Kernels, Sizes};
use std::path::PathBuf;
use std::rc::Rc;

const ENGINES: &[Engine] = &[
    Engine { name: "the interpreter", run: interpret },
    Engine { name: "the reference device", run: execute },
    Engine { name: "the CPU, 512 bits, 1 thread", run: compiled::<512, 1, USUAL> },
    Engine { name: "the CPU, 512 bits, 2 threads", run: compiled::<512, 2, USUAL> },
    Engine { name: "the CPU, 512 bits, 1 thread, tiny pieces", run: compiled::<512, 1, TINY> },
    Engine { name: "the CPU, 512 bits, 2 threads, tiny pieces", run: compiled::<512, 2, TINY> },
    Engine { name: "the CPU, 512 bits, 2 threads, past the caches", run: compiled::<512, 2, STREAMING> },
    Engine { name: "the CPU, 256 bits, 1 thread", run: compiled::<256, 1, USUAL> },
    Engine { name: "the CPU, 256 bits, 2 threads", run: compiled::<256, 2, USUAL> },
    Engine { name: "the CPU, 256 bits, 1 thread, tiny pieces", run: compiled::<256, 1, TINY> },
    Engine { name: "the CPU, 256 bits, 2 threads, tiny pieces", run: compiled::<256, 2, TINY> },
    Engine { name: "the CPU, 128 bits, 1 thread", run: compiled::<128, 1, USUAL> },
    Engine { name: "the CPU, 128 bits, 2 threads", run: compiled::<128, 2, USUAL> },
    Engine { name: "the CPU, 128 bits, 1 thread, tiny pieces", run: compiled::<128, 1, TINY> },
    Engine { name: "the CPU, 128 bits, 2 threads, tiny pieces", run: compiled::<128, 2, TINY> },
    Engine { name: "the CPU without LLVM", run: without_llvm },
];

/// Every pass by itself, and what runs by default, with all roundings kept. With `keep_all`, functions beside `main` can still be called.
fn rewrites(keep_all: bool) -> Vec<Rewrite> {
    let free = PassOptions { verify: true, keep_all, ..PassOptions::default() };
    let strict = PassOptions { strict_math: true, ..free };
    let alone = nestled_pass::PASSES.iter().map(|pass| Rewrite {
        name: pass.name,
        exact: !pass.changes_rounding,
        run: Box::new(move |program, limits| apply(program, &[pass], PassOptions { limits, ..free })),
    });
    let default = Rewrite {
        name: "default",
        exact: true,
        run: Box::new(move |program, limits| {
            apply(program, nestled_pass::DEFAULT, PassOptions { limits, ..strict })
        }),
    };
    let least = PassOptions { limits: Limits::LEAST, ..free };
    let split = Rewrite {
        name: "split to the least",
        exact: true,
        run: Box::new(move |program, _| apply(program, &[&nestled_pass::split::PASS], least)),
    };
    alone.chain([default, split]).collect()
}

fn apply(program: &Program, passes: &[&Pass], options: PassOptions) -> Result<Program, String> {
    let mut cx = PassContext::new(options);
    nestled_pass::run(program, passes, &mut cx).map_err(|bug| bug.to_string())
}

fn execute(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let device = Rc::new(Reference::deferred());
    nestled_rt::run_on(device, program, function, shapes, args, world).map_err(as_interpreted)
}

/// Places in [`SIZES`].
const USUAL: usize = 0;
const TINY: usize = 1;
const STREAMING: usize = 2;

const SIZES: [Sizes; 3] = [Sizes::Usual, Sizes::Tiny, Sizes::Streaming];

fn compiled<const BITS: u32, const THREADS: usize, const SIZE: usize>(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let cpu = Cpu::Compiled { bits: BITS, threads: THREADS, sizes: SIZES[SIZE] };
    cpu.run(Kernels::OnDisk, program, function, shapes, args, world).map_err(as_interpreted)
}

fn without_llvm(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    Cpu::Interpreted.run(Kernels::OnDisk, program, function, shapes, args, world).map_err(as_interpreted)
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

#[test]
fn programs() {
    check_programs(&folder("programs"), ENGINES, &rewrites(true)).finish("programs", 310, 9500);
}

#[test]
fn examples() {
    check_programs(&folder("../examples"), ENGINES, &rewrites(true)).finish("examples", 3, 6);
}

#[test]
fn errors() {
    check_errors(&folder("errors")).finish("errors", 200, 200);
}

#[test]
fn passes() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    check_passes(&folder("passes"), ENGINES, &rewrites(false), update).finish("passes", 60, 400);
}
