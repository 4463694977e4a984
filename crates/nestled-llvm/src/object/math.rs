//! Functions of the C library's that stand in for instructions on floats, made of the standard library's.

/// Defines the functions and the table of them.
macro_rules! functions {
    ($($name:ident($($arg:ident),*) $ty:ty = $body:expr;)*) => {
        $(extern "C" fn $name($($arg: $ty),*) -> $ty { $body })*

        /// The functions by their names in C.
        pub(super) fn functions() -> Vec<(&'static str, *const ())> {
            vec![$((stringify!($name), $name as *const ())),*]
        }
    };
}

functions! {
    fma(a, b, c) f64 = a.mul_add(b, c);
    fmaf(a, b, c) f32 = a.mul_add(b, c);
    floor(x) f64 = x.floor();
    floorf(x) f32 = x.floor();
    ceil(x) f64 = x.ceil();
    ceilf(x) f32 = x.ceil();
    trunc(x) f64 = x.trunc();
    truncf(x) f32 = x.trunc();
    roundeven(x) f64 = x.round_ties_even();
    roundevenf(x) f32 = x.round_ties_even();
}
