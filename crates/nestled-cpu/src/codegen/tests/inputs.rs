//! Sample arguments for kernels: small numbers without a pattern.

use nestled_ir::value::{Array, AxisValue, Bindings, Buffer, Layout, Segmentation, Value};
use nestled_ir::{Axis, Form, Kernel, Placement, Scalar, ScalarType, Type};
use std::sync::Arc;

/// The arguments of a kernel.
#[derive(Debug)]
pub struct Inputs {
    pub shapes: Vec<AxisValue>,
    pub args: Vec<Value>,
}

struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn scalar(&mut self, ty: ScalarType) -> Scalar {
        let number = self.below(64) as i64 - 6;
        match ty {
            ScalarType::Bool => Scalar::Bool(number % 2 == 0),
            ScalarType::F16 => Scalar::F16(0x3c00 + number.unsigned_abs() as u16 * 16),
            ScalarType::F32 => Scalar::F32(number as f32 / 2.0),
            ScalarType::F64 => Scalar::F64(number as f64 / 2.0),
            ScalarType::I8 => Scalar::I8(number as i8),
            ScalarType::U8 => Scalar::U8(number.unsigned_abs() as u8),
            ScalarType::I16 => Scalar::I16(number as i16),
            ScalarType::U16 => Scalar::U16(number.unsigned_abs() as u16),
            ScalarType::U32 => Scalar::U32(number.unsigned_abs() as u32),
            ScalarType::I32 => Scalar::I32(number as i32),
            ScalarType::I64 => Scalar::I64(number),
            // Half of them beyond what signed ones hold.
            ScalarType::U64 => Scalar::U64(number as u64 ^ (number as u64 & 1) << 63),
            // Indices are mostly inside.
            ScalarType::Idx => Scalar::Idx(if self.below(40) == 0 { number } else { number.rem_euclid(8) }),
        }
    }

    fn buffer(&mut self, ty: ScalarType, len: usize) -> Buffer {
        let scalars: Vec<Scalar> = (0..len).map(|_| self.scalar(ty)).collect();
        Buffer::from_scalars(ty, &scalars)
    }
}

impl Inputs {
    /// Returns small random numbers; the same for the same seed.
    pub fn random(kernel: &Kernel, seed: u64) -> Inputs {
        let mut noise = Noise(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let mut bindings = Bindings::new(&kernel.values);
        for &shape in &kernel.shapes {
            let axis = match &kernel.values[shape.index()].ty {
                // Some are empty.
                Type::Dim => AxisValue::Extent([0, 1, 9, 10, 37, 64][noise.below(6) as usize]),
                Type::Seg(seg) => {
                    let parent = bindings.shape(&seg.parent).expect("earlier ones are known");
                    let segments = Layout::new(&parent).points();
                    let seg = match seg.form {
                        Form::Regular => Segmentation::regular(parent, noise.below(20)),
                        Form::Offsets => {
                            let lengths: Vec<u64> = (0..segments).map(|_| noise.below(24)).collect();
                            Segmentation::from_lengths(parent, lengths.into_iter()).expect("short")
                        }
                    };
                    AxisValue::Seg(Arc::new(seg))
                }
                Type::Array(_) => unreachable!("a shape"),
            };
            bindings.set(shape, axis);
        }
        let shapes = kernel.shapes.iter().map(|&shape| bindings.axis(Axis::Sym(shape)).expect("set above"));
        let shapes: Vec<AxisValue> = shapes.collect();
        let args = kernel.params.iter().map(|param| {
            let Type::Array(ty) = &kernel.values[param.index()].ty else { unreachable!("no shape") };
            if ty.shape.is_scalar() {
                return Value::Scalar(noise.scalar(ty.elem));
            }
            let shape = bindings.shape(&ty.shape).expect("all shapes are known");
            let layout = Layout::new(&shape);
            let starts: Option<Arc<[i64]>> = (ty.placement == Placement::View).then(|| {
                let segments = layout.points_at(layout.rank() - 1);
                (0..segments).map(|_| noise.below(50) as i64).collect()
            });
            let len = if starts.is_some() { 80 } else { layout.points() as usize };
            Value::Array(Array { elem: ty.elem, shape, starts, data: Arc::new(noise.buffer(ty.elem, len)) })
        });
        let args = args.collect();
        Inputs { shapes, args }
    }
}
