//! Nested arrays from parts that come from outside, which are checked: lengths, masks, codes, texts.

use crate::column::Column;
use crate::fault::{InField, Outcome, fault, told};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Result, Segments};
use std::sync::Arc;

impl Nested {
    /// Lists of these lengths, which lie one after another in `self`. Offsets become lengths by [`Segments::from_offsets`], which checks them.
    ///
    /// ```
    /// use nestled_nested::{Nested, Segments};
    /// let lists = Nested::from_iter([1, 2, 3]).in_lists(&Segments::from_offsets(&[0, 2, 2, 3])?)?;
    /// assert_eq!(lists.to_list()?.to_string(), "[[1, 2], [], [3]]");
    /// assert!(Nested::from_iter([1, 2]).in_lists(&Segments::from_lengths(&[3])).is_err());
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The lengths do not come to the number of elements.
    #[track_caller]
    pub fn in_lists(&self, segments: &Segments) -> Result<Nested> {
        told("in_lists", self.faced(Face::List, segments))
    }

    /// Strings of these numbers of bytes, which lie one after another in `self`. Computes at once, for the bytes are checked.
    ///
    /// ```
    /// use nestled_nested::{Array, Nested, Segments};
    /// let bytes = Nested::from(Array::from_slice(b"muonjet"));
    /// let names = bytes.in_strings(&Segments::from_lengths(&[4, 3]))?;
    /// assert_eq!(names.to_list()?.to_string(), r#"["muon", "jet"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The elements are not `uint8`, a string is not UTF-8, or the lengths do not come to the number of bytes; and those of evaluation.
    #[track_caller]
    pub fn in_strings(&self, segments: &Segments) -> Result<Nested> {
        let strings = self.faced(Face::String, segments);
        told("in_strings", strings.and_then(|strings| strings.checked_texts().map(|()| strings)))
    }

    /// As [`in_strings`](Nested::in_strings), but the bytes may be anything, and nothing is computed.
    ///
    /// ```
    /// use nestled_nested::{Array, Nested, Segments};
    /// let bytes = Nested::from(Array::from_slice(&[0u8, 255]));
    /// assert_eq!(bytes.in_bytes(&Segments::from_lengths(&[2]))?.to_list()?.to_string(), r#"[b"\x00\xff"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The elements are not `uint8`, or the lengths do not come to their number.
    #[track_caller]
    pub fn in_bytes(&self, segments: &Segments) -> Result<Nested> {
        told("in_bytes", self.faced(Face::Bytes, segments))
    }

    fn faced(&self, face: Face, segments: &Segments) -> Outcome<Nested> {
        if segments.total() != self.length {
            return fault(format!(
                "the lists have {} elements, but there are {}",
                segments.total(),
                self.length
            ));
        }
        if face != Face::List && !matches!(self.layout, Layout::Leaf(Column::Uint8(_))) {
            return fault(format!("texts and bytes are of `uint8`, not of `{}`", self.schema()));
        }
        Ok(Nested::list(face, &Rows::new(segments.clone()), self.clone()))
    }

    fn checked_texts(&self) -> Outcome<()> {
        let Layout::List(_, rows, content) = &self.layout else { return Ok(()) };
        let Layout::Leaf(Column::Uint8(bytes)) = &content.layout else { return Ok(()) };
        let (lengths, bytes) = (rows.lengths().to_vec()?, bytes.to_vec()?);
        let mut rest = bytes.as_slice();
        for (place, length) in lengths.into_iter().enumerate() {
            let (text, after) = rest.split_at((length.max(0) as usize).min(rest.len()));
            if std::str::from_utf8(text).is_err() {
                return fault(format!("string {place} is not UTF-8"));
            }
            rest = after;
        }
        Ok(())
    }

    /// Lists of one length.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let pairs = Nested::from_iter([1, 2, 3, 4]).in_fixed(2)?;
    /// assert_eq!(pairs.type_string(), "2 * 2 * int64");
    /// assert!(pairs.in_fixed(3).is_err());
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The number of elements is no multiple of the length, or the length is 0: then nothing says how many lists there are.
    #[track_caller]
    pub fn in_fixed(&self, size: usize) -> Result<Nested> {
        if size == 0 || !self.length.is_multiple_of(size) {
            return told(
                "in_fixed",
                fault(format!("{} elements cannot be cut into lists of {size}", self.length)),
            );
        }
        told("in_fixed", Nested::fixed(self.length / size, size, self.clone()))
    }

    /// Elements that are missing where the mask is false.
    ///
    /// ```
    /// use nestled_nested::{Array, Nested};
    /// let charges = Nested::from_iter([1, -1]).with_validity(&Array::from_vec(vec![true, false]))?;
    /// assert_eq!(charges.to_list()?.to_string(), "[1, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The mask is no vector with as many elements; and, where elements are lists, those of evaluation.
    #[track_caller]
    pub fn with_validity(&self, valid: &Array<bool>) -> Result<Nested> {
        if **valid.shape() != [self.length] {
            let message = format!("the mask has the shape {}, for {} elements", valid.shape(), self.length);
            return told("with_validity", fault(message));
        }
        told("with_validity", self.optional(valid))
    }

    /// Categories: for each element its place among `words`.
    ///
    /// ```
    /// use nestled_nested::{Array, Nested};
    /// let words = Nested::from_iter(["electron", "muon"]);
    /// let flavours = Nested::categories(&Array::from_vec(vec![1, 1, 0]), &words)?;
    /// assert_eq!(flavours.type_string(), "3 * categorical[type=string]");
    /// assert_eq!(flavours.to_list()?.to_string(), r#"["muon", "muon", "electron"]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The codes are no vector, or one is none of the places (this computes at once); and those of evaluation.
    #[track_caller]
    pub fn categories(codes: &Array<i64>, words: &Nested) -> Result<Nested> {
        told("categories", checked_codes(codes, words.length).map(|()| Nested::category(codes, words)))
    }

    /// Tuples of elements at the same places.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let pairs = Nested::tuples(&[&Nested::from_iter([1, 2]), &Nested::from_iter(["a", "b"])])?;
    /// assert_eq!(pairs.type_string(), "2 * (int64, string)");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no part, or the lengths differ.
    #[track_caller]
    pub fn tuples(parts: &[&Nested]) -> Result<Nested> {
        let Some(first) = parts.first() else { return told("tuples", fault("there is no part")) };
        for (place, part) in parts.iter().enumerate() {
            let checked = same_length(first.length, part.length).in_field(&place.to_string());
            told("tuples", checked)?;
        }
        let layout = Layout::Tuple(parts.iter().map(|&part| part.clone()).collect());
        Ok(Nested { length: first.length, layout })
    }

    /// Records of elements at the same places. Unlike [`zip`](crate::zip), it does not go into lists.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let (met, jets) = (Nested::from_iter([1.5, 2.5]), Nested::from_iter([vec![1, 2], vec![3]]));
    /// let events = Nested::records(&[("met", &met), ("jets", &jets)])?;
    /// assert_eq!(events.type_string(), "2 * {met: float64, jets: var * int64}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no field, two have one name, or the lengths differ.
    #[track_caller]
    pub fn records(fields: &[(&str, &Nested)]) -> Result<Nested> {
        told("records", Nested::record_of(fields))
    }

    fn record_of(fields: &[(&str, &Nested)]) -> Outcome<Nested> {
        let Some((_, first)) = fields.first() else { return fault("there is no field") };
        for (place, (name, field)) in fields.iter().enumerate() {
            if fields[..place].iter().any(|(other, _)| other == name) {
                return fault(format!("there are two fields `{name}`"));
            }
            same_length(first.length, field.length).in_field(name)?;
        }
        let owned = fields.iter().map(|&(name, field)| (Arc::from(name), field.clone())).collect();
        Ok(Nested { length: first.length, layout: Layout::Record(owned) })
    }

    /// The words of a category, and for each element its place among them; `None` for other arrays.
    ///
    /// ```
    /// use nestled_nested::{Array, Nested};
    /// let flavours = Nested::categories(&Array::from_vec(vec![1, 0]), &Nested::from_iter(["e", "mu"]))?;
    /// let (codes, words) = flavours.codes_and_words().expect("a category");
    /// assert_eq!((codes.to_vec()?, words.len()), (vec![1, 0], 2));
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    pub fn codes_and_words(&self) -> Option<(&Array<i64>, &Nested)> {
        match &self.layout {
            Layout::Category(codes, words) => Some((codes, words)),
            _ => None,
        }
    }
}

fn same_length(first: usize, length: usize) -> Outcome<()> {
    if first == length { Ok(()) } else { fault(format!("it has {length} elements, the first has {first}")) }
}

fn checked_codes(codes: &Array<i64>, n_words: usize) -> Outcome<()> {
    if codes.rank() != 1 {
        return fault(format!("codes of shape {} are no vector", codes.shape()));
    }
    let wrong = codes.lt(0).or(codes.ge(n_words as i64));
    if wrong.any().item()? {
        let place = wrong.to_vec()?.iter().position(|&wrong| wrong).unwrap_or(0);
        return fault(format!("the code at {place} is none of the {n_words} places of words"));
    }
    Ok(())
}
