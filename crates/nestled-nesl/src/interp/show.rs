//! Printing of values in the format of the original's interactive loop (section 6.1 of the reference).

use super::{Node, Sequence, Value};
use crate::types::{Base, Record, RecordForm, RecordId, Type, TypeId, Types, Variant};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

/// The format of shown values.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Number of elements shown; longer sequences end with `,...]`. Strings are always shown whole.
    pub print_length: usize,
    /// Number of significant digits of floats. Constants are shown in full precision.
    pub digits: usize,
    /// True if floats have 32 bits: they are shown by the shortest text that reads back as the same float.
    pub single: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { print_length: 100, digits: 15, single: false }
    }
}

/// A value to be shown. Its text is made while it is written, and is never in memory as a whole.
#[derive(Clone)]
pub struct Picture(Content);

#[derive(Clone)]
enum Content {
    Text(Vec<u8>),
    Value(Value, Arc<Form>, Style),
}

/// The part of a type that affects the printing of its values.
enum Form {
    /// No effect: the values suffice.
    Plain,
    Record(String, Arc<Form>),
    Data(Arc<Variants>),
    /// A datatype inside of itself.
    Again(Weak<Variants>),
    Pair(Arc<Form>, Arc<Form>),
    Text,
    Seq(Arc<Form>),
}

/// The variants of a datatype: their constructors, and the forms of what they hold.
type Variants = OnceLock<Vec<(String, Option<Arc<Form>>)>>;

/// Makes the picture of a value. The type tells where records are, and the element type of empty sequences.
pub fn show(value: &Value, ty: TypeId, types: &mut Types, records: &[Record], style: Style) -> Picture {
    let form = Forms { types, records, known: HashMap::new(), data: HashMap::new() }.of(ty);
    Picture(Content::Value(value.clone(), form, style))
}

impl Picture {
    /// Makes a picture of a text that stands for a value.
    pub fn of_text(text: impl Into<Vec<u8>>) -> Picture {
        Picture(Content::Text(text.into()))
    }

    /// Writes the text in pieces, until `out` returns false.
    pub fn write(&self, out: &mut dyn FnMut(&[u8]) -> bool) {
        self.write_most(usize::MAX, out);
    }

    /// Writes at least the first `most` bytes of the text, and perhaps some more.
    fn write_most(&self, most: usize, out: &mut dyn FnMut(&[u8]) -> bool) {
        match &self.0 {
            Content::Text(text) => drop(out(text)),
            Content::Value(value, form, style) => {
                let mut show = Show { style: *style, out, written: 0, dots: false, most, depth: 0 };
                show.value(value, form, true);
            }
        }
    }

    /// Returns the text, if it has at most so many bytes.
    pub fn short(&self, most: usize) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        self.write_most(most, &mut |bytes| {
            text.extend(bytes);
            true
        });
        (text.len() <= most).then_some(text)
    }

    /// Returns the whole text.
    pub fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        self.write(&mut |bytes| {
            text.extend(bytes);
            true
        });
        text
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.text()))
    }
}

impl PartialEq for Picture {
    fn eq(&self, other: &Picture) -> bool {
        self.text() == other.text()
    }
}

/// Makes forms, one for each type.
struct Forms<'a> {
    types: &'a mut Types,
    records: &'a [Record],
    known: HashMap<TypeId, Arc<Form>>,
    /// The datatypes met so far, at the types of their parameters.
    data: HashMap<(RecordId, Vec<TypeId>), Weak<Variants>>,
}

impl Forms<'_> {
    fn of(&mut self, ty: TypeId) -> Arc<Form> {
        let ty = self.types.resolve(ty);
        if let Some(known) = self.known.get(&ty) {
            return Arc::clone(known);
        }
        let form = self.make(ty);
        self.known.insert(ty, Arc::clone(&form));
        form
    }

    fn make(&mut self, ty: TypeId) -> Arc<Form> {
        Arc::new(match self.types.get(ty).clone() {
            Type::Record(record, arguments) => {
                let declared = self.records[record.0 as usize].clone();
                let parameters = declared.parameters.iter().map(|parameter| self.types.resolve(*parameter));
                let by: HashMap<TypeId, TypeId> = parameters.zip(arguments.iter().copied()).collect();
                match &declared.form {
                    RecordForm::Content(content) => {
                        let content = self.types.replace(*content, &by);
                        Form::Record(declared.name.to_string(), self.of(content))
                    }
                    RecordForm::Variants(variants) => {
                        let arguments = arguments.iter().map(|one| self.types.resolve(*one)).collect();
                        self.variants((record, arguments), variants, &by)
                    }
                }
            }
            Type::Pair(..) => return self.tuple(ty),
            Type::Seq(element) => match self.types.get(element) {
                Type::Base(Base::Char) => Form::Text,
                _ => Form::Seq(self.of(element)),
            },
            Type::Base(_) | Type::Function(..) | Type::Var(_) | Type::Link(_) => Form::Plain,
        })
    }

    fn variants(
        &mut self,
        key: (RecordId, Vec<TypeId>),
        variants: &[Variant],
        by: &HashMap<TypeId, TypeId>,
    ) -> Form {
        if let Some(known) = self.data.get(&key) {
            return Form::Again(Weak::clone(known));
        }
        let made = Arc::new(Variants::new());
        self.data.insert(key, Arc::downgrade(&made));
        let forms = variants.iter().map(|variant| {
            let content = variant.content.map(|content| self.types.replace(content, by));
            (variant.name.to_string(), content.map(|content| self.of(content)))
        });
        made.get_or_init(|| forms.collect());
        Form::Data(made)
    }

    /// Makes the form of a tuple in a loop: it may be thousands of nested pairs.
    fn tuple(&mut self, ty: TypeId) -> Arc<Form> {
        let (mut parts, mut rest) = (Vec::new(), ty);
        while let Type::Pair(left, right) = *self.types.get(rest) {
            parts.push(left);
            rest = right;
        }
        let last = self.of(rest);
        parts.into_iter().rev().fold(last, |right, left| Arc::new(Form::Pair(self.of(left), right)))
    }
}

/// Approximate limit in bytes on the text of a shown value, unless all of it is wanted.
const LIMIT: usize = 1 << 22;

/// Number of values of datatypes inside of one another that are shown.
const DEEPEST: usize = 200;

/// Number of bytes written at once.
const PIECE: usize = 1 << 16;

struct Show<'a> {
    style: Style,
    out: &'a mut dyn FnMut(&[u8]) -> bool,
    written: usize,
    /// True if the last output was dots that stand for more elements.
    dots: bool,
    /// Number of bytes after which writing may stop.
    most: usize,
    /// Number of values of datatypes around what is written.
    depth: usize,
}

impl Show<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            if !(self.out)(bytes) {
                self.most = 0;
            }
            self.written += bytes.len();
            self.dots = bytes.ends_with(b"...");
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes a value; `bracket` says whether a pair needs brackets here.
    fn value(&mut self, value: &Value, form: &Form, bracket: bool) {
        if self.written > self.most {
            return;
        }
        // Shared parts are written out again and again, which no memory may be large enough for.
        if self.written > LIMIT && self.style.print_length < usize::MAX {
            self.text(if self.dots { "" } else { "..." });
            return;
        }
        if let Form::Record(name, content) = form {
            self.text(name);
            self.text("(");
            self.value(value, content, false);
            self.text(")");
            return;
        }
        match value {
            Value::Int(value) => self.text(&value.to_string()),
            Value::Float(value) => {
                let text = float(*value, self.style);
                self.text(&text);
            }
            Value::Bool(value) => self.text(if *value { "T" } else { "F" }),
            Value::Char(code) => {
                self.bytes(&[b'`', *code]);
            }
            Value::Pair(pair) => {
                let (left, right) = match form {
                    Form::Pair(left, right) => (&**left, &**right),
                    _ => (&Form::Plain, &Form::Plain),
                };
                self.text(if bracket { "(" } else { "" });
                self.value(&pair.0, left, true);
                self.text(", ");
                self.value(&pair.1, right, false);
                self.text(if bracket { ")" } else { "" });
            }
            Value::Seq(elements) if matches!(form, Form::Text) => self.string(&elements.characters()),
            Value::Seq(elements) => {
                self.sequence(elements, if let Form::Seq(element) = form { element } else { &Form::Plain });
            }
            Value::Data(node) => self.data(node, form),
            Value::Closure(_) => self.text("fn"),
        }
    }

    /// Writes a value of a datatype. What is nested deeper than anybody reads is dots.
    fn data(&mut self, node: &Node, form: &Form) {
        let variants = match form {
            Form::Data(variants) => Some(Arc::clone(variants)),
            Form::Again(variants) => variants.upgrade(),
            _ => None,
        };
        let of_variant = variants.as_ref().and_then(|variants| variants.get()).map(|forms| &forms[node.tag]);
        let Some((name, form)) = of_variant else { return };
        self.text(name);
        let (Some(content), Some(form)) = (&node.content, form) else { return };
        self.text("(");
        self.depth += 1;
        match self.depth > DEEPEST {
            true => self.text("..."),
            false => self.value(content, form, false),
        }
        self.depth -= 1;
        self.text(")");
    }

    /// Writes a string between quotes, with `\` before characters that need an escape.
    fn string(&mut self, characters: &[u8]) {
        self.text("\"");
        for piece in characters.chunks(PIECE) {
            if self.written > self.most {
                return;
            }
            let mut rest = piece;
            while let Some(at) = rest.iter().position(|code| matches!(code, b'"' | b'\\')) {
                self.bytes(&rest[..at]);
                self.bytes(&[b'\\', rest[at]]);
                rest = &rest[at + 1..];
            }
            self.bytes(rest);
        }
        self.text("\"");
    }

    fn sequence(&mut self, elements: &Sequence, element: &Form) {
        let limit = self.style.print_length;
        self.text("[");
        let mut first = true;
        for piece in elements.first_pieces(limit) {
            if self.written > self.most {
                return;
            }
            for value in piece.iter() {
                self.text(if std::mem::take(&mut first) { "" } else { ", " });
                self.value(value, element, true);
            }
        }
        self.text(match elements.len() > limit {
            true if limit == 0 => "...",
            true => ",...",
            false => "",
        });
        self.text("]");
    }
}

/// Formats a float with a limited number of significant digits: plain between 10⁻³ and 10⁷, else with an exponent.
fn float(value: f64, style: Style) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-Infinity" } else { "Infinity" }.to_owned();
    }
    if value == 0.0 {
        return "0.0".to_owned();
    }
    let digits = style.digits;
    let shortest = if style.single { format!("{:e}", value as f32) } else { format!("{value:e}") };
    let rounded = format!("{value:.*e}", digits - 1);
    let mantissa_digits =
        |text: &str| text.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    let text = if mantissa_digits(&shortest) <= digits { shortest } else { rounded };
    let (mantissa, exponent) = text.split_once('e').expect("the format has an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let all = all.trim_end_matches('0');
    let all = if all.is_empty() { "0" } else { all };
    if (-3..7).contains(&exponent) {
        return format!("{sign}{}", plain(all, exponent));
    }
    let rest = if all.len() > 1 { &all[1..] } else { "0" };
    format!("{sign}{}.{rest}E{exponent}", &all[..1])
}

/// Puts the decimal point behind the digit of this exponent.
fn plain(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}.0", "0".repeat(whole - digits.len()));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}
