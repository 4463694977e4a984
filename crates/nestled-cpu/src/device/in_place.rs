//! In-place updates: finds results that may overwrite an argument, by an analysis of its last readers.
//!
//! ```text
//! kernel k(xs: [n]f32) over n {
//!   s = reduce { i => xs[i] } add       ; a nest before
//!   y = map { i => div xs[i] s }        ; reads each element, and then writes it: `y` may take the place of `xs`
//!   ret y
//! }
//! ```
//!
//! An array may be overwritten if all of its readers are done, or read at each point only the element that is written there. Nests run one after
//! another, so readers in earlier nests are unrestricted. In the nest of the writer, a reader must not come after the writer: neither in a later
//! sweep of the group, nor after it in the same sweep. It must also read at the own coordinates, because W points are computed at a time and other
//! threads are elsewhere. No nest may visit its points twice. Bands recompute rows of others, and two-phase scans recompute the maps that they need,
//! so both are excluded, and so are nests with packed results.
//!
//! A scatter writes at places that other points read, so it overwrites its base only if no reader remains when it writes. Ordered scatters write
//! after their nest, so their own nest may read the base freely; other scatters write while their nest runs. So does a `serial`, which begins with
//! the contents of its bases.

use crate::codegen::Plan;
use nestled_ir::{Combinator, CombinatorKind, Kernel, StmtKind, ValueId};
use nestled_kernel::nest::{At, Nest};
use nestled_kernel::stream::Way;
use nestled_rt::device::InPlace;
use std::collections::HashMap;

/// Returns all pairs of an argument and a result that may overwrite it.
pub(super) fn pairs(plan: &Plan) -> Vec<InPlace> {
    let readers = readers(&plan.kernel);
    let mut pairs = scatters(plan, &readers);
    if plan.bands.is_empty() {
        pairs.extend(at_own_index(plan, &readers));
    }
    pairs
}

/// A combinator that reads an array.
struct Reader {
    step: usize,
    /// Whether it reads only at the own coordinates.
    own: bool,
    /// Whether the array is the base of this scatter or `serial`.
    base: bool,
}

/// Collects the readers of each array, one for each occurrence.
fn readers(kernel: &Kernel) -> HashMap<ValueId, Vec<Reader>> {
    let mut readers: HashMap<ValueId, Vec<Reader>> = HashMap::new();
    for (position, step) in kernel.steps.iter().enumerate() {
        for base in step.kind.bases() {
            readers.entry(base).or_default().push(Reader { step: position, own: false, base: true });
        }
        step.body.body.walk(&mut |stmt| {
            let StmtKind::Read { array, index, .. } = &stmt.kind else { return };
            let own = step.is_own_point(index);
            readers.entry(*array).or_default().push(Reader { step: position, own, base: false });
        });
    }
    readers
}

/// Finds the scatters, and the updates by a `serial`, whose base has no other reader once they write.
fn scatters(plan: &Plan, readers: &HashMap<ValueId, Vec<Reader>>) -> Vec<InPlace> {
    let kernel = &plan.kernel;
    let mut pairs = Vec::new();
    for (position, step) in kernel.steps.iter().enumerate() {
        for (base, bind) in step.kind.bases().iter().zip(&step.binds) {
            let param = kernel.params.iter().position(|param| param == base);
            let result = kernel.ret.iter().position(|result| result == bind);
            let done = readers.get(base).is_some_and(|readers| is_done_by(plan, readers, position));
            if let (Some(param), Some(result), true) = (param, result, done) {
                pairs.push(InPlace { param, result });
            }
        }
    }
    pairs
}

/// True if all readers of an array are done when a scatter into it writes, except for the scatter itself.
fn is_done_by(plan: &Plan, readers: &[Reader], writer: usize) -> bool {
    let is_own = |reader: &Reader| reader.base && reader.step == writer;
    let mut others = readers.iter().filter(|reader| !is_own(reader)).peekable();
    if readers.iter().filter(|reader| is_own(reader)).count() != 1 {
        return false;
    }
    if others.peek().is_none() {
        return true;
    }
    let nest_of =
        |step: usize| plan.nests.iter().position(|nest| nest.nest.items.iter().any(|item| item.step == step));
    let Some(own) = nest_of(writer).filter(|_| plan.bands.is_empty()) else { return false };
    let stream = plan.nests[own].streams.iter().find(|stream| stream.step == writer);
    let after_the_nest = stream.is_some_and(|stream| stream.way == Way::Append);
    others.all(|reader| match nest_of(reader.step) {
        Some(nest) => nest < own || (nest == own && after_the_nest && !reader.base),
        None => false,
    })
}

/// Finds the maps and scans that may overwrite an array that they read at the own index.
fn at_own_index(plan: &Plan, readers: &HashMap<ValueId, Vec<Reader>>) -> Vec<InPlace> {
    let kernel = &plan.kernel;
    let mut places: Vec<Option<(usize, At)>> = vec![None; kernel.steps.len()];
    for (number, nest) in plan.nests.iter().enumerate() {
        nest.nest.items.iter().for_each(|item| places[item.step] = Some((number, item.at)));
    }
    let mut pairs = Vec::new();
    for (result, value) in kernel.ret.iter().enumerate() {
        if kernel.ret[..result].contains(value) {
            continue;
        }
        let Some((writer, step)) = kernel.binder(*value) else { continue };
        let Some((number, At::Element(sweep))) = places[writer] else { continue };
        if !writes_once(kernel, &plan.nests[number].nest, step) {
            continue;
        }
        let is_done = |reader: &Reader| match places[reader.step] {
            Some((earlier, _)) if earlier < number => true,
            Some((same, At::Element(at))) if same == number => {
                reader.own && (at, reader.step) <= (sweep, writer)
            }
            _ => false,
        };
        for (param, array) in kernel.params.iter().enumerate() {
            let done = readers.get(array).is_none_or(|readers| readers.iter().all(is_done));
            if done && kernel.are_alike(*array, *value) {
                pairs.push(InPlace { param, result });
            }
        }
    }
    pairs
}

/// True if each point of the nest is computed once, and the combinator writes its value there.
fn writes_once(kernel: &Kernel, nest: &Nest, step: &Combinator) -> bool {
    let plain = nest.items.iter().all(|item| match kernel.steps[item.step].kind {
        CombinatorKind::Map | CombinatorKind::Reduce { .. } | CombinatorKind::Scan { .. } => true,
        CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => false,
    });
    plain
        && match step.kind {
            CombinatorKind::Map => !nest.chained,
            CombinatorKind::Scan { .. } => true,
            _ => false,
        }
}
