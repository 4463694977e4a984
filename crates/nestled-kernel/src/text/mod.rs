//! The text form of plans, as described in `docs/plans.md`.
//!
//! The legalised kernel as λcu, followed by the plan. [`print()`] and [`parse()`] are inverse to each other; [`schedule()`] prints the plan alone,
//! and [`summary()`] one line for each nest, which names every strategy.

mod parse;
mod print;
mod summary;
mod words;

pub use parse::{Malformed, parse};
pub use print::{print, schedule};
pub use summary::summary;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sizes, Target, plan, verify::verify};

    const BLUR: &str = "kernel k(xs: [n, m]f32) over n, m {
  a = map { y, x => mul xs[y, x] 2.0 }
  b = map { y, x => add a[y - 1 clamp, x] (add a[y, x] a[y + 1 clamp, x]) }
  s = reduce { y, x => b[y, x] } add
  ret b, s
}
";

    #[test]
    fn what_is_printed_parses() {
        let program = nestled_ir::text::parse("test", BLUR).unwrap();
        for (vector_bits, avx512) in [(512, true), (128, false)] {
            let target = Target { vector_bits, avx512, f16c: avx512 };
            for sizes in [Sizes::default(), Sizes { wide: true, streaming: true }] {
                let plan = plan(&program, &program.kernels[0], &target, sizes);
                assert_eq!(verify(&program, &plan), Ok(()));
                let text = print(&program, &plan);
                let (parsed, again) = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(again, plan, "{text}");
                assert_eq!(print(&parsed, &again), text);
            }
        }
    }

    #[test]
    fn what_is_no_plan_is_refused_with_its_line() {
        let program = nestled_ir::text::parse("test", BLUR).unwrap();
        let target = Target { vector_bits: 512, avx512: true, f16c: true };
        let text = print(&program, &plan(&program, &program.kernels[0], &target, Sizes::default()));
        for (old, new) in
            [("lanes 16", "lanes many"), ("vectors", "wings"), ("level 2", "level"), ("reads", "eats")]
        {
            let Some(at) = text.lines().position(|line| line.contains(old)) else { continue };
            let error = parse(&text.replacen(old, new, 1)).expect_err("it is malformed");
            assert_eq!(error.line, at + 1, "{error}");
        }
    }
}
