//! Dialects of NESL: the choices in which the default and the original implementation differ.

/// Bits of a number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

/// The choices under which a program is read. All code that depends on them asks here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// Width of `int`.
    pub int: Width,
    /// Width of `float`.
    pub float: Width,
    /// Behave as the original wherever that gives other values, effects or errors.
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

    /// Returns the largest `int`.
    pub fn max_int(self) -> i64 {
        match self.int {
            Width::W32 => i64::from(i32::MAX),
            Width::W64 => i64::MAX,
        }
    }

    /// Returns the smallest `int`.
    pub fn min_int(self) -> i64 {
        -self.max_int() - 1
    }

    /// Wraps a number to the width of `int`, in two's complement.
    pub fn wrap(self, value: i64) -> i64 {
        match self.int {
            Width::W32 => i64::from(value as i32),
            Width::W64 => value,
        }
    }

    /// Rounds a number to the nearest `float`.
    pub fn round(self, value: f64) -> f64 {
        match self.float {
            Width::W32 => f64::from(value as f32),
            Width::W64 => value,
        }
    }

    /// Returns the width of an `int` in bits.
    pub fn int_bits(self) -> u32 {
        match self.int {
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }
}
