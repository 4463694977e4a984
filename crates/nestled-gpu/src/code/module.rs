//! The module of a kernel: its text, entry points, and all that a launch needs of it.

use super::library;
use super::sizes::{Grid, Size, When};
use crate::dialect::{Dialect, Language};
use crate::params::{Layout, Number};
use nestled_ir::{Axis, SiteId, ValueId};

/// A compiled kernel as text, with all that a launch needs to run it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The text.
    pub text: String,
    /// The entry points, in order of dispatch.
    pub entries: Vec<Entry>,
    /// Scratch memory of a launch.
    pub scratch: Vec<Scratch>,
    /// The layout of the parameter words.
    pub layout: Layout,
    /// Number of parameter words.
    pub n_words: usize,
    /// Whether threads use shared counters. A launch then also gets that number of zeroed words.
    pub counts: bool,
    /// The sites that may fault, in ascending order. Each has a word for the least point that faulted there.
    pub sites: Vec<SiteId>,
    /// The level of each site's points.
    pub site_levels: Vec<usize>,
    /// Whether each point is visited once and reads only at its own place.
    pub in_place: bool,
    /// The sorts that run between entries, in order.
    pub sorts: Vec<Sorting>,
    /// The axes of the destinations of scatters whose results are unused.
    pub destinations: Vec<Vec<Axis>>,
    /// The extents and scalar parameters that are lengths of private arrays.
    pub private_sizes: Vec<ValueId>,
    /// The maximum length of these private arrays.
    pub capacity: u64,
}

/// A stable sort of the points of a level, between two entries. The keys are in scratch, whose length is a parameter of the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sorting {
    /// Number of entries that come before.
    pub after: usize,
    /// The level.
    pub level: usize,
    /// The result whose length is the greatest key.
    pub result: usize,
    /// The word with the address of the keys; it receives the address of the sorted keys.
    pub keys: u32,
    /// The word that receives the address of the sorted point numbers.
    pub places: u32,
}

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The number of workgroups.
    pub grid: Grid,
    /// The launches that have the entry.
    pub when: When,
    /// The desired occupancy, in workgroups per multiprocessor: the compiler limits registers accordingly.
    pub at_once: u32,
}

/// Scratch memory of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scratch {
    /// Number of elements.
    pub size: Size,
    /// Words of an element.
    pub words: u64,
    /// Whether all its bits are set before the launch.
    pub ones: bool,
}

/// The parameters as far as a module's preamble depends on them.
pub(super) struct Told {
    /// Number of parameter words.
    pub n_words: usize,
    /// The numbers that may be known only to the device.
    pub numbers: Vec<Number>,
    /// Number of sites that may fault.
    pub n_sites: usize,
}

/// Returns the text of a module around its definitions.
pub(super) fn whole(dialect: &Dialect, body: &str, entries: &[Entry], told: &Told) -> String {
    match dialect.language {
        Language::Wgsl => {
            let library = library::used(&dialect.library, body);
            format!(
                "alias Address = u32;\n\
                 @group(0) @binding(0) var<storage, read_write> heap: array<u32>;\n\
                 @group(0) @binding(1) var<storage, read_write> atoms: array<atomic<u32>>;\n\
                 @group(0) @binding(2) var<storage, read> params: array<u32>;\n\n{library}\n{body}"
            )
        }
        Language::Cuda => {
            let workgroup = dialect.workgroup;
            let fetch = |number: &Number| {
                let Number { word, bytes, mark } = number;
                format!("  kernel.fetch({word}u, {bytes}u, {mark}u);\n")
            };
            let fetched: String = told.numbers.iter().map(fetch).collect();
            let report = if told.n_sites > 0 { "  kernel.report_faults();\n" } else { "" };
            let wrappers: Vec<String> = entries
                .iter()
                .map(|Entry { name, at_once, .. }| {
                    format!(
                        "extern \"C\" __global__ void __launch_bounds__({workgroup}, {at_once}) run_{name}(GIVEN given) {{\n  \
                         Kernel kernel;\n  kernel.given = given;\n{fetched}  kernel.{name}();\n{report}}}\n"
                    )
                })
                .collect();
            format!(
                "#define N_WORDS {}\n#define N_SITES {}\n{}\nstruct Kernel : Operations {{\n{body}}};\n\n{}",
                told.n_words,
                told.n_sites,
                dialect.library,
                wrappers.join("\n")
            )
        }
    }
}
