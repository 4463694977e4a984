//! Names in reports: kernels and values of a program in λcu are called as the program calls them, those of NESL by the expressions that they compute.

use nestled_ir::expressions::{expression, joined, outermost, places};
use nestled_ir::{Kernel, Program, SourceMap, Span};
use nestled_pass::fuse::problem::RunId;
use nestled_pass::fuse::report::{RegionReport, RunReport};
use nestled_pass::report_names::{Maker, ReportValue, ValueKind};

/// The names of one program.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    sources: &'a SourceMap,
    /// True for a language without kernels, which are called by expressions then.
    pub by_expression: bool,
}

impl<'a> Names<'a> {
    pub fn new(program: &'a Program, by_expression: bool) -> Names<'a> {
        Names { sources: &program.sources, by_expression }
    }

    /// A run by the name of its kernel, or by its expression.
    pub fn run(&self, run: &RunReport) -> String {
        self.expression(run.span).unwrap_or_else(|| run.kernel.to_string())
    }

    /// The space of a run: ` over [n, m]`; empty for the space without axes.
    pub fn space(&self, run: &RunReport) -> String {
        let axes: Vec<String> = run.space.iter().map(|axis| self.value(axis)).collect();
        if axes.is_empty() { String::new() } else { format!(" over [{}]", axes.join(", ")) }
    }

    /// The runs of a kernel, joined.
    pub fn cluster(&self, region: &RegionReport, cluster: &[RunId]) -> String {
        let runs = || cluster.iter().map(|run| &region.runs[run.index()]);
        let expressions = joined(self.sources, &outermost(runs().map(|run| run.span)));
        expressions
            .filter(|_| self.by_expression)
            .unwrap_or_else(|| runs().map(|run| run.kernel.to_string()).collect::<Vec<String>>().join(" + "))
    }

    /// A kernel after all passes, which is run at this place.
    pub fn kernel(&self, kernel: &Kernel, run: Span) -> String {
        let combinators: Vec<Span> = kernel.steps.iter().map(|step| step.span).collect();
        let expressions = joined(self.sources, &places(&combinators, run));
        expressions.filter(|_| self.by_expression).unwrap_or_else(|| kernel.name.to_string())
    }

    /// A value by its name, or by the expression that makes it.
    pub fn value(&self, value: &ReportValue) -> String {
        let is_own = !self.by_expression || value.maker == Maker::Number;
        let made = match value.maker {
            Maker::Number | Maker::Caller => Some("an argument".to_owned()),
            Maker::Statement(span) => self.expression(span),
        };
        match (made.filter(|_| !is_own), value.kind) {
            (None, _) => value.name.to_string(),
            (Some(made), ValueKind::Array) => made,
            (Some(made), ValueKind::Extent) => format!("length of {made}"),
            (Some(made), ValueKind::Segmentation) => format!("lengths in {made}"),
        }
    }

    /// `f.lcu:3`; empty where nothing is known.
    pub fn line(&self, span: Span) -> String {
        self.sources.line(span).unwrap_or_default()
    }

    /// `f.lcu:3:1`; empty where nothing is known.
    pub fn place(&self, span: Span) -> String {
        self.sources.describe(span).unwrap_or_default()
    }

    /// ` at f.nesl:3`; empty where nothing is known.
    pub fn at(&self, span: Span) -> String {
        self.sources.line(span).map(|line| format!(" at {line}")).unwrap_or_default()
    }

    /// The lines of two runs: `f.lcu:3, f.lcu:5`, or one of them if they are the same.
    pub fn lines(&self, from: Span, to: Span) -> String {
        match (self.line(from), self.line(to)) {
            (from, to) if from == to => from,
            (from, to) => {
                [from, to].into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn expression(&self, span: Span) -> Option<String> {
        expression(self.sources, span).filter(|_| self.by_expression)
    }
}
