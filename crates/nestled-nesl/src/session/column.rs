//! Values from outside, in flat form: scalars, or sequences of them, in columns.

/// Scalars from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Integers that the dialect's `int` holds.
    Ints(Vec<i64>),
    /// Floats.
    Floats(Vec<f64>),
    /// Truth values.
    Bools(Vec<bool>),
    /// Bytes.
    Chars(Vec<u8>),
}

impl Elements {
    fn len(&self) -> usize {
        match self {
            Elements::Ints(values) => values.len(),
            Elements::Floats(values) => values.len(),
            Elements::Bools(values) => values.len(),
            Elements::Chars(values) => values.len(),
        }
    }
}

/// Several values of one type from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Scalars, or sequences that all have the same shape.
    Elements {
        /// Number of values.
        count: usize,
        /// The shape of each value.
        shape: Vec<usize>,
        /// All elements in row-major order.
        elements: Elements,
    },
    /// Sequences of these lengths.
    Rows {
        /// The length of each sequence.
        lengths: Vec<usize>,
        /// The elements of all sequences, one sequence after another.
        elements: Box<Column>,
    },
    /// Pairs of these.
    Pairs(Box<Column>, Box<Column>),
}

impl Column {
    /// Checks the lengths and returns the number of values.
    ///
    /// # Errors
    /// Some lengths do not fit the elements.
    pub fn check(&self) -> Result<usize, String> {
        match self {
            Column::Elements { count, shape, elements } => {
                let total = shape.iter().try_fold(*count, |total, extent| total.checked_mul(*extent));
                match total == Some(elements.len()) {
                    true => Ok(*count),
                    false => {
                        Err(format!("{count} values of shape {shape:?} have not {} elements", elements.len()))
                    }
                }
            }
            Column::Rows { lengths, elements } => {
                let count = elements.check()?;
                let total = lengths.iter().try_fold(0usize, |total, length| total.checked_add(*length));
                match total == Some(count) {
                    true => Ok(lengths.len()),
                    false => Err(format!("the lengths do not come to the {count} elements that there are")),
                }
            }
            Column::Pairs(left, right) => match (left.check()?, right.check()?) {
                (left, right) if left == right => Ok(left),
                (left, right) => Err(format!("{left} left parts and {right} right parts make no pairs")),
            },
        }
    }
}
