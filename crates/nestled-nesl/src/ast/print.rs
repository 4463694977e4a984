//! Pretty printer of the syntax tree, with as few brackets as possible: `parse(print(tree)) == tree`.

use super::{
    Arm, Context, Each, Expr, ExprKind, Function, Iteration, Keyword, Pattern, PatternKind, Statement,
    StatementKind, TypeExpr, TypeExprKind,
};
use crate::token::{APPLY, ARROW, Binding, COMMA, COMMANDS, PREFIX, TokenKind, infix, is_operator};
use std::fmt::Write;

/// Prints a statement, without its terminator.
pub fn statement(statement: &Statement) -> String {
    let mut out = String::new();
    match &statement.kind {
        StatementKind::Function(function) => print_function(&mut out, function),
        StatementKind::Datatype { name, content } => {
            let _ = write!(out, "datatype {} ", name.text);
            print_declared(&mut out, content, matches!(content.kind, TypeExprKind::Pair(..)));
        }
        StatementKind::Variants { name, variants, context } => {
            let _ = write!(out, "datatype {} = ", name.text);
            for (position, variant) in variants.iter().enumerate() {
                let _ = write!(out, "{}{}", if position == 0 { "" } else { " | " }, variant.name.text);
                if let Some(content) = &variant.content {
                    print_declared(&mut out, content, true);
                }
            }
            print_context(&mut out, context.as_ref());
        }
        StatementKind::Assign { pattern, value } => print_binding(&mut out, pattern, " = ", value),
        StatementKind::FileAssign { pattern, value } => print_binding(&mut out, pattern, " |= ", value),
        StatementKind::Background { name, value, options } => {
            out.push_str(&name.text);
            bracket_command(&mut out);
            out.push_str(" &= ");
            print_expr(&mut out, value, 4);
            print_keywords(&mut out, options);
        }
        StatementKind::Config { name, options } => {
            let _ = write!(out, "defconfig {}", name.text);
            print_keywords(&mut out, options);
        }
        StatementKind::Expr(expr) => {
            print_expr(&mut out, expr, 3);
            bracket_command(&mut out);
        }
        StatementKind::Command { name, words } => {
            out.push_str(&name.text);
            for word in words {
                out.push(' ');
                print_token(&mut out, &word.kind);
            }
        }
    }
    out
}

/// Puts a statement in brackets where it would be taken for a command.
fn bracket_command(out: &mut String) {
    let word = out.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    if COMMANDS.contains(&word) {
        *out = format!("({out})");
    }
}

/// Prints an expression.
pub fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    print_expr(&mut out, expr, 3);
    out
}

/// Prints a type.
pub fn type_expr(ty: &TypeExpr) -> String {
    let mut out = String::new();
    print_declared(&mut out, ty, false);
    out
}

/// Prints a pattern.
pub fn pattern(pattern: &Pattern) -> String {
    let mut out = String::new();
    print_pattern(&mut out, pattern, false);
    out
}

fn print_function(out: &mut String, function: &Function) {
    let _ = write!(out, "function {}(", function.name.text);
    print_pattern(out, &function.pattern, false);
    print_keywords(out, &function.defaults);
    out.push(')');
    if let Some(declared) = &function.declared {
        out.push_str(" : ");
        print_declared(out, declared, false);
    }
    if let Some(doc) = &function.doc {
        out.push(' ');
        print_string(out, doc);
    }
    if let Some(body) = &function.body {
        out.push_str(" = ");
        print_expr(out, body, 3);
    }
}

fn print_binding(out: &mut String, pattern: &Pattern, symbol: &str, value: &Expr) {
    let mut left = String::new();
    print_pattern(&mut left, pattern, true);
    bracket_command(&mut left);
    out.push_str(&left);
    out.push_str(symbol);
    print_expr(out, value, 3);
}

fn print_pattern(out: &mut String, pattern: &Pattern, bracket_pairs: bool) {
    match &pattern.kind {
        PatternKind::Name(name) => out.push_str(name),
        PatternKind::Pair(left, right) => {
            out.push_str(if bracket_pairs { "(" } else { "" });
            print_pattern(out, left, true);
            out.push_str(", ");
            print_pattern(out, right, false);
            out.push_str(if bracket_pairs { ")" } else { "" });
        }
        PatternKind::Record(name, content) => {
            let _ = write!(out, "{}(", name.text);
            print_pattern(out, content, false);
            out.push(')');
        }
    }
}

fn print_keywords(out: &mut String, keywords: &[Keyword]) {
    for keyword in keywords {
        let _ = write!(out, ", {} := ", keyword.name.text);
        print_expr(out, &keyword.value, 5);
    }
}

fn print_declared(out: &mut String, ty: &TypeExpr, bracket: bool) {
    out.push_str(if bracket { "(" } else { "" });
    print_type(out, ty, 0);
    out.push_str(if bracket { ")" } else { "" });
    print_context(out, ty.context.as_ref());
}

fn print_context(out: &mut String, context: Option<&Context>) {
    if let Some(context) = context {
        out.push_str(" :: (");
        for (position, bind) in context.binds.iter().enumerate() {
            let separator = if position == 0 { "" } else { "; " };
            let _ = write!(out, "{separator}{} in {}", bind.variable.text, bind.class.text);
        }
        out.push(')');
    }
}

/// Prints a type where commas (level 0), arrows (1) or only primaries (2) may stand.
fn print_type(out: &mut String, ty: &TypeExpr, level: u8) {
    let own = match ty.kind {
        TypeExprKind::Pair(..) => 0,
        TypeExprKind::Function(..) => 1,
        _ => 2,
    };
    out.push_str(if own < level { "(" } else { "" });
    match &ty.kind {
        TypeExprKind::Name(name) => out.push_str(&name.text),
        TypeExprKind::Record(name, parameters) => {
            let _ = write!(out, "{}(", name.text);
            print_type(out, parameters, 0);
            out.push(')');
        }
        TypeExprKind::Sequence(element) => {
            out.push('[');
            print_type(out, element, 2);
            out.push(']');
        }
        TypeExprKind::Pair(left, right) => {
            print_type(out, left, 1);
            out.push_str(", ");
            print_type(out, right, 0);
        }
        TypeExprKind::Function(from, to) => {
            print_type(out, from, 2);
            out.push_str(" -> ");
            print_type(out, to, 1);
        }
    }
    out.push_str(if own < level { ")" } else { "" });
}

/// Prints an expression in a position where operators must bind tighter than `level`.
///
/// `if`, `let` and `=>` reach as far to the right as they can, so anything that could follow them needs them in brackets; that
/// is the case at every level over the one of a comma.
fn print_expr(out: &mut String, expr: &Expr, level: i8) {
    let bracket = binding_of(expr) <= level;
    out.push_str(if bracket { "(" } else { "" });
    print_kind(out, &expr.kind);
    out.push_str(if bracket { ")" } else { "" });
}

/// Returns the precedence of the outermost operator.
fn binding_of(expr: &Expr) -> i8 {
    match &expr.kind {
        ExprKind::Infix(op, ..) => infix(&op.text).map_or(APPLY, |binding| binding.left),
        ExprKind::Pair(..) => COMMA.left,
        ExprKind::Let(bindings, body) if is_chain(bindings) => binding_of(body),
        ExprKind::If(..) | ExprKind::Let(..) => COMMA.left,
        ExprKind::Match(..) => ARROW.left,
        ExprKind::Lambda(..) => ARROW.left,
        ExprKind::Prefix(..) => PREFIX,
        // A bracket behind it would belong to the type.
        ExprKind::Empty(_) => APPLY,
        _ => APPLY + 1,
    }
}

/// True if these are the bindings that the parser makes of a long chain of operators (`*chain…`).
fn is_chain(bindings: &[super::LetBinding]) -> bool {
    let of_chain = |binding: &super::LetBinding| matches!(&binding.pattern.kind, PatternKind::Name(name) if name.starts_with("*chain"));
    bindings.first().is_some_and(of_chain)
}

fn print_kind(out: &mut String, kind: &ExprKind) {
    match kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_) => print_leaf(out, kind),
        ExprKind::Prefix(op, operand) => {
            out.push_str(&op.text);
            print_expr(out, operand, PREFIX - 1);
        }
        ExprKind::Infix(op, left, right) => {
            let binding = infix(&op.text).unwrap_or(Binding { left: APPLY, right: APPLY });
            // An operator of the same level on the left needs no brackets, unless it is read to the right.
            let left_level = if binding.right < binding.left { binding.left } else { binding.left - 1 };
            print_expr(out, left, left_level);
            let _ = write!(out, " {} ", op.text);
            print_expr(out, right, binding.right);
        }
        ExprKind::Pair(left, right) => {
            print_expr(out, left, COMMA.left);
            out.push_str(", ");
            print_expr(out, right, COMMA.right);
        }
        ExprKind::Apply(function, argument, keywords) => {
            print_expr(out, function, APPLY);
            out.push('(');
            print_expr(out, argument, 3);
            print_keywords(out, keywords);
            out.push(')');
        }
        ExprKind::Index(sequence, position) => {
            print_expr(out, sequence, APPLY);
            out.push('[');
            print_expr(out, position, 3);
            out.push(']');
        }
        ExprKind::Time(value) => {
            out.push_str("time(");
            print_expr(out, value, 3);
            out.push(')');
        }
        ExprKind::Sequence(elements) => {
            out.push('[');
            for (position, element) in elements.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { ", " });
                print_expr(out, element, 4);
            }
            out.push(']');
        }
        ExprKind::Empty(ty) => {
            out.push_str("[] ");
            print_type(out, ty, 2);
        }
        ExprKind::Range(start, end, step) => {
            out.push('[');
            print_expr(out, start, 4);
            out.push_str(" : ");
            print_expr(out, end, 3);
            if let Some(step) = step {
                out.push_str(" : ");
                print_expr(out, step, 3);
            }
            out.push(']');
        }
        ExprKind::Each(each) => print_each(out, each),
        ExprKind::If(condition, yes, no) => {
            out.push_str("if ");
            print_expr(out, condition, 3);
            out.push_str(" then ");
            print_expr(out, yes, 3);
            out.push_str(" else ");
            print_expr(out, no, 3);
        }
        ExprKind::Match(value, arms) => {
            out.push_str("match ");
            print_expr(out, value, 3);
            out.push_str(" with ");
            print_arms(out, arms);
        }
        ExprKind::Let(bindings, body) if is_chain(bindings) => {
            let mut text = String::new();
            print_kind(&mut text, &body.kind);
            for binding in bindings.iter().rev() {
                let mut begun = String::new();
                print_kind(&mut begun, &binding.value.kind);
                text = text.replacen(&pattern(&binding.pattern), &begun, 1);
            }
            out.push_str(&text);
        }
        ExprKind::Let(bindings, body) => {
            out.push_str("let ");
            for (position, binding) in bindings.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { "; " });
                print_binding(out, &binding.pattern, " = ", &binding.value);
            }
            out.push_str(" in ");
            print_expr(out, body, 3);
        }
        ExprKind::Lambda(pattern, body) => {
            print_pattern(out, pattern, true);
            out.push_str(" => ");
            print_expr(out, body, ARROW.right);
        }
    }
}

fn print_arms(out: &mut String, arms: &[Arm]) {
    for (position, arm) in arms.iter().enumerate() {
        let _ = write!(out, "{}{}", if position == 0 { "" } else { " | " }, arm.name.text);
        if let Some(content) = &arm.content {
            out.push('(');
            print_pattern(out, content, false);
            out.push(')');
        }
        out.push_str(" => ");
        // A `match` in an arm would take the arms that follow.
        let inner = matches!(arm.body.kind, ExprKind::Match(..)) || position + 1 < arms.len();
        print_expr(out, &arm.body, if inner { ARROW.left } else { ARROW.right });
    }
}

fn print_leaf(out: &mut String, kind: &ExprKind) {
    match kind {
        ExprKind::Int(value) => print_token(out, &TokenKind::Int(*value)),
        ExprKind::Float(value) => print_token(out, &TokenKind::Float(*value)),
        ExprKind::Bool(value) => out.push(if *value { 't' } else { 'f' }),
        ExprKind::Char(code) => print_token(out, &TokenKind::Char(*code)),
        ExprKind::Str(bytes) => print_string(out, bytes),
        ExprKind::Name(text) => {
            let quote = if is_operator(text) { "'" } else { "" };
            let _ = write!(out, "{quote}{text}");
        }
        _ => {}
    }
}

fn print_each(out: &mut String, each: &Each) {
    out.push_str(if each.serial { "{* " } else { "{" });
    if let Some(body) = &each.body {
        print_expr(out, body, 3);
        out.push_str(" : ");
    }
    for (position, Iteration { pattern, source }) in each.iterations.iter().enumerate() {
        out.push_str(if position == 0 { "" } else { "; " });
        print_pattern(out, pattern, true);
        if let Some(source) = source {
            out.push_str(" in ");
            print_expr(out, source, 3);
        }
    }
    if let Some(filter) = &each.filter {
        out.push_str(" | ");
        print_expr(out, filter, 3);
    }
    out.push('}');
}

fn print_token(out: &mut String, kind: &TokenKind) {
    match kind {
        TokenKind::Word(text) => out.push_str(text),
        TokenKind::Symbol(text) => out.push_str(text),
        TokenKind::Int(value) => {
            let _ = write!(out, "{value}");
        }
        TokenKind::Float(value) => {
            let _ = write!(out, "{value:?}");
        }
        TokenKind::Char(code) => {
            let _ = write!(out, "`{}", char::from(*code));
        }
        TokenKind::Str(bytes) => print_string(out, bytes),
        TokenKind::End => {}
    }
}

fn print_string(out: &mut String, bytes: &[u8]) {
    out.push('"');
    let text = String::from_utf8_lossy(bytes);
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}
