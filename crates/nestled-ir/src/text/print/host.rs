//! Prints host code: functions, blocks and statements.

use super::Printer;
use super::fold::{Candidate, IN_RESULTS, IN_STATEMENT, Stack, depth, fold};
use super::lines::{Lines, binders, commas};
use super::literal::literal;
use super::names::Namer;
use super::thunk::branches;
use super::types::ValueNames;
use crate::host::{Function, HostAtom, HostBlock, HostOp};
use crate::id::ValueId;
use crate::scalar::ScalarType;
use crate::types::Type;

/// Prints one function.
pub(super) struct HostPrinter<'p, 'a> {
    pub printer: &'p mut Printer<'a>,
    pub function: &'p Function,
    pub values: ValueNames<'p>,
    namer: Namer,
    /// Number of uses of each value.
    uses: Vec<usize>,
}

impl Printer<'_> {
    /// `fn f<n>(xs: [n]f32) -> f32 { … ret s }`
    pub fn function(&mut self, index: usize) -> Lines {
        let function = &self.program.functions[index];
        let name = self.functions[index].clone();
        let mut namer = Namer::default();
        let mut values = ValueNames::new(&function.values);
        let shapes = values.shape_params(&function.shapes, &mut namer);
        let params = values.params(&function.params, &mut namer);
        let results = results(function, &mut values, &mut namer);
        let mut printer = HostPrinter { printer: self, function, values, namer, uses: uses(function) };
        let places: Vec<_> = function.results.iter().map(|&result| printer.scalar_type(result)).collect();
        let body = printer.statements(&function.body, &places, "ret ");
        let mut lines = Lines::default();
        let head = format!("fn {name}{shapes}{params} {results}");
        lines.block(&head, body, "");
        lines
    }
}

/// `-> (k: dim, [k]f32) `: results have names where later ones may need them.
fn results(function: &Function, values: &mut ValueNames<'_>, namer: &mut Namer) -> String {
    let mut texts = Vec::new();
    namer.open();
    for &result in &function.results {
        let ty = values.type_text(result);
        let value = function.values.get(result.index());
        let shape = value.is_some_and(|value| value.ty.is_shape() && is_used_by_results(function, result));
        let named = value.is_some_and(|value| !value.name.is_empty());
        texts.push(if shape || named { format!("{}: {ty}", values.bind(result, namer)) } else { ty });
    }
    namer.close();
    match texts.as_slice() {
        [] => String::new(),
        [text] => format!("-> {} ", if text.contains(':') { format!("({text})") } else { text.clone() }),
        texts => format!("-> ({}) ", commas(texts)),
    }
}

fn is_used_by_results(function: &Function, symbol: ValueId) -> bool {
    let uses = |ty: &Type| match ty {
        Type::Array(array) => array.shape.axes.contains(&crate::types::Axis::Sym(symbol)),
        Type::Seg(seg) => seg.parent.axes.contains(&crate::types::Axis::Sym(symbol)),
        Type::Dim => false,
    };
    function
        .results
        .iter()
        .filter_map(|result| function.values.get(result.index()))
        .any(|value| uses(&value.ty))
}

/// Counts the uses of each value of a function.
fn uses(function: &Function) -> Vec<usize> {
    let mut uses = vec![0; function.values.len()];
    let mut count = |value: ValueId| {
        if let Some(count) = uses.get_mut(value.index()) {
            *count += 1;
        }
    };
    function.body.for_each_result(&mut count);
    function.body.walk(&mut |stmt| {
        stmt.op.blocks().into_iter().for_each(|block| block.for_each_result(&mut count));
    });
    function.body.walk(&mut |stmt| stmt.op.for_each_use(&mut count));
    uses
}

impl HostPrinter<'_, '_> {
    pub fn scalar_type(&self, value: ValueId) -> Option<ScalarType> {
        self.values.ty_of(value)?.as_scalar()
    }

    pub fn atom(&self, atom: HostAtom, place: Option<ScalarType>) -> String {
        match atom {
            HostAtom::Value(value) => self.values.name(value),
            HostAtom::Const(scalar) => literal(scalar, place),
        }
    }

    pub fn atom_type(&self, atom: HostAtom) -> Option<ScalarType> {
        match atom {
            HostAtom::Value(value) => self.scalar_type(value),
            HostAtom::Const(scalar) => Some(scalar.ty()),
        }
    }

    fn block(&mut self, block: &HostBlock, places: &[Option<ScalarType>]) -> Lines {
        self.namer.open();
        let lines = self.statements(block, places, "");
        self.namer.close();
        lines
    }

    /// Statements and results of a block; `ret` stands before the results.
    fn statements(&mut self, block: &HostBlock, places: &[Option<ScalarType>], ret: &str) -> Lines {
        let mut lines = Lines::default();
        let mut stack = Stack::default();
        for stmt in &block.stmts {
            let atoms = self.foldable(&stmt.op);
            let operands: Vec<Option<usize>> = atoms.iter().map(|&atom| value_of(atom)).collect();
            let folded = fold(&operands, &mut stack, IN_STATEMENT);
            let candidate = self.candidate(&stmt.op, &stmt.binds);
            if candidate.is_none() || stack.holds_any(&operands) {
                self.flush(&mut stack, &mut lines);
            }
            match candidate {
                Some(bind) => stack.push(Candidate {
                    id: bind.index(),
                    text: self.expression(&stmt.op, &folded),
                    loose: true,
                    infix: None,
                    depth: depth(&folded),
                }),
                None => self.stmt(&stmt.op, &stmt.binds, &folded, &mut lines),
            }
        }
        let operands: Vec<Option<usize>> = block.results.iter().map(|&atom| value_of(atom)).collect();
        let folded = fold(&operands, &mut stack, IN_RESULTS);
        self.flush(&mut stack, &mut lines);
        if !block.results.is_empty() {
            let texts: Vec<String> = (block.results.iter().zip(&folded).enumerate())
                .map(|(position, (&atom, folded))| match folded {
                    Some(candidate) => candidate.text.clone(),
                    None => self.atom(atom, places.get(position).copied().flatten()),
                })
                .collect();
            lines.push(format!("{ret}{}", commas(&texts)));
        }
        lines
    }

    /// Nameless scalar arithmetic that is used once may be folded.
    fn candidate(&self, op: &HostOp, binds: &[ValueId]) -> Option<ValueId> {
        let (HostOp::Scalar { .. }, &[bind]) = (op, binds) else { return None };
        let unnamed = self.function.values.get(bind.index()).is_some_and(|value| value.name.is_empty());
        (unnamed && self.uses.get(bind.index()) == Some(&1)).then_some(bind)
    }

    /// Candidates that are not folded become statements.
    fn flush(&mut self, stack: &mut Stack, lines: &mut Lines) {
        for candidate in stack.drain() {
            let name = self.values.bind(ValueId::from(candidate.id), &mut self.namer);
            lines.push(format!("{name} = {}", candidate.text));
        }
    }

    fn stmt(&mut self, op: &HostOp, binds: &[ValueId], folded: &[Option<Candidate>], lines: &mut Lines) {
        let HostOp::If { cond, then, otherwise } = op else {
            let expression = self.expression(op, folded);
            let names = self.bind_all(binds);
            return lines.push(format!("{}{expression}", binders(&names)));
        };
        let cond = match folded {
            [Some(candidate)] => candidate.text.clone(),
            _ => self.atom(*cond, Some(ScalarType::Bool)),
        };
        let names = self.bind_all(binds);
        self.namer.release(&names);
        let first = self.block(then, &[]);
        let places: Vec<_> = then.results.iter().map(|&atom| self.atom_type(atom)).collect();
        let second = self.block(otherwise, &places);
        for name in names.iter().filter(|name| *name != "_") {
            self.namer.take(name.clone());
        }
        branches(&format!("{}if {cond} ", binders(&names)), first, second, lines);
    }

    /// Names the values that a statement binds; `_` for a nameless one that is not used.
    fn bind_all(&mut self, binds: &[ValueId]) -> Vec<String> {
        let mut names = Vec::new();
        for &bind in binds {
            let value = self.function.values.get(bind.index());
            let hidden = value.is_some_and(|value| value.name.is_empty());
            let unused = self.uses.get(bind.index()) == Some(&0);
            names.push(if hidden && unused {
                "_".to_owned()
            } else {
                self.values.bind(bind, &mut self.namer)
            });
        }
        names
    }
}

fn value_of(atom: HostAtom) -> Option<usize> {
    match atom {
        HostAtom::Value(value) => Some(value.index()),
        HostAtom::Const(_) => None,
    }
}
