//! Numbers in texts, and numbers as texts. They go over the host, as all that is read and written does.

use super::term::column;
use super::text::mapped_texts;
use crate::broadcast::broadcast;
use crate::column::Column;
use crate::fault::{Outcome, told};
use crate::nested::{Layout, Nested};
use crate::schema::{Kind, Meaning, Schema};
use crate::value::Value;
use nestled_array::Result;

impl Nested {
    /// The number that each text is, missing where it is none of the type. Computes at once.
    ///
    /// ```
    /// use nestled_nested::{Kind, Nested};
    /// let texts = Nested::from_iter([vec!["1", "2.5"], vec!["x"]]);
    /// assert_eq!(texts.parse(Kind::Float64)?.to_list()?.to_string(), "[[1.0, 2.5], [None]]");
    /// assert_eq!(texts.parse(Kind::Int8)?.type_string(), "2 * var * ?int8");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts; and errors of evaluation.
    #[track_caller]
    pub fn parse(&self, kind: Kind) -> Result<Nested> {
        let schema = Schema::Option(Box::new(Schema::Number(kind)));
        let numbers = mapped_texts(self, &mut |texts| {
            let texts = texts.with(texts.rows, texts.bytes.clone()).to_values()?;
            let numbers: Vec<Value> = texts.iter().map(|text| number(text, kind)).collect();
            Ok(Nested::from_values_as(&schema, numbers)?)
        });
        told("parse", numbers)
    }

    /// The date, time, duration or decimal that each text is in ISO 8601, missing where it is none, or says more than the meaning holds. Computes at once.
    ///
    /// ```
    /// use nestled_nested::{Meaning, Nested};
    /// let texts = Nested::from_iter([vec!["2024-02-29", "2023-02-29"], vec!["x"]]);
    /// assert_eq!(texts.parse_as(&Meaning::Date)?.to_list()?.to_string(), "[[2024-02-29, None], [None]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no texts; and errors of evaluation.
    #[track_caller]
    pub fn parse_as(&self, meaning: &Meaning) -> Result<Nested> {
        let schema = Schema::Option(Box::new(Schema::Meant(meaning.clone())));
        let read = |text: &Value| match text {
            Value::String(text) => {
                meaning.read(text).map_or(Value::Missing, |value| Value::Int(value.into()))
            }
            _ => Value::Missing,
        };
        let found = mapped_texts(self, &mut |texts| {
            let texts = texts.with(texts.rows, texts.bytes.clone()).to_values()?;
            Ok(Nested::from_values_as(&schema, texts.iter().map(read))?)
        });
        told("parse_as", found)
    }

    /// Each number as a text, the shortest that is read as the same number; dates, times, durations and decimals as they are shown. Computes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![1.5, 100.0]]).to_text()?.to_list()?.to_string(), r#"[["1.5", "100.0"]]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no numbers; and errors of evaluation.
    #[track_caller]
    pub fn to_text(&self) -> Result<Nested> {
        let texts = broadcast(std::slice::from_ref(self), &|_| false, &mut |sides| match &sides[0].layout {
            Layout::Meant(..) => Ok(Nested::from_values_as(&Schema::String, texts_of(&sides[0])?)?),
            _ => written(column(&sides[0])?),
        });
        told("to_text", texts)
    }
}

fn texts_of(nested: &Nested) -> Outcome<Vec<String>> {
    Ok(nested.to_values()?.iter().map(Value::to_string).collect())
}

fn written(column: &Column) -> Outcome<Nested> {
    let texts: Vec<String> = match column {
        // The shortest text of a narrow float is not that of the wide one.
        Column::Float32(x) => x.to_vec()?.iter().map(|x| format!("{x:?}").replace("NaN", "nan")).collect(),
        _ => texts_of(&Nested::leaf(column.clone()))?,
    };
    Ok(Nested::from_values_as(&Schema::String, texts)?)
}

/// The number of a type that a text is.
fn number(text: &Value, kind: Kind) -> Value {
    let Value::String(text) = text else { return Value::Missing };
    match kind {
        Kind::Bool => text.parse().map_or(Value::Missing, Value::Bool),
        Kind::Float32 => text.parse::<f32>().map_or(Value::Missing, Value::from),
        Kind::Float16 | Kind::Float64 => text.parse().map_or(Value::Missing, Value::Float),
        _ => match text.parse() {
            Ok(number) if kind.holds(number) => Value::Int(number),
            _ => Value::Missing,
        },
    }
}
