//! A test driver: runs the first combinator of a kernel, a `map` over its elements, row by row. The function takes a table of words (scalars,
//! extents, addresses, the outer coordinates and positions) and runs along the last axis. The interior version runs where its assumptions hold.
//!
//! `unsafe`: it calls the code it has compiled.
#![allow(unsafe_code)]

use super::inputs::Inputs;
use crate::codegen::FAULT_FUNCTION;
use crate::codegen::emit::{Emit, llvm_type, memory_type};
use crate::codegen::fault::{FaultRecord, FaultSites, FaultTemplate};
use crate::codegen::lane::{Lane, Outcome, PrivateBuffer, Privates};
use crate::codegen::point::{ArrayRef, Assumed, AxisRef, Captures, Point, StepRef};
use crate::codegen::value::{Depth, Val};
use nestled_ir::interp::{Fault, FaultKind, KernelRun};
use nestled_ir::value::{Array, AxisValue, Bindings, Buffer, Layout, Lengths, Step, Value};
use nestled_ir::{Atom, Axis, Form, Kernel, Placement, Program, Scalar, ScalarType, SiteId, Type, ValueId};
use nestled_kernel::Target;
use nestled_llvm::object::{Code, Symbols};
use nestled_llvm::{CompileOptions, Llvm};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

static LLVM: LazyLock<Llvm> = LazyLock::new(|| Llvm::load().expect("an LLVM"));

/// The contents of a word of the table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Word {
    Scalar(ValueId),
    /// The length of the segments of a regular segmentation.
    Length(ValueId),
    Offsets(ValueId),
    Data(ValueId),
    Starts(ValueId),
    Coordinate(usize),
    Position(usize),
    /// The position of the row's first point.
    RowStart,
}

/// The words that the code reads.
#[derive(Default)]
struct Table {
    words: Vec<Word>,
    names: HashMap<(Word, &'static str), Arc<str>>,
}

impl Table {
    fn get(&mut self, emit: &mut Emit<'_>, word: Word, ty: &'static str) -> std::rc::Rc<str> {
        if let Some(name) = self.names.get(&(word.clone(), ty)) {
            return (**name).into();
        }
        let number = self.words.len();
        self.words.push(word.clone());
        let entry = emit.define_at(Depth::Entry, format_args!("getelementptr i64, ptr %table, i64 {number}"));
        let name = emit.define_at(Depth::Entry, format_args!("load {ty}, ptr {entry}"));
        self.names.insert((word, ty), (*name).into());
        name
    }

    fn index(&mut self, emit: &mut Emit<'_>, word: Word) -> Val {
        let depth = match word {
            Word::Coordinate(_) | Word::Position(_) | Word::RowStart => Depth::Row,
            _ => Depth::Entry,
        };
        Val::uniform(ScalarType::Idx, depth, self.get(emit, word, "i64"))
    }
}

/// A function with the words that it reads.
struct Function {
    words: Vec<Word>,
    buffers: Vec<PrivateBuffer>,
    templates: Vec<FaultTemplate>,
}

/// A compiled kernel.
pub struct Driver {
    code: Code,
    lanes: usize,
    boundary: Function,
    interior: Function,
}

type Entry = extern "C" fn(
    table: *const u64,
    fault: *mut FaultRecord,
    privates: *const *const u8,
    outs: *const *mut u8,
    from: i64,
    to: i64,
) -> i64;

impl Driver {
    pub fn new(program: &Program, kernel: &Kernel, bits: Option<u32>, lanes: usize) -> Driver {
        let target = crate::codegen::host(bits);
        let mut declarations = BTreeSet::new();
        let (boundary, first) = write(program, kernel, &target, lanes, false, &mut declarations);
        let (interior, second) = write(program, kernel, &target, lanes, true, &mut declarations);
        let declarations: Vec<String> = declarations.into_iter().collect();
        // Loops poll an interrupt flag.
        let text = format!(
            "@nobody = internal global i8 0\n{}\n{FAULT_FUNCTION}\n{first}\n{second}",
            declarations.join("\n")
        );
        let passes = std::env::var("NESTLED_TEST_PASSES").unwrap_or("mem2reg,early-cse,simplifycfg".into());
        let options = CompileOptions { passes, ..CompileOptions::default() };
        let compiled = LLVM.compile(&text, &options);
        let object = compiled.unwrap_or_else(|error| panic!("{}: {error}\n{text}", kernel.name));
        if std::env::var_os("NESTLED_TEST_ASSEMBLY").is_some() {
            println!("{text}\n{}", LLVM.assembly(&text, &options).expect("compiled above"));
        }
        let code = Code::load(&object, &Symbols::c_memory()).expect("good code");
        Driver { code, lanes, boundary, interior }
    }

    pub fn run(&self, program: &Program, kernel: &Kernel, inputs: &Inputs) -> KernelRun {
        let mut bindings =
            Bindings::of_arguments(&kernel.values, &kernel.shapes, &inputs.shapes).expect("good inputs");
        bindings.unify_arguments(&kernel.params, &inputs.args).expect("good inputs");
        let space = Layout::new(&bindings.axes_of(&kernel.space).expect("known"));
        let memory = Memory::new(kernel, inputs, &bindings);
        let step = &kernel.steps[0];
        let n_points = space.points() as usize;
        let types: Vec<ScalarType> = step.binds.iter().map(|bind| kernel.elem(*bind)).collect();
        let mut outs: Vec<Vec<u8>> = types.iter().map(|ty| vec![0; n_points * ty.size() + 256]).collect();
        let pointers: Vec<*mut u8> = outs.iter_mut().map(|out| out.as_mut_ptr()).collect();
        let mut record = FaultRecord::NONE;
        let mut kind = None;
        rows(&space, &mut |coordinates, positions, start, count| {
            let mut from = 0;
            while from < count {
                let block = self.lanes as i64;
                let to = (from + block).min(count);
                let mut call = |name: &str, function: &Function| {
                    let table = memory.table(&function.words, coordinates, positions, start);
                    let buffers = memory.buffers(&function.buffers);
                    let buffers: Vec<*const u8> =
                        buffers.iter().map(|buffer| buffer.as_ptr().cast()).collect();
                    let entry = self.code.function(name).expect("it is in the text");
                    // SAFETY: `write` gives it this type.
                    let entry = unsafe { std::mem::transmute::<*const (), Entry>(entry) };
                    let before = record;
                    let done =
                        entry(table.as_ptr(), &mut record, buffers.as_ptr(), pointers.as_ptr(), from, to);
                    if record != before {
                        kind = Some(function.templates[record.template as usize].clone());
                    }
                    done != 0
                };
                if !(to - from == block && call("interior", &self.interior)) {
                    call("boundary", &self.boundary);
                }
                from = to;
            }
        });
        let values = outs.iter().zip(&types).map(|(bytes, &ty)| {
            let scalars: Vec<Scalar> = (0..n_points).map(|point| get(bytes, ty, point)).collect();
            let ret = &kernel.values[kernel.ret[0].index()].ty;
            let Type::Array(ret) = ret else { unreachable!("a map leaves as an array") };
            let shape = bindings.shape(&ret.shape).expect("known");
            Value::Array(Array::dense(shape, Buffer::from_scalars(ty, &scalars)))
        });
        let values = values.collect();
        let fault = kind.map(|template| {
            let kind = match template {
                FaultTemplate::OutOfRange { array } => {
                    FaultKind::OutOfRange { index: record.a, extent: record.b as u64, array }
                }
                FaultTemplate::Check { code } => FaultKind::Check { code },
                FaultTemplate::Class { .. } | FaultTemplate::Collision => unreachable!("not of a thunk"),
            };
            Fault::new(program, SiteId(record.site as u32), record.element as u64, kind)
        });
        KernelRun { values, fault }
    }
}

/// The action for a row: outer coordinates, positions of all levels but the last, the row's start and its length.
type VisitRow<'v> = dyn FnMut(&[i64], &[i64], i64, i64) + 'v;

/// Calls `visit` on each row.
fn rows(space: &Layout, visit: &mut VisitRow<'_>) {
    fn go(steps: &[Step], coordinates: &mut Vec<i64>, positions: &mut Vec<i64>, visit: &mut VisitRow<'_>) {
        let (start, extent) = steps[0].segment(*positions.last().expect("level 0") as u64);
        if steps.len() == 1 {
            return visit(coordinates, positions, start as i64, extent as i64);
        }
        for k in 0..extent {
            coordinates.push(k as i64);
            positions.push((start + k) as i64);
            go(&steps[1..], coordinates, positions, visit);
            coordinates.pop();
            positions.pop();
        }
    }
    if space.points() > 0 {
        go(space.steps(), &mut Vec::new(), &mut vec![0], visit);
    }
}

fn get(bytes: &[u8], ty: ScalarType, at: usize) -> Scalar {
    let mut bits = [0; 8];
    bits[..ty.size()].copy_from_slice(&bytes[at * ty.size()..(at + 1) * ty.size()]);
    Scalar::from_bits(ty, u64::from_le_bytes(bits))
}

/// The arguments as bytes, each with room to read past its end.
struct Memory<'a> {
    kernel: &'a Kernel,
    inputs: &'a Inputs,
    data: HashMap<Word, Vec<u64>>,
    bindings: &'a Bindings<'a>,
}

fn words_of(bytes: impl Iterator<Item = u8>) -> Vec<u64> {
    let mut bytes: Vec<u8> = bytes.collect();
    // Values read past the end are ignored, so they should be conspicuous.
    bytes.resize(bytes.len().next_multiple_of(8) + 256, 0xa5);
    bytes.chunks(8).map(|chunk| u64::from_le_bytes(chunk.try_into().expect("of eight"))).collect()
}

impl<'a> Memory<'a> {
    fn new(kernel: &'a Kernel, inputs: &'a Inputs, bindings: &'a Bindings<'a>) -> Memory<'a> {
        let mut data = HashMap::new();
        for (&shape, axis) in kernel.shapes.iter().zip(&inputs.shapes) {
            if let AxisValue::Seg(seg) = axis
                && let Lengths::Offsets(offsets) = &seg.lengths
            {
                let bytes = offsets.iter().flat_map(|offset| offset.to_le_bytes());
                data.insert(Word::Offsets(shape), words_of(bytes));
            }
        }
        for (&param, arg) in kernel.params.iter().zip(&inputs.args) {
            if let Value::Array(array) = arg {
                let bytes = (0..array.data.len()).flat_map(|at| {
                    let scalar = array.data.get(at);
                    scalar.to_bits().to_le_bytes()[..scalar.ty().size()].to_vec()
                });
                data.insert(Word::Data(param), words_of(bytes));
                if let Some(starts) = &array.starts {
                    let bytes = starts.iter().flat_map(|start| start.to_le_bytes());
                    data.insert(Word::Starts(param), words_of(bytes));
                }
            }
        }
        Memory { kernel, inputs, data, bindings }
    }

    fn scalar(&self, value: ValueId) -> Scalar {
        let shape = self.kernel.shapes.iter().position(|&shape| shape == value);
        let param = self.kernel.params.iter().position(|&param| param == value);
        match (shape, param) {
            (Some(shape), _) => match &self.inputs.shapes[shape] {
                AxisValue::Extent(extent) => Scalar::Idx(*extent as i64),
                AxisValue::Seg(_) => unreachable!("not a scalar"),
            },
            (None, Some(param)) => self.inputs.args[param].as_scalar().expect("a scalar"),
            (None, None) => unreachable!("not a parameter"),
        }
    }

    fn table(&self, words: &[Word], coordinates: &[i64], positions: &[i64], start: i64) -> Vec<u64> {
        let word = |word: &Word| match word {
            Word::Scalar(value) => self.scalar(*value).to_bits(),
            Word::Length(seg) => match self.bindings.axis(Axis::Sym(*seg)) {
                Some(AxisValue::Seg(seg)) => match seg.lengths {
                    Lengths::Regular { length } => length,
                    Lengths::Offsets(_) => unreachable!("regular by its type"),
                },
                _ => unreachable!("a segmentation"),
            },
            Word::Offsets(_) | Word::Data(_) | Word::Starts(_) => self.data[word].as_ptr() as u64,
            Word::Coordinate(axis) => coordinates[*axis] as u64,
            Word::Position(level) => positions[*level] as u64,
            Word::RowStart => start as u64,
        };
        words.iter().map(word).collect()
    }

    fn buffers(&self, buffers: &[PrivateBuffer]) -> Vec<Vec<u64>> {
        let buffer = |buffer: &PrivateBuffer| {
            let size = match buffer.size {
                Atom::Const(scalar) => scalar.as_integer().unwrap_or(0),
                Atom::Value(value) => self.scalar(value).as_integer().unwrap_or(0),
                Atom::Local(_) => unreachable!("the same at all points"),
            };
            vec![0xa5a5_a5a5_a5a5_a5a5; size.max(0) as usize * buffer.lanes * buffer.elem.size() / 8 + 1]
        };
        buffers.iter().map(buffer).collect()
    }
}

fn axes(emit: &mut Emit<'_>, table: &mut Table, kernel: &Kernel, shape: &[Axis]) -> Vec<AxisRef> {
    let mut steps = Vec::new();
    for &axis in shape {
        let step = match axis {
            Axis::Const(extent) => StepRef::Extent(Val::idx(extent as i64)),
            Axis::Sym(symbol) => match &kernel.values[symbol.index()].ty {
                Type::Seg(seg) => {
                    if steps.is_empty() {
                        steps = axes(emit, table, kernel, &seg.parent.axes);
                    }
                    match seg.form {
                        Form::Regular => StepRef::Extent(table.index(emit, Word::Length(symbol))),
                        Form::Offsets => StepRef::Offsets(table.get(emit, Word::Offsets(symbol), "ptr")),
                    }
                }
                Type::Dim | Type::Array(_) => StepRef::Extent(table.index(emit, Word::Scalar(symbol))),
            },
        };
        steps.push(AxisRef { axis, step });
    }
    steps
}

fn captures(emit: &mut Emit<'_>, table: &mut Table, kernel: &Kernel) -> Captures {
    let mut captures = Captures { space: axes(emit, table, kernel, &kernel.space), ..Captures::default() };
    for &value in kernel.shapes.iter().chain(&kernel.params) {
        let ty = &kernel.values[value.index()].ty;
        match ty {
            Type::Seg(_) => {
                let steps = axes(emit, table, kernel, &[Axis::Sym(value)]);
                captures.segs.insert(value, steps);
            }
            Type::Array(array) if !array.shape.is_scalar() => {
                let mut steps = axes(emit, table, kernel, &array.shape.axes);
                if array.placement == Placement::View {
                    let last = steps.pop().expect("a segmentation");
                    let starts = table.get(emit, Word::Starts(value), "ptr");
                    let step = StepRef::View { starts, lengths: Box::new(last.step) };
                    steps.push(AxisRef { axis: last.axis, step });
                }
                let data = table.get(emit, Word::Data(value), "ptr");
                captures.arrays.insert(value, ArrayRef { data, axes: steps, dereferenceable: None });
            }
            Type::Array(_) | Type::Dim => {
                let ty = ty.as_scalar().expect("a scalar");
                let name = match ty {
                    ScalarType::Bool => {
                        let byte = table.get(emit, Word::Scalar(value), "i8");
                        emit.define_at(Depth::Entry, format_args!("icmp ne i8 {byte}, 0"))
                    }
                    _ => table.get(emit, Word::Scalar(value), llvm_type(ty)),
                };
                captures.scalars.insert(value, Val::uniform(ty, Depth::Entry, name));
            }
        }
    }
    captures
}

fn write(
    program: &Program,
    kernel: &Kernel,
    target: &Target,
    lanes: usize,
    interior: bool,
    declarations: &mut BTreeSet<String>,
) -> (Function, String) {
    let mut emit = Emit::new(target, lanes);
    let mut table = Table::default();
    let captures = captures(&mut emit, &mut table, kernel);
    emit.row = emit.text.mark();
    // The assumptions are known only after the body is emitted.
    let gate = emit.text.mark();
    let (go, done) = (emit.label(), emit.label());
    emit.text.begin(go);
    emit.first_lane = "%from".into();
    let rank = kernel.space.len();
    let along = |axis: usize, val: Val| Val { coordinate: Some(axis), ..val };
    let mut coordinates: Vec<Val> =
        (0..rank - 1).map(|axis| along(axis, table.index(&mut emit, Word::Coordinate(axis)))).collect();
    coordinates.push(along(rank - 1, Val::linear("0".into(), 1, Depth::Entry)));
    let mut positions: Vec<Val> =
        (0..rank).map(|level| table.index(&mut emit, Word::Position(level))).collect();
    let start = table.index(&mut emit, Word::RowStart);
    positions.push(Val::linear(start.name, 1, Depth::Row));
    let mask = if interior {
        Val::truth(true)
    } else {
        let (lane, to) = (emit.vector(&coordinates[rank - 1]), emit.splat(Depth::Here, "i64", "%to"));
        let wide = emit.wide("i64");
        Val::varying(ScalarType::Bool, emit.define(format_args!("icmp slt {wide} {lane}, {to}")))
    };
    let point = Point { coordinates, positions, mask: mask.clone(), own: HashMap::new() };
    let (mut faults, mut privates) = (FaultSites::default(), Privates::default());
    let mut lane = Lane {
        program,
        kernel,
        captures: &captures,
        faults: &mut faults,
        privates: &mut privates,
        point: &point,
        assumed: interior.then(Assumed::default),
        beside: false,
        // Some of them as if arrays could have any size.
        wide: lanes == 8,
        alone: false,
        given: Vec::new(),
    };
    let Outcome { values, live: _ } = lane.run(&mut emit, &kernel.steps[0]).expect("small");
    let assumed = lane.assumed.take().unwrap_or_default();
    let first = emit.first(point.positions.last().expect("level 0"));
    for (number, val) in values.iter().enumerate() {
        let (element, wide) = (memory_type(val.ty), emit.wide(memory_type(val.ty)));
        let entry = emit.define(format_args!("getelementptr ptr, ptr %outs, i64 {number}"));
        let out = emit.define(format_args!("load ptr, ptr {entry}"));
        let to = emit.define(format_args!("getelementptr {element}, ptr {out}, i64 {first}"));
        let mut vector = emit.vector(val);
        if val.ty == ScalarType::Bool {
            let bits = emit.wide("i1");
            vector = emit.define(format_args!("zext {bits} {vector} to {wide}"));
        }
        let (mask, bits) = (emit.vector(&mask), emit.wide("i1"));
        let store = format!("@llvm.masked.store.v{lanes}{}.p0", super::super::emit::memory_suffix(val.ty));
        emit.declare(format!("declare void {store}({wide}, ptr, i32, {bits})"));
        emit.line(format_args!("call void {store}({wide} {vector}, ptr {to}, i32 1, {bits} {mask})"));
    }
    emit.line("ret i64 1");
    emit.text.begin(done);
    emit.line("ret i64 0");
    let mut all = emit.text.define(gate, "and i1 true, true");
    for (_, name) in &assumed.row {
        all = emit.text.define(gate, format_args!("and i1 {all}, {name}"));
    }
    for constraint in &assumed.along {
        for (end, off) in [("%from", 0), ("%to", -1)] {
            let at = emit.text.define(gate, format_args!("add i64 {end}, {off}"));
            let by = emit.text.define(gate, format_args!("mul i64 {at}, {}", constraint.stride));
            let index = emit.text.define(gate, format_args!("add i64 {by}, {}", constraint.base));
            let inside = emit.text.define(gate, format_args!("icmp ult i64 {index}, {}", constraint.extent));
            all = emit.text.define(gate, format_args!("and i1 {all}, {inside}"));
        }
    }
    emit.text.line(gate, format_args!("br i1 {all}, label %{go}, label %{done}"));
    declarations.append(&mut emit.declarations);
    let name = if interior { "interior" } else { "boundary" };
    let body = emit.text.finish();
    let text = format!(
        "define i64 @{name}(ptr %table, ptr %fault, ptr %privates, ptr %outs, i64 %from, i64 %to) {{\n\
         \x20 %slots = alloca ptr\n  store ptr @nobody, ptr %slots\n{body}}}\n"
    );
    (
        Function {
            words: table.words,
            buffers: privates.arrays,
            templates: faults.templates.into_iter().map(|(template, _)| template).collect(),
        },
        text,
    )
}
