//! Datatypes that hold themselves as arguments and results: trees, lists, expressions, and what holds those.

use crate::random::Random;
use nestled_array::{Array, Nesl, NeslRow, NeslType, NeslValue, nesl};
use nestled_nested::{Datatype, Record};
use nestled_test::again;
use std::fmt::Debug;

#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum Tree {
    Leaf,
    Node(Box<Tree>, i64, Box<Tree>),
}

/// One variant: there is no number of it.
#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum Rose {
    Rose(i32, Vec<Rose>),
}

#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum Expr {
    Number(f64),
    Variable(String),
    #[datatype(rename = "added")]
    Sum(Vec<Expr>),
    Times {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Negative(Box<Expr>),
}

#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum List<T> {
    Nil,
    Cons(T, Box<List<T>>),
}

/// Two datatypes that hold each other.
#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum Family {
    Person(String, Box<List<Family>>),
}

/// A tree as Rust writes it: a record that may not be there.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Branch {
    left: Option<Box<Branch>>,
    key: i16,
    right: Option<Box<Branch>>,
}

/// Random values of a type, of at most so many levels.
trait Grown: Sized {
    fn grown(random: &mut Random, levels: usize) -> Self;
}

impl Grown for i64 {
    fn grown(random: &mut Random, _: usize) -> i64 {
        random.below(100) as i64 - 50
    }
}

impl Grown for String {
    fn grown(random: &mut Random, _: usize) -> String {
        ["", "a", "µ", "long name"][random.below(4)].to_owned()
    }
}

impl Grown for Tree {
    fn grown(random: &mut Random, levels: usize) -> Tree {
        if levels == 0 || random.chance(20) {
            return Tree::Leaf;
        }
        let left = Box::new(Tree::grown(random, levels - 1));
        let key = i64::grown(random, 0);
        Tree::Node(left, key, Box::new(Tree::grown(random, levels - 1)))
    }
}

impl<T: Grown> Grown for Vec<T> {
    fn grown(random: &mut Random, levels: usize) -> Vec<T> {
        (0..random.below(4)).map(|_| T::grown(random, levels.saturating_sub(1))).collect()
    }
}

impl<T: Grown> Grown for Option<T> {
    fn grown(random: &mut Random, levels: usize) -> Option<T> {
        (levels > 0 && random.chance(70)).then(|| T::grown(random, levels - 1))
    }
}

impl<T: Grown> Grown for Box<T> {
    fn grown(random: &mut Random, levels: usize) -> Box<T> {
        Box::new(T::grown(random, levels))
    }
}

impl<A: Grown, B: Grown> Grown for (A, B) {
    fn grown(random: &mut Random, levels: usize) -> (A, B) {
        (A::grown(random, levels), B::grown(random, levels))
    }
}

impl Grown for Rose {
    fn grown(random: &mut Random, levels: usize) -> Rose {
        let kids = if levels == 0 { Vec::new() } else { Grown::grown(random, levels) };
        Rose::Rose(i64::grown(random, 0) as i32, kids)
    }
}

impl Grown for Expr {
    fn grown(random: &mut Random, levels: usize) -> Expr {
        let inner = |random: &mut Random| Grown::grown(random, levels - 1);
        match if levels == 0 { random.below(2) } else { random.below(6) } {
            0 => Expr::Number([0.0, 1.0, -2.5, 3.0][random.below(4)]),
            1 => Expr::Variable(String::grown(random, 0)),
            2 | 3 => Expr::Sum(Grown::grown(random, levels)),
            4 => Expr::Times { left: inner(random), right: inner(random) },
            _ => Expr::Negative(inner(random)),
        }
    }
}

impl<T: Grown> Grown for List<T> {
    fn grown(random: &mut Random, levels: usize) -> List<T> {
        let mut list = List::Nil;
        for _ in 0..random.below(4) {
            list = List::Cons(T::grown(random, levels.saturating_sub(1)), Box::new(list));
        }
        list
    }
}

impl Grown for Family {
    fn grown(random: &mut Random, levels: usize) -> Family {
        let kids = if levels == 0 { List::Nil } else { List::grown(random, levels) };
        Family::Person(String::grown(random, 0), Box::new(kids))
    }
}

impl Grown for Branch {
    fn grown(random: &mut Random, levels: usize) -> Branch {
        let (left, key) = (Grown::grown(random, levels), i64::grown(random, 0) as i16);
        Branch { left, key, right: Grown::grown(random, levels) }
    }
}

const TYPES: &str = "
    datatype tree = leaf | node(tree, int, tree);
    datatype branch = bare | branch_of(branch, int, branch);
    datatype rose(int, [rose]);
    datatype expr = number(float) | variable([char]) | added([expr]) | times(expr, expr) | negative(expr);
    datatype list = nil | cons(a, list(a)) :: (a in any);
    datatype family = person([char], list(family));
    datatype maybe = none | just(a) :: (a in any);
";

/// Values go in and come out unchanged, alone, twice, and in a list backward.
fn passes<T: NeslRow + NeslValue + Grown + Clone + PartialEq + Debug>(ty: &str, seed: u64) {
    let text = format!(
        "{TYPES}
         function same(x) : {ty} -> {ty} = x;
         function twice(x) : {ty} -> [{ty}] = [x, x];
         function reversed(x) : [{ty}] -> [{ty}] = reverse(x);
         function counted(x, n) : ({ty}, int) -> int = n + 1;
         function rows(x) : [[{ty}]] -> [[{ty}]] = {{{{y : y in r}} : r in x}};"
    );
    let text = Nesl::compile(text).unwrap_or_else(|error| panic!("{ty}: {error}"));
    let same = text.function::<(T,), T>("same").unwrap();
    let twice = text.function::<(T,), Vec<T>>("twice").unwrap();
    let reversed = text.function::<(Vec<T>,), Vec<T>>("reversed").unwrap();
    let rows = text.function::<(Vec<Vec<T>>,), Vec<Vec<T>>>("rows").unwrap();
    // Nobody looks at the tree.
    let counted = text.function::<(T, i64), i64>("counted").unwrap();
    let mut random = Random::new(seed + 3);
    for levels in 0..5 {
        let value = T::grown(&mut random, levels);
        assert_eq!(same.call((value.clone(),)).unwrap(), value, "{ty}");
        assert_eq!(twice.call((value.clone(),)).unwrap(), [value.clone(), value.clone()], "{ty}");
        assert_eq!(counted.call((value, 6)).unwrap(), 7, "{ty}");
        let mut values: Vec<T> = Grown::grown(&mut random, levels);
        let found = reversed.call((values.clone(),)).unwrap();
        values.reverse();
        assert_eq!(found, values, "{ty}");
        let nested: Vec<Vec<T>> = Grown::grown(&mut random, levels);
        assert_eq!(rows.call((nested.clone(),)).unwrap(), nested, "{ty}");
    }
}

#[test]
fn trees_of_many_types_go_in_and_out() {
    passes::<Tree>("tree", 1);
    passes::<Rose>("rose", 2);
    passes::<Expr>("expr", 3);
    passes::<List<i64>>("list(int)", 4);
    passes::<List<List<Rose>>>("list(list(rose))", 6);
    passes::<Family>("family", 7);
    passes::<List<Family>>("list(family)", 8);
    passes::<Branch>("(branch, int, branch)", 9);
    passes::<Option<Box<Branch>>>("branch", 10);
    passes::<Option<Rose>>("maybe(rose)", 11);
    passes::<List<Option<i64>>>("list(maybe(int))", 12);
    passes::<(Tree, Vec<Branch>)>("(tree, [(branch, int, branch)])", 13);
}

nesl! {
    format!("{TYPES}
     function total(tr) = match tr with leaf => 0 | node(l, k, r) => total(l) + k + total(r);
     function totals(trees) = {{total(tr) : tr in trees}};
     function put(tr, key) = match tr with leaf => node(leaf, key, leaf)
       | node(l, k, r) => (if key < k then node(put(l, key), k, r) else node(l, k, put(r, key)));
     function tree_of(tr, keys) = if #keys == 0 then tr else tree_of(put(tr, keys[0]), drop(keys, 1));
     function mirrored(tr) = match tr with leaf => leaf | node(l, k, r) => node(mirrored(r), k, mirrored(l));
     function all_mirrored(trees) = {{mirrored(tr) : tr in trees}};
     function flat(r) = let rose(x, kids) = r in [x] ++ flatten({{flat(k) : k in kids}});
     function value(e, x) = match e with number(a) => a | variable(name) => x * float(#name)
       | added(parts) => sum({{value(p, x) : p in parts}}) | times(a, b) => value(a, x) * value(b, x) | negative(a) => 0.0 - value(a, x);
     function derived(e) = match e with number(a) => number(0.0) | variable(name) => number(float(#name))
       | added(parts) => added({{derived(p) : p in parts}}) | times(a, b) => added([times(derived(a), b), times(a, derived(b))])
       | negative(a) => negative(derived(a));
     function deepest(b) = match b with bare => 0 | branch_of(l, k, r) => 1 + max(deepest(l), deepest(r));
     function higher(b) = (let (l, k, r) = b in (branch_of(l, k, r), k + 1, bare));
     function numbers_from(n, list) = if n == 0 then list else numbers_from(n - 1, cons(n, list));
     function reversed(list, done) = match list with nil => done | cons(x, rest) => reversed(rest, cons(x, done));
     function members(p) = match p with person(name, kids) => #name + members_of(kids);
     function members_of(list) : list(family) -> int = match list with nil => 0 | cons(p, rest) => members(p) + members_of(rest);
     function doubled(tr, n) = if n == 0 then tr else doubled(node(tr, n, tr), n - 1);
     function least(tr) = match tr with leaf => 0 - 1 | node(l, k, r) => (match l with leaf => [k, k][rem(k, 2) * 2] | node(x, y, z) => least(l));");
    fn totals(trees: Vec<Tree>) -> Array<i64>;
    fn tree_of(t: Tree, keys: Array<i64>) -> Tree;
    fn all_mirrored(trees: Vec<Tree>) -> Vec<Tree>;
    fn flat(r: Rose) -> Array<i64>;
    fn value(e: Expr, x: f64) -> f64;
    fn derived(e: Expr) -> Expr;
    fn deepest(b: Option<Box<Branch>>) -> u16;
    fn numbers_from(n: i64, list: List<i64>) -> List<i64>;
    fn reversed(list: List<i64>, done: List<i64>) -> List<i64>;
    fn doubled(t: Tree, n: i64) -> Tree;
    fn least(t: Tree) -> i64;
    fn higher(b: Branch) -> Branch;
    fn members(p: Family) -> i64;
}

fn tree(left: Tree, key: i64, right: Tree) -> Tree {
    Tree::Node(Box::new(left), key, Box::new(right))
}

impl Tree {
    fn total(&self) -> i64 {
        match self {
            Tree::Leaf => 0,
            Tree::Node(left, key, right) => left.total() + key + right.total(),
        }
    }

    fn mirrored(&self) -> Tree {
        match self {
            Tree::Leaf => Tree::Leaf,
            Tree::Node(left, key, right) => tree(right.mirrored(), *key, left.mirrored()),
        }
    }

    fn put(self, new: i64) -> Tree {
        match self {
            Tree::Leaf => tree(Tree::Leaf, new, Tree::Leaf),
            Tree::Node(left, key, right) if new < key => tree(left.put(new), key, *right),
            Tree::Node(left, key, right) => tree(*left, key, right.put(new)),
        }
    }
}

impl Rose {
    fn flat(&self) -> Vec<i64> {
        let Rose::Rose(own, kids) = self;
        std::iter::once(i64::from(*own)).chain(kids.iter().flat_map(Rose::flat)).collect()
    }
}

impl Expr {
    fn value(&self, x: f64) -> f64 {
        match self {
            Expr::Number(a) => *a,
            Expr::Variable(name) => x * name.len() as f64,
            Expr::Sum(parts) => parts.iter().map(|part| part.value(x)).sum(),
            Expr::Times { left, right } => left.value(x) * right.value(x),
            Expr::Negative(part) => 0.0 - part.value(x),
        }
    }

    fn derived(&self) -> Expr {
        let times = |left, right| Expr::Times { left: Box::new(left), right: Box::new(right) };
        match self {
            Expr::Number(_) => Expr::Number(0.0),
            Expr::Variable(name) => Expr::Number(name.len() as f64),
            Expr::Sum(parts) => Expr::Sum(parts.iter().map(Expr::derived).collect()),
            Expr::Times { left, right } => Expr::Sum(vec![
                times(left.derived(), Expr::clone(right)),
                times(Expr::clone(left), right.derived()),
            ]),
            Expr::Negative(part) => Expr::Negative(Box::new(part.derived())),
        }
    }
}

impl Branch {
    fn depth(&self) -> u16 {
        let side = |side: &Option<Box<Branch>>| side.as_ref().map_or(0, |branch| branch.depth());
        1 + side(&self.left).max(side(&self.right))
    }
}

impl Family {
    fn members(&self) -> i64 {
        let Family::Person(name, kids) = self;
        let (mut count, mut rest) = (name.len() as i64, &**kids);
        while let List::Cons(kid, others) = rest {
            count += kid.members();
            rest = others;
        }
        count
    }
}

#[test]
fn functions_on_trees_against_rust() {
    let mut random = Random::new(11);
    for levels in 0..5 {
        let trees: Vec<Tree> = (0..9).map(|_| Tree::grown(&mut random, levels)).collect();
        let wanted: Vec<i64> = trees.iter().map(Tree::total).collect();
        assert_eq!(totals(trees.clone()).unwrap().to_vec().unwrap(), wanted);
        let wanted: Vec<Tree> = trees.iter().map(Tree::mirrored).collect();
        assert_eq!(all_mirrored(trees).unwrap(), wanted);
        let rose = Rose::grown(&mut random, levels);
        assert_eq!(flat(rose.clone()).unwrap().to_vec().unwrap(), rose.flat());
        let expr = Expr::grown(&mut random, levels);
        // All numbers are multiples of a half, and small.
        assert_eq!(value(expr.clone(), 1.5).unwrap(), expr.value(1.5));
        assert_eq!(derived(expr.clone()).unwrap(), expr.derived());
        let branch = Branch::grown(&mut random, levels);
        assert_eq!(deepest(Some(Box::new(branch.clone()))).unwrap(), branch.depth());
        let wanted = Branch { key: branch.key + 1, left: Some(Box::new(branch.clone())), right: None };
        assert_eq!(higher(branch).unwrap(), wanted);
        let family = Family::grown(&mut random, levels);
        assert_eq!(members(family.clone()).unwrap(), family.members());
    }
    assert_eq!(deepest(None).unwrap(), 0);
    let keys: Vec<i64> = (0..30).map(|_| i64::grown(&mut random, 0)).collect();
    let given = tree(Tree::Leaf, 3, Tree::Leaf);
    let wanted = keys.iter().fold(given.clone(), |tree, key| tree.put(*key));
    assert_eq!(tree_of(given, Array::from_vec(keys)).unwrap(), wanted);
}

impl List<i64> {
    /// The elements; the list is taken apart without recursion.
    fn into_vec(self) -> Vec<i64> {
        let (mut elements, mut rest) = (Vec::new(), self);
        while let List::Cons(first, others) = rest {
            elements.push(first);
            rest = *others;
        }
        elements
    }
}

#[test]
fn trees_may_be_of_any_depth() {
    let length = 500 * crate::some_of(40) as i64;
    let list = numbers_from(length, List::Nil).unwrap();
    let list = reversed(list, List::Cons(-1, Box::new(List::Nil))).unwrap();
    let wanted: Vec<i64> = (1..=length).rev().chain([-1]).collect();
    assert_eq!(list.into_vec(), wanted);
}

#[test]
fn nodes_that_several_hold_are_copied() {
    let made = doubled(tree(Tree::Leaf, 7, Tree::Leaf), 10).unwrap();
    assert_eq!(made.total(), 1024 * 7 + (1..=10).map(|n| n << (n - 1)).sum::<i64>());
    // 2⁶⁰ nodes in the pools' 61.
    let told = doubled(Tree::Leaf, 60).unwrap_err().to_string();
    assert!(
        told.contains("have more than 33554432 nodes, which are 60: several hold the same node"),
        "{told}"
    );
}

#[test]
fn faults_show_trees() {
    assert_eq!(least(tree(tree(Tree::Leaf, 4, Tree::Leaf), 9, Tree::Leaf)).unwrap(), 4);
    let told = least(tree(Tree::Leaf, 5, Tree::Leaf)).unwrap_err().to_string();
    assert!(
        told.contains("[k, k][rem(k, 2) * 2]") && told.contains("position 2 of a sequence of 2"),
        "{told}"
    );
    let told = numbers_from(2, List::Nil).map(|list| list.into_vec());
    assert_eq!(told.unwrap(), [1, 2]);
}

/// A record that holds itself, which is no type of NESL: nothing between has a name.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(crate = nestled_nested)]
struct Endless {
    kids: Vec<Endless>,
    key: i64,
}

#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested, rename = "tree")]
enum Narrow {
    Leaf,
    Node(Box<Narrow>, i8, Box<Narrow>),
}

#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested, rename = "tree")]
enum Other {
    Leaf,
    Node(Box<Tree>, i64, Box<Other>),
}

#[test]
fn what_does_not_fit_is_refused() {
    let text = Nesl::compile(format!(
        "{TYPES}
         function same(tr) : tree -> tree = tr;
         function any(x) = x;
         function wide(n) = node(leaf, n, leaf);
         kept = node(leaf, 1, leaf);
         function with_kept(n) = node(kept, n, kept);"
    ))
    .unwrap();
    let told = text.function::<(Endless,), i64>("any").unwrap_err().to_string();
    assert!(told.contains("a value may hold others of its own type"), "{told}");
    let told = text.function::<(Rose,), Rose>("same").unwrap_err().to_string();
    assert!(told.contains("cannot take"), "{told}");
    let told = text.function::<(Vec<Branch>,), i64>("any").unwrap_err().to_string();
    assert!(told.contains("may be missing: the function has to take a datatype there"), "{told}");
    let told = text.function::<(i64,), Rose>("wide").unwrap_err().to_string();
    assert!(told.contains("`wide` gives tree, not Rose"), "{told}");
    let told = text.function::<(i64,), Tree>("with_kept").unwrap_err().to_string();
    assert!(
        told.contains("uses a variable of a datatype that may hold itself: make it an argument"),
        "{told}"
    );
    // The same names, and as much in each: it is the same tree.
    let same = text.function::<(Other,), Tree>("same").unwrap();
    let other = Other::Node(Box::new(tree(Tree::Leaf, 1, Tree::Leaf)), 2, Box::new(Other::Leaf));
    let wanted = tree(tree(Tree::Leaf, 1, Tree::Leaf), 2, Tree::Leaf);
    assert_eq!(same.call((other,)).unwrap(), wanted);
    let wide = text.function::<(i64,), Narrow>("wide").unwrap();
    let leaf = || Box::new(Narrow::Leaf);
    assert_eq!(wide.call((-128,)).unwrap(), Narrow::Node(leaf(), -128, leaf()));
    let told = wide.call((128,)).unwrap_err().to_string();
    assert!(told.contains("128 does not fit `i8`"), "{told}");
    // Columns of values have no trees.
    let tree = NeslType::Data(nestled_array::NeslDatatype::named("tree", vec![]));
    let told = text.routine("same", &[tree]).unwrap_err().to_string();
    assert!(told.contains("`tree` may hold itself"), "{told}");
    let told = text.routine("wide", &[NeslType::Int]).unwrap_err().to_string();
    assert!(told.contains("`tree` may hold itself"), "{told}");
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
