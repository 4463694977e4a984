//! Made-up events: each follows from its number alone, and files of them are written piece by piece.

#![allow(
    missing_docs,
    non_snake_case,
    reason = "fields have the names of the public data, which say what they are"
)]

use nestled::Record;
use nestled::Result;
use nestled::nested::Nested;
use nestled::tables::Writer;
use std::f32::consts::PI;
use std::path::Path;

/// The missing transverse momentum.
#[derive(Clone, Debug, Record)]
pub struct Met {
    pub pt: f32,
    pub phi: f32,
}

/// A muon or an electron.
#[derive(Clone, Debug, Record)]
pub struct Lepton {
    pub pt: f32,
    pub eta: f32,
    pub phi: f32,
    pub mass: f32,
    pub charge: i32,
}

/// A jet.
#[derive(Clone, Debug, Record)]
pub struct Jet {
    pub pt: f32,
    pub eta: f32,
    pub phi: f32,
    pub mass: f32,
    pub btag: f32,
}

/// An event.
#[derive(Clone, Debug, Record)]
pub struct Event {
    pub run: i32,
    pub luminosityBlock: u32,
    pub event: u64,
    pub MET: Met,
    pub Muon: Vec<Lepton>,
    pub Electron: Vec<Lepton>,
    pub Jet: Vec<Jet>,
}

/// Of a hundred events, how many have 0, 1, 2 … muons, and electrons.
const MUONS: [u64; 5] = [8, 32, 40, 14, 6];
const ELECTRONS: [u64; 5] = [60, 25, 10, 4, 1];

/// The mean number of jets is 3.2; of three of them there are 30 combinations on average, for few events have many.
const ONE_MORE_JET: f32 = 3.2 / 4.2;
const MOST_JETS: usize = 24;

/// The event of a number.
pub fn event(number: u64) -> Event {
    let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5EED);
    let lepton = |random: &mut Random, mass| Lepton {
        pt: 3.0 + random.exponential(18.0),
        eta: random.between(-2.4, 2.4),
        phi: random.between(-PI, PI),
        mass,
        charge: if random.next() & 1 == 0 { 1 } else { -1 },
    };
    let muons = (0..random.count(&MUONS)).map(|_| lepton(&mut random, 0.105_658)).collect();
    let electrons = (0..random.count(&ELECTRONS)).map(|_| lepton(&mut random, 0.000_511)).collect();
    let mut n_jets = 0;
    while n_jets < MOST_JETS && random.unit() < ONE_MORE_JET {
        n_jets += 1;
    }
    Event {
        run: 194_050 + (number / 1_000_000) as i32,
        luminosityBlock: (number / 1000) as u32,
        event: number,
        MET: Met { pt: random.exponential(25.0), phi: random.between(-PI, PI) },
        Muon: muons,
        Electron: electrons,
        Jet: (0..n_jets).map(|_| jet(&mut random)).collect(),
    }
}

fn jet(random: &mut Random) -> Jet {
    Jet {
        pt: 15.0 + random.exponential(25.0),
        eta: random.between(-4.0, 4.0),
        phi: random.between(-PI, PI),
        mass: 2.0 + random.exponential(6.0),
        btag: random.unit(),
    }
}

/// The first events, as nested data.
pub fn events(numbers: std::ops::Range<u64>) -> Nested {
    Nested::from_rows(numbers.map(event))
}

/// Writes the first events to a Parquet file, so many to a row group.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, count: u64, group: u64) -> Result<()> {
    let mut writer = Writer::create(path)?;
    for begin in (0..count.max(1)).step_by(group.max(1) as usize) {
        writer.write(&events(begin..count.min(begin + group.max(1))))?;
    }
    writer.finish()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to, but not, 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    fn exponential(&mut self, mean: f32) -> f32 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// A count by its weights.
    fn count(&mut self, weights: &[u64]) -> usize {
        let mut rest = self.next() % weights.iter().sum::<u64>();
        weights
            .iter()
            .position(|&weight| {
                let here = rest < weight;
                rest = rest.saturating_sub(weight);
                here
            })
            .unwrap_or(0)
    }
}
