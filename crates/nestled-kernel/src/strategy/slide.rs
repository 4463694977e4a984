//! Sliding windows in registers: neighbouring windows along a row are extracted from two loaded vectors by shuffles.
//!
//! Of seven unaligned vectors that begin one element after another, six cross a cache line, and each loads two lines. Two vectors hold all elements
//! of the seven. The instruction that concatenates the upper lanes of one and the lower lanes of another costs less than a load.
//!
//! ```text
//! window     −3  −2  −1   0  +1  +2  +3
//! low        elements j − 3 … j + 12
//! high       elements j + 13 … j + 18, and no more: the others may not exist
//! window −1  low's lanes 2 … 15, then high's 0, 1
//! ```

use super::Info;
use crate::target::Target;
use nestled_ir::{Kernel, Offset, Rule, StmtKind, Thunk, ValueId};
use std::collections::HashMap;

/// Minimum number of windows on a line; fewer are loaded one by one.
const FEW: usize = 4;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "sliding-window",
    summary: "a sliding window: reads at neighbouring places of a row share two vectors, from which each is shuffled",
    condition: "AVX-512, elements of 4 bytes or more, 4 or more places on one line of a row, no further apart than a vector is long; places that are marked `proved` at an offset other than 0 do not count (the proof may hold only where a check has passed)",
    cost: "a shuffle for each place; saves loads that lie across two lines of the cache",
};

/// A line of windows: the value that is read, and its offsets except the last, which is along the row.
pub type Line = (ValueId, Vec<Offset>);

/// The offset of the reader's own place.
pub const HERE: Offset = Offset { by: 0, rule: Rule::Clamp };

/// The extent of the windows on a line: least and greatest offset along the row, and number of distinct offsets.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Reach {
    low: i64,
    high: i64,
    count: usize,
}

/// The windows that a thunk reads on every path.
#[derive(Debug, Default)]
pub struct Reaches(HashMap<Line, Reach>);

/// A window together with the others on its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slide {
    /// The line.
    pub line: Line,
    /// The distance from the first window on the line.
    pub by: i64,
    /// The distance between the first and the last window on the line.
    pub reach: i64,
}

/// Splits the offsets of a window into its line and its place on the line.
fn place(bind: ValueId, offsets: &[Offset]) -> Option<(Line, Offset)> {
    let (along, line) = offsets.split_last()?;
    // At offset 0 the row exists, whatever the rule says.
    let own = |offset: &Offset| if offset.by == 0 { HERE } else { *offset };
    Some(((bind, line.iter().map(own).collect()), *along))
}

impl Reaches {
    /// Collects the windows of a thunk at points of `rank` coordinates.
    pub fn of(thunk: &Thunk, rank: usize) -> Reaches {
        let mut places: HashMap<Line, Vec<i64>> = HashMap::new();
        for stmt in &thunk.body.stmts {
            let found = match &stmt.kind {
                StmtKind::Window { bind, offsets, .. } => place(*bind, offsets),
                StmtKind::Own { bind, .. } => place(*bind, &vec![HERE; rank]),
                _ => None,
            };
            // A proof may hold only for points that have passed a check.
            let found = found.filter(|(_, along)| along.rule != Rule::Proved || along.by == 0);
            if let Some((line, along)) = found {
                places.entry(line).or_default().push(along.by);
            }
        }
        let reach = |mut along: Vec<i64>| {
            along.sort_unstable();
            along.dedup();
            Some(Reach { low: *along.first()?, high: *along.last()?, count: along.len() })
        };
        Reaches(places.into_iter().filter_map(|(line, along)| Some((line, reach(along)?))).collect())
    }

    /// Returns the window as one that slides, if vectors of `lanes` lanes run along the row and its line has enough windows.
    pub fn slide(
        &self,
        target: &Target,
        lanes: usize,
        kernel: &Kernel,
        (bind, offsets): (ValueId, &[Offset]),
    ) -> Option<Slide> {
        if !target.avx512 || kernel.elem(bind).size() < 4 {
            return None;
        }
        let (line, along) = place(bind, offsets)?;
        let reach = self.0.get(&line)?;
        let along = along.by;
        let by = along.checked_sub(reach.low)?;
        let all = reach.high.checked_sub(reach.low)?;
        let suits = reach.count >= FEW && along <= reach.high && by >= 0 && all < lanes as i64;
        suits.then_some(Slide { line, by, reach: all })
    }
}

/// True if a window of a thunk slides, at points of `rank` coordinates.
pub fn condition(
    target: &Target,
    lanes: usize,
    kernel: &Kernel,
    thunk: &Thunk,
    rank: usize,
    window: (ValueId, &[Offset]),
) -> bool {
    Reaches::of(thunk, rank).slide(target, lanes, kernel, window).is_some()
}
