//! The live buffers of a program on its device, by name, for the message when memory runs out.

use crate::error::Live;
use nestled_ir::Name;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

/// The use of a buffer, for messages.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    /// A value of the program.
    Value(Name),
    /// A buffer without a name, described in words.
    Words(&'static str),
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Purpose::Value(name) => f.write_str(name),
            Purpose::Words(words) => f.write_str(words),
        }
    }
}

impl From<&Name> for Purpose {
    fn from(name: &Name) -> Purpose {
        Purpose::Value(Name::clone(name))
    }
}

impl From<&'static str> for Purpose {
    fn from(words: &'static str) -> Purpose {
        Purpose::Words(words)
    }
}

/// The buffers of one executable that are alive. To insert one and to remove it costs a few nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct LiveBuffers {
    entries: RefCell<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    list: Vec<Option<(Purpose, u64)>>,
    vacant: Vec<u32>,
    /// Bytes of all entries.
    held: u64,
    /// The most that there were.
    peak: u64,
}

/// Number of values that a message names.
const NAMED: usize = 4;

impl LiveBuffers {
    /// Inserts a buffer: its index in the list.
    pub fn insert(&self, purpose: Purpose, bytes: u64) -> u32 {
        let Entries { list, vacant, held, peak } = &mut *self.entries.borrow_mut();
        *held = held.saturating_add(bytes);
        *peak = (*peak).max(*held);
        let entry = Some((purpose, bytes));
        match vacant.pop() {
            Some(at) => {
                list[at as usize] = entry;
                at
            }
            None => {
                list.push(entry);
                (list.len() - 1) as u32
            }
        }
    }

    /// Records that a buffer was trimmed.
    pub fn shrink(&self, at: u32, bytes: u64) {
        let Entries { list, held, .. } = &mut *self.entries.borrow_mut();
        if let Some((_, before)) = &mut list[at as usize] {
            *held = held.saturating_sub(*before).saturating_add(bytes);
            *before = bytes;
        }
    }

    /// Records that a buffer is used for another value.
    pub fn rename(&self, at: u32, purpose: &Purpose) {
        if let Some((before, _)) = &mut self.entries.borrow_mut().list[at as usize] {
            before.clone_from(purpose);
        }
    }

    /// The most bytes that were held at once.
    pub fn peak(&self) -> u64 {
        self.entries.borrow().peak
    }

    /// Resets the peak to the bytes held now.
    pub fn restart_peak(&self) {
        let entries = &mut *self.entries.borrow_mut();
        entries.peak = entries.held;
    }

    /// Removes it.
    pub fn remove(&self, at: u32) {
        let Entries { list, vacant, held, .. } = &mut *self.entries.borrow_mut();
        if let Some((_, bytes)) = list[at as usize].take() {
            *held = held.saturating_sub(bytes);
        }
        vacant.push(at);
    }

    /// The values that hold most, those of one name together.
    #[cold]
    pub fn largest(&self) -> Vec<Live> {
        let mut by_name: BTreeMap<String, Live> = BTreeMap::new();
        for (purpose, bytes) in self.entries.borrow().list.iter().flatten() {
            let name = purpose.to_string();
            let live = by_name.entry(name.clone()).or_insert(Live { name, count: 0, bytes: 0 });
            live.count += 1;
            live.bytes = live.bytes.saturating_add(*bytes);
        }
        let mut all: Vec<Live> = by_name.into_values().filter(|live| live.bytes > 0).collect();
        all.sort_by_key(|live| std::cmp::Reverse(live.bytes));
        all.truncate(NAMED);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first() {
        let live_buffers = LiveBuffers::default();
        let small = live_buffers.insert("a".into(), 10);
        let large = live_buffers.insert("b".into(), 30);
        let again = live_buffers.insert("a".into(), 25);
        let live = |name: &str, count, bytes| Live { name: name.to_owned(), count, bytes };
        assert_eq!(live_buffers.largest(), [live("a", 2, 35), live("b", 1, 30)]);
        live_buffers.shrink(again, 5);
        assert_eq!(live_buffers.largest(), [live("b", 1, 30), live("a", 2, 15)]);
        live_buffers.remove(large);
        live_buffers.remove(small);
        assert_eq!(live_buffers.largest(), [live("a", 1, 5)]);
        assert_eq!(live_buffers.insert("c".into(), 1), small, "places are used again");
        assert_eq!(live_buffers.peak(), 65);
        live_buffers.rename(again, &"d".into());
        assert_eq!(live_buffers.largest(), [live("d", 1, 5), live("c", 1, 1)]);
        live_buffers.restart_peak();
        assert_eq!(live_buffers.peak(), 6);
    }
}
