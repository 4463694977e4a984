//! Executables: programs lowered and compiled for a device. The public face of the crate.

use crate::device::{Compiled, Device, KernelRequest, Made};
use crate::error::Error;
use crate::exec::{Datum, InTurn, LiveBuffers, Machine, Purpose, Uploader, Wait, at_once};
use crate::handle::Handle;
use crate::kernel_limits::check_limits;
use crate::lower::{Lowered, lower};
use crate::trace::{Event, SharedTrace, Trace, When, awaited, watched};
use nestled_ir::interp::{Interrupt, World};
use nestled_ir::value::{AxisValue, Bindings, Value};
use nestled_ir::{Axis, Function, FunctionId, KernelId, Program, ScalarType, Shape, Span, Type, ValueId};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// The limits of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Greatest number of nested calls; those in tail position do not count.
    pub depth: usize,
}

/// 4 million calls inside calls.
impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 4_000_000 }
    }
}

/// A program that has been lowered, and whose kernels a device has compiled.
///
/// ```
/// use nestled_ir::interp::TestWorld;
/// use nestled_ir::value::{AxisValue, Value};
/// use nestled_ir::{Scalar, ScalarType};
/// use nestled_rt::{Executable, Reference};
/// use std::rc::Rc;
///
/// let text = "fn double(x: i64) -> i64 {\n y = add x x\n ret y\n}";
/// let program = nestled_ir::text::parse("double.lcu", text).unwrap();
/// let executable = Executable::new(&program, Rc::new(Reference::default()))?;
/// let results = executable.run("double", &[], &[Value::Scalar(Scalar::I64(21))], &mut TestWorld::default())?;
/// assert_eq!(results[0].as_scalar(), Some(Scalar::I64(42)));
/// # Ok::<(), nestled_rt::Error>(())
/// ```
pub struct Executable {
    pub(crate) program: Arc<Program>,
    pub(crate) lowered: Lowered,
    pub(crate) device: Rc<dyn Device>,
    pub(crate) limits: Limits,
    pub(crate) trace: Option<SharedTrace>,
    /// The live buffers on the device.
    pub(crate) live_buffers: Rc<LiveBuffers>,
    pub(crate) interrupt: Option<Interrupt>,
    /// For each kernel the ordinary and the wide form.
    kernels: Vec<[OnceCell<Compiled>; 2]>,
    /// When the device made the ordinary forms ready.
    prepared: When,
}

impl Executable {
    /// Lowers a program, and compiles its kernels all at once. The program must be verified.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a kernel is over the device's limits.
    pub fn new(program: &Program, device: Rc<dyn Device>) -> Result<Executable, Error> {
        check_limits(program, device.describe())?;
        let program = Arc::new(program.clone());
        let requests: Vec<KernelRequest> = (0..program.kernels.len())
            .map(|at| KernelRequest { kernel: KernelId::from(at), wide: false })
            .collect();
        let start = Instant::now();
        let compiled = device.compile(&program, &requests)?;
        let prepared = When::since(start);
        let kernels = compiled.into_iter().map(|kernel| [OnceCell::from(kernel), OnceCell::new()]).collect();
        let lowered = lower(&program);
        Ok(Executable {
            program,
            lowered,
            device,
            limits: Limits::default(),
            trace: None,
            live_buffers: Rc::default(),
            interrupt: None,
            kernels,
            prepared,
        })
    }

    /// Sets limits.
    pub fn with_limits(mut self, limits: Limits) -> Executable {
        self.limits = limits;
        self
    }

    /// Makes runs interruptible: between calls and launches and, where the device knows the flag as well, inside kernels.
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> Executable {
        self.interrupt = Some(interrupt);
        self
    }

    /// Attaches a watcher, which is first told how the kernels were compiled.
    pub fn with_trace(mut self, trace: SharedTrace) -> Executable {
        let kernels = self.kernels.iter().enumerate();
        let ready: Vec<_> = kernels.filter_map(|(at, [ordinary, _])| Some((at, ordinary.get()?))).collect();
        if !ready.is_empty() {
            let mut watcher = trace.borrow_mut();
            watcher.event(Event::Prepare { kernels: ready.len() }, self.prepared);
            ready.iter().for_each(|(at, compiled)| self.tell_made(&mut *watcher, *at, false, compiled));
        }
        self.trace = Some(trace);
        self
    }

    /// Tells how a kernel was come by, where its device tells.
    fn tell_made(&self, watcher: &mut dyn Trace, kernel: usize, wide: bool, compiled: &Compiled) {
        if let Some(Made { origin, when }) = compiled.made {
            let kernel = &*self.program.kernels[kernel].name;
            watcher.event(Event::Compile { kernel, wide, origin }, when);
        }
    }

    /// The most bytes that values took on the device at once, those that callers hold included, since the executable was made or
    /// [`restart_peak`](Self::restart_peak). Extents that only the device knew count with their bounds.
    pub fn peak_bytes(&self) -> u64 {
        self.live_buffers.peak()
    }

    /// Counts the peak afresh.
    pub fn restart_peak(&self) {
        self.live_buffers.restart_peak();
    }

    /// The types of a function's results; nothing if there is no such function.
    pub fn result_types(&self, function: &str) -> Option<Vec<Type>> {
        let function = self.program.function(self.program.find_function(function)?);
        Some(function.results.iter().map(|formal| function.values[formal.index()].ty.clone()).collect())
    }

    /// The device.
    pub fn device(&self) -> &Rc<dyn Device> {
        &self.device
    }

    /// Runs a function on values of the host, and brings its results back.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(
        &self,
        function: &str,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Value>, Error> {
        at_once(self.run_with(function, shapes, args, world, Wait::Block))
    }

    /// As [`run`](Self::run), but where it would wait for the device, the future is not ready: for threads that must not wait, and to run programs on several devices side by side on one
    /// thread. Any executor may poll it; it starts no thread. Whoever drops it gives the run up. Until then nothing else can run on its device, though values can be read.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn run_async(
        &self,
        function: &str,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Value>, Error> {
        self.run_with(function, shapes, args, world, Wait::Stop).await
    }

    async fn run_with(
        &self,
        function: &str,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
        wait: Wait,
    ) -> Result<Vec<Value>, Error> {
        let handles = self.start_with(function, shapes, args, world, wait).await?;
        let mut values = Vec::with_capacity(handles.len());
        for handle in handles {
            values.push(handle.take(self.trace.as_ref(), wait).await?);
        }
        Ok(values)
    }

    /// Runs a function on values of the host; results stay on the device.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn start(
        &self,
        function: &str,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Handle>, Error> {
        at_once(self.start_with(function, shapes, args, world, Wait::Block))
    }

    /// As [`start`](Self::start), but the future is not ready where it would wait: see [`run_async`](Self::run_async).
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn start_async(
        &self,
        function: &str,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Handle>, Error> {
        self.start_with(function, shapes, args, world, Wait::Stop).await
    }

    async fn start_with(
        &self,
        function: &str,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
        wait: Wait,
    ) -> Result<Vec<Handle>, Error> {
        let id = self.find(function)?;
        let data = self.with_room(wait, || self.upload(id, shapes, args)).await?;
        self.run_data(id, data, world, wait).await
    }

    /// Runs a function on values that are on a device already. Values on another device are copied from there; watchers see the copies.
    ///
    /// # Errors
    /// See [`Error`]. Shapes known only on the device are fetched to be compared, unless they are identical.
    pub fn run_handles(
        &self,
        function: &str,
        shapes: &[Handle],
        args: &[Handle],
        world: &mut dyn World,
    ) -> Result<Vec<Handle>, Error> {
        at_once(self.run_handles_with(function, shapes, args, world, Wait::Block))
    }

    /// As [`run_handles`](Self::run_handles), but the future is not ready where it would wait: see [`run_async`](Self::run_async).
    ///
    /// # Errors
    /// As those of [`run_handles`](Self::run_handles).
    pub async fn run_handles_async(
        &self,
        function: &str,
        shapes: &[Handle],
        args: &[Handle],
        world: &mut dyn World,
    ) -> Result<Vec<Handle>, Error> {
        self.run_handles_with(function, shapes, args, world, Wait::Stop).await
    }

    async fn run_handles_with(
        &self,
        function: &str,
        shapes: &[Handle],
        args: &[Handle],
        world: &mut dyn World,
        wait: Wait,
    ) -> Result<Vec<Handle>, Error> {
        let id = self.find(function)?;
        let function = self.program.function(id);
        let formals = function.shapes.iter().chain(&function.params);
        check_count("shape arguments", function.shapes.len(), shapes.len())?;
        check_count("arguments", function.params.len(), args.len())?;
        let mut symbols: Vec<(ValueId, Datum)> = Vec::new();
        for (&formal, handle) in formals.zip(shapes.iter().chain(args)) {
            let entry = &function.values[formal.index()];
            let handle = &self.bring_with(handle, wait).await?;
            if !handle.fits(&entry.ty, |shape| axes_of(shape, &symbols), wait).await? {
                return Err(Error::BadArgument(format!("this is no value for `{}`", entry.name)));
            }
            symbols.push((formal, handle.datum().clone()));
        }
        let data = symbols.into_iter().map(|(_, datum)| datum).collect();
        self.run_data(id, data, world, wait).await
    }

    /// A value on this device: copied, if it lies on another one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or a device is lost.
    pub fn bring(&self, handle: &Handle) -> Result<Handle, Error> {
        at_once(self.bring_with(handle, Wait::Block))
    }

    async fn bring_with(&self, handle: &Handle, wait: Wait) -> Result<Handle, Error> {
        if handle.is_on(&self.device) {
            return Ok(handle.clone());
        }
        let value = [handle.read(self.trace.as_ref(), wait).await?];
        Ok(self.with_room(wait, || self.uploaded(&value)).await?.remove(0))
    }

    /// Copies values to the device. Segmentations that they share stay shared.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn put(&self, values: &[Value]) -> Result<Vec<Handle>, Error> {
        at_once(self.with_room(Wait::Block, || self.uploaded(values)))
    }

    fn uploaded(&self, values: &[Value]) -> Result<Vec<Handle>, Error> {
        let mut uploader = self.uploader();
        let mut handles = Vec::with_capacity(values.len());
        for value in values {
            let (ty, purpose) = (Type::Dim, Purpose::Words("an argument"));
            let datum = uploader.value(value, &ty, &purpose)?;
            let axes = match value {
                Value::Array(array) => {
                    let axis = |axis| uploader.axis(axis, &ty, &purpose);
                    array.shape.iter().map(axis).collect::<Result<_, _>>()?
                }
                Value::Scalar(_) | Value::Dim(_) | Value::Seg(_) => Vec::new(),
            };
            handles.push(Handle::new(&self.device, datum, axes, matches!(value, Value::Dim(_))));
        }
        Ok(handles)
    }

    /// Uploads. If there is no memory, once more after a wait for the queue, which may give some back.
    async fn with_room<T>(&self, wait: Wait, upload: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
        match upload() {
            Err(Error::OutOfMemory { .. }) => {}
            outcome => return outcome,
        }
        let mut none = Vec::new();
        let done = wait.read(&*self.device, &[], &mut none);
        awaited(self.trace.as_ref(), done, |_| Event::Wait { span: Span::NONE }).await?;
        upload()
    }

    /// Concatenates the elements of dense arrays and of numbers to an array of these extents. Each part states its number of elements. The
    /// parts are copied into one buffer; no kernel is compiled.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or a device is lost; [`Error::Bug`] for a part that is no dense array of this type.
    pub fn join(&self, elem: ScalarType, parts: &[(Handle, u64)], extents: &[u64]) -> Result<Handle, Error> {
        let parts: Vec<(Handle, u64)> =
            parts.iter().map(|(part, len)| Ok((self.bring(part)?, *len))).collect::<Result<_, Error>>()?;
        let data: Vec<(&Datum, u64)> = parts.iter().map(|(part, len)| (part.datum(), *len)).collect();
        let datum = at_once(self.with_room(Wait::Block, || self.uploader().joined(elem, &data)))?;
        let axes = extents.iter().map(|&extent| Datum::extent(extent)).collect();
        Ok(Handle::new(&self.device, datum, axes, false))
    }

    fn uploader(&self) -> Uploader<'_> {
        Uploader {
            device: &self.device,
            trace: self.trace.as_ref(),
            live_buffers: &self.live_buffers,
            segs: Vec::new(),
        }
    }

    fn find(&self, name: &str) -> Result<FunctionId, Error> {
        self.program
            .find_function(name)
            .ok_or_else(|| Error::BadArgument(format!("there is no function `{name}`")))
    }

    /// Checks arguments as the interpreter does, and copies them to the device.
    fn upload(&self, id: FunctionId, shapes: &[AxisValue], args: &[Value]) -> Result<Vec<Datum>, Error> {
        let function = self.program.function(id);
        let bad = |error: nestled_ir::value::ShapeError| Error::BadArgument(error.to_string());
        let mut bindings = Bindings::of_arguments(&function.values, &function.shapes, shapes).map_err(bad)?;
        check_count("arguments", function.params.len(), args.len())?;
        let mut uploader = self.uploader();
        let mut data = Vec::with_capacity(shapes.len() + args.len());
        for (&formal, shape) in function.shapes.iter().zip(shapes) {
            let entry = &function.values[formal.index()];
            data.push(uploader.axis(shape, &entry.ty, &(&entry.name).into())?);
        }
        for (&param, arg) in function.params.iter().zip(args) {
            let entry = &function.values[param.index()];
            bindings.unify_value(arg, &entry.ty).map_err(bad)?;
            data.push(uploader.value(arg, &entry.ty, &(&entry.name).into())?);
        }
        Ok(data)
    }

    async fn run_data(
        &self,
        id: FunctionId,
        data: Vec<Datum>,
        world: &mut dyn World,
        wait: Wait,
    ) -> Result<Vec<Handle>, Error> {
        let function = self.program.function(id);
        let shapes = data[..function.shapes.len()].to_vec();
        let turn = InTurn::begin(&*self.device)?;
        self.device.clear_fault();
        let results = Machine::new(self, id.0, data, world, wait).run().await;
        let ended = self.device.end_run();
        let results = results?;
        ended?;
        turn.end();
        Ok(self.handles(function, shapes, results))
    }

    /// Results with the shapes that their types give them.
    fn handles(&self, function: &Function, shapes: Vec<Datum>, results: Vec<Datum>) -> Vec<Handle> {
        let mut symbols: Vec<(ValueId, Datum)> = function.shapes.iter().copied().zip(shapes).collect();
        let mut handles = Vec::with_capacity(results.len());
        for (&formal, datum) in function.results.iter().zip(results) {
            let ty = &function.values[formal.index()].ty;
            if ty.is_shape() {
                symbols.push((formal, datum.clone()));
            }
            let axes = match ty {
                Type::Array(array) => axes_of(&array.shape, &symbols),
                Type::Dim | Type::Seg(_) => Vec::new(),
            };
            handles.push(Handle::new(&self.device, datum, axes, *ty == Type::Dim));
        }
        handles
    }

    /// All forms of kernels that the device has compiled so far.
    pub(crate) fn compiled_kernels(&self) -> impl Iterator<Item = &Compiled> {
        self.kernels.iter().flatten().filter_map(OnceCell::get)
    }

    /// The compiled form of a kernel.
    pub(crate) fn compiled(&self, kernel: u32, wide: bool) -> Result<&Compiled, Error> {
        let cell = &self.kernels[kernel as usize][usize::from(wide)];
        if let Some(compiled) = cell.get() {
            return Ok(compiled);
        }
        let request = KernelRequest { kernel: KernelId(kernel), wide };
        let compile = || self.device.compile(&self.program, &[request]);
        let mut compiled = watched(self.trace.as_ref(), compile, |_| Event::Prepare { kernels: 1 })?;
        let compiled = compiled.pop().ok_or_else(|| Error::Bug("no answer to a request".to_owned()))?;
        if let Some(trace) = &self.trace {
            self.tell_made(&mut *trace.borrow_mut(), kernel as usize, wide, &compiled);
        }
        Ok(cell.get_or_init(|| compiled))
    }
}

fn check_count(what: &str, wanted: usize, found: usize) -> Result<(), Error> {
    if wanted == found {
        Ok(())
    } else {
        Err(Error::BadArgument(format!("{wanted} {what} are wanted, not {found}")))
    }
}

fn axes_of(shape: &Shape, symbols: &[(ValueId, Datum)]) -> Vec<Datum> {
    let find = |symbol: ValueId| symbols.iter().find(|(id, _)| *id == symbol).map(|(_, datum)| datum.clone());
    shape
        .axes
        .iter()
        .map(|&axis| match axis {
            Axis::Const(extent) => Datum::extent(extent),
            Axis::Sym(symbol) => find(symbol).unwrap_or_default(),
        })
        .collect()
}
