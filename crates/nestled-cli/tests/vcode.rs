//! Every program in `tests/vcode` on the CPU, through all passes and through none, gives what it says it gives.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What follows a word in the comment that begins with it.
fn comment<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.split_once(&format!("{{ {word}:"))?.1;
    Some(rest.split_once('}')?.0)
}

fn run(file: &Path, listing: Option<&Path>, option: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
    // As the original is run to find mistakes.
    command.arg("run").arg("-c").arg(file).args(option);
    if let Some(listing) = listing {
        command.arg("--fused").arg(listing);
    }
    command.output().expect("nestled starts")
}

/// What is wrong with a run, if anything is.
fn complain(text: &str, output: &Output) -> Option<String> {
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let fits = if let Some(expected) = comment(text, "expect") {
        let lines =
            |text: &str| text.trim().lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        output.status.success() && lines(&printed) == lines(expected)
    } else if let Some(words) = comment(text, "fault") {
        output.status.code() == Some(1) && said.to_lowercase().contains(words.trim())
    } else if let Some(code) = comment(text, "refused") {
        output.status.code() == Some(1) && said.contains(&format!("error[{}]", code.trim()))
    } else {
        output.status.success() && printed.is_empty()
    };
    (!fits).then(|| format!("{}\n{printed}{said}", output.status))
}

#[test]
fn programs_do_what_they_say_on_the_cpu() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vcode");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut wrong = String::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let listing = comment(&text, "listing").map(|listing| {
            let name = format!("nestled-{}-{}.cu", std::process::id(), file.file_stem().unwrap().display());
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, format!("/*{listing}*/")).unwrap();
            path
        });
        for option in [None, Some("--no-passes")] {
            if let Some(complaint) = complain(&text, &run(file, listing.as_deref(), option)) {
                wrong.push_str(&format!("{} {option:?}: {complaint}\n", file.display()));
            }
        }
        if let Some(listing) = listing {
            std::fs::remove_file(listing).unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(files.len() > 50);
}
