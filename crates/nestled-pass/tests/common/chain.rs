//! A large program.

use std::fmt::Write;

/// A chain of kernels that `main` runs one after another, each with something to simplify.
pub fn source(n_kernels: usize) -> String {
    let mut source = String::new();
    for k in 0..n_kernels {
        let _ = write!(
            source,
            "kernel k{k}(xs: [n]i32, unused: [n]i32) over n {{
  p = map {{ i => add (mul xs[i] 1) {k} }}
  q = map {{ i => add xs[i] {k} }}
  y = map {{ i =>
    s = for j in 0..4 with (s = 0i32) {{ add s (sub (mul 2 p[i]) (add 0 q[i])) }}
    add s (add xs[i] (add 1 (add 2 p[i])))
  }}
  d = reduce {{ i => div xs[i] 3 }} add
  ret y, d
}}
"
        );
    }
    source.push_str("fn main(xs: [n]i32) -> [n]i32 {\n");
    for k in 0..n_kernels {
        let before = if k == 0 { "xs".to_owned() } else { format!("y{}", k - 1) };
        let _ = writeln!(source, "  (y{k}, d{k}) = run k{k}({before}, xs)");
    }
    let _ = writeln!(source, "  ret y{}\n}}", n_kernels - 1);
    source
}
