//! Naive loops over events, which say what the queries mean: each gives the numbers that go into the histograms.

use crate::event::{Event, Jet, Lepton};
use std::f32::consts::PI;

/// The numbers that go into each histogram of a query.
pub fn numbers(name: &str, events: &[Event]) -> Vec<Vec<f32>> {
    let met = |wanted: fn(&Event) -> bool| {
        vec![events.iter().filter(|event| wanted(event)).map(|event| event.MET.pt).collect()]
    };
    let jets = |wanted: fn(&&Jet) -> bool| {
        vec![events.iter().flat_map(|event| event.Jet.iter().filter(wanted)).map(|jet| jet.pt).collect()]
    };
    match name {
        "dimuon" => vec![events.iter().filter_map(dimuon).collect()],
        "Q1" => met(|_| true),
        "Q2" => jets(|_| true),
        "Q3" => jets(|jet| jet.eta.abs() < 1.0),
        "Q4" => met(|event| event.Jet.iter().filter(|jet| jet.pt > 40.0).count() >= 2),
        "Q5" => met(near_z),
        "Q6" => {
            let (pt, btag) = events.iter().filter_map(three_jets).unzip();
            vec![pt, btag]
        }
        "Q7" => vec![events.iter().map(jets_apart).collect()],
        "Q8" => vec![events.iter().filter_map(lepton_beside_z).collect()],
        _ => unreachable!("no query is called {name}"),
    }
}

/// The counts of numbers between two others.
pub fn histogram(numbers: &[f32], bins: usize, low: f64, high: f64) -> Vec<i64> {
    let mut counts = vec![0; bins];
    for number in numbers.iter().map(|&number| f64::from(number)) {
        if (low..=high).contains(&number) {
            let bin = ((number - low) / (high - low) * bins as f64) as usize;
            counts[bin.min(bins - 1)] += 1;
        }
    }
    counts
}

fn mass(a: &Lepton, b: &Lepton) -> f32 {
    (2.0 * a.pt * b.pt * ((a.eta - b.eta).cosh() - (a.phi - b.phi).cos())).sqrt()
}

fn dimuon(event: &Event) -> Option<f32> {
    match &event.Muon[..] {
        [a, b] if a.charge != b.charge => Some(mass(a, b)),
        _ => None,
    }
}

fn near_z(event: &Event) -> bool {
    pairs(&event.Muon).any(|(a, b)| a.charge != b.charge && (60.0..=120.0).contains(&mass(a, b)))
}

fn pairs<T>(all: &[T]) -> impl Iterator<Item = (&T, &T)> {
    all.iter().enumerate().flat_map(|(place, one)| all[place + 1..].iter().map(move |other| (one, other)))
}

fn three_jets(event: &Event) -> Option<(f32, f32)> {
    let mut best: Option<(f32, f32, f32)> = None;
    for (place, a) in event.Jet.iter().enumerate() {
        for (b, c) in pairs(&event.Jet[place + 1..]) {
            let [x, y, z, e] = [a, b, c].map(momentum).into_iter().fold([0.0; 4], |sum, own| {
                [sum[0] + own[0], sum[1] + own[1], sum[2] + own[2], sum[3] + own[3]]
            });
            let across = x * x + y * y;
            let off = ((e * e - across - z * z).max(0.0).sqrt() - 172.5).abs();
            if best.is_none_or(|(least, ..)| off < least) {
                best = Some((off, across.sqrt(), a.btag.max(b.btag).max(c.btag)));
            }
        }
    }
    best.map(|(_, pt, btag)| (pt, btag))
}

fn momentum(jet: &Jet) -> [f32; 4] {
    let (x, y, z) = (jet.pt * jet.phi.cos(), jet.pt * jet.phi.sin(), jet.pt * jet.eta.sinh());
    [x, y, z, (x * x + y * y + z * z + jet.mass * jet.mass).sqrt()]
}

fn jets_apart(event: &Event) -> f32 {
    let leptons: Vec<&Lepton> = event.Muon.iter().chain(&event.Electron).collect();
    let apart = |jet: &&Jet| leptons.iter().all(|lepton| lepton.pt <= 10.0 || squared(jet, lepton) >= 0.16);
    event.Jet.iter().filter(|jet| jet.pt > 30.0).filter(apart).map(|jet| jet.pt).sum()
}

fn squared(jet: &Jet, lepton: &Lepton) -> f32 {
    let (eta, turn) = (jet.eta - lepton.eta, jet.phi - lepton.phi);
    let phi = turn - ((turn + PI) / (2.0 * PI)).floor() * (2.0 * PI);
    eta * eta + phi * phi
}

fn lepton_beside_z(event: &Event) -> Option<f32> {
    let of = |all: &[Lepton], flavour: i32| -> Vec<(i32, Lepton)> {
        all.iter().map(|lepton| (flavour, lepton.clone())).collect()
    };
    let all = [of(&event.Muon, 0), of(&event.Electron, 1)].concat();
    if all.len() < 3 {
        return None;
    }
    let mut best: Option<(f32, usize, usize)> = None;
    for (i, (flavour, a)) in all.iter().enumerate() {
        for (j, (other, b)) in all.iter().enumerate().skip(i + 1) {
            let off = (mass(a, b) - 91.2).abs();
            if flavour == other && a.charge != b.charge && best.is_none_or(|(least, ..)| off < least) {
                best = Some((off, i, j));
            }
        }
    }
    let (_, i, j) = best?;
    let others = all.iter().enumerate().filter(|(place, _)| *place != i && *place != j);
    let leading = others.map(|(_, (_, lepton))| lepton).reduce(|a, b| if b.pt > a.pt { b } else { a })?;
    let phi = event.MET.phi - leading.phi;
    Some((2.0 * event.MET.pt * leading.pt * (1.0 - phi.cos())).sqrt())
}
