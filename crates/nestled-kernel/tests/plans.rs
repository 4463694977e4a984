//! The data files in `tests/plans/`: a kernel, a machine, and the plan that is expected.
//!
//! ```text
//! ; target: 512 bits avx512 f16c      ; the machine
//! ; sizes: streaming                  ; `wide` or `streaming`, where that matters
//! ; uses: jammed-rows                 ; words that the plan has
//! ; not: packed-rows                  ; words that it does not have
//! ; expect:                           ; the plan; the legalised kernel before it, if a pass changed that
//! ```
//!
//! `UPDATE=1` writes what is expected anew.

use nestled_ir::Program;
use nestled_kernel::text::{parse, print, schedule, summary};
use nestled_kernel::verify::verify;
use nestled_kernel::{Plan, Sizes, Target, legalise, plan, strategy};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The `.lcu` files below a folder, in order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it is readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "lcu") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What a file states.
struct File {
    path: PathBuf,
    text: String,
    target: Target,
    sizes: Sizes,
    uses: Vec<String>,
    not: Vec<String>,
}

impl File {
    fn read(path: PathBuf) -> File {
        let text = std::fs::read_to_string(&path).expect("it is text");
        let name = path.display();
        let said = |word: &str| -> Vec<String> {
            let head = text.split("; expect:").next().unwrap_or_default();
            let lines = head.lines().filter_map(|line| line.strip_prefix("; ")?.strip_prefix(word));
            let words = lines.flat_map(|rest| rest.split([',', ' ']));
            words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let target = said("target: ");
        let has = |word: &str| target.iter().any(|own| own == word);
        let vector_bits = target.first().and_then(|bits| bits.parse().ok());
        let target = Target {
            vector_bits: vector_bits
                .unwrap_or_else(|| panic!("{name}: `target: 512 bits avx512 f16c` is wanted")),
            avx512: has("avx512"),
            f16c: has("f16c"),
        };
        let sizes = said("sizes: ");
        let sizes = Sizes {
            wide: sizes.iter().any(|word| word == "wide"),
            streaming: sizes.iter().any(|word| word == "streaming"),
        };
        let (uses, not) = (said("uses: "), said("not: "));
        assert!(!uses.is_empty() || !not.is_empty(), "{name}: it states nothing");
        File { path, text, target, sizes, uses, not }
    }

    fn expected(&self) -> String {
        let lines = self.text.split_once("; expect:\n").map_or("", |(_, expected)| expected).lines();
        let plain = |line: &str| line.trim_start_matches(';').strip_prefix(' ').unwrap_or("").to_owned();
        lines.map(|line| plain(line) + "\n").collect()
    }

    fn update(&self, found: &str) {
        let head = self.text.split("; expect:\n").next().unwrap_or_default();
        let lines = found.lines().map(|line| format!("; {line}").trim_end().to_owned() + "\n");
        let text = format!("{head}; expect:\n{}", lines.collect::<String>());
        std::fs::write(&self.path, text).expect("it can be written");
    }
}

fn well_formed(name: &Path, text: &str) -> Program {
    let program = nestled_ir::text::parse(&name.display().to_string(), text);
    let program = program.unwrap_or_else(|failure| panic!("{failure}"));
    if let Err(failure) = nestled_ir::verify::verify(&program) {
        panic!("{}: {failure:?}", name.display());
    }
    program
}

/// Plans a kernel; the plan can run, and is read back as it was printed.
fn planned(program: &Program, kernel: usize, target: &Target, sizes: Sizes) -> Result<Plan, String> {
    let plan = plan(program, &program.kernels[kernel], target, sizes);
    verify(program, &plan)?;
    let text = print(program, &plan);
    let (again, read) = parse(&text).map_err(|error| format!("{error}\n{text}"))?;
    if print(&again, &read) != text {
        return Err(format!("it reads back as\n{}\nnot\n{text}", print(&again, &read)));
    }
    verify(&again, &read).map_err(|fault| format!("what was read back cannot run: {fault}"))?;
    Ok(plan)
}

fn has(text: &str, word: &str) -> bool {
    text.split([' ', ',', '\n']).any(|own| own == word)
}

#[test]
fn plans_are_those_expected() {
    let update = std::env::var_os("UPDATE").is_some();
    let (mut wrong, mut uses, mut not) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for path in files(&root().join("tests/plans")) {
        let file = File::read(path);
        let name = file.path.display();
        let program = well_formed(&file.path, &file.text);
        let plan = match planned(&program, 0, &file.target, file.sizes) {
            Ok(plan) => plan,
            Err(fault) => {
                wrong.push(format!("{name}: {fault}"));
                continue;
            }
        };
        let text = schedule(&plan);
        file.uses.iter().filter(|word| !has(&text, word)).for_each(|word| {
            wrong.push(format!("{name}: the plan has no `{word}`\n{text}"));
        });
        file.not.iter().filter(|word| has(&text, word)).for_each(|word| {
            wrong.push(format!("{name}: the plan has `{word}`\n{text}"));
        });
        let told = summary(&plan).join("\n");
        let strategies = strategy::ALL.iter().map(|info| info.word).filter(|word| has(&text, word));
        strategies.filter(|word| !told.contains(word)).for_each(|word| {
            wrong.push(format!("{name}: `nestled explain` does not name `{word}`\n{told}"));
        });
        let found = if plan.legalised.is_empty() { text } else { print(&program, &plan) };
        if update {
            file.update(&found);
        } else if file.expected() != found {
            wrong.push(format!("{name}: the plan is\n{found}"));
        }
        uses.extend(file.uses);
        not.extend(file.not);
    }
    assert!(wrong.is_empty(), "{} failures:\n\n{}\n", wrong.len(), wrong.join("\n\n"));
    let strategies = strategy::ALL.iter().map(|info| info.word);
    for word in strategies.chain(legalise::PASSES.iter().map(|pass| pass.name)) {
        assert!(uses.contains(word), "no file of tests/plans uses `{word}`");
        assert!(not.contains(word), "no file of tests/plans shows where `{word}` is not used");
    }
}

#[test]
fn every_plan_of_the_corpus_can_run_and_is_read_back() {
    let targets = [
        Target { vector_bits: 512, avx512: true, f16c: true },
        Target { vector_bits: 256, avx512: false, f16c: true },
        Target { vector_bits: 128, avx512: false, f16c: false },
    ];
    let (mut count, mut wrong) = (0, Vec::new());
    for folder in ["tests/programs", "tests/passes", "examples", "benches"] {
        for path in files(&root().join(folder)) {
            let text = std::fs::read_to_string(&path).expect("it is text");
            let Ok(program) = nestled_ir::text::parse("test", &text) else { continue };
            for kernel in 0..program.kernels.len() {
                for (at, target) in targets.iter().enumerate() {
                    let sizes = Sizes { wide: at == 1, streaming: at == 0 };
                    count += 1;
                    if let Err(fault) = planned(&program, kernel, target, sizes) {
                        wrong.push(format!("{} {}: {fault}", path.display(), program.kernels[kernel].name));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} plans:\n\n{}\n", wrong.len(), wrong.join("\n"));
    assert!(count > 1500, "only {count} plans were made");
}

#[test]
fn the_page_of_plans_tells_every_strategy() {
    let page = std::fs::read_to_string(root().join("docs/plans.md")).expect("it is there");
    for info in strategy::ALL {
        for said in [info.word, info.summary, info.condition, info.cost] {
            assert!(page.contains(said), "docs/plans.md does not say `{said}`");
        }
    }
    for pass in legalise::PASSES {
        assert!(page.contains(&format!("`{}`", pass.name)), "docs/plans.md does not name `{}`", pass.name);
        assert!(page.contains(pass.summary), "docs/plans.md does not say `{}`", pass.summary);
    }
}
