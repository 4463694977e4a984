//! Packed rows: one vector whose lanes lie in several short rows.
//!
//! One vector per row is slow where rows have one or two points. But the points of neighbouring rows are adjacent in memory, so a vector may extend
//! into the next rows. Each lane then has coordinates of its own, and values that are uniform within a row are gathered. A bit set of row starts
//! gives the row of each lane, by a population count over the lanes up to it:
//!
//! ```text
//! points   10 11 12 13 14 15       offsets behind row 3's: 11, 14, 15
//! bits      0  1  0  0  1  1
//! row       3  4  4  4  5  6       3 + number of bits up to here
//! ```
//!
//! Empty rows set no bit. If a vector meets one, each lane counts the offsets that are not above it instead, all lanes at once, as bits of comparisons of bytes.

use super::Unsupported;
use super::emit::suffix;
use super::function::Function;
use super::launch_table::Slot;
use super::loops::{Row, Walk};
use super::point::{Point, StepRef};
use super::sinks::Sinks;
use super::text::{Label, Name};
use super::value::{Depth, Val};
use super::visit::{Phase, Visit};
use nestled_ir::ScalarType;
use nestled_kernel::strategy::pack::LANES;

/// The row at the current position of a walk.
pub struct PackRow<'n> {
    /// The position, and where the row ends.
    pub position: &'n Name,
    pub row_end: &'n Name,
    /// The row.
    pub row: &'n Row,
    /// Its number.
    pub number: &'n Name,
}

/// Emits a packed vector: if the row ends within a vector, the vector extends into the next rows; `at` is set past it, and the walk continues at
/// `head`.
pub fn write(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    here: &PackRow<'_>,
    (at, head): (&Name, Label),
    sinks: &mut Sinks,
) -> Result<(), Unsupported> {
    let level = walk.nest.level;
    let StepRef::Offsets(offsets) = f.captures.space[level - 1].step.clone() else {
        unreachable!("rows are segments")
    };
    let (look, together, alone) = (f.emit.label(), f.emit.label(), f.emit.label());
    let position = here.position.clone();
    let past = f.emit.define(format_args!("add i64 {position}, {LANES}"));
    let short = f.emit.define(format_args!("icmp slt i64 {}, {past}", here.row_end));
    let more = f.emit.define(format_args!("icmp slt i64 {}, {}", here.row_end, walk.to));
    let both = f.emit.define(format_args!("and i1 {short}, {more}"));
    f.emit.branch(&both, look, alone);

    f.emit.text.begin(look);
    let bits = bits(f, walk, &offsets, here);
    let behind = behind(f, &bits, (together, alone));
    f.emit.text.begin(together);
    let last = f.emit.define(format_args!("zext i32 {} to i64", bits.rows));
    let last = f.emit.define(format_args!("add i64 {}, {last}", here.number));
    // Behind all rows there is none.
    let end = f.emit.define(format_args!("sub i64 {}, 1", bits.count));
    let last = f.least(&last, &end);
    f.begin_search_at(level - 1, &last);
    f.emit.row = f.emit.text.mark();
    let (coordinates, positions) = lanes(f, walk, here, (&bits.set, &behind));
    let mask = f.range_mask(&position, "0", &walk.to, false);
    f.emit.first_lane = position;
    let point = Point { coordinates, positions, mask, own: Default::default() };
    let visit = Visit { point, assumed: None, streaming: false, phase: Phase::Main };
    f.sweep_steps(walk.nest, walk.sweep, visit, &walk.frame.made, sinks)?;
    f.set(at, &past);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(alone);
    Ok(())
}

/// The set of lanes that begin a row.
struct Bits {
    /// An `i32` with a bit for each lane, lowest lane first.
    set: Name,
    /// Number of bits that are set.
    places: Name,
    /// Number of rows that begin in the vector; equal to `places` if none of them is empty.
    rows: Name,
    /// For each of the next rows the lane at which it begins, as a byte; 255 if that is behind the vector.
    begins: Name,
    /// Number of all rows.
    count: Name,
}

/// Computes for each lane how many rows begin up to it, and goes to the first label; if more rows may begin in the vector than there are lanes, it goes to the second.
fn behind(f: &mut Function<'_, '_>, bits: &Bits, (together, alone): (Label, Label)) -> Name {
    let narrow = f.emit.wide("i32");
    let made = f.emit.variable(&narrow);
    let (apart, crowded, counted) = (f.emit.label(), f.emit.label(), f.emit.label());
    let alike = f.emit.define(format_args!("icmp eq i32 {}, {}", bits.rows, bits.places));
    f.emit.branch(&alike, apart, crowded);

    f.emit.text.begin(apart);
    let before = before(f, &bits.set);
    let count = format!("@llvm.ctpop.v{LANES}i32");
    f.emit.declare(format!("declare {narrow} {count}({narrow})"));
    let behind = f.emit.define(format_args!("call {narrow} {count}({narrow} {before})"));
    f.emit.line(format_args!("store {narrow} {behind}, ptr {made}"));
    f.emit.line(format_args!("br label %{together}"));

    f.emit.text.begin(crowded);
    let few = f.emit.define(format_args!("icmp slt i32 {}, {LANES}", bits.rows));
    f.emit.branch(&few, counted, alone);

    f.emit.text.begin(counted);
    let behind = counted_begins(f, &bits.begins);
    f.emit.line(format_args!("store {narrow} {behind}, ptr {made}"));
    f.emit.line(format_args!("br label %{together}"));
    made
}

/// Counts for each lane the begins that are not above it: compares each of them with each lane.
fn counted_begins(f: &mut Function<'_, '_>, begins: &str) -> Name {
    let (own, shorts, narrow) = (f.emit.wide("i8"), f.emit.wide("i16"), f.emit.wide("i32"));
    let pairs = LANES * LANES;
    let listed = |ty: &str, value: &dyn Fn(usize) -> usize| {
        let all: Vec<String> = (0..pairs).map(|pair| format!("{ty} {}", value(pair))).collect();
        format!("<{}>", all.join(", "))
    };
    let (places, lanes) = (listed("i32", &|pair| pair % LANES), listed("i8", &|pair| pair / LANES));
    let each =
        f.emit.define(format_args!("shufflevector {own} {begins}, {own} poison, <{pairs} x i32> {places}"));
    let begun = f.emit.define(format_args!("icmp ule <{pairs} x i8> {each}, {lanes}"));
    let begun = f.emit.define(format_args!("bitcast <{pairs} x i1> {begun} to {shorts}"));
    let count = format!("@llvm.ctpop.v{LANES}i16");
    f.emit.declare(format!("declare {shorts} {count}({shorts})"));
    let count = f.emit.define(format_args!("call {shorts} {count}({shorts} {begun})"));
    f.emit.define(format_args!("zext {shorts} {count} to {narrow}"))
}

/// For each lane the bits up to it.
fn before(f: &mut Function<'_, '_>, set: &str) -> Name {
    let narrow = f.emit.wide("i32");
    let upto: Vec<String> = (0..LANES).map(|lane| format!("i32 {}", (2u64 << lane) - 1)).collect();
    let set = f.emit.splat(Depth::Here, "i32", set);
    f.emit.define(format_args!("and {narrow} {set}, <{}>", upto.join(", ")))
}

fn bits(f: &mut Function<'_, '_>, walk: &Walk<'_>, offsets: &str, here: &PackRow<'_>) -> Bits {
    let (wide, narrow, truths) = (f.emit.wide("i64"), f.emit.wide("i32"), f.emit.wide("i1"));
    // The offsets of the next rows, as far as there are any.
    let count = f.number(Slot::Points(walk.nest.level - 1), ScalarType::Idx);
    let count = f.emit.scalar(&count);
    let there = f.range_mask(here.number, "0", &count, false);
    let there = f.emit.vector(&there);
    let next = f.emit.define(format_args!("add i64 {}, 1", here.number));
    let place = f.emit.define(format_args!("getelementptr i64, ptr {offsets}, i64 {next}"));
    let load = format!("@llvm.masked.load.v{LANES}{}.p0", suffix(ScalarType::I64));
    f.emit.declare(format!("declare {wide} {load}(ptr, i32, {truths}, {wide})"));
    let never = f.emit.splat_literal("i64", &i64::MAX.to_string());
    let begin = f
        .emit
        .define(format_args!("call {wide} {load}(ptr {place}, i32 8, {truths} {there}, {wide} {never})"));
    let element = f.emit.define(format_args!("add i64 {}, {}", walk.frame.base, here.position));
    let element = f.emit.splat(Depth::Here, "i64", &element);
    let lane = f.emit.define(format_args!("sub {wide} {begin}, {element}"));
    let all = f.emit.splat_literal("i64", &LANES.to_string());
    let within = f.emit.define(format_args!("icmp slt {wide} {lane}, {all}"));
    let lane = f.emit.define(format_args!("trunc {wide} {lane} to {narrow}"));
    let behind = f.emit.splat_literal("i32", "255");
    let begins = f.emit.define(format_args!("select {truths} {within}, {narrow} {lane}, {narrow} {behind}"));
    let bytes = f.emit.wide("i8");
    let begins = f.emit.define(format_args!("trunc {narrow} {begins} to {bytes}"));
    let zero = "zeroinitializer";
    let lane = f.emit.define(format_args!("select {truths} {within}, {narrow} {lane}, {narrow} {zero}"));
    let one = f.emit.splat_literal("i32", "1");
    let bit = f.emit.define(format_args!("shl {narrow} {one}, {lane}"));
    let bit = f.emit.define(format_args!("select {truths} {within}, {narrow} {bit}, {narrow} {zero}"));
    let or = format!("@llvm.vector.reduce.or.v{LANES}i32");
    f.emit.declare(format!("declare i32 {or}({narrow})"));
    let set = f.emit.define(format_args!("call i32 {or}({narrow} {bit})"));
    f.emit.declare("declare i32 @llvm.ctpop.i32(i32)");
    let places = f.emit.define(format_args!("call i32 @llvm.ctpop.i32(i32 {set})"));
    let begun = f.emit.define(format_args!("bitcast {truths} {within} to i{LANES}"));
    let begun = f.emit.define(format_args!("zext i{LANES} {begun} to i32"));
    let rows = f.emit.define(format_args!("call i32 @llvm.ctpop.i32(i32 {begun})"));
    Bits { set, places, rows, begins, count }
}

/// Computes the coordinates of all lanes, and the numbers of the points that contain them.
fn lanes(
    f: &mut Function<'_, '_>,
    walk: &Walk<'_>,
    here: &PackRow<'_>,
    (set, behind): (&Name, &Name),
) -> (Vec<Val>, Vec<Val>) {
    let level = walk.nest.level;
    let narrow = f.emit.wide("i32");
    let before = before(f, set);
    let behind = f.emit.define(format_args!("load {narrow}, ptr {behind}"));
    // The distance of a lane from the beginning of its row, if that is in the vector.
    let zeros = format!("@llvm.ctlz.v{LANES}i32");
    f.emit.declare(format!("declare {narrow} {zeros}({narrow}, i1)"));
    let above = f.emit.define(format_args!("call {narrow} {zeros}({narrow} {before}, i1 false)"));
    let ramp: Vec<String> = (0..LANES as i64).map(|lane| format!("i32 {}", lane - 31)).collect();
    let ramp = format!("<{}>", ramp.join(", "));
    let behind_begin = f.emit.define(format_args!("add {narrow} {above}, {ramp}"));
    let [behind, behind_begin] = [behind, behind_begin].map(|name| widened(f, name));

    let element = element(f);
    let wide = f.emit.wide(element);
    let first = splat(f, here.number);
    let mut number = f.emit.define(format_args!("add {wide} {first}, {behind}"));
    let into = f.emit.define(format_args!("sub i64 {}, {}", here.position, here.row.offset));
    let (into, ramp) = (splat(f, &into), f.emit.ramp_literal(element, 1));
    let into = f.emit.define(format_args!("add {wide} {into}, {ramp}"));
    let (truths, zero) = (f.emit.wide("i1"), "zeroinitializer");
    let begins = f.emit.define(format_args!("icmp ne {narrow} {before}, {zero}"));
    let last = f.emit.define(format_args!("select {truths} {begins}, {wide} {behind_begin}, {wide} {into}"));

    let mut coordinates = vec![coordinate(f, &last, level - 1)];
    let mut positions = vec![Val::linear(walk.frame.base.clone(), 1, Depth::Row)];
    for axis in (0..level - 1).rev() {
        positions.push(position(f, &number));
        let mut own = number.clone();
        if let (StepRef::Extent(extent), true) = (f.captures.space[axis].step.clone(), axis > 0) {
            let extent = f.emit.scalar(&extent);
            let extent = splat(f, &extent);
            let parent = f.emit.define(format_args!("udiv {wide} {number}, {extent}"));
            let begin = f.emit.define(format_args!("mul {wide} {parent}, {extent}"));
            own = f.emit.define(format_args!("sub {wide} {number}, {begin}"));
            number = parent;
        }
        coordinates.push(coordinate(f, &own, axis));
    }
    positions.push(Val::idx(0));
    coordinates.reverse();
    positions.reverse();
    (coordinates, positions)
}

/// Returns the element type of indices.
fn element(f: &Function<'_, '_>) -> &'static str {
    if f.shared.wide { "i64" } else { "i32" }
}

/// Broadcasts an `i64` to all lanes, as an index.
fn splat(f: &mut Function<'_, '_>, name: &Name) -> Name {
    let element = element(f);
    let name = match element {
        "i64" => name.clone(),
        _ => f.emit.define(format_args!("trunc i64 {name} to {element}")),
    };
    f.emit.splat(Depth::Here, element, &name)
}

/// Converts numbers of 32 bits to indices.
fn widened(f: &mut Function<'_, '_>, name: Name) -> Name {
    if !f.shared.wide {
        return name;
    }
    let (narrow, wide) = (f.emit.wide("i32"), f.emit.wide("i64"));
    f.emit.define(format_args!("sext {narrow} {name} to {wide}"))
}

fn position(f: &Function<'_, '_>, name: &Name) -> Val {
    match f.shared.wide {
        true => Val::varying(ScalarType::Idx, name.clone()),
        false => Val::narrow(name.clone()),
    }
}

fn coordinate(f: &Function<'_, '_>, name: &Name, axis: usize) -> Val {
    let mut val = position(f, name);
    val.coordinate = Some(axis);
    val
}
