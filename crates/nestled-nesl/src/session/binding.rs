//! Names and their values: binding from statements and from outside, and reading back.

use super::{Column, Elements, Session};
use crate::core::{CoreType, Program, Ty};
use crate::engine::{Given, parts_of};
use crate::infer::value_global;
use crate::interp::Value;
use crate::token::Text;
use crate::typed::{Expr, GlobalId, Pattern};
use crate::types::{Base, Scheme, Type, TypeId};
use nestled_ir::value::AxisValue;
use nestled_ir::{Diagnostic, Span};

impl Session {
    /// Binds a name to elements from outside: a scalar without axes, a sequence with one axis, nested sequences with more.
    pub fn bind(&mut self, name: &str, shape: &[usize], elements: Elements) {
        self.bind_column(name, Column::Elements { count: 1, shape: shape.to_vec(), elements });
    }

    /// Binds a name to the single value of a column from outside.
    ///
    /// # Panics
    /// If [`Column::check`] finds an error, or the column has not exactly one value.
    pub fn bind_column(&mut self, name: &str, column: Column) {
        assert_eq!(column.check(), Ok(1));
        let (ty, core) = self.type_of_column(&column);
        self.env.types.commit();
        let parts = parts_of(column, self.dialect);
        let value = self.known.take(core, &self.core_types, &mut parts.as_slice());
        self.bind_value(&Text::from(name.to_lowercase()), ty, Span::NONE, value, core, false);
    }

    fn type_of_column(&mut self, column: &Column) -> (TypeId, Ty) {
        let sequence = |session: &mut Session, (ty, core)| {
            let ty = session.env.types.add(Type::Seq(ty));
            (ty, session.core_types.number(CoreType::Seq(core)))
        };
        match column {
            Column::Elements { shape, elements, .. } => {
                let (base, core) = match elements {
                    Elements::Ints(_) => (Base::Int, CoreType::Int),
                    Elements::Floats(_) => (Base::Float, CoreType::Float),
                    Elements::Bools(_) => (Base::Bool, CoreType::Bool),
                    Elements::Chars(_) => (Base::Char, CoreType::Char),
                };
                let scalar = (self.env.types.add(Type::Base(base)), self.core_types.number(core));
                shape.iter().fold(scalar, |inner, _| sequence(self, inner))
            }
            Column::Rows { elements, .. } => {
                let inner = self.type_of_column(elements);
                sequence(self, inner)
            }
            Column::Pairs(left, right) => {
                let (left, right) = (self.type_of_column(left), self.type_of_column(right));
                let ty = self.env.types.add(Type::Pair(left.0, right.0));
                (ty, self.core_types.number(CoreType::Pair(left.1, right.1)))
            }
        }
    }

    /// Returns the value of a name in flat arrays, with its type: shapes, outer ones before inner ones, and the scalars and arrays over them.
    pub fn flat_value(&self, name: &str) -> Option<(Vec<AxisValue>, Vec<nestled_ir::value::Value>, TypeId)> {
        let id = self.env.lookup(name)?;
        let Given { shapes, args } =
            self.values.contains_key(&id).then(|| self.known(id, self.value_types[&id]))?;
        Some((shapes, args, self.env.global(id).scheme.ty))
    }

    /// Returns the value of a variable in flat form.
    pub(crate) fn known(&self, id: GlobalId, ty: Ty) -> Given {
        self.flat_form(&self.values[&id], ty)
    }

    /// Returns a value in flat form.
    pub(crate) fn flat_form(&self, value: &Value, ty: Ty) -> Given {
        let mut given = Given::default();
        self.known.give(value, ty, &self.core_types, self.dialect, &mut given);
        given
    }

    /// Returns the type of a name as it is shown.
    pub fn type_named(&self, name: &str) -> String {
        self.env.lookup(name).map_or(String::new(), |id| self.type_of(id).to_string())
    }

    /// Returns the value of a name, with its type.
    pub fn value(&self, name: &str) -> Option<(&Value, TypeId)> {
        let id = self.env.lookup(name)?;
        Some((self.values.get(&id)?, self.env.global(id).scheme.ty))
    }

    /// Specialises an expression to a core program without datatypes with variants: numbers, pairs and pools stand for them, as in what is flattened.
    ///
    /// # Errors
    /// A message, if it cannot be specialised.
    pub fn without_datatypes(&mut self, expr: &Expr) -> Result<Program, Diagnostic> {
        let (program, _) = self.specialise(expr)?;
        Ok(self.translated(&program).map_or(program, |translated| translated.program))
    }

    pub(super) fn take_apart(
        &mut self,
        pattern: &Pattern,
        value: Value,
        core: Ty,
        parts: &mut Vec<(Value, Ty)>,
    ) {
        match pattern {
            Pattern::Local(..) => parts.push((value, core)),
            Pattern::Record(_, content) => {
                let inside = self.core_types.variants(core).and_then(|variants| variants[0].content);
                match (inside, value) {
                    (Some(inside), Value::Data(node)) => {
                        let held = node.content.clone().expect("the variant has a content");
                        self.take_apart(content, held, inside, parts);
                    }
                    (_, value) => self.take_apart(content, value, core, parts),
                }
            }
            Pattern::Pair(left, right) => {
                let CoreType::Pair(one, other) = *self.core_types.get(core) else {
                    unreachable!("inference knows what is a pair")
                };
                let (first, second) = value.into_parts();
                self.take_apart(left, first, one, parts);
                self.take_apart(right, second, other, parts);
            }
        }
    }

    /// Binds a name to a value: to a new global, or to the older variable of the same type.
    pub(super) fn bind_value(
        &mut self,
        name: &Text,
        ty: TypeId,
        span: Span,
        value: Value,
        core: Ty,
        library: bool,
    ) {
        let id = self.bind_type(name, ty, span, core, library);
        self.values.insert(id, value);
    }

    /// Binds a name to a new global, or to the older variable of the same type, and gives that a type.
    pub(crate) fn bind_type(
        &mut self,
        name: &Text,
        ty: TypeId,
        span: Span,
        core: Ty,
        library: bool,
    ) -> GlobalId {
        let scheme = self.env.types.generalise(ty);
        let id = self.reusable(name, &scheme, core).unwrap_or_else(|| {
            let mut global = value_global(name, scheme, span);
            global.library = library;
            let id = self.env.add_global(global);
            match library {
                true => self.env.bind_library(name.clone(), id),
                false => self.env.bind(name.clone(), id),
            }
            id
        });
        self.value_types.insert(id, core);
        id
    }

    fn reusable(&self, name: &Text, scheme: &Scheme, core: Ty) -> Option<GlobalId> {
        let id = self.env.lookup(name)?;
        let global = self.env.global(id);
        let same =
            self.value_types.get(&id) == Some(&core) && self.env.types.same_scheme(&global.scheme, scheme);
        (same && !global.library).then_some(id)
    }
}
