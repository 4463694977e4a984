//! Operations of two operands where integers have a meaning: which meanings go together, in which unit, and what the result means.

use super::arithmetic_columns::{Binary, binary};
use super::term::{Term, column, literal};
use crate::calendar::read_decimal;
use crate::column::Column;
use crate::fault::{Outcome, fault};
use crate::nested::{Layout, Nested};
use crate::schema::{DAY, DIGITS, Kind, Meaning, PRECISION};
use nestled_array::Array;

/// A column, and what it means, if it is more than numbers.
#[derive(Clone)]
pub(super) struct Meant {
    pub meaning: Option<Meaning>,
    pub column: Column,
}

impl Meant {
    /// The integers of a layout with a meaning, or numbers.
    pub fn of(nested: &Nested) -> Outcome<Meant> {
        match &nested.layout {
            Layout::Meant(meaning, column) => {
                Ok(Meant { meaning: Some(meaning.clone()), column: column.clone() })
            }
            _ => Ok(Meant { meaning: None, column: column(nested)?.clone() }),
        }
    }

    /// The number or the text that goes with a meaning. What a text says it says by itself.
    pub fn literal(term: &Term, with: &Meaning) -> Outcome<Meant> {
        let Term::String(text) = term else {
            return Ok(Meant { meaning: None, column: literal(term, Kind::Int64)? });
        };
        let found = match with {
            Meaning::Decimal(..) => read_decimal(text),
            _ => Meaning::find(text),
        };
        match found {
            Some((meaning, value)) => {
                Ok(Meant { meaning: Some(meaning), column: Column::from(Array::scalar(value)) })
            }
            None => fault(format!("{text:?} is no text of a value that goes with `{with}`")),
        }
    }

    pub fn nested(self) -> Nested {
        match &self.meaning {
            Some(meaning) => Nested::meant(meaning, &self.column),
            None => Nested::leaf(self.column),
        }
    }

    /// In another meaning, which has all values of the own; integers are decimals.
    pub fn to(&self, meaning: &Meaning) -> Meant {
        let own = self.meaning.clone().unwrap_or(Meaning::Decimal(PRECISION, 0));
        let column = scaled(&self.column.cast(meaning.kind()), own.factor(meaning));
        Meant { meaning: Some(meaning.clone()), column }
    }

    /// Decimals as floats; other numbers as they are.
    fn number(&self) -> Option<Column> {
        match self.meaning {
            Some(Meaning::Decimal(_, scale)) => Some(decimal_floats(&self.column, scale)),
            Some(_) => None,
            None => Some(self.column.clone()),
        }
    }

    fn is_integer(&self) -> bool {
        self.meaning.is_none() && self.column.kind().is_integer()
    }

    fn what(&self) -> String {
        match &self.meaning {
            Some(meaning) => format!("`{meaning}`"),
            None => format!("`{}`", self.column.kind()),
        }
    }
}

/// The floats that are nearest to decimals.
pub(super) fn decimal_floats(column: &Column, scale: u8) -> Column {
    let Column::Float64(x) = column.cast(Kind::Float64) else { unreachable!("it was converted") };
    Column::from(x / 10f64.powi(i32::from(scale)))
}

fn scaled(column: &Column, by: i64) -> Column {
    if by == 1 {
        return column.clone();
    }
    let Column::Int64(x) = column.cast(Kind::Int64) else { unreachable!("it was converted") };
    Column::from(x * by).cast(column.kind())
}

/// The operation on two sides, of which at least one has a meaning; `None` if neither has.
pub(super) fn of_two(op: Binary, sides: &[Nested]) -> Outcome<Option<Nested>> {
    if !sides.iter().any(|side| matches!(side.layout, Layout::Meant(..))) {
        return Ok(None);
    }
    applied(op, &Meant::of(&sides[0])?, &Meant::of(&sides[1])?).map(|made| Some(made.nested()))
}

/// The operation on a side with a meaning and a number or a text; `None` if the side has none.
pub(super) fn with_term(op: Binary, side: &Nested, term: &Term, first: bool) -> Outcome<Option<Nested>> {
    let Layout::Meant(meaning, _) = &side.layout else { return Ok(None) };
    let (own, other) = (Meant::of(side)?, Meant::literal(term, meaning)?);
    let made = if first { applied(op, &other, &own) } else { applied(op, &own, &other) };
    made.map(|made| Some(made.nested()))
}

fn applied(op: Binary, left: &Meant, right: &Meant) -> Outcome<Meant> {
    match op {
        Binary::Add => sum(left, right),
        Binary::Sub => difference(left, right),
        Binary::Mul => product(left, right),
        Binary::Div => quotient(left, right),
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
            together(op, left, right, |_| None)
        }
        Binary::Min | Binary::Max => together(op, left, right, |common| Some(common.clone())),
        Binary::And | Binary::Or | Binary::Xor => {
            fault(format!("{} has no bits", if left.meaning.is_some() { left } else { right }.what()))
        }
    }
}

/// The meaning in which two sides can be compared.
pub(super) fn common(left: &Meant, right: &Meant) -> Option<Meaning> {
    let whole = Meaning::Decimal(PRECISION, 0);
    match (&left.meaning, &right.meaning) {
        (Some(one), Some(other)) => one.common(other),
        (Some(one @ Meaning::Decimal(..)), None) if right.is_integer() => one.common(&whole),
        (None, Some(other @ Meaning::Decimal(..))) if left.is_integer() => other.common(&whole),
        _ => None,
    }
}

/// An operation in the common meaning, or of decimals and floats as floats.
fn together(
    op: Binary,
    left: &Meant,
    right: &Meant,
    result: impl Fn(&Meaning) -> Option<Meaning>,
) -> Outcome<Meant> {
    if let Some(common) = common(left, right) {
        let column = binary(op, &left.to(&common).column, &right.to(&common).column)?;
        return Ok(Meant { meaning: result(&common), column });
    }
    match (left.number(), right.number()) {
        (Some(left), Some(right)) => Ok(Meant { meaning: None, column: binary(op, &left, &right)? }),
        _ => unfit(op, left, right),
    }
}

/// The error of two meanings that an operation has no result for.
fn unfit<T>(op: Binary, left: &Meant, right: &Meant) -> Outcome<T> {
    let zone = |side: &Meant| match &side.meaning {
        Some(Meaning::Timestamp(_, zone)) => Some(zone.is_some()),
        _ => None,
    };
    let mixes = matches!((zone(left), zone(right)), (Some(one), Some(other)) if one != other);
    let why = if mixes && !matches!(op, Binary::Add | Binary::Mul | Binary::Div) {
        ": one has a zone and the other has none; `with_zone` gives and takes it"
    } else {
        ""
    };
    fault(format!("{} {} {} have no result{why}", left.what(), sign(op), right.what()))
}

fn sign(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Min => "min",
        Binary::Max => "max",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
    }
}

/// Decimals that were computed have all digits that there are.
fn computed(common: &Meaning) -> Meaning {
    match common {
        Meaning::Decimal(_, scale) => Meaning::Decimal(PRECISION, *scale),
        other => other.clone(),
    }
}

fn sum(left: &Meant, right: &Meant) -> Outcome<Meant> {
    match (&left.meaning, &right.meaning) {
        (Some(meaning), Some(Meaning::Duration(_))) if !matches!(meaning, Meaning::Duration(_)) => {
            moved(Binary::Add, left, right)
        }
        (Some(Meaning::Duration(_)), Some(meaning)) if !matches!(meaning, Meaning::Duration(_)) => {
            moved(Binary::Add, right, left)
        }
        (Some(Meaning::Duration(_)), Some(_))
        | (Some(Meaning::Decimal(..)), _)
        | (_, Some(Meaning::Decimal(..))) => {
            together(Binary::Add, left, right, |common| Some(computed(common)))
        }
        _ => unfit(Binary::Add, left, right),
    }
}

/// A time that a duration moves. A time of a day stays in the day; a date becomes a timestamp.
fn moved(op: Binary, left: &Meant, right: &Meant) -> Outcome<Meant> {
    let Some(Meaning::Duration(unit)) = right.meaning else { return unfit(op, left, right) };
    let to = match &left.meaning {
        Some(Meaning::Timestamp(own, zone)) => Meaning::Timestamp(unit.max(*own), zone.clone()),
        Some(Meaning::Time(own)) => Meaning::Time(unit.max(*own)),
        Some(Meaning::Date) => Meaning::Timestamp(unit, None),
        _ => return unfit(op, left, right),
    };
    let Some(fine) = to.unit() else { return unfit(op, left, right) };
    let by = right.to(&Meaning::Duration(fine)).column;
    let from = left.to(&to).column.cast(Kind::Int64);
    let moved = binary(op, &from, &by)?;
    let column = match (&to, &moved) {
        (Meaning::Time(_), Column::Int64(x)) => Column::from(modulo(x, DAY * fine.per_second())),
        _ => moved,
    };
    Ok(Meant { meaning: Some(to), column })
}

/// The remainder that is not negative.
pub(super) fn modulo(x: &Array<i64>, by: i64) -> Array<i64> {
    let rest = x % by;
    rest.lt(0).select(&rest + by, &rest)
}

/// The quotient, toward −∞.
pub(super) fn floored(x: &Array<i64>, by: i64) -> Array<i64> {
    let whole = x / by;
    (x - &whole * by).lt(0).select(&whole - 1, &whole)
}

fn difference(left: &Meant, right: &Meant) -> Outcome<Meant> {
    match (&left.meaning, &right.meaning) {
        (Some(Meaning::Duration(_)), Some(Meaning::Duration(_)))
        | (Some(Meaning::Decimal(..)), _)
        | (_, Some(Meaning::Decimal(..))) => {
            together(Binary::Sub, left, right, |common| Some(computed(common)))
        }
        (Some(_), Some(Meaning::Duration(_))) => moved(Binary::Sub, left, right),
        (Some(Meaning::Date), Some(Meaning::Date)) => {
            let seconds = Meaning::Timestamp(crate::schema::Unit::Second, None);
            difference(&left.to(&seconds), &right.to(&seconds))
        }
        (Some(_), Some(_)) => match common(left, right) {
            Some(common @ (Meaning::Time(unit) | Meaning::Timestamp(unit, _))) => {
                let side = |side: &Meant| side.to(&common).column.cast(Kind::Int64);
                let column = binary(Binary::Sub, &side(left), &side(right))?;
                Ok(Meant { meaning: Some(Meaning::Duration(unit)), column })
            }
            _ => unfit(Binary::Sub, left, right),
        },
        _ => unfit(Binary::Sub, left, right),
    }
}

fn product(left: &Meant, right: &Meant) -> Outcome<Meant> {
    let meaning = match (&left.meaning, &right.meaning) {
        (Some(Meaning::Duration(unit)), None) if right.is_integer() => Meaning::Duration(*unit),
        (None, Some(Meaning::Duration(unit))) if left.is_integer() => Meaning::Duration(*unit),
        (Some(Meaning::Decimal(_, one)), Some(Meaning::Decimal(_, other)))
            if one.saturating_add(*other) <= DIGITS =>
        {
            Meaning::Decimal(PRECISION, one + other)
        }
        (Some(Meaning::Decimal(_, scale)), None) if right.is_integer() => Meaning::Decimal(PRECISION, *scale),
        (None, Some(Meaning::Decimal(_, scale))) if left.is_integer() => Meaning::Decimal(PRECISION, *scale),
        _ => {
            return match (left.number(), right.number()) {
                (Some(one), Some(other)) if left.meaning.is_none() || right.meaning.is_none() => {
                    Ok(Meant { meaning: None, column: binary(Binary::Mul, &one, &other)? })
                }
                _ => unfit(Binary::Mul, left, right),
            };
        }
    };
    let column = binary(Binary::Mul, &left.column.cast(Kind::Int64), &right.column.cast(Kind::Int64))?;
    Ok(Meant { meaning: Some(meaning), column })
}

/// The quotient as a float; that of a duration and an integer is a duration, toward 0.
fn quotient(left: &Meant, right: &Meant) -> Outcome<Meant> {
    match (&left.meaning, &right.meaning) {
        (Some(Meaning::Duration(_)), Some(Meaning::Duration(_))) => {
            together(Binary::Div, left, right, |_| None)
        }
        (Some(Meaning::Duration(unit)), None) if right.is_integer() => {
            let sides = [left.column.clone(), right.column.cast(Kind::Int64)];
            let [Column::Int64(x), Column::Int64(by)] = sides else { unreachable!("both were converted") };
            Ok(Meant { meaning: Some(Meaning::Duration(*unit)), column: Column::from(x / by) })
        }
        _ => match (left.number(), right.number()) {
            (Some(left), Some(right)) => {
                Ok(Meant { meaning: None, column: binary(Binary::Div, &left, &right)? })
            }
            _ => unfit(Binary::Div, left, right),
        },
    }
}

/// A function of the integers that keeps what they mean, where that is a span or an amount: those with a sign.
pub(super) fn keeping(
    meaning: &Meaning,
    column: &Column,
    map: &mut dyn FnMut(&Column) -> Outcome<Column>,
) -> Outcome<Nested> {
    match meaning {
        Meaning::Duration(_) | Meaning::Decimal(..) => Ok(Nested::meant(&computed(meaning), &map(column)?)),
        Meaning::Date | Meaning::Time(_) | Meaning::Timestamp(..) => no_amount(meaning),
    }
}

/// The error of what is done with amounts only.
pub(super) fn no_amount<T>(meaning: &Meaning) -> Outcome<T> {
    fault(format!("`{meaning}` is no amount; `as_integers` gives its numbers"))
}

/// Sides brought to one meaning.
pub(super) fn aligned(sides: &[Meant]) -> Outcome<(Meaning, Vec<Column>)> {
    let mut all = sides[0].clone();
    for side in &sides[1..] {
        match common(&all, side) {
            Some(common) => all.meaning = Some(common),
            None => return fault(format!("{} and {} do not go together", all.what(), side.what())),
        }
    }
    match all.meaning {
        Some(meaning) => {
            let columns = sides.iter().map(|side| side.to(&meaning).column).collect();
            Ok((meaning, columns))
        }
        None => fault(format!("{} has no meaning", all.what())),
    }
}

/// Decimals as floats; nothing of what is no decimal.
pub(super) fn floats_of(nested: &Nested) -> Option<Column> {
    match &nested.layout {
        Layout::Meant(Meaning::Decimal(_, scale), column) => Some(decimal_floats(column, *scale)),
        _ => None,
    }
}
