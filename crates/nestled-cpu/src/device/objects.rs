//! Machine code of kernels: from memory, otherwise from the cache, otherwise compiled by LLVM.
//!
//! The cache key of a kernel is the kernel itself, so no text is generated for known kernels. Texts of unknown kernels are generated and compiled in parallel.
//! LLVM is looked for when the first text has to be compiled, so a run that finds all its kernels on disk never loads it. That is why its version is not among what
//! machine code is kept by: any LLVM makes code of a text that computes the same bits.

use super::compile::compiled;
use super::config::CacheChoice;
use super::kept::{Coded, Kept};
use crate::codegen::{Generated, Unsupported};
use nestled_cache::{Kind, Source};
use nestled_fork as fork;
use nestled_ir::{KernelId, Program, alone, bytes};
use nestled_kernel::{Sizes, Target};
use nestled_llvm::{CompileError, CompileOptions, Llvm, LoadError, processor_features};
use nestled_pool::Pool;
use nestled_rt::When;
use nestled_rt::device::{Made, Origin};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

/// The version of code generation: a hash of the sources of all crates that it depends on, computed by `build.rs`. Code of a changed generator never finds old entries.
const CODE: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("NESTLED_CODE"));

/// A requested kernel.
pub(super) struct Wanted<'a> {
    /// The cache key.
    pub source: Source,
    /// Generates its text, if its code is unknown.
    pub write: Box<dyn Fn() -> Result<Generated, Unsupported> + Sync + 'a>,
}

/// Machine code, ready to be loaded.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub code: Arc<Coded>,
    pub made: Made,
}

/// All objects so far.
#[derive(Debug)]
pub(super) struct Objects {
    known: Known,
    choice: CacheChoice,
    /// The cache, and the number of forks when it was opened: a thread of the parent may have held a lock of the parent's.
    kept: Option<(Arc<Kept>, usize)>,
    llvm: Option<Result<Llvm, LoadError>>,
    /// Identifies the processor.
    features: String,
    options: CompileOptions,
}

/// Objects in memory. When they exceed [`KNOWN`] bytes, all are dropped, and found in the cache or compiled again.
#[derive(Debug, Default)]
struct Known {
    objects: HashMap<Source, Arc<Coded>>,
    size: usize,
}

/// Maximum bytes of objects in memory.
const KNOWN: usize = 64 << 20;

impl Known {
    fn insert(&mut self, source: &Source, code: Arc<Coded>) {
        let size = source.size() + code.bytes.len();
        if self.size + size > KNOWN {
            *self = Known::default();
        }
        self.size += size;
        if let Some(before) = self.objects.insert(source.clone(), code) {
            self.size -= source.size() + before.bytes.len();
        }
    }
}

/// A kernel without known code.
struct Unknown<'a> {
    wanted: &'a Wanted<'a>,
    /// `None` if it uses an unsupported construct.
    generated: Option<Generated>,
    /// An earlier one with the same text, which is compiled once for both.
    like: Option<usize>,
    code: Option<Result<Vec<u8>, CompileError>>,
    when: Option<When>,
}

impl Objects {
    /// Creates an empty collection.
    pub(super) fn new(choice: CacheChoice, options: CompileOptions) -> Objects {
        let features = processor_features();
        Objects { known: Known::default(), choice, kept: None, llvm: None, features, options }
    }

    /// Returns the error of loading LLVM, if it was needed and failed.
    pub(super) fn missing_llvm(&self) -> Option<&LoadError> {
        self.llvm.as_ref().and_then(|found| found.as_ref().err())
    }

    /// Loads LLVM, and returns the error if there is none.
    pub(super) fn look_for_llvm(&mut self) -> Option<&LoadError> {
        self.llvm.get_or_insert_with(Llvm::load).as_ref().err()
    }

    /// True if loading LLVM was attempted.
    #[cfg(test)]
    fn has_looked_for_llvm(&self) -> bool {
        self.llvm.is_some()
    }

    /// Returns the cache key of a kernel: everything that its machine code is made from.
    pub(super) fn source(
        &self,
        program: &Program,
        kernel: KernelId,
        target: &Target,
        sizes: Sizes,
    ) -> Source {
        let CompileOptions { passes, level, processor } = &self.options;
        let options = format!("{passes} {level} {processor:?} {target:?} {sizes:?}");
        let kernel = bytes::write(&alone(program, kernel));
        Source::new(Kind::Kernel, &[CODE.as_bytes(), self.features.as_bytes(), options.as_bytes(), &kernel])
    }

    /// Returns an object for each kernel, in order; `None` for one that is unsupported, or unknown where there is no LLVM.
    pub(super) fn get(
        &mut self,
        pool: &Pool,
        wanted: &[Wanted<'_>],
    ) -> Result<Vec<Option<Object>>, CompileError> {
        let mut objects: Vec<Option<Object>> =
            wanted.iter().map(|wanted| self.known_object(&wanted.source)).collect();
        let mut unknown: Vec<Unknown<'_>> = Vec::new();
        let mut seen = HashSet::new();
        for (wanted, _) in wanted.iter().zip(&objects).filter(|(_, object)| object.is_none()) {
            if seen.insert(&wanted.source) {
                unknown.push(Unknown { wanted, generated: None, like: None, code: None, when: None });
            }
        }
        let compiled = self.compile(pool, unknown)?;
        for (object, wanted) in objects.iter_mut().zip(wanted).filter(|(object, _)| object.is_none()) {
            *object = compiled.get(&wanted.source).cloned();
        }
        Ok(objects)
    }

    /// Keeps the machine code of a kernel in memory.
    pub(super) fn keep(&mut self, source: &Source, code: Arc<Coded>) {
        self.known.insert(source, code);
    }

    /// The options of compilations.
    pub(super) fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// True if a kernel need not be compiled.
    pub(super) fn knows(&mut self, source: &Source) -> bool {
        self.known_object(source).is_some()
    }

    /// True if its machine code is in memory.
    pub(super) fn holds(&self, source: &Source) -> bool {
        self.known.objects.contains_key(source)
    }

    fn known_object(&mut self, source: &Source) -> Option<Object> {
        let start = Instant::now();
        if let Some(code) = self.known.objects.get(source) {
            let made = Made { origin: Origin::Memory, when: When::since(start) };
            return Some(Object { code: Arc::clone(code), made });
        }
        let code = Arc::new(self.kept().get(source)?);
        self.known.insert(source, Arc::clone(&code));
        Some(Object { code, made: Made { origin: Origin::Disk, when: When::since(start) } })
    }

    /// The cache.
    pub(super) fn kept(&mut self) -> Arc<Kept> {
        let forks = fork::count();
        if let Some((kept, _)) = self.kept.as_ref().filter(|(_, before)| *before == forks) {
            return Arc::clone(kept);
        }
        let kept = Arc::new(Kept::new(&self.choice));
        self.kept = Some((Arc::clone(&kept), forks));
        kept
    }

    /// Generates texts, and compiles them in parallel. Without LLVM none is compiled.
    fn compile(
        &mut self,
        pool: &Pool,
        mut unknown: Vec<Unknown<'_>>,
    ) -> Result<HashMap<Source, Object>, CompileError> {
        let mut objects = HashMap::new();
        if unknown.is_empty() {
            return Ok(objects);
        }
        let Ok(llvm) = self.llvm.get_or_insert_with(Llvm::load).clone() else { return Ok(objects) };
        pool.for_each_mut(&mut unknown, |_, unknown| unknown.generated = (unknown.wanted.write)().ok());
        find_likes(&mut unknown);
        let options = &self.options;
        pool.for_each_mut(&mut unknown, |_, unknown| {
            let start = Instant::now();
            if let (Some(generated), None) = (&unknown.generated, unknown.like) {
                unknown.code = compiled(&llvm, &generated.text, options).transpose();
            }
            unknown.when = Some(When::since(start));
        });
        let mut codes: Vec<Option<Arc<Coded>>> = Vec::with_capacity(unknown.len());
        for Unknown { wanted, generated, like, code, when } in unknown {
            let bytes = match (like.and_then(|like| codes[like].clone()), code.transpose()?) {
                (Some(like), _) => Some(like.bytes.clone()),
                (None, code) => code,
            };
            let code = generated.zip(bytes).map(|(Generated { tables, .. }, bytes)| Coded { tables, bytes });
            let code = code.map(Arc::new);
            if let Some(code) = &code {
                self.kept().put(&wanted.source, code);
                self.keep(&wanted.source, Arc::clone(code));
            }
            if let (Some(code), Some(when)) = (&code, when) {
                let made = Made { origin: Origin::Compiler, when };
                objects.insert(wanted.source.clone(), Object { code: Arc::clone(code), made });
            }
            codes.push(code);
        }
        Ok(objects)
    }
}

/// Finds equal texts: sets `like` to the first kernel with the same text.
fn find_likes(unknown: &mut [Unknown<'_>]) {
    let mut first = HashMap::new();
    let mut likes = vec![None; unknown.len()];
    for (position, other) in unknown.iter().enumerate() {
        let Some(generated) = &other.generated else { continue };
        likes[position] = first.get(generated.text.as_str()).copied();
        first.entry(generated.text.as_str()).or_insert(position);
    }
    for (unknown, like) in unknown.iter_mut().zip(likes) {
        unknown.like = like;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::CodeTables;
    use nestled_llvm::object::{Code, Symbols};
    use std::path::PathBuf;

    /// A directory that is removed with the test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("nestled-objects-{}-{name}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            Scratch(path)
        }

        fn objects(&self) -> Objects {
            Objects::new(CacheChoice::At(self.0.clone()), CompileOptions::default())
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn text(number: i64) -> String {
        format!("define i64 @add(i64 %n) {{ %m = add i64 %n, {number}\n ret i64 %m }}")
    }

    /// The code of kernels that have these texts, found by them.
    fn get(objects: &mut Objects, pool: &Pool, texts: &[&str]) -> Result<Vec<Option<Object>>, CompileError> {
        let options = format!("{:?}", objects.options);
        let wanted = texts.iter().map(|text| Wanted {
            source: Source::new(Kind::Kernel, &[options.as_bytes(), text.as_bytes()]),
            write: Box::new(|| Ok(Generated { text: (*text).to_owned(), tables: CodeTables::default() })),
        });
        let wanted: Vec<Wanted<'_>> = wanted.collect();
        objects.get(pool, &wanted)
    }

    fn bytes(objects: &[Option<Object>], at: usize) -> &[u8] {
        &objects[at].as_ref().unwrap().code.bytes
    }

    fn origins(objects: &[Option<Object>]) -> Vec<Origin> {
        objects.iter().map(|object| object.as_ref().unwrap().made.origin).collect()
    }

    #[test]
    fn compiled_once_then_known() {
        let scratch = Scratch::new("known");
        let pool = Pool::new(2);
        let (one, two) = (text(1), text(2));
        let mut objects = scratch.objects();
        let found = get(&mut objects, &pool, &[&one, &two, &one]).unwrap();
        assert_eq!(origins(&found), [Origin::Compiler; 3]);
        assert_eq!(bytes(&found, 0), bytes(&found, 2));
        assert_ne!(bytes(&found, 0), bytes(&found, 1));
        assert_eq!(origins(&get(&mut objects, &pool, &[&two]).unwrap()), [Origin::Memory]);
        // Another process would find it on disk, and not look for LLVM.
        let mut warm = scratch.objects();
        let found = get(&mut warm, &pool, &[&one, &two]).unwrap();
        assert_eq!(origins(&found), [Origin::Disk; 2]);
        assert!(!warm.has_looked_for_llvm());
        let code = Code::load(bytes(&found, 1), &Symbols::none()).unwrap();
        assert!(code.function("add").is_some());
        // A different option gives a different object.
        let options = CompileOptions { level: 0, ..CompileOptions::default() };
        let mut other = Objects::new(CacheChoice::At(scratch.0.clone()), options);
        assert_eq!(origins(&get(&mut other, &pool, &[&one]).unwrap()), [Origin::Compiler]);
    }

    const KERNELS: &str = "
        kernel one<n>(xs: [n]i64) over n { y = map { i => add i 1 }
          ret y }
        kernel two<n>(xs: [n]i64) over n { y = map { i => add i 2 }
          ret y }
        kernel three<n>(xs: [n]i64) over n { y = map { i => add i 1 }
          ret y }
    ";

    #[test]
    fn everything_that_counts_is_in_the_source() {
        let program = nestled_ir::text::parse("kernels.lcu", KERNELS).unwrap();
        let objects = |options| Objects::new(CacheChoice::Off, options);
        let target = Target { vector_bits: 512, avx512: true, f16c: true };
        let narrow = Target { vector_bits: 256, avx512: false, f16c: true };
        let plain = objects(CompileOptions::default());
        let of = |objects: &Objects, kernel: usize, target: &Target, wide: bool, streaming: bool| {
            objects.source(&program, KernelId::from(kernel), target, Sizes { wide, streaming })
        };
        let level = objects(CompileOptions { level: 0, ..CompileOptions::default() });
        let processor = nestled_llvm::Processor::HostNarrowed { vector_bits: 128 };
        let processor = objects(CompileOptions { processor, ..CompileOptions::default() });
        let mut other_machine = objects(CompileOptions::default());
        other_machine.features.push_str(",+more");
        let first = of(&plain, 0, &target, false, false);
        assert_eq!(of(&plain, 2, &target, false, false), first, "it has another name, and is the same");
        let others = [
            of(&plain, 1, &target, false, false),
            of(&plain, 0, &narrow, false, false),
            of(&plain, 0, &target, true, false),
            of(&plain, 0, &target, false, true),
            of(&level, 0, &target, false, false),
            of(&processor, 0, &target, false, false),
            of(&other_machine, 0, &target, false, false),
        ];
        let distinct: HashSet<&Source> = others.iter().chain([&first]).collect();
        assert_eq!(distinct.len(), 1 + others.len());
    }

    /// The version of the code is that of the sources as they are: whoever changes one of them finds no code of before.
    #[test]
    fn the_sources_are_the_version() {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let all = ["nestled-ir", "nestled-kernel", "nestled-cpu", "nestled-llvm"];
        let now = nestled_cache::hash_of_crates(&crates, &all).unwrap();
        assert!(CODE.ends_with(&now), "{CODE} {now}");
        for without in all {
            let rest: Vec<&str> = all.into_iter().filter(|name| *name != without).collect();
            assert_ne!(nestled_cache::hash_of_crates(&crates, &rest).unwrap(), now, "{without}");
        }
    }

    /// A kernel that is known has no text written.
    #[test]
    fn of_what_is_known_no_text_is_written() {
        let scratch = Scratch::new("unwritten");
        let pool = Pool::new(1);
        let one = text(1);
        get(&mut scratch.objects(), &pool, &[&one]).unwrap();
        let mut warm = scratch.objects();
        let options = format!("{:?}", warm.options);
        let source = Source::new(Kind::Kernel, &[options.as_bytes(), one.as_bytes()]);
        let write = Box::new(|| panic!("it is known"));
        assert_eq!(origins(&warm.get(&pool, &[Wanted { source, write }]).unwrap()), [Origin::Disk]);
    }

    #[test]
    fn damage_on_disk_is_compiled_anew() {
        let scratch = Scratch::new("damage");
        let pool = Pool::new(1);
        let one = text(1);
        let before = get(&mut scratch.objects(), &pool, &[&one]).unwrap();
        for entry in std::fs::read_dir(&scratch.0).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            std::fs::write(&path, bytes).unwrap();
        }
        let after = get(&mut scratch.objects(), &pool, &[&one]).unwrap();
        assert_eq!(origins(&after), [Origin::Compiler]);
        assert_eq!(bytes(&before, 0), bytes(&after, 0));
    }

    /// Complete entries with the name of another that was made from something else.
    #[test]
    fn what_was_made_from_another_text_is_not_taken() {
        let (mine, theirs) = (Scratch::new("mine"), Scratch::new("theirs"));
        let pool = Pool::new(1);
        let (one, two) = (text(1), text(2));
        let before = get(&mut mine.objects(), &pool, &[&one]).unwrap();
        get(&mut theirs.objects(), &pool, &[&two]).unwrap();
        let entry = |scratch: &Scratch| {
            let mut files = std::fs::read_dir(&scratch.0).unwrap().map(|entry| entry.unwrap().path());
            files.find(|path| path.extension().is_some_and(|end| end == "kernel")).unwrap()
        };
        let (path, whole) = (entry(&mine), std::fs::read(entry(&mine)).unwrap());
        let mut forged = std::fs::read(entry(&theirs)).unwrap();
        // The key by which the entry is found.
        forged[8..24].copy_from_slice(&whole[8..24]);
        for bad in [&forged[..], &whole[..whole.len() - 1]] {
            std::fs::write(&path, bad).unwrap();
            let after = get(&mut mine.objects(), &pool, &[&one]).unwrap();
            assert_eq!(origins(&after), [Origin::Compiler]);
            assert_eq!(bytes(&before, 0), bytes(&after, 0));
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn without_a_cache_everything_is_compiled() {
        let pool = Pool::new(1);
        for _ in 0..2 {
            let mut objects = Objects::new(CacheChoice::Off, CompileOptions::default());
            assert_eq!(origins(&get(&mut objects, &pool, &[&text(3)]).unwrap()), [Origin::Compiler]);
        }
    }

    #[test]
    fn a_bad_text_is_an_error() {
        let mut objects = Objects::new(CacheChoice::Off, CompileOptions::default());
        assert!(get(&mut objects, &Pool::new(1), &["define nonsense"]).is_err());
    }

    /// If set, the test below runs as the second process.
    const CHILD: &str = "NESTLED_TEST_OBJECTS_CHILD";

    #[test]
    fn without_llvm_there_is_a_hint() {
        if std::env::var_os(CHILD).is_none() {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "device::objects::tests::without_llvm_there_is_a_hint"]);
            let output = command.env(CHILD, "1").env("NESTLED_LLVM", "/nowhere/libLLVM.so").output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && said.contains("1 passed"), "{said}");
            return;
        }
        let mut objects = Objects::new(CacheChoice::Off, CompileOptions::default());
        assert!(objects.missing_llvm().is_none());
        assert!(get(&mut objects, &Pool::new(1), &[&text(1)]).unwrap()[0].is_none());
        assert!(objects.missing_llvm().unwrap().to_string().contains("/nowhere/libLLVM.so"));
    }
}
