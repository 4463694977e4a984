//! `serial`: a sequential thunk, run once, that updates copies of arrays.

use crate::id::ValueId;
use crate::interp::capture::Capture;
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::kernel::Combinator;
use crate::scalar::Scalar;
use crate::value::Buffer;

/// Runs a `serial`.
pub(in crate::interp) fn serial(
    launch: &mut Launch<'_, '_>,
    step: &Combinator,
    bases: &[ValueId],
) -> Result<(), Error> {
    let mut given = Vec::new();
    for &base in bases {
        let elements = elements(launch, base);
        launch.tools.take(elements.len() as u64, size_of::<Scalar>())?;
        launch.tools.meter.step(elements.len() as u64 / 16)?;
        given.push(elements);
    }
    let types = launch.result_types(step);
    let (results, ended) = launch.tools.serial(&launch.captures, step, &types, &mut given)?;
    let (arrays, scalars) = step.binds.split_at(bases.len());
    for ((&bind, base), elements) in arrays.iter().zip(bases).zip(given) {
        let ty = launch.kernel.values[base.index()].ty.as_array().expect("the verifier checks bases");
        let mut buffer = launch.tools.buffer(ty.elem, elements.len() as u64)?;
        if ended {
            elements.into_iter().enumerate().for_each(|(at, element)| buffer.set(at, element));
        }
        let shape = launch.bindings.shape(&ty.shape).expect("parameters have shapes of parameters");
        launch.keep_arrays(&[bind], &shape, vec![buffer]);
    }
    for ((&bind, &ty), value) in scalars.iter().zip(&types).zip(results) {
        let mut buffer = Buffer::zeroed(ty, 1);
        buffer.set(0, value);
        launch.keep_arrays(&[bind], &[], vec![buffer]);
    }
    Ok(())
}

/// The elements of a base, one after another.
fn elements(launch: &Launch<'_, '_>, base: ValueId) -> Vec<Scalar> {
    let Capture::Array { data, .. } = launch.captures.get(base) else {
        unreachable!("the verifier lets only array parameters be a base");
    };
    (0..data.len()).map(|at| data.get(at)).collect()
}
