//! JSON: lists of one type are sequences, other lists tuples, texts sequences of characters.

use super::tree::Tree;
use nestled_nesl::Column;

/// Lists in lists, up to so many.
const DEEPEST: usize = 64;

/// The value of a text.
pub fn read(text: &str) -> Result<Column, String> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.blanks();
    if reader.at < text.len() {
        return Err(reader.unexpected("the end"));
    }
    value.column()
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
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

    fn value(&mut self, depth: usize) -> Result<Tree, String> {
        self.blanks();
        match self.rest().bytes().next() {
            Some(b'[') if depth == DEEPEST => {
                Err(format!("its lists are nested more than {DEEPEST} levels deep"))
            }
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => self.quoted().map(Tree::Text),
            Some(b'{') => {
                Err("it has objects, which have no counterpart; lists of their values have".to_owned())
            }
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
            self.blanks();
            if self.eats("]") {
                return Ok(Tree::Several(values));
            }
            if !self.eats(",") {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
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

    /// What stands behind a `\`.
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
    use super::super::tree::Tree;
    use super::*;

    fn tree(text: &str) -> Tree {
        Reader { text, at: 0 }.value(0).expect("a value")
    }

    #[test]
    fn values() {
        let several = |values: &[Tree]| Tree::Several(values.to_vec());
        assert_eq!(tree(" [1, -2.5e1,null ]"), several(&[Tree::Int(1), Tree::Float(-25.0), Tree::Null]));
        assert_eq!(tree("[[true],[]]"), several(&[several(&[Tree::Bool(true)]), several(&[])]));
        assert_eq!(tree(r#""a\"\n\u00e9\ud83d\ude00""#), Tree::Text("a\"\né😀".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |text: &str| read(text).expect_err(text);
        assert_eq!(wrong("[1, 2"), "it ends where `,` or `]` is wanted");
        assert_eq!(wrong("[1,\n x]"), "line 2: a value is wanted before `x`");
        assert_eq!(wrong("1 2"), "line 1: the end is wanted before `2`");
        assert_eq!(wrong("{}"), "it has objects, which have no counterpart; lists of their values have");
        assert_eq!(
            wrong("18446744073709551615"),
            "18446744073709551615 in it does not fit into an `int`; as a float it is 18446744073709551615.0"
        );
        assert_eq!(wrong(&"[".repeat(100_000)), "its lists are nested more than 64 levels deep");
        assert_eq!(wrong("\"\\u12g4\""), "line 1: four hexadecimal digits is wanted before `1`");
    }
}
