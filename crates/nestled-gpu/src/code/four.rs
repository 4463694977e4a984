//! Maps of four points at a time, where compilers make one load of four.
//!
//! ```text
//! if (at + 4 <= points && aligned) {       addresses are multiples of 16: the compiler is told so
//!   four values are computed               nothing is stored in between, lest no load may pass a store
//!   four values are stored
//! } else { … one after another }
//! ```
//!
//! That is for cheap thunks over one axis, without faults; others gain nothing by it.

use super::Unsupported;
use super::module::Writer;
use super::sizes::{Grid, Size};
use crate::plan::{self, Pass};
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Combinator, Placement, StmtKind, Type};
use std::collections::BTreeMap;

/// Statements that are worth writing five times.
const MOST: usize = 48;

impl Writer<'_> {
    /// Whether a pass of maps should go over four points at a time.
    pub fn goes_by_fours(&self, pass: &Pass) -> bool {
        let steps: Vec<&Combinator> = pass.maps.iter().map(|&map| &self.kernel.steps[map]).collect();
        let mut statements = 0;
        for step in &steps {
            step.body.body.walk(&mut |stmt| {
                let elementary = matches!(&stmt.kind, StmtKind::Op { op, .. } if op.is_elementary());
                statements += if elementary { MOST } else { 1 };
            });
        }
        let plain = |step: &&Combinator| {
            plan::is_cheap(step) && step.guard.is_none() && step.body.privates.is_empty()
        };
        self.has_warps()
            && pass.level == 1
            && self.sites.is_empty()
            && statements <= MOST
            && steps.iter().all(plain)
    }

    /// The words that have the addresses of what a pass may load or store in fours.
    fn addresses(&self, pass: &Pass) -> Vec<u32> {
        let mut words = Vec::new();
        for (at, &param) in self.kernel.params.iter().enumerate() {
            if let Type::Array(array) = &self.kernel.values[param.index()].ty
                && array.placement == Placement::Dense
                && !array.shape.is_scalar()
            {
                words.push(self.layout.param(at));
            }
        }
        for &map in &pass.maps {
            let step = &self.kernel.steps[map];
            for &bind in &step.binds {
                words.extend(self.results_of(bind).into_iter().map(|at| self.layout.result(at)));
            }
            let (own, _) = plan::reads(step);
            for value in step.binds.iter().chain(&own) {
                words.extend(self.home(*value).filter(|home| home.level == 1).map(|home| home.word));
            }
        }
        words.sort_unstable();
        words.dedup();
        words
    }

    /// A pass of maps, by fours.
    pub fn map_by_fours(&mut self, number: usize, pass: &Pass) -> Result<(), Unsupported> {
        let (point, locate) = (self.point_type(1), self.locate(1));
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
        let (compute, keep) = (format!("compute{number}"), format!("keep{number}"));
        let mut text = Text::default();
        text.open(self.dialect.function(&compute, &[("p".into(), point)], Some(&values)));
        text.append(body);
        let fields: Vec<String> =
            std::iter::once("true".to_owned()).chain(made.iter().map(|(_, value)| value.clone())).collect();
        text.line(format!("return {};", self.dialect.make(&values, &fields)));
        text.close();
        let params = [("at".to_owned(), "i32".to_owned()), ("values".to_owned(), values.clone())];
        text.open(self.dialect.function(&keep, &params, None));
        for (position, &(bind, _)) in made.iter().enumerate() {
            self.store_bind(&mut text, bind, "at", &format!("values.v{position}"));
        }
        text.close();
        self.define(text.finish());

        let mut text = Text::default();
        let points = self.points(1);
        text.line(format!("const i32 points = {points};"));
        text.line(format!("const i32 at = i32(wid * {}u + tid) * 4;", self.dialect.workgroup));
        let addresses: Vec<String> =
            self.addresses(pass).iter().map(|word| format!("address({word}u)")).collect();
        let bits = if addresses.is_empty() { "0ull".to_owned() } else { addresses.join(" | ") };
        text.open(format!("if (at + 4 <= points && (({bits}) & 15ull) == 0ull) {{"));
        for address in &addresses {
            text.line(format!("__builtin_assume(({address} & 15ull) == 0ull);"));
        }
        text.line(format!("{values} four[4];"));
        text.line("#pragma unroll");
        text.line(format!("for (i32 k = 0; k < 4; k++) {{ four[k] = {compute}({locate}(at + k)); }}"));
        text.line("#pragma unroll");
        text.line(format!("for (i32 k = 0; k < 4; k++) {{ {keep}(at + k, four[k]); }}"));
        text.otherwise();
        text.line("#pragma unroll 1");
        text.line(format!(
            "for (i32 k = at; k < at + 4 && k < points; k++) {{ {keep}(k, {compute}({locate}(k))); }}"
        ));
        text.close();
        let grid = Grid::Threads { of: Size::Share { level: 1, points: 4 }, per: 1 };
        self.entry(&format!("pass{number}"), grid, &[], text);
        Ok(())
    }
}
