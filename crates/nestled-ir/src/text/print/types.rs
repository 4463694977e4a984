//! Prints types and shapes.

use super::lines::commas;
use super::names::Namer;
use crate::id::ValueId;
use crate::name::Value;
use crate::types::{Axis, Form, Placement, Shape, Type};

/// The names of the values of a function or kernel.
pub(super) struct ValueNames<'a> {
    pub table: &'a [Value],
    names: Vec<Option<String>>,
}

impl<'a> ValueNames<'a> {
    pub fn new(table: &'a [Value]) -> ValueNames<'a> {
        ValueNames { table, names: vec![None; table.len()] }
    }

    /// Gives a value a name that is free.
    pub fn bind(&mut self, value: ValueId, namer: &mut Namer) -> String {
        let name = self.table.get(value.index()).map_or("", |value| &value.name);
        let text = namer.fresh(name, value.index());
        if let Some(place) = self.names.get_mut(value.index()) {
            *place = Some(text.clone());
        }
        text
    }

    /// The name of a value; `%7` for one that is not bound yet.
    pub fn name(&self, value: ValueId) -> String {
        let bound = self.names.get(value.index()).and_then(Option::as_ref);
        bound.cloned().unwrap_or_else(|| format!("%{}", value.0))
    }

    pub fn ty_of(&self, value: ValueId) -> Option<&'a Type> {
        self.table.get(value.index()).map(|value| &value.ty)
    }

    pub fn axis(&self, axis: Axis) -> String {
        match axis {
            Axis::Const(extent) => extent.to_string(),
            Axis::Sym(value) => self.name(value),
        }
    }

    pub fn axes(&self, axes: &[Axis]) -> String {
        let axes: Vec<String> = axes.iter().map(|&axis| self.axis(axis)).collect();
        commas(&axes)
    }

    /// `[n, 3]`
    pub fn shape(&self, shape: &Shape) -> String {
        format!("[{}]", self.axes(&shape.axes))
    }

    pub fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Dim => "dim".to_owned(),
            Type::Seg(seg) => {
                let form = match seg.form {
                    Form::Offsets => "seg",
                    Form::Regular => "regular",
                };
                format!("{form}{}", self.shape(&seg.parent))
            }
            Type::Array(array) => {
                let view = array.placement == Placement::View;
                let shape =
                    if array.shape.is_scalar() && !view { String::new() } else { self.shape(&array.shape) };
                format!("{}{shape}{}", if view { "view" } else { "" }, array.elem)
            }
        }
    }

    /// The type of a value.
    pub fn type_text(&self, value: ValueId) -> String {
        self.ty_of(value).map_or_else(|| "dim".to_owned(), |ty| self.ty(ty))
    }

    /// `<n, s: seg[n]>`, or nothing.
    pub fn shape_params(&mut self, shapes: &[ValueId], namer: &mut Namer) -> String {
        let mut texts = Vec::new();
        for &shape in shapes {
            let ty = self.type_text(shape);
            let name = self.bind(shape, namer);
            texts.push(if ty == "dim" { name } else { format!("{name}: {ty}") });
        }
        if texts.is_empty() { String::new() } else { format!("<{}>", commas(&texts)) }
    }

    /// `(xs: [n]f32, a: f32)`
    pub fn params(&mut self, params: &[ValueId], namer: &mut Namer) -> String {
        let mut texts = Vec::new();
        for &param in params {
            let ty = self.type_text(param);
            texts.push(format!("{}: {ty}", self.bind(param, namer)));
        }
        format!("({})", commas(&texts))
    }
}
