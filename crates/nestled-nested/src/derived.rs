//! What the code of derives names, all in one module: it is re-exported beside the derives, so that one path leads to everything.

use crate::fault::expect;

pub use crate::{Columns, Nested, Row, Schema, Value};
pub use nestled_array::{
    Content, GivenPools, Giving, Handle, HostColumns, NeslContent, NeslNode, NeslRow, NeslType, NeslValue,
    NeslVariant, Param, Piece, Result, TakenPools, Taking, Wanted, datatype_type, give_row, pull_data,
    record_rows, record_type, take_row, tuple_type, unfit_columns, want_data,
};

/// Records of columns that are equally long; without names tuples, and one alone is what it holds.
pub fn gathered(columns: &[(&str, Nested)]) -> Nested {
    let made = match columns {
        [("", column)] => return column.clone(),
        [("", _), ..] => Nested::tuples(&columns.iter().map(|(_, column)| column).collect::<Vec<_>>()),
        _ => Nested::records(&columns.iter().map(|(name, column)| (*name, column)).collect::<Vec<_>>()),
    };
    expect(made)
}
