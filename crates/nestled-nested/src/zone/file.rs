//! The format of the database's files, TZif (RFC 9636), versions 2 and later: changes in 64 bits, and a rule for the time after them.

use super::{PERIOD, Zone, rule::Rule};
use crate::calendar::{civil, days};
use crate::schema::DAY;

/// The bytes of a header.
const HEADER: usize = 44;

/// The numbers of a header.
struct Counts {
    changes: usize,
    kinds: usize,
    letters: usize,
    leaps: usize,
    standard: usize,
    universal: usize,
}

/// The offsets of a file; nothing if it is none.
pub(super) fn read(bytes: &[u8]) -> Option<Zone> {
    // What comes first is in 32 bits, for programs of before 2005.
    let old = counts(bytes)?;
    let bytes = bytes.get(HEADER + size(&old, 4)..)?;
    let own = counts(bytes)?;
    let body = bytes.get(HEADER..)?;
    let (instants, rest) = body.split_at_checked(own.changes * 8)?;
    let (kinds, rest) = rest.split_at_checked(own.changes)?;
    let offsets: Vec<i64> = rest
        .get(..own.kinds * 6)?
        .chunks_exact(6)
        .map(|kind| Some(i64::from(i32::from_be_bytes(kind[..4].try_into().ok()?))))
        .collect::<Option<_>>()?;
    let (mut from, mut ahead) = (vec![i64::MIN], vec![*offsets.first()?]);
    for (instant, &kind) in instants.chunks_exact(8).zip(kinds) {
        let instant = i64::from_be_bytes(instant.try_into().ok()?);
        if instant == i64::MIN {
            ahead[0] = *offsets.get(usize::from(kind))?;
            continue;
        }
        from.push(instant);
        ahead.push(*offsets.get(usize::from(kind))?);
    }
    let text = body.get(size(&own, 8)..)?.strip_prefix(b"\n")?.strip_suffix(b"\n")?;
    let mut zone = Zone { from, ahead, repeats: None };
    continued(&mut zone, std::str::from_utf8(text).ok()?)?;
    Some(zone)
}

fn counts(bytes: &[u8]) -> Option<Counts> {
    let header = bytes.get(..HEADER)?;
    let has_64_bits = header.starts_with(b"TZif") && header[4] >= b'2';
    let count = |place: usize| {
        let at = 20 + 4 * place;
        Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?) as usize)
    };
    has_64_bits.then_some(())?;
    Some(Counts {
        universal: count(0)?,
        standard: count(1)?,
        leaps: count(2)?,
        changes: count(3)?,
        kinds: count(4)?,
        letters: count(5)?,
    })
}

/// The bytes after a header, whose instants have so many.
fn size(counts: &Counts, width: usize) -> usize {
    let Counts { changes, kinds, letters, leaps, standard, universal } = counts;
    changes * (width + 1) + kinds * 6 + letters + leaps * (width + 4) + standard + universal
}

/// Writes out what a rule says after the last change.
fn continued(zone: &mut Zone, rule: &str) -> Option<()> {
    if rule.is_empty() {
        return Some(());
    }
    let rule = Rule::parse(rule)?;
    let last = *zone.from.last()?;
    let Some(changes) = &rule.changes else {
        if zone.from.len() == 1 {
            zone.ahead[0] = rule.ahead;
        }
        return Some(());
    };
    let year = if last == i64::MIN { 1970 } else { civil(last.div_euclid(DAY)).0 };
    // Two years later the rule holds already at the beginning.
    let end = days(year + 2, 1, 1) * DAY + PERIOD;
    let mut made: Vec<(i64, i64)> =
        (year..year + 403).flat_map(|year| changes.of_year(year, rule.ahead)).collect();
    // Where summer ends as the next one begins, it is summer.
    made.sort_by_key(|&(instant, ahead)| (instant, ahead == changes.ahead));
    for (instant, ahead) in made.into_iter().filter(|&(instant, _)| instant > last && instant < end) {
        match zone.from.last() {
            Some(&before) if before == instant => zone.ahead[zone.from.len() - 1] = ahead,
            _ => {
                zone.from.push(instant);
                zone.ahead.push(ahead);
            }
        }
    }
    zone.repeats = Some(end);
    Some(())
}
