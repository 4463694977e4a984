//! Stream compaction: results that leave a nest packed or scattered. Unless a scatter needs no order, the points that take part are appended, in
//! order, to the buffer of the piece. When the pieces are done, the driver knows their counts and moves the points to their final places.

use super::compress::compress;
use super::emit::Emit;
use super::function::Function;
use super::text::Name;
use super::value::Val;
use super::work::offset;
use nestled_ir::reduction_order::LANES;
use nestled_ir::{Direction, Scalar, ScalarType};
use nestled_kernel::stream::{Stream, Way};

/// Streams during emission: variables with the number of points, and the buffers.
#[derive(Clone, Debug)]
pub struct Writers {
    /// The streams.
    pub streams: Vec<Stream>,
    counts: Vec<Name>,
    buffers: Vec<Vec<Name>>,
}

impl Writers {
    /// Loads the addresses of the buffers at the entry; counts start with 0.
    pub fn new(f: &mut Function<'_, '_>, streams: Vec<Stream>) -> Writers {
        let (mut counts, mut buffers) = (Vec::new(), Vec::new());
        if streams.is_empty() {
            return Writers { streams, counts, buffers };
        }
        let table = field(&mut f.emit, "ptr", offset::STREAMS);
        let mut buffer = 0;
        for stream in &streams {
            let count = f.emit.variable("i64");
            let entry = f.emit.entry;
            f.emit.text.line(entry, format_args!("store i64 0, ptr {count}"));
            counts.push(count);
            let mut list = Vec::new();
            for _ in 0..stream.pointers() {
                let place = f
                    .emit
                    .text
                    .define(entry, format_args!("getelementptr inbounds ptr, ptr {table}, i64 {buffer}"));
                list.push(f.emit.text.define(entry, format_args!("load ptr, ptr {place}")));
                buffer += 1;
            }
            buffers.push(list);
        }
        Writers { streams, counts, buffers }
    }

    /// Appends, or scatters, the results of a combinator's thunk, in the lanes of the mask; `number` is the number of the point.
    pub fn append(&self, f: &mut Function<'_, '_>, step: usize, values: &[Val], number: &Val, mask: &Val) {
        let Some(position) = self.streams.iter().position(|stream| stream.step == step) else { return };
        let way = self.streams[position].way;
        if way != Way::Append {
            return f.scatter(step, way, &self.buffers[position], values, number, mask);
        }
        let numbered = self.streams[position].numbered.then(|| number.clone());
        let values = values.iter().chain(&numbered);
        if mask.uniform_depth().is_some() && number.uniform_depth().is_some() {
            return self.append_point(f, position, values, mask);
        }
        let all: Vec<Val> = values.chain([mask]).cloned().collect();
        f.by_lanes(LANES, Direction::Forward, &all, |f, _, part| {
            let (mask, values) = part.split_last().expect("the mask is last");
            self.append_lanes(f, position, values, mask);
        });
    }

    fn append_lanes(&self, f: &mut Function<'_, '_>, position: usize, values: &[Val], mask: &Val) {
        let count = f.get(&self.counts[position]);
        for (val, buffer) in values.iter().zip(self.buffers[position].clone()) {
            compress(f, &buffer, &count, val, mask);
        }
        let more: Name = if mask.is(Scalar::Bool(true)) {
            f.emit.lanes.to_string().into()
        } else {
            let (bits, lanes) = (f.emit.bits(mask), f.emit.lanes);
            f.emit.declare(format!("declare i{lanes} @llvm.ctpop.i{lanes}(i{lanes})"));
            let ones = f.emit.define(format_args!("call i{lanes} @llvm.ctpop.i{lanes}(i{lanes} {bits})"));
            f.emit.define(format_args!("zext i{lanes} {ones} to i64"))
        };
        let count = f.emit.define(format_args!("add i64 {count}, {more}"));
        f.set(&self.counts[position], &count);
    }

    fn append_point<'v>(
        &self,
        f: &mut Function<'_, '_>,
        position: usize,
        values: impl Iterator<Item = &'v Val>,
        mask: &Val,
    ) {
        let count = f.get(&self.counts[position]);
        // Stored unconditionally: the buffer has room for one more point.
        for (val, buffer) in values.zip(self.buffers[position].clone()) {
            let name = f.emit.scalar(val);
            f.store(&buffer, val.ty, &count, &name);
        }
        let holds = f.emit.scalar(mask);
        let one = f.emit.define(format_args!("zext i1 {holds} to i64"));
        let count = f.emit.define(format_args!("add i64 {count}, {one}"));
        f.set(&self.counts[position], &count);
    }

    /// Records the end of a group in each stream that tells groups apart: cell `group · n + position` of the state, where n is the number of streams.
    pub fn end_group(&self, f: &mut Function<'_, '_>, group: &str) {
        if !self.streams.iter().any(|stream| stream.grouped) {
            return;
        }
        let state = field(&mut f.emit, "ptr", offset::STATE);
        let from = field(&mut f.emit, "i64", offset::FROM);
        let own = f.emit.define(format_args!("sub i64 {group}, {from}"));
        let n = self.streams.len();
        let first = f.emit.define(format_args!("mul i64 {own}, {n}"));
        for (position, variable) in self.counts.clone().iter().enumerate() {
            let at = f.emit.define(format_args!("add i64 {first}, {position}"));
            let count = f.get(variable);
            f.store(&state, ScalarType::I64, &at, &count);
        }
    }

    /// Writes the counts, at the end of the piece.
    pub fn finish(&self, f: &mut Function<'_, '_>) {
        if self.streams.is_empty() {
            return;
        }
        let counts = field(&mut f.emit, "ptr", offset::COUNTS);
        for (position, variable) in self.counts.clone().iter().enumerate() {
            let count = f.get(variable);
            f.store(&counts, ScalarType::I64, &position.to_string(), &count);
        }
    }
}

/// Loads a field of the work at the entry.
pub fn field(emit: &mut Emit<'_>, ty: &str, at: usize) -> Name {
    let entry = emit.entry;
    let place = emit.text.define(entry, format_args!("getelementptr inbounds i8, ptr %work, i64 {at}"));
    emit.text.define(entry, format_args!("load {ty}, ptr {place}, align 8"))
}
