//! `MAX` and `MIN` of floats.
//!
//! The original goes from left to right by `acc > x ? acc : x`, from an ordinary number. So of equal numbers the later one stays, which tells zeros apart;
//! and a NaN takes the place of all that was before it, until the next element takes its place.
//!
//! ```text
//! MAX_REDUCE FLOAT  ⟶  kernel: the greatest by `max`, and the place and sign of the last zero, which is its sign if it is zero
//!                      kernel: where that is a NaN, the greatest of what comes after the last NaN
//! ```
//!
//! Both reductions of the first kernel are built in, and join others; the second one hardly ever has anything to do. Scans are by a monoid that
//! remembers whether there was a NaN.

use super::slot::Descr;
use super::vector::{Space, space, symbols, under};
use super::{Lower, Lowering};
use crate::syntax::instr::Fold;
use nestled_ir::{HostAtom, ScalarType, Span, ValueId};

/// Which way, in the words of λcu.
struct Way {
    /// The operation.
    name: &'static str,
    /// Whether the left one is farther out.
    beats: &'static str,
    /// What no number beats it from.
    unit: &'static str,
    /// What the original starts from: an ordinary number, of 32 bits.
    start: f32,
}

fn way(fold: Fold) -> Way {
    match fold {
        Fold::Min => Way { name: "min", beats: "lt", unit: "inf", start: 1e36 },
        _ => Way { name: "max", beats: "gt", unit: "-inf", start: -1e36 },
    }
}

impl Lowering<'_> {
    /// The kernel of `MAX_SCAN FLOAT` or `MIN_SCAN FLOAT`.
    pub fn extreme_scan(&self, fold: Fold, descr: Descr) -> String {
        let Space { shapes, over, map, at, own, ty } = space(under(descr));
        let Way { name, beats, unit, start } = way(fold);
        let float = self.options.float;
        let start = f64::from(start);
        let within = if matches!(descr, Descr::Many { .. }) { "@1" } else { "@0" };
        // The second value: 0 for nothing, 1 for numbers, 2 for what had a NaN in it, before which nothing counts.
        format!(
            "thunk later_{name}(x: {float}, p: i32, y: {float}, q: i32) -> ({float}, i32) {{
  stays = and (ne q 2) (or (eq q 0) ({beats} x y))
  (select stays x y), (max p q)
}}
monoid ordered_{name} exact = unit ({unit}.{float}, 0i32) combine later_{name}
kernel k{shapes}(v: {ty}{float}) {over} {{
  (x, p) = scan {within} {{ {at} =>
    e = v{own}
    e, (select (ne e e) 2i32 1i32)
  }} ordered_{name} exclusive forward
  scan0 = {map}
    e = x[{at}]
    select (and (ne p[{at}] 2) ({beats} {start:?}{float} e)) {start:?}{float} e
  }}
  ret scan0
}}"
        )
    }

    /// `MAX_REDUCE FLOAT` or `MIN_REDUCE FLOAT`
    pub fn extreme_reduce(
        &mut self,
        fold: Fold,
        name: &str,
        given: HostAtom,
        descr: Descr,
        span: Span,
    ) -> Lower<ValueId> {
        let found = self.run(self.extreme_number(fold, descr), name, symbols(descr), vec![given], span)?[0];
        let text = self.extreme_after_nan(fold, descr);
        let args = vec![given, HostAtom::Value(found)];
        Ok(self.run(text, &format!("{name} past NaN"), symbols(descr), args, span)?[0])
    }

    /// The first kernel of a reduction, which is right unless there is a NaN.
    fn extreme_number(&self, fold: Fold, descr: Descr) -> String {
        let Space { shapes, over, at, own, ty, .. } = space(under(descr));
        let Way { name, beats, start, .. } = way(fold);
        let float = self.options.float;
        let start = f64::from(start);
        let bits = if float == ScalarType::F64 { "i64" } else { "i32" };
        let (to, outer, own_at) = match descr {
            Descr::Single(_) => ("@0", "once { =>", ""),
            Descr::Many { .. } => ("@1", "map { i =>", "[i]"),
        };
        let last = at.rsplit(", ").next().unwrap_or(at);
        format!(
            "kernel k{shapes}(v: {ty}{float}) {over} {{
  x = reduce {to} {{ {at} => v{own} }} {name}
  z = reduce {to} {{ {at} =>
    e = v{own}
    select (eq e 0.0) (add (mul {last} 2) (idx (ge (bitcast_{bits} e) 0))) -1
  }} max
  reduce0 = {outer}
    e = x{own_at}
    zero = select (eq (and z{own_at} 1) 1) 0.0{float} -0.0{float}
    select (eq e 0.0) zero (select ({beats} {start:?}{float} e) {start:?}{float} e)
  }}
  ret reduce0
}}"
        )
    }

    /// The second kernel: from the end to the last NaN, of equal numbers the one that is met first.
    fn extreme_after_nan(&self, fold: Fold, descr: Descr) -> String {
        let Way { beats, .. } = way(fold);
        let float = self.options.float;
        let (kernel, ret, outer, found, len, at) = match descr {
            Descr::Single(_) => {
                ("kernel k<n>(v: [n]", &format!("x: {float}) {{"), "once { =>", "x", "n", "k clamp")
            }
            Descr::Many { .. } => (
                "kernel k<m, s: seg[m]>(v: [s]",
                &format!("x: [m]{float}) over m {{"),
                "map { i =>",
                "x[i proved]",
                "len s[i]",
                "i proved, k clamp",
            ),
        };
        format!(
            "{kernel}{float}, {ret}
  reduce0 = {outer}
    e = {found}
    if ne e e {{
      n_elements = {len}
      (last, _, _) = while (acc = nan.{float}, k = sub n_elements 1, more = true) {{ and more (ge k 0) }} do {{
        y = v[{at}]
        number = eq y y
        farther = or (ne acc acc) ({beats} y acc)
        (select (and number farther) y acc), (sub k 1), number
      }}
      last
    }} else {{
      e
    }}
  }}
  ret reduce0
}}"
        )
    }
}
