//! The schema that values tell, found one value after another.

use crate::fault::{InField, Outcome, fault};
use crate::schema::{Kind, Meaning, Schema};
use crate::value::Value;

/// The greatest number of levels of a value, so that none exhausts the stack.
const DEEPEST: usize = 100;

/// Inferred kind: the evidence of all values at one place of a schema.
#[derive(Default)]
struct Guess {
    optional: bool,
    told: Told,
    /// Number of values that were seen.
    seen: usize,
}

#[derive(Default)]
enum Told {
    #[default]
    Nothing,
    Bool,
    /// With the least and the greatest.
    Int(i128, i128),
    Float,
    String,
    Bytes,
    List(Box<Guess>),
    Tuple(Vec<Guess>),
    Record(Vec<(String, Guess)>),
    Meant(Meaning),
    /// Of values of several kinds, those of each.
    Union(Vec<Guess>),
}

/// The schema of values.
pub(super) fn schema(values: &[Value]) -> Outcome<Schema> {
    let mut guess = Guess::default();
    for (place, value) in values.iter().enumerate() {
        guess.see(value, DEEPEST).in_field(&format!("[{place}]"))?;
    }
    guess.schema()
}

impl Guess {
    fn see(&mut self, value: &Value, deepest: usize) -> Outcome<()> {
        let Some(deepest) = deepest.checked_sub(1) else {
            return fault(format!("values nest deeper than {DEEPEST} levels"));
        };
        self.seen += 1;
        match (&mut self.told, value) {
            (_, Value::Missing) => self.optional = true,
            (Told::Nothing, _) => {
                self.told = Told::first(value);
                self.seen -= 1;
                return self.see(value, deepest + 1);
            }
            (Told::Bool, Value::Bool(_)) => {}
            (Told::Int(least, most), Value::Int(value)) => {
                (*least, *most) = ((*least).min(*value), (*most).max(*value));
            }
            (Told::Float, Value::Int(_) | Value::Float(_)) => {}
            (Told::Int(..), Value::Float(_)) => self.told = Told::Float,
            (Told::String, Value::String(_)) | (Told::Bytes, Value::Bytes(_)) => {}
            (Told::List(inner), Value::List(values)) => {
                for (place, value) in values.iter().enumerate() {
                    inner.see(value, deepest).in_field(&format!("[{place}]"))?;
                }
            }
            (Told::Tuple(guesses), Value::Tuple(values)) if guesses.len() == values.len() => {
                for (place, (guess, value)) in guesses.iter_mut().zip(values).enumerate() {
                    guess.see(value, deepest).in_field(&place.to_string())?;
                }
            }
            (Told::Record(guesses), Value::Record(fields)) => {
                see_fields(guesses, fields, self.seen, deepest)?
            }
            (Told::Meant(meaning), Value::Meant(other, _)) if meaning.common(other).is_some() => {
                *meaning = meaning.common(other).unwrap_or_else(|| other.clone());
            }
            (Told::Union(guesses), value) => see_variant(guesses, value, deepest)?,
            (told, value) => {
                let first = Guess { told: std::mem::take(told), seen: self.seen - 1, optional: false };
                let mut guesses = vec![first];
                see_variant(&mut guesses, value, deepest)?;
                self.told = Told::Union(guesses);
            }
        }
        Ok(())
    }

    fn schema(&self) -> Outcome<Schema> {
        let schema = match &self.told {
            Told::Nothing | Told::Float => Schema::Number(Kind::Float64),
            Told::Bool => Schema::Number(Kind::Bool),
            Told::Int(least, most) if i64::try_from(*least).is_ok() && i64::try_from(*most).is_ok() => {
                Schema::Number(Kind::Int64)
            }
            Told::Int(least, most) if *least >= 0 && u64::try_from(*most).is_ok() => {
                Schema::Number(Kind::Uint64)
            }
            Told::Int(least, most) => return fault(format!("no type holds both {least} and {most}")),
            Told::String => Schema::String,
            Told::Bytes => Schema::Bytes,
            Told::List(inner) => Schema::List(Box::new(inner.schema()?)),
            Told::Tuple(fields) => Schema::Tuple(fields.iter().map(Guess::schema).collect::<Outcome<_>>()?),
            Told::Meant(meaning) => Schema::Meant(meaning.clone()),
            Told::Union(guesses) => Schema::Union(guesses.iter().map(Guess::schema).collect::<Outcome<_>>()?),
            Told::Record(fields) => {
                let field =
                    |(name, guess): &(String, Guess)| Ok((name.clone(), guess.schema().in_field(name)?));
                Schema::Record(fields.iter().map(field).collect::<Outcome<_>>()?)
            }
        };
        Ok(if self.optional { Schema::Option(Box::new(schema)) } else { schema })
    }
}

/// Fields of the `seen`-th record: those that it lacks, or that others lacked, may be missing.
fn see_fields(
    guesses: &mut Vec<(String, Guess)>,
    fields: &[(String, Value)],
    seen: usize,
    deepest: usize,
) -> Outcome<()> {
    for (name, guess) in guesses.iter_mut() {
        guess.optional |= !fields.iter().any(|(own, _)| own == name);
    }
    for (place, (name, value)) in fields.iter().enumerate() {
        if fields[..place].iter().any(|(other, _)| other == name) {
            return fault(format!("there are two fields `{name}`"));
        }
        let known = guesses.iter().position(|(own, _)| own == name).unwrap_or_else(|| {
            guesses.push((name.clone(), Guess { optional: seen > 1, ..Guess::default() }));
            guesses.len() - 1
        });
        guesses[known].1.see(value, deepest).in_field(name)?;
    }
    Ok(())
}

impl Told {
    /// The kind that the first value tells, before it is looked into.
    fn first(value: &Value) -> Told {
        match value {
            Value::Missing => Told::Nothing,
            Value::Bool(_) => Told::Bool,
            Value::Int(value) => Told::Int(*value, *value),
            Value::Float(_) => Told::Float,
            Value::String(_) => Told::String,
            Value::Bytes(_) => Told::Bytes,
            Value::List(_) => Told::List(Box::default()),
            Value::Tuple(values) => Told::Tuple(values.iter().map(|_| Guess::default()).collect()),
            Value::Record(_) => Told::Record(Vec::new()),
            Value::Meant(meaning, _) => Told::Meant(meaning.clone()),
        }
    }

    /// True if a value is of this kind, whatever lies inside.
    fn takes(&self, value: &Value) -> bool {
        match (self, value) {
            (Told::Bool, Value::Bool(_))
            | (Told::Int(..) | Told::Float, Value::Int(_) | Value::Float(_))
            | (Told::String, Value::String(_))
            | (Told::Bytes, Value::Bytes(_))
            | (Told::List(_), Value::List(_))
            | (Told::Record(_), Value::Record(_)) => true,
            (Told::Tuple(guesses), Value::Tuple(values)) => guesses.len() == values.len(),
            (Told::Meant(meaning), Value::Meant(other, _)) => meaning.common(other).is_some(),
            _ => false,
        }
    }
}

/// A value among those of several kinds.
fn see_variant(guesses: &mut Vec<Guess>, value: &Value, deepest: usize) -> Outcome<()> {
    let known = guesses.iter().position(|guess| guess.told.takes(value)).unwrap_or_else(|| {
        guesses.push(Guess::default());
        guesses.len() - 1
    });
    guesses[known].see(value, deepest)
}
