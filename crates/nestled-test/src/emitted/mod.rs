//! Digests of emitted code for every kernel of the repository: the differences of two lists are the kernels that a change of the code touches.
//!
//! ```text
//! examples/means.lcu+passes  means  llvm-512  5f0c…
//! ```
//!
//! - [`programs`]: the sources of kernels.
//! - [`mod@canonical`]: renaming of locals, so that names do not count.
//! - [`hot`]: instruction counts of hot loops.
//! - [`list`](mod@list): lists of digests, and their differences.
//!
//! **Invariant.** The same sources give the same list on every machine of one architecture: targets are fixed, and no device is asked.

pub mod canonical;
pub mod hot;
pub mod list;
pub mod programs;

use canonical::{Language, canonical};
use nestled_cache::Key;
use nestled_cpu::codegen::{Target, generate, generate_streaming};
use nestled_gpu::Dialect;
use nestled_ir::{KernelId, Program};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

/// The text of one kernel for one back end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Emitted {
    /// The file, the statement in it, and whether passes ran: a name of [`programs::programs`].
    pub source: String,
    /// The kernel.
    pub kernel: String,
    /// The back end.
    pub backend: &'static str,
    /// The text with canonical names, or the reason why there is none.
    pub text: String,
}

/// The GPU dialects.
struct Backends {
    wgsl: Dialect,
    cuda: Dialect,
}

impl Backends {
    fn new() -> Backends {
        Backends { wgsl: nestled_wgpu::dialect(), cuda: nestled_cuda::dialect() }
    }

    /// The texts of all back ends for a kernel.
    fn texts(&self, program: &Program, kernel: KernelId) -> [(&'static str, String); 5] {
        let wide = Target { vector_bits: 512, avx512: true, f16c: true };
        let narrow = Target { vector_bits: 128, avx512: false, f16c: false };
        let llvm = |text: Result<nestled_cpu::codegen::Generated, nestled_cpu::codegen::Unsupported>| {
            text.map_or_else(|none| none.to_string(), |made| canonical(&made.text, Language::Llvm))
        };
        let gpu = |dialect: &Dialect, language| match nestled_gpu::generate(program, kernel, dialect) {
            // The library of a whole language is an entry of its own.
            Ok(module) => canonical(&module.text.replace(&*dialect.library, "// the library\n"), language),
            Err(none) => none.to_string(),
        };
        [
            ("llvm-512", llvm(generate(program, kernel, false, &wide))),
            ("llvm-128", llvm(generate(program, kernel, false, &narrow))),
            // Extents may reach 2³¹, and stores go past the caches.
            ("llvm-512-large", llvm(generate_streaming(program, kernel, true, &wide))),
            ("wgsl", gpu(&self.wgsl, Language::Wgsl)),
            ("cuda", gpu(&self.cuda, Language::Cuda)),
        ]
    }

    /// The library text that modules begin with.
    fn libraries(&self) -> Vec<Emitted> {
        let entry = |backend, dialect: &Dialect| Emitted {
            source: "rts".to_owned(),
            kernel: "library".to_owned(),
            backend,
            text: dialect.library.clone(),
        };
        vec![entry("wgsl", &self.wgsl), entry("cuda", &self.cuda)]
    }
}

/// Emits the texts of all kernels of files with `only` in their names, one after another, in any order.
///
/// # Errors
/// If a file cannot be read, or is not well-formed.
pub fn emit(root: &Path, only: &str, take: impl FnMut(Emitted) + Send) -> Result<(), String> {
    let files = programs::files(root)?;
    let files: Vec<&String> = files.iter().filter(|file| file.contains(only)).collect();
    if files.is_empty() {
        return Err(format!("no file has `{only}` in its name"));
    }
    let (next, take) = (Mutex::new(files.into_iter()), Mutex::new(take));
    let backends = Backends::new();
    backends.libraries().into_iter().for_each(|entry| (take.lock().expect("no panic"))(entry));
    let work = || -> Result<(), String> {
        loop {
            let file = next.lock().expect("no panic").next();
            let Some(file) = file else { return Ok(()) };
            for (source, program) in programs::programs(root, file)? {
                for entry in of_program(&backends, &source, &program) {
                    (take.lock().expect("no panic"))(entry);
                }
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        // Programs may nest deeply.
        let start = |_| {
            let thread = std::thread::Builder::new().stack_size(256 << 20);
            thread.spawn_scoped(scope, work).map_err(|error| error.to_string())
        };
        let threads: Vec<_> = (0..workers).map(start).collect::<Result<_, String>>()?;
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a back end panics".to_owned())?)
    })
}

/// The texts of a program. Kernels of one name get numbers.
fn of_program(backends: &Backends, source: &str, program: &Program) -> Vec<Emitted> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut list = Vec::new();
    for (at, kernel) in program.kernels.iter().enumerate() {
        // Names become words of a line, and of a path.
        let plain = kernel.name.replace(|c: char| c.is_whitespace() || c == '/', "_");
        let times = seen.entry(plain.clone()).or_default();
        *times += 1;
        let name = if *times == 1 { plain } else { format!("{plain}.{times}") };
        for (backend, text) in backends.texts(program, KernelId::from(at)) {
            list.push(Emitted { source: source.to_owned(), kernel: name.clone(), backend, text });
        }
    }
    list
}

impl Emitted {
    /// A hash of the text.
    pub fn digest(&self) -> String {
        Key::of(&[self.text.as_bytes()]).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::list::List;
    use super::*;

    fn root() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn listed(only: &str) -> List {
        let mut list = List::default();
        emit(&root(), only, |entry| list.add(&entry)).expect("it is emitted");
        list
    }

    #[test]
    fn two_lists_are_the_same() {
        for only in ["examples/quicksort", "benches/filter", "programs/kernels"] {
            let list = listed(only);
            assert!(list.len() > 10, "{only}: only {} texts", list.len());
            assert_eq!(list.to_string(), listed(only).to_string());
        }
    }

    /// The hot loops of the benches do no more in a round than they did. `UPDATE=1` writes the counts anew; a commit that does so says why they changed.
    #[test]
    fn hot_loops_of_benches_have_the_instructions_they_had() {
        let path = root().join("tests/emitted/hot-loops.txt");
        let mut counts = BTreeMap::new();
        emit(&root(), "benches/", |entry| {
            let loops = hot::hot_loops(&entry.text);
            if entry.backend.starts_with("llvm-512") && entry.source.ends_with("+passes") && !loops.is_empty()
            {
                let loops: Vec<String> = loops.iter().map(ToString::to_string).collect();
                let name = format!(
                    "{} {} {}",
                    entry.source.trim_end_matches("+passes"),
                    entry.kernel,
                    entry.backend
                );
                counts.insert(name, loops.join(" "));
            }
        })
        .expect("it is emitted");
        assert!(counts.len() > 60, "only {} kernels have loops", counts.len());
        let head = "# Instructions of the innermost loops of each kernel of the benches, after the passes, and how many of them access memory: INSTRUCTIONS/ACCESSES.\n\
                    # Variables, branches and copies of names are left out (crates/nestled-test/src/emitted/hot.rs).\n";
        let found: String = counts.iter().map(|(name, loops)| format!("{name}: {loops}\n")).collect();
        let found = head.to_owned() + &found;
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &found).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        let differ = |text: &str, other: &str| -> String {
            text.lines()
                .filter(|line| !other.lines().any(|known| known == *line))
                .map(|line| format!("  {line}\n"))
                .collect()
        };
        assert!(
            expected == found,
            "hot loops have changed; expected\n{}found\n{}",
            differ(&expected, &found),
            differ(&found, &expected)
        );
    }

    /// A kernel with another computation differs for every back end, and no other kernel does.
    #[test]
    fn a_change_is_seen() {
        let backends = Backends::new();
        let of = |term: &str| {
            let text = format!(
                "kernel a(x: [n]f32) over n {{
  y = map {{ i => add x[i] {term} }}
  ret y
}}
"
            );
            let program = nestled_ir::text::parse("a.lcu", &text).expect("it is well-formed");
            let mut list = List::default();
            of_program(&backends, "a.lcu", &program).iter().for_each(|entry| list.add(entry));
            list
        };
        assert!(of("1.0").differences(&of("1.0")).is_empty());
        assert_eq!(of("1.0").differences(&of("2.0")).len(), 5);
    }
}
