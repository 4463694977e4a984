//! Loaded code in memory, ready to be called.

use super::elf::{self, Machine};
use super::link::plan;
use super::memory::{Pages, page_size};
use super::{ObjectError, Symbols};
use std::collections::BTreeMap;

/// A loaded object. Dropping it takes the code out of memory, so it must outlive every call.
#[derive(Debug)]
pub struct Code {
    pages: Pages,
    functions: BTreeMap<String, usize>,
}

impl Code {
    /// Loads an object for the processor of this machine.
    ///
    /// # Errors
    /// [`ObjectError`], for any bytes that are not a good object, for symbols that neither the object nor `outside` has, and when
    /// the system gives no memory.
    pub fn load(object: &[u8], outside: &Symbols) -> Result<Code, ObjectError> {
        let elf = elf::read(object)?;
        if Machine::host() != Some(elf.machine) {
            return Err(ObjectError::Machine(match elf.machine {
                Machine::X86_64 => 62,
                Machine::AArch64 => 183,
            }));
        }
        let plan = plan(elf, page_size())?;
        let pages = Pages::new(plan.layout.size())?
            .fill_and_protect(&plan.layout, |image, base| plan.fill(image, base, outside))?;
        Ok(Code { pages, functions: plan.functions() })
    }

    /// The address of a function the object defines.
    ///
    /// To call it, turn it into a function pointer of its true type; it is good for as long as this `Code` lives.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<*const ()> {
        let &offset = self.functions.get(name)?;
        Some(self.pages.address().wrapping_add(offset).cast())
    }

    /// The names of the functions, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }
}
