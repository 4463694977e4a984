//! What only many points show: on CUDA without a card, and on software Vulkan.
//!
//! Sorts, which take longest, run on one of the two devices, and those of half of the types on none; all on both with `NESTLED_TEST_ALL`, as `cargo xtask long` does.

use nestled_cuda::dialect;
use nestled_gpu::{Dialect, generate};
use nestled_ir::interp::{Error, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_ir::{KernelId, Program};
use nestled_rt::device::Math;
use nestled_test::corpus::{Engine, as_interpreted};
use nestled_test::cpu::{Cpu, Kernels};
use nestled_test::many::{CHECKS, Check, FREE_CHECKS, TYPES, sums};
use nestled_test::{gpu, stand_in};
use std::time::Instant;

const CUDA: Engine = Engine { name: "CUDA", run: gpu::stand_in_engine };
const WEBGPU: Engine = Engine { name: "WebGPU", run: gpu::engine };

/// The checks that run on one of the two devices.
fn checks_of(device: usize) -> impl Iterator<Item = &'static Check> {
    let all = std::env::var_os("NESTLED_TEST_ALL").is_some();
    let is_here = move |at: usize, name: &str| match name {
        "sorting rows" => device == 1,
        "sorting many keys" => device == 0,
        _ => !TYPES.contains(&at) || at % 4 == device,
    };
    CHECKS.iter().enumerate().filter(move |&(at, (name, _))| all || is_here(at, name)).map(|(_, check)| check)
}

fn timed(&(name, check): &Check, engine: &Engine) {
    let begin = Instant::now();
    check(engine);
    println!("{:6.2} s  {name} on {}", begin.elapsed().as_secs_f32(), engine.name);
}

/// Every fourth check, from `rest` on: several tests, so that they run side by side.
fn on_cuda(rest: usize) {
    if stand_in::is_there() {
        checks_of(0).skip(rest).step_by(4).for_each(|check| timed(check, &CUDA));
        assert_eq!(gpu::counts().native, 0, "the host does something");
    }
}

#[test]
fn cuda_first_part() {
    on_cuda(0);
}

#[test]
fn cuda_second_part() {
    on_cuda(1);
}

#[test]
fn cuda_third_part() {
    on_cuda(2);
}

#[test]
fn cuda_fourth_part() {
    on_cuda(3);
}

#[test]
fn cuda_with_free_sums() {
    if stand_in::is_there() {
        FREE_CHECKS.iter().for_each(|(_, check)| check(&|math| stand_in::open_with(None, math)));
    }
}

#[test]
fn webgpu() {
    if gpu::has_adapter() {
        checks_of(1).for_each(|check| timed(check, &WEBGPU));
    }
}

/// The CPU with two threads, and thresholds so low that everything is shared between them.
fn on_cpu(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    Cpu::WIDE_TINY.run(Kernels::OnDisk, program, function, shapes, args, world).map_err(as_interpreted)
}

#[test]
fn cpu_scatters_floats_in_order() {
    sums::scatters_of_floats(&Engine { name: "cpu", run: on_cpu });
}

#[test]
fn fast_sums_of_scans_read_everything_once() {
    let program = sums::scans();
    // An order that is fixed takes four entries for each of two scans of segments, and one for each of two of the whole.
    for (math, entries) in [(Math::FastSums, 4), (Math::Default, 10), (Math::Strict, 10)] {
        let dialect = Dialect { math, ..dialect() };
        let module = generate(&program, KernelId(0), &dialect).expect("there is code for it");
        assert_eq!(module.entries.len(), entries);
    }
}

#[test]
fn fast_sums_of_scatters_take_no_sort() {
    let program = sums::scans();
    let at = program.kernels.iter().position(|kernel| *kernel.name == *"scattered").expect("it is there");
    for (math, sorts) in [(Math::FastSums, 0), (Math::Default, 1), (Math::Strict, 1)] {
        let dialect = Dialect { math, ..dialect() };
        let module = generate(&program, KernelId::from(at), &dialect).expect("there is code for it");
        assert_eq!(module.sorts.len(), sorts);
    }
}
