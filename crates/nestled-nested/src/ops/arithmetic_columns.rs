//! Binary operations on columns, in their common type.

use crate::column::{Column, Typed, each_number};
use crate::fault::{Outcome, fault};
use crate::schema::Kind;
use nestled_array::{Array, Bits, Number, Ordered};

/// An operation of two operands; see [`combine`](crate::combine).
///
/// ```
/// use nestled_nested::{Binary, Nested, combine};
/// let less = combine(Binary::Lt, 2, &Nested::from_iter([1, 3]))?;
/// assert_eq!(less.to_list()?.to_string(), "[false, true]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is what its name says")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Xor,
}

/// The operation on columns of one length, or of one and a number.
pub(crate) fn binary(op: Binary, left: &Column, right: &Column) -> Outcome<Column> {
    let common = left.kind().common(right.kind());
    match op {
        Binary::And | Binary::Or | Binary::Xor => logic(op, &left.cast(common), &right.cast(common)),
        Binary::Div if !common.is_float() => {
            binary(op, &left.cast(Kind::Float64), &right.cast(Kind::Float64))
        }
        _ => Ok(arithmetic(op, &left.cast(common), &right.cast(common))),
    }
}

fn arithmetic(op: Binary, left: &Column, right: &Column) -> Column {
    fn of<T: Typed + Number>(op: Binary, left: &Array<T>, right: &Column) -> Column {
        let right = right.cast(T::KIND);
        let right = T::of(&right).expect("it was converted");
        match op {
            Binary::Add => T::column(left + right),
            Binary::Sub => T::column(left - right),
            Binary::Mul => T::column(left * right),
            Binary::Div => T::column(left / right),
            Binary::Min => T::column(left.minimum(right)),
            Binary::Max => T::column(left.maximum(right)),
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                compared(op, left, right)
            }
            Binary::And | Binary::Or | Binary::Xor => unreachable!("logic is not arithmetic"),
        }
    }
    each_number!(left, x => of(op, x, right))
}

fn compared<T: Typed + Ordered>(op: Binary, left: &Array<T>, right: &Array<T>) -> Column {
    Column::from(match op {
        Binary::Eq => left.eq(right),
        Binary::Ne => left.ne(right),
        Binary::Lt => left.lt(right),
        Binary::Le => left.le(right),
        Binary::Gt => left.gt(right),
        _ => left.ge(right),
    })
}

/// An expression for the array of a column of booleans or integers.
macro_rules! each_bits {
    ($column:expr, $x:ident => $body:expr, $kind:ident => $other:expr) => {
        match $column {
            Column::Bool($x) => $body,
            Column::Int8($x) => $body,
            Column::Uint8($x) => $body,
            Column::Int16($x) => $body,
            Column::Uint16($x) => $body,
            Column::Int32($x) => $body,
            Column::Uint32($x) => $body,
            Column::Int64($x) => $body,
            Column::Uint64($x) => $body,
            Column::Float16(_) | Column::Float32(_) | Column::Float64(_) => {
                let $kind = $column.kind();
                $other
            }
        }
    };
}
pub(super) use each_bits;

fn logic(op: Binary, left: &Column, right: &Column) -> Outcome<Column> {
    fn of<T: Typed + Bits>(op: Binary, left: &Array<T>, right: &Column) -> Column {
        let right = T::of(right).expect("both have one type");
        T::column(match op {
            Binary::And => left.and(right),
            Binary::Or => left.or(right),
            _ => left.xor(right),
        })
    }
    each_bits!(left, x => Ok(of(op, x, right)), kind => fault(format!("`{kind}` has no bits")))
}
