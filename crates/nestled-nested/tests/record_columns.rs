//! Records as contents of segments: an array for each field.

use crate::random::Random;
use nestled_array::{Array, Content, Ragged, Segments, jit, nesl};
use nestled_nested::{Nested, Record, zip};
use nestled_test::again;

#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested, columns = MuonColumns)]
pub struct Muon {
    pt: f32,
    pub charge: i8,
    hits: Vec<(i64, f64)>,
}

/// With parameters, records inside, and a name of its own outside of Rust.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested, columns = EventColumns)]
struct Event<T> {
    #[record(rename = "Muon")]
    muons: Vec<Muon>,
    extra: T,
    flag: bool,
}

/// A tuple.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(crate = nestled_nested, columns = PointColumns)]
struct Point(f64, f64);

fn muon(random: &mut Random) -> Muon {
    let hits = (0..random.below(3)).map(|_| (random.below(9) as i64, random.below(9) as f64 * 0.5)).collect();
    Muon { pt: random.below(100) as f32 * 0.25, charge: [-1, 1][random.below(2)], hits }
}

fn muons(random: &mut Random, rows: usize) -> Vec<Vec<Muon>> {
    (0..rows).map(|_| (0..random.below(4)).map(|_| muon(random)).collect()).collect()
}

#[test]
fn records_go_in_and_out() {
    let mut random = Random::new(5);
    for rows in [0, 1, 7] {
        let list = muons(&mut random, rows);
        let ragged = Ragged::<Muon>::from_host(list.clone());
        assert_eq!(ragged.to_host().unwrap(), list);
        let events: Vec<Vec<Event<Point>>> = list
            .iter()
            .map(|row| {
                let extra = Point(row.len() as f64, 0.5);
                vec![Event { muons: row.clone(), extra, flag: row.is_empty() }; row.len() % 3]
            })
            .collect();
        let ragged = Ragged::<Event<Point>>::from_host(events.clone());
        assert_eq!(ragged.to_host().unwrap(), events);
        if rows > 2 {
            assert_eq!(ragged.slice(1..3).unwrap().to_host().unwrap(), events[1..3]);
            let nested = ragged.in_segments(&[3, 0, rows - 3]).unwrap();
            assert_eq!(nested.to_host().unwrap()[0], events[..3]);
        }
    }
}

#[test]
fn fields_are_arrays() {
    let list = muons(&mut Random::new(8), 20);
    let ragged = Ragged::<Muon>::from_host(list.clone());
    let of = |function: &dyn Fn(&Muon) -> f32| {
        list.iter().map(|row| row.iter().map(function).sum()).collect::<Vec<f32>>()
    };
    let pt: Ragged<f32> = ragged.map_values(|muons| muons.pt.clone());
    assert_eq!(pt.sum().to_vec().unwrap(), of(&|muon| muon.pt));
    let signed: Ragged<f32> = ragged.map_values(|muons| &muons.pt * muons.charge.cast::<f32>());
    let sums = signed.sum();
    let shown = sums.explain().unwrap().to_string();
    assert!(shown.contains("1 kernel"), "{shown}");
    assert_eq!(sums.to_vec().unwrap(), of(&|muon| muon.pt * f32::from(muon.charge)));
    let hits: Ragged<Ragged<(i64, f64)>> = ragged.map_values(|muons| muons.hits.clone());
    let weights: Ragged<f64> =
        hits.map_values(|rows| rows.map_values::<f64>(|(_, weights)| weights.clone()).sum());
    let wanted = of(&|muon| muon.hits.iter().map(|hit| hit.1 as f32).sum());
    assert_eq!(weights.sum().cast::<f32>().to_vec().unwrap(), wanted);
}

#[test]
fn columns_are_checked_and_shown() {
    let (x, y) = (Array::from_vec(vec![0.5, 1.0]), Array::from_vec(vec![2.0, 3.0]));
    let segments = Segments::from_lengths(&[2, 0]);
    let points = Ragged::<Point>::new(&PointColumns(x.clone(), y), &segments).unwrap();
    assert_eq!(points.to_host().unwrap(), [vec![Point(0.5, 2.0), Point(1.0, 3.0)], vec![]]);
    assert_eq!(format!("{points:?}"), "[[(0.5, 2.0), (1.0, 3.0)], []]");
    let short = PointColumns(x, Array::from_vec(vec![2.0]));
    assert!(Ragged::<Point>::new(&short, &segments).is_err());
    let muons = Ragged::<Muon>::from_host(vec![vec![Muon { pt: 0.5, charge: -1, hits: vec![(1, 2.5)] }]]);
    assert_eq!(format!("{muons:?}"), "[[{pt: 0.5, charge: -1, hits: [(1, 2.5)]}]]");
    let events = Ragged::<Event<i64>>::from_host(vec![vec![Event { muons: vec![], extra: 3, flag: true }]]);
    assert_eq!(format!("{events:?}"), "[[{Muon: [], extra: 3, flag: true}]]");
    assert_eq!(<Muon as Content>::count(muons.flatten()), 1);
}

/// What it holds.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[record(crate = nestled_nested, columns = WeightColumns)]
struct Weight(u16);

#[test]
fn nested_arrays_are_columns() {
    let list = muons(&mut Random::new(30), 8);
    let ragged = Ragged::<Muon>::from_host(list.clone());
    let nested = Nested::from(&ragged);
    let schema = "8 * var * {pt: float32, charge: int8, hits: var * (int64, float64)}";
    assert_eq!(nested.type_string(), schema);
    assert_eq!(nested.to_rows::<Vec<Muon>>().unwrap(), list);
    let back = Ragged::<Muon>::try_from(&nested).unwrap();
    assert_eq!(back.to_host().unwrap(), list);
    // Other fields do not matter, nor their order; the names are those outside of Rust.
    let points = Nested::from(Ragged::<Point>::from_host(vec![vec![Point(0.5, 1.0)], vec![]]));
    assert_eq!(points.type_string(), "2 * var * (float64, float64)");
    let (flags, weights) = (Nested::from_iter([true]), Nested::from(Array::from_vec(vec![7u16])));
    let halves = Nested::from_iter([0.5]);
    let extra = Nested::tuples(&[&halves, &halves]).unwrap();
    let kids = Nested::from(Ragged::<Muon>::from_host(vec![list[0].clone()]));
    let events = [("flag", &flags), ("other", &weights), ("extra", &extra), ("Muon", &kids)];
    let segments = Segments::from_lengths(&[1, 0]);
    let events = Nested::records(&events).unwrap().in_lists(&segments).unwrap();
    let events = Nested::from(&Ragged::<Event<Point>>::try_from(&events).unwrap());
    let schema = "{Muon: var * {pt: float32, charge: int8, hits: var * (int64, float64)}, extra: (float64, float64), flag: bool}";
    assert_eq!(events.schema().to_string(), format!("var * {schema}"));
    let weights = Ragged::<Weight>::try_from(&weights.in_lists(&segments).unwrap()).unwrap();
    assert_eq!(weights.to_host().unwrap(), [vec![Weight(7)], vec![]]);
    assert_eq!(Nested::from(weights).type_string(), "2 * var * uint16");
}

#[test]
fn nested_arrays_that_are_no_such_columns() {
    let told = |nested: &Nested| Ragged::<Muon>::try_from(nested).unwrap_err().to_string();
    let numbers = Nested::from_iter([vec![1.5f32], vec![]]);
    assert!(told(&numbers).contains("`pt`"), "{}", told(&numbers));
    assert!(told(&Nested::from_iter([1])).contains("is no array of lists"));
    let wide = zip(&[("pt", &Nested::from_iter([vec![1.5]]))]).unwrap();
    assert!(told(&wide).contains("`float64` is not `float32`"), "{}", told(&wide));
    let missing = zip(&[("pt", &Nested::from_iter([vec![Some(1.5f32), None]]))]).unwrap();
    assert!(
        told(&missing).contains("`?float64` is not `float32`")
            && told(&missing).contains("record_columns.rs"),
        "{}",
        told(&missing)
    );
    let numbers = Nested::from(Ragged::from_rows(&[vec![1.5f32], vec![]]));
    let few = zip(&[("pt", &numbers)]).unwrap();
    assert!(told(&few).contains("`charge`"), "{}", told(&few));
}

nesl! {
    "function leading(rows) = {max_val({pt : pt, charge, hits in row} ++ [0.0]) : row in rows};
     function flipped(rows) = {{(pt * 2.0, 0 - charge, hits ++ [(charge, pt)]) : pt, charge, hits in row} : row in rows};
     function norms(rows) = {{sqrt(x * x + y * y) : x, y in row} : row in rows};";
    fn leading(rows: Ragged<Muon>) -> Array<f64>;
    fn flipped(rows: Ragged<Muon>) -> Ragged<Muon>;
    fn norms(rows: Ragged<Point>) -> Ragged<f64>;
}

#[test]
fn functions_in_nesl_take_and_give_columns() {
    let list = muons(&mut Random::new(21), 9);
    let ragged = Ragged::<Muon>::from_host(list.clone());
    let wanted: Vec<f64> =
        list.iter().map(|row| row.iter().map(|muon| f64::from(muon.pt)).fold(0.0, f64::max)).collect();
    assert_eq!(leading(ragged.clone()).unwrap().to_vec().unwrap(), wanted);
    let mut turned = list;
    for muon in turned.iter_mut().flatten() {
        muon.hits.push((i64::from(muon.charge), f64::from(muon.pt)));
        (muon.pt, muon.charge) = (muon.pt * 2.0, -muon.charge);
    }
    assert_eq!(flipped(ragged).unwrap().to_host().unwrap(), turned);
    let points = Ragged::<Point>::from_host(vec![vec![Point(3.0, 4.0)], vec![]]);
    assert_eq!(norms(points).unwrap().to_rows().unwrap(), [vec![5.0], vec![]]);
}

#[test]
fn traced_functions_take_them() {
    let list = muons(&mut Random::new(2), 6);
    let ragged = Ragged::<Muon>::from_host(list.clone());
    let total = jit(|muons: Ragged<Muon>| {
        let pt: Ragged<f32> = muons.map_values(|muons| &muons.pt + 1.0);
        pt.sum()
    });
    let wanted: Vec<f32> = list.iter().map(|row| row.iter().map(|muon| muon.pt + 1.0).sum()).collect();
    assert_eq!(total.call(&ragged).unwrap().to_vec().unwrap(), wanted);
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
