//! Code generated for kernels: plans, text for LLVM, machine code, and text for GPUs.

use crate::cli::Stage;
use crate::exit_codes::{BUG, Failure};
use nestled_cpu::codegen::{Target, generate, host};
use nestled_cpu::device::compile_options;
use nestled_devices::DeviceChoice;
use nestled_gpu::Dialect;
use nestled_ir::{KernelId, Program};
use nestled_kernel::Sizes;
use nestled_llvm::{CompileOptions, Llvm};
use nestled_rt::device::Math;

/// The code of one kernel, or of all kernels.
pub fn text(
    program: &Program,
    stage: Stage,
    kernel: Option<&str>,
    (device, width, math): (Option<DeviceChoice>, Option<u32>, Math),
) -> Result<String, Failure> {
    if device.is_some() && stage != Stage::Plan {
        return Err(Failure::usage("`--device` chooses among plans: `--stage plan`"));
    }
    let cuda = Dialect { math, ..nestled_cuda::dialect() };
    match stage {
        Stage::Wgsl => return gpu_text(program, &nestled_wgpu::dialect(), kernel),
        Stage::Cuda => return gpu_text(program, &cuda, kernel),
        _ => {}
    }
    let target = host(width);
    if stage == Stage::Plan {
        return match device {
            None | Some(DeviceChoice::Cpu) => plan_text(program, &target, kernel),
            Some(DeviceChoice::Cuda(_)) => gpu_plan_text(program, &cuda, kernel),
            Some(DeviceChoice::Wgpu(_)) => gpu_plan_text(program, &nestled_wgpu::dialect(), kernel),
            Some(DeviceChoice::Reference | DeviceChoice::Auto) => {
                Err(Failure::usage("plans are those of `cpu`, `cuda` or `wgpu`"))
            }
        };
    }
    let assembler = match stage {
        Stage::Asm => Some(Assembler::new(&target)?),
        Stage::Plan | Stage::Llvm | Stage::Wgsl | Stage::Cuda => None,
        Stage::Ast
        | Stage::Typed
        | Stage::Core
        | Stage::Vcode
        | Stage::Fcode
        | Stage::Flat
        | Stage::Fused => {
            let message = "only programs in NESL have the stages ast, typed, core, vcode and fcode";
            return Err(Failure::usage(message));
        }
    };
    let ids = chosen(program, kernel)?;
    let mut texts = Vec::with_capacity(ids.len());
    for id in ids {
        let name = &program.kernel(id).name;
        texts.push(match generate(program, id, false, &target) {
            Ok(generated) => match &assembler {
                None => format!("; kernel {name}\n{}", generated.text),
                Some(assembler) => format!("# kernel {name}\n{}", assembler.assembly(&generated.text)?),
            },
            Err(refused) => format!("; kernel {name}: {refused}; the interpreter runs it\n"),
        });
    }
    Ok(texts.join("\n"))
}

/// The CPU's plans of kernels, as text.
fn plan_text(program: &Program, target: &Target, kernel: Option<&str>) -> Result<String, Failure> {
    let text = |id| {
        let kernel = program.kernel(id);
        let plan = nestled_kernel::plan(program, kernel, target, Sizes::default());
        format!("; kernel {}\n{}", kernel.name, nestled_kernel::text::print(program, &plan))
    };
    Ok(chosen(program, kernel)?.into_iter().map(text).collect::<Vec<_>>().join("\n"))
}

/// The plans of kernels on a GPU, as text, each below its kernel.
fn gpu_plan_text(program: &Program, dialect: &Dialect, kernel: Option<&str>) -> Result<String, Failure> {
    let text = |id| {
        let plan = nestled_gpu::plan::plan(program, program.kernel(id), dialect);
        format!("; kernel {}\n{}", plan.kernel.name, nestled_gpu::plan::text::print(program, &plan))
    };
    Ok(chosen(program, kernel)?.into_iter().map(text).collect::<Vec<_>>().join("\n"))
}

/// The module text generated for GPUs.
fn gpu_text(program: &Program, dialect: &Dialect, kernel: Option<&str>) -> Result<String, Failure> {
    let text = |id| {
        let name = &program.kernel(id).name;
        match nestled_gpu::generate(program, id, dialect) {
            Ok(module) => format!("// kernel {name}\n{}", module.text),
            Err(refused) => format!("// kernel {name}: {refused}; the interpreter runs it\n"),
        }
    };
    Ok(chosen(program, kernel)?.into_iter().map(text).collect::<Vec<_>>().join("\n"))
}

/// The kernel of this name, or all of them.
fn chosen(program: &Program, kernel: Option<&str>) -> Result<Vec<KernelId>, Failure> {
    match kernel {
        Some(name) => Ok(vec![find(program, name)?]),
        None => Ok((0..program.kernels.len()).map(KernelId::from).collect()),
    }
}

fn find(program: &Program, name: &str) -> Result<KernelId, Failure> {
    let found = program.kernels.iter().position(|kernel| *kernel.name == *name);
    found.map(KernelId::from).ok_or_else(|| {
        let names: Vec<&str> = program.kernels.iter().map(|kernel| &*kernel.name).collect();
        let there = if names.is_empty() { "none at all".to_owned() } else { names.join(", ") };
        Failure::usage(format!("after the passes no kernel is called `{name}`; there are: {there}"))
    })
}

/// Compiler of LLVM text to assembly language, for people to read.
struct Assembler {
    llvm: Llvm,
    options: CompileOptions,
}

impl Assembler {
    /// Compiles as the device does.
    fn new(target: &Target) -> Result<Assembler, Failure> {
        let llvm = Llvm::load().map_err(|error| Failure::failed(format!("error: {error}\n")))?;
        Ok(Assembler { llvm, options: compile_options(target) })
    }

    fn assembly(&self, text: &str) -> Result<String, Failure> {
        let assembly = self.llvm.assembly(text, &self.options);
        assembly.map_err(|error| Failure { message: format!("bug in nestled: {error}\n"), code: BUG })
    }
}
