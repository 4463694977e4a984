//! Objects made by every LLVM on this machine are loaded and run; damaged ones are refused or loaded, and nothing worse happens.

use super::elf::{self, Machine, Place};
use super::link::plan;
use super::*;
use crate::{CompileOptions, Llvm, Processor};

const EVERYTHING: &str = include_str!("../../tests/kernels/everything.ll");

static OUTSIDE_WORD: i64 = 99;

extern "C" fn outside_call(n: i64) -> i64 {
    n + 1
}

fn outside() -> Symbols {
    Symbols::none()
        .with("outside_call", outside_call as *const ())
        .with("outside_word", (&raw const OUTSIDE_WORD).cast())
}

fn llvms() -> Vec<Llvm> {
    let llvms: Vec<Llvm> = Llvm::all().into_iter().filter_map(|(_, llvm)| llvm.ok()).collect();
    assert!(!llvms.is_empty(), "no LLVM was found, not even the Rust toolchain's");
    llvms
}

fn compile(llvm: &Llvm, text: &str) -> Vec<u8> {
    llvm.compile(text, &CompileOptions::default()).unwrap()
}

fn call(code: &Code, name: &str, argument: i64) -> i64 {
    let function = code.function(name).unwrap();
    #[allow(unsafe_code)]
    // SAFETY: the functions of `everything.ll` called here take one integer or none, and return one; `code` is alive.
    let function = unsafe { std::mem::transmute::<*const (), extern "C" fn(i64) -> i64>(function) };
    function(argument)
}

#[test]
fn everything_compilers_emit_runs() {
    for llvm in llvms() {
        let code = Code::load(&compile(&llvm, EVERYTHING), &outside()).unwrap();
        assert_eq!(code.names().collect::<Vec<_>>(), ["choose", "constants", "count", "data"]);
        assert_eq!((0..4).map(|i| call(&code, "data", i)).collect::<Vec<_>>(), [47, 57, 67, 77]);
        assert_eq!((0..3).map(|_| call(&code, "count", 0)).collect::<Vec<_>>(), [6, 7, 8]);
        let chosen: Vec<i64> = (0..7).map(|i| call(&code, "choose", i)).collect();
        assert_eq!(chosen, [101, 57, 9, 301, 444, 99, -1]);
        assert_eq!(code.function("nothing"), None);
    }
}

#[test]
fn each_load_has_its_own_variables_and_survives_a_move() {
    let object = compile(&llvms()[0], EVERYTHING);
    let (first, second) =
        (Code::load(&object, &outside()).unwrap(), Code::load(&object, &outside()).unwrap());
    assert_eq!(call(&first, "count", 0), 6);
    let first = std::thread::spawn(move || {
        assert_eq!(call(&first, "count", 0), 7);
        first
    });
    assert_eq!(call(&second, "count", 0), 6);
    assert_eq!(call(&first.join().unwrap(), "count", 0), 8);
}

#[test]
fn pages_are_never_writable_and_executable() {
    let code = Code::load(&compile(&llvms()[0], EVERYTHING), &outside()).unwrap();
    let address = code.function("data").unwrap() as u64;
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
    let access = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let range = u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?;
        range.contains(&address).then(|| rest[..4].to_string())
    });
    assert_eq!(access.as_deref(), Some("r-xp"));
    assert!(!maps.contains(" rwx"), "{maps}");
}

#[test]
fn missing_symbols_are_named() {
    let object = compile(&llvms()[0], EVERYTHING);
    let error = Code::load(&object, &Symbols::none()).unwrap_err();
    let ObjectError::Undefined(name) = &error else { panic!("{error}") };
    assert!(name.starts_with("outside_"), "{name}");
}

#[test]
fn calls_a_compiler_makes_by_itself_are_resolved() {
    let text = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n\
                define i64 @fill(i64 %n) {\n  %p = alloca [4096 x i8], align 8\n  \
                call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 %n, i1 false)\n  \
                %q = getelementptr i8, ptr %p, i64 8\n  %x = load i64, ptr %q, align 8\n  ret i64 %x\n}\n";
    for llvm in llvms() {
        let code = Code::load(&compile(&llvm, text), &Symbols::c_memory()).unwrap();
        assert_eq!(call(&code, "fill", 4096), 0x0101_0101_0101_0101);
    }
}

#[test]
fn objects_for_other_machines_are_refused() {
    let other = match Machine::host() {
        Some(Machine::X86_64) => Processor::PlainAArch64,
        Some(Machine::AArch64) | None => Processor::PlainX86_64,
    };
    let options = CompileOptions { processor: other, ..CompileOptions::default() };
    let object = newest().compile("define void @f() { ret void }", &options).unwrap();
    assert!(matches!(Code::load(&object, &Symbols::none()), Err(ObjectError::Machine(_))));
}

fn newest() -> Llvm {
    llvms().into_iter().max_by_key(Llvm::version).unwrap()
}

fn for_aarch64(text: &str) -> Vec<u8> {
    let options = CompileOptions { processor: Processor::PlainAArch64, ..CompileOptions::default() };
    newest().compile(text, &options).unwrap()
}

/// Whatever LLVM emits for AArch64 is linked, at an address made up; it cannot be run here.
#[test]
fn everything_links_for_aarch64() {
    for base in [0x1_0000, 0x7fff_1234_5000] {
        let object = for_aarch64(EVERYTHING);
        let plan = plan(elf::read(&object).unwrap(), 4096).unwrap();
        let mut image = vec![0; plan.layout.size()];
        plan.fill(&mut image, base, &outside()).unwrap();
        assert_eq!(plan.functions().len(), 4);
    }
}

/// `adrp` and `add` or a load, decoded again, give the address of the constant; a call gives the address of the function's stub.
#[test]
fn addresses_in_aarch64_instructions_are_right() {
    let text = "@words = internal constant [2 x i64] [i64 1, i64 2]\n\
                declare i64 @outside_call(i64)\n\
                define ptr @address() { ret ptr @words }\n\
                define i64 @caller() {\n  %x = call i64 @outside_call(i64 1)\n  %y = add i64 %x, 1\n  ret i64 %y\n}\n";
    let object = for_aarch64(text);
    let elf = elf::read(&object).unwrap();
    let words = elf.symbols.iter().find(|symbol| symbol.name == "words").map(|symbol| symbol.place);
    let Some(Place::Section { index, offset }) = words else { panic!("{words:?}") };
    let plan = plan(elf, 4096).unwrap();
    let base = 0x7fff_1234_5000;
    let mut image = vec![0; plan.layout.size()];
    plan.fill(&mut image, base, &outside()).unwrap();
    let instruction = |offset: usize| u32::from_le_bytes(image[offset..offset + 4].try_into().unwrap());
    let functions = plan.functions();

    let start = functions["address"];
    let (adrp, add) = (instruction(start), instruction(start + 4));
    let distance = i64::from(adrp >> 29 & 3 | (adrp >> 5 & 0x7_ffff) << 2) << 43 >> 43;
    let page = ((base + start as u64) & !0xfff).wrapping_add_signed(distance << 12);
    let expected = base + plan.layout.sections[index].unwrap() + offset;
    assert_eq!(page + u64::from(add >> 10 & 0xfff), expected);

    let start = functions["caller"];
    let call = (start..).step_by(4).find(|&offset| instruction(offset) >> 26 == 0b10_0101).unwrap();
    let distance = i64::from(instruction(call) & 0x3ff_ffff) << 38 >> 36;
    let stub = (call as i64 + distance) as usize;
    assert_eq!((instruction(stub), instruction(stub + 4)), (0x5800_0050, 0xd61f_0200));
    let address = u64::from_le_bytes(image[stub + 8..stub + 16].try_into().unwrap());
    assert_eq!(address, outside_call as *const () as u64);
}

/// Bytes of good objects, changed at random, most of them where the tables are: loading gives an answer.
#[test]
fn damaged_objects_never_do_harm() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut loaded, mut refused) = (0, 0);
    for object in [compile(&newest(), EVERYTHING), for_aarch64(EVERYTHING)] {
        for _ in 0..20_000 {
            let damaged = damage(&object, &mut random);
            match try_to_link(&damaged) {
                Ok(()) => loaded += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(loaded > 1000 && refused > 1000, "{loaded} loaded, {refused} refused");
}

/// Links for whatever machine the object is for, and loads it if it is for this one. What is loaded is not run.
fn try_to_link(object: &[u8]) -> Result<(), ObjectError> {
    let plan = plan(elf::read(object)?, 4096)?;
    if plan.layout.size() < 1 << 20 {
        let mut image = vec![0; plan.layout.size()];
        plan.fill(&mut image, 0x7fff_1234_5000, &outside())?;
        plan.functions();
    }
    match Code::load(object, &outside()) {
        Ok(_) | Err(ObjectError::Machine(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn damage(object: &[u8], random: &mut Random) -> Vec<u8> {
    let mut damaged = object.to_vec();
    let headers = u64::from_le_bytes(object[0x28..0x30].try_into().unwrap()) as usize;
    for _ in 0..=random.below(4) {
        let position = match random.below(4) {
            0 => random.below(64),
            1 => random.below(object.len()),
            _ => headers + random.below(object.len() - headers),
        };
        damaged[position] = match random.below(3) {
            0 => 0xff,
            1 => damaged[position] ^ 1 << random.below(8),
            _ => random.below(256) as u8,
        };
    }
    if random.below(8) == 0 {
        damaged.truncate(random.below(object.len()));
    }
    damaged
}

/// Marsaglia's xorshift: the same damage in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn every_beginning_of_an_object_is_refused() {
    let object = compile(&newest(), EVERYTHING);
    for length in 0..object.len() {
        assert!(Code::load(&object[..length], &outside()).is_err(), "{length} bytes");
    }
}

#[test]
fn other_kinds_of_files_are_named() {
    let refused = |bytes: &[u8]| Code::load(bytes, &Symbols::none()).unwrap_err().to_string();
    assert_eq!(refused(b""), "not an ELF object: the first bytes differ");
    assert_eq!(refused(&[0xcf, 0xfa, 0xed, 0xfe, 0]), "not an ELF object: it is a Mach-O file");
    assert_eq!(refused(b"\x7fELF\x01\x01"), "not an ELF object: not of 64 bits, little-endian");
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    if program.starts_with(b"\x7fELF") {
        assert_eq!(refused(&program), "not an ELF object: it is linked already");
    }
}
