//! Places: where the states of the tiles of groups are stored, if each group has tiles of its own.
//!
//! They need no prefix sum over earlier groups: group g begins at place g + ⌊(first position of g) / size of a tile⌋. Places of neighbouring groups never
//! overlap, because a group of n positions has at most ⌊(end of g) / size⌋ − ⌊(start of g) / size⌋ + 1 tiles. Some places stay unused.

use super::writer::Writer;
use crate::text::Text;

impl Writer<'_> {
    /// Emits the functions `first` and `count` of groups at level `to`: their first position, and their number of positions.
    pub fn write_first_and_count(&self, text: &mut Text, number: usize, (to, level): (usize, usize)) {
        let group = [("group".to_owned(), "i32".to_owned())];
        text.open(self.dialect.function(&format!("first{number}"), &group, Some("i32")));
        text.line(format!("return {};", self.below(to, level, "group")));
        text.close();
        text.open(self.dialect.function(&format!("count{number}"), &group, Some("i32")));
        let next = self.below(to, level, &format!("(group + {})", self.dialect.small(1)));
        text.line(format!("return {next} - first{number}(group);"));
        text.close();
    }

    /// Emits the function `place` that returns the place of a group's first tile of `points` positions.
    pub fn write_place(&self, text: &mut Text, number: usize, (place, points): (&str, u64)) {
        let group = [("group".to_owned(), "i32".to_owned())];
        text.open(self.dialect.function(place, &group, Some("i32")));
        text.line(format!("return group + first{number}(group) / {points};"));
        text.close();
    }

    /// Emits the function `group_of` that returns the last group, of level `to`, that begins at a place or before.
    pub fn write_group_of(&self, text: &mut Text, to: usize, (group_of, place): (&str, &str)) {
        let param = [("place".to_owned(), "i32".to_owned())];
        text.open(self.dialect.function(group_of, &param, Some("i32")));
        text.line(self.dialect.variable("low", "i32", Some("0")));
        text.line(self.dialect.variable("high", "i32", Some(&self.points(to))));
        text.open("while (high - low > 1) {");
        text.line(self.dialect.constant("middle", "i32", "(low + high) / 2"));
        text.line(format!("if ({place}(middle) <= place) {{ low = middle; }} else {{ high = middle; }}"));
        text.close();
        text.line("return low;");
        text.close();
    }
}
