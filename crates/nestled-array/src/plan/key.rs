//! Plan keys: the structure of a graph, without its numbers.

use super::graph::{Graph, Item, Kind, PointerHasher};
use crate::node::{Body, Clash, Data, Fold, GatherAxis, Op, Segmented, View, ViewExtent};
use crate::shape::Shape;
use nestled_ir::{MonoidOp, Op as ScalarOp, Rule, Scalar, ScalarType};
use std::hash::Hasher;
use std::sync::Arc;

/// The structure of a graph. Equal keys: programs that differ in numbers only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Key {
    words: Vec<u64>,
    /// The closures, in order; the words have their hashes.
    bodies: Vec<Arc<Body>>,
}

/// A number of a graph.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Number {
    pub kind: NumberKind,
    pub bits: u64,
}

/// The kind of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberKind {
    /// An extent that is not that of another axis.
    Extent,
    /// A displacement of an index.
    Offset,
    /// The value of an element.
    Element(ScalarType),
}

impl Key {
    /// A hash of the structure.
    pub fn hash(&self) -> u64 {
        let mut hasher = PointerHasher::default();
        self.words.iter().for_each(|&word| hasher.write_u64(word));
        hasher.finish()
    }
}

impl Number {
    /// The number as it is written in a program.
    pub fn scalar(self) -> Scalar {
        match self.kind {
            NumberKind::Extent | NumberKind::Offset => Scalar::Idx(self.bits as i64),
            NumberKind::Element(ty) => Scalar::from_bits(ty, self.bits),
        }
    }

    /// Whether the first plan of a structure takes it as a constant.
    pub fn begins_as_constant(self) -> bool {
        match self.kind {
            NumberKind::Extent => self.bits <= SMALL,
            NumberKind::Offset => (self.bits as i64).unsigned_abs() <= SMALL,
            NumberKind::Element(_) => true,
        }
    }
}

/// Extents up to this one are likely to be always the same: components of colours and small vectors, sizes of blocks. Displacements up to
/// it are likely those of a stencil.
const SMALL: u64 = 16;

/// For each axis of an argument whether it is broadcast, one bit each.
pub(crate) fn broadcast_mask(arg: &Shape, result: &Shape) -> u64 {
    let ahead = result.len() - arg.len();
    (0..arg.len()).fold(0, |mask, axis| {
        let stretched = arg[axis] == 1 && result[axis + ahead] != 1;
        mask | u64::from(stretched) << axis
    })
}

struct Writer {
    words: Vec<u64>,
    bodies: Vec<Arc<Body>>,
    numbers: Vec<Number>,
    /// For each item the position of its first number.
    starts: Vec<usize>,
}

/// The structure of a graph, its numbers, and for each item the position of its first number.
pub(crate) fn key(graph: &Graph) -> (Key, Vec<Number>, Vec<usize>) {
    let n = graph.items.len();
    let mut writer = Writer {
        words: Vec::with_capacity(4 * n),
        bodies: Vec::new(),
        numbers: Vec::with_capacity(2 * n),
        starts: Vec::with_capacity(n),
    };
    for item in &graph.items {
        writer.starts.push(writer.numbers.len());
        writer.item(graph, item);
    }
    writer.words.extend(graph.roots.iter().map(|&root| root as u64));
    (Key { words: writer.words, bodies: writer.bodies }, writer.numbers, writer.starts)
}

impl Writer {
    fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    fn extent(&mut self, extent: usize) {
        self.numbers.push(Number { kind: NumberKind::Extent, bits: extent as u64 });
    }

    fn extents(&mut self, shape: &Shape) {
        shape.iter().for_each(|&extent| self.extent(extent));
    }

    fn scalar(&mut self, scalar: Scalar) {
        self.numbers.push(Number { kind: NumberKind::Element(scalar.ty()), bits: scalar.to_bits() });
    }

    fn head(&mut self, tag: u64, item: &Item) {
        self.word(tag << 32 | (item.node.elem as u64) << 16 | item.rank() as u64);
        // Two arguments to a word.
        for pair in item.args.chunks(2) {
            self.word(pair.iter().fold(0, |word, &arg| word << 32 | arg as u64));
        }
    }

    fn masks(&mut self, graph: &Graph, item: &Item, args: &[usize]) {
        for args in args.chunks(8) {
            let mask = |&arg: &usize| broadcast_mask(&graph.items[arg].node.shape, &item.node.shape);
            self.word(args.iter().fold(0, |word, arg| word << 8 | mask(arg)));
        }
    }

    fn fold(&mut self, fold: &Fold) {
        match fold {
            Fold::Op(op) => self.word(monoid(*op)),
            Fold::User(body, unit) => {
                self.word(1 << 40 | unit.ty() as u64);
                self.word(unit.to_bits());
                self.body(body);
            }
        }
    }

    fn body(&mut self, body: &Arc<Body>) {
        self.word(body.hash);
        self.bodies.push(Arc::clone(body));
    }

    fn view(&mut self, view: &View, shape: &Shape) {
        for axis in &view.axes {
            let from = axis.from.map_or(15, |from| from as u64);
            self.word(u64::from(axis.reflected) << 8 | from << 4 | rule(axis.rule));
            self.word(axis.stride as u64);
            self.numbers.push(Number { kind: NumberKind::Offset, bits: axis.offset as u64 });
        }
        for (axis, extent) in view.out.iter().enumerate() {
            match extent {
                ViewExtent::Same(source) => self.word(*source as u64),
                ViewExtent::New => {
                    self.word(99);
                    self.extent(shape[axis]);
                }
            }
        }
        if let Some(default) = view.default {
            self.scalar(default);
        }
    }

    fn item(&mut self, graph: &Graph, item: &Item) {
        let op = match &item.kind {
            Kind::Leaf(data) => {
                let scalar = matches!(data, Data::Scalar(_));
                self.head(1 + u64::from(scalar), item);
                return self.extents(&item.node.shape);
            }
            Kind::Lazy(op) => op,
        };
        match &**op {
            Op::Param(number) => {
                self.head(3, item);
                self.word(*number as u64);
                self.extents(&item.node.shape);
            }
            Op::Fill(value) => {
                self.head(4, item);
                self.extents(&item.node.shape);
                self.scalar(*value);
            }
            Op::Iota { axis } => {
                self.head(5 + 256 * *axis as u64, item);
                self.extents(&item.node.shape);
            }
            Op::Random { seed } => {
                self.head(6, item);
                self.extents(&item.node.shape);
                self.scalar(Scalar::U32(*seed as u32));
                self.scalar(Scalar::U32((*seed >> 32) as u32));
            }
            Op::Map { op, .. } => {
                self.head(7 + 256 * scalar_op(*op), item);
                self.masks(graph, item, &item.args);
            }
            Op::Apply { body, result, .. } => {
                self.head(8 + 256 * *result as u64, item);
                self.masks(graph, item, &item.args);
                self.body(body);
            }
            Op::View { view, .. } => {
                self.head(9 + 256 * view.axes.len() as u64, item);
                self.view(view, &item.node.shape);
            }
            Op::Reduce { axes, monoid, .. } => {
                let mask = axes.iter().fold(0u64, |mask, axis| mask | 1 << axis);
                self.head(10 + 256 * mask, item);
                self.fold(monoid);
            }
            Op::ArgReduce { axis, max, .. } => {
                self.head(11 + 256 * (2 * *axis as u64 + u64::from(*max)), item);
            }
            Op::Scan { axis, monoid, inclusion, direction, .. } => {
                let how = 4 * *axis as u64 + 2 * (*inclusion as u64) + *direction as u64;
                self.head(12 + 256 * how, item);
                self.fold(monoid);
            }
            Op::Fold { axis, body, start, .. } => {
                self.head(24 + 256 * *axis as u64, item);
                self.body(body);
                self.scalar(*start);
            }
            Op::Reshape { .. } => {
                self.head(13, item);
                self.extents(&item.node.shape);
            }
            Op::Concat { axis, .. } => {
                self.head(14 + 256 * *axis as u64, item);
                self.word(item.args.len() as u64);
                self.extent(item.node.shape[*axis]);
            }
            Op::Gather { axes, default, indices, .. } => {
                self.head(15 + 256 * u64::from(default.is_some()), item);
                for axis in axes {
                    self.word(match axis {
                        GatherAxis::Own(axis) => *axis as u64,
                        GatherAxis::Index(index, how) => 1 << 20 | (*index as u64) << 8 | rule(*how),
                    });
                }
                self.masks(graph, item, &item.args[1..=indices.len()]);
                if let Some(default) = default {
                    self.scalar(*default);
                }
            }
            Op::Scatter { clash, .. } => {
                let clash = match clash {
                    Clash::First => 0,
                    Clash::Last => 1,
                    Clash::Combine(op) => 2 + monoid(*op),
                };
                self.head(16 + 256 * clash, item);
            }
            Op::MatMul { .. } => self.head(17, item),
            Op::Filter { .. } => self.head(19, item),
            Op::Segmented { how, .. } => match how {
                Segmented::Reduce(fold) => {
                    self.head(20, item);
                    self.fold(fold);
                }
                Segmented::Scan(fold, inclusion, direction) => {
                    self.head(21 + 256 * (2 * (*inclusion as u64) + *direction as u64), item);
                    self.fold(fold);
                }
                Segmented::Sort { descending, payload } => {
                    let kind = 2 * u64::from(payload.is_some()) + u64::from(*descending);
                    self.head(22 + 256 * kind, item);
                }
            },
            Op::Function { call, result, .. } => {
                self.head(26 + 256 * *result as u64, item);
                self.word(call.function.number);
                if call.function.extent_of(*result).is_none() {
                    self.extents(&item.node.shape);
                }
            }
            Op::Owners { .. } => {
                self.head(25, item);
                self.extents(&item.node.shape);
            }
            Op::Sort { descending, payload, .. } => {
                self.head(18 + 256 * (2 * u64::from(payload.is_some()) + u64::from(*descending)), item);
            }
        }
    }
}

fn rule(rule: Rule) -> u64 {
    rule as u64
}

fn monoid(op: MonoidOp) -> u64 {
    op as u64
}

fn scalar_op(op: ScalarOp) -> u64 {
    match op {
        ScalarOp::Convert(ty) => 1000 + ty as u64,
        ScalarOp::Bitcast(ty) => 1100 + ty as u64,
        plain => ScalarOp::PLAIN.iter().position(|&known| known == plain).unwrap_or(0) as u64,
    }
}
