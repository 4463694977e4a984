//! A launch that finds no memory is tried once more, but not one that writes over its own argument: a part of it may be written already.

use crate::common::program;
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_ir::{Program, Scalar, ScalarType};
use nestled_rt::device::{
    BufferId, Cell, Compiled, Description, Device, DeviceError, DeviceFault, KernelRequest, Launch, Native,
    Slice,
};
use nestled_rt::{Error, Executable, Reference};
use std::cell::Cell as Number;
use std::rc::Rc;
use std::sync::Arc;

const PROGRAM: &str = "
kernel doubled(xs: [n]i64) over n {
  y = map { i => mul xs[i proved] 2 }
  ret y
}
fn main<n>(xs: [n]i64) -> ([n]i64, [n]i64) {
  ys = run doubled<n>(xs)
  zs = run doubled<n>(ys)
  ret xs, zs
}
";

/// The reference device, but one of its launches says at its end that there was no memory for it.
struct Short {
    device: Reference,
    /// The number of launches before that one.
    left: Number<i32>,
}

impl Device for Short {
    fn describe(&self) -> &Description {
        self.device.describe()
    }

    fn compile(
        &self,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError> {
        self.device.compile(program, requests)
    }

    fn allocate(&self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        self.device.allocate(elem, len)
    }

    fn free(&self, buffer: BufferId) {
        self.device.free(buffer);
    }

    fn copy_in(&self, buffer: BufferId, offset: u64, data: &Buffer) -> Result<(), DeviceError> {
        self.device.copy_in(buffer, offset, data)
    }

    fn copy_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        self.device.copy_out(slice)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        self.device.launch(launch)?;
        self.left.set(self.left.get() - 1);
        if self.left.get() == -1 { Err(DeviceError::OutOfMemory { wanted: 64, free: None }) } else { Ok(()) }
    }

    fn native(&self, native: Native) -> Result<(), DeviceError> {
        self.device.native(native)
    }

    fn read(&self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<Option<DeviceFault>, DeviceError> {
        self.device.read(cells, into)
    }

    fn clear_fault(&self) {
        self.device.clear_fault();
    }
}

/// Runs the program; the launch with this number fails once.
fn run(failing: i32) -> Result<Vec<Value>, Error> {
    let device = Short { device: Reference::default(), left: Number::new(failing) };
    let executable = Executable::new(&program(PROGRAM), Rc::new(device)).unwrap();
    let numbers = Value::Array(Array::vector(Buffer::I64(vec![1, 5])));
    executable.run("main", &[AxisValue::Extent(2)], &[numbers], &mut TestWorld::default())
}

#[test]
fn only_what_keeps_its_arguments_is_tried_again() {
    let numbers = |list: [i64; 2]| Value::Array(Array::vector(Buffer::I64(list.to_vec())));
    for failing in [0, 2] {
        let wanted = vec![numbers([1, 5]), numbers([4, 20])];
        assert_eq!(format!("{:?}", run(failing).unwrap()), format!("{wanted:?}"), "{failing}");
    }
    let outcome = run(1);
    assert!(matches!(outcome, Err(Error::OutOfMemory { .. })), "{outcome:?}");
}
