//! Functions of a text may be used before they are defined, and call each other; and long chains of operators are not nested.

use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};

/// The lines of a text, and the codes and messages of what is wrong with it.
fn run(text: &str) -> Vec<String> {
    let mut session = Session::new(Dialect::default());
    let mut shown = Vec::new();
    for result in session.run("forward", text, &mut TestWorld::default()) {
        shown.extend(result.errors.iter().map(|error| format!("{}: {}", error.code, error.message)));
        shown.extend(result.fault.iter().map(|fault| format!("{fault:?}")));
        shown.extend(result.line());
    }
    shown
}

#[test]
fn a_function_is_used_before_its_definition() {
    let shown = run("function main(n) = {helper(i) : i in [0:n]};
        main(3);
        function helper(i) = double(i) + 1;
        function double(i) = 2 * i;
        double(2.0);
        main(2);");
    let wanted = [
        "main = fn : int -> [int]",
        "it = [1, 3, 5] : [int]",
        "helper = fn : int -> int",
        "double = fn : int -> int",
        "N0101: `double` cannot take `float`",
        "it = [1, 3] : [int]",
    ];
    assert_eq!(shown, wanted);
}

#[test]
fn what_is_general_stays_so() {
    let shown = run("function both(x) = (swap(x, 1), swap(2.0, x));
        both(t);
        function swap(a, b) = (b, a);");
    assert_eq!(shown[1], "it = ((1, T), T, 2.0) : (int, bool), bool, float");
    assert_eq!(shown[2], "swap = fn : (a, b) -> (b, a) :: (a in any; b in any)");
}

#[test]
fn functions_call_each_other() {
    let shown = run("function even(n) = if n == 0 then t else odd(n - 1);
        function odd(n) = if n == 0 then f else even(n - 1);
        {even(n) : n in [0:5]};
        odd(7);");
    let wanted = [
        "even = fn : int -> bool",
        "odd = fn : int -> bool",
        "it = [T, F, T, F, T] : [bool]",
        "it = T : bool",
    ];
    assert_eq!(shown, wanted);
    // Three, and one of them wrong: then none holds that needs it.
    let shown = run("function one(n) = if n == 0 then 0 else two(n - 1);
        function two(n) = if n == 0 then 1 else three(n - 1);
        function three(n) = if n == 0 then 2 else one(n - 1) + 0.5;
        two(3);");
    assert!(!shown.iter().any(|line| line.starts_with("it =")), "{shown:?}");
    assert!(
        shown.iter().any(|line| line.starts_with("N0101: `+` cannot take `int` and `float`")),
        "{shown:?}"
    );
}

#[test]
fn types_of_functions_that_call_each_other_follow_from_the_first() {
    let shown = run("datatype family = person([char], [family]);
        function members(p) = match p with person(name, kids) => #name + all_members(kids);
        function all_members(v) = sum({members(p) : p in v});
        members(person(\"ab\", [person(\"c\", [] family)]));");
    assert_eq!(shown[2], "all_members = fn : [family] -> int");
    assert_eq!(shown[3], "it = 3 : int");
    let shown = run("datatype list = nil | cons(a, list(a)) :: (a in any);
        function even(v) = match v with nil => t | cons(x, rest) => odd(rest) and x > 0;
        function odd(v) = match v with nil => f | cons(x, rest) => third(rest);
        function third(v) = match v with nil => t | cons(x, rest) => odd(rest) or even(v);
        even(cons(1, cons(2, nil)));
        odd(cons(2.5, nil));");
    assert_eq!(shown[4], "it = T : bool");
    assert!(shown[5].starts_with("N0101: `odd` cannot take"), "{shown:?}");
    // The type of the first is known, but nothing tells what the second gives.
    let shown = run("function outer(n) = if n == 0 then 0 else let x = inner(n) in 0;
        function inner(n) = outer(n - 1);
        outer(3);");
    assert_eq!(shown.last().map(String::as_str), Some("it = 0 : int"));
}

#[test]
fn open_types_of_functions_that_call_each_other_are_declared() {
    let text = "function there(n, x) = if n == 0 then x else back(n - 1, x);
        function back(n, x) = if n == 0 then x else there(n - 1, x);
        there(3, 2.5);";
    let shown = run(text);
    assert!(shown[0].starts_with("N0103: "), "{shown:?}");
    let declared = run(&format!("function back(n, x) : (int, a) -> a :: (a in any);\n{text}"));
    assert_eq!(declared.last().map(String::as_str), Some("it = 2.5 : float"), "{declared:?}");
}

#[test]
fn the_first_definition_counts_until_there_is_another() {
    let shown =
        run("g(1); function g(x) = x + 1; function g(x) = x + 10; g(1); function g(x) = 2.0 * x; g(1.0);");
    assert_eq!(shown[0], "it = 2 : int");
    assert_eq!(shown[3], "it = 11 : int");
    assert_eq!(shown[5], "it = 2.0 : float");
    // A name of the library means that until it is defined.
    let shown = run("median([3, 1, 2]); function median(v) = 0; median([3]);");
    assert_eq!([&*shown[0], &*shown[2]], ["it = 2 : int", "it = 0 : int"]);
}

#[test]
fn values_are_not_used_before_they_are_there() {
    let shown = run("g(1); x = 3; function g(y) = y + x; g(1);");
    assert_eq!(shown[0], "N0103: `g` is not defined yet");
    assert_eq!(shown[3], "it = 4 : int");
    assert_eq!(run("y + 1; y = 2; y;")[0], "N0103: `y` is not defined yet");
}

#[test]
fn a_long_way_down_is_no_danger() {
    let mut text = String::new();
    for n in 0..5000 {
        text += &format!("function h{n}(x) = h{}(x) + 1;\n", n + 1);
    }
    text += "function h5000(x) = x; h4990(1);";
    text.insert_str(0, "h0(0);");
    let shown = run(&text);
    assert_eq!(shown.last().map(String::as_str), Some("it = 11 : int"));
}

#[test]
fn chains_are_not_nested() {
    let text = format!("x = 2; {}1; {{{}x : x in [1, 2]}};", "1+".repeat(1000), "x * 1 + ".repeat(2000));
    assert_eq!(run(&text), ["x = 2 : int", "it = 1001 : int", "it = [2001, 4002] : [int]"]);
    // From left to right.
    let text = format!("{}1.0; {}t;", "1.0e16 + ".to_owned() + &"1.0 + ".repeat(999), "t and ".repeat(999));
    assert_eq!(run(&text), ["it = 1.0E16 : float", "it = T : bool"]);
}
