//! Which values of a kernel lie in memory: those that leave it, those that go from nest to nest or from sweep to sweep, and arrays that a thunk is
//! given to change.

use crate::nest::{At, Item, Nest};
use nestled_ir::{Axis, CombinatorKind, Kernel, ValueId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// Where a value lies that is materialised.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Home {
    /// It is this result of the kernel, and leaves.
    Result(usize),
    /// It is this entry of [`Memory::stored`], and is gone after the launch.
    Stored(usize),
}

/// A value that lies in memory as long as the launch, and no longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored {
    /// The value: one for each point of a level.
    pub bind: ValueId,
    /// The level.
    pub level: usize,
    /// Set if it is an array that a `serial` is given: its axis.
    pub given: Option<Axis>,
}

/// Where values lie.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    homes: BTreeMap<ValueId, Home>,
    /// The values that do not leave.
    pub stored: Vec<Stored>,
}

impl Memory {
    /// Where the values of a kernel in normal form lie.
    pub fn new(kernel: &Kernel, nests: &[Nest]) -> Memory {
        let mut memory = Memory::results(kernel);
        let mut made: HashMap<ValueId, (usize, Item)> = HashMap::new();
        for (number, nest) in nests.iter().enumerate() {
            for &item in &nest.items {
                let step = &kernel.steps[item.step];
                let (own, windows) = step.reads();
                for bind in own {
                    if let Some(&(maker, by)) = made.get(&bind)
                        && !in_register(kernel, maker == number, by, item)
                    {
                        memory.store(kernel, bind, by);
                    }
                }
                for bind in windows {
                    if let Some(&(_, by)) = made.get(&bind) {
                        memory.store(kernel, bind, by);
                    }
                }
                for &bind in &step.binds[..step.body.n_given] {
                    let array = kernel.values[bind.index()].ty.as_array();
                    let axis = array.map(|array| array.shape.axes[0]);
                    memory.place(Stored { bind, level: 0, given: axis });
                }
                for &bind in &step.binds {
                    made.insert(bind, (number, item));
                }
            }
        }
        memory
    }

    /// Where the results lie, and nothing else yet.
    pub fn results(kernel: &Kernel) -> Memory {
        let mut memory = Memory::default();
        for (position, &value) in kernel.ret.iter().enumerate() {
            memory.homes.entry(value).or_insert(Home::Result(position));
        }
        memory
    }

    fn store(&mut self, kernel: &Kernel, bind: ValueId, by: Item) {
        let step = &kernel.steps[by.step];
        self.place(Stored { bind, level: step.result_level().0, given: None });
    }

    /// Gives a value a place, if it has none yet.
    pub fn place(&mut self, stored: Stored) {
        if let Entry::Vacant(free) = self.homes.entry(stored.bind) {
            free.insert(Home::Stored(self.stored.len()));
            self.stored.push(stored);
        }
    }

    /// Where a value lies, if it lies in memory.
    pub fn home(&self, bind: ValueId) -> Option<Home> {
        self.homes.get(&bind).copied()
    }
}

/// Whether what one item binds is at hand when another of the same nest runs.
fn in_register(kernel: &Kernel, same_nest: bool, made: Item, read: Item) -> bool {
    let reduces = matches!(kernel.steps[made.step].kind, CombinatorKind::Reduce { .. });
    same_nest
        && match (made.at, read.at) {
            (At::Element(_), _) if reduces => true,
            (At::Element(made), At::Element(read)) => made == read,
            (At::Group(_), _) => true,
            (At::Element(_), At::Group(_)) => false,
        }
}
