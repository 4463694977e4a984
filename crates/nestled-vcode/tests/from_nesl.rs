//! NESL to VCODE and FCODE: the direct interpreter of VCODE, on what a program has become, leaves what NESL's own interpreter computes.
//!
//! The programs are those of `tests/vcode-from-nesl`, the expressions of `tests/nesl/values`, and the examples. How many of them have a translation is written
//! down, so that it is noticed when one has none any more.

use super::common::{Outcome, direct, through_lcu};
use nestled_nesl::interp::{Limits, TestWorld, Value};
use nestled_nesl::{Dialect, Session, Width};
use nestled_vcode::emit::{Emitted, Form, Translation};
use nestled_vcode::syntax::{self, instr::Elem, listing::Listing};
use std::fs;
use std::path::{Path, PathBuf};

/// Integers of 32 bits, as the direct interpreter has them.
const NARROW: Dialect = Dialect { int: Width::W32, float: Width::W64, compat: false };

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

fn files(folder: PathBuf, ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The outcome of a program.
#[derive(Debug)]
enum Fate {
    /// Both interpreters agree: on the values, or that there is a fault.
    Agree,
    /// It has no translation, for this reason.
    Refused(String),
    /// NESL refuses it, it takes too long, or there is nothing to compare.
    Skipped(String),
    /// They do not agree.
    Wrong(String),
}

/// Translates a text, in a session like this one.
fn translate(name: &str, text: &str, base: &Session) -> Result<Translation, String> {
    let mut session = base.another();
    let mut translation = Translation::default();
    for item in session.read(name, text) {
        let statement = item.map_err(|error| error.message)?;
        translation
            .statement(&mut session, &statement)
            .map_err(|errors| format!("{}: {}", errors[0].code, errors[0].message))?;
    }
    Ok(translation)
}

/// The values of the expressions of a text, or none if one faults.
fn values(name: &str, text: &str, base: &Session) -> Option<Vec<Value>> {
    let mut session = base.another();
    session.limits = Limits { steps: 400_000_000, ..Limits::default() };
    let mut found = Vec::new();
    for item in session.read(name, text) {
        let statement = item.ok()?;
        let result = session.execute(&statement, &mut TestWorld::default());
        if result.fault.is_some() || !result.errors.is_empty() {
            return None;
        }
        if result.shown.as_ref().is_some_and(|shown| shown.name == "it") {
            found.push(session.value("it").expect("it has a value").0.clone());
        }
    }
    Some(found)
}

/// A slot of the stack, as it is expected.
enum Slot {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Bools(Vec<bool>),
    Lengths(Vec<usize>),
}

/// Lays values of one form into slots; none for what has no plain representation.
fn slots(form: &Form, values: &[Value]) -> Option<Vec<Slot>> {
    Some(match form {
        Form::Scalar(Elem::Int) => vec![Slot::Ints(
            values
                .iter()
                .map(|value| match value {
                    Value::Int(value) => Some(*value),
                    Value::Char(code) => Some(i64::from(*code)),
                    _ => None,
                })
                .collect::<Option<_>>()?,
        )],
        Form::Scalar(Elem::Float) => {
            let float = |value: &Value| if let Value::Float(value) = value { Some(*value) } else { None };
            vec![Slot::Floats(values.iter().map(float).collect::<Option<_>>()?)]
        }
        Form::Scalar(Elem::Bool) => {
            let bool = |value: &Value| if let Value::Bool(value) = value { Some(*value) } else { None };
            vec![Slot::Bools(values.iter().map(bool).collect::<Option<_>>()?)]
        }
        Form::Tuple(forms) => {
            let parts = |value: &Value| match value {
                Value::Pair(pair) => Some(vec![pair.0.clone(), pair.1.clone()]),
                Value::Closure(captured) => Some(captured.to_vec()),
                _ => None,
            };
            let rows: Vec<Vec<Value>> = values.iter().map(parts).collect::<Option<_>>()?;
            let mut all = Vec::new();
            for (at, form) in forms.iter().enumerate() {
                let column: Vec<Value> =
                    rows.iter().map(|row| row.get(at).cloned()).collect::<Option<_>>()?;
                all.extend(slots(form, &column)?);
            }
            all
        }
        Form::Seq(inner) => {
            let mut lengths = Vec::new();
            let mut elements = Vec::new();
            for value in values {
                let Value::Seq(sequence) = value else { return None };
                lengths.push(sequence.len());
                elements.extend(sequence.iter().cloned());
            }
            let mut all = vec![Slot::Lengths(lengths)];
            all.extend(slots(inner, &elements)?);
            all
        }
        Form::Outer(_) => return None,
    })
}

fn line(slot: &Slot) -> String {
    let list = |words: Vec<String>| words.iter().map(|word| format!(" {word}")).collect::<String>();
    match slot {
        Slot::Ints(all) => format!("({} )\n", list(all.iter().map(i64::to_string).collect())),
        Slot::Bools(all) => {
            format!("({} )\n", list(all.iter().map(|&b| if b { "T" } else { "F" }.to_owned()).collect()))
        }
        Slot::Floats(all) => {
            let float = |value: &f64| {
                let mut out = String::new();
                nestled_vcode::print::float(*value, &mut out);
                out
            };
            format!("({} )\n", list(all.iter().map(float).collect()))
        }
        Slot::Lengths(all) => format!("[{} ]\n", list(all.iter().map(usize::to_string).collect())),
    }
}

/// Runs a program on the direct interpreter.
fn run(emitted: &Emitted) -> Result<Outcome, String> {
    let listing = match emitted.listing.is_empty() {
        true => Listing::default(),
        false => Listing::parse(&emitted.listing, 1).map_err(|errors| errors[0].message.clone())?,
    };
    let program = syntax::parse(&emitted.program).map_err(|errors| errors[0].message.clone())?;
    // Calls inside one another take the thread's stack there.
    let work = || direct::run_for(&program, &listing, (3_000_000, 10_000));
    let outcome = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 30).spawn_scoped(scope, work);
        thread.expect("a thread").join()
    });
    match outcome {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(stop)) => Err(format!("{stop:?}")),
        Err(_) => Err("the interpreter has panicked".to_owned()),
    }
}

/// Compares what a program has become with what it means. `through` also has it compiled to λcu and run there.
fn judge((name, text): (&str, &str), base: &Session, through: bool) -> Fate {
    let translation = match translate(name, text, base) {
        Ok(translation) => translation,
        Err(reason) if reason.starts_with("V0302") => return Fate::Refused(reason),
        Err(reason) => return Fate::Skipped(format!("{name}: {reason}")),
    };
    let (vcode, fcode) = (translation.clone().finish(false), translation.finish(true));
    let expected = values(name, text, base);
    let wanted = match &expected {
        None => None,
        Some(values) => {
            let each = vcode
                .results
                .iter()
                .zip(values)
                .map(|(form, value)| slots(form, std::slice::from_ref(value)));
            let Some(all) = each.collect::<Option<Vec<_>>>() else {
                return Fate::Skipped(format!("{name}: a datatype"));
            };
            Some(all.iter().flatten().map(line).collect::<String>())
        }
    };
    let mut outcomes = Vec::new();
    for emitted in [&vcode, &fcode] {
        match run(emitted) {
            Ok(outcome) => outcomes.push(outcome),
            Err(message) if message == "Unknown" => return Fate::Skipped(format!("{name}: too long")),
            Err(message) => {
                let Emitted { program, listing, .. } = emitted;
                return Fate::Wrong(format!("{name}: {message}\n{text}\n{program}\n{listing}"));
            }
        }
    }
    if through {
        let listing = (!fcode.listing.is_empty()).then_some(fcode.listing.as_str());
        outcomes.push(through_lcu(&vcode.program, None, &Default::default()));
        outcomes.push(through_lcu(&fcode.program, listing, &Default::default()));
    }
    for outcome in outcomes {
        let agrees = match (&wanted, &outcome) {
            (Some(wanted), Outcome::Stack(found)) => wanted == found,
            (None, Outcome::Fault(_) | Outcome::Exit) => true,
            _ => false,
        };
        if !agrees {
            return Fate::Wrong(format!(
                "{name}\n{text}\nwanted {wanted:?}\nfound {outcome:?}\n{}",
                vcode.program
            ));
        }
    }
    Fate::Agree
}

/// The programs of the files of `tests/nesl/values`: each expression, with the definitions before it.
fn expressions() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for file in files(tests().join("nesl/values"), "txt") {
        let text = fs::read_to_string(&file).expect("a readable file");
        if text.contains("# unchecked") || text.contains("# dialects: compat") {
            continue;
        }
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let (mut before, mut pending) = (String::new(), String::new());
        for (number, text) in text.lines().enumerate() {
            let marked = ["⇒", "⇏", "∈"].into_iter().find_map(|mark| text.split_once(&format!(" {mark} ")));
            match marked {
                None if text.starts_with('#') => {}
                None => pending = pending + text + "\n",
                Some((expression, wanted)) => {
                    // What comes before the expression is in force for those that follow.
                    let whole = pending.clone() + expression + ";";
                    if !wanted.starts_with('N') {
                        programs.push((format!("{name}:{}", number + 1), before.clone() + &whole));
                    }
                    if pending.contains("function") || pending.contains("datatype") {
                        before = before + &pending + "1;\n";
                    }
                    pending.clear();
                }
            }
        }
    }
    programs
}

/// Judges programs, of which so many agree and so many are refused.
fn all(programs: &[(String, String)], through: bool, agree: usize, refused: usize) {
    let (mut found, mut reasons, mut wrong, mut skipped) = (0, Vec::new(), Vec::new(), Vec::new());
    let base = Session::new(NARROW);
    for (name, text) in programs {
        match judge((name, text), &base, through) {
            Fate::Agree => found += 1,
            Fate::Refused(reason) => reasons.push(format!("{name}: {reason}")),
            Fate::Skipped(why) => skipped.push(why),
            Fate::Wrong(message) => wrong.push(message),
        }
    }
    if std::env::var_os("SHOW").is_some() {
        let (n, why) = (programs.len(), skipped.join("\n"));
        println!("{n} programs: {found} agree\nrefused:\n{}\nskipped:\n{why}", reasons.join("\n"));
    }
    let shown: Vec<&String> = wrong.iter().take(12).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong, {found} agree\n{}",
        wrong.len(),
        shown.iter().map(|s| s.as_str()).collect::<Vec<_>>().join("\n\n")
    );
    assert_eq!((found, reasons.len()), (agree, refused), "{}", reasons.join("\n"));
}

fn programs(folder: PathBuf) -> Vec<(String, String)> {
    let read = |file: PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(file).expect("a readable file"))
    };
    files(folder, "nesl").into_iter().map(read).collect()
}

#[test]
fn small_programs() {
    all(&programs(tests().join("vcode-from-nesl")), true, 10, 1);
}

#[test]
fn expressions_of_the_values() {
    all(&expressions(), false, 711, 109);
}

#[test]
fn examples() {
    all(&programs(tests().join("../examples")), false, 17, 1);
}
