//! Scan order: the fixed tree in which each prefix of an inexact scan by a built-in operation is combined. It is part of the meaning, since rounding
//! depends on it.
//!
//! `docs/lcu.md`, section 5, states the rule. A position that takes no part is skipped, and does not change what the others are combined with:
//!
//! ```text
//! prefix of a position = carry ∘ (running ∘ inside)
//!
//! inside    of the vector of sixteen positions, up to this one: combined with what came 1, 2, 4 and 8 before
//! running   of the vectors before, in the block, from the scan's beginning
//! carry     of the blocks before, likewise
//! ```

use crate::kernel::Direction;
use crate::reduction_order::{LANES, SCAN_BLOCK};

/// A group of positions whose values are scanned.
pub trait Scanned {
    /// A value.
    type Item: Copy;
    /// Why combining two values may end early.
    type Error;

    /// Returns the value at a position; `None` if the position takes no part.
    fn value(&mut self, position: u64) -> Option<Self::Item>;

    /// Combines two values, of which the scan visits `earlier` first.
    fn join(&mut self, earlier: Self::Item, later: Self::Item) -> Result<Self::Item, Self::Error>;

    /// Takes the prefixes of a position that takes part: without it, if anything came before, and with it.
    fn put(&mut self, position: u64, before: Option<Self::Item>, with: Self::Item);
}

/// Scans a group of `n` positions.
pub fn scan<S: Scanned>(group: &mut S, n: u64, direction: Direction) -> Result<(), S::Error> {
    let (width, n_vectors) = (LANES as u64, n.div_ceil(LANES as u64));
    let (mut carry, mut running) = (None, None);
    for step in 0..n_vectors {
        let vector = match direction {
            Direction::Forward => step,
            Direction::Backward => n_vectors - 1 - step,
        };
        let enters_block = match direction {
            Direction::Forward => (vector * width).is_multiple_of(SCAN_BLOCK),
            Direction::Backward => ((vector + 1) * width).is_multiple_of(SCAN_BLOCK),
        };
        if enters_block {
            carry = join(group, carry, running.take())?;
        }
        // In the order of the scan.
        let position = |lane: usize| match direction {
            Direction::Forward => vector * width + lane as u64,
            Direction::Backward => vector * width + (LANES - 1 - lane) as u64,
        };
        let mut values = [None; LANES];
        for (lane, value) in values.iter_mut().enumerate() {
            if position(lane) < n {
                *value = group.value(position(lane));
            }
        }
        let present = values.map(|value| value.is_some());
        for distance in [1, 2, 4, 8] {
            for lane in (distance..LANES).rev() {
                values[lane] = join(group, values[lane - distance], values[lane])?;
            }
        }
        let mut before = join(group, carry, running)?;
        for lane in 0..LANES {
            let local = join(group, running, values[lane])?;
            let with = join(group, carry, local)?;
            if let (true, Some(with)) = (present[lane], with) {
                group.put(position(lane), before, with);
            }
            before = with;
        }
        running = join(group, running, values[LANES - 1])?;
    }
    Ok(())
}

fn join<S: Scanned>(
    group: &mut S,
    earlier: Option<S::Item>,
    later: Option<S::Item>,
) -> Result<Option<S::Item>, S::Error> {
    match (earlier, later) {
        (Some(earlier), Some(later)) => group.join(earlier, later).map(Some),
        (earlier, later) => Ok(earlier.or(later)),
    }
}
