//! Long tuples are not nested, whatever they are made of inside: a thousand components are read, typed, taken apart, passed on and shown, on any stack.

use nestled_nesl::engine::{Engine, Interpreter};
use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};

/// The value of the last statement, as both engines have it.
fn value(text: &str) -> String {
    let engines: [fn() -> Engine; 2] = [|| Engine::Core, || Engine::Flat(Box::<Interpreter>::default())];
    let values = engines.map(|engine| {
        let mut session = Session::new(Dialect::default());
        session.engine = engine();
        let results = session.run("f.nesl", text, &mut TestWorld::default());
        for result in &results {
            let rendered = nestled_ir::render_all(&result.errors, &session.sources);
            assert!(result.errors.is_empty() && result.fault.is_none(), "{rendered}{:?}", result.fault);
        }
        let shown = results.last().and_then(|result| result.shown.clone()).expect("a value");
        String::from_utf8(shown.value.expect("a value").text()).expect("text")
    });
    assert_eq!(values[0], values[1]);
    values[0].clone()
}

fn list(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(", ")
}

/// On the stack that a test has, which is what a thread has that nobody gave another.
#[test]
fn a_thousand_components() {
    let (names, numbers) = (list(1000, |at| format!("a{at}")), list(1000, |at| at.to_string()));
    let text = format!("x = ({numbers});\n({names}) = x;\na0 + a499 + a999;\n");
    assert_eq!(value(&text), "1498");
    // Without brackets, through functions, in a `let`, a `datatype`, a declaration, and with defaults.
    let types = list(1000, |_| "int".to_owned());
    let cases = [
        format!("x = {numbers};\nfunction last({names}) = a999;\nlast(x) + last({numbers});\n"),
        format!(
            "function all({names}) = let ({names}) = ({names}) in (a999, a0);\nlet (p, q) = all({numbers}) in 2 * p + q;\n"
        ),
        format!("datatype many({types});\nlet many({names}) = many({numbers}) in a999 * 2;\n"),
        format!("function g({names}) : ({types}) -> int = a999 * 2;\ng({numbers});\n"),
        format!("function g({names}, more := 999) = a999 + more;\ng({numbers});\n"),
    ];
    for text in cases {
        assert_eq!(value(&text), "1998", "{}", &text[..200]);
    }
    // Shown, in sequences, for each element, and chosen.
    let shown = value(&format!("{numbers};\n"));
    assert!(shown.starts_with("(0, 1, 2, 3") && shown.ends_with("998, 999)"), "{shown}");
    let each = list(1000, |at| format!("i + {at}"));
    let text = format!("v = {{({each}) : i in [0:3]}};\n{{a0 + a999 : ({names}) in v}};\n");
    assert_eq!(value(&text), "[999, 1001, 1003]");
    let text = format!("let ({names}) = if 1 > 2 then ({each}) else ({numbers}) in a998;\n");
    assert_eq!(value(&text.replace("i + ", "1 + ")), "998");
}

/// The longest that there are.
#[test]
fn two_thousand_components() {
    let (names, numbers) = (list(2000, |at| format!("a{at}")), list(2000, |at| at.to_string()));
    let text = format!("x = ({numbers});\nfunction last({names}) = a1999;\nlast(x);\n");
    assert_eq!(value(&text), "1999");
}

#[test]
fn what_is_longer_is_refused() {
    let (names, numbers) = (list(2001, |at| format!("a{at}")), list(2001, |at| at.to_string()));
    for text in [format!("({numbers});"), format!("x = {numbers};"), format!("function g({names}) = 1;")] {
        let mut session = Session::new(Dialect::default());
        let results = session.run("f.nesl", &text, &mut TestWorld::default());
        assert_eq!(results[0].errors[0].code, "N0006");
        assert_eq!(results[0].errors[0].message, "a tuple of more than 2000 components");
    }
}
