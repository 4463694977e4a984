//! The LLVM module of a kernel: its functions, and the tables that the driver needs to run them.

use super::Unsupported;
use super::apply;
use super::code_tables::{CodeTables, PrivateSize};
use super::fault::FaultSites;
use super::function::Shared;
use super::function_merging::merge_functions;
use super::lane::PrivateBuffer;
use super::launch_table::Slots;
use super::nest::{self, FunctionText, NestPlan};
use super::segment_search::SEGMENT_SEARCH;
use nestled_ir::{CombinatorKind, Kernel, KernelId, Program, Scalar, ScalarType};
use nestled_kernel::memory::Stored;
use nestled_kernel::nest::{At, Item, Nest};
use nestled_kernel::risk::{Risk, risks};
use nestled_kernel::rolling::Band;
use nestled_kernel::{Sizes, Target, stream};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A kernel as text, with the tables that its code refers to.
#[derive(Clone, PartialEq, Debug)]
pub struct Generated {
    /// The LLVM text.
    pub text: String,
    /// The tables.
    pub tables: CodeTables,
}

/// Everything that the driver needs to run a kernel beside its code and tables. It follows from the [plan](nestled_kernel::Plan), without text.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kernel, in normal form.
    pub kernel: Kernel,
    /// The nests, in order.
    pub nests: Vec<NestPlan>,
    /// The risk of each nest after a fault.
    pub risks: Vec<Risk>,
    /// Nests that run band by band.
    pub bands: Vec<Band>,
    /// Arrays that live as long as a launch: level and type.
    pub stored: Vec<(Stored, ScalarType)>,
    /// Scatters that combine in order, by step. Each has a function.
    pub applies: BTreeSet<usize>,
    /// Scatters that combine in tables, by step, with the initial value of tables for each component. Each has a function that merges two tables.
    pub merges: BTreeMap<usize, Vec<Scalar>>,
    /// The results that are written in whole vectors, from front to back.
    pub streamed: Vec<Streamed>,
}

/// A result that is written in whole vectors, from front to back.
#[derive(Clone, Copy, Debug)]
pub struct Streamed {
    /// Its position in `ret`.
    pub result: usize,
    /// Bytes of an element.
    pub size: usize,
    /// The level of its points, if they are walked row by row.
    pub rows: Option<usize>,
}

impl Plan {
    /// Derives the driver's plan.
    pub fn new(program: &Program, planned: &nestled_kernel::Plan) -> Plan {
        let (kernel, nests) = (&planned.kernel, &planned.nests);
        let (mut applies, mut merges) = (BTreeSet::new(), BTreeMap::new());
        for step in 0..kernel.steps.len() {
            if stream::way(program, kernel, step) == stream::Way::Combine {
                merges.extend(stream::table_start(program, kernel, step).map(|start| (step, start)));
            } else if apply::applies(kernel, step) {
                applies.insert(step);
            }
        }
        let stored = planned.memory.stored.iter().map(|stored| (*stored, kernel.elem(stored.bind))).collect();
        // Values of bands should stay in the caches.
        let streamed = if planned.bands.is_empty() { streamed(kernel, nests) } else { Vec::new() };
        let risks = risks(program, kernel, nests);
        let nests = (0..nests.len()).map(|number| NestPlan::new(program, planned, number)).collect();
        let (kernel, bands) = (kernel.clone(), planned.bands.clone());
        Plan { kernel, nests, risks, bands, stored, applies, merges, streamed }
    }
}

/// Plans a kernel and generates its code; `wide` if extents may reach 2³¹.
///
/// # Errors
/// If the kernel uses an unsupported construct.
pub fn generate(
    program: &Program,
    kernel: KernelId,
    wide: bool,
    target: &Target,
) -> Result<Generated, Unsupported> {
    let sizes = Sizes { wide, streaming: false };
    write(program, &nestled_kernel::plan(program, program.kernel(kernel), target, sizes))
}

/// Plans a kernel with results larger than the caches and generates its code: its stores are non-temporal. Results then begin at multiples of 64 bytes. Bits
/// are the same.
///
/// # Errors
/// As [`generate`].
pub fn generate_streaming(
    program: &Program,
    kernel: KernelId,
    wide: bool,
    target: &Target,
) -> Result<Generated, Unsupported> {
    let sizes = Sizes { wide, streaming: true };
    write(program, &nestled_kernel::plan(program, program.kernel(kernel), target, sizes))
}

/// Generates the code of a planned kernel.
///
/// # Errors
/// If the kernel uses an unsupported construct.
pub fn write(program: &Program, planned: &nestled_kernel::Plan) -> Result<Generated, Unsupported> {
    let kernel = &planned.kernel;
    let mut shared = Shared {
        program,
        kernel,
        plan: planned,
        slots: Slots::default(),
        faults: FaultSites::default(),
        wide: planned.sizes.wide,
        refused: None,
    };
    let mut texts = Vec::new();
    for number in 0..planned.nests.len() {
        texts.extend(nest::functions(&mut shared, number)?);
    }
    for step in 0..kernel.steps.len() {
        if stream::way(program, kernel, step) == stream::Way::Combine {
            texts.extend(apply::merge_function(&mut shared, step));
        } else {
            texts.extend(apply::apply_function(&mut shared, step));
        }
    }
    if let Some(refused) = shared.refused.take() {
        return Err(refused);
    }
    merge_functions(&mut texts);
    let text = module_text(&texts, &planned.target);
    let sizes = |text: &FunctionText| text.privates.iter().map(size_of_buffer).collect();
    let with_some = texts.iter().filter(|text| !text.privates.is_empty());
    let privates = with_some.map(|text| (text.name.as_str().into(), sizes(text))).collect();
    let (slots, faults) = (shared.slots.layout, shared.faults.templates);
    Ok(Generated { text, tables: CodeTables { slots, faults, privates } })
}

fn size_of_buffer(buffer: &PrivateBuffer) -> PrivateSize {
    PrivateSize { size: buffer.size, elem: buffer.elem, lanes: buffer.lanes }
}

fn streamed(kernel: &Kernel, nests: &[Nest]) -> Vec<Streamed> {
    let mut list = Vec::new();
    for (result, value) in kernel.ret.iter().enumerate() {
        let Some((step, combinator)) = kernel.binder(*value) else { continue };
        let own = |nest: &&Nest| {
            nest.items.iter().any(|&Item { step: other, at }| other == step && at == At::Element(0))
        };
        let nest = nests.iter().find(own).filter(|nest| nest.streams());
        let vectors = matches!(combinator.kind, CombinatorKind::Map | CombinatorKind::Scan { .. });
        if let Some(nest) = nest.filter(|_| vectors && !kernel.ret[..result].contains(value)) {
            let rows = (!nest.flat && nest.level > 1).then_some(nest.level);
            list.push(Streamed { result, size: kernel.elem(*value).size(), rows });
        }
    }
    list
}

fn module_text(texts: &[FunctionText], target: &Target) -> String {
    let mut module = String::new();
    let mut declarations: BTreeSet<&str> = BTreeSet::new();
    for text in texts {
        module.push_str(&text.text);
        module.push('\n');
        declarations.extend(text.declarations.iter().map(String::as_str));
    }
    for function in [SEGMENT_SEARCH, super::FAULT_FUNCTION] {
        let name = function.split(['@', '(']).nth(1).unwrap_or_default();
        if module.contains(&format!("@{name}(")) {
            module.push_str(function);
        }
    }
    for declaration in declarations {
        module.push_str(declaration);
        module.push('\n');
    }
    // Registers that do not suffice are kept on the stack. LLVM aligns what it keeps there only if it knows before it chooses registers that the stack will be aligned; callers align it
    // to 16 bytes, where most vectors would lie across two lines of the cache: a load that follows its store closely then takes several times as long, on some runs and not on others.
    let (bits, bytes) = (target.vector_bits, target.vector_bits / 8);
    let _ = writeln!(
        module,
        "attributes #0 = {{ nounwind alignstack={bytes} \"prefer-vector-width\"=\"{bits}\" \"min-legal-vector-width\"=\"{bits}\" }}"
    );
    module.push_str("!0 = !{i32 1}\n");
    module
}
