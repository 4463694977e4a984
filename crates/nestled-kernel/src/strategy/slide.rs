//! Sliding windows: neighbours in a few places of a vector's elements, loaded as two vectors and moved into place in registers.
//!
//! Of seven vectors that begin one element after another, six lie across two lines of the cache, each of which is loaded for them. Two vectors hold all that the seven
//! want; the instruction that takes the upper lanes of one and the lower ones of another costs less than a load.
//!
//! ```text
//! window     −3  −2  −1   0  +1  +2  +3
//! low        elements j − 3 … j + 12
//! high       elements j + 13 … j + 18, and no more: the others may not exist
//! window −1  low's lanes 2 … 15, then high's 0, 1
//! ```

use super::Info;
use crate::nest::elem;
use crate::target::Target;
use nestled_ir::{Kernel, Offset, Rule, StmtKind, Thunk, ValueId};
use std::collections::HashMap;

/// Fewer windows are loaded one by one.
const FEW: usize = 4;

/// For people and tests.
pub const INFO: Info = Info {
    word: "sliding-window",
    summary: "a sliding window: reads at neighbouring places of a row share two vectors, from which each is shuffled",
    condition: "AVX-512, elements of 4 bytes or more, 4 or more places on one line of a row, no further apart than a vector is long; none of them only proved",
    cost: "a shuffle for each place; saves loads that lie across two lines of the cache",
};

/// What is read, and where but for the place in the row.
pub type Line = (ValueId, Vec<Offset>);

/// The own place.
pub const HERE: Offset = Offset { by: 0, rule: Rule::Clamp };

/// The windows on a line, by how far along the row they are.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Reach {
    low: i64,
    high: i64,
    count: usize,
}

/// The windows of a thunk that are there whichever way it goes.
#[derive(Debug, Default)]
pub struct Reaches(HashMap<Line, Reach>);

/// A window among others on its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slide {
    /// The line.
    pub line: Line,
    /// How far it is from the first of them.
    pub by: i64,
    /// How far the last is from the first.
    pub reach: i64,
}

/// A line, and a place on it.
fn place(bind: ValueId, offsets: &[Offset]) -> Option<(Line, Offset)> {
    let (along, line) = offsets.split_last()?;
    // The own row is there, whatever the rule says.
    let own = |offset: &Offset| if offset.by == 0 { HERE } else { *offset };
    Some(((bind, line.iter().map(own).collect()), *along))
}

impl Reaches {
    /// Those of a thunk at points of so many coordinates.
    pub fn of(thunk: &Thunk, rank: usize) -> Reaches {
        let mut places: HashMap<Line, Vec<i64>> = HashMap::new();
        for stmt in &thunk.body.stmts {
            let found = match &stmt.kind {
                StmtKind::Window { bind, offsets, .. } => place(*bind, offsets),
                StmtKind::Own { bind, .. } => place(*bind, &vec![HERE; rank]),
                _ => None,
            };
            // What is proved may be so only for points that have passed a check.
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

    /// A window among enough others on its line, if vectors of so many lanes run along the row.
    pub fn slide(
        &self,
        target: &Target,
        lanes: usize,
        kernel: &Kernel,
        (bind, offsets): (ValueId, &[Offset]),
    ) -> Option<Slide> {
        if !target.avx512 || elem(kernel, bind).size() < 4 {
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

/// Whether a window of a thunk slides, at points of so many coordinates.
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
