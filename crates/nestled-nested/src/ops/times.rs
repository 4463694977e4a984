//! Parts of dates and times, their units and zones: integer arithmetic on their columns.

use super::functions::mapped_leaves;
use super::meant::{Meant, floored, modulo};
use crate::calendar::offset;
use crate::column::Column;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::schema::{DAY, Kind, Meaning, Unit};
use crate::zone;
use nestled_array::{Array, Result};
use std::sync::Arc;

/// What a clock shows: days since 1970, and the time of the day in a unit.
struct Clock {
    days: Option<Array<i64>>,
    time: Option<(Array<i64>, Unit)>,
}

fn integers(column: &Column) -> Array<i64> {
    match column.cast(Kind::Int64) {
        Column::Int64(x) => x,
        _ => unreachable!("it was converted"),
    }
}

/// The clock of the zone.
fn clock(nested: &Nested) -> Outcome<Clock> {
    let Layout::Meant(meaning, column) = &nested.layout else {
        return fault(format!("`{}` is no date and no time", nested.schema()));
    };
    let value = integers(column);
    match meaning {
        Meaning::Date => Ok(Clock { days: Some(value), time: None }),
        Meaning::Time(unit) => Ok(Clock { days: None, time: Some((value, *unit)) }),
        Meaning::Timestamp(unit, zone) => {
            let per_second = unit.per_second();
            let local = match zone.as_deref() {
                None => value,
                Some(zone) => shown_in(&value, zone, per_second)?,
            };
            let day = DAY * per_second;
            Ok(Clock { days: Some(floored(&local, day)), time: Some((modulo(&local, day), *unit)) })
        }
        Meaning::Duration(_) | Meaning::Decimal(..) => fault(format!("`{meaning}` is no date and no time")),
    }
}

/// Local times in a zone, of instants.
fn shown_in(instants: &Array<i64>, zone: &str, per_second: i64) -> Outcome<Array<i64>> {
    match offset(zone) {
        Some(0) => Ok(instants.clone()),
        Some(seconds) => Ok(instants + seconds * per_second),
        None => match zone::named(zone) {
            Some(zone) => Ok(instants + zone.ahead(&floored(instants, per_second)) * per_second),
            None => fault(format!(
                "{zone:?} is no zone of the database of zones, and no offset such as \"+02:00\""
            )),
        },
    }
}

fn days(nested: &Nested) -> Outcome<Array<i64>> {
    match clock(nested)?.days {
        Some(days) => Ok(days),
        None => fault(format!("`{}` has no date", nested.schema())),
    }
}

fn time(nested: &Nested) -> Outcome<(Array<i64>, Unit)> {
    match clock(nested)?.time {
        Some(time) => Ok(time),
        None => fault(format!("`{}` has no time of the day", nested.schema())),
    }
}

/// The year, the month and the day of days since 1970, in the Gregorian calendar; years begin in March, so that a leap day is the last.
fn civil(days: &Array<i64>) -> [Array<i64>; 3] {
    let days = days + 719_468;
    let era = floored(&days, 146_097);
    let of_era = days - &era * 146_097;
    let year = (&of_era - &of_era / 1460 + &of_era / 36_524 - &of_era / 146_096) / 365;
    let of_year = of_era - (&year * 365 + &year / 4 - &year / 100);
    let month = (&of_year * 5 + 2) / 153;
    let day = of_year - (&month * 153 + 2) / 5 + 1;
    let month = month.lt(10).select(&month + 3, &month - 9);
    let year = year + era * 400 + month.le(2).cast::<i64>();
    [year, month, day]
}

/// The number of the day in its year, from 1.
fn day_of_year(days: &Array<i64>) -> Array<i64> {
    let [year, _, _] = civil(days);
    let before = year - 1;
    let first = &before * 365 + floored(&before, 4) - floored(&before, 100) + floored(&before, 400) - 719_162;
    days - first + 1
}

macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident $x:ident => $made:expr;)*) => {
        impl Nested {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// Elements do not have it, or are in a zone that is not known.
            #[track_caller]
            pub fn $name(&self) -> Result<Nested> {
                told(stringify!($name), mapped_leaves(self, &mut |$x| Ok(Nested::of($made))))
            }
        )*}
    };
}

parts! {
    /// The year of each date or timestamp.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let days = Nested::from_values_as(&"date".parse()?, ["2024-02-29", "1969-12-31"])?;
    /// assert_eq!(days.year()?.to_list()?.to_string(), "[2024, 1969]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    year x => civil(&days(x)?)[0].clone();
    /// The month of each date or timestamp, from 1.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let days = Nested::from_values_as(&"date".parse()?, ["2024-02-29"])?;
    /// assert_eq!(days.month()?.to_list()?.to_string(), "[2]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    month x => civil(&days(x)?)[1].clone();
    /// The day in the month of each date or timestamp, from 1.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let days = Nested::from_values_as(&"date".parse()?, ["2024-02-29"])?;
    /// assert_eq!(days.day()?.to_list()?.to_string(), "[29]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    day x => civil(&days(x)?)[2].clone();
    /// The day in the year of each date or timestamp, from 1.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let days = Nested::from_values_as(&"date".parse()?, ["2024-12-31"])?;
    /// assert_eq!(days.day_of_year()?.to_list()?.to_string(), "[366]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    day_of_year x => day_of_year(&days(x)?);
    /// The day in the week of each date or timestamp: Monday is 0.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let days = Nested::from_values_as(&"date".parse()?, ["1970-01-01"])?;
    /// assert_eq!(days.weekday()?.to_list()?.to_string(), "[3]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    weekday x => modulo(&(days(x)? + 3), 7);
    /// The hour of each timestamp or time.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let zoned = Nested::from_values_as(&"timestamp[s, \"+02:00\"]".parse()?, ["1970-01-01T23:30:00Z"])?;
    /// assert_eq!(zoned.hour()?.to_list()?.to_string(), "[1]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    hour x => { let (time, unit) = time(x)?; time / (3600 * unit.per_second()) };
    /// The minute of each timestamp or time.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let times = Nested::from_values_as(&"time[ms]".parse()?, ["12:34:56.789"])?;
    /// assert_eq!(times.minute()?.to_list()?.to_string(), "[34]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    minute x => { let (time, unit) = time(x)?; time / (60 * unit.per_second()) % 60 };
    /// The second of each timestamp or time, without what is after the point.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let times = Nested::from_values_as(&"time[ms]".parse()?, ["12:34:56.789"])?;
    /// assert_eq!(times.second()?.to_list()?.to_string(), "[56]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    second x => { let (time, unit) = time(x)?; time / unit.per_second() % 60 };
    /// The nanoseconds after the second of each timestamp or time.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let times = Nested::from_values_as(&"time[ms]".parse()?, ["12:34:56.789"])?;
    /// assert_eq!(times.nanosecond()?.to_list()?.to_string(), "[789000000]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    nanosecond x => {
        let (time, unit) = time(x)?;
        time % unit.per_second() * (Unit::Nano.per_second() / unit.per_second())
    };
}

impl Nested {
    /// The date of each timestamp.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let times = Nested::from_values_as(&"timestamp[s]".parse()?, ["1969-12-31T23:00:00"])?;
    /// assert_eq!(times.date()?.to_list()?.to_string(), "[1969-12-31]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Elements have no date, or are in a zone that is not known.
    #[track_caller]
    pub fn date(&self) -> Result<Nested> {
        let dates =
            mapped_leaves(self, &mut |leaf| Ok(Nested::meant(&Meaning::Date, &Column::from(days(leaf)?))));
        told("date", dates)
    }

    /// The time of the day of each timestamp.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let times = Nested::from_values_as(&"timestamp[s]".parse()?, ["1969-12-31T23:00:00"])?;
    /// assert_eq!(times.time_of_day()?.to_list()?.to_string(), "[23:00:00]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Elements have no time of the day, or are in a zone that is not known.
    #[track_caller]
    pub fn time_of_day(&self) -> Result<Nested> {
        let times = mapped_leaves(self, &mut |leaf| {
            let (time, unit) = time(leaf)?;
            Ok(Nested::meant(&Meaning::Time(unit), &Column::from(time)))
        });
        told("time_of_day", times)
    }

    /// Times, timestamps and durations in another unit; what a coarser one does not hold is cut off, toward the past.
    ///
    /// ```
    /// use nestled_nested::{Nested, Unit};
    /// let spans = Nested::from_values_as(&"duration[ms]".parse()?, [1500, -1])?;
    /// assert_eq!(spans.in_unit(Unit::Second)?.to_list()?.to_string(), "[PT1S, -PT1S]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Elements have no unit.
    #[track_caller]
    pub fn in_unit(&self, unit: Unit) -> Result<Nested> {
        let changed = mapped_leaves(self, &mut |leaf| {
            let Layout::Meant(meaning, column) = &leaf.layout else { return no_unit(leaf) };
            let to = match meaning {
                Meaning::Time(_) => Meaning::Time(unit),
                Meaning::Timestamp(_, zone) => Meaning::Timestamp(unit, zone.clone()),
                Meaning::Duration(_) => Meaning::Duration(unit),
                Meaning::Date | Meaning::Decimal(..) => return no_unit(leaf),
            };
            let by = to.factor(meaning);
            if by == 1 {
                return Ok(Meant::of(leaf)?.to(&to).nested());
            }
            Ok(Nested::meant(&to, &Column::from(floored(&integers(column), by))))
        });
        told("in_unit", changed)
    }

    /// Timestamps with another zone, or with none: the integers stay. With a zone they are instants, counted in UTC, and the zone is that of their parts; without one they are what
    /// a clock shows.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let times = Nested::from_values_as(&"timestamp[s]".parse()?, ["2024-01-01T00:00:00"])?;
    /// assert_eq!(times.with_zone(Some("+02:00"))?.to_list()?.to_string(), "[2024-01-01T02:00:00+02:00]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no timestamps.
    #[track_caller]
    pub fn with_zone(&self, zone: Option<&str>) -> Result<Nested> {
        let zone: Option<Arc<str>> = zone.map(Arc::from);
        let changed = mapped_leaves(self, &mut |leaf| match &leaf.layout {
            Layout::Meant(Meaning::Timestamp(unit, _), column) => {
                Ok(Nested::meant(&Meaning::Timestamp(*unit, zone.clone()), column))
            }
            _ => fault(format!("`{}` is no timestamp", leaf.schema())),
        });
        told("with_zone", changed)
    }

    /// Integers with a meaning, or a meaning in place of another.
    ///
    /// ```
    /// use nestled_nested::{Meaning, Nested, Unit};
    /// let spans = Nested::from_iter([90, 1]).with_meaning(&Meaning::Duration(Unit::Second))?;
    /// assert_eq!(spans.to_list()?.to_string(), "[PT1M30S, PT1S]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no integers.
    #[track_caller]
    pub fn with_meaning(&self, meaning: &Meaning) -> Result<Nested> {
        let meant = mapped_leaves(self, &mut |leaf| match &leaf.layout {
            Layout::Meant(_, column) => Ok(Nested::meant(meaning, column)),
            Layout::Leaf(column) if column.kind().is_integer() => Ok(Nested::meant(meaning, column)),
            _ => fault(format!("`{}` is no integer", leaf.schema())),
        });
        told("with_meaning", meant)
    }

    /// Dates, times, durations and decimals as the integers that they are, in their unit. All else stays.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let days = Nested::from_values_as(&"date".parse()?, ["1970-01-02"])?;
    /// assert_eq!(days.as_integers()?.type_string(), "1 * int32");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// None today.
    #[track_caller]
    pub fn as_integers(&self) -> Result<Nested> {
        let bare = mapped_leaves(self, &mut |leaf| match &leaf.layout {
            Layout::Meant(_, column) => Ok(Nested::leaf(column.clone())),
            _ => Ok(leaf.clone()),
        });
        told("as_integers", bare)
    }
}

fn no_unit<T>(leaf: &Nested) -> Outcome<T> {
    fault(format!("`{}` has no unit of time", leaf.schema()))
}
