//! Completion of combining scatters after all pieces are done: merges the pieces' tables, and combines appended points into the destination in order.

use super::function::{Function, Shared};
use super::nest::FunctionText;
use super::stream::field;
use super::text::Name;
use super::value::{Depth, Val};
use super::work::offset;
use nestled_ir::{Collision, CombinatorKind, Kernel, ScalarType};
use nestled_kernel::combinator::result_types;
use nestled_kernel::stream::table_parts;

/// Loads the pointers of the table at [`Work::streams`](super::work::Work::streams) at the entry.
fn pointers(f: &mut Function<'_, '_>, count: usize) -> Vec<Name> {
    let table = field(&mut f.emit, "ptr", offset::STREAMS);
    let load = |at: usize| {
        let place =
            f.emit.define_at(Depth::Entry, format_args!("getelementptr inbounds ptr, ptr {table}, i64 {at}"));
        f.emit.define_at(Depth::Entry, format_args!("load ptr, ptr {place}"))
    };
    (0..count).map(load).collect()
}

fn finish(mut f: Function<'_, '_>, name: String) -> FunctionText {
    f.emit.line("ret void");
    let (declarations, privates) = (f.emit.declarations, f.privates.arrays);
    let body = f.emit.text.finish();
    let text = format!("define void @\"{name}\"(ptr noalias %slots, ptr noalias %work) #0 {{\n{body}}}\n");
    FunctionText { name, text, declarations, privates }
}

/// Emits the function that merges tables: `into = into ∘ table` for the places `from..to` of a scatter. Pointers: the destination's components, then
/// the table's.
pub fn merge_function(shared: &mut Shared<'_>, step: usize) -> Option<FunctionText> {
    let parts = table_parts(shared.program, shared.kernel, step)?;
    let mut f = Function::new(shared, 16);
    let (from, to) = (field(&mut f.emit, "i64", offset::FROM), field(&mut f.emit, "i64", offset::TO));
    let pointers = pointers(&mut f, 2 * parts.len());
    let (into, tables) = pointers.split_at(parts.len());
    let at = f.emit.variable("i64");
    f.set(&at, &from);
    let (head, body, done) = (f.emit.label(), f.emit.label(), f.emit.label());
    f.emit.fall_into(head);
    let j = f.get(&at);
    let more = f.emit.define(format_args!("icmp slt i64 {j}, {to}"));
    f.emit.branch(&more, body, done);
    f.emit.text.begin(body);
    let mask = f.range_mask(&j, &from, &to, false);
    for ((part, ty), (into, table)) in parts.into_iter().zip(into.iter().zip(tables)) {
        let held = f.load_vector(into, ty, &j, &mask);
        let comes = f.load_vector(table, ty, &j, &mask);
        let sum = f.combine(part, &[held], &[comes]);
        f.store_vector(into, &j, &sum[0], &mask, false);
    }
    let lanes = f.emit.lanes;
    let next = f.emit.define(format_args!("add i64 {j}, {lanes}"));
    f.set(&at, &next);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(done);
    Some(finish(f, format!("merge.{step}")))
}

/// True if a scatter combines values with those of the destination; without tables, [`apply_function`] does that in order.
pub fn applies(kernel: &Kernel, step: usize) -> bool {
    matches!(&kernel.steps[step].kind, CombinatorKind::Permute { collision: Collision::Combine(_), .. })
}

/// Emits the function that combines the points of a stream into their places, in order, for places in `from..to`.
/// [`Work::counts`](super::work::Work::counts) has the number of points. Pointers: the places of the points, the destination's components, then the
/// points'.
pub fn apply_function(shared: &mut Shared<'_>, step: usize) -> Option<FunctionText> {
    let combinator = &shared.kernel.steps[step];
    let CombinatorKind::Permute { collision: Collision::Combine(monoid), .. } = &combinator.kind else {
        return None;
    };
    let types = result_types(shared.kernel, combinator);
    let types: Vec<ScalarType> = types[types.len() - combinator.binds.len()..].to_vec();
    let mut f = Function::new(shared, 16);
    let at = offset::PRIVATES;
    let entry = f.emit.entry;
    f.emit.text.line(entry, format_args!("%privates.at = getelementptr inbounds i8, ptr %work, i64 {at}"));
    f.emit.text.line(entry, format_args!("%privates = load ptr, ptr %privates.at, align 8"));
    let (from, to) = (field(&mut f.emit, "i64", offset::FROM), field(&mut f.emit, "i64", offset::TO));
    let counts = field(&mut f.emit, "ptr", offset::COUNTS);
    let count = f.load(Depth::Entry, &counts, ScalarType::I64, "0").name;
    let pointers = pointers(&mut f, 1 + 2 * types.len());
    let (into, comes) = pointers[1..].split_at(types.len());
    let length = f.emit.define_at(Depth::Entry, format_args!("sub i64 {to}, {from}"));
    let number = f.emit.variable("i64");
    f.set(&number, "0");
    let (head, body, take, next, done) =
        (f.emit.label(), f.emit.label(), f.emit.label(), f.emit.label(), f.emit.label());
    f.emit.fall_into(head);
    let at = f.get(&number);
    let more = f.emit.define(format_args!("icmp slt i64 {at}, {count}"));
    f.emit.branch(&more, body, done);
    f.emit.text.begin(body);
    let place = f.load(Depth::Here, &pointers[0], ScalarType::I64, &at).name;
    let off = f.emit.define(format_args!("sub i64 {place}, {from}"));
    let inside = f.emit.define(format_args!("icmp ult i64 {off}, {length}"));
    f.emit.branch(&inside, take, next);
    f.emit.text.begin(take);
    f.emit.row = f.emit.text.mark();
    let mut first = 0;
    for &part in &monoid.parts {
        let range = first..first + part.width(&f.shared.program.monoids);
        first = range.end;
        let held: Vec<Val> =
            range.clone().map(|at| f.load(Depth::Here, &into[at], types[at], &place)).collect();
        let own: Vec<Val> = range
            .clone()
            .map(|component| f.load(Depth::Here, &comes[component], types[component], &at))
            .collect();
        let sum = f.combine(part, &held, &own);
        for (component, val) in range.zip(sum) {
            let name = f.emit.scalar(&val);
            f.store(&into[component], types[component], &place, &name);
        }
    }
    f.emit.fall_into(next);
    let after = f.emit.define(format_args!("add i64 {at}, 1"));
    f.set(&number, &after);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(done);
    Some(finish(f, format!("apply.{step}")))
}
