//! Declared types: type expressions to types of the inference.

use super::Infer;
use crate::ast::{Context, Name, TypeExpr, TypeExprKind};
use crate::token::Text;
use crate::types::{Base, Class, Record, RecordForm, Type, TypeId};
use nestled_ir::Diagnostic;

/// The type variables of a declaration.
pub(super) type Variables = Vec<(Text, TypeId)>;

impl Infer<'_> {
    /// Returns a declared type with the variables of its context.
    pub(super) fn declared_with_context(&mut self, written: &TypeExpr) -> (TypeId, Variables) {
        let mut variables = self.context(written.context.as_ref());
        let ty = self.declared_type(written, &mut variables);
        (ty, variables)
    }

    /// Returns the variables of a context.
    pub(super) fn context(&mut self, written: Option<&Context>) -> Variables {
        let mut variables = Vec::new();
        for bind in written.iter().flat_map(|context| &context.binds) {
            let class = Class::from_name(&bind.class.text).unwrap_or_else(|| {
                let message = format!("there is no class `{}`", bind.class.text);
                let diagnostic = Diagnostic::new("N0105", message, bind.class.span)
                    .help("the classes are `any`, `number`, `ordinal` and `logical`");
                self.error(diagnostic);
                Class::Any
            });
            variables.push((bind.variable.text.clone(), self.env.types.fresh(class)));
        }
        variables
    }

    /// Returns the type that a type expression denotes.
    pub(super) fn declared_type(&mut self, written: &TypeExpr, variables: &mut Variables) -> TypeId {
        match &written.kind {
            TypeExprKind::Name(name) => self.type_named(name, &[], variables),
            TypeExprKind::Record(name, parameters) => {
                let mut parts = Vec::new();
                let mut rest = &**parameters;
                while let TypeExprKind::Pair(left, right) = &rest.kind {
                    parts.push(&**left);
                    rest = right;
                }
                parts.push(rest);
                self.type_named(name, &parts, variables)
            }
            TypeExprKind::Sequence(element) => {
                let element = self.declared_type(element, variables);
                self.sequence_of(element)
            }
            TypeExprKind::Pair(..) => {
                let (mut lefts, mut rest) = (Vec::new(), written);
                while let TypeExprKind::Pair(left, right) = &rest.kind {
                    lefts.push(self.declared_type(left, variables));
                    rest = right;
                }
                let last = self.declared_type(rest, variables);
                lefts.into_iter().rev().fold(last, |rest, left| self.pair_of(left, rest))
            }
            TypeExprKind::Function(from, to) => {
                let from = self.declared_type(from, variables);
                let to = self.declared_type(to, variables);
                self.env.types.add(Type::Function(from, to))
            }
        }
    }

    fn type_named(&mut self, name: &Name, arguments: &[&TypeExpr], variables: &mut Variables) -> TypeId {
        if arguments.is_empty() {
            if let Some((_, variable)) = variables.iter().find(|(text, _)| *text == name.text) {
                return *variable;
            }
            if let Some(base) = Base::ALL.into_iter().find(|base| base.name() == &*name.text) {
                return self.base(base);
            }
        }
        let hidden = if self.library { self.env.hidden_record(&name.text) } else { None };
        let known = hidden.or_else(|| self.env.record_named(&name.text));
        if known.is_none() && arguments.is_empty() && self.opaque {
            // A type that no value has, the same wherever the declaration names it.
            let form = RecordForm::Content(self.base(Base::Int));
            let record = Record { name: name.text.clone(), parameters: Vec::new(), form };
            let record = self.env.add_hidden_record(record);
            let ty = self.env.types.add(Type::Record(record, [].into()));
            variables.push((name.text.clone(), ty));
            return ty;
        }
        let Some(record) = known else {
            let diagnostic = self.unknown_type(name);
            self.error(diagnostic);
            return self.env.types.fresh(Class::Any);
        };
        let wanted = self.env.records[record.0 as usize].parameters.clone();
        if wanted.len() != arguments.len() {
            let message = format!("`{}` takes {}", name.text, count(wanted.len()));
            let diagnostic = Diagnostic::new("N0105", message, name.span)
                .here(format!("here it is given {}", count(arguments.len())));
            self.error(diagnostic);
            return self.env.types.fresh(Class::Any);
        }
        let arguments: Vec<TypeId> =
            arguments.iter().map(|argument| self.declared_type(argument, variables)).collect();
        let (whole, _) = self.instance_of(record);
        let ty = self.env.types.add(Type::Record(record, arguments.into()));
        if let Err(why) = self.env.types.unify(whole, ty) {
            let diagnostic = self.mismatch("N0105", "no such record can hold", name.span, whole, ty, why);
            self.error(diagnostic);
        }
        ty
    }

    fn unknown_type(&self, name: &Name) -> Diagnostic {
        let known = Base::ALL.iter().map(|base| base.name().to_owned());
        let known = known.chain(self.env.record_names().map(|name| name.to_string()));
        let diagnostic = Diagnostic::new("N0105", format!("there is no type `{}`", name.text), name.span);
        if let Some(place) = self.env.ahead().place_of_type(&name.text) {
            return diagnostic
                .label(place, "defined further down")
                .help("a datatype holds itself and what is defined before it; two that hold each other are one, with the variants of both");
        }
        match nestled_ir::text::closest(&name.text, known) {
            Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
            None if name.text.len() == 1 => diagnostic
                .help(format!("a type variable is declared behind the type: `:: {} in any`", name.text)),
            None => {
                diagnostic.help("types are `int`, `float`, `char`, `bool`, and those that `datatype` defines")
            }
        }
    }
}

fn count(number: usize) -> String {
    match number {
        0 => "no type parameters".to_owned(),
        1 => "1 type parameter".to_owned(),
        more => format!("{more} type parameters"),
    }
}
