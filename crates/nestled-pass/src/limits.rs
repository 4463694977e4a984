//! Resource limits of a device for one kernel, as passes need to know them.
//!
//! The caller of the passes fills them in from the device's description; `nestled pass --limit sweeps=1` lowers one.

use std::fmt;

/// Greatest resources of one kernel. `fuse` makes no kernel over them, and `split` cuts those that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Number of sweeps, as `docs/lcu.md` counts them.
    pub sweeps: usize,
    /// Number of stages, as `docs/lcu.md` counts them.
    pub stages: usize,
    /// Number of combinators.
    pub combinators: usize,
    /// Number of parameters and results together; shapes are not counted.
    pub arguments: usize,
    /// Greatest number of values live at once between combinators.
    pub values: usize,
    /// Bytes of private arrays of one point, over all combinators; arrays whose size is only known at launch are not counted.
    pub private: u64,
}

impl Limits {
    /// The least limits: `split` cuts kernels as small as it can.
    pub const LEAST: Limits =
        Limits { sweeps: 1, stages: 1, combinators: 1, arguments: 1, values: 0, private: 0 };

    /// No limits.
    pub const NONE: Limits = Limits {
        sweeps: usize::MAX,
        stages: usize::MAX,
        combinators: usize::MAX,
        arguments: usize::MAX,
        values: usize::MAX,
        private: u64::MAX,
    };

    /// The names that [`set`](Self::set) accepts.
    pub const NAMES: [&str; 6] = ["sweeps", "stages", "combinators", "arguments", "values", "private"];

    /// Sets a limit by the name of its field.
    ///
    /// # Errors
    /// An error if there is no limit of that name.
    pub fn set(&mut self, name: &str, limit: u64) -> Result<(), UnknownLimit> {
        let count = usize::try_from(limit).unwrap_or(usize::MAX);
        match name {
            "sweeps" => self.sweeps = count,
            "stages" => self.stages = count,
            "combinators" => self.combinators = count,
            "arguments" => self.arguments = count,
            "values" => self.values = count,
            "private" => self.private = limit,
            _ => return Err(UnknownLimit(name.to_owned())),
        }
        Ok(())
    }
}

impl Default for Limits {
    /// The limits of a CPU: any number of sweeps and stages, and more of everything else than is useful.
    fn default() -> Limits {
        Limits { combinators: 256, arguments: 256, values: 256, private: 1 << 20, ..Limits::NONE }
    }
}

/// The error of an unknown name of a limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownLimit(pub String);

impl fmt::Display for UnknownLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no limit `{}`; there are: {}", self.0, Limits::NAMES.join(", "))
    }
}

impl std::error::Error for UnknownLimit {}
