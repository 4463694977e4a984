//! Native operations as kernels: λcu texts in `rts/native`, compiled like all kernels, so that no data moves to the host.
//!
//! An operation that faults runs again on the host, which produces the message. As for launches, that happens when the host waits.

use super::kernels::Prepared;
use super::machine::{Machine, Product};
use super::{State, bug};
use crate::code::generate_native;
use nestled_ir::{Program, Scalar, ScalarType, SiteId};
use nestled_rt::device::{
    Arg, BufferId, DeviceError, Extent, KernelHandle, Launch, Native, NativeKind, Rows, ShapeArg, Slice,
};
use std::rc::Rc;
use std::sync::Arc;

/// A text of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Text {
    /// Kernels about segmentations; `$T` is the type of lengths.
    Segments,
    /// Products of matrices; `$T` is the type of elements.
    MatMul,
    /// Sorting.
    Sort,
    /// Gathers: elements at given places; `$T` is the type of elements.
    Gather,
}

impl Text {
    fn source(self) -> &'static str {
        match self {
            Text::Segments => include_str!("../../rts/native/segments.lcu"),
            Text::MatMul => include_str!("../../rts/native/matmul.lcu"),
            Text::Sort => include_str!("../../rts/native/sort.lcu"),
            Text::Gather => include_str!("../../rts/native/gather.lcu"),
        }
    }

    /// Parses the text for a type.
    fn parsed(self, ty: ScalarType) -> Result<Program, String> {
        let text = self.source().replace("$T", ty.name());
        nestled_ir::text::parse("native.lcu", &text).map_err(|error| error.to_string())
    }
}

/// The name of a kernel of a text, for a type.
pub(super) type Name = (Text, &'static str, ScalarType);

/// The kernels that were requested so far; always few.
#[derive(Debug, Default)]
pub(super) struct Library {
    handles: Vec<(Name, KernelHandle)>,
}

/// The kernel launch of a native operation.
struct Call {
    kernel: Name,
    shapes: Few<ShapeArg, 3>,
    args: Few<Arg, 4>,
    result: Slice,
}

/// An inline list of at most `MOST` items.
struct Few<T, const MOST: usize> {
    items: [T; MOST],
    len: usize,
}

impl<T: Copy, const MOST: usize> Few<T, MOST> {
    fn new<const N: usize>(items: [T; N]) -> Few<T, MOST> {
        Few { items: std::array::from_fn(|at| items[at.min(N - 1)]), len: N }
    }

    fn list(&self) -> &[T] {
        &self.items[..self.len]
    }
}

/// Returns the site of a native operation, if it may fault.
pub(super) fn site(native: &Native) -> Option<SiteId> {
    match native.kind {
        NativeKind::Offsets { site, .. } | NativeKind::Inside { site, .. } => Some(site),
        _ => None,
    }
}

impl<M: Machine> State<M> {
    /// Runs a native operation on the machine; false if it could not.
    pub(super) fn native_launch(&mut self, native: &Native) -> Result<bool, DeviceError> {
        if let NativeKind::Sort { .. } | NativeKind::Rank { .. } = native.kind {
            return self.sort_launch(native);
        }
        if let NativeKind::Inside { .. } = native.kind {
            // A fault can only come from a kernel with a result.
            let bad = self.memory.allocate(ScalarType::Bool, 1)?;
            let done = self.called(native, Some(bad));
            self.memory.free(bad);
            return done;
        }
        if let NativeKind::MatMul { elem, left, right, product, sizes } = native.kind
            && self.multiplied(elem, [left, right], product, sizes)?
        {
            return Ok(true);
        }
        self.called(native, None)
    }

    /// Runs a product by the machine's own library; false if it has none. The host must know the sizes.
    fn multiplied(
        &mut self,
        elem: ScalarType,
        [left, right]: [Slice; 2],
        product: Slice,
        sizes: [Extent; 3],
    ) -> Result<bool, DeviceError> {
        if sizes.iter().any(|size| size.exact.is_some()) {
            return Ok(false);
        }
        // After a fault, operands may be values that the program never meant.
        let [n, k, m] = sizes.map(|size| size.bound);
        for (slice, rows, columns) in [(left, n, k), (right, k, m), (product, n, m)] {
            if rows.checked_mul(columns).is_none_or(|elements| elements > slice.len) {
                return Ok(false);
            }
        }
        let [left, right] = [self.memory.place(left)?.place, self.memory.place(right)?.place];
        self.make_free(product)?;
        let product = self.memory.place(product)?.place;
        let sizes = sizes.map(|size| size.bound);
        let done = self.memory.multiply(&Product { elem, left, right, product, sizes })?;
        if done {
            self.counts.multiplied();
        }
        Ok(done)
    }

    fn called(&mut self, native: &Native, spare: Option<BufferId>) -> Result<bool, DeviceError> {
        let Some(call) = call(native, spare) else { return Ok(false) };
        let kernel = self.library_kernel(call.kernel)?;
        let launch = Launch {
            kernel,
            shapes: call.shapes.list(),
            args: call.args.list(),
            results: &[call.result],
            region: native.region,
            least_site: native.least_site,
        };
        self.launch(&launch, Some(native))
    }

    pub(super) fn library_kernel(&mut self, name: Name) -> Result<KernelHandle, DeviceError> {
        if let Some(&(_, handle)) = self.library.handles.iter().find(|(known, _)| *known == name) {
            return Ok(handle);
        }
        let (text, kernel, ty) = name;
        let program = Arc::new(text.parsed(ty).map_err(bug)?);
        let found = program.kernels.iter().position(|def| &*def.name == kernel);
        let kernel = nestled_ir::KernelId(found.ok_or_else(|| bug(format!("no kernel `{kernel}`")))? as u32);
        let module = generate_native(&program, kernel, self.memory.dialect());
        let module = module.map(Rc::new).map_err(|error| error.what.into());
        let handle = self.kernels.add(Prepared::new(program, kernel, module));
        self.library.handles.push((name, handle));
        Ok(handle)
    }
}

/// Returns the whole library: programs without a function, one for each text and each type that it supports.
///
/// # Panics
/// If a text is wrong.
pub fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for ty in ScalarType::ALL {
        let texts = [
            (Text::Segments, ty.is_integer()),
            (Text::MatMul, ty.is_integer() || ty.is_float()),
            (Text::Sort, ty == ScalarType::U32),
            (Text::Gather, true),
        ];
        for (text, _) in texts.into_iter().filter(|(_, fits)| *fits) {
            programs.push(text.parsed(ty).expect("the library is well-formed"));
        }
    }
    programs
}

/// Returns the kernel launch for an operation; `None` where the host does it.
fn call(native: &Native, spare: Option<BufferId>) -> Option<Call> {
    let segments = |kernel, shapes, args, result| Call {
        kernel: (Text::Segments, kernel, ScalarType::Idx),
        shapes,
        args,
        result,
    };
    Some(match native.kind {
        NativeKind::Ramp { step, count, into } => {
            segments("ramp", lengths([into.len]), Few::new([number(step), number(count)]), into)
        }
        NativeKind::FillExtent { extent, into } => {
            segments("fill", lengths([into.len]), Few::new([number(extent)]), into)
        }
        NativeKind::Lengths { offsets, lengths: into } => {
            segments("lengths_of", lengths([offsets.len, into.len]), Few::new([Arg::Dense(offsets)]), into)
        }
        NativeKind::SameOffsets { left, right, equal } => {
            let longer = left.len.max(right.len);
            let args = Few::new([Arg::Dense(left), Arg::Dense(right)]);
            segments("same_offsets", lengths([left.len, right.len, longer]), args, equal)
        }
        // An empty list must not be read.
        NativeKind::Offsets { lengths: Slice { len: 0, .. }, offsets, .. } => {
            segments("ramp", lengths([offsets.len]), Few::new([Arg::Scalar(Scalar::Idx(0)); 2]), offsets)
        }
        NativeKind::Offsets { elem, lengths: of, count, offsets, site: _ } => Call {
            kernel: (Text::Segments, "offsets_of", elem),
            shapes: lengths([of.len, offsets.len]),
            args: Few::new([Arg::Dense(of), number(count)]),
            result: offsets,
        },
        NativeKind::Inside { starts, count, rows, limit, site: _ } => {
            let bad = Slice { buffer: spare?, offset: 0, len: 1 };
            match rows {
                Rows::Regular { count: _, length } => {
                    let args = [Arg::Dense(starts), number(count), number(length), number(limit)];
                    segments("inside_regular", lengths([starts.len, starts.len]), Few::new(args), bad)
                }
                Rows::Offsets(offsets) => {
                    let args = [Arg::Dense(starts), Arg::Dense(offsets), number(count), number(limit)];
                    let shapes = lengths([starts.len, offsets.len, starts.len]);
                    segments("inside_offsets", shapes, Few::new(args), bad)
                }
            }
        }
        NativeKind::MatMul { elem, left, right, product, sizes } => Call {
            kernel: (Text::MatMul, "product", elem),
            shapes: Few::new(sizes.map(ShapeArg::Extent)),
            args: Few::new([Arg::Dense(left), Arg::Dense(right)]),
            result: product,
        },
        NativeKind::Sort { .. } | NativeKind::Rank { .. } => return None,
    })
}

/// Makes shapes from sizes that the host knows.
fn lengths<const N: usize>(lengths: [u64; N]) -> Few<ShapeArg, 3> {
    Few::new(lengths.map(|len| ShapeArg::Extent(Extent::known(len))))
}

/// Makes an argument from a size.
fn number(extent: Extent) -> Arg {
    match extent.exact {
        Some(cell) => Arg::Cell(cell),
        None => Arg::Scalar(Scalar::Idx(extent.bound as i64)),
    }
}
