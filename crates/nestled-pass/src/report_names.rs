//! Names of values for reports. A value that the program does not name is called by what makes it.
//!
//! ```text
//! xs = …                         xs
//! %7, ys = run kept<n>(xs)       result 1 of `kept`
//! %9 = lengths s                 lengths of s
//! ```
//!
//! Programs whose names are made up by a front end are described by the places of their statements.

use nestled_ir::expressions::place_of_result;
use nestled_ir::{Axis, Command, Function, HostOp, HostStmt, Library, Name, Program, Span, Type, ValueId};

/// A value of host code, as reports describe it.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportValue {
    /// Its name in the program, or what makes it.
    pub name: Name,
    /// What it holds.
    pub kind: ValueKind,
    /// What makes it.
    pub maker: Maker,
}

/// What a value of a report holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// An array or a scalar.
    Array,
    /// An extent.
    Extent,
    /// A segmentation.
    Segmentation,
}

/// What makes a value of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    /// Nothing: it is a number.
    Number,
    /// The caller of the function.
    Caller,
    /// The statement at this place in the source.
    Statement(Span),
}

/// Names the values of a function.
pub(crate) struct ReportNames<'a> {
    program: &'a Program,
    function: &'a Function,
    /// For each value: the statement that binds it, and its position among the binds.
    makers: Vec<Option<(&'a HostStmt, usize)>>,
}

impl<'a> ReportNames<'a> {
    pub fn new(program: &'a Program, function: &'a Function) -> ReportNames<'a> {
        let mut makers = vec![None; function.values.len()];
        function.body.walk(&mut |stmt| {
            for (position, bind) in stmt.binds.iter().enumerate() {
                makers[bind.index()] = Some((stmt, position));
            }
        });
        ReportNames { program, function, makers }
    }

    /// Describes a value.
    pub fn value(&self, value: ValueId) -> ReportValue {
        let kind = match self.function.values[value.index()].ty {
            Type::Array(_) => ValueKind::Array,
            Type::Dim => ValueKind::Extent,
            Type::Seg(_) => ValueKind::Segmentation,
        };
        let maker = match self.makers[value.index()] {
            Some((stmt, position)) => Maker::Statement(self.place(stmt, position)),
            None => Maker::Caller,
        };
        ReportValue { name: self.of(value), kind, maker }
    }

    /// The place of what makes a result of a statement. A merged kernel has the places of its runs.
    fn place(&self, stmt: &HostStmt, position: usize) -> Span {
        let HostOp::Run { kernel, .. } = stmt.op else { return stmt.span };
        place_of_result(self.program.kernel(kernel), position, stmt.span)
    }

    /// Describes an axis.
    pub fn axis(&self, axis: Axis) -> ReportValue {
        match axis {
            Axis::Const(extent) => {
                ReportValue { name: extent.to_string().into(), kind: ValueKind::Extent, maker: Maker::Number }
            }
            Axis::Sym(symbol) => self.value(symbol),
        }
    }

    /// The name of a value, or what makes it.
    fn of(&self, value: ValueId) -> Name {
        match self.given(value) {
            Some(name) => name.clone(),
            None => self.made(value).into(),
        }
    }

    fn given(&self, value: ValueId) -> Option<&'a Name> {
        Some(&self.function.values[value.index()].name).filter(|name| !name.is_empty())
    }

    /// Describes a value without a name by the statement that makes it.
    fn made(&self, value: ValueId) -> String {
        let Some((stmt, position)) = self.makers[value.index()] else { return self.parameter(value) };
        // Names of values without a name would be nested without end.
        let of = |what: &str, operand: ValueId| match self.given(operand) {
            Some(name) => format!("{what} of {name}"),
            None => what.to_owned(),
        };
        let result = |of: &str| match stmt.binds.len() {
            1 => format!("result of `{of}`"),
            _ => format!("result {} of `{of}`", position + 1),
        };
        match &stmt.op {
            HostOp::Scalar { op, .. } => result(op.name()),
            HostOp::Literal { .. } => "a literal".to_owned(),
            HostOp::Dim { .. } => "an extent".to_owned(),
            HostOp::Size { .. } => "a size".to_owned(),
            HostOp::Segments { lengths, .. } => match self.given(*lengths) {
                Some(name) => format!("segments of lengths {name}"),
                None => "segments".to_owned(),
            },
            HostOp::Regular { .. } => "regular segments".to_owned(),
            HostOp::Widen { seg } => of("offsets", *seg),
            HostOp::Lengths { seg } => of("lengths", *seg),
            HostOp::Starts { seg } => of("starts", *seg),
            HostOp::Same { .. } | HostOp::Check { .. } => unreachable!("it binds no value"),
            HostOp::Reshape { array, .. } => of("another shape", *array),
            HostOp::View { buffer, .. } => of("a view", *buffer),
            HostOp::If { .. } => result("if"),
            HostOp::Call { function, .. } | HostOp::Each { function, .. } => {
                result(&self.program.function(*function).name)
            }
            HostOp::Run { kernel, .. } => result(&self.program.kernels[kernel.index()].name),
            HostOp::Library(Library::Sort { .. }) => result("sort"),
            HostOp::Library(Library::Rank { .. }) => result("rank"),
            HostOp::Library(Library::MatMul { .. }) => result("matmul"),
            HostOp::Command(Command::Print { .. }) => result("print"),
            HostOp::Command(Command::ReadFile { .. }) => result("read_file"),
            HostOp::Command(Command::WriteFile { .. }) => result("write_file"),
            HostOp::Command(Command::Clock { .. }) => result("clock"),
            HostOp::Command(Command::Entropy) => result("entropy"),
        }
    }

    fn parameter(&self, value: ValueId) -> String {
        let position = |list: &[ValueId]| list.iter().position(|own| *own == value);
        match (position(&self.function.shapes), position(&self.function.params)) {
            (Some(at), _) => format!("shape parameter {}", at + 1),
            (None, Some(at)) => format!("parameter {}", at + 1),
            (None, None) => "a formal result".to_owned(),
        }
    }
}
