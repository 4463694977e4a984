//! What GPUs have compiled goes when no kernel needs it any more, but not while launches of it are queued.

use nestled_gpu::{GpuDevice, Machine};
use nestled_ir::value::Buffer;
use nestled_ir::{KernelId, Scalar, ScalarType, text};
use nestled_rt::device::{Arg, Cell, Device, Extent, KernelHandle, KernelRequest, Launch, ShapeArg, Slice};
use nestled_test::{gpu, stand_in};
use nestled_wgpu::WgpuConfig;
use std::sync::Arc;

const N: u64 = 5;

/// More than these are never kept, whatever came before.
const MOST: usize = 80;

/// How many programs WebGPU compiles here: each takes some ten milliseconds in software. More where that is said.
fn programs() -> u64 {
    std::env::var("NESTLED_TEST_PROGRAMS").ok().and_then(|said| said.parse().ok()).unwrap_or(250)
}

/// A kernel that adds a number, as one of many programs.
fn prepare(device: &dyn Device, by: u64) -> KernelHandle {
    let body = format!("  y = map {{ i => add xs[i clamp] {by}.0 }}\n  ret y\n");
    let text = format!("kernel next(xs: [n]f32) over n {{\n{body}}}\n");
    let program = Arc::new(text::parse("next.lcu", &text).expect("it is well-formed"));
    let request = KernelRequest { kernel: KernelId(0), wide: false };
    device.compile(&program, &[request]).expect("it is compiled")[0].handle
}

fn slice(device: &dyn Device) -> Slice {
    let buffer = device.allocate(ScalarType::F32, N).expect("there is room");
    Slice { buffer, offset: 0, len: N }
}

/// Many programs, each of which is gone while its launch is queued.
fn check<M: Machine>(device: &GpuDevice<M>, programs: u64) {
    let mut xs = slice(device);
    device.copy_in(xs.buffer, 0, &Buffer::F32(vec![0.0; N as usize])).expect("it fits");
    let stays = prepare(device, 0);
    let launch = |kernel: KernelHandle, from: Slice| {
        let to = slice(device);
        let (shapes, args) = ([ShapeArg::Extent(Extent::known(N))], [Arg::Dense(from)]);
        let launch =
            Launch { kernel, shapes: &shapes, args: &args, results: &[to], region: 1, least_site: None };
        device.launch(&launch).expect("it is launched");
        device.free(from.buffer);
        to
    };
    xs = launch(stays, xs);
    let mut sum = 0;
    for by in 1..=programs {
        let kernel = prepare(device, by);
        xs = launch(kernel, xs);
        device.forget(kernel);
        sum += by;
        assert!(device.counts().modules <= MOST, "{} after {by} programs", device.counts().modules);
        if by.is_multiple_of(50) {
            // What is queued is not lost when all goes.
            device.release();
            assert_eq!(device.counts().modules, 1);
            let mut found = Vec::new();
            device.read(&[Cell { buffer: xs.buffer, at: N - 1 }], &mut found).expect("it is read");
            assert_eq!(found, [Scalar::F32(sum as f32)]);
        }
    }
    assert_eq!(device.counts().compiled, programs + 1);
    // The same again is found again, as long as it is there.
    let kernel = prepare(device, programs);
    xs = launch(kernel, xs);
    let again = u64::from(programs.is_multiple_of(50));
    assert_eq!(device.counts().compiled, programs + 1 + again);
    device.forget(kernel);
    let kernel = prepare(device, programs);
    xs = launch(kernel, xs);
    assert_eq!(device.counts().compiled, programs + 1 + again);
    device.free(xs.buffer);
}

#[test]
fn on_web_gpu() {
    if gpu::has_adapter() {
        check(&nestled_wgpu::open(WgpuConfig::default()).expect("it opens"), programs());
    }
}

#[test]
fn on_cuda() {
    if stand_in::is_there() {
        check(&stand_in::open(None), 90);
    }
}
