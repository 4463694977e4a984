//! Prints kernels and monoids.

use super::lines::{Lines, binders, commas};
use super::literal::literal;
use super::names::Namer;
use super::thunk::{Around, ThunkPrinter};
use super::types::ValueNames;
use super::{Printer, item};
use crate::id::ValueId;
use crate::kernel::{
    Base, Collision, Combinator, CombinatorKind, Direction, Inclusion, Kernel, Level, Range,
};
use crate::monoid::{Monoid, MonoidPart};
use crate::text::elab::result_places;
use crate::types::{Axis, Shape, Type};

impl Printer<'_> {
    /// `monoid affine = unit (1.0f32, 0.0f32) combine compose`, one line for each.
    pub fn monoids(&mut self) -> Lines {
        let mut lines = Lines::default();
        for (def, name) in self.program.monoids.iter().zip(&self.monoids) {
            let commutative = if def.commutative { " commutative" } else { "" };
            let exact = if def.exact { " exact" } else { "" };
            let unit: Vec<String> = def.unit.iter().map(|&scalar| literal(scalar, None)).collect();
            let combine = item(&self.thunks, def.combine.index());
            lines.push(format!(
                "monoid {name}{commutative}{exact} = unit ({}) combine {combine}",
                commas(&unit)
            ));
        }
        lines
    }

    /// `kernel k<n>(xs: [n]f32) over n { … }`
    pub fn kernel(&mut self, index: usize) -> Lines {
        let kernel = &self.program.kernels[index];
        let name = self.kernels[index].clone();
        let mut namer = Namer::default();
        let mut values = ValueNames::new(&kernel.values);
        let shapes = values.shape_params(&kernel.shapes, &mut namer);
        let params = values.params(&kernel.params, &mut namer);
        let over = if kernel.space.is_empty() {
            String::new()
        } else {
            format!("over {} ", values.axes(&kernel.space))
        };
        let seen = Seen { levels: levels(kernel), used: used(kernel) };
        let mut body = Lines::default();
        for step in &kernel.steps {
            let lines = self.step(kernel, step, &mut values, &seen, &mut namer);
            body.append(lines);
        }
        if !kernel.ret.is_empty() {
            let ret: Vec<String> = kernel.ret.iter().map(|&value| values.name(value)).collect();
            body.push(format!("ret {}", commas(&ret)));
        }
        let mut lines = Lines::default();
        lines.block(&format!("kernel {name}{shapes}{params} {over}"), body, "");
        lines
    }

    fn step(
        &mut self,
        kernel: &Kernel,
        step: &Combinator,
        values: &mut ValueNames<'_>,
        seen: &Seen,
        namer: &mut Namer,
    ) -> Lines {
        let head = self.head(step, values);
        let guard = step.guard.map_or_else(String::new, |guard| format!("where {} ", values.name(guard)));
        let tail = self.tail(&step.kind);
        namer.open();
        let around = Around { values, levels: &seen.levels };
        let mut printer = ThunkPrinter::new(self, namer, Some(&around), &step.body);
        let mut params = printer.params();
        params.extend(step.body.given().map(|private| printer.bind_private(private)));
        let places =
            result_places(&step.kind, coordinates(kernel, &step.kind), &printer.printer.program.monoids);
        let body = printer.statements(&step.body.body, &places);
        namer.close();
        let names: Vec<String> = step
            .binds
            .iter()
            .map(|bind| {
                let unnamed = kernel.values.get(bind.index()).is_some_and(|value| value.name.is_empty());
                let unused = seen.used.get(bind.index()) == Some(&false);
                if unnamed && unused { "_".to_owned() } else { values.bind(*bind, namer) }
            })
            .collect();
        let arrow = if params.is_empty() { String::new() } else { format!(" {} =>", params.join(", ")) };
        let mut lines = Lines::default();
        lines.lambda(&format!("{}{head}{guard}", binders(&names)), &arrow, body, &tail);
        lines
    }

    /// The text of a combinator before its thunk.
    fn head(&mut self, step: &Combinator, values: &ValueNames<'_>) -> String {
        let at =
            |level: &Level| if *level == Level::WHOLE { String::new() } else { format!("@{} ", level.0) };
        match &step.kind {
            CombinatorKind::Map if step.body.n_params == 0 => "once ".to_owned(),
            CombinatorKind::Map => "map ".to_owned(),
            CombinatorKind::Reduce { to, .. } => format!("reduce {}", at(to)),
            CombinatorKind::Scan { within, .. } => format!("scan {}", at(within)),
            CombinatorKind::Filter { within } => format!("filter {}", at(within)),
            CombinatorKind::Partition { within, classes, site } => {
                let proved = if site.is_none() { "proved " } else { "" };
                format!("partition {proved}{classes}{} {}", self.sites.mark(*site), at(within))
            }
            CombinatorKind::Permute { dest, base, range, collision } => {
                let dest = values.shape(dest);
                let base = base_text(base, values);
                let range = match range {
                    Range::Fault(site) => format!("fault{}", self.sites.mark(Some(*site))),
                    Range::Drop => "drop".to_owned(),
                    Range::Proved => "proved".to_owned(),
                };
                let clash = match collision {
                    Collision::Proved => "proved".to_owned(),
                    Collision::Fault(site) => format!("fault{}", self.sites.mark(Some(*site))),
                    Collision::First => "first".to_owned(),
                    Collision::Last => "last".to_owned(),
                    Collision::Combine(monoid) => self.monoid(monoid),
                };
                format!("permute to {dest} base {base} range {range} clash {clash} ")
            }
            CombinatorKind::Serial { bases } => format!("serial base {} ", arrays_text(bases, values)),
        }
    }

    /// The text of a combinator after its thunk.
    fn tail(&self, kind: &CombinatorKind) -> String {
        match kind {
            CombinatorKind::Reduce { monoid, .. } => format!(" {}", self.monoid(monoid)),
            CombinatorKind::Scan { monoid, inclusion, direction, .. } => {
                let inclusion = match inclusion {
                    Inclusion::Exclusive => "exclusive",
                    Inclusion::Inclusive => "inclusive",
                };
                let direction = match direction {
                    Direction::Forward => "forward",
                    Direction::Backward => "backward",
                };
                format!(" {} {inclusion} {direction}", self.monoid(monoid))
            }
            CombinatorKind::Map
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Permute { .. }
            | CombinatorKind::Serial { .. } => String::new(),
        }
    }

    /// `add`, or `(add, argmax)`
    fn monoid(&self, monoid: &Monoid) -> String {
        let part = |part: &MonoidPart| match part {
            MonoidPart::Op(op) => op.name().to_owned(),
            MonoidPart::ArgMin => "argmin".to_owned(),
            MonoidPart::ArgMax => "argmax".to_owned(),
            // These words would be read as something else after `clash`.
            MonoidPart::User(id) => match item(&self.monoids, id.index()) {
                name if matches!(name.as_str(), "first" | "last" | "fault" | "proved") => format!("({name})"),
                name => name,
            },
        };
        let parts: Vec<String> = monoid.parts.iter().map(part).collect();
        match parts.as_slice() {
            [part] => part.clone(),
            parts => format!("({})", commas(parts)),
        }
    }
}

fn base_text(base: &Base, values: &ValueNames<'_>) -> String {
    match base {
        Base::Fill(scalars) => one_or_more(scalars.iter().map(|&scalar| literal(scalar, None)).collect()),
        Base::Arrays(arrays) => arrays_text(arrays, values),
    }
}

fn arrays_text(arrays: &[ValueId], values: &ValueNames<'_>) -> String {
    one_or_more(arrays.iter().map(|&array| values.name(array)).collect())
}

fn one_or_more(items: Vec<String>) -> String {
    match items.as_slice() {
        [item] => item.clone(),
        items => format!("({})", commas(items)),
    }
}

/// The levels and uses of the values of a kernel.
struct Seen {
    /// For each value, the level at which a combinator bound it.
    levels: Vec<Option<usize>>,
    /// For each value, true if it is mentioned anywhere but in types.
    used: Vec<bool>,
}

fn used(kernel: &Kernel) -> Vec<bool> {
    let mut used = vec![false; kernel.values.len()];
    let mut mark = |value: ValueId| {
        if let Some(place) = used.get_mut(value.index()) {
            *place = true;
        }
    };
    for step in &kernel.steps {
        step.guard.into_iter().for_each(&mut mark);
        step.body.body.for_each_captured(&mut mark);
    }
    kernel.ret.iter().copied().for_each(&mut mark);
    used
}

/// For each value the level at which a combinator bound it.
fn levels(kernel: &Kernel) -> Vec<Option<usize>> {
    let mut levels = vec![None; kernel.values.len()];
    for step in &kernel.steps {
        let level = match &step.kind {
            CombinatorKind::Map
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Permute { .. }
            | CombinatorKind::Serial { .. } => step.body.n_params,
            CombinatorKind::Reduce { to: level, .. }
            | CombinatorKind::Filter { within: level }
            | CombinatorKind::Partition { within: level, .. } => level.0,
        };
        for bind in &step.binds {
            if let Some(place) = levels.get_mut(bind.index()) {
                // A level that no thunk has cannot be written as coordinates.
                *place = Some(level.min(2 * Shape::MAX_RANK));
            }
        }
    }
    levels
}

/// Number of destination coordinates that a scatter's thunk returns before its values.
fn coordinates(kernel: &Kernel, kind: &CombinatorKind) -> usize {
    let CombinatorKind::Permute { dest, .. } = kind else { return 0 };
    dest.axes.iter().map(|&axis| axis_coordinates(kernel, axis, kernel.values.len())).sum()
}

/// Number of coordinates along an axis, as in the typing rules, but safe for programs in which a segmentation has itself as its parent.
fn axis_coordinates(kernel: &Kernel, axis: Axis, depth: usize) -> usize {
    let symbol = |value: ValueId| kernel.values.get(value.index()).map(|value| &value.ty);
    match axis {
        Axis::Sym(value) if depth > 0 => match symbol(value) {
            Some(Type::Seg(seg)) => {
                1 + seg
                    .parent
                    .axes
                    .iter()
                    .take(1)
                    .map(|&axis| axis_coordinates(kernel, axis, depth - 1))
                    .sum::<usize>()
                    + seg.parent.axes.len().saturating_sub(1)
            }
            _ => 1,
        },
        _ => 1,
    }
}

impl Lines {
    /// `head { i => line } tail`, or the block over several lines.
    fn lambda(&mut self, head: &str, arrow: &str, body: Lines, tail: &str) {
        match body.inline() {
            Some(line) if head.len() + arrow.len() + line.len() + tail.len() <= 90 => {
                self.push(format!("{head}{{{arrow}{line}}}{tail}"));
            }
            _ => {
                self.push(format!("{head}{{{arrow}"));
                self.indented(body);
                self.push(format!("}}{tail}"));
            }
        }
    }
}
