//! Meanings: integers that stand for dates, times, durations and decimals. A meaning says the integer type, the unit, and how a value is written.

use super::Kind;
use std::fmt;
use std::sync::Arc;

/// A unit of time.
///
/// ```
/// use nestled_nested::Unit;
/// assert_eq!((Unit::Micro.to_string(), Unit::Micro.per_second()), ("us".to_owned(), 1_000_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "each is what its name says")]
pub enum Unit {
    Second,
    Milli,
    Micro,
    Nano,
}

impl Unit {
    /// All of them, with their names.
    pub(crate) const ALL: [(Unit, &str); 4] =
        [(Unit::Second, "s"), (Unit::Milli, "ms"), (Unit::Micro, "us"), (Unit::Nano, "ns")];

    /// How many there are in a second.
    ///
    /// ```
    /// assert_eq!(nestled_nested::Unit::Milli.per_second(), 1000);
    /// ```
    pub fn per_second(self) -> i64 {
        10i64.pow(self.digits() as u32)
    }

    /// The number of digits after the point of seconds.
    pub(crate) fn digits(self) -> usize {
        match self {
            Unit::Second => 0,
            Unit::Milli => 3,
            Unit::Micro => 6,
            Unit::Nano => 9,
        }
    }

    /// The coarsest that has so many digits, if one has.
    pub(crate) fn of_digits(digits: usize) -> Option<Unit> {
        Unit::ALL.iter().map(|(unit, _)| *unit).find(|unit| unit.digits() >= digits)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Unit::ALL.iter().find(|(unit, _)| unit == self).map_or("", |(_, name)| name))
    }
}

/// The greatest number of digits after the point of a decimal: 64 bits have no more.
pub(crate) const DIGITS: u8 = 18;

/// All digits that 64 bits may have: the precision of decimals that were computed.
pub(crate) const PRECISION: u8 = 19;

/// What the integers of a column stand for.
///
/// ```
/// use nestled_nested::{Meaning, Schema, Unit};
/// assert_eq!(Schema::parse("?timestamp[ms, \"UTC\"]")?.to_string(), "?timestamp[ms, \"UTC\"]");
/// let day = Meaning::Date;
/// assert_eq!(day.read("2024-02-29"), Some(19782));
/// assert_eq!(day.written(19782), "2024-02-29");
/// assert_eq!(Meaning::Duration(Unit::Second).written(90), "PT1M30S");
/// # Ok::<(), nestled_nested::BadSchema>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Meaning {
    /// Days since 1970, `int32`: `date`.
    Date,
    /// The time of a day since midnight, `int32` in seconds and milliseconds, else `int64`: `time[us]`.
    Time(Unit),
    /// The time since 1970, `int64`. With a zone it is an instant, counted in UTC: `timestamp[us, "Europe/Paris"]`; without one it is what a clock shows: `timestamp[us]`.
    Timestamp(Unit, Option<Arc<str>>),
    /// A span of time, `int64`: `duration[ms]`.
    Duration(Unit),
    /// A number with so many digits, of which so many (at most 18) stand after the point, as an `int64` of them all: `decimal[10, 2]`.
    Decimal(u8, u8),
}

impl Meaning {
    /// The integers that have it.
    ///
    /// ```
    /// use nestled_nested::{Kind, Meaning};
    /// assert_eq!(Meaning::Date.kind(), Kind::Int32);
    /// ```
    pub fn kind(&self) -> Kind {
        match self {
            Meaning::Date | Meaning::Time(Unit::Second | Unit::Milli) => Kind::Int32,
            Meaning::Time(Unit::Micro | Unit::Nano)
            | Meaning::Timestamp(..)
            | Meaning::Duration(_)
            | Meaning::Decimal(..) => Kind::Int64,
        }
    }

    /// The meaning that has the values of both: the finer unit, the greater number of digits.
    pub(crate) fn common(&self, other: &Meaning) -> Option<Meaning> {
        Some(match (self, other) {
            (one, other) if one == other => one.clone(),
            (Meaning::Time(one), Meaning::Time(other)) => Meaning::Time(*one.max(other)),
            (Meaning::Duration(one), Meaning::Duration(other)) => Meaning::Duration(*one.max(other)),
            (Meaning::Timestamp(one, zone), Meaning::Timestamp(other, other_zone)) => {
                Meaning::Timestamp(*one.max(other), common_zone(zone.as_ref(), other_zone.as_ref())?)
            }
            (Meaning::Date, Meaning::Timestamp(unit, None))
            | (Meaning::Timestamp(unit, None), Meaning::Date) => Meaning::Timestamp(*unit, None),
            (Meaning::Decimal(precision, scale), Meaning::Decimal(other, other_scale)) => {
                let whole = precision.saturating_sub(*scale).max(other.saturating_sub(*other_scale));
                let scale = *scale.max(other_scale);
                Meaning::Decimal(whole.saturating_add(scale).min(38), scale)
            }
            _ => return None,
        })
    }

    /// What a value is multiplied by to have another meaning, which has all values of this one.
    pub(crate) fn factor(&self, to: &Meaning) -> i64 {
        match (self, to) {
            (Meaning::Date, Meaning::Timestamp(unit, _)) => DAY * unit.per_second(),
            (Meaning::Decimal(_, scale), Meaning::Decimal(_, other)) => {
                10i64.saturating_pow(u32::from(other.saturating_sub(*scale)))
            }
            _ => match (self.unit(), to.unit()) {
                (Some(unit), Some(other)) => (other.per_second() / unit.per_second()).max(1),
                _ => 1,
            },
        }
    }

    /// The unit of times.
    pub(crate) fn unit(&self) -> Option<Unit> {
        match self {
            Meaning::Time(unit) | Meaning::Timestamp(unit, _) | Meaning::Duration(unit) => Some(*unit),
            Meaning::Date | Meaning::Decimal(..) => None,
        }
    }
}

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// The zone of two timestamps together; nothing if one has none and the other has.
fn common_zone(one: Option<&Arc<str>>, other: Option<&Arc<str>>) -> Option<Option<Arc<str>>> {
    match (one, other) {
        (None, None) => Some(None),
        (Some(one), Some(other)) if one == other => Some(Some(Arc::clone(one))),
        (Some(_), Some(_)) => Some(Some(Arc::from("UTC"))),
        (None, Some(_)) | (Some(_), None) => None,
    }
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Meaning::Date => f.write_str("date"),
            Meaning::Time(unit) => write!(f, "time[{unit}]"),
            Meaning::Timestamp(unit, None) => write!(f, "timestamp[{unit}]"),
            Meaning::Timestamp(unit, Some(zone)) => write!(f, "timestamp[{unit}, {:?}]", &**zone),
            Meaning::Duration(unit) => write!(f, "duration[{unit}]"),
            Meaning::Decimal(precision, scale) => write!(f, "decimal[{precision}, {scale}]"),
        }
    }
}
