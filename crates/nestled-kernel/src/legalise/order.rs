//! Reorders maps by stage, so that they fuse into few nests and keep few rows.
//!
//! A value that is read through a window must have been computed by an earlier nest, and a nest takes combinators in kernel order. So combinators are
//! sorted by their [*stage*](crate::stages).
//!
//! ```text
//! a, blur of a, b, blur of b, c, blur of c          before: a | blur of a, b | blur of b, c | blur of c
//! a, b, c, blur of a, blur of b, blur of c          after:  a, b, c | blur of a, blur of b, blur of c
//! ```
//!
//! In the first order, run band by band, each nest would have to run ahead of the next one by the reach of a window, and the rows that are kept would
//! add up in the same way.
//!
//! If a few columns of all chains are more than the first-level cache holds, the map at their end is split (`fission.rs`), and the chains run a few
//! at a time (a [*bundle*](super::bundle)), each with its part of the end:
//!
//! ```text
//! a, b | blur of a, blur of b | their part of the end | c, d | blur of c, blur of d | …
//! ```

use super::bundle::{bundles, too_many_columns};
use crate::stages::known_stages;
use nestled_ir::Kernel;

/// Sorts the combinators of a kernel of maps by bundle and stage, if there are windows among them.
pub fn by_stage(kernel: &mut Kernel) {
    let Some(stages) = known_stages(&kernel.steps) else { return };
    let bundles = match too_many_columns(kernel) {
        Some(columns) => bundles(&kernel.steps, &stages, &columns),
        None => vec![0; kernel.steps.len()],
    };
    let places = bundles.into_iter().zip(stages);
    let mut steps: Vec<_> = places.zip(kernel.steps.drain(..)).collect();
    steps.sort_by_key(|(place, _)| *place);
    kernel.steps.extend(steps.into_iter().map(|(_, step)| step));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legalise::fission::fission_maps;
    use crate::memory::Memory;
    use crate::nest::nests;
    use crate::rolling::bands;

    /// A kernel that adds up several blurs.
    fn blurs(count: usize) -> nestled_ir::Program {
        let mut text = "kernel k(xs: [n, m]f32) over n, m {\n  c0 = map { i, j => xs[i, j] }\n".to_owned();
        for k in 0..count {
            text += &format!("  a{k} = map {{ i, j => mul xs[i, j] {k}.0 }}\n");
            text += &format!("  b{k} = map {{ i, j => add a{k}[i - 1 clamp, j] a{k}[i + 1 clamp, j] }}\n");
            text += &format!("  c{} = map {{ i, j => add c{k}[i, j] b{k}[i, j] }}\n", k + 1);
        }
        text += &format!("  ret c{count}\n}}\n");
        text += "fn main<n, m>(xs: [n, m]f32) -> [n, m]f32 {\n  ys = run k(xs)\n  ret ys\n}\n";
        nestled_ir::text::parse("test", &text).unwrap()
    }

    #[test]
    fn three_blurs_are_two_nests() {
        let program = blurs(3);
        let kernel = &program.kernels[0];
        assert_eq!(nests(&program, kernel).len(), 7);
        let mut sorted = kernel.clone();
        by_stage(&mut sorted);
        assert_eq!(nests(&program, &sorted).len(), 2);
    }

    #[test]
    fn many_blurs_go_a_few_at_a_time() {
        let program = blurs(40);
        let mut sorted = program.kernels[0].clone();
        fission_maps(&mut sorted);
        by_stage(&mut sorted);
        let nests = nests(&program, &sorted);
        // Five blurs are a bundle: two nests each.
        assert_eq!(nests.len(), 16);
        let bands = bands(&sorted, &nests, &Memory::new(&sorted, &nests));
        assert_eq!(bands.len(), 1);
        // No bundle has to be ahead of the next.
        assert_eq!(bands[0].stages.iter().map(|stage| stage.ahead).max(), Some(1));
        // What goes from bundle to bundle shares its memory.
        assert_eq!(bands[0].rooms.iter().filter(|room| room.kept == 0).count(), 2);
    }
}
