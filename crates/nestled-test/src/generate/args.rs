//! Generation of the main function's parameters, with arguments for them.

use super::Gen;
use super::class::{Class, TAME};
use super::expr::{random_scalar, random_type, tame, wild};
use super::host::Fact;
use nestled_ir::typing::Scope;
use nestled_ir::value::{Array, AxisValue, Buffer, Segmentation, Value as RuntimeValue};
use nestled_ir::{ArrayType, Axis, Form, Placement, Scalar, ScalarType, Shape, Span, Type, Value, ValueId};
use std::sync::Arc;

/// Parameters with arguments.
#[derive(Debug, Default)]
pub struct Entry {
    /// The table of values: parameters so far.
    pub values: Vec<Value>,
    /// The facts about them.
    pub facts: Vec<Fact>,
    /// The shape parameters.
    pub shapes: Vec<ValueId>,
    /// The other parameters.
    pub params: Vec<ValueId>,
    /// Arguments for the shape parameters.
    pub shape_args: Vec<AxisValue>,
    /// Arguments for the others.
    pub args: Vec<RuntimeValue>,
}

impl Entry {
    fn value(&mut self, name: &str, ty: Type, fact: Fact) -> ValueId {
        self.values.push(Value { name: name.into(), ty, span: Span::NONE });
        self.facts.push(fact);
        ValueId::from(self.values.len() - 1)
    }

    fn shape_value(&mut self, name: &str, ty: Type, fact: Fact, arg: AxisValue) {
        let id = self.value(name, ty, fact);
        self.shapes.push(id);
        self.shape_args.push(arg);
    }

    fn argument(&self, axis: Axis) -> AxisValue {
        match axis {
            Axis::Const(n) => AxisValue::Extent(n),
            Axis::Sym(symbol) => {
                let at = self.shapes.iter().position(|&id| id == symbol);
                self.shape_args[at.expect("axes of parameters are shape parameters")].clone()
            }
        }
    }

    fn points(&self, shape: &Shape) -> u64 {
        shape.axes.iter().fold(1, |points: u64, &axis| {
            points.saturating_mul(match self.argument(axis) {
                AxisValue::Extent(n) => n,
                AxisValue::Seg(seg) => seg.total(),
            })
        })
    }
}

/// Random parameters and arguments.
pub fn random_entry(g: &mut Gen) -> Entry {
    let mut entry = Entry::default();
    for _ in 0..1 + g.random.below(3) {
        extent(g, &mut entry);
    }
    for _ in 0..g.random.below(4) {
        segmentation(g, &mut entry);
    }
    for _ in 0..2 + g.random.below(4) {
        array(g, &mut entry);
    }
    for _ in 0..g.random.below(3) {
        scalar(g, &mut entry);
    }
    entry
}

fn extent(g: &mut Gen, entry: &mut Entry) {
    let n = if g.long && entry.shapes.is_empty() {
        *g.random.pick(&[40, 129, 700, 4096, 4097, 5000, 8500])
    } else {
        *g.random.pick(&[0, 0, 1, 1, 2, 3, 3, 4, 5, 7, 8, 13, 17, 33])
    };
    let fact = Fact { known: Some(n), ..Fact::bound(n as u64) };
    entry.shape_value("n", Type::Dim, fact, AxisValue::Extent(n as u64));
}

fn random_axis(g: &mut Gen, entry: &Entry) -> Axis {
    if g.random.chance(15) {
        return Axis::Const(g.random.below(4) as u64);
    }
    let dims: Vec<ValueId> =
        entry.shapes.iter().copied().filter(|id| entry.values[id.index()].ty == Type::Dim).collect();
    Axis::Sym(*g.random.pick(&dims))
}

/// A shape of bounded size; with `segmented` perhaps over a segmentation.
fn random_shape(g: &mut Gen, entry: &Entry, segmented: usize, most: u64) -> Shape {
    for _ in 0..8 {
        let segs: Vec<ValueId> = entry
            .shapes
            .iter()
            .copied()
            .filter(|id| entry.values[id.index()].ty.as_seg().is_some())
            .collect();
        let mut axes = if !segs.is_empty() && g.random.chance(segmented) {
            vec![Axis::Sym(*g.random.pick(&segs))]
        } else {
            vec![random_axis(g, entry)]
        };
        while axes.len() < 4 && g.random.chance(30) {
            axes.push(random_axis(g, entry));
        }
        if g.random.chance(3) {
            axes = (0..5 + g.random.below(4)).map(|_| random_axis(g, entry)).collect();
        }
        let shape = Shape::new(axes);
        if entry.points(&shape) <= most && Scope::new(&entry.values).coordinates(&shape) <= Shape::MAX_RANK {
            return shape;
        }
    }
    Shape::new([Axis::Const(2)])
}

/// A segmentation: empty, equal, skewed or random lengths.
fn segmentation(g: &mut Gen, entry: &mut Entry) {
    let parent = random_shape(g, entry, 40, 120);
    if Scope::new(&entry.values).coordinates(&parent) > 4 {
        return;
    }
    let parent_value: Vec<AxisValue> = parent.axes.iter().map(|&axis| entry.argument(axis)).collect();
    let n = entry.points(&parent);
    if g.random.chance(20) {
        let length = g.random.below(5) as u64;
        let seg = Segmentation::regular(parent_value, length);
        let fact = Fact::bound(n * length);
        entry.shape_value("r", Type::seg(parent, Form::Regular), fact, AxisValue::Seg(Arc::new(seg)));
        return;
    }
    let lengths = lengths(g, n);
    let total = lengths.iter().sum();
    let seg = Segmentation::from_lengths(parent_value, lengths.into_iter()).expect("lengths are small");
    let ty = Type::seg(parent, Form::Offsets);
    entry.shape_value("s", ty, Fact::bound(total), AxisValue::Seg(Arc::new(seg)));
}

fn lengths(g: &mut Gen, n: u64) -> Vec<u64> {
    let pattern = g.random.below(5);
    let huge = if g.long { 5000 } else { 60 };
    let at = g.random.below(n as usize) as u64;
    (0..n)
        .map(|i| match pattern {
            0 => 0,
            1 => 1,
            2 if i == at => huge,
            2 => g.random.below(2) as u64,
            3 => (i % 7) * (i % 2),
            _ => g.random.below(6) as u64,
        })
        .collect()
}

fn array(g: &mut Gen, entry: &mut Entry) {
    let shape = random_shape(g, entry, 50, 12_000);
    let elem = random_type(&mut g.random);
    let view = matches!(shape.axes.as_slice(), [axis] if matches!(entry.argument(*axis), AxisValue::Seg(_)));
    let (value, class, placement) = if view && g.random.chance(30) {
        view_argument(g, entry, &shape, elem)
    } else {
        let n = entry.points(&shape);
        let (data, class) = elements(g, elem, n);
        let axes = shape.axes.iter().map(|&axis| entry.argument(axis)).collect();
        (Array::dense(axes, data), class, Placement::Dense)
    };
    let ty = Type::Array(ArrayType { elem, shape, placement });
    let id = entry.value("xs", ty, Fact::of(class));
    entry.params.push(id);
    entry.args.push(RuntimeValue::Array(value));
}

/// A view with segments anywhere in a buffer that is just large enough for the longest, or larger.
fn view_argument(g: &mut Gen, entry: &Entry, shape: &Shape, elem: ScalarType) -> (Array, Class, Placement) {
    let AxisValue::Seg(seg) = entry.argument(shape.axes[0]) else {
        unreachable!("only segmentations have views")
    };
    let lengths: Vec<u64> = (0..seg.n_segments()).map(|at| seg.lengths.length(at)).collect();
    let size = lengths.iter().copied().max().unwrap_or(0) + g.random.below(9) as u64;
    let starts: Arc<[i64]> =
        lengths.iter().map(|length| g.random.below((size - length) as usize + 1) as i64).collect();
    let (data, class) = elements(g, elem, size);
    let array = Array { elem, shape: vec![AxisValue::Seg(seg)], starts: Some(starts), data: Arc::new(data) };
    (array, class, Placement::View)
}

fn elements(g: &mut Gen, elem: ScalarType, n: u64) -> (Buffer, Class) {
    let tamed = elem.is_float() && g.random.chance(60);
    let counts = elem.is_integer() && g.random.chance(30);
    let scalars: Vec<Scalar> = (0..n)
        .map(|_| match (tamed, counts) {
            (true, _) => tame(&mut g.random, elem),
            (_, true) => Scalar::from_bits(elem, g.random.below(5) as u64),
            _ if elem.is_float() && g.random.chance(30) => wild(&mut g.random, elem),
            _ => random_scalar(&mut g.random, elem),
        })
        .collect();
    let class = match (tamed, counts) {
        (true, _) => TAME,
        (_, true) => Class::Range(0, 4),
        _ => Class::Any,
    };
    (Buffer::from_scalars(elem, &scalars), class)
}

fn scalar(g: &mut Gen, entry: &mut Entry) {
    let ty = random_type(&mut g.random);
    let value = if ty.is_float() { tame(&mut g.random, ty) } else { random_scalar(&mut g.random, ty) };
    let class = if ty.is_float() { TAME } else { Class::Any };
    let id = entry.value("a", Type::scalar(ty), Fact::of(class));
    entry.params.push(id);
    entry.args.push(RuntimeValue::Scalar(value));
}
