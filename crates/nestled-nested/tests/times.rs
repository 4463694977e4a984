//! Dates, times, durations and decimals: against a calendar that counts days one by one, and against wide integers.

use crate::random::Random;
use nestled_nested::{Array, Binary, Meaning, Nested, Schema, Unit, Value, combine, concatenate};
use nestled_test::again;

const UNITS: [Unit; 4] = [Unit::Second, Unit::Milli, Unit::Micro, Unit::Nano];

fn of(schema: &str, values: Vec<Value>) -> Nested {
    Nested::from_values_as(&Schema::parse(schema).unwrap(), values).unwrap()
}

fn texts(schema: &str, texts: &[&str]) -> Nested {
    of(schema, texts.iter().map(|&text| if text.is_empty() { Value::Missing } else { text.into() }).collect())
}

fn shown(nested: &Nested) -> String {
    format!("{} {}", nested.to_list().unwrap(), nested.schema())
}

#[track_caller]
fn wrong(result: nestled_nested::Result<Nested>, why: &str) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
}

/// The dates from one year to another, one after another, with year, month, day, day of the year.
fn calendar(from: i64, to: i64) -> Vec<[i64; 4]> {
    let mut days = Vec::new();
    for year in from..to {
        let is_leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
        let mut of_year = 0;
        for (month, length) in
            [31, 28 + i64::from(is_leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].iter().enumerate()
        {
            for day in 1..=*length {
                of_year += 1;
                days.push([year, month as i64 + 1, day, of_year]);
            }
        }
    }
    days
}

#[test]
fn parts_of_every_day() {
    let (before, after) = (calendar(1592, 1970), calendar(1970, 2405));
    let first = -(before.len() as i64);
    let days: Vec<[i64; 4]> = before.into_iter().chain(after).collect();
    let numbers: Vec<i64> = (first..first + days.len() as i64).collect();
    let dates = of("date", numbers.iter().map(|&day| day.into()).collect());
    let seconds = of("timestamp[s]", numbers.iter().map(|day| (day * 86_400 + 86_399).into()).collect());
    for array in [&dates, &seconds] {
        let parts = [array.year(), array.month(), array.day(), array.day_of_year(), array.weekday()];
        let parts: Vec<Vec<i64>> = parts.into_iter().map(|part| part.unwrap().to_rows().unwrap()).collect();
        for (place, wanted) in days.iter().enumerate() {
            let found = [parts[0][place], parts[1][place], parts[2][place], parts[3][place]];
            assert_eq!(found, *wanted);
            assert_eq!(parts[4][place], (numbers[place] + 3).rem_euclid(7));
        }
    }
    assert!(seconds.date().unwrap().is_equal(&dates).unwrap());
    // Texts are written and read by the same calendar.
    for (number, [year, month, day, _]) in numbers.iter().zip(&days).step_by(17) {
        let text = format!("{year}-{month:02}-{day:02}");
        assert_eq!((Meaning::Date.written(*number), Meaning::Date.read(&text)), (text, Some(*number)));
    }
}

#[test]
fn parts_are_one_kernel() {
    let times = texts("timestamp[us]", &["2024-02-29T12:34:56.789012", "1969-12-31T23:59:59.999999"]);
    let hours = &times.hour().unwrap() * 60 + &times.minute().unwrap();
    assert_eq!(shown(&hours), "[754, 1439] int64");
    let rest = &times.second().unwrap() * 1_000_000_000 + &times.nanosecond().unwrap();
    assert_eq!(shown(&rest), "[56789012000, 59999999000] int64");
    assert_eq!(shown(&times.time_of_day().unwrap()), "[12:34:56.789012, 23:59:59.999999] time[us]");
    let array =
        nestled_nested::Array::<i64>::try_from(&(times.year().unwrap() + times.month().unwrap())).unwrap();
    assert_eq!(array.explain().unwrap().kernels(), 1);
}

#[test]
fn texts_of_values() {
    let cases = [
        ("date", 19_782, "2024-02-29"),
        ("date", -719_529, "-0001-12-31"),
        ("date", 2_932_897, "+10000-01-01"),
        ("time[s]", 86_399, "23:59:59"),
        ("time[ns]", 1, "00:00:00.000000001"),
        ("timestamp[s]", -1, "1969-12-31T23:59:59"),
        ("timestamp[ms]", i64::MIN, "-292275055-05-16T16:47:04.192"),
        ("timestamp[ms, \"UTC\"]", 1, "1970-01-01T00:00:00.001Z"),
        ("timestamp[us, \"Europe/Paris\"]", 0, "1970-01-01T01:00:00.000000+01:00"),
        ("timestamp[s, \"Europe/Paris\"]", 1_711_846_799, "2024-03-31T01:59:59+01:00"),
        ("timestamp[s, \"Europe/Paris\"]", 1_711_846_800, "2024-03-31T03:00:00+02:00"),
        ("timestamp[s, \"Europe/Paris\"]", -2_500_000_000, "1890-10-11T19:42:41+00:09:21"),
        ("timestamp[s, \"Atlantis\"]", 0, "1970-01-01T00:00:00Z"),
        ("timestamp[s, \"-05:30\"]", 0, "1969-12-31T18:30:00-05:30"),
        ("duration[s]", 0, "PT0S"),
        ("duration[s]", 93_784, "P1DT2H3M4S"),
        ("duration[ms]", -1_500, "-PT1.5S"),
        ("duration[ns]", i64::MIN, "-P106751DT23H47M16.854775808S"),
        ("duration[s]", 86_400, "P1D"),
        ("decimal[5, 2]", -7, "-0.07"),
        ("decimal[10, 0]", 12, "12"),
        ("decimal[19, 18]", i64::MAX, "9.223372036854775807"),
    ];
    for (schema, value, text) in cases {
        let Ok(Schema::Meant(meaning)) = Schema::parse(schema) else { panic!("{schema}") };
        assert_eq!(meaning.written(value), text, "{schema}");
        if !text.starts_with("-29227") {
            assert_eq!(meaning.read(text), Some(value), "{text}");
        }
        assert_eq!(meaning.to_string(), schema);
        assert_eq!(
            shown(&of(schema, vec![value.into()])),
            format!("[{text}] {schema}").replace("[-P106751D", "[-P106751D")
        );
    }
    let no_dates = [
        "",
        "2024",
        "2024-02-30",
        "2023-02-29",
        "2024-13-01",
        "2024-1-01",
        "2024-01-01T",
        "2024-01-01T24:00",
        "2024-01-01T00:60",
        "2024-01-01T00:00:60",
        "2024-01-01T00:00:00.",
        "2024-01-01T00:00:00.1234567890",
        "2024-01-01T00:00+1",
        "12:30",
        "P",
        "PT",
        "P1",
        "PT1.5M",
        "1D",
        "P1S",
        "-P",
        "2024-01-01x",
        "P99999999999999999999D",
    ];
    for text in no_dates {
        assert_eq!(Meaning::find(text), None, "{text}");
    }
    for text in ["1.", ".5", "-.5", "+1.50"] {
        assert!(Meaning::Decimal(10, 2).read(text).is_some(), "{text}");
    }
    for text in ["", "1.005", "1e3", "--1", "1.5.2", "99999999999999999999"] {
        assert_eq!(Meaning::Decimal(10, 2).read(text), None, "{text}");
    }
}

#[test]
fn random_texts_are_read_back() {
    let mut random = Random::new(7);
    for round in 0..4000 {
        let bits = random.below(63) as u32;
        let value = ((random.below(1 << 31) as i64) << 32 | random.below(1 << 31) as i64) >> bits;
        let value = if random.chance(50) { -value } else { value };
        let unit = UNITS[round % 4];
        let zone = ["UTC", "+02:00", "-11:30", "Asia/Tokyo"][round % 3].into();
        let small = value >> 26;
        let meanings = [
            (Meaning::Date, value as i32 as i64 >> 8),
            (Meaning::Timestamp(unit, None), small),
            (Meaning::Timestamp(unit, Some(zone)), small),
            (Meaning::Duration(unit), value),
            (Meaning::Decimal(19, (round % 19) as u8), value),
            (Meaning::Time(unit), value.rem_euclid(86_400 * unit.per_second())),
        ];
        for (meaning, value) in meanings {
            let text = meaning.written(value);
            assert_eq!(meaning.read(&text), Some(value), "{text} {meaning}");
        }
    }
}

/// What two values come to, by wide integers.
fn naive(op: Binary, (left, unit): (i64, Unit), (right, other): (i64, Unit)) -> i128 {
    let fine = if unit.per_second() > other.per_second() { unit } else { other };
    let wide = |value: i64, unit: Unit| i128::from(value) * i128::from(fine.per_second() / unit.per_second());
    let (left, right) = (wide(left, unit), wide(right, other));
    match op {
        Binary::Add => left + right,
        Binary::Sub => left - right,
        Binary::Min => left.min(right),
        Binary::Max => left.max(right),
        Binary::Lt => i128::from(left < right),
        Binary::Eq => i128::from(left == right),
        _ => unreachable!("it is not tried"),
    }
}

#[test]
fn units_are_reconciled() {
    let mut random = Random::new(11);
    for round in 0..96 {
        let (unit, other) = (UNITS[round % 4], UNITS[round / 4 % 4]);
        let fine = if unit.per_second() > other.per_second() { unit } else { other };
        let mut numbers = |unit: Unit| {
            let one = |_| {
                (random.below(2_000_000) as i64 - 1_000_000) * unit.per_second() / [1, 1000][random.below(2)]
            };
            (0..5).map(one).collect::<Vec<i64>>()
        };
        let (left, right) = (numbers(unit), numbers(other));
        let values = |numbers: &[i64]| numbers.iter().map(|&number| number.into()).collect::<Vec<Value>>();
        let zone = if round % 2 == 0 { "" } else { ", \"UTC\"" };
        let (time, span) = (format!("timestamp[{unit}{zone}]"), format!("duration[{unit}]"));
        let (other_time, other_span) = (format!("timestamp[{other}{zone}]"), format!("duration[{other}]"));
        let (fine_time, fine_span) = (format!("timestamp[{fine}{zone}]"), format!("duration[{fine}]"));
        let cases = [
            (Binary::Sub, &time, &other_time, fine_span.clone()),
            (Binary::Add, &time, &other_span, fine_time.clone()),
            (Binary::Add, &span, &other_time, fine_time.clone()),
            (Binary::Sub, &time, &other_span, fine_time.clone()),
            (Binary::Add, &span, &other_span, fine_span.clone()),
            (Binary::Sub, &span, &other_span, fine_span.clone()),
            (Binary::Max, &time, &other_time, fine_time),
            (Binary::Min, &span, &other_span, fine_span),
            (Binary::Lt, &time, &other_time, "bool".to_owned()),
            (Binary::Eq, &span, &other_span, "bool".to_owned()),
        ];
        for (op, schema, other_schema, wanted) in cases {
            let made = combine(op, of(schema, values(&left)), of(other_schema, values(&right))).unwrap();
            assert_eq!(made.schema().to_string(), wanted, "{op:?}");
            let found: Vec<i128> = made
                .to_values()
                .unwrap()
                .iter()
                .map(|value| match value {
                    Value::Meant(_, value) => i128::from(*value),
                    Value::Bool(truth) => i128::from(*truth),
                    other => panic!("{other}"),
                })
                .collect();
            let wanted: Vec<i128> = left
                .iter()
                .zip(&right)
                .map(|(&left, &right)| naive(op, (left, unit), (right, other)))
                .collect();
            assert_eq!(found, wanted, "{op:?} {schema} {other_schema}");
        }
    }
}

#[test]
fn what_goes_together() {
    let days = texts("date", &["2024-02-29", "1970-01-01"]);
    let clocks = texts("timestamp[ms]", &["2024-02-29T06:00:00", "1969-12-31T12:00:00"]);
    let zoned = clocks.with_zone(Some("UTC")).unwrap();
    let spans = texts("duration[s]", &["PT6H", "-PT12H"]);
    assert_eq!(shown(&(&clocks - &days)), "[PT6H, -PT12H] duration[ms]");
    assert_eq!(shown(&(&days - "2024-02-28")), "[P1D, -P19781D] duration[s]");
    assert_eq!(shown(&(&days + &spans)), "[2024-02-29T06:00:00, 1969-12-31T12:00:00] timestamp[s]");
    assert_eq!(
        shown(&(&zoned - "PT0.000001S")),
        "[2024-02-29T05:59:59.999999Z, 1969-12-31T11:59:59.999999Z] timestamp[us, \"UTC\"]"
    );
    assert_eq!(shown(&days.lt(&clocks).unwrap()), "[true, false] bool");
    assert_eq!(shown(&zoned.ge("2024-02-29T07:00:00+01:00").unwrap()), "[true, false] bool");
    assert_eq!(shown(&(&spans * 2)), "[PT12H, -P1D] duration[s]");
    assert_eq!(shown(&(3i64 * &spans)), "[PT18H, -P1DT12H] duration[s]");
    assert_eq!(shown(&(&spans / 7)), "[PT51M25S, -PT1H42M51S] duration[s]");
    assert_eq!(shown(&(&spans / "PT1H")), "[6.0, -12.0] float64");
    assert_eq!(shown(&-&spans), "[-PT6H, PT12H] duration[s]");
    assert_eq!(shown(&spans.abs().unwrap()), "[PT6H, PT12H] duration[s]");
    let times = texts("time[s]", &["23:30:00", "00:10:00"]);
    assert_eq!(shown(&(&times + "PT1H")), "[00:30:00, 01:10:00] time[s]");
    assert_eq!(shown(&(&times - "PT1H")), "[22:30:00, 23:10:00] time[s]");
    assert_eq!(shown(&(&times - "12:00:00.5")), "[PT11H29M59.5S, -PT11H50M0.5S] duration[ms]");
    assert_eq!(shown(&spans.in_unit(Unit::Nano).unwrap()), "[PT6H, -PT12H] duration[ns]");
    wrong(clocks.try_sub(&zoned), "one has a zone and the other has none");
    wrong(clocks.lt("2024-01-01T00:00:00Z"), "one has a zone and the other has none");
    wrong(concatenate(&[&clocks, &zoned], 0), "do not go together");
    wrong(clocks.try_add(&clocks), "`timestamp[ms]` + `timestamp[ms]` have no result");
    wrong(clocks.try_add(1), "`timestamp[ms]` + `int64` have no result");
    wrong(spans.try_mul(0.5), "`duration[s]` * `float64` have no result");
    wrong(days.eq(&spans), "`date` == `duration[s]` have no result");
    wrong(days.eq("tomorrow"), "\"tomorrow\" is no text of a value that goes with `date`");
    wrong(days.try_and(&days), "`date` has no bits");
    wrong(clocks.sum(0), "`timestamp[ms]` is no amount");
    wrong(clocks.sqrt(), "`timestamp[ms]` is no number; `as_integers` gives its integers");
    wrong(spans.year(), "`duration[s]` is no date and no time");
    wrong(times.year(), "`time[s]` has no date");
    wrong(days.hour(), "`date` has no time of the day");
    wrong(
        zoned.with_zone(Some("Europe/Atlantis")).unwrap().hour(),
        "\"Europe/Atlantis\" is no zone of the database of zones",
    );
    wrong(Nested::from_iter([0.5]).with_meaning(&Meaning::Date), "`float64` is no integer");
}

#[test]
fn parts_in_zones_with_rules() {
    let mut zones: Vec<(&str, Vec<Vec<i64>>)> = Vec::new();
    for line in include_str!("zones.txt").lines().filter(|line| !line.starts_with(';')) {
        let (zone, numbers) = line.split_once(' ').unwrap();
        let numbers = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        match zones.last_mut() {
            Some((last, rows)) if *last == zone => rows.push(numbers),
            _ => zones.push((zone, vec![numbers])),
        }
    }
    assert_eq!(zones.len(), 18);
    for (round, (zone, rows)) in zones.iter().enumerate() {
        let unit = UNITS[round % 3];
        let column = |place: usize| rows.iter().map(|row| row[place]).collect::<Vec<i64>>();
        let instants: Vec<i64> =
            column(0).iter().map(|second| second * unit.per_second() + 1 % unit.per_second()).collect();
        let times = Nested::from_iter(instants)
            .with_meaning(&Meaning::Timestamp(unit, Some((*zone).into())))
            .unwrap();
        let parts = [
            times.year(),
            times.month(),
            times.day(),
            times.hour(),
            times.minute(),
            times.second(),
            times.weekday(),
            times.day_of_year(),
        ];
        for (place, part) in parts.into_iter().enumerate() {
            let found = Array::<i64>::try_from(&part.unwrap()).unwrap().to_vec().unwrap();
            assert_eq!(found, column(place + 1), "{zone} {place}");
        }
        // The text says the same.
        let text = times.in_unit(Unit::Second).unwrap().to_list().unwrap().to_string();
        let texts = text.trim_matches(['[', ']']).split(", ");
        for (text, row) in texts.zip(rows) {
            let clock = format!(
                "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
                row[1], row[2], row[3], row[4], row[5], row[6]
            );
            assert!(text.starts_with(&clock), "{zone} {text} {clock}");
        }
    }
    let names = ["europe/paris", "CET", "US/Eastern"];
    for name in names {
        assert!(
            Nested::from_iter([0])
                .with_meaning(&Meaning::Timestamp(Unit::Second, Some(name.into())))
                .unwrap()
                .hour()
                .is_ok()
        );
    }
}

#[test]
fn decimals() {
    let prices = texts("decimal[6, 2]", &["1.25", "-0.05", "10.00"]);
    let rates = texts("decimal[4, 3]", &["0.125", "1.000", "0.200"]);
    assert_eq!(shown(&(&prices + &rates)), "[1.375, 0.950, 10.200] decimal[19, 3]");
    assert_eq!(shown(&(&prices - 1)), "[0.25, -1.05, 9.00] decimal[19, 2]");
    assert_eq!(shown(&(&prices * &rates)), "[0.15625, -0.05000, 2.00000] decimal[19, 5]");
    assert_eq!(shown(&(&prices * 3)), "[3.75, -0.15, 30.00] decimal[19, 2]");
    assert_eq!(shown(&(&prices * 0.5)), "[0.625, -0.025, 5.0] float64");
    assert_eq!(shown(&(&prices / 2)), "[0.625, -0.025, 5.0] float64");
    assert_eq!(shown(&prices.gt(1).unwrap()), "[true, false, true] bool");
    assert_eq!(shown(&prices.eq("-0.050").unwrap()), "[false, true, false] bool");
    assert_eq!(shown(&prices.eq(-0.05).unwrap()), "[false, true, false] bool");
    assert_eq!(shown(&prices.sum(0).unwrap()), "[11.20] decimal[19, 2]");
    assert_eq!(shown(&prices.max(0).unwrap()), "[10.00] ?decimal[6, 2]");
    assert_eq!(shown(&prices.cumsum(0).unwrap()), "[1.25, 1.20, 11.20] decimal[19, 2]");
    assert_eq!(shown(&prices.mean(0).unwrap()), "[3.733333333333333] float64");
    assert_eq!(
        shown(&concatenate(&[&prices, &rates], 0).unwrap()),
        "[1.250, -0.050, 10.000, 0.125, 1.000, 0.200] decimal[7, 3]"
    );
    wrong(prices.prod(0), "is no amount");
}

#[test]
fn meanings_go_through_everything() {
    let times =
        texts("?timestamp[s]", &["2024-01-03T00:00:00", "", "2024-01-01T00:00:00", "2024-01-02T00:00:00"]);
    let rows = times.unflatten(&Nested::from_iter([2, 0, 2])).unwrap();
    let day = |day: usize| format!("2024-01-0{day}T00:00:00");
    assert_eq!(
        shown(&rows.sort(1, true).unwrap()),
        format!("[[{}, None], [], [{}, {}]] var * ?timestamp[s]", day(3), day(1), day(2))
    );
    assert_eq!(shown(&rows.max(1).unwrap()), format!("[{}, None, {}] ?timestamp[s]", day(3), day(2)));
    assert_eq!(shown(&rows.argmin(1).unwrap()), "[0, None, 0] ?int64");
    assert_eq!(shown(&rows.rank(1, false).unwrap()), "[[0, None], [], [1, 0]] var * ?int64");
    assert_eq!(shown(&rows.count(1).unwrap()), "[1, 0, 2] int64");
    assert_eq!(
        shown(&times.cummax(0).unwrap()),
        format!("[{}, None, {}, {}] ?timestamp[s]", day(3), day(3), day(3))
    );
    assert_eq!(
        shown(&rows.filter(&rows.lt("2024-01-03").unwrap()).unwrap()),
        format!("[[], [], [{}, {}]] var * ?timestamp[s]", day(1), day(2))
    );
    assert_eq!(
        shown(&times.fill_missing("1970-01-01").unwrap().min(0).unwrap()),
        "[1970-01-01T00:00:00] ?timestamp[s]"
    );
    assert_eq!(
        shown(&times.drop_missing(0).unwrap().unique(0).unwrap()),
        format!("[{}, {}, {}] timestamp[s]", day(1), day(2), day(3))
    );
    let mask = times.gt("2024-01-01T12:00:00").unwrap().fill_missing(false).unwrap();
    assert_eq!(
        shown(&mask.choose(&times, "2000-01-01").unwrap()),
        format!("[{}, 2000-01-01T00:00:00, 2000-01-01T00:00:00, {}] ?timestamp[s]", day(3), day(2))
    );
    assert_eq!(
        shown(&times.is_in(&texts("date", &["2024-01-01"])).unwrap()),
        "[false, None, true, false] ?bool"
    );
    let groups = Nested::from_iter([1, 2, 3, 4]).group_by(&times.date().unwrap()).unwrap();
    assert_eq!(
        groups.to_list().unwrap().to_string(),
        "[{key: 2024-01-01, rows: [3]}, {key: 2024-01-02, rows: [4]}, {key: 2024-01-03, rows: [1]}, {key: None, rows: [2]}]"
    );
    let left = Nested::records(&[("t", &times), ("n", &Nested::from_iter([0, 1, 2, 3]))]).unwrap();
    let right = Nested::records(&[
        ("t", &texts("timestamp[ms]", &["2024-01-02T00:00:00", "2024-01-03T00:00:00"])),
        ("m", &Nested::from_iter([7, 8])),
    ])
    .unwrap();
    let joined = left.join(&right, &["t"], nestled_nested::Join::Inner).unwrap();
    assert_eq!(joined.field("n").unwrap().to_list().unwrap().to_string(), "[0, 3]");
    assert_eq!(joined.field("m").unwrap().to_list().unwrap().to_string(), "[8, 7]");
    assert_eq!(shown(&rows.firsts(1).unwrap()), format!("[{}, None, {}] ?timestamp[s]", day(3), day(1)));
    assert_eq!(shown(&rows.year().unwrap()), "[[2024, None], [], [2024, 2024]] var * ?int64");
    let words = times.to_text().unwrap();
    assert!(words.parse_as(&Meaning::Timestamp(Unit::Second, None)).unwrap().is_equal(&times).unwrap());
    let inferred = Nested::from_values(times.to_values().unwrap()).unwrap();
    assert!(inferred.is_equal(&times).unwrap());
    assert_eq!(times.as_integers().unwrap().schema().to_string(), "?int64");
    let text = times.show(3, 40).unwrap();
    assert_eq!(text, format!("[{},\n …,\n {}]\ntype: 4 * ?timestamp[s]", day(3), day(2)));
    let mixed = Nested::from_values([Value::Meant(Meaning::Date, 0), Value::Int(1)]).unwrap();
    assert_eq!(shown(&mixed), "[1970-01-01, 1] union[date, int64]");
}

/// The place of the nearest number, the lesser of two that are as near, the first of equal ones.
fn nearest(x: Option<i64>, scale: i128, others: &[Option<i64>], other_scale: i128) -> Value {
    let Some(x) = x.map(|x| i128::from(x) * scale) else { return Value::Missing };
    let known = others
        .iter()
        .enumerate()
        .filter_map(|(place, other)| Some((place, i128::from((*other)?) * other_scale)));
    let best = known.min_by_key(|&(place, other)| ((other - x).abs(), other, place));
    best.map_or(Value::Missing, |(place, _)| Value::Int(place as i128))
}

#[test]
fn the_nearest_of_what_has_a_meaning() {
    let cases = [
        ("date", 1, "date", 1),
        ("time[ms]", 1, "time[ms]", 1),
        ("timestamp[s]", 1000, "timestamp[ms]", 1),
        ("timestamp[us, \"UTC\"]", 1, "timestamp[us, \"Europe/Paris\"]", 1),
        ("duration[ns]", 1, "duration[us]", 1000),
        ("decimal[9, 2]", 1, "decimal[9, 1]", 10),
        ("decimal[9, 2]", 1, "int64", 100),
        ("float64", 100, "decimal[9, 2]", 1),
    ];
    for (seed, (own, scale, other, other_scale)) in cases.into_iter().enumerate() {
        let mut random = Random::new(4100 + seed as u64);
        let mut lists = |lists: usize, spread: usize| -> Vec<Vec<Option<i64>>> {
            let mut number = || random.chance(85).then(|| random.below(spread) as i64 - 9);
            (0..lists).map(|list| (0..list % 6).map(|_| number()).collect()).collect()
        };
        let (left, mut right) = (lists(24, 30), lists(24, 40));
        right.reverse();
        let array = |lists: &[Vec<Option<i64>>], schema: &str| {
            let integers =
                Nested::from_values_as(&Schema::parse("var * ?int64").unwrap(), lists.to_vec()).unwrap();
            match Schema::parse(schema).unwrap() {
                Schema::Meant(meaning) => integers.with_meaning(&meaning).unwrap(),
                Schema::Number(kind) => integers.cast(kind).unwrap(),
                _ => unreachable!("there is no such case"),
            }
        };
        let wanted = left
            .iter()
            .zip(&right)
            .map(|(left, right)| Value::list(left.iter().map(|&x| nearest(x, scale, right, other_scale))));
        let found = array(&left, own).nearest(&array(&right, other), 1).unwrap();
        assert_eq!(found.to_list().unwrap().to_string(), Value::list(wanted).to_string(), "{own} {other}");
    }
    let days = texts("?date", &["2024-02-28", "2024-03-01", ""]);
    let asked = texts("?date", &["2024-02-29", "2025-01-01", ""]);
    assert_eq!(shown(&asked.nearest(&days, 0).unwrap()), "[0, 1, None] ?int64");
    // Further apart than an integer with a sign says.
    let spans = |numbers: Vec<i64>| {
        Nested::from_values(numbers).unwrap().with_meaning(&Meaning::Duration(Unit::Nano)).unwrap()
    };
    let found = spans(vec![i64::MAX, i64::MIN]).nearest(&spans(vec![i64::MIN, 1]), 0).unwrap();
    assert_eq!(found.to_list().unwrap().to_string(), "[1, 0]");
    wrong(days.nearest(&spans(vec![1]), 0), "do not go together");
    wrong(days.nearest(&Nested::from_values([1.5]).unwrap(), 0), "do not go together");
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
