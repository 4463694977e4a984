//! `nestled run --trace` writes JSON, however the run ends.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Just enough of a value to ask for.
#[derive(Clone, PartialEq, Debug)]
enum Json {
    Text(String),
    Number(f64),
    Word(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else { panic!("{self:?} is no object") };
        members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Json::Text(text)) => text,
            other => panic!("{name} is {other:?}"),
        }
    }

    fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Json::Number(number)) => *number,
            other => panic!("{name} is {other:?}"),
        }
    }
}

/// Reads all of a text as JSON, strictly.
struct Parser<'a>(&'a str);

impl Parser<'_> {
    fn whole(text: &str) -> Json {
        let mut parser = Parser(text);
        let value = parser.value();
        parser.blanks();
        assert!(parser.0.is_empty(), "more after the value: {:?}", parser.0);
        value
    }

    fn blanks(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\n', '\r', '\t']);
    }

    fn takes(&mut self, word: char) -> bool {
        self.blanks();
        let rest = self.0.strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn wants(&mut self, word: char) {
        assert!(self.takes(word), "{word:?} is wanted before {:?}", &self.0[..self.0.len().min(40)]);
    }

    fn value(&mut self) -> Json {
        self.blanks();
        match self.0.chars().next().expect("a value") {
            '[' => Json::List(self.items('[', ']', Parser::value)),
            '{' => Json::Object(self.items('{', '}', |parser| {
                let name = parser.quoted();
                parser.wants(':');
                (name, parser.value())
            })),
            '"' => Json::Text(self.quoted()),
            _ => self.plain(),
        }
    }

    fn items<T>(&mut self, open: char, close: char, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        self.wants(open);
        let mut items = Vec::new();
        if self.takes(close) {
            return items;
        }
        loop {
            items.push(item(self));
            if !self.takes(',') {
                break;
            }
        }
        self.wants(close);
        items
    }

    fn quoted(&mut self) -> String {
        self.wants('"');
        let mut text = String::new();
        loop {
            let c = self.0.chars().next().expect("the end of a text");
            self.0 = &self.0[c.len_utf8()..];
            match c {
                '"' => return text,
                '\\' => text.push(self.escape()),
                c => {
                    assert!(c >= ' ', "a control character in a text");
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> char {
        let c = self.0.chars().next().expect("an escape");
        self.0 = &self.0[1..];
        match c {
            '"' | '\\' | '/' => c,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'u' => {
                let code = u32::from_str_radix(&self.0[..4], 16).expect("four digits");
                self.0 = &self.0[4..];
                char::from_u32(code).expect("a character")
            }
            other => panic!("no escape: {other:?}"),
        }
    }

    fn plain(&mut self) -> Json {
        let end = self.0.find([',', ']', '}', ' ', '\n']).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        match word {
            "true" | "false" | "null" => Json::Word(word.to_owned()),
            number => {
                assert!(number.starts_with(|c: char| c == '-' || c.is_ascii_digit()), "{number}");
                Json::Number(number.parse().unwrap_or_else(|_| panic!("{number} is no number")))
            }
        }
    }
}

/// The events of a run, and its exit status.
fn trace(name: &str, file: &Path, args: &[&str]) -> (Vec<Json>, i32) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let output = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .arg("run")
        .arg(file)
        .args(args)
        .args(["--device", "reference"])
        .arg("--trace")
        .arg(&path)
        .output()
        .expect("nestled starts");
    let text = std::fs::read_to_string(&path).expect("the trace is UTF-8");
    let Json::List(events) = Parser::whole(&text) else { panic!("no list") };
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
