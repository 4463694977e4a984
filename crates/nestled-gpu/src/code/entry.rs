//! Emission of entry points.

use super::module::Entry;
use super::sizes::{Grid, When};
use super::writer::Writer;
use crate::dialect::Language;
use crate::text::Text;

/// Shared memory of a workgroup.
pub(super) struct Shared {
    /// The name of the array; a module may have several.
    pub name: String,
    /// The type of its elements.
    pub ty: String,
    /// Number of elements.
    pub len: u32,
}

impl Writer<'_> {
    /// Binds `at`, the number of the thread in the whole grid.
    pub fn thread(&self, text: &mut Text) {
        let value = format!("i32(wid * {}u + tid)", self.dialect.workgroup);
        text.line(self.dialect.constant("at", "i32", &value));
    }

    /// Adds an entry point. In its body `tid` is the number of the thread in its workgroup, and `wid` that of the workgroup.
    pub fn entry(&mut self, name: &str, grid: Grid, shared: &[Shared], body: Text) {
        let workgroup = self.dialect.workgroup;
        let shared: Vec<String> =
            shared.iter().map(|Shared { name, ty, len }| self.dialect.shared(name, ty, *len)).collect();
        let shared = shared.join("\n");
        let body = body.finish();
        let text = match self.dialect.language {
            Language::Wgsl => format!(
                "{shared}\n@compute @workgroup_size({workgroup})\n\
                 fn {name}(@builtin(local_invocation_index) tid: u32, @builtin(workgroup_id) group: vec3<u32>, \
                 @builtin(num_workgroups) groups: vec3<u32>) {{\n\
                 let wid: u32 = group.y * groups.x + group.x;\n{body}}}\n"
            ),
            Language::Cuda => format!(
                "__device__ void {name}() {{\n{shared}\nconst u32 tid = threadIdx.x;\n\
                 const u32 wid = blockIdx.y * gridDim.x + blockIdx.x;\n{body}}}\n"
            ),
        };
        self.define(text);
        // Without this bound the assembler spills a few registers to raise occupancy.
        self.entries.push(Entry { name: name.to_owned(), grid, when: When::Always, at_once: 1 });
    }
}
