//! Columns on the host: vectors of all values of one type of NESL.
//!
//! On the way in values are appended to one vector for each scalar of the type, on the way out they are read at their places: no value is a tree.

use super::dynamic::{NeslColumn, NeslDatum};
use super::{NeslDatatype, NeslType, NeslVariants};
use crate::array::Array;
use crate::error::{Error, Reason, Result};
use crate::ragged::Segments;

/// Values of one type, in vectors.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum HostColumns {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Char(Vec<u8>),
    Bool(Vec<bool>),
    Pair(Box<HostColumns>, Box<HostColumns>),
    /// The places where sequences end, and the elements of all.
    Seq(Vec<usize>, Box<HostColumns>),
    /// The numbers of variants, and as many contents of each variant that has one.
    Data(NeslDatatype, Vec<i64>, Vec<Option<HostColumns>>),
}

impl HostColumns {
    /// No values of a type.
    pub(super) fn new(ty: &NeslType) -> HostColumns {
        match ty {
            NeslType::Int => HostColumns::Int(Vec::new()),
            NeslType::Float => HostColumns::Float(Vec::new()),
            NeslType::Char => HostColumns::Char(Vec::new()),
            NeslType::Bool => HostColumns::Bool(Vec::new()),
            NeslType::Pair(left, right) => {
                HostColumns::Pair(Box::new(HostColumns::new(left)), Box::new(HostColumns::new(right)))
            }
            NeslType::Seq(element) => HostColumns::Seq(Vec::new(), Box::new(HostColumns::new(element))),
            NeslType::Data(datatype) => {
                let contents = datatype.variants.iter().map(|variant| variant.content.as_ref());
                let contents = contents.map(|content| content.map(HostColumns::new)).collect();
                HostColumns::Data(datatype.clone(), Vec::new(), contents)
            }
        }
    }

    fn push_blank(&mut self) {
        match self {
            HostColumns::Int(values) => values.push(0),
            HostColumns::Float(values) => values.push(0.0),
            HostColumns::Char(values) => values.push(0),
            HostColumns::Bool(values) => values.push(false),
            HostColumns::Pair(left, right) => {
                left.push_blank();
                right.push_blank();
            }
            HostColumns::Seq(ends, _) => ends.push(ends.last().copied().unwrap_or(0)),
            HostColumns::Data(_, tags, contents) => {
                tags.push(0);
                contents.iter_mut().flatten().for_each(HostColumns::push_blank);
            }
        }
    }

    /// Appends a value of a variant that holds something; returns where that goes.
    pub fn push_variant(&mut self, own: usize) -> Result<&mut HostColumns> {
        let HostColumns::Data(_, tags, contents) = self else { return unfit_columns() };
        tags.push(own as i64);
        let mut found = None;
        for (place, content) in contents.iter_mut().enumerate() {
            if place == own {
                found = content.as_mut();
            } else if let Some(content) = content {
                content.push_blank();
            }
        }
        found.map_or_else(unfit_columns, Ok)
    }

    /// Appends a value of a variant that holds nothing.
    pub fn push_constant(&mut self, own: usize) -> Result<()> {
        let HostColumns::Data(_, tags, contents) = self else { return unfit_columns() };
        tags.push(own as i64);
        contents.iter_mut().flatten().for_each(HostColumns::push_blank);
        Ok(())
    }

    /// The variant of a value.
    pub fn variant(&self, place: usize) -> Result<usize> {
        let HostColumns::Data(_, tags, _) = self else { return unfit_columns() };
        let own = tags.get(place).and_then(|tag| usize::try_from(*tag).ok());
        own.map_or_else(unfit_columns, Ok)
    }

    /// The contents of a variant.
    pub fn content(&self, own: usize) -> Result<&HostColumns> {
        let HostColumns::Data(_, _, contents) = self else { return unfit_columns() };
        contents.get(own).and_then(Option::as_ref).map_or_else(unfit_columns, Ok)
    }

    /// The parts of pairs.
    pub fn halves(&self) -> Result<(&HostColumns, &HostColumns)> {
        match self {
            HostColumns::Pair(left, right) => Ok((left, right)),
            _ => unfit_columns(),
        }
    }

    /// The parts of pairs, to append to them.
    pub fn halves_mut(&mut self) -> Result<(&mut HostColumns, &mut HostColumns)> {
        match self {
            HostColumns::Pair(left, right) => Ok((left, right)),
            _ => unfit_columns(),
        }
    }

    pub(super) fn column(self) -> NeslColumn {
        match self {
            HostColumns::Int(values) => NeslColumn::Int(Array::from_vec(values)),
            HostColumns::Float(values) => NeslColumn::Float(Array::from_vec(values)),
            HostColumns::Char(values) => NeslColumn::Char(Array::from_vec(values)),
            HostColumns::Bool(values) => NeslColumn::Bool(Array::from_vec(values)),
            HostColumns::Pair(left, right) => {
                NeslColumn::Pair(Box::new(left.column()), Box::new(right.column()))
            }
            HostColumns::Seq(ends, elements) => {
                let starts = std::iter::once(&0).chain(&ends);
                let lengths: Vec<usize> = ends.iter().zip(starts).map(|(end, start)| end - start).collect();
                NeslColumn::Seq(Segments::from_lengths(&lengths), Box::new(elements.column()))
            }
            HostColumns::Data(datatype, tags, contents) => {
                let contents = contents.into_iter().map(|content| content.map(HostColumns::column));
                NeslColumn::Data(NeslVariants::known(&datatype, &Array::from_vec(tags), contents.collect()))
            }
        }
    }

    /// The only value, as a datum.
    pub(super) fn datum(self) -> Option<NeslDatum> {
        Some(match self {
            HostColumns::Int(values) => NeslDatum::Int(*values.first()?),
            HostColumns::Float(values) => NeslDatum::Float(*values.first()?),
            HostColumns::Char(values) => NeslDatum::Char(*values.first()?),
            HostColumns::Bool(values) => NeslDatum::Bool(*values.first()?),
            HostColumns::Pair(left, right) => {
                NeslDatum::Pair(Box::new(left.datum()?), Box::new(right.datum()?))
            }
            HostColumns::Seq(ends, elements) => NeslDatum::Seq(*ends.first()?, elements.column()),
            HostColumns::Data(datatype, tags, mut contents) => {
                let own = usize::try_from(*tags.first()?).ok()?;
                let content = match contents.get_mut(own)?.take() {
                    Some(content) => Some(Box::new(content.datum()?)),
                    None => None,
                };
                NeslDatum::Data(datatype, own, content)
            }
        })
    }

    /// Computes a column, and copies it.
    fn of(column: &NeslColumn) -> Result<HostColumns> {
        let boxed = |column: &NeslColumn| HostColumns::of(column).map(Box::new);
        Ok(match column {
            NeslColumn::Int(array) => HostColumns::Int(array.to_vec()?),
            NeslColumn::Float(array) => HostColumns::Float(array.to_vec()?),
            NeslColumn::Char(array) => HostColumns::Char(array.to_vec()?),
            NeslColumn::Bool(array) => HostColumns::Bool(array.to_vec()?),
            NeslColumn::Pair(left, right) => HostColumns::Pair(boxed(left)?, boxed(right)?),
            NeslColumn::Seq(segments, elements) => {
                let ends = segments.lengths().to_vec()?.into_iter().scan(0, |end, length| {
                    *end += length.max(0) as usize;
                    Some(*end)
                });
                HostColumns::Seq(ends.collect(), boxed(elements)?)
            }
            NeslColumn::Data(values) => {
                let content =
                    |content: &Option<NeslColumn>| content.as_ref().map(HostColumns::of).transpose();
                let contents = values.contents().iter().map(content).collect::<Result<_>>()?;
                HostColumns::Data(values.datatype().clone(), values.tags().to_vec()?, contents)
            }
        })
    }

    /// A datum as the only value.
    pub(super) fn of_datum(datum: &NeslDatum) -> Result<HostColumns> {
        let boxed = |datum: &NeslDatum| HostColumns::of_datum(datum).map(Box::new);
        Ok(match datum {
            NeslDatum::Int(value) => HostColumns::Int(vec![*value]),
            NeslDatum::Float(value) => HostColumns::Float(vec![*value]),
            NeslDatum::Char(value) => HostColumns::Char(vec![*value]),
            NeslDatum::Bool(value) => HostColumns::Bool(vec![*value]),
            NeslDatum::Pair(left, right) => HostColumns::Pair(boxed(left)?, boxed(right)?),
            NeslDatum::Seq(length, elements) => {
                HostColumns::Seq(vec![*length], Box::new(HostColumns::of(elements)?))
            }
            NeslDatum::Data(datatype, own, content) => {
                let mut contents = vec![None; datatype.variants.len()];
                if let (Some(place), Some(content)) = (contents.get_mut(*own), content) {
                    *place = Some(HostColumns::of_datum(content)?);
                }
                HostColumns::Data(datatype.clone(), vec![*own as i64], contents)
            }
        })
    }
}

/// The error of columns that are not those of the type.
#[doc(hidden)]
pub fn unfit_columns<T>() -> Result<T> {
    Err(Error::of("nesl", Reason::Bug("columns are of another type".to_owned())))
}
