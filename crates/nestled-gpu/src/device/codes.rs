//! A cache of compiled modules by text, for kernels of several programs and of several devices that share a queue.
//!
//! A module that a kernel uses stays. Of unused modules the last [`KEPT`] are kept, as the next program may have the same kernel; the one released first is evicted first.

use nestled_fork as fork;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

/// Number of unused modules that are kept.
const KEPT: usize = 64;

#[derive(Debug)]
pub(super) struct Codes<C>(Mutex<Inner<C>>);

#[derive(Debug)]
struct Inner<C> {
    known: HashMap<Arc<str>, Arc<C>>,
    /// Texts of released modules in order of release; some may be in use again.
    given_up: VecDeque<Arc<str>>,
}

impl<C> Default for Codes<C> {
    fn default() -> Codes<C> {
        Codes(Mutex::new(Inner { known: HashMap::new(), given_up: VecDeque::new() }))
    }
}

impl<C> Inner<C> {
    /// Removes a module if it is unused.
    fn remove(&mut self, text: &str) -> Option<Arc<C>> {
        let is_idle = self.known.get(text).is_some_and(|code| Arc::strong_count(code) == 1);
        if is_idle { self.known.remove(text) } else { None }
    }
}

impl<C> Codes<C> {
    /// Returns the code of a text.
    pub fn get(&self, text: &str) -> Option<Arc<C>> {
        fork::lock(&self.0).known.get(text).cloned()
    }

    /// Adds the code of a text; returns that of another thread if it was first.
    pub fn add(&self, text: &str, code: C) -> Arc<C> {
        let mut inner = fork::lock(&self.0);
        Arc::clone(inner.known.entry(text.into()).or_insert_with(|| Arc::new(code)))
    }

    /// Releases the code of a kernel.
    pub fn give_up(&self, text: &str, code: Arc<C>) {
        let mut inner = fork::lock(&self.0);
        drop(code);
        let Some((key, left)) = inner.known.get_key_value(text) else { return };
        if Arc::strong_count(left) > 1 {
            return;
        }
        let key = Arc::clone(key);
        inner.given_up.push_back(key);
        let gone = match inner.given_up.len() > KEPT {
            true => inner.given_up.pop_front().and_then(|oldest| inner.remove(&oldest)),
            false => None,
        };
        drop(inner);
        // Dropping calls the driver.
        drop(gone);
    }

    /// Removes all unused modules.
    pub fn trim(&self) {
        let mut inner = fork::lock(&self.0);
        let texts: Vec<Arc<str>> = inner.given_up.drain(..).collect();
        let gone: Vec<Arc<C>> = texts.iter().filter_map(|text| inner.remove(text)).collect();
        drop(inner);
        drop(gone);
    }

    /// Returns the number of modules.
    pub fn count(&self) -> usize {
        fork::lock(&self.0).known.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_up_is_kept_for_a_while_and_what_is_in_use_for_ever() {
        let codes = Codes::default();
        let used = codes.add("used", 0);
        let twice = codes.get("used").unwrap();
        codes.give_up("used", twice);
        for at in 1..500 {
            let text = at.to_string();
            let code = codes.add(&text, at);
            codes.give_up(&text, code);
            assert!(codes.count() <= KEPT + 1);
            assert!(codes.get(&text).is_some() && codes.get("used").is_some());
        }
        // One that is in use again stays when its turn comes.
        let again = codes.get("499").unwrap();
        codes.trim();
        assert_eq!(codes.count(), 2);
        codes.give_up("499", again);
        codes.give_up("used", used);
        codes.trim();
        assert_eq!(codes.count(), 0);
    }
}
