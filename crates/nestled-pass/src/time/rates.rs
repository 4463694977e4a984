//! Rates of a device: how long each class of work takes, in nanoseconds. Measured by `nestled calibrate`, or defaults for the kind of device.

use super::features::{Features, Scattered, Work};
use std::fmt;

/// Number of samples of a curve.
pub const SAMPLES: usize = 4;

/// Times that depend on the size of what is accessed: samples by bytes, smallest first; between them logarithms are interpolated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Curve(pub [(f64, f64); SAMPLES]);

impl Curve {
    /// Everything takes no time.
    pub const NONE: Curve = Curve([(0.0, 0.0); SAMPLES]);

    /// Returns the time for a size.
    pub fn at(&self, bytes: f64) -> f64 {
        let above = self.0.partition_point(|&(size, _)| size <= bytes);
        match (above.checked_sub(1).map(|below| self.0[below]), self.0.get(above)) {
            (Some((low, a)), Some(&(high, b))) if a > 0.0 => {
                let part = (bytes / low).ln() / (high / low).ln();
                a * (b / a).powf(part)
            }
            (_, Some(&(_, time))) | (Some((_, time)), None) => time,
            (None, None) => 0.0,
        }
    }
}

/// The rates of a device, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// A launch.
    pub launch: f64,
    /// A unit of each class of work.
    pub work: [f64; Work::COUNT],
    /// A byte in order, by the bytes that a launch moves.
    pub stream: Curve,
    /// A read at any place, by the bytes of the array.
    pub gather: Curve,
    /// A write at any place.
    pub scatter: Curve,
    /// A write at any place that combines.
    pub combine: Curve,
    /// A write that combines 64 bits, in writes that combine 32: graphics cards have no tables of 64 bits in shared memory.
    pub wide_combine: f64,
    /// The part of the lesser of memory and work that the greater does not hide.
    pub overlap: f64,
}

impl Rates {
    /// A large card with CUDA, as measured on an H200: while the host makes one launch, the card moves twenty megabytes.
    pub const CUDA: Rates = Rates {
        launch: 6_600.0,
        work: [
            0.000_16, 0.000_24, 0.001, 0.002_2, 0.000_36, 0.000_1, 0.004_8, 0.000_7, 0.003_7, 0.001_7, 0.02,
            30.0, 0.0, 0.0,
        ],
        stream: Curve([
            (196_608.0, 0.000_5),
            (3_145_728.0, 0.000_3),
            (50_331_648.0, 0.000_3),
            (805_306_368.0, 0.000_3),
        ]),
        gather: Curve([
            (262_144.0, 0.002),
            (4_194_304.0, 0.002_4),
            (67_108_864.0, 0.011),
            (268_435_456.0, 0.011_5),
        ]),
        scatter: Curve([
            (262_144.0, 0.002),
            (4_194_304.0, 0.003),
            (67_108_864.0, 0.011),
            (268_435_456.0, 0.012),
        ]),
        combine: Curve([
            (262_144.0, 0.012),
            (4_194_304.0, 0.015),
            (67_108_864.0, 0.025),
            (268_435_456.0, 0.03),
        ]),
        wide_combine: 16.0,
        overlap: 0.1,
    };

    /// Any other graphics card: memory is fast, and a launch takes as long as moving some megabytes.
    pub const GPU: Rates = Rates {
        launch: 4_000.0,
        work: [
            0.0002, 0.0008, 0.001, 0.004, 0.0002, 0.0004, 0.004, 0.0005, 0.004, 0.002, 0.01, 30.0, 0.0, 0.0,
        ],
        stream: Curve([
            (65_536.0, 0.002),
            (1_048_576.0, 0.001),
            (16_777_216.0, 0.001),
            (67_108_864.0, 0.001),
        ]),
        gather: Curve([(16_384.0, 0.002), (262_144.0, 0.003), (4_194_304.0, 0.005), (67_108_864.0, 0.01)]),
        scatter: Curve([(16_384.0, 0.004), (262_144.0, 0.006), (4_194_304.0, 0.01), (67_108_864.0, 0.02)]),
        combine: Curve([(16_384.0, 0.02), (262_144.0, 0.02), (4_194_304.0, 0.03), (67_108_864.0, 0.05)]),
        wide_combine: 16.0,
        overlap: 0.1,
    };

    /// No rates: everything takes no time.
    pub const NONE: Rates = Rates {
        launch: 0.0,
        work: [0.0; Work::COUNT],
        stream: Curve::NONE,
        gather: Curve::NONE,
        scatter: Curve::NONE,
        combine: Curve::NONE,
        wide_combine: 0.0,
        overlap: 0.0,
    };

    /// Predicts the time of a launch, in nanoseconds.
    pub fn time(&self, features: &Features) -> f64 {
        let memory = features.streamed * self.stream.at(features.streamed);
        let work = self.work(features);
        let each = |accesses: &[Scattered], curve: &Curve| -> f64 {
            accesses.iter().map(|one| one.count * curve.at(one.bytes)).sum()
        };
        self.launch
            + memory.max(work)
            + self.overlap * memory.min(work)
            + each(&features.gathers, &self.gather)
            + each(&features.scatters, &self.scatter)
            + each(&features.combines, &self.combine)
            + each(&features.wide_combines, &self.combine) * self.wide_combine
    }

    /// The time of a byte of the largest sizes, the unit in which plans are compared.
    pub fn byte(&self) -> f64 {
        self.stream.0[SAMPLES - 1].1.max(f64::MIN_POSITIVE)
    }

    /// A launch, in bytes.
    pub fn launch_bytes(&self) -> f64 {
        self.launch / self.byte()
    }

    /// The time of all work in order, without memory and without accesses in no order.
    pub fn work(&self, features: &Features) -> f64 {
        features.work.iter().zip(self.work).map(|(amount, rate)| amount * rate).sum()
    }

    /// Reads rates from text; what is not named keeps its value.
    ///
    /// # Errors
    /// A message that names the line.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        let mut read = [0; CURVES.len()];
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                self.read_line(line, &mut read)
                    .ok_or_else(|| format!("line {}: `{line}` is no rate", at + 1))?;
            }
        }
        Ok(())
    }

    /// Reads a line; `read` counts the samples of each curve so far.
    fn read_line(&mut self, line: &str, read: &mut [usize; CURVES.len()]) -> Option<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: &str| word.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        match words.as_slice() {
            ["launch", value] => self.launch = number(value)?,
            ["overlap", value] => self.overlap = number(value)?,
            ["wide-combine", value] => self.wide_combine = number(value)?,
            [name, size, value] => {
                let at = CURVES.iter().position(|curve| curve == name)?;
                let (before, sample) = self.curves_mut()[at].0.split_at_mut(read[at]);
                let size = number(size).filter(|size| before.last().is_none_or(|last| last.0 < *size))?;
                *sample.first_mut()? = (size, number(value).filter(|value| *value > 0.0)?);
                read[at] += 1;
            }
            [class, value] => {
                let (class, _) = Work::ALL.into_iter().find(|(_, name)| name == class)?;
                self.work[class as usize] = number(value)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn curves_mut(&mut self) -> [&mut Curve; CURVES.len()] {
        [&mut self.stream, &mut self.gather, &mut self.scatter, &mut self.combine]
    }
}

/// The names of the curves in files.
const CURVES: [&str; 4] = ["stream", "gather", "scatter", "combine"];

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "launch {:.4}", self.launch)?;
        for (class, name) in Work::ALL {
            writeln!(f, "{name} {:.6}", self.work[class as usize])?;
        }
        let curves = [&self.stream, &self.gather, &self.scatter, &self.combine];
        for (curve, name) in curves.into_iter().zip(CURVES) {
            for (bytes, time) in &curve.0 {
                writeln!(f, "{name} {bytes:.0} {time:.6}")?;
            }
        }
        writeln!(f, "wide-combine {:.4}", self.wide_combine)?;
        writeln!(f, "overlap {:.4}", self.overlap)
    }
}

impl Default for Rates {
    /// A processor with vectors of 256 bits, one thread.
    fn default() -> Rates {
        let curve = |sizes: [f64; SAMPLES], times: [f64; SAMPLES]| {
            Curve(std::array::from_fn(|at| (sizes[at], times[at])))
        };
        let tables = [16_384.0, 262_144.0, 4_194_304.0, 16_777_216.0];
        Rates {
            launch: 1_638.4,
            work: [0.019, 0.12, 0.15, 0.34, 0.02, 0.015, 0.3, 0.03, 3.0, 2.0, 9.0, 1.0, 30.0, 140.0],
            stream: curve([12_288.0, 196_608.0, 3_145_728.0, 50_331_648.0], [0.013, 0.015, 0.017, 0.05]),
            gather: curve(tables, [0.4, 0.5, 1.2, 9.0]),
            scatter: curve(tables, [0.5, 0.5, 1.0, 6.0]),
            combine: curve(tables, [0.4, 0.4, 1.3, 8.0]),
            wide_combine: 1.3,
            overlap: 0.5,
        }
    }
}
