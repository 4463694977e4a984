//! Layers, and operations that take any operands: for those who build on nested data.

use nestled_nested::{Array, Binary, Kind, Layer, Nested, Value, combine, elementwise};

fn listed(nested: &Nested) -> String {
    nested.to_list().unwrap().to_string()
}

#[test]
fn layers_are_what_schemas_say() {
    fn schema(nested: &Nested) -> String {
        match nested.layer() {
            Layer::Number(kind) => kind.to_string(),
            Layer::Lists(segments, content) => {
                assert_eq!(segments.total(), content.len());
                format!("var * {}", schema(content))
            }
            Layer::Strings(..) => "string".to_owned(),
            Layer::Bytes(..) => "bytes".to_owned(),
            Layer::Fixed(size, content) => format!("{size} * {}", schema(content)),
            Layer::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, field)| format!("{name}: {}", schema(field))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Layer::Tuple(fields) => {
                let fields: Vec<String> = fields.iter().map(schema).collect();
                format!("({})", fields.join(", "))
            }
            Layer::Option(valid, content) => {
                assert_eq!(valid.size(), content.len());
                format!("?{}", schema(content))
            }
            Layer::Category(_, words) => format!("categorical[type={}]", schema(words)),
            Layer::Meant(meaning) => meaning.to_string(),
            Layer::Union(tags, variants) => {
                assert!(variants.iter().all(|variant| variant.len() == tags.size()));
                format!("union[{}]", variants.iter().map(schema).collect::<Vec<_>>().join(", "))
            }
        }
    }
    for text in [
        "int8",
        "var * var * float32",
        "3 * bool",
        "{a: ?int64, b: var * string}",
        "(uint8, bytes)",
        "categorical[type=string]",
        "?timestamp[ms, \"UTC\"]",
        "union[var * int64, ?string]",
    ] {
        let values: Vec<Value> = Vec::new();
        let nested = Nested::from_values_as(&text.parse().unwrap(), values).unwrap();
        assert_eq!(schema(&nested), text);
    }
}

#[test]
fn either_operand_may_be_a_number() {
    let rows = Nested::from_iter([vec![1, 2], vec![]]);
    assert_eq!(listed(&combine(Binary::Sub, 10, &rows).unwrap()), "[[9, 8], []]");
    assert_eq!(listed(&combine(Binary::Sub, &rows, 10).unwrap()), "[[-9, -8], []]");
    assert_eq!(listed(&combine(Binary::Lt, 1, &rows).unwrap()), "[[false, true], []]");
    assert!(combine(Binary::Add, 1, 2).is_err());
}

#[test]
fn functions_of_numbers_go_everywhere() {
    let half = &mut |parts: &[Nested]| {
        let x = Array::<i64>::try_from(&parts[0])?;
        Ok(Nested::from(x.cast::<f64>() / 2.0))
    };
    let record = Value::record([("a", vec![1, 2].into()), ("b", Value::Missing)]);
    let other = Value::record([("a", Value::List(Vec::new())), ("b", 3.into())]);
    let events = Nested::from_values([record, other]).unwrap();
    assert_eq!(
        listed(&elementwise(&[&events], half).unwrap()),
        "[{a: [0.5, 1.0], b: None}, {a: [], b: 1.5}]"
    );
    let few = &mut |_: &[Nested]| Ok(Nested::from_iter([1]));
    let rows = Nested::from_iter([vec![1, 2], vec![]]);
    assert!(elementwise(&[&rows], few).unwrap_err().to_string().ends_with("1 elements for 2"));
    assert!(elementwise(&[], few).is_err());
    assert_eq!(Kind::Int64.common(Kind::Float32), Kind::Float64);
}
