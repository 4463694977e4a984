//! Compilation of WGSL, in any thread: by wgpu, or to SPIR-V that asks for modes of floats.

use crate::float_modes::Mode;
#[cfg(target_vendor = "apple")]
use crate::float_modes::shaders;
#[cfg(not(target_vendor = "apple"))]
use crate::spirv::shaders;
use crate::wait::wait;
use nestled_rt::device::DeviceError;
use wgpu::{
    ComputePipeline, ComputePipelineDescriptor, Device, ErrorFilter, PipelineLayout, ShaderModule,
    ShaderModuleDescriptor, ShaderSource,
};

/// A module, compiled: a pipeline for each entry point.
#[derive(Debug)]
pub struct Pipelines(pub(crate) Vec<ComputePipeline>);

/// The compiler of an adapter.
#[derive(Clone, Debug)]
pub struct Compiler {
    device: Device,
    layout: PipelineLayout,
    /// What shaders ask for, if it is offered.
    modes: Vec<Mode>,
}

impl Compiler {
    pub(crate) fn new(device: &Device, layout: PipelineLayout, modes: Vec<Mode>) -> Compiler {
        Compiler { device: device.clone(), layout, modes }
    }

    /// Compiles a text.
    pub(crate) fn pipelines(&self, text: &str, entries: &[&str]) -> Result<Pipelines, DeviceError> {
        // It is that of this thread.
        let scope = self.device.push_error_scope(ErrorFilter::Validation);
        let shaders = self.shaders(text, entries);
        let pipeline = |(entry, module): (&&str, &ShaderModule)| {
            self.device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&self.layout),
                module,
                entry_point: Some(entry),
                compilation_options: Default::default(),
                cache: None,
            })
        };
        let pipelines = shaders.map(|shaders| entries.iter().zip(&shaders).map(pipeline).collect());
        let error = wait(scope.pop()).map(|error| error.to_string());
        match (pipelines, error) {
            (Ok(pipelines), None) => Ok(Pipelines(pipelines)),
            (Err(error), _) | (_, Some(error)) => {
                Err(DeviceError::Bug(format!("WGSL that is not valid: {error}\n{text}")))
            }
        }
    }

    /// The shader of each entry.
    fn shaders(&self, text: &str, entries: &[&str]) -> Result<Vec<ShaderModule>, String> {
        if !self.modes.is_empty() {
            return shaders(&self.device, text, entries, &self.modes);
        }
        let source = ShaderSource::Wgsl(text.into());
        let shader = self.device.create_shader_module(ShaderModuleDescriptor { label: None, source });
        Ok(vec![shader; entries.len()])
    }
}
