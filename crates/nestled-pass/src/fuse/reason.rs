//! Why two runs do not become one kernel.

use std::fmt;

/// Why two runs cannot share a kernel, or one cannot read what the other makes without going through memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Their spaces are not one, and none is the outer part of the other.
    OtherSpace,
    /// The reader is at one point and reads another, whose value may not be there yet.
    AnotherPoint,
    /// A window, where the space is cut into segments or the value is not made at the reader's level.
    NoWindow,
    /// What a combinator of this name makes only leaves its kernel.
    OnlyLeaves(&'static str),
    /// A scan runs under a guard, and the reader does not.
    GuardedScan,
    /// The consumer updates the array in place of a copy: a scatter's base comes from outside.
    IsBase,
    /// The consumer makes private arrays of this size, which has to be known at launch.
    IsSize,
    /// The consumer uses how many points were kept, which is known only at the end.
    CountIsNeeded,
    /// The consumer runs over a shape that the producer makes.
    ShapeIsMade,
    /// The consumer uses the numbers of the places to which points are scattered.
    PositionIsNeeded,
    /// The consumer may fault, and faults are reported with the position among the points that were kept.
    MayFault,
    /// The order of the points matters to the consumer, and the producer scatters them.
    OrderIsLost,
    /// The order in which the points that were kept are combined would be another, and so the last bits.
    Inexact,
    /// Host code stands between them, and cannot move into a kernel.
    ThroughHost,
    /// Their shapes are equal only after a `same` that needs one of them.
    EqualTooLate,
    /// One of them runs alone: a `serial`.
    IsSerial,
    /// A fault of host code can keep one of them from running and not the other, whose faults would be lost.
    MayBeLost,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OtherSpace => write!(f, "they run over different spaces"),
            Reason::AnotherPoint => write!(f, "it reads other points than its own"),
            Reason::NoWindow => {
                write!(f, "it reads neighbours, but its level is no grid or not the one where they are made")
            }
            Reason::OnlyLeaves(by) => write!(f, "what `{by}` makes cannot be read where it is made"),
            Reason::GuardedScan => write!(f, "it reads a scan outside of the scan's guard"),
            Reason::IsBase => write!(f, "it scatters into the array"),
            Reason::IsSize => write!(f, "private arrays have this size, which a launch must know"),
            Reason::CountIsNeeded => write!(f, "it needs the number of points that were kept"),
            Reason::ShapeIsMade => write!(f, "it runs over a shape that the producer makes"),
            Reason::PositionIsNeeded => {
                write!(f, "it uses the numbers of the places to which points are scattered")
            }
            Reason::MayFault => write!(f, "it may fault at a point that it knows by another position"),
            Reason::OrderIsLost => write!(f, "it takes the points in the order to which they are scattered"),
            Reason::Inexact => write!(f, "the last bits of what it combines would change"),
            Reason::ThroughHost => write!(f, "host code between them needs the one and makes the other"),
            Reason::EqualTooLate => write!(f, "their shapes are known to be equal too late"),
            Reason::IsSerial => write!(f, "a `serial` runs alone"),
            Reason::MayBeLost => write!(f, "a fault of host code may keep only one of them from running"),
        }
    }
}
