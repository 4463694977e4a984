//! What the code of derives names, all in one module: it is re-exported beside the derives, so that one path leads to everything.

use crate::nested::Layout;
use std::sync::Arc;

pub use crate::{Columns, Nested, Row, Schema, Value};
pub use nestled_array::{
    Content, GivenPools, Giving, Handle, HostColumns, NeslContent, NeslNode, NeslRow, NeslType, NeslValue,
    NeslVariant, Param, Piece, Result, TakenPools, Taking, Wanted, datatype_type, give_row, pull_data,
    record_rows, record_type, take_row, tuple_type, unfit_columns, want_data,
};

/// Records of columns that are equally long; without names tuples.
pub fn gathered(columns: &[(&str, Nested)]) -> Nested {
    let length = columns.iter().map(|(_, column)| column.length).min().unwrap_or(0);
    let is_tuple = columns.iter().any(|(name, _)| name.is_empty());
    let layout = match columns {
        [("", column)] => return column.clone(),
        _ if is_tuple => Layout::Tuple(columns.iter().map(|(_, column)| column.clone()).collect()),
        _ => {
            Layout::Record(columns.iter().map(|(name, column)| (Arc::from(*name), column.clone())).collect())
        }
    };
    Nested { length, layout }
}
