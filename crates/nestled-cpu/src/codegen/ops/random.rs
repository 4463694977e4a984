//! The counter-based random number generator (Threefry).

use super::super::emit::Emit;
use super::super::value::Val;
use super::writer::Writer;
use nestled_ir::{Op, Scalar, ScalarType};

impl Emit<'_> {
    /// Emits Threefry-2x32 with 20 rounds, as [`threefry2x32`](nestled_ir::interp::threefry2x32) computes it; all values are `u32`.
    pub fn threefry(&mut self, key: [Val; 2], counter: [Val; 2]) -> [Val; 2] {
        const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];
        let parity = Val::constant(Scalar::U32(0x1bd1_1bda));
        let third = self.op(Op::Xor, &[parity, key[0].clone()]);
        let third = self.op(Op::Xor, &[third, key[1].clone()]);
        let [first, second] = key;
        let keys = [first, second, third];
        let [x, y] = counter;
        let mut x = self.op(Op::Add, &[x, keys[0].clone()]);
        let mut y = self.op(Op::Add, &[y, keys[1].clone()]);
        for (round, injection) in (0..20).map(|round| (round, round / 4 + 1)) {
            x = self.op(Op::Add, &[x, y.clone()]);
            y = self.rotate_left(&y, ROTATIONS[round % 8]);
            y = self.op(Op::Xor, &[y, x.clone()]);
            if round % 4 == 3 {
                // With a uniform key the summand is uniform, and hoisted out of loops.
                let number = Val::constant(Scalar::U32(injection as u32));
                let numbered = self.op(Op::Add, &[keys[(injection + 1) % 3].clone(), number]);
                x = self.op(Op::Add, &[x, keys[injection % 3].clone()]);
                y = self.op(Op::Add, &[y, numbered]);
            }
        }
        [x, y]
    }

    fn rotate_left(&mut self, val: &Val, by: u32) -> Val {
        if let Some(Scalar::U32(value)) = val.as_const() {
            return Val::constant(Scalar::U32(value.rotate_left(by)));
        }
        let mut writer = Writer::new(self, std::slice::from_ref(val));
        let (x, count) = (writer.value(val), writer.literal("i32", by));
        let rotated = writer.intrinsic("fshl", "i32", &[&x, &x, &count]);
        writer.result(ScalarType::U32, rotated)
    }
}
