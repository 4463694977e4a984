//! The side of C: a function with its arrays.

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
    /// Who wrote it.
    pub author: &'static str,
    inputs: Vec<Memory>,
    outputs: Vec<Memory>,
    sizes: Vec<i64>,
}

impl CSide {
    /// The experts' function for a benchmark, or our own; `None` if neither is there.
    pub fn new(bench: &Bench, arguments: &CArguments, built: &Built) -> Option<CSide> {
        let Built { library, has_peers: _ } = built;
        let find = |prefix: &str| library.find(&format!("{prefix}_{}", bench.file()));
        let peer = find("peer").map(|function| (function, "expert"));
        let (function, author) = peer.or_else(|| find("bench").map(|function| (function, "own")))?;
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
