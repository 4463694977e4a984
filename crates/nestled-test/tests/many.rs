//! What only many points show: on CUDA without a card, and on software Vulkan.

use nestled_cuda::dialect;
use nestled_gpu::{Dialect, generate};
use nestled_ir::KernelId;
use nestled_rt::device::Math;
use nestled_test::corpus::Engine;
use nestled_test::many::{CHECKS, FREE_CHECKS, sums};
use nestled_test::{gpu, stand_in};

const CUDA: Engine = Engine { name: "CUDA", run: gpu::stand_in_engine };
const WEBGPU: Engine = Engine { name: "WebGPU", run: gpu::engine };

/// The checks whose number leaves a rest: several tests, so that they run side by side.
fn on_cuda(rest: usize) {
    if stand_in::is_there() {
        CHECKS.iter().skip(rest).step_by(4).for_each(|(_, check)| check(&CUDA));
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
        CHECKS.iter().for_each(|(_, check)| check(&WEBGPU));
    }
}

#[test]
fn sums_read_everything_once() {
    let program = sums::scans();
    for (math, ordered) in [(Math::FastSums, 0), (Math::Default, 4), (Math::Strict, 4)] {
        let dialect = Dialect { math, ..dialect() };
        let module = generate(&program, KernelId(0), &dialect).expect("there is code for it");
        assert_eq!(module.entries.len(), 4);
        assert_eq!(module.text.matches("look_back_in_order<").count(), ordered);
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
