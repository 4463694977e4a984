//! Specialisation of apply-to-each: a block with its captured values; a filter becomes a `pack` behind it.

use super::value::{Form, Value};
use super::{Result, Specialise, body::Body, free_locals};
use crate::core::{CoreType, Each, Op};
use crate::primitive::Primitive;
use crate::typed;
use nestled_ir::Span;

impl Specialise<'_> {
    pub(super) fn each(&mut self, body: &mut Body, each: &typed::Each, span: Span) -> Result<Value> {
        let mut sources = Vec::new();
        let mut elements = Vec::new();
        for (_, source) in &each.iterations {
            let value = self.expr(body, source)?;
            sources.push(self.atom(body, &value, source.span));
            let element = self.types.element(value.ty).expect("inference knows what is a sequence");
            elements.push(body.local(element));
        }
        if self.dialect.compat {
            self.compute_closed_parts(body, &each.body)?;
            if let Some(filter) = &each.filter {
                self.compute_closed_parts(body, filter)?;
            }
        }
        let outer = body.begin_block();
        for ((pattern, source), &element) in each.iterations.iter().zip(&elements) {
            let ty = body.type_of(element);
            let value = Value { ty, form: Form::Atom(crate::core::Atom::Local(element)) };
            self.bind(body, pattern, value, source.span);
        }
        let mut value = self.expr(body, &each.body)?;
        let kept = value.ty;
        if let Some(filter) = &each.filter {
            let flag = self.expr(body, filter)?;
            value = self.pair(value, flag);
        }
        let atom = self.atom(body, &value, each.body.span);
        let block = body.end_block(outer, atom);
        let captured = free_locals(&block, &elements);
        let written = each.iterations.iter().map(|(_, source)| source.span).collect();
        let op = Op::Each(Each { serial: each.serial, sources, written, elements, captured, body: block });
        let result = self.computed(body, op, CoreType::Seq(value.ty), span);
        if each.filter.is_none() {
            return Ok(result);
        }
        let pairs = self.atom(body, &result, span);
        Ok(self.computed(body, Op::Primitive(Primitive::Pack, vec![pairs]), CoreType::Seq(kept), span))
    }
}
