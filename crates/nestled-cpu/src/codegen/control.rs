//! Emission of structured control flow: counted loops and conditionals in the text of a function.

use super::Unsupported;
use super::function::Function;
use std::fmt::Display;

/// The emitter of a loop's body.
pub type Body<'b, 's, 'a> = &'b mut dyn FnMut(&mut Function<'s, 'a>, &str) -> Result<(), Unsupported>;

/// Emits a loop that counts from `from` by `step`, while less than `to`.
pub fn each<'s, 'a>(
    f: &mut Function<'s, 'a>,
    from: &str,
    to: &str,
    step: impl Display,
    body: Body<'_, 's, 'a>,
) -> Result<(), Unsupported> {
    let at = f.emit.variable("i64");
    f.set(&at, from);
    let (head, inside, done) = (f.emit.label(), f.emit.label(), f.emit.label());
    f.emit.fall_into(head);
    let number = f.get(&at);
    let more = f.emit.define(format_args!("icmp slt i64 {number}, {to}"));
    f.emit.branch(&more, inside, done);
    f.emit.text.begin(inside);
    body(f, &number)?;
    let next = f.emit.define(format_args!("add i64 {number}, {step}"));
    f.set(&at, &next);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(done);
    Ok(())
}

/// Emits a loop over the numbers of the bits that are set in an `i64`, lowest first.
pub fn each_bit<'s, 'a>(
    f: &mut Function<'s, 'a>,
    bits: &str,
    body: Body<'_, 's, 'a>,
) -> Result<(), Unsupported> {
    f.emit.declare("declare i64 @llvm.cttz.i64(i64, i1)");
    let left = f.emit.variable("i64");
    f.set(&left, bits);
    let (head, inside, done) = (f.emit.label(), f.emit.label(), f.emit.label());
    f.emit.fall_into(head);
    let bits = f.get(&left);
    let more = f.emit.define(format_args!("icmp ne i64 {bits}, 0"));
    f.emit.branch(&more, inside, done);
    f.emit.text.begin(inside);
    let number = f.emit.define(format_args!("call i64 @llvm.cttz.i64(i64 {bits}, i1 true)"));
    body(f, &number)?;
    let less = f.emit.define(format_args!("sub i64 {bits}, 1"));
    let rest = f.emit.define(format_args!("and i64 {bits}, {less}"));
    f.set(&left, &rest);
    f.emit.line(format_args!("br label %{head}"));
    f.emit.text.begin(done);
    Ok(())
}

/// Emits a conditional: the body runs if the `i1` holds.
pub fn when<'s, 'a>(
    f: &mut Function<'s, 'a>,
    holds: &str,
    body: &mut dyn FnMut(&mut Function<'s, 'a>) -> Result<(), Unsupported>,
) -> Result<(), Unsupported> {
    let (inside, done) = (f.emit.label(), f.emit.label());
    f.emit.branch(holds, inside, done);
    f.emit.text.begin(inside);
    body(f)?;
    f.emit.fall_into(done);
    Ok(())
}

/// Emits an alternative: the first body runs if the `i1` holds, otherwise the second.
pub fn choose<'s, 'a>(
    f: &mut Function<'s, 'a>,
    holds: &str,
    then: &mut dyn FnMut(&mut Function<'s, 'a>) -> Result<(), Unsupported>,
    otherwise: &mut dyn FnMut(&mut Function<'s, 'a>) -> Result<(), Unsupported>,
) -> Result<(), Unsupported> {
    let (first, second, done) = (f.emit.label(), f.emit.label(), f.emit.label());
    f.emit.branch(holds, first, second);
    f.emit.text.begin(first);
    then(f)?;
    f.emit.line(format_args!("br label %{done}"));
    f.emit.text.begin(second);
    otherwise(f)?;
    f.emit.fall_into(done);
    Ok(())
}
