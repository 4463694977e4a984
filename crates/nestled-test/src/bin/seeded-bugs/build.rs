//! Builds of the copy's tests, with cargo's answer: the binaries, or the bugs that do not compile.

use crate::tree::Tree;
use nestled_test::json::Json;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A binary of tests.
#[derive(Clone)]
pub struct Binary {
    /// The crate, as a folder of `crates/`.
    pub package: String,
    /// The file of `tests/`, or nothing for the tests within the library.
    pub test: Option<String>,
    pub path: PathBuf,
}

/// The outcome of a build.
pub enum Built {
    Binaries(Vec<Binary>),
    /// Bugs that do not compile, or not where they are woven in.
    Blamed(Vec<u64>),
    /// The tree does not compile even without woven bugs.
    Refused(String),
}

/// Builds all tests, or those of some crates.
pub fn build(tree: &Tree, packages: &[String]) -> Result<Built, Box<dyn Error>> {
    let mut command = cargo(tree);
    command.args(["test", "--no-run", "--message-format", "json"]);
    match packages {
        [] => command.args(["--workspace", "--exclude", "xtask", "--exclude", "nestled-bench"]),
        some => command.args(some.iter().flat_map(|package| ["-p", package])),
    };
    let output = command.stderr(Stdio::piped()).output()?;
    let messages: Vec<Json> = String::from_utf8(output.stdout)?.lines().map(Json::parse).collect();
    if output.status.success() {
        return Ok(Built::Binaries(messages.iter().filter_map(|message| binary(tree, message)).collect()));
    }
    let mut blamed = BTreeSet::new();
    let mut said = String::from_utf8_lossy(&output.stderr).into_owned();
    for message in messages.iter().filter(|message| message.text("reason") == "compiler-message") {
        let Some(message) = message.get("message").filter(|message| message.text("level") == "error") else {
            continue;
        };
        let mut places = BTreeMap::new();
        collect_places(message, tree, &mut places);
        let known = places.iter().filter_map(|(file, places)| Some(tree.woven.get(file)?.blamed(places)));
        let before = blamed.len();
        blamed.extend(known.flatten());
        if blamed.len() == before {
            said += message.text("rendered");
        }
    }
    let blamed: Vec<u64> = blamed.into_iter().collect();
    Ok(if blamed.is_empty() { Built::Refused(said) } else { Built::Blamed(blamed) })
}

fn cargo(tree: &Tree) -> Command {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    command.current_dir(&tree.copy);
    command.env("CARGO_TARGET_DIR", &tree.target).env("CARGO_PROFILE_DEV_DEBUG", "0");
    command
}

fn binary(tree: &Tree, message: &Json) -> Option<Binary> {
    let Json::Text(path) = message.get("executable")? else { return None };
    let is_test = message.get("profile")?.get("test")? == &Json::Word("true".to_owned());
    let manifest = Path::new(message.text("manifest_path")).strip_prefix(tree.copy.join("crates")).ok()?;
    let package = manifest.components().next()?.as_os_str().to_str()?.to_owned();
    let target = message.get("target")?;
    let Json::List(kinds) = target.get("kind")? else { return None };
    let is_integration = kinds.contains(&Json::Text("test".to_owned()));
    let test = is_integration.then(|| target.text("name").to_owned());
    is_test.then(|| Binary { package, test, path: PathBuf::from(path) })
}

/// Collects every place in a file that a message mentions, however deep in it.
fn collect_places(json: &Json, tree: &Tree, places: &mut BTreeMap<String, Vec<Range<usize>>>) {
    match json {
        Json::List(items) => items.iter().for_each(|item| collect_places(item, tree, places)),
        Json::Object(members) => {
            if json.get("byte_start").is_some() {
                let file = Path::new(json.text("file_name"));
                let file = file.strip_prefix(&tree.copy).unwrap_or(file).to_string_lossy().into_owned();
                let at = |name| json.number(name) as usize;
                places.entry(file).or_default().push(at("byte_start")..at("byte_end"));
            }
            members.iter().for_each(|(_, member)| collect_places(member, tree, places));
        }
        Json::Text(_) | Json::Number(_) | Json::Word(_) => {}
    }
}

/// The dependencies of each crate's tests, the crate itself among them.
pub fn dependencies(tree: &Tree) -> Result<BTreeMap<String, BTreeSet<String>>, Box<dyn Error>> {
    let output =
        cargo(tree).args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).output()?;
    let Json::Object(metadata) = Json::parse(&String::from_utf8(output.stdout)?) else {
        return Ok(BTreeMap::new());
    };
    let packages = metadata.into_iter().find(|(name, _)| name == "packages");
    let Some((_, Json::List(packages))) = packages else { return Ok(BTreeMap::new()) };
    let direct = |json: &Json, with_tests: bool| -> BTreeSet<String> {
        let Some(Json::List(list)) = json.get("dependencies") else { return BTreeSet::new() };
        let wanted =
            list.iter().filter(|one| with_tests || one.get("kind") != Some(&Json::Text("dev".to_owned())));
        wanted.map(|one| one.text("name").to_owned()).collect()
    };
    let libraries: BTreeMap<&str, BTreeSet<String>> =
        packages.iter().map(|package| (package.text("name"), direct(package, false))).collect();
    let close = |package: &Json| {
        let mut reached = BTreeSet::from([package.text("name").to_owned()]);
        let mut open: Vec<String> = direct(package, true).into_iter().collect();
        while let Some(name) = open.pop() {
            let next = libraries.get(name.as_str()).into_iter().flatten().cloned();
            if reached.insert(name.clone()) {
                open.extend(next);
            }
        }
        (package.text("name").to_owned(), reached)
    };
    Ok(packages.iter().map(close).collect())
}
