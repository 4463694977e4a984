//! A flat program does no more work than the nested one: what many read is never copied for them.

use nestled_ir::interp as lcu;
use nestled_nesl::engine::{Engine, Interpreter};
use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Checked, Dialect, Plain, Session};

/// Runs statements without counting, then one that may take so many steps of λcu.
fn costs_at_most(steps: u64, before: &str, measured: &str, shown: &str) {
    let mut session = Session::new(Dialect::default());
    let mut world = TestWorld::default();
    for result in session.run("before", before, &mut world) {
        assert!(result.errors.is_empty() && result.fault.is_none(), "{result:?}");
    }
    let limits = lcu::Limits { steps, ..lcu::Limits::default() };
    session.engine = Engine::Flat(Box::new(Interpreter { limits }));
    let result = session.run("measured", measured, &mut world).pop().expect("a result");
    assert_eq!(result.line().as_deref(), Some(shown), "{:?}", result.fault);
}

const LONG: &str = "v = index(300000); idx = {i * 299 : i in index(1000)}; few = index(3);";

#[test]
fn reading_a_free_sequence_costs_what_is_read() {
    let shown = "it = 149350500 : int";
    costs_at_most(40_000, LONG, "sum({v[i] : i in idx});", shown);
    costs_at_most(40_000, LONG, "sum(v -> idx);", shown);
    let nested = "{sum({v[i] + k : i in take(idx, 10)}) : k in few};";
    costs_at_most(5_000, LONG, nested, "it = [13455, 13465, 13475] : [int]");
}

#[test]
fn a_sparse_matrix_costs_its_entries() {
    let matrix = "w = {float(i) : i in index(300000)};
        m = [[(1, 2.0), (299999, 1.0)], [] (int, float), [(5, 1.0)]];";
    let product = "{sum({x * w[i] : (i, x) in row}) : row in m};";
    costs_at_most(2_000, matrix, product, "it = [300001.0, 0.0, 5.0] : [float]");
}

#[test]
fn parts_and_replicated_sequences_are_views() {
    costs_at_most(500, LONG, "#take(v, 200000);", "it = 200000 : int");
    costs_at_most(2_000, LONG, "{w[k] : w in dist(v, 3); k in few};", "it = [0, 1, 2] : [int]");
    costs_at_most(2_000, LONG, "{#drop(v, k) : k in few};", "it = [300000, 299999, 299998] : [int]");
    // A function that recurs, with a long sequence that it only reads.
    let search = "function search(v, x, lo, hi) = if hi - lo < 2 then lo else
        let m = (lo + hi) / 2; w = take(v, hi) in if w[m] <= x then search(v, x, m, hi) else search(v, x, lo, m);";
    let before = format!("{LONG}{search}");
    let measured = "{search(v, x, 0, #v) : x in [5, 70000]};";
    costs_at_most(40_000, &before, measured, "it = [5, 70000] : [int]");
}

/// Nodes of a tree belong to nobody: who holds a tree, or looks at its root, copies none of them.
#[test]
fn trees_cost_the_nodes_that_are_made_and_seen() {
    let before = "datatype tree(int, [tree]); few = index(1000);
        function balanced(v) = if #v < 2 then tree(sum(v), [] tree) else tree(#v, {balanced(half) : half in bottop(v)});
        function leftmost(tree(x, kids)) = if #kids == 0 then x else leftmost(kids[0]);
        big = balanced(index(16384));";
    costs_at_most(1_000_000, before, "#{tree(i, [big]) : i in few};", "it = 1000 : int");
    let roots = "sum({match big with tree(x, kids) => x + i : i in few});";
    // The statement lays the 32767 nodes into a pool, once.
    costs_at_most(200_000, before, roots, "it = 16883500 : int");
    costs_at_most(2_000_000, before, "sum({leftmost(tree(i, [big])) : i in few});", "it = 0 : int");
}

/// A round costs those who are in it, and what they come to is written once.
#[test]
fn loops_cost_their_rounds() {
    let functions = "function add(n, v) = if n == 0 then v else add(n - 1, {x + n : x in v});
        function pile(n, v) = if n == 0 then v else pile(n - 1, v ++ [n]);";
    let one = "{sum(add(n, [n])) : n in [5000, 0]};";
    costs_at_most(2_000_000, functions, one, "it = [12507500, 0] : [int]");
    // Each of 300 comes to its end at a round of its own: 45000 instances in all rounds.
    let skewed = "sum({sum(add(n, [n])) : n in index(300)});";
    costs_at_most(5_000_000, functions, skewed, "it = 4544800 : int");
    // 2000 who are done at once, while one goes on: nobody copies what they came to.
    let waiting = "sum({#pile((if i == 7 then 200 else 0), dist(i, 50)) : i in index(2000)});";
    costs_at_most(4_000_000, functions, waiting, "it = 100200 : int");
}

/// What is put in order by the ranks of keys is sorted along with them, and not scattered.
#[test]
fn grouping_sorts() {
    let mut session = Session::new(Dialect::default());
    let ordered = "function ordered(kv) = put(kv, rank({k : (k, v) in kv}), kv);";
    session.run("ordered", ordered, &mut TestWorld::default());
    let pairs = Plain::Seq(Box::new(Plain::Pair(Box::new(Plain::Int), Box::new(Plain::Float))));
    for function in ["ordered", "int_collect"] {
        let routine = session.routine(function, std::slice::from_ref(&pairs)).unwrap();
        let text = nestled_ir::text::print(&routine.program);
        assert!(text.contains("sort ascending") && !text.contains("permute"), "{text}");
    }
}

/// Branches that call one function make one call: with one for each there would be some thousand times as many.
#[test]
fn exclusive_calls_are_one() {
    let steps = "function steps(n) = if n == 1 then 0
        else if rem(n, 2) == 0 then 1 + steps(n / 2) else 1 + steps(3 * n + 1);";
    costs_at_most(20_000_000, steps, "max_val({steps(n + 1) : n in index(1000)});", "it = 178 : int");
}

/// However often a program calls functions of the library, there is one for each type.
#[test]
fn the_library_is_specialised_once() {
    let mut session = Session::new(Dialect::default());
    let functions = |session: &mut Session, text: &str| {
        let statement = session.read("calls", text).pop().expect("a statement").expect("it is well-formed");
        let Some(Checked::Expr(expr)) = session.check(&statement).checked else { panic!("an expression") };
        session.specialise(&expr).expect("its types are known").0.functions.len()
    };
    let once = functions(&mut session, "median([3, 1, 2]);");
    let often = functions(&mut session, "median([3, 1, 2]) + median([4]) + median([5, 6]) + median([7]);");
    assert_eq!(once, often);
    let floats = functions(&mut session, "(median([3, 1, 2]), median([3.0, 1.0]), median([2.0]));");
    assert_eq!(floats, 2 * once - 1, "`main` is there once");
}

/// The length of the program for a function of one argument, the last of twelve of which each calls the one before it twice.
fn length_of_twelve(first: &str, next: impl Fn(usize) -> String, last: &str, argument: Plain) -> usize {
    let mut session = Session::new(Dialect::default());
    let mut text = format!("function f0(x) = {first};");
    (1..=12).for_each(|at| text += &format!("function f{at}(x) = {};", next(at)));
    text += &format!("function last(x) = {last};");
    for result in session.run("functions", &text, &mut TestWorld::default()) {
        assert!(result.errors.is_empty(), "{result:?}");
    }
    let routine = session.routine("last", &[argument]).unwrap();
    nestled_ir::text::print(&routine.program).len()
}

/// If all calls were replaced by bodies, there would be 4096 of the first function.
#[test]
fn programs_stay_near_the_size_of_their_text() {
    let ints = Plain::Seq(Box::new(Plain::Int));
    let next =
        |at| format!("let a = f{}(x); b = f{}(a) in {{y * z + {at} : y in a; z in b}}", at - 1, at - 1);
    let length = length_of_twelve("{y + 1 : y in x}", next, "f12(x)", ints);
    assert!(length < 400_000, "{length}");
    // The same in the code of one point, with a loop around it.
    let next = |at| format!("let a = f{}(x); b = f{}(a) in a * b + {at}", at - 1, at - 1);
    let length = length_of_twelve("x + 1", next, "if x > 100 then x else last(f12(x))", Plain::Int);
    assert!(length < 400_000, "{length}");
    // And where that is the code of each element.
    let next = |at| match at {
        12 => "if x > 100 then x else f12(f11(x))".to_owned(),
        _ => next(at),
    };
    let ints = Plain::Seq(Box::new(Plain::Int));
    let length = length_of_twelve("x + 1", next, "{f12(y) : y in x}", ints);
    assert!(length < 400_000, "{length}");
    // By way of the library, which has one function for each that it is given.
    let next = |at| format!("sum(map(f{}, [x, {at}])) + product(map(f{}, [x, 1]))", at - 1, at - 1);
    let length = length_of_twelve("x + 1", next, "f12(x)", Plain::Int);
    assert!(length < 400_000, "{length}");
}

/// What λcu has too few axes for is refused, not run wrongly.
#[test]
fn very_deep_sequences_are_refused() {
    let mut session = Session::new(Dialect::default());
    session.engine = Engine::Flat(Box::<Interpreter>::default());
    let text = format!("{}1{};", "[".repeat(80), "]".repeat(80));
    let result = session.run("deep", &text, &mut TestWorld::default()).pop().expect("a result");
    let fault = result.fault.expect("it is too deep");
    assert!(fault.message.is_some_and(|message| message.contains("nested too deep")));
}
