//! From a file to a verified program.

use crate::cli::{VcodeReading, Widths};
use crate::exit_codes::Failure;
use crate::{files, nesl, vcode};
use nestled_ir::{Program, render_all};
use std::io::Read;
use std::path::Path;

/// The name and text of a program file; `-` is standard input.
pub fn read(path: &Path) -> Result<(String, String), Failure> {
    let name = if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() };
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        files::read(path)
    };
    let bytes = bytes.map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::failed(format!("error: `{name}` is not UTF-8 text: byte {at} is wrong\n"))
    })?;
    Ok((name, text))
}

/// Reads, parses and verifies a program; every diagnostic there is goes into the failure. VCODE and FCODE become λcu.
pub fn load(path: &Path, reading: &VcodeReading, widths: &Widths) -> Result<Program, Failure> {
    if nesl::is_nesl(path) {
        return Err(Failure::usage(
            "this command is for λcu and VCODE; of NESL there are `run`, `check`, `show`, `explain` and `repl`",
        ));
    }
    if vcode::is_vcode(path) {
        return Ok(vcode::load(path, reading, widths)?.program);
    }
    let (name, text) = read(path)?;
    let program = nestled_ir::text::parse(&name, &text).map_err(|failure| {
        refused(&render_all(&failure.diagnostics, &failure.sources), failure.diagnostics.len())
    })?;
    nestled_ir::verify::verify(&program)
        .map_err(|diagnostics| refused(&render_all(&diagnostics, &program.sources), diagnostics.len()))?;
    Ok(program)
}

pub fn refused(rendered: &str, count: usize) -> Failure {
    let errors = if count == 1 { "one error".to_owned() } else { format!("{count} errors") };
    Failure::failed(format!("{rendered}\nrefused: {errors}\n"))
}
