//! Rolling windows (loop tiling across nests): nests run one after another on a *band* of a few rows at a time, so that intermediate values stay in
//! the cache.
//!
//! A window reads rows before and after the reader's own. So an earlier nest (a *stage*) runs ahead of a later one by the reach of the windows
//! between them, and each thread begins some rows before its own (overlapped tiling). Values that do not leave the band are stored in a *ring*
//! buffer: the last rows of the value, row r at place r modulo the number of rows kept. Where even a few whole rows exceed the cache, the rows are
//! cut into *strips* of columns, which overlap by the sideways reach of the windows.

use crate::memory::{Home, Memory};
use crate::nest::{At, Nest};
use crate::strategy::info::Info;
use nestled_ir::{Axis, CombinatorKind, Kernel, Offset, Rule, ScalarType, StmtKind, Type, ValueId};
use std::collections::HashMap;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "rolling-window",
    summary: "nests run one after another on a few rows at a time; what goes between them lies in rings of rows, and wide rows are cut into strips",
    condition: "nests that follow each other, of maps over the same grid of two axes or more, whose windows reach at most 32 rows; no window wraps around (`wrap`) from the last row to the first",
    cost: "a thread computes the rows before its own once more; saves writing what goes between nests to memory and reading it again",
};

/// The maximum reach of a window, in rows; windows that reach further read from memory.
const MAX_REACH: u64 = 32;

/// The maximum sideways reach of a window, in columns; beyond it rows are not cut into strips.
const MAX_COLUMNS: u64 = 1 << 16;

/// The width of a strip is a multiple of this number of columns, where possible.
pub const LINE: u64 = 16;

/// A group of nests that run band by band.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Band {
    /// The first nest.
    pub first: usize,
    /// The stages: one for each nest, in order.
    pub stages: Vec<Stage>,
    /// The values stored in rings.
    pub rings: Vec<Ring>,
    /// The buffers of the rings.
    pub rooms: Vec<Room>,
    /// The level of the points.
    pub level: usize,
    /// Whether the rows can be cut into strips of columns.
    pub strips: bool,
}

impl Band {
    /// Returns the range of nests of the band.
    pub fn nests(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.stages.len()
    }
}

/// A nest of a band, and its distance from the last stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stage {
    /// Number of rows after those of the last stage that must be done first.
    pub ahead: u64,
    /// Number of rows before the first row of the last stage that are needed.
    pub behind: u64,
    /// Number of columns to the left of those of the last stage that are needed, in strips.
    pub left: u64,
    /// Number of columns to the right. `left + right` is rounded up to whole vectors, so that inner strips consist of whole vectors.
    pub right: u64,
}

/// A value stored in a ring buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ring {
    /// The number of the stored value.
    pub stored: usize,
    /// The stage that computes it.
    pub stage: usize,
    /// Number of rows kept beside those of a band.
    pub kept: u64,
    /// The type of an element.
    pub elem: ScalarType,
    /// The number of its buffer in [`Band::rooms`].
    pub room: usize,
    /// The first ring with the same layout of rows.
    pub like: usize,
}

/// The buffer of a ring. It may be reused by several rings in turn if no row of theirs is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Number of rows kept beside those of a band.
    pub kept: u64,
    /// Size of an element in bytes.
    pub size: u64,
}

/// A read of a value that an earlier stage computed.
struct Link {
    value: ValueId,
    maker: usize,
    reader: usize,
    /// Number of rows before and after its own that the reader reaches.
    reach: (u64, u64),
    /// Number of columns to the left and right that it reaches; `None` if unbounded.
    columns: Option<(u64, u64)>,
}

/// Groups the nests of a kernel into bands.
pub fn bands(kernel: &Kernel, nests: &[Nest], memory: &Memory) -> Vec<Band> {
    let mut bands = Vec::new();
    let mut first = 0;
    while first < nests.len() {
        let mut end = first + 1;
        if suits(kernel, &nests[first]) {
            while end < nests.len() && goes_on(kernel, nests, first, end) {
                end += 1;
            }
        }
        if end - first > 1 {
            bands.push(band(kernel, nests, memory, first..end));
        }
        first = end;
    }
    bands
}

/// True if a nest can be a stage: it consists of maps over a grid.
fn suits(kernel: &Kernel, nest: &Nest) -> bool {
    let is_extent = |axis: &Axis| match axis {
        Axis::Const(_) => true,
        Axis::Sym(symbol) => matches!(kernel.values[symbol.index()].ty, Type::Dim),
    };
    let is_map = |step: usize| matches!(kernel.steps[step].kind, CombinatorKind::Map);
    nest.level >= 2
        && nest.group == 0
        && kernel.space[..nest.level].iter().all(is_extent)
        && nest.items.iter().all(|item| item.at == At::Element(0) && is_map(item.step))
}

/// True if nest `next` can join the band that begins at nest `first`.
fn goes_on(kernel: &Kernel, nests: &[Nest], first: usize, next: usize) -> bool {
    nests[next].level == nests[first].level
        && suits(kernel, &nests[next])
        && links(kernel, nests, first..next + 1)
            .is_some_and(|links| links.iter().all(|link| link.reach.0.max(link.reach.1) <= MAX_REACH))
}

/// Returns the reads between the nests of a range; `None` if one of them reaches rows far away.
fn links(kernel: &Kernel, nests: &[Nest], range: std::ops::Range<usize>) -> Option<Vec<Link>> {
    let mut made: HashMap<ValueId, usize> = HashMap::new();
    let mut links = Vec::new();
    for (stage, nest) in nests[range].iter().enumerate() {
        for item in &nest.items {
            let step = &kernel.steps[item.step];
            for value in step.reads().0 {
                if let Some(&maker) = made.get(&value).filter(|&&maker| maker != stage) {
                    links.push(Link { value, maker, reader: stage, reach: (0, 0), columns: Some((0, 0)) });
                }
            }
            let mut near = true;
            step.body.body.walk(&mut |stmt| {
                if let StmtKind::Window { bind, offsets, .. } = &stmt.kind
                    && let Some(&maker) = made.get(bind)
                {
                    let columns = offsets
                        .get(1)
                        .and_then(reach)
                        .filter(|&(left, right)| left.max(right) <= MAX_COLUMNS);
                    match reach(&offsets[0]) {
                        Some(reach) => {
                            links.push(Link { value: *bind, maker, reader: stage, reach, columns });
                        }
                        None => near = false,
                    }
                }
            });
            if !near {
                return None;
            }
            made.extend(step.binds.iter().map(|&bind| (bind, stage)));
        }
    }
    Some(links)
}

/// Returns the number of rows before and after its own that a reader reaches; `None` if the window wraps around.
fn reach(offset: &Offset) -> Option<(u64, u64)> {
    match (offset.by, offset.rule) {
        (0, _) => Some((0, 0)),
        // Wraps around from one end to the other.
        (_, Rule::Wrap) => None,
        (by, Rule::Clamp | Rule::Fault | Rule::Else | Rule::Proved) => {
            Some((by.min(0).unsigned_abs(), by.max(0).unsigned_abs()))
        }
    }
}

fn band(kernel: &Kernel, nests: &[Nest], memory: &Memory, range: std::ops::Range<usize>) -> Band {
    let links = links(kernel, nests, range.clone()).unwrap_or_default();
    let mut stages = vec![Stage::default(); range.len()];
    for stage in (0..stages.len()).rev() {
        for link in links.iter().filter(|link| link.maker == stage) {
            let reader = stages[link.reader];
            let own = &mut stages[stage];
            own.ahead = own.ahead.max(reader.ahead + link.reach.1);
            own.behind = own.behind.max(reader.behind + link.reach.0);
            let columns = link.columns.unwrap_or_default();
            own.left = own.left.max(reader.left + columns.0);
            own.right = own.right.max(reader.right + columns.1);
        }
        let own = &mut stages[stage];
        own.right = (own.left + own.right).next_multiple_of(LINE) - own.left;
    }
    // Values that a nest after the band reads are stored as a whole.
    let mut read_later = Vec::new();
    for item in nests[range.end..].iter().flat_map(|nest| &nest.items) {
        let (own, windows) = kernel.steps[item.step].reads();
        read_later.extend(own.into_iter().chain(windows));
    }
    let mut rings: Vec<Ring> = Vec::new();
    for link in &links {
        let Some(Home::Stored(stored)) = memory.home(link.value) else { continue };
        if read_later.contains(&link.value) {
            continue;
        }
        let kept = stages[link.maker].ahead - stages[link.reader].ahead + link.reach.0;
        match rings.iter_mut().find(|ring| ring.stored == stored) {
            Some(ring) => ring.kept = ring.kept.max(kept),
            None => {
                let elem = kernel.elem(link.value);
                rings.push(Ring { stored, stage: link.maker, kept, elem, room: 0, like: stored });
            }
        }
    }
    let reads_of = |ring: &Ring| {
        let slot = Some(Home::Stored(ring.stored));
        links.iter().filter(move |link| memory.home(link.value) == slot)
    };
    let last = |ring: &Ring| reads_of(ring).map(|link| link.reader).max().unwrap_or(ring.stage);
    let ends: Vec<usize> = rings.iter().map(last).collect();
    // A ring that a single map reads for the last time, at its own point, may share its buffer with the result of that map.
    let gives_way = |(ring, &end): (&Ring, &usize)| {
        let own = |link: &Link| link.reach == (0, 0) && link.columns == Some((0, 0));
        nests[range.start + end].items.len() == 1 && reads_of(ring).filter(|link| link.reader == end).all(own)
    };
    let give_way: Vec<bool> = rings.iter().zip(&ends).map(gives_way).collect();
    let rooms = rooms(&mut rings, &ends, &give_way);
    for at in 0..rings.len() {
        let alike = |ring: &Ring| (stages[ring.stage].ahead, ring.kept);
        let first = rings.iter().find(|ring| alike(ring) == alike(&rings[at]));
        rings[at].like = first.map_or(rings[at].stored, |ring| ring.stored);
    }
    let level = nests[range.start].level;
    let strips = level == 2 && links.iter().all(|link| link.columns.is_some());
    Band { first: range.start, stages, rings, rooms, level, strips }
}

/// Allocates a buffer for each ring (a linear scan over live ranges). `ends` has the last stage that reads each ring, and `give_way` tells whether
/// the result of that stage may reuse the buffer. A ring without kept rows holds nothing from one band of rows to the next, so later rings may reuse
/// its buffer.
fn rooms(rings: &mut [Ring], ends: &[usize], give_way: &[bool]) -> Vec<Room> {
    let mut order: Vec<usize> = (0..rings.len()).collect();
    order.sort_by_key(|&at| rings[at].stage);
    let mut rooms: Vec<Room> = Vec::new();
    // The ring that each buffer was given to last.
    let mut holders: Vec<usize> = Vec::new();
    for at in order {
        let (stage, kept, size) = (rings[at].stage, rings[at].kept, rings[at].elem.size() as u64);
        let is_free = |&room: &usize| {
            let holder = holders[room];
            let same = rooms[room].size == size && give_way[holder];
            rings[holder].kept == 0 && (ends[holder] < stage || ends[holder] == stage && same)
        };
        let free = (0..rooms.len()).find(|room| kept == 0 && is_free(room));
        rings[at].room = match free {
            Some(room) => {
                rooms[room].size = rooms[room].size.max(size);
                holders[room] = at;
                room
            }
            None => {
                rooms.push(Room { kept, size });
                holders.push(at);
                rooms.len() - 1
            }
        };
    }
    rooms
}
