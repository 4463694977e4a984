//! The queries: each makes histograms of events, lazily, so that those who ask compute all of it together.

use crate::physics::{mass_of_pair, momentum, squared_distance, transverse_mass};
use nestled::nested::{Nested, concatenate, nested_cartesian};
use nestled::tables::Scan;
use nestled::{Array, Engine, Result};

/// The number of bins of each histogram.
pub const BINS: usize = 100;

/// A query.
pub struct Query {
    /// Its name.
    pub name: &'static str,
    /// What it asks.
    pub title: &'static str,
    /// The columns that it needs; others are not read.
    pub columns: &'static [&'static str],
    /// The histograms of events.
    pub histograms: fn(&Nested) -> Result<Vec<Nested>>,
}

/// The counts of the bins of each histogram.
pub type Counts = Vec<Vec<i64>>;

impl Query {
    /// The counts for some events.
    ///
    /// # Errors
    /// The events lack a field; and errors of evaluation.
    pub fn counts(&self, events: &Nested) -> Result<Counts> {
        let made = (self.histograms)(events)?;
        let arrays = made.iter().map(Array::<i64>::try_from).collect::<Result<Vec<_>>>()?;
        Engine::current().eval(&arrays.iter().map(|array| array as _).collect::<Vec<_>>())?;
        arrays.iter().map(Array::to_vec).collect()
    }

    /// The counts for all events of a file, a row group at a time.
    ///
    /// # Errors
    /// Those of the file, and of [`counts`](Query::counts).
    pub fn streamed(&self, file: Scan) -> Result<Counts> {
        file.columns(self.columns.iter().copied())
            .rows(PIECE)
            .map(|events| self.counts(&events))
            .reduce(Vec::new(), |all, part| if all.is_empty() { part } else { added(all, &part) })
    }
}

/// The most events of a piece. Pieces of a row group are computed with while they are in the caches, and take less memory than a whole one.
const PIECE: usize = 25_000;

fn added(mut all: Counts, part: &Counts) -> Counts {
    let pairs = all.iter_mut().flatten().zip(part.iter().flatten());
    pairs.for_each(|(sum, count)| *sum += count);
    all
}

/// Those of a name, or all.
pub fn named(name: Option<&str>) -> impl Iterator<Item = &'static Query> {
    QUERIES.iter().filter(move |query| name.is_none_or(|name| query.name.eq_ignore_ascii_case(name)))
}

/// All queries.
pub const QUERIES: [Query; 9] = [
    Query {
        name: "dimuon",
        title: "mass of the two muons of opposite charge, of events with two muons",
        columns: &["Muon.pt", "Muon.eta", "Muon.phi", "Muon.charge"],
        histograms: dimuon,
    },
    Query {
        name: "Q1",
        title: "missing transverse momentum",
        columns: &["MET.pt"],
        histograms: |events| one(&events.field("MET")?.field("pt")?, 0.0, 200.0),
    },
    Query {
        name: "Q2",
        title: "momentum of all jets",
        columns: &["Jet.pt"],
        histograms: |events| one(&events.field("Jet")?.field("pt")?.flatten(1)?, 15.0, 60.0),
    },
    Query {
        name: "Q3",
        title: "momentum of central jets",
        columns: &["Jet.pt", "Jet.eta"],
        histograms: central_jets,
    },
    Query {
        name: "Q4",
        title: "missing momentum of events with two hard jets",
        columns: &["MET.pt", "Jet.pt"],
        histograms: two_hard_jets,
    },
    Query {
        name: "Q5",
        title: "missing momentum of events with a pair of muons near the Z",
        columns: &["MET.pt", "Muon.pt", "Muon.eta", "Muon.phi", "Muon.charge"],
        histograms: muons_near_z,
    },
    Query {
        name: "Q6",
        title: "the three jets whose mass is nearest that of the top quark",
        columns: &["Jet.pt", "Jet.eta", "Jet.phi", "Jet.mass", "Jet.btag"],
        histograms: three_jets,
    },
    Query {
        name: "Q7",
        title: "sum of the momenta of hard jets that are no leptons",
        columns: &[
            "Jet.pt",
            "Jet.eta",
            "Jet.phi",
            "Muon.pt",
            "Muon.eta",
            "Muon.phi",
            "Electron.pt",
            "Electron.eta",
            "Electron.phi",
        ],
        histograms: jets_apart,
    },
    Query {
        name: "Q8",
        title: "transverse mass of what is missing and the lepton beside a Z",
        columns: &[
            "MET.pt",
            "MET.phi",
            "Muon.pt",
            "Muon.eta",
            "Muon.phi",
            "Muon.charge",
            "Electron.pt",
            "Electron.eta",
            "Electron.phi",
            "Electron.charge",
        ],
        histograms: lepton_beside_z,
    },
];

fn one(numbers: &Nested, low: f64, high: f64) -> Result<Vec<Nested>> {
    Ok(vec![numbers.histogram(BINS, low, high, 0)?])
}

fn dimuon(events: &Nested) -> Result<Vec<Nested>> {
    let muons = events.field("Muon")?;
    // Missing where there is none; and so is what is computed of them.
    let (first, second) = (muons.get(0, 1)?, muons.get(1, 1)?);
    let opposite = first.field("charge")?.ne(&second.field("charge")?)?;
    let wanted = muons.num(1)?.eq(2)? & opposite;
    one(&mass_of_pair(&first, &second)?.mask(&wanted)?, 0.0, 150.0)
}

fn central_jets(events: &Nested) -> Result<Vec<Nested>> {
    let jets = events.field("Jet")?;
    let central = jets.field("eta")?.abs()?.lt(1.0)?;
    one(&jets.field("pt")?.mask(&central)?.flatten(1)?, 15.0, 60.0)
}

fn two_hard_jets(events: &Nested) -> Result<Vec<Nested>> {
    let hard = events.field("Jet")?.field("pt")?.gt(40.0)?.count_nonzero(1)?;
    one(&events.field("MET")?.field("pt")?.mask(&hard.ge(2)?)?, 0.0, 200.0)
}

fn muons_near_z(events: &Nested) -> Result<Vec<Nested>> {
    let pairs = events.field("Muon")?.combinations(2, 1)?;
    let (one_muon, other) = (pairs.field("0")?, pairs.field("1")?);
    let mass = mass_of_pair(&one_muon, &other)?;
    let opposite = one_muon.field("charge")?.ne(&other.field("charge")?)?;
    let near = opposite & mass.ge(60.0)? & mass.le(120.0)?;
    one(&events.field("MET")?.field("pt")?.mask(&near.any(1)?)?, 0.0, 200.0)
}

fn three_jets(events: &Nested) -> Result<Vec<Nested>> {
    let jets = events.field("Jet")?;
    let jets = momentum(&jets)?.with_field("btag", &jets.field("btag")?)?;
    let three = jets.combinations(3, 1)?;
    let [a, b, c] = [three.field("0")?, three.field("1")?, three.field("2")?];
    let sum = |name: &str| Ok(a.field(name)? + b.field(name)? + c.field(name)?);
    let (x, y, z, e) = (sum("x")?, sum("y")?, sum("z")?, sum("e")?);
    let across = &x * &x + &y * &y;
    let mass = (&e * &e - &across - &z * &z).maximum(0.0)?.sqrt()?;
    let best = (mass - 172.5).abs()?.argmin(1)?;
    let pt = across.sqrt()?.get(&best, 1)?;
    let btag = a.field("btag")?.maximum(&b.field("btag")?)?.maximum(&c.field("btag")?)?;
    let btag = btag.get(&best, 1)?;
    Ok(vec![pt.histogram(BINS, 15.0, 40.0, 0)?, btag.histogram(BINS, 0.0, 1.0, 0)?])
}

fn leptons(events: &Nested, fields: &[&str]) -> Result<Nested> {
    let of = |name: &str, flavour: i32| {
        let all = events.field(name)?;
        let mut kept = Vec::new();
        for &field in fields {
            kept.push((field, all.field(field)?));
        }
        let kept: Vec<(&str, &Nested)> = kept.iter().map(|(name, field)| (*name, field)).collect();
        nestled::nested::zip(&kept)?.with_field("flavour", flavour)
    };
    concatenate(&[&of("Muon", 0)?, &of("Electron", 1)?], 1)
}

fn jets_apart(events: &Nested) -> Result<Vec<Nested>> {
    let jets = events.field("Jet")?;
    let leptons = leptons(events, &["pt", "eta", "phi"])?;
    // For each jet a list of pairs, of it with each lepton of its event.
    let pairs = nested_cartesian(&[&jets, &leptons], 1)?;
    let (jet, lepton) = (pairs.field("0")?, pairs.field("1")?);
    let near = squared_distance(&jet, &lepton)?.lt(0.16)? & lepton.field("pt")?.gt(10.0)?;
    let pt = jets.field("pt")?;
    let kept = pt.gt(30.0)? & !near.any(2)?;
    one(&pt.mask(&kept)?.sum(1)?, 15.0, 200.0)
}

fn lepton_beside_z(events: &Nested) -> Result<Vec<Nested>> {
    let leptons = leptons(events, &["pt", "eta", "phi", "charge"])?;
    // Most events have fewer, and no pair of them is needed.
    let enough = leptons.num(1)?.ge(3)?;
    let (met, leptons) = (events.field("MET")?.filter(&enough)?, leptons.filter(&enough)?);
    let leptons = leptons.with_field("place", &leptons.local_index(1)?)?;
    let pairs = leptons.combinations(2, 1)?;
    let (a, b) = (pairs.field("0")?, pairs.field("1")?);
    let wanted = a.field("flavour")?.eq(&b.field("flavour")?)? & a.field("charge")?.ne(&b.field("charge")?)?;
    let best = (mass_of_pair(&a, &b)? - 91.2).abs()?.mask(&wanted)?.argmin(1)?;
    // The leading lepton of the others. There is none where there are fewer than three.
    let place = leptons.field("place")?;
    let is_other = |side: &Nested| place.ne(&side.field("place")?.get(&best, 1)?.fill_missing(-1)?);
    let others = is_other(&a)? & is_other(&b)?;
    let leading = leptons.get(&leptons.field("pt")?.mask(&others)?.argmax(1)?, 1)?;
    let mass = transverse_mass(&met, &leading)?;
    one(&mass.mask(&!best.is_missing(0)?)?, 0.0, 250.0)
}
