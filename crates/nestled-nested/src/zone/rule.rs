//! Rules for all years to come, as POSIX writes them in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`. Offsets there count to the west.

use crate::calendar::days;
use crate::schema::DAY;

/// An offset, and when another holds each year.
pub(super) struct Rule {
    /// The seconds ahead of UTC, in winter.
    pub ahead: i64,
    pub changes: Option<Changes>,
}

/// The other offset, mostly that of summer, and when it begins and ends.
pub(super) struct Changes {
    pub ahead: i64,
    begin: Moment,
    end: Moment,
}

/// A day of each year, and the seconds after its beginning, by the clock that holds before.
struct Moment {
    day: Day,
    seconds: i64,
}

enum Day {
    /// The number of a day from 1, without the 29th of February.
    Julian(i64),
    /// The number of a day from 0.
    Number(i64),
    /// A weekday, from Sunday, of a week of a month; the fifth is the last.
    Weekday { month: i64, week: i64, weekday: i64 },
}

impl Rule {
    pub fn parse(text: &str) -> Option<Rule> {
        let mut rest = text;
        name(&mut rest)?;
        let ahead = -time(&mut rest)?;
        if rest.is_empty() {
            return Some(Rule { ahead, changes: None });
        }
        name(&mut rest)?;
        let summer = if rest.starts_with(',') { ahead + 3600 } else { -time(&mut rest)? };
        let mut moments = rest.strip_prefix(',')?.split(',');
        let (begin, end) = (Moment::parse(moments.next()?)?, Moment::parse(moments.next()?)?);
        moments.next().is_none().then_some(())?;
        Some(Rule { ahead, changes: Some(Changes { ahead: summer, begin, end }) })
    }
}

impl Changes {
    /// The changes of a year: instants, and the offsets from then on.
    pub fn of_year(&self, year: i64, winter: i64) -> [(i64, i64); 2] {
        [(self.begin.local(year) - winter, self.ahead), (self.end.local(year) - self.ahead, winter)]
    }
}

impl Moment {
    fn parse(text: &str) -> Option<Moment> {
        let (day, time_of_day) = text.split_once('/').unwrap_or((text, "2"));
        let mut rest = time_of_day;
        let seconds = time(&mut rest)?;
        rest.is_empty().then_some(())?;
        let day = if let Some(number) = day.strip_prefix('J') {
            Day::Julian(number.parse().ok().filter(|day| (1..=365).contains(day))?)
        } else if let Some(numbers) = day.strip_prefix('M') {
            let mut numbers = numbers.split('.').map(|number| number.parse::<i64>().ok());
            let (month, week, weekday) = (numbers.next()??, numbers.next()??, numbers.next()??);
            let is_day = (1..=12).contains(&month) && (1..=5).contains(&week) && (0..=6).contains(&weekday);
            is_day.then_some(Day::Weekday { month, week, weekday })?
        } else {
            Day::Number(day.parse().ok().filter(|day| (0..=365).contains(day))?)
        };
        Some(Moment { day, seconds })
    }

    /// The seconds since 1970 that a clock shows then.
    fn local(&self, year: i64) -> i64 {
        let first = days(year, 1, 1);
        let day = match self.day {
            Day::Julian(day) => {
                let is_after_february = day >= 60 && days(year, 3, 1) - first == 60;
                first + day - 1 + i64::from(is_after_february)
            }
            Day::Number(day) => first + day,
            Day::Weekday { month, week, weekday } => {
                let begin = days(year, month, 1);
                let next = if month == 12 { days(year + 1, 1, 1) } else { days(year, month + 1, 1) };
                // 1970 began with a Thursday.
                let first = begin + (weekday - (begin + 4)).rem_euclid(7);
                let day = first + 7 * (week - 1);
                if day >= next { day - 7 } else { day }
            }
        };
        day * DAY + self.seconds
    }
}

/// Takes a name: letters, or anything in `<…>`.
fn name(rest: &mut &str) -> Option<()> {
    let end = match rest.strip_prefix('<') {
        Some(_) => rest.find('>')? + 1,
        None => rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len()),
    };
    (end >= 3).then(|| *rest = &rest[end..])
}

/// Takes hours, minutes and seconds, `[+-]h[:m[:s]]`, as seconds.
fn time(rest: &mut &str) -> Option<i64> {
    let (sign, body) = match rest.strip_prefix('-') {
        Some(body) => (-1, body),
        None => (1, rest.strip_prefix('+').unwrap_or(rest)),
    };
    let end = body.find(|letter: char| !letter.is_ascii_digit() && letter != ':').unwrap_or(body.len());
    let mut seconds = 0;
    let mut parts = body[..end].split(':');
    for unit in [3600, 60, 1] {
        let Some(part) = parts.next() else { break };
        seconds += part.parse::<i64>().ok().filter(|&part| part <= 167)? * unit;
    }
    *rest = &body[end..];
    parts.next().is_none().then_some(sign * seconds)
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn rules_of_every_form() {
        let changes = |text: &str, year| {
            let rule = Rule::parse(text).unwrap_or_else(|| panic!("{text}"));
            rule.changes.unwrap().of_year(year, rule.ahead)
        };
        // 31 March 2024 01:00 and 27 October 2024 01:00 UTC.
        assert_eq!(
            changes("CET-1CEST,M3.5.0,M10.5.0/3", 2024),
            [(1_711_846_800, 7200), (1_729_990_800, 3600)]
        );
        // Day 60 is the first of March in both years, day number 59 in one of them.
        let begins = |text, year| changes(text, year)[0].0.rem_euclid(1 << 40);
        let first_of_march = |year: i64| crate::calendar::days(year, 3, 1) * 86_400;
        for year in [2023, 2024] {
            assert_eq!(begins("AAA0BBB,J60/0,J300", year), first_of_march(year));
        }
        assert_eq!(begins("AAA0BBB,59/0,300", 2023), first_of_march(2023));
        assert_eq!(begins("AAA0BBB,59/0,300", 2024), first_of_march(2024) - 86_400);
        assert_eq!(Rule::parse("<+0330>-3:30").unwrap().ahead, 12_600);
        // A summer that is behind, and times beyond a day and before it.
        assert_eq!(changes("IST-1GMT0,M10.5.0,M3.5.0/1", 2024)[1].1, 3600);
        assert_eq!(changes("EET-2EEST,M3.4.4/50,M10.4.4/-2", 2024)[0].0 % 86_400, 0);
        for wrong in
            ["", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0", "CET-1CEST,M3.5.0", "CET-1:2:3:4", "CET-1x"]
        {
            assert!(Rule::parse(wrong).is_none(), "{wrong}");
        }
    }
}
