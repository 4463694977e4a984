//! Every LLVM on this machine compiles the same kernels. There is one wherever these tests can be built: the Rust toolchain's.

use super::*;
use crate::object::{Code, Symbols};
use std::time::Instant;

const AXPY: &str = include_str!("../tests/kernels/axpy.ll");
const BLACK_SCHOLES: &str = include_str!("../tests/kernels/black_scholes.ll");

/// All that will do; those that will not must be too old, and nothing else.
fn every_llvm() -> Vec<Llvm> {
    let all = Llvm::all();
    let good: Vec<Llvm> = all.iter().filter_map(|(_, llvm)| llvm.clone().ok()).collect();
    assert!(!good.is_empty(), "no LLVM was found, not even the Rust toolchain's: {all:?}");
    for (path, llvm) in all {
        let acceptable = matches!(llvm, Ok(_) | Err(Refusal::TooOld(_)));
        assert!(acceptable, "{}: {llvm:?}", path.display());
    }
    good
}

fn passes(passes: &str) -> CompileOptions {
    CompileOptions { passes: passes.to_string(), ..CompileOptions::default() }
}

fn run_axpy(object: &[u8], n: usize) {
    let code = Code::load(object, &Symbols::none()).unwrap();
    let function = code.function("axpy").unwrap();
    type Axpy = extern "C" fn(f32, *const f32, *mut f32, i64);
    #[allow(unsafe_code)]
    // SAFETY: `axpy.ll` gives it this type; `code` outlives the call.
    let axpy = unsafe { std::mem::transmute::<*const (), Axpy>(function) };
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut y = vec![1.0; n];
    axpy(2.0, x.as_ptr(), y.as_mut_ptr(), n as i64);
    let expected: Vec<f32> = (0..n).map(|i| 2.0 * i as f32 + 1.0).collect();
    assert_eq!(y, expected);
}

#[test]
fn every_llvm_compiles_a_kernel_that_runs() {
    for llvm in every_llvm() {
        let vectorised = passes("early-cse,function(loop-vectorize,instcombine),simplifycfg");
        for options in [CompileOptions::default(), vectorised, passes("default<O2>"), passes("instcombine")] {
            let start = Instant::now();
            let object = llvm.compile(AXPY, &options).unwrap();
            println!("{llvm:?}: {:.2} ms, `{}`", start.elapsed().as_secs_f64() * 1e3, options.passes);
            run_axpy(&object, 1003);
        }
    }
}

#[test]
fn every_llvm_makes_wide_vectors_if_there_are_any() {
    for llvm in every_llvm() {
        let start = Instant::now();
        let object = llvm.compile(BLACK_SCHOLES, &passes("always-inline")).unwrap();
        println!("{llvm:?}: Black-Scholes in {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
        run_black_scholes(&object);
        let assembly = llvm.assembly(BLACK_SCHOLES, &passes("always-inline")).unwrap();
        assert!(assembly.contains("black_scholes"), "{assembly}");
        assert_eq!(assembly.contains("zmm"), llvm.features().contains("+avx512f"), "{assembly}");
    }
}

fn run_black_scholes(object: &[u8]) {
    let code = Code::load(object, &Symbols::none()).unwrap();
    type BlackScholes = extern "C" fn(*const f32, *const f32, *const f32, *mut f32, *mut f32, i64);
    let function = code.function("black_scholes").unwrap();
    #[allow(unsafe_code)]
    // SAFETY: `black_scholes.ll` gives it this type; `code` outlives the call.
    let price = unsafe { std::mem::transmute::<*const (), BlackScholes>(function) };
    let (spots, strikes, times) = ([100f32; 16], [95f32; 16], [0.5f32; 16]);
    let (mut calls, mut puts) = ([0f32; 16], [0f32; 16]);
    price(spots.as_ptr(), strikes.as_ptr(), times.as_ptr(), calls.as_mut_ptr(), puts.as_mut_ptr(), 16);
    // Computed with the error function, in double precision.
    assert!(calls.iter().all(|call| (call - 11.506_9).abs() < 2e-3), "{calls:?}");
    assert!(puts.iter().all(|put| (put - 5.561_6).abs() < 2e-3), "{puts:?}");
}

#[test]
fn bad_texts_give_the_line() {
    for llvm in every_llvm() {
        let text = "define i64 @f(i64 %n) {\n  %m = shl i64 %n, %oops\n  ret i64 %m\n}\n";
        let error = llvm.compile(text, &CompileOptions::default()).unwrap_err();
        assert_eq!(error.phase, Phase::Parse);
        assert_eq!(error.line, Some((2, "  %m = shl i64 %n, %oops".to_string())));
        assert_eq!(
            error.to_string(),
            "LLVM could not read a kernel: use of undefined value '%oops'\n    2 |   %m = shl i64 %n, %oops"
        );
    }
}

#[test]
fn texts_that_break_a_rule_give_the_line() {
    let text = "define i64 @f(i1 %c) {\nentry:\n  br i1 %c, label %a, label %b\na:\n  %x = add i64 1, 2\n  br label %b\nb:\n  \
                %y = add i64 %x, 1\n  ret i64 %y\n}\n";
    for llvm in every_llvm() {
        let error = llvm.compile(text, &CompileOptions::default()).unwrap_err();
        assert_eq!(error.phase, Phase::Verify, "{error}");
        assert!(error.message.contains("does not dominate all uses"), "{error}");
        assert_eq!(error.line.as_ref().map(|(number, _)| *number), Some(5), "{error}");
    }
}

#[test]
fn other_failures_are_errors_as_well() {
    for llvm in every_llvm() {
        let error = llvm.compile(AXPY, &passes("no-such-pass")).unwrap_err();
        assert_eq!(error.phase, Phase::Optimize);
        assert!(error.message.contains("no-such-pass"), "{error}");
        assert_eq!(llvm.compile(AXPY, &passes("dce\0")).unwrap_err().phase, Phase::Optimize);
        // LLVM would end the process here, if nobody listened to its diagnostics.
        let assembler =
            "define void @f() {\n  call void asm \"no such instruction\", \"\"()\n  ret void\n}\n";
        let error = llvm.compile(assembler, &CompileOptions::default()).unwrap_err();
        assert_eq!(error.phase, Phase::Emit);
        let odd = ["", "\0", "define", "é", "; only a comment", "target triple = \"no-such-machine\""];
        odd.iter().for_each(|text| drop(llvm.compile(text, &CompileOptions::default())));
    }
}

#[test]
fn many_compilations_at_once() {
    for llvm in every_llvm() {
        let expected = llvm.compile(AXPY, &passes("default<O2>")).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..8 {
                        assert_eq!(llvm.compile(AXPY, &passes("default<O2>")).unwrap(), expected);
                        assert!(llvm.compile("nonsense", &passes("")).is_err());
                    }
                });
            }
        });
    }
}

#[test]
fn texts_for_people() {
    for llvm in every_llvm() {
        let text = "define i64 @f(i64 %n) {\n  %a = add i64 %n, 1\n  %b = sub i64 %a, 1\n  ret i64 %b\n}\n";
        let optimized = llvm.optimized(text, &passes("instcombine")).unwrap();
        assert!(optimized.contains("ret i64 %n"), "{optimized}");
        let arm = CompileOptions { processor: Processor::PlainAArch64, ..CompileOptions::default() };
        match llvm.assembly(AXPY, &arm) {
            Ok(assembly) => assert!(assembly.contains("fmul\ts"), "{assembly}"),
            // A library may be built for one family of processors only.
            Err(error) => assert_eq!(error.phase, Phase::Target, "{error}"),
        }
    }
}

#[test]
fn spelling_of_instcombine() {
    let newest = every_llvm().into_iter().max_by_key(Llvm::version).unwrap();
    assert!(newest.version().major >= 18);
    let spelled = newest.spell("early-cse,function(instcombine,dce),instcombine<max-iterations=2>");
    assert_eq!(
        spelled,
        "early-cse,function(instcombine<no-verify-fixpoint>,dce),instcombine<max-iterations=2>"
    );
}

#[test]
fn what_is_found_says_what_it_is() {
    for llvm in every_llvm() {
        println!("{llvm:?}, processor {}, {}", llvm.cpu_name(), llvm.features());
        assert!(llvm.version().major >= OLDEST);
        assert!(llvm.path().is_absolute());
        let all: Vec<String> = processor_features().split(',').map(str::to_string).collect();
        assert!(llvm.features().split(',').all(|feature| all.contains(&feature.to_string())));
        assert_eq!(Llvm::open(llvm.path()).unwrap().version(), llvm.version());
    }
}

#[test]
fn a_file_that_is_no_library_is_refused() {
    let path = std::env::temp_dir().join(format!("libLLVM-19-nestled-{}.so", std::process::id()));
    std::fs::write(&path, b"not a library").unwrap();
    let refusal = Llvm::open(&path).unwrap_err();
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(refusal, Refusal::NotOpened(_)), "{refusal}");
    let missing = Llvm::open(Path::new("/no/such/libLLVM-19.so")).unwrap_err();
    assert!(matches!(missing, Refusal::NotOpened(_)), "{missing}");
}

#[test]
fn a_library_that_is_no_llvm_is_refused() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let libc =
        maps.lines().filter_map(|line| line.split_whitespace().last()).find(|path| path.contains("libc.so"));
    if let Some(path) = libc {
        assert_eq!(Llvm::open(Path::new(path)).unwrap_err(), Refusal::Lacks("LLVMIsMultithreaded"));
    }
}

/// Set, it makes the test below the second process, where `NESTLED_LLVM` has this value.
const CHILD: &str = "NESTLED_TEST_LLVM_CHILD";

#[test]
fn the_variable_chooses_and_nothing_else_is_tried() {
    if let Some(value) = std::env::var_os(CHILD) {
        return check_choice(Path::new(&value));
    }
    let wanted = every_llvm().last().map(|llvm| llvm.path().to_path_buf()).unwrap();
    for value in [wanted.as_path(), Path::new("/no/such/libLLVM-19.so"), Path::new("")] {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tests::the_variable_chooses_and_nothing_else_is_tried"]);
        let output = command.env(CHILD, value).env("NESTLED_LLVM", value).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
}

fn check_choice(value: &Path) {
    match Llvm::load() {
        Ok(llvm) if value.as_os_str().is_empty() => assert_eq!(llvm.path(), every_llvm()[0].path()),
        Ok(llvm) => assert_eq!(llvm.path(), value),
        Err(error) => {
            assert_eq!(value, Path::new("/no/such/libLLVM-19.so"));
            assert_eq!(error.chosen.as_deref(), Some(value));
            assert_eq!(error.refused.len(), 1, "{error}");
        }
    }
}

#[test]
fn without_any_llvm_the_error_says_what_to_install() {
    let refused =
        vec![(PathBuf::from("/x/libLLVM-14.so"), Refusal::TooOld(Version { major: 14, minor: 0, patch: 6 }))];
    let text = LoadError { chosen: None, refused: refused.clone() }.to_string();
    assert!(text.starts_with("no LLVM was found; compiling kernels needs version 15 or newer\n"), "{text}");
    assert!(text.contains("/x/libLLVM-14.so: LLVM 14.0 is too old"), "{text}");
    assert!(text.contains("apt install libllvm19"), "{text}");
    let text = LoadError { chosen: Some("/x/libLLVM-14.so".into()), refused }.to_string();
    assert!(
        text.starts_with("the library that `NESTLED_LLVM` names does not do: /x/libLLVM-14.so\n"),
        "{text}"
    );
    assert!(text.contains("unset it"), "{text}");
}
