//! Messages of the derives, and names in what they make.

use crate::{datatype::datatype, record::record};
use syn::DeriveInput;

/// The code that a derive makes of a text, or the message.
fn made(text: &str) -> Result<String, String> {
    let input: DeriveInput = syn::parse_str(text).unwrap();
    let derive = if text.contains("#[datatype") { datatype } else { record };
    let made = derive(&input);
    if let Err(error) = &made {
        assert!(error.to_compile_error().to_string().contains("compile_error"));
    }
    made.map(|code| code.to_string()).map_err(|error| error.to_string())
}

#[test]
fn what_is_refused() {
    for (text, message) in [
        ("enum E { A }", "a record is a struct; an enum is a datatype of NESL: `#[derive(Datatype)]`"),
        ("union U { a: i64 }", "a record is a struct"),
        ("struct S;", "a record has at least one field"),
        ("struct S {}", "a record has at least one field"),
        ("struct S<'a> { a: Name<'a> }", "values are owned: there are no lifetimes"),
        ("struct S { a: i64, b: &'static str }", "a field owns its value: it is no reference"),
        ("struct S(f64, &'static [u8]);", "a field owns its value: it is no reference"),
        ("struct S { a: i64, #[record(rename = \"a\")] b: i64 }", "two fields are called `a`"),
        ("struct S { #[record(rename = \"\")] b: i64 }", "a name is empty"),
        ("struct S { #[record(rename = a)] b: i64 }", "expected string literal"),
        ("struct S { #[record(rename = \"a\", rename = \"b\")] b: i64 }", "`rename` is there twice"),
        ("struct S { #[record(skip)] b: i64 }", "`record` takes `rename = \"name\"` here"),
        ("struct S(#[record(rename = \"a\")] i64, i64);", "`record` takes nothing here"),
        (
            "#[record(rename = \"a\")] struct S(i64, i64);",
            "`record` takes `crate = path` or `columns = Name` here",
        ),
        ("#[record(columns = \"C\")] struct S(i64);", "expected identifier"),
        (
            "#[datatype(crate = a)] struct S { a: i64 }",
            "a datatype is an enum; a struct is a record: `#[derive(Record)]`",
        ),
        ("#[datatype(crate = a)] union U { a: i64 }", "a datatype is an enum"),
        ("#[datatype(crate = a)] enum E {}", "a datatype has at least one variant"),
        ("#[datatype(crate = a)] enum E<'a> { A(Name<'a>) }", "values are owned: there are no lifetimes"),
        ("#[datatype(crate = a)] enum E { A(&'static str) }", "a field owns its value: it is no reference"),
        ("#[datatype(other)] enum E { A }", "`datatype` takes `crate = path` or `rename = \"name\"` here"),
        (
            "#[datatype(crate = a)] enum E { A(#[datatype(rename = \"a\")] i64) }",
            "`datatype` takes nothing here",
        ),
    ] {
        assert_eq!(made(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn everything_is_named_by_one_path() {
    let code = made("struct S { r#type: f64 }").unwrap();
    assert!(code.contains(":: nestled :: derived :: Row for S"), "{code}");
    assert!(code.contains("\"type\"") && code.contains("self . r#type"), "{code}");
    let code = made("struct S { kids: Vec<(S, i64)> }").unwrap();
    assert!(code.contains("NeslRow for S") && !code.contains("Row for S where"), "{code}");
    let code = made("#[record(crate = other::path)] struct S<T: Copy>(T) where T: Eq;").unwrap();
    assert!(code.contains("impl < T : Copy + other :: path :: derived :: NeslRow > other :: path :: derived :: NeslRow for S < T > where T : Eq"), "{code}");
    assert!(!code.contains("nestled"), "{code}");
    let code = made("#[datatype(crate = crate, rename = \"either\")] enum E<T> { A(T), B { a: i64, b: T } }");
    let code = code.unwrap();
    assert!(code.contains("Some (\"either\")"), "{code}");
    assert!(code.contains("crate :: derived :: NeslRow for E < T >"), "{code}");
}
