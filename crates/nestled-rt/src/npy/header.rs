//! Parser of `.npy` headers: a Python dictionary literal, read token by token, so that quotes, blanks and the order of its entries are free.

use super::write::descr;
use nestled_ir::ScalarType;

/// The parsed header.
#[derive(Debug)]
pub(super) struct Header {
    /// What the elements are; never `idx`.
    pub stored: ScalarType,
    pub big_endian: bool,
    pub fortran: bool,
    pub shape: Vec<u64>,
}

/// The values that such a dictionary may hold.
enum Literal {
    Text(String),
    /// `True`, `False`, and numbers.
    Word(String),
    /// A tuple or a list.
    Several(Vec<Literal>),
}

impl Header {
    pub fn parse(text: &str) -> Result<Header, String> {
        let mut cursor = Cursor { rest: text.trim_matches(['\0', ' ', '\n', '\r', '\t']) };
        let entries = cursor.dictionary().ok_or("its header is not a dictionary")?;
        let field = |name: &str| {
            let entry = entries.iter().find(|(key, _)| key == name);
            Ok::<_, String>(&entry.ok_or_else(|| format!("its header has no `{name}`"))?.1)
        };
        let (stored, big_endian) = match field("descr")? {
            Literal::Text(text) => parse_descr(text).ok_or_else(|| unknown(text))?,
            Literal::Word(_) | Literal::Several(_) => {
                return Err("its elements are records, which have no counterpart here; save each field by itself, as `a['x']`"
                    .to_owned());
            }
        };
        let fortran = match field("fortran_order")? {
            Literal::Word(word) if word == "True" => true,
            Literal::Word(word) if word == "False" => false,
            _ => return Err("its `fortran_order` is neither True nor False".to_owned()),
        };
        let wrong = || "its shape is not a tuple of lengths".to_owned();
        let extent = |extent: &Literal| match extent {
            Literal::Word(word) => word.trim_end_matches('L').parse().map_err(|_| wrong()),
            Literal::Text(_) | Literal::Several(_) => Err(wrong()),
        };
        let shape = match field("shape")? {
            Literal::Several(extents) => extents.iter().map(extent).collect::<Result<_, _>>()?,
            Literal::Text(_) | Literal::Word(_) => return Err(wrong()),
        };
        Ok(Header { stored, big_endian, fortran, shape })
    }
}

/// Parses a type, and whether its bytes are big-endian. `=` is the native order of the writer, taken to be little-endian.
fn parse_descr(text: &str) -> Option<(ScalarType, bool)> {
    let (order, name) = match text.strip_prefix(['<', '>', '|', '=']) {
        Some(name) => (text.chars().next()?, name),
        None => ('=', text),
    };
    let name = if name == "?" { "b1" } else { name };
    let mut known = ScalarType::ALL.into_iter().filter(|&elem| elem != ScalarType::Idx);
    let stored = known.find(|&elem| descr(elem)[1..] == *name)?;
    Some((stored, order == '>' && stored.size() > 1))
}

/// The message about an unsupported element type, with advice.
fn unknown(text: &str) -> String {
    let (what, advice) = match text.trim_start_matches(['<', '>', '|', '=']).chars().next() {
        Some('U') => ("texts", "save them with `json.dump(a.tolist(), file)`"),
        Some('S' | 'a') => ("byte strings", "save them with `json.dump(np.char.decode(a).tolist(), file)`"),
        Some('O') => ("Python objects", "give it a type with `.astype('f8')`, or save it as JSON"),
        Some('c') => ("complex numbers", "save `a.real` and `a.imag`"),
        Some('M' | 'm') => ("times", "convert it with `.astype('i8')`"),
        _ => {
            return format!(
                "its elements are `{text}`, which has no counterpart here; convert it with `.astype('f8')`"
            );
        }
    };
    format!("its elements are {what} (`{text}`), which have no counterpart here; {advice}")
}

/// The rest of the text, while it is parsed.
struct Cursor<'t> {
    rest: &'t str,
}

impl Cursor<'_> {
    /// Reads one sign, if it comes next.
    fn eat(&mut self, sign: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// `{key: value, …}`, and nothing behind it.
    fn dictionary(&mut self) -> Option<Vec<(String, Literal)>> {
        let mut entries = Vec::new();
        if !self.eat('{') {
            return None;
        }
        while !self.eat('}') {
            let Literal::Text(key) = self.literal(0)? else { return None };
            if !self.eat(':') {
                return None;
            }
            entries.push((key, self.literal(0)?));
            if !self.eat(',') {
                return (self.eat('}') && self.rest.trim().is_empty()).then_some(entries);
            }
        }
        self.rest.trim().is_empty().then_some(entries)
    }

    fn literal(&mut self, depth: usize) -> Option<Literal> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next()? {
            quote @ ('\'' | '"') => self.text(quote).map(Literal::Text),
            '(' => self.several('(', ')', depth),
            '[' => self.several('[', ']', depth),
            _ => {
                let end = self.rest.find([',', ':', ')', ']', '}', '(', '[', '{', '\'', '"']);
                let (word, rest) = self.rest.split_at(end?);
                self.rest = rest;
                Some(Literal::Word(word.trim_end().to_owned()))
            }
        }
    }

    fn text(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut signs = self.rest.char_indices().skip(1);
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => text.push(signs.next()?.1),
                sign if sign == quote => {
                    self.rest = &self.rest[at + sign.len_utf8()..];
                    return Some(text);
                }
                sign => text.push(sign),
            }
        }
        None
    }

    /// Parses literals between brackets. The nesting depth is limited; records do not nest deeper.
    fn several(&mut self, open: char, close: char, depth: usize) -> Option<Literal> {
        if depth == 8 || !self.eat(open) {
            return None;
        }
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.literal(depth + 1)?);
            if !self.eat(',') {
                return self.eat(close).then_some(Literal::Several(items));
            }
        }
        Some(Literal::Several(items))
    }
}
