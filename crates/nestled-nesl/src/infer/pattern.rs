//! Type inference of patterns.

use super::Infer;
use crate::ast::{self, PatternKind};
use crate::environment::Meaning;
use crate::token::Text;
use crate::typed::Pattern;
use crate::types::{Class, RecordId, Type, TypeId};
use nestled_ir::{Diagnostic, Span};
use std::collections::HashMap;

impl Infer<'_> {
    /// Checks a pattern for a value of a type; its names come into scope and are added to `names`.
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern, ty: TypeId, names: &mut Vec<Text>) -> Pattern {
        match &pattern.kind {
            PatternKind::Name(name) => {
                names.push(name.clone());
                Pattern::Local(self.bind(name, ty), name.clone())
            }
            PatternKind::Pair(..) => self.tuple_pattern(pattern, ty, names),
            PatternKind::Record(name, inside) => {
                if let Some(broken) = self.variant_pattern(name, inside, pattern.span, names) {
                    return broken;
                }
                let Some(record) = self.env.record_named(&name.text) else {
                    let diagnostic = Diagnostic::new(
                        "N0113",
                        format!("there is no datatype `{}`", name.text),
                        name.span,
                    )
                    .help(
                        "a pattern binds names, takes pairs apart, and opens records; it calls no function",
                    );
                    self.error(diagnostic);
                    let unknown = self.env.types.fresh(Class::Any);
                    return self.pattern(inside, unknown, names);
                };
                let (whole, by) = self.instance_of(record);
                let Some(content) = self.env.records[record.0 as usize].content() else {
                    let diagnostic = self.not_always(&name.text, pattern.span);
                    self.error(diagnostic);
                    let unknown = self.env.types.fresh(Class::Any);
                    return self.pattern(inside, unknown, names);
                };
                let inner = self.env.types.replace(content, &by);
                if let Err(why) = self.env.types.unify(whole, ty) {
                    let what = "this record pattern cannot open";
                    let diagnostic = self.mismatch("N0112", what, pattern.span, whole, ty, why);
                    self.error(diagnostic);
                }
                Pattern::Record(record, Box::new(self.pattern(inside, inner, names)))
            }
        }
    }

    fn tuple_pattern(&mut self, pattern: &ast::Pattern, ty: TypeId, names: &mut Vec<Text>) -> Pattern {
        let (mut lefts, mut rest, mut rest_type) = (Vec::new(), pattern, ty);
        while let PatternKind::Pair(left, right) = &rest.kind {
            let (left_type, right_type) = self.taken_apart(rest, rest_type);
            lefts.push(self.pattern(left, left_type, names));
            (rest, rest_type) = (right, right_type);
        }
        let mut tuple = self.pattern(rest, rest_type, names);
        while let Some(left) = lefts.pop() {
            tuple = Pattern::Pair(Box::new(left), Box::new(tuple));
        }
        tuple
    }

    fn taken_apart(&mut self, pattern: &ast::Pattern, ty: TypeId) -> (TypeId, TypeId) {
        if let Type::Pair(left, right) = *self.env.types.get(ty) {
            return (left, right);
        }
        let left = self.env.types.fresh(Class::Any);
        let right = self.env.types.fresh(Class::Any);
        let pair = self.pair_of(left, right);
        if let Err(why) = self.env.types.unify(pair, ty) {
            let what = "this pattern takes a pair apart, but the value is";
            let mut diagnostic = self.mismatch("N0112", what, pattern.span, pair, ty, why);
            if matches!(self.env.types.get(ty), Type::Record(..)) {
                let shown = self.show(ty);
                diagnostic = diagnostic.help(format!("open a record by its name: `{shown}(x, y)`"));
            }
            self.error(diagnostic);
        }
        (left, right)
    }

    /// Reports the pattern of a variant where every value must fit, unless it is the only one.
    fn variant_pattern(
        &mut self,
        name: &ast::Name,
        content: &ast::Pattern,
        span: Span,
        names: &mut Vec<Text>,
    ) -> Option<Pattern> {
        let id = self.env.lookup(&name.text)?;
        let Meaning::Variant(record, _) = self.env.global(id).meaning else { return None };
        if self.env.records[record.0 as usize].content().is_some()
            && self.env.record_named(&name.text) == Some(record)
        {
            return None;
        }
        let diagnostic = self.not_always(&name.text, span);
        self.error(diagnostic);
        let unknown = self.env.types.fresh(Class::Any);
        Some(self.pattern(content, unknown, names))
    }

    fn not_always(&self, name: &str, span: Span) -> Diagnostic {
        Diagnostic::new("N0112", format!("not every value is a `{name}`"), span)
            .help(format!("values are taken apart by their variants: `match x with {name}(y) => … | _ => …`"))
    }

    /// Instantiates a datatype: returns its type and what its parameters are there.
    pub(super) fn instance_of(&mut self, record: RecordId) -> (TypeId, HashMap<TypeId, TypeId>) {
        let declared = self.env.records[record.0 as usize].clone();
        let mut by = HashMap::new();
        let mut arguments = Vec::new();
        for parameter in declared.parameters {
            let Type::Var(class) = *self.env.types.get(parameter) else { continue };
            let fresh = self.env.types.fresh(class);
            by.insert(self.env.types.resolve(parameter), fresh);
            arguments.push(fresh);
        }
        (self.env.types.add(Type::Record(record, arguments.into())), by)
    }
}
