//! Functions in NESL of the rows of nested arrays.

use super::nesl_columns::{element_type, given, has_bytes_only, mapped_present, taken};
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use nestled_array::{Nesl, NeslDatum, NeslType, Result};

impl Nested {
    /// The result of a function in NESL for each of the innermost lists, of any type. Integers are `int` to it, floats and decimals `float`, texts sequences of `char`, records
    /// tuples of their fields, dates and times integers of their unit, unions the datatype with variants that the function takes, variant by variant in order, and what may be
    /// missing a datatype of one constant and one variant that holds something. Tuples come back as tuples, sequences of `char` as texts, datatypes as unions, in which a constant is
    /// its name, and such a datatype as what may be missing. A list that is missing goes to a function that takes such a datatype; of every other the result is missing. Computes at
    /// once, all lists side by side.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1, 2], vec![5]]);
    /// let text = "function range_of(row) = max_val(row) - min_val(row);
    ///             function odd(row) = {x in row | rem(x, 2) == 1};";
    /// assert_eq!(rows.map_rows(text, "range_of")?.to_list()?.to_string(), "[2, 0]");
    /// assert_eq!(rows.map_rows(text, "odd")?.to_list()?.to_string(), "[[3, 1], [5]]");
    /// let gaps = Nested::from_iter([vec![Some(3), None], vec![]]);
    /// let known = "datatype maybe = none | just(int);
    ///              function known(row) = {match x with none => 0 | just(n) => n : x in row};
    ///              function first(row) = if #row == 0 then none else row[0];";
    /// assert_eq!(gaps.map_rows(known, "known")?.to_list()?.to_string(), "[[3, 0], []]");
    /// assert_eq!(gaps.map_rows(known, "first")?.to_list()?.to_string(), "[3, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text has errors or no such function, the function fails, it takes or gives a datatype that may hold itself, nothing tells which datatype a union is, elements of
    /// lists may be missing, and it takes no datatype for them; and errors of evaluation.
    #[track_caller]
    pub fn map_rows(&self, text: &str, function: &str) -> Result<Nested> {
        told("map_rows", self.rows_mapped(&mut |lists| called(lists, text, function)))
    }

    /// What a function in NESL gives for each element of the outermost dimension, whatever it is; types as in [`map_rows`](Nested::map_rows). Computes at once, all elements side by
    /// side. An element that is missing goes to a function that takes a datatype for it; of every other the result is missing.
    ///
    /// ```
    /// use nestled_nested::{Nested, zip};
    /// let people = zip(&[("name", &Nested::from_iter(["Ann", "Bo"])), ("age", &Nested::from_iter([41, 7]))])?;
    /// let text = "function greet(name, age) = (\"Hi \" ++ name, age > 17);";
    /// let greetings = people.map_elements(text, "greet")?;
    /// assert_eq!(greetings.to_list()?.to_string(), r#"[("Hi Ann", true), ("Hi Bo", false)]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`map_rows`](Nested::map_rows).
    #[track_caller]
    pub fn map_elements(&self, text: &str, function: &str) -> Result<Nested> {
        told("map_elements", called(self, text, function))
    }

    /// A function of arrays of the innermost lists.
    fn rows_mapped(&self, map: &mut dyn FnMut(&Nested) -> Outcome<Nested>) -> Outcome<Nested> {
        match &self.layout {
            Layout::Option(_, lists) if lists.is_lists() && lists.levels().1 == 1 => map(self),
            Layout::Option(..) => mapped_present(self, &mut |present| present.rows_mapped(map)),
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
            Layout::Leaf(_)
            | Layout::Category(..)
            | Layout::Meant(..)
            | Layout::Union(..)
            | Layout::List(..)
            | Layout::Fixed(..) => fault(format!("`{}` has no rows", self.schema())),
        }
    }
}

/// What a function in NESL gives for each element.
fn called(elements: &Nested, source: &str, function: &str) -> Outcome<Nested> {
    let ty = NeslType::Seq(Box::new(element_type(elements)?));
    // The name is one that no text has by chance.
    let mapped = format!("rows_by_{function}");
    let text =
        Nesl::compile(format!("{source}\nfunction {mapped}(rows) = {{{function}(row) : row in rows}};"))?;
    let routine = match (text.routine(&mapped, &[ty]), &elements.layout) {
        (Err(_), Layout::Option(..)) => {
            return mapped_present(elements, &mut |present| called(present, source, function));
        }
        (found, _) => found?,
    };
    let [NeslType::Seq(element)] = routine.arguments() else {
        return fault(format!("`{function}` is for no elements"));
    };
    let column = given(elements, element)?;
    match routine.call(&[NeslDatum::Seq(elements.length, column)])? {
        NeslDatum::Seq(count, made) => taken(&made, count, has_bytes_only(elements)),
        other => fault(format!("there is no element for each row, but `{}`", other.value_type())),
    }
}
