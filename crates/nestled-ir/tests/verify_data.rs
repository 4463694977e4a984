//! The files of `tests/errors/verify`: each breaks one rule, and says in `; error:` lines what is reported where.

use nestled_ir::{Diagnostic, text, verify::verify};
use std::path::{Path, PathBuf};

#[test]
fn every_file_is_refused_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/errors/verify");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 40);
    let wrong: Vec<String> = files.iter().filter_map(|file| check(file)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(file: &Path) -> Option<String> {
    let name = file.file_name().unwrap().to_string_lossy();
    let text = std::fs::read_to_string(file).unwrap();
    let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("; error: ")).collect();
    let (diagnostics, sources) = match text::parse(&name, &text) {
        Err(failure) => (failure.diagnostics, failure.sources),
        Ok(program) => (verify(&program).err().unwrap_or_default(), program.sources),
    };
    let found: Vec<String> = diagnostics.iter().map(|diagnostic| line(diagnostic, &sources)).collect();
    let fits = found.len() == expected.len()
        && found.iter().zip(&expected).all(|(found, expected)| {
            let mut words = expected.splitn(3, ' ');
            let start = format!("{} {} ", words.next().unwrap(), words.next().unwrap());
            found.starts_with(&start) && found.contains(words.next().unwrap())
        });
    (!fits).then(|| format!("{name}\n  {}", found.join("\n  ")))
}

fn line(diagnostic: &Diagnostic, sources: &nestled_ir::SourceMap) -> String {
    let span = diagnostic.labels[0].span;
    let place = sources.describe(span).unwrap_or_default();
    let place: Vec<&str> = place.rsplitn(3, ':').collect();
    let at = if place.len() == 3 { format!("{}:{}", place[1], place[0]) } else { "?".to_owned() };
    format!("{} {at} {}", diagnostic.code, diagnostic.message)
}
