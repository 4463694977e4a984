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
    /// With LLVM.
    Compiled {
        /// The width of vectors.
        bits: u32,
        /// Number of threads.
        threads: usize,
        /// When work is cut and shared out.
        sizes: Sizes,
    },
    /// Without.
    Interpreted,
}

/// When work is cut and shared out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// As for users.
    Usual,
    /// As soon as there is any.
    Tiny,
    /// In addition, all results go past the caches.
    Streaming,
}

/// Compilation of kernels, and the place that keeps them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernels {
    /// As for users, and on disk from one run to the next.
    OnDisk,
    /// In memory, with code generation at this level.
    InMemory {
        /// The optimisation level, 0 to 3.
        level: u8,
    },
}

impl Cpu {
    /// All that are tested. No result may depend on which it is.
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

    /// As for users, with wide vectors.
    pub const WIDE: Cpu = Cpu::compiled(512, 1, Sizes::Usual);

    /// The same with work cut into tiny pieces: what compiles fastest, for its vectors are registers.
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
            Kernels::OnDisk => (CpuConfig::default().level, CacheChoice::At(directory())),
            Kernels::InMemory { level } => (level, CacheChoice::Shared(Arc::clone(&MEMORY))),
        };
        CpuConfig {
            threads: Some(threads),
            vector_bits,
            memory: Some(1 << 28),
            llvm: self != Cpu::Interpreted,
            level,
            at_once: CpuConfig::default().at_once,
            thresholds: sizes.thresholds(),
            disk_cache,
            commons: None,
            interrupt: None,
        }
    }

    /// Runs a function. Devices are used again, so that they would show what one run does to the next; now and then a new one begins.
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

    /// One of this thread.
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

/// A device keeps what it has compiled, and there are limits on how many pieces memory may be in, so it is not used for ever.
const USES: usize = 30;

/// Kernels of devices that differ only in what does not show in their code.
static MEMORY: LazyLock<Arc<SharedCache>> = LazyLock::new(|| Arc::new(SharedCache::new(16 << 20)));

/// Set where kernels of tests are kept elsewhere: by those who put bugs into what keeps them.
pub const DIRECTORY: &str = "NESTLED_TEST_KERNELS";

/// The folder that keeps compiled kernels of tests, by default beside the tests themselves. Kernels are found by their text, so nothing in it goes out of date.
/// [`DIRECTORY`] overrides it.
fn directory() -> PathBuf {
    if let Some(chosen) = std::env::var_os(DIRECTORY) {
        return PathBuf::from(chosen);
    }
    let test = std::env::current_exe().unwrap_or_default();
    test.parent().unwrap_or(Path::new(".")).join("kernels")
}
