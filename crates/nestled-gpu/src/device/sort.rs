//! Sorting and ranking as launches of the [library](super::library): keys become codes, codes and places are partitioned digit by digit, and at the end
//! everything is fetched from the places that came out.

use super::State;
use super::library::{Name, Text};
use super::machine::Machine;
use nestled_ir::{Order, Scalar, ScalarType};
use nestled_rt::device::{Arg, DeviceError, Extent, Launch, Native, NativeKind, Rows, ShapeArg, Slice};

/// The bits of a digit, and how many classes those make.
const DIGIT: u32 = 4;
const CLASSES: u64 = 1 << DIGIT;

/// What a sort or a ranking works on.
#[derive(Clone, Copy)]
struct Keys {
    elem: ScalarType,
    keys: Slice,
    rows: Rows,
    order: Order,
}

impl Keys {
    /// The bits that tell keys apart.
    fn bits(&self) -> u32 {
        match self.elem {
            ScalarType::Bool => 1,
            elem => 8 * elem.size() as u32,
        }
    }

    fn codes(&self) -> &'static str {
        match self.elem {
            ScalarType::Bool => "codes_bool",
            ScalarType::U8 => "codes_u8",
            ScalarType::U32 => "codes_u32",
            ScalarType::I32 => "codes_i32",
            ScalarType::F32 => "codes_f32",
            ScalarType::I64 => "codes_i64",
            ScalarType::Idx => "codes_idx",
            ScalarType::F64 => "codes_f64",
            ScalarType::F16 => unreachable!("the verifier lets nobody sort these"),
        }
    }

    /// The shape arguments of a kernel over rows, and how many rows there are at most.
    fn space(&self) -> (Vec<ShapeArg>, u64) {
        match self.rows {
            Rows::Regular { count, length } => {
                (vec![ShapeArg::Extent(count), ShapeArg::Regular { length }], count.bound)
            }
            Rows::Offsets(offsets) => {
                let total = Extent { bound: self.keys.len, exact: Some(offsets.last()) };
                let count = Extent::known(offsets.len - 1);
                (vec![ShapeArg::Extent(count), ShapeArg::Offsets { offsets, total }], count.bound)
            }
        }
    }
}

/// Buffers that go when a sort is done.
#[derive(Default)]
struct Temporary(Vec<Slice>);

impl<M: Machine> State<M> {
    /// Sorts or ranks on the machine; answers whether it could.
    pub(super) fn sort_launch(&mut self, native: &Native) -> Result<bool, DeviceError> {
        let mut temporary = Temporary::default();
        let done = self.sorted(native, &mut temporary);
        for slice in temporary.0 {
            self.memory.free(slice.buffer);
        }
        match done {
            // On the host it takes less.
            Err(DeviceError::OutOfMemory { .. }) => Ok(false),
            done => done,
        }
    }

    fn sorted(&mut self, native: &Native, temporary: &mut Temporary) -> Result<bool, DeviceError> {
        match native.kind {
            NativeKind::Sort { elem, keys, sorted, ref payload, rows, order } => {
                let Some(places) = self.places(native, Keys { elem, keys, rows, order }, temporary)? else {
                    return Ok(false);
                };
                let parts = std::iter::once((elem, keys, sorted)).chain(payload.iter().copied());
                for (elem, from, to) in parts {
                    let shapes = [from.len, to.len].map(|len| ShapeArg::Extent(Extent::known(len)));
                    let places = Slice { len: to.len, ..places };
                    let args = [Arg::Dense(from), Arg::Dense(places)];
                    if !self.step(native, (Text::Gather, "gather", elem), &shapes, &args, &[to])? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            NativeKind::Rank { elem, keys, ranks, rows, order } => {
                let keys = Keys { elem, keys, rows, order };
                let Some(places) = self.places(native, keys, temporary)? else { return Ok(false) };
                let mut shapes = keys.space().0;
                shapes.push(ShapeArg::Extent(Extent::known(ranks.len)));
                self.step(native, name("ranks"), &shapes, &[Arg::Dense(places)], &[ranks])
            }
            _ => Ok(false),
        }
    }

    /// Where each point of the sorted rows comes from.
    fn places(
        &mut self,
        native: &Native,
        keys: Keys,
        temporary: &mut Temporary,
    ) -> Result<Option<Slice>, DeviceError> {
        let len = keys.keys.len;
        let mut slice = |state: &mut Self, elem, len| -> Result<Slice, DeviceError> {
            let slice = Slice { buffer: state.memory.allocate(elem, len)?, offset: 0, len };
            temporary.0.push(slice);
            Ok(slice)
        };
        let halves = keys.bits().div_ceil(32).max(1);
        let mut codes = Vec::new();
        for _ in 0..halves {
            codes.push(slice(self, ScalarType::U32, len)?);
        }
        let mut places = [(); 2].map(|()| slice(self, ScalarType::I32, len));
        let [Ok(now), Ok(next)] = &mut places else {
            return Err(places.into_iter().find_map(Result::err).expect("one of them failed"));
        };
        let last = if keys.order == Order::Descending { u32::MAX } else { 0 };
        let flat = [ShapeArg::Extent(Extent::known(len))];
        let args = [Arg::Dense(keys.keys), Arg::Scalar(Scalar::U32(last))];
        if !self.step(native, name(keys.codes()), &flat, &args, &codes)?
            || !self.step(native, name("places"), &flat, &[], &[*now])?
        {
            return Ok(None);
        }
        let (space, rows) = keys.space();
        let starts = slice(self, ScalarType::Idx, rows * CLASSES + 1)?;
        let mut code = [slice(self, ScalarType::U32, len)?, slice(self, ScalarType::U32, len)?];
        for (half, &of) in codes.iter().enumerate() {
            let mut from = of;
            if half > 0 {
                let shapes = [flat[0], flat[0]];
                let args = [Arg::Dense(of), Arg::Dense(*now)];
                if !self.step(
                    native,
                    (Text::Gather, "gather", ScalarType::U32),
                    &shapes,
                    &args,
                    &[code[0]],
                )? {
                    return Ok(None);
                }
                from = code[0];
                code.swap(0, 1);
            }
            for shift in (0..keys.bits().min(32)).step_by(DIGIT as usize) {
                let args = [Arg::Dense(from), Arg::Dense(*now), Arg::Scalar(Scalar::U32(shift))];
                if !self.step(native, name("pass"), &space, &args, &[starts, code[0], *next])? {
                    return Ok(None);
                }
                from = code[0];
                code.swap(0, 1);
                std::mem::swap(now, next);
            }
        }
        Ok(Some(*now))
    }

    fn step(
        &mut self,
        native: &Native,
        kernel: Name,
        shapes: &[ShapeArg],
        args: &[Arg],
        results: &[Slice],
    ) -> Result<bool, DeviceError> {
        let kernel = self.library_kernel(kernel)?;
        let (region, least_site) = (native.region, native.least_site);
        self.launch(&Launch { kernel, shapes, args, results, region, least_site }, None)
    }
}

/// A kernel about sorting.
fn name(kernel: &'static str) -> Name {
    (Text::Sort, kernel, ScalarType::U32)
}
