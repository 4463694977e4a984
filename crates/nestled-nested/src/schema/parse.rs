//! The parser of schemas: by recursive descent, of bounded depth.

use super::{BadSchema, DIGITS, Kind, Meaning, Schema, Unit};
use std::sync::Arc;

/// The greatest number of levels, so that no text exhausts the stack.
const DEEPEST: usize = 100;

pub(super) fn schema(text: &str) -> Result<Schema, BadSchema> {
    let mut parser = Parser { chars: text.chars().collect(), at: 0 };
    let schema = parser.schema(DEEPEST)?;
    parser.blanks();
    if parser.at < parser.chars.len() {
        return parser.fail("there is more after the schema");
    }
    Ok(schema)
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

impl Parser {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, BadSchema> {
        Err(BadSchema { column: self.at + 1, message: message.into() })
    }

    fn blanks(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    /// Goes over a sign, if it is the next one.
    fn sign(&mut self, sign: char) -> bool {
        self.blanks();
        let found = self.chars.get(self.at) == Some(&sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: char) -> Result<(), BadSchema> {
        if self.sign(sign) { Ok(()) } else { self.fail(format!("`{sign}` is missing")) }
    }

    fn word(&mut self) -> String {
        self.blanks();
        let rest = &self.chars[self.at..];
        let word: String = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').collect();
        self.at += word.len();
        word
    }

    fn schema(&mut self, deepest: usize) -> Result<Schema, BadSchema> {
        let Some(deepest) = deepest.checked_sub(1) else {
            return self.fail(format!("it nests deeper than {DEEPEST} levels"));
        };
        if self.sign('?') {
            return Ok(Schema::Option(Box::new(self.schema(deepest)?)));
        }
        if self.sign('{') {
            return Ok(Schema::Record(self.record(deepest)?));
        }
        if self.sign('(') {
            return Ok(Schema::Tuple(self.list(')', |parser| parser.schema(deepest))?));
        }
        let begin = self.at;
        let word = self.word();
        match word.as_str() {
            "var" => {
                self.expect('*')?;
                Ok(Schema::List(Box::new(self.schema(deepest)?)))
            }
            "string" => Ok(Schema::String),
            "bytes" => Ok(Schema::Bytes),
            "option" => {
                self.expect('[')?;
                let inner = self.schema(deepest)?;
                self.expect(']')?;
                Ok(Schema::Option(Box::new(inner)))
            }
            "categorical" => self.category(deepest),
            "union" => self.union(deepest),
            "date" => Ok(Schema::Meant(Meaning::Date)),
            "time" => Ok(Schema::Meant(Meaning::Time(self.in_brackets(Parser::unit)?))),
            "timestamp" | "datetime64" => {
                let (unit, zone) = self.in_brackets(Parser::unit_and_zone)?;
                Ok(Schema::Meant(Meaning::Timestamp(unit, zone)))
            }
            "duration" | "timedelta64" => {
                Ok(Schema::Meant(Meaning::Duration(self.in_brackets(Parser::unit)?)))
            }
            "decimal" => {
                let (precision, scale) = self.in_brackets(Parser::digits)?;
                Ok(Schema::Meant(Meaning::Decimal(precision, scale)))
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => self.fixed(&word, begin, deepest),
            _ => match Kind::ALL.iter().find(|(_, name)| *name == word) {
                Some(&(kind, _)) => Ok(Schema::Number(kind)),
                None => self.no_type(&word),
            },
        }
    }

    fn no_type(&mut self, word: &str) -> Result<Schema, BadSchema> {
        self.at -= word.len();
        if word.is_empty() {
            self.fail("a type is missing")
        } else {
            self.fail(format!("there is no type `{word}`"))
        }
    }

    fn fixed(&mut self, word: &str, begin: usize, deepest: usize) -> Result<Schema, BadSchema> {
        let Ok(size) = word.parse() else {
            self.at = begin;
            return self.fail(format!("`{word}` is no length"));
        };
        self.expect('*')?;
        Ok(Schema::Fixed(size, Box::new(self.schema(deepest)?)))
    }

    fn category(&mut self, deepest: usize) -> Result<Schema, BadSchema> {
        self.expect('[')?;
        if self.word() != "type" {
            return self.fail("`type=` is missing");
        }
        self.expect('=')?;
        let inner = self.schema(deepest)?;
        self.expect(']')?;
        Ok(Schema::Category(Box::new(inner)))
    }

    fn union(&mut self, deepest: usize) -> Result<Schema, BadSchema> {
        self.expect('[')?;
        let variants = self.list(']', |parser| parser.schema(deepest))?;
        if variants.is_empty() { self.fail("a union has variants") } else { Ok(Schema::Union(variants)) }
    }

    fn in_brackets<T>(&mut self, item: fn(&mut Parser) -> Result<T, BadSchema>) -> Result<T, BadSchema> {
        self.expect('[')?;
        let item = item(self)?;
        self.expect(']')?;
        Ok(item)
    }

    fn unit(&mut self) -> Result<Unit, BadSchema> {
        let word = self.word();
        match Unit::ALL.iter().find(|(_, name)| *name == word) {
            Some((unit, _)) => Ok(*unit),
            None => {
                self.at -= word.len();
                self.fail("a unit is missing: `s`, `ms`, `us` or `ns`")
            }
        }
    }

    fn unit_and_zone(&mut self) -> Result<(Unit, Option<Arc<str>>), BadSchema> {
        let unit = self.unit()?;
        if !self.sign(',') {
            return Ok((unit, None));
        }
        self.expect('"')?;
        Ok((unit, Some(Arc::from(self.text()?))))
    }

    /// The precision and the scale of a decimal.
    fn digits(&mut self) -> Result<(u8, u8), BadSchema> {
        let precision = self.word().parse().ok().filter(|precision| (1..=38).contains(precision));
        self.expect(',')?;
        let scale = self.word().parse().ok().filter(|scale| *scale <= DIGITS);
        match (precision, scale) {
            (Some(precision), Some(scale)) => Ok((precision, scale)),
            _ => self.fail(format!("a decimal has at most 38 digits, and at most {DIGITS} after the point")),
        }
    }

    fn list<T>(
        &mut self,
        end: char,
        mut item: impl FnMut(&mut Parser) -> Result<T, BadSchema>,
    ) -> Result<Vec<T>, BadSchema> {
        let mut items = Vec::new();
        while !self.sign(end) {
            if !items.is_empty() {
                self.expect(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn record(&mut self, deepest: usize) -> Result<Vec<(String, Schema)>, BadSchema> {
        let fields = self.list('}', |parser| parser.field(deepest))?;
        let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => self.fail(format!("there are two fields `{}`", pair[0])),
            None => Ok(fields),
        }
    }

    fn field(&mut self, deepest: usize) -> Result<(String, Schema), BadSchema> {
        let name = if self.sign('"') { self.text()? } else { self.word() };
        self.expect(':')?;
        Ok((name, self.schema(deepest)?))
    }

    /// The rest of a name in quotes, as `{:?}` writes it.
    fn text(&mut self) -> Result<String, BadSchema> {
        let mut text = String::new();
        loop {
            let next = self.chars.get(self.at).copied();
            self.at += 1;
            match next {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(c) => text.push(c),
                None => return self.fail("a closing `\"` is missing"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, BadSchema> {
        let next = self.chars.get(self.at).copied();
        self.at += 1;
        match next {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('r') => Ok('\r'),
            Some('0') => Ok('\0'),
            Some('u') => {
                self.expect('{')?;
                let digits = self.word();
                self.expect('}')?;
                match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                    Some(c) => Ok(c),
                    None => self.fail(format!("`{digits}` is no character")),
                }
            }
            Some(c) => Ok(c),
            None => self.fail("a character is missing after `\\`"),
        }
    }
}
