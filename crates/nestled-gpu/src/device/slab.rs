//! Things by number: found without hashing, and their places used again.

/// Things, each with a key that nothing else ever has.
#[derive(Debug)]
pub(super) struct Slab<T> {
    places: Vec<Place<T>>,
    vacant: Vec<u32>,
}

/// The keys of a place differ from one use to the next.
#[derive(Debug)]
struct Place<T> {
    used: u32,
    holds: Option<T>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { places: Vec::new(), vacant: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Keeps something; answers its key.
    pub fn insert(&mut self, what: T) -> u64 {
        let at = self.vacant.pop().unwrap_or_else(|| {
            self.places.push(Place { used: 0, holds: None });
            self.places.len() as u32 - 1
        });
        let place = &mut self.places[at as usize];
        place.holds = Some(what);
        u64::from(place.used) << 32 | u64::from(at)
    }

    /// What has a key.
    pub fn get(&self, key: u64) -> Option<&T> {
        let place = self.places.get(key as u32 as usize)?;
        place.holds.as_ref().filter(|_| u64::from(place.used) == key >> 32)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        let place = self.places.get_mut(key as u32 as usize)?;
        place.holds.as_mut().filter(|_| u64::from(place.used) == key >> 32)
    }

    /// Takes what has a key, which leads to nothing from there on.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again_and_keys_are_not() {
        let mut slab = Slab::default();
        let (first, second) = (slab.insert("a"), slab.insert("b"));
        assert_eq!((slab.get(first), slab.get(second)), (Some(&"a"), Some(&"b")));
        assert_eq!((slab.remove(first), slab.remove(first)), (Some("a"), None));
        let third = slab.insert("c");
        assert_eq!(third as u32, first as u32);
        assert_eq!(slab.get(first), None);
        assert_eq!(slab.get_mut(third), Some(&mut "c"));
    }
}
