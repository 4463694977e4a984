//! Values to NumPy files: one `.npy`, or a `.npz` with an array for each part of the value.
//!
//! A scalar or a sequence of scalars is an array, equal rows a matrix. Everything else has several arrays: `lengths` and `elements` of a
//! nested sequence, `0` and `1` of a pair; the names are joined by points, as in `1.lengths`.

use crate::exit_codes::Failure;
use crate::npz::npz;
use nestled_ir::ScalarType;
use nestled_nesl::interp::Value;
use nestled_nesl::types::{Base, Type, TypeId};
use nestled_nesl::{Session, Width};
use nestled_rt::npy::Npy;
use std::path::Path;

/// Writes the last value of an expression.
pub fn write(path: &Path, session: &mut Session) -> Result<(), Failure> {
    let Some((value, ty)) = session.value("it") else {
        return Err(Failure::usage("there is no value to write: no statement was an expression"));
    };
    let value = value.clone();
    let mut arrays = Vec::new();
    let mut writer = Writer { session };
    writer.column(String::new(), &[&value], ty, &mut Vec::new(), &mut arrays).map_err(Failure::usage)?;
    let bytes = match (path.extension().is_some_and(|extension| extension == "npz"), arrays.as_slice()) {
        (true, _) => npz(&arrays),
        (false, [(_, array)]) => array.to_file(),
        (false, _) => {
            let text = "the value has several parts; give the file a name that ends with .npz";
            return Err(Failure::usage(text));
        }
    };
    std::fs::write(path, bytes)
        .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))
}

struct Writer<'s> {
    session: &'s mut Session,
}

impl Writer<'_> {
    /// Adds the arrays of values of one type. `shape` holds the axes outside of them.
    fn column(
        &mut self,
        name: String,
        values: &[&Value],
        ty: TypeId,
        shape: &mut Vec<u64>,
        arrays: &mut Vec<(String, Npy)>,
    ) -> Result<(), String> {
        let parts = self.session.parts_of(ty);
        let under = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") };
        match self.session.type_node(ty) {
            Type::Base(base) => {
                let (elem, bytes) = self.scalars(base, values)?;
                let name = if name.is_empty() { "value".to_owned() } else { name };
                arrays.push((name, Npy { elem, shape: shape.clone(), bytes }));
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
                self.column(under("0"), &left, parts[0], &mut shape.clone(), arrays)?;
                self.column(under("1"), &right, parts[1], shape, arrays)
            }
            Type::Seq(_) => {
                let inner: Vec<&[Value]> = values
                    .iter()
                    .filter_map(|value| if let Value::Seq(seq) = value { Some(seq.as_slice()) } else { None })
                    .collect();
                let elements: Vec<&Value> = inner.iter().copied().flatten().collect();
                let equal = inner.windows(2).all(|pair| pair[0].len() == pair[1].len());
                if let (true, Some(first)) = (equal, inner.first()) {
                    shape.push(first.len() as u64);
                    return self.column(name, &elements, parts[0], shape, arrays);
                }
                let lengths = inner.iter().flat_map(|inner| (inner.len() as i64).to_le_bytes()).collect();
                arrays.push((
                    under("lengths"),
                    Npy { elem: ScalarType::I64, shape: shape.clone(), bytes: lengths },
                ));
                self.column(under("elements"), &elements, parts[0], &mut vec![elements.len() as u64], arrays)
            }
            Type::Record(..) => self.column(name, values, parts[0], shape, arrays),
            _ => Err("a function cannot be written".to_owned()),
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
