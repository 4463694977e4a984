//! Which device runs a program, and what it is allowed.

use crate::cli::Run;
use crate::exit_codes::Failure;
use nestled_cpu::device::{CpuConfig, CpuDevice};
use nestled_cpu::pool::MAX_THREADS;
use nestled_cuda::{CudaConfig, CudaDevice};
use nestled_gpu::Counts;
use nestled_ir::interp::Interrupt;
use nestled_ir::{Program, ScalarType};
use nestled_pass::Limits;
use nestled_rt::device::{Description, Device};
use nestled_rt::{Reference, ReferenceConfig, missing_type};
use nestled_wgpu::{AdapterKind, WgpuConfig, WgpuDevice};
use std::rc::Rc;

/// What runs the kernels: `cpu`, `reference`, `core`, `cuda`, `cuda:1`, `wgpu`, `wgpu:1`, `auto`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeviceName {
    /// Compiled kernels on all cores.
    Cpu,
    /// The interpreter that defines the language: slow, and never wrong.
    Reference,
    /// For NESL only: the interpreter of nested programs, which judges flattening.
    Core,
    /// A GPU through WebGPU: by default the first that is not software, else by its number among those that `nestled devices` lists.
    Wgpu(Option<usize>),
    /// A card of NVIDIA's through CUDA: by default the first.
    Cuda(Option<usize>),
    /// A GPU if there is one, else the CPU.
    Auto,
}

/// Reads the name of a device.
pub fn parse_device(text: &str) -> Result<DeviceName, String> {
    let (name, number) = match text.split_once(':') {
        Some((name, number)) => (name, Some(number)),
        None => (text, None),
    };
    let number = number.map(|number| number.parse::<usize>().map_err(|_| format!("`{number}` is no number")));
    match (name, number.transpose()?) {
        ("cpu", None) => Ok(DeviceName::Cpu),
        ("reference", None) => Ok(DeviceName::Reference),
        ("core", None) => Ok(DeviceName::Core),
        ("auto", None) => Ok(DeviceName::Auto),
        ("wgpu", number) => Ok(DeviceName::Wgpu(number)),
        ("cuda", number) => Ok(DeviceName::Cuda(number)),
        _ => Err("cpu, cuda, cuda:N, wgpu, wgpu:N, auto, reference, or for NESL core is wanted".to_owned()),
    }
}

/// A device that `auto` may take.
struct Candidate {
    device: DeviceName,
    name: String,
    types: Vec<ScalarType>,
}

/// What there is, the best first: CUDA, then adapters that are not software, then the CPU.
fn candidates() -> Vec<Candidate> {
    let all = || ScalarType::ALL.to_vec();
    let mut found = Vec::new();
    for (number, card) in nestled_cuda::cards().unwrap_or_default().into_iter().enumerate() {
        found.push(Candidate { device: DeviceName::Cuda(Some(number)), name: card.name, types: all() });
    }
    for (number, gpu) in nestled_wgpu::adapters().into_iter().enumerate() {
        if gpu.kind != AdapterKind::Software {
            let device = DeviceName::Wgpu(Some(number));
            found.push(Candidate { device, types: gpu.types(), name: gpu.name });
        }
    }
    found.push(Candidate { device: DeviceName::Cpu, name: "the CPU".to_owned(), types: all() });
    found
}

/// The first that has the types of a program, and what is to be said of those before.
fn first_fit<'c>(candidates: &'c [Candidate], program: &Program) -> Option<(&'c Candidate, Vec<String>)> {
    let mut notes = Vec::new();
    for candidate in candidates {
        match missing_type(program, &candidate.types) {
            None => return Some((candidate, notes)),
            Some((kernel, ty)) => {
                notes.push(format!("{} is not used: the kernel `{kernel}` uses `{ty}`", candidate.name));
            }
        }
    }
    None
}

/// The CPU and all GPUs that are not software. A card that CUDA can use is not taken again through WebGPU.
pub fn present() -> Vec<DeviceName> {
    let mut devices = vec![DeviceName::Cpu];
    let cards = nestled_cuda::cards().unwrap_or_default();
    devices.extend((0..cards.len()).map(|card| DeviceName::Cuda(Some(card))));
    for (number, gpu) in nestled_wgpu::adapters().iter().enumerate() {
        if gpu.kind != AdapterKind::Software && cards.iter().all(|card| card.name != gpu.name) {
            devices.push(DeviceName::Wgpu(Some(number)));
        }
    }
    devices
}

/// The device that was asked for.
pub enum Chosen {
    /// The CPU.
    Cpu(Rc<CpuDevice>),
    /// The reference device.
    Reference(Rc<Reference>),
    /// A card through CUDA.
    Cuda(Rc<CudaDevice>),
    /// A GPU through WebGPU.
    Wgpu(Rc<WgpuDevice>),
}

/// More kernels than that are compiled while the program runs.
const AT_ONCE: usize = 64;

impl Chosen {
    /// The device for a run.
    pub fn new(options: &Run, program: &Program, interrupt: &Interrupt) -> Result<Chosen, Failure> {
        // Who looks at times wants those of compiled kernels.
        let at_once = if options.profile || options.trace.is_some() { usize::MAX } else { AT_ONCE };
        let memory = options.memory.as_deref().map(size).transpose()?;
        Chosen::sized(options.device, program, options.threads, (memory, at_once), interrupt)
    }

    /// A device by its name.
    pub fn named(
        device: DeviceName,
        program: &Program,
        threads: Option<u16>,
        memory: Option<&str>,
        interrupt: &Interrupt,
    ) -> Result<Chosen, Failure> {
        Chosen::sized(device, program, threads, (memory.map(size).transpose()?, usize::MAX), interrupt)
    }

    fn sized(
        device: DeviceName,
        program: &Program,
        threads: Option<u16>,
        (memory, at_once): (Option<u64>, usize),
        interrupt: &Interrupt,
    ) -> Result<Chosen, Failure> {
        Ok(match device {
            DeviceName::Cpu => {
                let threads = threads.map(usize::from);
                let interrupt = Some(interrupt.clone());
                Chosen::Cpu(Rc::new(CpuDevice::new(CpuConfig {
                    threads,
                    memory,
                    at_once,
                    interrupt,
                    ..CpuConfig::default()
                })))
            }
            DeviceName::Cuda(card) => {
                let config =
                    CudaConfig { card, memory, interrupt: Some(interrupt.clone()), ..CudaConfig::default() };
                let device = nestled_cuda::open(config)
                    .map_err(|error| Failure::failed(format!("error: {error}\n")))?;
                Chosen::Cuda(Rc::new(device))
            }
            DeviceName::Wgpu(adapter) => {
                let config = WgpuConfig {
                    adapter,
                    memory,
                    interrupt: Some(interrupt.clone()),
                    ..WgpuConfig::default()
                };
                let device = nestled_wgpu::open(config)
                    .map_err(|error| Failure::failed(format!("error: {error}\n")))?;
                Chosen::Wgpu(Rc::new(device))
            }
            DeviceName::Auto => {
                let candidates = candidates();
                let fit = first_fit(&candidates, program);
                let (candidate, notes) = fit.expect("the CPU has all types");
                notes.iter().for_each(|note| eprintln!("note: {note}"));
                let chosen = Chosen::sized(candidate.device, program, threads, (memory, at_once), interrupt)?;
                eprintln!("note: kernels run on {}", chosen.device().describe().name);
                chosen
            }
            DeviceName::Core => {
                return Err(Failure::usage("the device `core` runs only programs in NESL"));
            }
            DeviceName::Reference => {
                let defaults = ReferenceConfig::default();
                let memory = memory.unwrap_or(defaults.memory);
                let interrupt = Some(interrupt.clone());
                Chosen::Reference(Rc::new(Reference::new(ReferenceConfig { memory, interrupt, ..defaults })))
            }
        })
    }

    /// The device itself.
    pub fn device(&self) -> Rc<dyn Device> {
        match self {
            Chosen::Cpu(device) => Rc::clone(device) as _,
            Chosen::Reference(device) => Rc::clone(device) as _,
            Chosen::Cuda(device) => Rc::clone(device) as _,
            Chosen::Wgpu(device) => Rc::clone(device) as _,
        }
    }

    /// Whether it has all types that a program's kernels use.
    pub fn takes(&self, program: &Program) -> bool {
        missing_type(program, &self.device().describe().types).is_none()
    }

    /// What passes need to know of it.
    pub fn limits(&self) -> Limits {
        let device = self.device();
        let Description { sweeps, stages, combinators, arguments, values, private, .. } = *device.describe();
        Limits { sweeps, stages, combinators, arguments, values, private }
    }

    /// Says what a GPU did, and what it left to the interpreter.
    pub fn say_counts(&self) {
        let Counts { launched, interpreted, compiled, native } = match self {
            Chosen::Cpu(_) | Chosen::Reference(_) => return,
            Chosen::Cuda(device) => device.counts(),
            Chosen::Wgpu(device) => device.counts(),
        };
        eprintln!(
            "{launched} launches on the GPU, {compiled} modules compiled, {native} operations on the host"
        );
        for (why, count) in interpreted {
            eprintln!("{count} launches interpreted: no code for {why}");
        }
    }

    /// Says, once, what would make it faster.
    pub fn say_hint(&self) {
        if let Chosen::Cpu(device) = self
            && let Some(hint) = device.hint()
        {
            eprintln!("note: kernels are interpreted, much more slowly than they would run compiled: {hint}");
        }
    }
}

fn size(text: &str) -> Result<u64, Failure> {
    parse_size(text)
        .ok_or_else(|| Failure::usage(format!("`{text}` is not a size; write 500M or 2G, for example")))
}

/// `1000`, `64K`, `500M`, `2G`: powers of 1024.
fn parse_size(text: &str) -> Option<u64> {
    let (number, shift) = match text.char_indices().last()? {
        (at, 'K' | 'k') => (&text[..at], 10),
        (at, 'M' | 'm') => (&text[..at], 20),
        (at, 'G' | 'g') => (&text[..at], 30),
        (at, 'T' | 't') => (&text[..at], 40),
        _ => (text, 0),
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// How many threads a pool may have.
pub fn parse_threads(text: &str) -> Result<u16, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_THREADS).contains(&usize::from(*count)));
    count.ok_or_else(|| format!("a number from 1 to {MAX_THREADS} is wanted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices() {
        assert_eq!(parse_device("wgpu:2"), Ok(DeviceName::Wgpu(Some(2))));
        assert_eq!(parse_device("cpu"), Ok(DeviceName::Cpu));
        assert!(["cpu:1", "wgpu:x", "gpu", "cuda:-1"].iter().all(|text| parse_device(text).is_err()));
    }

    #[test]
    fn the_first_with_all_types_is_taken() {
        let text = "kernel wide(x: f64) {\n  y = once { add x 1.0 }\n  ret y\n}\nfn main(x: f64) -> f64 {\n  y = run wide(x)\n  ret y\n}\n";
        let wide = nestled_ir::text::parse("wide.lcu", text).expect("it is well-formed");
        let narrow = nestled_ir::text::parse("narrow.lcu", &text.replace("f64", "f32")).expect("so is this");
        let types = vec![ScalarType::F32, ScalarType::I32];
        let gpu = Candidate { device: DeviceName::Wgpu(Some(1)), name: "a GPU".to_owned(), types };
        let all = ScalarType::ALL.to_vec();
        let cpu = Candidate { device: DeviceName::Cpu, name: "the CPU".to_owned(), types: all };
        let candidates = [gpu, cpu];
        let pick = |program| {
            let (candidate, notes) = first_fit(&candidates, program).expect("the CPU has all types");
            (candidate.device, notes)
        };
        assert_eq!(pick(&narrow), (DeviceName::Wgpu(Some(1)), Vec::new()));
        let note = "a GPU is not used: the kernel `wide` uses `f64`".to_owned();
        assert_eq!(pick(&wide), (DeviceName::Cpu, vec![note]));
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("64K"), Some(65536));
        assert_eq!(parse_size("7"), Some(7));
        assert_eq!(parse_size("G"), None);
        assert_eq!(parse_size("99999999999G"), None);
    }

    #[test]
    fn threads() {
        assert_eq!(parse_threads("1024"), Ok(1024));
        assert!(["0", "1025", "-1", "two", ""].iter().all(|text| parse_threads(text).is_err()));
    }
}
