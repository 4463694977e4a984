//! Pools: the contents of the values of recursive datatypes, for the whole program.
//!
//! A pool is a sequence of level 0, whatever the context, and so is never replicated. In a context the contents of all points are appended at once, in the order
//! of the points; the position of each is the length before, and the number of the point. Pools are a state that is passed along: functions that use some
//! take them, and functions that append give them back; so do the blocks of host code in which that happens. Whoever has a link may read it in any later state.
//!
//! ```text
//! { cons(x, nil) : x in [7, 8] }     pool of cons  …, (7, nil), (8, nil)     links n, n + 1
//! ```
//!
//! Appending copies a pool, so the work of a program is that of the nodes it makes and visits, and for each step that makes some the length of its pool.

use super::form::Sig;
use super::point::{Point, Run, idx};
use super::val::{At, Leaf, Place, Val};
use super::{Emitter, Result};
use crate::core::{DataOp, Ty};
use nestled_ir::{Axis, HostAtom, Op, ScalarType, ValueId};
use std::rc::Rc;

impl Emitter<'_> {
    /// Returns the pools with which the program begins; adds the parts of those that it is given.
    pub fn first_pools(&mut self, parts: &mut Vec<ValueId>) -> Option<Val> {
        let pools = &self.source.core.pools;
        if pools.elements.is_empty() {
            return None;
        }
        let mut vals = Vec::new();
        for &element in &pools.elements {
            if !pools.given {
                let elems = self.empty_elements(element);
                vals.push(Val::seq(0, Axis::Const(0), Place::Dense(elems)));
                continue;
            }
            let sig = self.sig_of_pool(element);
            let mut own = Vec::new();
            super::form::declare(&mut self.f, &sig, &[], &mut own);
            vals.push(self.unpack(&sig, &[], &mut own.iter().copied()));
            parts.extend(own);
        }
        Some(Val::tuple(vals))
    }

    fn sig_of_pool(&self, element: Ty) -> Sig {
        Sig::Seq { level: 0, view: false, elem: Box::new(self.sig_of_type(element, 1)) }
    }

    /// Returns the layout of all pools.
    pub fn sig_of_pools(&self) -> Sig {
        let elements = self.source.core.pools.elements.iter();
        Sig::Tuple(elements.map(|element| self.sig_of_pool(*element)).collect())
    }

    /// Returns the layout of the program's value, with the pools if they are wanted.
    pub fn sig_of_main(&self, result: Ty) -> Sig {
        let result = self.sig_of_type(result, 0);
        match self.source.core.pools.wanted {
            true => Sig::Tuple(vec![result, self.sig_of_pools()]),
            false => result,
        }
    }

    /// Pairs the program's value with the pools, if they are wanted.
    pub fn with_wanted_pools(&self, val: Val) -> Val {
        match &self.scope.pools {
            Some(pools) if self.source.core.pools.wanted => Val::tuple(vec![val, pools.clone()]),
            _ => val,
        }
    }

    /// Pairs a value with the pools, if the code that made it may have appended to them.
    pub fn with_pools(&self, val: Val, keeps: bool) -> Val {
        match &self.scope.pools {
            Some(pools) if keeps => Val::tuple(vec![val, pools.clone()]),
            _ => val,
        }
    }

    /// Takes the pools off a pair made by `with_pools`, and goes on from them.
    pub fn take_pools(&mut self, val: Val, keeps: bool) -> Val {
        if self.scope.pools.is_none() || !keeps {
            return val;
        }
        self.scope.pools = Some(val.part(1).clone());
        val.part(0).clone()
    }

    /// Writes an operation on a pool.
    pub fn pool_operation(&mut self, op: DataOp, arg: &Val, ty: Ty) -> Result<Val> {
        match op {
            DataOp::Keep(pool) => self.keep(pool, arg),
            DataOp::Fetch(pool) => Ok(self.fetch(pool, arg.leaf(), ty)),
            DataOp::Construct(_) | DataOp::Tag | DataOp::Content(_) => {
                unreachable!("datatypes were translated")
            }
        }
    }

    fn pool(&self, pool: usize) -> Val {
        self.scope.pools.as_ref().expect("code that uses pools has them").part(pool).clone()
    }

    /// Appends contents to a pool, one for each point of their level; returns their positions.
    fn keep(&mut self, pool: usize, content: &Val) -> Result<Val> {
        let element = self.source.core.pools.elements[pool];
        let old = self.pool(pool);
        let before = self.host_len(old.as_seq());
        let chain = self.scope.chain[..content.level()].to_vec();
        let new = self.in_context(chain.clone(), |this| this.contents(content, element, &chain))?;
        let positions = self.positions_from(before, &chain);
        let longer = self.in_context(Vec::new(), |this| {
            let longer = this.append(old.as_seq(), new.as_seq());
            let longer = this.solid(&longer, &[]);
            this.settled(&longer)
        });
        let Some(Val::Tuple(pools)) = &self.scope.pools else { unreachable!("pools are a tuple") };
        let mut pools = pools.to_vec();
        pools[pool] = longer;
        self.scope.pools = Some(Val::tuple(pools));
        Ok(positions)
    }

    /// Returns the contents of all points of the context as a sequence of level 0.
    fn contents(&mut self, content: &Val, element: Ty, chain: &[Axis]) -> Result<Val> {
        if chain.is_empty() {
            return self.literal_sequence(std::slice::from_ref(content), element);
        }
        self.resolve_all(&[content], chain.len());
        let here = self.raise(content, chain);
        let size = self.size(chain);
        let flat = self.reseat(&here, chain, &[size]);
        Ok(Val::seq(0, size, Place::Dense(flat)))
    }

    /// Numbers the points of a chain, from a position on.
    fn positions_from(&mut self, first: HostAtom, chain: &[Axis]) -> Val {
        let int = self.int();
        let flat: Vec<Axis> = if chain.is_empty() { Vec::new() } else { vec![self.size(chain)] };
        let positions = self.tabulate("links", &flat, &mut |this, k| {
            let first = k.scalar(&this.f, first);
            let own = k.coordinates().first().copied().unwrap_or(idx(0));
            let at = k.op(Op::Add, &[first, own]);
            Point::Scalar(k.convert(at, int))
        });
        if chain.len() > 1 { self.reseat(&positions, &flat, chain) } else { positions }
    }

    /// Reads contents at positions of a pool.
    fn fetch(&mut self, pool: usize, at: &Leaf, ty: Ty) -> Val {
        let at = Leaf { at: At::Host(self.resolve(at)), ..at.clone() };
        let chain = self.scope.chain[..at.level].to_vec();
        let seq = Rc::clone(self.pool(pool).as_seq());
        self.tabulate("fetched", &chain, &mut |this, k| {
            let own = k.coordinates();
            let at = this.read_leaf(k, &at, &own);
            let at = k.convert(at, ScalarType::Idx);
            let run = Run::At { seq: Rc::clone(&seq), coordinates: Vec::new() };
            this.element_or_zero(k, &run, at, ty, true)
        })
    }
}
