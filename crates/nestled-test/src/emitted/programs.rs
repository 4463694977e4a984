//! Sources of emitted kernels: data files, examples and benches, as they are written and after the default passes.

use nestled_ir::{Program, render_all, text, verify};
use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Checked, Dialect, Session};
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use std::path::{Path, PathBuf};

/// The folders of programs, from the root of the repository.
pub const FOLDERS: [&str; 3] = ["tests/programs", "examples", "benches"];

/// The files, each from the root, in order of their names.
///
/// # Errors
/// If a folder cannot be read.
pub fn files(root: &Path) -> Result<Vec<String>, String> {
    let mut paths = Vec::new();
    for folder in FOLDERS {
        collect(&root.join(folder), &mut paths)?;
    }
    let name = |path: PathBuf| {
        let short = path.strip_prefix(root).unwrap_or(&path).to_owned();
        short.display().to_string().replace('\\', "/")
    };
    let mut names: Vec<String> = paths.into_iter().map(name).collect();
    names.sort();
    Ok(names)
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(said)? {
        let path = entry.map_err(said)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|ending| ending == "lcu" || ending == "nesl") {
            paths.push(path);
        }
    }
    Ok(())
}

/// The programs of a file, with their names: `FILE`, or `FILE#2` for the second statement in NESL; `+passes` after the passes.
///
/// # Errors
/// If the file is not well-formed.
pub fn programs(root: &Path, file: &str) -> Result<Vec<(String, Program)>, String> {
    let source = std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
    let written = match file.ends_with(".nesl") {
        true => of_nesl(file, &source)?,
        false => vec![(file.to_owned(), of_lcu(file, &source)?)],
    };
    let mut list = Vec::with_capacity(2 * written.len());
    for (name, program) in written {
        let options = PassOptions { keep_all: true, ..PassOptions::default() };
        let after = nestled_pass::run(&program, DEFAULT, &mut PassContext::new(options));
        let after = after.map_err(|bug| format!("{name}: the pass `{}`: {}", bug.pass, bug.rendered))?;
        list.push((format!("{name}+passes"), after));
        list.push((name, program));
    }
    Ok(list)
}

fn of_lcu(file: &str, source: &str) -> Result<Program, String> {
    let program = text::parse(file, source).map_err(|e| render_all(&e.diagnostics, &e.sources))?;
    verify::verify(&program).map_err(|errors| render_all(&errors, &program.sources))?;
    Ok(program)
}

/// One program for each expression and assignment. Values that later statements may need are computed on the way.
fn of_nesl(file: &str, source: &str) -> Result<Vec<(String, Program)>, String> {
    let mut session = Session::new(Dialect::default());
    let mut list = Vec::new();
    for (at, item) in session.read(file, source).into_iter().enumerate() {
        let statement = item.map_err(|error| error.render(&session.sources))?;
        let result = session.check(&statement);
        if !result.errors.is_empty() {
            return Err(render_all(&result.errors, &session.sources));
        }
        if let Some(Checked::Expr(expr) | Checked::Assign { value: expr, .. }) = result.checked {
            let flat = session.flatten(&expr).map_err(|error| error.render(&session.sources))?;
            list.push((format!("{file}#{}", at + 1), flat.program));
            session.execute(&statement, &mut TestWorld::default());
        }
    }
    Ok(list)
}
