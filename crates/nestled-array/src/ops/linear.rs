//! Inner and outer products.

use super::fallible;
use super::gather::stretched;
use super::reduce::reduce;
use crate::array::Array;
use crate::element::{Element, Number};
use crate::error::{Error, Reason, Result};
use crate::node::{Fold, Op, ViewExtent};
use crate::shape::Shape;
use nestled_ir::MonoidOp;
use std::sync::Arc;

fallible! { impl[T: Number] Array<T> {
    /// The product of two matrices, of a matrix and a vector, or of two vectors.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<f64>::range(4).reshape(&[2, 2]);
    /// assert_eq!(m.matmul(&m).to_vec()?, [2.0, 3.0, 6.0, 11.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn matmul try_matmul[](&self, other: &Array<T>) -> Array<T> {
        let (left, right) = (self.shape(), other.shape());
        match (&**left, &**right) {
            ([n, k], [l, m]) if k == l => {
                let op = Op::MatMul { left: Arc::clone(&self.node), right: Arc::clone(&other.node) };
                Ok(Array::lazy(Shape::of(&[*n, *m]), op))
            }
            ([.., k], [l, ..]) if k == l => self.try_inner(other),
            _ => Err(Error::of("matmul", Reason::Shapes(*left, *right))),
        }
    }

    /// `R[i…, j…] = Σₖ A[i…, k] · B[k, j…]`
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<f64>::range(4).reshape(&[2, 2]);
    /// assert_eq!(m.inner(&Array::from_vec(vec![1.0, 10.0])).to_vec()?, [10.0, 32.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn inner try_inner[](&self, other: &Array<T>) -> Array<T> {
        self.try_inner_with(other, MonoidOp::Add, |a, b| a * b)
    }

    /// `R[i…, j…] = A[i…] · B[j…]`
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (a, b) = (Array::from_vec(vec![1, 2]), Array::from_vec(vec![3, 4]));
    /// assert_eq!(a.outer(&b).to_vec()?, [3, 4, 6, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    fn outer try_outer[](&self, other: &Array<T>) -> Array<T> {
        self.try_outer_with(other, |a, b| a * b)
    }
}}

fallible! { impl[T: Element] Array<T> {
    /// `R[i…, j…]`: the reduction by `operator`, over k, of `combine(A[i…, k], B[k, j…])`. `combine` is an elementwise expression.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(4).reshape(&[2, 2]);
    /// let least = m.inner_with(&m, Operator::Min, |a, b| a + b);
    /// assert_eq!(least.to_vec()?, [0, 1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn inner_with try_inner_with[U: Element, V: Element](
        &self,
        other: &Array<U>,
        operator: MonoidOp,
        combine: impl Fn(Array<T>, Array<U>) -> Array<V>,
    ) -> Array<V> {
        let (left, right) = (self.shape(), other.shape());
        let (Some((&k, outer)), Some((&l, inner))) = (left.split_last(), right.split_first()) else {
            return Err(Error::of("inner", Reason::Shapes(*left, *right)));
        };
        if k != l {
            return Err(Error::of("inner", Reason::Shapes(*left, *right)));
        }
        if !crate::element::combines(operator, V::TYPE) {
            return Err(Error::new("inner", format!("`{}` is not for {}", operator.name(), V::TYPE)));
        }
        // Both over i…, j…, k.
        let shape = Shape::new(&[outer, inner, &[k]].concat())?;
        let (n, m) = (outer.len(), inner.len());
        let mut extents = vec![ViewExtent::New; n + m + 1];
        (0..n).for_each(|axis| extents[axis] = ViewExtent::Same(axis));
        extents[n + m] = ViewExtent::Same(n);
        let from: Vec<_> = (0..n).map(Some).chain([Some(n + m)]).collect();
        let a = self.view(shape, stretched(n + 1, &from, &extents));
        let mut extents = vec![ViewExtent::New; n + m + 1];
        (0..m).for_each(|axis| extents[n + axis] = ViewExtent::Same(axis + 1));
        extents[n + m] = ViewExtent::Same(0);
        let from: Vec<_> = [Some(n + m)].into_iter().chain((0..m).map(|axis| Some(n + axis))).collect();
        let b = other.view(shape, stretched(m + 1, &from, &extents));
        reduce(&combine(a, b), Fold::Op(operator), &[n + m], "inner")
    }

    /// `R[i…, j…] = combine(A[i…], B[j…])`. `combine` is an elementwise expression.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (a, b) = (Array::from_vec(vec![1, 2]), Array::from_vec(vec![3, 4]));
    /// assert_eq!(a.outer_with(&b, |a, b| b - a).to_vec()?, [2, 3, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn outer_with try_outer_with[U: Element, V: Element](
        &self,
        other: &Array<U>,
        combine: impl Fn(Array<T>, Array<U>) -> Array<V>,
    ) -> Array<V> {
        let (n, m) = (self.rank(), other.rank());
        let shape = Shape::new(&[&**self.shape(), &**other.shape()].concat())?;
        let mut extents = vec![ViewExtent::New; n + m];
        (0..n).for_each(|axis| extents[axis] = ViewExtent::Same(axis));
        let from: Vec<_> = (0..n).map(Some).collect();
        let a = self.view(shape, stretched(n, &from, &extents));
        let mut extents = vec![ViewExtent::New; n + m];
        (0..m).for_each(|axis| extents[n + axis] = ViewExtent::Same(axis));
        let from: Vec<_> = (0..m).map(|axis| Some(n + axis)).collect();
        let b = other.view(shape, stretched(m, &from, &extents));
        Ok(combine(a, b))
    }
}}
