//! The four steps of the prefixes inside of a vector, where its points go one by one.
//!
//! Step k combines with what it gave 2ᵏ places before, so the results of the steps at the last sixteen places are kept:
//!
//! ```text
//! step k of place q = (step k-1 of place q - 2ᵏ) ∘ (step k-1 of place q)
//! ```

use super::emit::llvm_type;
use super::function::Function;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::ScalarType;
use nestled_ir::reduction_order::LANES;

/// The variables of a part whose points go one by one in the order of vectors.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The type of its values.
    pub ty: ScalarType,
    /// The values that the four steps start from, at each place of the vector: an array in memory.
    values: Name,
    /// The prefix of the point before, inside of the vector.
    pub inside: Name,
    /// The first place of the vector that was visited; negative before the first point of all.
    first: Name,
}

impl Steps {
    /// Defines the variables.
    pub fn new(f: &mut Function<'_, '_>, ty: ScalarType) -> Steps {
        let values = f.emit.variable(&format!("[{} x {}]", 4 * LANES, llvm_type(ty)));
        Steps { ty, values, inside: f.scalar_variable(ty), first: f.emit.variable("i64") }
    }

    /// Resets the variables before the first point.
    pub fn reset(&self, f: &mut Function<'_, '_>, identity: &Val) {
        let name = f.emit.scalar(identity);
        f.emit.line(format_args!("store {} {name}, ptr {}", llvm_type(self.ty), self.inside));
        f.set(&self.first, "-1");
    }

    /// Emits the four steps at a place of the vector.
    pub fn prefix(
        &self,
        f: &mut Function<'_, '_>,
        (value, place): (&Val, &str),
        identity: &Val,
        both: &dyn Fn(&mut Function<'_, '_>, &Val, &Val) -> Val,
    ) -> Val {
        let ty = llvm_type(self.ty);
        let first = f.get(&self.first);
        let begins = f.emit.define(format_args!("icmp slt i64 {first}, 0"));
        let first = f.emit.define(format_args!("select i1 {begins}, i64 {place}, i64 {first}"));
        let zero = f.emit.define(format_args!("icmp eq i64 {place}, 0"));
        let first = f.emit.define(format_args!("select i1 {zero}, i64 0, i64 {first}"));
        f.set(&self.first, &first);
        let mut prefix = value.clone();
        for (step, distance) in [1, 2, 4, 8].into_iter().enumerate() {
            let base = step * LANES;
            let cell = |f: &mut Function<'_, '_>, place: &str| {
                let index = f.emit.define(format_args!("add i64 {place}, {base}"));
                f.emit.define(format_args!("getelementptr inbounds {ty}, ptr {}, i64 {index}", self.values))
            };
            let own = cell(f, place);
            let name = f.emit.scalar(&prefix);
            f.emit.line(format_args!("store {ty} {name}, ptr {own}"));
            let earlier = f.emit.define(format_args!("sub i64 {place}, {distance}"));
            let exists = f.emit.define(format_args!("icmp sge i64 {earlier}, {first}"));
            let earlier = f.emit.define(format_args!("and i64 {earlier}, {}", LANES - 1));
            let there = cell(f, &earlier);
            let loaded = f.emit.define(format_args!("load {ty}, ptr {there}"));
            let exists = Val::uniform(ScalarType::Bool, Depth::Here, exists);
            let loaded = Val::uniform(self.ty, Depth::Here, loaded);
            let moved = f.emit.blend(&exists, &loaded, identity);
            prefix = both(f, &moved, &prefix);
        }
        prefix
    }
}
