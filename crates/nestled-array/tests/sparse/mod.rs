//! Sparse matrices: every operation against a plain one on the host, for all types of elements, on every device.

mod errors;
mod made;
mod plain;
mod products;
mod values;

use nestled_test::again;

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
