//! Broadcast of per-group results to elements, for a batch of sixteen short groups.
//!
//! A sweep that only maps can ignore group boundaries: the elements of neighbouring groups are adjacent in memory and are processed sixteen at a
//! time. Each lane takes the values of its group out of the vector that holds them for all sixteen, by a permutation:
//!
//! ```text
//! sums of the groups        5  0  7  1 …
//! groups of the elements    0  0  0  2  3  3      a byte each, written group by group
//! values in the lanes       5  5  5  7  1  1
//! ```

use super::Unsupported;
use super::control::each;
use super::emit::{llvm_type, memory_suffix, memory_type};
use super::frame::Frame;
use super::function::Function;
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{ScalarType, ValueId};
use nestled_kernel::combinator::level_of;
use nestled_kernel::nest::Nest;
use nestled_kernel::strategy::transpose::SIDE;
use std::collections::{BTreeSet, HashMap};

/// The elements of sixteen groups, none of which has more than sixteen.
pub struct Elements {
    /// The first group.
    first: Name,
    /// The number of the first element.
    base: Name,
    /// Number of elements.
    count: Name,
    /// In memory, a byte for each element: its group's number among the sixteen.
    numbers: Name,
}

impl Elements {
    /// Collects the elements of the groups from `first` on. The bytes written here should be read much later: a load that covers several recent
    /// stores must wait until they reach the cache.
    pub fn new(f: &mut Function<'_, '_>, first: &Name) -> Elements {
        let numbers = f.emit.variable(&format!("[{} x i8]", (SIDE + 1) * SIDE));
        let base = f.first_of(1, 2, first);
        let mut count: Name = "0".into();
        // Each group writes sixteen bytes, and later groups overwrite those that are not its own.
        for number in 0..=SIDE {
            let place = f.emit.define(format_args!("getelementptr inbounds i8, ptr {numbers}, i64 {count}"));
            let (wide, bytes) = (f.emit.wide("i8"), f.emit.splat_literal("i8", &(number % SIDE).to_string()));
            f.emit.line(format_args!("store {wide} {bytes}, ptr {place}, align 1"));
            if number < SIDE {
                let next = f.emit.define(format_args!("add i64 {first}, {}", number + 1));
                let end = f.first_of(1, 2, &next);
                count = f.emit.define(format_args!("sub i64 {end}, {base}"));
            }
        }
        Elements { first: first.clone(), base, count, numbers }
    }

    /// Emits a sweep that only maps. `made` holds the values bound at the groups, one group per lane.
    pub fn map(
        &self,
        f: &mut Function<'_, '_>,
        nest: &Nest,
        sweep: usize,
        made: &HashMap<ValueId, Val>,
        sinks: &mut Sinks,
    ) -> Result<(), Unsupported> {
        let Elements { first, base, count, numbers } = self;
        let sixteen: Vec<(ValueId, Sixteen)> = at_groups(f, nest, sweep)
            .into_iter()
            .map(|bind| {
                let val = match made.get(&bind) {
                    Some(val) => val.clone(),
                    None => {
                        f.emit.first_lane = first.clone();
                        f.load_stored(bind, &Val::linear("0".into(), 1, Depth::Here), &Val::truth(true))
                    }
                };
                (bind, Sixteen::new(f, &val))
            })
            .collect();
        each(f, "0", count, SIDE, &mut |f, at| {
            f.emit.row = f.emit.text.mark();
            let place = f.emit.define(format_args!("getelementptr inbounds i8, ptr {numbers}, i64 {at}"));
            let (bytes, words) = (f.emit.wide("i8"), f.emit.wide("i32"));
            let group = f.emit.define(format_args!("load {bytes}, ptr {place}, align 1"));
            let group = f.emit.define(format_args!("zext {bytes} {group} to {words}"));
            let mut known = HashMap::new();
            for (bind, values) in &sixteen {
                known.insert(*bind, values.pick(f, &group));
            }
            let frame = Frame {
                coordinates: Vec::new(),
                positions: vec![Val::idx(0)],
                base: base.clone(),
                made: known,
            };
            let mask = f.range_mask(at, "0", count, false);
            f.masked((nest, sweep), frame, (at, mask), sinks)
        })
    }
}

/// Returns the per-group values that a sweep reads.
fn at_groups(f: &Function<'_, '_>, nest: &Nest, sweep: usize) -> BTreeSet<ValueId> {
    let steps = nest.in_sweep(sweep);
    let read = steps.flat_map(|step| f.shared.kernel.steps[step].reads().0);
    read.filter(|&bind| level_of(f.shared.kernel, bind, nest.level) == nest.group).collect()
}

/// Sixteen values, one of which is selected by each lane.
enum Sixteen {
    /// In registers.
    Vector(Val),
    /// In memory.
    Memory(ScalarType, Name),
}

impl Sixteen {
    fn new(f: &mut Function<'_, '_>, val: &Val) -> Sixteen {
        let vector = Val::varying(val.ty, f.emit.vector(val));
        if f.emit.target.avx512 && matches!(val.ty.size(), 4 | 8) {
            return Sixteen::Vector(vector);
        }
        let memory = f.emit.wide(memory_type(val.ty));
        let spill = f.emit.variable(&memory);
        f.store_vector(&spill, "0", &vector, &Val::truth(true), false);
        Sixteen::Memory(val.ty, spill)
    }

    /// Selects, in each lane, the value whose number is in `lanes`, a vector of `i32`.
    fn pick(&self, f: &mut Function<'_, '_>, lanes: &str) -> Val {
        match self {
            Sixteen::Vector(val) if val.ty.size() == 4 => permute(f, val, lanes),
            Sixteen::Vector(val) => permute_halves(f, val, lanes),
            Sixteen::Memory(ty, spill) => gather(f, *ty, spill, lanes),
        }
    }
}

/// Permutes values of 32 bits by a single instruction.
fn permute(f: &mut Function<'_, '_>, val: &Val, lanes: &str) -> Val {
    let (wide, words) = (f.emit.vector_type(val.ty), f.emit.wide("i32"));
    let kind = if val.ty == ScalarType::F32 { "sf" } else { "si" };
    let call = format!("@llvm.x86.avx512.permvar.{kind}.512");
    f.emit.declare(format!("declare {wide} {call}({wide}, {words})"));
    let name = f.emit.define(format_args!("call {wide} {call}({wide} {}, {words} {lanes})", val.name));
    Val::varying(val.ty, name)
}

/// Permutes values of 64 bits, which occupy two registers; the instruction selects from both.
fn permute_halves(f: &mut Function<'_, '_>, val: &Val, lanes: &str) -> Val {
    let (half, element) = (SIDE / 2, llvm_type(val.ty));
    let (wide, words, part) =
        (f.emit.vector_type(val.ty), f.emit.wide("i32"), format!("<{half} x {element}>"));
    let order = |from: usize, count: usize| {
        let items: Vec<String> = (from..from + count).map(|lane| format!("i32 {lane}")).collect();
        format!("<{count} x i32> <{}>", items.join(", "))
    };
    let kind = if val.ty == ScalarType::F64 { "pd" } else { "q" };
    let call = format!("@llvm.x86.avx512.vpermi2var.{kind}.512");
    f.emit.declare(format!("declare {part} {call}({part}, <{half} x i64>, {part})"));
    let mut halves = |ty: &str, name: &str| {
        [0, half].map(|from| {
            f.emit.define(format_args!("shufflevector {ty} {name}, {ty} poison, {}", order(from, half)))
        })
    };
    let [low, high] = halves(&wide, &val.name);
    let picked = halves(&words, lanes).map(|lanes| {
        let lanes = f.emit.define(format_args!("zext <{half} x i32> {lanes} to <{half} x i64>"));
        f.emit.define(format_args!("call {part} {call}({part} {low}, <{half} x i64> {lanes}, {part} {high})"))
    });
    let both = order(0, SIDE);
    let name =
        f.emit.define(format_args!("shufflevector {part} {}, {part} {}, {both}", picked[0], picked[1]));
    Val::varying(val.ty, name)
}

/// Selects from memory, by a gather.
fn gather(f: &mut Function<'_, '_>, ty: ScalarType, spill: &str, lanes: &str) -> Val {
    let (element, words, many) = (memory_type(ty), f.emit.wide("i32"), f.emit.wide("ptr"));
    let (wide, truths) = (f.emit.wide(element), f.emit.wide("i1"));
    let at = f.emit.define(format_args!("getelementptr {element}, ptr {spill}, {words} {lanes}"));
    let call = format!("@llvm.masked.gather.v{SIDE}{}.v{SIDE}p0", memory_suffix(ty));
    f.emit.declare(format!("declare {wide} {call}({many}, i32, {truths}, {wide})"));
    let (all, size) = (f.emit.splat_literal("i1", "true"), ty.size());
    let name = f.emit.define(format_args!(
        "call {wide} {call}({many} {at}, i32 {size}, {truths} {all}, {wide} zeroinitializer)"
    ));
    let name = match ty {
        ScalarType::Bool => f.emit.define(format_args!("icmp ne {wide} {name}, zeroinitializer")),
        _ => name,
    };
    Val::varying(ty, name)
}
