//! The adapters of the machine.

use crate::quiet::quietly;
use crate::wait::wait;
use nestled_ir::ScalarType;
use nestled_rt::device::DeviceError;
use wgpu::{Backends, DeviceType, Instance, InstanceDescriptor, InstanceFlags};

/// What an adapter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AdapterKind {
    /// A card of its own.
    Discrete,
    /// A part of the processor.
    Integrated,
    /// Of a virtual machine.
    Virtual,
    /// The processor itself, playing a GPU.
    Software,
    /// Nobody knows.
    Other,
}

/// An adapter.
#[derive(Clone, Debug)]
pub struct Adapter {
    pub(crate) inner: wgpu::Adapter,
    /// Its name, for people.
    pub name: String,
    /// How it is spoken to: `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// What it is.
    pub kind: AdapterKind,
    /// Whether it has integers of 64 bits.
    pub int64: bool,
    /// Whether it has floats of 64 bits.
    pub float64: bool,
    /// The most bytes that all buffers may take together.
    pub memory: u64,
}

impl Adapter {
    /// The types that it has.
    pub fn types(&self) -> Vec<ScalarType> {
        let has = |ty: &ScalarType| match ty {
            ScalarType::I64 | ScalarType::U64 => self.int64,
            ScalarType::F64 => self.float64,
            _ => true,
        };
        ScalarType::ALL.into_iter().filter(has).collect()
    }
}

/// All adapters; none where there is no driver.
pub fn adapters() -> Vec<Adapter> {
    let backends = Instance::enabled_backend_features();
    if backends == Backends::empty() {
        return Vec::new();
    }
    let descriptor = InstanceDescriptor {
        backends,
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    };
    let all = quietly(|| wait(Instance::new(descriptor).enumerate_adapters(backends)));
    all.into_iter().map(describe).collect()
}

fn describe(inner: wgpu::Adapter) -> Adapter {
    let (info, limits, features) = (inner.get_info(), inner.limits(), inner.features());
    let kind = match info.device_type {
        DeviceType::DiscreteGpu => AdapterKind::Discrete,
        DeviceType::IntegratedGpu => AdapterKind::Integrated,
        DeviceType::VirtualGpu => AdapterKind::Virtual,
        DeviceType::Cpu => AdapterKind::Software,
        DeviceType::Other => AdapterKind::Other,
    };
    Adapter {
        name: info.name,
        backend: info.backend.to_str().to_owned(),
        kind,
        int64: features.contains(wgpu::Features::SHADER_INT64),
        float64: features.contains(wgpu::Features::SHADER_F64),
        memory: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
        inner,
    }
}

/// The adapter that was asked for.
pub(crate) fn choose(position: Option<usize>) -> Result<Adapter, DeviceError> {
    let mut all = adapters();
    let missing = |what: String| DeviceError::Unsupported {
        what,
        help:
            "`nestled devices` lists what there is; a driver for Vulkan may be missing, such as the package \
               mesa-vulkan-drivers"
                .to_owned(),
    };
    let position = match position {
        Some(position) => position,
        None => all.iter().position(|adapter| adapter.kind != AdapterKind::Software).unwrap_or(0),
    };
    if position >= all.len() {
        return Err(missing(match all.len() {
            0 => "there is no WebGPU adapter".to_owned(),
            count => format!("there is no WebGPU adapter {position}, only {count}"),
        }));
    }
    Ok(all.swap_remove(position))
}
