//! The driver of CUDA, opened at run time: the few functions that are called, each behind a safe face where there can be one.
#![allow(unsafe_code)] // Calls a foreign library.

mod foreign;

use crate::find;
use crate::handles::{Function, Handle, Loaded, Mark};
use crate::stream_order::STREAMS;
use libloading::Library;
use nestled_fork as fork;
use nestled_rt::device::DeviceError;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;

type Status = c_int;

const OUT_OF_MEMORY: Status = 2;
const NOT_READY: Status = 600;
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;
const MEMORY_POOLS: c_int = 115;
const RELEASE_THRESHOLD: c_int = 4;
const NON_BLOCKING: c_uint = 1;
const WITH_TIMES: c_uint = 0;
const WITHOUT_TIMES: c_uint = 2;

macro_rules! calls {
    ($($field:ident: $name:literal ($($param:ty),*);)*) => {
        struct Calls {
            $($field: unsafe extern "C" fn($($param),*) -> Status,)*
        }

        impl Calls {
            fn of(library: &Library) -> Result<Calls, String> {
                Ok(Calls {
                    $(
                        // SAFETY: the type is that of the function in the driver's documentation; the ending of a name is its version.
                        $field: *unsafe { library.get(concat!($name, "\0")) }
                            .map_err(|error| format!("{}: {error}", $name))?,
                    )*
                })
            }
        }
    };
}

calls! {
    init: "cuInit"(c_uint);
    count: "cuDeviceGetCount"(*mut c_int);
    device: "cuDeviceGet"(*mut c_int, c_int);
    name: "cuDeviceGetName"(*mut c_char, c_int, c_int);
    attribute: "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
    total: "cuDeviceTotalMem_v2"(*mut usize, c_int);
    retain: "cuDevicePrimaryCtxRetain"(*mut Handle, c_int);
    release: "cuDevicePrimaryCtxRelease_v2"(c_int);
    current: "cuCtxSetCurrent"(Handle);
    memory: "cuMemGetInfo_v2"(*mut usize, *mut usize);
    pool: "cuDeviceGetDefaultMemPool"(*mut Handle, c_int);
    pool_set: "cuMemPoolSetAttribute"(Handle, c_int, *mut c_void);
    pool_trim: "cuMemPoolTrimTo"(Handle, usize);
    stream: "cuStreamCreate"(*mut Handle, c_uint);
    stream_destroy: "cuStreamDestroy_v2"(Handle);
    stream_wait: "cuStreamSynchronize"(Handle);
    stream_after: "cuStreamWaitEvent"(Handle, Handle, c_uint);
    event: "cuEventCreate"(*mut Handle, c_uint);
    event_destroy: "cuEventDestroy_v2"(Handle);
    event_record: "cuEventRecord"(Handle, Handle);
    event_wait: "cuEventSynchronize"(Handle);
    event_query: "cuEventQuery"(Handle);
    event_elapsed: "cuEventElapsedTime"(*mut f32, Handle, Handle);
    allocate: "cuMemAllocAsync"(*mut u64, usize, Handle);
    free: "cuMemFreeAsync"(u64, Handle);
    upload: "cuMemcpyHtoDAsync_v2"(u64, *const c_void, usize, Handle);
    download: "cuMemcpyDtoHAsync_v2"(*mut c_void, u64, usize, Handle);
    copy: "cuMemcpyDtoDAsync_v2"(u64, u64, usize, Handle);
    fill: "cuMemsetD32Async"(u64, c_uint, usize, Handle);
    load: "cuModuleLoadData"(*mut Handle, *const c_void);
    unload: "cuModuleUnload"(Handle);
    function: "cuModuleGetFunction"(*mut Handle, Handle, *const c_char);
    launch: "cuLaunchKernel"(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void
    );
    error: "cuGetErrorString"(Status, *mut *const c_char);
}

/// The driver.
pub(crate) struct Driver {
    calls: Calls,
    /// Keeps the functions where they are.
    _library: Library,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

/// A card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Card {
    /// Its name, for people.
    pub name: String,
    /// Its compute capability, as 9 and 0.
    pub capability: (u32, u32),
    /// Bytes of its memory.
    pub memory: u64,
}

impl Driver {
    /// Opens the driver, that at a path or else the one that is found, or says why it cannot be used.
    pub fn open(at: Option<&PathBuf>) -> Result<Driver, String> {
        let places = at.map_or_else(find::drivers, |path| vec![path.clone()]);
        let mut opened = places.iter().filter_map(|path| {
            // SAFETY: opening the driver runs nothing but its own initialisers.
            unsafe { Library::new(path) }.ok()
        });
        let missing = || format!("there is no driver of NVIDIA ({})", places[0].display());
        let library = opened.next().ok_or_else(missing)?;
        let calls =
            Calls::of(&library).map_err(|lacks| format!("the driver is too old: it lacks {lacks}"))?;
        let driver = Driver { calls, _library: library };
        // SAFETY: this may be called any number of times.
        let status = unsafe { (driver.calls.init)(0) };
        if status == 0 {
            Ok(driver)
        } else {
            Err(format!("the driver does not start: {}", driver.said(status)))
        }
    }

    fn said(&self, status: Status) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the pointer leads to a pointer, which then leads to a text that lives for ever, or nowhere.
        unsafe { (self.calls.error)(status, &mut text) };
        if text.is_null() {
            return format!("error {status}");
        }
        // SAFETY: the driver's texts end with a zero.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// After most errors the context is of no use any more.
    fn check(&self, status: Status) -> Result<(), DeviceError> {
        match status {
            0 => Ok(()),
            OUT_OF_MEMORY => Err(DeviceError::OutOfMemory { wanted: 0, free: None }),
            other => Err(DeviceError::Lost(self.said(other))),
        }
    }

    /// The cards.
    pub fn cards(&self) -> Result<Vec<Card>, DeviceError> {
        let mut count = 0;
        // SAFETY: the pointer leads to a number.
        self.check(unsafe { (self.calls.count)(&mut count) })?;
        (0..count).map(|at| self.card(at)).collect()
    }

    fn card(&self, at: c_int) -> Result<Card, DeviceError> {
        let (mut device, mut memory) = (0, 0usize);
        let mut name = [0u8; 256];
        // SAFETY: all pointers lead to what is asked for, and the name has room for 255 bytes and a zero.
        unsafe {
            self.check((self.calls.device)(&mut device, at))?;
            self.check((self.calls.name)(name.as_mut_ptr().cast(), 255, device))?;
            self.check((self.calls.total)(&mut memory, device))?;
        }
        let name =
            CStr::from_bytes_until_nul(&name).map_or(String::new(), |name| name.to_string_lossy().into());
        let number = |what| self.attribute(device, what).map(|number| number as u32);
        let capability = (number(CAPABILITY_MAJOR)?, number(CAPABILITY_MINOR)?);
        Ok(Card { name, capability, memory: memory as u64 })
    }

    fn attribute(&self, device: c_int, what: c_int) -> Result<c_int, DeviceError> {
        let mut value = 0;
        // SAFETY: the pointer leads to a number.
        self.check(unsafe { (self.calls.attribute)(&mut value, what, device) })?;
        Ok(value)
    }
}

/// A card, opened: its context, streams, each with an event, and the pool that memory comes from.
#[derive(Debug)]
pub(crate) struct Context {
    driver: Driver,
    device: c_int,
    context: Handle,
    streams: [Handle; STREAMS],
    events: [Handle; STREAMS],
    pool: Handle,
    /// Modules that nobody launches any more, but what is queued may.
    doomed: Mutex<Vec<Loaded>>,
}

// SAFETY: the driver may be called from any thread, and each call here first makes the context that of its thread; the handles never change.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}
impl Context {
    /// Opens a card.
    pub fn open(driver: Driver, at: usize) -> Result<Context, DeviceError> {
        let mut device = 0;
        // SAFETY: the pointer leads to a number.
        driver.check(unsafe { (driver.calls.device)(&mut device, at as c_int) })?;
        if driver.attribute(device, MEMORY_POOLS)? == 0 {
            return Err(DeviceError::Unsupported {
                what: "the driver has no pools of memory on this card".to_owned(),
                help: "use `--device wgpu`, or a newer driver".to_owned(),
            });
        }
        let null = std::ptr::null_mut();
        let (streams, events) = ([null; STREAMS], [null; STREAMS]);
        let doomed = Mutex::default();
        let mut context = Context { driver, device, context: null, streams, events, pool: null, doomed };
        let mut keep = u64::MAX;
        let calls = &context.driver.calls;
        // SAFETY: the handles are written where there is room for them; the attribute is a number of 64 bits.
        unsafe {
            context.driver.check((calls.retain)(&mut context.context, device))?;
            context.driver.check((calls.current)(context.context))?;
            for (stream, event) in context.streams.iter_mut().zip(&mut context.events) {
                context.driver.check((calls.stream)(stream, NON_BLOCKING))?;
                context.driver.check((calls.event)(event, WITHOUT_TIMES))?;
            }
            context.driver.check((calls.pool)(&mut context.pool, device))?;
            let keep = (&raw mut keep).cast();
            context.driver.check((calls.pool_set)(context.pool, RELEASE_THRESHOLD, keep))?;
        }
        Ok(context)
    }

    /// Makes the context the one of this thread.
    pub fn enter(&self) -> Result<(), DeviceError> {
        // SAFETY: the context was retained and not released yet.
        self.driver.check(unsafe { (self.driver.calls.current)(self.context) })
    }

    /// A stream, for another library.
    pub fn stream(&self, stream: usize) -> Handle {
        self.streams[stream]
    }

    /// Bytes that are free.
    pub fn free_bytes(&self) -> Result<u64, DeviceError> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers lead to numbers.
        self.driver.check(unsafe { (self.driver.calls.memory)(&mut free, &mut total) })?;
        Ok(free as u64)
    }

    /// Memory, in the order of the first stream.
    pub fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.enter()?;
        let mut address = 0;
        let take = |address: &mut u64| {
            // SAFETY: the pointer leads to a number.
            unsafe { (self.driver.calls.allocate)(address, bytes as usize, self.streams[0]) }
        };
        let mut status = take(&mut address);
        if status == OUT_OF_MEMORY {
            // What the pool keeps may lie in pieces that are too small.
            self.wait(0)?;
            // SAFETY: the pool is the default one, which lives as long as the device.
            self.driver.check(unsafe { (self.driver.calls.pool_trim)(self.pool, 0) })?;
            status = take(&mut address);
        }
        match self.driver.check(status) {
            Err(DeviceError::OutOfMemory { .. }) => {
                Err(DeviceError::OutOfMemory { wanted: bytes, free: self.free_bytes().ok() })
            }
            outcome => outcome.map(|()| address),
        }
    }

    /// Gives memory back once a stream comes there.
    pub fn free(&self, stream: usize, address: u64) {
        if self.enter().is_ok() {
            // SAFETY: `allocate` made it, and whoever gives it back does not use it again.
            unsafe { (self.driver.calls.free)(address, self.streams[stream]) };
        }
    }

    /// Queues the writing of words, which stay where they are until somebody has waited for that.
    pub fn upload(&self, stream: usize, to: u64, words: &[u32]) -> Result<(), DeviceError> {
        self.enter()?;
        let bytes = words.len() * 4;
        // SAFETY: the words are there until a wait is over, as the caller promises.
        let status =
            unsafe { (self.driver.calls.upload)(to, words.as_ptr().cast(), bytes, self.streams[stream]) };
        self.driver.check(status)
    }

    /// Queues the reading of words; they are there after a wait.
    pub fn download(&self, stream: usize, from: u64, into: &mut [u32]) -> Result<(), DeviceError> {
        self.enter()?;
        let bytes = into.len() * 4;
        // SAFETY: there is room for the words. (The caller waits before it looks at them or gives the room up.)
        let status = unsafe {
            (self.driver.calls.download)(into.as_mut_ptr().cast(), from, bytes, self.streams[stream])
        };
        self.driver.check(status)
    }

    /// Queues a copy from one place on the card to another.
    pub fn copy(&self, stream: usize, from: u64, to: u64, bytes: u64) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: both places are memory of the card.
        let status = unsafe { (self.driver.calls.copy)(to, from, bytes as usize, self.streams[stream]) };
        self.driver.check(status)
    }

    /// Sets words.
    pub fn fill(&self, stream: usize, to: u64, word: u32, words: u64) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the place is memory of the card.
        let status = unsafe { (self.driver.calls.fill)(to, word, words as usize, self.streams[stream]) };
        self.driver.check(status)
    }

    /// Waits for a stream.
    pub fn wait(&self, stream: usize) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the stream lives.
        self.driver.check(unsafe { (self.driver.calls.stream_wait)(self.streams[stream]) })
    }

    /// What a stream is given next waits for all that another was given so far.
    pub fn after(&self, stream: usize, other: usize) -> Result<(), DeviceError> {
        self.enter()?;
        let calls = &self.driver.calls;
        // SAFETY: both streams live, as does the event; a wait is for the work that the event was last recorded after.
        unsafe {
            self.driver.check((calls.event_record)(self.events[other], self.streams[other]))?;
            self.driver.check((calls.stream_after)(self.streams[stream], self.events[other], 0))
        }
    }

    /// An event that keeps the time at which a stream comes to it.
    pub fn mark(&self) -> Result<Mark, DeviceError> {
        self.event(WITH_TIMES)
    }

    /// An event that somebody waits for.
    pub fn plain_mark(&self) -> Result<Mark, DeviceError> {
        self.event(WITHOUT_TIMES)
    }

    fn event(&self, flags: c_uint) -> Result<Mark, DeviceError> {
        self.enter()?;
        let mut event = std::ptr::null_mut();
        // SAFETY: the handle is written where there is room for it.
        self.driver.check(unsafe { (self.driver.calls.event)(&mut event, flags) })?;
        Ok(Mark(event))
    }

    /// Waits until a stream has come to a mark.
    pub fn come(&self, mark: &Mark) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the event lives.
        self.driver.check(unsafe { (self.driver.calls.event_wait)(mark.0) })
    }

    /// True if a stream has come to a mark.
    pub fn has_come(&self, mark: &Mark) -> Result<bool, DeviceError> {
        self.enter()?;
        // SAFETY: the event lives.
        match unsafe { (self.driver.calls.event_query)(mark.0) } {
            NOT_READY => Ok(false),
            status => self.driver.check(status).map(|()| true),
        }
    }

    /// A stream comes to a mark after all that it was given so far.
    pub fn set_mark(&self, mark: &Mark, stream: usize) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the event and the stream live.
        self.driver.check(unsafe { (self.driver.calls.event_record)(mark.0, self.streams[stream]) })
    }

    /// Milliseconds between two marks, if streams have come to both.
    pub fn elapsed(&self, start: &Mark, end: &Mark) -> Option<f32> {
        self.enter().ok()?;
        let mut time = 0.0;
        // SAFETY: both events live; the pointer leads to a number.
        let status = unsafe { (self.driver.calls.event_elapsed)(&mut time, start.0, end.0) };
        (status == 0).then_some(time)
    }

    /// Gives a mark back.
    pub fn unmark(&self, mark: Mark) {
        if self.enter().is_ok() {
            // SAFETY: `mark` made the event, and nobody has it any more.
            unsafe { (self.driver.calls.event_destroy)(mark.0) };
        }
    }

    /// Loads what NVRTC made.
    pub fn load(&self, cubin: &[u8]) -> Result<Loaded, DeviceError> {
        self.enter()?;
        let mut module = std::ptr::null_mut();
        // SAFETY: the image is a whole one, which says itself how long it is; it is copied.
        self.driver.check(unsafe { (self.driver.calls.load)(&mut module, cubin.as_ptr().cast()) })?;
        Ok(Loaded(module))
    }

    /// An entry point.
    pub fn function(&self, module: &Loaded, name: &CStr) -> Result<Function, DeviceError> {
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is loaded, and the name ends with a zero.
        let status = unsafe { (self.driver.calls.function)(&mut function, module.0, name.as_ptr()) };
        self.driver.check(status)?;
        Ok(Function(function))
    }

    /// Unloads a module, of which nothing is queued.
    pub fn unload(&self, module: &Loaded) {
        if self.enter().is_ok() {
            // SAFETY: the module is loaded, and its functions are not called again.
            unsafe { (self.driver.calls.unload)(module.0) };
        }
    }

    /// Nobody launches a module any more; what is queued may still run it.
    pub fn doom(&self, module: Loaded) {
        fork::lock(&self.doomed).push(module);
    }

    /// How many modules wait until nothing is queued.
    pub fn n_doomed(&self) -> usize {
        fork::lock(&self.doomed).len()
    }

    /// Unloads modules that were doomed before nothing was queued.
    pub fn unload_doomed(&self) {
        let doomed = std::mem::take(&mut *fork::lock(&self.doomed));
        doomed.iter().for_each(|module| self.unload(module));
    }

    /// Queues an entry point that takes as many words as these.
    pub fn launch(
        &self,
        stream: usize,
        function: Function,
        groups: u32,
        threads: u32,
        given: &[u32],
    ) -> Result<(), DeviceError> {
        self.enter()?;
        let mut arguments: [*mut c_void; 1] = [given.as_ptr().cast_mut().cast()];
        // SAFETY: every entry point that is generated takes one struct of so many words, which are read before this returns.
        let status = unsafe {
            (self.driver.calls.launch)(
                function.0,
                groups,
                1,
                1,
                threads,
                1,
                1,
                0,
                self.streams[stream],
                arguments.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        self.driver.check(status)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let calls = &self.driver.calls;
        // SAFETY: what was made is given back once; a handle that was never made is null, and left alone. The thread may be another one than before.
        unsafe {
            if !self.context.is_null() {
                (calls.current)(self.context);
            }
            for stream in self.streams.into_iter().filter(|stream| !stream.is_null()) {
                (calls.stream_wait)(stream);
                (calls.stream_destroy)(stream);
            }
            for module in fork::lock(&self.doomed).drain(..) {
                (calls.unload)(module.0);
            }
            for event in self.events.into_iter().filter(|event| !event.is_null()) {
                (calls.event_destroy)(event);
            }
            if !self.context.is_null() {
                (calls.release)(self.device);
            }
        }
    }
}
