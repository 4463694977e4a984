//! Derives: a struct as a record of nested data and as a tuple of NESL, an enum as a datatype of NESL with variants.
//!
//! Code that is made here names everything by one path, `::nestled` or that of `crate = …`, and there by the hidden module `derived`. What a derive cannot make is an error at the token
//! that it cannot take.
//!
//! # Files
//!
//! `attributes.rs` reads what is written in `#[record(…)]` and `#[datatype(…)]`, `fields.rs` has fields, and code that puts a tuple of them together and takes it apart; `record.rs` and
//! `datatype.rs` are the derives.
#![forbid(unsafe_code)]

mod attributes;
mod columns;
mod datatype;
mod fields;
mod record;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::DeriveInput;

/// A struct whose values are records of nested data; re-exported by `nestled`, which describes it.
#[proc_macro_derive(Record, attributes(record))]
pub fn derive_record(input: TokenStream) -> TokenStream {
    made(input, record::record)
}

/// An enum whose values are those of a datatype of NESL; re-exported by `nestled`, which describes it.
#[proc_macro_derive(Datatype, attributes(datatype))]
pub fn derive_datatype(input: TokenStream) -> TokenStream {
    made(input, datatype::datatype)
}

fn made(
    input: TokenStream,
    derive: fn(&DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    let made = syn::parse(input).and_then(|input| derive(&input));
    made.unwrap_or_else(|error| error.to_compile_error()).into()
}
