//! The demand for an array: how often the runs of a function read each of its elements.

use super::consumer::Site;
use super::head::Head;
use nestled_ir::{Axis, Type};

/// The demand of a function's runs for an array.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// Greatest number of reads of one element, by all runs for which fusion does not keep it in a register.
    pub reads: u32,
    /// Number of reads over another space, whose extents are not known: one element may be read by any number of points (`wrap`, `clamp`).
    pub uneven: u32,
    /// Whether fusion may keep it in a register for some run.
    pub in_register: bool,
    /// Number of its uses as operands of runs that were analysed.
    pub known: u32,
    /// Number of uses that may read an element any number of times, or cannot become code.
    pub blocked: u32,
}

/// Returns the average number of points that read an element of an array at a site, rounded up; `None` if the extents that decide it are not known. `array` is its type in the
/// function.
pub fn points_to_element(array: &Type, site: &Site, head: &Head<'_>) -> Option<u32> {
    let array = array.as_array()?;
    let space = head.host_space();
    if site.reads_once || space.starts_with(&array.shape.axes) {
        return Some(1);
    }
    let level = head.kernel.steps[site.step].level().0;
    let (readers, elements) = (known_points(space.get(..level)?)?, known_points(&array.shape.axes)?);
    u32::try_from(readers.div_ceil(elements.max(1))).ok()
}

/// Returns the number of points of axes whose extents are numbers of the program.
pub fn known_points(axes: &[Axis]) -> Option<u64> {
    axes.iter().try_fold(1u64, |points, axis| match axis {
        Axis::Const(extent) => Some(points.saturating_mul(*extent)),
        Axis::Sym(_) => None,
    })
}
