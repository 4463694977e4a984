//! Parses a text into a tree of words, texts and lists.

use super::ValueError;
use super::scalar::parse_scalar;
use crate::scalar::{Scalar, ScalarType};

/// The syntax tree of a value.
pub(super) enum Tree<'t> {
    /// A number or a word.
    Word(&'t str),
    /// The bytes of a text.
    Text(Vec<u8>),
    /// `[…]`.
    List(Vec<Tree<'t>>),
}

/// Lists nest no deeper than coordinates can be counted; a bound keeps hostile texts off the stack.
const MAX_DEPTH: usize = 64;

impl<'t> Tree<'t> {
    /// Reads a text.
    pub(super) fn parse(text: &'t str) -> Result<Tree<'t>, ValueError> {
        let mut cursor = Cursor { text, at: 0 };
        let tree = cursor.tree(0)?;
        cursor.skip_space();
        if cursor.at < text.len() { Err(cursor.expected("the end")) } else { Ok(tree) }
    }

    /// Adds the lengths of lists to those of their level; returns whether the lists nest to the expected depth.
    pub(super) fn measure(&self, lists: &mut [Vec<u64>], level: usize) -> bool {
        match self {
            Tree::Word(_) => level == lists.len(),
            Tree::Text(bytes) => {
                level + 1 == lists.len() && {
                    lists[level].push(bytes.len() as u64);
                    true
                }
            }
            Tree::List(entries) => {
                level < lists.len() && {
                    lists[level].push(entries.len() as u64);
                    entries.iter().all(|entry| entry.measure(lists, level + 1))
                }
            }
        }
    }

    /// Visits the scalars in order.
    pub(super) fn leaves(&self, ty: ScalarType, visit: &mut dyn FnMut(Scalar)) -> Result<(), ValueError> {
        match self {
            Tree::Word(word) => visit(parse_scalar(word, ty)?),
            Tree::Text(bytes) if ty == ScalarType::U8 => {
                bytes.iter().for_each(|&byte| visit(Scalar::U8(byte)));
            }
            Tree::Text(_) => return Err(ValueError::Scalar { word: "a text".to_owned(), ty }),
            Tree::List(entries) => entries.iter().try_for_each(|entry| entry.leaves(ty, visit))?,
        }
        Ok(())
    }

    /// The scalar, if it is one.
    pub(super) fn scalar(&self, ty: ScalarType) -> Result<Scalar, ValueError> {
        match self {
            Tree::Word(word) => parse_scalar(word, ty),
            Tree::Text(_) | Tree::List(_) => Err(ValueError::Nesting { depth: 0, ty: ty.to_string() }),
        }
    }
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn expected(&self, expected: &'static str) -> ValueError {
        ValueError::Syntax { at: self.at, expected }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Skips space and then `c`, if it comes next.
    fn eat(&mut self, c: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn tree(&mut self, depth: usize) -> Result<Tree<'t>, ValueError> {
        if depth > MAX_DEPTH {
            return Err(self.expected("less nesting"));
        }
        if self.eat('[') {
            return self.list(depth);
        }
        if self.eat('"') {
            return self.quoted();
        }
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || "[],\"".contains(c)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.expected("a value"));
        }
        self.at += end;
        Ok(Tree::Word(&rest[..end]))
    }

    fn list(&mut self, depth: usize) -> Result<Tree<'t>, ValueError> {
        let mut entries = Vec::new();
        while !self.eat(']') {
            if !entries.is_empty() && !self.eat(',') {
                return Err(self.expected("`,` or `]`"));
            }
            entries.push(self.tree(depth + 1)?);
        }
        Ok(Tree::List(entries))
    }

    fn quoted(&mut self) -> Result<Tree<'t>, ValueError> {
        let mut text = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else { return Err(self.expected("`\"`")) };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(Tree::Text(text.into_bytes())),
                '\\' => text.push(self.escape()?),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ValueError> {
        let plain = [("n", '\n'), ("t", '\t'), ("\\", '\\'), ("\"", '"')];
        if let Some((_, c)) = plain.iter().find(|(name, _)| self.rest().starts_with(name)) {
            self.at += 1;
            return Ok(*c);
        }
        let error = self.expected("`n`, `t`, `\\`, `\"` or `u{…}`");
        let (digits, _) =
            self.rest().strip_prefix("u{").and_then(|rest| rest.split_once('}')).ok_or(error)?;
        let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        let c = c.ok_or_else(|| self.expected("a character number"))?;
        self.at += digits.len() + 3;
        Ok(c)
    }
}
