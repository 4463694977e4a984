//! Lowering of an array graph to a λcu program.
//!
//! ```text
//! let y = (&x * 2.0 + 1.0).sum_axis(1);          kernel k4<d0, d1>(v0: [d0, d1]f32) over d0, d1 {
//!                                                  r = reduce @1 { i, j =>
//!                                                    add (mul v0[i proved, j proved] 2.0) 1.0
//!                                                  } add
//!                                                  ret r
//!                                                }
//! ```
//!
//! [`extents`] finds out which axes are one, [`groups`] which nodes are lines of another's kernel. Everything is made through the
//! [builders](nestled_ir::build): `v7`, the value of node 7, `n5`, number 5 where it is a parameter, and `d5`, where it is an extent, are names for
//! readers. What is worth joining beyond that, the passes decide.

mod concat;
mod coordinates;
mod extents;
mod function;
mod groups;
mod kernel;
mod merged;
mod point;
mod reduce;
mod segmented;
mod statement;

use crate::node::{Body, Op};
use crate::plan::{Graph, Number};
use extents::Extents;
use function::Written;
use groups::Groups;
use nestled_ir::build::{FunctionBuilder, ProgramBuilder};
use nestled_ir::{
    Axis, Diagnostic, HostAtom, MonoidId, Program, Scalar, ScalarType, Shape, Span, ThunkId, Type, ValueId,
};
use std::collections::HashMap;
use std::sync::Arc;

/// A lowered program, and the arguments to call it with.
pub(crate) struct Lowered {
    /// The λcu.
    pub program: Program,
    /// For each shape parameter of `main` the number that it holds.
    pub dims: Vec<usize>,
    /// For each parameter of `main` the item or number that it holds.
    pub args: Vec<Argument>,
    /// For each site the item that can fault there.
    pub sites: Vec<usize>,
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
    /// For each item the position of its first number.
    starts: &'a [usize],
    /// For each number whether it is a constant of the program.
    constant: &'a [bool],
    extents: Extents,
    groups: Groups,
    /// For each item the lines that its kernel holds besides itself.
    members: Vec<Vec<usize>>,
    out: ProgramBuilder,
    /// The function `main`.
    main: FunctionBuilder,
    /// For each item its value in `main`, once it has one.
    values: Vec<Option<ValueId>>,
    /// The extents that the results of filters have.
    kept: HashMap<usize, ValueId>,
    /// Numbers that are shape parameters of `main`, in their order, and their symbols.
    dims: Vec<(usize, ValueId)>,
    /// Numbers that are parameters of `main`.
    scalars: HashMap<usize, ValueId>,
    args: Vec<Argument>,
    /// For each site the item that can fault there.
    sites: Vec<usize>,
    /// Closures that are thunks of the program already.
    thunks: Vec<(Arc<Body>, ThunkId)>,
    /// Operators with units that are monoids of the program already.
    monoids: HashMap<(ThunkId, Scalar), MonoidId>,
    /// For each item that holds lengths the segmentation of these.
    segmentations: HashMap<usize, ValueId>,
    /// Calls of functions, by function and arguments, with what they give.
    functions: HashMap<(u64, Vec<usize>), Written>,
    /// Segmentations of the elements of others: by the item with their lengths, and the other.
    inner_segmentations: HashMap<(usize, Axis), ValueId>,
    /// For each item that is computed over segments, and has no value as a vector yet, its value there, and the item that holds the lengths.
    over_segments: HashMap<usize, (ValueId, usize)>,
    /// Values that have been reshaped.
    shaped: HashMap<(ValueId, Shape), ValueId>,
    /// Number of points of each shape, as a host value.
    sizes: HashMap<Shape, ValueId>,
}

/// Writes the program of a graph. Numbers that are no constants become parameters.
///
/// # Errors
/// The program is not well-formed, which is a bug.
pub(crate) fn lower(
    graph: &Graph,
    numbers: &[Number],
    starts: &[usize],
    constant: &[bool],
) -> Result<Lowered, Vec<Diagnostic>> {
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
        out: ProgramBuilder::default(),
        main: FunctionBuilder::new(Program::ENTRY, Span::NONE),
        values: vec![None; graph.items.len()],
        kept: HashMap::new(),
        dims: Vec::new(),
        scalars: HashMap::new(),
        args: Vec::new(),
        sites: Vec::new(),
        thunks: Vec::new(),
        monoids: HashMap::new(),
        segmentations: HashMap::new(),
        functions: HashMap::new(),
        inner_segmentations: HashMap::new(),
        over_segments: HashMap::new(),
        shaped: HashMap::new(),
        sizes: HashMap::new(),
    };
    #[cfg(debug_assertions)]
    extents::check(&mut lower.extents, graph, numbers);
    for at in 0..graph.items.len() {
        if !lower.groups.stored[at] {
            continue;
        }
        match graph.items[at].is_input() {
            true => lower.input(at),
            false => lower.statement(at),
        }
        lower.begin_item(at);
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
    fn axis(&mut self, item: usize, axis: usize) -> Axis {
        match self.extent(item, axis) {
            Ok(number) => Axis::Sym(self.dim(number)),
            Err(constant) => Axis::Const(constant),
        }
    }

    /// A number as a shape parameter.
    fn dim(&mut self, number: usize) -> ValueId {
        if let Some((_, dim)) = self.dims.iter().find(|(known, _)| *known == number) {
            return *dim;
        }
        let dim = self.main.shape_param(&format!("d{number}"), Type::Dim);
        self.dims.push((number, dim));
        dim
    }

    /// The shape of an item in host code.
    fn shape(&mut self, item: usize) -> Shape {
        Shape::new((0..self.rank(item)).map(|axis| self.axis(item, axis)).collect::<Vec<_>>())
    }

    /// The value of an item in host code. What was computed over segments becomes a vector here, if somebody wants that.
    fn host(&mut self, item: usize) -> ValueId {
        if let (None, Some(&(value, _))) = (self.values[item], self.over_segments.get(&item)) {
            let shape = self.shape(item);
            self.values[item] = Some(self.main.reshape(&mut self.out, &format!("v{item}"), value, shape));
        }
        self.values[item].unwrap_or_else(|| unreachable!("arguments come before their users"))
    }

    /// The value of an item under another shape.
    fn shaped(&mut self, value: ValueId, shape: Shape, name: &str) -> ValueId {
        if let Some(&known) = self.shaped.get(&(value, shape.clone())) {
            return known;
        }
        let shaped = self.main.reshape(&mut self.out, name, value, shape.clone());
        self.shaped.insert((value, shape), shaped);
        shaped
    }

    /// Attributes the sites added since the last call to this item, which faults there.
    fn begin_item(&mut self, item: usize) {
        self.sites.resize(self.out.program().sites.len(), item);
    }

    fn input(&mut self, item: usize) {
        let ty = Type::dense(self.elem(item), self.shape(item));
        self.values[item] = Some(self.main.param(&format!("v{item}"), ty));
        self.args.push(Argument::Item(item));
    }

    /// The thunk of a closure.
    fn thunk(&mut self, body: &Arc<Body>) -> ThunkId {
        if let Some((_, thunk)) =
            self.thunks.iter().find(|(known, _)| known.hash == body.hash && known == body)
        {
            return *thunk;
        }
        let thunk = self.out.thunk("closure", body.thunk.clone(), Span::NONE);
        self.thunks.push((Arc::clone(body), thunk));
        thunk
    }

    fn finish(mut self) -> Result<Lowered, Vec<Diagnostic>> {
        let mut results = Vec::new();
        for root in self.graph.roots.clone() {
            let shape = match self.kept.get(&root) {
                Some(&kept) => {
                    results.push(HostAtom::Value(kept));
                    Shape::of(self.main.result("", Type::Dim))
                }
                None => self.shape(root),
            };
            results.push(HostAtom::Value(self.host(root)));
            self.main.result("", Type::dense(self.elem(root), shape));
        }
        self.out.function(self.main.finish(results));
        let program = self.out.finish()?;
        let dims = self.dims.into_iter().map(|(number, _)| number).collect();
        Ok(Lowered { program, dims, args: self.args, sites: self.sites })
    }
}
