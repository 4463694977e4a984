//! Translation of datatypes with variants: from the core that has them to one that the flattener takes, which has numbers, pairs and pools.
//!
//! A datatype that does not hold itself is the number of the variant and the contents of all variants, of which all but one are zeros. A datatype that may hold
//! itself is a *link*: the number of the variant, and the position of the content in the *pool* of that variant, a sequence for the whole program. Pools only
//! grow, so a link is good for ever; nodes that are held by several others are there once.
//!
//! ```text
//! datatype shape = circle(float) | rect(float, float) | point     circle(2.0)   (0, 2.0, (0.0, 0.0))
//! datatype list = nil | cons(int, list)                           cons(7, nil)  (1, 4)    pool of cons: …, (7, (0, 0))
//! ```
//!
//! At the top level values are trees. For each statement those that it uses are laid into pools (`encode.rs`), and what it gives is made a tree again
//! (`decode.rs`); `structure.rs` goes through what is around them.

mod decode;
mod encode;
mod form;
mod program;
mod structure;

pub(crate) use decode::Decoder;
pub(crate) use encode::Encoder;
pub(crate) use form::Forms;

use crate::core::{CoreType, CoreTypes, Pools, Program, Ty};
use crate::typed::GlobalId;
use std::collections::HashMap;

/// A program without datatypes, and how their values are represented.
#[derive(Debug)]
pub(crate) struct Translated {
    pub program: Program,
    /// The types of the values of the top level that the program uses, as they are represented.
    pub values: HashMap<GlobalId, Ty>,
    pub forms: Forms,
    /// The types of the pools.
    pub pool_types: Vec<Ty>,
}

/// Translates a program; none if it has no datatypes with variants.
pub(crate) fn translate(
    program: &Program,
    types: &mut CoreTypes,
    values: &HashMap<GlobalId, Ty>,
) -> Option<Translated> {
    let mut locals = program.functions.iter().flat_map(|function| &function.locals);
    if !locals.any(|ty| types.is_nominal(*ty)) {
        return None;
    }
    let mut forms = Forms::default();
    let used = program::globals(program);
    let represented: HashMap<GlobalId, Ty> =
        used.iter().map(|id| (*id, forms.of(types, values[id]))).collect();
    let mut translated = program::translated(program, types, &mut forms);
    let result = program.functions[program.main.0 as usize].result;
    translated.pools = Pools {
        elements: forms.pools(),
        given: used.iter().any(|id| forms.has_links(types, values[id])),
        wanted: forms.has_links(types, result),
    };
    let pools = translated.pools.elements.iter();
    let pool_types = pools.map(|element| types.number(CoreType::Seq(*element))).collect();
    Some(Translated { program: translated, values: represented, forms, pool_types })
}
