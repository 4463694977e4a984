//! Enums as datatypes of NESL: a variant is a variant, and what it holds a tuple.

use crate::attributes::{Attributes, Key};
use crate::fields::{Field, bounded, fields, pull, push, types, value, want};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Result, Variant};

/// The code for a variant: its type, and arms that append a value, list its nodes, and read it.
struct Parts {
    declared: TokenStream,
    push: TokenStream,
    want: Option<TokenStream>,
    pull: TokenStream,
}

/// The implementations that the derive adds.
pub fn datatype(input: &DeriveInput) -> Result<TokenStream> {
    let variants = match &input.data {
        Data::Enum(found) => &found.variants,
        Data::Struct(found) => {
            let message = "a datatype is an enum; a struct is a record: `#[derive(Record)]`";
            return Err(Error::new_spanned(found.struct_token, message));
        }
        Data::Union(found) => return Err(Error::new_spanned(found.union_token, "a datatype is an enum")),
    };
    let attributes = Attributes::read(&input.attrs, "datatype", &[Key::Crate, Key::Rename])?;
    let derived = attributes.derived();
    if variants.is_empty() {
        return Err(Error::new_spanned(&input.ident, "a datatype has at least one variant"));
    }
    let parts = variants.iter().enumerate().map(|(place, variant)| variant_parts(&derived, place, variant));
    let parts: Vec<Parts> = parts.collect::<Result<_>>()?;
    let declared = parts.iter().map(|parts| &parts.declared);
    let pushes = parts.iter().map(|parts| &parts.push);
    let wants = parts.iter().filter_map(|parts| parts.want.as_ref());
    let pulls = parts.iter().map(|parts| &parts.pull);
    let (name, named) = (&input.ident, attributes.name(&input.ident));
    let generics = bounded(&input.generics, &quote!(#derived::NeslRow))?;
    let types = input.generics.type_params().map(|parameter| &parameter.ident);
    let (implemented, parameters, conditions) = generics.split_for_impl();
    let value = value(name, &derived, &generics);
    Ok(quote! {
        #[automatically_derived]
        impl #implemented #derived::NeslRow for #name #parameters #conditions {
            fn row_type() -> #derived::NeslType {
                #derived::datatype_type::<Self>(
                    ::std::option::Option::Some(#named),
                    || ::std::vec![#(<#types as #derived::NeslRow>::row_type()),*],
                    || ::std::vec![#(#declared),*],
                )
            }
            fn push_row<'row>(
                &'row self,
                into: &mut #derived::HostColumns,
                pools: &mut #derived::GivenPools<'row>,
            ) -> #derived::Result<()> {
                match self {
                    #(#pushes)*
                }
            }
            fn pull_row(
                from: &#derived::HostColumns,
                place: usize,
                pools: &#derived::TakenPools<'_>,
            ) -> #derived::Result<Self> {
                #derived::pull_data(from, place, pools)
            }
            fn want_row(
                from: &#derived::HostColumns,
                place: usize,
                wanted: &mut ::std::vec::Vec<#derived::Wanted>,
            ) -> #derived::Result<()> {
                #derived::want_data::<Self>(from, place, wanted)
            }
        }
        #[automatically_derived]
        impl #implemented #derived::NeslNode for #name #parameters #conditions {
            fn want_variant(
                variant: usize,
                from: &#derived::HostColumns,
                place: usize,
                wanted: &mut ::std::vec::Vec<#derived::Wanted>,
            ) -> #derived::Result<()> {
                match variant {
                    #(#wants)*
                    _ => #derived::unfit_columns(),
                }
            }
            fn pull_variant(
                variant: usize,
                from: ::std::option::Option<&#derived::HostColumns>,
                place: usize,
                pools: &#derived::TakenPools<'_>,
            ) -> #derived::Result<Self> {
                match (variant, from) {
                    #(#pulls)*
                    _ => #derived::unfit_columns(),
                }
            }
        }
        #value
    })
}

fn variant_parts(derived: &TokenStream, place: usize, variant: &Variant) -> Result<Parts> {
    let attributes = Attributes::read(&variant.attrs, "datatype", &[Key::Rename])?;
    let found = fields(&variant.fields)?;
    for field in &found {
        Attributes::read(&field.field.attrs, "datatype", &[])?;
    }
    let (ident, name) = (&variant.ident, attributes.name(&variant.ident));
    let members: Vec<_> = found.iter().map(|field| &field.member).collect();
    let locals: Vec<_> = found.iter().map(|field| &field.local).collect();
    let own = quote!(Self::#ident { #(#members: #locals),* });
    if found.is_empty() {
        return Ok(Parts {
            declared: quote! {
                #derived::NeslVariant {
                    name: ::std::string::String::from(#name),
                    content: ::std::option::Option::None,
                }
            },
            push: quote!(#own => into.push_constant(#place),),
            want: None,
            pull: quote!((#place, ::std::option::Option::None) => ::std::result::Result::Ok(#own),),
        });
    }
    let types = types(derived, &found);
    let push = push(derived, &values(&found));
    let want = want(derived, &found);
    let pull = pull(derived, &found);
    Ok(Parts {
        declared: quote! {
            #derived::NeslVariant {
                name: ::std::string::String::from(#name),
                content: ::std::option::Option::Some(#derived::tuple_type(#types)),
            }
        },
        push: quote!(#own => into.push_variant(#place, pools, move |into, pools| { #push }),),
        want: Some(quote!(#place => { #want })),
        pull: quote! {
            (#place, ::std::option::Option::Some(from)) => {
                #pull
                ::std::result::Result::Ok(#own)
            }
        },
    })
}

fn values(found: &[Field<'_>]) -> Vec<TokenStream> {
    found.iter().map(|Field { local, .. }| quote!(#local)).collect()
}
