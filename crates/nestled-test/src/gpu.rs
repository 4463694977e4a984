//! GPU devices for tests: one device for each thread, reused from run to run. It is an adapter of WebGPU, or if
//! [`CHOICE`] says `cuda`, a card through CUDA; or CUDA without a card, on the [stand-in](stand_in).

use crate::corpus::as_interpreted;
use crate::{required, stand_in};
use nestled_cuda::{CudaConfig, CudaDevice};
use nestled_gpu::Counts;
use nestled_ir::interp::{self, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_ir::{Program, Span};
use nestled_rt::device::{Device, Math};
use nestled_rt::{Error, Executable, run_on};
use nestled_wgpu::{WgpuConfig, WgpuDevice};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::ManuallyDrop;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

/// The environment variable that selects the device under test: `wgpu`, which is the default, or `cuda`.
pub const CHOICE: &str = "NESTLED_TEST_GPU";

/// The environment variable that makes a card's memory go back at once, for tools that watch it.
pub const EXACT: &str = "NESTLED_TEST_EXACT_MEMORY";

/// True if [`CHOICE`] asks for a card.
pub fn is_cuda() -> bool {
    std::env::var_os(CHOICE).is_some_and(|choice| choice == "cuda")
}

/// The device under test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// An adapter of WebGPU, or the card that [`CHOICE`] asks for.
    Hardware,
    /// CUDA on the stand-in.
    StandIn,
}

/// A device that is tested.
#[derive(Clone)]
enum Gpu {
    Wgpu(Rc<WgpuDevice>),
    Cuda(Rc<CudaDevice>),
}

impl Gpu {
    fn open(target: Target) -> Gpu {
        let memory = Some(1 << 26);
        if target == Target::StandIn {
            return Gpu::Cuda(Rc::new(stand_in::open(memory)));
        }
        if is_cuda() {
            let config = CudaConfig {
                memory,
                math: Math::Strict,
                exact_memory: std::env::var_os(EXACT).is_some(),
                ..CudaConfig::default()
            };
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

/// Returns whether there is an adapter to test on. If there is none, and none is required, prints that tests are skipped.
///
/// # Panics
/// If there is none where one has to be.
pub fn has_adapter() -> bool {
    if is_cuda() {
        return nestled_cuda::cards().map_err(|why| eprintln!("SKIPPED: {why}")).is_ok();
    }
    let found = !nestled_wgpu::adapters().is_empty();
    let required = required::is_set();
    assert!(found || !required, "there is no WebGPU adapter; install mesa-vulkan-drivers");
    if !found {
        eprintln!("SKIPPED: there is no WebGPU adapter; mesa-vulkan-drivers has one in software");
    }
    found
}

/// The number of programs after which a device is replaced: it keeps its compiled kernels.
const USES: usize = 200;

thread_local! {
    /// The devices of this thread, each with the number of its programs. Never dropped with the thread: wgpu has variables of threads of its own, which may be gone by
    /// then.
    static DEVICES: RefCell<ManuallyDrop<BTreeMap<Target, (usize, Gpu)>>> =
        const { RefCell::new(ManuallyDrop::new(BTreeMap::new())) };
}

/// Closes the devices of this thread: whoever ends a process closes them before, because a driver whose process ends under open devices may crash.
pub fn close() {
    // Dropped after the variable is free again.
    let devices = DEVICES.with_borrow_mut(|known| std::mem::take(&mut **known));
    drop(devices);
}

/// A device for one more program.
fn device(target: Target) -> Gpu {
    DEVICES.with_borrow_mut(|known| {
        if known.get(&target).is_some_and(|(uses, _)| *uses >= USES) {
            known.remove(&target);
        }
        let (uses, device) = known.entry(target).or_insert_with(|| (0, Gpu::open(target)));
        *uses += 1;
        device.clone()
    })
}

/// Runs a function on a device.
///
/// # Panics
/// If the device does not get back what it gave.
pub fn run(
    target: Target,
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let device = device(target);
    let before = device.counts();
    let outcome = run_on(device.device(), program, function, shapes, args, world);
    assert_eq!(device.bytes_in_use(), 0, "buffers are left");
    add(program, &before, &device.counts());
    outcome
}

/// As [`run`], but where the run would wait it stops, and is taken up again. Nothing blocks the thread but what is left to the host.
///
/// # Panics
/// If something else blocked, or the device does not get back what it gave.
pub fn run_stopping(
    target: Target,
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let device = device(target);
    let before = device.counts();
    let executable = Executable::new(program, device.device())?;
    let outcome = driven(executable.run_async(function, shapes, args, world));
    drop(executable);
    assert_eq!(device.bytes_in_use(), 0, "buffers are left");
    let after = device.counts();
    // What is launched after a fault runs on the host.
    if outcome.is_ok() && (after.native, &after.interpreted) == (before.native, &before.interpreted) {
        assert_eq!(after.blocked, before.blocked, "the thread was blocked");
    }
    outcome
}

/// The output of a future, polled by this thread.
fn driven<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
        std::thread::yield_now();
    }
}

/// As [`run_stopping`], for the data files.
pub fn stopping_engine(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, interp::Error> {
    run_stopping(Target::Hardware, program, function, shapes, args, world).map_err(as_interpreted)
}

/// As [`stopping_engine`], for the stand-in.
pub fn stopping_stand_in_engine(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, interp::Error> {
    run_stopping(Target::StandIn, program, function, shapes, args, world).map_err(as_interpreted)
}

/// As [`run`], for the data files.
pub fn engine(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, interp::Error> {
    run(Target::Hardware, program, function, shapes, args, world).map_err(as_interpreted)
}

/// As [`engine`], for the stand-in.
pub fn stand_in_engine(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, interp::Error> {
    run(Target::StandIn, program, function, shapes, args, world).map_err(as_interpreted)
}

static TOTAL: Mutex<Counts> = Mutex::new(Counts {
    launched: 0,
    interpreted: BTreeMap::new(),
    compiled: 0,
    native: 0,
    products: 0,
    modules: 0,
    reads: 0,
    blocked: 0,
    writes: 0,
});

/// Files with kernels that were left to the host, each with the reasons.
static LEFT: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

fn add(program: &Program, before: &Counts, after: &Counts) {
    let mut total = TOTAL.lock().expect("nobody panics here");
    total.launched += after.launched - before.launched;
    total.compiled += after.compiled - before.compiled;
    total.native += after.native - before.native;
    total.products += after.products - before.products;
    total.reads += after.reads - before.reads;
    total.writes += after.writes - before.writes;
    total.blocked += after.blocked - before.blocked;
    let mut left = BTreeSet::new();
    if after.native > before.native {
        left.insert("native operations".to_owned());
    }
    for (why, count) in &after.interpreted {
        let new = count - before.interpreted.get(why).unwrap_or(&0);
        if new > 0 {
            *total.interpreted.entry(why.clone()).or_default() += new;
            left.insert(why.clone());
        }
    }
    if let (false, Some(source)) = (left.is_empty(), program.sources.source(Span::default())) {
        let mut files = LEFT.lock().expect("nobody panics here");
        files.entry(source.name.clone()).or_default().extend(left);
    }
}

/// Files with kernels that were left to the host, each with the reasons.
pub fn left() -> BTreeMap<String, BTreeSet<String>> {
    LEFT.lock().expect("nobody panics here").clone()
}

/// Sums of the counters of all runs of this process.
pub fn counts() -> Counts {
    TOTAL.lock().expect("nobody panics here").clone()
}
