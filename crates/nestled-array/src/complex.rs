//! Complex numbers and quaternions: tuples of arrays with the arithmetic of the patent's library types.

use crate::array::Array;
use crate::element::Float;
use crate::engine::{Evaluate, Handle};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Complex numbers: an array of real parts and one of imaginary parts.
///
/// ```
/// use nestled_array::{Array, Complex};
/// let z = Complex::new(Array::scalar(3.0f64), Array::scalar(4.0));
/// assert_eq!((&z * &z.conj()).re.item()?, 25.0);
/// assert_eq!(z.abs().item()?, 5.0);
/// assert_eq!((&z / &z).re.item()?, 1.0);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Complex<T: Float> {
    /// The real parts.
    pub re: Array<T>,
    /// The imaginary parts.
    pub im: Array<T>,
}

/// Quaternions `w + x·i + y·j + z·k`: four arrays.
///
/// ```
/// # use nestled_array::*;
/// let q = Quaternion::new(Array::scalar(1.0), Array::scalar(2.0), Array::scalar(3.0), Array::scalar(4.0));
/// assert_eq!((&q * &q.conj()).w.item()?, 30.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Quaternion<T: Float> {
    /// The real parts.
    pub w: Array<T>,
    /// The parts along i.
    pub x: Array<T>,
    /// The parts along j.
    pub y: Array<T>,
    /// The parts along k.
    pub z: Array<T>,
}

impl<T: Float> Complex<T> {
    /// Combines real and imaginary parts.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let z = Complex::new(Array::scalar(3.0), Array::scalar(4.0));
    /// assert_eq!(z.im.item()?, 4.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(re: Array<T>, im: Array<T>) -> Complex<T> {
        Complex { re, im }
    }

    /// The numbers of length 1 at some angles.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Complex::turn(&Array::scalar(0.0)).re.item()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn turn(angle: &Array<T>) -> Complex<T> {
        Complex { re: angle.cos(), im: angle.sin() }
    }

    /// The conjugate: the imaginary part is negated.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let z = Complex::new(Array::scalar(3.0), Array::scalar(4.0));
    /// assert_eq!(z.conj().im.item()?, -4.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn conj(&self) -> Complex<T> {
        Complex { re: self.re.clone(), im: -&self.im }
    }

    /// The square of the length.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let z = Complex::new(Array::scalar(3.0), Array::scalar(4.0));
    /// assert_eq!(z.norm().item()?, 25.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn norm(&self) -> Array<T> {
        self.re.square() + self.im.square()
    }

    /// The length.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let z = Complex::new(Array::scalar(3.0), Array::scalar(4.0));
    /// assert_eq!(z.abs().item()?, 5.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn abs(&self) -> Array<T> {
        self.norm().sqrt()
    }

    /// The angle, in −π..π.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Complex::new(Array::scalar(2.0), Array::scalar(0.0)).arg().item()?, 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn arg(&self) -> Array<T> {
        self.im.atan2(&self.re)
    }

    /// eᶻ.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Complex::new(Array::scalar(0.0), Array::scalar(0.0)).exp().re.item()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn exp(&self) -> Complex<T> {
        let (turn, length) = (Complex::turn(&self.im), self.re.exp());
        Complex { re: turn.re * &length, im: turn.im * length }
    }
}

impl<T: Float> Quaternion<T> {
    /// Combines the four parts.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let q = Quaternion::new(Array::scalar(1.0), Array::scalar(2.0), Array::scalar(3.0), Array::scalar(4.0));
    /// assert_eq!(q.z.item()?, 4.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(w: Array<T>, x: Array<T>, y: Array<T>, z: Array<T>) -> Quaternion<T> {
        Quaternion { w, x, y, z }
    }

    /// The conjugate: all but the real part are negated.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let q = Quaternion::new(Array::scalar(1.0), Array::scalar(2.0), Array::scalar(3.0), Array::scalar(4.0));
    /// assert_eq!(q.conj().x.item()?, -2.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn conj(&self) -> Quaternion<T> {
        Quaternion { w: self.w.clone(), x: -&self.x, y: -&self.y, z: -&self.z }
    }

    /// The square of the length.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let q = Quaternion::new(Array::scalar(1.0), Array::scalar(2.0), Array::scalar(3.0), Array::scalar(4.0));
    /// assert_eq!(q.norm().item()?, 30.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn norm(&self) -> Array<T> {
        self.w.square() + self.x.square() + self.y.square() + self.z.square()
    }
}

impl<T: Float> Complex<T> {
    /// Numbers in polar form: lengths and angles.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let z = Complex::polar(&Array::scalar(2.0), &Array::scalar(0.0));
    /// assert_eq!((z.re.item()?, z.im.item()?), (2.0, 0.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn polar(length: &Array<T>, angle: &Array<T>) -> Complex<T> {
        let turn = Complex::turn(angle);
        Complex { re: turn.re * length, im: turn.im * length }
    }
}

impl<T: Float> From<Array<T>> for Complex<T> {
    #[track_caller]
    fn from(re: Array<T>) -> Complex<T> {
        let im = Array::zeros(re.shape());
        Complex { re, im }
    }
}

#[track_caller]
fn add<T: Float>(left: &Complex<T>, right: &Complex<T>) -> Complex<T> {
    Complex { re: &left.re + &right.re, im: &left.im + &right.im }
}

#[track_caller]
fn subtract<T: Float>(left: &Complex<T>, right: &Complex<T>) -> Complex<T> {
    Complex { re: &left.re - &right.re, im: &left.im - &right.im }
}

#[track_caller]
fn multiply<T: Float>(left: &Complex<T>, right: &Complex<T>) -> Complex<T> {
    let ((a, b), (c, d)) = ((&left.re, &left.im), (&right.re, &right.im));
    Complex { re: a * c - b * d, im: a * d + b * c }
}

/// Division by Smith's algorithm: the greater part of the divisor is divided by first, so that no square overflows.
#[track_caller]
fn divide<T: Float>(left: &Complex<T>, right: &Complex<T>) -> Complex<T> {
    let ((a, b), (c, d)) = ((&left.re, &left.im), (&right.re, &right.im));
    let is_real = c.abs().ge(d.abs());
    let (great, small) = (is_real.select(c, d), is_real.select(d, c));
    // A divisor of 0 gives what division of its parts gives.
    let ratio = great.eq(T::ZERO).select(T::ZERO, small / &great);
    let divisor = is_real.select(c + d * &ratio, d + c * &ratio);
    let re = is_real.select(a + b * &ratio, a * &ratio + b);
    let im = is_real.select(b - a * &ratio, b * &ratio - a);
    Complex { re: re / &divisor, im: im / divisor }
}

#[track_caller]
fn add_quaternions<T: Float>(left: &Quaternion<T>, right: &Quaternion<T>) -> Quaternion<T> {
    Quaternion { w: &left.w + &right.w, x: &left.x + &right.x, y: &left.y + &right.y, z: &left.z + &right.z }
}

#[track_caller]
fn subtract_quaternions<T: Float>(left: &Quaternion<T>, right: &Quaternion<T>) -> Quaternion<T> {
    Quaternion { w: &left.w - &right.w, x: &left.x - &right.x, y: &left.y - &right.y, z: &left.z - &right.z }
}

#[track_caller]
fn multiply_quaternions<T: Float>(left: &Quaternion<T>, right: &Quaternion<T>) -> Quaternion<T> {
    let (w1, x1, y1, z1) = (&left.w, &left.x, &left.y, &left.z);
    let (w2, x2, y2, z2) = (&right.w, &right.x, &right.y, &right.z);
    Quaternion {
        w: w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        x: w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
        y: w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
        z: w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
    }
}

#[track_caller]
fn opposite<T: Float>(z: &Complex<T>) -> Complex<T> {
    Complex { re: -&z.re, im: -&z.im }
}

#[track_caller]
fn opposite_quaternion<T: Float>(q: &Quaternion<T>) -> Quaternion<T> {
    Quaternion { w: -&q.w, x: -&q.x, y: -&q.y, z: -&q.z }
}

/// An operator, on values and on references.
macro_rules! operator {
    ($of:ident: $trait:ident $method:ident $function:ident) => {
        operator! { @pair $of: $trait $method $function [$of<T>] [$of<T>] }
        operator! { @pair $of: $trait $method $function [$of<T>] [&$of<T>] }
        operator! { @pair $of: $trait $method $function [&$of<T>] [$of<T>] }
        operator! { @pair $of: $trait $method $function [&$of<T>] [&$of<T>] }
    };
    (@pair $of:ident: $trait:ident $method:ident $function:ident [$($left:tt)*] [$($right:tt)*]) => {
        impl<T: Float> $trait<$($right)*> for $($left)* {
            type Output = $of<T>;
            #[track_caller]
            fn $method(self, other: $($right)*) -> $of<T> {
                $function(&self, &other)
            }
        }
    };
    (@prefix $of:ident: $trait:ident $method:ident $function:ident) => {
        impl<T: Float> $trait for $of<T> {
            type Output = $of<T>;
            #[track_caller]
            fn $method(self) -> $of<T> {
                $function(&self)
            }
        }
        impl<T: Float> $trait for &$of<T> {
            type Output = $of<T>;
            #[track_caller]
            fn $method(self) -> $of<T> {
                $function(self)
            }
        }
    };
}

operator! { Complex: Add add add }
operator! { Complex: Sub sub subtract }
operator! { Complex: Mul mul multiply }
operator! { Complex: Div div divide }
operator! { @prefix Complex: Neg neg opposite }
operator! { Quaternion: Add add add_quaternions }
operator! { Quaternion: Sub sub subtract_quaternions }
operator! { Quaternion: Mul mul multiply_quaternions }
operator! { @prefix Quaternion: Neg neg opposite_quaternion }

impl<T: Float> Evaluate for Complex<T> {
    fn nodes(&self, into: &mut Vec<Handle>) {
        self.re.nodes(into);
        self.im.nodes(into);
    }
}

impl<T: Float> Evaluate for Quaternion<T> {
    fn nodes(&self, into: &mut Vec<Handle>) {
        [&self.w, &self.x, &self.y, &self.z].into_iter().for_each(|part| part.nodes(into));
    }
}
