//! Device limits: refuses programs with kernels that the device cannot run.

use crate::device::Description;
use crate::error::Error;
use nestled_ir::verify::kernel_shape;
use nestled_ir::{Kernel, Program, ScalarType, Type};

/// An error unless every kernel is within the device's limits.
pub(crate) fn check_limits(program: &Program, device: &Description) -> Result<(), Error> {
    for kernel in &program.kernels {
        check_types(kernel, device)?;
        check_shape(program, kernel, device)?;
    }
    Ok(())
}

/// The first kernel that uses a type outside of `types`, by name, with that type.
pub fn missing_type<'p>(program: &'p Program, types: &[ScalarType]) -> Option<(&'p str, ScalarType)> {
    program.kernels.iter().find_map(|kernel| Some((&*kernel.name, missing(kernel, types)?)))
}

fn missing(kernel: &Kernel, types: &[ScalarType]) -> Option<ScalarType> {
    let values = kernel.values.iter().filter_map(|value| match &value.ty {
        Type::Array(array) => Some(array.elem),
        Type::Dim | Type::Seg(_) => None,
    });
    let locals = kernel.steps.iter().flat_map(|step| step.body.locals.iter().map(|local| local.ty));
    values.chain(locals).find(|ty| !types.contains(ty))
}

fn check_types(kernel: &Kernel, device: &Description) -> Result<(), Error> {
    match missing(kernel, &device.types) {
        None => Ok(()),
        Some(ty) => Err(Error::Unsupported {
            what: format!("the kernel `{}` uses `{ty}`, which {} does not have", kernel.name, device.name),
            help: narrower(ty).to_owned(),
            span: kernel.span,
        }),
    }
}

fn narrower(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::F64 | ScalarType::I64 | ScalarType::U64 => {
            "use 32-bit types (`--precision 32`), or run it on another device"
        }
        ScalarType::F16 => "use `f32`, or run it on another device",
        _ => "run it on another device",
    }
}

fn check_shape(program: &Program, kernel: &Kernel, device: &Description) -> Result<(), Error> {
    let shape = kernel_shape(program, kernel);
    let over = |found: usize, limit: usize, what: &str| Error::Unsupported {
        what: format!("the kernel `{}` has {found} {what}, but {} takes {limit}", kernel.name, device.name),
        help: "run the pass `split` for this device first".to_owned(),
        span: kernel.span,
    };
    if shape.n_sweeps() > device.sweeps {
        return Err(over(shape.n_sweeps(), device.sweeps, "sweeps"));
    }
    if shape.n_stages() > device.stages {
        return Err(over(shape.n_stages(), device.stages, "stages"));
    }
    Ok(())
}
