//! Runs λcu programs: an executor of host code above one narrow trait, [`Device`](device::Device), and the reference device.
#![forbid(unsafe_code)]

mod lower;
mod b { use nestled_ir::*; #[derive(Debug)] pub struct Buffer; impl Buffer { pub fn from_scalars(_:ScalarType,_:&[Scalar])->Buffer{Buffer} } }
