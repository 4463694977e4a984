//! Functions in NESL of the rows of nested arrays.

use super::term::column;
use crate::column::{Column, Typed};
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::schema::Kind;
use nestled_array::{Array, Direction, Inclusion, Nesl, NeslContent, NeslValue, Operator, Ragged, Result};

impl Nested {
    /// What a function in NESL gives for each of the innermost lists: a number, or a list of numbers. Integers are `int` to it, floats `float`. Computes at once, all lists
    /// side by side. A list that is missing has a missing result.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1, 2], vec![5]]);
    /// let text = "function range_of(row) = max_val(row) - min_val(row);
    ///             function odd(row) = {x in row | rem(x, 2) == 1};";
    /// assert_eq!(rows.map_rows(text, "range_of")?.to_list()?.to_string(), "[2, 0]");
    /// assert_eq!(rows.map_rows(text, "odd")?.to_list()?.to_string(), "[[3, 1], [5]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text has errors or no such function, the function gives something else or fails, elements are no numbers or may be missing; and errors of evaluation.
    #[track_caller]
    pub fn map_rows(&self, text: &str, function: &str) -> Result<Nested> {
        told("map_rows", self.rows_mapped(&mut |lists| called(lists, text, function)))
    }

    /// A function of arrays of the innermost lists, none of which is missing.
    fn rows_mapped(&self, map: &mut dyn FnMut(&Nested) -> Outcome<Nested>) -> Outcome<Nested> {
        match &self.layout {
            Layout::Option(valid, content) => {
                let made = content.compress(valid)?.rows_mapped(map)?;
                let before = valid.cast::<i64>();
                let before = before.scan(0, Operator::Add, Inclusion::Exclusive, Direction::Forward);
                Ok(made.take(&valid.select(before, -1))?.blank_outside(valid.clone()))
            }
            Layout::Record(_) | Layout::Tuple(_) => {
                let mapped = self.map_fields(&mut |field| field.rows_mapped(map))?;
                Ok(mapped.unwrap_or_else(|| self.clone()))
            }
            Layout::List(_, _, content) | Layout::Fixed(_, content) if self.is_lists() => {
                if content.levels().1 == 0 {
                    return map(self);
                }
                self.map_content(&mut |content| content.rows_mapped(map))
            }
            Layout::Leaf(_) | Layout::Category(..) | Layout::List(..) | Layout::Fixed(..) => {
                fault(format!("`{}` has no rows", self.schema()))
            }
        }
    }
}

fn called(lists: &Nested, text: &str, function: &str) -> Outcome<Nested> {
    let Some((rows, content)) = lists.rows() else { return fault("there are no rows") };
    if content.parts().0.is_some() {
        return fault(format!("`{}`: fill or drop what is missing before", content.schema()));
    }
    let numbers = column(content)?;
    let kind = match numbers.kind() {
        Kind::Bool => Kind::Bool,
        kind if kind.is_float() => Kind::Float64,
        _ => Kind::Int64,
    };
    // The name is one that no text has by chance.
    let mapped = format!("rows_by_{function}");
    let text =
        Nesl::compile(format!("{text}\nfunction {mapped}(rows) = {{{function}(row) : row in rows}};"))?;
    match numbers.cast(kind) {
        Column::Bool(x) => of_rows(&text, &mapped, rows.ragged(&x)),
        Column::Int64(x) => of_rows(&text, &mapped, rows.ragged(&x)),
        Column::Float64(x) => of_rows(&text, &mapped, rows.ragged(&x)),
        _ => unreachable!("it was converted"),
    }
}

fn of_rows<T: NeslContent>(text: &Nesl, name: &str, rows: Ragged<T>) -> Outcome<Nested>
where
    Ragged<T>: NeslValue,
{
    match text.result_type::<(Ragged<T>,)>(name)?.as_str() {
        "[int]" => numbers::<T, i64>(text, name, rows),
        "[float]" => numbers::<T, f64>(text, name, rows),
        "[bool]" => numbers::<T, bool>(text, name, rows),
        "[[int]]" => lists::<T, i64>(text, name, rows),
        "[[float]]" => lists::<T, f64>(text, name, rows),
        "[[bool]]" => lists::<T, bool>(text, name, rows),
        other => fault(format!("rows become numbers, or lists of numbers, not {other}")),
    }
}

fn numbers<T: NeslContent, R: Typed>(text: &Nesl, name: &str, rows: Ragged<T>) -> Outcome<Nested>
where
    Ragged<T>: NeslValue,
    Array<R>: NeslValue,
{
    Ok(Nested::of(text.function::<(Ragged<T>,), Array<R>>(name)?.call((rows,))?))
}

fn lists<T: NeslContent, R: Typed>(text: &Nesl, name: &str, rows: Ragged<T>) -> Outcome<Nested>
where
    Ragged<T>: NeslValue,
    Ragged<R>: NeslValue,
{
    Ok(Nested::from(text.function::<(Ragged<T>,), Ragged<R>>(name)?.call((rows,))?))
}
