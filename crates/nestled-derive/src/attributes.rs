//! Attributes: `crate = path` says where Nestled is, `rename = "name"` how something is called outside of Rust, `columns = Name` how the struct of columns is.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Ident, LitStr, Path, Result, ext::IdentExt};

/// An attribute of our own.
#[derive(Clone, Copy, PartialEq)]
pub enum Key {
    Crate,
    Rename,
    Columns,
}

impl Key {
    fn word(self) -> &'static str {
        match self {
            Key::Crate => "crate",
            Key::Rename => "rename",
            Key::Columns => "columns",
        }
    }

    fn form(self) -> &'static str {
        match self {
            Key::Crate => "`crate = path`",
            Key::Rename => "`rename = \"name\"`",
            Key::Columns => "`columns = Name`",
        }
    }
}

/// The attributes of a type, a field or a variant.
#[derive(Default)]
pub struct Attributes {
    root: Option<Path>,
    rename: Option<LitStr>,
    /// The name of the struct of columns.
    pub columns: Option<Ident>,
}

impl Attributes {
    /// Reads the attributes of the derive `own`; only these keys may be there.
    pub fn read(attributes: &[Attribute], own: &str, keys: &[Key]) -> Result<Attributes> {
        let mut found = Attributes::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(own)) {
            attribute.parse_nested_meta(|meta| {
                let Some(key) = keys.iter().find(|key| meta.path.is_ident(key.word())) else {
                    let forms: Vec<&str> = keys.iter().map(|key| key.form()).collect();
                    let what = if forms.is_empty() { "nothing".to_owned() } else { forms.join(" or ") };
                    return Err(meta.error(format!("`{own}` takes {what} here")));
                };
                let twice = match key {
                    Key::Crate => found.root.replace(Path::parse_mod_style(meta.value()?)?).is_some(),
                    Key::Rename => found.rename.replace(meta.value()?.parse()?).is_some(),
                    Key::Columns => found.columns.replace(meta.value()?.parse()?).is_some(),
                };
                if twice { Err(meta.error(format!("`{}` is there twice", key.word()))) } else { Ok(()) }
            })?;
        }
        match &found.rename {
            Some(name) if name.value().is_empty() => Err(syn::Error::new_spanned(name, "a name is empty")),
            _ => Ok(found),
        }
    }

    /// The path of what the code names.
    pub fn derived(&self) -> TokenStream {
        match &self.root {
            Some(path) => quote!(#path::derived),
            None => quote!(::nestled::derived),
        }
    }

    /// The name outside of Rust.
    pub fn name(&self, own: &Ident) -> String {
        self.rename.as_ref().map_or_else(|| own.unraw().to_string(), LitStr::value)
    }
}
