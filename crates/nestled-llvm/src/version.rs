//! Versions of LLVM.

use std::fmt;
use std::path::Path;

/// The oldest major version that will do: the first whose only pointer type is `ptr`.
pub const OLDEST: u32 = 15;

/// The version of an LLVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Changes twice a year.
    pub major: u32,
    /// Mostly 1.
    pub minor: u32,
    /// Counts repairs.
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The version a library carries in its name, as in `libLLVM-15.so.1`, `libLLVM.so.19.1` and `libLLVM-14.0.6.so`.
pub(super) fn version_in_name(path: &Path) -> Option<Version> {
    let name = path.file_name()?.to_str()?.strip_prefix("libLLVM")?;
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut numbers = digits.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse().ok());
    let major = numbers.next()?;
    Some(Version { major, minor: numbers.next().unwrap_or(0), patch: numbers.next().unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_distributions() {
        let version = |name: &str| version_in_name(Path::new(name)).map(|version| version.to_string());
        assert_eq!(version("/usr/lib/libLLVM-15.so.1").as_deref(), Some("15.0.0"));
        assert_eq!(version("libLLVM-14.0.6.so.1").as_deref(), Some("14.0.6"));
        assert_eq!(version("libLLVM.so.19.1").as_deref(), Some("19.1.0"));
        assert_eq!(version("libLLVM.so.22.1-rust-1.95.0-stable").as_deref(), Some("22.1.0"));
        assert_eq!(version("libLLVM.so"), None);
        assert_eq!(version("libc.so.6"), None);
    }
}
