//! The peers' folder, and processes that measure: theirs by way of `peer.py`, ours by this program.

use crate::record::Record;
use crate::workloads::Workload;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Measures one peer by `run.py`.
const SCRIPT: &str = include_str!("peer.py");

/// The system that is ours.
pub(super) const OURS: &str = "nestled";

/// Ours, from Python.
pub(super) const PYTHON: &str = "python";

/// The peers, and how they are run.
pub(super) struct Peers {
    folder: PathBuf,
    python: String,
    threads: String,
    /// For our caches and results, while this runs.
    place: PathBuf,
}

impl Drop for Peers {
    fn drop(&mut self) {
        // Nobody else knows of it.
        let _ = std::fs::remove_dir_all(&self.place);
    }
}

impl Peers {
    /// Looks for the peers.
    pub(super) fn find(named: Option<PathBuf>, threads: u32) -> Result<Peers, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let named = named.or_else(|| std::env::var_os("NESTLED_PEERS").map(PathBuf::from));
        let folder = named.unwrap_or_else(|| root.join("../shared/peers"));
        let is_there = ["data.py", "run.py"].iter().all(|file| folder.join(file).is_file());
        let folder = folder.canonicalize().ok().filter(|_| is_there).ok_or_else(|| {
            format!(
                "there are no peers in `{}`: a folder with their `data.py` and `run.py` is wanted, which --peers or NESTLED_PEERS names. \
                 Without peers, `nestled-peers run ID --data FOLDER` measures ours on files of your own",
                folder.display()
            )
        })?;
        let python = std::env::var("NESTLED_PEERS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let place = std::env::temp_dir().join(format!("nestled-peers-{}", std::process::id()));
        Ok(Peers { folder, python, threads: threads.to_string(), place })
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ours, and of the wanted systems those that are installed.
    pub(super) fn systems(&self, wanted: Option<&[String]>) -> Result<Vec<String>, String> {
        let listed = self.script(&["list"])?;
        let installed: Vec<String> = listed.split_whitespace().map(str::to_owned).collect();
        let missing = |system: &&String| !installed.contains(system) && *system != OURS;
        if let Some(system) = wanted.unwrap_or_default().iter().find(missing) {
            return Err(format!("`{system}` is not installed; there are: {}", installed.join(", ")));
        }
        let is_wanted =
            |system: &String| wanted.is_none_or(|wanted| wanted.contains(system)) && system != OURS;
        let others = installed.iter().filter(|system| is_wanted(system)).cloned();
        Ok(std::iter::once(OURS.to_owned()).chain(others).collect())
    }

    /// Makes the inputs, unless they are there; their folder.
    pub(super) fn make(&self, id: &str, size: &str) -> Result<PathBuf, String> {
        let output = self.python(&["data.py", "--make", id, "--size", size])?;
        let said = succeeded(&output).map_err(|why| format!("{id}: no inputs: {why}"))?;
        Ok(said.lines().last().unwrap_or_default().trim().into())
    }

    /// Measures a system in a process of its own; ours in one more where `cold`, which has no compiled code to begin with.
    pub(super) fn measure(
        &self,
        system: &str,
        workload: &Workload,
        size: &str,
        folder: &Path,
        cold: bool,
    ) -> Result<Record, String> {
        let record = match system {
            OURS => self.ours(workload, size, folder, cold),
            _ => self.script(&[system, workload.id, size]).map(|said| read(&said)),
        };
        let failed = |detail| Record { check: "ERROR".into(), detail, ..Record::default() };
        let mut record = record.unwrap_or_else(failed);
        record.workload = workload.id.to_owned();
        record.size = size.to_owned();
        record.system = system.to_owned();
        Ok(record)
    }

    fn ours(&self, workload: &Workload, size: &str, folder: &Path, cold: bool) -> Result<Record, String> {
        let cache = self.place.join(format!("{}-{size}", workload.id));
        std::fs::create_dir_all(&cache).map_err(|error| format!("{}: {error}", cache.display()))?;
        let result = self.place.join("result.npy");
        let run = |more: &[&str]| -> Result<Record, String> {
            let program = std::env::current_exe().map_err(|error| error.to_string())?;
            let mut command = Command::new(program);
            command.args(["run", workload.id, "--data"]).arg(folder).args(more);
            command.env("NESTLED_CACHE", &cache).env("NESTLED_THREADS", &self.threads);
            succeeded(&output(&mut command)?).map(|said| read(&said))
        };
        let cold = if cold { run(&["--first"])?.first } else { None };
        let mut record = run(&["--result", &result.to_string_lossy()])?;
        record.first_warm = record.first;
        record.first = cold;
        let path = result.to_string_lossy().into_owned();
        let said = self.python(&["data.py", "--check", workload.id, "--size", size, &path])?;
        let checked = read(&String::from_utf8_lossy(&said.stdout));
        record.check = if said.status.success() { "ok".to_owned() } else { "FAIL".to_owned() };
        record.detail = checked.detail;
        Ok(record)
    }

    /// Runs the script that measures a peer.
    fn script(&self, args: &[&str]) -> Result<String, String> {
        let shim = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compare/avx2.h");
        let shim = shim.to_string_lossy();
        let mut line = vec!["-c", SCRIPT, &*shim];
        line.extend(args);
        let output = self.python(&line)?;
        succeeded(&output)
    }

    /// Runs Python in the folder of the peers.
    fn python(&self, args: &[&str]) -> Result<Output, String> {
        let mut command = Command::new(&self.python);
        command.args(args).current_dir(&self.folder).env("PEERS_THREADS", &self.threads);
        command.env("NESTLED_THREADS", &self.threads);
        output(command.env("PYTHONDONTWRITEBYTECODE", "1"))
    }
}

fn output(command: &mut Command) -> Result<Output, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).output().map_err(|error| format!("cannot start `{name}`: {error}"))
}

/// What a process printed, if all went well; otherwise the last line of its errors.
fn succeeded(output: &Output) -> Result<String, String> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rfind(|line| !line.trim().is_empty());
    Err(last.map_or_else(|| output.status.to_string(), |line| line.chars().take(200).collect()))
}

/// The last line that is a record.
fn read(said: &str) -> Record {
    said.lines().rev().find_map(Record::parse).unwrap_or_else(|| {
        let none = "the system has no program for it".to_owned();
        Record { check: "none".into(), detail: none, ..Record::default() }
    })
}
