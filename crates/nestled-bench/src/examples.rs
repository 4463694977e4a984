//! The examples in NESL: the programs of `examples/`, which bring their data along.

macro_rules! example {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../examples/", $name, ".nesl")))
    };
}

/// The programs, with their names.
pub const EXAMPLES: &[(&str, &str)] = &[
    example!("barnes_hut"),
    example!("barnes_hut_3d"),
    example!("bfs"),
    example!("black_scholes"),
    example!("components"),
    example!("dot"),
    example!("edit_distance"),
    example!("kmp"),
    example!("line_fit"),
    example!("longest_increasing"),
    example!("mandelbrot"),
    example!("n_queens"),
    example!("primes"),
    example!("quickhull"),
    example!("quicksort"),
    example!("sieve"),
    example!("sparse"),
    example!("string_search"),
    example!("symbolic"),
    example!("union_find"),
];
