//! Nodes: values of datatypes that hold themselves, which go in and out as places in pools.
//!
//! Both ways a list of what is still to be done stands for recursion, so that a tree may be of any depth. On the way in a node gets the next place of its pool, and what it holds is appended
//! later, in the order of the places. On the way out the nodes that a value holds are made before it, and lie on a stack in the order in which it takes them; a node that several hold is
//! made for each of them.

use super::dynamic::NeslDatum;
use super::host_columns::{GivenPools, HostColumns, placed, unfit_columns};
use super::{NeslRow, NeslType, Piece};
use crate::error::{Error, Reason, Result};
use nestled_nesl::Routine;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The arguments of a call: their pieces, and the pools.
#[doc(hidden)]
pub struct Giving<'a> {
    pub(super) pieces: Vec<Piece>,
    pub(super) pools: GivenPools<'a>,
}

impl<'a> Giving<'a> {
    pub(super) fn new(routine: &Routine) -> Giving<'a> {
        Giving { pieces: Vec::new(), pools: GivenPools::new(&routine.pools) }
    }

    /// The pieces of the arguments and of the pools that the function takes.
    pub(super) fn finish(mut self, routine: &Routine) -> Result<Vec<Piece>> {
        if routine.pools_taken > 0 {
            for (count, column) in self.pools.columns()?.into_iter().take(routine.pools_taken) {
                NeslDatum::Seq(count, column).give(&mut self.pieces)?;
            }
        }
        Ok(self.pieces)
    }
}

/// The result of a call: its pieces, and the pools.
#[doc(hidden)]
pub struct Taking {
    pieces: std::vec::IntoIter<Piece>,
    pools: Vec<HostColumns>,
}

impl Taking {
    pub(super) fn new(routine: &Routine, mut pieces: Vec<Piece>) -> Result<Taking> {
        let mut result = &routine.given;
        for _ in 0..routine.pools_given {
            let NeslType::Pair(rest, _) = result else { return unfit_columns() };
            result = rest;
        }
        let mut rest = pieces.split_off(count_of(result, false).min(pieces.len())).into_iter();
        let pools = routine.pools.iter().take(routine.pools_given).map(|pool| {
            let HostColumns::Seq(_, nodes) = taken(pool, &mut rest)? else { return unfit_columns() };
            Ok(*nodes)
        });
        Ok(Taking { pools: pools.collect::<Result<_>>()?, pieces: pieces.into_iter() })
    }

    /// The next value of a type.
    pub(super) fn row<T: NeslRow>(&mut self, ty: &NeslType) -> Result<T> {
        let columns = taken(ty, &mut self.pieces)?;
        let mut wanted = Vec::new();
        if !self.pools.is_empty() {
            T::want_row(&columns, 0, &mut wanted)?;
        }
        let nodes: usize = self.pools.iter().map(HostColumns::len).sum();
        let pools = TakenPools { contents: &self.pools, made: RefCell::default(), left: Cell::new(nodes) };
        pools.make(wanted)?;
        T::pull_row(&columns, 0, &pools)
    }
}

impl Iterator for Taking {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        self.pieces.next()
    }
}

/// Number of pieces of a value of a type without datatypes.
fn count_of(ty: &NeslType, inside: bool) -> usize {
    match ty {
        NeslType::Seq(element) => 1 + usize::from(inside) + count_of(element, true),
        NeslType::Pair(left, right) => count_of(left, inside) + count_of(right, inside),
        _ => 1,
    }
}

/// The next value of a type, in columns.
fn taken(ty: &NeslType, from: &mut dyn Iterator<Item = Piece>) -> Result<HostColumns> {
    let placed =
        if ty.holds_itself() { NeslDatum::take(&placed(ty), from) } else { NeslDatum::take(ty, from) };
    match placed {
        Some(datum) => HostColumns::of_datum(&datum, ty),
        None => Err(Error::of("nesl", Reason::Bug("a result is missing".to_owned()))),
    }
}

/// Largest number of nodes of trees that hold some of the nodes in the pools several times.
const MOST: usize = 1 << 25;

/// The pools that a call gave, and the nodes that are made of them.
#[doc(hidden)]
pub struct TakenPools<'p> {
    contents: &'p [HostColumns],
    /// The nodes that nobody has taken yet: what is taken next lies last.
    made: RefCell<Vec<Box<dyn Any>>>,
    /// Number of nodes that may be made before somebody counts.
    left: Cell<usize>,
}

/// A node that is wanted: its variant and its place in a pool, and how it is made of what it holds.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Wanted {
    pool: usize,
    variant: usize,
    place: usize,
    inside: fn(usize, &HostColumns, usize, &mut Vec<Wanted>) -> Result<()>,
    make: fn(&Wanted, &HostColumns, &TakenPools<'_>) -> Result<Box<dyn Any>>,
}

impl TakenPools<'_> {
    /// Makes nodes, in each case after those that they hold.
    fn make(&self, wanted: Vec<Wanted>) -> Result<()> {
        let mut pending: Vec<(Wanted, bool)> = wanted.into_iter().map(|one| (one, false)).collect();
        let mut inside = Vec::new();
        while let Some((one, is_ready)) = pending.pop() {
            let Some(content) = self.contents.get(one.pool) else { return unfit_columns() };
            if is_ready {
                let node = (one.make)(&one, content, self)?;
                self.made.borrow_mut().push(node);
                continue;
            }
            if self.left.get() == 0 {
                // Some node is held by several.
                let rest = pending.iter().filter(|(_, is_ready)| !is_ready).map(|(one, _)| *one);
                self.check(rest.chain([one]).collect())?;
                self.left.set(usize::MAX);
            }
            self.left.set(self.left.get() - 1);
            (one.inside)(one.variant, content, one.place, &mut inside)?;
            pending.push((one, true));
            pending.extend(inside.drain(..).map(|one| (one, false)));
        }
        Ok(())
    }

    /// An error if the trees that these nodes are have too many nodes, of which each counts for all that hold it.
    fn check(&self, wanted: Vec<Wanted>) -> Result<()> {
        let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
        let (mut pending, mut inside) = (wanted.clone(), Vec::new());
        while let Some(&one) = pending.last() {
            let own = (one.pool, one.place);
            if counts.contains_key(&own) {
                pending.pop();
                continue;
            }
            let Some(content) = self.contents.get(one.pool) else { return unfit_columns() };
            (one.inside)(one.variant, content, one.place, &mut inside)?;
            let known = |node: &Wanted| counts.get(&(node.pool, node.place)).copied();
            let count = inside.iter().try_fold(1usize, |sum, node| Some(sum.saturating_add(known(node)?)));
            match count {
                Some(count) => {
                    counts.insert(own, count);
                    pending.pop();
                }
                None => pending.extend(inside.iter().filter(|node| known(node).is_none()).copied()),
            }
            inside.clear();
        }
        let all = wanted.iter().map(|one| counts[&(one.pool, one.place)]);
        if all.fold(0usize, usize::saturating_add) > MOST {
            let made: usize = self.contents.iter().map(HostColumns::len).sum();
            let message = format!(
                "the trees that were given have more than {MOST} nodes, which are {made}: several hold the same node"
            );
            return Err(Error::at("nesl", Reason::Argument(message), None));
        }
        Ok(())
    }

    fn take<T: 'static>(&self) -> Result<T> {
        let node = self.made.borrow_mut().pop().and_then(|node| node.downcast().ok());
        node.map_or_else(unfit_columns, |node| Ok(*node))
    }
}

/// A value of a datatype: a variant with what that holds.
#[doc(hidden)]
pub trait NeslNode: NeslRow {
    /// Lists the nodes that a value of a variant holds, in the order in which `pull_variant` takes them.
    fn want_variant(variant: usize, from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>)
    -> Result<()>;
    /// Reads a value of a variant; `from` has what it holds, unless it is a constant.
    fn pull_variant(
        variant: usize,
        from: Option<&HostColumns>,
        place: usize,
        pools: &TakenPools<'_>,
    ) -> Result<Self>;
}

/// Lists the nodes that a value of a datatype is, or holds.
#[doc(hidden)]
pub fn want_data<T: NeslNode>(from: &HostColumns, place: usize, wanted: &mut Vec<Wanted>) -> Result<()> {
    let variant = from.variant(place)?;
    if let Some((pool, place)) = from.node(variant, place)? {
        wanted.push(Wanted {
            pool,
            variant,
            place,
            inside: T::want_variant,
            make: |one, content, pools| {
                Ok(Box::new(T::pull_variant(one.variant, Some(content), one.place, pools)?))
            },
        });
        return Ok(());
    }
    match from.content(variant)? {
        Some(content) => T::want_variant(variant, content, place, wanted),
        None => Ok(()),
    }
}

/// Reads a value of a datatype.
#[doc(hidden)]
pub fn pull_data<T: NeslNode>(from: &HostColumns, place: usize, pools: &TakenPools<'_>) -> Result<T> {
    let variant = from.variant(place)?;
    match from.node(variant, place)? {
        Some(_) => pools.take(),
        None => T::pull_variant(variant, from.content(variant)?, place, pools),
    }
}
