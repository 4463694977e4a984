//! The element function of a pass: computes its maps and the thunk of its sink at one point.
//!
//! ```text
//! fn pass0_at(p: Point1) -> Taken_i32 {       the maps store what others need, the sink's values are returned,
//!   …                                         with whether the point takes part
//! }
//! ```

use super::Unsupported;
use super::home::Lies;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::plan::{Maps, Pass, Stores};
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Combinator, ScalarType, ValueId};
use std::collections::BTreeMap;

/// The function of a pass at a point.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// Its name. The function takes the point and returns `alive`, which tells whether the point takes part, and `v0`, `v1` ….
    pub name: String,
    /// The type that it returns.
    pub taken: String,
    /// The types of the sink's values.
    pub types: Vec<ScalarType>,
}

impl Element {
    /// Returns the words of what the function returns.
    pub fn words(&self) -> u64 {
        self.types.iter().map(|&ty| crate::repr::words(ty)).sum()
    }
}

impl Writer<'_> {
    /// Emits a pass that consists of maps only.
    pub fn map_pass(&mut self, number: usize, pass: &Pass, maps: Maps) -> Result<(), Unsupported> {
        match maps.stores {
            Stores::Fours => self.map_by_fours(number, pass),
            Stores::Packed => self.map_packed(number, pass),
            Stores::Points => self.map_points(number, pass),
        }
    }

    fn map_points(&mut self, number: usize, pass: &Pass) -> Result<(), Unsupported> {
        let element = self.element(number, pass, false)?;
        let inside = self.write_inside(number, pass);
        let inner = inside.is_some().then(|| self.inner_element(number, pass)).transpose()?;
        let (point, locate) = (self.point_type(pass.level), self.locate(pass.level));
        let mut text = Text::default();
        self.thread(&mut text);
        self.narrow_threads(&mut text, pass.level);
        let points = self.points(pass.level);
        text.open(format!("if (at < {points}) {{"));
        match inside.zip(inner) {
            Some((inside, inner)) => {
                text.line(self.dialect.constant("p", &point, &format!("{locate}(at)")));
                let at_ends = format!("{}(p);", element.name);
                text.line(format!("if ({inside}(p, 0)) {{ {}(p); }} else {{ {at_ends} }}", inner.name));
            }
            None => text.line(format!("{}({locate}(at));", element.name)),
        }
        text.close();
        let grid = Grid::Threads { of: Size::Level(pass.level), per: 1 };
        self.entry(&format!("pass{number}"), grid, &[], text);
        Ok(())
    }

    /// Emits the interior version of the element function of a pass of maps.
    fn inner_element(&mut self, number: usize, pass: &Pass) -> Result<Element, Unsupported> {
        self.inner = true;
        let element = self.element(number, pass, false);
        self.inner = false;
        element
    }

    /// Emits the element function of a pass. With `only_alive` a lane that faulted does not take part, as scatters need; otherwise it takes part with
    /// zeros.
    pub fn element(&mut self, number: usize, pass: &Pass, only_alive: bool) -> Result<Element, Unsupported> {
        let kernel = self.kernel;
        let level = pass.level;
        let name = format!("pass{number}_{}", if self.inner { "inner" } else { "at" });
        let sink = pass.sink.map(|sink| &kernel.steps[sink]);
        let types = sink.map_or(Vec::new(), |step| self.result_types(step));
        let reprs: Vec<Repr> = types.iter().copied().map(Repr::of).collect();
        let taken = self.results_type(&reprs);
        let mut text = Text::default();
        let point = self.point_type(level);
        let returned = sink.map(|_| taken.as_str());
        text.open(self.dialect.function(&name, &[("p".into(), point)], returned));
        let mut held: BTreeMap<ValueId, String> = BTreeMap::new();
        for &position in &pass.maps {
            self.map_step(&mut text, position, &mut held)?;
        }
        if let (Some(step), Some(position)) = (sink, pass.sink) {
            let thunk = self.thunk_function(position)?;
            let guard = self.guard(step, &held)?;
            let result = self.dialect.variable("taken", &taken, None);
            text.line(result);
            text.open(format!("if ({guard}) {{"));
            let call = self.call_thunk(&thunk, &held)?;
            text.line(format!("taken = {call};"));
            if !only_alive {
                text.line("taken.alive = true;");
            }
            text.close();
            text.line("return taken;");
        }
        text.close();
        self.define(text.finish());
        Ok(Element { name, taken, types })
    }

    /// Returns the expression of a value at the point: a register, or a load from memory.
    fn value(&self, value: ValueId, held: &BTreeMap<ValueId, String>) -> Result<String, Unsupported> {
        if let Some(name) = held.get(&value) {
            return Ok(name.clone());
        }
        let home = self.home(value).ok_or_else(|| Unsupported::new("a value that lies nowhere"))?;
        let repr = Repr::of(self.elem(value));
        self.need(repr)?;
        Ok(home.lies.load(repr, home.word, &format!("p.a{}", home.level)))
    }

    fn guard(&self, step: &Combinator, held: &BTreeMap<ValueId, String>) -> Result<String, Unsupported> {
        step.guard.map_or(Ok("true".to_owned()), |guard| self.value(guard, held))
    }

    fn call_thunk(
        &self,
        thunk: &super::thunk::ThunkFunction,
        held: &BTreeMap<ValueId, String>,
    ) -> Result<String, Unsupported> {
        let mut args = vec!["p".to_owned()];
        for &own in &thunk.owns {
            args.push(self.value(own, held)?);
        }
        Ok(format!("{}({})", thunk.name, args.join(", ")))
    }

    fn map_step(
        &mut self,
        text: &mut Text,
        position: usize,
        held: &mut BTreeMap<ValueId, String>,
    ) -> Result<(), Unsupported> {
        self.compute_step(text, position, held)?;
        let step = &self.kernel.steps[position];
        for &bind in &step.binds {
            let at = format!("p.a{}", step.level().0);
            self.store_bind(text, bind, &at, &held[&bind]);
        }
        Ok(())
    }

    /// Emits the body of a map and holds the values that it binds in registers from there on.
    pub fn compute_step(
        &mut self,
        text: &mut Text,
        position: usize,
        held: &mut BTreeMap<ValueId, String>,
    ) -> Result<(), Unsupported> {
        let step = &self.kernel.steps[position];
        let thunk = self.thunk_function(position)?;
        let made = format!("made{position}");
        let call = self.call_thunk(&thunk, held)?;
        if step.guard.is_some() {
            let guard = self.guard(step, held)?;
            text.line(self.dialect.variable(&made, &thunk.results, None));
            text.line(format!("if ({guard}) {{ {made} = {call}; }}"));
        } else {
            text.line(self.dialect.constant(&made, &thunk.results, &call));
        }
        for (at, &bind) in step.binds.iter().enumerate() {
            held.insert(bind, format!("{made}.v{at}"));
        }
        Ok(())
    }

    /// Stores a value of the point to all its places in memory.
    pub fn store_bind(&self, text: &mut Text, bind: ValueId, at: &str, value: &str) {
        let repr = Repr::of(self.elem(bind));
        let Some(home) = self.home(bind) else { return };
        if home.lies == Lies::InScratch {
            return text.line(home.lies.store(repr, home.word, at, value));
        }
        for result in self.results_of(bind) {
            text.line(Lies::InBuffer.store(repr, self.layout.result(result), at, value));
        }
    }
}
