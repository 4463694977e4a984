//! Inner and outer products.

use super::fallible;
use super::gather::stretched;
use super::reduce::reduce;
use crate::array::Array;
use crate::element::{Element, Number};
use crate::error::{Error, Reason, Result};
use crate::node::{Fold, Op, View, ViewExtent};
use crate::shape::Shape;
use nestled_ir::MonoidOp;
use std::sync::Arc;

fallible! { impl[T: Number] Array<T> {
    /// The product of matrices, as `@` of NumPy: the last two axes are those of matrices, all axes before them are broadcast. A vector on the left is a
    /// row, one on the right a column, and that axis goes. In the type of the elements. See [`inner`](Array::inner) for the product along the last axis of one
    /// and the first of the other.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<f64>::range(4).reshape(&[2, 2]);
    /// assert_eq!(m.matmul(&m).to_vec()?, [2.0, 3.0, 6.0, 11.0]);
    /// let (a, b) = (Array::<f64>::ones(&[4, 3, 4]), Array::<f64>::ones(&[4, 4, 5]));
    /// assert_eq!(a.matmul(&b).shape(), [4, 3, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn matmul try_matmul[](&self, other: &Array<T>) -> Array<T> {
        match (&**self.shape(), &**other.shape()) {
            ([.., k], [l]) | ([k], [l, _]) if k == l => inner("matmul", self, other, MonoidOp::Add, |a, b| a * b),
            ([k], [_, .., l, _]) if k == l => {
                let product = batched(&self.try_add_dim(0)?, other)?;
                let row = product.rank() - 2;
                product.try_drop_dim(row)
            }
            ([n, k], [l, m]) if k == l => {
                let op = Op::MatMul { left: Arc::clone(&self.node), right: Arc::clone(&other.node) };
                Ok(Array::lazy(Shape::checked("matmul", &[*n, *m])?, op))
            }
            ([.., k], [l, m]) if k == l => {
                // All rows of all matrices are those of one.
                let rows = &self.shape()[..self.rank() - 1];
                let one = self.try_reshape(&[rows.iter().product(), *k])?;
                let shape = [rows, &[*m]].concat();
                Shape::checked("matmul", &shape)?;
                one.try_matmul(other)?.try_reshape(&shape)
            }
            ([_, .., k], [.., l, _]) if k == l => batched(self, other),
            _ => Err(Error::of("matmul", Reason::Shapes(*self.shape(), *other.shape()))),
        }
    }

    /// The inner product: `R[i…, j…] = Σₖ A[i…, k] · B[k, j…]`
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<f64>::range(4).reshape(&[2, 2]);
    /// assert_eq!(m.inner(&Array::from_vec(vec![1.0, 10.0])).to_vec()?, [10.0, 32.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn inner try_inner[](&self, other: &Array<T>) -> Array<T> {
        inner("inner", self, other, MonoidOp::Add, |a, b| a * b)
    }

    /// The outer product: `R[i…, j…] = A[i…] · B[j…]`
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
    /// The generalised inner product. `R[i…, j…]`: the reduction by `operator`, over k, of `combine(A[i…, k], B[k, j…])`. `combine` is an elementwise expression.
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
        inner("inner_with", self, other, operator, combine)
    }

    /// The generalised outer product: `R[i…, j…] = combine(A[i…], B[j…])`. `combine` is an elementwise expression.
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
        let shape = Shape::checked("outer", &[&**self.shape(), &**other.shape()].concat())?;
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

/// Combines both arrays by a closure, and reduces over the last axis of one and the first of the other.
#[track_caller]
fn inner<T: Element, U: Element, V: Element>(
    name: &'static str,
    a: &Array<T>,
    b: &Array<U>,
    operator: MonoidOp,
    combine: impl Fn(Array<T>, Array<U>) -> Array<V>,
) -> Result<Array<V>> {
    let (left, right) = (a.shape(), b.shape());
    let (Some((&k, outer)), Some((&l, inner))) = (left.split_last(), right.split_first()) else {
        return Err(Error::of(name, Reason::Shapes(*left, *right)));
    };
    if k != l {
        return Err(Error::of(name, Reason::Shapes(*left, *right)));
    }
    if !crate::element::combines(operator, V::TYPE) {
        return Err(Error::new(name, format!("`{}` is not for {}", operator.name(), V::TYPE)));
    }
    // Both over i…, j…, k.
    let shape = Shape::checked(name, &[outer, inner, &[k]].concat())?;
    let (n, m) = (outer.len(), inner.len());
    let from: Vec<usize> = (0..n).chain([n + m]).collect();
    let a = a.view(shape, spread_to(n + m + 1, &from));
    let from: Vec<usize> = [n + m].into_iter().chain(n..n + m).collect();
    let b = b.view(shape, spread_to(n + m + 1, &from));
    reduce(&combine(a, b), Fold::Op(operator), &[n + m], name)
}

/// The view in which the axes of an array are some of those of a shape of more axes.
fn spread_to(rank: usize, from: &[usize]) -> View {
    let mut extents = vec![ViewExtent::New; rank];
    from.iter().enumerate().for_each(|(own, &to)| extents[to] = ViewExtent::Same(own));
    stretched(from.len(), &from.iter().copied().map(Some).collect::<Vec<_>>(), &extents)
}

/// The products of matrices in the last two axes of both, all other axes broadcast.
#[track_caller]
fn batched<T: Number>(left: &Array<T>, right: &Array<T>) -> Result<Array<T>> {
    let ((outer, [n, k]), (others, [_, m])) = (matrices(left), matrices(right));
    let Some(batch) = Shape::of(outer).broadcast(&Shape::of(others)) else {
        return Err(Error::of("matmul", Reason::Shapes(*left.shape(), *right.shape())));
    };
    if batch.len() + 3 > Shape::MAX_RANK {
        // There is no axis left for the sum: all products lie along one axis.
        let flat = |array: &Array<T>, matrix: [usize; 2]| {
            let whole = array.try_broadcast_to(&[&batch[..], &matrix].concat())?;
            whole.try_reshape(&[batch.size(), matrix[0], matrix[1]])
        };
        return batched(&flat(left, [n, k])?, &flat(right, [k, m])?)?
            .try_reshape(&[&batch[..], &[n, m]].concat());
    }
    // Both over the batch, row, column, k.
    let shape = Shape::checked("matmul", &[&batch[..], &[n, m, k]].concat())?;
    let at = batch.len();
    let left = left.view(shape, over_products(&shape, left.shape(), [at, at + 2]));
    let right = right.view(shape, over_products(&shape, right.shape(), [at + 2, at + 1]));
    reduce(&(left * right), Fold::Op(MonoidOp::Add), &[at + 2], "matmul")
}

/// The extents before those of matrices, and those.
fn matrices<T: Element>(array: &Array<T>) -> (&[usize], [usize; 2]) {
    let (before, last) = array.shape().split_at(array.rank() - 2);
    (before, [last[0], last[1]])
}

/// The view of matrices over all products of batches: where in the space their rows and columns lie is said, the other axes are broadcast.
fn over_products(space: &Shape, own: &Shape, matrix: [usize; 2]) -> View {
    let batch = own.len() - 2;
    let ahead = space.len() - 3 - batch;
    let mut from: Vec<Option<usize>> =
        (0..batch).map(|axis| (own[axis] == space[axis + ahead]).then_some(axis + ahead)).collect();
    from.extend(matrix.map(Some));
    let mut extents = vec![ViewExtent::New; space.len()];
    from.iter().enumerate().for_each(|(axis, to)| {
        if let Some(to) = *to {
            extents[to] = ViewExtent::Same(axis);
        }
    });
    stretched(from.len(), &from, &extents)
}
