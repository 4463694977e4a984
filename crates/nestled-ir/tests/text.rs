//! The text form: the programs of the documentation, messages, and the way back from print.

use nestled_ir::text::{parse, print};

/// The programs of `docs/lcu.md`, one after another.
fn page() -> String {
    let page = include_str!("../../../docs/lcu.md");
    let blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| ["fn ", "kernel ", "thunk "].iter().any(|word| block.contains(word))).collect()
}

#[test]
fn the_programs_of_the_page_parse() {
    let text = page();
    match parse("lcu.md", &text) {
        Ok(program) => {
            assert!(program.kernels.len() >= 3 && program.functions.len() >= 3 && program.thunks.len() >= 2);
            let printed = print(&program);
            println!("{printed}");
        }
        Err(failure) => panic!("{failure}"),
    }
}

#[test]
fn the_library_texts_parse() {
    let text = [include_str!("../src/math.lcu"), include_str!("../src/random.lcu")].concat();
    if let Err(failure) = parse("math.lcu", &text) {
        panic!("{failure}");
    }
}
