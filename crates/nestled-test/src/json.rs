//! A strict JSON parser for tests: invalid JSON is a panic.

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    /// In quotes.
    Text(String),
    /// A number.
    Number(f64),
    /// `true`, `false` or `null`.
    Word(String),
    /// In brackets.
    List(Vec<Json>),
    /// In braces, in the order that is written.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads all of a text as JSON, strictly.
    ///
    /// # Panics
    /// If it is none.
    pub fn parse(text: &str) -> Json {
        let mut parser = Parser(text);
        let value = parser.value();
        parser.blanks();
        assert!(parser.0.is_empty(), "more after the value: {:?}", parser.0);
        value
    }

    /// The member of this name.
    ///
    /// # Panics
    /// If this is no object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else { panic!("{self:?} is no object") };
        members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The member of this name, which is a text.
    ///
    /// # Panics
    /// If it is not.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Json::Text(text)) => text,
            other => panic!("{name} is {other:?}"),
        }
    }

    /// The member of this name, which is a number.
    ///
    /// # Panics
    /// If it is not.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Json::Number(number)) => *number,
            other => panic!("{name} is {other:?}"),
        }
    }
}

/// The rest of the text.
struct Parser<'a>(&'a str);

impl Parser<'_> {
    fn blanks(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\n', '\r', '\t']);
    }

    fn takes(&mut self, word: char) -> bool {
        self.blanks();
        let rest = self.0.strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn wants(&mut self, word: char) {
        assert!(self.takes(word), "{word:?} is wanted before {:?}", &self.0[..self.0.len().min(40)]);
    }

    fn value(&mut self) -> Json {
        self.blanks();
        match self.0.chars().next().expect("a value") {
            '[' => Json::List(self.items('[', ']', Parser::value)),
            '{' => Json::Object(self.items('{', '}', |parser| {
                let name = parser.quoted();
                parser.wants(':');
                (name, parser.value())
            })),
            '"' => Json::Text(self.quoted()),
            _ => self.plain(),
        }
    }

    fn items<T>(&mut self, open: char, close: char, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        self.wants(open);
        let mut items = Vec::new();
        if self.takes(close) {
            return items;
        }
        loop {
            items.push(item(self));
            if !self.takes(',') {
                break;
            }
        }
        self.wants(close);
        items
    }

    fn quoted(&mut self) -> String {
        self.wants('"');
        let mut text = String::new();
        loop {
            let c = self.0.chars().next().expect("the end of a text");
            self.0 = &self.0[c.len_utf8()..];
            match c {
                '"' => return text,
                '\\' => text.push(self.escape()),
                c => {
                    assert!(c >= ' ', "a control character in a text");
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> char {
        let c = self.0.chars().next().expect("an escape");
        self.0 = &self.0[1..];
        match c {
            '"' | '\\' | '/' => c,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'u' => {
                let code = u32::from_str_radix(&self.0[..4], 16).expect("four digits");
                self.0 = &self.0[4..];
                // Halves of a pair, which nobody here writes, are not put together.
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => panic!("no escape: {other:?}"),
        }
    }

    fn plain(&mut self) -> Json {
        let end = self.0.find([',', ']', '}', ' ', '\n']).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        match word {
            "true" | "false" | "null" => Json::Word(word.to_owned()),
            number => {
                assert!(number.starts_with(|c: char| c == '-' || c.is_ascii_digit()), "{number}");
                Json::Number(number.parse().unwrap_or_else(|_| panic!("{number} is no number")))
            }
        }
    }
}
