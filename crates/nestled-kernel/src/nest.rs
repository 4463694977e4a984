//! Loop fusion inside a kernel: decides which combinators share a loop nest.
//!
//! A **nest** is one loop structure: for each group (a point of level g), *sweeps* over the points of level L below it. A combinator joins the last
//! nest if every value that it reads is available in time: in a register, computed earlier in the same sweep; or at the group, computed by an earlier
//! sweep. All values that cross nests or sweeps go through memory.

use crate::combinator::{has_user_monoid, is_ordered, is_tiled, scans_across_rows};
use crate::stages::known_stages;
use nestled_ir::{
    Combinator, CombinatorKind, Direction, Kernel, Level, Program, StmtKind, Type, ValueId, typing::Scope,
};
use std::collections::{HashMap, HashSet};

/// The place of a combinator in its nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// At each point of the nest's level, in sweep `.0`.
    Element(usize),
    /// Once for each group, before sweep `.0`.
    Group(usize),
}

/// A combinator of a nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its position in the kernel's steps.
    pub step: usize,
    /// The place where it runs.
    pub at: At,
}

/// The order in which a sweep visits points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// W points at a time.
    Vectors,
    /// One point after another: values are combined by a monoid of the program, or there is only one point.
    Points,
}

/// A loop nest: combinators that share a loop structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nest {
    /// The level g: each group is one point of it.
    pub group: usize,
    /// The level L of the points that are swept; 0 if the nest runs once.
    pub level: usize,
    /// The combinators, in order of the kernel.
    pub items: Vec<Item>,
    /// The direction of the sweeps; backward only if there are backward scans.
    pub direction: Direction,
    /// The order in which points are visited.
    pub order: Order,
    /// Whether points are known by their number alone: no combinator needs a coordinate.
    pub flat: bool,
    /// Whether a reduction's order is fixed by lanes and tiles.
    pub tiled: bool,
    /// Whether it scans across the whole. The sweep then has two phases.
    pub chained: bool,
    /// Whether a scan's order is fixed by vectors and blocks.
    pub ordered: bool,
    /// Whether only a strip of the columns of its rows is walked, delimited by two slots.
    pub strips: bool,
}

fn is_map(kernel: &Kernel, item: &Item) -> bool {
    matches!(kernel.steps[item.step].kind, CombinatorKind::Map)
}

impl Nest {
    /// Returns the number of sweeps.
    pub fn sweeps(&self) -> usize {
        let sweep = |item: &Item| match item.at {
            At::Element(sweep) => sweep + 1,
            At::Group(_) => 0,
        };
        self.items.iter().map(sweep).max().unwrap_or(0)
    }

    /// True if all vectors begin at multiples of W elements, so that non-temporal stores are possible.
    pub fn streams(&self) -> bool {
        self.group == 0
            && self.level > 0
            && self.order == Order::Vectors
            && self.direction == Direction::Forward
    }

    /// True if elements are only reduced: they are read once and little is written, so nothing hides the latency of memory.
    pub fn only_reduces(&self, kernel: &Kernel) -> bool {
        let mut elements = self.items.iter().filter(|item| matches!(item.at, At::Element(_)));
        let reduces = |item: &Item| matches!(kernel.steps[item.step].kind, CombinatorKind::Reduce { .. });
        let leaves = |item: &Item| kernel.steps[item.step].binds.iter().any(|bind| kernel.ret.contains(bind));
        self.items.iter().any(reduces)
            && elements.all(|item| reduces(item) || (is_map(kernel, item) && !leaves(item)))
    }

    /// Iterates over the combinators that run at the elements, in all sweeps.
    pub fn in_sweeps(&self) -> impl Iterator<Item = usize> {
        self.items.iter().filter(|item| matches!(item.at, At::Element(_))).map(|item| item.step)
    }

    /// Iterates over the combinators that run at the elements in a sweep.
    pub fn in_sweep(&self, sweep: usize) -> impl Iterator<Item = usize> {
        self.items.iter().filter(move |item| item.at == At::Element(sweep)).map(|item| item.step)
    }

    /// Iterates over the combinators that run at the group before a sweep.
    pub fn before_sweep(&self, sweep: usize) -> impl Iterator<Item = usize> {
        self.items.iter().filter(move |item| item.at == At::Group(sweep)).map(|item| item.step)
    }
}

/// Fuses the combinators of a legalised kernel into nests.
pub fn nests(program: &Program, kernel: &Kernel) -> Vec<Nest> {
    let mut planner = Nests::new(program, kernel);
    let stages = known_stages(&kernel.steps);
    for step in 0..kernel.steps.len() {
        // A return to an earlier stage begins another bundle.
        if stages.as_ref().is_some_and(|stages| step > 0 && stages[step] < stages[step - 1]) {
            planner.open = false;
        }
        planner.add(step);
    }
    let mut nests = planner.nests;
    for nest in &mut nests {
        nest.flat = nest.items.iter().all(|item| match item.at {
            At::Element(_) => is_flat(kernel, &kernel.steps[item.step], nest.level, nest.group),
            At::Group(_) => true,
        });
    }
    nests
}

/// The nests of some combinators, in the order in which they were added.
#[derive(Clone)]
pub struct Nests<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    nests: Vec<Nest>,
    /// Whether the last nest accepts more combinators.
    open: bool,
    /// Whether the last nest is not yet bound to a group level.
    free: bool,
    /// The nest and item that bind each value.
    made: HashMap<ValueId, (usize, Item)>,
    /// The steps that are scans, or depend on a scan of their nest.
    after_scan: HashSet<usize>,
}

impl<'a> Nests<'a> {
    /// No nests.
    pub fn new(program: &'a Program, kernel: &'a Kernel) -> Nests<'a> {
        Nests {
            program,
            kernel,
            nests: Vec::new(),
            open: false,
            free: false,
            made: HashMap::new(),
            after_scan: HashSet::new(),
        }
    }

    /// Adds a combinator to the last nest, if it can join it; returns whether it can.
    pub fn join(&mut self, step: usize) -> bool {
        let item = self.joined(step);
        item.is_some_and(|item| {
            self.put(step, item);
            true
        })
    }

    /// Adds a combinator to the last nest, or to a new one.
    pub fn add(&mut self, step: usize) {
        let item = match self.joined(step) {
            Some(item) => item,
            None => self.begin(step),
        };
        self.put(step, item);
    }

    fn put(&mut self, step: usize, item: Item) {
        let combinator = &self.kernel.steps[step];
        let last = self.nests.len() - 1;
        let nest = &mut self.nests[last];
        nest.items.push(item);
        if let At::Element(_) = item.at {
            if let Some(group) = combinator.kind.group() {
                nest.group = group.0;
                self.free = false;
            }
            nest.tiled |= is_tiled(self.program, self.kernel, combinator);
            nest.ordered |= is_ordered(self.program, self.kernel, combinator);
            nest.chained |= nest.group == 0 && matches!(combinator.kind, CombinatorKind::Scan { .. });
            if let CombinatorKind::Scan { direction, .. } = combinator.kind {
                nest.direction = direction;
            }
        }
        let (own, _) = combinator.reads();
        if self.is_scan(step) || self.depends_on_scan(&own, last) {
            self.after_scan.insert(step);
        }
        for &bind in &combinator.binds {
            self.made.insert(bind, (last, item));
        }
    }

    /// Begins a new nest with a combinator.
    fn begin(&mut self, step: usize) -> Item {
        let combinator = &self.kernel.steps[step];
        let level = combinator.level().0;
        let alone = is_alone(combinator);
        let points = level == 0 || has_user_monoid(combinator);
        let order = if points { Order::Points } else { Order::Vectors };
        self.nests.push(Nest {
            group: 0,
            level,
            items: Vec::new(),
            direction: Direction::Forward,
            order,
            flat: false,
            tiled: false,
            chained: false,
            ordered: false,
            strips: false,
        });
        self.open = !alone;
        self.free = true;
        Item { step, at: At::Element(0) }
    }

    /// Returns the place in the last nest where a combinator can run, if it can join.
    fn joined(&self, step: usize) -> Option<Item> {
        if !self.open {
            return None;
        }
        let combinator = &self.kernel.steps[step];
        if is_alone(combinator) {
            return None;
        }
        let (last, nest) = (self.nests.len() - 1, self.nests.last()?);
        let level = combinator.level().0;
        let (own, windows) = combinator.reads();
        if windows.iter().any(|bind| self.made.get(bind).is_some_and(|(made, _)| *made == last)) {
            return None;
        }
        if level == nest.level {
            let group = combinator.kind.group().map(|group| group.0);
            if group.is_some_and(|group| !self.free && group != nest.group) {
                return None;
            }
            let group_after = group.unwrap_or(nest.group);
            let sweep = self.sweep(&own, last, group_after)?;
            if !self.agrees(step, nest, &own, last, group_after) {
                return None;
            }
            return Some(Item { step, at: At::Element(sweep) });
        }
        let at_group = !self.free && level == nest.group && level > 0;
        if at_group && matches!(combinator.kind, CombinatorKind::Map) {
            return Some(Item { step, at: At::Group(self.sweep(&own, last, level)?) });
        }
        None
    }

    /// Returns the first sweep in which all values that are read are available.
    fn sweep(&self, own: &[ValueId], last: usize, group: usize) -> Option<usize> {
        let mut least = 0;
        for bind in own {
            let Some((made, item)) = self.made.get(bind) else { continue };
            if *made != last {
                continue;
            }
            let reduces = matches!(self.kernel.steps[item.step].kind, CombinatorKind::Reduce { .. });
            least = least.max(match item.at {
                At::Element(_) if reduces && group == 0 => return None,
                At::Element(sweep) if reduces => sweep + 1,
                At::Element(sweep) | At::Group(sweep) => sweep,
            });
        }
        Some(least)
    }

    /// True if the nest's order of visiting points, and its phases, allow a combinator.
    fn agrees(&self, at: usize, nest: &Nest, own: &[ValueId], last: usize, group: usize) -> bool {
        let step = &self.kernel.steps[at];
        let scans = nest.items.iter().any(|item| self.is_scan(item.step));
        let across_rows = |at: usize| scans_across_rows(self.program, self.kernel, &self.kernel.steps[at]);
        let elements = || nest.in_sweeps().chain([at]);
        let flat = |at: usize| is_flat(self.kernel, &self.kernel.steps[at], nest.level, group);
        if elements().any(across_rows) && !elements().all(flat) {
            return false;
        }
        match &step.kind {
            CombinatorKind::Map => true,
            CombinatorKind::Scan { direction, .. } => {
                let ordered = nest.items.iter().any(|item| needs_order(&self.kernel.steps[item.step]));
                let same_way = nest.direction == *direction || (!scans && !ordered);
                // A scan of a scan needs the carry of the first before its own total is known.
                same_way && (group > 0 || !self.depends_on_scan(own, last))
            }
            CombinatorKind::Reduce { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Permute { .. }
            | CombinatorKind::Serial { .. } => nest.direction == Direction::Forward,
        }
    }

    fn is_scan(&self, step: usize) -> bool {
        matches!(self.kernel.steps[step].kind, CombinatorKind::Scan { .. })
    }

    fn depends_on_scan(&self, own: &[ValueId], last: usize) -> bool {
        own.iter().any(|bind| match self.made.get(bind) {
            Some((made, item)) => *made == last && self.after_scan.contains(&item.step),
            None => false,
        })
    }
}

/// True if the combinator must visit points forward.
fn needs_order(step: &Combinator) -> bool {
    match step.kind {
        CombinatorKind::Map | CombinatorKind::Scan { .. } => false,
        CombinatorKind::Reduce { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => true,
    }
}

/// True if the combinator needs a nest of its own: it combines by a monoid of the program, scans backward through several rows, or is a `serial`.
pub fn is_alone(step: &Combinator) -> bool {
    let backward = match &step.kind {
        CombinatorKind::Scan { direction: Direction::Backward, within, .. } => step.level().0 - within.0 > 1,
        _ => false,
    };
    backward || has_user_monoid(step) || matches!(step.kind, CombinatorKind::Serial { .. })
}

/// True if a combinator needs only the number of its point: it reads, at its own point, arrays over the whole space and combinators of its level, of
/// its nest's group and of level 0.
pub fn is_flat(kernel: &Kernel, step: &Combinator, level: usize, group: usize) -> bool {
    if level <= 1 {
        return true;
    }
    let scope = Scope::new(&kernel.values);
    let shape = scope.level_shape(&kernel.space, step.level());
    let thunk = &step.body;
    let of_group = scope.level_shape(&kernel.space, Level(group));
    let flat_bind = |bind: &ValueId| match scope.ty(*bind) {
        Type::Array(array) => array.shape.is_scalar() || array.shape == shape || array.shape == of_group,
        _ => false,
    };
    let mut flat = step.guard.iter().all(flat_bind);
    let mut mentions = |atom: &nestled_ir::Atom| {
        if let nestled_ir::Atom::Local(local) = atom {
            return local.index() < thunk.n_params;
        }
        false
    };
    flat &= !thunk.body.results.iter().any(&mut mentions);
    let mut blocks_use = false;
    thunk.body.walk(&mut |stmt| {
        for block in stmt.kind.blocks() {
            blocks_use |= block.results.iter().any(&mut mentions);
        }
        match &stmt.kind {
            StmtKind::Read { array, index, default, .. } => {
                let dense_here = scope
                    .ty(*array)
                    .as_array()
                    .is_some_and(|ty| ty.shape == shape && ty.placement == nestled_ir::Placement::Dense);
                let uses = index.iter().any(|index| mentions(&index.at)) || default.iter().any(&mut mentions);
                flat &= !uses
                    || (dense_here
                        && index.len() == level
                        && nestled_ir::are_own_coordinates(index)
                        && !default.iter().any(&mut mentions));
            }
            StmtKind::Own { bind, .. } => flat &= flat_bind(bind),
            StmtKind::Window { .. } => flat = false,
            other => flat &= !other.atoms().iter().any(&mut mentions),
        }
    });
    flat && !blocks_use
}
