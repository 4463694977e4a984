//! Random regions of small kernels mean the same before and after `fuse`.
//!
//! The kernels are chosen so that most rules have something to do: maps, scans, reductions, windows, filters of the whole and of
//! segments, guards, scatters, faults, scalar host code, shapes that only `same` makes one. What a region computes is printed.

use nestled_ir::interp::{self, Error, Limits, TestWorld};
use nestled_ir::value::parse_args;
use nestled_ir::{Program, SiteId, text, verify};
use nestled_pass::{Pass, PassContext, PassOptions, fuse, run, simplify};
use std::fmt::Write;

const KERNELS: &str = r#"
kernel next(xs: [n]i32) over n { ys = map { i => add xs[i] 1 }, ret ys }
kernel plus(xs: [n]i32, ys: [n]i32) over n { zs = map { i => add xs[i] (mul 3 ys[i]) }, ret zs }
kernel plus_clamped(xs: [n]i32, ys: [m]i32) over n { zs = map { i => sub xs[i] (ys[i clamp]) }, ret zs }
kernel sums(xs: [n]i32) over n { ys = scan { i => xs[i] } add exclusive forward, ret ys }
kernel most(xs: [n]i32) over n { ys = scan { i => xs[i] } max inclusive backward, ret ys }
kernel total(xs: [n]i32) over n { s = reduce { i => xs[i] } add, ret s }
kernel best(xs: [n]i32) over n { (s, at) = reduce { i => xs[i], i } argmax, ret s, at }
kernel right(xs: [n]i32) over n { ys = map { i => add (xs[i + 1 clamp]) (xs[i - 2] else 7) }, ret ys }
kernel shift(xs: [n]i32, c: i32) over n { ys = map { i => sub xs[i] c }, ret ys }
kernel numbers(xs: [n]i32) over n { ys = map { i => add xs[i] (i32 i) }, ret ys }
kernel mirror(xs: [n]i32) over n { ys = map { i => xs[sub (sub n 1) i] }, ret ys }
kernel low(xs: [n]i32) over n { ys = map { i =>
  check (gt xs[i] -12) "low"
  xs[i]
}, ret ys }
kernel some(xs: [n]i32) over n {
  p = map { i => gt xs[i] 2 }
  ys = map where p { i => mul 2 xs[i] }
  zs = map { i => and (gt xs[i] 0) p[i] }
  s = reduce where zs { i => xs[i] } add
  ret ys, s
}
kernel keep(xs: [n]i32) over n {
  p = map { i => eq (and xs[i] 1) 0 }
  (k, ys) = filter where p { i => xs[i] }
  ret k, ys
}
kernel keep_two(xs: [n]i32, c: i32) over n {
  p = map { i => gt xs[i] c }
  (k, ys, zs) = filter where p { i => mul 2 xs[i], sub xs[i] 1 }
  t = reduce { i => xs[i] } min
  ret k, ys, zs, t
}
kernel scatter(xs: [n]i32) over n {
  ys = permute to [n] base 5 range drop clash last { i => idx (and xs[i] 3), xs[i] }
  ret ys
}
kernel halves(xs: [n]i32) over n {
  (s, ys) = partition proved 2 { i => idx (and xs[i] 1), xs[i] }
  t = reduce { i => xs[i] } max
  ret t
}
kernel once_only(c: i32, d: i32) { t = once { add c (mul 2 d) }, ret t }
kernel flip<n, s: seg[n]>(xs: [s]i32) over n, s { ys = map { i, j => sub 9 xs[i, j] }, ret ys }
kernel both<n, s: seg[n]>(xs: [s]i32, ys: [s]i32) over n, s { zs = map { i, j => add xs[i, j] ys[i, j] }, ret zs }
kernel rows<n, s: seg[n]>(xs: [s]i32) over n, s { t = reduce @1 { i, j => xs[i, j] } add, ret t }
kernel scale<n, s: seg[n]>(xs: [s]i32, ws: [n]i32) over n, s { ys = map { i, j => add xs[i, j] ws[i] }, ret ys }
kernel inner<n, s: seg[n]>(xs: [s]i32) over n, s {
  ys = scan @1 { i, j => xs[i, j] } add inclusive forward
  ret ys
}
kernel keep_rows<n, s: seg[n]>(xs: [s]i32, ws: [n]i32) over n, s {
  p = map { i, j => gt xs[i, j] ws[i] }
  (t, ys) = filter @1 where p { i, j => add 1 xs[i, j] }
  ret t, ys
}
kernel keep_all<n, s: seg[n]>(xs: [s]i32) over n, s {
  p = map { i, j => gt xs[i, j] 3 }
  (k, ys) = filter where p { i, j => xs[i, j] }
  ret k, ys
}
kernel on_rows<n, s: seg[n]>(xs: [s]i32, ws: [n]i32) over n, s {
  q = map { i => gt ws[i] 1 }
  r = reduce @1 where q { i, j => xs[i, j] } max
  u = map where q { i, j => mul 2 xs[i, j] }
  ret r, u
}
"#;

/// A generator of numbers; the same seed gives the same program.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// A region that is being written.
struct Region {
    random: Random,
    text: String,
    count: usize,
    /// Arrays `[n]i32`, with their extent.
    flat: Vec<(String, String)>,
    /// Arrays `[s]i32`, with the extent and the segmentation.
    nested: Vec<(String, String, String)>,
    scalars: Vec<String>,
}

impl Region {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn over(&mut self, extent: &str) -> String {
        let fitting: Vec<String> =
            self.flat.iter().filter(|(_, n)| n == extent).map(|(name, _)| name.clone()).collect();
        // The latest are the most likely to be fused.
        let from = fitting.len().saturating_sub(3);
        self.random.pick(&fitting[from..]).clone()
    }

    fn statement(&mut self) {
        match self.random.below(10) {
            0..=5 => self.flat_run(),
            6..=8 => self.nested_run(),
            _ => self.host(),
        }
    }

    fn host(&mut self) {
        let (a, b) = (self.random.pick(&self.scalars).clone(), self.random.pick(&self.scalars).clone());
        let name = self.name();
        match self.random.below(6) {
            0 => drop(writeln!(self.text, "  check (gt {a} -200) \"host\"")),
            1 => {
                let (_, n) = self.random.pick(&self.flat).clone();
                let _ = writeln!(self.text, "  same n {n}");
            }
            _ => {
                let _ = writeln!(self.text, "  {name} = sub {a} (mul 2 {b})");
                self.scalars.push(name);
            }
        }
    }

    fn flat_run(&mut self) {
        let from = self.flat.len().saturating_sub(5);
        let (xs, n) = self.random.pick(&self.flat[from..]).clone();
        let (ys, c) = (self.over(&n), self.random.pick(&self.scalars).clone());
        let (a, b, k) = (self.name(), self.name(), self.name());
        let d = self.random.pick(&self.scalars).clone();
        let one = ["next", "sums", "most", "right", "numbers", "mirror", "low", "scatter"];
        let choice = self.random.below(20);
        let line = match choice {
            0..=6 => format!("{a} = run {}({xs})", self.random.pick(&one)),
            7 | 8 => format!("{a} = run plus({xs}, {ys})"),
            9 => format!("{a} = run plus_clamped({xs}, {})", self.random.pick(&self.flat).0.clone()),
            10 | 11 => format!("{a} = run shift({xs}, {c})"),
            12 => format!("({a}, {b}) = run some({xs})"),
            13..=15 => format!("({k}, {a}) = run keep({xs})"),
            16 => format!("({k}, {a}, {b}, {k}m) = run keep_two({xs}, {c})"),
            17 => format!("{a} = run {}({xs})", self.random.pick(&["total", "halves"])),
            18 => format!("({a}, _) = run best({xs})"),
            _ => format!("{a} = run once_only({c}, {d})"),
        };
        let _ = writeln!(self.text, "  {line}");
        match choice {
            0..=11 => self.flat.push((a, n)),
            12 => {
                self.flat.push((a, n));
                self.scalars.push(b);
            }
            13..=15 => self.flat.push((a, k)),
            16 => {
                self.scalars.push(format!("{k}m"));
                self.flat.push((a, k.clone()));
                self.flat.push((b, k));
            }
            _ => self.scalars.push(a),
        }
    }

    fn nested_run(&mut self) {
        let from = self.nested.len().saturating_sub(4);
        let (xs, n, s) = self.random.pick(&self.nested[from..]).clone();
        let fitting: Vec<String> =
            self.nested.iter().filter(|(_, _, of)| *of == s).map(|(name, _, _)| name.clone()).collect();
        let (ys, ws) = (self.random.pick(&fitting).clone(), self.over(&n));
        let (a, b, t) = (self.name(), self.name(), self.name());
        let choice = self.random.below(10);
        let line = match choice {
            0 | 1 => format!("{a} = run flip<{n}, {s}>({xs})"),
            2 => format!("{a} = run inner<{n}, {s}>({xs})"),
            3 => format!("{a} = run both<{n}, {s}>({xs}, {ys})"),
            4 => format!("{a} = run scale<{n}, {s}>({xs}, {ws})"),
            5 => format!("{a} = run rows<{n}, {s}>({xs})"),
            6 | 7 => format!("({t}, {a}) = run keep_rows<{n}, {s}>({xs}, {ws})"),
            8 => format!("({t}, {a}) = run keep_all<{n}, {s}>({xs})"),
            _ => format!("({a}, {b}) = run on_rows<{n}, {s}>({xs}, {ws})"),
        };
        let _ = writeln!(self.text, "  {line}");
        match choice {
            0..=4 => self.nested.push((a, n, s)),
            5 => self.flat.push((a, n)),
            6 | 7 => self.nested.push((a, n, t)),
            8 => self.flat.push((a, t)),
            _ => {
                self.flat.push((a, n.clone()));
                self.nested.push((b, n, s));
            }
        }
    }
}

/// A program whose `main` has one region and then prints what it computed.
fn program(seed: u64) -> String {
    let mut region = Region {
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        text: String::new(),
        count: 0,
        flat: vec![("xs".to_owned(), "n".to_owned())],
        nested: vec![("vs".to_owned(), "n".to_owned(), "s".to_owned())],
        scalars: vec!["c".to_owned()],
    };
    let n_statements = 2 + region.random.below(9);
    (0..n_statements).for_each(|_| region.statement());
    let names = region.flat.iter().map(|(name, _)| name).chain(region.nested.iter().map(|(name, ..)| name));
    let names: Vec<String> = names.chain(&region.scalars).cloned().collect();
    for name in names {
        if region.random.below(3) > 0 {
            let _ = writeln!(region.text, "  print {name}");
        }
    }
    let lines: String = KERNELS.replace("}, ret", "}\n ret").replace("forward, ret", "forward\n ret");
    let lines = lines
        .replace("add, ret", "add\n ret")
        .replace("max inclusive backward, ret", "max inclusive backward\n ret");
    let lines = lines.replace("argmax, ret", "argmax\n ret");
    format!("{lines}\nfn main<n, s: seg[n]>(xs: [n]i32, vs: [s]i32, c: i32) {{\n{}}}\n", region.text)
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Lines(Vec<String>),
    Fault(SiteId, u64),
}

fn outcome(program: &Program, arguments: &[&str]) -> Outcome {
    let main = program.find_function("main").unwrap();
    let args = parse_args(program, main, arguments).unwrap();
    let mut world = TestWorld::default();
    match interp::run(program, "main", &args.shapes, &args.values, &Limits::default(), &mut world) {
        Ok(_) => Outcome::Lines(world.output),
        Err(Error::Fault(fault)) => Outcome::Fault(fault.site, fault.element),
        Err(error) => panic!("{error:?}\n{}", text::print(program)),
    }
}

fn passed(program: &Program, passes: &[&Pass]) -> Program {
    let mut cx = PassContext::new(PassOptions { verify: true, ..PassOptions::default() });
    run(program, passes, &mut cx).unwrap_or_else(|bug| panic!("{bug}"))
}

fn runs(program: &Program) -> usize {
    text::print(program).matches("= run ").count()
}

#[test]
fn regions_mean_the_same_after_fusion() {
    let count = std::env::var("COUNT").map_or(300, |count| count.parse().unwrap());
    let first = std::env::var("SEED").map_or(0, |seed| seed.parse().unwrap());
    let (mut before, mut after, mut under_guards) = (0, 0, 0);
    for seed in first..first + count {
        let source = program(seed);
        let program = text::parse("region.lcu", &source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        verify::verify(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{source}"));
        let simple = passed(&program, &[&simplify::PASS]);
        let fused = passed(&simple, &[&fuse::PASS]);
        before += runs(&simple);
        after += runs(&fused);
        under_guards += fused
            .kernels
            .iter()
            .filter(|kernel| kernel.name.contains("keep") && kernel.name.contains('+'))
            .count();
        for arguments in [
            ["[3, 8, -2, 7]", "[[1, 2, 3], [], [9, 8], [4]]", "1"],
            ["[]", "[]", "-4"],
            ["[-14, 2]", "[[6], [5, 4, 3, 2, 1]]", "100"],
        ] {
            let (wanted, found) = (outcome(&simple, &arguments), outcome(&fused, &arguments));
            let texts = || format!("{}\n;; fused\n{}", text::print(&simple), text::print(&fused));
            assert!(wanted == found, "seed {seed}, {arguments:?}: {wanted:?}, not {found:?}\n{}", texts());
        }
    }
    println!("{before} runs became {after}; {under_guards} kernels hold a filter and something else");
    assert!(after * 10 < before * 7 && under_guards > count as usize / 10);
}
