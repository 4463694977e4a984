//! Twenty-six workloads as users of Nestled write them: with arrays, [`Ragged`](nestled::Ragged), and functions in NESL.
//!
//! A file is a program or two, and knows nothing of files, clocks or peers. [`workloads`] is the table of all, each with the inputs that it takes;
//! [`measure`] times one in this process, by the protocol of the peers; [`compare`] runs ours and the peers in turns, each in a process of its own,
//! and makes one table.

pub mod all_pairs;
pub mod barnes_hut;
pub mod black_scholes;
pub mod blur;
pub mod chain;
pub mod compare;
pub mod corners;
pub mod demosaic;
pub mod dot;
pub mod histogram;
pub mod hull;
pub mod life;
pub mod mandelbrot;
pub mod measure;
pub mod motion;
mod nesl;
pub mod pack;
pub mod prefix;
pub mod products;
pub mod quicksort;
pub mod record;
pub mod segments;
pub mod sort;
pub mod sparse;
pub mod stereo;
pub mod sum;
mod system;
pub mod turn;
pub mod workloads;
