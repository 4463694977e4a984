//! Loading: reads a file and returns a verified program.

use crate::cli::{VcodeReading, Widths};
use crate::exit_codes::Failure;
use crate::files::read_named;
use crate::kinds::Kind;
use crate::vcode;
use nestled_ir::{Program, render_all};
use std::path::Path;

/// The NESL texts of a command line: a file, if there is one, and the text of `-e`.
pub fn nesl_texts(file: Option<&Path>, expression: Option<&str>) -> Result<Vec<(String, String)>, Failure> {
    let mut texts: Vec<(String, String)> = file.map(read).transpose()?.into_iter().collect();
    texts.extend(expression.map(|text| ("-e".to_owned(), text.to_owned())));
    Ok(texts)
}

/// The name and text of a program file; `-` is standard input.
pub fn read(path: &Path) -> Result<(String, String), Failure> {
    let name = if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() };
    let bytes = read_named(path).map_err(|error| Failure::usage(format!("cannot read `{name}`: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::failed(format!("error: `{name}` is not UTF-8 text: byte {at} is wrong\n"))
    })?;
    Ok((name, text))
}

/// Reads, parses and verifies a program; every diagnostic there is goes into the failure. VCODE and FCODE become λcu.
pub fn load(path: &Path, kind: Kind, reading: &VcodeReading, widths: &Widths) -> Result<Program, Failure> {
    match kind {
        Kind::Lcu => {}
        Kind::Vcode => return Ok(vcode::load(path, reading, widths)?.program),
        Kind::Nesl => {
            return Err(Failure::usage(
                "this command is for λcu and VCODE; of NESL there are `run`, `check`, `show`, `explain` and `repl`",
            ));
        }
    }
    let (name, text) = read(path)?;
    let program = nestled_ir::text::parse(&name, &text).map_err(|failure| {
        let mut rendered = render_all(&failure.diagnostics, &failure.sources);
        if path == Path::new("-") {
            rendered +=
                "\nnote: standard input is read as λcu; `--lang nesl` or `--lang vcode` says otherwise\n";
        }
        Failure::refused(&rendered, failure.diagnostics.len())
    })?;
    nestled_ir::verify::verify(&program).map_err(|diagnostics| {
        Failure::refused(&render_all(&diagnostics, &program.sources), diagnostics.len())
    })?;
    Ok(program)
}
