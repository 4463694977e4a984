//! Sequential loops of NESL that update sequences, against plain loops of Rust that do the same.
//!
//! Both run in turns, and the results are compared each time; the ratio is the median of those of the turns.

use crate::options::Options;
use crate::report::time;
use crate::session::{Clocked, HELPERS};
use nestled_rt::device::Device;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

/// A loop, with its inputs and its counterpart.
struct Loop {
    name: &'static str,
    source: &'static str,
    /// Sizes of the input: for a check, and for a measurement.
    sizes: [u64; 2],
    /// Statements of NESL that bind the inputs.
    given: &'static str,
    timed: &'static str,
    /// The loop in Rust: returns its time in seconds, and the result.
    plain: fn(i64) -> (f64, i64),
}

const LOOPS: [Loop; 6] = [
    Loop {
        name: "longest increasing",
        source: include_str!("../../../examples/longest_increasing.nesl"),
        sizes: [1000, 100_000],
        given: "v = kept({rem(i * 7919, 100003) : i in index(n)})",
        timed: "longest(v)",
        plain: longest_increasing,
    },
    Loop {
        name: "Knuth, Morris, Pratt",
        source: include_str!("../../../examples/kmp.nesl"),
        sizes: [1000, 100_000],
        given: "p = kept({code_char(97 + rem(i, 2)) : i in index(n / 2)});
            s = kept({code_char(97 + rem(i, 2)) : i in index(n)})",
        timed: "occurrences(p, s)",
        plain: occurrences,
    },
    Loop {
        name: "edit distance by rows",
        source: include_str!("../../../examples/edit_distance.nesl"),
        sizes: [50, 1000],
        given: "a = kept({code_char(97 + rem(i * i, 26)) : i in index(n)});
            b = kept({code_char(97 + rem(i * 3, 26)) : i in index(n)})",
        timed: "distance(a, b)",
        plain: edit_distance,
    },
    Loop {
        name: "union-find",
        source: include_str!("../../../examples/union_find.nesl"),
        sizes: [1000, 100_000],
        given: "edges = kept({(rem(i * 7919 + 13, n), rem(i * 104729 + 7, n)) : i in index(n)})",
        timed: "components(n, edges)",
        plain: components,
    },
    Loop {
        name: "sieve by updates",
        source: include_str!("../../../examples/sieve.nesl"),
        sizes: [1000, 1_000_000],
        given: "none = kept(dist(f, n))",
        timed: "btoi(sieve(none, 2)[n - 1])",
        plain: sieve,
    },
    Loop {
        name: "table of one row",
        source: "function best(d, v, i) = if i == #v then d[i - 1] else best(rep(d, max(d[i - 1], d[i - 2] + v[i]), i), v, i + 1);",
        sizes: [1000, 200_000],
        given: "v = kept({rem(i * 7919, 1000) : i in index(n)})",
        timed: "best(v, v, 2)",
        plain: best,
    },
];

/// Measures all of them.
///
/// # Errors
/// If a result is wrong, or nothing runs.
pub fn run(options: &Options, device: &Rc<dyn Device>, named: &dyn Fn(&str) -> bool) -> Result<(), String> {
    println!("\n{:24}{:>14}{:>14}{:>10}", "loops", "NESL", "Rust", "ratio");
    for one in LOOPS.iter().filter(|one| named(one.name)) {
        let n = one.sizes[usize::from(!options.check)];
        let mut clocked = Clocked::new(device);
        // What the example defines, up to where it begins to compute.
        let functions: String =
            one.source.lines().filter(|line| is_definition(line)).collect::<Vec<_>>().join("\n");
        clocked.evaluate(&format!("{functions}\n{HELPERS}\nn = {n};"))?;
        let Loop { name, given, timed, plain, .. } = one;
        let text = format!("let {given}; (r, seconds) = time({timed}) in (seconds, float(r));");
        let (mut ours, mut theirs, mut ratios) = (f64::INFINITY, f64::INFINITY, Vec::new());
        for turn in 0..=options.pairs {
            let [seconds, result] = clocked.evaluate(&text)?;
            let (plain, expected) = plain(n as i64);
            if result != expected as f64 {
                return Err(format!("{name}: {result}, but {expected} is right"));
            }
            // The first makes ready.
            if turn > 0 {
                (ours, theirs) = (ours.min(seconds), theirs.min(plain));
                ratios.push(seconds / plain);
            }
        }
        ratios.sort_by(f64::total_cmp);
        println!("{name:24}{:>14}{:>14}{:>10.2}", time(ours), time(theirs), ratios[ratios.len() / 2]);
    }
    Ok(())
}

/// True if a line of an example belongs to a function: lines of other statements are not indented.
fn is_definition(line: &str) -> bool {
    line.starts_with("function ") || line.starts_with(' ')
}

/// Runs a closure; returns its time in seconds, and its result.
fn timed(run: impl FnOnce() -> i64) -> (f64, i64) {
    let start = Instant::now();
    let result = black_box(run());
    (start.elapsed().as_secs_f64(), result)
}

fn longest_increasing(n: i64) -> (f64, i64) {
    let v: Vec<i64> = black_box((0..n).map(|i| i * 7919 % 100_003).collect());
    timed(|| {
        let (mut tails, mut size) = (vec![0; v.len()], 0);
        for &x in &v {
            let (mut low, mut high) = (0, size);
            while low != high {
                let middle = (low + high) / 2;
                if tails[middle] < x { low = middle + 1 } else { high = middle }
            }
            tails[low] = x;
            size += usize::from(low == size);
        }
        size as i64
    })
}

fn occurrences(n: i64) -> (f64, i64) {
    let word = |n: i64| -> Vec<u8> { black_box((0..n).map(|i| 97 + (i % 2) as u8).collect()) };
    let (pattern, text) = (word(n / 2), word(n));
    let step = |borders: &[usize], c: u8, mut k: usize| {
        while k != 0 && !(k < pattern.len() && pattern[k] == c) {
            k = borders[k - 1];
        }
        k + usize::from(pattern[k] == c)
    };
    timed(|| {
        let (mut borders, mut k) = (vec![0; pattern.len()], 0);
        for i in 1..pattern.len() {
            k = step(&borders, pattern[i], k);
            borders[i] = k;
        }
        let (mut k, mut count) = (0, 0);
        for &c in &text {
            k = step(&borders, c, k);
            count += i64::from(k == pattern.len());
        }
        count
    })
}

fn edit_distance(n: i64) -> (f64, i64) {
    let word =
        |of: fn(i64) -> i64| -> Vec<u8> { black_box((0..n).map(|i| 97 + (of(i) % 26) as u8).collect()) };
    let (a, b) = (word(|i| i * i), word(|i| i * 3));
    timed(|| {
        let mut row: Vec<i64> = (0..=n).collect();
        for (i, x) in a.iter().enumerate() {
            let mut corner = row[0];
            row[0] = i as i64 + 1;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = (corner + i64::from(x != y)).min(1 + above.min(row[j]));
                corner = above;
            }
        }
        row[b.len()]
    })
}

fn components(n: i64) -> (f64, i64) {
    let edges: Vec<(i64, i64)> =
        black_box((0..n).map(|i| ((i * 7919 + 13) % n, (i * 104_729 + 7) % n)).collect());
    let root = |up: &[i64], mut x: i64| {
        while up[x as usize] != x {
            x = up[x as usize];
        }
        x
    };
    let compress = |up: &mut [i64], mut x: i64, root: i64| {
        while up[x as usize] != root {
            x = std::mem::replace(&mut up[x as usize], root);
        }
    };
    timed(|| {
        let (mut up, mut count): (Vec<i64>, i64) = ((0..n).collect(), n);
        for &(a, b) in &edges {
            let (r, s) = (root(&up, a), root(&up, b));
            compress(&mut up, a, r);
            compress(&mut up, b, s);
            if r != s {
                up[r as usize] = s;
                count -= 1;
            }
        }
        count
    })
}

fn sieve(n: i64) -> (f64, i64) {
    let none: Vec<bool> = black_box(vec![false; n as usize]);
    timed(|| {
        let mut marks = none.clone();
        let mut p = 2;
        while p * p < marks.len() {
            if !marks[p] {
                (p * p..marks.len()).step_by(p).for_each(|k| marks[k] = true);
            }
            p += 1;
        }
        i64::from(black_box(marks)[n as usize - 1])
    })
}

fn best(n: i64) -> (f64, i64) {
    let v: Vec<i64> = black_box((0..n).map(|i| i * 7919 % 1000).collect());
    timed(|| {
        let mut d = v.clone();
        for i in 2..v.len() {
            d[i] = d[i - 1].max(d[i - 2] + v[i]);
        }
        d[v.len() - 1]
    })
}
