//! Random pipelines: programs of 5 to 60 kernels over arrays of one length, as λcu text, to look for plans that lose.

use crate::random::Random;
use std::fmt::Write;

/// The numbers of kernels of a pipeline.
const KERNELS: std::ops::RangeInclusive<u64> = 5..=60;

/// Makes the pipeline of a seed.
pub fn pipeline(seed: u64) -> String {
    let random = Random::new(&format!("pipeline {seed}"));
    let floats = ["x", "y"].map(|name| Array { name: name.to_owned(), reads: 0 });
    let mut making =
        Making { random, floats: floats.into(), kernels: String::new(), runs: String::new(), count: 0 };
    let wanted = KERNELS.start() + making.random.below(KERNELS.end() - KERNELS.start() + 1);
    while making.count < wanted {
        making.step();
    }
    making.finish(seed)
}

/// An array of floats, and how often it is read.
struct Array {
    name: String,
    reads: u32,
}

/// A pipeline that is being made.
struct Making {
    random: Random,
    floats: Vec<Array>,
    kernels: String,
    runs: String,
    /// Number of kernels so far.
    count: u64,
}

impl Making {
    /// Adds one kernel, or the few of an idiom.
    fn step(&mut self) {
        match self.random.below(16) {
            0..=3 => self.map(&[
                "fma a[i] 0.5 1.5",
                "max a[i] 0.25",
                "mul (sub a[i] 0.5) 2.0",
                "abs (sub a[i] 0.3)",
            ]),
            4..=6 => self.zip(&["add a[i] b[i]", "mul a[i] b[i]", "min a[i] b[i]", "fma a[i] b[i] 0.1"]),
            7..=8 => self.map(&[
                "exp (neg (mul a[i] a[i]))",
                "div (sin a[i]) (add 2.0 (cos a[i]))",
                "sqrt (abs a[i])",
            ]),
            9 => self.map(&["mul 0.5 (add a[i - 1 clamp] a[i + 1 clamp])", "sub a[i + 1 clamp] a[i]"]),
            10 => self.bytes(),
            11 => self.scan(),
            12..=13 => self.share(),
            14 => self.gather(),
            _ => self.equalise(),
        }
    }

    /// Takes an array that is there, rather a late one.
    fn input(&mut self) -> String {
        let n = self.floats.len() as u64;
        let at = (0..2).map(|_| self.random.below(n)).max().unwrap_or(0) as usize;
        self.floats[at].reads += 1;
        self.floats[at].name.clone()
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.random.below(texts.len() as u64) as usize]
    }

    /// Adds a kernel and its run; returns the array's name.
    fn kernel(&mut self, params: &str, space: &str, body: &str, args: &str) -> String {
        let at = self.count;
        self.count += 1;
        writeln!(self.kernels, "kernel k{at}({params}) over {space} {{\n  r = {body}\n  ret r\n}}")
            .expect("a text");
        writeln!(self.runs, "  v{at} = run k{at}({args})").expect("a text");
        format!("v{at}")
    }

    fn made(&mut self, name: String) {
        self.floats.push(Array { name, reads: 0 });
    }

    fn map(&mut self, codes: &[&str]) {
        let (code, a) = (self.one_of(codes), self.input());
        let made = self.kernel("a: [n]f32", "n", &format!("map {{ i => {code} }}"), &a);
        self.made(made);
    }

    fn zip(&mut self, codes: &[&str]) {
        let (code, a, b) = (self.one_of(codes), self.input(), self.input());
        let made =
            self.kernel("a: [n]f32, b: [n]f32", "n", &format!("map {{ i => {code} }}"), &format!("{a}, {b}"));
        self.made(made);
    }

    /// Through bytes: a narrow array between two kernels.
    fn bytes(&mut self) {
        let a = self.input();
        let bytes = self.kernel("a: [n]f32", "n", "map { i => u8 (mul 255.0 a[i]) }", &a);
        let made = self.kernel("a: [n]u8", "n", "map { i => mul 0.25 (f32 a[i]) }", &bytes);
        self.made(made);
    }

    fn scan(&mut self) {
        let (a, monoid) = (self.input(), self.one_of(&["max", "min"]));
        let direction = self.one_of(&["forward", "backward"]);
        let made = self.kernel(
            "a: [n]f32",
            "n",
            &format!("scan {{ i => a[i] }} {monoid} inclusive {direction}"),
            &a,
        );
        self.made(made);
    }

    /// Each element's share of the sum, or of the greatest.
    fn share(&mut self) {
        let (a, monoid) = (self.input(), self.one_of(&["add", "max"]));
        let total = self.kernel("a: [n]f32", "n", &format!("reduce {{ i => a[i] }} {monoid}"), &a);
        let made = self.kernel(
            "a: [n]f32, t: f32",
            "n",
            "map { i => div a[i] (add 1.0 (abs t)) }",
            &format!("{a}, {total}"),
        );
        self.made(made);
    }

    fn gather(&mut self) {
        let a = self.input();
        let made =
            self.kernel("a: [n]f32, at: [n]i32", "n", "map { i => a[idx at[i] clamp] }", &format!("{a}, at"));
        self.made(made);
    }

    /// Through a table of 256 places.
    fn equalise(&mut self) {
        let a = self.input();
        let counts = "permute to [256] base 0 range drop clash add { i => idx (mul 255.0 a[i]), 1i32 }";
        let counts = self.kernel("a: [n]f32", "n", counts, &a);
        let sums = self.kernel("h: [256]i32", "256", "scan { i => h[i] } add inclusive forward", &counts);
        let read = "map { i => div (f32 c[idx (mul 255.0 a[i]) clamp]) (f32 n) }";
        let made = self.kernel("a: [n]f32, c: [256]i32", "n", read, &format!("{a}, {sums}"));
        self.made(made);
    }

    /// Gives back what nobody reads.
    fn finish(self, seed: u64) -> String {
        let results: Vec<&str> =
            self.floats.iter().filter(|array| array.reads == 0).map(|array| array.name.as_str()).collect();
        let types = vec!["[n]f32"; results.len()].join(", ");
        let Making { kernels, runs, .. } = &self;
        let results = results.join(", ");
        let head = "fn main(x: [n]f32, y: [n]f32, at: [n]i32)";
        format!("; Random pipeline {seed}.\n{kernels}{head} -> ({types}) {{\n{runs}  ret {results}\n}}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::pipeline;
    use nestled_ir::Program;
    use nestled_pass::{DEFAULT, PassContext, PassOptions, run};
    use std::time::Duration;

    /// Longer than in a release on an idle machine: tests are hardly optimised, and others run beside them.
    const SLOWER: u32 = 5;

    fn parsed(seed: u64) -> Program {
        let text = pipeline(seed);
        let program =
            nestled_ir::text::parse("pipeline", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        nestled_ir::verify::verify(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        program
    }

    /// The time of the passes of a name.
    fn time(program: &Program, of: &str) -> Duration {
        let mut cx = PassContext::new(PassOptions { verify: false, ..PassOptions::default() });
        run(program, DEFAULT, &mut cx).unwrap_or_else(|error| panic!("{error}"));
        cx.timings.iter().filter(|timing| timing.pass == of).map(|timing| timing.time).sum()
    }

    #[test]
    fn pipelines_are_valid() {
        (0..200).for_each(|seed| drop(parsed(seed)));
    }

    /// A region of 60 runs is planned within a tenth of a second.
    #[test]
    fn planning_takes_no_tenth_of_a_second() {
        let times = (0..60).map(|seed| (time(&parsed(seed), "fuse"), seed));
        let (longest, seed) = times.max().expect("there are some");
        println!("pipeline {seed}: {longest:?}");
        assert!(longest < SLOWER * Duration::from_millis(100), "pipeline {seed}: {longest:?}");
    }
}
