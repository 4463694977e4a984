//! Structs as records of nested data, and as tuples of NESL.
//!
//! Named fields are a record, unnamed ones a tuple; one unnamed field is what it holds.

use crate::attributes::{Attributes, Key};
use crate::fields::{Field, bounded, fields, pull, push, types, value, want};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::{Data, DeriveInput, Error, Fields, Result, parse_quote};

/// The implementations that the derive adds.
pub fn record(input: &DeriveInput) -> Result<TokenStream> {
    let held = match &input.data {
        Data::Struct(held) => &held.fields,
        Data::Enum(found) => {
            let message = "a record is a struct; an enum is a datatype of NESL: `#[derive(Datatype)]`";
            return Err(Error::new_spanned(found.enum_token, message));
        }
        Data::Union(found) => return Err(Error::new_spanned(found.union_token, "a record is a struct")),
    };
    let attributes = Attributes::read(&input.attrs, "record", &[Key::Crate, Key::Columns])?;
    let derived = attributes.derived();
    let found = fields(held)?;
    if found.is_empty() {
        return Err(Error::new_spanned(&input.ident, "a record has at least one field"));
    }
    let nesl = as_nesl(input, &derived, &found)?;
    let row = as_row(input, &derived, held, &found)?;
    let columns = match &attributes.columns {
        Some(columns) => {
            let names = names(&found, &[Key::Rename])?;
            crate::columns::columns(input, &derived, held, (&found, &names), columns)?
        }
        None => TokenStream::new(),
    };
    // Nested data has no trees.
    let is_tree = found.iter().any(|field| mentions(field.ty().to_token_stream(), &input.ident));
    let row = if is_tree { TokenStream::new() } else { row };
    Ok(quote!(#row #nesl #columns))
}

/// True if a name is a part of a type.
fn mentions(ty: TokenStream, name: &Ident) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name || ident == "Self",
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The names of fields outside of Rust; an error for two that are equal.
fn names(found: &[Field<'_>], keys: &[Key]) -> Result<Vec<String>> {
    let mut known = HashSet::new();
    let names = found.iter().map(|field| {
        let attributes = Attributes::read(&field.field.attrs, "record", keys)?;
        let name = field.field.ident.as_ref().map(|own| attributes.name(own)).unwrap_or_default();
        if field.field.ident.is_some() && !known.insert(name.clone()) {
            return Err(Error::new_spanned(field.field, format!("two fields are called `{name}`")));
        }
        Ok(name)
    });
    names.collect()
}

fn as_row(
    input: &DeriveInput,
    derived: &TokenStream,
    held: &Fields,
    found: &[Field<'_>],
) -> Result<TokenStream> {
    let types: Vec<_> = found.iter().map(Field::ty).collect();
    let members: Vec<_> = found.iter().map(|field| &field.member).collect();
    let locals: Vec<_> = found.iter().map(|field| &field.local).collect();
    let schemas = quote!(#(<#types as #derived::Row>::schema()),*);
    let values = quote!(#(#derived::Row::into_value(self.#members)),*);
    let made = quote!(::std::option::Option::Some(Self { #(#members: #locals),* }));
    let (schema, into, from) = match held {
        Fields::Named(_) => {
            let names = names(found, &[Key::Rename])?;
            (
                quote!(#derived::Schema::Record(
                    ::std::vec![#((::std::string::String::from(#names), <#types as #derived::Row>::schema())),*]
                )),
                quote!(#derived::Value::Record(
                    ::std::vec![#((::std::string::String::from(#names), #derived::Row::into_value(self.#members))),*]
                )),
                quote! {
                    let #derived::Value::Record(mut values) = value else { return ::std::option::Option::None };
                    #(
                        let place = values.iter().position(|(name, _)| name == #names)?;
                        let #locals = <#types as #derived::Row>::from_value(values.swap_remove(place).1)?;
                    )*
                    #made
                },
            )
        }
        Fields::Unnamed(_) | Fields::Unit => {
            names(found, &[])?;
            let count = found.len();
            if count == 1 {
                let from = quote!(#(let #locals = #derived::Row::from_value(value)?;)* #made);
                (schemas, values, from)
            } else {
                (
                    quote!(#derived::Schema::Tuple(::std::vec![#schemas])),
                    quote!(#derived::Value::Tuple(::std::vec![#values])),
                    quote! {
                        let #derived::Value::Tuple(values) = value else { return ::std::option::Option::None };
                        let [#(#locals),*] = <[#derived::Value; #count]>::try_from(values).ok()?;
                        #(let #locals = <#types as #derived::Row>::from_value(#locals)?;)*
                        #made
                    },
                )
            }
        }
    };
    let name = &input.ident;
    // A field that is no element of nested data, an enum, leaves the struct a tuple of NESL. That it is none is no error here: such a condition may fail.
    let mut generics = input.generics.clone();
    let predicates = &mut generics.make_where_clause().predicates;
    for ty in types {
        predicates.push(parse_quote!(for<'field> #ty: #derived::Row));
    }
    let (implemented, parameters, conditions) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #implemented #derived::Row for #name #parameters #conditions {
            fn schema() -> #derived::Schema {
                #schema
            }
            fn into_value(self) -> #derived::Value {
                #into
            }
            fn from_value(value: #derived::Value) -> ::std::option::Option<Self> {
                #from
            }
        }
    })
}

fn as_nesl(input: &DeriveInput, derived: &TokenStream, found: &[Field<'_>]) -> Result<TokenStream> {
    let members: Vec<_> = found.iter().map(|field| &field.member).collect();
    let locals: Vec<_> = found.iter().map(|field| &field.local).collect();
    let types = types(derived, found);
    let given: Vec<TokenStream> = members.iter().map(|member| quote!(&self.#member)).collect();
    let push = push(derived, &given);
    let want = want(derived, found);
    let pull = pull(derived, found);
    let name = &input.ident;
    let generics = bounded(&input.generics, &quote!(#derived::NeslRow))?;
    let (implemented, parameters, conditions) = generics.split_for_impl();
    let value = value(name, derived, &generics);
    Ok(quote! {
        #[automatically_derived]
        impl #implemented #derived::NeslRow for #name #parameters #conditions {
            fn row_type() -> #derived::NeslType {
                #derived::record_type::<Self>(|| #types)
            }
            fn push_row<'row>(
                &'row self,
                into: &mut #derived::HostColumns,
                pools: &mut #derived::GivenPools<'row>,
            ) -> #derived::Result<()> {
                #push
            }
            fn pull_row(
                from: &#derived::HostColumns,
                place: usize,
                pools: &#derived::TakenPools<'_>,
            ) -> #derived::Result<Self> {
                #pull
                ::std::result::Result::Ok(Self { #(#members: #locals),* })
            }
            fn want_row(
                from: &#derived::HostColumns,
                place: usize,
                wanted: &mut ::std::vec::Vec<#derived::Wanted>,
            ) -> #derived::Result<()> {
                #want
            }
        }
        #value
    })
}
