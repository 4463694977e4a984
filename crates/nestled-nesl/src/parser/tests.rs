//! Tests of the grammar: syntax trees printed with every bracket.

use super::{Parsed, parse};
use crate::ast::{Expr, ExprKind, StatementKind, print};
use crate::dialect::Dialect;

fn read(text: &str) -> Parsed {
    parse(text, 0, Dialect::default())
}

/// Prints an expression with every bracket: `((-2) ^ 2)`.
fn bracketed(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Infix(op, left, right) => format!("({} {} {})", bracketed(left), op.text, bracketed(right)),
        ExprKind::Prefix(op, operand) => format!("({}{})", op.text, bracketed(operand)),
        ExprKind::Pair(left, right) => format!("({}, {})", bracketed(left), bracketed(right)),
        ExprKind::Apply(function, argument, _) => format!("{}({})", bracketed(function), bracketed(argument)),
        ExprKind::Index(sequence, position) => format!("{}[{}]", bracketed(sequence), bracketed(position)),
        ExprKind::If(c, y, n) => format!("(if {} then {} else {})", bracketed(c), bracketed(y), bracketed(n)),
        ExprKind::Let(bindings, body) => {
            let bound: Vec<String> = bindings
                .iter()
                .map(|binding| {
                    format!("{} = {}", print::pattern(&binding.pattern), bracketed(&binding.value))
                })
                .collect();
            format!("(let {} in {})", bound.join("; "), bracketed(body))
        }
        ExprKind::Lambda(pattern, body) => format!("({} => {})", print::pattern(pattern), bracketed(body)),
        ExprKind::Sequence(elements) => {
            format!("[{}]", elements.iter().map(bracketed).collect::<Vec<_>>().join(", "))
        }
        _ => print::expr(expr),
    }
}

fn tree(text: &str) -> String {
    let parsed = read(text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    match &parsed.statements[0].kind {
        StatementKind::Expr(expr) => bracketed(expr),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn operators_bind_as_in_the_table() {
    let cases = [
        ("- 2 ^ 2", "((-2) ^ 2)"),
        ("2 ^ 3 ^ 2", "((2 ^ 3) ^ 2)"),
        ("-a[1]", "(-a[1])"),
        ("#a + 1", "((#a) + 1)"),
        ("#a ++ b", "((#a) ++ b)"),
        ("@x ++ s", "((@x) ++ s)"),
        ("u -> v -> w", "(u -> (v -> w))"),
        ("u -> v <- w", "((u -> v) <- w)"),
        ("a == b and c < d or e", "(((a == b) and (c < d)) or e)"),
        ("a == b == c", "((a == b) == c)"),
        ("g x + 1", "(g(x) + 1)"),
        ("g -3", "(g - 3)"),
        ("1 + if c then 2 else 3 + 4", "(1 + (if c then 2 else (3 + 4)))"),
        ("if c then 1 else 2, 3", "(if c then 1 else (2, 3))"),
        ("let x = 1 in x, 3", "(let x = 1 in (x, 3))"),
        ("[let x = 1 in x, 3]", "[(let x = 1 in (x, 3))]"),
        ("[if c then 1 else 2, 3]", "[(if c then 1 else (2, 3))]"),
        ("(1,2,3)", "(1, (2, 3))"),
        ("mk(3)(4)", "mk(3)(4)"),
        ("a[i][j]", "a[i][j]"),
        ("f2 x y", "f2(x)(y)"),
        ("x => x + 1, 2", "((x => (x + 1)), 2)"),
        ("'+(3,4)", "'+((3, 4))"),
    ];
    for (text, wanted) in cases {
        assert_eq!(tree(text), wanted, "{text}");
    }
}

#[test]
fn what_is_printed_is_read_again() {
    let texts = [
        "function sq(x) = x * x;",
        "function first_of(v) : [a] -> a :: (a in any) \"The element at 0.\" = v[0];",
        "function g(a, size := 3, other := [1, 2]) = a + size;",
        "datatype labelled (a, [char]) :: (a in any);",
        "datatype box2 a :: (a in any)$",
        "(q, r) = (7, [1, 2]);",
        "x, y = 1, 2;",
        "{x * y : x in [2, 3]; y in [10:20:3]};",
        "{x in [5, 8] | x > 4};",
        "{* g(x) : x};",
        "{x | g(x)};",
        "let (a, b) = (1, 2, 3); c = b in (a, b), c;",
        "a &= slow(3), mem := 4, max_time := 2;",
        "names |= index(10);",
        "defconfig big, memory_size := 100, machine_name := \"m\";",
        "set print_length 3;",
        "[] (int, [char]);",
        "[] pt(float, int);",
        "(if a then b else c) + 1;",
        "1 + (let x = 2 in x) * 3;",
        "(x => x * x)(5);",
        "-(-x);",
        "(-x)[1];",
        "u -> (v <- w);",
        "(u -> v) -> w;",
        "a - (b - c) + (d + e);",
        "norm2(point(x, y));",
        "function norm2(point(x, y)) = x * x;",
        "`x, `\", \"a\\\"b\\\\\";",
        "'and(t, f);",
        "(twice('+, 2), 'xor);",
        "time({x : x in y}), 1.5e10, 2.0;",
        "g(a, k := 2);",
        "a == (b == c);",
        "[if c then 1 else 2];",
        "[(if c then 1 else 2), 3];",
        "[(x => x), 3];",
        "x => (y => y, 2);",
        "match e with num(x) => x | add(a, b) => a + b | _ => 0;",
        "match e with | point => 1;",
        "(match e with a(x) => x | b => 1) + 2, 3;",
        "match a with b(x) => (match x with c => 1 | _ => 2) | d => (if t then 1 else 2) | _ => x => x;",
        "{match x with a => 1 | b => 2 : x in match v with a => w | b => u | match x with a => t | _ => f};",
        "match let a = 1; b = 2 in g(a, b) with c => 1;",
        "match(3) + with(match, 4) + match with(2);",
        "datatype expr = num(float) | add(expr, expr) | zero;",
        "datatype list = nil | cons(a, list(a)) | one((a, a)) :: (a in any);",
    ];
    for text in texts {
        let first = read(text);
        assert!(first.diagnostics.is_empty(), "{text}: {:?}", first.diagnostics);
        let printed = print::statement(&first.statements[0]);
        let second = read(&printed);
        assert!(second.diagnostics.is_empty(), "{text} → {printed}: {:?}", second.diagnostics);
        assert_eq!(first.statements, second.statements, "{text} → {printed}");
    }
}

#[test]
fn several_errors_are_found_in_one_run() {
    let parsed =
        read("x = (1 + ;\ny = 2;\nfunction g(a = 3;\nfunction h(b) = b;\nz = let a = 1; b = in a;\nw = 3;");
    assert_eq!(parsed.diagnostics.len(), 3, "{:?}", parsed.diagnostics);
    assert_eq!(parsed.statements.len(), 3);
}

#[test]
fn an_unfinished_text_is_told_from_a_wrong_one() {
    for text in ["x = (1 +", "let a = 1;", "{x : x in", "% comment", "\"str", "if t then 1", "`"] {
        assert!(read(text).incomplete, "{text}");
    }
    for text in ["x = );", "1 + 2", "let a 1;"] {
        assert!(!read(text).incomplete, "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    for open in [
        "(", "[", "{", "-", "#", "g(", "a[", "if ", "let x = ", "'+ (", "x => ", "1,", "a->", "[] [",
        "{x:x in ",
    ] {
        let parsed = read(&open.repeat(100_000));
        assert!(!parsed.diagnostics.is_empty(), "{open}");
    }
    for chain in ["1,", "a ", "a->", "x[0]"] {
        let text = format!("{}1;2;", chain.repeat(100_000));
        let parsed = read(&text);
        assert_eq!(parsed.diagnostics[0].code, "N0006", "{chain}");
        assert_eq!(parsed.statements.len(), 1, "{chain}");
    }
    let long = format!("[{}1];", "1, ".repeat(100_000));
    assert_eq!(read(&long).statements.len(), 1);
    // A chain of operators is not nested.
    for chain in ["1+", "t and ", "1 * 2 + ", "-1 - "] {
        let parsed = read(&format!("{}1;2;", chain.repeat(10_000)));
        assert!(parsed.diagnostics.is_empty(), "{chain}");
        assert_eq!(parsed.statements.len(), 2, "{chain}");
    }
}
