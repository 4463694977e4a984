//! GPUs for tests: whether there is one, and one device for each thread, used again from run to run. Which: an adapter of WebGPU, or where
//! [`CHOICE`] says `cuda`, a card through CUDA.

use crate::corpus::as_interpreted;
use nestled_cuda::{CudaConfig, CudaDevice};
use nestled_gpu::Counts;
use nestled_ir::Program;
use nestled_ir::interp::{self, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_rt::device::Device;
use nestled_rt::{Error, run_on};
use nestled_wgpu::{WgpuConfig, WgpuDevice};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::Mutex;

/// Set where software Vulkan has to be there: without it tests fail there instead of being skipped.
pub const REQUIRED: &str = "NESTLED_GPU_REQUIRED";

/// Says what is tested: `wgpu`, which is the default, or `cuda`.
pub const CHOICE: &str = "NESTLED_TEST_GPU";

fn is_cuda() -> bool {
    std::env::var_os(CHOICE).is_some_and(|choice| choice == "cuda")
}

/// A device that is tested.
#[derive(Clone)]
enum Gpu {
    Wgpu(Rc<WgpuDevice>),
    Cuda(Rc<CudaDevice>),
}

impl Gpu {
    fn open() -> Gpu {
        let memory = Some(1 << 26);
        if is_cuda() {
            let config = CudaConfig { card: None, memory, interrupt: None };
            return Gpu::Cuda(Rc::new(nestled_cuda::open(config).expect("the card opens")));
        }
        let config = WgpuConfig { memory, ..WgpuConfig::default() };
        Gpu::Wgpu(Rc::new(nestled_wgpu::open(config).expect("the adapter opens")))
    }

    fn device(&self) -> Rc<dyn Device> {
        match self {
            Gpu::Wgpu(device) => Rc::clone(device) as _,
            Gpu::Cuda(device) => Rc::clone(device) as _,
        }
    }

    fn counts(&self) -> Counts {
        match self {
            Gpu::Wgpu(device) => device.counts(),
            Gpu::Cuda(device) => device.counts(),
        }
    }

    fn bytes_in_use(&self) -> u64 {
        match self {
            Gpu::Wgpu(device) => device.bytes_in_use(),
            Gpu::Cuda(device) => device.bytes_in_use(),
        }
    }
}

/// Whether there is an adapter to test on. Where there is none, and none has to be, it says so.
///
/// # Panics
/// If there is none where one has to be.
pub fn has_adapter() -> bool {
    if is_cuda() {
        return nestled_cuda::cards().map_err(|why| eprintln!("SKIPPED: {why}")).is_ok();
    }
    let found = !nestled_wgpu::adapters().is_empty();
    let required = std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty());
    assert!(found || !required, "there is no WebGPU adapter; install mesa-vulkan-drivers");
    if !found {
        eprintln!("SKIPPED: there is no WebGPU adapter; mesa-vulkan-drivers has one in software");
    }
    found
}

/// A device that was used by so many programs is given back: it keeps what it has compiled.
const USES: usize = 200;

/// Runs a function on the first adapter.
///
/// # Panics
/// If the device does not get back what it gave.
pub fn run(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    // Never dropped with its thread: wgpu has variables of threads of its own, which may be gone by then.
    type Known = ManuallyDrop<Option<(usize, Gpu)>>;
    thread_local! {
        static DEVICE: RefCell<Known> = const { RefCell::new(ManuallyDrop::new(None)) };
    }
    let device = DEVICE.with_borrow_mut(|known| {
        if known.as_ref().is_none_or(|(uses, _)| *uses >= USES) {
            **known = Some((0, Gpu::open()));
        }
        let (uses, device) = known.as_mut().expect("it was made just now");
        *uses += 1;
        device.clone()
    });
    let before = device.counts();
    let outcome = run_on(device.device(), program, function, shapes, args, world);
    assert_eq!(device.bytes_in_use(), 0, "buffers are left");
    add(&before, &device.counts());
    outcome
}

/// As [`run`], for the data files.
pub fn engine(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, interp::Error> {
    run(program, function, shapes, args, world).map_err(as_interpreted)
}

static TOTAL: Mutex<Counts> =
    Mutex::new(Counts { launched: 0, interpreted: BTreeMap::new(), compiled: 0, native: 0 });

fn add(before: &Counts, after: &Counts) {
    let mut total = TOTAL.lock().expect("nobody panics here");
    total.launched += after.launched - before.launched;
    total.compiled += after.compiled - before.compiled;
    total.native += after.native - before.native;
    for (why, count) in &after.interpreted {
        let new = count - before.interpreted.get(why).unwrap_or(&0);
        if new > 0 {
            *total.interpreted.entry(why.clone()).or_default() += new;
        }
    }
}

/// What all runs of this process came to.
pub fn counts() -> Counts {
    TOTAL.lock().expect("nobody panics here").clone()
}
