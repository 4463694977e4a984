//! Peak memory estimate: the most bytes that a function holds at once, from a liveness analysis of host code.
//!
//! ```text
//! a = run k(xs)        xs, a
//! b = run k(a)         a, b       the executor lets go of what nobody needs any more
//! ret b
//! ```
//!
//! A backward walk knows the values that are live later; while a statement runs, these, its operands and its results are in memory. The arrays behind a view or `reshape` are live
//! as long as it is. A call holds the peak of its function, beside the values that are live in the caller afterwards; a recursive call counts nothing. Reuse of arguments for
//! results is left out, and sizes are guesses, so that the estimate is for reports only.

use crate::fuse::cost::{LONG, SEGMENT, SIDE};
use crate::report_names::{ReportNames, ReportValue};
use nestled_ir::{
    Axis, Function, FunctionId, HostBlock, HostOp, HostStmt, Name, Program, ScalarType, Shape, Type, ValueId,
};
use std::collections::{BTreeSet, HashSet};

/// The moment at which a function holds the most memory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Peak {
    /// Bytes, including those held inside a call.
    pub bytes: f64,
    /// The live arrays of the function itself, with their bytes.
    pub arrays: Vec<(ReportValue, f64)>,
    /// The function that is running at that moment, if it is inside a call.
    pub inside: Option<Name>,
}

/// Estimates the peak of a function, its arguments included.
pub fn of_function(program: &Program, function: FunctionId) -> Peak {
    let mut open = HashSet::new();
    peak(program, function, &mut open)
}

fn peak(program: &Program, id: FunctionId, open: &mut HashSet<FunctionId>) -> Peak {
    let function = program.function(id);
    open.insert(id);
    let mut walk =
        Walk { program, function, sides: sides(function), roots: roots(function), open, peak: None };
    let mut live = BTreeSet::new();
    function.body.for_each_result(&mut |value| walk.hold(value, &mut live));
    walk.block(&function.body, &mut live);
    live.extend(function.shapes.iter().chain(&function.params).copied());
    walk.note(&live, None);
    let found = walk.peak.unwrap_or_default();
    open.remove(&id);
    let names = ReportNames::new(program, function);
    let arrays = found.arrays.into_iter().map(|(value, bytes)| (names.value(value), bytes));
    Peak { bytes: found.bytes, arrays: arrays.collect(), inside: found.inside }
}

struct Walk<'a> {
    program: &'a Program,
    function: &'a Function,
    /// Symbols that occur in shapes with several symbolic axes.
    sides: HashSet<ValueId>,
    /// For each value: the values whose memory it keeps alive.
    roots: Vec<Vec<ValueId>>,
    /// The functions on the stack of calls: they are not entered again.
    open: &'a mut HashSet<FunctionId>,
    peak: Option<Moment>,
}

/// A moment of the walk: the values in memory, with their bytes.
#[derive(Default)]
struct Moment {
    bytes: f64,
    arrays: Vec<(ValueId, f64)>,
    inside: Option<Name>,
}

impl Walk<'_> {
    /// Adds the values whose memory a value keeps alive.
    fn hold(&self, value: ValueId, live: &mut BTreeSet<ValueId>) {
        live.extend(&self.roots[value.index()]);
    }

    /// Walks a block backward. `live` has the values live after the block, its results included; on return, those live before it.
    fn block(&mut self, block: &HostBlock, live: &mut BTreeSet<ValueId>) {
        for stmt in block.stmts.iter().rev() {
            self.stmt(stmt, live);
        }
    }

    fn stmt(&mut self, stmt: &HostStmt, live: &mut BTreeSet<ValueId>) {
        let mut during = live.clone();
        stmt.binds.iter().for_each(|bind| {
            live.remove(bind);
        });
        match &stmt.op {
            HostOp::If { then, otherwise, .. } => {
                let mut before = live.clone();
                for block in [then, otherwise] {
                    let mut inside = live.clone();
                    block.for_each_result(&mut |value| self.hold(value, &mut inside));
                    self.block(block, &mut inside);
                    before.append(&mut inside);
                }
                *live = before;
            }
            HostOp::Call { function, .. } | HostOp::Each { function, .. }
                if !self.open.contains(function) =>
            {
                let callee = peak(self.program, *function, self.open);
                self.note(live, Some((&self.program.function(*function).name, callee.bytes)));
            }
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => {}
        }
        stmt.op.for_each_use(&mut |value| live.extend(&self.roots[value.index()]));
        during.extend(live.iter());
        during.extend(&stmt.binds);
        self.note(&during, None);
    }

    /// Updates the peak with the values `live`, and the bytes that a call holds.
    fn note(&mut self, live: &BTreeSet<ValueId>, call: Option<(&Name, f64)>) {
        let arrays: Vec<(ValueId, f64)> =
            live.iter().map(|&value| (value, self.bytes(value))).filter(|(_, bytes)| *bytes > 0.0).collect();
        let bytes = arrays.iter().map(|(_, bytes)| bytes).sum::<f64>() + call.map_or(0.0, |(_, bytes)| bytes);
        if self.peak.as_ref().is_none_or(|peak| bytes >= peak.bytes) {
            self.peak = Some(Moment { bytes, arrays, inside: call.map(|(name, _)| name.clone()) });
        }
    }

    /// The bytes that a value itself holds; 0 for views and reshaped arrays.
    fn bytes(&self, value: ValueId) -> f64 {
        if self.roots[value.index()] != [value] {
            return 0.0;
        }
        match &self.function.values[value.index()].ty {
            Type::Array(array) if array.shape.is_scalar() => 0.0,
            Type::Array(array) => self.points(&array.shape) * array.elem.size() as f64,
            Type::Dim => 0.0,
            Type::Seg(seg) => self.points(&seg.parent) * ScalarType::Idx.size() as f64,
        }
    }

    fn points(&self, shape: &Shape) -> f64 {
        let axis = |axis: &Axis| match *axis {
            Axis::Const(extent) => extent as f64,
            Axis::Sym(symbol) => match &self.function.values[symbol.index()].ty {
                Type::Seg(seg) => self.points(&seg.parent) * SEGMENT,
                Type::Dim | Type::Array(_) if self.sides.contains(&symbol) => SIDE,
                Type::Dim | Type::Array(_) => LONG,
            },
        };
        shape.axes.iter().map(axis).product()
    }
}

/// Returns the symbols that occur in shapes with several symbolic axes, or as parents of segmentations.
fn sides(function: &Function) -> HashSet<ValueId> {
    let mut sides = HashSet::new();
    for value in &function.values {
        let axes = match &value.ty {
            Type::Array(array) => &array.shape.axes,
            Type::Seg(seg) => &seg.parent.axes,
            Type::Dim => continue,
        };
        let symbols =
            || axes.iter().filter_map(|axis| if let Axis::Sym(symbol) = axis { Some(*symbol) } else { None });
        if symbols().count() > 1 || value.ty.as_seg().is_some() {
            sides.extend(symbols());
        }
    }
    sides
}

/// For each value: itself, or for a view or reshaped array the values behind it (alias roots).
fn roots(function: &Function) -> Vec<Vec<ValueId>> {
    let mut roots: Vec<Vec<ValueId>> =
        (0..function.values.len()).map(|value| vec![ValueId::from(value)]).collect();
    function.body.walk(&mut |stmt| {
        let behind: Vec<ValueId> = match &stmt.op {
            HostOp::Reshape { array, .. } => vec![*array],
            HostOp::View { starts, buffer, .. } => vec![*starts, *buffer],
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => return,
        };
        let behind = behind.iter().flat_map(|value| roots[value.index()].clone()).collect();
        if let Some(bind) = stmt.binds.first() {
            roots[bind.index()] = behind;
        }
    });
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrays(functions: &str) -> (Vec<String>, f64) {
        let kernels = "kernel k(xs: [n]f32) over n {\n  y = map { i => neg xs[i] }\n  ret y\n}\n";
        let program = nestled_ir::text::parse("peak.lcu", &format!("{kernels}{functions}")).unwrap();
        let peak = of_function(&program, program.find_function("main").unwrap());
        let names = peak.arrays.iter().map(|(array, _)| array.name.to_string()).collect();
        (names, peak.bytes / (4.0 * LONG))
    }

    #[test]
    fn a_chain_holds_two_arrays() {
        let text = "fn main(xs: [n]f32) -> [n]f32 {\n a = run k(xs)\n b = run k(a)\n c = run k(b)\n ret c\n}";
        assert_eq!(arrays(text).1, 2.0);
    }

    #[test]
    fn what_is_needed_later_is_there() {
        let text = "fn main(xs: [n]f32) -> ([n]f32, [n]f32) {\n a = run k(xs)\n b = run k(a)\n c = run k(b)\n ret c, xs\n}";
        assert_eq!(arrays(text), (vec!["xs".to_owned(), "a".to_owned(), "b".to_owned()], 3.0));
    }

    #[test]
    fn branches_and_calls_are_looked_into() {
        let text = "fn f(xs: [n]f32) -> [n]f32 {\n a = run k(xs)\n b = run k(a)\n ret b\n}
fn main(xs: [n]f32, c: bool) -> ([n]f32, [n]f32) {
  r = if c {
    xs
  } else {
    a = f(xs)
    b = run k(a)
    b
  }
  ret r, xs
}";
        // `xs` is needed after the branch, and the call holds its own two.
        let (names, bytes) = arrays(text);
        assert_eq!((names, bytes), (vec!["xs".to_owned()], 3.0));
    }

    #[test]
    fn views_keep_what_they_lead_to() {
        let text = "fn main<n>(xs: [n]f32, m: idx) -> ([n]f32, [n]f32) {
  a = run k(xs)
  b = reshape a [n]
  c = run k(xs)
  d = run k(c)
  ret b, d
}";
        assert_eq!(arrays(text).1, 3.0);
    }

    #[test]
    fn recursion_counts_once() {
        let text = "fn main(xs: [n]f32) -> [n]f32 {\n a = run k(xs)\n b = main(a)\n ret b\n}";
        assert_eq!(arrays(text).1, 2.0);
    }
}
