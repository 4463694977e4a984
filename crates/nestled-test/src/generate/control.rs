//! Generation of control flow in thunks: branches, loops and private arrays. Every loop terminates, since it counts.

use super::class::Class;
use super::expr::{self, Code, Known};
use super::thunk::{PrivateFacts, SITE, ThunkCode};
use nestled_ir::{Atom, Block, Carried, Op, Scalar, ScalarType, StmtKind};

impl ThunkCode<'_> {
    pub(super) fn branch(&mut self) {
        let cond = expr::want(self, ScalarType::Bool, 1).atom;
        let types = self.some_types(2);
        let write = |code: &mut Self| -> Vec<Known<Atom>> {
            code.grow_less();
            types.iter().map(|&ty| expr::want(code, ty, 1)).collect()
        };
        let (then, left) = self.block(write);
        let (otherwise, right) = self.block(write);
        let dsts = left.iter().zip(&right).map(|(a, b)| self.bind(a.ty, a.class.join(b.class))).collect();
        self.push(StmtKind::If { dsts, cond, then, otherwise });
    }

    pub(super) fn counted(&mut self) {
        let (from, to) = (self.random.between(-1, 2), self.random.between(0, 4));
        let from = expr::index(self, from).atom;
        let to = if self.random.chance(50) {
            expr::index(self, to).atom
        } else {
            expr::want_in(self, ScalarType::Idx, Class::Range(-1, 4), 1).atom
        };
        let types = self.some_types(2);
        let inits: Vec<Atom> =
            types.iter().map(|&ty| expr::want_in(self, ty, Class::base(ty), 1).atom).collect();
        let var = self.local(ScalarType::Idx);
        let mut carried = Vec::new();
        let (body, _) = self.block(|code| {
            code.remember(Known { atom: Atom::Local(var), ty: ScalarType::Idx, class: Class::Range(-1, 4) });
            carried = code.carry(&types, &inits);
            code.round(&types)
        });
        let dsts = types.iter().map(|&ty| self.bind(ty, Class::base(ty))).collect();
        self.push(StmtKind::For { dsts, var, from, to, carried, body });
    }

    /// A `while` loop; its first carried value counts down.
    pub(super) fn repeat(&mut self) {
        let types = self.some_types(2);
        let n = expr::want_in(self, ScalarType::Idx, Class::Range(0, 4), 1).atom;
        let inits: Vec<Atom> =
            types.iter().map(|&ty| expr::want_in(self, ty, Class::base(ty), 1).atom).collect();
        let mut carried = Vec::new();
        let mut cond = Block::default();
        let (body, _) = self.block(|code| {
            let left = code.bind(ScalarType::Idx, Class::Range(0, 4));
            carried.push(Carried { local: left, init: n });
            carried.extend(code.carry(&types, &inits));
            let left = Known { atom: Atom::Local(left), ty: ScalarType::Idx, class: Class::Range(0, 4) };
            cond = code.block(|code| vec![code.goes_on(left)]).0;
            let one = expr::index(code, 1);
            let next = expr::must(code, Op::Sub, &[left, one]);
            let mut results = vec![next];
            results.extend(code.round(&types));
            results
        });
        let mut dsts = vec![self.bind(ScalarType::Idx, Class::Range(0, 4))];
        dsts.extend(types.iter().map(|&ty| self.bind(ty, Class::base(ty))));
        self.push(StmtKind::While { dsts, carried, cond, body });
    }

    /// The condition of a loop: rounds are left, and sometimes a random condition holds too.
    fn goes_on(&mut self, left: Known<Atom>) -> Known<Atom> {
        let zero = expr::index(self, 0);
        let more = expr::must(self, Op::Gt, &[left, zero]);
        if self.random.chance(60) {
            return more;
        }
        let other = expr::want(self, ScalarType::Bool, 1);
        expr::must(self, Op::And, &[more, other])
    }

    /// Binds the values that a loop carries.
    fn carry(&mut self, types: &[ScalarType], inits: &[Atom]) -> Vec<Carried> {
        let pairs = types.iter().zip(inits);
        pairs.map(|(&ty, &init)| Carried { local: self.bind(ty, Class::base(ty)), init }).collect()
    }

    /// The body of a loop, with the carried values of the next round.
    fn round(&mut self, types: &[ScalarType]) -> Vec<Known<Atom>> {
        self.grow_less();
        types.iter().map(|&ty| expr::want_in(self, ty, Class::base(ty), 2)).collect()
    }

    fn grow_less(&mut self) {
        if self.random.chance(60) {
            self.grow();
        }
    }

    fn some_types(&mut self, most: usize) -> Vec<ScalarType> {
        let n = self.random.below(most + 1);
        (0..n).map(|_| expr::random_type(&mut self.random)).collect()
    }

    /// Makes, reads or writes a private array.
    pub(super) fn private_access(&mut self) {
        if self.privates.is_empty() || self.random.chance(30) {
            self.private_new();
        }
        for _ in 0..1 + self.random.below(3) {
            self.use_private();
        }
    }

    fn use_private(&mut self) {
        let array = *self.random.pick(&self.privates.clone());
        let Some((at, proved)) = self.private_index(array) else { return };
        let site = (!proved || self.random.chance(60)).then_some(SITE);
        let class = Class::base(array.elem);
        if self.random.chance(50) {
            let value = expr::want_in(self, array.elem, class, 1).atom;
            self.push(StmtKind::PrivateSet { array: array.id, at, value, site });
        } else {
            let dst = self.bind(array.elem, class);
            self.push(StmtKind::PrivateGet { dst, array: array.id, at, site });
        }
    }

    fn private_new(&mut self) {
        let elem = expr::random_type(&mut self.random);
        let id = self.private(elem);
        let lengths: Vec<Known<Atom>> = self
            .around
            .scalars
            .iter()
            .copied()
            .filter(|k| k.ty == ScalarType::Idx && matches!(k.class, Class::Range(_, 0..=40)))
            .collect();
        let (size, atom) = if self.random.chance(20) && !lengths.is_empty() {
            (0, self.random.pick(&lengths).atom)
        } else {
            let size = self.random.between(1, 6);
            (size, Atom::Const(Scalar::Idx(size)))
        };
        self.push(StmtKind::PrivateNew { array: id, size: atom });
        self.privates.push(PrivateFacts { id, elem, size });
    }

    /// A position, and whether it is certainly inside; `None` if no access should be tried.
    fn private_index(&mut self, array: PrivateFacts) -> Option<(Atom, bool)> {
        if array.size > 0 && !self.random.chance(self.size.faults) {
            return Some((
                expr::want_in(self, ScalarType::Idx, Class::Range(0, array.size - 1), 1).atom,
                true,
            ));
        }
        if !self.may_fault || !self.random.chance(self.size.faults * 10) {
            return None;
        }
        Some((expr::want_in(self, ScalarType::Idx, Class::Range(-1, 7), 1).atom, false))
    }
}

impl ThunkCode<'_> {
    /// Euclid's algorithm. At most 47 rounds for 32 bits.
    pub(super) fn gcd(&mut self, a: Known<Atom>, b: Known<Atom>) -> Known<Atom> {
        let word = |local| Known { atom: Atom::Local(local), ty: ScalarType::U32, class: Class::Any };
        let mut carried = Vec::new();
        let mut cond = Block::default();
        let (body, _) = self.block(|code| {
            let (x, y) = (code.bind(ScalarType::U32, Class::Any), code.bind(ScalarType::U32, Class::Any));
            carried = vec![Carried { local: x, init: a.atom }, Carried { local: y, init: b.atom }];
            let zero = expr::exactly(code, Scalar::U32(0));
            cond = code.block(|code| vec![expr::must(code, Op::Ne, &[word(y), zero])]).0;
            vec![word(y), expr::must(code, Op::Rem, &[word(x), word(y)])]
        });
        let dsts = vec![self.bind(ScalarType::U32, Class::Any), self.bind(ScalarType::U32, Class::Any)];
        let result = word(dsts[0]);
        self.push(StmtKind::While { dsts, carried, cond, body });
        result
    }
}
