//! The programs in `tests/vcode`: each says in a comment what must come of it, and both λcu and the direct interpreter must say so.

use crate::common::{Outcome, direct, through_lcu};
use nestled_ir::ScalarType;
use nestled_vcode::syntax::{listing::Listing, parse};
use nestled_vcode::{Options, Unequal};
use std::path::Path;

/// What follows a word in the comment that begins with it.
fn comment<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.split_once(&format!("{{ {word}:"))?.1;
    Some(rest.split_once('}')?.0)
}

#[test]
fn programs_do_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vcode");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut wrong = String::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let listing = comment(&text, "listing");
        let mut judge = |who: &str, found: &Outcome| {
            if let Some(complaint) = complain(&text, found) {
                wrong.push_str(&format!("{}: {who}: {complaint}\n", file.display()));
            }
        };
        let found = through_lcu(&text, listing, &Options::default());
        judge("λcu", &found);
        // Wider integers and no checks change nothing where nothing overflows or faults.
        if !text.contains("2147483648") && !text.contains("2147483647") && matches!(found, Outcome::Stack(_))
        {
            let options =
                Options { int: ScalarType::I64, checks: false, unequal: Unequal::Fit, ..Options::default() };
            judge("λcu with i64, unchecked", &through_lcu(&text, listing, &options));
        }
        if let (Ok(program), None) = (parse(&text), comment(&text, "refused")) {
            let listing = Listing::parse(listing.unwrap_or(""), 1).unwrap();
            match direct::run(&program, &listing) {
                Ok(found) => judge("direct", &found),
                Err(stop) => wrong.push_str(&format!("{}: direct: {stop:?}\n", file.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(files.len() > 40);
}

/// What is wrong with an outcome, if anything is.
fn complain(text: &str, found: &Outcome) -> Option<String> {
    if let Some(expected) = comment(text, "expect") {
        let expected = expected.trim_start_matches('\n');
        let found = match found {
            Outcome::Stack(found) => found.clone(),
            other => return Some(format!("{other:?}")),
        };
        let at = expected.lines().zip(found.lines()).position(|(a, b)| a.trim_end() != b.trim_end());
        return match at {
            Some(at) => Some(format!(
                "slot {at} is {:?}, not {:?}",
                found.lines().nth(at).unwrap(),
                expected.lines().nth(at).unwrap()
            )),
            None if expected.lines().count() != found.lines().count() => Some(format!("it prints\n{found}")),
            None => None,
        };
    }
    let fits = match found {
        Outcome::Exit => comment(text, "exit").is_some(),
        Outcome::Fault(message) => {
            comment(text, "fault").is_some_and(|words| message.to_lowercase().contains(words.trim()))
        }
        Outcome::Refused(message) => comment(text, "refused")
            .is_some_and(|code| message.starts_with(&format!("error[{}]", code.trim()))),
        Outcome::Stack(_) => false,
    };
    (!fits).then(|| format!("{found:?}"))
}
