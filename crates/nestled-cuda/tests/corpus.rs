//! Every kernel of the data files compiles for every architecture that we care for.

use super::accepted::{Accepted, digest};
use nestled_cuda::{Architecture, Effort, Nvrtc, dialect};
use nestled_gpu::code::{Sweep, Unsupported};
use nestled_gpu::{Dialect, Module, generate, generate_native};
use nestled_ir::{KernelId, Program, text};
use nestled_rt::device::Math;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Set where the compiler has to be there: without it the test fails there instead of being skipped.
const REQUIRED: &str = "NESTLED_GPU_REQUIRED";

const ARCHITECTURES: [Architecture; 3] = [Architecture(75), Architecture(80), Architecture(90)];

#[test]
fn every_kernel_of_the_data_files_compiles() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut modules: BTreeMap<String, String> = BTreeMap::new();
    let mut without: BTreeMap<String, usize> = BTreeMap::new();
    for folder in ["tests/programs", "examples"] {
        collect(&root.join(folder), &mut modules, &mut without);
    }
    println!("{} modules; no code for {without:#?}", modules.len());
    assert!(modules.len() > 300, "only {} modules", modules.len());
    compile("programs", &modules);
}

#[test]
fn native_operations_compile() {
    let (mut modules, mut without) = (BTreeMap::new(), BTreeMap::new());
    for program in nestled_gpu::library_programs() {
        add(generate_native, &program, "native operations", &mut modules, &mut without);
    }
    assert!(modules.len() > 30 && without.is_empty(), "{} modules; no code for {without:#?}", modules.len());
    compile("native", &modules);
}

/// A program with every skeleton: scans of both kinds, filters and partitions with and without segments, reductions, maps by fours.
#[test]
fn skeletons_do_not_spill() {
    let source = include_str!("../../nestled-test/src/many/points.lcu");
    let program = text::parse("points.lcu", source).expect("it is well-formed");
    let mut modules = Vec::new();
    for at in 0..program.kernels.len() {
        for math in [Math::Default, Math::FastSums] {
            let dialect = Dialect { math, ..dialect() };
            let module = generate(&program, KernelId::from(at), &dialect).expect("there is code for it");
            modules.push((program.kernels[at].name.to_string(), module));
        }
    }
    do_not_spill("skeletons", &modules);
}

/// The sort in all its forms.
#[test]
fn sorts_do_not_spill() {
    let module = |sweep: Sweep| (format!("{sweep:?}"), sweep.module(&dialect()));
    do_not_spill("sorts", &Sweep::all().map(module).collect::<Vec<_>>());
}

#[test]
fn reading_from_many_places_compiles() {
    let Some(nvrtc) = compiler() else { return };
    for architecture in ARCHITECTURES {
        let compiled = nvrtc.compile(nestled_cuda::COLLECT, architecture, Effort::Full).expect("it compiles");
        assert!(compiled.usage.iter().all(|usage| usage.spilled == 0), "{:?}", compiled.usage);
    }
}

/// Compiles modules that are not known to compile without spills.
fn do_not_spill(kind: &str, modules: &[(String, Module)]) {
    let Some(nvrtc) = compiler() else { return };
    let accepted = Accepted::read(kind);
    let compiler = format!("NVRTC {:?} {ARCHITECTURES:?} without spills", nvrtc.version());
    let mut digests = BTreeSet::new();
    for (name, module) in modules {
        let digest = digest(&module.text, &compiler);
        if !accepted.has(&digest) {
            does_not_spill(&nvrtc, module, name);
        }
        digests.insert(digest);
    }
    accepted.keep(&digests);
}

fn does_not_spill(nvrtc: &Nvrtc, module: &Module, name: &str) {
    for architecture in ARCHITECTURES {
        let compiled = nvrtc.compile(&module.text, architecture, Effort::Full).expect("it compiles");
        assert_eq!(compiled.usage.len(), module.entries.len(), "{}", compiled.log);
        for usage in &compiled.usage {
            println!("sm_{}: {name}: {usage:?}", architecture.0);
            assert!(usage.spilled == 0, "{name}: {usage:?}");
        }
    }
}

/// The compiler, if there is one.
fn compiler() -> Option<Nvrtc> {
    match Nvrtc::open() {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            let required = std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty());
            assert!(!required, "{error}");
            eprintln!("SKIPPED: {error}");
            None
        }
    }
}

/// Compiles all modules of a kind that are not known to compile, if there is a compiler.
fn compile(kind: &str, modules: &BTreeMap<String, String>) {
    let Some(nvrtc) = compiler() else { return };
    let (accepted, compiler) =
        (Accepted::read(kind), format!("NVRTC {:?} {ARCHITECTURES:?}", nvrtc.version()));
    let digests = || modules.keys().map(|text| digest(text, &compiler));
    let known = digests().map(|digest| accepted.has(&digest));
    let texts: Vec<(&String, &String)> =
        modules.iter().zip(known).filter(|(_, known)| !known).map(|(module, _)| module).collect();
    println!("{} of {} are compiled, the others are known to compile", texts.len(), modules.len());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = |worker: usize| {
            let (nvrtc, texts) = (&nvrtc, &texts);
            scope.spawn(move || {
                let mine = texts.iter().skip(worker).step_by(workers);
                mine.flat_map(|(module, name)| check(nvrtc, module, name)).collect::<Vec<String>>()
            })
        };
        let threads: Vec<_> = (0..workers).map(work).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n\n"));
    accepted.keep(&digests().collect());
}

fn check(nvrtc: &Nvrtc, module: &str, name: &str) -> Vec<String> {
    let mut failures = Vec::new();
    for architecture in ARCHITECTURES {
        match nvrtc.compile(module, architecture, Effort::Quick) {
            Ok(compiled) => assert!(!compiled.cubin.is_empty(), "{name}: nothing was made"),
            Err(error) => {
                let text: String = error.to_string().chars().take(1500).collect();
                failures.push(format!("{name}: {text}"));
                break;
            }
        }
    }
    failures
}

fn collect(folder: &Path, modules: &mut BTreeMap<String, String>, without: &mut BTreeMap<String, usize>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, modules, without);
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "lcu") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("the file can be read");
        let program = text::parse(&path.display().to_string(), &source).expect("the corpus parses");
        add(generate, &program, &path.display().to_string(), modules, without);
    }
}

/// What makes a module of a kernel.
type Write = fn(&Program, KernelId, &Dialect) -> Result<Module, Unsupported>;

fn add(
    write: Write,
    program: &Program,
    from: &str,
    modules: &mut BTreeMap<String, String>,
    without: &mut BTreeMap<String, usize>,
) {
    for (at, kernel) in program.kernels.iter().enumerate() {
        match write(program, KernelId::from(at), &dialect()) {
            Ok(module) => drop(modules.insert(module.text, format!("{from}: {}", kernel.name))),
            Err(error) => *without.entry(error.what).or_default() += 1,
        }
    }
}
