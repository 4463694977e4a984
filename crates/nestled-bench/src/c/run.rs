//! The C side of a benchmark: a function with its arrays.

use super::{Built, Function, Library, Memory};
use crate::bench::{Bench, CArguments};
use nestled_ir::value::Buffer;
use std::rc::Rc;
use std::sync::Arc;

/// A function with its arrays.
#[derive(Debug)]
pub struct CSide {
    library: Rc<Library>,
    function: Function,
    /// The author of the C.
    pub author: &'static str,
    inputs: Vec<Memory>,
    outputs: Vec<Memory>,
    sizes: Vec<i64>,
}

impl CSide {
    /// The function of a BLAS for a benchmark, or the experts', or our own, whichever is there first.
    pub fn new(bench: &Bench, arguments: &CArguments, built: &Built) -> Option<CSide> {
        let Built { library, has_peers, has_blas } = built;
        let known = [(*has_blas, "blas", "BLAS"), (*has_peers, "peer", "expert"), (true, "bench", "own")];
        let found = known.into_iter().filter(|(is_there, ..)| *is_there).find_map(|(_, prefix, author)| {
            let function = library.find(&format!("{prefix}_{}", bench.file()))?;
            Some((function, author))
        });
        let (function, author) = found?;
        let CArguments { inputs, outputs, sizes } = arguments;
        Some(CSide {
            library: Rc::clone(library),
            function,
            author,
            inputs: inputs.iter().map(|input| Memory::copy_of(library, input)).collect(),
            outputs: outputs.iter().map(|&(elem, len)| Memory::zeroed(library, elem, len)).collect(),
            sizes: sizes.iter().map(|&size| size as i64).collect(),
        })
    }

    /// Runs it once.
    pub fn run(&mut self) {
        self.library.call(self.function, &self.inputs, &mut self.outputs, &self.sizes);
    }

    /// Runs it once and copies the first results.
    pub fn results(&mut self, n_results: usize) -> Vec<Arc<Buffer>> {
        self.run();
        self.outputs[..n_results].iter().map(|output| Arc::new(output.to_buffer())).collect()
    }
}
