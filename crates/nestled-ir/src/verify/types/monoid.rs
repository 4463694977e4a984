//! Checks the types of monoids: each component takes as many of the values as it is wide, in order.

use crate::diagnostic::Diagnostic;
use crate::monoid::{Monoid, MonoidDef, MonoidPart};
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::verify::names;
use crate::verify::report::Report;

/// Checks the definition of a monoid: its thunk takes two units and gives one.
pub(super) fn check_def(program: &Program, def: &MonoidDef, report: &mut Report) {
    let unit: Vec<ScalarType> = def.unit.iter().map(|value| value.ty()).collect();
    let combine = program.thunk(def.combine);
    let params: Vec<ScalarType> =
        combine.thunk.params().map(|param| combine.thunk.local_type(param)).collect();
    if unit.is_empty() {
        let message = format!("the unit of `{}` has no values", def.name);
        return report.add(Diagnostic::new("L0340", message, def.span));
    }
    if params != [unit.as_slice(), unit.as_slice()].concat() || combine.results != unit {
        let text = list(&unit);
        let message = format!(
            "`{}` must take ({text}, {text}) and give ({text}) to combine values of `{}`",
            combine.name, def.name
        );
        let found = format!("takes ({}) and gives ({})", list(&params), list(&combine.results));
        report.add(Diagnostic::new("L0340", message, def.span).label(combine.span, found));
    }
}

/// Checks a monoid against the types of the values that it combines.
pub(super) fn check_use(
    program: &Program,
    monoid: &Monoid,
    types: &[ScalarType],
    span: Span,
    report: &mut Report,
) {
    let widths: Vec<usize> = monoid.parts.iter().map(|part| part.width(&program.monoids)).collect();
    let width: usize = widths.iter().sum();
    if monoid.parts.is_empty() || width != types.len() {
        let message = format!(
            "the monoid combines {}, but the thunk gives {}",
            names::count(width, "value"),
            types.len()
        );
        return report
            .add(Diagnostic::new("L0332", message, span).help(
                "give one monoid for each result, as in `(add, max)`; `argmin` and `argmax` take two",
            ));
    }
    let mut rest = types;
    for (part, width) in monoid.parts.iter().zip(widths) {
        let (own, others) = rest.split_at(width);
        rest = others;
        if part.unit(own, &program.monoids).is_none() {
            let message =
                format!("`{}` does not combine values of type ({})", name(program, *part), list(own));
            let diagnostic = Diagnostic::new("L0333", message, span);
            report.add(diagnostic.help(wants(program, *part)));
        }
    }
}

fn name(program: &Program, part: MonoidPart) -> String {
    match part {
        MonoidPart::Op(op) => op.name().to_owned(),
        MonoidPart::ArgMin => "argmin".to_owned(),
        MonoidPart::ArgMax => "argmax".to_owned(),
        MonoidPart::User(id) => program.monoid(id).name.to_string(),
    }
}

/// The types that a component is defined for, in words.
fn wants(program: &Program, part: MonoidPart) -> String {
    match part {
        MonoidPart::Op(op) => {
            let types: Vec<&str> = ScalarType::ALL
                .into_iter()
                .filter(|&ty| op.unit(ty).is_some())
                .map(ScalarType::name)
                .collect();
            format!("it combines values of type {}", types.join(", "))
        }
        MonoidPart::ArgMin | MonoidPart::ArgMax => "it combines pairs of a number and an `idx`".to_owned(),
        MonoidPart::User(id) => {
            let unit: Vec<ScalarType> = program.monoid(id).unit.iter().map(|value| value.ty()).collect();
            format!("it combines values of type ({})", list(&unit))
        }
    }
}

fn list(types: &[ScalarType]) -> String {
    let names: Vec<&str> = types.iter().map(|ty| ty.name()).collect();
    names.join(", ")
}
