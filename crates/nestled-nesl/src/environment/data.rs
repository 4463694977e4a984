//! Functions of the library for values of datatypes with variants: equality, hash and texts. Their text is written when a program first needs them.
//!
//! ```text
//! function _eql_data3(a, b) : (_data3, _data3) -> bool =
//!   match a with num(x) => (match b with num(y) => eql(x, y) | _ => f) | …
//! ```

use super::Environment;
use crate::dialect::Dialect;
use crate::primitive::Dispatch;
use crate::token::Text;
use crate::types::{RecordId, Variant};

/// The beginning of the name by which the library knows a datatype; its number follows.
const HIDDEN: &str = "_data";

impl Environment {
    /// Returns the datatype of a name that only the library writes.
    pub(crate) fn hidden_record(&self, name: &str) -> Option<RecordId> {
        let number: u32 = name.strip_prefix(HIDDEN)?.parse().ok()?;
        ((number as usize) < self.records.len()).then_some(RecordId(number))
    }

    /// Returns the name of a function for values of a datatype; writes it at its first use.
    pub(crate) fn function_of_datatype(&mut self, dispatch: Dispatch, record: RecordId) -> String {
        let name = format!("{}{HIDDEN}{}", dispatch.stem(), record.0);
        if self.unread.contains_key(&*name) || self.hidden.contains_key(&*name) {
            return name;
        }
        let text = self.text_of(dispatch, &name, record);
        let parsed = crate::parser::parse(&text, nestled_ir::Span::NO_SOURCE, Dialect::default());
        assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
        for statement in parsed.statements {
            self.keep_for_later(Text::from(&*name), statement);
        }
        name
    }

    fn text_of(&self, dispatch: Dispatch, name: &str, record: RecordId) -> String {
        let declared = &self.records[record.0 as usize];
        let variables: Vec<String> = (0..declared.parameters.len()).map(|at| format!("a{at}")).collect();
        let ty = match variables.is_empty() {
            true => format!("{HIDDEN}{}", record.0),
            false => format!("{HIDDEN}{}({})", record.0, variables.join(", ")),
        };
        let classes = declared.parameters.iter().zip(&variables);
        let classes =
            classes.map(|(parameter, variable)| format!("{variable} in {}", self.class_of(*parameter)));
        let context = match variables.is_empty() {
            true => String::new(),
            false => format!(" :: ({})", classes.collect::<Vec<_>>().join("; ")),
        };
        let (parameters, types) = match dispatch {
            Dispatch::Eql => ("a, b", format!("({ty}, {ty}) -> bool")),
            Dispatch::Hash => ("a", format!("{ty} -> int")),
            Dispatch::Abbreviated | Dispatch::AbbreviatedOpen => ("a, d", format!("({ty}, int) -> [char]")),
            _ => ("a", format!("{ty} -> [char]")),
        };
        let arms: Vec<String> =
            declared.variants().iter().enumerate().map(|(at, variant)| arm(dispatch, at, variant)).collect();
        format!("function {name}({parameters}) : {types}{context} = match a with {};", arms.join(" | "))
    }

    fn class_of(&self, parameter: crate::types::TypeId) -> &'static str {
        match self.types.get(parameter) {
            crate::types::Type::Var(class) => class.name(),
            _ => "any",
        }
    }
}

fn arm(dispatch: Dispatch, number: usize, variant: &Variant) -> String {
    let name = &variant.name;
    let value = |content: &str, constant: String| match variant.content {
        Some(_) => content.to_owned(),
        None => constant,
    };
    let pattern = if variant.content.is_some() { format!("{name}(x)") } else { name.to_string() };
    let text = format!("\"{name}\"");
    let body = match dispatch {
        Dispatch::Eql => {
            let other = if variant.content.is_some() { format!("{name}(y)") } else { name.to_string() };
            format!("(match b with {other} => {} | _ => f)", value("eql(x, y)", "t".to_owned()))
        }
        Dispatch::Hash => {
            let own = number as u64 + 1;
            value(&format!("{own} + 991892311 * hashinternal(x)"), own.to_string())
        }
        Dispatch::Abbreviated | Dispatch::AbbreviatedOpen => {
            let inside = format!(
                "{text} ++ (if d <= 0 then \"(...)\" else \"(\" ++ abrev_string_noparen(x, d - 1) ++ \")\")"
            );
            value(&inside, text.clone())
        }
        _ => value(&format!("{text} ++ \"(\" ++ string_noparen(x) ++ \")\""), text.clone()),
    };
    format!("{pattern} => {body}")
}
