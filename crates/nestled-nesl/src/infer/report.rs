//! Diagnostics about names and types.

use super::Infer;
use crate::ast::Name;
use crate::types::{Base, Class, Mismatch, Type, TypeId};
use nestled_ir::{Diagnostic, Span};

impl Infer<'_> {
    /// The message for a name that is not defined.
    pub(super) fn undefined(&self, name: &Name) -> Diagnostic {
        if let Some(place) = self.env.ahead().place(&name.text) {
            return Diagnostic::new("N0103", format!("`{}` is not defined yet", name.text), name.span)
                .here("it is used here")
                .label(place, "and defined here, further down")
                .help("a function may be used before its definition, if all that it needs is there by then; a value may not");
        }
        let diagnostic = Diagnostic::new("N0103", format!("`{}` is not defined", name.text), name.span)
            .here("nothing has this name here");
        let help = match &*name.text {
            "true" => Some("the truth values are `t` and `f`".to_owned()),
            "false" => Some("the truth values are `t` and `f`".to_owned()),
            "size" | "len" => Some("the length of `v` is `#v`".to_owned()),
            "print_int" => Some("`print(v)` takes any value".to_owned()),
            word if foreign(word).is_some() => foreign(word).map(str::to_owned),
            _ => {
                let locals = self.scope.iter().filter(|(_, locals)| !locals.is_empty()).map(|(name, _)| name);
                let known = locals.chain(self.env.names()).map(|name| name.to_string());
                nestled_ir::text::closest(&name.text, known).map(|name| format!("did you mean `{name}`?"))
            }
        };
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    /// The message for a type mismatch at a place; `what` begins the sentence: "`+` cannot take".
    pub(super) fn mismatch(
        &self,
        code: &'static str,
        what: &str,
        span: Span,
        expected: TypeId,
        found: TypeId,
        why: Mismatch,
    ) -> Diagnostic {
        let (wanted, got) = self.show_two(expected, found);
        let here = Diagnostic::new(code, format!("{what} `{got}`"), span);
        match why {
            Mismatch::Shape => {
                let diagnostic = here.here(format!("this is `{got}`, wanted is `{wanted}`"));
                match self.conversion(expected, found) {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                }
            }
            Mismatch::Class(class, culprit) => {
                let culprit_shown = self.show(culprit);
                let mut diagnostic = match self.env.types.get(culprit) {
                    Type::Var(other) => here
                        .here(format!(
                            "a value cannot be asked to be {} and {}",
                            article(class),
                            article(*other)
                        ))
                        .help("say which type is meant, as in `function g(x) : int -> int = …`"),
                    _ => here.here(format!("`{culprit_shown}` is not {}", article(class))),
                };
                diagnostic.code = "N0107";
                if diagnostic.help.is_none() {
                    diagnostic.help = Some(members(class).to_owned());
                }
                diagnostic
            }
            Mismatch::Infinite => {
                let mut diagnostic = here
                    .here(format!("`{got}` and `{wanted}` would have to be the same type, of endless size"));
                diagnostic.code = "N0108";
                diagnostic
            }
        }
    }

    /// Returns a hint at a conversion that would repair a mismatch.
    fn conversion(&self, expected: TypeId, found: TypeId) -> Option<&'static str> {
        let base = |ty| match self.env.types.get(ty) {
            Type::Base(base) => Some(*base),
            _ => None,
        };
        match (base(expected)?, base(found)?) {
            (Base::Float, Base::Int) => {
                Some("nothing is converted by itself: write `float(…)`, or a literal such as `2.0`")
            }
            (Base::Int, Base::Float) => Some(
                "nothing is converted by itself: write `round(…)`, `floor(…)` or `float(…)` on the other side",
            ),
            (Base::Int, Base::Bool) => Some("`btoi(b)` makes 1 of `t` and 0 of `f`"),
            (Base::Bool, Base::Int) => Some("a condition is a `bool`: write `x /= 0`"),
            (Base::Int, Base::Char) => Some("`char_code(c)` gives the code of a character"),
            (Base::Char, Base::Int) => Some("`code_char(n)` gives the character with a code"),
            _ => None,
        }
    }
}

/// Returns a hint at the NESL counterpart of a word of other languages.
fn foreign(word: &str) -> Option<&'static str> {
    Some(match word {
        "range" => {
            "`[0:n]` and `index(n)` are the integers from 0 up to n, without n; `[a:b:step]` goes by steps"
        }
        "filter" => "the elements for which something holds are `{x in v | x > 0}`",
        "lambda" | "fun" | "fn" => {
            "a function value is written `x => x * 2`, a function `function g(x) = x * 2`"
        }
        "reduce" | "fold" | "foldl" | "foldr" => {
            "`sum`, `product`, `max_val`, `min_val`, `any` and `all` combine the elements of a sequence, `scan(g, zero, v)` by any function that does not care how it is bracketed"
        }
        "while" | "for" | "loop" => {
            "there are no loops: `{g(i) : i in [0:n]}` computes for each element, and what needs the round before is a function that calls itself"
        }
        "str" | "to_string" | "show" => "any value as text is `@v`",
        "int" => {
            "a float becomes an integer by `round`, `floor`, `ceil` or `trunc`, a character by `char_code`"
        }
        "return" => "a function gives the value of its body; there is no word for it",
        "def" => "a function is written `function g(x) = x * 2;`",
        "var" | "const" | "val" => {
            "a name gets a value by `x = 3;`, inside of an expression by `let x = 3 in …`"
        }
        "null" | "none" | "nil" => "there is no such value; an empty sequence is `[] int`",
        "elif" | "elsif" | "elseif" => "a further condition is `else if`",
        _ => return None,
    })
}

/// Returns the name of a class with its article.
fn article(class: Class) -> &'static str {
    match class {
        Class::Any => "anything",
        Class::Scalar => "a scalar",
        Class::Ordinal => "an ordinal",
        Class::Number => "a number",
        Class::Logical => "a logical",
    }
}

fn members(class: Class) -> &'static str {
    match class {
        Class::Any => "every type will do",
        Class::Scalar => "scalars are `int`, `float`, `char` and `bool`",
        Class::Ordinal => {
            "`int`, `float`, `char` and strings can be compared so; `eql(a, b)` compares any two values"
        }
        Class::Number => "numbers are `int` and `float`",
        Class::Logical => "`bool` and `int` are logical",
    }
}
