//! A fault says with what values it came about, at which element, and called from where, whoever ran the program.

use nestled_nesl::engine::{Engine, Interpreter};
use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, Session};
use std::time::Duration;

/// The message of the last statement, by the interpreter of the core; that of λcu says the same.
fn message(text: &str) -> String {
    let engines: [fn() -> Engine; 2] = [|| Engine::Core, || Engine::Flat(Box::<Interpreter>::default())];
    let said = engines.map(|engine| {
        let mut session = Session::new(Dialect::default());
        session.engine = engine();
        let results = session.run("f.nesl", text, &mut TestWorld::default());
        let fault = results.last().and_then(|result| result.fault.clone()).expect("a fault");
        fault.diagnostic().render(&session.sources)
    });
    assert_eq!(said[0], said[1]);
    said[0].clone()
}

fn says(text: &str, parts: &[&str]) {
    let message = message(text);
    for part in parts {
        assert!(message.contains(part), "{part} is not in\n{message}");
    }
}

#[test]
fn values_elements_and_calls() {
    let text = "function inner(v, i) = v[i] * 2;
function middle(v, i) = inner(v, i) + 1;
function outer(v, w) = {middle(v, i) * 2 : i in w};
outer([1, 2, 3], [0, 1, 5]);";
    let parts = [
        "error[E:index]: the position is outside of the sequence",
        "f.nesl:1:",
        "position 5 of a sequence of 3, at element 2",
        "f.nesl:2:",
        "in `inner`, called here",
        "f.nesl:3:",
        "in `middle`, called here",
        "f.nesl:4:",
        "in `outer`, called here",
    ];
    says(text, &parts);
}

/// Code of the library has no place of its own: it is where the program calls it, also if the function recurs.
#[test]
fn the_library_faults_where_it_is_called() {
    let text = "function third(v) = kth_smallest(v, 2);
function fourth(v) = kth_smallest(v, 3);
{third(v) + fourth(v) : v in [[1, 2, 3, 4], [5, 6, 7]]};";
    let message = message(text);
    let parts = ["f.nesl:2:22", "at element 1", "in `fourth`, called here", "f.nesl:3:"];
    parts.iter().for_each(|part| assert!(message.contains(part), "{part} is not in\n{message}"));
    assert!(!message.contains("f.nesl:1:"), "{message}");
}

/// They take no room, and are called from somewhere all the same.
#[test]
fn calls_in_tail_position() {
    let text = "function inner(v, i) = v[i];
function middle(v, i) = let k = i + 1 in inner(v, k);
function outer(v) = {middle(v, x) : x in [0, 4]};
function outermost(v) = outer(v);
outermost([1, 2, 3]);";
    let parts = [
        "position 5 of a sequence of 3, at element 1",
        "f.nesl:2:",
        "in `inner`, called here",
        "f.nesl:3:",
        "in `middle`, called here",
        "f.nesl:4:",
        "in `outer`, called here",
        "f.nesl:5:",
        "in `outermost`, called here",
    ];
    says(text, &parts);
}

#[test]
fn what_was_wrong_is_said_with_values() {
    let cases = [
        ("[1, 2][2];", "position 2 of a sequence of 2"),
        ("{[1, 2, 3][i] : i in [0, -1]};", "position -1 of a sequence of 3, at element 1"),
        ("{{10 / j : j in [i:i + 2]} : i in [3, 0]};", "10 divided by 0, at element 1, 0"),
        ("rem(7, 0);", "7 divided by 0"),
        ("{x + y : x in [1, 2, 3]; y in [1, 2]};", "`[1, 2, 3]` has 3 elements, `[1, 2]` has 2"),
        ("take([1, 2, 3], 5);", "`take` of a sequence of 3 and 5"),
        ("rep([1, 2, 3], 9, 7);", "`rep` of a sequence of 3 and 9 and 7"),
        ("[1, 2, 3] -> [0, 8];", "position 8 of a sequence of 3, index 1"),
        ("sqrt(-2.0);", "of -2.0"),
        ("{sqrt(x) : x in [1.0, -2.5]};", "of -2.5, at element 1"),
        ("dist(1, -3);", "-3 times"),
        ("[5:2];", "`iseq` of 5 and 1 and 2"),
    ];
    for (text, part) in cases {
        says(text, &[part]);
    }
}

#[test]
fn many_calls_are_counted() {
    let text = "function down(n) = if n == 0 then 1 / n else 1 + down(n - 1); down(20);";
    says(
        text,
        &[
            "1 divided by 0",
            "in `down`, called here 20 times, one call inside the other",
            "in `down`, called here\n",
        ],
    );
    let text = "function even(n) = if n == 0 then 1 / n else 1 + odd(n - 1);
function odd(n) = 1 + even(n - 1);
even(20);";
    says(
        text,
        &["1 divided by 0", "in `even`, called here", "in `odd`, called here, inside of 17 calls more"],
    );
    // A call in tail position leaves nothing of who made it.
    let text = "function loop(n) = if n == 0 then 1 / n else loop(n - 1); loop(1000);";
    says(text, &["1 divided by 0", "in `loop`, called here"]);
}

#[test]
fn what_a_program_did_is_not_done_again() {
    let mut session = Session::new(Dialect::default());
    session.engine = Engine::Flat(Box::<Interpreter>::default());
    let mut world = TestWorld::default();
    let text = "let a = print_line(\"once\"); v = [1] in v[#v];";
    let results = session.run("f.nesl", text, &mut world);
    assert!(results[0].fault.is_some());
    assert_eq!(world.output, b"once\n");
}

/// Sequences that differ in length are called what the program calls them.
#[test]
fn lengths_have_names() {
    let cases = [
        ("let xs = [1, 2, 3]; ys = [1] in {x + y : x in xs; y in ys};", "`xs` has 3 elements, `ys` has 1"),
        (
            "let a = [1]; b = [1, 2]; c = [] int in {a + b + c : a; b; c};",
            "`a` has 1 element, `b` has 2, `c` has 0",
        ),
        (
            "{{x + y : x in v; y in [1, 2]} : v in [[3, 4], [5]]};",
            "`v` has 1 element, `[1, 2]` has 2, at element 1",
        ),
        (
            "{x + y : x in [1]; y in take(index(100), 20 + 30 + 40 - 50 - 60\n  + 70)};",
            "`[1]` has 1 element, `take(index(100), 20 + 30 + 40 - 50 - 60 …` has 50",
        ),
    ];
    for (text, part) in cases {
        says(text, &[part]);
    }
}

/// A statement that faults late is explained too; one that faults too late says less, and soon.
#[test]
fn what_is_far_away_is_looked_for_as_long_as_one_likes() {
    let mut session = Session::new(Dialect::default());
    session.engine = Engine::Flat(Box::<Interpreter>::default());
    session.patience = Duration::from_secs(100);
    let text = "let n = sum({x : x in [0:1600000]}) in [1, 2][n];";
    let message = |session: &mut Session| {
        let results = session.run("f.nesl", text, &mut TestWorld::default());
        results[0].fault.clone().expect("a fault").diagnostic().render(&session.sources)
    };
    let full = message(&mut session);
    assert!(full.contains("position 1279999200000 of a sequence of 2"), "{full}");
    session.patience = Duration::ZERO;
    let short = message(&mut session);
    assert!(short.contains("E:index") && !short.contains("of a sequence of 2"), "{short}");
}

/// A recursion that goes too deep is told by the function and the line.
#[test]
fn recursion_too_deep_names_the_function() {
    let text = "function down(n) =
  if n == 0 then 0
  else 1 + down(n - 1);
down(1000000);";
    let limits = nestled_ir::interp::Limits { depth: 1000, ..Default::default() };
    let engines = [Engine::Core, Engine::Flat(Box::new(Interpreter { limits }))];
    for engine in engines {
        let mut session = Session::new(Dialect::default());
        session.limits.depth = 1000;
        session.engine = engine;
        let results = session.run("f.nesl", text, &mut TestWorld::default());
        let fault = results.last().and_then(|result| result.fault.clone()).expect("a fault");
        let message = fault.diagnostic().render(&session.sources);
        for part in ["E:limit", "`down` is called inside more than 1000 other calls", "f.nesl:3:"] {
            assert!(message.contains(part), "{part} is not in\n{message}");
        }
    }
}
