//! A device that times each launch of another one, and counts what the launch does.

use nestled_ir::value::Buffer;
use nestled_ir::{Kernel, KernelId, Program, Scalar, ScalarType, ValueId};
use nestled_pass::time::Features;
use nestled_pass::time::features::{Sizes, points};
use nestled_rt::device::{
    Arg, BufferId, Cell, Compiled, Copied, Description, Device, DeviceError, DeviceFault, Extent,
    KernelHandle, KernelRequest, Launch, Native, ShapeArg, SharedBuffer, Slice,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A launch: its kernel, its features, and its times so far.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The kernel's name.
    pub kernel: String,
    /// Its work and its accesses of memory.
    pub features: Features,
    /// The times of this launch in all runs.
    pub times: Vec<Duration>,
}

/// A device that waits for each launch of another one.
pub struct Timed {
    device: Rc<dyn Device>,
    kernels: RefCell<HashMap<KernelHandle, (Arc<Program>, KernelId)>>,
    /// The launches of a run, in order. A run that launches the same kernels again adds its times.
    launched: RefCell<Vec<Launched>>,
    at: RefCell<usize>,
}

impl fmt::Debug for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timed").field("launched", &self.launched).finish_non_exhaustive()
    }
}

impl Timed {
    /// Wraps a device.
    pub fn new(device: Rc<dyn Device>) -> Rc<Timed> {
        Rc::new(Timed {
            device,
            kernels: RefCell::default(),
            launched: RefCell::default(),
            at: RefCell::default(),
        })
    }

    /// The next launch is the first one of another run.
    pub fn again(&self) {
        *self.at.borrow_mut() = 0;
    }

    /// Takes all launches.
    pub fn take(&self) -> Vec<Launched> {
        self.again();
        self.launched.take()
    }

    fn exact(&self, extent: &Extent) -> f64 {
        let Some(cell) = extent.exact else { return extent.bound as f64 };
        self.cell(cell).unwrap_or(extent.bound as f64)
    }

    fn cell(&self, cell: Cell) -> Option<f64> {
        let mut into = Vec::new();
        self.device.read(&[cell], &mut into).ok()?;
        into.first().and_then(|scalar| scalar.as_integer()).map(|value| value as f64)
    }

    fn features(&self, launch: &Launch<'_>) -> (String, Features) {
        let kernels = self.kernels.borrow();
        let Some((program, id)) = kernels.get(&launch.kernel) else {
            return (String::new(), Features::default());
        };
        let kernel = &program.kernels[id.index()];
        let sizes = LaunchSizes::new(self, kernel, launch);
        (kernel.name.to_string(), Features::of(program, kernel, &sizes))
    }
}

/// The sizes of a launch.
struct LaunchSizes {
    extents: HashMap<ValueId, f64>,
    scalars: HashMap<ValueId, f64>,
}

impl LaunchSizes {
    fn new(timed: &Timed, kernel: &Kernel, launch: &Launch<'_>) -> LaunchSizes {
        let mut extents: HashMap<ValueId, f64> = HashMap::new();
        for (&symbol, shape) in kernel.shapes.iter().zip(launch.shapes) {
            let extent = match shape {
                ShapeArg::Extent(extent) => timed.exact(extent),
                ShapeArg::Offsets { total, .. } => timed.exact(total),
                ShapeArg::Regular { length } => {
                    let known = LaunchSizes { extents: extents.clone(), scalars: HashMap::new() };
                    let parent = kernel.values[symbol.index()].ty.as_seg().map_or(1.0, |seg| {
                        points(&seg.parent.axes, &kernel.values, &|symbol| known.extent(symbol))
                    });
                    timed.exact(length) * parent
                }
            };
            extents.insert(symbol, extent);
        }
        // What a filter makes is as long as its result at most.
        for (&ret, result) in kernel.ret.iter().zip(launch.results) {
            if kernel.values[ret.index()].ty.is_shape() {
                extents.insert(ret, result.len as f64);
            }
        }
        let scalar = |arg: &Arg| match arg {
            Arg::Scalar(scalar) => scalar.as_integer().map(|value| value as f64),
            Arg::Cell(cell) => timed.cell(*cell),
            Arg::Dense(_) | Arg::View { .. } => None,
        };
        let scalars = kernel
            .params
            .iter()
            .zip(launch.args)
            .filter_map(|(&param, arg)| Some((param, scalar(arg)?)))
            .collect();
        LaunchSizes { extents, scalars }
    }
}

impl Sizes for LaunchSizes {
    fn extent(&self, symbol: ValueId) -> f64 {
        self.extents.get(&symbol).copied().unwrap_or(1.0)
    }

    fn scalar(&self, param: ValueId) -> Option<f64> {
        self.scalars.get(&param).or_else(|| self.extents.get(&param)).copied()
    }
}

impl Device for Timed {
    fn describe(&self) -> &Description {
        self.device.describe()
    }

    fn compile(
        &self,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError> {
        let compiled = self.device.compile(program, requests)?;
        let mut kernels = self.kernels.borrow_mut();
        for (request, compiled) in requests.iter().zip(&compiled) {
            kernels.insert(compiled.handle, (Arc::clone(program), request.kernel));
        }
        Ok(compiled)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let at = *self.at.borrow();
        if at == self.launched.borrow().len() {
            let (kernel, features) = self.features(launch);
            self.launched.borrow_mut().push(Launched { kernel, features, times: Vec::new() });
        }
        self.device.wait()?;
        let start = Instant::now();
        self.device.launch(launch)?;
        self.device.wait()?;
        let time = start.elapsed();
        self.launched.borrow_mut()[at].times.push(time);
        *self.at.borrow_mut() = at + 1;
        Ok(())
    }

    fn allocate(&self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        self.device.allocate(elem, len)
    }

    fn free(&self, buffer: BufferId) {
        self.device.free(buffer);
    }

    fn trim(&self, buffer: BufferId, len: u64) {
        self.device.trim(buffer, len);
    }

    fn copy_in(&self, buffer: BufferId, offset: u64, data: &Buffer) -> Result<(), DeviceError> {
        self.device.copy_in(buffer, offset, data)
    }

    fn lend(&self, data: &Arc<Buffer>) -> Option<BufferId> {
        self.device.lend(data)
    }

    fn take_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        self.device.take_out(slice)
    }

    fn copy_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        self.device.copy_out(slice)
    }

    fn copy(&self, from: Slice, into: BufferId, at: u64) -> Result<(), DeviceError> {
        self.device.copy(from, into, at)
    }

    fn native(&self, native: Native) -> Result<(), DeviceError> {
        self.device.native(native)
    }

    fn read(&self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<Option<DeviceFault>, DeviceError> {
        self.device.read(cells, into)
    }

    fn wait(&self) -> Result<Option<DeviceFault>, DeviceError> {
        self.device.wait()
    }

    fn end_run(&self) -> Result<(), DeviceError> {
        self.device.end_run()
    }

    fn copied(&self) -> Copied {
        self.device.copied()
    }

    fn scratch(&self) -> u64 {
        self.device.scratch()
    }

    fn share(&self, buffer: BufferId) -> Option<Arc<dyn SharedBuffer>> {
        self.device.share(buffer)
    }

    fn adopt(&self, shared: &Arc<dyn SharedBuffer>) -> Option<BufferId> {
        self.device.adopt(shared)
    }

    fn kept_offsets(&self, lengths: Slice) -> Option<BufferId> {
        self.device.kept_offsets(lengths)
    }

    fn wants_offsets(&self, lengths: Slice) -> bool {
        self.device.wants_offsets(lengths)
    }

    fn keep_offsets(&self, lengths: Slice, offsets: BufferId) {
        self.device.keep_offsets(lengths, offsets);
    }

    fn forget(&self, kernel: KernelHandle) {
        self.device.forget(kernel);
    }

    fn clear_fault(&self) {
        self.device.clear_fault();
    }

    fn abandon(&self) {
        self.device.abandon();
    }
}
