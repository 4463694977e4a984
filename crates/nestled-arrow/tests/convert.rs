//! Arrays of Arrow's as nested ones and back: values, schemas, and addresses.

use crate::{everything, message};
use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type};
use arrow_array::{
    Array as _, ArrayRef, DictionaryArray, Int64Array, IntervalYearMonthArray, LargeListArray, StringArray,
    make_array,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use nestled_arrow::{from_arrow, from_batch, to_arrow, to_batch};
use nestled_nested::{Array, Nested, Schema, Segments, Value};
use std::sync::Arc;

fn same(nested: &Nested) {
    let back = from_batch(&to_batch(nested).unwrap()).unwrap();
    assert_eq!(back.type_string(), nested.type_string());
    assert_eq!(back.to_list().unwrap(), nested.to_list().unwrap());
}

#[test]
fn there_and_back() {
    same(&everything());
    let schemas = [
        "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
        "float32", "float64",
    ];
    let meanings = ["date", "time[ms]", "timestamp[ns, \"UTC\"]", "duration[us]", "decimal[12, 3]"];
    for schema in schemas.into_iter().chain(meanings) {
        let schema = Schema::parse(&format!("{{x: ?{schema}, y: var * {schema}, z: 2 * {schema}}}")).unwrap();
        let numbers = Nested::from_values_as(&schema, Vec::<i64>::new());
        same(&numbers.unwrap());
    }
    let numbers = Nested::from_iter([1, 0, 1]);
    for kind in nestled_kinds() {
        let column = numbers.cast(kind).unwrap();
        same(&Nested::records(&[("x", &column), ("y", &column)]).unwrap());
    }
    for meaning in meanings {
        let Ok(Schema::Meant(meaning)) = Schema::parse(meaning) else { panic!("{meaning}") };
        let column = numbers.with_meaning(&meaning).unwrap();
        same(&Nested::records(&[("x", &column), ("y", &numbers)]).unwrap());
    }
    let words = Nested::from_iter(["e", "mu"]);
    let flavours = Nested::categories(&Array::from_vec(vec![1, 1, 0]), &words).unwrap();
    same(&Nested::records(&[("flavour", &flavours)]).unwrap());
    let bytes = Nested::from(Array::from_slice(&[0u8, 255, 7])).in_bytes(&Segments::from_lengths(&[2, 0, 1]));
    same(
        &Nested::records(&[("bytes", &bytes.unwrap()), ("words", &Nested::from_iter(["", "b", "c"]))])
            .unwrap(),
    );
    // A column of its own for what is no record.
    let table = to_batch(&Nested::from_iter([vec![1.5], vec![]])).unwrap();
    assert_eq!(from_batch(&table).unwrap().type_string(), "2 * {value: var * float64}");
}

fn nestled_kinds() -> [nestled_nested::Kind; 12] {
    use nestled_nested::Kind::*;
    [Bool, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Float16, Float32, Float64]
}

#[test]
fn what_is_computed_goes_out() {
    let rows = Nested::from_iter([vec![1, 2], vec![], vec![3]]);
    let array = to_arrow(&(&rows * 10)).unwrap();
    let lists = array.as_list::<i32>();
    assert_eq!(lists.value_offsets(), [0, 2, 2, 3]);
    assert_eq!(lists.values().as_primitive::<Int64Type>().values(), &[10, 20, 30]);
}

#[test]
fn slices_begin_in_the_middle() {
    let mut builder = ListBuilder::new(Int64Builder::new());
    for list in
        [Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(3)]), Some(vec![Some(4), Some(5)])]
    {
        builder.append_option(list);
    }
    let lists: ArrayRef = Arc::new(builder.finish());
    assert_eq!(
        from_arrow(&lists).unwrap().to_list().unwrap().to_string(),
        "[[1, None], None, [], [3], [4, 5]]"
    );
    assert_eq!(from_arrow(&lists.slice(3, 2)).unwrap().to_list().unwrap().to_string(), "[[3], [4, 5]]");
    let words: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("bc"), None, Some("d")]));
    assert_eq!(
        from_arrow(&words.slice(1, 3)).unwrap().to_list().unwrap().to_string(),
        r#"["bc", None, "d"]"#
    );
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    assert_eq!(from_arrow(&numbers.slice(1, 1)).unwrap().to_list().unwrap().to_string(), "[2]");
}

#[test]
fn dictionaries_that_lack_words() {
    let none: ArrayRef = Arc::new([None, None::<&str>].into_iter().collect::<DictionaryArray<Int8Type>>());
    let nested = from_arrow(&none).unwrap();
    assert_eq!(
        (nested.type_string(), nested.to_list().unwrap().to_string()),
        ("2 * ?categorical[type=string]".to_owned(), "[None, None]".to_owned())
    );
    let words: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let keys = arrow_array::Int8Array::from(vec![Some(1), Some(0), None]);
    let array: ArrayRef = Arc::new(DictionaryArray::try_new(keys, words).unwrap());
    assert_eq!(from_arrow(&array).unwrap().to_list().unwrap().to_string(), r#"[None, "a", None]"#);
}

#[test]
fn types_that_nested_data_have_not() {
    let times: ArrayRef = Arc::new(IntervalYearMonthArray::from(vec![1]));
    assert_eq!(message(from_arrow(&times)), "`Interval(YearMonth)` is a type that nested data have not");
    let field = Arc::new(Field::new("when", times.data_type().clone(), false));
    let record: ArrayRef = Arc::new(arrow_array::StructArray::from(vec![(field, times)]));
    assert!(message(from_arrow(&record)).starts_with("column `when`: "));
}

/// Elements of Arrow's, large enough for devices to use them where they lie.
const MANY: usize = 1_000_000;

#[test]
fn nothing_is_copied() {
    let numbers: Vec<i64> = (0..MANY as i64).collect();
    let begin = numbers.as_ptr();
    let values: ArrayRef = Arc::new(Int64Array::from(numbers));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0i64, 10, MANY as i64]));
    let field = Arc::new(Field::new("item", DataType::Int64, false));
    let lists: ArrayRef = Arc::new(LargeListArray::new(field, offsets, values, None));
    let nested = from_arrow(&lists).unwrap();
    assert_eq!(nested.sum(-1).unwrap().to_list().unwrap().to_string(), "[45, 499999499955]");
    let back = to_arrow(&nested).unwrap();
    let back = back.as_list::<i32>().values().as_primitive::<Int64Type>().values().as_ptr();
    // A block that ends right at the end of a page is copied once by the device, which reads a little further.
    let behind = (begin as usize + 8 * MANY).wrapping_neg() % 4096;
    assert!(back == begin || behind < 256, "{begin:?} became {back:?}");
}

#[test]
fn what_was_never_used_goes_out_where_it_lies() {
    let numbers = vec![1.5f64; 100];
    let begin = numbers.as_ptr();
    let array: ArrayRef = Arc::new(arrow_array::Float64Array::from(numbers));
    let back = to_arrow(&from_arrow(&array).unwrap()).unwrap();
    assert_eq!(back.to_data().buffers()[0].as_ptr().cast(), begin);
}

#[test]
fn an_array_of_zero_rows() {
    for schema in ["int64", "var * string", "{x: ?bytes, y: categorical[type=string]}", "(int8, 3 * float16)"]
    {
        let none = Nested::from_values_as(&Schema::parse(schema).unwrap(), Vec::<i64>::new()).unwrap();
        let array = to_arrow(&none).unwrap();
        assert_eq!(array.len(), 0);
        let again = make_array(array.to_data());
        assert_eq!(from_arrow(&again).unwrap().schema().to_string(), schema);
    }
}

#[test]
fn unions() {
    let either = |optional: bool| {
        let values = [Value::from(7), "a".into(), vec![1, 2].into(), "b".into(), Value::Missing];
        Nested::from_values(values[..if optional { 5 } else { 4 }].to_vec()).unwrap()
    };
    let whole = either(false);
    assert_eq!(whole.type_string(), "4 * union[int64, string, var * int64]");
    same(&Nested::records(&[("either", &whole), ("x", &Nested::from_iter([1, 2, 3, 4]))]).unwrap());
    // What is missing is so in a variant there.
    let back = from_arrow(&to_arrow(&either(true)).unwrap()).unwrap();
    assert_eq!(back.type_string(), "5 * ?union[int64, string, var * int64]");
    assert_eq!(back.to_values().unwrap(), either(true).to_values().unwrap());
    let rows = either(true).unflatten(&Nested::from_iter([2, 0, 3])).unwrap();
    let back = from_arrow(&to_arrow(&rows).unwrap()).unwrap();
    assert_eq!(back.to_values().unwrap(), rows.to_values().unwrap());
    let sliced = to_arrow(&whole).unwrap().slice(1, 2);
    assert_eq!(from_arrow(&sliced).unwrap().to_list().unwrap().to_string(), "[\"a\", [1, 2]]");
}
