//! Instructions that read and write, with files and streams of their own.

use nestled_ir::interp::{Limits, TestWorld, run};
use nestled_vcode::world::Streams;
use nestled_vcode::{Options, compile, print};
use std::path::PathBuf;

/// The final stack, and what went to standard output and standard error.
fn talk(text: &str, input: &str) -> (String, String, String) {
    let compiled =
        compile("io.vcode", text, None, &Options::default()).unwrap_or_else(|refusal| panic!("{refusal}"));
    nestled_ir::verify::verify(&compiled.program).unwrap();
    let mut world = TestWorld::default();
    let (mut input, mut output, mut error) = (input.as_bytes(), Vec::new(), Vec::new());
    let mut streams = Streams::new(&mut world, &mut input, &mut output, &mut error);
    let results = run(&compiled.program, "main", &[], &[], &Limits::default(), &mut streams).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (print::stack(&compiled.outputs, &results), text(output), text(error))
}

/// A file that is gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(std::env::temp_dir().join(format!("nestled-vcode-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn written_by_the_type_of_the_value() {
    let text = "FUNC MAIN
        CONST INT (1 2) WRITE INT POP 2 0
        CONST BOOL T WRITE BOOL POP 2 0
        CONST FLOAT () WRITE FLOAT POP 2 0
        CONST SEGDES (2 0) WRITE SEGDES POP 2 0
        CONST CHAR \"no line\" WRITE CHAR
        CONST FLOAT 0.5 CONST INT STDOUT FWRITE INT
        RET";
    let (stack, output, error) = talk(text, "");
    assert_eq!(stack, "( )\n( T )\n( )\n( T )\n");
    assert_eq!(output, "( 5.00000000000000e-01 )\n");
    assert_eq!(error, "( 1 2 )\n( T )\n( )\n[ 2 0 ]\nno line");
}

#[test]
fn what_is_written_comes_before_a_fault() {
    // The product could be made under the descriptor that it is added up under, which does not fit: but only after the line.
    let text = "FUNC MAIN
        CONST SEGDES (1 2) CONST INT (1 2) COPY 1 0 * INT
        CONST INT 7 WRITE INT POP 2 0
        CPOP 1 1 +_REDUCE INT
        RET";
    let compiled = compile("io.vcode", text, None, &Options::default()).unwrap();
    let mut world = TestWorld::default();
    let (mut input, mut output, mut error) = (&b""[..], Vec::new(), Vec::new());
    let mut streams = Streams::new(&mut world, &mut input, &mut output, &mut error);
    assert!(run(&compiled.program, "main", &[], &[], &Limits::default(), &mut streams).is_err());
    assert_eq!(error, b"( 7 )\n");
}

#[test]
fn read_from_standard_input() {
    let text = "FUNC MAIN READ INT READ FLOAT READ BOOL READ SEGDES READ CHAR READ INT RET";
    let (stack, _, _) = talk(text, "(1 -2 3) ( 2 1e1 inf )\n(TF T) [2 0 ]\n \"hi\" [1)");
    let mut lines = stack.lines();
    for expected in [
        "( 1 -2 3 )",
        "( 2.00000000000000e+00 1.00000000000000e+01 inf )",
        "( T F T )",
        "[ 2 0 ]",
        "( 104 105 )",
        "( )",
    ] {
        assert_eq!(lines.next(), Some(expected));
        let message = lines.next().unwrap();
        let ok = lines.next().unwrap();
        assert_eq!((message == "( )", ok == "( T )"), (expected != "( )", expected != "( )"));
    }
}

#[test]
fn files_by_number() {
    let scratch = Scratch::new("files");
    let name = scratch.0.display();
    let text = format!(
        "FUNC MAIN
        CONST CHAR \"{name}\" CONST INT 2 FOPEN POP 2 0
        CONST CHAR \"ab,c\" COPY 1 1 FWRITE CHAR POP 2 0
        FCLOSE POP 2 0
        CONST CHAR \"{name}\" CONST INT 1 FOPEN POP 2 0
        CONST CHAR \",\" CONST INT -1 COPY 1 2 FREAD_CHAR POP 2 0
        CONST CHAR \",\" CONST INT 1 COPY 1 4 FREAD_CHAR POP 2 0
        CONST CHAR \",\" CONST INT 9 COPY 1 6 FREAD_CHAR
        RET"
    );
    let (stack, _, _) = talk(&text, "");
    let expected = "( 3 )\n( 97 98 )\n( 44 )\n( 99 )\n( -2 )\n( )\n( -1 )\n( )\n( T )\n";
    assert_eq!(stack, expected);
}

#[test]
fn what_cannot_be_done_says_so() {
    let text = "FUNC MAIN
        CONST CHAR \"/no/such/file\" CONST INT 1 FOPEN CPOP 1 1 LENGTH INT CONST INT 0 > INT
        CONST INT 77 FREAD FLOAT CPOP 1 1 POP 1 0
        CONST INT NULL_STREAM FREAD INT POP 1 1
        CONST INT NULL_STREAM FCLOSE POP 1 1
        CONST INT 1 CONST INT NULL_STREAM FWRITE INT POP 1 1
        CONST CHAR \"/no/such/program\" CONST INT -1 CONST INT -1 CONST INT -1 SPAWN POP 4 1
        RET";
    let (stack, _, _) = talk(text, "");
    assert_eq!(stack, "( -1 )\n( F )\n( T )\n( )\n( F )\n( )\n( T )\n( T )\n( F )\n( F )\n");
}

#[test]
fn processes_talk_through_pipes() {
    let text = "FUNC MAIN
        CONST CHAR \"cat -u\" CONST INT NULL_STREAM CONST INT NULL_STREAM CONST INT STDERR SPAWN
        CPOP 1 1 POP 1 0 CPOP 1 3 POP 1 0
        CONST INT (23 -4) COPY 1 2 FWRITE INT POP 2 0
        CPOP 1 2 FREAD INT
        RET";
    // Slots: the pipe that the process reads, whether it was started, what came back, its message, whether that went well.
    let (stack, _, _) = talk(text, "");
    assert_eq!(stack, "( 3 )\n( T )\n( 23 -4 )\n( )\n( T )\n");
}
