//! Values that nobody looks at, of a type: what a function takes for the variants that are not there.

use super::{NeslType, Piece};
use crate::array::Array;

/// The pieces of some value of a type.
pub(super) fn blank(ty: &NeslType, into: &mut Vec<Piece>) {
    match ty {
        NeslType::Int => into.push(Piece::scalar(0i64)),
        NeslType::Float => into.push(Piece::scalar(0f64)),
        NeslType::Char => into.push(Piece::scalar(0u8)),
        NeslType::Bool => into.push(Piece::scalar(false)),
        NeslType::Seq(element) => {
            into.push(Piece::extent(0));
            no_elements(element, into);
        }
        NeslType::Pair(left, right) => {
            blank(left, into);
            blank(right, into);
        }
        NeslType::Data(datatype) => {
            into.push(Piece::scalar(0i64));
            datatype
                .variants
                .iter()
                .filter_map(|variant| variant.content.as_ref())
                .for_each(|ty| blank(ty, into));
        }
        NeslType::Outer(_) => unreachable!("what holds itself is no datum"),
    }
}

/// The pieces of no element.
fn no_elements(ty: &NeslType, into: &mut Vec<Piece>) {
    match ty {
        NeslType::Int => into.push(Piece::node(&Array::<i64>::zeros(&[0]))),
        NeslType::Float => into.push(Piece::node(&Array::<f64>::zeros(&[0]))),
        NeslType::Char => into.push(Piece::node(&Array::<u8>::zeros(&[0]))),
        NeslType::Bool => into.push(Piece::node(&Array::<bool>::from_vec(Vec::new()))),
        NeslType::Seq(element) => {
            into.push(Piece::node(&Array::<i64>::zeros(&[0])));
            into.push(Piece::extent(0));
            no_elements(element, into);
        }
        NeslType::Pair(left, right) => {
            no_elements(left, into);
            no_elements(right, into);
        }
        NeslType::Data(datatype) => {
            into.push(Piece::node(&Array::<i64>::zeros(&[0])));
            let contents = datatype.variants.iter().filter_map(|variant| variant.content.as_ref());
            contents.for_each(|ty| no_elements(ty, into));
        }
        NeslType::Outer(_) => unreachable!("what holds itself is no datum"),
    }
}
