//! Values to NumPy files and back: one `.npy`, or a `.npz` with an array for each part of the value.
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
use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;
use nestled_nesl::interp::Value;
use nestled_nesl::types::{Base, Type, TypeId};
use nestled_nesl::{Column, Dialect, Elements, Session, Width};
use nestled_rt::npy::Npy;
use nestled_rt::npz;
use std::collections::BTreeMap;
use std::path::Path;

/// How the names of files end that can be written.
pub const FORMS: [&str; 2] = ["npy", "npz"];

/// Whether values of a type may fit the form that a file's name says.
pub fn check_form(path: &Path, ty: TypeId, session: &mut Session) -> Result<(), Failure> {
    let one = path.extension().is_some_and(|extension| extension == "npy");
    let refused = |why: &str| Err(Failure::usage(format!("cannot write `{}`: {why}", path.display())));
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        match session.type_node(ty) {
            Type::Base(_) | Type::Seq(_) | Type::Record(..) => {}
            Type::Pair(..) if one => {
                return refused("the value has several parts; give the file a name that ends with .npz");
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
    let Some((value, ty)) = session.value("it") else {
        return Err(Failure::usage("there is no value to write: no statement was an expression"));
    };
    let value = value.clone();
    let mut arrays = Vec::new();
    let is_npz = path.extension().is_some_and(|extension| extension == "npz");
    let mut writer = Writer { session, grids: !is_npz };
    writer.column(String::new(), &[&value], ty, Vec::new(), &mut arrays).map_err(Failure::usage)?;
    match (is_npz, arrays.as_slice()) {
        (true, _) => files::write_with(path, |out| npz::write(&arrays, out)),
        (false, [(_, array)]) => files::write(path, &array.to_file()),
        (false, _) => {
            let text = "the value has several parts; give the file a name that ends with .npz";
            Err(Failure::usage(text))
        }
    }
}

/// Reads what [`write()`] has written to a `.npz`; any single array will do.
pub fn read(arrays: Vec<(String, Npy)>, dialect: Dialect) -> Result<Column, String> {
    if let [(_, array)] = arrays.as_slice() {
        return whole(array, dialect);
    }
    let choices = npz::choices(&arrays);
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
pub fn whole(array: &Npy, dialect: Dialect) -> Result<Column, String> {
    let shape = array.shape.iter().map(|extent| *extent as usize).collect();
    Ok(Column::Elements { count: 1, shape, elements: elements(array, dialect)? })
}

/// Takes arrays by their names; nothing where there are none of them.
struct Reader<'a> {
    arrays: &'a mut BTreeMap<String, Npy>,
    dialect: Dialect,
}

type Found = Result<Option<Column>, String>;

impl Reader<'_> {
    /// Whether there is a part, with parts of its own or without.
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
        self.arrays.remove(name).map(|array| whole(&array, self.dialect)).transpose()
    }

    /// Several values.
    fn values(&mut self, name: &str) -> Found {
        if self.has(&under(name, "0")) {
            return self.pairs(name, Reader::values);
        }
        if let Some(lengths) = self.arrays.remove(&under(name, "lengths")) {
            let Elements::Ints(numbers) = elements(&lengths, self.dialect)? else {
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
        let shape = shape.iter().map(|extent| *extent as usize).collect();
        Ok(Some(Column::Elements {
            count: *count as usize,
            shape,
            elements: elements(&array, self.dialect)?,
        }))
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
pub fn elements(array: &Npy, dialect: Dialect) -> Result<Elements, String> {
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
    Ok(match array.buffer(array.elem) {
        Buffer::Bool(values) => Elements::Bools(values),
        Buffer::U8(values) => Elements::Chars(values),
        Buffer::I32(values) => ints(values.into_iter().map(i64::from).collect())?,
        Buffer::U32(values) => ints(values.into_iter().map(i64::from).collect())?,
        Buffer::I64(values) | Buffer::Idx(values) => ints(values)?,
        Buffer::F32(values) => floats(values.into_iter().map(f64::from).collect()),
        Buffer::F64(values) => floats(values),
        Buffer::F16(_) => return Err("it holds `f16`; convert it with `.astype('f4')`".to_owned()),
    })
}

struct Writer<'s> {
    session: &'s mut Session,
    /// Whether equal rows are another axis.
    grids: bool,
}

impl Writer<'_> {
    /// Adds the arrays of values of one type. `shape` holds the axes outside of them: none for one value, one for several, more in a grid.
    fn column(
        &mut self,
        name: String,
        values: &[&Value],
        ty: TypeId,
        mut shape: Vec<u64>,
        arrays: &mut Vec<(String, Npy)>,
    ) -> Result<(), String> {
        let parts = self.session.parts_of(ty);
        match self.session.type_node(ty) {
            Type::Base(base) => {
                let (elem, bytes) = self.scalars(base, values)?;
                let name = if name.is_empty() { "value".to_owned() } else { name };
                arrays.push((name, Npy { elem, shape, bytes }));
                Ok(())
            }
            Type::Pair(..) => {
                let pairs = || {
                    values
                        .iter()
                        .filter_map(|value| if let Value::Pair(pair) = value { Some(pair) } else { None })
                };
                let left: Vec<&Value> = pairs().map(|pair| &pair.0).collect();
                let right: Vec<&Value> = pairs().map(|pair| &pair.1).collect();
                self.column(under(&name, "0"), &left, parts[0], shape.clone(), arrays)?;
                self.column(under(&name, "1"), &right, parts[1], shape, arrays)
            }
            Type::Seq(_) => {
                let inner: Vec<&[Value]> = values
                    .iter()
                    .filter_map(|value| if let Value::Seq(seq) = value { Some(seq.as_slice()) } else { None })
                    .collect();
                let elements: Vec<&Value> = inner.iter().copied().flatten().collect();
                let one = shape.is_empty();
                let equal = inner.windows(2).all(|pair| pair[0].len() == pair[1].len());
                if let (true, Some(first)) = (one || (self.grids && equal), inner.first()) {
                    shape.push(first.len() as u64);
                    // Without a name of their own they would be taken for a pair of sequences.
                    let name = if one && self.is_pair(parts[0]) { under(&name, "elements") } else { name };
                    return self.column(name, &elements, parts[0], shape, arrays);
                }
                let lengths = inner.iter().flat_map(|inner| (inner.len() as i64).to_le_bytes()).collect();
                arrays.push((under(&name, "lengths"), Npy { elem: ScalarType::I64, shape, bytes: lengths }));
                let count = elements.len() as u64;
                self.column(under(&name, "elements"), &elements, parts[0], vec![count], arrays)
            }
            Type::Record(..) => self.column(name, values, parts[0], shape, arrays),
            _ => Err("a function cannot be written".to_owned()),
        }
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

    fn scalars(&self, base: Base, values: &[&Value]) -> Result<(ScalarType, Vec<u8>), String> {
        let dialect = self.session.dialect();
        let elem = match (base, dialect.int, dialect.float) {
            (Base::Int, Width::W32, _) => ScalarType::I32,
            (Base::Int, Width::W64, _) => ScalarType::I64,
            (Base::Float, _, Width::W32) => ScalarType::F32,
            (Base::Float, _, Width::W64) => ScalarType::F64,
            (Base::Bool, ..) => ScalarType::Bool,
            (Base::Char, ..) => ScalarType::U8,
        };
        let mut bytes = Vec::with_capacity(values.len() * elem.size());
        for value in values {
            match value {
                Value::Int(value) => bytes.extend(&value.to_le_bytes()[..elem.size()]),
                Value::Float(value) if elem == ScalarType::F32 => bytes.extend((*value as f32).to_le_bytes()),
                Value::Float(value) => bytes.extend(value.to_le_bytes()),
                Value::Bool(value) => bytes.push(u8::from(*value)),
                Value::Char(code) => bytes.push(*code),
                _ => {}
            }
        }
        Ok((elem, bytes))
    }
}
