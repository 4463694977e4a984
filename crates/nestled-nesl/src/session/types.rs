//! The types of a session, for those who show and write its values.

use super::{Session, Shown};
use crate::core::CoreTypes;
use crate::environment::Environment;
use crate::infer::Redefinition;
use crate::interp::Picture;
use crate::layout::Layout;
use crate::types::{RecordForm, RecordId, Type, TypeId, TypePrinter};
use std::collections::HashSet;

impl Session {
    /// Returns the outermost constructor of a type.
    pub fn type_node(&self, ty: TypeId) -> Type {
        self.env.types.get(ty).clone()
    }

    /// Returns the parts of a type; for a record, its content. A datatype with variants has none.
    pub fn parts_of(&mut self, ty: TypeId) -> Vec<TypeId> {
        match self.type_node(ty) {
            Type::Record(record, arguments) => {
                let declared = self.env.records[record.0 as usize].clone();
                let RecordForm::Content(content) = declared.form else { return Vec::new() };
                let parameters =
                    declared.parameters.iter().map(|parameter| self.env.types.resolve(*parameter));
                let by = parameters.zip(arguments.iter().copied()).collect();
                vec![self.env.types.replace(content, &by)]
            }
            _ => self.env.types.parts(ty),
        }
    }

    /// True if values of a type are of datatypes with variants, or hold some.
    pub fn has_variants(&self, ty: TypeId) -> bool {
        let (mut seen, mut pending) = (HashSet::new(), vec![ty]);
        while let Some(ty) = pending.pop() {
            let ty = self.env.types.resolve(ty);
            if !seen.insert(ty) {
                continue;
            }
            if let Type::Record(record, _) = self.env.types.get(ty) {
                match &self.env.records[record.0 as usize].form {
                    RecordForm::Variants(_) => return true,
                    RecordForm::Content(content) => pending.push(*content),
                }
            }
            pending.extend(self.env.types.parts(ty));
        }
        false
    }

    /// Returns the environment and the concrete types, to be changed together.
    pub(crate) fn types_mut(&mut self) -> (&mut Environment, &mut CoreTypes) {
        (&mut self.env, &mut self.core_types)
    }

    /// Shows a datatype: its variants with the types of what they hold.
    pub(super) fn variants(&self, record: RecordId) -> Shown {
        let record = &self.env.records[record.0 as usize];
        let mut printer = TypePrinter::new(&self.env.types, &self.env.records);
        let shown = record.variants().iter().map(|variant| match variant.content {
            Some(content) => format!("{}({})", variant.name, printer.ty(content)),
            None => variant.name.to_string(),
        });
        let value = Some(Picture::of_text(shown.collect::<Vec<_>>().join(" | ")));
        let (name, ty) = (record.name.to_string(), Layout::word("datatype"));
        Shown { name, value, ty, redefinition: Redefinition::New }
    }
}
