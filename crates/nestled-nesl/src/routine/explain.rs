//! Replay of a fault of a routine: its core is run once more, with the arguments of the call as values.

use super::Plain;
use super::arguments::Represented;
use crate::core::{CoreTypes, Program, Ty};
use crate::data::{Decoder, Forms};
use crate::engine::{Known, Replay, TIME_LIMIT, parts_of};
use crate::fault::FaultCode;
use crate::interp::{Circumstances, Settings, Value};
use crate::session::{Column, Elements, Session};
use crate::typed::GlobalId;
use nestled_ir::value::{Array, Buffer, Value as Given};
use nestled_ir::{Scalar, SourceMap, Span};
use std::collections::HashMap;

/// The program and the inputs to replay a routine by the interpreter of the core.
#[derive(Debug)]
pub(super) struct Explainer {
    core: Program,
    types: CoreTypes,
    /// The variables that it uses.
    values: HashMap<GlobalId, Value>,
    explained: Explained,
    settings: Settings,
    sources: SourceMap,
}

/// The arguments and pools of a routine.
#[derive(Debug)]
pub(super) struct Explained {
    /// The globals that stand for the arguments, with their types.
    pub arguments: Vec<(GlobalId, Represented)>,
    /// The pools.
    pub pools: Vec<Represented>,
    /// The representation of datatypes.
    pub forms: Forms,
}

impl Session {
    /// Makes the explainer of a routine over these globals, some of which are arguments.
    pub(super) fn explainer(
        &self,
        core: Program,
        globals: &[(GlobalId, Ty)],
        explained: Explained,
    ) -> Explainer {
        let values = globals.iter().filter_map(|(id, _)| Some((*id, self.value_of(*id)?.clone()))).collect();
        let settings = Settings { dialect: self.dialect(), arg_check: self.arg_check, limits: self.limits };
        let (types, sources) = (self.core_types().clone(), self.sources.clone());
        Explainer { core, types, values, explained, settings, sources }
    }
}

impl Explainer {
    /// Returns the circumstances of a fault.
    pub fn why(&self, fault: (FaultCode, Span), extents: &[u64], args: &[Given]) -> Circumstances {
        let Some(values) = self.values(extents, args) else { return Circumstances::default() };
        let (core, types, settings) = (&self.core, &self.types, self.settings);
        let again = Replay { core, types, values: &values, settings, patience: TIME_LIMIT };
        let mut why = again.why(fault, &|| false);
        // The call itself is not the program's.
        let own = self.sources.len() as u32 - 1;
        why.calls.retain(|called| called.place.source != own);
        why.in_words(&self.sources)
    }

    /// Returns the values of the variables and the arguments.
    fn values(&self, extents: &[u64], args: &[Given]) -> Option<HashMap<GlobalId, Value>> {
        let mut values = self.values.clone();
        let Explained { arguments, pools, forms } = &self.explained;
        let mut pieces = Pieces { extents: extents.iter(), args: args.iter() };
        let mut value = |plain: &Plain, ty: Ty| {
            let column = pieces.column(plain, None)?;
            column.check().ok().filter(|count| *count == 1)?;
            let parts = parts_of(column, self.settings.dialect);
            Some(Known::default().take(ty, &self.types, &mut parts.as_slice()))
        };
        let given = arguments.iter().map(|(_, argument)| value(&argument.by_plain, argument.by));
        let given: Vec<Value> = given.collect::<Option<_>>()?;
        let nodes = pools.iter().map(|pool| value(&pool.by_plain, pool.by));
        let mut decoder = Decoder::new(forms, &self.types, nodes.collect::<Option<_>>()?);
        for ((id, argument), value) in arguments.iter().zip(&given) {
            values.insert(*id, decoder.value(value, argument.ty));
        }
        Some(values)
    }
}

/// The extents and arguments of a call that are not yet consumed.
struct Pieces<'g> {
    extents: std::slice::Iter<'g, u64>,
    args: std::slice::Iter<'g, Given>,
}

impl Pieces<'_> {
    /// Takes the next value of this type; inside of sequences, `within` of them.
    fn column(&mut self, plain: &Plain, within: Option<usize>) -> Option<Column> {
        Some(match plain {
            Plain::Seq(element) => {
                let lengths = match within {
                    None => None,
                    Some(_) => Some(numbers(self.args.next()?)?),
                };
                let total = usize::try_from(*self.extents.next()?).ok()?;
                let elements = Box::new(self.column(element, Some(total))?);
                Column::Rows { lengths: lengths.unwrap_or_else(|| vec![total]), elements }
            }
            Plain::Pair(left, right) => {
                let left = self.column(left, within)?;
                Column::Pairs(Box::new(left), Box::new(self.column(right, within)?))
            }
            Plain::Data(_) | Plain::Outer(_) => return None,
            Plain::Int | Plain::Float | Plain::Char | Plain::Bool => {
                let elements = elements(plain, self.args.next()?)?;
                Column::Elements { count: within.unwrap_or(1), shape: Vec::new(), elements }
            }
        })
    }
}

/// Converts an array of lengths.
fn numbers(given: &Given) -> Option<Vec<usize>> {
    let Elements::Ints(lengths) = elements(&Plain::Int, given)? else { return None };
    lengths.into_iter().map(|length| usize::try_from(length).ok()).collect()
}

/// Converts the elements of an array.
fn elements(plain: &Plain, given: &Given) -> Option<Elements> {
    let scalars: Vec<Scalar> = match given {
        Given::Array(Array { starts: None, data, .. }) => return elements_of(plain, data),
        other => vec![other.as_scalar()?],
    };
    elements_of(plain, &Buffer::from_scalars(scalars[0].ty(), &scalars))
}

fn elements_of(plain: &Plain, data: &Buffer) -> Option<Elements> {
    Some(match (plain, data) {
        (Plain::Int, Buffer::I64(all) | Buffer::Idx(all)) => Elements::Ints(all.clone()),
        (Plain::Int, Buffer::I32(all)) => Elements::Ints(all.iter().map(|value| i64::from(*value)).collect()),
        (Plain::Float, Buffer::F64(all)) => Elements::Floats(all.clone()),
        (Plain::Float, Buffer::F32(all)) => {
            Elements::Floats(all.iter().map(|value| f64::from(*value)).collect())
        }
        (Plain::Char, Buffer::U8(all)) => Elements::Chars(all.clone()),
        (Plain::Bool, Buffer::Bool(all)) => Elements::Bools(all.clone()),
        _ => return None,
    })
}
