//! The examples in `docs/nesl.md` are one session, and what stands below each is what comes of it. `UPDATE=1` writes that anew; then read it.

use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};
use std::fs;
use std::path::Path;

/// What a block shows: the results, and the messages of what stopped it.
fn shown(session: &mut Session, block: &str) -> String {
    let mut shown = String::new();
    for result in session.run("guide", block, &mut TestWorld::default()) {
        for error in &result.errors {
            shown += &error.render(&session.sources);
        }
        if let Some(fault) = &result.fault {
            shown += &format!("fault: {}\n", fault.diagnostic().message);
        }
        shown += &result.line().map_or(String::new(), |line| line + "\n");
    }
    shown
}

#[test]
fn examples_of_the_guide_give_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/nesl.md");
    let page = fs::read_to_string(&path).expect("the page");
    let mut session = Session::new(Dialect::default());
    let mut parts = page.split("```nesl\n");
    let mut made = parts.next().expect("a first part").to_owned();
    let mut blocks = 0;
    for part in parts {
        let (block, rest) = part.split_once("```\n").expect("the end of a block");
        let rest = match rest.strip_prefix("```text\n") {
            Some(old) => old.split_once("```\n").expect("the end of what is shown").1,
            None => rest,
        };
        let shown = shown(&mut session, block);
        made += &format!("```nesl\n{block}```\n```text\n{shown}```\n{rest}");
        blocks += 1;
    }
    assert!(blocks > 10);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &made).expect("a writable file");
        return;
    }
    let differ = page.lines().zip(made.lines()).find(|(said, true_line)| said != true_line);
    assert!(page == made, "docs/nesl.md does not say what comes of its examples: {differ:?}");
}
