//! The CPU device for tests: one for each way in which it can be told to work, and whether it gives back all that it takes.

use nestled_cpu::device::{CacheChoice, CpuConfig, CpuDevice};
use nestled_ir::Program;
use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value};
use nestled_rt::{Error, run_on};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How a CPU device works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cpu {
    /// With LLVM.
    Compiled {
        /// The width of vectors.
        bits: u32,
        /// How many threads.
        threads: usize,
    },
    /// Without.
    Interpreted,
}

impl Cpu {
    /// All that are tested. No result may depend on which it is.
    pub const ALL: [Cpu; 7] = [
        Cpu::Compiled { bits: 512, threads: 1 },
        Cpu::Compiled { bits: 512, threads: 2 },
        Cpu::Compiled { bits: 256, threads: 1 },
        Cpu::Compiled { bits: 256, threads: 2 },
        Cpu::Compiled { bits: 128, threads: 1 },
        Cpu::Compiled { bits: 128, threads: 2 },
        Cpu::Interpreted,
    ];

    /// A name for messages.
    pub fn name(self) -> String {
        match self {
            Cpu::Compiled { bits, threads } => format!("cpu {bits} {threads}"),
            Cpu::Interpreted => "cpu without llvm".to_owned(),
        }
    }

    fn config(self) -> CpuConfig {
        let (vector_bits, threads, llvm) = match self {
            Cpu::Compiled { bits, threads } => (Some(bits), threads, true),
            Cpu::Interpreted => (None, 1, false),
        };
        let memory = Some(1 << 28);
        CpuConfig {
            threads: Some(threads),
            vector_bits,
            memory,
            llvm,
            disk_cache: CacheChoice::At(kernels()),
            interrupt: None,
        }
    }

    /// Runs a function. Devices are used again, so that they would show what one run does to the next; now and then a new one begins.
    ///
    /// # Panics
    /// If the device does not get back what it gave.
    pub fn run(
        self,
        program: &Program,
        function: &str,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Value>, Error> {
        let device = self.device();
        let outcome = run_on(device.clone(), program, function, shapes, args, world);
        assert_eq!(device.bytes_in_use(), 0, "buffers are left");
        outcome
    }

    /// One of this thread.
    fn device(self) -> Rc<CpuDevice> {
        thread_local! {
            static DEVICES: RefCell<Vec<(Cpu, usize, Rc<CpuDevice>)>> = const { RefCell::new(Vec::new()) };
        }
        DEVICES.with_borrow_mut(|devices| {
            devices.retain(|(_, uses, _)| *uses < USES);
            match devices.iter_mut().find(|(kind, ..)| *kind == self) {
                Some((_, uses, device)) => {
                    *uses += 1;
                    Rc::clone(device)
                }
                None => {
                    let device = Rc::new(CpuDevice::new(self.config()));
                    devices.push((self, 1, Rc::clone(&device)));
                    device
                }
            }
        })
    }
}

/// A device keeps what it has compiled, so it is not used for ever.
const USES: usize = 100;

/// Where kernels of tests are kept, beside the tests themselves: what they are kept by is their text, so nothing in it goes out of date.
fn kernels() -> PathBuf {
    let test = std::env::current_exe().unwrap_or_default();
    test.parent().unwrap_or(Path::new(".")).join("kernels")
}
