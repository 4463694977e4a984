//! The kernels of the device: compiled where that can be, else left to the interpreter.
#![allow(unsafe_code)] // Launches compiled code.

use super::memory::{Memory, bug};
use super::objects::Objects;
use crate::codegen::{Generated, Target, generate};
use crate::kernel::{LoadedKernel, RawArg, RawLaunch, RawShape, RawSlice, Workspace, coordinates};
use crate::object::{Code, Symbols};
use crate::pool::Pool;
use nestled_ir::{KernelId, Program};
use nestled_rt::device::{
    Arg, Compiled, DeviceError, DeviceFault, KernelHandle, KernelRequest, Launch, Made, ShapeArg,
};
use std::sync::Arc;

/// A kernel that was asked for.
#[derive(Debug)]
pub(super) struct Prepared {
    /// The program it is in.
    pub program: Arc<Program>,
    /// Which kernel.
    pub kernel: KernelId,
    loaded: Option<LoadedKernel>,
}

/// All kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    list: Vec<Prepared>,
    target: Target,
    compiles: bool,
    workspace: Workspace,
    shapes: Vec<RawShape>,
    args: Vec<RawArg>,
    results: Vec<RawSlice>,
}

// SAFETY of the lists: what they hold is written anew for each launch and read only during it.

impl Kernels {
    /// None yet.
    pub(super) fn new(target: Target, compiles: bool) -> Kernels {
        Kernels {
            list: Vec::new(),
            target,
            compiles,
            workspace: Workspace::default(),
            shapes: Vec::new(),
            args: Vec::new(),
            results: Vec::new(),
        }
    }

    /// A kernel.
    pub(super) fn get(&self, handle: KernelHandle) -> Result<&Prepared, DeviceError> {
        self.list.get(handle.0 as usize).ok_or_else(|| bug("a kernel that was never compiled"))
    }

    /// Prepares kernels.
    pub(super) fn prepare(
        &mut self,
        pool: &Pool,
        objects: &mut Objects,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError> {
        let write = |request: &KernelRequest| {
            let wanted = self.compiles.then(|| generate(program, request.kernel, request.wide, &self.target));
            // What no code is written for is left to the interpreter.
            wanted.and_then(Result::ok)
        };
        let generated: Vec<Option<Generated>> = requests.iter().map(write).collect();
        let texts: Vec<&str> = generated.iter().flatten().map(|generated| generated.text.as_str()).collect();
        let found = objects.get(pool, &texts).map_err(|error| bug(error.to_string()))?;
        let mut found = found.into_iter();
        let mut answers = Vec::with_capacity(requests.len());
        for (request, generated) in requests.iter().zip(generated) {
            let object = generated.as_ref().and_then(|_| found.next().flatten());
            let mut made: Option<Made> = None;
            let mut loaded = None;
            if let (Some(generated), Some(object)) = (generated, object) {
                let symbols = Symbols::c_memory().with_c_math();
                let code = Code::load(&object.bytes, &symbols).map_err(|error| bug(error.to_string()))?;
                loaded = LoadedKernel::new(generated.plan, code);
                made = Some(object.made);
            }
            let handle = KernelHandle(self.list.len() as u64);
            self.list.push(Prepared { program: Arc::clone(program), kernel: request.kernel, loaded });
            answers.push(Compiled { handle, in_place: Vec::new(), made });
        }
        Ok(answers)
    }

    /// Launches compiled code; nothing if there is none.
    pub(super) fn launch(
        &mut self,
        pool: &Pool,
        memory: &Memory,
        launch: &Launch<'_>,
    ) -> Result<Option<Option<DeviceFault>>, DeviceError> {
        let Some(prepared) = self.list.get(launch.kernel.0 as usize) else {
            return Err(bug("a kernel that was never compiled"));
        };
        let Some(loaded) = &prepared.loaded else { return Ok(None) };
        let Kernels { shapes, args, results, workspace, .. } = self;
        shapes.clear();
        args.clear();
        results.clear();
        for shape in launch.shapes {
            shapes.push(raw_shape(memory, shape)?);
        }
        for arg in launch.args {
            args.push(raw_arg(memory, arg)?);
        }
        for &result in launch.results {
            results.push(memory.place(result)?);
        }
        let raw = RawLaunch { shapes, args, results };
        // SAFETY: the executor answers for sizes; places were looked up just now, and buffers have margins.
        let fault = unsafe { loaded.launch(pool, &raw, workspace) };
        let fault = fault.map_err(|error| DeviceError::OutOfMemory { wanted: error.wanted, free: None })?;
        Ok(Some(fault.map(|fault| DeviceFault {
            region: launch.region,
            site: fault.site,
            element: fault.element,
            point: coordinates(&loaded.plan.kernel, &raw, fault.level, fault.element),
            kind: fault.kind,
        })))
    }
}

fn raw_shape(memory: &Memory, shape: &ShapeArg) -> Result<RawShape, DeviceError> {
    Ok(match *shape {
        ShapeArg::Extent(extent) => RawShape::Extent(memory.exact(extent)?),
        ShapeArg::Regular { length } => RawShape::Regular { length: memory.exact(length)? },
        ShapeArg::Offsets { offsets, total } => {
            let place = memory.place(offsets)?;
            let total = memory.exact(total)?;
            RawShape::Offsets { offsets: place.data.cast_const().cast(), len: place.len, total }
        }
    })
}

fn raw_arg(memory: &Memory, arg: &Arg) -> Result<RawArg, DeviceError> {
    Ok(match *arg {
        Arg::Scalar(scalar) => RawArg::Scalar(scalar),
        Arg::Cell(cell) => RawArg::Scalar(memory.number(cell)?),
        Arg::Dense(slice) => {
            let place = memory.place(slice)?;
            RawArg::Dense { data: place.data, len: place.len }
        }
        Arg::View { data, starts } => {
            let (place, starts) = (memory.place(data)?, memory.place(starts)?);
            RawArg::View {
                data: place.data,
                len: place.len,
                starts: starts.data.cast_const().cast(),
                n_starts: starts.len,
            }
        }
    })
}
