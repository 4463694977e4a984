//! Schemas: what a nested array holds, as a tree and as text.

mod meaning;
mod parse;

pub(crate) use meaning::{DAY, DIGITS, PRECISION};
pub use meaning::{Meaning, Unit};

use std::fmt;

/// The type of a column: a number or a boolean.
///
/// ```
/// use nestled_nested::Kind;
/// assert_eq!(Kind::Float32.to_string(), "float32");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "each is what its name says")]
pub enum Kind {
    Bool,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float16,
    Float32,
    Float64,
}

impl Kind {
    /// All of them, with their names.
    pub(crate) const ALL: [(Kind, &str); 12] = [
        (Kind::Bool, "bool"),
        (Kind::Int8, "int8"),
        (Kind::Uint8, "uint8"),
        (Kind::Int16, "int16"),
        (Kind::Uint16, "uint16"),
        (Kind::Int32, "int32"),
        (Kind::Uint32, "uint32"),
        (Kind::Int64, "int64"),
        (Kind::Uint64, "uint64"),
        (Kind::Float16, "float16"),
        (Kind::Float32, "float32"),
        (Kind::Float64, "float64"),
    ];

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Kind::Float16 | Kind::Float32 | Kind::Float64)
    }

    pub(crate) fn is_integer(self) -> bool {
        self.integer().is_some()
    }

    /// True if it is an integer type that has a number.
    pub(crate) fn holds(self, number: i128) -> bool {
        match self.integer() {
            Some((bits, true)) => (-(1 << (bits - 1))..1 << (bits - 1)).contains(&number),
            Some((bits, false)) => (0..1 << bits).contains(&number),
            None => false,
        }
    }

    /// Bits, and whether it has a sign.
    fn integer(self) -> Option<(u32, bool)> {
        match self {
            Kind::Int8 => Some((8, true)),
            Kind::Uint8 => Some((8, false)),
            Kind::Int16 => Some((16, true)),
            Kind::Uint16 => Some((16, false)),
            Kind::Int32 => Some((32, true)),
            Kind::Uint32 => Some((32, false)),
            Kind::Int64 => Some((64, true)),
            Kind::Uint64 => Some((64, false)),
            Kind::Bool | Kind::Float16 | Kind::Float32 | Kind::Float64 => None,
        }
    }

    /// The type that holds the values of both, as NumPy has it.
    ///
    /// ```
    /// use nestled_nested::Kind;
    /// assert_eq!(Kind::Int32.common(Kind::Uint32), Kind::Int64);
    /// ```
    pub fn common(self, other: Kind) -> Kind {
        if self == other || other == Kind::Bool {
            return self;
        }
        match (self.integer(), other.integer()) {
            _ if self == Kind::Bool => other,
            (Some((bits, sign)), Some((other_bits, other_sign))) => {
                common_integer((bits, sign), (other_bits, other_sign))
            }
            (None, None) => self.max(other),
            (Some((bits, _)), None) => other.holding(bits),
            (None, Some((bits, _))) => self.holding(bits),
        }
    }

    /// The float that also holds integers of so many bits, as NumPy has it.
    fn holding(self, bits: u32) -> Kind {
        match bits {
            8 => self,
            16 => self.max(Kind::Float32),
            _ => Kind::Float64,
        }
    }
}

fn common_integer((bits, sign): (u32, bool), (other_bits, other_sign): (u32, bool)) -> Kind {
    let most = bits.max(other_bits);
    let needed = match (sign, other_sign) {
        (false, false) => (most, false),
        (true, true) => (most, true),
        (true, false) => (most.max(2 * other_bits), true),
        (false, true) => (most.max(2 * bits), true),
    };
    let found = Kind::ALL.iter().find(|(kind, _)| kind.integer() == Some(needed));
    found.map_or(Kind::Float64, |&(kind, _)| kind)
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Kind::ALL.iter().find(|(kind, _)| kind == self).map_or("", |(_, name)| name);
        f.pad(name)
    }
}

/// The type of the elements of a nested array. Its text is that of Awkward Array's types, which [`parse`](Schema::parse) reads.
///
/// ```
/// use nestled_nested::{Kind, Schema};
/// let jets = Schema::parse("var * {pt: float32, charge: ?int32, name: string}")?;
/// assert_eq!(jets.field("pt"), None);
/// let Schema::List(jet) = &jets else { unreachable!() };
/// assert_eq!(jet.field("pt"), Some(&Schema::Number(Kind::Float32)));
/// assert_eq!(jets.to_string(), "var * {pt: float32, charge: ?int32, name: string}");
/// # Ok::<(), nestled_nested::BadSchema>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Schema {
    /// A number or a boolean: `int64`, `bool`.
    Number(Kind),
    /// Lists of any lengths: `var * int64`.
    List(Box<Schema>),
    /// Lists of one length: `3 * int64`.
    Fixed(usize, Box<Schema>),
    /// Named fields: `{x: int64, y: float64}`.
    Record(Vec<(String, Schema)>),
    /// Numbered fields: `(int64, float64)`.
    Tuple(Vec<Schema>),
    /// Values that may be missing: `?int64`, and before lists `option[var * int64]`.
    Option(Box<Schema>),
    /// Texts: `string`.
    String,
    /// Bytes: `bytes`.
    Bytes,
    /// Few different values, each stored once: `categorical[type=string]`.
    Category(Box<Schema>),
    /// Integers that stand for something: `date`, `timestamp[us]`, `decimal[10, 2]`.
    Meant(Meaning),
    /// One of several types for each element: `union[int64, string]`.
    Union(Vec<Schema>),
}

impl Schema {
    /// Reads the text of a schema.
    ///
    /// ```
    /// use nestled_nested::Schema;
    /// assert_eq!(Schema::parse("option[var * ?bool]")?.to_string(), "option[var * ?bool]");
    /// let error = Schema::parse("{x: int63}").unwrap_err();
    /// assert_eq!(error.to_string(), "at column 5 of the schema: there is no type `int63`");
    /// # Ok::<(), nestled_nested::BadSchema>(())
    /// ```
    ///
    /// # Errors
    /// It is not the text of a schema, or nests deeper than 100 levels.
    pub fn parse(text: &str) -> Result<Schema, BadSchema> {
        parse::schema(text)
    }

    /// The schema of a field of records, or of records that may be missing.
    ///
    /// ```
    /// use nestled_nested::Schema;
    /// assert_eq!(Schema::parse("?{x: string}")?.field("x"), Some(&Schema::String));
    /// # Ok::<(), nestled_nested::BadSchema>(())
    /// ```
    pub fn field(&self, name: &str) -> Option<&Schema> {
        match self {
            Schema::Record(fields) => fields.iter().find(|(own, _)| own == name).map(|(_, schema)| schema),
            Schema::Option(inner) => inner.field(name),
            _ => None,
        }
    }
}

impl std::str::FromStr for Schema {
    type Err = BadSchema;

    fn from_str(text: &str) -> Result<Schema, BadSchema> {
        Schema::parse(text)
    }
}

/// A name as it stands in a schema: in quotes unless it is a word.
pub(crate) fn quoted(name: &str) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word { name.to_owned() } else { format!("{name:?}") }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schema::Number(kind) => write!(f, "{kind}"),
            Schema::List(inner) => write!(f, "var * {inner}"),
            Schema::Fixed(size, inner) => write!(f, "{size} * {inner}"),
            Schema::Record(fields) => {
                let texts: Vec<String> =
                    fields.iter().map(|(name, schema)| format!("{}: {schema}", quoted(name))).collect();
                write!(f, "{{{}}}", texts.join(", "))
            }
            Schema::Tuple(fields) => {
                let texts: Vec<String> = fields.iter().map(Schema::to_string).collect();
                write!(f, "({})", texts.join(", "))
            }
            Schema::Option(inner) if matches!(**inner, Schema::List(_) | Schema::Fixed(..)) => {
                write!(f, "option[{inner}]")
            }
            Schema::Option(inner) => write!(f, "?{inner}"),
            Schema::String => f.write_str("string"),
            Schema::Bytes => f.write_str("bytes"),
            Schema::Category(inner) => write!(f, "categorical[type={inner}]"),
            Schema::Meant(meaning) => write!(f, "{meaning}"),
            Schema::Union(variants) => {
                let texts: Vec<String> = variants.iter().map(Schema::to_string).collect();
                write!(f, "union[{}]", texts.join(", "))
            }
        }
    }
}

/// The error of a text that is no schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSchema {
    column: usize,
    message: String,
}

impl BadSchema {
    /// The place in the text, counted in characters from 1.
    ///
    /// ```
    /// use nestled_nested::Schema;
    /// assert_eq!(Schema::parse("var * ").unwrap_err().column(), 7);
    /// ```
    pub fn column(&self) -> usize {
        self.column
    }
}

impl fmt::Display for BadSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at column {} of the schema: {}", self.column, self.message)
    }
}

impl std::error::Error for BadSchema {}
