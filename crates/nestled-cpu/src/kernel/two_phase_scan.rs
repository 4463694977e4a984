//! Two-phase parallel scans over the whole: pieces compute their totals in parallel, and each waits for the carry of those before it.
#![allow(unsafe_code)] // Says what compiled code may write.

use super::call::Piece;
use super::nest::NestRun;
use super::piece_buffers::{Collected, Kept};
use super::pieces::piece_range;
use super::rows::Rows;
use super::scratch::NoMemory;
use super::single_pass_filter::Placing;
use super::turns::Turns;
use nestled_ir::Direction;
use nestled_ir::reduction_order::{SCAN_BLOCK, SCAN_BLOCK_OF_POINTS, TILE};
use nestled_kernel::nest::Order;

/// The shared state of the pieces of a nest with scans.
struct Chain<'a> {
    nest: &'a NestRun<'a>,
    /// Number of positions of the whole, and of a piece. If the order shows in the result, a piece is a block of λcu's.
    total: u64,
    size: u64,
    count: usize,
    /// Whether pieces run one after another, so that each writes the carry of the next.
    alone: bool,
    /// The carry of each piece, in order of turns, followed by the final total.
    carries: Rows,
    /// The total of each piece by itself.
    totals: Rows,
    /// Partial results.
    state: Rows,
    placing: Option<Placing>,
    kept: Kept,
    turns: Turns,
}

/// Runs a nest with scans.
pub(super) fn run(
    nest: &NestRun<'_>,
    total: u64,
    placing: Option<Placing>,
) -> Result<Option<Collected>, NoMemory> {
    let (running, plan) = (nest.running, nest.plan);
    let size = match (plan.nest.ordered, plan.nest.order) {
        (true, Order::Vectors) => SCAN_BLOCK,
        (true, Order::Points) => SCAN_BLOCK_OF_POINTS,
        (false, _) => running.thresholds.chained.next_multiple_of(if plan.nest.tiled { TILE } else { 16 }),
    };
    let count = total.div_ceil(size) as usize;
    let cells = plan.carry.len() * 8;
    let rows = if plan.nest.tiled { total.div_ceil(TILE) as usize } else { count };
    let mut carries = Rows::take(running.scratch, count + 1, cells)?;
    carries.begin_with(&plan.carry);
    let chain = Chain {
        nest,
        total,
        size,
        count,
        alone: nest.alone || running.pool.threads() == 1 || count < running.thresholds.chain,
        carries,
        totals: Rows::take(running.scratch, count, cells)?,
        state: Rows::take(running.scratch, rows, plan.row)?,
        kept: nest.kept(if placing.is_some() { 0 } else { count }),
        placing,
        turns: Turns::default(),
    };
    if chain.alone {
        (0..count).map(|turn| chain.piece(turn)).fold(Ok(()), Result::and)?;
    } else {
        nest.pieces(total, count).for_each_in_turn(|turn| chain.piece(turn))?;
    }
    if plan.joins {
        nest.join(rows as u64, &chain.state)?;
    }
    let Chain { carries, totals, state, placing, kept, .. } = chain;
    [carries, totals, state].into_iter().for_each(|rows| running.scratch.give(rows.into_block()));
    Ok(Placing::end(placing, kept))
}

impl Chain<'_> {
    /// Runs the piece of a turn; a backward scan begins with the last piece.
    fn piece(&self, turn: usize) -> Result<(), NoMemory> {
        let nest = self.nest;
        let number = match nest.plan.nest.direction {
            Direction::Forward => turn,
            Direction::Backward => self.count - 1 - turn,
        };
        let range = piece_range(number, self.size, self.total);
        // Also after a failed allocation: later pieces wait for this one.
        let before = if self.alone { Ok(()) } else { self.find_carry(turn, range.clone()) };
        let row = if nest.plan.nest.tiled { 0 } else { number };
        let total = if self.alone { self.carries.from(turn + 1) } else { self.totals.from(turn) };
        let (state, carry) = (self.state.from(row), self.carries.from(turn));
        let piece = Piece { state, carry, total, ..Piece::over(range) };
        let outcome = match &self.placing {
            // SAFETY: ranges of pieces are disjoint, and a piece writes no row but its own and, alone, the carry of the next; its own carry is written.
            Some(placing) => unsafe { placing.piece(nest, turn, piece) },
            // SAFETY: ranges of pieces are disjoint. A piece writes its own rows of the state, and its own row of totals; alone, the carry of the next piece,
            // which has not begun. Its carry is written: by itself just now, by the piece before if it is alone, or at the beginning.
            None => unsafe { nest.piece_into(&self.kept, number, nest.entries.main, piece) },
        };
        before.and(outcome)
    }

    /// Computes the carry of a piece and of the next. All pieces compute their own totals in parallel, and then, in turn, add the carry from the
    /// piece before.
    fn find_carry(&self, turn: usize, range: std::ops::Range<u64>) -> Result<(), NoMemory> {
        let nest = self.nest;
        let (Some(totals), Some(chain)) = (nest.entries.totals, nest.entries.chain) else { return Ok(()) };
        let piece = Piece { total: self.totals.from(turn), ..Piece::over(range) };
        // SAFETY: a piece has a row of totals of its own, and writes nothing else.
        let total = unsafe { nest.piece_without_streams(totals, piece) };
        self.turns.wait(turn);
        let (carry, state) = (self.carries.from(turn), self.totals.from(turn));
        let piece = Piece { carry, state, total: self.carries.from(turn + 1), ..Piece::over(0..0) };
        // SAFETY: it is this piece's turn: the piece before has written this carry, its own totals have just been written, and only the piece behind, whose
        // turn has not come, reads the carry that this one writes.
        let next = unsafe { nest.piece_without_streams(chain, piece) };
        self.turns.done(turn);
        total.and(next)
    }
}
