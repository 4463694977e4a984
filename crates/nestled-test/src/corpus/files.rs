//! Discovery of data files: runs a check on each.

use super::directive::{Directive, directives};
use super::report::Report;
use crate::gpu;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A data file.
pub struct File {
    /// The path below the root of its kind.
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
    /// The directives, in order.
    pub directives: Vec<Directive>,
}

/// The environment variable that stops a run at the first file that fails.
pub const FIRST_ONLY: &str = "NESTLED_TEST_FIRST_FAILURE";

/// Runs a check on every `.lcu` file below a folder, in order of their names.
pub fn check_all(root: &Path, check: impl Fn(&File, &mut Report) + Sync) -> Report {
    let mut paths = Vec::new();
    let mut report = Report::default();
    collect(root, &mut paths, &mut report);
    paths.sort();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (first_only, is_enough) = (std::env::var_os(FIRST_ONLY).is_some(), AtomicBool::new(false));
    let parts: Vec<Report> = std::thread::scope(|scope| {
        let start = |worker: usize| {
            let (paths, check, is_enough) = (&paths, &check, &is_enough);
            // Blocks of programs may nest deeply, and debug builds are generous with the stack.
            std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, move || {
                let mut part = Report::default();
                for path in paths.iter().skip(worker).step_by(workers) {
                    check_file(root, path, check, &mut part);
                    is_enough.fetch_or(first_only && !part.failures().is_empty(), Ordering::Relaxed);
                    if is_enough.load(Ordering::Relaxed) {
                        break;
                    }
                }
                gpu::close();
                part
            })
        };
        let threads: Vec<_> = (0..workers).map(start).collect();
        threads.into_iter().map(|thread| thread.expect("threads start").join().expect("no panic")).collect()
    });
    parts.into_iter().for_each(|part| report.merge(part));
    report
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>, report: &mut Report) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return report.fail(folder, error),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            // A crate has tests of its own.
            if !path.join("Cargo.toml").exists() {
                collect(&path, paths, report);
            }
        } else if path.extension().is_some_and(|extension| extension == "lcu") {
            paths.push(path);
        } else if path.extension().is_some_and(|extension| extension == "nesl")
            && folder.ends_with("examples")
        {
            // Examples in NESL are the front end's to check.
        } else if path.file_name().is_none_or(|name| name != "README.md") {
            report.fail(&path, "only `.lcu` files are expected here");
        }
    }
}

fn check_file(root: &Path, path: &Path, check: &impl Fn(&File, &mut Report), report: &mut Report) {
    report.files += 1;
    let short = path.strip_prefix(root).unwrap_or(path).to_owned();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return report.fail(&short, error),
    };
    if !text.starts_with("; ") || directives(text.lines().next().unwrap_or("")) != Ok(Vec::new()) {
        report.fail(&short, "the first line should say in words what the file is about");
    }
    match directives(&text) {
        Err(error) => report.fail(&short, error),
        Ok(directives) if directives.is_empty() => report.fail(&short, "the file states nothing"),
        Ok(directives) => {
            let file = File { path: short.clone(), text, directives };
            let mut found = Report::default();
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&file, &mut found))) {
                found.fail(&short, format_args!("panic: {}", panic_text(&*panic)));
            }
            report.merge(found);
        }
    }
}

/// The message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no words")
}
