//! The table of workloads: what each is called, which program it is, and how that is called with the inputs of a folder.
//!
//! Inputs are made before the first call, in the types that the program takes.

use crate::*;
use nestled::{
    Array, Arrays, Element, Engine, Explanation, Inputs, Jit, Param, Ragged, Result, Segments, Trace, jit,
    stack,
};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A workload.
pub struct Workload {
    /// What peers call it.
    pub id: &'static str,
    /// What it does, in words.
    pub title: &'static str,
    /// The program, as text.
    pub source: &'static str,
    /// Reads the inputs.
    pub prepare: fn(&Folder) -> Fallible<Call>,
}

/// Why there is no measurement.
pub type Failure = Box<dyn std::error::Error>;

/// A result, or why there is none.
pub type Fallible<T> = std::result::Result<T, Failure>;

/// A program with its inputs.
pub struct Call {
    compute: Box<dyn Fn() -> Result<Box<dyn Outcome>>>,
    explain: Option<Box<dyn Fn() -> Result<String>>>,
}

impl Call {
    /// Computes the result anew, and returns when it is there.
    ///
    /// # Errors
    /// Errors of evaluation.
    pub fn run(&self) -> Result<Box<dyn Outcome>> {
        (self.compute)()
    }

    /// The kernels, if the program is an expression of arrays.
    ///
    /// # Errors
    /// Errors of evaluation.
    pub fn explain(&self) -> Option<Result<String>> {
        self.explain.as_ref().map(|explain| explain())
    }
}

/// The result of a call.
pub trait Outcome {
    /// Writes it as peers do, in one `.npy` file.
    ///
    /// # Errors
    /// The file cannot be written.
    fn save(&self, path: &Path) -> Result<()>;
}

impl<T: Element> Outcome for Array<T> {
    fn save(&self, path: &Path) -> Result<()> {
        self.write_npy(path)
    }
}

impl<T: Element> Outcome for (Array<T>, Array<T>) {
    fn save(&self, path: &Path) -> Result<()> {
        stack(&[&self.0, &self.1], 0).write_npy(path)
    }
}

impl<T: Element> Outcome for (Array<T>, Array<T>, Array<T>) {
    fn save(&self, path: &Path) -> Result<()> {
        stack(&[&self.0, &self.1, &self.2], 0).write_npy(path)
    }
}

/// Displacements: pairs, not planes.
struct Pairs((Array<i64>, Array<i64>));

impl Arrays for Pairs {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Pairs {
        Pairs(self.0.with(other))
    }

    fn counts(&self, into: &mut Vec<usize>) {
        self.0.counts(into);
    }
}

impl Outcome for Pairs {
    fn save(&self, path: &Path) -> Result<()> {
        stack(&[&self.0.0, &self.0.1], 2).write_npy(path)
    }
}

/// A folder of inputs: `in_NAME.npy` for each.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at a path.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder { path: path.into() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("in_{name}.npy"))
    }

    fn array<T: Element>(&self, name: &str) -> Result<Array<T>> {
        Array::read_npy(self.file(name))
    }

    /// Floats as NESL has them.
    fn floats(&self, name: &str) -> Result<Array<f64>> {
        let wide = self.array::<f32>(name)?.cast();
        wide.eval()?;
        Ok(wide)
    }

    /// Segments between offsets.
    fn segments(&self, name: &str) -> Result<Segments> {
        let offsets = self.array::<i32>(name)?.to_vec()?;
        Segments::from_offsets(&offsets.into_iter().map(|offset| offset as usize).collect::<Vec<_>>())
    }

    /// A number of `meta.json`.
    fn parameter(&self, name: &str) -> Fallible<usize> {
        let path = self.path.join("meta.json");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let number = text.split_once(&format!("\"{name}\":")).map(|(_, rest)| rest.trim_start());
        let digits = number.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        let found = digits.and_then(|digits| digits.parse().ok());
        found.ok_or_else(|| format!("{} has no number `{name}`", path.display()).into())
    }
}

/// A program of arrays, compiled for these inputs when it is called first.
fn program<F, A, R, I>(function: F, inputs: I) -> Call
where
    F: Trace<A, R> + 'static,
    A: 'static,
    R: Arrays + Outcome + 'static,
    I: Given<A> + 'static,
{
    let program = Rc::new((jit(function), inputs));
    let same = Rc::clone(&program);
    let explain = move || same.1.explain(&same.0).map(|explanation| explanation.to_string());
    Call { explain: Some(Box::new(explain)), ..called(move || program.1.call(&program.0)) }
}

/// Anything that computes.
fn called<R: Outcome + 'static>(compute: impl Fn() -> Result<R> + 'static) -> Call {
    let compute = move || -> Result<Box<dyn Outcome>> {
        let result = compute()?;
        Engine::current().wait()?;
        Ok(Box::new(result))
    };
    Call { compute: Box::new(compute), explain: None }
}

/// Inputs that own what they are made of.
trait Given<A> {
    fn call<F: Trace<A, R>, R: Arrays>(&self, program: &Jit<F, A, R>) -> Result<R>;
    fn explain<F: Trace<A, R>, R: Arrays>(&self, program: &Jit<F, A, R>) -> Result<Explanation>;
}

macro_rules! given {
    ($($name:ident $at:tt),*) => {
        impl<$($name: Arrays),*> Given<($($name,)*)> for ($($name,)*)
        where
            for<'a> ($(&'a $name,)*): Inputs<($($name,)*)>,
        {
            fn call<Func: Trace<($($name,)*), Res>, Res: Arrays>(
                &self,
                program: &Jit<Func, ($($name,)*), Res>,
            ) -> Result<Res> {
                program.call(($(&self.$at,)*))
            }

            fn explain<Func: Trace<($($name,)*), Res>, Res: Arrays>(
                &self,
                program: &Jit<Func, ($($name,)*), Res>,
            ) -> Result<Explanation> {
                program.explain(($(&self.$at,)*))
            }
        }
    };
}

given!(A 0);
given!(A 0, B 1);
given!(A 0, B 1, C 2);

/// All workloads, in the order of the peers.
pub const WORKLOADS: [Workload; 26] = [
    Workload {
        id: "A1",
        title: "sum of absolute values",
        source: include_str!("sum.rs"),
        prepare: |folder| Ok(program(sum::sum, (folder.array::<f32>("x")?,))),
    },
    Workload {
        id: "A2",
        title: "matrix × vector",
        source: include_str!("products.rs"),
        prepare: |folder| {
            Ok(program(products::matrix_vector, (folder.array::<f32>("a")?, folder.array::<f32>("x")?)))
        },
    },
    Workload {
        id: "A3",
        title: "matrix × matrix",
        source: include_str!("products.rs"),
        prepare: |folder| {
            Ok(program(products::matrix_matrix, (folder.array::<f32>("a")?, folder.array::<f32>("b")?)))
        },
    },
    Workload {
        id: "A4",
        title: "Life, a step on a torus",
        source: include_str!("life.rs"),
        prepare: |folder| Ok(program(life::life, (folder.array::<f32>("g")?,))),
    },
    Workload {
        id: "A5",
        title: "demosaicing",
        source: include_str!("demosaic.rs"),
        prepare: |folder| Ok(program(demosaic::demosaic, (folder.array::<f32>("raw")?,))),
    },
    Workload {
        id: "A6",
        title: "Gaussian 5×5",
        source: include_str!("blur.rs"),
        prepare: |folder| Ok(program(blur::blur, (folder.array::<f32>("img")?,))),
    },
    Workload {
        id: "A7",
        title: "rotation of an image",
        source: include_str!("turn.rs"),
        prepare: |folder| Ok(program(turn::turn, (folder.array::<f32>("img")?,))),
    },
    Workload {
        id: "A8",
        title: "corners",
        source: include_str!("corners.rs"),
        prepare: |folder| Ok(program(corners::corners, (folder.array::<f32>("img")?,))),
    },
    Workload {
        id: "A9",
        title: "motion estimation",
        source: include_str!("motion.rs"),
        prepare: |folder| {
            let (current, reference) = (folder.array::<f32>("cur")?, folder.array::<f32>("ref")?);
            Ok(program(|current, reference| Pairs(motion::motion(current, reference)), (current, reference)))
        },
    },
    Workload {
        id: "A10",
        title: "stereo, 64 displacements",
        source: include_str!("stereo.rs"),
        prepare: |folder| {
            let far = folder.parameter("d")? as i32;
            let stereo = move |left, right| stereo::stereo(left, right, far);
            Ok(program(stereo, (folder.array::<f32>("left")?, folder.array::<f32>("right")?)))
        },
    },
    Workload {
        id: "N1",
        title: "dot product",
        source: include_str!("dot.rs"),
        prepare: |folder| Ok(program(dot::dot, (folder.array::<f32>("x")?, folder.array::<f32>("y")?))),
    },
    Workload {
        id: "N2",
        title: "sort of the library",
        source: include_str!("sort.rs"),
        prepare: |folder| Ok(program(sort::sort, (folder.array::<i32>("x")?,))),
    },
    Workload {
        id: "N2Q",
        title: "quicksort",
        source: include_str!("../../quicksort.nesl"),
        prepare: |folder| {
            let numbers = folder.array::<i32>("x")?.cast::<i64>();
            numbers.eval()?;
            Ok(called(move || quicksort::quicksort(numbers.clone())))
        },
    },
    Workload {
        id: "N3",
        title: "Black-Scholes",
        source: include_str!("black_scholes.rs"),
        prepare: |folder| {
            let inputs = (folder.array::<f32>("s")?, folder.array::<f32>("k")?, folder.array::<f32>("t")?);
            Ok(program(black_scholes::black_scholes, inputs))
        },
    },
    Workload { id: "N4C", title: "hull in a disc", source: HULL, prepare: prepare_hull },
    Workload { id: "N4S", title: "hull in a square", source: HULL, prepare: prepare_hull },
    Workload {
        id: "N5",
        title: "gravity, Barnes-Hut",
        source: include_str!("../../barnes_hut.nesl"),
        prepare: |folder| {
            let [x, y, mass] = [folder.floats("x")?, folder.floats("y")?, folder.floats("m")?];
            Ok(called(move || barnes_hut::forces(x.clone(), y.clone(), mass.clone())))
        },
    },
    Workload {
        id: "N5B",
        title: "gravity, all pairs",
        source: include_str!("all_pairs.rs"),
        prepare: |folder| {
            Ok(program(
                all_pairs::forces,
                (folder.array::<f32>("x")?, folder.array::<f32>("y")?, folder.array::<f32>("m")?),
            ))
        },
    },
    Workload {
        id: "N6",
        title: "sparse matrix × vector",
        source: include_str!("sparse.rs"),
        prepare: |folder| {
            let entries = Ragged::new(&folder.array::<f32>("val")?, &folder.segments("ptr")?)?;
            Ok(program(sparse::multiply, (entries, folder.array::<i32>("col")?, folder.array::<f32>("x")?)))
        },
    },
    Workload {
        id: "N7",
        title: "sums of segments",
        source: include_str!("segments.rs"),
        prepare: |folder| {
            let rows = Ragged::new(&folder.array::<f32>("x")?, &folder.segments("off")?)?;
            Ok(program(segments::sums, (rows,)))
        },
    },
    Workload {
        id: "N8F",
        title: "prefix sums of floats",
        source: include_str!("prefix.rs"),
        prepare: |folder| Ok(program(prefix::floats, (folder.array::<f32>("x")?,))),
    },
    Workload {
        id: "N8I",
        title: "prefix sums of integers",
        source: include_str!("prefix.rs"),
        prepare: |folder| Ok(program(prefix::integers, (folder.array::<i32>("x")?,))),
    },
    Workload {
        id: "N9",
        title: "Mandelbrot, 255 steps",
        source: include_str!("mandelbrot.rs"),
        prepare: |folder| {
            let n = folder.parameter("n")?;
            Ok(called(move || {
                let steps = mandelbrot::mandelbrot(n);
                steps.eval()?;
                Ok(steps)
            }))
        },
    },
    Workload {
        id: "N10",
        title: "filter",
        source: include_str!("pack.rs"),
        prepare: |folder| {
            let x = folder.array::<f32>("x")?;
            Ok(called(move || pack::positive(&x)))
        },
    },
    Workload {
        id: "N11",
        title: "histogram, 256 bins",
        source: include_str!("histogram.rs"),
        prepare: |folder| Ok(program(histogram::histogram, (folder.array::<f32>("x")?,))),
    },
    Workload {
        id: "N12",
        title: "eight operations",
        source: include_str!("chain.rs"),
        prepare: |folder| Ok(program(chain::chain, (folder.array::<f32>("x")?, folder.array::<f32>("y")?))),
    },
];

const HULL: &str = concat!(include_str!("hull.nesl"), "\n", include_str!("hull.rs"));

fn prepare_hull(folder: &Folder) -> Fallible<Call> {
    let [x, y] = [folder.array::<f32>("x")?, folder.array::<f32>("y")?];
    Ok(called(move || hull::hull(&x, &y)))
}

/// The workload of a name.
pub fn find(id: &str) -> Option<&'static Workload> {
    const ALL: &[Workload] = &WORKLOADS;
    ALL.iter().find(|workload| workload.id == id)
}

/// Lines that are neither empty nor comments: of Rust, or of NESL up to where an example begins to compute.
pub fn lines_of_code(source: &str) -> usize {
    // A comment of NESL begins a line with a percent sign, and ends with the next one.
    let mut inside = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        let begins = !inside && line.starts_with('%');
        let is_comment = begins || inside;
        inside = if begins { line.matches('%').count() == 1 } else { inside && !line.contains('%') };
        !line.is_empty() && !is_comment && !line.starts_with("//")
    };
    nesl::functions(source).lines().filter(is_code).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_code() {
        assert_eq!(lines_of_code("//! A\n\nuse b;\n/// c\nfn d() { 5 % 3 }\n"), 2);
        assert_eq!(lines_of_code("% A %\n% B\n  b %\nfunction c(x) =\n  x;\n\nn = 12;\nc(n);\n"), 2);
    }

    #[test]
    fn every_workload_is_found_and_has_code() {
        for workload in WORKLOADS {
            assert!(find(workload.id).is_some_and(|found| found.title == workload.title));
            assert!((2..120).contains(&lines_of_code(workload.source)), "{}", workload.id);
        }
        assert!(find("A11").is_none());
    }
}
