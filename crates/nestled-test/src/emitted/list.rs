//! Lists of digests as sorted lines of text, and their differences.

use super::Emitted;
use std::collections::BTreeMap;
use std::fmt;

/// The first line: lists of another version, or made on another architecture, are not compared.
fn heading() -> String {
    format!("# emitted text, form 1, {}", std::env::consts::ARCH)
}

/// The name of a text: source, kernel, back end.
pub type Name = [String; 3];

/// Digests by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct List(BTreeMap<Name, String>);

/// The change of a text from one list to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The digests differ.
    Changed,
    /// The text is new.
    Came,
    /// The text is gone.
    Went,
}

impl List {
    /// Adds a text.
    pub fn add(&mut self, entry: &Emitted) {
        self.0.insert(name(entry), entry.digest());
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses the output of [`fmt::Display`].
    ///
    /// # Errors
    /// If it is something else.
    pub fn parse(text: &str) -> Result<List, String> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or("");
        if first != heading() {
            return Err(format!("the list begins with `{first}`, not with `{}`", heading()));
        }
        let mut list = BTreeMap::new();
        for (at, line) in lines.enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            let [source, kernel, backend, digest] = words[..] else {
                return Err(format!("line {}: `SOURCE KERNEL BACKEND DIGEST` is wanted", at + 2));
            };
            list.insert([source, kernel, backend].map(str::to_owned), digest.to_owned());
        }
        Ok(List(list))
    }

    /// Keeps the texts of files with `only` in their names, and the libraries.
    pub fn only(mut self, only: &str) -> List {
        self.0.retain(|[source, _, _], _| source == "rts" || source.contains(only));
        self
    }

    /// The changes from this list to a later one, in order of names.
    pub fn differences(&self, later: &List) -> Vec<(Name, Fate)> {
        let mut found = BTreeMap::new();
        for (name, digest) in &self.0 {
            match later.0.get(name) {
                None => drop(found.insert(name.clone(), Fate::Went)),
                Some(other) if other != digest => drop(found.insert(name.clone(), Fate::Changed)),
                Some(_) => {}
            }
        }
        found.extend(
            later.0.keys().filter(|name| !self.0.contains_key(*name)).map(|name| (name.clone(), Fate::Came)),
        );
        found.into_iter().collect()
    }
}

/// The name of a text.
pub fn name(entry: &Emitted) -> Name {
    [entry.source.clone(), entry.kernel.clone(), entry.backend.to_owned()]
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", heading())?;
        self.0.iter().try_for_each(|(name, digest)| writeln!(f, "{} {digest}", name.join(" ")))
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fate::Changed => "changed",
            Fate::Came => "came",
            Fate::Went => "went",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[(&str, &str)]) -> List {
        let mut list = List::default();
        for (kernel, text) in texts {
            let (source, text) = ("f.lcu".to_owned(), (*text).to_owned());
            list.add(&Emitted { source, kernel: (*kernel).to_owned(), backend: "wgsl", text });
        }
        list
    }

    #[test]
    fn differences_are_named() {
        let (old, new) =
            (list(&[("a", "1"), ("b", "2"), ("c", "3")]), list(&[("b", "2"), ("c", "4"), ("d", "5")]));
        let found: Vec<String> =
            old.differences(&new).iter().map(|(name, fate)| format!("{} {fate}", name[1])).collect();
        assert_eq!(found, ["a went", "c changed", "d came"]);
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let old = list(&[("a", "1"), ("b", "2")]);
        assert_eq!(List::parse(&old.to_string()), Ok(old));
        assert!(List::parse("# something else\n").is_err());
    }
}
