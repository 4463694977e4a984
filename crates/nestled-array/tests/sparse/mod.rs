//! Sparse matrices: every operation against a plain one on the host, for all types of elements, on every device.

mod errors;
mod made;
mod plain;
mod products;
mod values;

use crate::devices;

#[test]
fn all_on_webgpu() {
    devices::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    devices::cuda(module_path!());
}
