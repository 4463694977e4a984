//! `llvmlite`'s library, which Python's package of that name brings, as one more LLVM: it hides LLVM's own C interface, and has functions of its own, which are put
//! into the shape of LLVM's here.
//!
//! Two things it does not have: passes in words, of which we add those that it knows (the others are left out: no text needs a pass to be right), and a handler of diagnostics,
//! so that an error that the code generator reports ends the process. A process uses one such library.
#![allow(unsafe_code)]

use super::api::{Api, DiagnosticHandler, Raw, RawText};
use super::error::Refusal;
use libloading::os::unix::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;

/// True if a file is this library, by its name.
pub(super) fn is_llvmlite(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("libllvmlite."))
}

macro_rules! functions {
    ($($name:ident: $symbol:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of the library.
        struct Table {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Table {
            /// Looks all functions up; the error names the first that is missing.
            ///
            /// # Safety
            /// `library` is llvmlite's (or has no function of these names), and is never closed.
            unsafe fn look_up(library: &Library) -> Result<Table, &'static str> {
                Ok(Table {
                    // SAFETY: the types written below are those of llvmlite's sources; the library stays open, says the caller.
                    $($name: unsafe { *library.get(concat!(stringify!($symbol), "\0").as_bytes()).map_err(|_| stringify!($symbol))? },)*
                })
            }
        }
    };
}

functions! {
    version: LLVMPY_GetVersionInfo() -> c_uint;
    native_target: LLVMPY_InitializeNativeTarget();
    native_printer: LLVMPY_InitializeNativeAsmPrinter();
    native_assembler: LLVMPY_InitializeNativeAsmParser();
    dispose_string: LLVMPY_DisposeString(RawText);
    // Older ones take whether pointers have no type; the others do not look at it.
    context_create: LLVMPY_ContextCreate(c_int) -> Raw;
    context_dispose: LLVMPY_ContextDispose(Raw);
    parse: LLVMPY_ParseAssembly(Raw, *const c_char, *mut RawText) -> Raw;
    // An `int` or a `bool`: the lowest byte tells in both cases.
    verify: LLVMPY_VerifyModule(Raw, *mut RawText) -> u8;
    print: LLVMPY_PrintModuleToString(Raw, *mut RawText);
    dispose_module: LLVMPY_DisposeModule(Raw);
    set_target: LLVMPY_SetTarget(Raw, *const c_char);
    set_data_layout: LLVMPY_SetDataLayout(Raw, *const c_char);
    host_cpu_name: LLVMPY_GetHostCPUName(*mut RawText);
    target_from_triple: LLVMPY_GetTargetFromTriple(*const c_char, *mut RawText) -> Raw;
    create_target_machine: LLVMPY_CreateTargetMachine(Raw, *const c_char, *const c_char, *const c_char, c_int, *const c_char, *const c_char, c_int, c_int, *const c_char) -> Raw;
    dispose_target_machine: LLVMPY_DisposeTargetMachine(Raw);
    target_data: LLVMPY_CreateTargetMachineData(Raw) -> Raw;
    text_of_target_data: LLVMPY_CopyStringRepOfTargetData(Raw, *mut RawText);
    dispose_target_data: LLVMPY_DisposeTargetData(Raw);
    emit: LLVMPY_TargetMachineEmitToMemory(Raw, Raw, c_int, *mut RawText) -> Raw;
    buffer_start: LLVMPY_GetBufferStart(Raw) -> *const u8;
    buffer_size: LLVMPY_GetBufferSize(Raw) -> usize;
    dispose_buffer: LLVMPY_DisposeMemoryBuffer(Raw);
    tuning: LLVMPY_CreatePipelineTuningOptions() -> Raw;
    dispose_tuning: LLVMPY_DisposePipelineTuningOptions(Raw);
    pass_builder: LLVMPY_CreatePassBuilder(Raw, Raw) -> Raw;
    dispose_pass_builder: LLVMPY_DisposePassBuilder(Raw);
    pass_manager: LLVMPY_CreateNewModulePassManager() -> Raw;
    dispose_pass_manager: LLVMPY_DisposeNewModulePassManger(Raw);
    run_passes: LLVMPY_RunNewModulePassManager(Raw, Raw, Raw);
    add_sroa: LLVMPY_module_AddSROAPass(Raw);
    add_simplify_cfg: LLVMPY_module_AddSimplifyCFGPass(Raw);
    add_instruction_combining: LLVMPY_module_AddInstCombinePass(Raw);
}

static TABLE: OnceLock<Table> = OnceLock::new();

/// The functions, which are there before any of LLVM's shape is called.
fn table() -> &'static Table {
    TABLE.get().unwrap_or_else(|| unreachable!("`look_up` fills it, and gives the functions that ask for it"))
}

/// A buffer in the hands of who calls: a text of ours, or an object of the library's.
enum Held {
    Text(CString),
    Object(Raw),
}

/// The functions of LLVM, made of those of llvmlite.
///
/// # Safety
/// `library` is llvmlite's (or has no function of these names), and is never closed.
pub(super) unsafe fn look_up(library: &Library) -> Result<Api, Refusal> {
    // SAFETY: our caller promises the same.
    let found = unsafe { Table::look_up(library) }.map_err(Refusal::Lacks)?;
    if TABLE.set(found).is_err() {
        return Err(Refusal::NotOpened("another llvmlite is in use".to_owned()));
    }
    let table = table();
    let (x86, aarch64) = (cfg!(target_arch = "x86_64"), cfg!(target_arch = "aarch64"));
    let only = |here: bool, function: unsafe extern "C" fn()| here.then_some(function);
    Ok(Api {
        is_multithreaded,
        dispose_message: table.dispose_string,
        get_error_message,
        dispose_error_message: table.dispose_string,
        context_create,
        context_dispose: table.context_dispose,
        context_set_diagnostic_handler,
        get_diag_info_description,
        get_diag_info_severity,
        create_memory_buffer,
        get_buffer_start,
        get_buffer_size,
        dispose_memory_buffer,
        verify_module,
        print_module,
        dispose_module: table.dispose_module,
        set_target: table.set_target,
        set_data_layout,
        get_host_cpu_name,
        get_target_from_triple,
        create_target_machine,
        dispose_target_machine: table.dispose_target_machine,
        create_target_data_layout: table.target_data,
        dispose_target_data: table.dispose_target_data,
        emit_to_memory,
        create_pass_options,
        dispose_pass_options,
        run_passes,
        get_version: Some(get_version),
        parse_taking: None,
        parse_borrowing: Some(parse),
        x86_info: only(x86, nothing),
        x86_target: only(x86, table.native_target),
        x86_mc: only(x86, nothing),
        x86_printer: only(x86, table.native_printer),
        x86_assembler: only(x86, table.native_assembler),
        aarch64_info: only(aarch64, nothing),
        aarch64_target: only(aarch64, table.native_target),
        aarch64_mc: only(aarch64, nothing),
        aarch64_printer: only(aarch64, table.native_printer),
        aarch64_assembler: only(aarch64, table.native_assembler),
    })
}

// What follows has the types of LLVM's functions, and asks of its caller what they ask: objects of this library that are alive, and places for results.

unsafe extern "C" fn nothing() {}

unsafe extern "C" fn is_multithreaded() -> c_int {
    1
}

unsafe extern "C" fn get_version(major: *mut c_uint, minor: *mut c_uint, patch: *mut c_uint) {
    // SAFETY: the first takes nothing; there are places for three numbers.
    unsafe {
        let version = (table().version)();
        (*major, *minor, *patch) = (version >> 16, version >> 8 & 0xff, version & 0xff);
    }
}

/// Passes report no errors here.
unsafe extern "C" fn get_error_message(_: Raw) -> RawText {
    null_mut()
}

unsafe extern "C" fn context_create() -> Raw {
    // SAFETY: it takes no object.
    unsafe { (table().context_create)(1) }
}

unsafe extern "C" fn context_set_diagnostic_handler(_: Raw, _: DiagnosticHandler, _: *mut c_void) {}

unsafe extern "C" fn get_diag_info_description(_: Raw) -> RawText {
    null_mut()
}

unsafe extern "C" fn get_diag_info_severity(_: Raw) -> c_int {
    0
}

fn held(held: Held) -> Raw {
    Box::into_raw(Box::new(held)).cast()
}

unsafe extern "C" fn create_memory_buffer(start: *const c_char, size: usize, _: *const c_char) -> Raw {
    // SAFETY: a pointer with its length.
    let text = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size) };
    held(Held::Text(CString::new(text).unwrap_or_default()))
}

/// The buffer behind a pointer.
///
/// # Safety
/// The pointer is one that [`held`] made, and the buffer is alive for as long as the reference.
unsafe fn behind<'a>(raw: Raw) -> &'a Held {
    // SAFETY: so says the caller.
    unsafe { &*raw.cast::<Held>() }
}

unsafe extern "C" fn get_buffer_start(raw: Raw) -> *const u8 {
    // SAFETY: a buffer that is alive.
    match unsafe { behind(raw) } {
        Held::Text(text) => text.as_ptr().cast(),
        // SAFETY: an object of the library that is alive.
        Held::Object(object) => unsafe { (table().buffer_start)(*object) },
    }
}

unsafe extern "C" fn get_buffer_size(raw: Raw) -> usize {
    // SAFETY: a buffer that is alive.
    match unsafe { behind(raw) } {
        Held::Text(text) => text.as_bytes().len(),
        // SAFETY: an object of the library that is alive.
        Held::Object(object) => unsafe { (table().buffer_size)(*object) },
    }
}

unsafe extern "C" fn dispose_memory_buffer(raw: Raw) {
    // SAFETY: a buffer that `held` made, which nobody uses any more.
    match *unsafe { Box::from_raw(raw.cast::<Held>()) } {
        Held::Text(_) => {}
        // SAFETY: an object of the library that is alive, and goes here.
        Held::Object(object) => unsafe { (table().dispose_buffer)(object) },
    }
}

unsafe extern "C" fn parse(context: Raw, buffer: Raw, module: *mut Raw, message: *mut RawText) -> c_int {
    // SAFETY: a buffer that is alive.
    let Held::Text(text) = (unsafe { behind(buffer) }) else { return 1 };
    // SAFETY: context and text are alive, and there are places for both results.
    unsafe {
        *module = (table().parse)(context, text.as_ptr(), message);
        c_int::from((*module).is_null())
    }
}

unsafe extern "C" fn verify_module(module: Raw, _: c_int, message: *mut RawText) -> c_int {
    // SAFETY: the module is alive, and there is a place for the message.
    c_int::from(unsafe { (table().verify)(module, message) })
}

unsafe extern "C" fn print_module(module: Raw) -> RawText {
    let mut text = null_mut();
    // SAFETY: the module is alive, and there is a place for the text.
    unsafe { (table().print)(module, &mut text) };
    text
}

unsafe extern "C" fn set_data_layout(module: Raw, layout: Raw) {
    let mut text = null_mut();
    // SAFETY: module and layout are alive, and there is a place for the text, which is given back after it was read.
    unsafe {
        (table().text_of_target_data)(layout, &mut text);
        (table().set_data_layout)(module, text);
        (table().dispose_string)(text);
    }
}

unsafe extern "C" fn get_host_cpu_name() -> RawText {
    let mut text = null_mut();
    // SAFETY: there is a place for the text.
    unsafe { (table().host_cpu_name)(&mut text) };
    text
}

unsafe extern "C" fn get_target_from_triple(
    triple: *const c_char,
    target: *mut Raw,
    message: *mut RawText,
) -> c_int {
    // SAFETY: a text that ends with zero, and places for both results.
    unsafe {
        *target = (table().target_from_triple)(triple, message);
        c_int::from((*target).is_null())
    }
}

unsafe extern "C" fn create_target_machine(
    target: Raw,
    triple: *const c_char,
    cpu: *const c_char,
    features: *const c_char,
    level: c_int,
    _: c_int,
    _: c_int,
) -> Raw {
    // Code that may lie anywhere, and is smaller than 2 GiB, as everywhere here.
    let (relocation, model, abi) = (c"pic".as_ptr(), c"small".as_ptr(), c"".as_ptr());
    // SAFETY: a target of this library, and texts that end with zero.
    unsafe {
        (table().create_target_machine)(target, triple, cpu, features, level, relocation, model, 0, 0, abi)
    }
}

unsafe extern "C" fn emit_to_memory(
    machine: Raw,
    module: Raw,
    file_type: c_int,
    message: *mut RawText,
    buffer: *mut Raw,
) -> c_int {
    // SAFETY: machine and module are alive, and there are places for both results.
    unsafe {
        let object = (table().emit)(machine, module, file_type, message);
        if object.is_null() {
            return 1;
        }
        *buffer = held(Held::Object(object));
        0
    }
}

/// There are none.
unsafe extern "C" fn create_pass_options() -> Raw {
    null_mut()
}

unsafe extern "C" fn dispose_pass_options(_: Raw) {}

unsafe extern "C" fn run_passes(module: Raw, passes: *const c_char, machine: Raw, _: Raw) -> Raw {
    let table = table();
    // SAFETY: a text that ends with zero.
    let passes = unsafe { CStr::from_ptr(passes) }.to_string_lossy();
    // SAFETY: module and machine are alive; everything else is made here, and goes in the order in which it was needed.
    unsafe {
        let tuning = (table.tuning)();
        let builder = (table.pass_builder)(machine, tuning);
        let manager = (table.pass_manager)();
        passes.split([',', '(', ')']).filter_map(|name| pass(table, name)).for_each(|add| add(manager));
        (table.run_passes)(manager, module, builder);
        (table.dispose_pass_manager)(manager);
        (table.dispose_pass_builder)(builder);
        (table.dispose_tuning)(tuning);
    }
    null_mut()
}

/// The function that adds a pass, if the library has it.
fn pass(table: &Table, name: &str) -> Option<unsafe extern "C" fn(Raw)> {
    match name.split('<').next().unwrap_or_default() {
        "sroa" | "mem2reg" => Some(table.add_sroa),
        "simplifycfg" => Some(table.add_simplify_cfg),
        "instcombine" => Some(table.add_instruction_combining),
        _ => None,
    }
}
