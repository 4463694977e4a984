//! `nestled devices`: lists the devices that can run kernels here.

use crate::exit_codes::Failure;
use crate::output::print;
use nestled_cuda::Card;
use nestled_wgpu::AdapterKind;
use std::fmt::Write;

/// The compiler of kernels for the CPU, with its version.
#[cfg(unix)]
fn compiler() -> String {
    match nestled_llvm::Llvm::load() {
        Ok(llvm) => format!("LLVM {}", llvm.version()),
        Err(why) => {
            let why = why.to_string().replace('\n', "\n            ");
            format!(
                "without LLVM kernels are interpreted, ten to a hundred times more slowly:\n            {why}"
            )
        }
    }
}

#[cfg(not(unix))]
fn compiler() -> &'static str {
    "without LLVM: kernels are interpreted"
}

/// Lists the devices with their properties, and the reasons why others are not used.
pub fn run() -> Result<(), Failure> {
    let mut out = String::new();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let _ = writeln!(out, "cpu         the CPU, {threads} threads; {}", compiler());
    let _ = writeln!(out, "reference   the interpreter that defines the language");
    match nestled_cuda::cards() {
        Ok(cards) => {
            let cublas = match nestled_cuda::cublas() {
                Some((major, minor)) => format!("cuBLAS {major}.{minor}"),
                None => "no cuBLAS".to_owned(),
            };
            for (number, Card { name, capability: (major, minor), memory }) in cards.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "cuda:{number:<6} {name} (compute capability {major}.{minor}); {} MiB; {cublas}",
                    memory >> 20
                );
            }
        }
        Err(why) => {
            let _ = writeln!(out, "cuda        not used: {why}");
        }
    }
    let adapters = nestled_wgpu::adapters();
    for (number, adapter) in adapters.iter().enumerate() {
        let kind = match adapter.kind {
            AdapterKind::Discrete => "",
            AdapterKind::Integrated => ", part of the processor",
            AdapterKind::Virtual => ", virtual",
            AdapterKind::Software => ", in software",
            AdapterKind::Other => ", of unknown kind",
        };
        let wide = match (adapter.int64, adapter.float64) {
            (true, true) => "64-bit integers and floats",
            (true, false) => "64-bit integers, no 64-bit floats: --float 32",
            (false, true) => "64-bit floats, no 64-bit integers: --int 32",
            (false, false) => "no 64-bit types: --precision 32",
        };
        let memory = adapter.memory >> 20;
        let _ = writeln!(
            out,
            "wgpu:{number:<6} {} ({}{kind}); {wide}; at most {memory} MiB",
            adapter.name, adapter.backend
        );
    }
    if adapters.is_empty() {
        let _ = writeln!(out, "wgpu        not used: there is no driver for Vulkan, Metal or DirectX 12");
    }
    print(&out)
}
