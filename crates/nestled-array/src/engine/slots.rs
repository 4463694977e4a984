//! What lies on the devices of an engine, by numbers that threads may hand around.

use super::blame::plain;
use crate::error::{Error, Reason, Result};
use nestled_rt::{Executable, Handle};

/// The number of a value. It is that of one value for ever: when a place is used again its generation is another, so that a number
/// that somebody kept too long is found out, and never leads to another's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    place: u32,
    generation: u32,
}

#[derive(Default)]
pub(super) struct Slots {
    places: Vec<Place>,
    vacant: Vec<u32>,
}

#[derive(Default)]
struct Place {
    /// How many values lay here before.
    generation: u32,
    handle: Option<Handle>,
}

fn bug(slot: Slot, what: &str) -> Error {
    Error::at("eval", Reason::Bug(format!("{slot:?} {what}")), None)
}

impl Slots {
    /// Keeps a value: its number.
    pub fn keep(&mut self, handle: Handle) -> Slot {
        let place = self.vacant.pop().unwrap_or(self.places.len() as u32);
        if place as usize == self.places.len() {
            self.places.push(Place::default());
        }
        let found = &mut self.places[place as usize];
        found.handle = Some(handle);
        Slot { place, generation: found.generation }
    }

    /// Gives back what nobody refers to.
    ///
    /// # Errors
    /// Somebody gave it back before.
    pub fn give_back(&mut self, slot: Slot) -> Result<()> {
        let place = self.place_mut(slot)?;
        place.handle = None;
        place.generation = place.generation.wrapping_add(1);
        self.vacant.push(slot.place);
        Ok(())
    }

    /// A value, wherever it lies.
    pub fn get(&self, slot: Slot) -> Result<&Handle> {
        let place = self.places.get(slot.place as usize);
        let place = place.filter(|place| place.generation == slot.generation);
        place
            .and_then(|place| place.handle.as_ref())
            .ok_or_else(|| bug(slot, "is used after it was given back"))
    }

    fn place_mut(&mut self, slot: Slot) -> Result<&mut Place> {
        let place = self.places.get_mut(slot.place as usize);
        let place = place.filter(|place| place.generation == slot.generation && place.handle.is_some());
        place.ok_or_else(|| bug(slot, "is used after it was given back"))
    }

    /// A value on the device of a program. If it lay on another one, it stays on this one from now on.
    pub fn get_for(&mut self, slot: Slot, program: &Executable) -> Result<Handle> {
        let handle = self.get(slot)?;
        if handle.is_on(program.device()) {
            return Ok(handle.clone());
        }
        let handle = program.bring(handle).map_err(|error| plain(&error))?;
        self.place_mut(slot)?.handle = Some(handle.clone());
        Ok(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_ir::Scalar;
    use nestled_ir::value::Value;
    use nestled_rt::Reference;
    use nestled_rt::device::Device;
    use std::rc::Rc;

    fn number(slots: &Slots, slot: Slot) -> Option<i64> {
        match slots.get(slot).ok()?.to_value() {
            Ok(Value::Scalar(Scalar::I64(number))) => Some(number),
            _ => None,
        }
    }

    #[test]
    fn a_stale_number_is_nobodys() {
        let device: Rc<dyn Device> = Rc::new(Reference::default());
        let handle = |number| Handle::scalar(&device, Scalar::I64(number));
        let mut slots = Slots::default();
        let (first, other) = (slots.keep(handle(1)), slots.keep(handle(2)));
        slots.give_back(first).unwrap();
        let second = slots.keep(handle(3));
        assert_eq!([first, second, other].map(|slot| number(&slots, slot)), [None, Some(3), Some(2)]);
        let error = slots.give_back(first).unwrap_err();
        assert!(matches!(error.reason(), Reason::Bug(_)), "{error}");
        slots.give_back(other).unwrap();
        assert_eq!([second, other].map(|slot| number(&slots, slot)), [Some(3), None]);
        let (third, fourth) = (slots.keep(handle(4)), slots.keep(handle(5)));
        assert_eq!([second, third, fourth].map(|slot| number(&slots, slot)), [Some(3), Some(4), Some(5)]);
    }
}
