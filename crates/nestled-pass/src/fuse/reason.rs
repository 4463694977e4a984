//! Reasons that forbid fusion of two runs.

use std::fmt;

/// The reason why two runs cannot share a kernel, or why a value between them must go through memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Their spaces differ, and neither is a prefix of the other.
    OtherSpace,
    /// The consumer reads another point than its own; the value there may not be computed yet.
    AnotherPoint,
    /// The consumer would need a window, but the space is cut into segments, or the value is not made at the reader's level.
    NoWindow,
    /// The value is made by a combinator of this name, whose results cannot be read inside the kernel.
    OnlyLeaves(&'static str),
    /// A scan runs under a guard, and the reader does not.
    GuardedScan,
    /// The array is a base of the consumer (the initial contents of a scatter or `serial`), and a base must come from outside of the kernel.
    IsBase,
    /// The value is the size of private arrays of the consumer, which has to be known at launch.
    IsSize,
    /// The consumer uses the number of kept points, which is known only at the end.
    CountIsNeeded,
    /// The consumer runs over a shape that the producer makes.
    ShapeIsMade,
    /// The consumer uses the positions to which points are moved.
    PositionIsNeeded,
    /// The consumer computes something for each class of a partition that the kernel has only at its end.
    EachClass,
    /// The consumer may fault, and faults are reported with the position among the kept or split points.
    MayFault,
    /// The consumer depends on the order of the points, and the producer moves them.
    OrderIsLost,
    /// The kept points would be combined in another grouping, which may change the last bits.
    Inexact,
    /// Host code between them cannot move into a kernel.
    ThroughHost,
    /// Their shapes are equal only after a `same` that needs one of them.
    EqualTooLate,
    /// One of them has a `serial`, which runs alone.
    IsSerial,
    /// A fault of host code can keep one of them from running and not the other, whose faults would go unreported.
    MayBeLost,
}

impl Reason {
    /// What can be written instead, so that the reason does not hold.
    pub fn remedy(&self) -> &'static str {
        match self {
            Reason::OtherSpace => {
                "where both go over equally many elements, make them from one sequence (of pairs), so that this is known"
            }
            Reason::AnotherPoint => {
                "where the first is cheap to compute, write its expression at the element that is read; it is computed there once more, from what the first reads"
            }
            Reason::NoWindow => {
                "read neighbours in one long array, and choose another value at the ends of its parts"
            }
            Reason::OnlyLeaves("filter") | Reason::ShapeIsMade => {
                "where a condition drops elements: keep all, with a value that does not count (0 in a sum) where it does not hold"
            }
            Reason::OnlyLeaves(_) => "compute what the second makes of each element before the elements move",
            Reason::GuardedScan => "read the scan under the condition under which it runs",
            Reason::IsBase => "scatter into zeros, and join the result with the array afterwards",
            Reason::IsSize => "take the size from a number or an argument",
            Reason::CountIsNeeded => {
                "use the number afterwards: divide the sum by it, not each element before the sum"
            }
            Reason::PositionIsNeeded => {
                "number the elements before they are moved, and take the numbers along"
            }
            Reason::EachClass => {
                "where each class is only summed up or counted, do that by the number of the class (a histogram), without splitting"
            }
            Reason::MayFault => {
                "what cannot fault can be one kernel with the filter: divide by a number other than 0, do not index"
            }
            Reason::OrderIsLost => {
                "take something that does not depend on the order (a sum of integers, a minimum), or do it before the elements move"
            }
            Reason::Inexact => {
                "sum floats over all elements, with 0 where the condition does not hold; or sum integers, whose order does not matter"
            }
            Reason::ThroughHost => {
                "take lengths and numbers of the second from what is known before the first runs"
            }
            Reason::EqualTooLate => {
                "use one sequence of pairs in place of two sequences; its parts are equally long"
            }
            Reason::IsSerial => {
                "where a step needs of the steps before only what an associative operation joins, write a scan or a sum"
            }
            Reason::MayBeLost => {
                "do what may fault between them (an index, a length) before both, or after both"
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OtherSpace => write!(f, "they run over different iteration spaces"),
            Reason::AnotherPoint => {
                write!(f, "it reads elements at other indices than its own, which may not be computed yet")
            }
            Reason::NoWindow => {
                write!(
                    f,
                    "it reads neighbouring elements (a stencil), which needs a grid without segments, at the level where the value is computed"
                )
            }
            Reason::OnlyLeaves(by) => {
                write!(f, "results of `{by}` cannot be read inside the kernel that produces them")
            }
            Reason::GuardedScan => write!(f, "it reads a scan outside of the scan's guard"),
            Reason::IsBase => write!(f, "it scatters into the array"),
            Reason::IsSize => write!(f, "private arrays have this size, which a launch must know"),
            Reason::CountIsNeeded => write!(f, "it needs the number of points that were kept"),
            Reason::ShapeIsMade => write!(f, "it runs over a shape that the producer makes"),
            Reason::PositionIsNeeded => {
                write!(f, "it uses the numbers of the places to which points are moved")
            }
            Reason::EachClass => write!(f, "it needs something of each class as a whole"),
            Reason::MayFault => {
                write!(
                    f,
                    "it may fault, and faults are reported at positions after the filter, partition or scatter, not before it"
                )
            }
            Reason::OrderIsLost => write!(f, "it takes the points in the order to which they are moved"),
            Reason::Inexact => write!(f, "the last bits of what it combines would change"),
            Reason::ThroughHost => write!(
                f,
                "host code in between uses a result of the first and computes an argument of the second"
            ),
            Reason::EqualTooLate => {
                write!(
                    f,
                    "that their shapes are equal is known only by a `same` that needs a result of one of them"
                )
            }
            Reason::IsSerial => write!(f, "a `serial` runs alone"),
            Reason::MayBeLost => write!(f, "a fault of host code may keep only one of them from running"),
        }
    }
}
