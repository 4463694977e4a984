//! The names of devices.

use std::fmt;
use std::str::FromStr;

/// A device by name: `cpu`, `reference`, `cuda`, `cuda:1`, `wgpu`, `wgpu:1`, `auto`.
///
/// ```
/// # use nestled_devices::*;
/// assert_eq!("wgpu:1".parse(), Ok(DeviceChoice::Wgpu(Some(1))));
/// assert_eq!(DeviceChoice::Cuda(None).to_string(), "cuda");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeviceChoice {
    /// The cores of this machine.
    #[default]
    Cpu,
    /// The interpreter that defines the meaning of programs; slow.
    Reference,
    /// A card of NVIDIA's through CUDA: the first, or that with the number that `nestled devices` shows.
    Cuda(Option<usize>),
    /// A GPU through WebGPU: the first that is not software, or that with the number that `nestled devices` shows.
    Wgpu(Option<usize>),
    /// For each program the first of these that is present and has the program's types: CUDA, WebGPU other than software, the CPU.
    Auto,
}

/// A name that is none of a device.
///
/// ```
/// # use nestled_devices::*;
/// let error: BadChoice = "gpu".parse::<DeviceChoice>().unwrap_err();
/// assert!(error.to_string().starts_with("`gpu` is no device"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadChoice(String);

impl fmt::Display for BadChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no device; one of {} is wanted", self.0, DeviceChoice::NAMES)
    }
}

impl std::error::Error for BadChoice {}

impl DeviceChoice {
    /// All names, for people.
    pub const NAMES: &str = "cpu, cuda, cuda:N, wgpu, wgpu:N, auto, reference";

    /// The environment variable that names the default device.
    pub const VARIABLE: &str = "NESTLED_DEVICE";

    /// Reads the choice from the [variable](DeviceChoice::VARIABLE), or takes the CPU.
    ///
    /// # Errors
    /// If it says something else than the name of a device.
    pub fn of_environment() -> Result<DeviceChoice, BadChoice> {
        match std::env::var_os(DeviceChoice::VARIABLE) {
            Some(name) if !name.is_empty() => name.to_string_lossy().parse(),
            _ => Ok(DeviceChoice::default()),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = BadChoice;

    fn from_str(text: &str) -> Result<DeviceChoice, BadChoice> {
        let bad = || BadChoice(text.to_owned());
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number.parse::<usize>().map_err(|_| bad())?)),
            None => (text, None),
        };
        match (name, number) {
            ("cpu", None) => Ok(DeviceChoice::Cpu),
            ("reference", None) => Ok(DeviceChoice::Reference),
            ("auto", None) => Ok(DeviceChoice::Auto),
            ("wgpu", number) => Ok(DeviceChoice::Wgpu(number)),
            ("cuda", number) => Ok(DeviceChoice::Cuda(number)),
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, number) = match self {
            DeviceChoice::Cpu => ("cpu", None),
            DeviceChoice::Reference => ("reference", None),
            DeviceChoice::Auto => ("auto", None),
            DeviceChoice::Wgpu(number) => ("wgpu", *number),
            DeviceChoice::Cuda(number) => ("cuda", *number),
        };
        f.write_str(name)?;
        number.map_or(Ok(()), |number| write!(f, ":{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for text in ["cpu", "reference", "auto", "wgpu", "wgpu:2", "cuda", "cuda:0"] {
            assert_eq!(text.parse::<DeviceChoice>().map(|choice| choice.to_string()), Ok(text.to_owned()));
        }
        for text in ["cpu:1", "wgpu:x", "gpu", "cuda:-1", "core", ""] {
            let error = text.parse::<DeviceChoice>().expect_err("it is no device");
            assert!(error.to_string().starts_with(&format!("`{text}` is no device")), "{error}");
        }
    }
}
