//! Type inference of `match`: every variant has an arm, or `_` stands for it.
//!
//! The names of arms are those of the variants of the value's datatype, whatever else has these names. If the type of the value is not known yet, the first arm
//! tells the datatype.

use super::Infer;
use crate::ast::{self, Name, PatternKind};
use crate::environment::Meaning;
use crate::typed::{Arm, Expr, Kind, Match};
use crate::types::{RecordId, Type, TypeId};
use nestled_ir::{Diagnostic, Span};
use std::collections::HashMap;

/// The datatype of a matched value.
struct Matched {
    record: RecordId,
    /// What its parameters are.
    by: HashMap<TypeId, TypeId>,
    /// The variants that have an arm.
    seen: Vec<usize>,
    others: Option<Expr>,
    /// The type of the arms, and the place of the first.
    result: Option<(TypeId, Span)>,
}

impl Infer<'_> {
    pub(super) fn match_form(&mut self, value: &ast::Expr, arms: &[ast::Arm], span: Span) -> Expr {
        let value = self.expr(value);
        let Some(record) = self.matched_datatype(&value, arms) else { return self.broken(span) };
        let (whole, by) = self.instance_of(record);
        if let Err(why) = self.env.types.unify(whole, value.ty) {
            let what = "these variants cannot match";
            let diagnostic = self.mismatch("N0112", what, value.span, whole, value.ty, why);
            self.error(diagnostic);
            return self.broken(span);
        }
        let mut matched = Matched { record, by, seen: Vec::new(), others: None, result: None };
        let arms = arms.iter().filter_map(|arm| self.arm(&mut matched, arm)).collect();
        self.all_matched(&matched, span);
        let Some((ty, _)) = matched.result else { return self.broken(span) };
        let matching = Match { value, arms, others: matched.others };
        Expr { kind: Kind::Match(Box::new(matching)), ty, span }
    }

    /// Returns the datatype of a value: that of its type, or that of the first arm.
    fn matched_datatype(&mut self, value: &Expr, arms: &[ast::Arm]) -> Option<RecordId> {
        let first = arms.iter().find(|arm| &*arm.name.text != "_").unwrap_or(&arms[0]);
        let known = match *self.env.types.get(value.ty) {
            Type::Record(record, _) => Some(record),
            Type::Var(_) => {
                self.env.lookup(&first.name.text).and_then(|id| match self.env.global(id).meaning {
                    Meaning::Variant(record, _) => Some(record),
                    _ => None,
                })
            }
            _ => None,
        };
        let found = known.filter(|record| !self.env.records[record.0 as usize].variants().is_empty());
        if found.is_none() {
            let shown = self.show(value.ty);
            let diagnostic = match self.env.types.get(value.ty) {
                Type::Var(_) => self.no_variant(&first.name, None),
                Type::Record(..) => Diagnostic::new("N0112", "a record has no variants", value.span)
                    .here(format!("this is `{shown}`"))
                    .help(format!("open it by its name: `let {shown}(x) = …`")),
                _ => Diagnostic::new("N0112", format!("`{shown}` has no variants"), value.span)
                    .help("`match` takes values of datatypes apart; test others with `if`"),
            };
            self.error(diagnostic);
        }
        found
    }

    fn no_variant(&self, name: &Name, record: Option<RecordId>) -> Diagnostic {
        let record = record.map(|record| &self.env.records[record.0 as usize]);
        let of = record.map_or(String::new(), |record| format!(" of `{}`", record.name));
        let diagnostic =
            Diagnostic::new("N0113", format!("there is no variant `{}`{of}", name.text), name.span);
        match record {
            Some(record) => diagnostic.help(format!(
                "it has {}; `_` stands for the others",
                listed(record.variants().iter().map(|variant| &*variant.name),)
            )),
            None => diagnostic.help("variants are defined by `datatype name = variant(type) | …`"),
        }
    }

    /// Checks an arm; one for all others goes to `matched`.
    fn arm(&mut self, matched: &mut Matched, arm: &ast::Arm) -> Option<Arm> {
        if matched.others.is_some() {
            let diagnostic = Diagnostic::new("N0127", "this arm is never reached", arm.name.span)
                .help("`_` stands for all variants, and comes last");
            self.error(diagnostic);
            return None;
        }
        if &*arm.name.text == "_" {
            if let Some(content) = &arm.content {
                self.error(Diagnostic::new("N0127", "`_` has no content", content.span));
            }
            let body = self.expr(&arm.body);
            self.same_result(matched, &body);
            matched.others = Some(body);
            return None;
        }
        let variants = self.env.records[matched.record.0 as usize].variants().to_vec();
        let Some(number) = variants.iter().position(|variant| variant.name == arm.name.text) else {
            let diagnostic = self.no_variant(&arm.name, Some(matched.record));
            self.error(diagnostic);
            return None;
        };
        if matched.seen.contains(&number) {
            let message = format!("`{}` is matched twice", arm.name.text);
            self.error(Diagnostic::new("N0127", message, arm.name.span).here("never reached"));
            return None;
        }
        matched.seen.push(number);
        let mut names = Vec::new();
        let content = match (&arm.content, variants[number].content) {
            (Some(written), Some(content)) => {
                let content = self.env.types.replace(content, &matched.by);
                if !self.library {
                    self.names_no_variant(written, content);
                }
                Some(self.pattern(written, content, &mut names))
            }
            (None, None) => None,
            (written, content) => {
                let diagnostic = self.wrong_content(arm, written.is_some(), content);
                self.error(diagnostic);
                return None;
            }
        };
        let body = self.expr(&arm.body);
        self.unbind(&names);
        self.same_result(matched, &body);
        Some(Arm { variant: number, content, body })
    }

    /// Reports a name that is a constant of the datatype that stands there: it would bind every value.
    fn names_no_variant(&mut self, pattern: &ast::Pattern, ty: TypeId) {
        match (&pattern.kind, self.env.types.get(ty).clone()) {
            (PatternKind::Pair(left, right), Type::Pair(one, other)) => {
                self.names_no_variant(left, one);
                self.names_no_variant(right, other);
            }
            (PatternKind::Name(name), Type::Record(record, _)) => {
                let variants = self.env.records[record.0 as usize].variants().iter();
                if variants.into_iter().any(|variant| variant.name == *name && variant.content.is_none()) {
                    let diagnostic = Diagnostic::new("N0112", format!("`{name}` is a variant"), pattern.span)
                        .here("as a pattern it would be a name for any value")
                        .help("choose another name, and match that in turn");
                    self.error(diagnostic);
                }
            }
            _ => {}
        }
    }

    fn wrong_content(&self, arm: &ast::Arm, written: bool, content: Option<TypeId>) -> Diagnostic {
        let name = &arm.name.text;
        match content {
            Some(content) if !written => {
                Diagnostic::new("N0112", format!("`{name}` has a content"), arm.name.span)
                    .here(format!("it holds `{}`", self.show(content)))
                    .help(format!("name it: `{name}(x) => …`, or `{name}(_) => …`"))
            }
            _ => Diagnostic::new("N0112", format!("`{name}` has no content"), arm.name.span)
                .help(format!("it is a constant: `{name} => …`")),
        }
    }

    /// Unifies the type of an arm with that of the arms before it.
    fn same_result(&mut self, matched: &mut Matched, body: &Expr) {
        let Some((wanted, first)) = matched.result else {
            matched.result = Some((body.ty, body.span));
            return;
        };
        if let Err(why) = self.env.types.unify(wanted, body.ty) {
            let what = "the arms of `match` differ: one is";
            let diagnostic = self.mismatch("N0104", what, body.span, wanted, body.ty, why);
            let shown = self.show(wanted);
            self.error(diagnostic.label(first, format!("this is `{shown}`")));
        }
    }

    /// Checks that every variant has an arm.
    fn all_matched(&mut self, matched: &Matched, span: Span) {
        if matched.others.is_some() || !self.errors.is_empty() {
            return;
        }
        let record = &self.env.records[matched.record.0 as usize];
        let missing = record.variants().iter().enumerate();
        let missing: Vec<&str> = missing
            .filter(|(number, _)| !matched.seen.contains(number))
            .map(|(_, variant)| &*variant.name)
            .collect();
        if missing.is_empty() {
            return;
        }
        let are = if missing.len() == 1 { "has no arm" } else { "have no arms" };
        let message = format!("{} of `{}` {are}", listed(missing.into_iter()), record.name);
        let start = Span { end: span.start + "match".len() as u32, ..span };
        let diagnostic = Diagnostic::new("N0128", message, start)
            .help("a `match` says what happens for each variant; `_ => …` stands for all others");
        self.error(diagnostic);
    }
}

/// Lists names in words.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}
