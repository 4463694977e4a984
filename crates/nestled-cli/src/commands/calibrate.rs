//! `nestled calibrate`: measures how fast a device does each class of work, and remembers it for plans of fusion.

use crate::cli::Calibrate;
use crate::device::{of_environment, open_named, settings};
use crate::exit_codes::Failure;
use crate::progress::Line;
use nestled_devices::calibrate::calibrate;
use nestled_ir::Program;
use nestled_ir::interp::Interrupt;

/// Measures a device, and writes or prints its rates.
pub fn run(options: &Calibrate) -> Result<(), Failure> {
    let choice = options.device.map_or_else(of_environment, Ok)?;
    let settings = settings(options.threads, None, &Interrupt::default())?;
    let opened = open_named(choice, settings, &Program::default())?;
    let mut line = Line::new(format!("measuring {}", opened.name()));
    let device = opened.device();
    let rates = calibrate(&device, &mut |done, of| line.tell(|| format!("{done} of {of}")))
        .map_err(|error| Failure::failed(format!("error: {error}\n")))?;
    drop(line);
    let text = format!("# Rates of {}, in nanoseconds.\n{rates}", opened.name());
    if options.print {
        return crate::output::print(&text);
    }
    let Some(file) = nestled_devices::rates_file(&opened) else {
        return Err(Failure::failed(
            "error: nothing is kept on disk here: set `NESTLED_RATES` to a file, or use `--print`\n"
                .to_owned(),
        ));
    };
    std::fs::write(&file, text)
        .map_err(|error| Failure::failed(format!("error: cannot write `{}`: {error}\n", file.display())))?;
    crate::output::print(&format!("the rates of {} are in {}\n", opened.name(), file.display()))
}
