//! Radix sort and ranking as launches of the [library](super::library): keys are encoded as unsigned codes, codes and places are partitioned digit by
//! digit, and at the end all arrays are gathered from the resulting places. Launches that sort internally use it, too.
//!
//! ```text
//! a few keys, or rows that short    each is compared with the others of its row: one launch
//! few rows                          digits of four bits, every row by itself
//! many rows                         digits of the keys, then of the numbers of the rows: nothing is counted row by row
//! ```
//!
//! Each key takes a code and a place, both twice, and a rank: 20 bytes, and 4 more for codes of 64 bits or numbers of rows. Where the machine
//! supports it, digits have eight bits, and [`sweep`](super::sweep) moves keys together with their payload.

use super::keys::{Keys, Owner, Space, Temporary};
use super::library::{Name, Text};
use super::machine::Machine;
use super::single_pass_sort::{Coding, Swept, With};
use super::work::Work;
use super::{State, bug};
use crate::code::Module;
use nestled_ir::{Order, Scalar, ScalarType};
use nestled_rt::device::{Arg, DeviceError, Extent, Launch, Native, NativeKind, ShapeArg, Slice};

/// Bits of a digit, and the number of its classes.
const DIGIT: u32 = 4;
const CLASSES: u64 = 1 << DIGIT;
/// Rows count as many if they have fewer keys on average.
const LONG: u64 = 256;

/// Codes to sort by; only the last `bits` bits are significant.
#[derive(Clone, Copy)]
struct Codes {
    slice: Slice,
    bits: u32,
}

/// The result of a sort.
#[derive(Clone, Copy)]
struct Sorted {
    /// For each sorted point, the place that it comes from.
    places: Slice,
    /// The sorted codes, if there was one for each key.
    codes: Slice,
}

impl<M: Machine> State<M> {
    /// Sorts or ranks on the machine; false if it could not.
    pub(super) fn sort_launch(&mut self, native: &Native) -> Result<bool, DeviceError> {
        let mut temporary = Temporary::default();
        let done = self.sorted(native, &mut temporary);
        self.end_sort(temporary);
        match done {
            // The host needs less memory.
            Err(DeviceError::OutOfMemory { .. }) => Ok(false),
            done => done,
        }
    }

    fn end_sort(&mut self, temporary: Temporary) {
        for slice in temporary.0 {
            self.memory.free(slice.buffer);
        }
    }

    /// Runs a launch that sorts internally; false if there was not enough memory.
    pub(super) fn run_sorting(
        &mut self,
        launch: &Launch<'_>,
        module: &Module,
        code: &M::Code,
        work: &mut Work,
    ) -> Result<bool, DeviceError> {
        let mut temporary = Temporary::default();
        let done = self.run_parts(launch, module, code, work, &mut temporary);
        self.end_sort(temporary);
        match done {
            Err(DeviceError::OutOfMemory { .. }) => Ok(false),
            done => done,
        }
    }

    fn run_parts(
        &mut self,
        launch: &Launch<'_>,
        module: &Module,
        code: &M::Code,
        Work { sizes, block, scratch, .. }: &mut Work,
        temporary: &mut Temporary,
    ) -> Result<bool, DeviceError> {
        let owner = Owner { region: launch.region, least_site: launch.least_site };
        let language = self.memory.dialect().language;
        let dispatches = std::mem::take(&mut block.dispatches);
        let mut begin = 0;
        for sorting in &module.sorts {
            let len = sizes.level(sorting.level);
            block.words[sorting.keys as usize + 2] = u32::try_from(len).map_err(|_| bug("so many keys"))?;
            let part = dispatches.iter().filter(|dispatch| (begin..sorting.after).contains(&dispatch.entry));
            block.dispatches = part.copied().collect();
            self.memory.run(code, block)?;
            block.ones.clear();
            begin = sorting.after;
            if len == 0 {
                continue;
            }
            let keys = scratch.get_mut(module.layout.scratch_at(sorting.keys)).and_then(Option::take);
            let slice = self.memory.adopt(keys.ok_or_else(|| bug("keys nowhere"))?, ScalarType::U32, len);
            temporary.0.push(slice);
            let most = launch.results[sorting.result].len;
            let codes = Codes { slice, bits: u64::BITS - most.leading_zeros() };
            let Some(sorted) = self.in_order(owner, &[codes], Space::flat(len), temporary)? else {
                return Ok(false);
            };
            block.reads(language, sorting.keys, self.memory.place(sorted.codes)?);
            block.reads(language, sorting.places, self.memory.place(sorted.places)?);
        }
        block.dispatches = dispatches.into_iter().filter(|dispatch| dispatch.entry >= begin).collect();
        self.memory.run(code, block)?;
        Ok(true)
    }

    fn sorted(&mut self, native: &Native, temporary: &mut Temporary) -> Result<bool, DeviceError> {
        let owner = Owner { region: native.region, least_site: native.least_site };
        match native.kind {
            NativeKind::Sort { elem, keys, sorted, ref payload, rows, order } => {
                let of = Keys { elem, keys, rows, order };
                if self.sweeps_at_once(&of) {
                    return self.sort_swept(owner, &of, sorted, payload, temporary);
                }
                let Some(places) = self.places(owner, of, temporary)? else { return Ok(false) };
                let parts = std::iter::once((elem, keys, sorted)).chain(payload.iter().copied());
                self.gather_all(owner, parts, places)
            }
            NativeKind::Rank { elem, keys, ranks, rows, order } => {
                let keys = Keys { elem, keys, rows, order };
                let Some(places) = self.places(owner, keys, temporary)? else { return Ok(false) };
                let mut shapes = keys.space().shapes.to_vec();
                shapes.push(ShapeArg::Extent(Extent::known(ranks.len)));
                self.step(owner, name("ranks"), &shapes, &[Arg::Dense(places)], &[ranks])
            }
            _ => Ok(false),
        }
    }

    /// Gathers elements from places, for each part: type, source and destination.
    pub(super) fn gather_all(
        &mut self,
        owner: Owner,
        parts: impl Iterator<Item = (ScalarType, Slice, Slice)>,
        places: Slice,
    ) -> Result<bool, DeviceError> {
        for (elem, from, to) in parts {
            if !self.gather(owner, elem, from, Slice { len: to.len, ..places }, to)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn gather(
        &mut self,
        owner: Owner,
        elem: ScalarType,
        from: Slice,
        places: Slice,
        to: Slice,
    ) -> Result<bool, DeviceError> {
        let shapes = [from.len, to.len].map(|len| ShapeArg::Extent(Extent::known(len)));
        let args = [Arg::Dense(from), Arg::Dense(places)];
        self.step(owner, (Text::Gather, "gather", elem), &shapes, &args, &[to])
    }

    /// Returns, for each point of the sorted rows, the place that it comes from.
    fn places(
        &mut self,
        owner: Owner,
        keys: Keys,
        temporary: &mut Temporary,
    ) -> Result<Option<Slice>, DeviceError> {
        if self.sweeps_at_once(&keys) {
            return self.places_swept(owner, &keys, temporary);
        }
        let len = keys.keys.len;
        let mut codes = Vec::new();
        for _ in 0..keys.bits().div_ceil(32) {
            let slice = self.temporary(ScalarType::U32, len, temporary)?;
            codes.push(Codes { slice, bits: keys.bits().min(32) });
        }
        let last = if keys.order == Order::Descending { u32::MAX } else { 0 };
        let flat = [ShapeArg::Extent(Extent::known(len))];
        let args = [Arg::Dense(keys.keys), Arg::Scalar(Scalar::U32(last))];
        let slices: Vec<Slice> = codes.iter().map(|codes| codes.slice).collect();
        if !self.step(owner, name(keys.codes()), &flat, &args, &slices)? {
            return Ok(None);
        }
        let mut space = keys.space();
        let many = self.sweeps() || space.rows.saturating_mul(LONG) > len;
        if !space.compares() && space.rows > 1 && many {
            let Some(numbers) = self.row_numbers(owner, &space, temporary)? else { return Ok(None) };
            // Points outside of all rows have all bits set, and come last.
            codes.push(Codes { slice: numbers, bits: u64::BITS - space.rows.leading_zeros() });
            space = Space::flat(len);
        }
        Ok(self.in_order(owner, &codes, space, temporary)?.map(|sorted| sorted.places))
    }

    /// Returns the row of each point; all bits are set for points outside of all rows.
    pub(super) fn row_numbers(
        &mut self,
        owner: Owner,
        space: &Space,
        temporary: &mut Temporary,
    ) -> Result<Option<Slice>, DeviceError> {
        let numbers = self.temporary(ScalarType::U32, space.len, temporary)?;
        let [count, rows] = space.shapes;
        let shapes = [count, rows, ShapeArg::Extent(Extent::known(space.len))];
        Ok(self.step(owner, name("rows"), &shapes, &[], &[numbers])?.then_some(numbers))
    }

    pub(super) fn temporary(
        &mut self,
        elem: ScalarType,
        len: u64,
        temporary: &mut Temporary,
    ) -> Result<Slice, DeviceError> {
        let slice = Slice { buffer: self.memory.allocate(elem, len)?, offset: 0, len };
        temporary.0.push(slice);
        Ok(slice)
    }

    /// Sorts each row by codes, the last of which are the most significant. Overwrites their buffers.
    fn in_order(
        &mut self,
        owner: Owner,
        codes: &[Codes],
        space: Space,
        temporary: &mut Temporary,
    ) -> Result<Option<Sorted>, DeviceError> {
        let len = space.len;
        let mut now = self.temporary(ScalarType::I32, len, temporary)?;
        let mut free = self.temporary(ScalarType::U32, len, temporary)?;
        let mut from = codes[0].slice;
        if space.compares() {
            let args: Vec<Arg> = codes.iter().map(|codes| Arg::Dense(codes.slice)).collect();
            let (kernel, results) = match codes {
                [_] => ("compare", vec![free, now]),
                [_, _] => ("compare_two", vec![now]),
                _ => return Err(bug("so many codes")),
            };
            let done = self.step(owner, name(kernel), &space.shapes, &args, &results)?;
            return Ok(done.then_some(Sorted { places: now, codes: free }));
        }
        let mut next = self.temporary(ScalarType::I32, len, temporary)?;
        if self.sweeps() {
            for (half, of) in codes.iter().enumerate() {
                let (keys, with) = match half {
                    0 => (of.slice, With::Numbers(now)),
                    _ if !self.gather(owner, ScalarType::U32, of.slice, now, free)? => return Ok(None),
                    _ => (free, With::Words(now, next)),
                };
                let sorted = (codes.len() == 1).then_some(free);
                self.sweep(
                    &Swept { keys, coding: Coding::plain(of.bits), rows: None, sorted, with },
                    &space,
                )?;
                if half > 0 {
                    std::mem::swap(&mut now, &mut next);
                }
            }
            return Ok(Some(Sorted { places: now, codes: free }));
        }
        let flat = [ShapeArg::Extent(Extent::known(len))];
        if !self.step(owner, name("places"), &flat, &[], &[now])? {
            return Ok(None);
        }
        let starts = self.temporary(ScalarType::Idx, space.rows * CLASSES + 1, temporary)?;
        for (half, of) in codes.iter().enumerate() {
            if half > 0 {
                if !self.gather(owner, ScalarType::U32, of.slice, now, free)? {
                    return Ok(None);
                }
                std::mem::swap(&mut from, &mut free);
            }
            for shift in (0..of.bits).step_by(DIGIT as usize) {
                let args = [Arg::Dense(from), Arg::Dense(now), Arg::Scalar(Scalar::U32(shift))];
                if !self.step(owner, name("pass"), &space.shapes, &args, &[starts, free, next])? {
                    return Ok(None);
                }
                std::mem::swap(&mut from, &mut free);
                std::mem::swap(&mut now, &mut next);
            }
        }
        Ok(Some(Sorted { places: now, codes: from }))
    }

    fn step(
        &mut self,
        owner: Owner,
        kernel: Name,
        shapes: &[ShapeArg],
        args: &[Arg],
        results: &[Slice],
    ) -> Result<bool, DeviceError> {
        let kernel = self.library_kernel(kernel)?;
        let Owner { region, least_site } = owner;
        self.launch(&Launch { kernel, shapes, args, results, region, least_site }, None)
    }
}

/// Returns the name of a kernel of the sorting text.
fn name(kernel: &'static str) -> Name {
    (Text::Sort, kernel, ScalarType::U32)
}
