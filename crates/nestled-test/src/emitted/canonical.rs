//! Canonical names for the locals of emitted text: two texts that differ only in how locals are called become one.
//!
//! Locals are renamed function by function, in the order in which they first occur. What lies outside of functions stays as it is, and so do
//! the names of functions, types and fields.
//!
//! ```text
//! %t7 = add i64 %t3, 1      →      %1 = add i64 %0, 1
//! let l12: i32 = l4 + 1i;   →      let v1: i32 = v0 + 1i;
//! ```

use std::collections::{HashMap, HashSet};

/// A language that back ends write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// LLVM's text form.
    Llvm,
    /// The WebGPU shading language.
    Wgsl,
    /// CUDA C++.
    Cuda,
}

/// The text with canonical names for the locals of every function.
pub fn canonical(text: &str, language: Language) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = function_start(rest, language) {
        out.push_str(&rest[..start]);
        let end = start + function_length(&rest[start..]);
        match language {
            Language::Llvm => rename_llvm(&rest[start..end], &mut out),
            Language::Wgsl | Language::Cuda => rename_c(&rest[start..end], language, &mut out),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The start of the first function's line.
fn function_start(text: &str, language: Language) -> Option<usize> {
    let begins = |line: &str| match language {
        Language::Llvm => line.starts_with("define "),
        Language::Wgsl => line.starts_with("fn "),
        Language::Cuda => line.starts_with("__device__ ") && line.contains('('),
    };
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        begins(line).then_some(start)
    })
}

/// The length of a function: to the brace that closes its body, or to the end of a declaration without one.
fn function_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn rename_llvm(function: &str, out: &mut String) {
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut number = |name: &str| {
        let next = names.len();
        *names.entry(name.to_owned()).or_insert(next)
    };
    for line in function.split_inclusive('\n') {
        let label = line.trim_end().strip_suffix(':').filter(|name| name.bytes().all(is_llvm_name));
        if let Some(label) = label {
            out.push_str(&format!("{}:\n", number(label)));
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find(['%', '"']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let end = if let Some(quoted) = rest.strip_prefix('"') {
                quoted.find('"').map_or(rest.len(), |end| end + 2)
            } else {
                1 + rest[1..].bytes().take_while(|byte| is_llvm_name(*byte)).count()
            };
            match rest[..end].strip_prefix('%') {
                Some(name) if !name.is_empty() => out.push_str(&format!("%{}", number(name))),
                _ => out.push_str(&rest[..end]),
            }
            rest = &rest[end..];
        }
        out.push_str(rest);
    }
}

fn is_llvm_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._$-".contains(&byte)
}

fn rename_c(function: &str, language: Language, out: &mut String) {
    let words = words(function);
    let texts: Vec<&str> = words.iter().map(|&(start, end)| &function[start..end]).collect();
    let locals = match language {
        Language::Wgsl => declared_wgsl(&texts),
        Language::Llvm | Language::Cuda => declared_cuda(&texts),
    };
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut written = 0;
    for (at, &(start, end)) in words.iter().enumerate() {
        let is_field = at > 0 && [".", "->"].contains(&texts[at - 1]);
        if !is_field && locals.contains(texts[at]) {
            let next = names.len();
            let number = *names.entry(texts[at]).or_insert(next);
            out.push_str(&function[written..start]);
            out.push_str(&format!("v{number}"));
            written = end;
        }
    }
    out.push_str(&function[written..]);
}

/// The ranges of words and signs.
fn words(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (mut list, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let length = match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            byte if is_word(byte) => bytes[at..].iter().take_while(|byte| is_word(**byte)).count(),
            b'/' if bytes[at..].starts_with(b"//") => {
                at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count();
                continue;
            }
            b'-' if bytes[at..].starts_with(b"->") => 2,
            // Outside of ASCII there are comments only.
            _ => text[at..].chars().next().map_or(1, char::len_utf8),
        };
        list.push((at, at + length));
        at += length;
    }
    list
}

/// Names declared after `let` and `var`, and the parameters.
fn declared_wgsl<'a>(words: &[&'a str]) -> HashSet<&'a str> {
    let body = words.iter().position(|word| *word == "{").unwrap_or(words.len());
    let local = |at: usize| match at.checked_sub(1).map(|before| words[before]) {
        Some("let" | "var") => true,
        // `@builtin(x) name: type`, `name: type`.
        Some("(" | "," | ")") => at < body && words.get(at + 1) == Some(&":"),
        _ => false,
    };
    (0..words.len()).filter(|at| is_name(words[*at]) && local(*at)).map(|at| words[at]).collect()
}

/// Names declared in CUDA C++: a name after another, which is its type, unless it is called.
fn declared_cuda<'a>(words: &[&'a str]) -> HashSet<&'a str> {
    let is_type = |word: &str| {
        let is_statement =
            ["return", "else", "goto", "struct", "case", "typename", "operator"].contains(&word);
        is_name(word) && !is_statement
    };
    let local = |at: usize| {
        let before = match at.checked_sub(1).map(|before| words[before]) {
            Some("*" | "&" | ">") => at.checked_sub(2).map(|before| words[before]),
            before => before,
        };
        let after = words.get(at + 1).copied().unwrap_or("");
        // `a * b`, `a & b` and `a > b` are expressions, but where a parameter or statement begins.
        let direct = at.checked_sub(1).is_some_and(|before| is_name(words[before]));
        let begins = at >= 3 && ["(", ",", ";", "{", "}", "const"].contains(&words[at - 3]);
        before.is_some_and(is_type)
            && (direct || begins)
            && ["=", ";", "[", ",", ")", "{", ":"].contains(&after)
    };
    (0..words.len()).filter(|at| is_name(words[*at]) && local(*at)).map(|at| words[at]).collect()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str, language: Language) {
        assert_eq!(canonical(a, language), canonical(b, language));
    }

    fn differ(a: &str, b: &str, language: Language) {
        assert_ne!(canonical(a, language), canonical(b, language));
    }

    const LLVM: &str = "define void @\"n0.main\"(ptr %work) #0 {
  %t1 = load i64, ptr %work
  br label %L1
L1:
  %t2 = add i64 %t1, 1
  store i64 %t2, ptr %work
  ret void
}
attributes #0 = { nounwind }
";

    #[test]
    fn renumbering_llvm_does_not_count() {
        let other =
            LLVM.replace("%t2", "%t9").replace("%t1", "%t4").replace("L1", "again").replace("%work", "%w");
        same(LLVM, &other, Language::Llvm);
        // Names as a set that are given otherwise.
        same(LLVM, &LLVM.replace("%t1", "%x").replace("%t2", "%t1").replace("%x", "%t2"), Language::Llvm);
    }

    #[test]
    fn what_llvm_computes_counts() {
        differ(LLVM, &LLVM.replace("add i64 %t1, 1", "add i64 %t1, 2"), Language::Llvm);
        differ(LLVM, &LLVM.replace("add i64 %t1, 1", "add i64 %t1, %t1"), Language::Llvm);
        differ(LLVM, &LLVM.replace("store i64 %t2", "store i64 %t1"), Language::Llvm);
        differ(LLVM, &LLVM.replace("n0.main", "n1.main"), Language::Llvm);
        differ(LLVM, &LLVM.replace("nounwind", "noinline"), Language::Llvm);
    }

    const WGSL: &str = "var<workgroup> sums0: array<i32, 64>;
fn step0(p: Point1) -> i32 {
  let l4: i32 = ld_i32(address(8u), p.a1);
  var l5: i32;
  l5 = l4 + sums0[p.a1];
  return l5;
}
";

    #[test]
    fn renumbering_wgsl_does_not_count() {
        same(
            WGSL,
            &WGSL.replace("l5", "l50").replace("l4", "l5").replace("p.", "at.").replace("p:", "at:"),
            Language::Wgsl,
        );
    }

    #[test]
    fn what_wgsl_computes_counts() {
        differ(WGSL, &WGSL.replace("p.a1);", "p.a0);"), Language::Wgsl);
        differ(WGSL, &WGSL.replace("return l5", "return l4"), Language::Wgsl);
        differ(WGSL, &WGSL.replace("let l4: i32", "let l4: u32"), Language::Wgsl);
        differ(WGSL, &WGSL.replace("sums0[", "sums1["), Language::Wgsl);
    }

    const CUDA: &str = "struct State0 { i32 v0; };
__device__ __forceinline__ i32 step0(Point1 p, i32 *room) {
  const i32 l4 = ld_i32(address(8u), p.a1);
  State0 l5 = {};
  l5.v0 = l4 * room[0];
  i32 l6[8];
  l6[0] = l4;
  return l5.v0 + l6[0];
}
";

    #[test]
    fn renumbering_cuda_does_not_count() {
        let other = CUDA.replace("l5", "l50").replace("l4", "l5").replace("l6", "v0x").replace("room", "r");
        same(CUDA, &other.replace("p.", "at.").replace("Point1 p", "Point1 at"), Language::Cuda);
    }

    #[test]
    fn what_cuda_computes_counts() {
        differ(CUDA, &CUDA.replace("l5.v0 + ", "l5.v1 + "), Language::Cuda);
        differ(CUDA, &CUDA.replace("l6[0] = l4", "l6[0] = room[1]"), Language::Cuda);
        differ(CUDA, &CUDA.replace("const i32 l4", "const u32 l4"), Language::Cuda);
        differ(CUDA, &CUDA.replace("l4 * room", "l4 + room"), Language::Cuda);
        differ(CUDA, &CUDA.replace("step0", "step1"), Language::Cuda);
    }
}
