//! Conversion of inferred types to concrete types.

use super::{Chosen, Specialise};
use crate::core::{CoreType, Ty};
use crate::types::{Base, RecordForm, RecordId, Type, TypeId};
use std::collections::HashMap;

impl Specialise<'_> {
    /// Returns the concrete type. There is none if a variable is undetermined or the type has a function, since inferred types do not tell which function.
    pub(super) fn concrete(&mut self, ty: TypeId, chosen: &Chosen) -> Option<Ty> {
        let mut known = HashMap::new();
        self.concrete_part(ty, chosen, &mut known)
    }

    fn concrete_part(
        &mut self,
        ty: TypeId,
        chosen: &Chosen,
        known: &mut HashMap<TypeId, Option<Ty>>,
    ) -> Option<Ty> {
        let id = self.env.types.resolve(ty);
        if let Some(done) = known.get(&id) {
            return *done;
        }
        let core = match self.env.types.get(id).clone() {
            Type::Var(_) | Type::Link(_) => chosen.get(&id).copied(),
            Type::Base(base) => Some(self.ty(match base {
                Base::Int => CoreType::Int,
                Base::Float => CoreType::Float,
                Base::Char => CoreType::Char,
                Base::Bool => CoreType::Bool,
            })),
            Type::Seq(element) => {
                let element = self.concrete_part(element, chosen, known);
                element.map(|element| self.ty(CoreType::Seq(element)))
            }
            Type::Pair(left, right) => {
                let left = self.concrete_part(left, chosen, known);
                let right = self.concrete_part(right, chosen, known);
                left.zip(right).map(|(left, right)| self.ty(CoreType::Pair(left, right)))
            }
            Type::Record(record, arguments) => match self.env.records[record.0 as usize].form.clone() {
                RecordForm::Content(content) => {
                    let content = self.content(record, &arguments, content);
                    self.concrete_part(content, chosen, known)
                }
                RecordForm::Variants(_) => {
                    let arguments = arguments.iter().map(|one| self.concrete_part(*one, chosen, known));
                    let arguments: Option<Vec<Ty>> = arguments.collect();
                    arguments.map(|arguments| self.datatype(record, arguments))
                }
            },
            Type::Function(..) => None,
        };
        known.insert(id, core);
        core
    }

    /// Returns the type of a record's content at these arguments.
    fn content(&mut self, record: RecordId, arguments: &[TypeId], content: TypeId) -> TypeId {
        let parameters = self.env.records[record.0 as usize].parameters.iter();
        let parameters = parameters.map(|parameter| self.env.types.resolve(*parameter));
        let by = parameters.zip(arguments.iter().copied()).collect();
        self.env.types.replace(content, &by)
    }

    /// Determines variables of an inferred type by a concrete type; returns the places where functions are.
    pub(super) fn choose(&mut self, ty: TypeId, core: Ty, chosen: &mut Chosen) -> Vec<(TypeId, Ty)> {
        let mut functions = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut pending = vec![(ty, core)];
        while let Some((ty, core)) = pending.pop() {
            let id = self.env.types.resolve(ty);
            if !seen.insert((id, core)) {
                continue;
            }
            match (self.env.types.get(id).clone(), self.types.get(core).clone()) {
                (Type::Var(_), _) => {
                    chosen.entry(id).or_insert(core);
                }
                (Type::Seq(element), CoreType::Seq(of)) => pending.push((element, of)),
                (Type::Pair(left, right), CoreType::Pair(one, other)) => {
                    pending.extend([(right, other), (left, one)]);
                }
                (Type::Record(_, arguments), CoreType::Data(data)) => {
                    pending.extend(arguments.iter().copied().zip(data.arguments));
                }
                (Type::Record(record, arguments), _) => {
                    let RecordForm::Content(content) = self.env.records[record.0 as usize].form else {
                        continue;
                    };
                    pending.push((self.content(record, &arguments, content), core));
                }
                (Type::Function(..), CoreType::Closure(_)) => functions.push((id, core)),
                _ => {}
            }
        }
        functions
    }
}
