//! Printer of types, as they are shown in messages.

use super::{Class, Record, RecordId, Type, TypeId, Types};
use crate::layout::Layout;

/// The datatypes of a session.
pub type Records = Vec<Record>;

/// Prints types with variables named `a`, `b`, … in order of appearance. Several types printed by one printer share the names.
pub struct TypePrinter<'a> {
    types: &'a Types,
    records: &'a Records,
    variables: Vec<TypeId>,
    /// Number of parts printed.
    printed: usize,
}

/// The position of a part in a type, which decides what needs brackets.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    /// Nothing needs brackets.
    Top,
    /// The second component of a pair, or the result of a function: pairs need no brackets only in the former.
    Result,
    /// The first component of a pair: pairs need brackets.
    First,
    /// The argument of a function: pairs and functions need brackets.
    Argument,
}

/// Largest number of parts printed; longer types are cut, since types can grow exponentially.
const LIMIT: usize = 400;

impl<'a> TypePrinter<'a> {
    /// Makes a printer without named variables.
    pub fn new(types: &'a Types, records: &'a Records) -> TypePrinter<'a> {
        TypePrinter { types, records, variables: Vec::new(), printed: 0 }
    }

    /// Prints a type alone: `int, [a]`.
    pub fn ty(&mut self, ty: TypeId) -> String {
        self.print(ty, Position::Top).to_string()
    }

    /// Prints a type with the classes of its variables: `a -> (a, a) :: (a in any)`.
    pub fn with_context(&mut self, ty: TypeId) -> Layout {
        self.variables = self.types.variables(ty);
        let alone = self.print(ty, Position::Top);
        if self.variables.is_empty() {
            return alone;
        }
        let mut context = vec![Layout::word(" :: "), Layout::word("(")];
        for position in 0..self.variables.len() {
            let class = match self.types.get(self.variables[position]) {
                Type::Var(class) => *class,
                _ => Class::Any,
            };
            if position > 0 {
                context.push(Layout::word("; "));
            }
            context.push(Layout::word(format!("{} in {}", self.name(position), class.name())));
        }
        context.push(Layout::word(")"));
        Layout::Row(vec![alone, Layout::Row(context)])
    }

    fn name(&self, position: usize) -> String {
        if self.variables.len() > 5 {
            format!("a{position}")
        } else {
            char::from(b'a' + position as u8).to_string()
        }
    }

    /// Returns the name of a record.
    pub fn record(&self, id: RecordId) -> &str {
        &self.records[id.0 as usize].name
    }

    fn print(&mut self, ty: TypeId, position: Position) -> Layout {
        self.printed += 1;
        if self.printed > LIMIT {
            return Layout::word("…");
        }
        match self.types.get(ty).clone() {
            Type::Var(_) | Type::Link(_) => {
                let id = self.types.resolve(ty);
                let known = self.variables.iter().position(|variable| *variable == id);
                let position = known.unwrap_or_else(|| {
                    self.variables.push(id);
                    self.variables.len() - 1
                });
                Layout::word(self.name(position))
            }
            Type::Base(base) => Layout::word(base.name()),
            Type::Seq(element) => bracketed("[", self.print(element, Position::First), "]"),
            Type::Pair(left, right) => {
                let left = self.print(left, Position::First);
                let pair = Layout::Row(vec![left, Layout::word(", "), self.print(right, Position::Result)]);
                match position {
                    Position::First | Position::Argument => bracketed("(", pair, ")"),
                    Position::Top | Position::Result => pair,
                }
            }
            Type::Function(from, to) => {
                let from = self.print(from, Position::Argument);
                // A pair that an arrow gives has brackets, a function has none.
                let inner = match self.types.get(to) {
                    Type::Pair(..) => Position::Argument,
                    _ => Position::Top,
                };
                let function = Layout::Row(vec![from, Layout::word(" -> "), self.print(to, inner)]);
                if position == Position::Argument { bracketed("(", function, ")") } else { function }
            }
            Type::Record(record, arguments) => {
                let name = Layout::word(&*self.records[record.0 as usize].name);
                if arguments.is_empty() {
                    return name;
                }
                let mut parts = vec![name];
                for (position, argument) in arguments.iter().enumerate() {
                    parts.push(Layout::word(if position == 0 { "(" } else { ", " }));
                    parts.push(self.print(*argument, Position::First));
                }
                parts.push(Layout::word(")"));
                Layout::Row(parts)
            }
        }
    }
}

fn bracketed(open: &str, inside: Layout, close: &str) -> Layout {
    Layout::Row(vec![Layout::word(open), inside, Layout::word(close)])
}
