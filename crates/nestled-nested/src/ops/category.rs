//! Categories made of elements and taken apart: each different element stored once, and for each element its place among those.

use super::bytes::decoded;
use super::order::key_codes;
use crate::fault::{Outcome, told};
use crate::nested::{Layout, Nested};
use nestled_array::{Array, Collision, Direction, Inclusion, Operator, Outside, Result};

impl Nested {
    /// Numbers and texts as categories, at any depth and in each field: every different one is stored once, in the order of its first appearance, and an element is its place among
    /// them: `ak.to_categorical`. What is missing stays missing and is no category, NaN is one; categories stay what they are. Computes their number at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let names = Nested::from_iter([vec!["mu", "e"], vec![], vec!["mu"]]).to_categorical()?;
    /// assert_eq!(names.type_string(), "3 * var * categorical[type=string]");
    /// let (codes, words) = names.flatten(1)?.codes_and_words().map(|(codes, words)| (codes.clone(), words.clone())).expect("a category");
    /// assert_eq!((codes.to_vec()?, words.to_list()?.to_string()), (vec![0, 1, 0], r#"["mu", "e"]"#.to_owned()));
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There are unions; and errors of evaluation.
    #[track_caller]
    pub fn to_categorical(&self) -> Result<Nested> {
        told("to_categorical", self.mapped_parts(&mut categorical))
    }

    /// What categories stand for in place of them, at any depth and in each field: `ak.from_categorical`. All else stays what it is.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let names = Nested::from_iter(["mu", "e", "mu"]);
    /// assert!(names.to_categorical()?.from_categorical()?.is_equal(&names)?);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation: texts of any lengths are put in their places at once.
    #[track_caller]
    pub fn from_categorical(&self) -> Result<Nested> {
        told("from_categorical", self.mapped_parts(&mut |part| part.words()))
    }

    /// A function of what is neither a list nor a record, but may be missing; it keeps the number of elements.
    fn mapped_parts(&self, map: &mut dyn FnMut(&Nested) -> Outcome<Nested>) -> Outcome<Nested> {
        let (valid, present) = self.parts();
        if present.is_lists() {
            return self.map_content(&mut |content| content.mapped_parts(map));
        }
        match present.map_fields(&mut |field| field.mapped_parts(map))? {
            Some(mapped) => Ok(mapped.present_if(valid.cloned())),
            None => map(self),
        }
    }

    /// The words of a category that may be missing; others as they are.
    pub(super) fn words(&self) -> Outcome<Nested> {
        let (valid, present) = self.parts();
        match valid {
            // The code of what is missing may be anything, and a text that is missing is empty.
            Some(valid) if matches!(present.layout, Layout::Category(..)) => {
                decoded(present)?.optional(valid)
            }
            _ => decoded(self),
        }
    }
}

fn categorical(part: &Nested) -> Outcome<Nested> {
    let (valid, present) = part.parts();
    if matches!(present.layout, Layout::Category(..)) {
        return Ok(part.clone());
    }
    let length = part.length;
    // That of what is missing is the number of elements.
    let codes = &key_codes(std::slice::from_ref(part))?[0];
    let nowhere = Array::fill(0i64, &[length + 1]);
    let first =
        nowhere.scatter(&[codes], &Array::range(length), Collision::First).take(0, codes, Outside::Clamp);
    let within = |mask: Array<bool>| valid.map_or_else(|| mask.clone(), |valid| mask.and(valid));
    let is_first = within(first.eq(Array::<i64>::range(length)));
    let number = is_first.cast::<i64>().scan(0, Operator::Add, Inclusion::Exclusive, Direction::Forward);
    let own = number.take(0, &first, Outside::Default(0));
    let own = valid.map_or_else(|| own.clone(), |valid| valid.select(&own, 0));
    Ok(Nested::category(&own, &present.compress(&is_first)?).present_if(valid.cloned()))
}
