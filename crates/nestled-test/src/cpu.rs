//! CPU devices for tests: one for each configuration, with checks that each gives back all that it takes.

use nestled_cache::SharedCache;
use nestled_cpu::device::{CacheChoice, CpuConfig, CpuDevice, Thresholds};
use nestled_ir::Program;
use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value};
use nestled_rt::{Error, run_on};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

/// A configuration of the CPU device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cpu {
    /// Kernels compiled with LLVM.
    Compiled {
        /// The width of vectors.
        bits: u32,
        /// Number of threads.
        threads: usize,
        /// The thresholds of work sharing.
        sizes: Sizes,
    },
    /// Kernels interpreted, without LLVM.
    Interpreted,
}

/// The thresholds at which work is cut and shared among threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// The thresholds for users.
    Usual,
    /// Thresholds so low that any work is shared.
    Tiny,
    /// As `Tiny`, and all results are stored past the caches.
    Streaming,
}

/// Compilation of kernels, and the place that keeps them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernels {
    /// With the users' options, kept on disk from one run to the next.
    OnDisk,
    /// In memory, with code generation at this level.
    InMemory {
        /// The optimisation level, 0 to 3.
        level: u8,
    },
}

impl Cpu {
    /// All configurations under test. No result may depend on the configuration.
    pub const ALL: [Cpu; 14] = [
        Cpu::compiled(512, 1, Sizes::Usual),
        Cpu::compiled(512, 2, Sizes::Usual),
        Cpu::compiled(512, 1, Sizes::Tiny),
        Cpu::compiled(512, 2, Sizes::Tiny),
        Cpu::compiled(512, 2, Sizes::Streaming),
        Cpu::compiled(256, 1, Sizes::Usual),
        Cpu::compiled(256, 2, Sizes::Usual),
        Cpu::compiled(256, 1, Sizes::Tiny),
        Cpu::compiled(256, 2, Sizes::Tiny),
        Cpu::compiled(128, 1, Sizes::Usual),
        Cpu::compiled(128, 2, Sizes::Usual),
        Cpu::compiled(128, 1, Sizes::Tiny),
        Cpu::compiled(128, 2, Sizes::Tiny),
        Cpu::Interpreted,
    ];

    /// The users' thresholds, with wide vectors.
    pub const WIDE: Cpu = Cpu::compiled(512, 1, Sizes::Usual);

    /// Wide vectors, and work cut into tiny pieces: it compiles fastest, since its vectors are registers.
    pub const WIDE_TINY: Cpu = Cpu::compiled(512, 2, Sizes::Tiny);

    /// Narrow vectors, and work cut into tiny pieces.
    pub const NARROW: Cpu = Cpu::compiled(128, 2, Sizes::Tiny);

    const fn compiled(bits: u32, threads: usize, sizes: Sizes) -> Cpu {
        Cpu::Compiled { bits, threads, sizes }
    }

    /// A name for messages.
    pub fn name(self) -> String {
        match self {
            Cpu::Compiled { bits, threads, sizes } => format!("cpu {bits} {threads}{}", sizes.suffix()),
            Cpu::Interpreted => "cpu without llvm".to_owned(),
        }
    }

    fn config(self, kernels: Kernels) -> CpuConfig {
        let (vector_bits, threads, sizes) = match self {
            Cpu::Compiled { bits, threads, sizes } => (Some(bits), threads, sizes),
            Cpu::Interpreted => (None, 1, Sizes::Usual),
        };
        let (level, disk_cache) = match kernels {
            // Whatever `NESTLED_LEVEL` says.
            Kernels::OnDisk => (2, CacheChoice::At(directory())),
            Kernels::InMemory { level } => (level, CacheChoice::Shared(Arc::clone(&MEMORY))),
        };
        CpuConfig {
            threads: Some(threads),
            vector_bits,
            memory: Some(1 << 28),
            llvm: self != Cpu::Interpreted,
            level,
            compile_first: true,
            thresholds: sizes.thresholds(),
            disk_cache,
            commons: None,
            interrupt: None,
        }
    }

    /// Runs a function. Devices are reused, so that effects of one run on the next would show; now and then a new one begins.
    ///
    /// # Panics
    /// If the device does not get back what it gave.
    pub fn run(
        self,
        kernels: Kernels,
        program: &Program,
        function: &str,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Value>, Error> {
        let device = self.device(kernels);
        let outcome = run_on(device.clone(), program, function, shapes, args, world);
        assert_eq!(device.bytes_in_use(), 0, "buffers are left");
        outcome
    }

    /// This thread's device.
    fn device(self, kernels: Kernels) -> Rc<CpuDevice> {
        struct Known {
            how: (Cpu, Kernels),
            uses: usize,
            device: Rc<CpuDevice>,
        }
        thread_local! {
            static DEVICES: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
        }
        DEVICES.with_borrow_mut(|devices| {
            devices.retain(|known| known.uses < USES);
            match devices.iter_mut().find(|known| known.how == (self, kernels)) {
                Some(known) => {
                    known.uses += 1;
                    Rc::clone(&known.device)
                }
                None => {
                    let device = Rc::new(CpuDevice::new(self.config(kernels)));
                    devices.push(Known { how: (self, kernels), uses: 1, device: Rc::clone(&device) });
                    device
                }
            }
        })
    }
}

impl Sizes {
    fn suffix(self) -> &'static str {
        match self {
            Sizes::Usual => "",
            Sizes::Tiny => " tiny",
            Sizes::Streaming => " streaming",
        }
    }

    fn thresholds(self) -> Thresholds {
        match self {
            Sizes::Usual => Thresholds::default(),
            Sizes::Tiny => Thresholds::TINY,
            Sizes::Streaming => Thresholds { streaming: 1, ..Thresholds::TINY },
        }
    }
}

/// The number of uses of a device. A device keeps its compiled kernels, and memory mappings are limited, so it is replaced from time to time.
const USES: usize = 30;

/// Kernels shared by devices that differ only in options that do not show in code.
static MEMORY: LazyLock<Arc<SharedCache>> = LazyLock::new(|| Arc::new(SharedCache::new(16 << 20)));

/// The environment variable that names another folder for the kernels of tests, for runs with bugs in the code that makes or keeps them.
pub const DIRECTORY: &str = "NESTLED_TEST_KERNELS";

/// The folder that keeps compiled kernels of tests, by default beside the tests themselves. Kernels are found by what they are made from and the version of the code that
/// compiles them, so nothing in it goes out of date. [`DIRECTORY`] overrides it.
fn directory() -> PathBuf {
    if let Some(chosen) = std::env::var_os(DIRECTORY) {
        return PathBuf::from(chosen);
    }
    let test = std::env::current_exe().unwrap_or_default();
    test.parent().unwrap_or(Path::new(".")).join("kernels")
}
