//! Random statements through the whole front end and the interpreter: whatever happens, no panic and no endless run.

use crate::common::random::Random;
use nestled_nesl::interp::{Limits, TestWorld};
use nestled_nesl::{Dialect, Session};

const LEAVES: [&str; 22] = [
    "1",
    "0",
    "-3",
    "2.5",
    "`c",
    "\"ab\"",
    "t",
    "f",
    "x",
    "y",
    "v",
    "w",
    "[1, 2, 3]",
    "[] int",
    "[[1], [2, 3]]",
    "(1, 2.0)",
    "'+",
    "sqrt",
    "[1:5]",
    "g",
    "h",
    "pt(1, 2)",
];
const FUNCTIONS: [&str; 40] = [
    "#",
    "@",
    "-",
    "sum",
    "reverse",
    "sort",
    "rank",
    "flatten",
    "bottop",
    "max_val",
    "not",
    "g",
    "h",
    "first",
    "rest",
    "unzip",
    "head_rest",
    "identity",
    "string",
    "hash",
    "plus_scan",
    "index",
    "name",
    "collect",
    "histogram",
    "transpose",
    "take",
    "drop",
    "zip",
    "partition",
    "eql",
    "select",
    "scan",
    "map",
    "join",
    "rep",
    "float",
    "floor",
    "pt",
    "rand",
];
const OPERATORS: [&str; 16] =
    ["+", "-", "*", "/", "==", "<", "and", "or", "++", "->", "<-", "^", "||", ",", "/=", "xor"];

fn expr(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random.pick(&LEAVES).to_owned();
    }
    let inner = depth - 1;
    match random.below(12) {
        0 | 1 => random.pick(&LEAVES).to_owned(),
        2 | 3 => format!("{}({})", random.pick(&FUNCTIONS), expr(random, inner)),
        4 => format!("{}({}, {})", random.pick(&FUNCTIONS), expr(random, inner), expr(random, inner)),
        5 | 6 => format!("({} {} {})", expr(random, inner), random.pick(&OPERATORS), expr(random, inner)),
        7 => {
            format!("(if {} then {} else {})", expr(random, inner), expr(random, inner), expr(random, inner))
        }
        8 => format!(
            "(let x = {}; y = {} in {})",
            expr(random, inner),
            expr(random, inner),
            expr(random, inner)
        ),
        9 => format!(
            "{{{} : x in {}; y in {}}}",
            expr(random, inner),
            expr(random, inner),
            expr(random, inner)
        ),
        10 => format!("{{x in {} | {}}}", expr(random, inner), expr(random, inner)),
        _ => format!("(x => {})", expr(random, inner)),
    }
}

/// The types that typed programs are made of; in templates each is an upper-case letter.
const TYPES: [char; 9] = ['I', 'B', 'V', 'N', 'F', 'S', 'L', 'P', 'R'];

/// Expressions of a type.
fn templates(ty: char) -> &'static [&'static str] {
    match ty {
        'I' => &[
            "(I + I)",
            "(I - I)",
            "(I * I)",
            "(I / I)",
            "rem(I, I)",
            "sum(V)",
            "max_val(V)",
            "#V",
            "#N",
            "V[I]",
            "(if B then I else I)",
            "(let i = I in I)",
            "g(I)",
            "(i => I)(I)",
            "count({b : b in [B, B]})",
            "abs(I)",
            "rand(9)",
            "floor(F)",
            "#S",
            "find(I, V)",
            "max_index(V)",
            "hash(P, 7)",
            "(let (i, c) = P[I] in I)",
            "first(parse_int(S))",
            "twice(j => I, I)",
            "unpt(R)",
        ],
        'B' => &[
            "(I < I)",
            "(I == I)",
            "eql(V, V)",
            "eql(N, N)",
            "not(B)",
            "(B and B)",
            "oddp(I)",
            "(F >= F)",
            "eql(P, P)",
            "eql(S, S)",
            "(B xor B)",
            "all({B : i in V})",
            "string_eql(S, S)",
            "eql(R, R)",
        ],
        'V' => &[
            "[I, I, I]",
            "index(abs(rem(I, 7)))",
            "(V ++ V)",
            "{I : i in V}",
            "{i in V | B}",
            "{I : i in V; j in V}",
            "N[I]",
            "flatten(N)",
            "{#v : v in N}",
            "{sum(v) : v in N}",
            "sort(V)",
            "reverse(V)",
            "plus_scan(V)",
            "take(V, I)",
            "(V -> V)",
            "rank(V)",
            "(if B then V else V)",
            "(let v = V in V)",
            "h(V)",
            "{g(i) : i in V}",
            "{I : i in V | B}",
            "{v[i] : i in [0]}",
            "rotate(V, I)",
            "{i : (i, c) in P}",
            "remove_duplicates(V)",
            "put(V, V, V)",
            "(V <- {(i, I) : i in V})",
            "search_for_subseqs(S, S)",
            "even_elts(V)",
            "map(j => I, V)",
            "first(scan('max, I, V))",
            "{* I : i in V}",
            "[I:I]",
            "name(L)",
        ],
        'N' => &[
            "[V, V]",
            "{V : v in N}",
            "{V : i in V}",
            "partition(V, V)",
            "bottop(V)",
            "(N ++ N)",
            "{h(v) : v in N}",
            "{v in N | B}",
            "(if B then N else N)",
            "{{I : i in v} : v in N}",
            "transpose(N)",
            "group_by(V, I)",
            "{is : (c, is) in collect({(c, i) : (i, c) in P})}",
            "map(h, N)",
        ],
        'F' => &[
            "(F + F)",
            "(F * F)",
            "(F / F)",
            "float(I)",
            "sqrt(F)",
            "sum({F : i in V})",
            "(if B then F else F)",
            "abs(F)",
            "(F ^ 2)",
            "max_val({F : i in V})",
        ],
        'S' => &[
            "string(I)",
            "string(F)",
            "string(P)",
            "(S ++ S)",
            "{code_char(65 + rem(abs(i), 26)) : i in V}",
            "flatten(L)",
            "(S || I)",
            "{uppercase(c) : c in S}",
            "string(R)",
            "reverse(S)",
        ],
        'L' => {
            &["wordify(S)", "[S, S]", "{string(v) : v in N}", "{c ++ S : c in L}", "bottop(S)", "linify(S)"]
        }
        'P' => &[
            "{(i, `x) : i in V}",
            "zip(V, S)",
            "(P ++ P)",
            "{(n, c[0]) : (c, n) in histogram(L)}",
            "{p in P | B}",
            "int_to_pairs(V)",
        ],
        _ => &[
            "pt(I, I)",
            "(if B then R else R)",
            "swap(R)",
            "{pt(i, I) : i in V}[I]",
            "(let pt(i, j) = R in pt(j, I))",
        ],
    }
}

fn leaf(random: &mut Random, ty: char) -> &'static str {
    match ty {
        'I' => random.pick(&["0", "1", "2", "7", "-3", "i", "n"]),
        'B' => random.pick(&["t", "f", "(i == n)"]),
        'V' => random.pick(&["v", "[] int", "[1, 2, 3]", "[5]", "u"]),
        'N' => random.pick(&["w", "[] [int]", "[[1], [] int]"]),
        'F' => random.pick(&["0.0", "1.5", "-2.25", "float(i)"]),
        'S' => random.pick(&["\"\"", "\"a b\"", "\"12\"", "s"]),
        'L' => random.pick(&["[s]", "[] [char]", "[\"b\", \"\"]"]),
        'P' => random.pick(&["[(1, `a)]", "[] (int, char)", "[(i, `b), (2, `a)]"]),
        _ => random.pick(&["pt(1, 2)", "pt(i, n)"]),
    }
}

fn typed(random: &mut Random, ty: char, depth: usize) -> String {
    if depth == 0 {
        return leaf(random, ty).to_owned();
    }
    let template = random.pick(templates(ty));
    let mut out = String::new();
    for c in template.chars() {
        match TYPES.contains(&c) {
            true => out += &typed(random, c, depth - 1),
            false => out.push(c),
        }
    }
    out
}

const START: &str =
    "datatype pt(a, a) :: (a in any); v = [4, 5]; u = [2, 0, 1]; w = [[1, 2], [] int]; i = 1; n = 5;
    s = \"x y\"; function g(i) = i + 1; function h(v) = v ++ [1]; function twice(q, x) = q(q(x));
    function unpt(pt(x, y)) = x * 10 + y; function swap(pt(x, y)) = pt(y, x);
    function int_to_pairs(v) = {(x, `z) : x in v};";

#[test]
fn random_statements_never_panic() {
    for dialect in [Dialect::default(), Dialect::COMPAT] {
        let mut random = Random::new(3);
        let mut session = Session::new(dialect);
        session.limits = Limits { steps: 200_000, depth: 10_000, ..Limits::default() };
        let mut world = TestWorld::default();
        session.run("soup", START, &mut world);
        for _ in 0..2000 {
            let body = expr(&mut random, 3);
            let statement = match random.below(6) {
                0 => format!("function g(x) = {body};"),
                1 => format!("function h(x, y) = {body};"),
                2 => format!("v = {body};"),
                _ => format!("{body};"),
            };
            session.arg_check = random.below(4) > 0;
            for result in session.run("soup", &statement, &mut world) {
                let silent = result.fault.is_none() && result.errors.is_empty();
                assert_eq!(result.shown.is_some(), silent, "{statement}");
            }
        }
    }
}

#[test]
fn typed_statements_have_values_or_fault() {
    let mut random = Random::new(4);
    let (mut fine, mut faults) = (0, 0);
    for round in 0..30 {
        let mut session = Session::new(if round % 2 == 0 { Dialect::default() } else { Dialect::COMPAT });
        session.limits = Limits { steps: 200_000, depth: 10_000, ..Limits::default() };
        let mut world = TestWorld::default();
        session.run("typed", START, &mut world);
        for _ in 0..60 {
            let ty = TYPES[random.below(TYPES.len())];
            let body = typed(&mut random, ty, 4);
            let statement = match (ty, random.below(4)) {
                ('I', 0) => format!("function g(i) : int -> int = if i < 1 then 0 else {body};"),
                ('V', 0) => format!("function h(v) : [int] -> [int] = if #v < 2 then v else {body};"),
                _ => format!("{body};"),
            };
            session.arg_check = random.below(8) > 0;
            for result in session.run("typed", &statement, &mut world) {
                let errors = nestled_ir::render_all(&result.errors, &session.sources);
                assert!(result.errors.is_empty(), "{statement}\n{errors}");
                fine += usize::from(result.shown.is_some());
                faults += usize::from(result.fault.is_some());
            }
        }
    }
    assert!(fine > 300 && faults > 100, "{fine} values, {faults} faults: the soup is too thin");
}

#[test]
fn growing_types_are_bounded() {
    let mut session = Session::new(Dialect::COMPAT);
    session.limits = Limits { steps: 1_000_000, depth: 10_000, ..Limits::default() };
    let mut world = TestWorld::default();
    let mut doubling = String::from("let a0 = (1, 2)");
    for i in 0..5000 {
        doubling.push_str(&format!("; a{} = (a{i}, a{i})", i + 1));
    }
    doubling.push_str(" in #[a5000];\n");
    let nested = |open: &str, close: &str, n| format!("{}1{};\n", open.repeat(n), close.repeat(n));
    let mut texts = vec![
        doubling,
        nested("[", "]", 200),
        nested("(1, ", ")", 200),
        nested("abs(", ")", 200),
        nested("{x : x in [", "]}", 70),
        nested("(let x = ", " in x)", 100),
        nested("(if t then 1 else ", ")", 100),
        nested("(x => ", ")", 100),
        "function d0(x) = (x, x);".to_owned()
            + &(1..40)
                .fold(String::new(), |text, i| text + &format!("function d{i}(x) = d{0}(d{0}(x));", i - 1))
            + "#[d39(1)];",
        "let a = (1.0, 2.0)".to_owned()
            + &"; a = (a, a)".repeat(100)
            + " in #[a]; q = let a = (1.0, 2.0)"
            + &"; a = (a, a)".repeat(100)
            + " in [a];",
        "function p(g) = g(p); p(3); (x => x(x))(x => x(x));".to_owned(),
    ];
    texts.push(format!("[{}1];", "1, ".repeat(20_000)));
    texts.push(format!(
        "let {} in 1;",
        (0..20_000).map(|i| format!("a{i} = {i}")).collect::<Vec<_>>().join("; ")
    ));
    for text in texts {
        session.run("growing", &text, &mut world);
    }
}
