//! Coverage of random programs: tables of counts, so that a construct that no program has does not go unnoticed.

use nestled_ir::{
    Axis, Base, Collision, Combinator, CombinatorKind, Command, HostOp, Kernel, Library, Monoid, MonoidPart,
    Placement, Program, Range, Rule, StmtKind, Thunk, Type,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Tables of counts by row and column.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    tables: BTreeMap<&'static str, BTreeMap<(String, String), usize>>,
}

impl Coverage {
    /// The count in a cell.
    pub fn count(&self, table: &str, row: &str, column: &str) -> usize {
        let cell = (row.to_owned(), column.to_owned());
        self.tables.get(table).and_then(|table| table.get(&cell)).copied().unwrap_or(0)
    }

    fn add(&mut self, table: &'static str, row: impl Into<String>, column: impl Into<String>) {
        *self.tables.entry(table).or_default().entry((row.into(), column.into())).or_insert(0) += 1;
    }

    /// Counts the constructs of a program.
    pub fn visit(&mut self, program: &Program) {
        for def in &program.thunks {
            self.thunk(None, &def.thunk, "named");
        }
        for kernel in &program.kernels {
            self.kernel(program, kernel);
        }
        for function in &program.functions {
            function.body.walk(&mut |stmt| {
                self.host(&stmt.op);
                for &bind in &stmt.binds {
                    self.shape(&function.values[bind.index()].ty);
                }
            });
        }
    }

    fn shape(&mut self, ty: &Type) {
        match ty {
            Type::Array(array) => {
                let placement = if array.placement == Placement::View { "view" } else { "dense" };
                self.add(
                    "arrays",
                    array.elem.name(),
                    format!("{placement} rank {}", array.shape.rank().min(4)),
                );
            }
            Type::Dim => self.add("arrays", "dim", ""),
            Type::Seg(seg) => self.add("arrays", "segmentation", format!("{:?}", seg.form)),
        }
    }

    fn kernel(&mut self, program: &Program, kernel: &Kernel) {
        let space = space_kind(kernel);
        for step in &kernel.steps {
            let name = step.kind.name();
            self.add("space", name, space);
            self.add("guard", name, guard_kind(kernel, step));
            let group = step.kind.group().map_or(String::from("-"), |group| group.0.min(3).to_string());
            self.add("level and group", name, format!("{} @{group}", step.level().0.min(4)));
            for bind in &step.binds {
                if let Type::Array(array) = &kernel.values[bind.index()].ty {
                    self.add("element type", name, array.elem.name());
                }
            }
            self.kind(program, &step.kind, space);
            self.thunk(Some(kernel), &step.body, name);
        }
    }

    fn kind(&mut self, program: &Program, kind: &CombinatorKind, space: &str) {
        match kind {
            CombinatorKind::Reduce { monoid, .. } => self.monoid(program, "reduce", monoid),
            CombinatorKind::Scan { monoid, inclusion, direction, .. } => {
                self.monoid(program, "scan", monoid);
                self.add("scan", format!("{inclusion:?} {direction:?}").to_lowercase(), space);
            }
            CombinatorKind::Partition { classes, site, .. } => {
                let fault = if site.is_some() { "fault" } else { "proved" };
                self.add("partition", format!("{classes} classes"), fault);
            }
            CombinatorKind::Permute { base, range, collision, .. } => {
                let base = match base {
                    Base::Fill(_) => "literal base",
                    Base::Arrays(_) => "array base",
                };
                let range = match range {
                    Range::Fault(_) => "range fault",
                    Range::Drop => "range drop",
                    Range::Proved => "range proved",
                };
                let clash = match collision {
                    Collision::Proved => "clash proved",
                    Collision::Fault(_) => "clash fault",
                    Collision::First => "clash first",
                    Collision::Last => "clash last",
                    Collision::Combine(monoid) => {
                        self.monoid(program, "permute", monoid);
                        "clash monoid"
                    }
                };
                self.add("permute", clash, base);
                self.add("permute", clash, range);
            }
            CombinatorKind::Serial { bases } => {
                self.add("serial", format!("{} bases", bases.len().min(3)), "-");
            }
            CombinatorKind::Map | CombinatorKind::Filter { .. } => {}
        }
    }

    fn monoid(&mut self, program: &Program, combinator: &'static str, monoid: &Monoid) {
        if monoid.parts.len() > 1 {
            self.add("monoid", "tuple", combinator);
        }
        for part in &monoid.parts {
            let name = match part {
                MonoidPart::Op(op) => op.name().to_owned(),
                MonoidPart::ArgMin => "argmin".to_owned(),
                MonoidPart::ArgMax => "argmax".to_owned(),
                MonoidPart::User(id) => program.monoid(*id).name.to_string(),
            };
            self.add("monoid", name, combinator);
        }
    }

    fn thunk(&mut self, kernel: Option<&Kernel>, thunk: &Thunk, combinator: &'static str) {
        thunk.body.walk(&mut |stmt| {
            self.add("statement", statement_name(&stmt.kind), combinator);
            match &stmt.kind {
                StmtKind::Op { dst, op, args } => {
                    let operand = args.last().map(|&atom| match atom {
                        nestled_ir::Atom::Local(local) => thunk.local_type(local),
                        nestled_ir::Atom::Const(scalar) => scalar.ty(),
                        nestled_ir::Atom::Value(_) => nestled_ir::ScalarType::Idx,
                    });
                    let ty = operand.unwrap_or(thunk.local_type(*dst));
                    self.add("operation", op.name(), ty.name());
                }
                StmtKind::Read { array, index, .. } => {
                    let Some(kernel) = kernel else { return };
                    if let Type::Array(array) = &kernel.values[array.index()].ty {
                        for index in index {
                            self.add("read", rule_name(index.rule), array.elem.name());
                        }
                        let segmented = index.len() > array.shape.rank();
                        let kind = match (array.placement, segmented) {
                            (Placement::View, _) => "view",
                            (Placement::Dense, true) => "segmented",
                            (Placement::Dense, false) => "grid",
                        };
                        self.add("read of", kind, index.len().min(4).to_string());
                    }
                }
                StmtKind::Window { offsets, .. } => {
                    for offset in offsets {
                        self.add("window", rule_name(offset.rule), offsets.len().min(4).to_string());
                    }
                }
                StmtKind::Own { bind, .. } => {
                    let binder = kernel.and_then(|kernel| kernel.binder(*bind));
                    if let Some((_, step)) = binder {
                        self.add("own read", step.kind.name(), combinator);
                    }
                }
                _ => {}
            }
        });
    }

    fn host(&mut self, op: &HostOp) {
        let (row, column): (&str, String) = match op {
            HostOp::Scalar { op, .. } => return self.add("host operation", op.name(), ""),
            HostOp::Literal { elem, .. } => return self.add("literal", elem.name(), ""),
            HostOp::Dim { .. } => ("dim", "".into()),
            HostOp::Size { shape } => ("size", shape.rank().to_string()),
            HostOp::Segments { .. } => ("segments", "".into()),
            HostOp::Regular { .. } => ("regular", "".into()),
            HostOp::Widen { .. } => ("widen", "".into()),
            HostOp::Lengths { .. } => ("lengths", "".into()),
            HostOp::Starts { .. } => ("starts", "".into()),
            HostOp::Same { .. } => ("same", "".into()),
            HostOp::Reshape { shape, .. } => ("reshape", shape.rank().to_string()),
            HostOp::View { .. } => ("view", "".into()),
            HostOp::Check { .. } => ("check", "".into()),
            HostOp::If { .. } => ("if", "".into()),
            HostOp::Call { .. } => ("call", "".into()),
            HostOp::Run { .. } => ("run", "".into()),
            HostOp::Each { .. } => ("each", "".into()),
            HostOp::Library(Library::Sort { order, .. }) => ("sort", format!("{order:?}")),
            HostOp::Library(Library::Rank { order, .. }) => ("rank", format!("{order:?}")),
            HostOp::Library(Library::MatMul { .. }) => ("matmul", "".into()),
            HostOp::Command(Command::Print { .. }) => ("print", "".into()),
            HostOp::Command(Command::ReadFile { .. }) => ("read_file", "".into()),
            HostOp::Command(Command::WriteFile { .. }) => ("write_file", "".into()),
            HostOp::Command(Command::Clock { .. }) => ("clock", "".into()),
            HostOp::Command(Command::Entropy) => ("entropy", "".into()),
        };
        self.add("host", row, column);
    }

    /// The sum of a row.
    pub fn row(&self, table: &str, row: &str) -> usize {
        let Some(table) = self.tables.get(table) else { return 0 };
        table.iter().filter(|((r, _), _)| r == row).map(|(_, n)| n).sum()
    }
}

/// The kind of a kernel's space.
pub fn space_kind(kernel: &Kernel) -> &'static str {
    let is_seg = |axis: &&Axis| match axis {
        Axis::Const(_) => false,
        Axis::Sym(symbol) => kernel.values[symbol.index()].ty.as_seg().is_some(),
    };
    let segs = kernel.space.iter().filter(is_seg).count();
    let inner = kernel.space.last().is_some_and(|axis| !is_seg(&axis));
    match (kernel.space.len(), segs) {
        (0, _) => "whole",
        (1, _) => "1-D",
        (2, 0) => "2-D",
        (3, 0) => "3-D",
        (_, 0) => "grid",
        (_, _) if inner => "mixed",
        (_, 1) => "segments",
        (_, _) => "chain",
    }
}

/// The kind of a combinator's guard: none, or the level from which it comes.
fn guard_kind(kernel: &Kernel, step: &Combinator) -> &'static str {
    match step.guard.and_then(|guard| kernel.binder(guard)) {
        None => "none",
        Some((_, binder)) if binder.level() == step.level() => "own level",
        Some(_) => "outer level",
    }
}

fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::Fault => "fault",
        Rule::Clamp => "clamp",
        Rule::Wrap => "wrap",
        Rule::Else => "else",
        Rule::Proved => "proved",
    }
}

fn statement_name(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Op { .. } => "operation",
        StmtKind::Threefry { .. } => "threefry",
        StmtKind::Read { .. } => "read",
        StmtKind::Own { .. } => "own",
        StmtKind::Window { .. } => "window",
        StmtKind::Len { .. } => "len",
        StmtKind::Start { .. } => "start",
        StmtKind::Call { .. } => "call",
        StmtKind::If { .. } => "if",
        StmtKind::For { .. } => "for",
        StmtKind::While { .. } => "while",
        StmtKind::PrivateNew { .. } => "private",
        StmtKind::PrivateGet { .. } => "private read",
        StmtKind::PrivateSet { .. } => "private write",
        StmtKind::Check { .. } => "check",
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, cells) in &self.tables {
            let rows: BTreeSet<&str> = cells.keys().map(|(row, _)| row.as_str()).collect();
            let columns: BTreeSet<&str> = cells.keys().map(|(_, column)| column.as_str()).collect();
            let width = |text: &str| text.chars().count().max(6) + 1;
            write!(f, "\n{name:<16}")?;
            for column in &columns {
                write!(f, "{column:>width$}", width = width(column))?;
            }
            for row in rows {
                write!(f, "\n  {row:<14}")?;
                for column in &columns {
                    let count = self.count(name, row, column);
                    let text = if count == 0 { String::from("·") } else { count.to_string() };
                    write!(f, "{text:>width$}", width = width(column))?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
