//! Files of a crate import one another in no circle. A module and those inside it are one matter: parent and child may know each other.
//!
//! A circle that a change closes is opened by moving what one file needs of the other: a type of data goes below those that use it, and a recursion over several
//! kinds of things becomes a module with a file for each kind inside it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A module by the names that lead to it; the root of the crate has none.
type Module = Vec<String>;

type Graph = BTreeMap<Module, BTreeSet<Module>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_owned()
}

/// The modules below a folder that are not tests, with their files.
fn modules(source: &Path) -> BTreeMap<Module, PathBuf> {
    let mut found = BTreeMap::new();
    let mut open = vec![(source.to_owned(), Module::new())];
    while let Some((folder, at)) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of source") {
            let path = entry.expect("readable").path();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8").to_owned();
            let mut module = at.clone();
            if path.is_dir() {
                module.push(stem);
                open.push((path, module));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                if !["mod", "lib", "main"].contains(&stem.as_str()) {
                    module.push(stem);
                }
                let is_test = |name: &String| name.ends_with("tests");
                if !module.iter().any(is_test) && module.first().is_none_or(|first| first != "bin") {
                    found.insert(module, path);
                }
            }
        }
    }
    found
}

/// Code without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The paths that a text names from `crate`, `super` or `self`, groups in braces taken apart.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(is_word) || text[..at].ends_with("::") {
                continue;
            }
            expand(&text[at..], &[], &mut found);
        }
    }
    found
}

/// Reads one path, or one of a group; answers what is behind it.
fn expand<'t>(text: &'t str, before: &[String], found: &mut Vec<Vec<String>>) -> &'t str {
    let mut path = before.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            rest = group;
            loop {
                rest = expand(rest, &path, found);
                // What renames it.
                let end = rest.find([',', '}', ';']).unwrap_or(rest.len());
                rest = &rest[end..];
                match rest.strip_prefix(',') {
                    Some(more) if !more.trim_start().starts_with('}') => rest = more,
                    Some(more) => return &more.trim_start()[1..],
                    None => return rest.strip_prefix('}').unwrap_or(rest),
                }
            }
        }
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        path.push(rest[..end].to_owned());
        match rest[end..].strip_prefix("::") {
            Some(more) => rest = more.trim_start(),
            None => {
                rest = &rest[end..];
                break;
            }
        }
    }
    found.push(path);
    rest
}

/// The module that a path names something in, seen from a module.
fn resolved(path: &[String], from: &Module, modules: &BTreeMap<Module, PathBuf>) -> Option<Module> {
    let mut at = from.clone();
    let mut names = path.iter().peekable();
    match names.next()?.as_str() {
        "crate" => at.clear(),
        "super" => {
            at.pop()?;
        }
        _ => {}
    }
    while names.next_if(|name| *name == "super").is_some() {
        at.pop()?;
    }
    for name in names {
        at.push(name.clone());
        if !modules.contains_key(&at) {
            at.pop();
            break;
        }
    }
    Some(at)
}

/// Who imports whom, parents and children left out.
fn imports(source: &Path) -> Graph {
    let modules = modules(source);
    let mut graph = Graph::new();
    for (module, file) in &modules {
        let text = code(&std::fs::read_to_string(file).expect("readable"));
        let named = paths(&text).into_iter().filter_map(|path| resolved(&path, module, &modules));
        let others = named.filter(|other| !module.starts_with(other) && !other.starts_with(module));
        graph.insert(module.clone(), others.collect());
    }
    graph
}

/// Everything that can be come to from a module.
fn reached(graph: &Graph, from: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for next in graph.get(at).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

/// The circles: sets of modules that can all be come to from one another.
fn circles(graph: &Graph) -> BTreeSet<BTreeSet<Module>> {
    let reached: BTreeMap<_, _> = graph.keys().map(|module| (module, reached(graph, module))).collect();
    let among = |module: &Module| {
        let back = |other: &&Module| reached[*other].contains(module);
        reached[module].iter().filter(back).cloned().collect::<BTreeSet<_>>()
    };
    graph.keys().filter(|module| reached[*module].contains(*module)).map(among).collect()
}

#[test]
fn files_import_one_another_in_no_circle() {
    let root = root();
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(root.join("crates")).expect("crates/") {
        let folder = entry.expect("readable");
        let name = folder.file_name().into_string().expect("UTF-8");
        for circle in circles(&imports(&folder.path().join("src"))) {
            let files: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
            found.insert(format!("{name}: {}", files.join(" ")));
        }
    }
    assert!(found.is_empty(), "files that import one another: {found:#?}");
}

#[test]
fn paths_are_taken_apart() {
    let text =
        "use crate::{a::b, c::{self, d as e}};\nfn f() -> super::super::g::H { nestled::crate_name() }";
    let found: Vec<String> = paths(text).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::b", "crate::c::self", "crate::c::d", "super::super::g::H"]);
}
