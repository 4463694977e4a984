//! Maps over grids have a version for points away from the borders, without the rules for what lies outside; where that says something.

use nestled_gpu::{Dialect, Language, generate};
use nestled_ir::{KernelId, text};
use nestled_rt::device::Math;

/// What rules and what they are mirrored by are written with.
const RULES: [&str; 7] = ["clamp_", "wrap_", "inside_", "abs_", "min_", "max_", "fault("];

fn dialects() -> [Dialect; 2] {
    [Language::Wgsl, Language::Cuda].map(|language| Dialect {
        language,
        int64: true,
        float64: true,
        workgroup: 256,
        private: 1 << 14,
        math: Math::Default,
        library: String::new(),
    })
}

/// A function of a module.
fn function<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let begin = text.find(&format!(" {name}("))?;
    let rest = &text[begin..];
    Some(&rest[..rest.find("\n}").unwrap_or(rest.len())])
}

fn modules(kernel: &str) -> [String; 2] {
    let program = text::parse("borders.lcu", kernel).expect("it is well-formed");
    dialects().map(|dialect| generate(&program, KernelId::from(0), &dialect).expect("there is code").text)
}

/// The version away from the borders has none of the rules, and the other one does.
fn has_plain_version(body: &str) {
    let kernel =
        format!("kernel k(a: [n, m]i64, by: idx) over n, m {{\n b = map {{ y, x => {body} }}\n ret b\n}}\n");
    for text in modules(&kernel) {
        let inner = function(&text, "inner0").unwrap_or_else(|| panic!("one version only:\n{text}"));
        let step = function(&text, "step0").expect("there is a function for each map");
        for rule in RULES {
            assert!(!inner.contains(rule), "`{rule}` in {inner}");
        }
        assert!(RULES.iter().any(|rule| step.contains(rule)), "{step}");
        assert!(function(&text, "inside0").is_some(), "{text}");
    }
}

/// There is nothing to be gained, or nothing known.
fn has_one_version(space: &str, body: &str) {
    let kernel = format!("kernel k{space} {{\n b = map {{ y, x => {body} }}\n ret b\n}}\n");
    for text in modules(&kernel) {
        assert!(function(&text, "step0").is_some(), "{text}");
        assert!(function(&text, "inner0").is_none() && function(&text, "inside0").is_none(), "{text}");
    }
}

#[test]
fn rules_say_nothing_away_from_borders() {
    has_plain_version("add a[y - 1 clamp, x] a[y, x + 2 wrap]");
    has_plain_version("u = a[y - 1, x - 1] else 7\n add u a[y + 1 clamp, x]");
    has_plain_version("add a[y, x] a[sub y 1, add x (sub 2 1)]");
    has_plain_version("if gt a[y, x] 0 { a[y + 1 clamp, x] } else { a[y - 1 clamp, x] }");
}

#[test]
fn mirrored_indices_are_plain() {
    has_plain_version("l = abs (sub x 2)\n a[y, l clamp]");
    has_plain_version("e = sub m 1\n r = abs (sub e (abs (sub e (add x 3))))\n a[y, r proved]");
    has_plain_version("e = sub n 1\n u = max (sub y 4) 0\n d = min e (add y 4)\n add a[u proved, x] a[d, x]");
}

#[test]
fn what_a_loop_counts_between_constants_is_as_good_as_a_constant() {
    has_plain_version(
        "s = for i in 0..3 with (s = 0i64) {\n q = a[add y (sub i 1), x] else 0\n add s q\n}\n s",
    );
}

#[test]
fn other_maps_have_one_version() {
    let grid = "(a: [n, m]i64, by: idx) over n, m";
    has_one_version(grid, "add a[y, x] 1");
    has_one_version(grid, "a[y, x proved]");
    // Nobody knows how far that is.
    has_one_version(grid, "z = a[y, sub x by] else 0\n z");
    has_one_version(grid, "z = a[y, mul x 2] else 0\n z");
    has_one_version(grid, "z = for i in 0..by with (z = 0i64) {\n q = a[y, add x i] else 0\n q }\n z");
    // Every row has borders of its own.
    has_one_version("<n, s: seg[n]>(a: [s]i64) over n, s", "z = a[y, sub x 1] else 0\n z");
}
