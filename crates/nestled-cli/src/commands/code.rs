//! What the CPU makes of kernels: text for LLVM, and machine code.

use crate::cli::Stage;
use crate::exit_codes::{BUG, Failure};
use nestled_cpu::codegen::{Target, generate};
use nestled_cpu::device::compile_options;
use nestled_cpu::llvm::{CompileOptions, Llvm};
use nestled_ir::{KernelId, Program};

/// The code of one kernel, or of all that there are.
pub fn text(
    program: &Program,
    stage: Stage,
    kernel: Option<&str>,
    width: Option<u32>,
) -> Result<String, Failure> {
    let target = Target::host(width);
    let assembler = match stage {
        Stage::Llvm => None,
        Stage::Asm => Some(Assembler::new(&target)?),
        Stage::Ast | Stage::Typed | Stage::Core | Stage::Flat | Stage::Fused => {
            return Err(Failure::usage("only programs in NESL have the stages ast, typed and core"));
        }
    };
    let ids = match kernel {
        Some(name) => vec![find(program, name)?],
        None => (0..program.kernels.len()).map(KernelId::from).collect(),
    };
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

fn find(program: &Program, name: &str) -> Result<KernelId, Failure> {
    let found = program.kernels.iter().position(|kernel| *kernel.name == *name);
    found.map(KernelId::from).ok_or_else(|| {
        let names: Vec<&str> = program.kernels.iter().map(|kernel| &*kernel.name).collect();
        let there = if names.is_empty() { "none at all".to_owned() } else { names.join(", ") };
        Failure::usage(format!("after the passes no kernel is called `{name}`; there are: {there}"))
    })
}

/// Makes machine code readable.
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
