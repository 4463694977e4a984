//! GPUs for tests: whether there is one, and one device for each thread, used again from run to run.

use nestled_gpu::Counts;
use nestled_ir::Program;
use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value};
use nestled_rt::{Error, run_on};
use nestled_wgpu::{WgpuConfig, WgpuDevice};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::Mutex;

/// Set where software Vulkan has to be there: without it tests fail there instead of being skipped.
pub const REQUIRED: &str = "NESTLED_GPU_REQUIRED";

/// Whether there is an adapter to test on. Where there is none, and none has to be, it says so.
///
/// # Panics
/// If there is none where one has to be.
pub fn has_adapter() -> bool {
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
    type Known = ManuallyDrop<Option<(usize, Rc<WgpuDevice>)>>;
    thread_local! {
        static DEVICE: RefCell<Known> = const { RefCell::new(ManuallyDrop::new(None)) };
    }
    let device = DEVICE.with_borrow_mut(|known| {
        if known.as_ref().is_none_or(|(uses, _)| *uses >= USES) {
            let config = WgpuConfig { adapter: None, memory: Some(1 << 26), interrupt: None };
            let device = nestled_wgpu::open(config).expect("the adapter opens");
            **known = Some((0, Rc::new(device)));
        }
        let (uses, device) = known.as_mut().expect("it was made just now");
        *uses += 1;
        Rc::clone(device)
    });
    let before = device.counts();
    let outcome = run_on(device.clone(), program, function, shapes, args, world);
    assert_eq!(device.bytes_in_use(), 0, "buffers are left");
    add(&before, &device.counts());
    outcome
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
