//! WGSL as SPIR-V that asks for modes of floats. It is made by the naga of wgpu, as wgpu does it, and what asks is put in.
#![allow(unsafe_code)] // wgpu takes SPIR-V as it is.

use crate::float_modes::{Behaviour, Mode};
use wgpu::naga::back::spv;
use wgpu::naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use wgpu::naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use wgpu::naga::{Module, ShaderStage, front};
use wgpu::{Device, PassthroughShaderEntryPoint, ShaderModule, ShaderModuleDescriptorPassthrough};

impl Behaviour {
    /// The numbers of SPIR-V's capability and execution mode: `DenormPreserve`, `SignedZeroInfNanPreserve`, `RoundingModeRTE`.
    fn codes(self) -> (u32, u32) {
        match self {
            Behaviour::KeepSubnormals => (4464, 4459),
            Behaviour::KeepSpecials => (4466, 4461),
            Behaviour::RoundToNearest => (4467, 4462),
        }
    }
}

/// Makes the shader of each entry of a text.
pub(crate) fn shaders(
    device: &Device,
    text: &str,
    entries: &[&str],
    modes: &[Mode],
) -> Result<Vec<ShaderModule>, String> {
    let checked = Checked::new(text)?;
    entries.iter().map(|entry| checked.shader(device, entry, modes)).collect()
}

/// WGSL that naga accepts.
struct Checked {
    module: Module,
    info: ModuleInfo,
}

impl Checked {
    /// Checks a text.
    fn new(text: &str) -> Result<Checked, String> {
        let module = front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
        let capabilities = Capabilities::SHADER_INT64 | Capabilities::FLOAT64;
        let info = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
        let info = info.map_err(|error| error.emit_to_string(text))?;
        Ok(Checked { module, info })
    }

    /// Makes a shader of an entry.
    fn shader(&self, device: &Device, entry: &str, modes: &[Mode]) -> Result<ShaderModule, String> {
        let words = self.words(entry, modes)?;
        let descriptor = ShaderModuleDescriptorPassthrough {
            // On Vulkan only the name matters.
            entry_points: vec![PassthroughShaderEntryPoint { name: entry.into(), workgroup_size: (1, 1, 1) }]
                .into(),
            spirv: Some(words.into()),
            ..Default::default()
        };
        // SAFETY: naga has checked the shader, and wrote it for Vulkan 1.3; the driver offers the modes. Indices into arrays of a shader are kept inside; an access beyond
        // a buffer stays in its memory, because wgpu opens devices with `robustBufferAccess`.
        Ok(unsafe { device.create_shader_module_passthrough(descriptor) })
    }

    /// The SPIR-V of an entry.
    fn words(&self, entry: &str, modes: &[Mode]) -> Result<Vec<u32>, String> {
        let options = spv::Options {
            lang_version: (1, 6),
            flags: spv::WriterFlags::empty(),
            // Without a map, bindings keep their numbers: wgpu numbers those of a layout in order, and ours are 0, 1 and 2.
            fake_missing_bindings: true,
            bounds_check_policies: BoundsCheckPolicies {
                index: BoundsCheckPolicy::Restrict,
                buffer: BoundsCheckPolicy::Unchecked,
                ..BoundsCheckPolicies::default()
            },
            // Every device of Vulkan 1.3 can do it.
            zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Native,
            ..spv::Options::default()
        };
        let entry =
            spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry.to_owned() };
        let words = spv::write_vec(&self.module, &self.info, &options, Some(&entry));
        Ok(with_modes(&words.map_err(|error| error.to_string())?, modes))
    }
}

/// Words of SPIR-V before the first instruction.
const HEADER: usize = 5;
const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_CAPABILITY: u32 = 17;
const FLOAT16: u32 = 9;
const FLOAT64: u32 = 10;

/// Has the entry point of a module ask for modes, as far as the module has floats of these widths.
fn with_modes(words: &[u32], modes: &[Mode]) -> Vec<u32> {
    let capabilities: Vec<u32> =
        instructions(words).filter(|all| all[0] & 0xffff == OP_CAPABILITY).map(|all| all[1]).collect();
    let has = |width: u32| match width {
        16 => capabilities.contains(&FLOAT16),
        64 => capabilities.contains(&FLOAT64),
        _ => true,
    };
    let modes: Vec<Mode> = modes.iter().copied().filter(|mode| has(mode.width)).collect();
    let mut result = words[..HEADER].to_vec();
    let mut asked = Vec::new();
    for mode in &modes {
        let (capability, _) = mode.behaviour.codes();
        if !asked.contains(&capability) {
            asked.push(capability);
            result.extend([2 << 16 | OP_CAPABILITY, capability]);
        }
    }
    for instruction in instructions(words) {
        result.extend(instruction);
        if instruction[0] & 0xffff == OP_ENTRY_POINT {
            for mode in &modes {
                let (_, code) = mode.behaviour.codes();
                result.extend([4 << 16 | OP_EXECUTION_MODE, instruction[2], code, mode.width]);
            }
        }
    }
    result
}

/// The instructions of a module, each with its words: the first has their number, and what it is.
fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = &words[HEADER..];
    std::iter::from_fn(move || {
        let length = (*rest.first()? >> 16) as usize;
        let (instruction, after) = rest.split_at(length);
        rest = after;
        Some(instruction)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry point with its size of a workgroup, after capabilities and a model of memory.
    const MODULE: [u32; 23] = [
        0x0723_0203,
        0x0001_0600,
        0,
        9,
        0,
        2 << 16 | OP_CAPABILITY,
        1,
        3 << 16 | 14,
        0,
        1,
        5 << 16 | OP_ENTRY_POINT,
        5,
        7,
        0x61,
        0,
        6 << 16 | OP_EXECUTION_MODE,
        7,
        17,
        64,
        1,
        1,
        2 << 16 | 19,
        8,
    ];

    #[test]
    fn entries_ask_for_modes_of_the_floats_that_they_have() {
        let mode = |behaviour, width| Mode { behaviour, width };
        let modes = [
            mode(Behaviour::KeepSubnormals, 32),
            mode(Behaviour::KeepSubnormals, 64),
            mode(Behaviour::RoundToNearest, 64),
        ];
        let asks = |width, code| [4 << 16 | OP_EXECUTION_MODE, 7, code, width];
        let expected =
            [&MODULE[..5], &[2 << 16 | OP_CAPABILITY, 4464], &MODULE[5..15], &asks(32, 4459), &MODULE[15..]];
        assert_eq!(with_modes(&MODULE, &modes), expected.concat());

        let mut doubles = MODULE.to_vec();
        doubles.splice(5..5, [2 << 16 | OP_CAPABILITY, FLOAT64]);
        let expected = [
            &MODULE[..5],
            &[2 << 16 | OP_CAPABILITY, 4464, 2 << 16 | OP_CAPABILITY, 4467],
            &doubles[5..17],
            &asks(32, 4459),
            &asks(64, 4459),
            &asks(64, 4462),
            &doubles[17..],
        ];
        assert_eq!(with_modes(&doubles, &modes), expected.concat());
    }
}
