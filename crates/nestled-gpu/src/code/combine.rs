//! States of a monoid: an accumulated value with a flag that tells whether any point took part.
//!
//! ```text
//! struct State2 { some: bool, v0: f32 }
//! fn join2(a: State2, b: State2) -> State2 { … }
//! ```

use super::Unsupported;
use super::element::Element;
use super::home::Lies;
use super::writer::Writer;
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Monoid, MonoidPart, Scalar, ScalarType};

/// The generated type and functions of a monoid's states.
#[derive(Clone, Debug)]
pub(super) struct States {
    /// The type of a state.
    pub ty: String,
    /// The function that joins two states, the left one first.
    pub join: String,
    /// The function that makes a state from the values of a point.
    pub of: String,
    /// The function that loads a state from scratch.
    pub load: String,
    /// The function that stores a state to scratch.
    pub store: String,
    /// The words with the addresses of the scratch for states: that of the flags first.
    pub words: Vec<u32>,
    /// The unit, as literals.
    pub unit: Vec<String>,
    /// The representations of the values.
    pub reprs: Vec<Repr>,
}

impl Writer<'_> {
    /// Emits the type and functions of the states of a monoid, and allocates scratch for `size` states.
    pub fn states(
        &mut self,
        number: usize,
        monoid: &Monoid,
        element: &Element,
        size: super::Size,
    ) -> Result<States, Unsupported> {
        let types = &element.types;
        let reprs: Vec<Repr> = types.iter().copied().map(Repr::of).collect();
        let unit = self.unit(monoid, types)?;
        let words = self.take_states(types, size);
        let states = States {
            ty: format!("State{number}"),
            join: format!("join{number}"),
            of: format!("state_of{number}"),
            load: format!("load_state{number}"),
            store: format!("store_state{number}"),
            words,
            unit,
            reprs,
        };
        let mut fields = vec![("some".to_owned(), "bool".to_owned())];
        fields.extend(
            states.reprs.iter().enumerate().map(|(at, repr)| (format!("v{at}"), repr.ty().to_owned())),
        );
        self.define(self.dialect.structure(&states.ty, &fields));
        self.write_join(&states, monoid, types)?;
        self.write_of(&states, &element.taken);
        self.write_memory(&states);
        Ok(states)
    }

    /// Allocates scratch for `size` more states. Returns the same states with functions that load and store them there, whose names begin with `load_`
    /// and `store_`.
    pub fn more_states(
        &mut self,
        states: &States,
        name: &str,
        types: &[ScalarType],
        size: super::Size,
    ) -> States {
        let (load, store) = (format!("load_{name}"), format!("store_{name}"));
        let states = States { load, store, words: self.take_states(types, size), ..states.clone() };
        self.write_memory(&states);
        states
    }

    fn take_states(&mut self, types: &[ScalarType], size: super::Size) -> Vec<u32> {
        let values = types.iter().copied().map(crate::repr::words);
        std::iter::once(1).chain(values).map(|words| self.take_scratch(size, words)).collect()
    }

    fn unit(&self, monoid: &Monoid, types: &[ScalarType]) -> Result<Vec<String>, Unsupported> {
        let mut units = Vec::new();
        let mut first = 0;
        for part in &monoid.parts {
            let width = part.width(&self.program.monoids);
            let unit = part.unit(&types[first..first + width], &self.program.monoids);
            let unit: Vec<Scalar> = unit.ok_or_else(|| Unsupported::new("a monoid without a unit"))?;
            units.extend(unit.into_iter().map(|value| self.dialect.literal(value, Repr::of(value.ty()))));
            first += width;
        }
        Ok(units)
    }

    fn write_join(
        &mut self,
        states: &States,
        monoid: &Monoid,
        types: &[ScalarType],
    ) -> Result<(), Unsupported> {
        let mut text = Text::default();
        let params = [("a".to_owned(), states.ty.clone()), ("b".to_owned(), states.ty.clone())];
        text.open(self.dialect.function(&states.join, &params, Some(&states.ty)));
        text.line("if (!a.some) { return b; }");
        text.line("if (!b.some) { return a; }");
        let mut fields = vec!["true".to_owned()];
        let mut first = 0;
        for (number, part) in monoid.parts.iter().enumerate() {
            let width = part.width(&self.program.monoids);
            match part {
                MonoidPart::Op(op) => {
                    let repr = states.reprs[first];
                    fields.push(format!("{}_{}(a.v{first}, b.v{first})", op.name(), repr.name()));
                }
                MonoidPart::ArgMin | MonoidPart::ArgMax => {
                    let better = format!("better{number}");
                    let value = better_pair(*part, types[first], first);
                    text.line(self.dialect.constant(&better, "bool", &value));
                    for at in first..first + 2 {
                        let repr = states.reprs[at].name();
                        fields.push(format!("select_{repr}({better}, b.v{at}, a.v{at})"));
                    }
                }
                MonoidPart::User(id) => {
                    let thunk = self.program.monoid(*id).combine;
                    let (name, results) = self.combining(thunk)?;
                    let args = ["a", "b"]
                        .into_iter()
                        .flat_map(|side| (first..first + width).map(move |at| format!("{side}.v{at}")));
                    let call = format!("{name}({})", args.collect::<Vec<_>>().join(", "));
                    match results {
                        None => fields.push(call),
                        Some(results) => {
                            let made = format!("made{number}");
                            text.line(self.dialect.constant(&made, &results, &call));
                            fields.extend((0..width).map(|at| format!("{made}.v{at}")));
                        }
                    }
                }
            }
            first += width;
        }
        text.line(format!("return {};", self.dialect.make(&states.ty, &fields)));
        text.close();
        self.define(text.finish());
        Ok(())
    }

    fn write_of(&mut self, states: &States, taken: &str) {
        let mut text = Text::default();
        let params = [("taken".to_owned(), taken.to_owned())];
        text.open(self.dialect.function(&states.of, &params, Some(&states.ty)));
        let values = (0..states.reprs.len()).map(|at| format!("taken.v{at}"));
        let fields: Vec<String> = std::iter::once("taken.alive".to_owned()).chain(values).collect();
        text.line(format!("return {};", self.dialect.make(&states.ty, &fields)));
        text.close();
        self.define(text.finish());
    }

    fn write_memory(&mut self, states: &States) {
        let mut text = Text::default();
        let at = ("at".to_owned(), "i32".to_owned());
        text.open(self.dialect.function(&states.load, std::slice::from_ref(&at), Some(&states.ty)));
        let mut fields = vec![Lies::InScratch.load(Repr::Bool, states.words[0], "at")];
        for (repr, word) in states.reprs.iter().zip(&states.words[1..]) {
            fields.push(Lies::InScratch.load(*repr, *word, "at"));
        }
        text.line(format!("return {};", self.dialect.make(&states.ty, &fields)));
        text.close();
        text.open(self.dialect.function(&states.store, &[at, ("state".into(), states.ty.clone())], None));
        text.line(Lies::InScratch.store(Repr::Bool, states.words[0], "at", "state.some"));
        for (position, (repr, word)) in states.reprs.iter().zip(&states.words[1..]).enumerate() {
            text.line(Lies::InScratch.store(*repr, *word, "at", &format!("state.v{position}")));
        }
        text.close();
        self.define(text.finish());
    }
}

/// Emits the condition that the pair of `b` wins over that of `a`: by the key, and of equal keys by the index.
fn better_pair(part: MonoidPart, key: ScalarType, first: usize) -> String {
    let (sign, end) = if part == MonoidPart::ArgMax { ("gt", "greatest") } else { ("lt", "least") };
    let repr = match key {
        ScalarType::F32 => "i32",
        ScalarType::F64 => "i64",
        other => Repr::of(other).name(),
    };
    let key_of = |side: &str| match key {
        ScalarType::F32 | ScalarType::F64 => format!("order_{key}({side}.v{first}, {end}_{repr}())"),
        _ => format!("{side}.v{first}"),
    };
    let (a, b) = (key_of("a"), key_of("b"));
    let index = first + 1;
    format!("{sign}_{repr}({b}, {a}) || (eq_{repr}({b}, {a}) && lt_i64(b.v{index}, a.v{index}))")
}
