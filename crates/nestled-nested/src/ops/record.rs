//! Records: fields taken out, put in, and put together from arrays.

use super::missing::what;
use super::term::Term;
use crate::broadcast::broadcast;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use nestled_array::{Array, Result};
use std::sync::Arc;

/// Records of elements that are broadcast together, as deep as the lists go: `ak.zip`. [`Nested::records`] puts fields together at the top only.
///
/// ```
/// use nestled_nested::{Nested, zip};
/// let (pt, charge) = (Nested::from_iter([vec![1.5, 2.5], vec![]]), Nested::from_iter([vec![1, -1], vec![]]));
/// let muons = zip(&[("pt", &pt), ("charge", &charge)])?;
/// assert_eq!(muons.type_string(), "2 * var * {pt: float64, charge: int64}");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// There is no field, two have one name, or lists differ in length; to see that, lengths are computed at once, unless they come from one array.
#[track_caller]
pub fn zip(fields: &[(&str, &Nested)]) -> Result<Nested> {
    told("zip", zipped(fields))
}

fn zipped(fields: &[(&str, &Nested)]) -> Outcome<Nested> {
    let sides: Vec<Nested> = fields.iter().map(|&(_, side)| side.clone()).collect();
    let names: Vec<&str> = fields.iter().map(|&(name, _)| name).collect();
    if sides.is_empty() {
        return fault("there is no field");
    }
    all_different(&names)?;
    // Numbers that may be missing stay so by themselves; lists that may be are gone into.
    let at_bottom = |sides: &[Nested]| !sides.iter().any(|side| side.parts().1.is_lists());
    broadcast(&sides, &at_bottom, &mut |sides| {
        let fields = names.iter().zip(sides).map(|(&name, side)| (Arc::from(name), side.clone())).collect();
        Ok(Nested { length: sides[0].length, layout: Layout::Record(fields) })
    })
}

/// Several arrays with the lists of all: a value for a list becomes one for each of its elements: `ak.broadcast_arrays`. What is missing in
/// one is missing in all.
///
/// ```
/// use nestled_nested::{Nested, broadcast_arrays};
/// let (rows, weights) = (Nested::from_iter([vec![1, 2], vec![3]]), Nested::from_iter([0.5, 1.5]));
/// let both = broadcast_arrays(&[&rows, &weights])?;
/// assert_eq!(both[1].to_list()?.to_string(), "[[0.5, 0.5], [1.5]]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// Arrays or their lists differ in length; to see that, lengths are computed at once, unless they come from one array.
#[track_caller]
pub fn broadcast_arrays(parts: &[&Nested]) -> Result<Vec<Nested>> {
    let sides: Vec<Nested> = parts.iter().map(|&part| part.clone()).collect();
    if sides.is_empty() {
        return Ok(sides);
    }
    let all = broadcast(&sides, &|_| false, &mut |sides| {
        Ok(Nested { length: sides[0].length, layout: Layout::Tuple(sides.to_vec()) })
    });
    let fields = all.and_then(|all| (0..sides.len()).map(|place| all.field_of(&place.to_string())).collect());
    told("broadcast_arrays", fields)
}

impl Nested {
    /// The names of the fields of records, or of records in lists; tuples have numbers. Empty if there are none.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// assert_eq!(Nested::from_iter([vec![Value::record([("x", 1.into())])]]).fields(), ["x"]);
    /// ```
    pub fn fields(&self) -> Vec<String> {
        match &self.layout {
            Layout::Record(fields) => fields.iter().map(|(name, _)| name.to_string()).collect(),
            Layout::Tuple(fields) => (0..fields.len()).map(|place| place.to_string()).collect(),
            Layout::Option(_, content) => content.fields(),
            Layout::List(_, _, content) | Layout::Fixed(_, content) => content.fields(),
            Layout::Leaf(_) | Layout::Category(..) | Layout::Meant(..) | Layout::Union(..) => Vec::new(),
        }
    }

    /// A field of records, or of records in lists: `events["jets"]`. That of tuples is a number. Other fields are not looked at.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// let jets = Nested::from_iter([vec![Value::record([("pt", 1.5.into())])], vec![]]);
    /// assert_eq!(jets.field("pt")?.to_list()?.to_string(), "[[1.5], []]");
    /// let error = jets.field("p").unwrap_err();
    /// assert!(error.to_string().ends_with("there is no field `p`; there are `pt`"));
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such field; and errors of evaluation, where records with lists may be missing.
    #[track_caller]
    pub fn field(&self, name: &str) -> Result<Nested> {
        told("field", self.field_of(name))
    }

    pub(super) fn field_of(&self, name: &str) -> Outcome<Nested> {
        match &self.layout {
            Layout::Record(fields) => match fields.iter().find(|(own, _)| **own == *name) {
                Some((_, field)) => Ok(field.clone()),
                None => no_field(name, &self.fields()),
            },
            Layout::Tuple(fields) => match name.parse::<usize>().ok().and_then(|place| fields.get(place)) {
                Some(field) => Ok(field.clone()),
                None => no_field(name, &self.fields()),
            },
            Layout::Option(valid, content) => content.field_of(name)?.optional(valid),
            Layout::List(..) | Layout::Fixed(..) if self.is_lists() => {
                self.map_content(&mut |content| content.field_of(name))
            }
            _ => fault(format!("`{}` has no fields, so no `{name}`", self.schema())),
        }
    }

    /// The records with these fields only, in this order.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// let muon = Value::record([("pt", 20.5.into()), ("eta", 0.5.into()), ("charge", 1.into())]);
    /// let muons = Nested::from_iter([Value::list([muon])]);
    /// assert_eq!(muons.select_fields(&["charge", "pt"])?.type_string(), "1 * var * {charge: int64, pt: float64}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such field, one is named twice, or none is.
    #[track_caller]
    pub fn select_fields(&self, names: &[&str]) -> Result<Nested> {
        if names.is_empty() {
            return told("select_fields", fault("records have one field at least"));
        }
        told("select_fields", all_different(names).and_then(|()| self.fields_of(names)))
    }

    fn fields_of(&self, names: &[&str]) -> Outcome<Nested> {
        let own = || names.iter().map(|name| self.field_of(name)).collect::<Outcome<Vec<_>>>();
        let layout = match &self.layout {
            Layout::Record(_) => {
                Layout::Record(names.iter().map(|&name| Arc::from(name)).zip(own()?).collect())
            }
            Layout::Tuple(_) => Layout::Tuple(own()?),
            Layout::Option(valid, content) => {
                Layout::Option(valid.clone(), Arc::new(content.fields_of(names)?))
            }
            Layout::List(..) | Layout::Fixed(..) if self.is_lists() => {
                return self.map_content(&mut |content| content.fields_of(names));
            }
            _ => return fault(format!("`{}` has no fields", self.schema())),
        };
        Ok(Nested { length: self.length, layout })
    }

    /// The outermost records or tuples as records whose fields have these names.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let pairs = Nested::from_iter([vec![1, 2]]).combinations(2, 1)?.rename_fields(&["a", "b"])?;
    /// assert_eq!(pairs.type_string(), "1 * var * {a: int64, b: int64}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There are more or fewer fields than names, or two names are the same.
    #[track_caller]
    pub fn rename_fields(&self, names: &[&str]) -> Result<Nested> {
        told("rename_fields", self.renamed(names))
    }

    fn renamed(&self, names: &[&str]) -> Outcome<Nested> {
        all_different(names)?;
        self.with_fields(&mut |fields| {
            if fields.len() != names.len() {
                return fault(format!("{} names for {} fields", names.len(), fields.len()));
            }
            Ok(Layout::Record(names.iter().map(|&name| Arc::from(name)).zip(fields).collect()))
        })
    }

    /// The outermost records as tuples.
    ///
    /// ```
    /// use nestled_nested::{Nested, zip};
    /// let (pt, charge) = (Nested::from_iter([20.5]), Nested::from_iter([1]));
    /// let muons = zip(&[("pt", &pt), ("charge", &charge)])?;
    /// assert_eq!(muons.to_tuples()?.type_string(), "1 * (float64, int64)");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no records.
    #[track_caller]
    pub fn to_tuples(&self) -> Result<Nested> {
        told("to_tuples", self.with_fields(&mut |fields| Ok(Layout::Tuple(fields))))
    }

    /// The outermost records or tuples with what becomes of their fields.
    fn with_fields(&self, make: &mut dyn FnMut(Vec<Nested>) -> Outcome<Layout>) -> Outcome<Nested> {
        let fields: Vec<Nested> = match &self.layout {
            Layout::Record(fields) => fields.iter().map(|(_, field)| field.clone()).collect(),
            Layout::Tuple(fields) => fields.clone(),
            Layout::Option(valid, content) => {
                return Ok(Nested::present(valid.clone(), content.with_fields(make)?));
            }
            Layout::List(..) | Layout::Fixed(..) if self.is_lists() => {
                return self.map_content(&mut |content| content.with_fields(make));
            }
            _ => return fault(format!("`{}` has no fields", self.schema())),
        };
        Ok(Nested { length: self.length, layout: make(fields)? })
    }

    /// The fields of records, each by itself: `ak.unzip`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let pairs = Nested::from_iter([vec![(1, "a")], vec![]]);
    /// assert_eq!(pairs.unzip()?[1].to_list()?.to_string(), r#"[["a"], []]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation, where records with lists may be missing.
    #[track_caller]
    pub fn unzip(&self) -> Result<Vec<Nested>> {
        let names = self.fields();
        let fields = names.iter().map(|name| self.field_of(name)).collect();
        told("unzip", if names.is_empty() { Ok(vec![self.clone()]) } else { fields })
    }

    /// Records with a field more, or with another in its place: `ak.with_field`. The value is broadcast to the records; it may be a number.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// let jets = Nested::from_iter([vec![Value::record([("pt", 1.5.into())])], vec![]]);
    /// let scaled = jets.with_field("double", &(jets.field("pt")? * 2))?.with_field("kind", 1)?;
    /// assert_eq!(scaled.type_string(), "2 * var * {pt: float64, double: float64, kind: int64}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There are no records, lists differ in length, or the value is a text alone.
    #[track_caller]
    pub fn with_field(&self, name: &str, value: impl Into<Term>) -> Result<Nested> {
        told("with_field", self.with_term(name, &value.into()))
    }

    fn with_term(&self, name: &str, value: &Term) -> Outcome<Nested> {
        let at_record = |sides: &[Nested]| !sides[0].parts().1.is_lists();
        let Term::Nested(value) = value else {
            return broadcast(std::slice::from_ref(self), &at_record, &mut |sides| {
                with_value(&sides[0], name, &everywhere(value, sides[0].length)?)
            });
        };
        let sides = [self.clone(), value.clone()];
        broadcast(&sides, &at_record, &mut |sides| with_value(&sides[0], name, &sides[1]))
    }
}

/// A number as so many elements.
fn everywhere(value: &Term, length: usize) -> Outcome<Nested> {
    Ok(match *value {
        Term::Int(value) => Nested::of(Array::fill(value, &[length])),
        Term::Float(value) => Nested::of(Array::fill(value, &[length])),
        Term::Bool(value) => Nested::of(Array::fill(value, &[length])),
        Term::String(_) | Term::Nested(_) => return fault(format!("{} is no number", what(value))),
    })
}

fn with_value(record: &Nested, name: &str, value: &Nested) -> Outcome<Nested> {
    if let Layout::Option(valid, record) = &record.layout {
        return with_value(record, name, value)?.optional(valid);
    }
    let Layout::Record(fields) = &record.layout else {
        return fault(format!("`{}` is no record", record.schema()));
    };
    let mut fields = fields.clone();
    match fields.iter_mut().find(|(own, _)| **own == *name) {
        Some((_, field)) => *field = value.clone(),
        None => fields.push((Arc::from(name), value.clone())),
    }
    Ok(Nested { length: record.length, layout: Layout::Record(fields) })
}

fn all_different(names: &[&str]) -> Outcome<()> {
    match (1..names.len()).find(|&place| names[..place].contains(&names[place])) {
        Some(place) => fault(format!("there are two fields `{}`", names[place])),
        None => Ok(()),
    }
}

fn no_field<T>(name: &str, fields: &[String]) -> Outcome<T> {
    let known: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    fault(format!("there is no field `{name}`; there are {}", known.join(", ")))
}
