//! Machine code of kernel texts: from memory, otherwise from the cache, otherwise compiled by LLVM.
//!
//! LLVM is loaded when the first text has to be compiled, so a run that finds all its kernels in the cache never loads it. For that reason the
//! version of LLVM is not part of the cache key: any version compiles a text to code that computes the same bits.

use super::config::CacheChoice;
use nestled_cache::{DEFAULT_CAP, DiskCache, Kind, SharedCache, Source};
use nestled_llvm::{CompileError, CompileOptions, Llvm, LoadError, processor_features};
use nestled_pool::Pool;
use nestled_rt::When;
use nestled_rt::device::{Made, Origin};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// Everything that machine code depends on beside its text and the processor. The number is incremented when the meaning of compilation changes.
const VERSION: &str = concat!("1 of nestled-cpu ", env!("CARGO_PKG_VERSION"));

/// An object file, ready to be loaded.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub bytes: Arc<[u8]>,
    pub made: Made,
}

/// All objects so far.
#[derive(Debug)]
pub(super) struct Objects {
    known: Known,
    choice: CacheChoice,
    kept: Option<Kept>,
    llvm: Option<Result<Llvm, LoadError>>,
    /// Identifies the processor.
    features: String,
    options: CompileOptions,
}

/// Objects in memory. When they exceed [`KNOWN`] bytes, all are dropped, and found in the cache or compiled again.
#[derive(Debug, Default)]
struct Known {
    objects: HashMap<Source, Arc<[u8]>>,
    size: usize,
}

/// Maximum bytes of objects in memory.
const KNOWN: usize = 64 << 20;

impl Known {
    fn insert(&mut self, source: &Source, bytes: Arc<[u8]>) {
        let size = source.size() + bytes.len();
        if self.size + size > KNOWN {
            *self = Known::default();
        }
        self.size += size;
        if let Some(before) = self.objects.insert(source.clone(), bytes) {
            self.size -= source.size() + before.len();
        }
    }
}

/// The cache of objects.
#[derive(Debug)]
enum Kept {
    Disk(DiskCache),
    Shared(Arc<SharedCache>),
}

impl Kept {
    fn get(&self, source: &Source) -> Option<Arc<[u8]>> {
        match self {
            Kept::Disk(disk) => disk.get(source).map(Arc::from),
            Kept::Shared(shared) => shared.get(source),
        }
    }

    fn put(&self, source: &Source, object: &[u8]) {
        match self {
            Kept::Disk(disk) => disk.put(source, object),
            Kept::Shared(shared) => shared.put(source, object.into()),
        }
    }
}

/// A text without a known object.
struct Unknown<'a> {
    source: &'a Source,
    text: &'a str,
    object: Option<Result<Vec<u8>, CompileError>>,
    when: When,
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

    /// Returns an object for each text, in order; `None` for an unknown text that cannot be compiled without LLVM.
    pub(super) fn get(&mut self, pool: &Pool, texts: &[&str]) -> Result<Vec<Option<Object>>, CompileError> {
        let sources: Vec<Source> = texts.iter().map(|text| self.source(text)).collect();
        let mut objects: Vec<Option<Object>> =
            sources.iter().map(|source| self.known_object(source)).collect();
        let mut unknown: Vec<Unknown<'_>> = Vec::new();
        for ((source, &text), object) in sources.iter().zip(texts).zip(&objects) {
            if object.is_none() && unknown.iter().all(|other| other.source != source) {
                unknown.push(Unknown { source, text, object: None, when: When::since(Instant::now()) });
            }
        }
        self.compile(pool, &mut unknown)?;
        for (object, source) in objects.iter_mut().zip(&sources).filter(|(object, _)| object.is_none()) {
            let compiled = unknown.iter().find(|other| other.source == source);
            *object = compiled.and_then(|compiled| {
                let made = Made { origin: Origin::Compiler, when: compiled.when };
                Some(Object { bytes: Arc::clone(self.known.objects.get(source)?), made })
            });
        }
        Ok(objects)
    }

    /// True if a text need not be compiled.
    pub(super) fn knows(&mut self, source: &Source) -> bool {
        self.known_object(source).is_some()
    }

    /// True if its machine code is in memory.
    pub(super) fn holds(&self, source: &Source) -> bool {
        self.known.objects.contains_key(source)
    }

    /// Returns the cache key of a text: everything that its machine code is made from.
    pub(super) fn source(&self, text: &str) -> Source {
        let CompileOptions { passes, level, processor } = &self.options;
        let options = format!("{passes} {level} {processor:?}");
        let parts = [VERSION, &self.features, &options, text].map(str::as_bytes);
        Source::new(Kind::Object, &parts)
    }

    fn known_object(&mut self, source: &Source) -> Option<Object> {
        let start = Instant::now();
        if let Some(bytes) = self.known.objects.get(source) {
            let made = Made { origin: Origin::Memory, when: When::since(start) };
            return Some(Object { bytes: Arc::clone(bytes), made });
        }
        let bytes = self.kept().get(source)?;
        self.known.insert(source, Arc::clone(&bytes));
        Some(Object { bytes, made: Made { origin: Origin::Disk, when: When::since(start) } })
    }

    fn kept(&mut self) -> &Kept {
        let choice = &self.choice;
        self.kept.get_or_insert_with(|| match choice {
            CacheChoice::User => Kept::Disk(DiskCache::open()),
            CacheChoice::Off => Kept::Disk(DiskCache::off("it is not wanted")),
            CacheChoice::At(directory) => Kept::Disk(DiskCache::at(directory, DEFAULT_CAP)),
            CacheChoice::Shared(shared) => Kept::Shared(Arc::clone(shared)),
        })
    }

    /// Compiles texts in parallel. Without LLVM none is compiled.
    fn compile(&mut self, pool: &Pool, unknown: &mut [Unknown<'_>]) -> Result<(), CompileError> {
        if unknown.is_empty() {
            return Ok(());
        }
        let Ok(llvm) = self.llvm.get_or_insert_with(Llvm::load).clone() else { return Ok(()) };
        let options = self.options.clone();
        let kept = self.kept();
        pool.for_each_mut(unknown, |_, unknown| {
            let start = Instant::now();
            let object = llvm.compile(unknown.text, &options);
            if let Ok(bytes) = &object {
                kept.put(unknown.source, bytes);
            }
            (unknown.object, unknown.when) = (Some(object), When::since(start));
        });
        for unknown in unknown {
            if let Some(object) = unknown.object.take() {
                self.known.insert(unknown.source, object?.into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn origins(objects: &[Option<Object>]) -> Vec<Origin> {
        objects.iter().map(|object| object.as_ref().unwrap().made.origin).collect()
    }

    #[test]
    fn compiled_once_then_known() {
        let scratch = Scratch::new("known");
        let pool = Pool::new(2);
        let (one, two) = (text(1), text(2));
        let mut objects = scratch.objects();
        let found = objects.get(&pool, &[&one, &two, &one]).unwrap();
        assert_eq!(origins(&found), [Origin::Compiler; 3]);
        assert_eq!(found[0].as_ref().unwrap().bytes, found[2].as_ref().unwrap().bytes);
        assert_ne!(found[0].as_ref().unwrap().bytes, found[1].as_ref().unwrap().bytes);
        assert_eq!(origins(&objects.get(&pool, &[&two]).unwrap()), [Origin::Memory]);
        // Another process would find the object on disk, and not load LLVM.
        let mut warm = scratch.objects();
        let found = warm.get(&pool, &[&one, &two]).unwrap();
        assert_eq!(origins(&found), [Origin::Disk; 2]);
        assert!(!warm.has_looked_for_llvm());
        let code = Code::load(&found[1].as_ref().unwrap().bytes, &Symbols::none()).unwrap();
        assert!(code.function("add").is_some());
        // A different option gives a different object.
        let options = CompileOptions { level: 0, ..CompileOptions::default() };
        let mut other = Objects::new(CacheChoice::At(scratch.0.clone()), options);
        assert_eq!(origins(&other.get(&pool, &[&one]).unwrap()), [Origin::Compiler]);
    }

    #[test]
    fn damage_on_disk_is_compiled_anew() {
        let scratch = Scratch::new("damage");
        let pool = Pool::new(1);
        let one = text(1);
        let before = scratch.objects().get(&pool, &[&one]).unwrap();
        for entry in std::fs::read_dir(&scratch.0).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            std::fs::write(&path, bytes).unwrap();
        }
        let after = scratch.objects().get(&pool, &[&one]).unwrap();
        assert_eq!(origins(&after), [Origin::Compiler]);
        assert_eq!(before[0].as_ref().unwrap().bytes, after[0].as_ref().unwrap().bytes);
    }

    /// Complete entries with the name of another that was made from something else.
    #[test]
    fn what_was_made_from_another_text_is_not_taken() {
        let (mine, theirs) = (Scratch::new("mine"), Scratch::new("theirs"));
        let pool = Pool::new(1);
        let (one, two) = (text(1), text(2));
        let before = mine.objects().get(&pool, &[&one]).unwrap();
        theirs.objects().get(&pool, &[&two]).unwrap();
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
            let after = mine.objects().get(&pool, &[&one]).unwrap();
            assert_eq!(origins(&after), [Origin::Compiler]);
            assert_eq!(before[0].as_ref().unwrap().bytes, after[0].as_ref().unwrap().bytes);
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn without_a_cache_everything_is_compiled() {
        let pool = Pool::new(1);
        for _ in 0..2 {
            let mut objects = Objects::new(CacheChoice::Off, CompileOptions::default());
            assert_eq!(origins(&objects.get(&pool, &[&text(3)]).unwrap()), [Origin::Compiler]);
        }
    }

    #[test]
    fn a_bad_text_is_an_error() {
        let mut objects = Objects::new(CacheChoice::Off, CompileOptions::default());
        assert!(objects.get(&Pool::new(1), &["define nonsense"]).is_err());
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
        assert!(objects.get(&Pool::new(1), &[&text(1)]).unwrap()[0].is_none());
        assert!(objects.missing_llvm().unwrap().to_string().contains("/nowhere/libLLVM.so"));
    }
}
