//! Straight-line functions: those whose calls can be nodes of a graph, because their host code has no branch, call or fault of its own, and the
//! lengths of what they give follow from those of their arguments.
//!
//! That is found out by the passes, once for each pattern of equal shapes: `{x * y : x in a; y in b}` may fault, unless both are known to be as long. The graph takes
//! the function as it was written, so that products are contracted with sums as in a call by itself.

use super::border::{Border, Given};
use nestled_ir::interp::eval_op;
use nestled_ir::{
    Axis, Function, HostAtom, HostBlock, HostOp, Op, Program, Scalar, ScalarType, Shape, SiteId, Type,
    ValueId,
};
use nestled_nesl::Routine;
use nestled_pass::PassContext;
use std::collections::HashMap;

/// A function whose calls can be nodes.
#[derive(Debug)]
pub(crate) struct Straight {
    /// Its number, by which plans know it.
    pub number: u64,
    /// The program, which takes segmentations, and each of several equal shapes once.
    pub program: Program,
    pub border: Border,
    /// For each shape the first that is equal to it.
    pub pattern: Vec<usize>,
    pub results: Vec<Part>,
}

/// A part of a result. A `bind` is the place among the results of the program.
#[derive(Debug)]
pub(crate) enum Part {
    /// The extent of a sequence, or of all sequences of a level.
    Extent(Size),
    /// An argument as it is, by its number.
    Passed(usize),
    /// A scalar that is computed.
    Scalar { elem: ScalarType, bind: usize },
    /// The lengths of a segmentation that is computed. `extent` is the part that says how many.
    Lengths { bind: usize, extent: usize },
    /// An array that is computed, and the segmentation that it is over, if that is one of the arguments.
    Array { elem: ScalarType, bind: usize, extent: usize, over: Option<usize> },
}

/// A number that the extents of the arguments tell.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Size {
    Known(Scalar),
    /// An extent of the arguments.
    Extent(usize),
    Op(Op, Vec<Size>),
}

impl Straight {
    /// The extent of the arguments that a part of the result has; none if it has another one, or is a scalar.
    pub fn extent_of(&self, result: usize) -> Option<usize> {
        let (Part::Array { extent, .. } | Part::Lengths { extent, .. }) = self.results[result] else {
            return None;
        };
        match self.results[extent] {
            Part::Extent(Size::Extent(number)) => Some(number),
            _ => None,
        }
    }
}

impl Size {
    fn value(&self, extents: &[u64]) -> Scalar {
        match self {
            Size::Known(scalar) => *scalar,
            Size::Extent(number) => Scalar::Idx(extents[*number] as i64),
            Size::Op(op, args) => {
                let args: Vec<Scalar> = args.iter().map(|arg| arg.value(extents)).collect();
                eval_op(*op, &args)
            }
        }
    }

    /// The extent that it is for these extents of the arguments; none if it is no extent.
    pub fn extent(&self, extents: &[u64]) -> Option<u64> {
        match self.value(extents) {
            Scalar::Idx(value) => u64::try_from(value).ok(),
            _ => None,
        }
    }

    fn times(self, other: Size) -> Size {
        match (self, other) {
            (Size::Known(Scalar::Idx(1)), other) => other,
            (one, other) => Size::Op(Op::Mul, vec![one, other]),
        }
    }
}

/// A function for arguments with this pattern of equal shapes, if its calls can be nodes; `number` is a new one.
pub(crate) fn straight(
    number: u64,
    routine: &Routine,
    border: &Border,
    pattern: &[usize],
) -> Option<Straight> {
    let mut program = routine.segmented.clone();
    let main = program.find_function(Program::ENTRY)?;
    unify(&mut program.functions[main.index()], pattern);
    let names = ["inline-calls", "simplify", "reads", "simplify"];
    let passes: Vec<_> = names.iter().filter_map(|name| nestled_pass::find(name)).collect();
    let mut made = nestled_pass::run(&program, &passes, &mut PassContext::default()).ok()?;
    let main = made.find_function(Program::ENTRY)?;
    // The numbers of the shapes that are left.
    let kept: Vec<usize> = (0..pattern.len()).filter(|&at| pattern[at] == at).collect();
    let sizes = Sizes::of(made.function(main), &kept, border)?;
    let results = sizes.results(&border.results)?;
    let safe = sizes.safe;
    let mut faults = false;
    made.for_each_site_mut(&mut |site| faults |= routine.is_own_fault(*site) && !safe.contains(site));
    if faults {
        return None;
    }
    Some(Straight { number, program, border: border.clone(), pattern: pattern.to_vec(), results })
}

/// Makes shapes of a function one, as a pattern says.
fn unify(main: &mut Function, pattern: &[usize]) {
    let renamed: HashMap<ValueId, ValueId> =
        main.shapes.iter().zip(pattern).map(|(&from, &to)| (from, main.shapes[to])).collect();
    let rename = |value: &mut ValueId| *value = renamed.get(value).copied().unwrap_or(*value);
    main.values.iter_mut().for_each(|value| value.ty.for_each_symbol_mut(&mut |symbol| rename(symbol)));
    rename_in(&mut main.body, &rename);
    let mut at = 0..;
    main.shapes.retain(|_| at.next().is_some_and(|at| pattern.get(at) == Some(&at)));
}

fn rename_in(block: &mut HostBlock, rename: &dyn Fn(&mut ValueId)) {
    for stmt in &mut block.stmts {
        stmt.op.for_each_value(&mut |value| rename(value));
        stmt.op.blocks_mut().into_iter().for_each(|block| rename_in(block, rename));
    }
    block.results.iter_mut().for_each(|atom| atom.for_value(&mut |value| rename(value)));
}

/// Sizes and sources of the values of a function's host code.
struct Sizes<'f> {
    main: &'f Function,
    border: &'f Border,
    /// Segmentations that are arguments, with their numbers.
    segments: HashMap<ValueId, usize>,
    /// Extents and numbers that the extents of the arguments tell, and for segmentations the number of elements.
    known: HashMap<ValueId, Size>,
    /// For arrays made by a change of shape those that they were made of.
    same_elements: HashMap<ValueId, ValueId>,
    /// Sites of changes of shape between shapes that have as many points.
    safe: Vec<SiteId>,
}

impl<'f> Sizes<'f> {
    /// Looks at straight-line code; none of other code.
    fn of(main: &'f Function, kept: &[usize], border: &'f Border) -> Option<Sizes<'f>> {
        let shapes = || main.shapes.iter().copied().zip(kept.iter().copied());
        let segments = shapes().filter(|(_, number)| border.shapes[*number].parent.is_some()).collect();
        let known = shapes().map(|(shape, number)| (shape, Size::Extent(number))).collect();
        let mut sizes =
            Sizes { main, border, segments, known, same_elements: HashMap::new(), safe: Vec::new() };
        for stmt in &main.body.stmts {
            let size = sizes.statement(&stmt.op, &stmt.binds)?;
            if let (Some(size), [bind]) = (size, &stmt.binds[..]) {
                sizes.known.insert(*bind, size);
            }
        }
        Some(sizes)
    }

    /// The size that a statement binds, if it binds one that is known. None of other than straight-line code.
    fn statement(&mut self, op: &HostOp, binds: &[ValueId]) -> Option<Option<Size>> {
        Some(match op {
            HostOp::Scalar { op, args } => {
                let args: Option<Vec<Size>> = args.iter().map(|&arg| self.atom(arg)).collect();
                args.map(|args| Size::Op(*op, args))
            }
            HostOp::Dim { extent, .. } => self.atom(*extent),
            HostOp::Size { shape } => self.points(shape),
            HostOp::Regular { parent, length } => {
                self.points(parent).zip(self.axis(*length)).map(|(parent, length)| parent.times(length))
            }
            HostOp::Widen { seg } => self.known.get(seg).cloned(),
            HostOp::Reshape { array, shape, site } => {
                self.same_elements.insert(binds[0], *array);
                if let Type::Array(before) = &self.main.values[array.index()].ty
                    && let Some(points) = self.points(&before.shape)
                    && self.points(shape) == Some(points)
                {
                    self.safe.push(*site);
                }
                None
            }
            HostOp::If { .. } | HostOp::Call { .. } | HostOp::Each { .. } | HostOp::Command(_) => {
                return None;
            }
            HostOp::Literal { .. }
            | HostOp::Segments { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::Run { .. }
            | HostOp::Library(_) => None,
        })
    }

    fn atom(&self, atom: HostAtom) -> Option<Size> {
        match atom {
            HostAtom::Const(scalar) => Some(Size::Known(scalar)),
            HostAtom::Value(value) => self.known.get(&value).cloned(),
        }
    }

    fn axis(&self, axis: Axis) -> Option<Size> {
        match axis {
            Axis::Const(extent) => Some(Size::Known(Scalar::Idx(i64::try_from(extent).ok()?))),
            Axis::Sym(symbol) => self.known.get(&symbol).cloned(),
        }
    }

    /// The number of points of a shape.
    fn points(&self, shape: &Shape) -> Option<Size> {
        let one = Size::Known(Scalar::Idx(1));
        shape.axes.iter().try_fold(one, |points, &axis| Some(points.times(self.axis(axis)?)))
    }

    /// The argument that has the same elements in the same order as a value.
    fn argument(&self, mut value: ValueId) -> Option<usize> {
        while let Some(&before) = self.same_elements.get(&value) {
            value = before;
        }
        let param = self.main.params.iter().position(|&param| param == value)?;
        self.border.params().nth(param)
    }

    /// The parts of the result, of which the border says the kinds.
    fn results(&self, kinds: &[Given]) -> Option<Vec<Part>> {
        let mut parts = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let bind = kind.bind();
            let atom = self.main.body.results[bind];
            let elem = match &self.main.values[self.main.results[bind].index()].ty {
                Type::Array(array) => array.elem,
                Type::Dim | Type::Seg(_) => ScalarType::I64,
            };
            let value = if let HostAtom::Value(value) = atom { Some(value) } else { None };
            let passed = value.and_then(|value| self.argument(value));
            parts.push(match (*kind, passed) {
                (Given::Extent { .. }, _) => Part::Extent(self.atom(atom)?),
                (Given::Scalar { .. } | Given::Elements { .. }, Some(arg)) => Part::Passed(arg),
                (Given::Scalar { bind }, None) => Part::Scalar { elem, bind },
                (Given::Lengths { bind, extent }, _) => match self.segments.get(&value?) {
                    Some(&shape) => Part::Passed(self.border.shapes[shape].lengths?),
                    None => Part::Lengths { bind, extent },
                },
                (Given::Elements { bind, extent, segments }, None) => {
                    let over = segments.map(|bind| self.main.body.results[bind]);
                    let over = over.and_then(|over| {
                        if let HostAtom::Value(value) = over {
                            self.segments.get(&value).copied()
                        } else {
                            None
                        }
                    });
                    Part::Array { elem, bind, extent, over }
                }
            });
        }
        Some(parts)
    }
}
