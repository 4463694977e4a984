//! NumPy files: writes values as one `.npy`, or as a `.npz` with an array for each part of the value, and reads them back.
//!
//! A `.npz` has one layout for each type, whatever the lengths:
//!
//! | Value | Arrays |
//! |---|---|
//! | a scalar, a sequence of scalars | `value` |
//! | a sequence of sequences | `lengths`, and `elements` for all of them, one after another |
//! | a pair | `0` and `1` |
//! | a sequence of pairs | `elements.0` and `elements.1` |
//!
//! Deeper down names are joined by points: `[[(int, float)]]` has `lengths`, `elements.0`, `elements.1`. A `.npy` holds a scalar, a sequence, or equal
//! rows as a matrix.

use crate::exit_codes::Failure;
use crate::files;
use crate::nesl::forms;
use nestled_ir::value::{AxisValue, Buffer, Segmentation, Value};
use nestled_nesl::types::{Type, TypeId};
use nestled_nesl::{Column, Dialect, Elements, Session, Width};
use nestled_rt::npy::{self, Npy};
use nestled_rt::npz;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// File extensions that can be written.
pub const FORMS: [&str; 9] = ["npy", "npz", "json", "csv", "png", "parquet", "arrow", "feather", "jsonl"];

/// Checks that values of a type can be written in the format of a file's extension.
pub fn check_form(path: &Path, ty: TypeId, session: &mut Session) -> Result<(), Failure> {
    let one = path.extension().is_some_and(|extension| extension == "npy");
    let refused = |why: &str| Err(Failure::usage(format!("cannot write `{}`: {why}", path.display())));
    let form = path.extension().and_then(|form| form.to_str()).unwrap_or_default();
    if session.has_variants(ty) {
        return refused("the value is of a datatype with variants, or has some in it");
    }
    if let Some(why) = forms::unfit(form, ty, session) {
        return refused(&why);
    }
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        match session.type_node(ty) {
            Type::Base(_) | Type::Seq(_) | Type::Record(..) => {}
            Type::Pair(..) if one => {
                return refused(
                    "the value has several parts; give the file a name that ends with .npz or .json",
                );
            }
            Type::Pair(..) => {}
            Type::Function(..) => return refused("the value is a function, or has some in it"),
            Type::Var(_) | Type::Link(_) => {}
        }
        pending.extend(session.parts_of(ty));
    }
    Ok(())
}

/// Writes the last value of an expression.
pub fn write(path: &Path, session: &mut Session) -> Result<(), Failure> {
    let Some((shapes, arrays, ty)) = session.flat_value("it") else {
        return Err(Failure::usage("there is no value to write: no statement was an expression"));
    };
    let form = path.extension().and_then(|form| form.to_str()).unwrap_or_default();
    let shown = session.type_named("it");
    if forms::FORMS.contains(&form)
        && let Some((value, _)) = session.value("it")
    {
        return files::write_with(path, |out| forms::write(out, form, value, &shown));
    }
    let is_npz = path.extension().is_some_and(|extension| extension == "npz");
    let (shapes, arrays) = (shapes.into_iter(), arrays.into_iter());
    let mut writer = Writer { session, grids: !is_npz, shapes, arrays, made: Vec::new() };
    writer.column(String::new(), ty, Vec::new()).map_err(Failure::usage)?;
    let made = writer.made;
    match (is_npz, made.as_slice()) {
        (true, arrays) => files::write_with(path, |out| npz::write(arrays, out)),
        (false, [(_, shape, data)]) => files::write_with(path, |out| npy::write(shape, data, out)),
        (false, _) => {
            let text = "the value has several parts; give the file a name that ends with .npz";
            Err(Failure::usage(text))
        }
    }
}

/// Reads a `.npz` that [`write()`] has written; any single array is accepted, too.
pub fn read(arrays: Vec<(String, Npy)>, dialect: Dialect) -> Result<Column, String> {
    let names: Vec<&str> = arrays.iter().map(|(name, _)| &**name).collect();
    let choices = npz::choices(&names);
    let mut arrays: BTreeMap<String, Npy> = arrays.into_iter().collect();
    let value = Reader { arrays: &mut arrays, dialect }.value("")?;
    if value.is_none() || !arrays.is_empty() {
        return Err(choices);
    }
    let column = value.ok_or(choices)?;
    column.check()?;
    Ok(column)
}

/// An array as one value.
pub fn whole(array: Npy, dialect: Dialect) -> Result<Column, String> {
    let shape = array.shape.iter().map(|extent| *extent as usize).collect();
    Ok(Column::Elements { count: 1, shape, elements: elements(array, dialect)? })
}

/// Reader that takes arrays by their names; `None` if there is none of a name.
struct Reader<'a> {
    arrays: &'a mut BTreeMap<String, Npy>,
    dialect: Dialect,
}

type Found = Result<Option<Column>, String>;

impl Reader<'_> {
    /// True if there is a part of this name, with or without parts of its own.
    fn has(&self, name: &str) -> bool {
        let inside = format!("{name}.");
        self.arrays.contains_key(name)
            || self.arrays.range(inside.clone()..).next().is_some_and(|(found, _)| found.starts_with(&inside))
    }

    /// One value.
    fn value(&mut self, name: &str) -> Found {
        if self.has(&under(name, "0")) {
            return self.pairs(name, Reader::value);
        }
        if self.has(&under(name, "elements")) || self.has(&under(name, "lengths")) {
            let Some(all) = (match self.has(&under(name, "lengths")) {
                true => self.values(name)?,
                false => self.values(&under(name, "elements"))?,
            }) else {
                return Ok(None);
            };
            return Ok(Some(Column::Rows { lengths: vec![all.check()?], elements: Box::new(all) }));
        }
        let name = if name.is_empty() { "value" } else { name };
        self.arrays.remove(name).map(|array| whole(array, self.dialect)).transpose()
    }

    /// Several values.
    fn values(&mut self, name: &str) -> Found {
        if self.has(&under(name, "0")) {
            return self.pairs(name, Reader::values);
        }
        if let Some(lengths) = self.arrays.remove(&under(name, "lengths")) {
            let Elements::Ints(numbers) = elements(lengths, self.dialect)? else {
                return Err("its lengths are no integers".to_owned());
            };
            let lengths = numbers.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
            let lengths = lengths.map_err(|_| "one of its lengths is negative")?;
            let elements = self.values(&under(name, "elements"))?;
            return Ok(elements.map(|elements| Column::Rows { lengths, elements: Box::new(elements) }));
        }
        let Some(array) = self.arrays.remove(name) else { return Ok(None) };
        let Some((count, shape)) = array.shape.split_first() else {
            return Err(format!("`{name}` in it is a scalar where an array is wanted"));
        };
        let (count, shape) = (*count as usize, shape.iter().map(|extent| *extent as usize).collect());
        Ok(Some(Column::Elements { count, shape, elements: elements(array, self.dialect)? }))
    }

    fn pairs(&mut self, name: &str, side: fn(&mut Self, &str) -> Found) -> Found {
        let (left, right) = (side(self, &under(name, "0"))?, side(self, &under(name, "1"))?);
        Ok(left.zip(right).map(|(left, right)| Column::Pairs(Box::new(left), Box::new(right))))
    }
}

/// The name of a part.
fn under(name: &str, part: &str) -> String {
    if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") }
}

/// The elements of an array, as a dialect has them.
pub fn elements(array: Npy, dialect: Dialect) -> Result<Elements, String> {
    let ints = |values: Vec<i64>| match values.iter().find(|value| dialect.wrap(**value) != **value) {
        Some(value) => Err(format!("{value} in it does not fit into an `int` of 32 bits")),
        None => Ok(Elements::Ints(values)),
    };
    let narrow = dialect.float == Width::W32;
    let floats = |values: Vec<f64>| {
        Elements::Floats(
            values.into_iter().map(|value| if narrow { dialect.round(value) } else { value }).collect(),
        )
    };
    Ok(match array.elements {
        Buffer::Bool(values) => Elements::Bools(values),
        Buffer::U8(values) => Elements::Chars(values),
        Buffer::I64(values) => ints(values)?,
        Buffer::F64(values) => floats(values),
        other => return Err(format!("it holds `{}`, which is not read here", other.elem())),
    })
}

/// Writer that traverses a value in flat arrays.
struct Writer<'s> {
    session: &'s mut Session,
    /// Whether rows of equal length become another axis.
    grids: bool,
    /// The shapes and arrays to come.
    shapes: std::vec::IntoIter<AxisValue>,
    arrays: std::vec::IntoIter<Value>,
    made: Vec<(String, Vec<u64>, Arc<Buffer>)>,
}

impl Writer<'_> {
    /// Adds the arrays of values of one type. `shape` holds the axes outside of them: none for one value, one for several, more in a grid.
    fn column(&mut self, name: String, ty: TypeId, mut shape: Vec<u64>) -> Result<(), String> {
        let parts = self.session.parts_of(ty);
        match self.session.type_node(ty) {
            Type::Base(_) => {
                let data = match self.arrays.next() {
                    Some(Value::Array(array)) if array.starts.is_none() => array.data,
                    Some(Value::Array(view)) => view.to_dense().data,
                    Some(Value::Scalar(scalar)) => Arc::new(Buffer::from_scalars(scalar.ty(), &[scalar])),
                    _ => unreachable!("a value has as many parts as its type"),
                };
                self.made.push((if name.is_empty() { "value".to_owned() } else { name }, shape, data));
                Ok(())
            }
            Type::Pair(..) => {
                self.column(under(&name, "0"), parts[0], shape.clone())?;
                self.column(under(&name, "1"), parts[1], shape)
            }
            Type::Seq(_) => match self.shapes.next() {
                Some(AxisValue::Seg(seg)) => self.rows(name, parts[0], (&seg, shape)),
                Some(AxisValue::Extent(extent)) => {
                    shape.push(extent);
                    // Without a name of their own they would be taken for a pair of sequences.
                    let name = if self.is_pair(parts[0]) { under(&name, "elements") } else { name };
                    self.column(name, parts[0], shape)
                }
                None => unreachable!("a value has as many shapes as its type has sequences"),
            },
            Type::Record(..) => self.column(name, parts[0], shape),
            _ => Err("a function cannot be written".to_owned()),
        }
    }

    /// Adds the arrays of sequences.
    fn rows(
        &mut self,
        name: String,
        element: TypeId,
        (seg, mut shape): (&Segmentation, Vec<u64>),
    ) -> Result<(), String> {
        if let Some(length) = equal(seg).filter(|_| self.grids) {
            shape.push(length);
            return self.column(name, element, shape);
        }
        let lengths = (0..seg.n_segments()).map(|row| seg.lengths.length(row) as i64).collect();
        self.made.push((under(&name, "lengths"), shape, Arc::new(Buffer::I64(lengths))));
        self.column(under(&name, "elements"), element, vec![seg.total()])
    }

    fn is_pair(&mut self, ty: TypeId) -> bool {
        match self.session.type_node(ty) {
            Type::Pair(..) => true,
            Type::Record(..) => {
                let content = self.session.parts_of(ty)[0];
                self.is_pair(content)
            }
            _ => false,
        }
    }
}

/// The length of all rows, if there is a row and all lengths are equal.
fn equal(seg: &Segmentation) -> Option<u64> {
    let rows = seg.n_segments();
    let first = (rows > 0).then(|| seg.lengths.length(0))?;
    (1..rows).all(|row| seg.lengths.length(row) == first).then_some(first)
}
