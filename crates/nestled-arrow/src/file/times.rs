//! Dates and times in files of text, which say them in ISO 8601: a column is of such a type if all its texts are. Durations stay texts.

use crate::fault::{Outcome, fault};
use crate::meaning;
use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use nestled_nested::{Meaning, Unit};
use std::sync::Arc;

/// The type of a text that is a date or a time.
pub(super) fn of_text(text: &str) -> Option<DataType> {
    match Meaning::find(text)?.0 {
        Meaning::Duration(_) => None,
        found => Some(meaning::data_type(&found)),
    }
}

/// The meaning of a type.
pub(super) fn meaning(ty: &DataType) -> Option<Meaning> {
    meaning::of_type(ty).ok().flatten()
}

/// True if values of a type are texts in a file.
pub(super) fn is_text(ty: &DataType) -> bool {
    *ty == DataType::Utf8 || meaning(ty).is_some()
}

/// The type that has the texts of both, if it is one of times.
pub(super) fn common(one: &DataType, other: &DataType) -> Option<DataType> {
    let finer = |one: Unit, other: Unit| if one.per_second() > other.per_second() { one } else { other };
    let found = match (meaning(one)?, meaning(other)?) {
        (Meaning::Time(one), Meaning::Time(other)) => Meaning::Time(finer(one, other)),
        (Meaning::Timestamp(one, zone), Meaning::Timestamp(other, own)) if zone == own => {
            Meaning::Timestamp(finer(one, other), zone)
        }
        (Meaning::Date, Meaning::Date) => Meaning::Date,
        _ => return None,
    };
    Some(meaning::data_type(&found))
}

/// The values of texts.
pub(super) fn array(meaning: &Meaning, texts: &[Option<&str>]) -> Outcome<ArrayRef> {
    let value = |text: &Option<&str>| match text.map(|text| (text, meaning.read(text))) {
        None => Ok(None),
        Some((_, Some(value))) => Ok(Some(value)),
        Some((text, None)) => fault(format!("{text:?} is no `{meaning}`")),
    };
    meaning::of_values(meaning, texts.iter().map(value).collect::<Outcome<_>>()?)
}

/// A schema with texts in place of times.
pub(super) fn as_texts(schema: &Schema) -> SchemaRef {
    let fields: Vec<Field> = schema.fields().iter().map(|field| text_field(field)).collect();
    Arc::new(Schema::new(fields))
}

fn text_field(field: &Field) -> Field {
    field.clone().with_data_type(match field.data_type() {
        DataType::List(item) => DataType::List(Arc::new(text_field(item))),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| text_field(field)).collect()),
        ty if is_text(ty) => DataType::Utf8,
        ty => ty.clone(),
    })
}
