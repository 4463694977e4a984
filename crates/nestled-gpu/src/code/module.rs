//! The module of a kernel: its definitions, entry points and scratch memory.

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

/// Initial capacity of private arrays whose sizes are known only at launch, in elements.
const CAPACITY: u64 = 32;

/// Maximum number of parameter words of a launch in CUDA C++.
const MOST_WORDS: usize = 1024;

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The number of workgroups.
    pub grid: Grid,
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

/// The storage of a value that a combinator binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    /// The word of the parameter block with its address.
    pub word: u32,
    /// The level of its points.
    pub level: usize,
    /// The storage class.
    pub lies: Lies,
}

/// The writer of a kernel's module.
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
    /// Whether thunks are emitted in their interior version.
    pub inner: bool,
    destinations: Vec<Vec<Axis>>,
    homes: BTreeMap<ValueId, Home>,
    defined: BTreeSet<String>,
    definitions: Vec<String>,
}

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

/// The parameters as far as a module's preamble depends on them.
pub(super) struct Told {
    /// Number of parameter words.
    pub n_words: usize,
    /// The numbers that may be known only to the device.
    pub numbers: Vec<Number>,
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
    /// True if the name is asked for the first time.
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

    /// Returns the types of the kernel's values.
    pub fn scope(&self) -> Scope<'_> {
        Scope::new(&self.kernel.values)
    }

    /// Returns the element type of a bound value or a parameter.
    pub fn elem(&self, value: ValueId) -> ScalarType {
        match &self.kernel.values[value.index()].ty {
            nestled_ir::Type::Array(array) => array.elem,
            nestled_ir::Type::Dim | nestled_ir::Type::Seg(_) => ScalarType::Idx,
        }
    }

    /// Returns the types of the results of a combinator's thunk.
    pub fn result_types(&self, step: &Combinator) -> Vec<ScalarType> {
        let ty = |&atom| {
            self.scope().thunk_atom(&step.body, atom).expect("the verifier checks the operands of thunks")
        };
        step.body.body.results.iter().map(ty).collect()
    }

    /// Refuses representations that the machine lacks.
    pub fn need(&self, repr: Repr) -> Result<(), Unsupported> {
        match repr {
            wide if wide.is_int64() && !self.dialect.int64 => {
                Err(Unsupported::new("64-bit integers on this device"))
            }
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

    /// Returns the storage of a value, if it has one.
    pub fn home(&self, value: ValueId) -> Option<Home> {
        self.homes.get(&value).copied()
    }

    /// Allocates scratch. Returns the word with its address.
    pub fn take_scratch(&mut self, size: Size, words: u64) -> u32 {
        self.take(Scratch { size, words, ones: false })
    }

    /// Allocates scratch, possibly initialised to ones. Returns the word with its address.
    pub fn take(&mut self, scratch: Scratch) -> u32 {
        let at = self.layout.add_scratch();
        self.scratch.push(scratch);
        self.layout.scratch(at)
    }

    /// Returns the size of a destination whose scatter has no used result.
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

    /// Returns the level of the points that hold a value.
    pub fn bind_level(&self, value: ValueId) -> usize {
        let Some((_, step)) = self.kernel.binder(value) else { return 0 };
        match &step.kind {
            CombinatorKind::Reduce { to, .. } => to.0,
            _ => step.level().0,
        }
    }

    /// Returns the positions of a value among the kernel's results; it may occur more than once.
    pub fn results_of(&self, value: ValueId) -> Vec<usize> {
        (0..self.kernel.ret.len()).filter(|&at| self.kernel.ret[at] == value).collect()
    }

    /// Returns the index of a site's fault word.
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
