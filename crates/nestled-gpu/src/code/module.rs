//! The module of a kernel: its definitions, its entry points, and the memory that it needs for itself.

use super::entry::Lies;
use super::point::Step;
use super::sizes::{Grid, Size};
use super::split::split_mixed;
use super::{Unsupported, library};
use crate::dialect::{Dialect, Language};
use crate::params::{Layout, Number};
use crate::plan::{self, Pass};
use crate::repr::Repr;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Axis, Combinator, CombinatorKind, Kernel, KernelId, Program, ScalarType, Shape, SiteId, StmtKind, ValueId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A kernel as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The text.
    pub text: String,
    /// What is dispatched, in order.
    pub entries: Vec<Entry>,
    /// Memory that a launch needs besides.
    pub scratch: Vec<Scratch>,
    /// How a launch's words lie.
    pub layout: Layout,
    /// How many there are.
    pub n_words: usize,
    /// Whether threads count something together: then a launch is given so many zeros, too.
    pub counts: bool,
    /// The sites that may fault, ascending: each has a word, the least point that faulted there.
    pub sites: Vec<SiteId>,
    /// The level of each site's points.
    pub site_levels: Vec<usize>,
    /// Whether each point is visited once, and reads only at its own place.
    pub in_place: bool,
    /// What is sorted while it runs, in order.
    pub sorts: Vec<Sorting>,
    /// Destinations of scatters of which nothing leaves: axes.
    pub destinations: Vec<Vec<Axis>>,
    /// Extents and scalar parameters that private arrays are as long as, and how long those may be at most.
    pub private_sizes: Vec<ValueId>,
    /// See `private_sizes`.
    pub capacity: u64,
}

/// Points of a level that are sorted, stably, between two entries. Their keys lie in scratch, whose length the launch is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sorting {
    /// How many entries come before.
    pub after: usize,
    /// The level.
    pub level: usize,
    /// Keys are numbers up to the length of this result, it included.
    pub result: usize,
    /// The word that has the address of the keys, and gets that of the sorted ones.
    pub keys: u32,
    /// The word that gets the address of the numbers of the points in order.
    pub places: u32,
}

/// The private arrays whose sizes are known only at a launch have so many elements at first.
const CAPACITY: u64 = 32;

/// So many words a launch may be given in CUDA C++.
const MOST_WORDS: usize = 1024;

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// How many workgroups it takes.
    pub grid: Grid,
    /// How many of them a multiprocessor should have at once: the compiler saves registers for that.
    pub at_once: u32,
}

/// Memory for a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scratch {
    /// How many elements.
    pub size: Size,
    /// The words of each.
    pub words: u64,
    /// Whether all its bits are set before the launch.
    pub ones: bool,
}

/// Where a value that a combinator binds lies in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    /// The word of the block that has its address.
    pub word: u32,
    /// The level of its points.
    pub level: usize,
    /// How it lies there.
    pub lies: Lies,
}

/// A kernel that is being written.
pub(super) struct Writer<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub dialect: &'a Dialect,
    pub layout: Layout,
    pub space: Vec<Step>,
    pub scratch: Vec<Scratch>,
    pub sites: Vec<SiteId>,
    pub entries: Vec<Entry>,
    pub sorts: Vec<Sorting>,
    pub private_sizes: Vec<ValueId>,
    pub capacity: u64,
    /// Whether thunks are written as they are away from the borders.
    pub inner: bool,
    destinations: Vec<Vec<Axis>>,
    homes: BTreeMap<ValueId, Home>,
    defined: BTreeSet<String>,
    definitions: Vec<String>,
}

/// Writes a kernel.
///
/// # Errors
/// For what there is no code for: the interpreter runs that.
pub fn generate(program: &Program, kernel: KernelId, dialect: &Dialect) -> Result<Module, Unsupported> {
    generate_for(program, kernel, dialect, CAPACITY)
}

/// Writes a kernel for launches whose private arrays have no more than so many elements, where the launch says how many.
///
/// # Errors
/// For what there is no code for: the interpreter runs that.
pub fn generate_for(
    program: &Program,
    kernel: KernelId,
    dialect: &Dialect,
    capacity: u64,
) -> Result<Module, Unsupported> {
    let kernel = &*split_mixed(program.kernel(kernel), &program.monoids);
    let layout = Layout::new(kernel);
    let sites = sites(program, kernel);
    let mut writer = Writer {
        program,
        kernel,
        dialect,
        layout,
        space: Vec::new(),
        scratch: Vec::new(),
        sites: sites.keys().copied().collect(),
        entries: Vec::new(),
        sorts: Vec::new(),
        private_sizes: Vec::new(),
        capacity,
        inner: false,
        destinations: Vec::new(),
        homes: BTreeMap::new(),
        defined: BTreeSet::new(),
        definitions: Vec::new(),
    };
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
    let text = whole(dialect, &body, &entries, &Told { n_words, numbers: layout.numbers(kernel) });
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

/// The sites of a kernel, each with the level of its points.
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

/// What a module has to know of its parameters.
pub(super) struct Told {
    /// How many words there are.
    pub n_words: usize,
    /// Those that may be elsewhere.
    pub numbers: Vec<Number>,
}

/// The module around the definitions.
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
            let wrappers: Vec<String> = entries
                .iter()
                .map(|Entry { name, at_once, .. }| {
                    format!(
                        "extern \"C\" __global__ void __launch_bounds__({workgroup}, {at_once}) run_{name}(GIVEN given) {{\n  \
                         Kernel kernel;\n  kernel.given = given;\n{fetched}  kernel.{name}();\n}}\n"
                    )
                })
                .collect();
            format!(
                "#define N_WORDS {}\n{}\nstruct Kernel : Operations {{\n{body}}};\n\n{}",
                told.n_words,
                dialect.library,
                wrappers.join("\n")
            )
        }
    }
}

impl Writer<'_> {
    /// Whether something is asked for the first time.
    pub fn once(&mut self, name: &str) -> bool {
        self.defined.insert(name.to_owned())
    }

    /// Adds a definition to the module.
    pub fn define(&mut self, text: impl Into<String>) {
        let mut text = text.into();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.definitions.push(text);
    }

    /// Types of the kernel's values.
    pub fn scope(&self) -> Scope<'_> {
        Scope::new(&self.kernel.values)
    }

    /// The type of what a combinator binds, or of a parameter: of each of its elements.
    pub fn elem(&self, value: ValueId) -> ScalarType {
        match &self.kernel.values[value.index()].ty {
            nestled_ir::Type::Array(array) => array.elem,
            nestled_ir::Type::Dim | nestled_ir::Type::Seg(_) => ScalarType::Idx,
        }
    }

    /// The types of the results of a combinator's thunk.
    pub fn result_types(&self, step: &Combinator) -> Vec<ScalarType> {
        let ty = |&atom| {
            self.scope().thunk_atom(&step.body, atom).expect("the verifier checks the operands of thunks")
        };
        step.body.body.results.iter().map(ty).collect()
    }

    /// Refuses what the machine does not have.
    pub fn need(&self, repr: Repr) -> Result<(), Unsupported> {
        match repr {
            Repr::I64 if !self.dialect.int64 => Err(Unsupported::new("64-bit integers on this device")),
            Repr::F64 if !self.dialect.float64 => Err(Unsupported::new("64-bit floats on this device")),
            _ => Ok(()),
        }
    }

    fn check_types(&self) -> Result<(), Unsupported> {
        for value in &self.kernel.values {
            if let nestled_ir::Type::Array(array) = &value.ty
                && array.elem != ScalarType::Idx
            {
                self.need(Repr::of(array.elem))?;
            }
        }
        Ok(())
    }

    /// Where a value lies, if it does.
    pub fn home(&self, value: ValueId) -> Option<Home> {
        self.homes.get(&value).copied()
    }

    /// Takes scratch: the word that has its address.
    pub fn take_scratch(&mut self, size: Size, words: u64) -> u32 {
        self.take(Scratch { size, words, ones: false })
    }

    /// Takes scratch.
    pub fn take(&mut self, scratch: Scratch) -> u32 {
        let at = self.layout.add_scratch();
        self.scratch.push(scratch);
        self.layout.scratch(at)
    }

    /// The size of a destination of which nothing leaves.
    pub fn destination(&mut self, dest: &Shape) -> Size {
        self.destinations.push(dest.axes.clone());
        Size::Destination(self.destinations.len() - 1)
    }

    fn find_homes(&mut self, passes: &[Pass]) {
        let kernel = self.kernel;
        for (at, &value) in kernel.ret.iter().enumerate() {
            let word = self.layout.result(at);
            let level = self.bind_level(value);
            self.homes.entry(value).or_insert(Home { word, level, lies: Lies::InBuffer });
        }
        for value in plan::carried(kernel, passes) {
            let level = self.bind_level(value);
            let words = crate::repr::words(self.elem(value));
            let word = self.take_scratch(Size::Level(level), words);
            self.homes.insert(value, Home { word, level, lies: Lies::InScratch });
        }
    }

    /// The level of the points that hold a value.
    pub fn bind_level(&self, value: ValueId) -> usize {
        let Some((_, step)) = self.kernel.binder(value) else { return 0 };
        match &step.kind {
            CombinatorKind::Reduce { to, .. } => to.0,
            _ => step.level().0,
        }
    }

    /// The positions among the results at which a value leaves: the same may leave twice.
    pub fn results_of(&self, value: ValueId) -> Vec<usize> {
        (0..self.kernel.ret.len()).filter(|&at| self.kernel.ret[at] == value).collect()
    }

    /// The number of a site's word.
    pub fn slot(&self, site: SiteId) -> usize {
        self.sites.binary_search(&site).expect("sites were collected")
    }

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
