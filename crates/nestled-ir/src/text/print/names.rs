//! Unique names for the printer: makes reserved, repeated and missing names distinct.

use super::literal::quote;
use crate::text::words::is_reserved;
use std::collections::{HashMap, HashSet};

/// Finds names that are free. The number of `x.7` is the next that `x` has not had.
#[derive(Default)]
pub(super) struct Namer {
    taken: HashSet<String>,
    /// The names that each open block has taken.
    blocks: Vec<Vec<String>>,
    numbers: HashMap<String, usize>,
}

impl Namer {
    pub fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub fn close(&mut self) {
        for name in self.blocks.pop().unwrap_or_default() {
            self.taken.remove(&name);
        }
    }

    /// A free name, taken until the block is closed; `id` makes one if there is no name.
    pub fn fresh(&mut self, name: &str, id: usize) -> String {
        let spelled = if name.is_empty() { "%".to_owned() } else { spell(name) };
        let free = !name.is_empty() && name != "_" && !is_reserved(name) && !self.taken.contains(&spelled);
        let text = if free { spelled } else { self.numbered(&spelled, id) };
        self.take(text.clone());
        text
    }

    fn numbered(&mut self, spelled: &str, id: usize) -> String {
        if spelled == "%" {
            // Ids are different already, but for those of a kernel and of the thunks in it.
            let text = format!("%{id}");
            if !self.taken.contains(&text) {
                return text;
            }
        }
        let number = self.numbers.entry(spelled.to_owned()).or_insert(1);
        let dot = if spelled == "%" { "" } else { "." };
        loop {
            let text = format!("{spelled}{dot}{number}");
            *number += 1;
            if !self.taken.contains(&text) {
                return text;
            }
        }
    }

    /// Takes a name that was released.
    pub fn take(&mut self, text: String) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(text.clone());
        }
        self.taken.insert(text);
    }

    /// Frees names: the bindings of a statement are not visible in its own blocks.
    pub fn release(&mut self, names: &[String]) {
        for name in names {
            self.taken.remove(name);
        }
    }
}

/// The written form of a name: between backticks if it has other characters than a plain name.
fn spell(name: &str) -> String {
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let plain = first && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\''));
    if plain { name.to_owned() } else { quote(name, '`') }
}
