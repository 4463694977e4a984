//! Generation of a kernel's module: pass after pass, each by the writer of its kind of sink.

use super::Unsupported;
use super::module::{Module, Told, whole};
use super::split::split_mixed;
use super::writer::Writer;
use crate::dialect::{Dialect, Language};
use crate::plan::{self, Pass};
use nestled_ir::{CombinatorKind, Kernel, KernelId, Program, SiteId, StmtKind};
use std::collections::BTreeMap;

/// Initial capacity of private arrays whose sizes are known only at launch, in elements.
const CAPACITY: u64 = 32;

/// Maximum number of parameter words of a launch in CUDA C++.
const MOST_WORDS: usize = 1024;

/// Generates the module of a kernel.
///
/// # Errors
/// If the kernel uses an unsupported construct: the interpreter runs it instead.
pub fn generate(program: &Program, kernel: KernelId, dialect: &Dialect) -> Result<Module, Unsupported> {
    generate_for(program, kernel, dialect, CAPACITY)
}

/// Generates the module of a kernel for launches whose private arrays of dynamic size have at most `capacity` elements.
///
/// # Errors
/// If the kernel uses an unsupported construct: the interpreter runs it instead.
pub fn generate_for(
    program: &Program,
    kernel: KernelId,
    dialect: &Dialect,
    capacity: u64,
) -> Result<Module, Unsupported> {
    let kernel = &*split_mixed(program.kernel(kernel), &program.monoids, dialect.math);
    let sites = sites(program, kernel);
    let mut writer = Writer::new(program, kernel, dialect, sites.keys().copied().collect(), capacity);
    writer.space = writer.steps_of(&kernel.space);
    writer.check_types()?;
    let passes = plan::passes(kernel);
    writer.find_homes(&passes);
    for (number, pass) in passes.iter().enumerate() {
        writer.pass(number, pass)?;
    }
    let in_place = writer.sites.is_empty() && passes.len() == 1 && passes[0].sink.is_none();
    let Writer { layout, scratch, sites: slots, entries, definitions, .. } = writer;
    let Writer { sorts, private_sizes, destinations, .. } = writer;
    let body = definitions.join("\n");
    let n_words = layout.n_words();
    if dialect.language == Language::Cuda && n_words > MOST_WORDS {
        return Err(Unsupported::new("so many arguments"));
    }
    let told = Told { n_words, numbers: layout.numbers(kernel), n_sites: slots.len() };
    let text = whole(dialect, &body, &entries, &told);
    Ok(Module {
        text,
        entries,
        scratch,
        layout,
        n_words,
        counts: body.contains("counter("),
        site_levels: sites.into_values().collect(),
        sites: slots,
        in_place,
        sorts,
        destinations,
        private_sizes,
        capacity,
    })
}

/// Returns the sites of a kernel, each with the level of its points.
fn sites(program: &Program, kernel: &Kernel) -> BTreeMap<SiteId, usize> {
    let mut sites = BTreeMap::new();
    for step in &kernel.steps {
        let level = step.level().0;
        for site in step.kind.sites() {
            sites.insert(site, level);
        }
        collect(program, &step.body.body, level, &mut sites);
    }
    sites
}

fn collect(program: &Program, block: &nestled_ir::Block, level: usize, sites: &mut BTreeMap<SiteId, usize>) {
    block.walk(&mut |stmt| {
        if let Some(site) = stmt.kind.site() {
            sites.insert(site, level);
        }
        if let StmtKind::Call { thunk, .. } = &stmt.kind {
            collect(program, &program.thunk(*thunk).thunk.body, level, sites);
        }
    });
}

impl Writer<'_> {
    fn pass(&mut self, number: usize, pass: &Pass) -> Result<(), Unsupported> {
        let Some(sink) = pass.sink else { return self.map_pass(number, pass) };
        let kernel = self.kernel;
        let step = &kernel.steps[sink];
        match &step.kind {
            CombinatorKind::Map => unreachable!("a map is no sink"),
            CombinatorKind::Reduce { to, monoid } => self.reduce_pass(number, pass, step, to.0, monoid),
            CombinatorKind::Scan { within, monoid, inclusion, direction } => {
                self.scan_pass(number, pass, step, (within.0, monoid, *inclusion, *direction))
            }
            CombinatorKind::Filter { within } => self.filter_pass(number, pass, step, within.0),
            CombinatorKind::Partition { within, classes, site } => {
                self.partition_pass(number, pass, step, (within.0, *classes, *site))
            }
            CombinatorKind::Permute { dest, base, range, collision } => {
                self.permute_pass(number, pass, step, (dest, base, *range, collision))
            }
            CombinatorKind::Serial { .. } => Err(Unsupported::new("a `serial`")),
        }
    }
}
