//! A program in NESL waits for the device once for each level of a recursion: only where it has to know whether it goes on.

use nestled_nesl::engine::Engine;
use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};
use nestled_rt::Counters;
use nestled_test::nesl::compare::FusedLate;
use std::cell::RefCell;
use std::rc::Rc;

/// Runs statements, and then one whose waits are counted, and which shows what it shows without a device.
fn waits(before: &str, measured: &str) -> u64 {
    let mut session = Session::new(Dialect::default());
    let mut world = TestWorld::default();
    for result in session.run("before", before, &mut world) {
        assert!(result.errors.is_empty() && result.fault.is_none(), "{result:?}");
    }
    let shown = session.run("shown", measured, &mut world).pop().and_then(|result| result.line());
    let counters: Rc<RefCell<Counters>> = Rc::default();
    session.engine =
        Engine::Flat(Box::new(FusedLate { counters: Some(Rc::clone(&counters)), ..FusedLate::default() }));
    let result = session.run("measured", measured, &mut world).pop().expect("a result");
    assert_eq!(result.line(), shown, "{:?} {:?}", result.errors, result.fault);
    let counted = *counters.borrow();
    counted.waits
}

const QUICKSORT: &str = "function quicksort(v) =
  if #v < 2 then v
  else
    let pivot = v[#v / 2];
        less = {x in v | x < pivot}; equal = {x in v | x == pivot}; more = {x in v | x > pivot};
        sorted = {quicksort(side) : side in [less, more]}
    in sorted[0] ++ equal ++ sorted[1];
v = {rem(i * 7919, 1009) : i in index(300)};";

#[test]
fn quicksort_waits_once_for_each_level() {
    let depth = "function depth(v) =
      if #v < 2 then 0
      else
        let pivot = v[#v / 2]; less = {x in v | x < pivot}; more = {x in v | x > pivot}
        in 1 + max_val({depth(side) : side in [less, more]});";
    let mut session = Session::new(Dialect::default());
    let results = session.run("depth", &format!("{QUICKSORT}{depth}depth(v);"), &mut TestWorld::default());
    let line = results.last().and_then(|result| result.line()).expect("a number");
    let depth: u64 = line.split(' ').nth(2).and_then(|number| number.parse().ok()).expect("a number");
    assert!(depth > 8, "{depth}");
    let waits = waits(QUICKSORT, "quicksort(v);");
    // Before the first level, whether there is one, and at the end for the result.
    assert!(waits <= depth + 4, "{waits} waits for {depth} levels");
}

const QUICKHULL: &str =
    "function area((px, py), (qx, qy), (x, y)) = (qx - px) * (y - py) - (qy - py) * (x - px);
function chain(points, p, q) =
  if #points == 0 then [p]
  else
    let areas = {area(p, q, x) : x in points};
        farthest = points[max_index(areas)];
        parts = {chain({x in points | area(from, to, x) > 0.0}, from, to)
                 : (from, to) in [(p, farthest), (farthest, q)]}
    in flatten(parts);
points = {(cos(float(i)), sin(float(i))) : i in index(64)};";

#[test]
fn quickhull_waits_once_for_each_level() {
    // All points are on a circle, of which every level takes one for each side: six levels and more.
    let waits = waits(QUICKHULL, "chain(points, (-1.5, 0.0), (1.5, 0.0));");
    assert!(waits <= 9, "{waits} waits");
}
