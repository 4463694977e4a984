//! Lexer: characters to tokens.
//!
//! The longest match wins, and words may contain nearly any character: `5-3` is one word, `-5` an integer, `1e5` a word (a float has a dot).

use super::codes;
use nestled_ir::{Diagnostic, Span};

/// A token with its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Token<'a> {
    pub kind: Kind<'a>,
    pub span: Span,
}

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind<'a> {
    /// An integer, reduced modulo 2⁶⁴.
    Integer(i64),
    /// A number with a dot.
    Real(f64),
    /// A word: of the language, or a name.
    Word(&'a str),
    /// The text between two `"`; there are no escapes.
    Text(&'a str),
    /// `(`
    Open,
    /// `)`
    Close,
    /// The end of the text.
    End,
}

/// True for characters of words.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-+*/%<>=!._".contains(&byte)
}

/// Returns all tokens, the last of them [`Kind::End`], and the errors.
pub fn lex(text: &str) -> (Vec<Token<'_>>, Vec<Diagnostic>) {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut wrong = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let closing = |close: u8| bytes[start + 1..].iter().position(|&byte| byte == close);
        let kind = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => {
                at += 1;
                continue;
            }
            b'{' => {
                at = match closing(b'}') {
                    Some(length) => start + length + 2,
                    None => {
                        let here = Span::new(0, start, start + 1);
                        wrong.push(Diagnostic::new(codes::UNCLOSED, "this comment has no `}`", here));
                        bytes.len()
                    }
                };
                continue;
            }
            b'"' => match closing(b'"') {
                Some(length) => {
                    at = start + length + 2;
                    Kind::Text(&text[start + 1..at - 1])
                }
                None => {
                    let here = Span::new(0, start, start + 1);
                    wrong.push(Diagnostic::new(codes::UNCLOSED, "this text has no closing `\"`", here));
                    break;
                }
            },
            b'(' => {
                at += 1;
                Kind::Open
            }
            b')' => {
                at += 1;
                Kind::Close
            }
            _ if is_word(byte) => {
                at += bytes[start..].iter().take_while(|&&byte| is_word(byte)).count();
                word(&text[start..at])
            }
            _ => {
                let character = text[start..].chars().next().unwrap_or('?');
                at += character.len_utf8();
                let message = format!("`{character}` begins nothing in VCODE");
                wrong.push(Diagnostic::new(codes::CHARACTER, message, Span::new(0, start, at)));
                continue;
            }
        };
        tokens.push(Token { kind, span: Span::new(0, start, at) });
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(0, text.len(), text.len()) });
    (tokens, wrong)
}

/// Classifies a word: a number, or a word.
fn word(text: &str) -> Kind<'_> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    if whole == 0 {
        return Kind::Word(text);
    }
    let Some(fraction) = digits[whole..].strip_prefix('.') else {
        return if whole == digits.len() { Kind::Integer(integer(text)) } else { Kind::Word(text) };
    };
    let rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let exponent = match rest.strip_prefix(['E', 'e']) {
        Some(exponent) => {
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => rest.is_empty(),
    };
    match text.parse() {
        Ok(number) if exponent => Kind::Real(number),
        _ => Kind::Word(text),
    }
}

/// Parses an integer modulo 2⁶⁴.
fn integer(text: &str) -> i64 {
    let magnitude = text
        .bytes()
        .filter(u8::is_ascii_digit)
        .fold(0i64, |sum, digit| sum.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')));
    if text.starts_with('-') { magnitude.wrapping_neg() } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind<'_>> {
        lex(text).0.into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn numbers_and_words() {
        use Kind::{End, Integer, Real, Word};
        assert_eq!(kinds("- -5 +5 5-3"), [Word("-"), Integer(-5), Integer(5), Word("5-3"), End]);
        assert_eq!(kinds("1. 1.5E-3 -2.5"), [Real(1.0), Real(1.5e-3), Real(-2.5), End]);
        for word in ["1e5", ".5", "-.5", "nan", "inf", "1.5x", "->_16", "/_15", "++_9", "1.5E", "1.5E+"] {
            assert_eq!(kinds(word), [Word(word), End]);
        }
        assert_eq!(kinds("23209834902834"), [Integer(23209834902834), End]);
    }

    #[test]
    fn comments_texts_and_strange_characters() {
        assert_eq!(kinds("a{ \" \n }b\r\n"), [Kind::Word("a"), Kind::Word("b"), Kind::End]);
        assert_eq!(kinds("\"a{\\n\n\""), [Kind::Text("a{\\n\n"), Kind::End]);
        let (tokens, wrong) = lex("a # λ b \"x");
        assert_eq!(tokens.len(), 3);
        assert_eq!(wrong.len(), 3);
    }
}
