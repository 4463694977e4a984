//! What a device takes in one kernel, as passes need to know it.
//!
//! Whoever runs the passes fills it from what the device says about itself; `nestled pass --limit sweeps=1` lowers it.

use std::fmt;

/// The most that one kernel may have. `fuse` makes no kernel over it, and `split` cuts those that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Sweeps, as `docs/lcu.md` counts them.
    pub sweeps: usize,
    /// Stages, as `docs/lcu.md` counts them.
    pub stages: usize,
    /// Combinators.
    pub combinators: usize,
    /// Parameters and results together; shapes are not counted.
    pub arguments: usize,
    /// Values that combinators bind and later ones read, where most are held at once.
    pub values: usize,
    /// Bytes of private arrays of one point, over all combinators; arrays whose size is only known at launch are not counted.
    pub private: u64,
}

impl Limits {
    /// Whatever can be taken apart is.
    pub const LEAST: Limits =
        Limits { sweeps: 1, stages: 1, combinators: 1, arguments: 1, values: 0, private: 0 };

    /// Everything is taken.
    pub const NONE: Limits = Limits {
        sweeps: usize::MAX,
        stages: usize::MAX,
        combinators: usize::MAX,
        arguments: usize::MAX,
        values: usize::MAX,
        private: u64::MAX,
    };

    /// The names that [`set`](Self::set) knows.
    pub const NAMES: [&str; 6] = ["sweeps", "stages", "combinators", "arguments", "values", "private"];

    /// Sets a limit by the name of its field.
    ///
    /// # Errors
    /// Where there is no limit of that name.
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
    /// What a CPU takes: any number of sweeps and stages, and more of everything else than is wise.
    fn default() -> Limits {
        Limits { combinators: 256, arguments: 256, values: 256, private: 1 << 20, ..Limits::NONE }
    }
}

/// There is no limit of this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownLimit(pub String);

impl fmt::Display for UnknownLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no limit `{}`; there are: {}", self.0, Limits::NAMES.join(", "))
    }
}

impl std::error::Error for UnknownLimit {}
