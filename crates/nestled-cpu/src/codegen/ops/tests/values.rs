//! Sample operands: the extremes and middles of each type, their neighbours, and some pseudo-random values.

use nestled_ir::{Scalar, ScalarType};

/// A deterministic pseudo-random generator.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Returns bits of a type; numbers of all magnitudes are equally likely.
    pub fn scalar(&mut self, ty: ScalarType) -> Scalar {
        let (bits, cut) = (self.next(), self.next());
        match ty {
            ScalarType::F32 | ScalarType::F64 | ScalarType::F16 | ScalarType::Bool => {
                Scalar::from_bits(ty, bits)
            }
            _ => {
                let shift = 64 - ty.bits() + cut as u32 % ty.bits();
                let number = if ty.is_signed() { (bits as i64 >> shift) as u64 } else { bits >> shift };
                Scalar::from_bits(ty, number)
            }
        }
    }
}

/// Returns the special values of a type, and a few others.
pub fn interesting(ty: ScalarType) -> Vec<Scalar> {
    let mut noise = Noise::new(7);
    let mut values = match ty {
        ScalarType::Bool => return vec![Scalar::Bool(false), Scalar::Bool(true)],
        ScalarType::F32 => F32.iter().map(|&value| Scalar::F32(value)).collect(),
        ScalarType::F64 => f64s(),
        ScalarType::F16 => {
            (0..64).map(|i| Scalar::F16(i << 10)).chain(F16.iter().map(|&v| Scalar::F16(v))).collect()
        }
        _ => integers(ty),
    };
    values.extend((0..6).map(|_| noise.scalar(ty)));
    values
}

/// Returns a few of them, for operations with three operands.
pub fn few(ty: ScalarType) -> Vec<Scalar> {
    let all = interesting(ty);
    let step = all.len().div_ceil(13);
    all.into_iter().step_by(step).collect()
}

const F16: [u16; 8] = [0x0001, 0x8001, 0x03ff, 0x3555, 0x7bff, 0xfbff, 0x7c01, 0xfe01];

const F32: [f32; 38] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    -1e-45,
    1e-40,
    0.5,
    -0.5,
    // Just below a half, and ties of rounding.
    0.499_999_97,
    -0.499_999_97,
    1.5,
    -2.5,
    4_194_303.5,
    -8_388_609.0,
    16_777_216.0,
    // Limits of integers, and their neighbours.
    127.5,
    -128.75,
    255.0,
    256.5,
    32_767.5,
    -32_769.0,
    65_535.0,
    65_536.0,
    2_147_483_648.0,
    -2_147_483_648.0,
    2_147_483_520.0,
    4_294_967_296.0,
    4_294_967_040.0,
    9_223_372_036_854_775_808.0,
    18_446_744_073_709_551_616.0,
    18_446_742_974_197_923_840.0,
    -9_223_372_036_854_775_808.0,
];

fn f64s() -> Vec<Scalar> {
    let more = [
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        1e39,
        2_147_483_647.0,
        2_147_483_647.5,
        -2_147_483_648.9,
        -2_147_483_649.0,
        4_294_967_295.0,
        4_294_967_295.5,
        9_223_372_036_854_774_784.0,
        18_446_744_073_709_549_568.0,
        9_223_372_036_854_777_856.0,
        0.499_999_999_999_999_94,
        4_503_599_627_370_495.5,
        // Ties and near ties of rounding to binary16.
        1.0 + 1.0 / 2048.0,
        1.0 + 1.0 / 2048.0 + 1e-12,
        1.0 + 3.0 / 2048.0 - 1e-12,
        65_519.999,
        65_520.0,
        2.0e-8,
        2.980_232_238_769_531e-8,
    ];
    F32.iter().map(|&value| f64::from(value)).chain(more).map(Scalar::F64).collect()
}

fn integers(ty: ScalarType) -> Vec<Scalar> {
    let bits = ty.bits();
    let (least, greatest): (i128, i128) = match ty.is_signed() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    };
    let middle = 1i128 << (bits / 2);
    let mut values: Vec<i128> = vec![least, least + 1, greatest, greatest - 1, greatest / 2, least / 2];
    values.extend([-7, -3, -2, -1, 0, 1, 2, 3, 7, 10, 100, 31, 32, 33, 64]);
    values.extend([middle, middle - 1, middle + 1, -middle, greatest / 3, greatest / 10]);
    if bits == 64 {
        // Ties of rounding to floats, and what is beside them.
        for (top, tie) in
            [(1i128 << 63, 39), (1 << 63, 10), (1 << 62, 38), (1 << 62, 9), (3 << 62, 39), (1 << 54, 1)]
        {
            values.extend([top + (1 << tie), top + (1 << tie) + 1, top + (1 << tie) - 1, top + (3 << tie)]);
        }
        values.extend([greatest - (1 << 39), greatest - (1 << 10), 1 << 63, (1 << 63) + 1]);
    }
    let inside = values.into_iter().filter(|value| (least..=greatest).contains(value));
    inside.map(|value| Scalar::from_bits(ty, value as u64)).collect()
}
