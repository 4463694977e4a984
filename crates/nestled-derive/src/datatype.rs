//! Enums as datatypes of NESL: a variant is a variant, and what it holds a tuple.

use crate::attributes::{Attributes, Key};
use crate::fields::{Field, bounded, fields, pull, push, row_type, value};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Result, Variant};

/// The code for a variant: its type, and arms that append and read a value.
struct Parts {
    declared: TokenStream,
    push: TokenStream,
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
                let arguments = ::std::vec![#(<#types as #derived::NeslRow>::row_type()),*];
                let mut datatype = #derived::NeslDatatype::named(#named, arguments);
                datatype.variants = ::std::vec![#(#declared),*];
                #derived::NeslType::Data(datatype)
            }
            fn push_row(&self, into: &mut #derived::HostColumns) -> #derived::Result<()> {
                match self {
                    #(#pushes)*
                }
            }
            fn pull_row(from: &#derived::HostColumns, place: usize) -> #derived::Result<Self> {
                match from.variant(place)? {
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
    let (content, into, from) = match found.is_empty() {
        true => (quote!(::std::option::Option::None), quote!(into.push_constant(#place)), TokenStream::new()),
        false => {
            let row_type = row_type(derived, &found);
            let push = push(derived, &values(&found));
            let pull = pull(derived, &found);
            (
                quote!(::std::option::Option::Some(#row_type)),
                quote!({
                    let into = into.push_variant(#place)?;
                    #push
                }),
                quote!(let from = from.content(#place)?; #pull),
            )
        }
    };
    Ok(Parts {
        declared: quote! {
            #derived::NeslVariant { name: ::std::string::String::from(#name), content: #content }
        },
        push: quote!(#own => #into,),
        pull: quote!(#place => { #from ::std::result::Result::Ok(#own) }),
    })
}

fn values(found: &[Field<'_>]) -> Vec<TokenStream> {
    found.iter().map(|Field { local, .. }| quote!(#local)).collect()
}
