//! Launch preparation: encodes the arguments of a launch as parameter words.

use super::bug;
use super::machine::{Block, Copy, Dispatch, Machine, Touch};
use super::memory::{Located, Memory};
use super::window::Window;
use crate::code::{Grid, Module, Size, When};
use crate::dialect::Language;
use crate::params::{EXTENT_MARK, KIND_OFFSETS, KIND_REGULAR};
use crate::range::MOST_POINTS;
use crate::repr::scalar_words;
use nestled_ir::{Axis, Kernel, Scalar, StmtKind, Type, ValueId};
use nestled_rt::device::{Arg, Cell, DeviceError, Extent, InPlace, Launch, ShapeArg};

/// Upper bounds of all symbolic sizes of a launch.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// Number of points of each level.
    levels: Vec<u64>,
    results: Vec<u64>,
    destinations: Vec<u64>,
    workgroup: u64,
    counts: Counts,
}

impl Sizes {
    /// Evaluates a symbolic size.
    pub fn of(&self, size: Size) -> u64 {
        match size {
            Size::Level(level) => self.levels[level],
            Size::Tiles { to, level, points } => self.levels[to] + self.levels[level] / u64::from(points) + 1,
            Size::Share { level, points } => self.levels[level] / u64::from(points) + 1,
            Size::Blocks { side } => {
                let (rows, side) = (self.levels[1], u64::from(side));
                let columns = self.levels[2].checked_div(rows).unwrap_or(0);
                rows.div_ceil(side) * columns.div_ceil(side)
            }
            Size::Times { level, by } => (self.levels[level] + 1).saturating_mul(by),
            Size::Result(at) => self.results[at],
            Size::ShareOfResult { at, elements } => self.results[at] / u64::from(elements) + 1,
            Size::Destination(at) => self.destinations[at],
            Size::Exactly(count) => count,
        }
    }

    /// Returns the number of points of a level.
    pub fn level(&self, level: usize) -> u64 {
        self.levels[level]
    }

    fn holds(&self, when: When) -> bool {
        match when {
            When::Always => true,
            When::AtLeast(size, least) => self.of(size) >= least,
            When::Below(size, least) => self.of(size) < least,
        }
    }

    fn groups(&self, grid: Grid) -> u64 {
        match grid {
            Grid::Threads { of, per } => (self.of(of) * u64::from(per)).div_ceil(self.workgroup),
            Grid::Some { of, per, most } => {
                (self.of(of) * u64::from(per)).div_ceil(self.workgroup).min(u64::from(most))
            }
            Grid::Groups(size) => self.of(size),
            Grid::GroupsIfMany(size) => Some(self.of(size)).filter(|&size| size > 1).unwrap_or(0),
            Grid::OneIfMany(size) => u64::from(self.of(size) > 1),
        }
    }
}

/// Numbers of points and segments of each shape parameter.
#[derive(Debug, Default)]
struct Counts {
    points: Vec<u64>,
    segments: Vec<u64>,
}

impl Counts {
    fn position(kernel: &Kernel, symbol: ValueId) -> usize {
        let position = kernel.shapes.iter().position(|&shape| shape == symbol);
        position.expect("the verifier checks that shapes of parameters are parameters")
    }

    /// Returns the number of points of axes; that of a segmentation includes its parents.
    fn of(&self, kernel: &Kernel, axes: &[Axis]) -> u64 {
        axes.iter().fold(1u64, |count, axis| match *axis {
            Axis::Const(extent) => count.saturating_mul(extent),
            Axis::Sym(symbol) => {
                let at = Counts::position(kernel, symbol);
                match kernel.values[symbol.index()].ty {
                    Type::Seg(_) => self.points[at],
                    Type::Dim | Type::Array(_) => count.saturating_mul(self.points[at]),
                }
            }
        })
    }
}

/// Computes the sizes of a launch. False if the machine cannot run it: there are too many points, or arrays are shorter than their shapes.
pub(super) fn find_sizes<M: Machine>(
    sizes: &mut Sizes,
    memory: &Memory<M>,
    kernel: &Kernel,
    module: &Module,
    launch: &Launch<'_>,
) -> bool {
    let Sizes { levels, results, destinations, workgroup, counts } = sizes;
    *workgroup = u64::from(memory.dialect().workgroup);
    counts.points.clear();
    counts.segments.clear();
    let mut fits = true;
    let small = |count: u64| count < MOST_POINTS;
    for (shape, &formal) in launch.shapes.iter().zip(&kernel.shapes) {
        let owners = match &kernel.values[formal.index()].ty {
            Type::Seg(seg) => counts.of(kernel, &seg.parent.axes),
            Type::Dim | Type::Array(_) => 1,
        };
        let total = match *shape {
            ShapeArg::Extent(extent) => extent.bound,
            ShapeArg::Regular { length } => {
                fits &= small(length.bound);
                owners.saturating_mul(length.bound)
            }
            ShapeArg::Offsets { offsets, total } => {
                fits &= owners < offsets.len;
                total.bound
            }
        };
        fits &= small(total) && small(owners);
        counts.points.push(total);
        counts.segments.push(owners);
    }
    for (arg, &param) in launch.args.iter().zip(&kernel.params) {
        let axes = kernel.values[param.index()].ty.as_array().map_or(&[][..], |array| &array.shape.axes);
        match arg {
            Arg::Scalar(_) | Arg::Cell(_) => {}
            Arg::Dense(slice) => fits &= counts.of(kernel, axes) <= slice.len && small(slice.len),
            Arg::View { data, starts } => {
                let owners = match axes.first() {
                    Some(&Axis::Sym(symbol)) => counts.segments[Counts::position(kernel, symbol)],
                    Some(Axis::Const(_)) | None => u64::MAX,
                };
                fits &= owners <= starts.len && small(data.len);
            }
        }
    }
    levels.clear();
    levels.extend((0..=kernel.space.len()).map(|level| counts.of(kernel, &kernel.space[..level])));
    fits &= levels.iter().all(|&level| small(level));
    fits &= launch.results.iter().all(|slice| small(slice.len));
    results.clear();
    results.extend(launch.results.iter().map(|slice| slice.len));
    destinations.clear();
    destinations.extend(module.destinations.iter().map(|axes| counts.of(kernel, axes)));
    fits && module.scratch.iter().all(|need| small(sizes.of(need.size).saturating_mul(need.words)))
}

/// Returns the greatest length of a launch's private arrays of dynamic size.
pub(super) fn private_size<M: Machine>(
    memory: &Memory<M>,
    kernel: &Kernel,
    module: &Module,
    launch: &Launch<'_>,
) -> Result<u64, DeviceError> {
    let mut most = 0;
    for &value in &module.private_sizes {
        let shape = kernel.shapes.iter().position(|&shape| shape == value);
        let size = match shape.map(|at| launch.shapes[at]) {
            Some(ShapeArg::Extent(extent)) => extent.bound,
            Some(ShapeArg::Regular { .. } | ShapeArg::Offsets { .. }) => {
                return Err(bug("a private array as long as a segmentation"));
            }
            None => {
                let param = kernel.params.iter().position(|&param| param == value);
                let size = match param.map(|at| &launch.args[at]) {
                    Some(Arg::Scalar(size)) => *size,
                    // There is no bound, so the host must wait for the number.
                    Some(Arg::Cell(cell)) => memory.cell(*cell)?,
                    Some(Arg::Dense(_) | Arg::View { .. }) | None => {
                        return Err(bug("a private array whose size is no number"));
                    }
                };
                size.as_integer().unwrap_or(0).max(0) as u64
            }
        };
        most = most.max(size);
    }
    Ok(most)
}

/// Encodes all parameters except results and scratch, and the list of dispatches.
pub(super) fn fill<M: Machine>(
    block: &mut Block,
    memory: &Memory<M>,
    module: &Module,
    launch: &Launch<'_>,
    sizes: &Sizes,
) -> Result<(), DeviceError> {
    let layout = &module.layout;
    block.clear();
    block.words.resize(layout.n_words(), 0);
    let language = memory.dialect().language;
    for (at, shape) in launch.shapes.iter().enumerate() {
        let word = layout.shape(at);
        let size = match *shape {
            ShapeArg::Extent(extent) => extent,
            ShapeArg::Regular { length } => length,
            ShapeArg::Offsets { offsets, total } => {
                block.words[word as usize] = KIND_OFFSETS;
                block.reads(language, word + 1, memory.place(offsets)?);
                block.words[word as usize + 3] = offsets.len as u32;
                total
            }
        };
        if !matches!(shape, ShapeArg::Offsets { .. }) {
            block.words[word as usize] = KIND_REGULAR;
        }
        block.extent(memory, layout.shape_size(at), size)?;
    }
    for (at, arg) in launch.args.iter().enumerate() {
        let word = layout.param(at);
        match *arg {
            Arg::Scalar(scalar) => block.scalar(word, scalar),
            Arg::Cell(cell) => block.number(memory, word, layout.mark(at), cell)?,
            Arg::Dense(slice) => {
                block.reads(language, word, memory.place(slice)?);
                block.words[word as usize + 2] = slice.len as u32;
            }
            Arg::View { data, starts } => {
                block.reads(language, word, memory.place(data)?);
                block.words[word as usize + 2] = data.len as u32;
                let word = layout.starts(at);
                block.reads(language, word, memory.place(starts)?);
                block.words[word as usize + 2] = starts.len as u32;
            }
        }
    }
    for (entry, what) in module.entries.iter().enumerate() {
        let groups = sizes.groups(what.grid);
        if groups > 0 && sizes.holds(what.when) {
            block.dispatches.push(Dispatch { entry, groups });
        }
    }
    Ok(())
}

/// Encodes the addresses and lengths of results.
pub(super) fn results<M: Machine>(
    memory: &Memory<M>,
    module: &Module,
    launch: &Launch<'_>,
    block: &mut Block,
) -> Result<(), DeviceError> {
    for (at, &slice) in launch.results.iter().enumerate() {
        let word = module.layout.result(at);
        block.writes(memory.dialect().language, word, memory.place(slice)?);
        block.words[word as usize + 2] = u32::try_from(slice.len).map_err(|_| bug("a result that long"))?;
    }
    Ok(())
}

impl Block {
    /// Empties the block, but keeps its allocations.
    pub(super) fn clear(&mut self) {
        let Block { words, copies, ones, touches, dispatches } = self;
        words.clear();
        copies.clear();
        ones.clear();
        touches.clear();
        dispatches.clear();
    }

    /// Encodes an address: in WGSL as the number of an element, or of a word if an element is larger.
    pub(super) fn address(&mut self, language: Language, word: u32, located: impl Into<Located>) {
        let Located { place, unit } = located.into();
        let stored = match language {
            Language::Wgsl => place.address / unit,
            Language::Cuda => place.address,
        };
        self.words[word as usize] = stored as u32;
        if language == Language::Cuda {
            self.words[word as usize + 1] = (stored >> 32) as u32;
        }
    }

    /// Encodes the address of memory that is written, and records the access.
    pub(super) fn writes(&mut self, language: Language, word: u32, located: impl Into<Located>) {
        let located = located.into();
        self.address(language, word, located);
        self.touches.push(Touch { place: located.place, writes: true });
    }

    /// Encodes the address of memory that is read, and records the access.
    pub(super) fn reads(&mut self, language: Language, word: u32, located: impl Into<Located>) {
        let located = located.into();
        self.address(language, word, located);
        self.touches.push(Touch { place: located.place, writes: false });
    }

    pub(super) fn scalar(&mut self, word: u32, scalar: Scalar) {
        let words = scalar_words(scalar);
        self.words[word as usize..word as usize + 2].copy_from_slice(&words);
    }

    pub(super) fn extent<M: Machine>(
        &mut self,
        memory: &Memory<M>,
        word: u32,
        extent: Extent,
    ) -> Result<(), DeviceError> {
        self.scalar(word, Scalar::I64(extent.bound as i64));
        self.words[word as usize + 2] = extent.bound as u32;
        match extent.exact {
            Some(cell) => self.number(memory, word, word + EXTENT_MARK, cell),
            None => Ok(()),
        }
    }

    /// Encodes a number that only the device knows.
    fn number<M: Machine>(
        &mut self,
        memory: &Memory<M>,
        word: u32,
        mark: u32,
        cell: Cell,
    ) -> Result<(), DeviceError> {
        let Window { place, skip, words } = memory.cell_window(cell)?;
        match memory.dialect().language {
            Language::Wgsl => {
                self.copies.push(Copy { word, place, words: words as u32 });
                self.words[mark as usize] = 8 * skip as u32;
            }
            Language::Cuda => {
                self.reads(Language::Cuda, word, place.plus(skip));
                self.words[mark as usize] = 1;
            }
        }
        Ok(())
    }
}

/// Returns the results of maps that may overwrite an argument that is read only at the own place.
pub(super) fn own_reads(kernel: &Kernel) -> Vec<InPlace> {
    let own = |param: ValueId| {
        kernel.steps.iter().all(|step| {
            let mut own = true;
            step.body.body.walk(&mut |stmt| {
                if let StmtKind::Read { array, index, .. } = &stmt.kind
                    && *array == param
                {
                    own &= step.is_own_point(index);
                }
            });
            own
        })
    };
    let mut pairs = Vec::new();
    // Only with a single combinator is it certain that no read follows the write.
    if kernel.steps.len() != 1 {
        return pairs;
    }
    for (result, &value) in kernel.ret.iter().enumerate() {
        for (param, &array) in kernel.params.iter().enumerate() {
            if kernel.are_alike(array, value) && own(array) {
                pairs.push(InPlace { param, result });
            }
        }
    }
    pairs
}
