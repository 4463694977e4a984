//! Owners (RAII) for each kind of object that LLVM gives us, with safe calls on them. `Drop` gives the object back.
//!
//! **What makes these calls sound.** A context and all that lives in it is used by one thread at a time: [`Context`] holds a raw
//! pointer, so it is neither `Send` nor `Sync`, and a [`Module`] borrows it. A raw pointer in an owner is not null, and was made by the
//! library whose functions the owner calls. Texts go in as pointer and length, or as a `CStr`; those that come out are copied at
//! once. LLVM is never unwound through: the one function of ours that it calls does not panic.
#![allow(unsafe_code)]

use super::api::{Api, Raw, RawText};
use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// The output of the code generator; the numbers are LLVM's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileType {
    Assembly = 0,
    Object = 1,
}

/// A context: it isolates one compilation from every other.
pub(super) struct Context<'l> {
    api: &'l Api,
    raw: Raw,
    /// In a box, because LLVM keeps its address.
    reports: Box<Reports<'l>>,
}

/// Errors that LLVM reports on the way. Without a handler, LLVM ends the process instead.
struct Reports<'l> {
    api: &'l Api,
    errors: Mutex<Vec<String>>,
}

impl<'l> Context<'l> {
    pub(super) fn new(api: &'l Api) -> Context<'l> {
        let reports = Box::new(Reports { api, errors: Mutex::new(Vec::new()) });
        // SAFETY: making a context takes nothing and asks for nothing.
        let raw = unsafe { (api.context_create)() };
        let data = (&raw const *reports).cast_mut().cast::<c_void>();
        // SAFETY: the handler gets `data`, which lives at a fixed address until after the context is disposed of.
        unsafe { (api.context_set_diagnostic_handler)(raw, report, data) };
        Context { api, raw, reports }
    }

    /// Reads a module; the error is LLVM's message, with line and column in it.
    pub(super) fn parse(&self, text: &str) -> Result<Module<'_>, String> {
        let api = self.api;
        let buffer = Buffer::copy_of(api, text);
        let (mut module, mut message) = (null_mut(), null_mut());
        let failed = match (api.parse_borrowing, api.parse_taking) {
            // SAFETY: context and buffer are alive, and there are places for both results.
            (Some(parse), _) => unsafe { parse(self.raw, buffer.raw, &mut module, &mut message) },
            (None, Some(parse)) => {
                let raw = buffer.into_raw();
                // SAFETY: context and buffer are alive, and there are places for both results. This one takes the buffer, which is therefore given up.
                unsafe { parse(self.raw, raw, &mut module, &mut message) }
            }
            (None, None) => return Err("this LLVM cannot read its own text".to_string()),
        };
        let message = Text { api, raw: message }.copied();
        if failed != 0 || module.is_null() { Err(message) } else { Ok(Module { context: self, raw: module }) }
    }

    /// Takes the errors reported so far, if there are any.
    pub(super) fn take_errors(&self) -> Result<(), String> {
        let errors = std::mem::take(&mut *self.reports.errors.lock().unwrap_or_else(PoisonError::into_inner));
        if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: `self` owns it; the modules in it borrow it, so they are gone.
        unsafe { (self.api.context_dispose)(self.raw) };
    }
}

/// The handler of diagnostics. It keeps errors and drops warnings, remarks and notes.
///
/// # Safety
/// Called by LLVM only, with a diagnostic, and the address of the [`Reports`] of its context.
unsafe extern "C" fn report(diagnostic: Raw, data: *mut c_void) {
    const ERROR: c_int = 0;
    // SAFETY: this is the address `Context::new` gave, and the box outlives the context.
    let reports = unsafe { &*data.cast::<Reports<'_>>() };
    // SAFETY: the diagnostic is alive during this call.
    if unsafe { (reports.api.get_diag_info_severity)(diagnostic) } == ERROR {
        // SAFETY: the diagnostic is alive during this call; its text is a copy, which is ours to free.
        let raw = unsafe { (reports.api.get_diag_info_description)(diagnostic) };
        let text = Text { api: reports.api, raw }.copied();
        reports.errors.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

/// A module: one text, read.
pub(super) struct Module<'c> {
    context: &'c Context<'c>,
    raw: Raw,
}

impl Module<'_> {
    /// Says for which machine the module is; the text need not.
    pub(super) fn set_target(&mut self, machine: &TargetMachine<'_>) {
        let api = self.context.api;
        // SAFETY: all of them are alive; triple and layout are copied into the module.
        unsafe {
            (api.set_target)(self.raw, machine.triple.as_ptr());
            let layout = (api.create_target_data_layout)(machine.raw);
            (api.set_data_layout)(self.raw, layout);
            (api.dispose_target_data)(layout);
        }
    }

    /// Checks the rules of the language; the error is LLVM's message, with the instructions in it.
    pub(super) fn verify(&self) -> Result<(), String> {
        const RETURN_STATUS: c_int = 2;
        let api = self.context.api;
        let mut message = null_mut();
        // SAFETY: the module is alive, and there is a place for the message.
        let failed = unsafe { (api.verify_module)(self.raw, RETURN_STATUS, &mut message) };
        let message = Text { api, raw: message }.copied();
        if failed != 0 { Err(message) } else { Ok(()) }
    }

    /// Runs passes, written as for `opt -passes=`.
    pub(super) fn run_passes(&mut self, passes: &CStr, machine: &TargetMachine<'_>) -> Result<(), String> {
        let api = self.context.api;
        // SAFETY: module and machine are alive; the options are made and given back here. An error, if there is one, is consumed by
        // taking its message.
        let message = unsafe {
            let options = (api.create_pass_options)();
            let error = (api.run_passes)(self.raw, passes.as_ptr(), machine.raw, options);
            (api.dispose_pass_options)(options);
            if error.is_null() {
                return self.context.take_errors();
            }
            let raw = (api.get_error_message)(error);
            let message = copy(raw);
            (api.dispose_error_message)(raw);
            message
        };
        Err(message)
    }

    /// Generates code. It changes the module, so it is the last thing done with it.
    pub(super) fn emit(self, machine: &TargetMachine<'_>, file_type: FileType) -> Result<Vec<u8>, String> {
        let api = self.context.api;
        let (mut message, mut buffer) = (null_mut(), null_mut());
        // SAFETY: module and machine are alive, and there are places for both results.
        let failed = unsafe {
            (api.emit_to_memory)(machine.raw, self.raw, file_type as c_int, &mut message, &mut buffer)
        };
        let message = Text { api, raw: message }.copied();
        if failed != 0 || buffer.is_null() {
            return Err(message);
        }
        let bytes = Buffer { api, raw: buffer }.to_vec();
        self.context.take_errors().map(|()| bytes)
    }

    /// The module as text.
    pub(super) fn print(&self) -> String {
        let api = self.context.api;
        // SAFETY: the module is alive; the text is ours to free.
        Text { api, raw: unsafe { (api.print_module)(self.raw) } }.copied()
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: `self` owns it, and borrows its context, which is therefore still alive.
        unsafe { (self.context.api.dispose_module)(self.raw) };
    }
}

/// The target of a [`TargetMachine`].
#[derive(Debug)]
pub(super) struct TargetChoice<'a> {
    pub triple: &'a CStr,
    pub cpu: &'a CStr,
    pub features: &'a CStr,
    /// 0 to 3.
    pub level: u8,
}

/// A code generator for one kind of processor.
pub(super) struct TargetMachine<'l> {
    api: &'l Api,
    raw: Raw,
    triple: &'l CStr,
}

impl<'l> TargetMachine<'l> {
    /// Makes one, for code that may lie anywhere and is smaller than 2 GiB.
    pub(super) fn new(api: &'l Api, choice: &TargetChoice<'l>) -> Result<TargetMachine<'l>, String> {
        const POSITION_INDEPENDENT: c_int = 2;
        const SMALL: c_int = 3;
        let (mut target, mut message) = (null_mut(), null_mut());
        // SAFETY: a text that ends with zero, and places for both results.
        let failed =
            unsafe { (api.get_target_from_triple)(choice.triple.as_ptr(), &mut target, &mut message) };
        let message = Text { api, raw: message }.copied();
        if failed != 0 {
            return Err(message);
        }
        // SAFETY: a target of this library, texts that end with zero, and numbers of its enumerations.
        let raw = unsafe {
            (api.create_target_machine)(
                target,
                choice.triple.as_ptr(),
                choice.cpu.as_ptr(),
                choice.features.as_ptr(),
                c_int::from(choice.level.min(3)),
                POSITION_INDEPENDENT,
                SMALL,
            )
        };
        if raw.is_null() {
            return Err("the target has no code generator".to_string());
        }
        Ok(TargetMachine { api, raw, triple: choice.triple })
    }
}

impl Drop for TargetMachine<'_> {
    fn drop(&mut self) {
        // SAFETY: `self` owns it, and no module keeps a pointer to it: `emit` takes its module with it.
        unsafe { (self.api.dispose_target_machine)(self.raw) };
    }
}

/// The name LLVM has for this processor, such as `sapphirerapids`.
pub(super) fn host_cpu_name(api: &Api) -> String {
    // SAFETY: asking for the processor's name takes nothing and asks for nothing; the text is ours to free.
    Text { api, raw: unsafe { (api.get_host_cpu_name)() } }.copied()
}

/// Bytes that LLVM owns the memory of.
struct Buffer<'l> {
    api: &'l Api,
    raw: Raw,
}

impl<'l> Buffer<'l> {
    fn copy_of(api: &'l Api, text: &str) -> Buffer<'l> {
        let name = c"kernel";
        // SAFETY: a pointer with its length, and a name that ends with zero; LLVM copies both, and adds the final zero it needs.
        let raw = unsafe { (api.create_memory_buffer)(text.as_ptr().cast(), text.len(), name.as_ptr()) };
        Buffer { api, raw }
    }

    fn to_vec(&self) -> Vec<u8> {
        // SAFETY: the buffer is alive, and has so many bytes at this address.
        unsafe {
            let start = (self.api.get_buffer_start)(self.raw);
            let size = (self.api.get_buffer_size)(self.raw);
            if size == 0 { Vec::new() } else { std::slice::from_raw_parts(start, size).to_vec() }
        }
    }

    fn into_raw(self) -> Raw {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: `self` owns the buffer, which is still there (`into_raw` forgets those that are given away), and nobody else points to it.
        unsafe { (self.api.dispose_memory_buffer)(self.raw) };
    }
}

/// A text that LLVM owns the memory of, or none.
struct Text<'l> {
    api: &'l Api,
    raw: RawText,
}

impl Text<'_> {
    fn copied(&self) -> String {
        // SAFETY: null, or a text of LLVM's that is alive as long as `self`.
        unsafe { copy(self.raw) }
    }
}

impl Drop for Text<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: it is not null; this library made it for us to free, which happens once, here.
            unsafe { (self.api.dispose_message)(self.raw) };
        }
    }
}

/// Copies a text.
///
/// # Safety
/// `raw` is null, or points to bytes that end with zero and stay as they are during the call.
unsafe fn copy(raw: RawText) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: `raw` is not null, and then our caller promises bytes that end with zero and stay as they are.
    unsafe { CStr::from_ptr(raw) }.to_string_lossy().into_owned()
}
