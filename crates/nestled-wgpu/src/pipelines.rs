//! Compilation of WGSL, in any thread.

use crate::wait::wait;
use nestled_rt::device::DeviceError;
use wgpu::{
    ComputePipeline, ComputePipelineDescriptor, Device, ErrorFilter, PipelineLayout, ShaderModuleDescriptor,
    ShaderSource,
};

/// A module, compiled: a pipeline for each entry point.
#[derive(Debug)]
pub struct Pipelines(pub(crate) Vec<ComputePipeline>);

/// The compiler of an adapter.
#[derive(Clone, Debug)]
pub struct Compiler {
    device: Device,
    layout: PipelineLayout,
}

impl Compiler {
    pub(crate) fn new(device: &Device, layout: PipelineLayout) -> Compiler {
        Compiler { device: device.clone(), layout }
    }

    /// Compiles a text.
    pub(crate) fn pipelines(&self, text: &str, entries: &[&str]) -> Result<Pipelines, DeviceError> {
        // It is that of this thread.
        let scope = self.device.push_error_scope(ErrorFilter::Validation);
        let module = self.device.create_shader_module(ShaderModuleDescriptor {
            label: None,
            source: ShaderSource::Wgsl(text.into()),
        });
        let pipeline = |entry: &&str| {
            self.device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&self.layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: Default::default(),
                cache: None,
            })
        };
        let pipelines = entries.iter().map(pipeline).collect();
        match wait(scope.pop()) {
            Some(error) => Err(DeviceError::Bug(format!("WGSL that is not valid: {error}\n{text}"))),
            None => Ok(Pipelines(pipelines)),
        }
    }
}
