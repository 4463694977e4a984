//! Functions of one row, as closures: a closure computes with what one row has, and is run once, on all rows side by side.
//!
//! A [`InRow`] holds an array with an element for each row. So the axes of one row are those of the array but the first, which no operation of an `InRow` reaches; and what is one
//! value for a row goes with each of its elements, as a value for each list does in nested arrays. Rows of rows have frames within frames: a value of an outer row that meets one
//! of an inner row is spread to it.

mod elements;
mod lists;
mod operators;
mod results;

pub use operators::InRowTerm;
pub use results::RowResult;

use crate::fault::{Outcome, fault, told};
use crate::nested::Nested;
use crate::rows::Rows;
use crate::schema::Schema;
use nestled_array::Result;
use std::sync::Arc;

/// What one row has, in a closure of [`Nested::map_rows_with`]: the row itself, and all that is computed of it.
///
/// It has the operations of [`Nested`]. Axis 0 is the outermost of the row: `row.sum(0)` of numbers is one number, which goes with each element of the row. Operations that move
/// rows about, or look at other rows, it does not have.
///
/// ```
/// use nestled_nested::Nested;
/// let rows = Nested::from_iter([vec![3.0, 1.0, 2.0], vec![], vec![5.0]]);
/// let far = rows.map_rows_with(|row| {
///     let distance = (row - row.mean(0)?).abs()?;
///     row.filter(&distance.gt(0.5)?)?.num(0)
/// })?;
/// assert_eq!(far.to_list()?.to_string(), "[2, 0, 0]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[derive(Clone)]
pub struct InRow {
    frame: Arc<Frame>,
    /// What each row has.
    across: Nested,
}

/// All rows that one closure is run on.
struct Frame {
    /// The rows whose elements these rows are, and how many each has.
    around: Option<(Arc<Frame>, Rows)>,
}

impl Nested {
    /// A function of each element of the outermost dimension (a list, a record, a number …), as a closure: it sees what one row has, with the operations of nested arrays, and gives
    /// a value, or several as a tuple. It is run once, on all rows side by side. What it does is lazy where the operations are, and fuses with what is before and after.
    ///
    /// [`map_rows`](Nested::map_rows) and [`map_elements`](Nested::map_elements) take functions in NESL, which may loop.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// let muon = |pt: f64, charge: i64| Value::record([("pt", pt.into()), ("charge", charge.into())]);
    /// let event = |met: f64, muons: Vec<Value>| Value::record([("met", met.into()), ("muons", Value::List(muons))]);
    /// let events = Nested::from_iter([event(1.5, vec![muon(20.5, 1), muon(10.5, -1)]), event(2.5, vec![])]);
    /// let made = events.map_rows_with(|event| {
    ///     let muons = event.field("muons")?;
    ///     let near = muons.filter(&muons.field("pt")?.lt(event.field("met")? * 10.0)?)?;
    ///     Ok((near.field("charge")?, muons.field("pt")?.max(0)?))
    /// })?;
    /// assert_eq!(made.to_list()?.to_string(), "[([-1], 20.5), ([], None)]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the closure gives as an error, or a value of other rows; and errors of evaluation, where it does something that computes at once.
    #[track_caller]
    pub fn map_rows_with<R: RowResult>(&self, function: impl FnOnce(&InRow) -> Result<R>) -> Result<Nested> {
        let frame = Arc::new(Frame { around: None });
        let row = InRow { frame: Arc::clone(&frame), across: self.clone() };
        let made = function(&row)?.in_row(&row)?;
        told("map_rows_with", made.within(&frame))
    }
}

impl InRow {
    /// A function of each element of this row, as [`Nested::map_rows_with`] has it of each row. The closure may use values of this row too.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let events = Nested::from_iter([vec![vec![1, 2], vec![3]], vec![], vec![vec![], vec![4]]]);
    /// let shares = events.map_rows_with(|event| {
    ///     let total = event.sum(-1)?.sum(0)?;
    ///     event.map_rows_with(|list| Ok(list.sum(0)? * 100 / &total))
    /// })?;
    /// assert_eq!(shares.to_list()?.to_string(), "[[50.0, 50.0], [], [0.0, 100.0]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The row is no list; and as there.
    #[track_caller]
    pub fn map_rows_with<R: RowResult>(&self, function: impl FnOnce(&InRow) -> Result<R>) -> Result<InRow> {
        let lists = told("map_rows_with", self.across.as_rows())?;
        let Some((rows, content)) = lists else {
            return told("map_rows_with", fault(format!("`{}` has no elements", self.across.schema())));
        };
        let frame = Arc::new(Frame { around: Some((Arc::clone(&self.frame), rows.clone())) });
        let row = InRow { frame: Arc::clone(&frame), across: content };
        let made = function(&row)?.in_row(&row)?;
        let lists = Nested::lists(&rows, told("map_rows_with", made.within(&frame))?);
        Ok(self.with(lists.present_if(self.across.parts().0.cloned())))
    }

    /// The schema of what a row has here.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![3]]);
    /// rows.map_rows_with(|row| {
    ///     assert_eq!(row.schema().to_string(), "var * int64");
    ///     assert_eq!(row.mean(0)?.schema().to_string(), "float64");
    ///     Ok(row.clone())
    /// })?;
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    pub fn schema(&self) -> Schema {
        self.across.schema()
    }

    /// Something else of the same rows.
    fn with(&self, across: Nested) -> InRow {
        debug_assert_eq!(across.len(), self.across.len());
        InRow { frame: Arc::clone(&self.frame), across }
    }

    /// What each row of a frame has, for which this is a value of it or of a row around it.
    fn within(&self, frame: &Arc<Frame>) -> Outcome<Nested> {
        if Arc::ptr_eq(&self.frame, frame) {
            return Ok(self.across.clone());
        }
        match &frame.around {
            Some((outer, rows)) => self.within(outer)?.take(rows.owners()),
            None => fault("a value of one row is used in another function of rows"),
        }
    }

    /// The array along whose axes an operation goes. Two axes of one row are one further in.
    fn axis(&self, axis: isize) -> Outcome<isize> {
        if axis >= 0 {
            return Ok(axis + 1);
        }
        let counted = self.across.counted(axis);
        // Below records each field counts by itself, and finds out.
        if counted == 0 || self.across.is_outermost(axis) {
            return fault(format!("`{}` in a row has no axis {axis}", self.across.schema()));
        }
        Ok(counted)
    }
}

/// Values of rows, brought to the innermost of their frames.
fn together(parts: &[&InRow]) -> Outcome<(Arc<Frame>, Vec<Nested>)> {
    let depth = |part: &&InRow| part.frame.depth();
    let Some(innermost) = parts.iter().copied().max_by_key(|part| depth(part)) else {
        return fault("there is no value");
    };
    let frame = Arc::clone(&innermost.frame);
    let sides = parts.iter().map(|part| part.within(&frame)).collect::<Outcome<_>>()?;
    Ok((frame, sides))
}

impl Frame {
    fn depth(&self) -> usize {
        self.around.as_ref().map_or(0, |(outer, _)| 1 + outer.depth())
    }
}

impl std::fmt::Debug for InRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({} in a row)", self.schema())
    }
}
