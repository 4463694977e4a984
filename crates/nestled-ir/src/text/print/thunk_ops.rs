//! Prints the expressions of thunks.

use super::fold::{Candidate, Infix};
use super::lines::commas;
use super::literal::quote;
use super::thunk::ThunkPrinter;
use crate::id::ValueId;
use crate::op::Op;
use crate::scalar::ScalarType;
use crate::thunk::{Atom, Rule, StmtKind};

impl ThunkPrinter<'_, '_> {
    /// The right side of a statement without blocks.
    pub fn expression(&mut self, kind: &StmtKind, folded: &[Option<Candidate>]) -> String {
        match kind {
            StmtKind::Op { op, args, .. } => self.operation(*op, args, folded),
            StmtKind::Threefry { key, counter, .. } => {
                let args: Vec<Atom> = key.iter().chain(counter).copied().collect();
                format!("threefry {}", self.operands(&args, folded, Some(ScalarType::U32)).join(" "))
            }
            StmtKind::Read { array, index, default, site, .. } => {
                let parts: Vec<(String, Rule)> = index
                    .iter()
                    .zip(folded)
                    .map(|(index, folded)| (self.index(index.at, folded.as_ref()), index.rule))
                    .collect();
                let default = default.map(|default| (default, folded.get(index.len())));
                let read = self.read(*array, parts, default.is_some());
                self.finish_read(read, *array, default, *site)
            }
            StmtKind::Own { bind, .. } => self.own(*bind),
            StmtKind::Window { bind, offsets, default, site, .. } => {
                let offset = |(position, offset): (usize, &crate::thunk::Offset)| {
                    (self.offset(position, offset.by, offsets), offset.rule)
                };
                let parts: Vec<(String, Rule)> = offsets.iter().enumerate().map(offset).collect();
                let default = default.map(|default| (default, folded.first()));
                let read = self.read(*bind, parts, default.is_some());
                self.finish_read(read, *bind, default, *site)
            }
            StmtKind::Len { seg, at, .. } => self.segment("len", *seg, at, folded),
            StmtKind::Start { seg, at, .. } => self.segment("start", *seg, at, folded),
            StmtKind::Call { thunk, args, .. } => self.call(*thunk, args, folded),
            StmtKind::PrivateNew { array, size } => {
                let elem =
                    self.thunk.privates.get(array.index()).map_or(ScalarType::Idx, |private| private.elem);
                let size = self.atom(*size, Some(ScalarType::Idx));
                format!("private {}: [{size}]{elem}", self.bind_private(*array))
            }
            StmtKind::PrivateGet { array, at, site, .. } => {
                let proved = if site.is_none() { " proved" } else { "" };
                let at = self.index(*at, folded[0].as_ref());
                format!("{}[{at}{proved}]{}", self.private(*array), self.printer.sites.mark(*site))
            }
            StmtKind::PrivateSet { array, at, value, site } => {
                let proved = if site.is_none() { " proved" } else { "" };
                let at = self.index(*at, folded[0].as_ref());
                let elem = self.thunk.privates.get(array.index()).map(|private| private.elem);
                let value = match &folded[1] {
                    Some(candidate) => candidate.text.clone(),
                    None => self.atom(*value, elem),
                };
                format!("{}[{at}{proved}]{} = {value}", self.private(*array), self.printer.sites.mark(*site))
            }
            StmtKind::Check { cond, code, site } => {
                let cond = self.operand(*cond, folded[0].as_ref(), Some(ScalarType::Bool));
                format!("check {cond} {}{}", quote(code, '"'), self.printer.sites.mark(Some(*site)))
            }
            StmtKind::If { .. } | StmtKind::For { .. } | StmtKind::While { .. } => String::new(),
        }
    }

    fn operand(&self, atom: Atom, folded: Option<&Candidate>, place: Option<ScalarType>) -> String {
        folded.map_or_else(|| self.atom(atom, place), Candidate::operand)
    }

    fn operands(
        &self,
        atoms: &[Atom],
        folded: &[Option<Candidate>],
        place: Option<ScalarType>,
    ) -> Vec<String> {
        atoms.iter().zip(folded).map(|(&atom, folded)| self.operand(atom, folded.as_ref(), place)).collect()
    }

    /// `add x 1`: a literal is bare if another operand tells its type.
    fn operation(&self, op: Op, args: &[Atom], folded: &[Option<Candidate>]) -> String {
        let shared = op.first_shared_operand();
        let converts = matches!(op, Op::Convert(_) | Op::Bitcast(_));
        let typed = args.iter().skip(shared).find(|atom| !matches!(atom, Atom::Const(_)));
        let mut place = typed.filter(|_| !converts).and_then(|&atom| self.atom_type(atom));
        let mut text = op.name().to_owned();
        for (position, (&arg, folded)) in args.iter().zip(folded).enumerate() {
            text.push(' ');
            if position < shared {
                text += &self.operand(arg, folded.as_ref(), Some(ScalarType::Bool));
                continue;
            }
            text += &self.operand(arg, folded.as_ref(), place);
            if !converts {
                // The first literal has its type; the others follow it.
                place = place.or_else(|| self.atom_type(arg));
            }
        }
        text
    }

    /// Sums and products of indices, as they are written in an index.
    pub fn infix(&self, kind: &StmtKind, folded: &[Option<Candidate>]) -> Option<Infix> {
        let StmtKind::Op { dst, op, args } = kind else { return None };
        let mark = match op {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            _ => return None,
        };
        let [left, right] = args.as_slice() else { return None };
        if self.local_type(*dst) != Some(ScalarType::Idx) {
            return None;
        }
        let product = *op == Op::Mul;
        let part = |atom: Atom, folded: Option<&Candidate>, right: bool| match folded {
            Some(candidate) => candidate.part(product, right),
            None => self.atom(atom, Some(ScalarType::Idx)),
        };
        let left = part(*left, folded.first()?.as_ref(), false);
        let right = part(*right, folded.get(1)?.as_ref(), true);
        Some(Infix { text: format!("{left} {mark} {right}"), product })
    }

    fn index(&self, atom: Atom, folded: Option<&Candidate>) -> String {
        folded.map_or_else(|| self.atom(atom, Some(ScalarType::Idx)), Candidate::index)
    }

    /// `xs[i clamp, j]`
    fn read(&self, array: ValueId, index: Vec<(String, Rule)>, has_default: bool) -> String {
        let with_rule = |(at, rule): (String, Rule)| match (rule, has_default) {
            (Rule::Fault, false) | (Rule::Else, _) => at,
            (Rule::Fault, true) => format!("{at} fault"),
            (Rule::Clamp, _) => format!("{at} clamp"),
            (Rule::Wrap, _) => format!("{at} wrap"),
            (Rule::Proved, _) => format!("{at} proved"),
        };
        let index: Vec<String> = index.into_iter().map(with_rule).collect();
        format!("{}[{}]", self.value(array), commas(&index))
    }

    /// The site and the default of a read.
    fn finish_read(
        &mut self,
        read: String,
        array: ValueId,
        default: Option<(Atom, Option<&Option<Candidate>>)>,
        site: Option<crate::id::SiteId>,
    ) -> String {
        let mark = self.printer.sites.mark(site);
        let Some((atom, folded)) = default else { return read + &mark };
        let default = self.operand(atom, folded.and_then(Option::as_ref), self.element(array));
        format!("{read}{mark} else {default}")
    }

    /// `p[i, j]`, or `p` at level 0.
    fn own(&self, bind: ValueId) -> String {
        let level = self.level(bind);
        if level == 0 {
            return self.value(bind);
        }
        let coordinates: Vec<String> = (0..level).map(|position| self.coordinate(position)).collect();
        format!("{}[{}]", self.value(bind), commas(&coordinates))
    }

    fn coordinate(&self, position: usize) -> String {
        self.local(crate::id::LocalId::from(position))
    }

    /// `i + 1`. Where all are zero, the first is written `i + 0`: without it this would read the own coordinates.
    fn offset(&self, position: usize, by: i64, all: &[crate::thunk::Offset]) -> String {
        let coordinate = self.coordinate(position);
        let plain = all.iter().all(|offset| offset.by == 0);
        match by {
            0 if position == 0 && plain => format!("{coordinate} + 0"),
            0 => coordinate,
            1.. => format!("{coordinate} + {by}"),
            ..=-1 if by == i64::MIN => format!("{coordinate} + {by}"),
            ..=-1 => format!("{coordinate} - {}", -by),
        }
    }

    fn segment(&self, word: &str, seg: ValueId, at: &[Atom], folded: &[Option<Candidate>]) -> String {
        let at: Vec<String> =
            at.iter().zip(folded).map(|(&atom, folded)| self.index(atom, folded.as_ref())).collect();
        format!("{word} {}[{}]", self.value(seg), commas(&at))
    }

    fn call(&self, thunk: crate::id::ThunkId, args: &[Atom], folded: &[Option<Candidate>]) -> String {
        let def = self.printer.program.thunks.get(thunk.index());
        let place =
            |position: usize| def.and_then(|def| def.thunk.locals.get(position)).map(|local| local.ty);
        let texts: Vec<String> = (args.iter().zip(folded).enumerate())
            .map(|(position, (&atom, folded))| match folded {
                Some(candidate) => candidate.text.clone(),
                None => self.atom(atom, place(position)),
            })
            .collect();
        format!("{}({})", self.callee(thunk), commas(&texts))
    }

    /// The condition of an `if`, as printed before its block.
    pub fn condition(&self, kind: &StmtKind, folded: &[Option<Candidate>]) -> String {
        match (kind, folded) {
            (_, [Some(candidate)]) => candidate.text.clone(),
            (kind, _) => match kind.atoms().first() {
                Some(&cond) => self.atom(cond, Some(ScalarType::Bool)),
                None => String::new(),
            },
        }
    }

    /// Bounds and first values of a loop.
    pub fn loop_heads(&self, kind: &StmtKind, folded: &[Option<Candidate>]) -> (String, String, Vec<String>) {
        let (bounds, carried) = match kind {
            StmtKind::For { from, to, carried, .. } => (vec![*from, *to], carried),
            StmtKind::While { carried, .. } => (Vec::new(), carried),
            _ => return Default::default(),
        };
        let mut texts = self.operands(&bounds, folded, Some(ScalarType::Idx)).into_iter();
        let (from, to) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
        let inits = carried.iter().zip(&folded[bounds.len()..]).map(|(one, folded)| match folded {
            Some(candidate) => candidate.text.clone(),
            None => self.atom(one.init, None),
        });
        (from, to, inits.collect())
    }
}
