//! Selection of the device that runs a program, and its settings.

use crate::cli::Run;
use crate::exit_codes::Failure;
use crate::runner::Runner;
use nestled_devices::{DeviceChoice, Devices, Fit, Opened, Settings};
use nestled_gpu::Counts;
use nestled_ir::Program;
use nestled_ir::interp::Interrupt;
use nestled_rt::device::Math;

/// True if kernels are compiled before they run: when times are recorded, so that only compiled kernels are measured.
pub fn compile_first(options: &Run) -> bool {
    options.profile || options.trace.is_some() || Settings::default().compile_first
}

/// The device for a run.
pub fn open(options: &Run, math: Math, program: &Program, interrupt: &Interrupt) -> Result<Opened, Failure> {
    open_with(options, compile_first(options), math, program, interrupt)
}

/// The device for measuring: kernels are compiled before they run.
pub fn open_compiled(
    options: &Run,
    math: Math,
    program: &Program,
    interrupt: &Interrupt,
) -> Result<Opened, Failure> {
    open_with(options, true, math, program, interrupt)
}

fn open_with(
    options: &Run,
    compile_first: bool,
    math: Math,
    program: &Program,
    interrupt: &Interrupt,
) -> Result<Opened, Failure> {
    let settings = settings(options.threads, options.memory.as_deref(), interrupt)?;
    let settings = Settings { compile_first, math, ..settings };
    match options.device {
        Some(Runner::On(choice)) => open_named(choice, settings, program),
        Some(Runner::Core) => Err(Failure::usage("the device `core` runs only programs in NESL")),
        None => open_named(of_environment()?, settings, program),
    }
}

/// The device if the command line names none.
pub fn of_environment() -> Result<DeviceChoice, Failure> {
    DeviceChoice::of_environment()
        .map_err(|error| Failure::usage(format!("{}: {error}", DeviceChoice::VARIABLE)))
}

/// Opens a device by its name; if the name leaves a choice, one that has the types of the program.
pub fn open_named(choice: DeviceChoice, settings: Settings, program: &Program) -> Result<Opened, Failure> {
    fit(&Devices::new(choice, settings), choice, program, None)
}

/// Selects the device for a program. Its name is printed if the choice was open, and differs from the previous one.
pub fn fit(
    devices: &Devices,
    choice: DeviceChoice,
    program: &Program,
    before: Option<&Opened>,
) -> Result<Opened, Failure> {
    let failed = |error| Failure::failed(format!("error: {error}\n"));
    let Fit { opened, notes } = devices.for_program(program).map_err(failed)?;
    let name = opened.name();
    if choice == DeviceChoice::Auto && before.is_none_or(|before| before.name() != name) {
        notes.iter().for_each(|note| eprintln!("note: {note}"));
        eprintln!("note: kernels run on {name}");
    }
    Ok(opened.clone())
}

/// Device settings from the command line, the same for every device.
pub fn settings(
    threads: Option<u16>,
    memory: Option<&str>,
    interrupt: &Interrupt,
) -> Result<Settings, Failure> {
    Ok(Settings {
        threads: threads.map(usize::from),
        memory: memory.map(size).transpose()?,
        interrupt: Some(interrupt.clone()),
        ..Settings::default()
    })
}

/// Bytes available for data that is read: the command line's limit, or the available memory.
pub fn room(memory: Option<&str>) -> Result<u64, Failure> {
    Ok(memory.map(size).transpose()?.unwrap_or_else(nestled_cpu::device::available_memory))
}

/// Prints the counters of a GPU: its own work, and the kernels that it left to the interpreter.
pub fn say_counts(opened: &Opened) {
    let Some(Counts { launched, interpreted, compiled, native, products, .. }) = opened.counts() else {
        return;
    };
    eprintln!("{launched} launches on the GPU, {compiled} modules compiled, {native} operations on the host");
    if products > 0 {
        eprintln!("{products} products of matrices by the GPU's library");
    }
    for (why, count) in interpreted {
        eprintln!("{count} launches interpreted: no code for {why}");
    }
}

/// Prints, once, advice that would make a device faster, and what is wrong with the file of its rates.
pub fn say_hint(opened: &Opened) {
    if let Some(problem) = nestled_devices::rates_problem() {
        eprintln!("warning: {problem}; programs are planned with the default rates");
    }
    if let Some(hint) = opened.hint() {
        eprintln!("note: kernels are interpreted, much more slowly than they would run compiled: {hint}");
    }
}

fn size(text: &str) -> Result<u64, Failure> {
    nestled_cache::parse_size(text)
        .ok_or_else(|| Failure::usage(format!("`{text}` is not a size; write 500M or 2G, for example")))
}
