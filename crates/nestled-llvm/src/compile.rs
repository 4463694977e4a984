//! Compilation from text to an object: read, check, optimize, generate code. Each call has a context and a code generator of its own, so any number
//! of threads may be in here at once.

use super::error::{CompileError, Phase};
use super::exit::Compiling;
use super::owned::{Context, FileType, Module, TargetChoice, TargetMachine};
use super::{CompileOptions, Llvm, Processor};
use std::ffi::CString;

impl Llvm {
    /// Compiles a text to a relocatable object, ready for [`Code::load`](crate::object::Code::load).
    ///
    /// The text need not name a target; if it does, the name is ignored.
    ///
    /// # Errors
    /// [`CompileError`], when the text is not good, or uses what this processor has no code for. (Some such uses LLVM answers by
    /// ending the process; there is no way around that.)
    pub fn compile(&self, text: &str, options: &CompileOptions) -> Result<Vec<u8>, CompileError> {
        self.run(text, options, |module, machine| module.emit(machine, FileType::Object))
    }

    /// Compiles a text to assembly language, for people to read.
    ///
    /// # Errors
    /// As [`Llvm::compile`].
    pub fn assembly(&self, text: &str, options: &CompileOptions) -> Result<String, CompileError> {
        let bytes = self.run(text, options, |module, machine| module.emit(machine, FileType::Assembly))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The text as it is after the passes, for people to read.
    ///
    /// # Errors
    /// As [`Llvm::compile`].
    pub fn optimized(&self, text: &str, options: &CompileOptions) -> Result<String, CompileError> {
        self.run(text, options, |module, _| Ok(module.print()))
    }

    fn run<T>(
        &self,
        text: &str,
        options: &CompileOptions,
        finish: impl FnOnce(Module<'_>, &TargetMachine<'_>) -> Result<T, String>,
    ) -> Result<T, CompileError> {
        let fail = |phase| move |message: String| describe(phase, &message, text);
        let _compiling = Compiling::begin()?;
        let api = &self.loaded.api;
        let context = Context::new(api);
        let mut module = context.parse(text).map_err(fail(Phase::Parse))?;
        let target = Target::new(self, options);
        let machine = TargetMachine::new(api, &target.choice()).map_err(fail(Phase::Target))?;
        module.set_target(&machine);
        module.verify().map_err(fail(Phase::Verify))?;
        if !options.passes.is_empty() {
            let passes = CString::new(self.spell(&options.passes));
            let passes = passes.map_err(|error| fail(Phase::Optimize)(error.to_string()))?;
            module.run_passes(&passes, &machine).map_err(fail(Phase::Optimize))?;
        }
        finish(module, &machine).map_err(fail(Phase::Emit))
    }

    /// From 18 on, `instcombine` stops the process if it is not done after one round, unless told that this is all right.
    pub(super) fn spell(&self, passes: &str) -> String {
        let plain = |name: &str| name == "instcombine" && self.version().major >= 18;
        let mut spelled = String::new();
        for part in passes.split_inclusive([',', '(', ')']) {
            let name = part.trim_end_matches([',', '(', ')']);
            let end = &part[name.len()..];
            spelled.push_str(name);
            if plain(name) {
                spelled.push_str("<no-verify-fixpoint>");
            }
            spelled.push_str(end);
        }
        spelled
    }
}

/// The texts that choose a code generator.
struct Target {
    triple: CString,
    cpu: CString,
    features: CString,
    level: u8,
}

impl Target {
    fn new(llvm: &Llvm, options: &CompileOptions) -> Target {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        // The same triple on every system: objects are then ELF everywhere, which is what our loader reads.
        let (arch, cpu, features) = match options.processor {
            Processor::Host => (std::env::consts::ARCH, super::features::base_cpu(), llvm.features.clone()),
            Processor::HostNarrowed { vector_bits } => {
                let features = super::features::narrowed(llvm.features(), vector_bits);
                (std::env::consts::ARCH, super::features::base_cpu(), features)
            }
            Processor::PlainX86_64 => ("x86_64", "x86-64", CString::default()),
            Processor::PlainAArch64 => ("aarch64", "generic", CString::default()),
        };
        Target {
            triple: text(&format!("{arch}-unknown-linux-gnu")),
            cpu: text(cpu),
            features,
            level: options.level,
        }
    }

    fn choice(&self) -> TargetChoice<'_> {
        TargetChoice { triple: &self.triple, cpu: &self.cpu, features: &self.features, level: self.level }
    }
}

fn describe(phase: Phase, message: &str, text: &str) -> CompileError {
    let (message, line) = match phase {
        Phase::Parse => in_parser_words(message, text),
        Phase::Begin | Phase::Verify | Phase::Target | Phase::Optimize | Phase::Emit => {
            (message.trim(), quoted(message, text))
        }
    };
    CompileError { phase, message: message.to_string(), line }
}

/// Takes apart `kernel:3:14: error: words`, followed by the line and a caret.
fn in_parser_words<'m>(message: &'m str, text: &str) -> (&'m str, Option<(usize, String)>) {
    let first = message.lines().next().unwrap_or_default();
    let Some((position, words)) = first.split_once(" error: ") else { return (message.trim(), None) };
    let number = position.split(':').nth(1).and_then(|number| number.parse::<usize>().ok());
    (words, number.and_then(|number| Some((number, text.lines().nth(number.checked_sub(1)?)?.to_string()))))
}

/// The first line of the text that the message quotes. LLVM prints an instruction in its own way, so this may find none.
fn quoted(message: &str, text: &str) -> Option<(usize, String)> {
    let quotes: Vec<&str> = message.lines().skip(1).map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut lines = text.lines().enumerate();
    let (index, line) = lines.find(|(_, line)| quotes.contains(&line.trim()))?;
    Some((index + 1, line.to_string()))
}
