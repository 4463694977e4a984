//! From a graph to the λcu of one region.
//!
//! ```text
//! let y = (&x * 2.0 + 1.0).sum_axis(1);          kernel k4<d0, d1>(v0: [d0, d1]f32) over d0, d1 {
//!                                                  r = reduce @1 { i0, i1 =>
//!                                                    t1 = v0[i0 proved, i1 proved]
//!                                                    t2 = mul t1 2.0
//!                                                    t3 = add t2 1.0
//!                                                    t3
//!                                                  } add
//!                                                  ret r
//!                                                }
//! ```
//!
//! [`extents`] finds out which axes are one, [`groups`] which nodes are lines of another's kernel. `v7` is the value of node 7, `n5` number 5 where it is a
//! parameter, `d5` where it is an extent. What is worth joining beyond that, the passes decide.

mod concat;
mod extents;
mod groups;
mod kernel;
mod merged;
mod point;
mod segmented;
mod statement;

use crate::node::Op;
use crate::plan::{Graph, Number};
use extents::Extents;
use groups::Groups;
use nestled_ir::{Scalar, ScalarType};
use std::fmt::Write as _;

/// A program, and what it is to be called with.
pub(crate) struct Lowered {
    /// The λcu.
    pub text: String,
    /// For each shape parameter of `main` the number that it is.
    pub dims: Vec<usize>,
    /// For each parameter of `main` what it is.
    pub args: Vec<Argument>,
    /// Where the text of an item begins, in order of the text.
    pub places: Vec<(usize, usize)>,
}

/// A parameter of `main`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// The value of an item.
    Item(usize),
    /// A number.
    Number(usize),
}

struct Lower<'a> {
    graph: &'a Graph,
    numbers: &'a [Number],
    /// For each item where its numbers begin.
    starts: &'a [usize],
    /// For each number whether it is a constant of the program.
    constant: &'a [bool],
    extents: Extents,
    groups: Groups,
    /// For each item the lines that its kernel holds besides itself.
    members: Vec<Vec<usize>>,
    /// Definitions.
    defs: String,
    /// The body of `main`.
    body: String,
    dims: Vec<usize>,
    args: Vec<Argument>,
    places: Vec<(usize, usize)>,
    /// What host code has said already.
    said: Vec<String>,
}

/// Writes the program of a graph. Numbers that are no constants become parameters.
pub(crate) fn lower(graph: &Graph, numbers: &[Number], starts: &[usize], constant: &[bool]) -> Lowered {
    let extents = Extents::of(graph, starts);
    let groups = Groups::of(graph, &|item| constant[starts[item] + graph.items[item].rank()]);
    let mut members = vec![Vec::new(); graph.items.len()];
    for at in 0..graph.items.len() {
        if !groups.stored[at] && groups.owner[at] != at {
            members[groups.owner[at]].push(at);
        }
    }
    let mut lower = Lower {
        graph,
        numbers,
        starts,
        constant,
        extents,
        groups,
        members,
        defs: String::new(),
        body: String::new(),
        dims: Vec::new(),
        args: Vec::new(),
        places: Vec::new(),
        said: Vec::new(),
    };
    #[cfg(debug_assertions)]
    extents::check(&mut lower.extents, graph, numbers);
    for at in 0..graph.items.len() {
        if !lower.groups.stored[at] {
            continue;
        }
        if graph.items[at].is_input() {
            lower.args.push(Argument::Item(at));
            (0..graph.items[at].rank()).for_each(|axis| drop(lower.axis(at, axis)));
        } else {
            lower.places.push((lower.defs.len(), at));
            lower.statement(at);
        }
    }
    lower.finish()
}

impl<'a> Lower<'a> {
    fn elem(&self, item: usize) -> ScalarType {
        self.graph.items[item].node.elem
    }

    fn op(&self, item: usize) -> &'a Op {
        self.graph.items[item].op().unwrap_or_else(|| unreachable!("inputs are not written out"))
    }

    fn rank(&self, item: usize) -> usize {
        self.graph.items[item].rank()
    }

    /// The number of an extent that is a parameter; otherwise the constant.
    fn extent(&mut self, item: usize, axis: usize) -> Result<usize, u64> {
        match self.extents.number(item, axis) {
            Some(number) if !self.constant[number] => Ok(number),
            _ => Err(self.graph.items[item].node.shape[axis] as u64),
        }
    }

    /// An axis in host code.
    fn axis(&mut self, item: usize, axis: usize) -> String {
        match self.extent(item, axis) {
            Ok(number) => {
                if !self.dims.contains(&number) {
                    self.dims.push(number);
                }
                format!("d{number}")
            }
            Err(constant) => constant.to_string(),
        }
    }

    /// The type of an item in host code.
    fn host_type(&mut self, item: usize) -> String {
        let axes: Vec<String> = (0..self.rank(item)).map(|axis| self.axis(item, axis)).collect();
        array_type(&axes, self.elem(item))
    }

    fn finish(mut self) -> Lowered {
        let roots = self.graph.roots.clone();
        let (mut results, mut names) = (Vec::new(), Vec::new());
        for root in roots {
            if let Some(Op::Filter { .. }) = self.graph.items[root].op() {
                results.push(format!("k{root}: dim, [k{root}]{}", self.elem(root)));
                names.push(format!("k{root}, v{root}"));
            } else {
                results.push(self.host_type(root));
                names.push(format!("v{root}"));
            }
        }
        let mut params = Vec::new();
        for argument in self.args.clone() {
            params.push(match argument {
                Argument::Item(item) => format!("v{item}: {}", self.host_type(item)),
                Argument::Number(number) => {
                    format!("n{number}: {}", self.numbers[number].scalar().ty())
                }
            });
        }
        let dims: Vec<String> = self.dims.iter().map(|number| format!("d{number}")).collect();
        let mut text = self.defs;
        let angle = if dims.is_empty() { String::new() } else { format!("<{}>", dims.join(", ")) };
        let _ = writeln!(text, "fn main{angle}({}) -> ({}) {{", params.join(", "), results.join(", "));
        let _ = writeln!(text, "{}  ret {}\n}}", self.body, names.join(", "));
        Lowered { text, dims: self.dims, args: self.args, places: self.places }
    }
}

/// `[d0, 3]f32`, or `f32`.
fn array_type(axes: &[String], elem: ScalarType) -> String {
    if axes.is_empty() { elem.to_string() } else { format!("[{}]{elem}", axes.join(", ")) }
}

/// A literal with its type, all of its bits.
fn literal(scalar: Scalar) -> String {
    match scalar {
        Scalar::F32(value) if !value.is_finite() => format!("0x{:08x}f32", value.to_bits()),
        Scalar::F64(value) if !value.is_finite() => format!("0x{:016x}f64", value.to_bits()),
        other => format!("{other:?}"),
    }
}
