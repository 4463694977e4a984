//! Vectorised maps: a thread computes four neighbouring points, so that compilers merge their loads and stores into vector accesses.
//!
//! ```text
//! if (a block's points are all there && aligned) {     addresses are multiples of 16, as are rows: the compiler is told so
//!   four neighbours are computed                       nothing is stored in between, lest no load may pass a store
//!   four values are stored
//! } else { … one after another, each thread the next }
//! ```
//!
//! In the interior of a grid the version of `interior.rs` is computed.

use super::Unsupported;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::plan::Pass;
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Placement, Type, ValueId};
use std::collections::BTreeMap;

/// The functions that compute the stored values of a pass of maps at a point.
pub(super) struct Computing {
    /// The function that tells whether a point is in the interior, if there is an interior version.
    pub inside: Option<String>,
    /// The function for any point.
    pub compute: String,
    /// The function for an interior point.
    pub inner: Option<String>,
    /// The type that they return, with fields `v0`, `v1` … for the stored values.
    pub values: String,
    /// The values that are stored.
    pub made: Vec<ValueId>,
}

impl Writer<'_> {
    /// Returns the words with the addresses of the arrays that a pass may load or store in fours.
    pub fn addresses(&self, pass: &Pass) -> Vec<u32> {
        let mut words = Vec::new();
        for (at, &param) in self.kernel.params.iter().enumerate() {
            if let Type::Array(array) = &self.kernel.values[param.index()].ty
                && array.placement == Placement::Dense
                && !array.shape.is_scalar()
            {
                words.push(self.layout.param(at));
            }
        }
        for &at in pass.maps.iter().chain(&pass.sink) {
            let step = &self.kernel.steps[at];
            if pass.maps.contains(&at) {
                for &bind in &step.binds {
                    words.extend(self.results_of(bind).into_iter().map(|at| self.layout.result(at)));
                }
            }
            let (own, _) = step.reads();
            for value in step.binds.iter().chain(&own) {
                words.extend(self.home(*value).filter(|home| home.level == pass.level).map(|home| home.word));
            }
        }
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Emits the functions that compute the stored values of a pass of maps at a point.
    pub fn computing_both(&mut self, number: usize, pass: &Pass) -> Result<Computing, Unsupported> {
        let inside = self.write_inside(number, pass);
        let (compute, made) = self.computing(number, pass)?;
        let inner = match inside.is_some() {
            true => {
                self.inner = true;
                let inner = self.computing(number, pass);
                self.inner = false;
                Some(inner?.0)
            }
            false => None,
        };
        let reprs: Vec<Repr> = made.iter().map(|&bind| Repr::of(self.elem(bind))).collect();
        let values = self.results_type(&reprs);
        Ok(Computing { inside, compute, inner, values, made })
    }

    /// Emits one of these functions. Returns its name and the values that it computes.
    fn computing(&mut self, number: usize, pass: &Pass) -> Result<(String, Vec<ValueId>), Unsupported> {
        let point = self.point_type(pass.level);
        let mut body = Text::default();
        let mut held = BTreeMap::new();
        let mut made = Vec::new();
        for &position in &pass.maps {
            self.compute_step(&mut body, position, &mut held)?;
            for &bind in &self.kernel.steps[position].binds {
                if self.home(bind).is_some() {
                    made.push((bind, held[&bind].clone()));
                }
            }
        }
        let reprs: Vec<Repr> = made.iter().map(|&(bind, _)| Repr::of(self.elem(bind))).collect();
        let values = self.results_type(&reprs);
        let compute = format!("{}{number}", if self.inner { "compute_inner" } else { "compute" });
        let mut text = Text::default();
        text.open(self.dialect.function(&compute, &[("p".into(), point)], Some(&values)));
        text.append(body);
        let fields: Vec<String> =
            std::iter::once("true".to_owned()).chain(made.iter().map(|(_, value)| value.clone())).collect();
        text.line(format!("return {};", self.dialect.make(&values, &fields)));
        text.close();
        self.define(text.finish());
        Ok((compute, made.into_iter().map(|(bind, _)| bind).collect()))
    }

    /// Emits a pass of maps that computes four points at a time.
    pub fn map_by_fours(&mut self, number: usize, pass: &Pass) -> Result<(), Unsupported> {
        let (level, point, locate) = (pass.level, self.point_type(pass.level), self.locate(pass.level));
        let Computing { inside, compute, inner, values, made } = self.computing_both(number, pass)?;
        let keep = format!("keep{number}");
        let mut text = Text::default();
        let params = [("at".to_owned(), "i32".to_owned()), ("values".to_owned(), values.clone())];
        text.open(self.dialect.function(&keep, &params, None));
        for (position, &bind) in made.iter().enumerate() {
            self.store_bind(&mut text, bind, "at", &format!("values.v{position}"));
        }
        text.close();
        self.define(text.finish());

        let mut text = Text::default();
        let (points, per_group) = (self.points(level), 4 * self.dialect.workgroup);
        let addresses = self.addresses(pass);
        text.line(format!("const i32 points = {points};"));
        text.line(format!("const i32 first = i32(wid * {per_group}u);"));
        let mut aligned: Vec<String> = addresses.iter().map(|word| format!("address({word}u)")).collect();
        let row = self.step_extent(self.space[level - 1], "0");
        if level > 1 {
            aligned.push(format!("(u64)(u32){row} << 2"));
        }
        text.open(format!("if (first + {per_group} <= points && {}) {{", are_aligned(&aligned)));
        assume_aligned(&mut text, &addresses);
        if level > 1 {
            text.line(format!("__builtin_assume(({row} & 3) == 0);"));
        }
        text.line("const i32 at = first + i32(tid) * 4;");
        text.line(format!("const {point} p = {locate}(at);"));
        text.line(format!("{values} four[4];"));
        // All four are in one row.
        let position =
            |name: char, at: usize, moves: bool| format!("p.{name}{at}{}", if moves { " + k" } else { "" });
        let positions = (0..=level).map(|at| position('a', at, at == level));
        let coordinates = (0..level).map(|at| position('c', at, at + 1 == level));
        let fields: Vec<String> = positions.chain(coordinates).collect();
        let next = self.dialect.make(&point, &fields);
        let four = |compute: &str| {
            format!("for (i32 k = 0; k < 4; k++) {{ neighbour = k; four[k] = {compute}({next}); }}")
        };
        let inside = inside.zip(inner);
        match &inside {
            Some((inside, inner)) => {
                text.open(format!("if ({inside}(p, 3)) {{"));
                text.line("#pragma unroll");
                text.line(four(inner));
                text.otherwise();
                text.line("#pragma unroll");
                text.line(four(&compute));
                text.close();
            }
            None => {
                text.line("#pragma unroll");
                text.line(four(&compute));
            }
        }
        // Array by array: stores of one are merged only if those of no other lie between.
        for (position, &bind) in made.iter().enumerate() {
            text.line("#pragma unroll");
            text.open("for (i32 k = 0; k < 4; k++) {");
            self.store_bind(&mut text, bind, "(at + k)", &format!("four[k].v{position}"));
            text.close();
        }
        text.otherwise();
        text.line("#pragma unroll 1");
        text.open("for (i32 k = 0; k < 4; k++) {");
        text.line(format!("const i32 at = first + k * {} + i32(tid);", self.dialect.workgroup));
        text.open("if (at < points) {");
        text.line(format!("const {point} p = {locate}(at);"));
        let computed = match &inside {
            Some((inside, inner)) => format!("{inside}(p, 0) ? {inner}(p) : {compute}(p)"),
            None => format!("{compute}(p)"),
        };
        text.line(format!("{keep}(at, {computed});"));
        text.close();
        text.close();
        text.close();
        let grid = Grid::Threads { of: Size::Share { level, points: 4 }, per: 1 };
        self.entry(&format!("pass{number}"), grid, &[], text);
        Ok(())
    }
}

/// Returns the condition that all addresses are multiples of 16. The assumption that follows must be written differently, or the compiler drops it as
/// trivially true.
pub(super) fn are_aligned(addresses: &[String]) -> String {
    match addresses.is_empty() {
        true => "true".to_owned(),
        false => format!("(({}) & 15ull) == 0ull", addresses.join(" | ")),
    }
}

/// Emits the assumption, for the compiler, that the addresses are aligned.
pub(super) fn assume_aligned(text: &mut Text, addresses: &[u32]) {
    for word in addresses {
        text.line(format!("__builtin_assume((address({word}u) & 15ull) == 0ull);"));
    }
}
