//! Tiled matrix multiplication in shared memory, on machines with warps. Its text is `rts/cuda/matmul.cuh`; it replaces the kernels in `rts/native`,
//! and its parameters have the same layout.

use super::module::{Entry, Module, Told, whole};
use super::sizes::{Grid, Size, When};
use super::{Unsupported, generate};
use crate::dialect::{Dialect, Language};
use crate::params::Layout;
use crate::repr::Repr;
use nestled_ir::{KernelId, Program};

/// The library text in front of the module's own.
const TEXT: &str = include_str!("../../rts/cuda/matmul.cuh");

/// Rows and columns of a tile, as in the text.
const SIDE: u32 = 64;

/// Generates the module of a kernel of the library of native operations.
///
/// # Errors
/// If the kernel uses an unsupported construct.
pub fn generate_native(
    program: &Program,
    kernel: KernelId,
    dialect: &Dialect,
) -> Result<Module, Unsupported> {
    let module = generate(program, kernel, dialect)?;
    let is_product = *program.kernel(kernel).name == *"product";
    if dialect.language == Language::Cuda && is_product {
        return Ok(product(program, kernel, dialect, module));
    }
    Ok(module)
}

fn product(program: &Program, kernel: KernelId, dialect: &Dialect, module: Module) -> Module {
    let kernel = program.kernel(kernel);
    let layout = Layout::new(kernel);
    let array = kernel.values[kernel.params[0].index()].ty.as_array().expect("matrices are arrays");
    let repr = Repr::of(array.elem);
    let (ty, name) = (repr.ty(), repr.name());
    let extent = |at| format!("extent({}u)", layout.shape_size(at));
    let (n, k, m) = (extent(0), extent(1), extent(2));
    let lies = repr.memory_type();
    let pointer = |what: &str, word: u32| format!("({what}{lies}*)address({word}u)");
    let (left, right) = (pointer("const ", layout.param(0)), pointer("const ", layout.param(1)));
    let result = pointer("", layout.result(0));
    let body = format!(
        "__device__ void pass0() {{\n  product<{ty}>({n}, {k}, {m}, {left}, {right}, {result}, \
         []({ty} sum, {ty} a, {ty} b) {{ return add_{name}(sum, mul_{name}(a, b)); }});\n}}\n"
    );
    let grid = Grid::Groups(Size::Blocks { side: SIDE });
    let entries = vec![Entry { name: "pass0".to_owned(), grid, when: When::Always, at_once: 1 }];
    let dialect = Dialect { library: format!("{}\n{TEXT}", dialect.library), ..dialect.clone() };
    let (n_words, numbers) = (layout.n_words(), layout.numbers(kernel));
    let text = whole(&dialect, &body, &entries, &Told { n_words, numbers, n_sites: 0 });
    let counts = false;
    Module { text, entries, scratch: Vec::new(), layout, n_words, counts, in_place: false, ..module }
}
