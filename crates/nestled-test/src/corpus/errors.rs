//! Checks of diagnostics: programs that must be rejected.

use super::directive::Directive;
use super::files::{File, check_all};
use super::report::Report;
use nestled_ir::{Diagnostic, SourceMap, text, verify};
use std::path::Path;

/// Checks that every program below a folder is rejected by the parser or the verifier with exactly the stated messages.
pub fn check_errors(root: &Path) -> Report {
    check_all(root, check_file)
}

fn check_file(file: &File, report: &mut Report) {
    let (diagnostics, sources) = reject(file);
    let found: Vec<String> = diagnostics.iter().map(|diagnostic| stated(diagnostic, &sources)).collect();
    let mut expected = Vec::new();
    for directive in &file.directives {
        match directive {
            Directive::Error { .. } => expected.push(directive),
            _ => report.fail(&file.path, "only `error` has a place among errors"),
        }
    }
    report.cases += expected.len();
    let agree = diagnostics.len() == expected.len()
        && diagnostics.iter().zip(&expected).all(|(found, expected)| agrees(found, &sources, expected));
    if !agree {
        report.fail(&file.path, format_args!("the messages are\n{}", found.join("\n")));
    }
}

fn reject(file: &File) -> (Vec<Diagnostic>, SourceMap) {
    match text::parse(&file.path.display().to_string(), &file.text) {
        Err(failure) => (failure.diagnostics, failure.sources),
        Ok(program) => (verify::verify(&program).err().unwrap_or_default(), program.sources),
    }
}

fn place(diagnostic: &Diagnostic, sources: &SourceMap) -> (usize, usize) {
    let span = diagnostic.labels.first().map(|label| label.span);
    let place = span.and_then(|span| Some(sources.source(span)?.place(span.start as usize)));
    place.map_or((0, 0), |place| (place.line, place.column))
}

/// Formats a message as the directive that states it.
fn stated(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let (line, column) = place(diagnostic, sources);
    format!("; error: {} {line}:{column} {}", diagnostic.code, diagnostic.message)
}

fn agrees(found: &Diagnostic, sources: &SourceMap, expected: &Directive) -> bool {
    match expected {
        Directive::Error { code, place: wanted, words } => {
            found.code == code && place(found, sources) == *wanted && found.message.contains(words)
        }
        _ => false,
    }
}
