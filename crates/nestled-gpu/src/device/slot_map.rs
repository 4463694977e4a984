//! A slot map (a slab with generation counters): items by number, found without hashing, whose places are reused.

/// Items, each with a key that is never reused.
#[derive(Debug)]
pub(super) struct SlotMap<T> {
    places: Vec<Place<T>>,
    vacant: Vec<u32>,
}

/// A place; its generation distinguishes the keys of successive uses.
#[derive(Debug)]
struct Place<T> {
    used: u32,
    holds: Option<T>,
}

impl<T> Default for SlotMap<T> {
    fn default() -> SlotMap<T> {
        SlotMap { places: Vec::new(), vacant: Vec::new() }
    }
}

impl<T> SlotMap<T> {
    /// Inserts an item and returns its key.
    pub fn insert(&mut self, what: T) -> u64 {
        let at = self.vacant.pop().unwrap_or_else(|| {
            self.places.push(Place { used: 0, holds: None });
            self.places.len() as u32 - 1
        });
        let place = &mut self.places[at as usize];
        place.holds = Some(what);
        u64::from(place.used) << 32 | u64::from(at)
    }

    /// Returns the item of a key.
    pub fn get(&self, key: u64) -> Option<&T> {
        let place = self.places.get(key as u32 as usize)?;
        place.holds.as_ref().filter(|_| u64::from(place.used) == key >> 32)
    }

    /// Returns the item of a key, mutably.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        let place = self.places.get_mut(key as u32 as usize)?;
        place.holds.as_mut().filter(|_| u64::from(place.used) == key >> 32)
    }

    /// Removes the item of a key, which becomes invalid.
    pub fn remove(&mut self, key: u64) -> Option<T> {
        let place = self.places.get_mut(key as u32 as usize)?;
        if u64::from(place.used) != key >> 32 {
            return None;
        }
        let held = place.holds.take()?;
        place.used = place.used.wrapping_add(1);
        self.vacant.push(key as u32);
        Some(held)
    }
}

impl<T> SlotMap<T> {
    /// Removes all items.
    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        self.vacant.clear();
        self.places.drain(..).filter_map(|place| place.holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again_and_keys_are_not() {
        let mut map = SlotMap::default();
        let (first, second) = (map.insert("a"), map.insert("b"));
        assert_eq!((map.get(first), map.get(second)), (Some(&"a"), Some(&"b")));
        assert_eq!((map.remove(first), map.remove(first)), (Some("a"), None));
        let third = map.insert("c");
        assert_eq!(third as u32, first as u32);
        assert_eq!(map.get(first), None);
        assert_eq!(map.get_mut(third), Some(&mut "c"));
    }
}
