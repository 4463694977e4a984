//! What the code of derives names, all in one module: it is re-exported beside the derives, so that one path leads to everything.

pub use crate::{Row, Schema, Value};
pub use nestled_array::{
    HostColumns, NeslDatatype, NeslRow, NeslType, NeslValue, NeslVariant, Piece, Result, give_row, take_row,
    tuple_type, unfit_columns,
};
