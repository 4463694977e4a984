//! Random fusion problems of several kinds, for tests and for the table of solvers.

mod case;

pub use case::{Case, Made};
use nestled_pass::fuse::problem::{Array, Edge, Problem, Run, RunId};

/// A generator of random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

/// What the graph looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Like the trial that measured integer programs: one or two inputs, mostly near ones; a fifth are gathered.
    Mixed,
    /// Long chains with a reduction now and then, whose result is needed later together with its input.
    Chains,
    /// Stencils: windows cost halos, and few fit into one kernel.
    Stencils,
    /// Trees of pairs.
    Trees,
    /// Independent groups over several spaces, sharing inputs.
    Siblings,
    /// As mixed, of runs that compute: some longer than they move data.
    Working,
}

/// All kinds.
pub const KINDS: [Kind; 6] =
    [Kind::Mixed, Kind::Chains, Kind::Stencils, Kind::Trees, Kind::Siblings, Kind::Working];

const BYTES: [f64; 5] = [4.0, 40.0, 100.0, 100.0, 200.0];

/// A random problem with so many runs.
pub fn random(kind: Kind, len: usize, seed: u64) -> Case {
    let mut random = Random(seed ^ (kind as u64) << 32 ^ (len as u64) << 40);
    let mut build = Build::new(len, &mut random);
    match kind {
        Kind::Mixed => build.mixed(22, len.div_ceil(6).max(2)),
        Kind::Chains => build.chains(),
        Kind::Stencils => build.stencils(),
        Kind::Trees => build.trees(),
        Kind::Siblings => build.siblings(),
        Kind::Working => build.working(),
    }
    build.finish()
}

struct Build<'r> {
    random: &'r mut Random,
    case: Case,
    /// The array that each run makes.
    made: Vec<usize>,
}

impl Build<'_> {
    fn new(len: usize, random: &mut Random) -> Build<'_> {
        let mut problem = Problem::default();
        for run in 0..len {
            let launch = if random.percent(5) { 0.0 } else { 5.0 };
            problem.runs.push(Run { launch, work: 0.0 });
            let bytes = BYTES[random.below(BYTES.len())];
            let producer = Some(RunId::from(run));
            problem.arrays.push(Array { bytes, producer, readers: Vec::new(), wanted: random.percent(10) });
        }
        Build { random, case: Case { problem, limits: Made::default() }, made: (0..len).collect() }
    }

    fn len(&self) -> usize {
        self.made.len()
    }

    /// Arrays that stand before the region.
    fn inputs(&mut self, count: usize) -> Vec<usize> {
        let first = self.case.problem.arrays.len();
        for _ in 0..count {
            let bytes = BYTES[self.random.below(BYTES.len())];
            self.case.problem.arrays.push(Array {
                bytes,
                producer: None,
                readers: Vec::new(),
                wanted: false,
            });
        }
        (first..first + count).collect()
    }

    fn read(&mut self, run: usize, array: usize, fusable: bool) {
        let array = &mut self.case.problem.arrays[array];
        let id = RunId::from(run);
        if !array.readers.contains(&id) {
            array.readers.push(id);
        }
        if let Some(producer) = array.producer.filter(|_| !fusable) {
            self.case.problem.edges.push(Edge { from: producer, to: id, fusable });
        }
    }

    /// An earlier run, mostly a near one.
    fn near(&mut self, run: usize) -> usize {
        let mut back = 1;
        while back < run && self.random.percent(75) {
            back += 1;
        }
        run - back.min(run)
    }

    fn mixed(&mut self, gathers: u64, inputs: usize) {
        let inputs = self.inputs(inputs);
        for run in 0..self.len() {
            for _ in 0..1 + self.random.below(2) {
                if run == 0 || self.random.percent(25) {
                    let input = inputs[self.random.below(inputs.len())];
                    self.read(run, input, true);
                } else {
                    let from = self.near(run);
                    let fusable = !self.random.percent(gathers);
                    self.read(run, self.made[from], fusable);
                }
            }
        }
    }

    fn working(&mut self) {
        self.mixed(10, self.len().div_ceil(6).max(2));
        self.case.problem.overlap = 0.25;
        for run in 0..self.len() {
            self.case.problem.runs[run].work = [10.0, 50.0, 100.0, 300.0, 600.0][self.random.below(5)];
        }
    }

    fn chains(&mut self) {
        let inputs = self.inputs(2);
        let mut reduced: Option<usize> = None;
        for run in 0..self.len() {
            let from = if run == 0 { inputs[0] } else { self.made[run - 1 - self.random.below(run.min(2))] };
            self.read(run, from, true);
            if let Some(sum) = reduced.filter(|_| self.random.percent(30)) {
                self.read(run, self.made[sum], false);
            }
            if self.random.percent(20) {
                self.case.problem.arrays[run].bytes = 4.0;
                reduced = Some(run);
            }
            if self.random.percent(15) {
                self.read(run, inputs[1], true);
            }
        }
    }

    fn stencils(&mut self) {
        let inputs = self.inputs(2);
        for run in 0..self.len() {
            if run == 0 || self.random.percent(10) {
                let input = inputs[self.random.below(2)];
                self.read(run, input, true);
            }
            for _ in 0..1 + self.random.below(2) {
                if run > 0 {
                    let from = self.near(run);
                    self.read(run, self.made[from], true);
                    if self.random.percent(40) {
                        let halo = [3.0, 10.0, 60.0][self.random.below(3)];
                        self.case.limits.extra.push((RunId::from(from), RunId::from(run), None, halo));
                    }
                }
            }
        }
        self.case.limits.most = Some(2 + self.random.below(6));
    }

    fn trees(&mut self) {
        let mut open = self.inputs(2 + self.len() / 2);
        for run in 0..self.len() {
            for _ in 0..2 {
                if !open.is_empty() {
                    let at = self.random.below(open.len());
                    let fusable = !self.random.percent(15);
                    let array = if self.random.percent(85) { open.swap_remove(at) } else { open[at] };
                    self.read(run, array, fusable);
                }
            }
            open.push(self.made[run]);
        }
    }

    fn siblings(&mut self) {
        let inputs = self.inputs(3);
        let spaces: Vec<usize> = (0..self.len()).map(|_| self.random.below(3)).collect();
        for run in 0..self.len() {
            for &input in &inputs {
                if self.random.percent(40) {
                    self.read(run, input, true);
                }
            }
            if run > 0 && self.random.percent(40) {
                let from = self.near(run);
                self.read(run, self.made[from], spaces[from] == spaces[run]);
            }
        }
        for a in 0..self.len() {
            for b in a + 1..self.len() {
                if spaces[a] != spaces[b] {
                    self.case.problem.apart.push((RunId::from(a), RunId::from(b)));
                }
            }
        }
    }

    /// Wants what nobody reads, and adds rare limits.
    fn finish(mut self) -> Case {
        let len = self.len();
        for array in &mut self.case.problem.arrays {
            array.wanted |= array.readers.is_empty();
        }
        let some = |random: &mut Random| RunId::from(random.below(len));
        if len > 3 && self.random.percent(20) {
            let mut set: Vec<RunId> = (0..2 + self.random.below(2)).map(|_| some(self.random)).collect();
            set.sort_unstable();
            set.dedup();
            if set.len() > 1 {
                self.case.limits.never.push(set);
            }
        }
        if len > 3 && self.random.percent(20) {
            let (a, b, c) = (some(self.random), some(self.random), some(self.random));
            if a != b {
                self.case.limits.extra.push((a, b, Some(c), 50.0));
            }
        }
        self.case
    }
}
