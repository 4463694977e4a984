//! Checking of datatypes: records, and datatypes with variants, which may hold values of themselves.
//!
//! A record is represented by its content. A record that holds values of itself is a datatype with a single variant. Recursion is regular: a datatype mentions
//! itself with its own parameters only, so that the types of a program are finitely many.

use super::declared::Variables;
use super::{Checked, Infer};
use crate::ast::{self, Name, TypeExpr, TypeExprKind};
use crate::environment::{Global, Meaning};
use crate::types::{Record, RecordForm, RecordId, Type, TypeId, Variant};
use nestled_ir::{Diagnostic, Span};
use std::sync::Arc;

/// A constructor as it was written: its name, and the type of its content.
type Written<'a> = (&'a Name, Option<&'a TypeExpr>);

impl Infer<'_> {
    /// Checks `datatype name type`.
    pub(super) fn datatype(&mut self, name: &Name, written: &TypeExpr) -> Option<Checked> {
        let binds = written.context.iter().flat_map(|context| &context.binds);
        let is_parameter = binds.into_iter().any(|bind| bind.variable.text == name.text);
        if !is_parameter && mentions(written, &name.text) {
            let variables = self.context(written.context.as_ref());
            return self.nominal(name, &[(name, Some(written))], variables);
        }
        if self.is_protected(&name.text, name.span) {
            return None;
        }
        let (content, variables) = self.declared_with_context(written);
        self.holds_no_function(content, written.span);
        if !self.errors.is_empty() {
            return None;
        }
        let parameters: Vec<TypeId> = variables.iter().map(|(_, variable)| *variable).collect();
        let arguments: Arc<[TypeId]> = parameters.clone().into();
        let form = RecordForm::Content(content);
        let record = self.env.add_record(Record { name: name.text.clone(), parameters, form });
        let whole = self.env.types.add(Type::Record(record, arguments));
        let id = self.constructor(name, Some(content), whole, Meaning::Constructor(record));
        Some(Checked::Datatype(id))
    }

    /// Checks `datatype name = variants`.
    pub(super) fn variants(
        &mut self,
        name: &Name,
        variants: &[ast::Variant],
        context: Option<&ast::Context>,
    ) -> Option<Checked> {
        for (at, variant) in variants.iter().enumerate() {
            if let Some(first) = variants[..at].iter().find(|first| first.name.text == variant.name.text) {
                let message = format!("`{}` is a variant twice", variant.name.text);
                let diagnostic = Diagnostic::new("N0125", message, variant.name.span)
                    .label(first.name.span, "defined here")
                    .help("each variant has a name of its own");
                self.error(diagnostic);
            }
        }
        let variables = self.context(context);
        let written: Vec<Written> =
            variants.iter().map(|variant| (&variant.name, variant.content.as_ref())).collect();
        self.nominal(name, &written, variables)
    }

    /// Checks a datatype whose values know their variant.
    fn nominal(&mut self, name: &Name, written: &[Written], mut variables: Variables) -> Option<Checked> {
        let names = written.iter().map(|(name, _)| *name).chain([name]);
        if names.into_iter().any(|name| self.is_protected(&name.text, name.span)) {
            return None;
        }
        let parameters: Vec<TypeId> = variables.iter().map(|(_, variable)| *variable).collect();
        let form = RecordForm::Variants([].into());
        let older = self.env.record_named(&name.text);
        let record =
            self.env.add_record(Record { name: name.text.clone(), parameters: parameters.clone(), form });
        let mut made = Vec::new();
        for (constructor, content) in written {
            let ty = content.map(|content| self.declared_type(content, &mut variables));
            if let (Some(ty), Some(content)) = (ty, content) {
                self.holds_no_function(ty, content.span);
                self.is_regular(record, ty, &parameters, content.span);
            }
            made.push(Variant { name: constructor.text.clone(), content: ty });
        }
        if self.errors.is_empty() && made.iter().all(|variant| self.is_endless(record, variant)) {
            let diagnostic =
                Diagnostic::new("N0126", format!("`{}` has no finite values", name.text), name.span)
                    .here("each value would hold another one")
                    .help(format!(
                        "hold them in a sequence, as `[{}]`, or add a variant without them",
                        name.text
                    ));
            self.error(diagnostic);
        }
        if !self.errors.is_empty() {
            self.env.remove_record(older);
            return None;
        }
        self.env.record_mut(record).form = RecordForm::Variants(made.clone().into());
        let whole = self.env.types.add(Type::Record(record, parameters.into()));
        let mut last = None;
        for (number, ((constructor, _), variant)) in written.iter().zip(made).enumerate() {
            last =
                Some(self.constructor(constructor, variant.content, whole, Meaning::Variant(record, number)));
        }
        match written {
            [(only, _)] if only.text == name.text => last.map(Checked::Datatype),
            _ => Some(Checked::Variants(record)),
        }
    }

    /// Binds the name of a constructor.
    fn constructor(
        &mut self,
        name: &Name,
        content: Option<TypeId>,
        whole: TypeId,
        meaning: Meaning,
    ) -> crate::typed::GlobalId {
        let ty = match content {
            Some(content) => self.env.types.add(Type::Function(content, whole)),
            None => whole,
        };
        let global = Global {
            name: name.text.clone(),
            scheme: self.env.types.generalise(ty),
            meaning,
            serial: false,
            library: self.library,
            defaults: Vec::new(),
            doc: None,
            definition: None,
            span: name.span,
        };
        let id = self.env.add_global(global);
        self.bind_global(&name.text, id);
        id
    }

    fn holds_no_function(&mut self, content: TypeId, span: Span) {
        if self.env.types.has_function(content) {
            let diagnostic = Diagnostic::new("N0122", "a record cannot hold a function", span)
                .help("pass the function as a parameter of its own");
            self.error(diagnostic);
        }
    }

    /// Checks that a datatype mentions itself with its own parameters.
    fn is_regular(&mut self, record: RecordId, content: TypeId, parameters: &[TypeId], span: Span) {
        let mut pending = vec![content];
        while let Some(ty) = pending.pop() {
            let parts = self.env.types.parts(ty);
            if matches!(self.env.types.get(ty), Type::Record(found, _) if *found == record) {
                let same = parts.iter().zip(parameters);
                if same
                    .into_iter()
                    .any(|(one, own)| self.env.types.resolve(*one) != self.env.types.resolve(*own))
                {
                    let name = self.env.records[record.0 as usize].name.clone();
                    let diagnostic = Diagnostic::new(
                        "N0126",
                        format!("`{name}` holds itself with other parameters"),
                        span,
                    )
                    .help("a datatype mentions itself with its own parameters, in their order");
                    self.error(diagnostic);
                    return;
                }
            }
            pending.extend(parts);
        }
    }

    /// True if every value of a variant holds another value of the datatype, outside of sequences and other datatypes.
    fn is_endless(&self, record: RecordId, variant: &Variant) -> bool {
        let mut pending: Vec<TypeId> = variant.content.into_iter().collect();
        while let Some(ty) = pending.pop() {
            match self.env.types.get(ty) {
                Type::Record(found, _) if *found == record => return true,
                Type::Pair(left, right) => pending.extend([*left, *right]),
                _ => {}
            }
        }
        false
    }
}

/// True if a type expression names a datatype.
fn mentions(written: &TypeExpr, name: &str) -> bool {
    match &written.kind {
        TypeExprKind::Name(own) => &*own.text == name,
        TypeExprKind::Record(own, parameters) => &*own.text == name || mentions(parameters, name),
        TypeExprKind::Sequence(element) => mentions(element, name),
        TypeExprKind::Pair(left, right) | TypeExprKind::Function(left, right) => {
            mentions(left, name) || mentions(right, name)
        }
    }
}
