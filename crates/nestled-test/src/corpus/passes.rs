//! Checks of passes: the stated program is what the named passes make.

use super::directive::Directive;
use super::engine::{Engine, Rewrite};
use super::files::{File, check_all};
use super::programs::{check_call, check_round_trip, check_structure, load, rewrite_checked};
use super::report::Report;
use nestled_ir::{Program, text};
use std::path::Path;

/// Checks every file below a folder: the named passes make the stated program of it, which gives the stated results like the
/// program it came from. With `update`, the stated programs are written anew.
pub fn check_passes(root: &Path, engines: &[Engine], rewrites: &[Rewrite], update: bool) -> Report {
    check_all(root, |file, report| check_pass(root, file, engines, rewrites, update, report))
}

fn check_pass(
    root: &Path,
    file: &File,
    engines: &[Engine],
    rewrites: &[Rewrite],
    update: bool,
    report: &mut Report,
) {
    let outcome = load(file).and_then(|before| {
        check_round_trip(&before)?;
        let after = apply(file, &before, rewrites)?;
        Ok((before, after))
    });
    let (before, after) = match outcome {
        Ok(programs) => programs,
        Err(error) => return report.fail(&file.path, error),
    };
    for directive in &file.directives {
        match directive {
            Directive::Run { .. } | Directive::Fault { .. } => {
                for engine in engines {
                    let fault = check_call(file, &before, engine, " before", (directive, None), report);
                    check_call(file, &after, engine, " after", (directive, fault.as_ref()), report);
                }
            }
            Directive::Structure(_) => check_structure(file, &after, directive, report),
            Directive::Expect(expected) => {
                report.cases += 1;
                check_expected(root, file, expected, &text::print(&after), update, report);
            }
            Directive::Pass(_) | Directive::Limits(_) => {}
            Directive::Error { .. } => report.fail(&file.path, "`error` has no place among passes"),
        }
    }
    if file.directives.len() < 2 {
        report.fail(&file.path, "the file states nothing about what the pass makes");
    }
}

fn apply(file: &File, program: &Program, rewrites: &[Rewrite]) -> Result<Program, String> {
    let names: Vec<&String> = file
        .directives
        .iter()
        .filter_map(|directive| if let Directive::Pass(names) = directive { Some(names) } else { None })
        .flatten()
        .collect();
    if names.is_empty() {
        return Err("the file names no pass".to_owned());
    }
    let limits = file.directives.iter().find_map(|directive| match directive {
        Directive::Limits(limits) => Some(*limits),
        _ => None,
    });
    let limits = limits.unwrap_or_default();
    names.into_iter().try_fold(program.clone(), |program, name| {
        let rewrite = rewrites.iter().find(|rewrite| rewrite.name == name);
        let rewrite = rewrite.ok_or_else(|| format!("there is no pass `{name}`"))?;
        rewrite_checked(&program, rewrite, limits).map_err(|error| format!("after `{name}`: {error}"))
    })
}

fn check_expected(root: &Path, file: &File, expected: &str, found: &str, update: bool, report: &mut Report) {
    if expected.trim_end() == found.trim_end() {
        return;
    }
    if !update {
        return report.fail(&file.path, format_args!("the program is\n{found}"));
    }
    let head = file.text.split_inclusive('\n').take_while(|line| line.trim_end() != "; expect:");
    let mut text: String = head.collect();
    text.push_str("; expect:\n");
    for line in found.trim_end().lines() {
        text.push_str(format!("; {line}").trim_end());
        text.push('\n');
    }
    if let Err(error) = std::fs::write(root.join(&file.path), text) {
        report.fail(&file.path, error);
    }
}
