//! Geometry of vectors: products, lengths, directions, and linear maps.

use super::{VectorOperand, Vectors, for_each_part};
use crate::array::Array;
use crate::element::{Float, Number};

impl<T: Number, const N: usize> Vectors<T, N> {
    /// The dot product: products of components, added from the first to the last.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::from_vec(vec![[1, 2], [3, 4]]).dot([10, 1]).to_vec()?, [12, 34]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn dot(&self, other: impl VectorOperand<T, N>) -> Array<T> {
        let other = other.vectors();
        let mut sum = &self.parts[0] * &other.parts[0];
        for (part, other) in self.parts.iter().zip(&other.parts).skip(1) {
            sum += part * other;
        }
        sum
    }

    /// Multiplies by a matrix of `M` rows: component `m` of the result is the dot product with row `m`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let turned = Vectors::constant([3, 4]).transformed(&[[0, -1], [1, 0], [1, 1]]);
    /// assert_eq!(turned.item()?, [-4, 3, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn transformed<const M: usize>(&self, matrix: &[[T; N]; M]) -> Vectors<T, M> {
        let mut parts = Vec::with_capacity(M);
        for row in matrix {
            parts.push(self.dot(*row));
        }
        Vectors::of(parts)
    }
}

impl<T: Number> Vectors<T, 3> {
    /// The cross product.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([1, 0, 0]).cross([0, 1, 0]).item()?, [0, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn cross(&self, other: impl VectorOperand<T, 3>) -> Vectors<T, 3> {
        let ([a, b, c], Vectors { parts: [x, y, z] }) = (&self.parts, &other.vectors());
        Vectors::of(vec![b * z - c * y, c * x - a * z, a * y - b * x])
    }
}

impl<T: Float, const N: usize> Vectors<T, N> {
    /// The length.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([3.0, 4.0]).length().item()?, 5.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn length(&self) -> Array<T> {
        self.dot(self).sqrt()
    }

    /// Vectors of length 1 in the same direction; those of length 0 have none, and become NaN.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([3.0, 4.0]).normalised().item()?, [0.6, 0.8]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn normalised(&self) -> Vectors<T, N> {
        self / self.length()
    }

    /// The distance to other points.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([4.0, 5.0]).distance([1.0, 1.0]).item()?, 5.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn distance(&self, other: impl VectorOperand<T, N>) -> Array<T> {
        (self - other.vectors()).length()
    }

    /// Linear interpolation: these vectors for `t` = 0, the others for `t` = 1.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([0.0, 8.0]).lerp([4.0, 0.0], 0.25).item()?, [1.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn lerp(&self, other: impl VectorOperand<T, N>, t: impl VectorOperand<T, N>) -> Vectors<T, N> {
        let (other, t) = (other.vectors(), t.vectors());
        for_each_part!(k => &self.parts[k] + (&other.parts[k] - &self.parts[k]) * &t.parts[k])
    }

    /// Reflects directions at planes with these normals of length 1.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([1.0, -2.0]).reflected([0.0, 1.0]).item()?, [1.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn reflected(&self, normals: impl VectorOperand<T, N>) -> Vectors<T, N> {
        let normals = normals.vectors();
        let twice = self.dot(&normals) * T::of(2.0);
        self - normals * twice
    }
}
