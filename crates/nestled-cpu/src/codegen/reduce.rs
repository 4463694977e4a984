//! Vectorised reductions: accumulators in lanes, rows of partial results, and the fixed order in which rows are combined.
//!
//! An accumulator has W lanes, each initialised to a value that changes nothing. Where the order is fixed it has 16, and lane l takes the positions l,
//! l + 16, … of a tile: of a wider vector it takes sixteen lanes after the other. At the end of a tile lanes are combined pairwise. The result is a **row**: eight bytes for each component, then eight for
//! each part that tells whether a point took part. Rows are combined as a balanced tree: neighbours, then neighbours of those, by a stack (`row_stack.rs`).

use super::emit::{llvm_type, memory_type};
use super::function::Function;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{Direction, MonoidOp, MonoidPart, Op, Scalar, ScalarType};
use nestled_kernel::reduction::Part;

/// The accumulators of a sweep: variables with W lanes, or of one point.
#[derive(Clone, Debug)]
pub struct Accumulators {
    /// The parts.
    pub parts: Vec<Part>,
    /// For each part, a variable for each component.
    variables: Vec<Vec<Name>>,
    /// For each part, a variable that tells whether a point took part, lane by lane.
    seen: Vec<Name>,
    /// Number of lanes; `None` for one scalar accumulator.
    lanes: Option<usize>,
    /// Set if truth values are words of 32 bits: without mask registers, a vector of `i1` is packed to bytes wherever it is kept.
    words: bool,
}

impl Accumulators {
    /// Defines the variables for parts, with so many lanes, at most W, or as scalars.
    pub fn new(f: &mut Function<'_, '_>, parts: Vec<Part>, lanes: Option<usize>) -> Accumulators {
        let mut variables = Vec::new();
        let mut seen = Vec::new();
        let words = lanes.is_some() && !f.emit.target.avx512;
        for part in &parts {
            let element = |&ty| if words && takes_truths(part) { "i32" } else { llvm_type(ty) };
            let types: Vec<String> = part.types.iter().map(|ty| wide(lanes, element(ty))).collect();
            variables.push(types.iter().map(|ty| f.emit.variable(ty)).collect());
            let bits = wide(lanes, "i1");
            seen.push(f.emit.variable(&bits));
        }
        Accumulators { parts, variables, seen, lanes, words }
    }

    /// Makes accumulators from memory, so many lanes of each component at a place. Whether points took part is not recorded.
    pub fn at(parts: Vec<Part>, places: Vec<Vec<Name>>, lanes: usize) -> Accumulators {
        Accumulators { parts, variables: places, seen: Vec::new(), lanes: Some(lanes), words: false }
    }

    /// Makes others of the same parts.
    pub fn another(&self, f: &mut Function<'_, '_>) -> Accumulators {
        Accumulators::new(f, self.parts.clone(), self.lanes)
    }

    /// Number of lanes that are emitted at a time.
    fn width(&self, f: &Function<'_, '_>) -> usize {
        self.lanes.unwrap_or(f.emit.lanes)
    }

    fn ty(&self, element: &str) -> String {
        wide(self.lanes, element)
    }

    fn in_words(&self, part: &Part) -> bool {
        self.words && takes_truths(part)
    }

    /// Resets the accumulators.
    pub fn reset(&self, f: &mut Function<'_, '_>) {
        f.with_lanes(self.width(f), |f| self.reset_lanes(f));
    }

    fn reset_lanes(&self, f: &mut Function<'_, '_>) {
        for (position, part) in self.parts.iter().enumerate() {
            for (component, &ty) in part.types.iter().enumerate() {
                let start =
                    part.identity.as_ref().map_or(part.unit[component], |identity| identity[component]);
                if self.in_words(part) {
                    let words = f.emit.words_of(&Val::constant(start));
                    self.keep_words(f, position, &words);
                    continue;
                }
                let wide = self.ty(llvm_type(ty));
                let value = match self.lanes {
                    Some(_) => f.emit.vector(&Val::constant(start)),
                    None => f.emit.scalar(&Val::constant(start)),
                };
                f.emit
                    .line(format_args!("store {wide} {value}, ptr {}", self.variables[position][component]));
            }
            let Some(seen) = self.seen.get(position) else { continue };
            let bits = self.ty("i1");
            let none = if self.lanes.is_some() { "zeroinitializer" } else { "false" };
            f.emit.line(format_args!("store {bits} {none}, ptr {seen}"));
        }
    }

    /// Loads the current values.
    pub fn current(&self, f: &mut Function<'_, '_>, position: usize) -> Vec<Val> {
        let part = &self.parts[position];
        if self.in_words(part) {
            let words = self.current_words(f, position);
            return vec![f.emit.of_words(words)];
        }
        let mut values = Vec::new();
        for (variable, &ty) in self.variables[position].iter().zip(&part.types) {
            let wide = self.ty(llvm_type(ty));
            let name = f.emit.define(format_args!("load {wide}, ptr {variable}"));
            values.push(match self.lanes {
                Some(_) => Val::varying(ty, name),
                None => Val::uniform(ty, Depth::Here, name),
            });
        }
        values
    }

    fn current_words(&self, f: &mut Function<'_, '_>, position: usize) -> Name {
        let (wide, place) = (self.ty("i32"), &self.variables[position][0]);
        f.emit.define(format_args!("load {wide}, ptr {place}"))
    }

    fn keep_words(&self, f: &mut Function<'_, '_>, position: usize, words: &str) {
        let (wide, place) = (self.ty("i32"), &self.variables[position][0]);
        f.emit.line(format_args!("store {wide} {words}, ptr {place}"));
    }

    /// Stores new values.
    pub fn keep(&self, f: &mut Function<'_, '_>, position: usize, values: &[Val]) {
        if self.in_words(&self.parts[position]) {
            let words = f.emit.words_of(&values[0]);
            return self.keep_words(f, position, &words);
        }
        for ((variable, val), &ty) in
            self.variables[position].iter().zip(values).zip(&self.parts[position].types)
        {
            let wide = self.ty(llvm_type(ty));
            let name = if self.lanes.is_some() { f.emit.vector(val) } else { f.emit.scalar(val) };
            f.emit.line(format_args!("store {wide} {name}, ptr {variable}"));
        }
    }

    /// Accumulates the results of a combinator's thunk, in the lanes of the mask.
    pub fn take(&self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val, guarded: bool) {
        let all = [values, std::slice::from_ref(mask)].concat();
        f.by_lanes(self.width(f), Direction::Forward, &all, |f, _, part| {
            let (mask, values) = part.split_last().expect("the mask is last");
            self.take_lanes(f, step, values, mask, guarded);
        });
    }

    fn take_lanes(&self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val, guarded: bool) {
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            if part.step != step {
                continue;
            }
            let values = &values[part.first..part.first + part.types.len()];
            let counted;
            let values = match part.types[..] {
                [ScalarType::Bool] => {
                    counted = [f.emit.truths_of(&values[0])];
                    &counted[..]
                }
                _ => values,
            };
            match &part.identity {
                Some(identity) => {
                    if self.in_words(&part) {
                        self.take_words(f, position, &values[0], mask);
                    } else {
                        let idle = identity.iter().map(|&scalar| Val::constant(scalar));
                        let taken: Vec<Val> = values
                            .iter()
                            .zip(idle)
                            .map(|(value, idle)| f.emit.blend(mask, value, &idle))
                            .collect();
                        let sum = self.current(f, position);
                        let sum = f.combine(part.part, &sum, &taken);
                        self.keep(f, position, &sum);
                    }
                    if guarded && part.counts() {
                        self.note_seen(f, position, mask);
                    }
                }
                None => self.take_in_order(f, position, values, mask),
            }
        }
    }

    /// Accumulates truth values as words, which a mask is combined with as one of them.
    fn take_words(&self, f: &mut Function<'_, '_>, position: usize, truth: &Val, mask: &Val) {
        let part = self.parts[position].part;
        let words = |name: Name| Val::varying(ScalarType::I32, name);
        let mut taken = words(f.emit.words_of(truth));
        if !mask.is(Scalar::Bool(true)) {
            let (idle, op) = match part {
                MonoidPart::Op(MonoidOp::And) => (f.emit.not(mask), Op::Or),
                _ => (mask.clone(), Op::And),
            };
            let idle = words(f.emit.words_of(&idle));
            taken = f.emit.op(op, &[taken, idle]);
        }
        let sum = words(self.current_words(f, position));
        let sum = f.combine(part, &[sum], &[taken]);
        self.keep_words(f, position, &sum[0].name);
    }

    fn note_seen(&self, f: &mut Function<'_, '_>, position: usize, mask: &Val) {
        let bits = self.ty("i1");
        let before = f.emit.define(format_args!("load {bits}, ptr {}", self.seen[position]));
        let mask = if self.lanes.is_some() { f.emit.vector(mask) } else { f.emit.scalar(mask) };
        let after = f.emit.define(format_args!("or {bits} {before}, {mask}"));
        f.emit.line(format_args!("store {bits} {after}, ptr {}", self.seen[position]));
    }

    /// Accumulates one point after another: the first value is taken as it is.
    fn take_in_order(&self, f: &mut Function<'_, '_>, position: usize, values: &[Val], mask: &Val) {
        let part = self.parts[position].clone();
        let (take, done) = (f.emit.label(), f.emit.label());
        let holds = f.emit.scalar(mask);
        f.emit.branch(&holds, take, done);
        f.emit.text.begin(take);
        let seen = f.emit.define(format_args!("load i1, ptr {}", self.seen[position]));
        let sum = self.current(f, position);
        let sum = f.combine(part.part, &sum, values);
        let seen = Val::uniform(ScalarType::Bool, Depth::Here, seen);
        let chosen: Vec<Val> =
            sum.iter().zip(values).map(|(sum, value)| f.emit.blend(&seen, sum, value)).collect();
        self.keep(f, position, &chosen);
        f.emit.line(format_args!("store i1 true, ptr {}", self.seen[position]));
        f.emit.fall_into(done);
    }

    /// Combines the lanes and writes a row of cells to memory at `row`. `guarded` tells for each step whether points may be skipped.
    pub fn write_row(&self, f: &mut Function<'_, '_>, row: &str, guarded: &dyn Fn(usize) -> bool) {
        f.with_lanes(self.width(f), |f| self.write_lanes(f, row, guarded));
    }

    fn write_lanes(&self, f: &mut Function<'_, '_>, row: &str, guarded: &dyn Fn(usize) -> bool) {
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            let mut values = self.current(f, position);
            if self.lanes.is_some() {
                values = fold_lanes(f, part.part, values);
            }
            for (component, val) in values.iter().enumerate() {
                let name = f.emit.scalar(val);
                store_cell(f, row, part.cell + component, part.types[component], &name);
            }
            let seen: Name = if part.counts() && (guarded(part.step) || part.identity.is_none()) {
                let bits = self.ty("i1");
                let name = f.emit.define(format_args!("load {bits}, ptr {}", self.seen[position]));
                match self.lanes {
                    Some(_) => f.emit.any(&Val::varying(ScalarType::Bool, name)),
                    None => name,
                }
            } else {
                "true".into()
            };
            store_cell(f, row, part.cell + part.types.len(), ScalarType::Bool, &seen);
        }
    }
}

impl Accumulators {
    /// Returns the result over all points, with units where there were none; a value for each component of each part.
    pub fn values(
        &self,
        f: &mut Function<'_, '_>,
        guarded: &dyn Fn(usize) -> bool,
        any: &Val,
    ) -> Vec<Vec<Val>> {
        f.with_lanes(self.width(f), |f| self.values_of_lanes(f, guarded, any))
    }

    fn values_of_lanes(
        &self,
        f: &mut Function<'_, '_>,
        guarded: &dyn Fn(usize) -> bool,
        any: &Val,
    ) -> Vec<Vec<Val>> {
        let mut all = Vec::new();
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            let mut values = self.current(f, position);
            if self.lanes.is_some() {
                values = fold_lanes(f, part.part, values);
            }
            if part.counts() {
                let seen = if guarded(part.step) || part.identity.is_none() {
                    let bits = self.ty("i1");
                    let name = f.emit.define(format_args!("load {bits}, ptr {}", self.seen[position]));
                    let seen = match self.lanes {
                        Some(_) => f.emit.any(&Val::varying(ScalarType::Bool, name)),
                        None => name,
                    };
                    Val::uniform(ScalarType::Bool, Depth::Here, seen)
                } else {
                    any.clone()
                };
                for (val, &unit) in values.iter_mut().zip(&part.unit) {
                    *val = f.emit.blend(&seen, val, &Val::constant(unit));
                }
            }
            all.push(values);
        }
        all
    }

    /// Accumulates the contents of a row.
    pub fn read_row(&self, f: &mut Function<'_, '_>, row: &str) {
        for (position, part) in self.parts.iter().enumerate() {
            let values: Vec<Val> = part
                .types
                .iter()
                .enumerate()
                .map(|(at, &ty)| load_cell(f, row, part.cell + at, ty))
                .collect();
            self.keep(f, position, &values);
            let seen = load_cell(f, row, part.cell + part.types.len(), ScalarType::Bool);
            f.emit.line(format_args!("store i1 {}, ptr {}", seen.name, self.seen[position]));
        }
    }
}

/// True if truth values are combined by an operator on them.
fn takes_truths(part: &Part) -> bool {
    let op = matches!(part.part, MonoidPart::Op(MonoidOp::And | MonoidOp::Or | MonoidOp::Xor));
    op && part.types == [ScalarType::Bool] && part.identity.is_some()
}

/// The LLVM type of so many lanes, or of one scalar.
fn wide(lanes: Option<usize>, element: &str) -> String {
    match lanes {
        Some(lanes) => format!("<{lanes} x {element}>"),
        None => element.to_owned(),
    }
}

/// Combines lanes pairwise: l with l + W/2, and so on. The result is uniform.
pub fn fold_lanes(f: &mut Function<'_, '_>, part: MonoidPart, mut values: Vec<Val>) -> Vec<Val> {
    let lanes = f.emit.lanes;
    let mut half = lanes / 2;
    while half > 0 {
        let upper: Vec<Val> = values
            .iter()
            .map(|val| {
                let order: Vec<usize> = (0..lanes).map(|lane| (lane % half) + half).collect();
                shuffle(f, val, &order)
            })
            .collect();
        values = f.combine(part, &values, &upper);
        half /= 2;
    }
    values
        .into_iter()
        .map(|val| {
            let (wide, vector) = (f.emit.vector_type(val.ty), f.emit.vector(&val));
            let name = f.emit.define(format_args!("extractelement {wide} {vector}, i64 0"));
            Val::uniform(val.ty, Depth::Here, name)
        })
        .collect()
}

/// Permutes the lanes of a value.
pub fn shuffle(f: &mut Function<'_, '_>, val: &Val, order: &[usize]) -> Val {
    let (wide, vector) = (f.emit.vector_type(val.ty), f.emit.vector(val));
    let items: Vec<String> = order.iter().map(|lane| format!("i32 {lane}")).collect();
    let mask = format!("<{} x i32> <{}>", order.len(), items.join(", "));
    Val::varying(val.ty, f.emit.define(format_args!("shufflevector {wide} {vector}, {wide} poison, {mask}")))
}

/// Writes a cell of a row.
pub fn store_cell(f: &mut Function<'_, '_>, row: &str, cell: usize, ty: ScalarType, name: &str) {
    let place = f.emit.define(format_args!("getelementptr inbounds i64, ptr {row}, i64 {cell}"));
    let name: Name = match ty {
        ScalarType::Bool => f.emit.define(format_args!("zext i1 {name} to i8")),
        _ => name.into(),
    };
    f.emit.line(format_args!("store {} {name}, ptr {place}, align 8", memory_type(ty)));
}

/// Reads a cell of a row.
pub fn load_cell(f: &mut Function<'_, '_>, row: &str, cell: usize, ty: ScalarType) -> Val {
    let place = f.emit.define(format_args!("getelementptr inbounds i64, ptr {row}, i64 {cell}"));
    let loaded = f.emit.define(format_args!("load {}, ptr {place}, align 8", memory_type(ty)));
    let name = match ty {
        ScalarType::Bool => f.emit.define(format_args!("icmp ne i8 {loaded}, 0")),
        _ => loaded,
    };
    Val::uniform(ty, Depth::Here, name)
}

/// Combines two rows: `into = left ∘ right`; a row in which no point took part changes nothing.
pub fn combine_rows(f: &mut Function<'_, '_>, parts: &[Part], left: &str, right: &str, into: &str) {
    for part in parts {
        let width = part.types.len();
        let cells = |f: &mut Function<'_, '_>, row: &str| -> Vec<Val> {
            (0..width).map(|at| load_cell(f, row, part.cell + at, part.types[at])).collect()
        };
        let (a, b) = (cells(f, left), cells(f, right));
        let seen_a = load_cell(f, left, part.cell + width, ScalarType::Bool);
        let seen_b = load_cell(f, right, part.cell + width, ScalarType::Bool);
        let mut sum = f.combine(part.part, &a, &b);
        if part.identity.is_none() {
            for at in 0..width {
                let right_only = f.emit.blend(&seen_a, &sum[at], &b[at]);
                sum[at] = f.emit.blend(&seen_b, &right_only, &a[at]);
            }
        }
        for (at, val) in sum.iter().enumerate() {
            let name = f.emit.scalar(val);
            store_cell(f, into, part.cell + at, part.types[at], &name);
        }
        let seen = f.emit.define(format_args!("or i1 {}, {}", seen_a.name, seen_b.name));
        store_cell(f, into, part.cell + width, ScalarType::Bool, &seen);
    }
}

/// Returns the values of a row, with units where no point took part; one list for each part.
pub fn row_values(f: &mut Function<'_, '_>, parts: &[Part], row: &str) -> Vec<Vec<Val>> {
    let mut all = Vec::new();
    for part in parts {
        let width = part.types.len();
        let seen = load_cell(f, row, part.cell + width, ScalarType::Bool);
        let mut values = Vec::new();
        for at in 0..width {
            let val = load_cell(f, row, part.cell + at, part.types[at]);
            let unit = Val::constant(part.unit[at]);
            values.push(f.emit.blend(&seen, &val, &unit));
        }
        all.push(values);
    }
    all
}

/// Writes the row of a group without points.
pub fn write_units(f: &mut Function<'_, '_>, parts: &[Part], row: &str) {
    for part in parts {
        for (at, &ty) in part.types.iter().enumerate() {
            let start = part.identity.as_ref().map_or(part.unit[at], |identity| identity[at]);
            let name = f.emit.scalar(&Val::constant(start));
            store_cell(f, row, part.cell + at, ty, &name);
        }
        store_cell(f, row, part.cell + part.types.len(), ScalarType::Bool, "false");
    }
}
