//! Gravity in the plane as in `examples/barnes_hut.nesl`: bodies that are far away pull as groups.

use crate::nesl::functions;
use nestled::Array;

nestled::nesl! {
    format!("{}{}", functions(include_str!("../../barnes_hut.nesl")), "
        function forces(xs, ys, masses) =
          let pulls = accelerations({(x, y, m) : x in xs; y in ys; m in masses}, 0.5, 0.0001)
          in ({ax : (ax, ay) in pulls}, {ay : (ax, ay) in pulls});
    ");
    /// The pull on each body, along each axis.
    pub fn forces(xs: Array<f64>, ys: Array<f64>, masses: Array<f64>) -> (Array<f64>, Array<f64>);
}
