//! Nested arrays: their layout as a tree of columns, and how parts that are known to fit are put together and taken.

use crate::column::{Column, Typed};
use crate::fault::{InField, Outcome, fault};
use crate::rows::Rows;
use crate::schema::{Meaning, Schema};
use nestled_array::{Array, Evaluate, Handle, Outside, Result};
use std::sync::Arc;

/// A vector of nested data: lists, records, missing values, strings, at any depth, by a [`Schema`] that is known at run time.
///
/// Each number and each list of the schema has a column of its own, a lazy array. Operations compute nothing (but where their documentation says so), and a field
/// that nobody asks for is never computed. Clones are cheap.
///
/// ```
/// use nestled_nested::{Nested, Value};
/// let events = Nested::from_iter([
///     Value::record([("met", 1.5.into()), ("jets", vec![10, 20].into())]),
///     Value::record([("met", 2.5.into()), ("jets", vec![30].into())]),
/// ]);
/// assert_eq!(events.type_string(), "2 * {met: float64, jets: var * int64}");
/// let scaled = &events.field("met")? * &events.field("jets")?;
/// assert_eq!(scaled.sum(-1)?.to_list()?.to_string(), "[45.0, 75.0]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[derive(Clone)]
pub struct Nested {
    pub(crate) length: usize,
    pub(crate) layout: Layout,
}

/// The layout of a nested array: the columns that store its elements.
#[derive(Clone)]
pub(crate) enum Layout {
    /// Numbers or booleans.
    Leaf(Column),
    /// Lists of any lengths, with the elements of all of them.
    List(Face, Rows, Arc<Nested>),
    /// Lists of one length, with the elements of all of them.
    Fixed(usize, Arc<Nested>),
    /// Named fields.
    Record(Vec<(Arc<str>, Nested)>),
    /// Numbered fields.
    Tuple(Vec<Nested>),
    /// Where elements are present, and as many elements. They are never optional themselves. A list that is missing is empty; a number may be anything.
    Option(Array<bool>, Arc<Nested>),
    /// For each element its place among the different ones.
    Category(Array<i64>, Arc<Nested>),
    /// Integers of the type that their meaning has.
    Meant(Meaning, Column),
    /// For each element the number of its variant, and as many elements of each variant. Where an element is of another, they may be anything.
    Union(Array<i64>, Vec<Nested>),
}

/// The face of a list: a list, a text or bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Face {
    List,
    /// Lists of `uint8` that are UTF-8.
    String,
    /// Lists of `uint8`.
    Bytes,
}

/// Lists of one length come to too many elements.
const TOO_MANY: &str = "the lists come to more elements than can be counted";

impl Nested {
    /// The number of elements of the outermost dimension.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![1, 2], vec![3]]).len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there is no element.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert!(!Nested::from_iter([1]).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The schema of the elements.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![Some(1), None], vec![]]);
    /// assert_eq!(rows.schema().to_string(), "var * ?int64");
    /// ```
    pub fn schema(&self) -> Schema {
        let boxed = |inner: &Nested| Box::new(inner.schema());
        match &self.layout {
            Layout::Leaf(column) => Schema::Number(column.kind()),
            Layout::List(Face::List, _, content) => Schema::List(boxed(content)),
            Layout::List(Face::String, ..) => Schema::String,
            Layout::List(Face::Bytes, ..) => Schema::Bytes,
            Layout::Fixed(size, content) => Schema::Fixed(*size, boxed(content)),
            Layout::Record(fields) => Schema::Record(
                fields.iter().map(|(name, field)| (name.to_string(), field.schema())).collect(),
            ),
            Layout::Tuple(fields) => Schema::Tuple(fields.iter().map(Nested::schema).collect()),
            Layout::Option(_, content) => Schema::Option(boxed(content)),
            Layout::Category(_, content) => Schema::Category(boxed(content)),
            Layout::Meant(meaning, _) => Schema::Meant(meaning.clone()),
            Layout::Union(_, variants) => Schema::Union(variants.iter().map(Nested::schema).collect()),
        }
    }

    /// The number of elements and the schema, as Awkward writes a type.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![1.5], vec![]]).type_string(), "2 * var * float64");
    /// ```
    pub fn type_string(&self) -> String {
        format!("{} * {}", self.length, self.schema())
    }
}

/// Parts that are known to fit.
impl Nested {
    pub(crate) fn leaf(column: Column) -> Nested {
        Nested { length: column.len(), layout: Layout::Leaf(column) }
    }

    pub(crate) fn of<T: Typed>(array: Array<T>) -> Nested {
        Nested::leaf(T::column(array))
    }

    pub(crate) fn list(face: Face, rows: &Rows, content: Nested) -> Nested {
        debug_assert_eq!(rows.total(), content.length);
        Nested { length: rows.count(), layout: Layout::List(face, rows.clone(), Arc::new(content)) }
    }

    pub(crate) fn lists(rows: &Rows, content: Nested) -> Nested {
        Nested::list(Face::List, rows, content)
    }

    pub(crate) fn fixed(count: usize, size: usize, content: Nested) -> Outcome<Nested> {
        let Some(total) = count.checked_mul(size) else { return fault(TOO_MANY) };
        debug_assert_eq!(total, content.length);
        Ok(Nested { length: count, layout: Layout::Fixed(size, Arc::new(content)) })
    }

    /// Integers with a meaning, whose type they take.
    pub(crate) fn meant(meaning: &Meaning, column: &Column) -> Nested {
        let column =
            if column.kind() == meaning.kind() { column.clone() } else { column.cast(meaning.kind()) };
        Nested { length: column.len(), layout: Layout::Meant(meaning.clone(), column) }
    }

    /// A union of variants that are known to have as many elements as there are tags.
    pub(crate) fn united(tags: &Array<i64>, variants: Vec<Nested>) -> Nested {
        Nested { length: tags.size(), layout: Layout::Union(tags.clone(), variants) }
    }

    pub(crate) fn category(codes: &Array<i64>, words: &Nested) -> Nested {
        Nested { length: codes.size(), layout: Layout::Category(codes.clone(), Arc::new(words.clone())) }
    }

    /// Elements, present where a mask holds and they were present before. Lists that are missing become empty; where they may not be, this computes at once.
    pub(crate) fn optional(&self, valid: &Array<bool>) -> Outcome<Nested> {
        let (valid, content) = match &self.layout {
            Layout::Option(before, content) => (before.and(valid), (**content).clone()),
            _ => (valid.clone(), self.clone()),
        };
        let content = match &content.layout {
            Layout::List(..) => {
                let nowhere = Array::scalar(-1i64);
                content.take(&valid.select(Array::<i64>::range(self.length), nowhere))?
            }
            _ => content,
        };
        Ok(Nested::present(valid, content))
    }

    /// As [`optional`](Nested::optional), of elements of which those are blank already that the mask leaves out, as [`take`](Nested::take) makes them outside.
    pub(crate) fn blank_outside(self, valid: Array<bool>) -> Nested {
        match &self.layout {
            Layout::Option(before, content) => Nested {
                length: self.length,
                layout: Layout::Option(before.and(&valid), Arc::clone(content)),
            },
            _ => Nested::present(valid, self),
        }
    }

    /// As [`optional`](Nested::optional), where lists are known to be empty if they are missing, and no element is optional.
    pub(crate) fn present(valid: Array<bool>, content: Nested) -> Nested {
        Nested { length: content.length, layout: Layout::Option(valid, Arc::new(content)) }
    }

    /// As [`present`](Nested::present), where there is a mask.
    pub(crate) fn present_if(self, valid: Option<Array<bool>>) -> Nested {
        match valid {
            Some(valid) => Nested::present(valid, self),
            None => self,
        }
    }

    /// The elements, and where they are present, if they may be missing.
    pub(crate) fn parts(&self) -> (Option<&Array<bool>>, &Nested) {
        match &self.layout {
            Layout::Option(valid, content) => (Some(valid), content),
            _ => (None, self),
        }
    }

    /// Lists of any face or of one length as rows.
    pub(crate) fn rows(&self) -> Option<(Rows, &Nested)> {
        match &self.layout {
            Layout::List(_, rows, content) => Some((rows.clone(), content)),
            Layout::Fixed(size, content) => Some((Rows::even(self.length, *size), content)),
            _ => None,
        }
    }

    /// True if elements are lists, and not texts.
    pub(crate) fn is_lists(&self) -> bool {
        matches!(self.layout, Layout::List(Face::List, ..) | Layout::Fixed(..))
    }

    /// The elements at these places. Outside they are blank: numbers are 0, lists are empty, and what may be missing is.
    pub(crate) fn take(&self, places: &Array<i64>) -> Outcome<Nested> {
        let length = places.size();
        let layout = match &self.layout {
            Layout::Leaf(column) => Layout::Leaf(column.take(places)),
            Layout::List(face, rows, content) => {
                let (rows, from) = taken(rows, places)?;
                Layout::List(*face, rows, Arc::new(content.take(&from)?))
            }
            Layout::Fixed(size, content) => {
                let rows = Rows::even(length, *size);
                let from = rows.spread(places) * *size as i64 + rows.places();
                Layout::Fixed(*size, Arc::new(content.take(&from)?))
            }
            Layout::Record(fields) => {
                let take = |(name, field): &(Arc<str>, Nested)| {
                    Ok((Arc::clone(name), field.take(places).in_field(name)?))
                };
                Layout::Record(fields.iter().map(take).collect::<Outcome<_>>()?)
            }
            Layout::Tuple(fields) => {
                Layout::Tuple(fields.iter().map(|field| field.take(places)).collect::<Outcome<_>>()?)
            }
            Layout::Option(valid, content) => {
                let valid = valid.take(0, places, Outside::Default(false));
                Layout::Option(valid, Arc::new(content.take(places)?))
            }
            Layout::Category(codes, words) => {
                Layout::Category(codes.take(0, places, Outside::Default(0)), Arc::clone(words))
            }
            Layout::Meant(meaning, column) => Layout::Meant(meaning.clone(), column.take(places)),
            Layout::Union(tags, variants) => {
                let variants = variants.iter().map(|variant| variant.take(places));
                Layout::Union(tags.take(0, places, Outside::Default(0)), variants.collect::<Outcome<_>>()?)
            }
        };
        Ok(Nested { length, layout })
    }

    /// The elements where a mask holds; computes which at once.
    pub(crate) fn compress(&self, mask: &Array<bool>) -> Outcome<Nested> {
        self.take(&Array::range(self.length).compress(mask)?)
    }

    /// A function of the elements of the lists of the outermost dimension, also of those that may be missing; it keeps their number.
    pub(crate) fn map_content(&self, map: &mut dyn FnMut(&Nested) -> Outcome<Nested>) -> Outcome<Nested> {
        let length = self.length;
        let layout = match &self.layout {
            Layout::List(face, rows, content) => Layout::List(*face, rows.clone(), Arc::new(map(content)?)),
            Layout::Fixed(size, content) => Layout::Fixed(*size, Arc::new(map(content)?)),
            Layout::Option(valid, content) => {
                return Ok(Nested::present(valid.clone(), content.map_content(map)?));
            }
            Layout::Leaf(_)
            | Layout::Record(_)
            | Layout::Tuple(_)
            | Layout::Category(..)
            | Layout::Meant(..)
            | Layout::Union(..) => {
                return fault(format!("`{}` has no lists", self.schema()));
            }
        };
        Ok(Nested { length, layout })
    }

    /// A function of each field of records or tuples.
    pub(crate) fn map_fields(
        &self,
        map: &mut dyn FnMut(&Nested) -> Outcome<Nested>,
    ) -> Outcome<Option<Nested>> {
        let layout = match &self.layout {
            Layout::Record(fields) => {
                let mapped =
                    fields.iter().map(|(name, field)| Ok((Arc::clone(name), map(field).in_field(name)?)));
                Layout::Record(mapped.collect::<Outcome<_>>()?)
            }
            Layout::Tuple(fields) => {
                let mapped =
                    fields.iter().enumerate().map(|(place, field)| map(field).in_field(&place.to_string()));
                Layout::Tuple(mapped.collect::<Outcome<_>>()?)
            }
            _ => return Ok(None),
        };
        let length = match &layout {
            Layout::Record(fields) => fields.first().map(|(_, field)| field.length),
            Layout::Tuple(fields) => fields.first().map(|field| field.length),
            _ => None,
        };
        Ok(Some(Nested { length: length.unwrap_or(self.length), layout }))
    }
}

/// The lists at some places: their lengths, and for each of their elements where it lies. Their sum is computed at once.
fn taken(rows: &Rows, places: &Array<i64>) -> Result<(Rows, Array<i64>)> {
    let taken = Rows::of(&rows.lengths().take(0, places, Outside::Default(0)))?;
    let starts = rows.starts().take(0, places, Outside::Default(0));
    let from = taken.spread(&starts) + taken.places();
    Ok((taken, from))
}

impl Evaluate for Nested {
    fn nodes(&self, into: &mut Vec<Handle>) {
        match &self.layout {
            Layout::Leaf(column) | Layout::Meant(_, column) => column.nodes(into),
            Layout::List(_, rows, content) => {
                rows.nodes(into);
                content.nodes(into);
            }
            Layout::Fixed(_, content) => content.nodes(into),
            Layout::Record(fields) => fields.iter().for_each(|(_, field)| field.nodes(into)),
            Layout::Tuple(fields) => fields.iter().for_each(|field| field.nodes(into)),
            Layout::Option(valid, content) => {
                valid.nodes(into);
                content.nodes(into);
            }
            Layout::Category(codes, words) => {
                codes.nodes(into);
                words.nodes(into);
            }
            Layout::Union(tags, variants) => {
                tags.nodes(into);
                variants.iter().for_each(|variant| variant.nodes(into));
            }
        }
    }
}
