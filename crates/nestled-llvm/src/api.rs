//! Bindings to LLVM's C interface: the functions that we use, looked up in a library that was found at run time.
//!
//! The types are those of `llvm-c/*.h`, every pointer to a foreign object being a [`Raw`]. They have not changed from LLVM 15 to 22;
//! what came or went in between is optional here. Nothing in this file calls anything.
#![allow(unsafe_code)]

use libloading::os::unix::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A pointer to an object of LLVM.
pub(super) type Raw = *mut c_void;

/// A string LLVM allocated, or null.
pub(super) type RawText = *mut c_char;

/// LLVM's callback for diagnostics; the pointer is the one registered with it.
pub(super) type DiagnosticHandler = unsafe extern "C" fn(Raw, *mut c_void);

/// Declares the table of functions, and how it is filled from a library.
macro_rules! functions {
    (required { $($name:ident: $symbol:ident($($arg:ty),*) $(-> $result:ty)?;)* }
     optional { $($opt_name:ident: $opt_symbol:ident($($opt_arg:ty),*) $(-> $opt_result:ty)?;)* }) => {
        /// The functions of one library.
        #[derive(Debug)]
        pub(super) struct Api {
            $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
            $(pub $opt_name: Option<unsafe extern "C" fn($($opt_arg),*) $(-> $opt_result)?>,)*
        }

        impl Api {
            /// Looks all functions up; the error names the first that is missing.
            ///
            /// # Safety
            /// `library` is an LLVM (or has no function of these names), and is never closed.
            pub(super) unsafe fn look_up(library: &Library) -> Result<Api, &'static str> {
                Ok(Api {
                    // SAFETY: the types written above are those of LLVM's headers; the library stays open, says the caller.
                    $($name: unsafe { *library.get(concat!(stringify!($symbol), "\0").as_bytes()).map_err(|_| stringify!($symbol))? },)*
                    // SAFETY: these too have the types of LLVM's headers, in all versions that have them; the library stays open, says the caller.
                    $($opt_name: unsafe { library.get(concat!(stringify!($opt_symbol), "\0").as_bytes()).ok().map(|f| *f) },)*
                })
            }
        }
    };
}

functions! {
    required {
        is_multithreaded: LLVMIsMultithreaded() -> c_int;
        dispose_message: LLVMDisposeMessage(RawText);
        get_error_message: LLVMGetErrorMessage(Raw) -> RawText;
        dispose_error_message: LLVMDisposeErrorMessage(RawText);

        context_create: LLVMContextCreate() -> Raw;
        context_dispose: LLVMContextDispose(Raw);
        context_set_diagnostic_handler: LLVMContextSetDiagnosticHandler(Raw, DiagnosticHandler, *mut c_void);
        get_diag_info_description: LLVMGetDiagInfoDescription(Raw) -> RawText;
        get_diag_info_severity: LLVMGetDiagInfoSeverity(Raw) -> c_int;

        create_memory_buffer: LLVMCreateMemoryBufferWithMemoryRangeCopy(*const c_char, usize, *const c_char) -> Raw;
        get_buffer_start: LLVMGetBufferStart(Raw) -> *const u8;
        get_buffer_size: LLVMGetBufferSize(Raw) -> usize;
        dispose_memory_buffer: LLVMDisposeMemoryBuffer(Raw);

        verify_module: LLVMVerifyModule(Raw, c_int, *mut RawText) -> c_int;
        print_module: LLVMPrintModuleToString(Raw) -> RawText;
        dispose_module: LLVMDisposeModule(Raw);
        set_target: LLVMSetTarget(Raw, *const c_char);
        set_data_layout: LLVMSetModuleDataLayout(Raw, Raw);

        get_host_cpu_name: LLVMGetHostCPUName() -> RawText;
        get_target_from_triple: LLVMGetTargetFromTriple(*const c_char, *mut Raw, *mut RawText) -> c_int;
        create_target_machine: LLVMCreateTargetMachine(Raw, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int) -> Raw;
        dispose_target_machine: LLVMDisposeTargetMachine(Raw);
        create_target_data_layout: LLVMCreateTargetDataLayout(Raw) -> Raw;
        dispose_target_data: LLVMDisposeTargetData(Raw);
        emit_to_memory: LLVMTargetMachineEmitToMemoryBuffer(Raw, Raw, c_int, *mut RawText, *mut Raw) -> c_int;

        create_pass_options: LLVMCreatePassBuilderOptions() -> Raw;
        dispose_pass_options: LLVMDisposePassBuilderOptions(Raw);
        run_passes: LLVMRunPasses(Raw, *const c_char, Raw, Raw) -> Raw;
    }
    optional {
        // New in LLVM 16.
        get_version: LLVMGetVersion(*mut c_uint, *mut c_uint, *mut c_uint);
        // The first takes the buffer and is on its way out; the second, new in LLVM 22, leaves it.
        parse_taking: LLVMParseIRInContext(Raw, Raw, *mut Raw, *mut RawText) -> c_int;
        parse_borrowing: LLVMParseIRInContext2(Raw, Raw, *mut Raw, *mut RawText) -> c_int;
        // A library may be built for some processors only.
        x86_info: LLVMInitializeX86TargetInfo();
        x86_target: LLVMInitializeX86Target();
        x86_mc: LLVMInitializeX86TargetMC();
        x86_printer: LLVMInitializeX86AsmPrinter();
        x86_assembler: LLVMInitializeX86AsmParser();
        aarch64_info: LLVMInitializeAArch64TargetInfo();
        aarch64_target: LLVMInitializeAArch64Target();
        aarch64_mc: LLVMInitializeAArch64TargetMC();
        aarch64_printer: LLVMInitializeAArch64AsmPrinter();
        aarch64_assembler: LLVMInitializeAArch64AsmParser();
    }
}
