//! Categories made of elements, and taken apart, against naive ones.

use crate::operations::check;
use crate::order::each;
use nestled_nested::{Layer, Nested, Schema, Value};
use nestled_test::again;

/// The different elements in the order of their first appearance.
fn words(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Missing => {}
        Value::List(elements) => elements.iter().for_each(|inner| words(inner, found)),
        other if found.contains(other) => {}
        other => found.push(other.clone()),
    }
}

/// The categories in lists and what may be missing.
fn category(array: &Nested) -> &Nested {
    match array.layer() {
        Layer::Lists(_, inner) | Layer::Fixed(_, inner) | Layer::Option(_, inner) => category(inner),
        _ => array,
    }
}

/// The schema with the elements as they are.
fn plain(schema: &Schema) -> String {
    schema.to_string().replace("categorical[type=string]", "string")
}

#[test]
fn categories_of_elements() {
    each(88, |_, _, array, value| {
        let made = array.to_categorical().unwrap();
        check("to_categorical", array, Ok(made.clone()), value);
        let back = made.from_categorical();
        assert_eq!(back.as_ref().unwrap().schema().to_string(), plain(&array.schema()));
        check("from_categorical", array, back, value);
        if !array.schema().to_string().contains('{') {
            let (codes, own) = category(&made).codes_and_words().expect("a category");
            let inside =
                codes.to_vec().unwrap().iter().all(|&code| code >= 0 && (code as usize) < own.len().max(1));
            assert!(inside, "{array}");
            if !array.schema().to_string().contains("categorical") {
                let mut wanted = Vec::new();
                words(value, &mut wanted);
                assert_eq!(own.to_values().unwrap(), wanted, "{array}");
            }
            check("again", array, made.to_categorical(), value);
        }
        assert!(array.from_categorical().unwrap().is_equal(&made.from_categorical().unwrap()).unwrap());
    });
}

#[test]
fn categories_behave_as_their_elements() {
    let numbers = Nested::from_iter([vec![Some(7), None, Some(5)], vec![], vec![Some(7)]]);
    let made = numbers.to_categorical().unwrap();
    assert_eq!(made.type_string(), "3 * var * ?categorical[type=int64]");
    assert_eq!(
        made.sort(-1, true).unwrap().to_list().unwrap(),
        numbers.sort(-1, true).unwrap().to_list().unwrap()
    );
    assert_eq!(made.unique(-1).unwrap().to_list().unwrap(), numbers.unique(-1).unwrap().to_list().unwrap());
    let nan = Nested::from_iter([f64::NAN, 1.5, f64::NAN]).to_categorical().unwrap();
    let (codes, words) = nan.codes_and_words().unwrap();
    assert_eq!((codes.to_vec().unwrap(), words.len()), (vec![0, 1, 0], 2));
    let mixed = Nested::from_iter([Value::from(1), "a".into()]);
    assert!(mixed.to_categorical().unwrap_err().to_string().ends_with("`union[int64, string]` has no order"));
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
