//! Random nested data: schemas of up to five levels of lists, with empty lists, missing values at all levels, and NaN.

use nestled_nested::{Kind, Nested, Schema, Value};

/// A small generator of numbers, the same on each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Numbers whose sums are exact.
const KINDS: [Kind; 6] = [Kind::Int64, Kind::Float64, Kind::Int8, Kind::Float32, Kind::Bool, Kind::Uint16];

/// A schema with so many levels of lists around numbers.
pub fn schema(random: &mut Random, levels: usize) -> Schema {
    let inner = match levels {
        0 => Schema::Number(KINDS[random.below(KINDS.len())]),
        _ if random.chance(20) => Schema::Fixed(random.below(4), Box::new(schema(random, levels - 1))),
        _ => Schema::List(Box::new(schema(random, levels - 1))),
    };
    if random.chance(40) { Schema::Option(Box::new(inner)) } else { inner }
}

pub fn value(random: &mut Random, schema: &Schema) -> Value {
    match schema {
        Schema::Option(_) if random.chance(25) => Value::Missing,
        Schema::Option(inner) => value(random, inner),
        Schema::Number(Kind::Bool) => Value::Bool(random.chance(50)),
        Schema::Number(Kind::Float32 | Kind::Float64) if random.chance(5) => Value::Float(f64::NAN),
        Schema::Number(Kind::Float32 | Kind::Float64) => Value::Float((random.below(17) as f64 - 8.0) / 2.0),
        Schema::Number(Kind::Uint16) => Value::Int(random.below(6) as i128),
        Schema::Number(_) => Value::Int(random.below(9) as i128 - 4),
        Schema::Fixed(size, inner) => Value::list((0..*size).map(|_| value(random, inner))),
        Schema::List(inner) => {
            let length = if random.chance(25) { 0 } else { random.below(5) };
            Value::list((0..length).map(|_| value(random, inner)))
        }
        Schema::Category(inner) => value(random, inner),
        Schema::Meant(meaning) => Value::Meant(meaning.clone(), random.below(9) as i64 - 4),
        Schema::Record(fields) => {
            Value::record(fields.iter().map(|(name, inner)| (name.clone(), value(random, inner))))
        }
        Schema::Tuple(fields) => Value::Tuple(fields.iter().map(|field| value(random, field)).collect()),
        Schema::String => {
            let letters = ["a", "a", "b", "B", "µ", " ", ","];
            let length = if random.chance(20) { 0 } else { random.below(9) };
            Value::String((0..length).map(|_| letters[random.below(letters.len())]).collect())
        }
        other => panic!("no random values of {other}"),
    }
}

/// An array, with the same as values.
pub fn array(random: &mut Random, levels: usize) -> (Nested, Value) {
    let schema = schema(random, levels);
    let length = if random.chance(10) { 0 } else { 1 + random.below(6) };
    array_of(random, &schema, length)
}

pub fn array_of(random: &mut Random, schema: &Schema, length: usize) -> (Nested, Value) {
    let values: Vec<Value> = (0..length).map(|_| value(random, schema)).collect();
    let array = Nested::from_values_as(schema, values.clone()).expect("values of the schema");
    (array, Value::List(values))
}
