//! NESL benchmarks: times of programs under each plan of fusion, and tables over sizes and shapes that show that a flat program does the
//! work of the nested one.
//!
//! The timed part is `time(e)` in the program itself: host code and kernels, without compilation, input and output of data.

use crate::options::Options;
use crate::report::time;
use crate::session::{HELPERS, evaluate, session};
use nestled_nesl::{Dialect, Session, Width};
use nestled_pass::fuse::solve::Planner;
use nestled_rt::device::Device;
use std::rc::Rc;

/// The planners that are compared.
const PLANNERS: [Planner; 3] = [Planner::Search, Planner::GreedyDown, Planner::Off];

/// Number of elements of a run whose launches are predicted.
const EXAMPLE: u64 = 100_000;

/// An example, with its inputs and its check.
struct Program {
    name: &'static str,
    source: &'static str,
    /// Whether integers and floats have 32 bits.
    narrow: [bool; 2],
    /// Numbers of elements: for a check, and for a measurement.
    sizes: [u64; 2],
    /// Statements of NESL that bind the inputs.
    given: &'static str,
    timed: &'static str,
    /// An expression of NESL that is true if the result `r` is right.
    is_right: &'static str,
}

const PROGRAMS: [Program; 6] = [
    Program {
        name: "dot product",
        source: include_str!("../../../examples/dot.nesl"),
        narrow: [false, false],
        sizes: [1000, 10_000_000],
        given: "xs = kept({1.0 / float(i + 1) : i in index(n)}); ys = kept({float(rem(i, 4)) : i in index(n)})",
        timed: "dot(xs, ys)",
        is_right: "abs(r - sum({float(rem(i, 4)) / float(i + 1) : i in index(n)})) < 0.000001",
    },
    Program {
        name: "quicksort, 0 to 99",
        source: include_str!("../../../examples/quicksort.nesl"),
        narrow: [false, false],
        sizes: [1000, 1_000_000],
        given: "v = kept({rem(noise(i), 100) : i in index(n)})",
        timed: "quicksort(v)",
        is_right: "eql(r, sort(v))",
    },
    Program {
        name: "quicksort, full range",
        source: include_str!("../../../examples/quicksort.nesl"),
        narrow: [false, false],
        sizes: [1000, 1_000_000],
        given: "v = kept({noise(i) : i in index(n)})",
        timed: "quicksort(v)",
        is_right: "eql(r, sort(v))",
    },
    Program {
        name: "Black-Scholes",
        source: include_str!("../../../examples/black_scholes.nesl"),
        narrow: [false, true],
        sizes: [1000, 10_000_000],
        given: "ps = kept({5.0 + 25.0 * float(rem(i * 37, 101)) / 100.0 : i in index(n)});
            ss = kept({1.0 + 99.0 * float(rem(i * 53 + 20, 103)) / 102.0 : i in index(n)});
            ts = kept({0.25 + 9.75 * float(rem(i * 71, 107)) / 106.0 : i in index(n)})",
        timed: "{black_scholes(p, s, y, 0.02, 0.3) : p in ps; s in ss; y in ts}",
        // A call and a put for the same price are a loan.
        is_right: "all({abs(c - q - (p - s * exp(-0.02 * y))) < 0.001 : (c, q) in r; p in ps; s in ss; y in ts})",
    },
    Program {
        name: "quickhull in a disc",
        source: include_str!("../../../examples/quickhull.nesl"),
        narrow: [false, false],
        sizes: [1000, 5_000_000],
        given: "ps = kept({in_disc(i) : i in index(n)})",
        timed: "quickhull(ps)",
        // Turns left everywhere, and has as much inside as all that lies farthest out.
        is_right: "all({area(a, b, c) > 0.0 : a in r; b in rotate(r, 1); c in rotate(r, 2)}) and
            0.5 * sum({area((0.0, 0.0), p, q) : p in r; q in rotate(r, 1)}) > 3.0",
    },
    Program {
        name: "Barnes-Hut",
        source: include_str!("../../../examples/barnes_hut.nesl"),
        narrow: [false, true],
        sizes: [1000, 75_000],
        given: "bs = kept({(noise(2 * i), noise(2 * i + 1), 1.0 / float(n)) : i in index(n)})",
        timed: "accelerations(bs, 0.5, 0.000001)",
        is_right: "all({let (ax, ay) = r[i]; (x, y, m) = bs[i]; (ex, ey) = exact((x, y), bs, 0.000001)
            in sqrt((ax - ex)^2 + (ay - ey)^2) < 0.1 * sqrt(ex^2 + ey^2) : i in [0:n:max(n / 8, 1)]})",
    },
];

/// A table over sizes or shapes.
struct Table {
    title: &'static str,
    /// The label of each line, and the statements that it binds; `n` is bound before.
    lines: [(&'static str, &'static str); 4],
    columns: [Column; 2],
    /// Numbers of elements of a line: for a check, and for a measurement.
    sizes: [u64; 2],
}

/// The timed expression of a column.
struct Column {
    title: &'static str,
    timed: &'static str,
    /// An expression of NESL for the bytes that have to move.
    bytes: &'static str,
}

const TABLES: [Table; 2] = [
    Table {
        title: "100 000 elements, the same ones, read from arrays of other sizes",
        lines: [
            ("10^4", "v = numbers(10000); rows = entries(n, #v)"),
            ("10^5", "v = numbers(100000); rows = entries(n, #v)"),
            ("10^6", "v = numbers(1000000); rows = entries(n, #v)"),
            ("10^7", "v = numbers(10000000); rows = entries(n, #v)"),
        ],
        columns: [
            Column { title: "{v[i] : i in idx}", timed: "{v[i] : i in idx}", bytes: "24 * #idx" },
            Column {
                title: "sparse matrix × vector",
                timed: "{sum({x * v[i] : (i, x) in row}) : row in rows}",
                bytes: "24 * #idx + 16 * #rows",
            },
        ],
        sizes: [1000, 100_000],
    },
    Table {
        title: "rows of any lengths",
        lines: [
            ("rows of 100", "rows = partition(numbers(n), dist(100, n / 100))"),
            ("one row", "rows = [numbers(n)]"),
            ("power law", "rows = skewed({2 * n / (5 * (i + 1) * (i + 1)) + 1 : i in index(n / 3)})"),
            ("rows of one", "rows = partition(numbers(n), dist(1, n))"),
        ],
        columns: [
            Column {
                title: "sums of rows",
                timed: "{sum(row) : row in rows}",
                bytes: "8 * sum({#row : row in rows}) + 16 * #rows",
            },
            Column {
                title: "rows divided by their sums",
                timed: "{let s = sum(row) in {x / s : x in row} : row in rows}",
                // What no cache holds until it is divided has to be read twice.
                bytes: "16 * sum({#row : row in rows}) + 8 * sum({if #row > 4194304 then #row else 0 : row in rows})
                    + 16 * #rows",
            },
        ],
        sizes: [1000, 10_000_000],
    },
];

/// Measures all programs and tables.
///
/// # Errors
/// If a result is wrong, or nothing runs.
pub fn run(options: &Options) -> Result<(), String> {
    let device = crate::device::open(options.device, options.threads)?;
    let named =
        |name: &str| options.names.is_empty() || options.names.iter().any(|wanted| name.contains(&**wanted));
    let large = usize::from(!options.check);
    println!("{:24}{}", "program", PLANNERS.map(|planner| format!("{:>14}", planner.name())).concat());
    for program in PROGRAMS.iter().filter(|program| named(program.name)) {
        let mut columns = Vec::new();
        for planner in PLANNERS {
            let found = program.measure(options, &device, planner, program.sizes[large])?;
            columns.push(format!("{:>14}", time(found)));
        }
        println!("{:24}{}", program.name, columns.concat());
    }
    for table in TABLES.iter().filter(|table| named(table.title)) {
        table.measure(options, &device, table.sizes[large])?;
    }
    crate::loops::run(options, &device, &named)
}

/// Evaluates the timed part of each program on inputs that are there, in sessions that `session` makes. `at` hears the program's name before.
///
/// # Errors
/// If a program does not run.
pub(crate) fn examples(
    session: &dyn Fn(Dialect) -> Session,
    mut at: impl FnMut(&'static str),
) -> Result<(), String> {
    for program in &PROGRAMS {
        for n in [program.sizes[0], EXAMPLE] {
            let mut session = program.define(session, n)?;
            evaluate(&mut session, &format!("{};", program.given))?;
            at(program.name);
            evaluate(&mut session, &format!("{};", program.timed))?;
        }
    }
    Ok(())
}

impl Program {
    /// Defines the functions of the example, the helpers, and `n`.
    fn define(&self, session: &dyn Fn(Dialect) -> Session, n: u64) -> Result<Session, String> {
        let [int, float] = self.narrow.map(|narrow| if narrow { Width::W32 } else { Width::W64 });
        let mut session = session(Dialect { int, float, compat: false });
        // What the example defines, up to where it begins to compute.
        let functions = self.source.split_once("\nn = ").map_or(self.source, |(functions, _)| functions);
        evaluate(&mut session, &format!("{functions}\n{HELPERS}\nn = {n};"))?;
        Ok(session)
    }

    /// The least time of some runs; all results are checked.
    fn measure(
        &self,
        options: &Options,
        device: &Rc<dyn Device>,
        planner: Planner,
        n: u64,
    ) -> Result<f64, String> {
        let mut session = self.define(&|dialect| session(dialect, device, planner), n)?;
        let Program { name, given, timed, is_right, .. } = self;
        let text =
            format!("let {given}; (r, seconds) = time({timed}) in (seconds, float(btoi({is_right})));");
        let mut least = f64::INFINITY;
        for _ in 0..options.pairs {
            let [seconds, right] = evaluate(&mut session, &text)?;
            if right != 1.0 {
                return Err(format!("{name}: the result is wrong under {}", planner.name()));
            }
            least = least.min(seconds);
        }
        Ok(least)
    }
}

impl Table {
    fn measure(&self, options: &Options, device: &Rc<dyn Device>, n: u64) -> Result<(), String> {
        println!("\n{}", self.title);
        println!(
            "{:14}{}",
            "",
            self.columns.each_ref().map(|column| format!("{:>40}", column.title)).concat()
        );
        let mut first = [None; 2];
        for (label, given) in self.lines {
            let mut cells = String::new();
            for (column, first) in self.columns.iter().zip(&mut first) {
                let mut session = session(Dialect::default(), device, Planner::Search);
                evaluate(&mut session, &format!("{HELPERS} n = {n};"))?;
                let Column { timed, bytes, .. } = column;
                let given = format!("{given}; idx = kept({{rem(i * 7919, 10000) : i in index(n)}})");
                let text = format!("let {given}; (r, seconds) = time({timed}) in (seconds, float({bytes}));");
                let mut least = f64::INFINITY;
                let mut moved = 0.0;
                for _ in 0..options.pairs {
                    let [seconds, bytes] = evaluate(&mut session, &text)?;
                    least = least.min(seconds);
                    moved = bytes;
                }
                let each = least / moved * 1e9;
                let first = *first.get_or_insert(each);
                cells += &format!("{:>12} {each:>8.3} ns/byte {:>8.2} ×", time(least), each / first);
            }
            println!("{label:14}{cells}");
        }
        Ok(())
    }
}
