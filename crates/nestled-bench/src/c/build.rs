//! Compilation of the C of `benches/c` and of a folder of experts' C into one library.

use super::Library;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// The compiled library.
#[derive(Debug)]
pub struct Built {
    /// The library.
    pub library: Rc<Library>,
    /// Whether it contains the experts' C.
    pub has_peers: bool,
    /// Whether a BLAS was opened.
    pub has_blas: bool,
}

/// Our own C.
const OWN: &[&str] =
    &["harness.c", "images.c", "irregular.c", "limits.c", "matmul.c", "sort.c", "sums.c", "vectors.c"];

/// The flags that an expert would give for the fastest code on this machine.
const FLAGS: &[&str] =
    &["-O3", "-march=native", "-mprefer-vector-width=512", "-ffast-math", "-fopenmp", "-shared", "-fPIC"];

/// Flags that compilers for other processors may refuse.
const OPTIONAL_FLAGS: &[&str] = &["-mprefer-vector-width=512"];

/// Compiles all sources and opens the library.
///
/// # Errors
/// If there is no compiler, it refuses the C, or the BLAS is none.
pub fn build(peers: Option<&Path>, blas: Option<&Path>) -> Result<Built, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/c");
    let plain: Vec<PathBuf> = OWN.iter().map(|file| own.join(file)).collect();
    let mut experts = peers.and_then(experts);
    let mut sources = plain.clone();
    if let Some(experts) = &experts {
        sources.push(own.join("peers.c"));
        sources.extend(experts.iter().cloned());
    }
    let header = own.join("bench.h");
    let file = compile(&sources, &header).or_else(|error| {
        // Theirs is for machines with AVX-512.
        if experts.take().is_some() {
            println!("note: without the experts' C: {error}");
            return compile(&plain, &header);
        }
        Err(error)
    })?;
    let library = Library::open(&file)?;
    if let Some(blas) = blas {
        library.open_blas(blas)?;
    }
    Ok(Built { library: Rc::new(library), has_peers: experts.is_some(), has_blas: blas.is_some() })
}

/// The experts' files, if the folder has them.
fn experts(folder: &Path) -> Option<[PathBuf; 2]> {
    let folders = [folder.to_owned(), folder.join("c")];
    let files = folders.map(|folder| ["accel.c", "nested.c"].map(|file| folder.join(file)));
    files.into_iter().find(|files| files.iter().all(|file| file.is_file()))
}

/// Compiles, unless the same has been compiled before.
fn compile(sources: &[PathBuf], header: &Path) -> Result<PathBuf, String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut hasher = DefaultHasher::new();
    compiler.hash(&mut hasher);
    for file in sources.iter().map(PathBuf::as_path).chain([header]) {
        std::fs::read(file)
            .map_err(|error| format!("cannot read `{}`: {error}", file.display()))?
            .hash(&mut hasher);
    }
    // Beside this program: nobody else writes there.
    let folder = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("bench-c");
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
    let file = folder.join(format!("{:016x}.so", hasher.finish()));
    if !file.exists() {
        let fresh = folder.join(format!("{}.so", std::process::id()));
        let plain: Vec<&str> = FLAGS.iter().copied().filter(|flag| !OPTIONAL_FLAGS.contains(flag)).collect();
        call(&compiler, FLAGS, sources, &fresh).or_else(|_| call(&compiler, &plain, sources, &fresh))?;
        std::fs::rename(&fresh, &file).map_err(|error| error.to_string())?;
    }
    Ok(file)
}

fn call(compiler: &str, flags: &[&str], sources: &[PathBuf], to: &Path) -> Result<(), String> {
    let output = Command::new(compiler)
        .args(flags)
        .args(sources)
        .args(["-lm", "-ldl"])
        .arg("-o")
        .arg(to)
        .output()
        .map_err(|error| format!("cannot start `{compiler}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors: Vec<&str> = message.lines().filter(|line| line.contains("error")).take(5).collect();
    Err(format!("`{compiler}` refuses the C:\n{}", errors.join("\n")))
}
