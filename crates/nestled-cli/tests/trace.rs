//! `nestled run --trace` writes JSON, however the run ends.

use nestled_test::json::Json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The events of a run that finds nothing in a cache, and its exit status.
fn trace(name: &str, file: &Path, args: &[&str]) -> (Vec<Json>, i32) {
    trace_with(Path::new(""), name, file, args)
}

/// The same, with a cache in this directory.
fn trace_with(cache: &Path, name: &str, file: &Path, args: &[&str]) -> (Vec<Json>, i32) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let output = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .arg("run")
        .arg(file)
        .args(args)
        .args(["--device", "reference"])
        .arg("--trace")
        .arg(&path)
        .env("NESTLED_CACHE", cache)
        .output()
        .expect("nestled starts");
    let text = std::fs::read_to_string(&path).expect("the trace is UTF-8");
    let Json::List(events) = Json::parse(&text) else { panic!("no list") };
    (events, output.status.code().expect("it exits"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of the events of a kind, in order.
fn names<'a>(events: &'a [Json], kind: &str) -> Vec<&'a str> {
    let of_kind =
        events.iter().filter(|event| event.get("cat").is_some_and(|cat| *cat == Json::Text(kind.into())));
    of_kind.map(|event| event.text("name")).collect()
}

fn find<'a>(events: &'a [Json], name: &str) -> &'a Json {
    events.iter().find(|event| event.text("name") == name).unwrap_or_else(|| panic!("no event {name}"))
}

/// The second run finds what the passes of the first made, and does all the same with it.
#[test]
fn passes_do_not_run_again() {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trace-cache");
    let _ = std::fs::remove_dir_all(&cache);
    // Its largest statement takes passes far longer than it has to.
    let file = root().join("examples/line_fit.nesl");
    let (first, _) = trace_with(&cache, "first", &file, &[]);
    let (second, _) = trace_with(&cache, "second", &file, &[]);
    assert!(names(&second, "pass").len() < names(&first, "pass").len());
    let launches = |events: &[Json]| -> Vec<(String, f64)> {
        let launches = events.iter().filter(|event| event.get("cat") == Some(&Json::Text("launch".into())));
        let about =
            |event: &Json| (event.text("name").to_owned(), event.get("args").unwrap().number("points"));
        launches.map(about).collect()
    };
    assert!(!launches(&first).is_empty());
    assert_eq!(launches(&first), launches(&second));
}

#[test]
fn a_run_tells_its_phases_passes_launches_copies_and_memory() {
    let file = root().join("examples/means.lcu");
    let (events, status) = trace("means", &file, &["[[1, 2, 3], [10], [4, 6]]"]);
    assert_eq!(status, 0);
    assert_eq!(names(&events, "launch"), ["means"]);
    let passes: Vec<&str> = nestled_pass::DEFAULT.iter().map(|pass| pass.name).collect();
    assert!(passes.len() > 3);
    assert_eq!(names(&events, "pass"), passes);
    assert_eq!(names(&events, "copy"), ["copy in", "copy in", "copy out"]);
    let launch = find(&events, "means");
    let args = launch.get("args").unwrap();
    assert!(args.text("place").ends_with("examples/means.lcu:10:10"), "{args:?}");
    assert_eq!(args.number("points"), 6.0);
    // Six numbers and four offsets; three means.
    assert_eq!(args.number("bytes read"), 80.0);
    assert_eq!(args.number("bytes written"), 24.0);
    let live: Vec<f64> = events
        .iter()
        .filter(|event| event.text("ph") == "C")
        .map(|event| event.get("args").unwrap().number("bytes"))
        .collect();
    assert_eq!(live.iter().copied().fold(0.0, f64::max), 104.0);
    assert_eq!(live.last(), Some(&0.0), "all is given back");
}

#[test]
fn what_lies_on_the_track_of_the_host_nests() {
    let file = root().join("examples/quicksort.lcu");
    let (events, status) = trace("quicksort", &file, &["[3.5, -1, 2, 2, 9.25, 0]"]);
    assert_eq!(status, 0);
    assert!(names(&events, "launch").len() > 3);
    assert!(!names(&events, "wait").is_empty());
    let mut slices: Vec<(f64, f64)> = events
        .iter()
        .filter(|event| event.text("ph") == "X" && event.number("tid") == 1.0)
        .map(|event| (event.number("ts"), event.number("ts") + event.number("dur")))
        .collect();
    slices.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut open: Vec<f64> = Vec::new();
    for (start, end) in slices {
        // Ends are sums of two numbers that were rounded to the nanosecond.
        while open.last().is_some_and(|&outer| outer <= start + 0.002) {
            open.pop();
        }
        assert!(open.last().is_none_or(|&outer| end <= outer + 0.002), "{start} to {end} leaves {open:?}");
        open.push(end);
    }
}

#[test]
fn a_run_that_faults_has_a_trace() {
    let file = root().join("tests/cli/programs/arith.lcu");
    let (events, status) = trace("fault", &file, &["--fn", "pick", "[1, 2, 3]", "7"]);
    assert_eq!(status, 1);
    assert_eq!(names(&events, "launch"), ["at"]);
}

#[test]
fn a_run_without_memory_has_a_trace() {
    let file = root().join("tests/cli/programs/arith.lcu");
    let (events, status) = trace("memory", &file, &["--fn", "count", "--shape", "1000000", "--memory", "1K"]);
    assert_eq!(status, 1);
    assert_eq!(names(&events, "launch"), [""; 0]);
    assert!(names(&events, "phase").contains(&"host code"));
}

#[test]
fn names_may_have_any_character() {
    let name = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a \"quoted\" \\ name.lcu");
    let text = "kernel `a \"b\" \\\\ λ`<n>() over n {\n  x = map { i => i }\n  ret x\n}\n\
        fn main<n>() -> [n]idx {\n  x = run `a \"b\" \\\\ λ`<n>()\n  ret x\n}\n";
    std::fs::write(&name, text).expect("written");
    let (events, status) = trace("names", &name, &["--shape", "3"]);
    assert_eq!(status, 0);
    assert_eq!(names(&events, "launch"), ["a \"b\" \\ λ"]);
    let place = find(&events, "a \"b\" \\ λ").get("args").unwrap().text("place");
    assert!(place.ends_with("a \"quoted\" \\ name.lcu:6:7"), "{place}");
}
