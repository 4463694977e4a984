//! Elements of lists put together: all pairs of several lists, and of one.

use super::choose::{Again, chosen_of, tuple};
use super::count::rows_of;
use crate::broadcast::{Leaves, broadcast};
use crate::fault::{Outcome, fault, told};
use crate::nested::Nested;
use crate::rows::Rows;
use nestled_array::{Array, Outside, Result};

/// All tuples of an element of each of several arrays, from the lists at one place along an axis: `ak.cartesian`. The last varies fastest. Computes their number at once.
///
/// ```
/// use nestled_nested::{Nested, cartesian};
/// let (left, right) = (Nested::from_iter([vec![1, 2], vec![]]), Nested::from_iter([vec!["a", "b"], vec!["c"]]));
/// let pairs = cartesian(&[&left, &right], 1)?;
/// assert_eq!(pairs.to_list()?.to_string(), r#"[[(1, "a"), (1, "b"), (2, "a"), (2, "b")], []]"#);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// There is no array or no such axis, an array has no lists there, or lists around them differ in length; and errors of evaluation.
#[track_caller]
pub fn cartesian(parts: &[&Nested], axis: isize) -> Result<Nested> {
    let parts: Vec<Nested> = parts.iter().map(|&part| part.clone()).collect();
    told("cartesian", products(&parts, axis))
}

/// As [`cartesian`], the places of elements along the axis instead of these: `ak.argcartesian`.
///
/// ```
/// use nestled_nested::{Nested, arg_cartesian};
/// let (left, right) = (Nested::from_iter([vec!["a", "b"]]), Nested::from_iter([vec![1.5, 2.5]]));
/// let pairs = arg_cartesian(&[&left, &right], 1)?;
/// assert_eq!(pairs.to_list()?.to_string(), "[[(0, 0), (0, 1), (1, 0), (1, 1)]]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// As those of [`cartesian`].
#[track_caller]
pub fn arg_cartesian(parts: &[&Nested], axis: isize) -> Result<Nested> {
    let places = parts.iter().map(|part| part.places_along(axis)).collect::<Outcome<Vec<_>>>();
    let counted = parts.first().map_or(0, |first| first.counted(axis));
    told("arg_cartesian", places.and_then(|places| products(&places, counted)))
}

/// As [`cartesian`], but the tuples with one element of the first array are a list of their own, and so on: `ak.cartesian` with `nested=True`. A reduction along the last axis
/// then has a result for each element of the first array.
///
/// ```
/// use nestled_nested::{Nested, nested_cartesian};
/// let (left, right) = (Nested::from_iter([vec![1, 2], vec![3]]), Nested::from_iter([vec![10, 20], vec![]]));
/// let pairs = nested_cartesian(&[&left, &right], 1)?;
/// assert_eq!(pairs.to_list()?.to_string(), "[[[(1, 10), (1, 20)], [(2, 10), (2, 20)]], [[]]]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// As those of [`cartesian`].
#[track_caller]
pub fn nested_cartesian(parts: &[&Nested], axis: isize) -> Result<Nested> {
    let parts: Vec<Nested> = parts.iter().map(|&part| part.clone()).collect();
    told("nested_cartesian", products_by(&parts, axis, nested_product))
}

fn products(parts: &[Nested], axis: isize) -> Outcome<Nested> {
    products_by(parts, axis, product)
}

/// Rows of tuples, made of rows.
type Product = fn(Vec<(Rows, Nested)>) -> Outcome<(Rows, Nested)>;

fn products_by(parts: &[Nested], axis: isize, product: Product) -> Outcome<Nested> {
    let Some(first) = parts.first() else { return fault("there is no array") };
    if first.is_outermost(axis) {
        let all = parts.iter().map(|part| (Rows::single(part.length), part.clone())).collect();
        return Ok(product(all)?.1);
    }
    together(parts, axis, &mut |sides| {
        let lists = |side: &Nested| match side.as_rows()? {
            Some(lists) => Ok(lists),
            None => no_lists(side),
        };
        let (rows, tuples) = product(sides.iter().map(lists).collect::<Outcome<_>>()?)?;
        let (made, valid) =
            (Nested::lists(&rows, tuples), sides.iter().filter_map(|side| side.parts().0).cloned());
        match valid.reduce(|one, other| one.and(other)) {
            // Missing where one of them is. Then there are no tuples, but there may be lists of them.
            Some(valid) if made.levels().1 > sides[0].levels().1 => made.optional(&valid),
            valid => Ok(made.present_if(valid)),
        }
    })
}

/// All tuples of elements of the rows at one place.
fn product(parts: Vec<(Rows, Nested)>) -> Outcome<(Rows, Nested)> {
    let counts = parts.iter().map(|(rows, _)| rows.lengths().clone()).reduce(|all, own| all * own);
    let Some(counts) = counts else { return fault("there is no array") };
    let made = Rows::of(&counts)?;
    let mut rest = made.places().clone();
    let mut fields = Vec::with_capacity(parts.len());
    for (rows, content) in parts.iter().rev() {
        let width = made.spread(rows.lengths());
        fields.push(content.take(&(made.spread(rows.starts()) + &rest % &width))?);
        rest /= &width;
    }
    fields.reverse();
    Ok((made, tuple(fields)))
}

/// As [`product`], a list for each element of all rows but the last.
fn nested_product(parts: Vec<(Rows, Nested)>) -> Outcome<(Rows, Nested)> {
    let mut parts = parts.into_iter();
    let Some((outermost, content)) = parts.next() else { return fault("there is no array") };
    let (mut levels, mut fields) = (vec![outermost.clone()], vec![content]);
    // The list of the outermost rows that each tuple lies in.
    let mut list = outermost.owners().clone();
    for (rows, content) in parts {
        let at = |values: &Array<i64>| values.take(0, &list, Outside::Clamp);
        let level = Rows::of(&at(rows.lengths()))?;
        let place = level.places_from(&at(rows.starts()));
        for field in &mut fields {
            *field = field.take(level.owners())?;
        }
        fields.push(content.take(&place)?);
        list = level.spread(&list);
        levels.push(level);
    }
    let deeper = levels[1..].iter().rev().fold(tuple(fields), |made, level| Nested::lists(level, made));
    Ok((outermost, deeper))
}

/// Several arrays brought together down to their lists along an axis, which is not the outermost: what `apply` is given has those lists as elements.
pub(super) fn together(parts: &[Nested], axis: isize, apply: Leaves) -> Outcome<Nested> {
    let (most, axis) = (parts[0].levels().1, parts[0].counted(axis));
    let Some(above) = usize::try_from(axis - 1).ok().filter(|&above| above < most) else {
        return fault(format!("`{}` has no such axis: its lists are {most} levels deep", parts[0].schema()));
    };
    broadcast(parts, &|sides| sides[0].levels().1 == most - above, apply)
}

fn no_lists<T>(nested: &Nested) -> Outcome<T> {
    fault(format!("`{}` has no lists", nested.schema()))
}

impl Nested {
    /// All tuples of `n` different elements of each list along an axis, in their order: `ak.combinations`. Computes their number at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![4]]);
    /// assert_eq!(rows.combinations(2, 1)?.to_list()?.to_string(), "[[(1, 2), (1, 3), (2, 3)], []]");
    /// assert_eq!(rows.combinations(3, 1)?.to_list()?.to_string(), "[[(1, 2, 3)], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// `n` is 0, or there is no such axis; and errors of evaluation.
    #[track_caller]
    pub fn combinations(&self, n: usize, axis: isize) -> Result<Nested> {
        told("combinations", self.combined(n, axis, Again::No))
    }

    /// As [`combinations`](Nested::combinations), the places of elements along the axis instead of these: `ak.argcombinations`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec!["a", "b", "c"], vec!["d"]]);
    /// assert_eq!(rows.arg_combinations(2, 1)?.to_list()?.to_string(), "[[(0, 1), (0, 2), (1, 2)], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As those of [`combinations`](Nested::combinations).
    #[track_caller]
    pub fn arg_combinations(&self, n: usize, axis: isize) -> Result<Nested> {
        let places = self.places_along(axis);
        told("arg_combinations", places.and_then(|places| places.combined(n, self.counted(axis), Again::No)))
    }

    /// As [`combinations`](Nested::combinations), where an element also goes with itself.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let pairs = Nested::from_iter([vec![1, 2]]).combinations_with_replacement(2, 1)?;
    /// assert_eq!(pairs.to_list()?.to_string(), "[[(1, 1), (1, 2), (2, 2)]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`combinations`](Nested::combinations).
    #[track_caller]
    pub fn combinations_with_replacement(&self, n: usize, axis: isize) -> Result<Nested> {
        told("combinations_with_replacement", self.combined(n, axis, Again::Yes))
    }

    /// As [`arg_combinations`](Nested::arg_combinations), where a place also goes with itself.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let places = Nested::from_iter([vec![7, 8]]).arg_combinations_with_replacement(2, 1)?;
    /// assert_eq!(places.to_list()?.to_string(), "[[(0, 0), (0, 1), (1, 1)]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`arg_combinations`](Nested::arg_combinations).
    #[track_caller]
    pub fn arg_combinations_with_replacement(&self, n: usize, axis: isize) -> Result<Nested> {
        let places = self.places_along(axis);
        let made = places.and_then(|places| places.combined(n, self.counted(axis), Again::Yes));
        told("arg_combinations_with_replacement", made)
    }

    fn combined(&self, n: usize, axis: isize, again: Again) -> Outcome<Nested> {
        if n == 0 {
            return fault("there are no tuples of nothing");
        }
        if self.is_outermost(axis) {
            return Ok(chosen_of(&Rows::single(self.length), self, n, again)?.1);
        }
        self.at_axis(axis, &mut |lists| {
            let (rows, content) = rows_of(lists)?;
            let (rows, tuples) = chosen_of(&rows, content, n, again)?;
            Ok(Nested::lists(&rows, tuples))
        })
    }
}
