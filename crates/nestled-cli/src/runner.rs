//! Parsing of options about running: a device by its name, `core`, and the number of threads.

use nestled_devices::DeviceChoice;
use nestled_pool::MAX_THREADS;

/// The runner of a program: a device, or for NESL the interpreter of nested programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runner {
    /// A device.
    On(DeviceChoice),
    /// For NESL only: the interpreter of nested programs, which judges flattening.
    Core,
}

/// Reads the name of a device, or `core`.
pub fn parse_runner(text: &str) -> Result<Runner, String> {
    match (text, text.parse()) {
        ("core", _) => Ok(Runner::Core),
        (_, Ok(device)) => Ok(Runner::On(device)),
        // Whoever prints this has printed the text.
        (_, Err(_)) => Err(format!("{}, or core (NESL only) is wanted", DeviceChoice::NAMES)),
    }
}

/// Parses a number of threads, up to the pool's limit.
pub fn parse_threads(text: &str) -> Result<u16, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_THREADS).contains(&usize::from(*count)));
    count.ok_or_else(|| format!("a number from 1 to {MAX_THREADS} is wanted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners() {
        assert_eq!(parse_runner("wgpu:2"), Ok(Runner::On(DeviceChoice::Wgpu(Some(2)))));
        assert_eq!(parse_runner("core"), Ok(Runner::Core));
        assert!(parse_runner("gpu").is_err());
    }

    #[test]
    fn threads() {
        assert_eq!(parse_threads("1024"), Ok(1024));
        assert!(["0", "1025", "-1", "two", ""].iter().all(|text| parse_threads(text).is_err()));
    }
}
