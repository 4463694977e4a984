//! Which NESL: the choices that differ between our default and the original implementation.

/// Bits of a number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

/// The choices a program is read under. Everything that depends on them asks here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// Width of `int`.
    pub int: Width,
    /// Width of `float`.
    pub float: Width,
    /// Do as the original does wherever that gives other values, effects or errors.
    pub compat: bool,
}

impl Default for Dialect {
    fn default() -> Dialect {
        Dialect { int: Width::W64, float: Width::W64, compat: false }
    }
}

impl Dialect {
    /// The original: 32-bit integers, 64-bit floats, and its accidents.
    pub const COMPAT: Dialect = Dialect { int: Width::W32, float: Width::W64, compat: true };

    /// The largest `int`.
    pub fn max_int(self) -> i64 {
        match self.int {
            Width::W32 => i64::from(i32::MAX),
            Width::W64 => i64::MAX,
        }
    }

    /// The smallest `int`.
    pub fn min_int(self) -> i64 {
        -self.max_int() - 1
    }

    /// The `int` that this number is modulo two to the width.
    pub fn wrap(self, value: i64) -> i64 {
        match self.int {
            Width::W32 => i64::from(value as i32),
            Width::W64 => value,
        }
    }

    /// The `float` nearest to this number.
    pub fn round(self, value: f64) -> f64 {
        match self.float {
            Width::W32 => f64::from(value as f32),
            Width::W64 => value,
        }
    }

    /// Bits of an `int`.
    pub fn int_bits(self) -> u32 {
        match self.int {
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }
}
