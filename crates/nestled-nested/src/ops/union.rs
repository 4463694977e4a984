//! Unions: which variant each element is, and the elements of one.

use super::functions::mapped_leaves;
use super::missing::what;
use super::term::Term;
use crate::fault::{InField, Outcome, fault, told};
use crate::nested::{Layout, Nested};
use nestled_array::{Array, Result};

impl Nested {
    /// The union of several arrays of one length: each element is that of the variant whose number its tag is. Computes at once, for the tags are checked.
    ///
    /// ```
    /// use nestled_nested::{Array, Nested};
    /// let (codes, names) = (Nested::from_iter([7, 0]), Nested::from_iter(["", "mu"]));
    /// let either = Nested::union(&Array::from_vec(vec![0, 1]), &[&codes, &names])?;
    /// assert_eq!(either.type_string(), "2 * union[int64, string]");
    /// assert_eq!(either.to_list()?.to_string(), r#"[7, "mu"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no variant, lengths differ, or a tag is none of the numbers; and those of evaluation.
    #[track_caller]
    pub fn union(tags: &Array<i64>, variants: &[&Nested]) -> Result<Nested> {
        told("union", united(tags, variants))
    }

    /// True where elements are of a variant, counted from 0 in the order of the schema.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// let either = Nested::from_values([Value::from(7), "mu".into(), Value::Missing])?;
    /// assert_eq!(either.type_string(), "3 * ?union[int64, string]");
    /// assert_eq!(either.is_variant(1)?.to_list()?.to_string(), "[false, true, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no unions, or there is no such variant.
    #[track_caller]
    pub fn is_variant(&self, variant: usize) -> Result<Nested> {
        let is = mapped_leaves(self, &mut |leaf| {
            let (tags, variants) = parts(leaf)?;
            found(leaf, variants, variant)?;
            Ok(Nested::of(tags.eq(variant as i64)))
        });
        told("is_variant", is)
    }

    /// The elements of a variant, counted from 0 in the order of the schema; missing where they are of another.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// let either = Nested::from_values([vec![Value::from(7), "mu".into()], vec![]])?;
    /// assert_eq!(either.project(0)?.to_list()?.to_string(), "[[7, None], []]");
    /// assert_eq!(either.project(1)?.type_string(), "2 * var * ?string");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no unions, or there is no such variant; and errors of evaluation, where the variant has lists.
    #[track_caller]
    pub fn project(&self, variant: usize) -> Result<Nested> {
        let projected = projected(self, variant);
        told("project", projected)
    }

    /// For each element the number of its variant.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// assert_eq!(Nested::from_values([Value::from(7), "mu".into()])?.variants()?.to_list()?.to_string(), "[0, 1]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no unions.
    #[track_caller]
    pub fn variants(&self) -> Result<Nested> {
        told("variants", mapped_leaves(self, &mut |leaf| Ok(Nested::of(parts(leaf)?.0.clone()))))
    }
}

fn united(tags: &Array<i64>, variants: &[&Nested]) -> Outcome<Nested> {
    if tags.rank() != 1 || variants.is_empty() {
        return fault("a union has a vector of tags, and variants");
    }
    for (place, variant) in variants.iter().enumerate() {
        if variant.length != tags.size() {
            let message = format!("it has {} elements, for {} tags", variant.length, tags.size());
            return fault(message).in_field(&place.to_string());
        }
    }
    let wrong = tags.lt(0).or(tags.ge(variants.len() as i64));
    if wrong.any().item()? {
        let place = wrong.to_vec()?.iter().position(|&wrong| wrong).unwrap_or(0);
        return fault(format!("the tag at {place} is none of the {} variants", variants.len()));
    }
    Ok(Nested::united(tags, variants.iter().map(|&variant| variant.clone()).collect()))
}

/// The tags and the variants of a union.
fn parts(leaf: &Nested) -> Outcome<(&Array<i64>, &[Nested])> {
    match &leaf.layout {
        Layout::Union(tags, variants) => Ok((tags, variants)),
        _ => fault(format!("`{}` is no union", leaf.schema())),
    }
}

fn found<'v>(leaf: &Nested, variants: &'v [Nested], variant: usize) -> Outcome<&'v Nested> {
    match variants.get(variant) {
        Some(found) => Ok(found),
        None => fault(format!("`{}` has no variant {}", leaf.schema(), what(&Term::Int(variant as i64)))),
    }
}

/// As [`mapped_leaves`], but what may be missing stays no option of an option.
fn projected(nested: &Nested, variant: usize) -> Outcome<Nested> {
    if let Layout::Option(valid, content) = &nested.layout {
        return projected(content, variant)?.optional(valid);
    }
    if nested.is_lists() {
        return nested.map_content(&mut |content| projected(content, variant));
    }
    if let Some(made) = nested.map_fields(&mut |field| projected(field, variant))? {
        return Ok(made);
    }
    let (tags, variants) = parts(nested)?;
    found(nested, variants, variant)?.optional(&tags.eq(variant as i64))
}
