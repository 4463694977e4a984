//! What the code of derives names, all in one module: it is re-exported beside the derives, so that one path leads to everything.

pub use crate::{Row, Schema, Value};
pub use nestled_array::{
    Content, GivenPools, Giving, Handle, HostColumns, NeslContent, NeslNode, NeslRow, NeslType, NeslValue,
    NeslVariant, Param, Piece, Result, TakenPools, Taking, Wanted, datatype_type, give_row, pull_data,
    record_rows, record_type, take_row, tuple_type, unfit_columns, want_data,
};
