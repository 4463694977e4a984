//! Fields: what a struct or a variant holds, as a tuple of NESL.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, Fields, GenericParam, Generics, Ident, Member, Result, Type};

/// A field.
pub struct Field<'a> {
    pub field: &'a syn::Field,
    pub member: Member,
    /// A variable that holds its value.
    pub local: Ident,
}

impl Field<'_> {
    pub fn ty(&self) -> &Type {
        &self.field.ty
    }
}

/// The fields in order; an error for those that borrow.
pub fn fields(fields: &Fields) -> Result<Vec<Field<'_>>> {
    let all = fields.iter().zip(fields.members()).enumerate().map(|(place, (field, member))| {
        if let Type::Reference(borrowed) = &field.ty {
            return Err(Error::new_spanned(borrowed, "a field owns its value: it is no reference"));
        }
        Ok(Field { field, member, local: format_ident!("field_{place}") })
    });
    all.collect()
}

/// The parameters of a type, where each of its types is bounded by a trait.
pub fn bounded(generics: &Generics, bound: &TokenStream) -> Result<Generics> {
    let mut bounded = generics.clone();
    for parameter in &mut bounded.params {
        match parameter {
            GenericParam::Type(ty) => ty.bounds.push(syn::parse2(bound.clone())?),
            GenericParam::Lifetime(lifetime) => {
                return Err(Error::new_spanned(lifetime, "values are owned: there are no lifetimes"));
            }
            GenericParam::Const(_) => {}
        }
    }
    Ok(bounded)
}

/// The types in NESL of fields, as a vector.
pub fn types(derived: &TokenStream, fields: &[Field<'_>]) -> TokenStream {
    let types = fields.iter().map(Field::ty);
    quote!(::std::vec![#(<#types as #derived::NeslRow>::row_type()),*])
}

/// Statements that append references to fields, one for each, to the columns of `into`; their value is a `Result`.
pub fn push(derived: &TokenStream, values: &[TokenStream]) -> TokenStream {
    let Some((last, first)) = values.split_last() else { return quote!(::std::result::Result::Ok(())) };
    quote! {
        #(
            let (part, into) = into.halves_mut()?;
            #derived::NeslRow::push_row(#first, part, pools)?;
        )*
        #derived::NeslRow::push_row(#last, into, pools)
    }
}

/// Statements that read fields at `place` of the columns `from`, each into its variable.
pub fn pull(derived: &TokenStream, fields: &[Field<'_>]) -> TokenStream {
    let read = |field: &Field<'_>, from: &Ident| {
        let (local, ty) = (&field.local, field.ty());
        quote!(let #local = <#ty as #derived::NeslRow>::pull_row(#from, place, pools)?;)
    };
    each(fields, read)
}

/// Statements that list the nodes that fields hold at `place` of the columns `from`; their value is a `Result`.
pub fn want(derived: &TokenStream, fields: &[Field<'_>]) -> TokenStream {
    let listed = |field: &Field<'_>, from: &Ident| {
        let ty = field.ty();
        quote!(<#ty as #derived::NeslRow>::want_row(#from, place, wanted)?;)
    };
    let all = each(fields, listed);
    quote!(#all ::std::result::Result::Ok(()))
}

/// Statements for each field, with the name of the columns that it lies in.
fn each(fields: &[Field<'_>], statement: impl Fn(&Field<'_>, &Ident) -> TokenStream) -> TokenStream {
    let Some((last, first)) = fields.split_last() else { return TokenStream::new() };
    let first = first.iter().map(|field| statement(field, &format_ident!("part")));
    let last = statement(last, &format_ident!("from"));
    quote! {
        #(
            let (part, from) = from.halves()?;
            #first
        )*
        #last
    }
}

/// Values that go in and out of functions in NESL by themselves, too.
pub fn value(name: &Ident, derived: &TokenStream, generics: &Generics) -> TokenStream {
    let (implemented, parameters, conditions) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #implemented #derived::NeslValue for #name #parameters #conditions {
            fn plain() -> #derived::NeslType {
                <Self as #derived::NeslRow>::row_type()
            }
            fn give<'row>(
                &'row self,
                ty: &#derived::NeslType,
                into: &mut #derived::Giving<'row>,
            ) -> #derived::Result<()> {
                #derived::give_row(self, ty, into)
            }
            fn take(
                ty: &#derived::NeslType,
                from: &mut #derived::Taking,
            ) -> #derived::Result<Self> {
                #derived::take_row(ty, from)
            }
        }
    }
}
