//! The order of strings is that of their bytes: random ones of few characters, compared by every operator, against Rust's order.

use nestled_nesl::engine::{Engine, Interpreter};
use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};

/// Characters with which two strings are often alike for a while; the bits of the last one say it is greater.
const CODES: [u8; 5] = [0, b'a', b'b', 127, 255];

fn strings(seed: u64) -> Vec<Vec<u8>> {
    let mut random = crate::common::random::Random::new(seed);
    let count = random.below(9);
    (0..count)
        .map(|_| {
            let (length, codes) = (random.below(6), 1 + random.below(CODES.len()));
            (0..length).map(|_| CODES[random.below(codes)]).collect()
        })
        .collect()
}

fn shown(engine: Engine, text: &str) -> String {
    let mut session = Session::new(Dialect::default());
    session.engine = engine;
    let results = session.run("f.nesl", text, &mut TestWorld::default());
    for result in &results {
        let rendered = nestled_ir::render_all(&result.errors, &session.sources);
        assert!(result.errors.is_empty() && result.fault.is_none(), "{text}\n{rendered}{:?}", result.fault);
    }
    let shown = results.last().and_then(|result| result.shown.clone()).expect("a value");
    String::from_utf8(shown.value.expect("a value").text()).expect("text")
}

/// The relations that hold between two strings, as bits.
fn relations<T: Ord>(a: T, b: T) -> u8 {
    [a < b, a <= b, a > b, a >= b, a == b, a != b]
        .iter()
        .rev()
        .fold(0, |bits, holds| 2 * bits + u8::from(*holds))
}

fn list<T>(values: impl IntoIterator<Item = T>, one: impl Fn(T) -> String) -> String {
    format!("[{}]", values.into_iter().map(one).collect::<Vec<_>>().join(", "))
}

#[test]
fn strings_are_ordered_as_bytes_are() {
    for seed in 0..60 {
        let values = strings(seed);
        let written = values.iter().map(|value| match value.is_empty() {
            true => "[] int".to_owned(),
            false => list(value, u8::to_string),
        });
        let written: Vec<String> = written.collect();
        let codes = if written.is_empty() { "[] [int]".to_owned() } else { list(written, |one| one) };
        let text = format!(
            "let v = {{{{code_char(c) : c in s}} : s in {codes}}}
             in ({{{{btoi(a < b) + 2 * btoi(a <= b) + 4 * btoi(a > b) + 8 * btoi(a >= b) + 16 * btoi(a == b) + 32 * btoi(a /= b)
                   : b in v}} : a in v}},
                 {{{{char_code(c) : c in s}} : s in max_scan(v) ++ [max_val(v)]}},
                 {{{{char_code(c) : c in s}} : s in if #v == 0 then v else min_scan(v) ++ [min_val(v)]}});"
        );
        let related = list(&values, |a| list(&values, |b| relations(a, b).to_string()));
        let numbers = |value: &Vec<u8>| list(value, u8::to_string);
        let none = Vec::new();
        let greatest = (0..=values.len()).map(|end| values[..end].iter().max().unwrap_or(&none));
        let of_all = values.iter().max();
        let least = (0..=values.len()).filter_map(|end| values[..end].iter().min().or(of_all));
        let wanted = format!("({related}, {}, {})", list(greatest, numbers), list(least, numbers));
        assert_eq!(shown(Engine::Core, &text), wanted, "{text}");
        assert_eq!(shown(Engine::Flat(Box::<Interpreter>::default()), &text), wanted, "flattened: {text}");
    }
}
