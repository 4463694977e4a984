//! The kernels of a device: module and code of each. A forgotten kernel stays until the faults of all pending launches have been read, as one of its launches may
//! run again on the interpreter.

use super::machine::Machine;
use super::memory::Memory;
use super::slot_map::SlotMap;
use super::{State, bug, launch};
use crate::code::{Module, generate, generate_for};
use nestled_ir::{KernelId, Program};
use nestled_rt::When;
use nestled_rt::device::{
    Compiled, DeviceError, InPlace, KernelHandle, KernelRequest, Launch, Made, Origin, in_place_interpreted,
};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// A prepared kernel.
#[derive(Debug)]
pub(super) struct Prepared<M: Machine> {
    pub program: Arc<Program>,
    pub kernel: KernelId,
    /// The module, or the reason why there is none.
    pub module: Result<Rc<Module>, Rc<str>>,
    /// Compiled at the first launch.
    code: Option<Arc<M::Code>>,
}

impl<M: Machine> Prepared<M> {
    /// Creates a kernel that is not compiled yet.
    pub fn new(program: Arc<Program>, kernel: KernelId, module: Result<Rc<Module>, Rc<str>>) -> Prepared<M> {
        Prepared { program, kernel, module, code: None }
    }

    /// Releases its code.
    fn give_up(&mut self, memory: &Memory<M>) {
        if let (Ok(module), Some(code)) = (&self.module, self.code.take()) {
            memory.queue().codes().give_up(&module.text, code);
        }
    }
}

/// All kernels, by handle.
#[derive(Debug)]
pub(super) struct Kernels<M: Machine> {
    list: SlotMap<Prepared<M>>,
    forgotten: Vec<KernelHandle>,
}

impl<M: Machine> Default for Kernels<M> {
    fn default() -> Kernels<M> {
        Kernels { list: SlotMap::default(), forgotten: Vec::new() }
    }
}

impl<M: Machine> Kernels<M> {
    pub fn add(&mut self, prepared: Prepared<M>) -> KernelHandle {
        KernelHandle(self.list.insert(prepared))
    }

    pub fn get(&self, handle: KernelHandle) -> Result<&Prepared<M>, DeviceError> {
        self.list.get(handle.0).ok_or_else(|| bug("an unknown kernel"))
    }

    fn get_mut(&mut self, handle: KernelHandle) -> Result<&mut Prepared<M>, DeviceError> {
        self.list.get_mut(handle.0).ok_or_else(|| bug("an unknown kernel"))
    }

    /// Marks a kernel as forgotten.
    pub fn forget(&mut self, handle: KernelHandle) {
        self.forgotten.push(handle);
    }

    /// Removes forgotten kernels: none of their launches is pending.
    pub fn forget_all(&mut self, memory: &Memory<M>) {
        for handle in self.forgotten.drain(..) {
            if let Some(mut prepared) = self.list.remove(handle.0) {
                prepared.give_up(memory);
            }
        }
    }

    /// Removes all kernels.
    pub fn end(&mut self, memory: &Memory<M>) {
        self.list.drain().for_each(|mut prepared| prepared.give_up(memory));
    }
}

impl<M: Machine> State<M> {
    /// Generates the module of a kernel.
    pub(super) fn prepare(&mut self, program: &Arc<Program>, request: &KernelRequest) -> Compiled {
        let start = Instant::now();
        let module = generate(program, request.kernel, self.memory.dialect());
        let in_place = match &module {
            Ok(module) => in_place(program, request.kernel, module),
            Err(_) => in_place_interpreted(program.kernel(request.kernel)),
        };
        let made = module.is_ok().then(|| Made { origin: Origin::Later, when: When::since(start) });
        let module = module.map(Rc::new).map_err(|error| error.what.into());
        let handle = self.kernels.add(Prepared::new(Arc::clone(program), request.kernel, module));
        Compiled { handle, in_place, made }
    }

    /// Returns the module for a launch, if there is code for it.
    pub(super) fn module(&mut self, launch: &Launch<'_>) -> Result<Option<Rc<Module>>, DeviceError> {
        let prepared = self.kernels.get(launch.kernel)?;
        let mut module = prepared.module.clone();
        if let Ok(known) = &module
            && !known.private_sizes.is_empty()
        {
            let kernel = prepared.program.kernel(prepared.kernel);
            let size = launch::private_size(&self.memory, kernel, known, launch)?;
            if size > known.capacity {
                // Modules for longer private arrays serve shorter launches too.
                let size = size.checked_next_power_of_two().unwrap_or(u64::MAX);
                let (program, dialect) = (&prepared.program, self.memory.dialect());
                module = generate_for(program, prepared.kernel, dialect, size)
                    .map(Rc::new)
                    .map_err(|error| error.what.into());
                if let Ok(longer) = &module {
                    let prepared = self.kernels.get_mut(launch.kernel)?;
                    prepared.give_up(&self.memory);
                    prepared.module = Ok(Rc::clone(longer));
                }
            }
        }
        Ok(module.map_err(|why| self.counts.interpreted(&why)).ok())
    }

    /// Returns the code of a kernel.
    pub(super) fn code(
        &mut self,
        handle: KernelHandle,
        module: &Module,
    ) -> Result<Arc<M::Code>, DeviceError> {
        let prepared = self.kernels.get_mut(handle)?;
        if let Some(code) = &prepared.code {
            return Ok(Arc::clone(code));
        }
        let (code, is_new) = self.memory.queue().code(module)?;
        if is_new {
            self.counts.compiled();
        }
        prepared.code = Some(Arc::clone(&code));
        Ok(code)
    }
}

impl<M: Machine> Drop for State<M> {
    fn drop(&mut self) {
        self.kernels.end(&self.memory);
    }
}

/// Returns the results that may overwrite an argument: where each point is visited once, and reads only at its own place.
fn in_place(program: &Program, kernel: KernelId, module: &Module) -> Vec<InPlace> {
    if !module.in_place { Vec::new() } else { launch::own_reads(program.kernel(kernel)) }
}
