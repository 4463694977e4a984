//! Generation of a kernel's module: pass after pass, each by the writer of its kind of sink.

use super::Unsupported;
use super::module::{Module, Told, whole};
use super::writer::Writer;
use crate::dialect::{Dialect, Language};
use crate::plan::{self, Pass, Plan, Schedule, sites};
use nestled_ir::{CombinatorKind, KernelId, Program};

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
    let plan = plan::plan(program, program.kernel(kernel), dialect);
    emit(program, &plan, dialect, capacity)
}

/// Prints what a plan says.
fn emit(program: &Program, plan: &Plan<'_>, dialect: &Dialect, capacity: u64) -> Result<Module, Unsupported> {
    let kernel = &*plan.kernel;
    let sites = sites(program, kernel);
    let mut writer = Writer::new(program, kernel, dialect, sites.keys().copied().collect(), capacity);
    writer.space = writer.steps_of(&kernel.space);
    writer.check_types()?;
    writer.find_homes(&plan.carried);
    for (number, pass) in plan.passes.iter().enumerate() {
        writer.pass(number, pass)?;
    }
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
        in_place: plan.in_place,
        sorts,
        destinations,
        private_sizes,
        capacity,
    })
}

impl Writer<'_> {
    fn pass(&mut self, number: usize, pass: &Pass) -> Result<(), Unsupported> {
        let kernel = self.kernel;
        let kind = pass.sink.map(|sink| (&kernel.steps[sink], &kernel.steps[sink].kind));
        match (&pass.schedule, kind) {
            (Schedule::Maps(maps), None) => self.map_pass(number, pass, *maps),
            (Schedule::Reduce(reduce), Some((step, CombinatorKind::Reduce { to, monoid }))) => {
                self.reduce_pass(number, pass, step, (to.0, monoid, reduce))
            }
            (
                Schedule::Scan(scan),
                Some((step, CombinatorKind::Scan { within, monoid, inclusion, direction })),
            ) => self.scan_pass(number, pass, step, (within.0, monoid, *inclusion, *direction), *scan),
            (Schedule::Filter(pack), Some((step, CombinatorKind::Filter { within }))) => {
                self.filter_pass(number, pass, step, (within.0, *pack))
            }
            (
                Schedule::Partition(pack),
                Some((step, CombinatorKind::Partition { within, classes, site })),
            ) => self.partition_pass(number, pass, step, (within.0, *classes, *site), *pack),
            (
                Schedule::Scatter(scatter),
                Some((step, CombinatorKind::Permute { dest, base, range, collision })),
            ) => self.permute_pass(number, pass, step, (dest, base, *range, collision), *scatter),
            (Schedule::Interpreted, _) => Err(Unsupported::new("a `serial`")),
            _ => unreachable!("a schedule is that of the pass's sink"),
        }
    }
}
