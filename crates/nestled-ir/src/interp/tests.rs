//! What data files cannot say: operations one by one, limits, and the exact order of things.

use super::*;
use crate::value::{Value, parse_args};
use crate::{Program, text, verify};

/// The verified program of a text.
fn program(source: &str) -> Program {
    let parsed = text::parse("test.lcu", source);
    let program = parsed.unwrap_or_else(|failure| {
        panic!("{}", crate::render_all(&failure.diagnostics, &failure.sources));
    });
    if let Err(diagnostics) = verify::verify(&program) {
        panic!("{}", crate::render_all(&diagnostics, &program.sources));
    }
    program
}

/// Calls a function on arguments in words; answers its results in words.
fn call_within(source: &str, function: &str, args: &[&str], limits: &Limits) -> Result<String, Error> {
    let program = program(source);
    let id = program.find_function(function).expect("the function");
    let args = parse_args(&program, id, args).unwrap_or_else(|error| panic!("{error}"));
    let results = run(&program, function, &args.shapes, &args.values, limits, &mut TestWorld::default())?;
    Ok(results.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
}

fn call(source: &str, function: &str, args: &[&str]) -> Result<String, String> {
    call_within(source, function, args, &Limits::default()).map_err(|error| error.to_string())
}

#[test]
fn smoke() {
    let source = "
kernel dot(xs: [n]f32, ys: [n]f32) over n {
  p = map { i => mul xs[i] ys[i] }
  s = reduce { i => p[i] } add
  ret s
}
fn main<n>(xs: [n]f32, ys: [n]f32) -> f32 {
  s = run dot(xs, ys)
  ret s
}";
    assert_eq!(call(source, "main", &["[1, 2, 3]", "[4, 5, 6]"]), Ok("32.0".to_owned()));
}
