//! Prints the expressions of host code.

use super::fold::Candidate;
use super::host::HostPrinter;
use super::item;
use super::lines::commas;
use super::literal::{as_text, literal, quote};
use crate::host::{Command, EachArg, HostAtom, HostOp, Library, Order, PrintItem};
use crate::id::{SiteId, ValueId};
use crate::name::Value;
use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::text::elab::infer_shapes;
use crate::types::{Axis, Type};

/// The signature of a callee.
#[derive(Clone, Copy, Default)]
struct Callee<'a> {
    values: &'a [Value],
    shapes: &'a [ValueId],
    params: &'a [ValueId],
}

impl HostPrinter<'_, '_> {
    /// The operands of a statement that may be nested expressions, in order of the text.
    pub fn foldable(&self, op: &HostOp) -> Vec<HostAtom> {
        match op {
            HostOp::Scalar { args, .. } | HostOp::Call { args, .. } | HostOp::Run { args, .. } => {
                args.clone()
            }
            HostOp::Dim { extent: atom, .. }
            | HostOp::Check { cond: atom, .. }
            | HostOp::If { cond: atom, .. } => {
                vec![*atom]
            }
            HostOp::Each { args, .. } => args
                .iter()
                .filter_map(|arg| match arg {
                    EachArg::Uniform(atom) => Some(*atom),
                    EachArg::Element(_) => None,
                })
                .collect(),
            HostOp::Command(Command::Print { items, .. }) => items
                .iter()
                .filter_map(|item| match item {
                    PrintItem::Value(atom) => Some(*atom),
                    PrintItem::Text(_) => None,
                })
                .collect(),
            HostOp::Literal { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Library(_)
            | HostOp::Command(
                Command::ReadFile { .. }
                | Command::WriteFile { .. }
                | Command::Clock { .. }
                | Command::Entropy,
            ) => Vec::new(),
        }
    }

    fn site(&mut self, site: SiteId) -> String {
        self.printer.sites.mark(Some(site))
    }

    fn name(&self, value: ValueId) -> String {
        self.values.name(value)
    }

    /// The right side of a statement without blocks.
    pub fn expression(&mut self, op: &HostOp, folded: &[Option<Candidate>]) -> String {
        match op {
            HostOp::Scalar { op, args } => self.operation(*op, args, folded),
            HostOp::Literal { elem, extents, elements } => array(*elem, extents, elements),
            HostOp::Dim { extent, site } => {
                format!(
                    "dim {}{}",
                    self.operand(*extent, &folded[0], Some(ScalarType::Idx)),
                    self.site(*site)
                )
            }
            HostOp::Size { shape } => format!("size {}", self.values.shape(shape)),
            HostOp::Segments { lengths, site } => {
                format!("segments {}{}", self.name(*lengths), self.site(*site))
            }
            HostOp::Regular { parent, length } => {
                format!("regular {} {}", self.values.shape(parent), self.values.axis(*length))
            }
            HostOp::Widen { seg } => format!("widen {}", self.name(*seg)),
            HostOp::Lengths { seg } => format!("lengths {}", self.name(*seg)),
            HostOp::Starts { seg } => format!("starts {}", self.name(*seg)),
            HostOp::Same { left, right, site } => {
                format!("same {} {}{}", self.values.axis(*left), self.values.axis(*right), self.site(*site))
            }
            HostOp::Reshape { array, shape, site } => {
                format!("reshape {} {}{}", self.name(*array), self.values.shape(shape), self.site(*site))
            }
            HostOp::View { seg, starts, buffer, site } => {
                let (seg, starts, buffer) = (self.name(*seg), self.name(*starts), self.name(*buffer));
                format!("view {seg} {starts} {buffer}{}", self.site(*site))
            }
            HostOp::Check { cond, code, site } => {
                let cond = self.operand(*cond, &folded[0], Some(ScalarType::Bool));
                format!("check {cond} {}{}", quote(code, '"'), self.site(*site))
            }
            HostOp::If { .. } => String::new(),
            HostOp::Call { function, shapes, args } => {
                let callee = self.printer.program.functions.get(function.index());
                let callee = callee.map_or(Callee::default(), |callee| Callee {
                    values: &callee.values,
                    shapes: &callee.shapes,
                    params: &callee.params,
                });
                let name = item(&self.printer.functions, function.index());
                format!(
                    "{name}{}({})",
                    self.shape_args(callee, shapes, args),
                    self.args(callee, args, folded)
                )
            }
            HostOp::Run { kernel, shapes, args } => {
                let callee = self.printer.program.kernels.get(kernel.index());
                let callee = callee.map_or(Callee::default(), |callee| Callee {
                    values: &callee.values,
                    shapes: &callee.shapes,
                    params: &callee.params,
                });
                let name = item(&self.printer.kernels, kernel.index());
                format!(
                    "run {name}{}({})",
                    self.shape_args(callee, shapes, args),
                    self.args(callee, args, folded)
                )
            }
            HostOp::Each { extent, function, shapes, args } => {
                let shapes: Vec<String> = shapes
                    .iter()
                    .map(|shape| shape.map_or_else(|| "_".to_owned(), |axis| self.values.axis(axis)))
                    .collect();
                let shapes = if shapes.is_empty() { String::new() } else { format!("<{}>", commas(&shapes)) };
                let name = item(&self.printer.functions, function.index());
                let args = self.each_args(function.index(), args, folded);
                format!("each {} {name}{shapes}({args})", self.values.axis(*extent))
            }
            HostOp::Library(library) => self.library(library),
            HostOp::Command(command) => self.command(command, folded),
        }
    }

    fn operand(&self, atom: HostAtom, folded: &Option<Candidate>, place: Option<ScalarType>) -> String {
        folded.as_ref().map_or_else(|| self.atom(atom, place), Candidate::operand)
    }

    /// `add x 1`: a literal is bare if another operand tells its type.
    fn operation(&self, op: Op, args: &[HostAtom], folded: &[Option<Candidate>]) -> String {
        let shared = op.first_shared_operand();
        let converts = matches!(op, Op::Convert(_) | Op::Bitcast(_));
        let typed = args.iter().skip(shared).find(|atom| !matches!(atom, HostAtom::Const(_)));
        let mut place = typed.filter(|_| !converts).and_then(|&atom| self.atom_type(atom));
        let mut text = op.name().to_owned();
        for (position, (&arg, folded)) in args.iter().zip(folded).enumerate() {
            text.push(' ');
            if position < shared {
                text += &self.operand(arg, folded, Some(ScalarType::Bool));
                continue;
            }
            text += &self.operand(arg, folded, place);
            if !converts {
                place = place.or_else(|| self.atom_type(arg));
            }
        }
        text
    }

    /// `<n, 3>`, or nothing where the types of the arguments tell the same.
    fn shape_args(&self, callee: Callee<'_>, shapes: &[Axis], args: &[HostAtom]) -> String {
        let actuals: Vec<Type> = args
            .iter()
            .map(|arg| match arg {
                HostAtom::Value(value) => self.values.ty_of(*value).cloned().unwrap_or(Type::Dim),
                HostAtom::Const(scalar) => Type::scalar(scalar.ty()),
            })
            .collect();
        let told = infer_shapes(callee.values, callee.shapes, callee.params, &actuals, self.values.table);
        if told.len() == shapes.len() && told.iter().zip(shapes).all(|(told, shape)| *told == Some(*shape)) {
            return String::new();
        }
        format!("<{}>", self.values.axes(shapes))
    }

    fn args(&self, callee: Callee<'_>, args: &[HostAtom], folded: &[Option<Candidate>]) -> String {
        let place = |position: usize| callee.values.get(callee.params.get(position)?.index())?.ty.as_scalar();
        let texts: Vec<String> = (args.iter().zip(folded).enumerate())
            .map(|(position, (&atom, folded))| match folded {
                Some(candidate) => candidate.text.clone(),
                None => self.atom(atom, place(position)),
            })
            .collect();
        commas(&texts)
    }

    fn each_args(&self, function: usize, args: &[EachArg], folded: &[Option<Candidate>]) -> String {
        let callee = self.printer.program.functions.get(function);
        let place = |position: usize| {
            let callee = callee?;
            callee.values.get(callee.params.get(position)?.index())?.ty.as_scalar()
        };
        let mut folded = folded.iter();
        let mut texts = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            texts.push(match arg {
                EachArg::Element(array) => format!("{}[_]", self.name(*array)),
                EachArg::Uniform(atom) => match folded.next() {
                    Some(Some(candidate)) => candidate.text.clone(),
                    _ => self.atom(*atom, place(position)),
                },
            });
        }
        commas(&texts)
    }

    fn library(&self, library: &Library) -> String {
        let order = |order: &Order| match order {
            Order::Ascending => "ascending",
            Order::Descending => "descending",
        };
        match library {
            Library::Sort { keys, payload, order: by } => {
                let arrays: Vec<String> =
                    std::iter::once(keys).chain(payload).map(|&array| self.name(array)).collect();
                format!("sort {} {}", order(by), commas(&arrays))
            }
            Library::Rank { keys, order: by } => format!("rank {} {}", order(by), self.name(*keys)),
            Library::MatMul { left, right } => format!("matmul {} {}", self.name(*left), self.name(*right)),
        }
    }

    fn command(&self, command: &Command, folded: &[Option<Candidate>]) -> String {
        match command {
            Command::Print { items, to_error } => {
                let mut folded = folded.iter();
                let mut text = if *to_error { "eprint" } else { "print" }.to_owned();
                for item in items {
                    text.push(' ');
                    match item {
                        PrintItem::Text(item) => text += &quote(item, '"'),
                        PrintItem::Value(atom) => {
                            text += &self.operand(*atom, folded.next().unwrap_or(&None), None)
                        }
                    }
                }
                text
            }
            Command::ReadFile { path } => format!("read_file {}", self.name(*path)),
            Command::WriteFile { path, bytes, append } => {
                let word = if *append { "append_file" } else { "write_file" };
                format!("{word} {} {}", self.name(*path), self.name(*bytes))
            }
            Command::Clock { after } => std::iter::once("clock".to_owned())
                .chain(after.iter().map(|&value| self.name(value)))
                .collect::<Vec<_>>()
                .join(" "),
            Command::Entropy => "entropy".to_owned(),
        }
    }
}

/// `[1, 2, 3]i32`, `[[1, 2], [3, 4]]f64` or `"text"`.
fn array(elem: ScalarType, extents: &[u64], elements: &[Scalar]) -> String {
    if let (ScalarType::U8, [_], Some(text)) = (elem, extents, as_text(elements)) {
        return text;
    }
    let texts: Vec<String> = elements.iter().map(|&element| literal(element, Some(elem))).collect();
    let count = extents.iter().try_fold(1u64, |product, &extent| product.checked_mul(extent));
    // Brackets show every extent unless there are no elements.
    let shown = (!elements.is_empty() && !extents.is_empty()) || extents.len() == 1;
    if shown && count == Some(elements.len() as u64) {
        return format!("{}{elem}", rows(extents, &texts));
    }
    let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
    format!("[{}] of [{}]{elem}", commas(&texts), commas(&extents))
}

fn rows(extents: &[u64], texts: &[String]) -> String {
    let Some((&outer, inner)) = extents.split_first() else { return texts.concat() };
    if inner.is_empty() {
        return format!("[{}]", commas(texts));
    }
    let size = texts.len() / outer.max(1) as usize;
    let rows: Vec<String> =
        (0..outer as usize).map(|row| rows(inner, &texts[row * size..(row + 1) * size])).collect();
    format!("[{}]", commas(&rows))
}
