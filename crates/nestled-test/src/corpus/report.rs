//! Reports of a run over many files.

use std::fmt;
use std::path::Path;

/// Failures by file, and the amount of checks.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of files read.
    pub files: usize,
    /// Number of statements checked in these files: runs, faults, messages, structures.
    pub cases: usize,
    failures: Vec<String>,
}

impl Report {
    /// Adds a failure of a file.
    pub fn fail(&mut self, file: &Path, what: impl fmt::Display) {
        self.failures.push(format!("{}: {what}", file.display()));
    }

    /// The failures, each with its file.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Adds another report.
    pub fn merge(&mut self, other: Report) {
        self.files += other.files;
        self.cases += other.cases;
        self.failures.extend(other.failures);
    }

    /// Prints the amount of checks, and panics if there were failures or too few checks.
    ///
    /// # Panics
    ///
    /// If anything failed, or less was found than there should be, so that a missing folder cannot pass.
    pub fn finish(self, kind: &str, least_files: usize, least_cases: usize) {
        let Report { files, cases, failures } = self;
        println!("{kind}: {files} files, {cases} cases, {} failures", failures.len());
        assert!(failures.is_empty(), "{} failures:\n\n{}\n", failures.len(), failures.join("\n\n"));
        assert!(files >= least_files, "only {files} files of {kind}; there should be {least_files}");
        assert!(cases >= least_cases, "only {cases} cases in {kind}; there should be {least_cases}");
    }
}
