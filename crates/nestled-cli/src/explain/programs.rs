//! Integer programs of regions, in files that any solver reads.

use super::bytes;
use super::names::Names;
use crate::exit_codes::Failure;
use nestled_pass::fuse::report::RegionReport;
use nestled_pass::fuse::solve::ilp;
use std::fmt::Write;
use std::path::Path;

/// Writes a file for each region, `1-main.lp`; `first` is the number of the first.
pub fn write(folder: &Path, first: usize, names: Names<'_>, regions: &[RegionReport]) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| Failure::usage(format!("{}: {error}", path.display()));
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (region, number) in regions.iter().zip(first..) {
        let path = folder.join(format!("{number}-{}.lp", file_name(&region.function)));
        std::fs::write(&path, text(names, region)).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// A name without what folders and shells take for something else.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

/// The integer program of a region, after the names of its runs and arrays.
fn text(names: Names<'_>, region: &RegionReport) -> String {
    let mut out = format!("\\ fn {}{}\n", region.function, names.at(region.span));
    for (run, number) in region.runs.iter().zip(1..) {
        let _ = writeln!(out, "\\ run {number}: {}{}", run.kernel, names.space(run));
    }
    for ((name, array), number) in region.arrays.iter().zip(&region.problem.arrays).zip(1..) {
        let _ = writeln!(out, "\\ array {number}: {}, {}", names.value(name), bytes(array.bytes));
    }
    let mut model = ilp::Program::new(&region.problem);
    if region.solution.work.rounds == 0 {
        out.push_str("\\ Without what the device says of clusters, and cycles between them: `--fuse ilp` adds what it meets.\n");
    }
    region.solution.cuts.iter().for_each(|cut| model.add(cut));
    let _ = write!(out, "{model}");
    out
}
