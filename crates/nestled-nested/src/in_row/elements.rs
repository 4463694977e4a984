//! Operations on the elements of a row that know no axis: functions, fields, texts, times.

use super::InRow;
use crate::schema::{Kind, Meaning, Unit};
use crate::{Case, Letters, Nested};
use nestled_array::Result;

macro_rules! of_elements {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {
        impl InRow {$(
            #[doc = concat!("[`", stringify!($name), "`](Nested::", stringify!($name), ") of the row.")]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn $name(&self $(, $argument: $ty)*) -> Result<InRow> {
                Ok(self.with(self.across.$name($($argument),*)?))
            }
        )*}
    };
}

of_elements! {
    abs(); sqrt(); exp(); ln(); sin(); cos(); tan(); sinh(); cosh(); tanh(); atan(); floor(); ceil();
    cast(kind: Kind);
    nan_to_num(nan: f64); nan_to_missing();
    field(name: &str); select_fields(names: &[&str]); rename_fields(names: &[&str]); to_tuples();
    is_in(values: &Nested); index_in(values: &Nested);
    is_variant(variant: usize); project(variant: usize);
    text_length(); to_lower(); to_upper(); trim(); with_case(case: Case); letters_are(letters: Letters);
    starts_with(pattern: &str); ends_with(pattern: &str); contains(pattern: &str); find(pattern: &str); count_text(pattern: &str);
    matches_regex(pattern: &str); find_regex(pattern: &str); count_regex(pattern: &str); replace_regex(pattern: &str, with: &str);
    replace(pattern: &str, with: &str); slice_texts(start: Option<i64>, stop: Option<i64>, step: i64); split(pattern: &str);
    to_text(); parse(kind: Kind); parse_as(meaning: &Meaning);
    as_integers(); with_meaning(meaning: &Meaning); in_unit(unit: Unit); with_zone(zone: Option<&str>);
    year(); month(); day(); day_of_year(); weekday(); hour(); minute(); second(); nanosecond(); date(); time_of_day();
}
