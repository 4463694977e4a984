//! Probes: small programs that each take mostly one of the rates of a device.

use nestled_pass::time::Work;

/// The programs, as functions of λcu.
pub const TEXT: &str = include_str!("probes.lcu");

/// Rate that the time of a probe determines.
#[derive(Clone, Copy, Debug)]
pub enum Tells {
    Launch,
    /// Time of the host for each run, which is no part of a launch.
    Host,
    Overlap,
    Work(Work),
    Stream,
    Gather,
    Scatter,
    Combine,
    WideCombine,
}

/// A call of a function with the extents `n` and `m`; its arguments are random.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub tells: Tells,
    pub function: &'static str,
    pub n: u64,
    pub m: u64,
}

impl Probe {
    /// True if its time is that of kernels of the device: of `serial` kernels and of launches it is the host's.
    pub fn is_of_kernels(&self) -> bool {
        !matches!(self.tells, Tells::Launch | Tells::Work(Work::Serial)) && !self.is_of_launches()
    }

    /// True if it launches its kernel [`LAUNCHES`] times, so that the host's time for a run hardly counts.
    pub fn is_of_launches(&self) -> bool {
        matches!(self.tells, Tells::Launch | Tells::Work(Work::Argument | Work::Combinator))
    }
}

const KIB: u64 = 1024;
/// Elements that lie in the nearest cache.
const NEAR: u64 = 4 * KIB;

/// The probes of work.
const WORK: [(Work, &str, u64, u64); Work::COUNT] = [
    (Work::Plain, "plain", NEAR, 1),
    (Work::Long, "long", NEAR, 1000),
    (Work::Divide, "divide", NEAR, 1),
    (Work::DivideInteger, "divide_integer", NEAR, 1000),
    (Work::Load, "load", NEAR, 1),
    (Work::Round, "rounds", NEAR, 1),
    (Work::Scan, "scanned", 16 * NEAR, 1),
    (Work::Reduce, "reduce_all", 16 * NEAR, 1),
    (Work::Pack, "pack", 16 * NEAR, 1),
    (Work::Reduced, "reduced", NEAR, 1),
    (Work::Segment, "short_segments", NEAR, 24),
    (Work::Serial, "one_by_one", 16 * NEAR, 1000),
    (Work::Argument, "arguments", 16, 1),
    (Work::Combinator, "combinators", 16, 1),
];

/// Launches of the probes of launches.
pub const LAUNCHES: f64 = 8.0;

/// All probes, in an order in which each needs only rates that are known; those of kernels are `scale` times as large.
pub fn probes(scale: u64) -> Vec<Probe> {
    let streams = [KIB, 16 * KIB, 256 * KIB, 4 * KIB * KIB];
    let tables = [NEAR, 64 * KIB, KIB * KIB, 4 * KIB * KIB];
    let mut all = vec![Probe { tells: Tells::Launch, function: "launches", n: 16, m: 1 }];
    all.push(Probe { tells: Tells::Host, function: "stream", n: 16, m: 1 });
    all.extend(streams.map(|n| Probe { tells: Tells::Stream, function: "stream", n, m: 1 }));
    all.extend(WORK.map(|(class, function, n, m)| Probe { tells: Tells::Work(class), function, n, m }));
    all.push(Probe { tells: Tells::Overlap, function: "plain", n: 4 * KIB * KIB, m: 1 });
    let accesses = [(Tells::Gather, "gather"), (Tells::Scatter, "scatter"), (Tells::Combine, "combine")];
    for (tells, function) in accesses {
        all.extend(tables.map(|m| Probe { tells, function, n: KIB * KIB, m }));
    }
    all.push(Probe { tells: Tells::WideCombine, function: "combine_wide", n: KIB * KIB, m: tables[0] });
    for probe in all.iter_mut().filter(|probe| probe.is_of_kernels()) {
        match probe.tells {
            // From what fits into the caches of a multiprocessor up to what fits nowhere.
            Tells::Stream | Tells::Overlap => probe.n *= scale,
            Tells::Gather | Tells::Combine | Tells::WideCombine => {
                probe.n *= scale;
                probe.m *= scale;
            }
            Tells::Scatter => probe.m *= scale,
            // In the nearest cache of a processor; a card needs as many points as keep all of it busy.
            Tells::Launch | Tells::Host | Tells::Work(_) => {
                probe.n *= if scale > 1 { 64 * scale } else { 1 };
            }
        }
    }
    all
}
