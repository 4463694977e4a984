//! A process that exits while a device still computes ends in order: software Vulkan compiles and computes on threads of the process.

use nestled_ir::value::Buffer;
use nestled_ir::{KernelId, ScalarType, text};
use nestled_rt::device::{Device, Extent, KernelRequest, Launch, ShapeArg, Slice};
use nestled_test::gpu;
use nestled_wgpu::WgpuConfig;
use std::process::Command;
use std::sync::Arc;

/// Set for the process that exits.
const EXITS: &str = "NESTLED_TEST_EXITS";

/// Points of the launch that nobody waits for.
const N: u64 = 1000;

/// A kernel that takes the driver some time to compile.
fn kernel() -> String {
    let lines: Vec<String> = (0..100)
        .map(|at| format!("    x{} = div (add x{at} {at}.5) (sub {at}.25 x{at})\n", at + 1))
        .collect();
    let thunk = format!("i =>\n    x0 = f32 i\n{}    x100\n", lines.concat());
    format!("kernel k<n>() over n {{\n  y = map {{ {thunk}  }}\n  ret y\n}}\n")
}

/// Launches, and exits without waiting. The device is leaked, as those in statics are.
fn launch_and_exit() {
    let config = WgpuConfig { memory: Some(1 << 26), ..WgpuConfig::default() };
    let device = Box::leak(Box::new(nestled_wgpu::open(config).expect("the adapter opens")));
    let program = Arc::new(text::parse("k.lcu", &kernel()).expect("it is well-formed"));
    let request = KernelRequest { kernel: KernelId(0), wide: false };
    let kernel = device.compile(&program, &[request]).expect("it is compiled")[0].handle;
    let buffer = device.allocate(ScalarType::F32, N).expect("there is room");
    let to = Slice { buffer, offset: 0, len: N };
    let shapes = [ShapeArg::Extent(Extent::known(N))];
    let launch = Launch { kernel, shapes: &shapes, args: &[], results: &[to], region: 1, least_site: None };
    device.launch(&launch).expect("it is launched");
    // What is written comes after the launch, which is submitted now.
    let other = device.allocate(ScalarType::F32, 1).expect("there is room");
    device.copy_in(other, 0, &Buffer::F32(vec![1.0])).expect("it fits");
    std::process::exit(0);
}

#[test]
fn a_process_exits_while_the_device_computes() {
    if std::env::var_os(EXITS).is_some() {
        launch_and_exit();
    }
    if !gpu::has_adapter() {
        return;
    }
    let test = std::env::current_exe().expect("it is known");
    for _ in 0..5 {
        let mut child = Command::new(&test);
        child.args(["--exact", "a_process_exits_while_the_device_computes", "--nocapture"]).env(EXITS, "1");
        let output = child.output().expect("it runs");
        assert!(output.status.success(), "{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
}
