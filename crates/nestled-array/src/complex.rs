//! Complex numbers and quaternions: tuples of arrays with the arithmetic of the patent's library types.

use crate::array::Array;
use crate::element::Float;
use crate::engine::{Evaluate, Handle};
use std::ops::{Add, Mul, Neg, Sub};

/// Complex numbers: an array of real parts and one of imaginary parts.
///
/// ```
/// use nestled_array::{Array, Complex};
/// let z = Complex::new(Array::scalar(3.0f64), Array::scalar(4.0));
/// assert_eq!((&z * &z.conj()).re.item()?, 25.0);
/// assert_eq!(z.abs().item()?, 5.0);
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
    /// From real and imaginary parts.
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

    /// With the opposite imaginary part.
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
    /// From its four parts.
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

    /// With all but the real part negated.
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

impl<T: Float> Add for &Complex<T> {
    type Output = Complex<T>;
    #[track_caller]
    fn add(self, other: &Complex<T>) -> Complex<T> {
        Complex { re: &self.re + &other.re, im: &self.im + &other.im }
    }
}

impl<T: Float> Sub for &Complex<T> {
    type Output = Complex<T>;
    #[track_caller]
    fn sub(self, other: &Complex<T>) -> Complex<T> {
        Complex { re: &self.re - &other.re, im: &self.im - &other.im }
    }
}

impl<T: Float> Mul for &Complex<T> {
    type Output = Complex<T>;
    #[track_caller]
    fn mul(self, other: &Complex<T>) -> Complex<T> {
        let ((a, b), (c, d)) = ((&self.re, &self.im), (&other.re, &other.im));
        Complex { re: a * c - b * d, im: a * d + b * c }
    }
}

impl<T: Float> Neg for &Complex<T> {
    type Output = Complex<T>;
    #[track_caller]
    fn neg(self) -> Complex<T> {
        Complex { re: -&self.re, im: -&self.im }
    }
}

impl<T: Float> Add for &Quaternion<T> {
    type Output = Quaternion<T>;
    #[track_caller]
    fn add(self, other: &Quaternion<T>) -> Quaternion<T> {
        Quaternion {
            w: &self.w + &other.w,
            x: &self.x + &other.x,
            y: &self.y + &other.y,
            z: &self.z + &other.z,
        }
    }
}

impl<T: Float> Mul for &Quaternion<T> {
    type Output = Quaternion<T>;
    #[track_caller]
    fn mul(self, other: &Quaternion<T>) -> Quaternion<T> {
        let (w1, x1, y1, z1) = (&self.w, &self.x, &self.y, &self.z);
        let (w2, x2, y2, z2) = (&other.w, &other.x, &other.y, &other.z);
        Quaternion {
            w: w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            x: w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            y: w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            z: w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        }
    }
}

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
