//! A test harness for operations: compiles small functions, runs them on many values, and compares the results with the interpreter.
//!
//! `unsafe`: it calls the code it has compiled.
#![allow(unsafe_code)]

use super::values::{Noise, few, interesting};
use super::*;
use crate::codegen::emit::{llvm_type, memory_type};
use crate::codegen::value::Depth;
use nestled_llvm::object::{Code, Symbols};
use std::collections::BTreeSet;

/// A compilation target of the tests.
#[derive(Clone, Debug)]
pub struct Machine {
    pub target: Target,
    pub processor: Processor,
    pub passes: &'static str,
}

/// The form in which an operand is given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Given {
    Vector,
    Uniform,
    Literal(Scalar),
    /// With a stride.
    Linear(i64),
    Narrow,
}

#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub ty: ScalarType,
    pub given: Given,
}

type Write = dyn Fn(&mut Emit<'_>, &[Val]) -> Vec<Val>;
type Expect = dyn Fn(&[Scalar]) -> Vec<Scalar>;

/// A function to compile, with its expected results.
pub struct Case {
    pub name: String,
    pub operands: Vec<Operand>,
    pub results: Vec<ScalarType>,
    pub write: Box<Write>,
    pub expect: Box<Expect>,
}

/// Maximum number of operands and results of a case.
const MOST: usize = 4;

type Function = extern "C" fn(*const *const u8, *const *mut u8, i64);

/// True if bits are equal, or both values are NaNs.
pub fn agree(a: Scalar, b: Scalar) -> bool {
    a == b || (a.is_nan() && b.is_nan() && a.ty() == b.ty())
}

/// Returns all tuples with one value from each list.
pub fn product(lists: &[Vec<Scalar>]) -> Vec<Vec<Scalar>> {
    lists.iter().fold(vec![Vec::new()], |tuples, list| {
        let longer = |tuple: &Vec<Scalar>, value: Scalar| [tuple.as_slice(), &[value]].concat();
        tuples
            .iter()
            .flat_map(|tuple| list.iter().map(|&value| longer(tuple, value)).collect::<Vec<_>>())
            .collect()
    })
}

/// Compiles the cases and compares on all combinations of interesting values.
pub fn check(llvm: &Llvm, machine: &Machine, lanes: usize, cases: &[Case]) {
    let code = compile(llvm, machine, lanes, cases);
    for (number, case) in cases.iter().enumerate() {
        let values = if case.operands.len() > 2 { few } else { interesting };
        let is_fixed = |operand: &&Operand| !matches!(operand.given, Given::Vector | Given::Narrow);
        let list = |operand: &Operand| match operand.given {
            Given::Literal(literal) => vec![literal],
            Given::Narrow => {
                values(ScalarType::I32).iter().map(|v| Scalar::Idx(v.as_integer().unwrap())).collect()
            }
            _ => values(operand.ty),
        };
        let fixed: Vec<Vec<Scalar>> = case.operands.iter().filter(is_fixed).map(list).collect();
        let free: Vec<Vec<Scalar>> = case.operands.iter().filter(|o| !is_fixed(o)).map(list).collect();
        let mut rows: Vec<Vec<Scalar>> = product(&free);
        let padding = rows[0].clone();
        rows.resize(rows.len().next_multiple_of(lanes), padding);
        let mut runner = Runner::new(&code, number, case, lanes);
        for fixed in product(&fixed) {
            for rows in rows.chunks(lanes) {
                let merged = rows.iter().map(|free| {
                    let (mut fixed, mut free) = (fixed.iter(), free.iter());
                    let pick = |o: &Operand| *if is_fixed(&o) { fixed.next() } else { free.next() }.unwrap();
                    case.operands.iter().map(pick).collect::<Vec<Scalar>>()
                });
                let merged: Vec<Vec<Scalar>> = merged.collect();
                runner.run(&merged, llvm, machine);
            }
        }
    }
}

/// Compiles the cases, all of them on vectors, and compares on `n` random values.
pub fn check_noise(llvm: &Llvm, machine: &Machine, lanes: usize, cases: &[Case], n: usize) {
    let code = compile(llvm, machine, lanes, cases);
    let mut noise = Noise::new(1);
    for (number, case) in cases.iter().enumerate() {
        let mut runner = Runner::new(&code, number, case, lanes);
        for _ in 0..n / lanes {
            let mut row = || case.operands.iter().map(|operand| noise.scalar(operand.ty)).collect();
            let rows: Vec<Vec<Scalar>> = (0..lanes).map(|_| row()).collect();
            runner.run(&rows, llvm, machine);
        }
    }
}

fn compile(llvm: &Llvm, machine: &Machine, lanes: usize, cases: &[Case]) -> Code {
    let mut declarations = BTreeSet::new();
    let mut functions = String::new();
    for (number, case) in cases.iter().enumerate() {
        let (body, declared) = function(machine, lanes, case);
        let bits = machine.target.vector_bits;
        let attributes = format!("\"prefer-vector-width\"=\"{bits}\" \"min-legal-vector-width\"=\"0\"");
        functions +=
            &format!("define void @f{number}(ptr %in, ptr %out, i64 %first) {attributes} {{\n{body}}}\n");
        declarations.extend(declared);
    }
    let text = declarations.into_iter().collect::<Vec<String>>().join("\n") + "\n" + &functions;
    let options =
        CompileOptions { passes: machine.passes.to_string(), processor: machine.processor, level: 2 };
    let object = llvm.compile(&text, &options).unwrap_or_else(|error| panic!("{llvm:?}: {error}"));
    let symbols = Symbols::c_memory().with_c_math();
    Code::load(&object, &symbols)
        .unwrap_or_else(|error| panic!("{llvm:?}, {machine:?}, {lanes} lanes: {error}"))
}

/// Emits the body of a case's function: `%in` and `%out` point to the addresses of operands and results.
fn function(machine: &Machine, lanes: usize, case: &Case) -> (String, BTreeSet<String>) {
    let mut emit = Emit::new(&machine.target, lanes);
    emit.first_lane = "%first".into();
    let mut args = Vec::new();
    for (number, operand) in case.operands.iter().enumerate() {
        let slot = emit.define_at(Depth::Entry, format_args!("getelementptr ptr, ptr %in, i64 {number}"));
        let data = emit.define_at(Depth::Entry, format_args!("load ptr, ptr {slot}"));
        args.push(load(&mut emit, *operand, &data));
    }
    let results = (case.write)(&mut emit, &args);
    assert_eq!(results.iter().map(|val| val.ty).collect::<Vec<_>>(), case.results, "{}", case.name);
    for (number, result) in results.iter().enumerate() {
        let mut vector = emit.vector(result);
        let wide = emit.wide(memory_type(result.ty));
        if result.ty == ScalarType::Bool {
            let bits = emit.wide("i1");
            vector = emit.define(format_args!("zext {bits} {vector} to {wide}"));
        }
        let slot = emit.define(format_args!("getelementptr ptr, ptr %out, i64 {number}"));
        let data = emit.define(format_args!("load ptr, ptr {slot}"));
        emit.line(format_args!("store {wide} {vector}, ptr {data}, align 1"));
    }
    emit.line("ret void");
    (emit.text.finish(), emit.declarations)
}

fn load(emit: &mut Emit<'_>, operand: Operand, data: &str) -> Val {
    let Operand { ty, given } = operand;
    match given {
        Given::Literal(literal) => Val::constant(literal),
        Given::Linear(stride) => {
            let base = emit.define_at(Depth::Entry, format_args!("load i64, ptr {data}, align 1"));
            Val::linear(base, stride, Depth::Entry)
        }
        Given::Narrow => {
            let wide = emit.wide("i32");
            Val::narrow(emit.define(format_args!("load {wide}, ptr {data}, align 1")))
        }
        Given::Uniform => {
            let memory = memory_type(ty);
            let mut name = emit.define_at(Depth::Entry, format_args!("load {memory}, ptr {data}, align 1"));
            if ty == ScalarType::Bool {
                name = emit.define_at(Depth::Entry, format_args!("trunc i8 {name} to i1"));
            }
            Val::uniform(ty, Depth::Entry, name)
        }
        Given::Vector => {
            let (memory, element) = (emit.wide(memory_type(ty)), emit.wide(llvm_type(ty)));
            let mut name = emit.define(format_args!("load {memory}, ptr {data}, align 1"));
            if ty == ScalarType::Bool {
                name = emit.define(format_args!("trunc {memory} {name} to {element}"));
            }
            Val::varying(ty, name)
        }
    }
}

/// Calls one function repeatedly.
struct Runner<'a> {
    case: &'a Case,
    function: Function,
    lanes: usize,
    calls: i64,
    operands: [Vec<u8>; MOST],
    results: [Vec<u8>; MOST],
}

impl<'a> Runner<'a> {
    /// The code must outlive it.
    fn new(code: &'a Code, number: usize, case: &'a Case, lanes: usize) -> Runner<'a> {
        let function = code.function(&format!("f{number}")).unwrap();
        // SAFETY: `compile` gives all functions this type.
        let function = unsafe { std::mem::transmute::<*const (), Function>(function) };
        let room = || std::array::from_fn(|_| vec![0; 8 * lanes]);
        Runner { case, function, lanes, calls: 0, operands: room(), results: room() }
    }

    /// Runs one row of operands per lane; uniform operands come from the first row.
    fn run(&mut self, rows: &[Vec<Scalar>], llvm: &Llvm, machine: &Machine) {
        let first = [0, 24, -5, 1 << 40][self.calls as usize % 4];
        self.calls += 1;
        for (position, operand) in self.case.operands.iter().enumerate() {
            let size = if operand.given == Given::Narrow { 4 } else { operand.ty.size() };
            for (lane, row) in rows.iter().enumerate() {
                let bytes = row[position].to_bits().to_le_bytes();
                self.operands[position][lane * size..][..size].copy_from_slice(&bytes[..size]);
            }
        }
        let operands: [*const u8; MOST] = std::array::from_fn(|i| self.operands[i].as_ptr());
        let results: [*mut u8; MOST] = std::array::from_fn(|i| self.results[i].as_mut_ptr());
        // The function reads and writes at most W values of 8 bytes behind each address.
        (self.function)(operands.as_ptr(), results.as_ptr(), first);
        for lane in 0..self.lanes {
            let args: Vec<Scalar> = self.arguments(rows, lane, first);
            let expected = (self.case.expect)(&args);
            for (position, (&ty, &expected)) in self.case.results.iter().zip(&expected).enumerate() {
                let mut bytes = [0; 8];
                bytes[..ty.size()].copy_from_slice(&self.results[position][lane * ty.size()..][..ty.size()]);
                let found = Scalar::from_bits(ty, u64::from_le_bytes(bytes));
                let case = || format!("{} {:?}\n{llvm:?} {machine:?}", self.case.name, self.case.operands);
                let lanes = self.lanes;
                assert!(
                    agree(found, expected),
                    "{args:?} gives {found:?}, not {expected:?}, in lane {lane} of {lanes}: {}",
                    case()
                );
            }
        }
    }

    fn arguments(&self, rows: &[Vec<Scalar>], lane: usize, first: i64) -> Vec<Scalar> {
        let argument = |(position, operand): (usize, &Operand)| match operand.given {
            Given::Linear(stride) => {
                let base = rows[0][position].as_integer().unwrap();
                let steps = first.wrapping_add(lane as i64);
                Scalar::Idx(base.wrapping_add(stride.wrapping_mul(steps)))
            }
            Given::Uniform | Given::Literal(_) => rows[0][position],
            Given::Vector | Given::Narrow => rows[lane][position],
        };
        self.case.operands.iter().enumerate().map(argument).collect()
    }
}
