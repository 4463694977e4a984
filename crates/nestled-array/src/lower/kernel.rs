//! Writer of one kernel of a graph: keeps the items that are its scalars, and their names there.

use super::Lower;
use super::coordinates::Coordinates;
use nestled_ir::build::KernelBuilder;
use nestled_ir::{Atom, Axis, CombinatorKind, Shape, ThunkId, ValueId};
use std::collections::HashMap;

/// A kernel that is being written.
pub(super) struct KernelWriter {
    pub k: KernelBuilder,
    /// Items that are lines of this kernel, with their values.
    pub named: HashMap<usize, Atom>,
    /// Free items rematerialised at some coordinates.
    pub free: HashMap<(usize, Coordinates), Atom>,
    /// Items written as indices at some coordinates.
    pub indices: HashMap<(usize, Coordinates), Atom>,
    /// Calls of closures: closure and arguments, with the results.
    pub calls: HashMap<(ThunkId, Vec<Atom>), Vec<Atom>>,
    /// The segments, if the space is that of segments.
    pub segments: Option<Segments>,
    /// The merged axes, if adjacent axes of arrays are one axis of the space.
    pub merged: Option<Merged>,
}

/// The points of segments as those of a vector.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    /// The item that holds the lengths.
    pub lengths: usize,
    /// The position in the vector.
    pub flat: Atom,
}

/// Axes next to each other that are one in the space of a kernel.
#[derive(Clone)]
pub(super) struct Merged {
    /// The shape in which arrays are read at the own point.
    pub shape: Shape,
    /// The own point in that shape.
    pub own: Coordinates,
    /// The coordinates of the own point as if the axes were several.
    pub at: Coordinates,
}

impl KernelWriter {
    /// Begins another thunk, at a level. Values of the previous thunk are out of scope.
    pub fn begin(&mut self, level: usize) {
        self.k.begin(level);
        self.named.clear();
        self.free.clear();
        self.indices.clear();
        self.calls.clear();
    }

    /// Ends the thunk as a combinator with one result.
    pub fn end(&mut self, kind: CombinatorKind, results: Vec<Atom>) -> Vec<ValueId> {
        self.k.end("r", kind, None, results)
    }
}

impl Lower<'_> {
    /// Begins a kernel over these axes of host code.
    pub(super) fn begin(&mut self, item: usize, space: &[Axis]) -> KernelWriter {
        KernelWriter {
            k: KernelBuilder::new(&format!("k{item}"), &self.main, space, self.main.span),
            named: HashMap::new(),
            free: HashMap::new(),
            indices: HashMap::new(),
            calls: HashMap::new(),
            segments: None,
            merged: None,
        }
    }

    /// Begins a kernel over some axes of an item.
    pub(super) fn begin_over(&mut self, item: usize, of: usize, axes: &[usize]) -> KernelWriter {
        let space: Vec<Axis> = axes.iter().map(|&axis| self.axis(of, axis)).collect();
        self.begin(item, &space)
    }

    /// Runs a complete kernel, and returns its only result.
    pub(super) fn run(&mut self, kernel: KernelWriter, ret: ValueId, name: &str) -> ValueId {
        self.main.run(&mut self.out, kernel.k, vec![ret], &[name])[0]
    }

    /// Runs a kernel whose only result is the value of an item.
    pub(super) fn run_as(&mut self, item: usize, kernel: KernelWriter, ret: ValueId) {
        let value = self.run(kernel, ret, &format!("v{item}"));
        self.values[item] = Some(value);
    }
}
