//! Enumeration of the devices of this machine, the best first.

use crate::device_name::DeviceChoice;
use crate::opened::Opened;
use nestled_ir::ScalarType;
use std::cell::OnceCell;

/// A device that may be taken, and is opened when it is.
pub(crate) struct Candidate {
    pub choice: DeviceChoice,
    pub name: String,
    pub types: Vec<ScalarType>,
    pub opened: OnceCell<Opened>,
}

impl Candidate {
    fn new(choice: DeviceChoice, name: String, types: Vec<ScalarType>) -> Candidate {
        Candidate { choice, name, types, opened: OnceCell::new() }
    }

    /// A device that was named; it is refused only when a program needs more than it has.
    pub fn named(choice: DeviceChoice) -> Candidate {
        Candidate::new(choice, choice.to_string(), ScalarType::ALL.to_vec())
    }
}

/// CUDA, then adapters that are not software, then the CPU.
pub(crate) fn candidates() -> Vec<Candidate> {
    let mut found = cards();
    found.extend(adapters());
    found.push(Candidate::new(DeviceChoice::Cpu, "the CPU".to_owned(), ScalarType::ALL.to_vec()));
    found
}

/// The CPU and all GPUs that are not software. A card that CUDA can use is not taken again through WebGPU.
pub fn present() -> Vec<DeviceChoice> {
    let (cards, adapters) = (cards(), adapters());
    let other = |gpu: &&Candidate| cards.iter().all(|card| card.name != gpu.name);
    let gpus = cards.iter().chain(adapters.iter().filter(other));
    std::iter::once(DeviceChoice::Cpu).chain(gpus.map(|gpu| gpu.choice)).collect()
}

#[cfg(feature = "cuda")]
fn cards() -> Vec<Candidate> {
    let cards = nestled_cuda::cards().unwrap_or_default().into_iter().enumerate();
    let candidate = |(number, card): (usize, nestled_cuda::Card)| {
        Candidate::new(DeviceChoice::Cuda(Some(number)), card.name, ScalarType::ALL.to_vec())
    };
    cards.map(candidate).collect()
}

#[cfg(not(feature = "cuda"))]
fn cards() -> Vec<Candidate> {
    Vec::new()
}

#[cfg(feature = "wgpu")]
fn adapters() -> Vec<Candidate> {
    let adapters = nestled_wgpu::adapters().into_iter().enumerate();
    let real = adapters.filter(|(_, gpu)| gpu.kind != nestled_wgpu::AdapterKind::Software);
    let candidate = |(number, gpu): (usize, nestled_wgpu::Adapter)| {
        let types = gpu.types();
        Candidate::new(DeviceChoice::Wgpu(Some(number)), gpu.name, types)
    };
    real.map(candidate).collect()
}

#[cfg(not(feature = "wgpu"))]
fn adapters() -> Vec<Candidate> {
    Vec::new()
}
