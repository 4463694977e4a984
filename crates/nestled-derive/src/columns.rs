//! Structs as contents of segments: a struct of columns, which has a list of contents for each field.

use crate::fields::{Field, bounded};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Fields, Ident, Result, parse_quote};

/// The struct of columns, and the implementations for the struct and for it. `names` are the fields' outside of Rust, empty in a tuple.
pub fn columns(
    input: &DeriveInput,
    derived: &TokenStream,
    held: &Fields,
    (found, names): (&[Field<'_>], &[String]),
    columns: &Ident,
) -> Result<TokenStream> {
    let (own, visible) = (&input.ident, &input.vis);
    let types: Vec<_> = found.iter().map(Field::ty).collect();
    let members: Vec<_> = found.iter().map(|field| &field.member).collect();
    let locals: Vec<_> = found.iter().map(|field| &field.local).collect();
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        let ident = &parameter.ident;
        parameter.bounds.push(parse_quote!(#derived::Content<Host = #ident>));
    }
    // A field that has no place there leaves the struct without.
    let with = |implemented: TokenStream| {
        let mut generics = bounded(&generics, &implemented)?;
        let conditions = &mut generics.make_where_clause().predicates;
        for ty in &types {
            conditions.push(parse_quote!(for<'field> #ty: #implemented));
        }
        Result::Ok(generics)
    };
    let nesl = with(quote!(#derived::NeslContent))?;
    let nested = with(quote!(#derived::Columns))?;
    let (nested_implemented, _, nested_conditions) = nested.split_for_impl();
    // The parts of a tuple are called by their places; one alone is what it holds.
    let parts = names.iter().enumerate().map(|(place, name)| {
        if names.len() == 1 && name.is_empty() {
            return quote!(nested);
        }
        let key = if name.is_empty() { place.to_string() } else { name.clone() };
        quote!(&nested.field(#key)?)
    });
    let (implemented, parameters, conditions) = generics.split_for_impl();
    let fields = found.iter().map(|Field { field, .. }| {
        let (visible, ty, name) = (&field.vis, &field.ty, field.ident.iter());
        quote!(#visible #(#name:)* <#ty as #derived::Content>::Values)
    });
    let note = format!("The columns of records `{own}`: a list of contents for each field.");
    let declared = match held {
        Fields::Named(_) => quote!(#visible struct #columns #generics #conditions { #(#fields),* }),
        Fields::Unnamed(_) | Fields::Unit => {
            quote!(#visible struct #columns #generics (#(#fields),*) #conditions;)
        }
    };
    let (nesl_implemented, _, nesl_conditions) = nesl.split_for_impl();
    let first = &members[0];
    let first_type = types[0];
    Ok(quote! {
        #[doc = #note]
        #declared
        #[automatically_derived]
        impl #implemented ::std::clone::Clone for #columns #parameters #conditions {
            fn clone(&self) -> Self {
                Self { #(#members: ::std::clone::Clone::clone(&self.#members)),* }
            }
        }
        #[automatically_derived]
        impl #implemented #derived::Content for #own #parameters #conditions {
            type Values = #columns #parameters;
            type Host = Self;
            fn count(values: &Self::Values) -> usize {
                <#first_type as #derived::Content>::count(&values.#first)
            }
            fn is_list(values: &Self::Values, count: usize) -> bool {
                #(<#types as #derived::Content>::is_list(&values.#members, count))&&*
            }
            fn slice(
                values: &Self::Values,
                range: ::std::ops::Range<usize>,
            ) -> #derived::Result<Self::Values> {
                ::std::result::Result::Ok(#columns {
                    #(#members: <#types as #derived::Content>::slice(
                        &values.#members,
                        ::std::clone::Clone::clone(&range),
                    )?),*
                })
            }
            fn nodes(values: &Self::Values, into: &mut ::std::vec::Vec<#derived::Handle>) {
                #(<#types as #derived::Content>::nodes(&values.#members, into);)*
            }
            fn with(
                values: &Self::Values,
                other: &mut dyn ::std::ops::FnMut(&#derived::Param) -> #derived::Param,
            ) -> Self::Values {
                #columns { #(#members: <#types as #derived::Content>::with(&values.#members, other)),* }
            }
            fn rows(values: &Self::Values) -> #derived::Result<::std::vec::Vec<::std::string::String>> {
                let columns = ::std::vec![#(<#types as #derived::Content>::rows(&values.#members)?),*];
                ::std::result::Result::Ok(#derived::record_rows(&[#(#names),*], &columns))
            }
            fn from_host(list: ::std::vec::Vec<Self>) -> Self::Values {
                #(let mut #locals = ::std::vec::Vec::with_capacity(list.len());)*
                for record in list {
                    #(#locals.push(record.#members);)*
                }
                #columns { #(#members: <#types as #derived::Content>::from_host(#locals)),* }
            }
            fn to_host(values: &Self::Values) -> #derived::Result<::std::vec::Vec<Self>> {
                #(let mut #locals =
                    ::std::iter::IntoIterator::into_iter(<#types as #derived::Content>::to_host(&values.#members)?);)*
                let next = || ::std::option::Option::Some(Self { #(#members: #locals.next()?),* });
                ::std::result::Result::Ok(::std::iter::Iterator::collect(::std::iter::from_fn(next)))
            }
        }
        #[automatically_derived]
        impl #nested_implemented #derived::Columns for #own #parameters #nested_conditions {
            fn into_nested(values: &Self::Values) -> #derived::Nested {
                #derived::gathered(&[#((#names, <#types as #derived::Columns>::into_nested(&values.#members))),*])
            }
            #[track_caller]
            fn from_nested(nested: &#derived::Nested) -> #derived::Result<Self::Values> {
                ::std::result::Result::Ok(#columns {
                    #(#members: <#types as #derived::Columns>::from_nested(#parts)?),*
                })
            }
        }
        #[automatically_derived]
        impl #nesl_implemented #derived::NeslContent for #own #parameters #nesl_conditions {
            fn plain() -> #derived::NeslType {
                #derived::tuple_type(::std::vec![#(<#types as #derived::NeslContent>::plain()),*])
            }
            fn give(
                values: &Self::Values,
                into: &mut ::std::vec::Vec<#derived::Piece>,
            ) -> #derived::Result<()> {
                #(<#types as #derived::NeslContent>::give(&values.#members, into)?;)*
                ::std::result::Result::Ok(())
            }
            fn take(
                count: usize,
                from: &mut dyn ::std::iter::Iterator<Item = #derived::Piece>,
            ) -> #derived::Result<Self::Values> {
                #(let #locals = <#types as #derived::NeslContent>::take(count, from)?;)*
                ::std::result::Result::Ok(#columns { #(#members: #locals),* })
            }
        }
    })
}
