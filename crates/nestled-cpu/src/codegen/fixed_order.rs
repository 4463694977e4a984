//! Reductions in fixed order by a monoid of the program: scalar, point by point, but into the sixteen accumulator lanes of each tile.

use super::Unsupported;
use super::function::Function;
use super::loops::{AtTile, Walk};
use super::reduce::{combine_rows, write_units};
use super::sinks::Sinks;
use super::text::Name;
use nestled_ir::reduction_order::{self, TILE};
use nestled_kernel::reduction::row_cells;

/// Number of lanes of a tile.
const LANES: u64 = reduction_order::LANES as u64;

/// Walks the points of a group tile by tile; at the end of a tile the accumulators hold its result.
pub fn tiles(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    sinks: &mut Sinks,
    at_tile: AtTile<'_>,
) -> Result<(), Unsupported> {
    let parts = sinks.accumulators.parts.clone();
    let program = f.shared.program;
    let commutes = parts.iter().all(|part| part.part.is_commutative(&program.monoids));
    let size = 8 * row_cells(&parts) as u64;
    let rows = f.emit.variable(&format!("[{} x i64]", LANES * size / 8));
    let start = f.emit.variable("i64");
    f.set(&start, &walk.from);
    let (head, body, exit) = (f.emit.label(), f.emit.label(), f.emit.label());
    f.emit.fall_into(head);
    let from = f.get(&start);
    let more = f.emit.define(format_args!("icmp slt i64 {from}, {}", walk.to));
    f.emit.branch(&more, body, exit);
    f.emit.text.begin(body);
    let number = f.emit.define(format_args!("udiv i64 {from}, {TILE}"));
    let next = f.emit.define(format_args!("add i64 {number}, 1"));
    let end = f.emit.define(format_args!("mul i64 {next}, {TILE}"));
    let end = f.least(&end, &walk.to);
    each_lane(f, LANES, &mut |f, lane| {
        let row = row(f, &rows, size, lane);
        write_units(f, &parts, &row);
    });
    let length = f.emit.define(format_args!("sub i64 {end}, {from}"));
    let up = f.emit.define(format_args!("add i64 {length}, {}", LANES - 1));
    let block = f.emit.define(format_args!("udiv i64 {up}, {LANES}"));
    let tile = Walk { from: from.clone(), to: end.clone(), ..walk.clone() };
    let lane_of = |f: &mut Function<'_, '_>, position: &str| -> Name {
        let at = f.emit.define(format_args!("sub i64 {position}, {from}"));
        match commutes {
            true => f.emit.define(format_args!("and i64 {at}, {}", LANES - 1)),
            false => f.emit.define(format_args!("udiv i64 {at}, {block}")),
        }
    };
    f.points(&tile, sinks, &mut |f, sinks, before, position| {
        let lane = lane_of(f, position);
        let row = row(f, &rows, size, &lane);
        match before {
            true => sinks.accumulators.read_row(f, &row),
            false => sinks.accumulators.write_row(f, &row, &|_| true),
        }
    })?;
    let mut width = LANES / 2;
    while width > 0 {
        each_lane(f, width, &mut |f, lane| {
            let (left, right) = match commutes {
                true => (lane.into(), f.emit.define(format_args!("add i64 {lane}, {width}"))),
                false => {
                    let left = f.emit.define(format_args!("mul i64 {lane}, 2"));
                    let right = f.emit.define(format_args!("add i64 {left}, 1"));
                    (left, right)
                }
            };
            let (left, right) = (row(f, &rows, size, &left), row(f, &rows, size, &right));
            let into = row(f, &rows, size, lane);
            combine_rows(f, &parts, &left, &right, &into);
        });
        width /= 2;
    }
    sinks.accumulators.read_row(f, &rows);
    at_tile(f, sinks, &number);
    f.set(&start, &end);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(exit);
    Ok(())
}

fn row(f: &mut Function<'_, '_>, rows: &str, size: u64, lane: &str) -> Name {
    let at = f.emit.define(format_args!("mul i64 {lane}, {size}"));
    f.emit.define(format_args!("getelementptr inbounds i8, ptr {rows}, i64 {at}"))
}

fn each_lane(f: &mut Function<'_, '_>, count: u64, body: &mut dyn FnMut(&mut Function<'_, '_>, &str)) {
    let at = f.emit.variable("i64");
    f.set(&at, "0");
    let (head, inside, done) = (f.emit.label(), f.emit.label(), f.emit.label());
    f.emit.fall_into(head);
    let lane = f.get(&at);
    let more = f.emit.define(format_args!("icmp ult i64 {lane}, {count}"));
    f.emit.branch(&more, inside, done);
    f.emit.text.begin(inside);
    body(f, &lane);
    let next = f.emit.define(format_args!("add i64 {lane}, 1"));
    f.set(&at, &next);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(done);
}
