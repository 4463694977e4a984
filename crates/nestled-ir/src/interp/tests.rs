//! Tests that data files cannot express: single operations, limits, and exact evaluation order.

use super::*;
use crate::scalar::Scalar;
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

/// Calls a function within small limits; answers the error in words.
fn limited(source: &str, args: &[&str]) -> String {
    let limits = Limits { steps: 1_000_000, bytes: 100_000_000, depth: 10_000 };
    match call_within(source, "main", args, &limits) {
        Ok(results) => format!("no error, but {results}"),
        Err(error) => error.to_string(),
    }
}

const OUT_OF_STEPS: &str = "the limit of 1000000 steps is used up";

#[test]
fn what_does_not_end_is_ended() {
    let thunk = "kernel f() { y = once { (k) = while (k = 0i64) { ge k 0 } do { and (add k 1) 7 }
    k } \n ret y }\nfn main() -> i64 { y = run f()\nret y }";
    assert_eq!(limited(thunk, &[]), OUT_OF_STEPS);
    let counted = "kernel f() { y = once { (k) = for i in 0..9223372036854775807 with (k = 0i64) { k }
    k } \n ret y }\nfn main() -> i64 { y = run f()\nret y }";
    assert_eq!(limited(counted, &[]), OUT_OF_STEPS);
    let tail = "fn main(n: i64) -> i64 { y = main(n)\nret y }";
    assert_eq!(limited(tail, &["1"]), OUT_OF_STEPS);
    let recursion = "fn main(n: i64) -> i64 { y = main(n)\nz = add y 1\nret z }";
    assert_eq!(limited(recursion, &["1"]), "`main` is called inside more than 10000 other calls");
}

#[test]
fn what_takes_too_much_memory_is_an_error() {
    let big = "1000000000000000000";
    let array = "kernel iota<n>() over n { y = map { i => i }\nret y }
fn main(x: idx) -> [3]idx { k = dim x\n y = run iota<k>()\n same k 3\nret y }";
    assert_eq!(limited(array, &["3"]), "no error, but [0, 1, 2]");
    let message = limited(array, &[big]);
    assert!(message.starts_with("8000000000000000000 bytes more would exceed"), "{message}");
    let private = "kernel f(n: idx) { y = once { private a: [n]i32\na[0] = 1\nb = a[0]\nb }\nret y }
fn main(n: idx) -> i32 { y = run f(n)\nret y }";
    assert_eq!(limited(private, &["5"]), "no error, but 1");
    assert_eq!(limited(private, &[big]), OUT_OF_STEPS);
    assert!(limited(private, &["8000000"]).contains("bytes more would exceed the limit of 100000000"));
    let points = "fn main(x: idx) -> dim { k = dim x\ns = size [k, k, k]\nret s }";
    assert_eq!(limited(points, &["5"]), "no error, but 125");
    assert_eq!(limited(points, &[big]), "a shape has too many points to count");
    let rows = "fn main(x: idx) { k = dim x\nxs = []f32\nys = reshape xs [k, 0]\nprint ys\nret }";
    assert_eq!(limited(rows, &["3"]), "no error, but ");
    assert_eq!(limited(rows, &[big]), OUT_OF_STEPS);
}

#[test]
fn memory_that_nobody_holds_can_be_taken_again() {
    let source = "kernel iota<n>() over n { y = map { i => i }\nret y }
kernel sum(xs: [n]idx) over n { s = reduce { i => xs[i] } add\nret s }
fn main<n>(rounds: i64) -> idx { r = again<n>(rounds, 0idx)\nret r }
fn again<n>(rounds: i64, sum: idx) -> idx {
  r = if eq rounds 0 { sum } else {
    xs = run iota<n>()
    s = run sum<n>(xs)
    r = again<n>(sub rounds 1, s)
    r
  }
  ret r
}";
    let program = program(source);
    let limits = Limits { bytes: 100_000, ..Limits::default() };
    let shapes = [crate::value::AxisValue::Extent(1000)];
    let args = [Value::Scalar(Scalar::I64(1000))];
    let results = run(&program, "main", &shapes, &args, &limits, &mut TestWorld::default());
    assert_eq!(results.unwrap()[0].to_string(), "499500");
}

#[test]
fn thunks_may_nest_deeply_but_not_without_end() {
    let chain = |n: usize| {
        let mut source = "thunk g0(x: f32) -> f32 { exp x }\n".to_owned();
        for i in 1..=n {
            let inner = format!("y = g{}(x)", i - 1);
            source +=
                &format!("thunk g{i}(x: f32) -> f32 {{ z = if gt x -1 {{ {inner}\ny }} else {{ x }}\nz }}\n");
        }
        source
            + &format!(
                "kernel k() {{ y = once {{ g{n}(0.0f32) }}\nret y }}\nfn main() -> f32 {{ y = run k()\nret y }}"
            )
    };
    assert_eq!(limited(&chain(190), &[]), "no error, but 1.0");
    assert_eq!(limited(&chain(250), &[]), "thunks nest more than 400 deep");
}

#[test]
fn broken_promises_are_bugs() {
    let bug = |source: &str, args: &[&str]| {
        let message = limited(source, args);
        message.strip_prefix("a bug in what made the program: ").unwrap_or("no bug").to_owned()
    };
    let read = "kernel k(xs: [n]i32, i: idx) { y = once { xs[i proved] }\nret y }
fn main(xs: [n]i32, i: idx) -> i32 { y = run k(xs, i)\nret y }";
    assert_eq!(bug(read, &["[1, 2]", "1"]), "no bug");
    assert_eq!(bug(read, &["[1, 2]", "2"]), "index 2 of `xs` is proved to be less than 2");
    let scatter = "kernel k<m>(at: [n]idx) over n {
  y = permute to [m] base 0 range proved clash proved { i => at[i], 1i32 }
  ret y
}
fn main(at: [n]idx) -> [2]i32 { y = run k<n, 2>(at)\nret y }";
    assert_eq!(bug(scatter, &["[1, 0]"]), "no bug");
    assert_eq!(bug(scatter, &["[1, 1]"]), "place 1 of the destination is proved to be written once");
    assert_eq!(bug(scatter, &["[2]"]), "destination 2 is proved to be less than 2");
    let classes = "kernel k(at: [n]idx) over n { (s, y) = partition proved 2 { i => at[i], i }\nret s, y }
fn main(at: [n]idx) -> (s: seg[2], [s]idx) { (s, y) = run k(at)\nret s, y }";
    assert_eq!(bug(classes, &["[1, 0]"]), "no bug");
    assert_eq!(bug(classes, &["[5]"]), "class 5 is proved to be less than 2");
}

#[test]
fn messages_show_the_place() {
    let source = "kernel k(xs: [n]f32) over n {\n  y = map { i => xs[i + 1] }\n  ret y\n}
fn main(xs: [n]f32) -> [n]f32 {\n  y = run k(xs)\n  ret y\n}";
    let program = program(source);
    let args = [Value::vector(crate::ScalarType::F32, &[Scalar::F32(1.0), Scalar::F32(2.0)])];
    let error = run(&program, "main", &[], &args, &Limits::default(), &mut TestWorld::default()).unwrap_err();
    let expected = "\
error[R0001]: index 2 is out of range: `xs` has 2 entries here
 --> test.lcu:2:18
  |
2 |   y = map { i => xs[i + 1] }
  |                  ^^^^^^^^^ at point 1
";
    assert_eq!(error.render(&program.sources), expected);
    let Error::Fault(fault) = error else { panic!("a fault") };
    assert_eq!((fault.site, fault.element), (crate::SiteId(0), 1));
}

#[test]
fn wrong_arguments_are_told() {
    let source = "fn main(xs: [n]f32, ys: [n]f32) -> [n]f32 { ret ys }";
    let program = program(source);
    let error = |function: &str, args: &[Value]| {
        run(&program, function, &[], args, &Limits::default(), &mut TestWorld::default())
            .unwrap_err()
            .to_string()
    };
    let floats = |n: usize| Value::vector(crate::ScalarType::F32, &vec![Scalar::F32(0.0); n]);
    assert_eq!(error("mian", &[]), "there is no function `mian`");
    assert_eq!(
        error("main", &[floats(1)]),
        "`main` does not take its arguments: 2 arguments are wanted, not 1"
    );
    assert_eq!(
        error("main", &[floats(1), floats(2)]),
        "`main` does not take its arguments: `n` is 1 and cannot also be 2"
    );
    assert_eq!(
        error("main", &[floats(1), Value::Scalar(Scalar::F32(0.0))]),
        "`main` does not take its arguments: `[n]f32` is wanted, not a `f32`"
    );
    let mut broken = floats(3);
    if let Value::Array(array) = &mut broken {
        array.shape = vec![crate::value::AxisValue::Extent(4)];
    }
    assert_eq!(error("main", &[broken.clone(), broken]), "an argument is not a well-formed value");
}

#[test]
fn threefry_has_the_known_answers() {
    assert_eq!(threefry2x32([0, 0], [0, 0]), [0x6b20_0159, 0x99ba_4efe]);
    assert_eq!(threefry2x32([u32::MAX; 2], [u32::MAX; 2]), [0x1cb9_96fc, 0xbb00_2be7]);
    let key = [0x1319_8a2e, 0x0370_7344];
    assert_eq!(threefry2x32(key, [0x243f_6a88, 0x85a3_08d3]), [0xc492_3a9c, 0x483d_f7a0]);
}

#[test]
fn huge_shapes_end_with_errors_and_not_with_panics() {
    let maps = |space: &str| {
        format!("kernel k() over {space} {{ y = map {{ i, j => 1i32 }}\ns = reduce {{ i, j => y[i, j] }} add\nret s }}
fn main() -> i32 {{ s = run k()\nret s }}")
    };
    assert_eq!(limited(&maps("3, 4"), &[]), "no error, but 12");
    for huge in ["9223372036854775807, 2", "2, 9223372036854775807", "4294967296, 4294967296"] {
        let message = limited(&maps(huge), &[]);
        assert!(message.contains("exceed") || message == OUT_OF_STEPS, "{huge}: {message}");
    }
    assert_eq!(limited(&maps("9223372036854775807, 0"), &[]), "no error, but 0");
    assert_eq!(limited(&maps("0, 9223372036854775807"), &[]), "no error, but 0");

    let groups =
        "kernel k<n>() over n, 0 { y = reduce @1 { i, j => 1i32 } add\ns = reduce { i => y[i] } add\nret s }
fn main(x: idx) -> i32 { n = dim x\ns = run k<n>()\nret s }";
    assert_eq!(limited(groups, &["7"]), "no error, but 0");
    assert!(limited(groups, &["1000000000000000000"]).contains("exceed"));

    let regular = "kernel k<n, r: regular[n]>() over n, r { s = reduce { i, j => 1i32 } add\nret s }
fn main(x: idx, y: idx) -> i32 { n = dim x\nm = dim y\nr = regular [n] m\nt = run k<n, r>()\nret t }";
    assert_eq!(limited(regular, &["3", "4"]), "no error, but 12");
    assert_eq!(limited(regular, &["1000000000000000000", "0"]), "no error, but 0");
    assert_eq!(limited(regular, &["4", "1000000000000000000"]), OUT_OF_STEPS);
    assert_eq!(limited(regular, &["4000000000", "4000000000"]), "a shape has too many points to count");

    let lengths = "fn main(xs: [n]i64) -> dim { s = segments xs\nk = size [s]\nret k }";
    assert_eq!(limited(lengths, &["[1, 2]"]), "no error, but 3");
    assert_eq!(limited(lengths, &["[9223372036854775807, 1]"]), "a shape has too many points to count");

    let classes =
        "kernel k(xs: [n]i32) over n { (s, y) = partition 1000000000000000000 { i => i, xs[i] }\nret s, y }
fn main(xs: [n]i32) -> dim { (s, y) = run k(xs)\nk = size [s]\nret k }";
    assert!(limited(classes, &["[1]"]).contains("exceed"));

    let widened = "fn main(x: idx) -> dim { n = dim x\nr = regular [n] 0\ns = widen r\nk = size [s]\nret k }";
    assert_eq!(limited(widened, &["5"]), "no error, but 0");
    assert_eq!(limited(widened, &["1000000000000000000"]), OUT_OF_STEPS);
}
