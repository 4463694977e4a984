//! Cells of a table of text: lines that are cut at separators, where these do not stand in quotation marks.

use crate::fault::{Outcome, fault};
use std::io::BufRead;

/// The cells of one row after another.
pub(super) struct Cells<R> {
    input: R,
    separator: u8,
    /// The texts of all cells of the row.
    text: String,
    /// For each cell where it ends in the text, and whether it stood in quotation marks.
    ends: Vec<(usize, bool)>,
    /// The lines that were read.
    lines: usize,
    /// The row as it is read.
    bytes: Vec<u8>,
}

/// The mark with which some programs begin a file.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// A place in a row.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The begin of a cell: only here quotation marks open.
    Begin,
    /// Between quotation marks.
    Quoted,
    /// Behind a mark, which is the end, or the first of two that are one.
    Mark,
    /// Inside of a cell without quotation marks at its begin: marks are letters.
    Plain,
}

impl Place {
    /// The place behind a line that begins here.
    fn behind(self, line: &[u8], separator: u8) -> Place {
        if self != Place::Quoted && !line.contains(&b'"') {
            return Place::Plain;
        }
        line.iter().fold(self, |place, &byte| match (place, byte) {
            (Place::Begin | Place::Mark, b'"') => Place::Quoted,
            (Place::Quoted, b'"') => Place::Mark,
            (Place::Quoted, _) => Place::Quoted,
            (_, byte) if byte == separator => Place::Begin,
            _ => Place::Plain,
        })
    }
}

impl<R: BufRead> Cells<R> {
    pub fn new(input: R, separator: u8) -> Cells<R> {
        Cells { input, separator, text: String::new(), ends: Vec::new(), lines: 0, bytes: Vec::new() }
    }

    /// Goes to the next row; `false` at the end.
    pub fn next(&mut self) -> Outcome<bool> {
        self.bytes.clear();
        let first = self.lines + 1;
        let mut place = Place::Begin;
        loop {
            let begin = self.bytes.len();
            let read = self.input.read_until(b'\n', &mut self.bytes)?;
            let line = &self.bytes[begin..];
            let is_first = begin == 0 && first == 1;
            place = place.behind(
                if is_first { line.strip_prefix(MARK).unwrap_or(line) } else { line },
                self.separator,
            );
            // A line goes on where quotation marks are open.
            let is_open = place == Place::Quoted;
            if read == 0 {
                break match () {
                    () if is_open => fault(format!("line {first}: a `\"` is not closed")),
                    () if self.bytes.is_empty() => Ok(false),
                    () => self.cut(first),
                };
            }
            self.lines += 1;
            if !is_open {
                break self.cut(first);
            }
        }
    }

    fn cut(&mut self, first: usize) -> Outcome<bool> {
        let Ok(line) = std::str::from_utf8(&self.bytes) else {
            return fault(format!("line {first} is not UTF-8"));
        };
        let line = if first == 1 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        let line = line.strip_suffix('\n').unwrap_or(line);
        let mut rest = line.strip_suffix('\r').unwrap_or(line);
        self.text.clear();
        self.ends.clear();
        loop {
            let quoted = rest.starts_with('"');
            if quoted {
                rest = &rest[1..];
                // Two marks are one, and one is the end.
                while let Some((part, after)) = rest.split_once('"') {
                    self.text.push_str(part);
                    rest = after;
                    match rest.strip_prefix('"') {
                        Some(after) => {
                            self.text.push('"');
                            rest = after;
                        }
                        None => break,
                    }
                }
            }
            let end = rest.find(char::from(self.separator)).unwrap_or(rest.len());
            self.text.push_str(&rest[..end]);
            self.ends.push((self.text.len(), quoted));
            if end == rest.len() {
                return Ok(true);
            }
            rest = &rest[end + 1..];
        }
    }

    /// The number of cells.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// A cell, which exists, and whether it stood in quotation marks.
    pub fn get(&self, place: usize) -> (&str, bool) {
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, quoted) = self.ends[place];
        (&self.text[begin..end], quoted)
    }

    /// All cells.
    pub fn iter(&self) -> impl Iterator<Item = (&str, bool)> {
        (0..self.count()).map(|place| self.get(place))
    }

    /// The line that the row ends with, counted from 1.
    pub fn line(&self) -> usize {
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<(String, bool)>> {
        let mut cells = Cells::new(text.as_bytes(), b',');
        let mut rows = Vec::new();
        while cells.next().ok().unwrap() {
            rows.push(cells.iter().map(|(text, quoted)| (text.to_owned(), quoted)).collect());
        }
        rows
    }

    #[test]
    fn quotation_marks() {
        let plain = |text: &str| (text.to_owned(), false);
        let quoted = |text: &str| (text.to_owned(), true);
        assert_eq!(rows("\u{feff}a,,b\r\n"), [vec![plain("a"), plain(""), plain("b")]]);
        assert_eq!(
            rows("\"a,\"\"b\"\"\nc\",\"\"\n\nd"),
            [vec![quoted("a,\"b\"\nc"), quoted("")], vec![plain("")], vec![plain("d")]]
        );
        // Marks behind a letter, or behind the end of a cell's, open nothing.
        assert_eq!(
            rows("5\" a,b\nc,6\"\n"),
            [vec![plain("5\" a"), plain("b")], vec![plain("c"), plain("6\"")]]
        );
        assert_eq!(rows("\"a\"b\"c,d\ne"), [vec![quoted("ab\"c"), plain("d")], vec![plain("e")]]);
        assert_eq!(rows("\u{feff}\"a\nb\",c"), [vec![quoted("a\nb"), plain("c")]]);
        let mut open = Cells::new("a\n\"b\nc".as_bytes(), b',');
        assert!(open.next().is_ok_and(|found| found) && open.next().is_err());
    }
}
