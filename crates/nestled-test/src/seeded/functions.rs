//! Detection of function bodies in Rust text, by its braces alone: comments, strings and characters are blanked first, so that every
//! brace that is left counts.

use std::ops::Range;

/// A function that has a body.
pub struct Function {
    /// The range between its braces.
    pub body: Range<usize>,
    /// Whether its body can become an `if` decided at run time, with a body of the same type in each arm. This excludes a `const fn`, and a function that returns an
    /// `impl Trait`, which would be another type in each arm.
    pub can_choose: bool,
}

/// The functions of a text, outer ones before those within them.
pub fn functions(text: &str) -> Vec<Function> {
    let code = blanked(text.as_bytes());
    let is_word = |at: usize| code.get(at).is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric());
    let mut found = Vec::new();
    for at in 0..code.len() {
        let is_keyword = code[at..].starts_with(b"fn ") && (at == 0 || !is_word(at - 1)) && is_word(at + 3);
        if let Some(body) = is_keyword.then(|| body(&code, at)).flatten() {
            let before = code[..at].rsplit(|byte| b";{})]".contains(byte)).next().unwrap_or_default();
            let signature = &code[at..body.start];
            let can_choose = !contains_word(before, b"const") && !returns_impl(signature);
            found.push(Function { body, can_choose });
        }
    }
    found
}

fn contains_word(text: &[u8], word: &[u8]) -> bool {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').any(|part| part == word)
}

fn returns_impl(signature: &[u8]) -> bool {
    let arrow = signature.windows(2).rposition(|pair| pair == b"->");
    arrow.is_some_and(|arrow| contains_word(&signature[arrow..], b"impl"))
}

/// The range between the braces of the function with its keyword here; `None` if it is only declared.
fn body(code: &[u8], keyword: usize) -> Option<Range<usize>> {
    let mut depth = 0_usize;
    let mut open = None;
    for (at, byte) in code.iter().enumerate().skip(keyword) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.checked_sub(1)?,
            b';' if depth == 0 && open.is_none() => return None,
            b'{' => {
                if depth == 0 && open.is_none() {
                    open = Some(at + 1);
                }
                depth += 1;
            }
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return open.map(|open| open..at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text with spaces for all that is in comments, strings and characters, at the same places.
fn blanked(text: &[u8]) -> Vec<u8> {
    let mut code = text.to_vec();
    let mut at = 0;
    while at < text.len() {
        let end = at + skipped(text, at);
        if end == at {
            at += 1;
        } else {
            code[at..end].fill(b' ');
            at = end;
        }
    }
    code
}

/// The length in bytes of the comment, string or character that begins here; 0 if there is none.
fn skipped(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let follows_word = at > 0 && (text[at - 1] == b'_' || text[at - 1].is_ascii_alphanumeric());
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => quoted(rest, b'"'),
        [b'r', b'"' | b'#', ..] if !follows_word => raw_string(&rest[1..]).map_or(0, |length| length + 1),
        [b'b', b'r', b'"' | b'#', ..] if !follows_word => {
            raw_string(&rest[2..]).map_or(0, |length| length + 2)
        }
        [b'\'', b'\\', ..] => quoted(rest, b'\''),
        // A character, where a second quote follows it; a lifetime otherwise.
        [b'\'', first, ..] => {
            let length = if first.is_ascii() { 1 } else { first.leading_ones() as usize };
            if rest.get(1 + length) == Some(&b'\'') { length + 2 } else { 0 }
        }
        _ => 0,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    rest.len()
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    rest.len().min(at + 1)
}

/// The length of a raw string from the marks before the quote on; `None` if this is a raw name instead.
fn raw_string(rest: &[u8]) -> Option<usize> {
    let marks = rest.iter().position(|byte| *byte != b'#')?;
    (rest[marks] == b'"').then_some(())?;
    let end = [&b"\""[..], &b"#".repeat(marks)].concat();
    let length = rest[marks + 1..].windows(end.len()).position(|window| window == end)?;
    Some(marks + 1 + length + end.len())
}

#[cfg(test)]
mod tests {
    use super::functions;

    fn bodies(text: &str) -> Vec<(&str, bool)> {
        functions(text).into_iter().map(|found| (&text[found.body], found.can_choose)).collect()
    }

    #[test]
    fn braces_in_texts_do_not_count() {
        let text = r###"fn a<'a>(x: &'a [u8; 3]) -> char { let s = "}\"{"; /* } /* { */ */ '{' } // fn no() {
            fn b() { r#"}" }"#; b'}'; "é" }"###;
        let found = bodies(text);
        assert_eq!(found.len(), 2);
        assert!(found[0].0.ends_with("'{' ") && found[1].0.ends_with("\"é\" "));
    }

    #[test]
    fn those_that_cannot_choose_are_known() {
        let text = "trait T { fn declared(&self) -> [u8; 4]; }
            pub(crate) const unsafe fn constant() { 1 }
            const X: u8 = 1; fn plain(x: impl Copy) -> u8 { 2 }
            fn opaque() -> impl Iterator<Item = u8> { 3 }
            fn outer(f: fn(u8) -> u8) { fn inner() { 4 } }";
        let found = bodies(text);
        let expected =
            [(" 1 ", false), (" 2 ", true), (" 3 ", false), (" fn inner() { 4 } ", true), (" 4 ", true)];
        assert_eq!(found, expected);
    }
}
