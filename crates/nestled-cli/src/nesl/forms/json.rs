//! JSON: lists of one type are sequences, other lists tuples, texts sequences of characters. Objects are tuples of their values, in the order of the
//! names of the first object that has just these.

use super::tree::Tree;
use nestled_nesl::Column;
use std::collections::HashMap;
use std::sync::Arc;

/// The greatest depth of nested lists.
const DEEPEST: usize = 64;

/// Parses the value of a text, into at most `room` bytes.
pub fn read(text: &str, room: u64) -> Result<Column, String> {
    parse(text, room)?.column()
}

/// The same, as a tree.
pub fn parse(text: &str, room: u64) -> Result<Tree, String> {
    let mut reader = Reader { text, at: 0, left: room, room, orders: HashMap::new() };
    let value = reader.value(0)?;
    reader.blanks();
    if reader.at < text.len() {
        return Err(reader.unexpected("the end"));
    }
    Ok(value)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Bytes that are left for more values.
    left: u64,
    room: u64,
    /// Canonical order of members: for the sorted names of an object, the order in which they first came.
    orders: HashMap<Vec<Arc<str>>, Arc<[Arc<str>]>>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn eats(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn unexpected(&self, wanted: &str) -> String {
        let line = self.text[..self.at].matches('\n').count() + 1;
        match self.rest().chars().next() {
            Some(found) => format!("line {line}: {wanted} is wanted before `{found}`"),
            None => format!("it ends where {wanted} is wanted"),
        }
    }

    /// Takes so many bytes of the room that is left.
    fn takes(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.left.checked_sub(bytes as u64);
        let room = self.room;
        self.left =
            left.ok_or_else(|| format!("it takes more than the {room} bytes that there is room for"))?;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Tree, String> {
        // As a tree, and as an element.
        self.takes(size_of::<Tree>() + size_of::<f64>())?;
        self.blanks();
        match self.rest().bytes().next() {
            Some(b'[' | b'{') if depth == DEEPEST => {
                Err(format!("its lists are nested more than {DEEPEST} levels deep"))
            }
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => self.quoted().map(Tree::Text),
            Some(b'{') => self.object(depth + 1),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.eats("true") => Ok(Tree::Bool(true)),
            _ if self.eats("false") => Ok(Tree::Bool(false)),
            _ if self.eats("null") => Ok(Tree::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Tree, String> {
        self.at += 1;
        let mut values = Vec::new();
        self.blanks();
        if self.eats("]") {
            return Ok(Tree::Several(values));
        }
        loop {
            values.push(self.value(depth)?);
            self.alike(&values)?;
            self.blanks();
            if self.eats("]") {
                return Ok(Tree::Several(values));
            }
            if !self.eats(",") {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    /// Checks that the objects of a list have the same names.
    fn alike(&self, values: &[Tree]) -> Result<(), String> {
        let (Some(Tree::Record(first, _)), Some(Tree::Record(names, _))) = (values.first(), values.last())
        else {
            return Ok(());
        };
        if Arc::ptr_eq(first, names) {
            return Ok(());
        }
        let line = self.text[..self.at].matches('\n').count() + 1;
        let only = |these: &[Arc<str>], those: &[Arc<str>]| {
            these.iter().find(|name| !those.contains(name)).map(ToString::to_string)
        };
        Err(match (only(first, names), only(names, first)) {
            (Some(name), _) => {
                format!("line {line}: the object before has no `{name}`, which the first of the list has")
            }
            (None, name) => format!(
                "line {line}: the object before has `{}`, which the first of the list has not",
                name.unwrap_or_default()
            ),
        })
    }

    /// `{"name": value, …}`
    fn object(&mut self, depth: usize) -> Result<Tree, String> {
        self.at += 1;
        let mut parts: Vec<(Arc<str>, Tree)> = Vec::new();
        loop {
            self.blanks();
            if parts.is_empty() && self.rest().starts_with('}') {
                return Err("it has an object with nothing in it, which has no counterpart".to_owned());
            }
            if !self.rest().starts_with('"') {
                return Err(self.unexpected("a name in quotes"));
            }
            let name: Arc<str> = self.quoted()?.into();
            self.blanks();
            if !self.eats(":") {
                return Err(self.unexpected("`:`"));
            }
            parts.push((name, self.value(depth)?));
            self.blanks();
            if self.eats("}") {
                return self.ordered(parts);
            }
            if !self.eats(",") {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    /// Orders values as in the first object that had these names.
    fn ordered(&mut self, mut parts: Vec<(Arc<str>, Tree)>) -> Result<Tree, String> {
        let mut sorted: Vec<Arc<str>> = parts.iter().map(|(name, _)| Arc::clone(name)).collect();
        sorted.sort();
        if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
            return Err(format!("it has an object with two values for `{}`", twice[0]));
        }
        let as_it_is = || parts.iter().map(|(name, _)| Arc::clone(name)).collect();
        let names = Arc::clone(self.orders.entry(sorted).or_insert_with(as_it_is));
        if !parts.iter().map(|(name, _)| name).eq(names.iter()) {
            let place = |name: &str| names.iter().position(|other| **other == *name);
            parts.sort_by_key(|(name, _)| place(name));
        }
        let values = parts.into_iter().map(|(_, value)| value).collect();
        Ok(Tree::Record(names, values))
    }

    fn number(&mut self) -> Result<Tree, String> {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..length];
        let number = if word.contains(['.', 'e', 'E']) {
            word.parse().ok().map(Tree::Float)
        } else {
            match word.parse() {
                Ok(value) => Some(Tree::Int(value)),
                Err(_) if word.parse::<f64>().is_ok() => {
                    return Err(format!(
                        "{word} in it does not fit into an `int`; as a float it is {word}.0"
                    ));
                }
                Err(_) => None,
            }
        };
        let number = number.ok_or_else(|| self.unexpected("a number"))?;
        self.at += length;
        Ok(number)
    }

    fn quoted(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let length = self.rest().find(['"', '\\']).unwrap_or(self.rest().len());
            self.takes(length)?;
            text.push_str(&self.rest()[..length]);
            self.at += length;
            if self.eats("\"") {
                return Ok(text);
            }
            if !self.eats("\\") {
                return Err(self.unexpected("`\"`"));
            }
            text.push(self.escape()?);
        }
    }

    /// Reads the rest of an escape, after the `\`.
    fn escape(&mut self) -> Result<char, String> {
        let letters = [
            ("\"", '"'),
            ("\\", '\\'),
            ("/", '/'),
            ("b", '\x08'),
            ("f", '\x0c'),
            ("n", '\n'),
            ("r", '\r'),
            ("t", '\t'),
        ];
        if let Some((_, meant)) = letters.into_iter().find(|(letter, _)| self.eats(letter)) {
            return Ok(meant);
        }
        if !self.eats("u") {
            return Err(self.unexpected("an escape"));
        }
        let high = self.code()?;
        // Characters beyond 16 bits are written as two.
        if (0xd800..0xdc00).contains(&high) && self.eats("\\u") {
            let low = self.code()?;
            let whole = 0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
            return Ok(char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn code(&mut self) -> Result<u32, String> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.unexpected("four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_nesl::Elements;

    fn tree(text: &str) -> Tree {
        Reader { text, at: 0, left: 1 << 20, room: 1 << 20, orders: HashMap::new() }
            .value(0)
            .expect("a value")
    }

    #[test]
    fn values() {
        let several = |values: &[Tree]| Tree::Several(values.to_vec());
        assert_eq!(tree(" [1, -2.5e1,null ]"), several(&[Tree::Int(1), Tree::Float(-25.0), Tree::Null]));
        assert_eq!(tree("[[true],[]]"), several(&[several(&[Tree::Bool(true)]), several(&[])]));
        assert_eq!(tree(r#""a\"\n\u00e9\ud83d\ude00""#), Tree::Text("a\"\né😀".to_owned()));
    }

    #[test]
    fn objects_are_tuples() {
        let scalar = |elements| Column::Elements { count: 2, shape: Vec::new(), elements };
        let text = r#"[{"x": 1, "y": 2.5}, {"y": 3, "x": 4}]"#;
        let Column::Rows { lengths, elements } = read(text, 1 << 20).unwrap() else { panic!() };
        assert_eq!(lengths, [2]);
        let (left, right) = (Elements::Ints(vec![1, 4]), Elements::Floats(vec![2.5, 3.0]));
        assert_eq!(*elements, Column::Pairs(Box::new(scalar(left)), Box::new(scalar(right))));
        // Also where all values are of one type, and in lists of their own.
        let text = r#"[[{"x": 1, "y": 2}], [{"y": 3, "x": 4}]]"#;
        let Column::Rows { elements, .. } = read(text, 1 << 20).unwrap() else { panic!() };
        let Column::Rows { elements, .. } = *elements else { panic!() };
        let (left, right) = (Elements::Ints(vec![1, 4]), Elements::Ints(vec![2, 3]));
        assert_eq!(*elements, Column::Pairs(Box::new(scalar(left)), Box::new(scalar(right))));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |text: &str| read(text, 1 << 24).expect_err(text);
        assert_eq!(wrong("[1, 2"), "it ends where `,` or `]` is wanted");
        assert_eq!(wrong("[1,\n x]"), "line 2: a value is wanted before `x`");
        assert_eq!(wrong("1 2"), "line 1: the end is wanted before `2`");
        assert_eq!(wrong("{}"), "it has an object with nothing in it, which has no counterpart");
        assert_eq!(wrong("{a: 1}"), "line 1: a name in quotes is wanted before `a`");
        assert_eq!(wrong("{\"a\": 1, \"a\": 2}"), "it has an object with two values for `a`");
        assert_eq!(
            wrong("[{\"a\": 1},\n{\"b\": 2}]"),
            "line 2: the object before has no `a`, which the first of the list has"
        );
        assert_eq!(wrong(&"{\"a\":".repeat(100_000)), "its lists are nested more than 64 levels deep");
        assert_eq!(
            read(&format!("[{}1]", "1,".repeat(100)), 1000).unwrap_err(),
            "it takes more than the 1000 bytes that there is room for"
        );
        assert_eq!(
            wrong("18446744073709551615"),
            "18446744073709551615 in it does not fit into an `int`; as a float it is 18446744073709551615.0"
        );
        assert_eq!(wrong(&"[".repeat(100_000)), "its lists are nested more than 64 levels deep");
        assert_eq!(wrong("\"\\u12g4\""), "line 1: four hexadecimal digits is wanted before `1`");
    }
}
