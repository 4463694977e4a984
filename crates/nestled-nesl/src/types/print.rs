//! Types as people read them.

use super::{Class, Record, RecordId, Type, TypeId, Types};
use std::fmt::Write;

/// The datatypes of a session.
pub type Records = Vec<Record>;

/// Prints types with variables named `a`, `b`, … in order of appearance. Several types printed by one printer share the names.
pub struct TypePrinter<'a> {
    types: &'a Types,
    records: &'a Records,
    variables: Vec<TypeId>,
}

/// Where in a type a part stands: what needs brackets there.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    /// Nothing does.
    Top,
    /// The second component of a pair, or what an arrow gives: pairs go on without brackets only in the former.
    Result,
    /// The first component of a pair: pairs.
    First,
    /// What an arrow takes: pairs and functions.
    Argument,
}

/// Longer ones are cut: types can grow exponentially.
const LIMIT: usize = 2000;

impl<'a> TypePrinter<'a> {
    /// A printer that has named no variable yet.
    pub fn new(types: &'a Types, records: &'a Records) -> TypePrinter<'a> {
        TypePrinter { types, records, variables: Vec::new() }
    }

    /// The type alone: `int, [a]`.
    pub fn ty(&mut self, ty: TypeId) -> String {
        let mut out = String::new();
        self.print(&mut out, ty, Position::Top);
        out
    }

    /// The type with the classes of its variables: `a -> (a, a) :: (a in any)`.
    pub fn with_context(&mut self, ty: TypeId) -> String {
        self.variables = self.types.variables(ty);
        let mut out = self.ty(ty);
        for position in 0..self.variables.len() {
            let class = match self.types.get(self.variables[position]) {
                Type::Var(class) => *class,
                _ => Class::Any,
            };
            let separator = if position == 0 { " :: (" } else { "; " };
            let _ = write!(out, "{separator}{} in {}", self.name(position), class.name());
        }
        if !self.variables.is_empty() {
            out.push(')');
        }
        out
    }

    fn name(&self, position: usize) -> String {
        if self.variables.len() > 5 {
            format!("a{position}")
        } else {
            char::from(b'a' + position as u8).to_string()
        }
    }

    /// The record's name.
    pub fn record(&self, id: RecordId) -> &str {
        &self.records[id.0 as usize].name
    }

    fn print(&mut self, out: &mut String, ty: TypeId, position: Position) {
        if out.len() > LIMIT {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        match self.types.get(ty).clone() {
            Type::Var(_) | Type::Link(_) => {
                let id = self.types.resolve(ty);
                let known = self.variables.iter().position(|variable| *variable == id);
                let position = known.unwrap_or_else(|| {
                    self.variables.push(id);
                    self.variables.len() - 1
                });
                out.push_str(&self.name(position));
            }
            Type::Base(base) => out.push_str(base.name()),
            Type::Seq(element) => {
                out.push('[');
                self.print(out, element, Position::Argument);
                out.push(']');
            }
            Type::Pair(left, right) => {
                let bracket = matches!(position, Position::First | Position::Argument);
                out.push_str(if bracket { "(" } else { "" });
                self.print(out, left, Position::First);
                out.push_str(", ");
                self.print(out, right, Position::Result);
                out.push_str(if bracket { ")" } else { "" });
            }
            Type::Function(from, to) => {
                let bracket = position == Position::Argument;
                out.push_str(if bracket { "(" } else { "" });
                self.print(out, from, Position::Argument);
                out.push_str(" -> ");
                // A pair that an arrow gives has brackets, a function has none.
                let position = match self.types.get(to) {
                    Type::Pair(..) => Position::Argument,
                    _ => Position::Top,
                };
                self.print(out, to, position);
                out.push_str(if bracket { ")" } else { "" });
            }
            Type::Record(record, arguments) => {
                out.push_str(&self.records[record.0 as usize].name);
                for (position, argument) in arguments.iter().enumerate() {
                    out.push_str(if position == 0 { "(" } else { ", " });
                    self.print(out, *argument, Position::First);
                }
                out.push_str(if arguments.is_empty() { "" } else { ")" });
            }
        }
    }
}
