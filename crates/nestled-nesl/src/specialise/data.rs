//! Specialisation of datatypes with variants: their concrete types, constructors, and `match`, which becomes a chain of conditionals on the variant.

use super::value::{Form, Value};
use super::{Chosen, Result, Specialise, body::Body};
use crate::core::{Atom, Block, CoreType, Data, DataOp, Op, Ty, Variant};
use crate::primitive::{Dispatch, Primitive};
use crate::typed::{Arm, Match};
use crate::types::{RecordId, TypeId};
use nestled_ir::{Diagnostic, Span};

impl Specialise<'_> {
    /// Returns the concrete type of a datatype; at its first use finds what the variants hold.
    pub(super) fn datatype(&mut self, record: RecordId, arguments: Vec<Ty>) -> Ty {
        let declared = self.env.records[record.0 as usize].clone();
        let chosen: Chosen = (declared.parameters.iter().map(|one| self.env.types.resolve(*one)))
            .zip(arguments.iter().copied())
            .collect();
        let ty = self.ty(CoreType::Data(Data { record, name: declared.name.clone(), arguments }));
        if self.types.variants(ty).is_some() {
            return ty;
        }
        // Inside of itself it is known without its variants.
        self.types.define(ty, Vec::new());
        let content = |this: &mut Self, content: TypeId| {
            this.concrete(content, &chosen).expect("the parameters of a datatype are all there is to know")
        };
        let variants = declared.variants().iter();
        let variants = variants
            .map(|variant| Variant {
                name: variant.name.clone(),
                content: variant.content.map(|ty| content(self, ty)),
            })
            .collect();
        self.types.define(ty, variants);
        ty
    }

    /// Makes a value of a variant. `wanted` is the inferred type of the value.
    pub(super) fn construct(
        &mut self,
        body: &mut Body,
        (record, variant): (RecordId, usize),
        content: Option<Value>,
        wanted: TypeId,
        span: Span,
    ) -> Result<Value> {
        let ty = match self.concrete(wanted, &body.chosen) {
            Some(ty) => ty,
            None => self.type_of_content(record, variant, content.as_ref(), span)?,
        };
        let fits = self.types.variants(ty).and_then(|variants| variants[variant].content);
        if content.as_ref().is_some_and(|content| Some(content.ty) != fits) {
            return Err(self.holds_function(span));
        }
        let content = content.map(|content| self.atom(body, &content, span));
        let op = Op::Data(DataOp::Construct(variant), content.into_iter().collect());
        Ok(Value { ty, form: Form::Atom(body.emit(op, ty, span)) })
    }

    /// True if a variant has no content.
    pub(super) fn is_constant(&self, record: RecordId, variant: usize) -> bool {
        self.env.records[record.0 as usize].variants()[variant].content.is_none()
    }

    /// Finds the type of a value by what it holds.
    fn type_of_content(
        &mut self,
        record: RecordId,
        variant: usize,
        content: Option<&Value>,
        span: Span,
    ) -> Result<Ty> {
        let declared = self.env.records[record.0 as usize].clone();
        let mut chosen = Chosen::new();
        if let (Some(ty), Some(content)) = (declared.variants()[variant].content, content) {
            self.choose(ty, content.ty, &mut chosen);
        }
        let parameters = declared.parameters.iter().map(|one| self.env.types.resolve(*one));
        let arguments: Option<Vec<Ty>> = parameters.map(|one| chosen.get(&one).copied()).collect();
        let Some(arguments) = arguments else {
            let name = &declared.variants()[variant].name;
            let message = format!("the type of this `{name}` is not known");
            let diagnostic = Diagnostic::new("N0204", message, span)
                .help("nothing tells what it could hold; give the function that it is in a type");
            return Err(self.stop(diagnostic));
        };
        let is_function = |this: &Self, ty: Ty| matches!(this.types.get(ty), CoreType::Closure(_));
        if arguments.iter().any(|ty| is_function(self, *ty)) {
            return Err(self.holds_function(span));
        }
        Ok(self.datatype(record, arguments))
    }

    fn holds_function(&mut self, span: Span) -> super::Stop {
        let diagnostic = Diagnostic::new("N0122", "a datatype with variants cannot hold a function", span)
            .help("pass the function as a parameter of its own");
        self.stop(diagnostic)
    }

    /// Returns the content of a value whose variant is known.
    pub(super) fn content_of(&mut self, body: &mut Body, value: &Value, variant: usize, span: Span) -> Value {
        let content = self.content_type(value.ty, variant).expect("the variant has a content");
        let atom = self.atom(body, value, span);
        let op = Op::Data(DataOp::Content(variant), vec![atom]);
        Value { ty: content, form: Form::Atom(body.emit(op, content, span)) }
    }

    /// Returns the type of the content of a variant.
    pub(super) fn content_type(&self, ty: Ty, variant: usize) -> Option<Ty> {
        self.types.variants(ty).and_then(|variants| variants[variant].content)
    }

    /// Returns what is inside of a record.
    pub(super) fn opened(&mut self, body: &mut Body, value: Value, span: Span) -> Value {
        match self.types.get(value.ty) {
            CoreType::Data(_) => self.content_of(body, &value, 0, span),
            _ => value,
        }
    }

    pub(super) fn matching(&mut self, body: &mut Body, matching: &Match, span: Span) -> Result<Value> {
        let value = self.expr(body, &matching.value)?;
        let atom = self.atom(body, &value, matching.value.span);
        let value = Value { form: Form::Atom(atom), ..value };
        let int = self.ty(CoreType::Int);
        let one = matching.arms.len() + usize::from(matching.others.is_some()) == 1;
        let tag = match one {
            true => Atom::Int(0),
            false => body.emit(Op::Data(DataOp::Tag, vec![atom]), int, span),
        };
        let (block, ty) = self.arms(body, (&value, tag), matching, &matching.arms, span)?;
        Ok(Value { ty, form: Form::Atom(body.splice(block)) })
    }

    /// Makes the block that chooses among arms: the last of all needs no test.
    fn arms(
        &mut self,
        body: &mut Body,
        (value, tag): (&Value, Atom),
        matching: &Match,
        arms: &[Arm],
        span: Span,
    ) -> Result<(Block, Ty)> {
        let Some((arm, rest)) = arms.split_first() else {
            let others = matching.others.as_ref().expect("every variant has an arm");
            return self.block(body, others);
        };
        if rest.is_empty() && matching.others.is_none() {
            return self.arm(body, value, arm);
        }
        let outer = body.begin_block();
        let bool = self.ty(CoreType::Bool);
        let wanted = Atom::Int(arm.variant as i64);
        let is = body.emit(Op::Primitive(Primitive::Equal, vec![tag, wanted]), bool, span);
        let (yes, ty) = self.arm(body, value, arm)?;
        let (no, other) = self.arms(body, (value, tag), matching, rest, span)?;
        if ty != other {
            let after = rest.first().map_or(arm.body.span, |next| next.body.span);
            return Err(self.differ(after, Some(arm.body.span)));
        }
        let atom = body.emit(Op::If(is, yes, no), ty, span);
        Ok((body.end_block(outer, atom), ty))
    }

    fn arm(&mut self, body: &mut Body, value: &Value, arm: &Arm) -> Result<(Block, Ty)> {
        let outer = body.begin_block();
        if let Some(pattern) = &arm.content {
            let content = self.content_of(body, value, arm.variant, arm.body.span);
            self.bind(body, pattern, content, arm.body.span);
        }
        let result = self.expr(body, &arm.body)?;
        let atom = self.atom(body, &result, arm.body.span);
        Ok((body.end_block(outer, atom), result.ty))
    }

    /// Returns the name of the function of the library for values of a datatype; for what makes no sense there, an error.
    pub(super) fn data_case(&mut self, dispatch: Dispatch, ty: Ty, span: Span) -> Result<String> {
        let CoreType::Data(data) = self.types.get(ty).clone() else { unreachable!("it is a datatype") };
        let what = match dispatch {
            Dispatch::Eql | Dispatch::Hash | Dispatch::String | Dispatch::StringOpen => {
                return Ok(self.env.function_of_datatype(dispatch, data.record));
            }
            Dispatch::Abbreviated | Dispatch::AbbreviatedOpen => {
                return Ok(self.env.function_of_datatype(dispatch, data.record));
            }
            Dispatch::Identity | Dispatch::Zeros => "zero",
            Dispatch::Order => "order",
            Dispatch::WriteColumns | Dispatch::ReadColumns => "form in files",
        };
        let message = format!("values of `{}` have no {what}", data.name);
        let diagnostic =
            Diagnostic::new("N0206", message, span).help("write a function that takes them apart by `match`");
        Err(self.stop(diagnostic))
    }
}
