//! Typed indices: newtypes over small integers, so that the index of one table is never used on another.

/// Defines index types, each for one table: `indices! { /// A kernel. KernelId prints "k"; }`.
#[macro_export]
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident prints $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> $name {
                $name(u32::try_from(index).expect("tables have fewer than 2^32 entries"))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

indices! {
    /// A named thing of one function or kernel: an array, scalar, extent or segmentation.
    /// Indexes [`Function::values`](crate::Function::values) or [`Kernel::values`](crate::Kernel::values).
    ValueId prints "%";
    /// A scalar of one thunk. Indexes [`Thunk::locals`](crate::Thunk::locals).
    LocalId prints "%";
    /// A private array of one thunk. Indexes [`Thunk::privates`](crate::Thunk::privates).
    PrivateId prints "private";
    /// A kernel of the program.
    KernelId prints "kernel";
    /// A function of the program.
    FunctionId prints "fn";
    /// A named thunk of the program.
    ThunkId prints "thunk";
    /// A user-defined monoid of the program.
    MonoidId prints "monoid";
    /// A place that can fault, numbered in program order before any pass; copies keep the number.
    SiteId prints "!";
}

/// A local as a list of one, for statements that bind one.
impl AsRef<[LocalId]> for LocalId {
    fn as_ref(&self) -> &[LocalId] {
        std::slice::from_ref(self)
    }
}
