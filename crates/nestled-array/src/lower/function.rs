//! Lowering of calls of functions of other front ends: their programs are taken over, and the passes inline them.
//!
//! Each call has a copy of its own, which is the only call of its function: so it is inlined, whatever its size. Nested sequences go in and out as arrays over
//! segmentations, those of other operations on the same lengths: kernels on both sides have one space, and become one.

use super::Lower;
use super::coordinates::proved;
use crate::function::{Arg, Part, Straight};
use nestled_ir::{Axis, CombinatorKind, HostAtom, HostOp, ScalarType, Shape, ValueId};

/// The name that the function of a call has for readers.
const NAME: &str = "nesl";

/// A call that is written: the shapes that the function took, and what it gives.
#[derive(Clone)]
pub(super) struct Written {
    shapes: Vec<Axis>,
    given: Vec<ValueId>,
}

impl Lower<'_> {
    /// Writes a part of what a function gives.
    pub(super) fn function(&mut self, item: usize, function: &Straight, result: usize) {
        let args = self.graph.items[item].args.clone();
        let Written { shapes, given } = self.called_function(function, &args);
        match function.results[result] {
            Part::Scalar { bind, .. } => self.values[item] = Some(given[bind]),
            Part::Lengths { bind, .. } => self.numbers_of(item, given[bind]),
            Part::Array { bind, over, .. } => {
                let segments = over.map(|shape| (shapes[shape], &function.border.shapes[shape]));
                if let Some((Axis::Sym(symbol), shape)) = segments
                    && let Some(lengths) = shape.lengths
                    && self.segmentations.get(&args[lengths]) == Some(&symbol)
                {
                    // It has this type as soon as the call is inlined.
                    let name = format!("x{item}");
                    let value = self.main.reshape(&mut self.out, &name, given[bind], Shape::of(symbol));
                    self.over_segments.insert(item, (value, args[lengths]));
                    return;
                }
                let shape = self.shape(item);
                let value = self.main.reshape(&mut self.out, &format!("v{item}"), given[bind], shape);
                self.values[item] = Some(value);
            }
            Part::Extent(_) | Part::Passed(_) => unreachable!("these are no nodes"),
        }
    }

    /// The results of a function for these items; it is called once for them.
    fn called_function(&mut self, function: &Straight, args: &[usize]) -> Written {
        if let Some(known) = self.functions.get(&(function.number, args.to_vec())) {
            return known.clone();
        }
        let border = &function.border;
        let mut shapes: Vec<Axis> = Vec::with_capacity(border.shapes.len());
        for (at, shape) in border.shapes.iter().enumerate() {
            shapes.push(match (shape.parent, shape.lengths) {
                _ if function.pattern[at] != at => shapes[function.pattern[at]],
                (Some(parent), Some(lengths)) => {
                    Axis::Sym(self.segmentation_of(args[lengths], shapes[parent]))
                }
                _ => self.axis(args[shape.elements], 0),
            });
        }
        let mut atoms = Vec::with_capacity(args.len());
        for (&arg, role) in args.iter().zip(&border.args) {
            atoms.push(HostAtom::Value(match *role {
                Arg::Lengths(_) => continue,
                Arg::Scalar => self.host(arg),
                Arg::Elements(shape) => self.over(arg, shapes[shape]),
            }));
        }
        let imported = self.out.import(&function.program, NAME);
        let callee = imported.unwrap_or_else(|| unreachable!("its signature is known"));
        let names = vec![""; function.border.n_given()];
        let own = (0..shapes.len()).filter(|&at| function.pattern[at] == at).map(|at| shapes[at]).collect();
        let op = HostOp::Call { function: callee, shapes: own, args: atoms };
        let given = self.main.emit(&self.out, &names, op);
        let written = Written { shapes, given };
        self.functions.insert((function.number, args.to_vec()), written.clone());
        written
    }

    /// A vector as an array over an axis, which has as many points.
    fn over(&mut self, item: usize, axis: Axis) -> ValueId {
        let own = self.over_segments.get(&item).copied();
        if let (Some((value, lengths)), Axis::Sym(symbol)) = (own, axis)
            && self.segmentations.get(&lengths) == Some(&symbol)
        {
            return value;
        }
        let value = self.host(item);
        match self.axis(item, 0) == axis {
            true => value,
            false => self.shaped(value, Shape::new([axis]), &format!("x{item}")),
        }
    }

    /// The segmentation with the lengths that an item holds, of the points of an axis.
    fn segmentation_of(&mut self, lengths: usize, parent: Axis) -> ValueId {
        if self.axis(lengths, 0) == parent {
            return self.segmentation(lengths);
        }
        if let Some(&known) = self.inner_segmentations.get(&(lengths, parent)) {
            return known;
        }
        let value = self.over(lengths, parent);
        let site = self.out.site(self.main.span);
        let op = HostOp::Segments { lengths: value, site };
        let segments = self.main.emit_one(&self.out, &format!("s{lengths}"), op);
        self.inner_segmentations.insert((lengths, parent), segments);
        segments
    }

    /// Writes the lengths of a segmentation as numbers.
    fn numbers_of(&mut self, item: usize, seg: ValueId) {
        let lengths = self.main.emit_one(&self.out, "", HostOp::Lengths { seg });
        let flat = self.shape(item);
        let lengths = self.main.reshape(&mut self.out, "", lengths, flat);
        let (mut kernel, at) = self.sweep(item, item, &[0]);
        let array = kernel.k.param(&self.main, lengths);
        let length = kernel.k.code.read(array, proved(&at), None, None);
        let number = kernel.k.code.convert(length, ScalarType::I64);
        let made = kernel.end(CombinatorKind::Map, vec![number])[0];
        self.run_as(item, kernel, made);
    }
}
