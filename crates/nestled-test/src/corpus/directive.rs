//! Directives: statements of a data file about its program, in comments.
//!
//! ```text
//! ; run: f([1, 2, 3], 2) = [2, 4, 6], 3      ; the call gives these results
//! ; run: f<5, [1, 0]>(7) = 1                 ; shape arguments that cannot be read off the arguments
//! ; fault: f([1], 2) = out of range          ; the call ends in a fault whose message has these words
//! ; output: x = 2                            ; a line that the call before prints (a call without such lines prints nothing)
//! ; structure: kernels 1, combinators 3      ; counts of the program, after the passes of the file
//! ; error: L0203 3:14 some words             ; the next message: code, place, some of its words
//! ; pass: simplify, contract                 ; the passes to run
//! ; limits: sweeps 1, combinators 2          ; limits of the device; others are what they are by default
//! ; expect:                                  ; the program after the passes: all lines that follow
//! ```

use super::structure::Count;
use nestled_pass::Limits;

/// A statement of a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// `run:`
    Run {
        /// The call.
        call: Call,
        /// The text of each result.
        results: Vec<String>,
        /// The lines that the call prints.
        output: Vec<String>,
    },
    /// `fault:`
    Fault {
        /// The call.
        call: Call,
        /// Words of the message.
        message: String,
        /// The lines printed before the fault.
        output: Vec<String>,
    },
    /// `structure:`
    Structure(Vec<(Count, usize)>),
    /// `error:`
    Error {
        /// The code.
        code: String,
        /// Line and column.
        place: (usize, usize),
        /// Words of the message.
        words: String,
    },
    /// `pass:`
    Pass(Vec<String>),
    /// `limits:`
    Limits(Limits),
    /// `expect:` and the text after it.
    Expect(String),
}

/// `f<5>([1, 2])`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The call as written.
    pub text: String,
    /// The function.
    pub function: String,
    /// Shape arguments, where they are given.
    pub shapes: Option<Vec<String>>,
    /// Arguments.
    pub args: Vec<String>,
}

/// All directives of a text.
pub fn directives(text: &str) -> Result<Vec<Directive>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut number = 0;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        (rest, number) = (after, number + 1);
        let Some((word, argument)) = comment(line).and_then(directive_word) else { continue };
        let at_line = |error: String| format!("line {number}: {error}");
        if word == "expect" {
            found.push(Directive::Expect(expected_text(after).map_err(at_line)?));
            break;
        }
        add(&mut found, word, argument).map_err(at_line)?;
    }
    Ok(found)
}

/// The text of the comment in a line, if there is one.
fn comment(line: &str) -> Option<&str> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ';' if !quoted => return Some(line[at + 1..].trim()),
            _ => {}
        }
    }
    None
}

/// Splits `word: argument`, where the word is in small letters.
fn directive_word(comment: &str) -> Option<(&str, &str)> {
    let (word, argument) = comment.split_once(':')?;
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    plain.then_some((word, argument.strip_prefix(' ').unwrap_or(argument)))
}

fn add(found: &mut Vec<Directive>, word: &str, argument: &str) -> Result<(), String> {
    let directive = match word {
        "run" => {
            let (call, results) = parse_call(argument)?;
            let results = split(results);
            Directive::Run { call, results, output: Vec::new() }
        }
        "fault" => {
            let (call, message) = parse_call(argument)?;
            if message.is_empty() {
                return Err("a fault needs words of its message".to_owned());
            }
            Directive::Fault { call, message: message.to_owned(), output: Vec::new() }
        }
        "output" => return add_output(found, argument),
        "structure" => Directive::Structure(parse_counts(argument)?),
        "error" => parse_error(argument)?,
        "pass" => Directive::Pass(split(argument)),
        "limits" => Directive::Limits(parse_limits(argument)?),
        _ => return Err(format!("unknown directive `{word}`")),
    };
    found.push(directive);
    Ok(())
}

fn add_output(found: &mut [Directive], line: &str) -> Result<(), String> {
    match found.last_mut() {
        Some(Directive::Run { output, .. } | Directive::Fault { output, .. }) => {
            output.push(line.to_owned());
            Ok(())
        }
        _ => Err("`output` belongs after the call that prints it".to_owned()),
    }
}

/// `f<5>([1]) = rest`.
fn parse_call(text: &str) -> Result<(Call, &str), String> {
    let malformed = || format!("`{text}` should be a call, `=`, and what it gives");
    let open = text.find(['<', '(']).ok_or_else(malformed)?;
    let (function, mut rest) = (text[..open].trim(), &text[open..]);
    let mut shapes = None;
    if let Some(inside) = rest.strip_prefix('<') {
        let (list, after) = inside.split_once('>').ok_or_else(malformed)?;
        shapes = Some(split(list));
        rest = after.trim_start();
    }
    let close = matching_bracket(rest).ok_or_else(malformed)?;
    let args = split(&rest[1..close]);
    let after = rest[close + 1..].trim_start().strip_prefix('=').ok_or_else(malformed)?;
    let written = text[..text.len() - rest.len() + close + 1].to_owned();
    Ok((Call { text: written, function: function.to_owned(), shapes, args }, after.trim()))
}

/// Position of the bracket that closes the first one of a text.
fn matching_bracket(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (c == ')').then_some(at);
        }
    }
    None
}

fn split(text: &str) -> Vec<String> {
    nestled_ir::value::split_list(text).into_iter().map(str::to_owned).collect()
}

/// `kernels 1, reads 3`.
fn parse_counts(text: &str) -> Result<Vec<(Count, usize)>, String> {
    let part = |part: &str| {
        let (name, number) = part.split_once(' ')?;
        Some((Count::from_name(name)?, number.trim().parse().ok()?))
    };
    text.split(',')
        .map(|text| part(text.trim()).ok_or_else(|| format!("`{text}` should be a name and a number")))
        .collect()
}

/// `sweeps 1, combinators 2`.
fn parse_limits(text: &str) -> Result<Limits, String> {
    let mut limits = Limits::default();
    for part in text.split(',').map(str::trim) {
        let words = part.split_once(' ').and_then(|(name, number)| Some((name, number.trim().parse().ok()?)));
        let (name, number) = words.ok_or_else(|| format!("`{part}` should be a name and a number"))?;
        limits.set(name, number).map_err(|unknown| unknown.to_string())?;
    }
    Ok(limits)
}

/// `L0203 3:14 some words`.
fn parse_error(text: &str) -> Result<Directive, String> {
    let parse = || {
        let (code, rest) = text.split_once(' ')?;
        let (place, words) = rest.split_once(' ')?;
        let (line, column) = place.split_once(':')?;
        let place = (line.parse().ok()?, column.parse().ok()?);
        let words = words.trim();
        (!words.is_empty()).then(|| Directive::Error {
            code: code.to_owned(),
            place,
            words: words.to_owned(),
        })
    };
    parse().ok_or_else(|| format!("`{text}` should be a code, `line:column`, and words of the message"))
}

/// The lines after `expect:` without their `; `.
fn expected_text(text: &str) -> Result<String, String> {
    let mut expected = String::new();
    for line in text.lines() {
        let line = line.strip_prefix(';').ok_or("only comments may follow `expect:`")?;
        expected.push_str(line.strip_prefix(' ').unwrap_or(line));
        expected.push('\n');
    }
    Ok(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_shapes_arguments_and_results() {
        let found = directives("x ; run: f<5, [1, 0]>(\"a;)\", [1, 2]) = [3], 4\n").unwrap();
        let [Directive::Run { call, results, output }] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(call.function, "f");
        assert_eq!(call.shapes.as_deref(), Some(&["5".to_owned(), "[1, 0]".to_owned()][..]));
        assert_eq!(call.args, ["\"a;)\"", "[1, 2]"]);
        assert_eq!(results, &["[3]", "4"]);
        assert!(output.is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, words) in [
            ("; runn: f() = 1", "line 1: unknown directive `runn`"),
            ("\n; run: f()", "line 2: `f()` should be a call"),
            ("; fault: f() =", "line 1: a fault needs words"),
            ("; output: x", "line 1: `output` belongs after"),
            ("; structure: kernel 1", "line 1: `kernel 1` should be a name and a number"),
            ("; limits: sweeps", "line 1: `sweeps` should be a name and a number"),
            ("; limits: sheep 1", "line 1: there is no limit `sheep`"),
            ("; error: L0001 words", "line 1: `L0001 words` should be a code"),
            ("; expect:\nfn", "line 1: only comments may follow"),
        ] {
            let error = directives(text).unwrap_err();
            assert!(error.starts_with(words), "{text}: {error}");
        }
    }

    #[test]
    fn prose_is_not_a_directive() {
        assert_eq!(directives("; Sums: of rows\n; two words: x\nprint \"; run: f\"\n"), Ok(Vec::new()));
    }

    #[test]
    fn expect_takes_the_rest() {
        let found = directives("; expect:\n; fn f() {\n;   ; run: g\n;\n; }\n").unwrap();
        assert_eq!(found, [Directive::Expect("fn f() {\n  ; run: g\n\n}\n".to_owned())]);
    }
}
