//! What the executor asks of a device, shown by one that computes nothing.

use crate::common::program;
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Buffer, Value};
use nestled_ir::{Program, Scalar, ScalarType};
use nestled_rt::device::{
    Arg, BufferId, Cell, Compiled, Description, Device, DeviceError, DeviceFault, Extent, KernelHandle,
    KernelRequest, Launch, Native, ShapeArg, Slice,
};
use nestled_rt::{Error, Executable};
use std::cell::{Cell as Field, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// Writes down what it is asked; every number on it is zero.
struct Null {
    description: Description,
    next: Field<u64>,
    freed: RefCell<Vec<u64>>,
    requests: RefCell<Vec<KernelRequest>>,
    launches: RefCell<Vec<Asked>>,
    lost: Field<bool>,
}

/// The shape arguments, arguments and results of a launch.
type Asked = (Vec<ShapeArg>, Vec<Arg>, Vec<Slice>);

impl Null {
    fn new() -> Rc<Null> {
        let description = Description {
            name: "null".to_owned(),
            sweeps: 9,
            stages: 9,
            combinators: 9,
            arguments: 9,
            values: 9,
            private: 9,
            types: ScalarType::ALL.to_vec(),
            memory: None,
            regions_ahead: 1,
            waits_are_free: false,
        };
        Rc::new(Null {
            description,
            next: Field::default(),
            freed: RefCell::default(),
            requests: RefCell::default(),
            launches: RefCell::default(),
            lost: Field::default(),
        })
    }

    fn count(&self) -> u64 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }
}

impl Device for Null {
    fn describe(&self) -> &Description {
        &self.description
    }

    fn compile(&self, _: &Arc<Program>, requests: &[KernelRequest]) -> Result<Vec<Compiled>, DeviceError> {
        self.requests.borrow_mut().extend_from_slice(requests);
        let handle = |_| Compiled { handle: KernelHandle(self.count()), in_place: Vec::new(), made: None };
        Ok(requests.iter().map(handle).collect())
    }

    fn allocate(&self, _: ScalarType, _: u64) -> Result<BufferId, DeviceError> {
        Ok(BufferId(self.count()))
    }

    fn free(&self, buffer: BufferId) {
        self.freed.borrow_mut().push(buffer.0);
    }

    fn copy_in(&self, _: BufferId, _: u64, _: &Buffer) -> Result<(), DeviceError> {
        Ok(())
    }

    fn copy_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        Ok(Buffer::zeroed(ScalarType::I64, slice.len as usize))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        if self.lost.get() {
            return Err(DeviceError::Lost("unplugged".to_owned()));
        }
        let asked = (launch.shapes.to_vec(), launch.args.to_vec(), launch.results.to_vec());
        self.launches.borrow_mut().push(asked);
        Ok(())
    }

    fn native(&self, _: Native) -> Result<(), DeviceError> {
        Ok(())
    }

    fn read(&self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<Option<DeviceFault>, DeviceError> {
        into.extend(cells.iter().map(|_| Scalar::I64(0)));
        Ok(None)
    }

    fn clear_fault(&self) {}
}

const PROGRAM: &str = "
kernel few<m>() over m {
  p = map { i => eq (and i 1023) 0 }
  (k, ys) = filter where p { i => i64 i }
  s = reduce { i => i64 i } add
  ret k, ys, s
}
kernel shift(xs: [n]i64, by: i64) over n {
  y = map { i => add xs[i proved] by }
  ret y
}
fn main(n: idx) -> (k: dim, [k]i64) {
  m = dim n
  (k, ys, s) = run few<m>()
  zs = run shift<k>(ys, s)
  ret k, zs
}
";

fn start(executable: &Executable, n: i64) -> Result<usize, Error> {
    let args = [Value::Scalar(Scalar::Idx(n))];
    Ok(executable.start("main", &[], &args, &mut TestWorld::default())?.len())
}

#[test]
fn kernels_are_compiled_ahead_and_wide_ones_when_they_are_wanted() {
    let device = Null::new();
    let executable = Executable::new(&program(PROGRAM), Rc::clone(&device) as _).unwrap();
    let wide = || device.requests.borrow().iter().map(|request| request.wide).collect::<Vec<_>>();
    assert_eq!(wide(), [false, false]);
    start(&executable, (1 << 31) - 1).unwrap();
    assert_eq!(wide(), [false, false]);
    start(&executable, 1 << 31).unwrap();
    start(&executable, 1 << 31).unwrap();
    assert_eq!(wide(), [false, false, true, true], "once for each kernel");
}

#[test]
fn lengths_are_handed_on_with_their_bounds() {
    let device = Null::new();
    let executable = Executable::new(&program(PROGRAM), Rc::clone(&device) as _).unwrap();
    start(&executable, 1000).unwrap();
    let launches = device.launches.borrow();
    let (shapes, _, made) = &launches[0];
    assert_eq!(shapes[..], [ShapeArg::Extent(Extent::known(1000))]);
    assert_eq!(made.iter().map(|slice| slice.len).collect::<Vec<_>>(), [1, 1000, 1]);
    let (shapes, args, results) = &launches[1];
    let cell = |slice: &Slice| Cell { buffer: slice.buffer, at: 0 };
    assert_eq!(shapes[..], [ShapeArg::Extent(Extent { bound: 1000, exact: Some(cell(&made[0])) })]);
    assert_eq!(args[..], [Arg::Dense(made[1]), Arg::Cell(cell(&made[2]))]);
    assert_eq!(results[0].len, 1000);
}

#[test]
fn every_buffer_is_freed_once() {
    let device = Null::new();
    let executable = Executable::new(&program(PROGRAM), Rc::clone(&device) as _).unwrap();
    start(&executable, 10).unwrap();
    let mut freed = device.freed.borrow().clone();
    freed.sort_unstable();
    assert_eq!(freed.len(), 4);
    freed.dedup();
    assert_eq!(freed.len(), 4);
}

#[test]
fn a_lost_device_is_said_to_be_lost() {
    let device = Null::new();
    let executable = Executable::new(&program(PROGRAM), Rc::clone(&device) as _).unwrap();
    device.lost.set(true);
    assert_eq!(start(&executable, 10), Err(Error::Lost("unplugged".to_owned())));
}
