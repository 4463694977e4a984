//! Type inference of applications: operators, named functions, and function values.

use super::Infer;
use crate::ast;
use crate::typed::{Expr, GlobalId, Kind};
use crate::types::{Base, Class, Mismatch, Type, TypeId};
use nestled_ir::{Diagnostic, Span};

/// An argument that does not fit, with the innermost place that shows it.
struct Unfit {
    span: Span,
    expected: TypeId,
    found: TypeId,
    why: Mismatch,
}

impl Infer<'_> {
    /// Applies a function of the library to checked arguments; a program that hides the name does not change that.
    pub(super) fn builtin(&mut self, name: &str, place: Span, arguments: Vec<Expr>, span: Span) -> Expr {
        let id = self.env.lookup_library(name, self.dialect);
        let id = id.unwrap_or_else(|| panic!("the library has `{name}`"));
        let function = self.global(id, place);
        let mut arguments = arguments.into_iter().rev();
        let last = arguments.next().expect("every function takes an argument");
        let argument = arguments.fold(last, |right, left| self.pair(left, right));
        self.apply(function, argument, span, name)
    }

    pub(super) fn pair(&mut self, left: Expr, right: Expr) -> Expr {
        let ty = self.pair_of(left.ty, right.ty);
        let span = left.span.to(right.span);
        Expr { kind: Kind::Pair(Box::new(left), Box::new(right)), ty, span }
    }

    /// Checks `function(argument, keywords)` as it was written.
    pub(super) fn application(
        &mut self,
        function: &ast::Expr,
        argument: &ast::Expr,
        keywords: &[ast::Keyword],
        span: Span,
    ) -> Expr {
        let name = match &function.kind {
            ast::ExprKind::Name(text) => text.to_string(),
            _ => String::new(),
        };
        let callee = self.expr(function);
        let defaults = match &callee.kind {
            Kind::Global(id, _) => self.env.global(*id).defaults.clone(),
            _ => Vec::new(),
        };
        let argument = self.expr(argument);
        let argument = self.with_keywords(argument, keywords, &defaults, &name);
        self.apply(callee, argument, span, &name)
    }

    /// Extends the argument by the named parameters, from the call or from the defaults.
    fn with_keywords(
        &mut self,
        argument: Expr,
        given: &[ast::Keyword],
        defaults: &[ast::Keyword],
        function: &str,
    ) -> Expr {
        for keyword in given {
            if !defaults.iter().any(|default| default.name.text == keyword.name.text) {
                let message = format!("`{function}` has no parameter `{}` with a default", keyword.name.text);
                let mut diagnostic = Diagnostic::new("N0116", message, keyword.name.span);
                let names: Vec<String> =
                    defaults.iter().map(|default| format!("`{}`", default.name.text)).collect();
                if !names.is_empty() {
                    diagnostic = diagnostic.help(format!("it has {}", names.join(", ")));
                }
                self.error(diagnostic);
            }
        }
        if defaults.is_empty() {
            return argument;
        }
        let mut tail: Option<Expr> = None;
        for default in defaults.iter().rev() {
            let own = given.iter().find(|keyword| keyword.name.text == default.name.text);
            let value = match own {
                Some(keyword) => self.expr(&keyword.value),
                None => self.outside(&default.value),
            };
            tail = Some(match tail {
                Some(tail) => self.pair(value, tail),
                None => value,
            });
        }
        let tail = tail.expect("there is a default");
        self.append(argument, tail)
    }

    /// Checks a default at the top level, in the scope where it was written.
    fn outside(&mut self, value: &ast::Expr) -> Expr {
        let scope = std::mem::take(&mut self.scope);
        let value = self.expr(value);
        self.scope = scope;
        value
    }

    /// Appends one more component to the pairs of the argument.
    fn append(&mut self, argument: Expr, tail: Expr) -> Expr {
        match argument.kind {
            Kind::Pair(left, right) => {
                let right = self.append(*right, tail);
                self.pair(*left, right)
            }
            _ => self.pair(argument, tail),
        }
    }

    /// Applies a checked function to a checked argument; `name` is for messages and may be empty.
    pub(super) fn apply(&mut self, function: Expr, argument: Expr, span: Span, name: &str) -> Expr {
        let (from, to) = match *self.env.types.get(function.ty) {
            Type::Function(from, to) => (from, to),
            Type::Var(Class::Any) => {
                let from = self.env.types.fresh(Class::Any);
                let to = self.env.types.fresh(Class::Any);
                let ty = self.env.types.add(Type::Function(from, to));
                if self.env.types.unify(function.ty, ty).is_err() {
                    return self.broken(span);
                }
                (from, to)
            }
            _ => {
                let diagnostic = self.not_a_function(&function, &argument);
                self.error(diagnostic);
                return self.broken(span);
            }
        };
        if let Err(unfit) = self.fit(from, &argument) {
            let diagnostic = self.unfit(&function, &argument, from, unfit, name);
            self.error(diagnostic);
            if !self.env.types.variables(to).is_empty() {
                return self.broken(span);
            }
        }
        Expr { kind: Kind::Apply(Box::new(function), Box::new(argument)), ty: to, span }
    }

    /// Unifies the type of an argument with that of the parameter, component by component.
    fn fit(&mut self, mut wanted: TypeId, mut argument: &Expr) -> Result<(), Unfit> {
        while let (Type::Pair(left_type, right_type), Kind::Pair(left, right)) =
            (self.env.types.get(wanted).clone(), &argument.kind)
        {
            self.fit(left_type, left)?;
            (wanted, argument) = (right_type, right);
        }
        let found = argument.ty;
        self.env.types.unify(wanted, found).map_err(|why| Unfit {
            span: argument.span,
            expected: wanted,
            found,
            why,
        })
    }

    /// Adds to the message the place in the body that gave the parameter of a function its type.
    fn by_the_body(&self, diagnostic: Diagnostic, id: GlobalId, unfit: &Unfit) -> Diagnostic {
        let global = self.env.global(id);
        let Some(ast::StatementKind::Function(function)) = global.definition.as_deref().map(|one| &one.kind)
        else {
            return diagnostic;
        };
        let (Some(body), None, false) = (&function.body, &function.declared, global.library) else {
            return diagnostic;
        };
        let shown = self.show(unfit.expected);
        let mut diagnostic =
            diagnostic.label(global.span, format!("its body makes this parameter `{shown}`"));
        if let Some(length) = length_among_operands(body)
            && self.is_of(unfit.expected, Base::Int)
            && self.is_of(unfit.found, Base::Float)
        {
            diagnostic = diagnostic.label(length, "a length is an `int`, and so is what it is computed with");
            diagnostic.help = Some("nothing is converted by itself: write `float(#v)` there".to_owned());
        }
        diagnostic
    }

    /// True if a type is this base type, or a sequence of such.
    fn is_of(&self, ty: TypeId, base: Base) -> bool {
        match self.env.types.get(ty) {
            Type::Base(found) => *found == base,
            Type::Seq(element) => self.is_of(*element, base),
            _ => false,
        }
    }

    fn not_a_function(&self, function: &Expr, argument: &Expr) -> Diagnostic {
        let shown = self.show(function.ty);
        let diagnostic = Diagnostic::new("N0102", "this is not a function", function.span)
            .here(format!("this is `{shown}`"))
            .label(argument.span, "applied to this");
        match function.kind {
            Kind::Bool(value) => diagnostic.help(format!(
                "`{}` is a truth value, also where a parameter has this name; choose another name",
                if value { "t" } else { "f" }
            )),
            _ => diagnostic.help(
                "two values side by side mean application; an operator, a comma or a `;` may be missing",
            ),
        }
    }

    /// Returns a hint about the probable meaning of an operator with such a left operand.
    fn trap(&self, operator: &str, left: &Expr) -> Option<&'static str> {
        let function = matches!(self.env.types.get(left.ty), Type::Function(..));
        if operator == "-" && function {
            return Some("`g -3` subtracts 3 from `g`; to apply `g` to -3, write `g(-3)`");
        }
        let Kind::Apply(applied, _) = &left.kind else { return None };
        let Kind::Global(id, _) = applied.kind else { return None };
        let prefix = matches!(&*self.env.global(id).name, "#" | "@");
        (operator == "++" && prefix).then_some("`#a ++ b` means `(#a) ++ b`; write `#(a ++ b)`")
    }

    fn unfit(&self, function: &Expr, argument: &Expr, from: TypeId, unfit: Unfit, name: &str) -> Diagnostic {
        let operator = crate::token::is_operator(name) && name != "#" && name != "@";
        let what = if name.is_empty() {
            "this function cannot take".to_owned()
        } else {
            format!("`{name}` cannot take")
        };
        let mut diagnostic =
            self.mismatch("N0101", &what, unfit.span, unfit.expected, unfit.found, unfit.why);
        if let (true, Kind::Pair(left, right)) = (operator, &argument.kind) {
            let (left_shown, right_shown) = self.show_two(left.ty, right.ty);
            if diagnostic.code == "N0101" {
                diagnostic.message = format!("`{name}` cannot take `{left_shown}` and `{right_shown}`");
                diagnostic.labels[0].text = format!("this is `{}`", self.show(unfit.found));
            }
            if let Some(help) = self.trap(name, left) {
                diagnostic.help = Some(help.to_owned());
            }
            let (other, shown) =
                if unfit.span.start == right.span.start { (left, left_shown) } else { (right, right_shown) };
            return diagnostic.label(other.span, format!("this is `{shown}`"));
        }
        if diagnostic.help.is_none()
            && !name.is_empty()
            && let Kind::Global(id, _) = &function.kind
        {
            let scheme = &self.env.global(*id).scheme;
            let mut printer = crate::types::TypePrinter::new(&self.env.types, &self.env.records);
            diagnostic.help = Some(format!("`{name}` is `{}`", printer.with_context(scheme.ty)));
        }
        if let Kind::Global(id, _) = &function.kind {
            diagnostic = self.by_the_body(diagnostic, *id, &unfit);
        }
        if name.is_empty() {
            diagnostic = diagnostic.label(function.span, format!("it takes `{}`", self.show(from)));
        }
        diagnostic
    }
}

/// Finds a length (`#v`) that is an operand of arithmetic.
fn length_among_operands(body: &ast::Expr) -> Option<Span> {
    let mut pending = vec![body];
    while let Some(expr) = pending.pop() {
        if let ast::ExprKind::Infix(op, left, right) = &expr.kind
            && matches!(&*op.text, "+" | "-" | "*" | "/")
        {
            let is_length =
                |side: &&ast::Expr| matches!(&side.kind, ast::ExprKind::Prefix(op, _) if &*op.text == "#");
            if let Some(length) = [&**left, &**right].into_iter().find(is_length) {
                return Some(length.span);
            }
        }
        expr.kind.visit(&mut |part| pending.push(part));
    }
    None
}
