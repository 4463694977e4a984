//! The modes of floats, on drivers of Vulkan that let a shader choose: subnormal numbers are kept, as are infinities, NaNs and the signs of zeros, and results are rounded
//! to nearest.
//!
//! WGSL leaves that open, and NVIDIA's driver flushes subnormal `f32` to zero unless a shader asks it not to. SPIR-V can ask (`SPV_KHR_float_controls`), but wgpu
//! does not: `spirv.rs` does.
#![allow(unsafe_code)] // Asks Vulkan what a driver offers.

#[cfg(target_vendor = "apple")]
pub(crate) use metal::{Mode, keep_subnormals, offered, shaders};
#[cfg(not(target_vendor = "apple"))]
pub(crate) use vulkan::{Behaviour, Mode, keep_subnormals, offered};

/// Metal has no such modes.
#[cfg(target_vendor = "apple")]
mod metal {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Mode {}

    pub(crate) fn offered(_adapter: &wgpu::Adapter) -> Vec<Mode> {
        Vec::new()
    }

    pub(crate) fn keep_subnormals(_modes: &[Mode]) -> bool {
        false
    }

    pub(crate) fn shaders(
        _device: &wgpu::Device,
        _text: &str,
        _entries: &[&str],
        modes: &[Mode],
    ) -> Result<Vec<wgpu::ShaderModule>, String> {
        match modes[0] {}
    }
}

#[cfg(not(target_vendor = "apple"))]
mod vulkan {
    use ash::vk;

    /// Behaviour of float operations that a shader can request.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Behaviour {
        KeepSubnormals,
        /// Infinities, NaNs, and the signs of zeros.
        KeepSpecials,
        RoundToNearest,
    }

    /// A behaviour, requested for floats of one width in bits.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct Mode {
        pub behaviour: Behaviour,
        pub width: u32,
    }

    /// True if the modes keep subnormal numbers of `f32`.
    pub(crate) fn keep_subnormals(modes: &[Mode]) -> bool {
        modes.contains(&Mode { behaviour: Behaviour::KeepSubnormals, width: 32 })
    }

    /// Returns the modes that the driver of an adapter supports.
    pub(crate) fn offered(adapter: &wgpu::Adapter) -> Vec<Mode> {
        // SAFETY: nothing is destroyed, and nothing that belongs to wgpu is changed.
        let Some(adapter) = (unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }) else {
            return Vec::new();
        };
        let instance = adapter.shared_instance();
        if instance.instance_api_version() < vk::API_VERSION_1_3 {
            return Vec::new();
        }
        let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut floats);
        let device = adapter.raw_physical_device();
        // SAFETY: the device is one of this instance, and Vulkan 1.2 knows both structures.
        unsafe { instance.raw_instance().get_physical_device_properties2(device, &mut properties) };
        // The version of devices that have SPIR-V 1.6, and zeros in the memory of workgroups.
        if properties.properties.api_version < vk::API_VERSION_1_3 {
            return Vec::new();
        }
        modes(&floats)
    }

    fn modes(floats: &vk::PhysicalDeviceFloatControlsProperties<'_>) -> Vec<Mode> {
        use vk::ShaderFloatControlsIndependence as Independence;
        let subnormals = [
            floats.shader_denorm_preserve_float16,
            floats.shader_denorm_preserve_float32,
            floats.shader_denorm_preserve_float64,
        ];
        let specials = [
            floats.shader_signed_zero_inf_nan_preserve_float16,
            floats.shader_signed_zero_inf_nan_preserve_float32,
            floats.shader_signed_zero_inf_nan_preserve_float64,
        ];
        let rounding = [
            floats.shader_rounding_mode_rte_float16,
            floats.shader_rounding_mode_rte_float32,
            floats.shader_rounding_mode_rte_float64,
        ];
        let (denormals, roundings) = (floats.denorm_behavior_independence, floats.rounding_mode_independence);
        [
            (Behaviour::KeepSubnormals, subnormals, denormals),
            (Behaviour::KeepSpecials, specials, Independence::ALL),
            (Behaviour::RoundToNearest, rounding, roundings),
        ]
        .into_iter()
        .flat_map(|(behaviour, offered, independence)| {
            widths(offered, independence).map(move |width| Mode { behaviour, width })
        })
        .collect()
    }

    /// The widths that may be asked for: some devices have one setting for several of them.
    fn widths(
        offered: [vk::Bool32; 3],
        independence: vk::ShaderFloatControlsIndependence,
    ) -> impl Iterator<Item = u32> {
        use vk::ShaderFloatControlsIndependence as Independence;
        let together: &[&[usize]] = match independence {
            Independence::ALL => &[&[0], &[1], &[2]],
            Independence::TYPE_32_ONLY => &[&[1], &[0, 2]],
            _ => &[&[0, 1, 2]],
        };
        let all = move |widths: &&&[usize]| widths.iter().all(|&at| offered[at] == vk::TRUE);
        together.iter().filter(all).flat_map(|widths| widths.iter().map(|&at| [16, 32, 64][at]))
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use vk::ShaderFloatControlsIndependence as Independence;

        #[test]
        fn widths_with_one_setting_are_asked_for_together() {
            let found = |offered: [bool; 3], independence| -> Vec<u32> {
                widths(offered.map(vk::Bool32::from), independence).collect()
            };
            assert_eq!(found([true, true, true], Independence::NONE), [16, 32, 64]);
            assert_eq!(found([false, true, true], Independence::NONE), []);
            assert_eq!(found([true, true, false], Independence::TYPE_32_ONLY), [32]);
            assert_eq!(found([true, false, true], Independence::TYPE_32_ONLY), [16, 64]);
            assert_eq!(found([false, true, true], Independence::ALL), [32, 64]);
        }
    }
}
