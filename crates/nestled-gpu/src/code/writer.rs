//! The writer of a kernel's module: its definitions and entry points so far, scratch memory, and the homes of values.

use super::Unsupported;
use super::home::{Home, Lies};
use super::module::{Entry, Scratch, Sorting};
use super::sizes::Size;
use crate::dialect::Dialect;
use crate::params::Layout;
use crate::plan::{self, Step};
use crate::repr::Repr;
use nestled_ir::typing::Scope;
use nestled_ir::{Axis, Combinator, Kernel, Program, ScalarType, Shape, SiteId, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// The writer of a kernel's module.
pub(super) struct Writer<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub dialect: &'a Dialect,
    pub layout: Layout,
    pub space: Vec<Step>,
    pub scratch: Vec<Scratch>,
    pub sites: Vec<SiteId>,
    pub entries: Vec<Entry>,
    pub sorts: Vec<Sorting>,
    pub private_sizes: Vec<ValueId>,
    pub capacity: u64,
    /// Whether thunks are emitted in their interior version.
    pub inner: bool,
    pub destinations: Vec<Vec<Axis>>,
    homes: BTreeMap<ValueId, Home>,
    defined: BTreeSet<String>,
    pub definitions: Vec<String>,
}

impl<'a> Writer<'a> {
    /// Begins the module of a kernel whose faults have these sites, in ascending order.
    pub fn new(
        program: &'a Program,
        kernel: &'a Kernel,
        dialect: &'a Dialect,
        sites: Vec<SiteId>,
        capacity: u64,
    ) -> Writer<'a> {
        Writer {
            program,
            kernel,
            dialect,
            layout: Layout::new(kernel),
            space: Vec::new(),
            scratch: Vec::new(),
            sites,
            entries: Vec::new(),
            sorts: Vec::new(),
            private_sizes: Vec::new(),
            capacity,
            inner: false,
            destinations: Vec::new(),
            homes: BTreeMap::new(),
            defined: BTreeSet::new(),
            definitions: Vec::new(),
        }
    }
}

impl Writer<'_> {
    /// True if the name is asked for the first time.
    pub fn once(&mut self, name: &str) -> bool {
        self.defined.insert(name.to_owned())
    }

    /// Adds a definition to the module.
    pub fn define(&mut self, text: impl Into<String>) {
        let mut text = text.into();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.definitions.push(text);
    }

    /// Returns the types of the kernel's values.
    pub fn scope(&self) -> Scope<'_> {
        Scope::new(&self.kernel.values)
    }

    /// Returns the element type of a bound value or a parameter.
    pub fn elem(&self, value: ValueId) -> ScalarType {
        self.kernel.elem(value)
    }

    /// Returns the types of the results of a combinator's thunk.
    pub fn result_types(&self, step: &Combinator) -> Vec<ScalarType> {
        self.scope().thunk_results(&step.body)
    }

    /// Refuses representations that the machine lacks.
    pub fn need(&self, repr: Repr) -> Result<(), Unsupported> {
        match repr {
            wide if wide.is_int64() && !self.dialect.int64 => {
                Err(Unsupported::new("64-bit integers on this device"))
            }
            Repr::F64 if !self.dialect.float64 => Err(Unsupported::new("64-bit floats on this device")),
            _ => Ok(()),
        }
    }

    /// Refuses arrays of types that the machine lacks.
    pub fn check_types(&self) -> Result<(), Unsupported> {
        for value in &self.kernel.values {
            if let nestled_ir::Type::Array(array) = &value.ty
                && array.elem != ScalarType::Idx
            {
                self.need(Repr::of(array.elem))?;
            }
        }
        Ok(())
    }

    /// Returns the storage of a value, if it has one.
    pub fn home(&self, value: ValueId) -> Option<Home> {
        self.homes.get(&value).copied()
    }

    /// Allocates scratch. Returns the word with its address.
    pub fn take_scratch(&mut self, size: Size, words: u64) -> u32 {
        self.take(Scratch { size, words, ones: false })
    }

    /// Allocates scratch, possibly initialised to ones. Returns the word with its address.
    pub fn take(&mut self, scratch: Scratch) -> u32 {
        let at = self.layout.add_scratch();
        self.scratch.push(scratch);
        self.layout.scratch(at)
    }

    /// Returns the size of a destination whose scatter has no used result.
    pub fn destination(&mut self, dest: &Shape) -> Size {
        self.destinations.push(dest.axes.clone());
        Size::Destination(self.destinations.len() - 1)
    }

    /// Finds the storage of results, and of what goes from pass to pass.
    pub fn find_homes(&mut self, carried: &[ValueId]) {
        let kernel = self.kernel;
        for (at, &value) in kernel.ret.iter().enumerate() {
            let word = self.layout.result(at);
            let level = self.bind_level(value);
            self.homes.entry(value).or_insert(Home { word, level, lies: Lies::InBuffer });
        }
        for &value in carried {
            let level = self.bind_level(value);
            let words = crate::repr::words(self.elem(value));
            let word = self.take_scratch(Size::Level(level), words);
            self.homes.insert(value, Home { word, level, lies: Lies::InScratch });
        }
    }

    /// Returns the level of the points that hold a value.
    pub fn bind_level(&self, value: ValueId) -> usize {
        plan::bind_level(self.kernel, value)
    }

    /// Returns the positions of a value among the kernel's results; it may occur more than once.
    pub fn results_of(&self, value: ValueId) -> Vec<usize> {
        (0..self.kernel.ret.len()).filter(|&at| self.kernel.ret[at] == value).collect()
    }

    /// Returns the index of a site's fault word.
    pub fn slot(&self, site: SiteId) -> usize {
        self.sites.binary_search(&site).expect("sites were collected")
    }
}
