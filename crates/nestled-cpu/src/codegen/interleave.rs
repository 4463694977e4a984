//! Interleaved tiles: the interior loop reduces several tiles at once to hide the latency of dependent additions.
//!
//! Sixteen lanes of `f32` are one register of 512 bits, and each addition waits for the one before it. While memory is fast, that latency bounds the
//! loop. The order within a tile is fixed, but tiles are independent: so the interior loop interleaves several of them, each with accumulators of its
//! own, and writes their rows of partial results in order afterwards.

use super::Unsupported;
use super::function::Function;
use super::loops::{AtTile, Row, Walk};
use super::point::Assumed;
use super::reduce::Accumulators;
use super::sinks::Sinks;
use super::text::Name;
use super::value::Val;
use nestled_ir::reduction_order::TILE;

/// Number of consecutive vectors taken from one tile before the next, since memory is faster in longer runs.
const RUN: u64 = 4;

/// The accumulators of several tiles.
pub struct InterleavedTiles(Vec<Accumulators>);

impl InterleavedTiles {
    /// Makes accumulators for `count` tiles; the first tile uses those of the sinks.
    pub fn new(f: &mut Function<'_, '_>, sinks: &Sinks, count: usize) -> InterleavedTiles {
        let mut tiles = vec![sinks.accumulators.clone()];
        for _ in 1..count {
            let own = sinks.accumulators.another(f);
            own.reset(f);
            tiles.push(own);
        }
        InterleavedTiles(tiles)
    }

    /// Emits the reduction of several tiles from position `at` on, of which `number` is the first, if all are present and need no checks. Then `at`
    /// is moved past them, and the loop continues at `head`.
    pub fn write(
        &self,
        f: &mut Function<'_, '_>,
        walk: &Walk<'_>,
        row: &Row,
        (at, head): (&Name, super::text::Label),
        sinks: &mut Sinks,
        at_tile: AtTile<'_>,
    ) -> Result<(), Unsupported> {
        let (look, start, alone) = (f.emit.label(), f.emit.label(), f.emit.label());
        let position = f.get(at);
        let end = f.emit.define(format_args!("add i64 {position}, {}", TILE * self.0.len() as u64));
        let fits = f.emit.define(format_args!("icmp sle i64 {end}, {}", walk.to));
        let off = f.emit.define(format_args!("and i64 {position}, {}", TILE - 1));
        let begins = f.emit.define(format_args!("icmp eq i64 {off}, 0"));
        let whole = f.emit.define(format_args!("and i1 {fits}, {begins}"));
        f.emit.branch(&whole, look, alone);
        f.emit.text.begin(look);
        f.emit.row = f.emit.text.mark();
        let row = Row { frame: row.frame.at_row(), ..row.clone() };
        let interior = (f.emit.variable("i64"), f.emit.variable("i64"));
        let (low, high) = (f.get(&interior.0), f.get(&interior.1));
        let from_first = f.emit.define(format_args!("icmp eq i64 {low}, {position}"));
        let to_last = f.emit.define(format_args!("icmp eq i64 {high}, {end}"));
        let all = f.emit.define(format_args!("and i1 {from_first}, {to_last}"));
        f.emit.branch(&all, start, alone);
        f.emit.text.begin(start);
        let first_end = f.emit.define(format_args!("add i64 {position}, {TILE}"));
        let mut assumed = None;
        let lanes = f.emit.lanes as u64;
        super::control::each(f, &position, &first_end, RUN * lanes, &mut |f, j| {
            for (tile, accumulators) in self.0.iter().enumerate() {
                sinks.accumulators = accumulators.clone();
                for vector in 0..RUN {
                    let first = TILE * tile as u64 + vector * lanes;
                    let first = f.emit.define(format_args!("add i64 {j}, {first}"));
                    let mut visit =
                        f.visit((walk.nest, walk.phase), &row, &row.frame.clone(), first, Val::truth(true));
                    visit.assumed = Some(Assumed::default());
                    assumed = f.sweep_steps(walk.nest, walk.sweep, visit, &row.frame.made, sinks)?;
                }
            }
            Ok(())
        })?;
        f.interior_range(&interior, &position, &end, false, &Some("0".into()), &assumed.unwrap_or_default());
        let number = f.emit.define(format_args!("udiv i64 {position}, {TILE}"));
        for (tile, accumulators) in self.0.iter().enumerate() {
            let number = f.emit.define(format_args!("add i64 {number}, {tile}"));
            sinks.accumulators = accumulators.clone();
            at_tile(f, sinks, &number);
        }
        sinks.accumulators = self.0[0].clone();
        f.set(at, &end);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(alone);
        Ok(())
    }
}
