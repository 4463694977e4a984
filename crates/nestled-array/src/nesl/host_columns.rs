//! Columns on the host: vectors of all values of one type of NESL.
//!
//! On the way in values are appended to one vector for each scalar of the type, on the way out they are read at their places: no value is a tree.

use super::dynamic::{NeslColumn, NeslDatum};
use super::{NeslDatatype, NeslType, NeslVariants};
use crate::array::Array;
use crate::error::{Error, Reason, Result};
use crate::ragged::Segments;
use std::collections::VecDeque;

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
    /// The numbers of variants, and places in their pools: values of a datatype that holds itself.
    Nodes(NeslDatatype, Vec<i64>, Vec<i64>),
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
            NeslType::Data(datatype) if datatype.holds_itself() => {
                HostColumns::Nodes(datatype.clone(), Vec::new(), Vec::new())
            }
            NeslType::Data(datatype) => {
                let contents = datatype.variants.iter().map(|variant| variant.content.as_ref());
                let contents = contents.map(|content| content.map(HostColumns::new)).collect();
                HostColumns::Data(placed_contents(datatype), Vec::new(), contents)
            }
            NeslType::Outer(_) => unreachable!("a datatype that holds itself is around"),
        }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            HostColumns::Int(values) | HostColumns::Nodes(_, values, _) | HostColumns::Data(_, values, _) => {
                values.len()
            }
            HostColumns::Float(values) => values.len(),
            HostColumns::Char(values) => values.len(),
            HostColumns::Bool(values) => values.len(),
            HostColumns::Pair(left, _) => left.len(),
            HostColumns::Seq(ends, _) => ends.len(),
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
            HostColumns::Nodes(_, tags, places) => {
                tags.push(0);
                places.push(0);
            }
        }
    }

    /// Appends a value of a variant that holds something; `push` appends that to columns.
    pub fn push_variant<'a>(
        &mut self,
        own: usize,
        pools: &mut GivenPools<'a>,
        push: impl FnOnce(&mut HostColumns, &mut GivenPools<'a>) -> Result<()> + 'a,
    ) -> Result<()> {
        let (tags, contents) = match self {
            HostColumns::Data(_, tags, contents) => (tags, contents),
            HostColumns::Nodes(datatype, tags, places) => {
                let Some(Some(pool)) = datatype.pools.get(own) else { return unfit_columns() };
                tags.push(own as i64);
                places.push(pools.place(*pool, push)?);
                return Ok(());
            }
            _ => return unfit_columns(),
        };
        tags.push(own as i64);
        let mut found = None;
        for (place, content) in contents.iter_mut().enumerate() {
            if place == own {
                found = content.as_mut();
            } else if let Some(content) = content {
                content.push_blank();
            }
        }
        found.map_or_else(unfit_columns, |content| push(content, pools))
    }

    /// Appends a value of a variant that holds nothing.
    pub fn push_constant(&mut self, own: usize) -> Result<()> {
        match self {
            HostColumns::Data(_, tags, contents) => {
                tags.push(own as i64);
                contents.iter_mut().flatten().for_each(HostColumns::push_blank);
            }
            HostColumns::Nodes(_, tags, places) => {
                tags.push(own as i64);
                places.push(0);
            }
            _ => return unfit_columns(),
        }
        Ok(())
    }

    /// The datatype of the values.
    pub(super) fn datatype(&self) -> Result<&NeslDatatype> {
        match self {
            HostColumns::Data(datatype, ..) | HostColumns::Nodes(datatype, ..) => Ok(datatype),
            _ => unfit_columns(),
        }
    }

    /// The variant of a value.
    pub(super) fn variant(&self, place: usize) -> Result<usize> {
        let (HostColumns::Data(_, tags, _) | HostColumns::Nodes(_, tags, _)) = self else {
            return unfit_columns();
        };
        let own = tags.get(place).and_then(|tag| usize::try_from(*tag).ok());
        own.map_or_else(unfit_columns, Ok)
    }

    /// The pool and the place of a value of this variant, if it is a node.
    pub(super) fn node(&self, own: usize, place: usize) -> Result<Option<(usize, usize)>> {
        let HostColumns::Nodes(datatype, _, places) = self else { return Ok(None) };
        let Some(pool) = datatype.pools.get(own) else { return unfit_columns() };
        let place = places.get(place).and_then(|place| usize::try_from(*place).ok());
        place.map_or_else(unfit_columns, |place| Ok(pool.map(|pool| (pool, place))))
    }

    /// The contents of a variant, unless it is a constant or the values are nodes.
    pub(super) fn content(&self, own: usize) -> Result<Option<&HostColumns>> {
        match self {
            HostColumns::Data(_, _, contents) => {
                contents.get(own).map_or_else(unfit_columns, |content| Ok(content.as_ref()))
            }
            HostColumns::Nodes(..) => Ok(None),
            _ => unfit_columns(),
        }
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
            HostColumns::Nodes(datatype, tags, places) => {
                let places = NeslColumn::Int(Array::from_vec(places));
                match datatype.variants.len() {
                    1 => places,
                    _ => NeslColumn::Pair(Box::new(NeslColumn::Int(Array::from_vec(tags))), Box::new(places)),
                }
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
            HostColumns::Nodes(datatype, tags, places) => {
                let place = NeslDatum::Int(*places.first()?);
                match datatype.variants.len() {
                    1 => place,
                    _ => NeslDatum::Pair(Box::new(NeslDatum::Int(*tags.first()?)), Box::new(place)),
                }
            }
        })
    }

    /// Computes a column of values of a type, and copies it.
    fn of(column: &NeslColumn, ty: &NeslType) -> Result<HostColumns> {
        let boxed = |column: &NeslColumn, ty| HostColumns::of(column, ty).map(Box::new);
        Ok(match (column, ty) {
            (NeslColumn::Pair(tags, places), NeslType::Data(datatype)) => {
                match (HostColumns::of(tags, &NeslType::Int)?, HostColumns::of(places, &NeslType::Int)?) {
                    (HostColumns::Int(tags), HostColumns::Int(places)) => {
                        HostColumns::Nodes(datatype.clone(), tags, places)
                    }
                    _ => return unfit_columns(),
                }
            }
            (NeslColumn::Int(places), NeslType::Data(datatype)) => {
                let places = places.to_vec()?;
                HostColumns::Nodes(datatype.clone(), vec![0; places.len()], places)
            }
            (NeslColumn::Int(array), NeslType::Int) => HostColumns::Int(array.to_vec()?),
            (NeslColumn::Float(array), NeslType::Float) => HostColumns::Float(array.to_vec()?),
            (NeslColumn::Char(array), NeslType::Char) => HostColumns::Char(array.to_vec()?),
            (NeslColumn::Bool(array), NeslType::Bool) => HostColumns::Bool(array.to_vec()?),
            (NeslColumn::Pair(left, right), NeslType::Pair(first, second)) => {
                HostColumns::Pair(boxed(left, first)?, boxed(right, second)?)
            }
            (NeslColumn::Seq(segments, elements), NeslType::Seq(element)) => {
                let ends = segments.lengths().to_vec()?.into_iter().scan(0, |end, length| {
                    *end += length.max(0) as usize;
                    Some(*end)
                });
                HostColumns::Seq(ends.collect(), boxed(elements, element)?)
            }
            (NeslColumn::Data(values), NeslType::Data(datatype)) => {
                let contents = values.contents().iter().zip(&datatype.variants);
                let contents = contents.map(|(content, variant)| {
                    let both = content.as_ref().zip(variant.content.as_ref());
                    both.map(|(content, ty)| HostColumns::of(content, ty)).transpose()
                });
                let contents = contents.collect::<Result<_>>()?;
                HostColumns::Data(datatype.clone(), values.tags().to_vec()?, contents)
            }
            _ => return unfit_columns(),
        })
    }

    /// A datum of a type as the only value.
    pub(super) fn of_datum(datum: &NeslDatum, ty: &NeslType) -> Result<HostColumns> {
        let boxed = |datum: &NeslDatum, ty| HostColumns::of_datum(datum, ty).map(Box::new);
        Ok(match (datum, ty) {
            (NeslDatum::Pair(tag, place), NeslType::Data(datatype)) => match (&**tag, &**place) {
                (NeslDatum::Int(tag), NeslDatum::Int(place)) => {
                    HostColumns::Nodes(datatype.clone(), vec![*tag], vec![*place])
                }
                _ => return unfit_columns(),
            },
            (NeslDatum::Int(place), NeslType::Data(datatype)) => {
                HostColumns::Nodes(datatype.clone(), vec![0], vec![*place])
            }
            (NeslDatum::Int(value), NeslType::Int) => HostColumns::Int(vec![*value]),
            (NeslDatum::Float(value), NeslType::Float) => HostColumns::Float(vec![*value]),
            (NeslDatum::Char(value), NeslType::Char) => HostColumns::Char(vec![*value]),
            (NeslDatum::Bool(value), NeslType::Bool) => HostColumns::Bool(vec![*value]),
            (NeslDatum::Pair(left, right), NeslType::Pair(first, second)) => {
                HostColumns::Pair(boxed(left, first)?, boxed(right, second)?)
            }
            (NeslDatum::Seq(length, elements), NeslType::Seq(element)) => {
                HostColumns::Seq(vec![*length], Box::new(HostColumns::of(elements, element)?))
            }
            (NeslDatum::Data(_, own, content), NeslType::Data(datatype)) => {
                let mut contents = vec![None; datatype.variants.len()];
                let held = datatype.variants.get(*own).and_then(|variant| variant.content.as_ref());
                if let (Some(place), Some(content), Some(ty)) = (contents.get_mut(*own), content, held) {
                    *place = Some(HostColumns::of_datum(content, ty)?);
                }
                HostColumns::Data(datatype.clone(), vec![*own as i64], contents)
            }
            _ => return unfit_columns(),
        })
    }
}

/// A type, where the places of nodes stand for them.
pub(super) fn placed(ty: &NeslType) -> NeslType {
    match ty {
        NeslType::Seq(element) => NeslType::Seq(Box::new(placed(element))),
        NeslType::Pair(left, right) => NeslType::Pair(Box::new(placed(left)), Box::new(placed(right))),
        NeslType::Data(datatype) if datatype.holds_itself() => match datatype.variants.len() {
            1 => NeslType::Int,
            _ => NeslType::Pair(Box::new(NeslType::Int), Box::new(NeslType::Int)),
        },
        NeslType::Data(datatype) => NeslType::Data(placed_contents(datatype)),
        other => other.clone(),
    }
}

/// A datatype that does not hold itself, where the places of nodes stand for those that it holds.
fn placed_contents(datatype: &NeslDatatype) -> NeslDatatype {
    let mut datatype = datatype.clone();
    let contents = datatype.variants.iter_mut().filter_map(|variant| variant.content.as_mut());
    contents.filter(|content| content.holds_itself()).for_each(|content| *content = placed(content));
    datatype
}

/// Appends the content of a node to columns.
type Push<'a> = Box<dyn FnOnce(&mut HostColumns, &mut GivenPools<'a>) -> Result<()> + 'a>;

/// The pools that a call takes.
#[doc(hidden)]
pub struct GivenPools<'a> {
    /// The contents of the nodes of each pool; none while they are appended to.
    contents: Vec<Option<HostColumns>>,
    /// Number of places that nodes have got, for each pool.
    counts: Vec<i64>,
    pending: VecDeque<(usize, Push<'a>)>,
}

impl<'a> GivenPools<'a> {
    pub(super) fn new(pools: &[NeslType]) -> GivenPools<'a> {
        let contents = pools.iter().map(|pool| match pool {
            NeslType::Seq(content) => Some(HostColumns::new(content)),
            _ => None,
        });
        GivenPools { contents: contents.collect(), counts: vec![0; pools.len()], pending: VecDeque::new() }
    }

    /// Gives a node the next place of a pool; what it holds is appended later.
    fn place(
        &mut self,
        pool: usize,
        push: impl FnOnce(&mut HostColumns, &mut GivenPools<'a>) -> Result<()> + 'a,
    ) -> Result<i64> {
        let Some(count) = self.counts.get_mut(pool) else { return unfit_columns() };
        let place = *count;
        *count += 1;
        self.pending.push_back((pool, Box::new(push)));
        Ok(place)
    }

    /// Appends what the nodes hold that have got places; returns for each pool the number of nodes, and what they hold.
    pub(super) fn columns(mut self) -> Result<Vec<(usize, NeslColumn)>> {
        while let Some((pool, push)) = self.pending.pop_front() {
            let Some(mut content) = self.contents[pool].take() else { return unfit_columns() };
            push(&mut content, &mut self)?;
            self.contents[pool] = Some(content);
        }
        let contents = self.contents.into_iter().zip(self.counts);
        let column =
            |content: Option<HostColumns>| content.map_or_else(unfit_columns, |all| Ok(all.column()));
        contents.map(|(content, count)| Ok((count as usize, column(content)?))).collect()
    }
}

/// The error of columns that are not those of the type.
#[doc(hidden)]
pub fn unfit_columns<T>() -> Result<T> {
    Err(Error::of("nesl", Reason::Bug("columns are of another type".to_owned())))
}
