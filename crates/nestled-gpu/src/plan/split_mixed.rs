//! Splits reductions and scans whose components are combined in different orders into two.
//!
//! ```text
//! (s, f) = reduce { i => x, g } (add, affine)        s = reduce { i => x } add
//!                                                    f = reduce { i => g } affine
//! ```
//!
//! λcu prescribes an order for every component by itself, so no bit changes. Both combinators compute the whole thunk; a fault in it is reported as the
//! same fault by both.

use nestled_ir::typing::Scope;
use nestled_ir::{Combinator, CombinatorKind, Kernel, Monoid, MonoidDef, MonoidPart, ScalarType};
use nestled_rt::device::Math;
use std::borrow::Cow;

/// The order in which a component of a scan is combined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ScanOrder {
    /// Any, since it does not show in results, or is left to the device.
    Any,
    /// In vectors, and in blocks of vectors.
    Vectors,
    /// In blocks, point by point.
    Points,
}

impl ScanOrder {
    /// Returns the order of a part of a monoid, whose values have the first ones of these types.
    pub fn of(part: MonoidPart, types: &[ScalarType], monoids: &[MonoidDef], math: Math) -> ScanOrder {
        match part {
            _ if math == Math::FastSums || part.is_exact(types, monoids) => ScanOrder::Any,
            MonoidPart::Op(_) | MonoidPart::ArgMin | MonoidPart::ArgMax => ScanOrder::Vectors,
            MonoidPart::User(_) => ScanOrder::Points,
        }
    }

    /// Returns the orders of all parts of a monoid, whose values have these types.
    pub fn all(monoid: &Monoid, types: &[ScalarType], monoids: &[MonoidDef], math: Math) -> Vec<ScanOrder> {
        let mut first = 0;
        let of = |part: &MonoidPart| {
            let order = ScanOrder::of(*part, &types[first..], monoids, math);
            first += part.width(monoids);
            order
        };
        monoid.parts.iter().map(of).collect()
    }
}

/// Returns the kernel with such reductions and scans split.
pub(super) fn split_mixed<'a>(kernel: &'a Kernel, monoids: &[MonoidDef], math: Math) -> Cow<'a, Kernel> {
    let sides: Vec<Option<Vec<bool>>> =
        kernel.steps.iter().map(|step| sides(kernel, step, monoids, math)).collect();
    if sides.iter().all(Option::is_none) {
        return Cow::Borrowed(kernel);
    }
    let mut split = kernel.clone();
    split.steps.clear();
    for (step, sides) in kernel.steps.iter().zip(&sides) {
        match sides {
            Some(sides) => split.steps.extend([true, false].map(|side| keep(step, sides, side, monoids))),
            None => split.steps.push(step.clone()),
        }
    }
    Cow::Owned(split)
}

/// Returns for each part of a combinator's monoid the combinator to which it goes, if there must be two.
fn sides(kernel: &Kernel, step: &Combinator, monoids: &[MonoidDef], math: Math) -> Option<Vec<bool>> {
    match &step.kind {
        CombinatorKind::Reduce { monoid, .. } => {
            let sides: Vec<bool> = monoid.parts.iter().map(|part| part.is_commutative(monoids)).collect();
            (sides.contains(&true) && sides.contains(&false)).then_some(sides)
        }
        CombinatorKind::Scan { monoid, .. } => {
            let scope = Scope::new(&kernel.values);
            let ty = |&atom| scope.thunk_atom(&step.body, atom);
            let types: Result<Vec<ScalarType>, _> = step.body.body.results.iter().map(ty).collect();
            let types = types.expect("the verifier checks the operands of thunks");
            let orders = ScanOrder::all(monoid, &types, monoids, math);
            let mixed = [ScanOrder::Vectors, ScanOrder::Points].iter().all(|order| orders.contains(order));
            mixed.then(|| orders.into_iter().map(|order| order != ScanOrder::Points).collect())
        }
        CombinatorKind::Map
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => None,
    }
}

/// Keeps only the parts of one side.
fn keep(step: &Combinator, sides: &[bool], side: bool, monoids: &[MonoidDef]) -> Combinator {
    let mut kept = step.clone();
    let (CombinatorKind::Reduce { monoid: Monoid { parts }, .. }
    | CombinatorKind::Scan { monoid: Monoid { parts }, .. }) = &mut kept.kind
    else {
        return kept;
    };
    let stays: Vec<bool> = sides.iter().map(|&of| of == side).collect();
    let values: Vec<bool> =
        parts.iter().zip(&stays).flat_map(|(part, &stays)| vec![stays; part.width(monoids)]).collect();
    retain(parts, &stays);
    retain(&mut kept.binds, &values);
    retain(&mut kept.body.body.results, &values);
    kept
}

fn retain<T>(items: &mut Vec<T>, marks: &[bool]) {
    let mut marks = marks.iter();
    items.retain(|_| marks.next() == Some(&true));
}
