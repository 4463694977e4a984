//! How long one launch of a tiny kernel takes, from host code to host code.
//!
//! `cargo run --release -p nestled-cpu --example launch_latency`. Host code launches a kernel over 16 elements a million times. Without
//! the kernel, on a device that leaves launches out, what is left is the executor and the memory for results. With an argument, only
//! the device whose name contains it.

use nestled_cpu::device::{CpuConfig, CpuDevice};
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_ir::{Program, Scalar, ScalarType};
use nestled_rt::Executable;
use nestled_rt::device::{
    BufferId, Cell, Compiled, Description, Device, DeviceError, DeviceFault, KernelRequest, Launch, Native,
    Slice,
};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

const PROGRAM: &str = "
kernel shift(xs: [n]f32, by: f32) over n {
  y = map { i => add xs[i] by }
  ret y
}
kernel total(xs: [n]f32) over n {
  s = reduce { i => xs[i] } add
  ret s
}
fn vectors<n>(xs: [n]f32, k: i64) -> [n]f32 {
  r = if le k 0 { xs } else {
    ys = run shift<n>(xs, 1.0)
    zs = vectors<n>(ys, sub k 1)
    zs
  }
  ret r
}
fn numbers<n>(xs: [n]f32, k: i64) -> f32 {
  s = run total<n>(xs)
  r = if le k 1 { s } else {
    t = numbers<n>(xs, sub k 1)
    t
  }
  ret r
}
fn tests<n>(xs: [n]f32, k: i64) -> f32 {
  s = run total<n>(xs)
  r = if or (le k 1) (lt s -1.0) { s } else {
    t = tests<n>(xs, sub k 1)
    t
  }
  ret r
}
";

/// The CPU, but launches do nothing.
struct Idle(CpuDevice);

impl Device for Idle {
    fn describe(&self) -> &Description {
        self.0.describe()
    }
    fn compile(
        &self,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError> {
        self.0.compile(program, requests)
    }
    fn allocate(&self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        self.0.allocate(elem, len)
    }
    fn free(&self, buffer: BufferId) {
        self.0.free(buffer);
    }
    fn trim(&self, buffer: BufferId, len: u64) {
        self.0.trim(buffer, len);
    }
    fn copy_in(&self, buffer: BufferId, offset: u64, data: &Buffer) -> Result<(), DeviceError> {
        self.0.copy_in(buffer, offset, data)
    }
    fn copy_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        self.0.copy_out(slice)
    }
    fn launch(&self, _: &Launch<'_>) -> Result<(), DeviceError> {
        Ok(())
    }
    fn native(&self, native: Native) -> Result<(), DeviceError> {
        self.0.native(native)
    }
    fn read(&self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<Option<DeviceFault>, DeviceError> {
        self.0.read(cells, into)
    }
    fn clear_fault(&self) {
        self.0.clear_fault();
    }
}

fn main() {
    let program = nestled_ir::text::parse("launch_latency", PROGRAM).expect("the program above");
    nestled_ir::verify::verify(&program).expect("it is well-formed");
    let config = || CpuConfig { threads: Some(1), ..CpuConfig::default() };
    let devices: [(&str, Rc<dyn Device>); 2] = [
        ("without launches", Rc::new(Idle(CpuDevice::new(config())))),
        ("the CPU", Rc::new(CpuDevice::new(config()))),
    ];
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for (name, device) in devices.into_iter().filter(|(name, _)| name.contains(&wanted)) {
        let executable = Executable::new(&program, device).expect("it runs on any device");
        for (function, what) in [
            ("vectors", "a vector from a vector"),
            ("numbers", "the sum of a vector"),
            ("tests", "the same, and the host looks at it"),
        ] {
            println!("{name}, {what}: {:.3} µs", microseconds(&executable, function));
        }
    }
}

/// The best of several.
fn microseconds(executable: &Executable, function: &str) -> f64 {
    const LAUNCHES: i64 = 200_000;
    let args =
        [Value::Array(Array::vector(Buffer::F32(vec![1.0; 16]))), Value::Scalar(Scalar::I64(LAUNCHES))];
    let run = || {
        let start = Instant::now();
        let results = executable.run(function, &[AxisValue::Extent(16)], &args, &mut TestWorld::default());
        assert_eq!(results.expect("it runs").len(), 1);
        start.elapsed().as_secs_f64() * 1e6 / LAUNCHES as f64
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}
