//! Constructors of an adapter's parts: buffers, bindings, description.

use crate::adapter::Adapter;
use nestled_rt::device::Description;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutEntry, BindingResource,
    BindingType, Buffer, BufferBinding, BufferBindingType, BufferDescriptor, BufferSize, BufferUsages,
    ShaderStages,
};

/// Bytes that a launch's parameters may take.
pub(crate) const WINDOW: u64 = 16 << 10;

pub(crate) fn storage(binding: u32, read_only: bool, dynamic: bool) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: BufferBindingType::Storage { read_only },
            has_dynamic_offset: dynamic,
            min_binding_size: None,
        },
        count: None,
    }
}

pub(crate) fn buffer(device: &wgpu::Device, size: u64, usage: BufferUsages) -> Buffer {
    device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

pub(crate) fn heap_usage() -> BufferUsages {
    BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST
}

pub(crate) fn staging(device: &wgpu::Device, size: u64) -> Buffer {
    buffer(device, size, BufferUsages::MAP_READ | BufferUsages::COPY_DST)
}

/// Workgroups in two dimensions: at least so many, and at most so many in each.
pub(crate) fn grid(groups: u64, most: u64) -> (u32, u32) {
    if groups <= most {
        return (groups as u32, 1);
    }
    let rows = groups.div_ceil(most);
    (groups.div_ceil(rows) as u32, rows as u32)
}

pub(crate) fn bind(
    device: &wgpu::Device,
    layout: &BindGroupLayout,
    heap: &Buffer,
    params: &Buffer,
) -> BindGroup {
    let window = BufferBinding { buffer: params, offset: 0, size: BufferSize::new(WINDOW) };
    device.create_bind_group(&BindGroupDescriptor {
        label: None,
        layout,
        entries: &[
            BindGroupEntry { binding: 0, resource: heap.as_entire_binding() },
            BindGroupEntry { binding: 1, resource: heap.as_entire_binding() },
            BindGroupEntry { binding: 2, resource: BindingResource::Buffer(window) },
        ],
    })
}

pub(crate) fn describe(adapter: &Adapter, limit: u64) -> Description {
    Description {
        name: adapter.name.clone(),
        sweeps: usize::MAX,
        stages: usize::MAX,
        combinators: 64,
        arguments: 64,
        values: 64,
        private: 16 << 10,
        types: adapter.types(),
        memory: Some(limit),
        regions_ahead: 64,
        waits_are_free: false,
    }
}
