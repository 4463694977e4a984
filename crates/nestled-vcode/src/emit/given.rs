//! Values that are known when a program is translated, those of the library, as constants.

use super::value::{Form, Value};
use super::writer::Writer;
use crate::syntax::ast::Constant;
use crate::syntax::instr::Elem;
use nestled_nesl::interp;

/// Writes a value of a form; none if it has parts that have no constants.
pub fn constant(out: &mut Writer, form: &Form, value: &interp::Value) -> Option<Value> {
    let mut columns = Vec::new();
    collect(form, std::slice::from_ref(value), &mut columns)?;
    let vars: Vec<_> = columns.into_iter().map(|column| out.own_constant(column)).collect();
    debug_assert!(form.slots().iter().zip(&vars).all(|(ty, var)| out.types[var.index()] == *ty));
    Some(form.take(out, None, &mut vars.into_iter()))
}

/// Appends the slots of several values, deepest first.
fn collect(form: &Form, values: &[interp::Value], columns: &mut Vec<Constant>) -> Option<()> {
    match form {
        Form::Scalar(elem) => columns.push(column(*elem, values)?),
        Form::Tuple(forms) => {
            let rows: Vec<Vec<interp::Value>> = values.iter().map(parts).collect::<Option<_>>()?;
            for (at, form) in forms.iter().enumerate() {
                let part: Option<Vec<_>> = rows.iter().map(|row| row.get(at).cloned()).collect();
                collect(form, &part?, columns)?;
            }
        }
        Form::Seq(inner) => {
            let (mut lengths, mut elements) = (Vec::new(), Vec::new());
            for value in values {
                let interp::Value::Seq(sequence) = value else { return None };
                lengths.push(sequence.len() as i64);
                elements.extend(sequence.iter().cloned());
            }
            columns.push(Constant::Segdes(lengths));
            collect(inner, &elements, columns)?;
        }
        Form::Outer(_) => return None,
    }
    Some(())
}

fn parts(value: &interp::Value) -> Option<Vec<interp::Value>> {
    match value {
        interp::Value::Pair(pair) => Some(vec![pair.0.clone(), pair.1.clone()]),
        interp::Value::Closure(captured) => Some(captured.to_vec()),
        _ => None,
    }
}

fn column(elem: Elem, values: &[interp::Value]) -> Option<Constant> {
    let int = |value: &interp::Value| match value {
        interp::Value::Int(value) => Some(*value),
        interp::Value::Char(code) => Some(i64::from(*code)),
        _ => None,
    };
    let float = |value: &interp::Value| match value {
        interp::Value::Float(value) if value.is_finite() => Some(*value),
        _ => None,
    };
    let bool = |value: &interp::Value| match value {
        interp::Value::Bool(value) => Some(*value),
        _ => None,
    };
    Some(match elem {
        Elem::Float => Constant::Floats(values.iter().map(float).collect::<Option<_>>()?),
        Elem::Bool => Constant::Bools(values.iter().map(bool).collect::<Option<_>>()?),
        Elem::Int => Constant::Ints(values.iter().map(int).collect::<Option<_>>()?),
    })
}
