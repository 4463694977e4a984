//! Elements by keys: groups of equal ones, and tables joined.

use super::combine::together;
use super::differ::differ_from_before;
use super::filter::{Aligned, aligned};
use super::found::Found;
use super::order::{key_codes, order_of};
use super::runs::Runs;
use crate::column::Column;
use crate::fault::{InField, Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Outside, Result};
use std::sync::Arc;

/// The rows that a join of two tables has: see [`Nested::join`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Join {
    /// Each record of the first with each of the second that has its key.
    Inner,
    /// As the inner one, and each record of the first whose key the second does not have, with missing fields.
    Left,
    /// The records of the first whose key the second has.
    Semi,
    /// The records of the first whose key the second does not have.
    Anti,
}

impl Nested {
    /// Elements with equal keys as lists: records with the `key` and the `rows`, in the order of keys. A key is a number, a text, or a record or a list of those, one for each
    /// element; those that are missing come last. Computes the number of keys at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let (names, charges) = (Nested::from_iter(["mu", "e", "mu"]), Nested::from_iter([1, 2, 3]));
    /// let groups = charges.group_by(&names)?;
    /// assert_eq!(groups.to_list()?.to_string(), r#"[{key: "e", rows: [2]}, {key: "mu", rows: [1, 3]}]"#);
    /// assert_eq!(groups.field("rows")?.sum(-1)?.to_list()?.to_string(), "[2, 4]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is not a key for each element, or keys cannot be compared; and errors of evaluation.
    #[track_caller]
    pub fn group_by(&self, keys: &Nested) -> Result<Nested> {
        told("group_by", self.grouped(keys))
    }

    fn grouped(&self, keys: &Nested) -> Outcome<Nested> {
        if keys.length != self.length {
            return fault(format!("{} keys for {} elements", keys.length, self.length));
        }
        Ok(groups(&Rows::single(self.length), self, keys)?.1)
    }

    /// As [`group_by`](Nested::group_by), within each list along an axis: lists of groups, in the order of keys. There is a key for each element of the lists. A list that is missing
    /// on one side is missing. Computes the number of groups at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let charges = Nested::from_iter([vec![1, -1, 1], vec![], vec![-1]]);
    /// let pt = Nested::from_iter([vec![20, 30, 40], vec![], vec![50]]);
    /// let groups = pt.group_by_along(&charges, 1)?;
    /// assert_eq!(groups.field("key")?.to_list()?.to_string(), "[[-1, 1], [], [-1]]");
    /// assert_eq!(groups.field("rows")?.sum(-1)?.to_list()?.to_string(), "[[30, 60], [], [50]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, there is not a key for each element, or keys cannot be compared; and errors of evaluation.
    #[track_caller]
    pub fn group_by_along(&self, keys: &Nested, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return told("group_by_along", self.grouped(keys));
        }
        let grouped = together(&[self.clone(), keys.clone()], axis, &mut |sides| {
            let Aligned { rows, contents: [content, keys], valid } = aligned(&sides[0], &sides[1])?;
            let (rows, groups) = groups(&rows, &content, &keys)?;
            Ok(Nested::lists(&rows, groups).present_if(valid))
        });
        told("group_by_along", grouped)
    }

    /// Records of this array joined with those of another that are equal in some fields. Fields of the other that both have get `_right` behind their names. A key with something
    /// missing is equal to none. The order is that of this array, then of the other. Computes the number of records at once.
    ///
    /// Keys are found by a table, where integers lie in a small range, by a search, where one array is much smaller, or by a sort of all: as the numbers say, with the same results.
    ///
    /// ```
    /// use nestled_nested::{Join, Nested, zip};
    /// let runs = zip(&[("run", &Nested::from_iter([1, 2, 3])), ("events", &Nested::from_iter([10, 20, 30]))])?;
    /// let names = zip(&[("run", &Nested::from_iter([3, 1, 3])), ("name", &Nested::from_iter(["c", "a", "d"]))])?;
    /// let inner = runs.join(&names, &["run"], Join::Inner)?;
    /// assert_eq!(inner.field("events")?.to_list()?.to_string(), "[10, 30, 30]");
    /// assert_eq!(inner.field("name")?.to_list()?.to_string(), r#"["a", "c", "d"]"#);
    /// let left = runs.join(&names, &["run"], Join::Left)?;
    /// assert_eq!(left.field("name")?.to_list()?.to_string(), r#"["a", None, "c", "d"]"#);
    /// assert_eq!(runs.join(&names, &["run"], Join::Anti)?.len(), 1);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// One of the arrays has no records, lacks a field, or keys cannot be compared or do not go together; and errors of evaluation.
    #[track_caller]
    pub fn join(&self, other: &Nested, on: &[&str], how: Join) -> Result<Nested> {
        told("join", self.joined_with(other, on, how))
    }

    fn joined_with(&self, other: &Nested, on: &[&str], how: Join) -> Outcome<Nested> {
        let (keys, other_keys) = (self.keys(on)?, other.keys(on)?);
        let found = Found::of(&keys, &other_keys)?;
        match how {
            Join::Semi => return self.compress(&found.counts.gt(0)),
            Join::Anti => return self.compress(&found.counts.eq(0)),
            Join::Inner | Join::Left => {}
        }
        let wanted = if how == Join::Left { found.counts.maximum(1) } else { found.counts.clone() };
        let rows = Rows::of(&wanted)?;
        let there = rows.spread(&found.counts).gt(0);
        let from = found.order.take(0, &(rows.spread(&found.starts) + rows.places()), Outside::Default(-1));
        let mut fields = self.take(rows.owners())?.named()?;
        for (name, field) in other.named()?.into_iter().filter(|(name, _)| !on.contains(&&**name)) {
            let taken = field.take(&there.select(&from, -1)).in_field(&name)?;
            let taken = if how == Join::Left { taken.blank_outside(there.clone()) } else { taken };
            let is_new = |name: &str| !fields.iter().any(|(own, _)| **own == *name);
            let name = if is_new(&name) { name } else { Arc::from(format!("{name}_right")) };
            if !is_new(&name) {
                return fault(format!("there are two fields `{name}`"));
            }
            fields.push((name, taken));
        }
        Ok(Nested { length: rows.total(), layout: Layout::Record(fields) })
    }

    /// The fields of records that are not missing.
    fn named(&self) -> Outcome<Vec<(Arc<str>, Nested)>> {
        match &self.layout {
            Layout::Record(fields) => Ok(fields.clone()),
            _ => fault(format!("`{}` is no record", self.schema())),
        }
    }

    /// Some fields, as tuples.
    pub(super) fn keys(&self, on: &[&str]) -> Outcome<Nested> {
        if on.is_empty() {
            return fault("there is no field to join on");
        }
        self.named()?;
        let fields = on.iter().map(|name| self.field_of(name)).collect::<Outcome<_>>()?;
        Ok(Nested { length: self.length, layout: Layout::Tuple(fields) })
    }
}

/// The groups of each row, and how many there are.
fn groups(rows: &Rows, content: &Nested, keys: &Nested) -> Outcome<(Rows, Nested)> {
    let codes = &key_codes(std::slice::from_ref(keys))?[0];
    let order = order_of(rows, &Column::from(codes.clone()), &Array::range(content.length), true);
    let sorted = Column::from(codes.take(0, &order, Outside::Clamp));
    let runs = Runs::of(rows, &differ_from_before(&sorted, None, false))?;
    let firsts = order.take(0, &runs.starts, Outside::Clamp);
    let members = Nested::lists(&Rows::known(&runs.lengths, content.length), content.take(&order)?);
    let fields = vec![(Arc::from("key"), keys.take(&firsts)?), (Arc::from("rows"), members)];
    Ok((runs.rows, Nested { length: runs.starts.size(), layout: Layout::Record(fields) }))
}
