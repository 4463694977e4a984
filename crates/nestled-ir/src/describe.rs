//! Generated visitors: one description of each statement language gives the **role** of every operand and field.
//!
//! [`described!`] takes the definition of an enum or a struct in which each field states its type and its **role**:
//!
//! ```text
//! /// `k = dim x`: an extent from an index.
//! Dim {
//!     /// An `idx`.
//!     extent: HostAtom as Atom,
//!     /// The site of the fault.
//!     site: SiteId as Site,
//! },
//! ```
//!
//! The macro defines the type without the roles, and generates the visitors `for_each_part` and `for_each_part_mut`, which name every field
//! of every variant. A role is a variant of the language's part type (such as [`HostPart`](crate::HostPart), in `host/parts.rs`), and takes the type that this
//! variant holds, alone or in a `Vec`, an `Option`, an array or a [`Shape`]. Two roles exist in every language: `Parts` for a field of a
//! described type, and `Data` for a field without references. Parts are visited in the order of the fields, which is that of the text form.
//!
//! All queries for fields by their role (operands, blocks, sites, …) use these visitors. So a new variant cannot be forgotten: without a
//! role it does not compile, and a new role breaks every match on the part type, since none of them has a `_` arm.

use crate::id::{FunctionId, KernelId, LocalId, PrivateId, SiteId, ThunkId, ValueId};
use crate::types::{Axis, Shape};

/// A container of any number of parts of one type: a field of a described type.
pub(crate) trait Each {
    /// The type of one part.
    type Item;

    /// Visits each part, in order.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Self::Item));

    /// Visits each part, in order, to change it.
    fn each_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut Self::Item));
}

/// Types that are one part.
macro_rules! each_is_itself {
    ($($Part:ty),* $(,)?) => {$(
        impl $crate::describe::Each for $Part {
            type Item = $Part;

            fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a $Part)) {
                visit(self);
            }

            fn each_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut $Part)) {
                visit(self);
            }
        }
    )*};
}

each_is_itself!(Axis, FunctionId, KernelId, LocalId, PrivateId, SiteId, ThunkId, ValueId);

/// Containers that can be iterated over.
macro_rules! each_inside {
    ($([$($parameter:tt)*] $Container:ty;)*) => {$(
        impl<T: Each, $($parameter)*> Each for $Container {
            type Item = T::Item;

            fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a T::Item)) {
                self.iter().for_each(|one| one.each(visit));
            }

            fn each_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut T::Item)) {
                self.iter_mut().for_each(|one| one.each_mut(visit));
            }
        }
    )*};
}

each_inside! {
    [] Vec<T>;
    [] Option<T>;
    [const N: usize] [T; N];
}

impl Each for Shape {
    type Item = Axis;

    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Axis)) {
        self.axes.iter().for_each(visit);
    }

    fn each_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut Axis)) {
        self.axes.iter_mut().for_each(visit);
    }
}

/// Defines the two part types of a language, one to look at parts and one to change them. The first line names both.
macro_rules! part_types {
    (
        $Part:ident, $PartMut:ident;
        $(#[$meta:meta])*
        parts { $( $(#[$role_meta:meta])* $Role:ident($ty:ty) ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub enum $Part<'a> { $( $(#[$role_meta])* $Role(&'a $ty) ),* }

        $(#[$meta])*
        ///
        /// This one is to change it.
        #[derive(Debug)]
        pub enum $PartMut<'a> { $( $(#[$role_meta])* $Role(&'a mut $ty) ),* }
    };
}

/// Defines a type whose fields state their roles; see the [module](self).
///
/// `lists dsts: Dst [LocalId];` also defines a method that gives the field with the role `Dst`, of which a variant has at most one, as a slice.
macro_rules! described {
    (
        $Part:ident, $PartMut:ident; lists $list:ident: $ListRole:ident [$Item:ty];
        $($definition:tt)*
    ) => {
        described! { $Part, $PartMut; $($definition)* }
        described! { @list $list $ListRole $Item; $($definition)* }
    };
    (
        $Part:ident, $PartMut:ident;
        $(#[$meta:meta])*
        pub enum $Name:ident {
            $(
                $(#[$variant_meta:meta])*
                $Variant:ident
                $({ $( $(#[$field_meta:meta])* $field:ident: $ty:ty as $Role:ident ),* $(,)? })?
                $(( $inner:ident: $inner_ty:ty as $InnerRole:ident ))?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        pub enum $Name {
            $(
                $(#[$variant_meta])*
                $Variant $({ $( $(#[$field_meta])* $field: $ty ),* })? $(( $inner_ty ))?
            ),*
        }

        impl $Name {
            /// Calls `visit` on each part, in order of the text; those inside its blocks are left out.
            pub fn for_each_part<'a>(&'a self, visit: &mut dyn FnMut($Part<'a>)) {
                match self {
                    $($Name::$Variant $({ $($field),* })? $(( $inner ))? => {
                        $($( part!($Part each for_each_part visit $field $Role); )*)?
                        $( part!($Part each for_each_part visit $inner $InnerRole); )?
                    })*
                }
            }

            /// Calls `visit` on each part, in order of the text, to change it; those inside its blocks are left out.
            pub fn for_each_part_mut<'a>(&'a mut self, visit: &mut dyn FnMut($PartMut<'a>)) {
                match self {
                    $($Name::$Variant $({ $($field),* })? $(( $inner ))? => {
                        $($( part!($PartMut each_mut for_each_part_mut visit $field $Role); )*)?
                        $( part!($PartMut each_mut for_each_part_mut visit $inner $InnerRole); )?
                    })*
                }
            }
        }
    };
    (
        $Part:ident, $PartMut:ident;
        $(#[$meta:meta])*
        pub struct $Name:ident { $( $(#[$field_meta:meta])* pub $field:ident: $ty:ty as $Role:ident ),* $(,)? }
    ) => {
        $(#[$meta])*
        pub struct $Name { $( $(#[$field_meta])* pub $field: $ty ),* }

        impl $Name {
            /// Calls `visit` on each part, in order of the text.
            pub fn for_each_part<'a>(&'a self, visit: &mut dyn FnMut($Part<'a>)) {
                let $Name { $($field),* } = self;
                $( part!($Part each for_each_part visit $field $Role); )*
            }

            /// Calls `visit` on each part, in order of the text, to change it.
            pub fn for_each_part_mut<'a>(&'a mut self, visit: &mut dyn FnMut($PartMut<'a>)) {
                let $Name { $($field),* } = self;
                $( part!($PartMut each_mut for_each_part_mut visit $field $Role); )*
            }
        }
    };
    (
        @list $list:ident $ListRole:ident $Item:ty;
        $(#[$meta:meta])*
        pub enum $Name:ident {
            $(
                $(#[$variant_meta:meta])*
                $Variant:ident
                $({ $( $(#[$field_meta:meta])* $field:ident: $ty:ty as $Role:ident ),* $(,)? })?
            ),* $(,)?
        }
    ) => {
        impl $Name {
            #[doc = concat!("The parts with the role `", stringify!($ListRole), "`.")]
            pub fn $list(&self) -> &[$Item] {
                match self {
                    $($Name::$Variant $({ $($field),* })? => {
                        #[allow(unused_variables)] // a field with the role hides it
                        let list: &[$Item] = &[];
                        $($( list!(list $field $Role); )*)?
                        list
                    })*
                }
            }
        }
    };
}

/// Visits the parts of one field.
macro_rules! part {
    ($Part:ident $each:ident $for_each_part:ident $visit:ident $field:ident Data) => {
        let _ = $field;
    };
    ($Part:ident $each:ident $for_each_part:ident $visit:ident $field:ident Parts) => {
        $crate::describe::Each::$each($field, &mut |inner| inner.$for_each_part($visit))
    };
    ($Part:ident $each:ident $for_each_part:ident $visit:ident $field:ident $Role:ident) => {
        $crate::describe::Each::$each($field, &mut |one| $visit($Part::$Role(one)))
    };
}

/// Puts a field that is a list in the place of `list`.
macro_rules! list {
    ($list:ident $field:ident Dst) => {
        let $list = $field.as_ref();
    };
    ($list:ident $field:ident $Other:ident) => {
        let _ = $field;
    };
}

pub(crate) use {described, each_is_itself, list, part, part_types};
