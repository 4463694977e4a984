//! The comments at the head and the end of a written program, which the original ignores: the widths of its numbers, and its superoperators.
//!
//! ```text
//! { INT 64 FLOAT 64 }
//! …
//! { superoperators
//! /*
//! fused OP0#1 ($0 : INT, $1 : INT, $2 : INT) = (+ INT @ (* INT @ $0 $1) $2)
//! */
//! }
//! ```

/// Returns the comment that says how wide numbers are.
pub(super) fn write_widths(int: u32, float: u32) -> String {
    format!("{{ INT {int} FLOAT {float} }}\n")
}

/// Returns the comment that holds a listing.
pub(super) fn write_listing(listing: &str) -> String {
    format!("{{ superoperators\n/*\n{listing}*/\n}}\n")
}

/// Returns how wide a program says that its integers and floats are, if it begins with that.
pub fn widths(text: &str) -> Option<(u32, u32)> {
    let words: Vec<&str> = text.lines().next()?.split_whitespace().collect();
    let ["{", "INT", int, "FLOAT", float, "}"] = words[..] else { return None };
    let width = |word: &str| word.parse().ok().filter(|width| [32, 64].contains(width));
    Some((width(int)?, width(float)?))
}

/// True if a program has the listing of its superoperators in its last comment.
pub fn has_listing(text: &str) -> bool {
    text.contains("{ superoperators\n/*\n") && text.trim_end().ends_with("*/\n}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::listing::Listing;

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(widths(&write_widths(64, 32)), Some((64, 32)));
        assert_eq!(widths("{ INT 65 FLOAT 64 }\n"), None);
        assert_eq!(widths("FUNC MAIN RET"), None);
        let text = format!("FUNC MAIN RET\n\n{}", write_listing("fused OP0#1 ($0 : INT) = (NOT INT @ $0)\n"));
        assert!(has_listing(&text));
        assert!(Listing::parse(&text, 0).is_ok_and(|listing| listing.get(0).is_some()));
        assert!(crate::syntax::parse(&text).is_ok());
    }
}
