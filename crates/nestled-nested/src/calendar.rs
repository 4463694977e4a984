//! Texts of dates, times, durations and decimals, as ISO 8601 has them: read, and written. A year before 0 or after 9999 has a sign.

use crate::schema::{DAY, DIGITS, Meaning, Unit};
use crate::zone;
use std::sync::Arc;

impl Meaning {
    /// The text of a value.
    ///
    /// ```
    /// use nestled_nested::{Meaning, Unit};
    /// assert_eq!(Meaning::Timestamp(Unit::Milli, Some("UTC".into())).written(-1), "1969-12-31T23:59:59.999Z");
    /// assert_eq!(Meaning::Decimal(5, 2).written(-7), "-0.07");
    /// ```
    pub fn written(&self, value: i64) -> String {
        match self {
            Meaning::Date => match i32::try_from(value) {
                Ok(days) => date(days.into()),
                Err(_) => format!("day {value}"),
            },
            Meaning::Time(unit) => time(value, *unit),
            Meaning::Timestamp(unit, zone) => {
                let own = zone.as_deref().map(|zone| ahead(zone, value.div_euclid(unit.per_second())));
                let day = i128::from(DAY * unit.per_second());
                let shift = own.map_or(0, |seconds| i128::from(seconds * unit.per_second()));
                let local = i128::from(value) + shift;
                let (days, rest) = (local.div_euclid(day), local.rem_euclid(day));
                format!("{}T{}{}", date(days as i64), time(rest as i64, *unit), suffix(own))
            }
            Meaning::Duration(unit) => duration(value, *unit),
            Meaning::Decimal(_, scale) => decimal(value, usize::from(*scale)),
        }
    }

    /// The value of a text; nothing if it is no such text, or says more than the unit or the digits hold, or has a zone where the meaning has none, or none where it has one.
    ///
    /// ```
    /// use nestled_nested::{Meaning, Unit};
    /// assert_eq!(Meaning::Timestamp(Unit::Second, None).read("1970-01-02 00:00:05"), Some(86_405));
    /// assert_eq!(Meaning::Timestamp(Unit::Second, None).read("1970-01-02T00:00:05.5"), None);
    /// ```
    pub fn read(&self, text: &str) -> Option<i64> {
        let (own, value) = match self {
            Meaning::Decimal(..) => read_decimal(text)?,
            _ => Meaning::find(text)?,
        };
        own.exact(value, self)
    }

    /// The meaning that a text tells, and its value: a date, a timestamp, a time or a duration. The unit is that of the digits that seconds have; an instant is in `UTC`.
    ///
    /// ```
    /// use nestled_nested::{Meaning, Unit};
    /// assert_eq!(Meaning::find("1970-01-01T01:00:00.5+01:00"), Some((Meaning::Timestamp(Unit::Milli, Some("UTC".into())), 500)));
    /// assert_eq!(Meaning::find("12:30"), None);
    /// ```
    pub fn find(text: &str) -> Option<(Meaning, i64)> {
        if text.starts_with(['P', '-', '+']) && text.contains('P') {
            return read_duration(text);
        }
        if let Some((value, unit)) = read_time(text, true) {
            return Some((Meaning::Time(unit), value.try_into().ok()?));
        }
        let (days, rest) = read_date(text)?;
        let Some(rest) = rest.strip_prefix(['T', ' ']) else {
            let value = i32::try_from(days).ok()?;
            return rest.is_empty().then_some((Meaning::Date, value.into()));
        };
        let (clock, zone) = split_zone(rest)?;
        let (time, unit) = read_time(clock, false)?;
        let shift = zone.unwrap_or(0);
        let seconds = i128::from(days) * i128::from(DAY) - i128::from(shift);
        let value = seconds * i128::from(unit.per_second()) + time;
        let zone = zone.map(|_| Arc::from("UTC"));
        Some((Meaning::Timestamp(unit, zone), value.try_into().ok()?))
    }

    /// A value of this meaning as one of another, if that says the same.
    pub(crate) fn exact(&self, value: i64, to: &Meaning) -> Option<i64> {
        let common = self.common(to)?;
        let value = value.checked_mul(self.factor(&common))?;
        let back = to.factor(&common);
        let value = (value % back == 0).then_some(value / back)?;
        to.kind().holds(value.into()).then_some(value)
    }
}

/// The days from 1970 to a date of the Gregorian calendar.
pub(crate) fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that a leap day is the last.
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The year, the month and the day of a number of days.
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

fn date(value: i64) -> String {
    let (year, month, day) = civil(value);
    match year {
        0..=9999 => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:+05}-{month:02}-{day:02}"),
    }
}

/// The time of a day; beyond a day hours go on.
fn time(value: i64, unit: Unit) -> String {
    let (seconds, rest) = (value.div_euclid(unit.per_second()), value.rem_euclid(unit.per_second()));
    let clock = format!(
        "{:02}:{:02}:{:02}",
        seconds.div_euclid(3600),
        seconds.div_euclid(60).rem_euclid(60),
        seconds.rem_euclid(60)
    );
    match unit.digits() {
        0 => clock,
        digits => format!("{clock}.{rest:0digits$}"),
    }
}

/// The seconds by which a zone is ahead of UTC at an instant. One that is not known is written in UTC.
fn ahead(zone: &str, instant: i64) -> i64 {
    offset(zone).or_else(|| Some(zone::named(zone)?.ahead_at(instant))).unwrap_or(0)
}

fn suffix(ahead: Option<i64>) -> String {
    match ahead {
        None => String::new(),
        Some(0) => "Z".to_owned(),
        Some(seconds) => {
            let sign = if seconds < 0 { '-' } else { '+' };
            let (minutes, rest) = (seconds.abs() / 60, seconds.abs() % 60);
            // Before zones were agreed upon, places had their own time.
            let rest = if rest == 0 { String::new() } else { format!(":{rest:02}") };
            format!("{sign}{:02}:{:02}{rest}", minutes / 60, minutes % 60)
        }
    }
}

fn duration(value: i64, unit: Unit) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let (per_second, value) = (unit.per_second().unsigned_abs(), value.unsigned_abs());
    let (seconds, rest) = (value / per_second, value % per_second);
    let parts = [(seconds / 86_400, 'D'), (seconds / 3600 % 24, 'H'), (seconds / 60 % 60, 'M')];
    let part = |(count, letter): (u64, char)| match count {
        0 => String::new(),
        _ => format!("{count}{letter}"),
    };
    let digits = unit.digits();
    let fraction = format!(".{rest:0digits$}");
    let fraction = if rest == 0 { "" } else { fraction.trim_end_matches('0') };
    let days = part(parts[0]);
    let last =
        if seconds % 60 > 0 || rest > 0 { format!("{}{fraction}S", seconds % 60) } else { String::new() };
    match format!("{}{}{last}", part(parts[1]), part(parts[2])).as_str() {
        "" if days.is_empty() => "PT0S".to_owned(),
        "" => format!("{sign}P{days}"),
        clock => format!("{sign}P{days}T{clock}"),
    }
}

fn decimal(value: i64, scale: usize) -> String {
    let (sign, digits) =
        (if value < 0 { "-" } else { "" }, format!("{:0width$}", value.unsigned_abs(), width = scale + 1));
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// The seconds by which a zone is ahead of UTC, where its name says that.
pub(crate) fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "UTC" | "Z" | "GMT" | "Etc/UTC" | "Etc/GMT" | "utc") {
        return Some(0);
    }
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').or_else(|| rest.split_at_checked(2))?;
    let (minutes, seconds) = minutes.split_once(':').unwrap_or((minutes, "00"));
    let (hours, minutes) = (number(hours, 2)?, if minutes.is_empty() { 0 } else { number(minutes, 2)? });
    let seconds = number(seconds, 2)?;
    let is_offset = hours < 24 && minutes < 60 && seconds < 60;
    is_offset.then_some(sign * (hours * 3600 + minutes * 60 + seconds))
}

/// A number of exactly so many digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// The date at the beginning of a text, in days, and what follows.
fn read_date(text: &str) -> Option<(i64, &str)> {
    let (sign, body) = match text.strip_prefix(['+', '-']) {
        Some(body) => (if text.starts_with('-') { -1 } else { 1 }, body),
        None => (1, text),
    };
    let (year, rest) = body.split_once('-')?;
    let is_year = if body.len() == text.len() { year.len() == 4 } else { (4..=7).contains(&year.len()) };
    let year = number(year, year.len()).filter(|_| is_year)? * sign;
    let (month, rest) = rest.split_once('-')?;
    let (day, rest) = rest.split_at_checked(2)?;
    let (month, day) = (number(month, 2)?, number(day, 2)?);
    let days = (1..=12).contains(&month).then(|| days(year, month, day))?;
    (civil(days) == (year, month, day)).then_some((days, rest))
}

/// The time of a day, in the unit of its digits.
fn read_time(text: &str, with_seconds: bool) -> Option<(i128, Unit)> {
    let mut parts = text.splitn(3, ':');
    let (hours, minutes) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let (seconds, fraction) = match parts.next() {
        None if with_seconds => return None,
        None => (0, ""),
        Some(seconds) => match seconds.split_once('.') {
            Some((_, "")) => return None,
            Some((seconds, fraction)) => (number(seconds, 2)?, fraction),
            None => (number(seconds, 2)?, ""),
        },
    };
    let unit = Unit::of_digits(fraction.len())?;
    let fraction = if fraction.is_empty() { 0 } else { scaled(fraction, unit.digits())? };
    let is_time = hours < 24 && minutes < 60 && seconds < 60;
    let seconds = i128::from(hours * 3600 + minutes * 60 + seconds);
    is_time.then_some((seconds * i128::from(unit.per_second()) + i128::from(fraction), unit))
}

/// Digits after a point as a number of so many of them.
fn scaled(fraction: &str, digits: usize) -> Option<i64> {
    Some(number(fraction, fraction.len())? * 10i64.pow((digits - fraction.len()) as u32))
}

/// A time of a day and the offset of its zone, if there is one.
fn split_zone(text: &str) -> Option<(&str, Option<i64>)> {
    if let Some(clock) = text.strip_suffix('Z') {
        return Some((clock, Some(0)));
    }
    match text.rfind(['+', '-']) {
        Some(place) => Some((&text[..place], Some(offset(&text[place..])?))),
        None => Some((text, None)),
    }
}

/// A duration of days, hours, minutes and seconds, which may have digits after a point.
fn read_duration(text: &str) -> Option<(Meaning, i64)> {
    let (sign, text) = match text.split_at_checked(1)? {
        ("-", rest) => (-1, rest),
        ("+", rest) => (1, rest),
        _ => (1, text),
    };
    let text = text.strip_prefix('P')?;
    let (date, clock) = text.split_once('T').unwrap_or((text, ""));
    if text.is_empty() || text.ends_with('T') {
        return None;
    }
    let (mut seconds, mut fraction) = (0i128, "");
    let parts =
        [(date, 'W', 7 * DAY), (date, 'D', DAY), (clock, 'H', 3600), (clock, 'M', 60), (clock, 'S', 1)];
    let (mut rests, mut own) = ([date, clock], 0);
    for (_, letter, by) in parts {
        own = if letter == 'H' { 1 } else { own };
        let Some((count, rest)) = rests[own].split_once(letter) else { continue };
        let (count, digits) = match count.split_once('.') {
            Some((count, digits)) if letter == 'S' && !digits.is_empty() => (count, digits),
            _ => (count, ""),
        };
        seconds += i128::from(number(count, count.len()).filter(|_| !count.is_empty())?) * i128::from(by);
        (fraction, rests[own]) = (digits, rest);
    }
    if rests != ["", ""] {
        return None;
    }
    let unit = Unit::of_digits(fraction.len())?;
    let fraction = if fraction.is_empty() { 0 } else { scaled(fraction, unit.digits())? };
    let value = sign * (seconds * i128::from(unit.per_second()) + i128::from(fraction));
    Some((Meaning::Duration(unit), value.try_into().ok()?))
}

/// A number with as many digits after the point as the text has.
pub(crate) fn read_decimal(text: &str) -> Option<(Meaning, i64)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let scale = u8::try_from(fraction.len()).ok().filter(|&scale| scale <= DIGITS)?;
    let is_number = whole
        .trim_start_matches(['+', '-'])
        .bytes()
        .chain(fraction.bytes())
        .all(|byte| byte.is_ascii_digit());
    let value = format!("{whole}{fraction}").parse().ok().filter(|_| is_number)?;
    Some((Meaning::Decimal(crate::schema::PRECISION, scale), value))
}
