//! Emission of a sweep over a range of points, by its planned strategy.
//!
//! Points are processed one after another, or W at a time: in a single loop, tile by tile, or row by row. This file has the loop over tiles or rows;
//! `loops.rs` has the loops within a row.

use super::Unsupported;
use super::fixed_order;
use super::function::Function;
use super::interleave::InterleavedTiles;
use super::jam::{self, JammedRows};
use super::launch_table::Slot;
use super::loops::{AtTile, Row, Walk};
use super::pack::{self, PackRow};
use super::sinks::Sinks;
use super::text::{Label, Name};
use super::unroll;
use nestled_ir::ScalarType;
use nestled_ir::reduction_order::TILE;
use nestled_kernel::schedule::{Columns, Rows, Strategy};

/// The emitter of a part of a range. Its arguments are the begin of the part, and the loop's variable, which it advances, with the loop's head.
type Part<'p> = &'p mut dyn FnMut(&mut Function<'_, '_>, &Name, (&Name, Label)) -> Result<(), Unsupported>;

/// The tile that contains a part of a range.
struct Tile {
    /// Its number.
    number: Name,
    /// Its end.
    end: Name,
    /// The end of the part.
    stop: Name,
}

impl Function<'_, '_> {
    /// Sweeps a range by a strategy. `at_tile` is given where a reduction's order is fixed: it consumes the result of each tile.
    pub fn sweep(
        &mut self,
        strategy: Strategy,
        walk: &Walk<'_>,
        sinks: &mut Sinks,
        at_tile: Option<AtTile<'_>>,
    ) -> Result<(), Unsupported> {
        const TILES: &str = "who plans by tiles takes what tiles come to";
        match strategy {
            Strategy::Points => self.points(walk, sinks, &mut |_, _, _, _| {}),
            Strategy::PointTiles => fixed_order::tiles(self, walk, sinks, at_tile.expect(TILES)),
            Strategy::Vectors => {
                let row = Row::flattened(&walk.frame);
                self.run(walk, &row, &walk.from.clone(), &walk.to.clone(), sinks)
            }
            Strategy::Tiles => self.tiles(walk, None, sinks, at_tile.expect(TILES)),
            Strategy::InterleavedTiles(count) => {
                let abreast = InterleavedTiles::new(self, sinks, count);
                self.tiles(walk, Some(&abreast), sinks, at_tile.expect(TILES))
            }
            Strategy::Rows(rows) => {
                self.rows(walk, rows, sinks)?;
                // The whole range is one tile.
                if let Some(at_tile) = at_tile {
                    at_tile(self, sinks, "0");
                }
                Ok(())
            }
            Strategy::RowsInTiles => self.rows_in_tiles(walk, sinks, at_tile.expect(TILES)),
        }
    }

    /// Emits a loop over the parts of a range.
    fn parts(&mut self, walk: &Walk<'_>, part: Part<'_>) -> Result<(), Unsupported> {
        let at = self.emit.variable("i64");
        self.set(&at, &walk.from);
        let (head, body, exit) = (self.emit.label(), self.emit.label(), self.emit.label());
        self.emit.fall_into(head);
        let position = self.get(&at);
        let more = self.emit.define(format_args!("icmp slt i64 {position}, {}", walk.to));
        self.emit.branch(&more, body, exit);
        self.emit.text.begin(body);
        part(self, &position, (&at, head))?;
        self.emit.line(format_args!("br label %{head}"));
        self.emit.text.begin(exit);
        Ok(())
    }

    /// Sweeps tile by tile, or several at a time.
    fn tiles(
        &mut self,
        walk: &Walk<'_>,
        abreast: Option<&InterleavedTiles>,
        sinks: &mut Sinks,
        at_tile: AtTile<'_>,
    ) -> Result<(), Unsupported> {
        self.parts(walk, &mut |f, position, (at, head)| {
            let row = Row::flattened(&walk.frame);
            if let Some(abreast) = abreast {
                abreast.write(f, walk, &row, (at, head), sinks, at_tile)?;
            }
            let tile = f.tile(position, &walk.to);
            f.run(walk, &row, position, &tile.stop, sinks)?;
            f.set(at, &tile.stop);
            f.flush(walk, &tile, sinks, at_tile);
            Ok(())
        })
    }

    /// Sweeps row by row, each cut where tiles end.
    fn rows_in_tiles(
        &mut self,
        walk: &Walk<'_>,
        sinks: &mut Sinks,
        at_tile: AtTile<'_>,
    ) -> Result<(), Unsupported> {
        self.emit.group = self.emit.text.mark();
        let walk = &Walk { frame: walk.frame.at_group(), ..walk.clone() };
        self.parts(walk, &mut |f, position, (at, _)| {
            let (row, row_end, _) = f.row(walk, position);
            let end = f.least(&walk.to, &row_end);
            let tile = f.tile(position, &end);
            let from = f.emit.define(format_args!("sub i64 {position}, {}", row.offset));
            let to = f.emit.define(format_args!("sub i64 {}, {}", tile.stop, row.offset));
            f.run(walk, &row, &from, &to, sinks)?;
            f.set(at, &tile.stop);
            f.flush(walk, &tile, sinks, at_tile);
            Ok(())
        })
    }

    /// Sweeps row by row.
    fn rows(&mut self, walk: &Walk<'_>, rows: Rows, sinks: &mut Sinks) -> Result<(), Unsupported> {
        self.emit.group = self.emit.text.mark();
        let walk = &Walk { frame: walk.frame.at_group(), ..walk.clone() };
        match (rows, unroll::rows_of_group(self, walk.nest)) {
            (Rows::Unrolled(count), Some(of_group)) => {
                unroll::group(self, walk, (of_group, count), sinks, &mut |f, sinks, by_row| {
                    let rows = if by_row { rows } else { Rows::Each(Columns::All) };
                    f.each_row(walk, rows, sinks)
                })
            }
            _ => self.each_row(walk, rows, sinks),
        }
    }

    /// Sweeps one row after another.
    fn each_row(&mut self, walk: &Walk<'_>, rows: Rows, sinks: &mut Sinks) -> Result<(), Unsupported> {
        let columns = match rows {
            Rows::Each(columns) | Rows::Jammed(_, columns) => columns,
            Rows::Unrolled(_) | Rows::Packed => Columns::All,
        };
        let strip = match columns {
            Columns::All => None,
            Columns::Strip => Some([Slot::Left, Slot::Right].map(|slot| self.number(slot, ScalarType::Idx))),
        };
        let beside = match rows {
            Rows::Jammed(count, _) => Some(JammedRows::new(self, count)),
            Rows::Each(_) | Rows::Unrolled(_) | Rows::Packed => None,
        };
        self.parts(walk, &mut |f, position, (at, head)| {
            let (mut row, row_end, number) = f.row(walk, position);
            if rows == Rows::Packed {
                let here = PackRow { position, row_end: &row_end, row: &row, number: &number };
                pack::write(f, walk, &here, (at, head), sinks)?;
            }
            let end = f.least(&walk.to, &row_end);
            let (from, to) = match &strip {
                Some([left, right]) => (left.name.clone(), right.name.clone()),
                None => (
                    f.emit.define(format_args!("sub i64 {position}, {}", row.offset)),
                    f.emit.define(format_args!("sub i64 {end}, {}", row.offset)),
                ),
            };
            if let Some(beside) = &beside {
                let here = jam::JamRow { position, row: &row, number: &number, range: (&from, &to) };
                row.done = Some(beside.write(f, walk, &here, sinks)?);
            }
            match rows {
                Rows::Unrolled(count) => unroll::write(f, walk, &row, (&from, &to), count, sinks)?,
                Rows::Each(_) | Rows::Jammed(..) | Rows::Packed => f.run(walk, &row, &from, &to, sinks)?,
            }
            f.set(at, &end);
            Ok(())
        })
    }

    /// Returns the tile that contains a position, with the end of a part that goes no further than `end`.
    fn tile(&mut self, position: &str, end: &str) -> Tile {
        let number = self.emit.define(format_args!("udiv i64 {position}, {TILE}"));
        let next = self.emit.define(format_args!("add i64 {number}, 1"));
        let tile_end = self.emit.define(format_args!("mul i64 {next}, {TILE}"));
        let stop = self.least(end, &tile_end);
        Tile { number, end: tile_end, stop }
    }

    /// Flushes the result of a tile, if it ends where a part stopped.
    fn flush(&mut self, walk: &Walk<'_>, tile: &Tile, sinks: &mut Sinks, at_tile: AtTile<'_>) {
        let (flush, next) = (self.emit.label(), self.emit.label());
        let full = self.emit.define(format_args!("icmp eq i64 {}, {}", tile.stop, tile.end));
        let last = self.emit.define(format_args!("icmp eq i64 {}, {}", tile.stop, walk.to));
        let ends = self.emit.define(format_args!("or i1 {full}, {last}"));
        self.emit.branch(&ends, flush, next);
        self.emit.text.begin(flush);
        at_tile(self, sinks, &tile.number);
        self.emit.fall_into(next);
    }
}
