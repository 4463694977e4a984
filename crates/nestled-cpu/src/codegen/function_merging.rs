//! Function merging: functions of a module that differ in constants only are emitted once, with the constants as parameters.
//!
//! A program that does the same with 64 displacements has a nest for each, and LLVM takes tens of milliseconds for one. Two functions are the same if their text is,
//! once values that nobody reads are left out and names are given anew, but for numbers: addends, positions in the table of slots, and operands of arithmetic, scalar
//! or the same in all lanes. Where all functions have the same number it stays; the others are parameters, which the function that the driver calls hands on. Factors and shifts of
//! integers stay what they are, since LLVM replaces those that it knows by something cheaper.
//!
//! **Invariant.** The functions have the same names as before, and compute the same bits.

use super::nest::FunctionText;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// The fewest lines of functions that are merged: a call costs some, too.
const FEWEST: usize = 60;
/// The most parameters of a function.
const MOST: usize = 24;

/// Leaves out what nobody reads, and merges functions.
pub(super) fn merge_functions(functions: &mut Vec<FunctionText>) {
    for function in functions.iter_mut() {
        function.text = without_unread(&function.text);
    }
    let mut groups: HashMap<String, Vec<(usize, Outline)>> = HashMap::new();
    for (at, function) in functions.iter().enumerate() {
        if let Some((skeleton, outline)) = Outline::of(function) {
            groups.entry(skeleton).or_default().push((at, outline));
        }
    }
    let mut groups: Vec<Vec<(usize, Outline)>> =
        groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_by_key(|group| group[0].0);
    for group in groups {
        let Some(merged) = Merged::of(&group) else { continue };
        let name = format!("{}.shared", functions[group[0].0].name);
        let text = merged.text(&name, &group[0].1);
        for (member, (at, _)) in group.iter().enumerate() {
            functions[*at].text = merged.call(&functions[*at].name, &name, member);
        }
        functions.push(FunctionText { name, text, declarations: BTreeSet::new(), privates: Vec::new() });
    }
}

/// Instructions that do nothing but compute a value.
const PURE: [&str; 22] = [
    "getelementptr",
    "load",
    "add",
    "sub",
    "mul",
    "and",
    "or",
    "xor",
    "icmp",
    "fcmp",
    "select",
    "insertelement",
    "extractelement",
    "shufflevector",
    "zext",
    "sext",
    "trunc",
    "bitcast",
    "fadd",
    "fsub",
    "fmul",
    "shl",
];

/// A text without the pure instructions whose values nobody reads: all functions begin with loads of all arguments.
fn without_unread(text: &str) -> String {
    let mut reads: Vec<u32> = Vec::new();
    for line in text.lines() {
        temporaries(definition(line).map_or(line, |(_, value)| value)).for_each(|(_, number)| {
            if number >= reads.len() {
                reads.resize(number + 1, 0);
            }
            reads[number] += 1;
        });
    }
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines().rev() {
        if let Some((number, value)) = definition(line)
            && reads.get(number).is_none_or(|reads| *reads == 0)
            && is_pure(value)
        {
            temporaries(value).for_each(|(_, number)| reads[number] -= 1);
            continue;
        }
        kept.push(line);
    }
    let mut left = String::with_capacity(text.len());
    kept.into_iter().rev().for_each(|line| {
        left.push_str(line);
        left.push('\n');
    });
    left
}

fn is_pure(value: &str) -> bool {
    let mut words = value.split(' ');
    words.next().is_some_and(|word| PURE.contains(&word))
        && !words.next().is_some_and(|word| word == "volatile" || word == "atomic")
}

/// The number of the temporary that a line defines, and its value.
fn definition(line: &str) -> Option<(usize, &str)> {
    let (number, digits) = leading_number(line.strip_prefix("  %t")?)?;
    Some((number, line["  %t".len() + digits..].strip_prefix(" = ")?))
}

/// The temporaries of a text: where each begins, with the `%`, and its number.
fn temporaries(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices('%').filter_map(|(at, _)| {
        let (number, digits) = leading_number(text[at + 1..].strip_prefix('t')?)?;
        let next = text.as_bytes().get(at + "%t".len() + digits);
        let is_whole = next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b'_'));
        is_whole.then_some((at, number))
    })
}

/// The number that a text begins with, and how many digits it has.
fn leading_number(text: &str) -> Option<(usize, usize)> {
    let (mut number, mut digits) = (0, 0);
    for byte in text.bytes().take_while(u8::is_ascii_digit) {
        number = 10 * number + usize::from(byte - b'0');
        digits += 1;
    }
    (digits > 0).then_some((number, digits))
}

/// The text of a function's body with names given anew, and the numbers in it that may be parameters.
struct Outline {
    text: String,
    numbers: Vec<Number>,
}

/// A number in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Number {
    /// Its position in the text, all lanes included if it is a vector.
    begin: usize,
    end: usize,
    /// Of a vector its lanes.
    lanes: Option<usize>,
    /// The type of one lane.
    ty: String,
    value: String,
}

impl Outline {
    /// The outline of a function that the driver calls, and its text without the numbers.
    fn of(function: &FunctionText) -> Option<(String, Outline)> {
        let (head, body) = function.text.split_once('\n')?;
        if head != header(&function.name, "", "") || function.text.lines().count() < FEWEST {
            return None;
        }
        let text = renamed(body);
        let mut numbers = Vec::new();
        let mut begin = 0;
        for line in text.split_inclusive('\n') {
            find_numbers(line.trim_end(), begin, &mut numbers);
            begin += line.len();
        }
        let mut skeleton = String::with_capacity(text.len());
        let mut at = 0;
        for number in &numbers {
            skeleton.push_str(&text[at..number.begin]);
            skeleton.push('#');
            at = number.end;
        }
        skeleton.push_str(&text[at..]);
        Some((skeleton, Outline { text, numbers }))
    }
}

fn header(name: &str, linkage: &str, params: &str) -> String {
    format!("define {linkage}void @\"{name}\"(ptr noalias %slots, ptr noalias %work{params}) #0 {{")
}

/// A text whose temporaries are numbered in the order in which they appear.
fn renamed(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    let mut names: Vec<Option<usize>> = Vec::new();
    let (mut at, mut next) = (0, 0);
    for (begin, number) in temporaries(body) {
        if number >= names.len() {
            names.resize(number + 1, None);
        }
        let name = *names[number].get_or_insert_with(|| {
            next += 1;
            next - 1
        });
        text.push_str(&body[at..begin]);
        let _ = write!(text, "%t{name}");
        at = begin + 2 + decimal_digits(number);
    }
    text.push_str(&body[at..]);
    text
}

fn decimal_digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |digits| digits as usize + 1)
}

/// Finds the numbers of a line that may be parameters; `begin` is where the line stands.
fn find_numbers(line: &str, begin: usize, numbers: &mut Vec<Number>) {
    let Some((_, value)) = definition(line) else { return };
    let offset = begin + line.len() - value.len();
    let Some((instruction, operands)) = value.split_once(' ') else { return };
    match instruction {
        "getelementptr" => {
            // The position of a slot. What stands in a loop is a part of the address as long as it is known.
            let Some(last) = value.rfind(' ') else { return };
            if value[..last].ends_with("ptr %slots, i64") {
                literal(&value[last + 1..], "i64", offset + last + 1, numbers);
            }
        }
        "add" | "sub" | "fadd" | "fsub" | "fmul" | "fdiv" => arithmetic(value, operands, offset, numbers),
        "select" => vectors(value, offset, numbers),
        _ => {}
    }
}

/// `add i64 %a, 1`, with or without flags, of scalars or vectors.
fn arithmetic(value: &str, operands: &str, offset: usize, numbers: &mut Vec<Number>) {
    if operands.contains('<') {
        return vectors(value, offset, numbers);
    }
    let Some((left, right)) = operands.split_once(", ") else { return };
    let mut words = left.rsplit(' ');
    let (Some(first), Some(ty)) = (words.next(), words.next()) else { return };
    let right_at = offset + value.len() - right.len();
    literal(first, ty, right_at - 2 - first.len(), numbers);
    literal(right, ty, right_at, numbers);
}

/// Notes a literal of a scalar type.
fn literal(text: &str, ty: &str, begin: usize, numbers: &mut Vec<Number>) {
    let is_type = matches!(ty, "i8" | "i16" | "i32" | "i64" | "float" | "double");
    let is_literal = text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'));
    if is_type && is_literal {
        let (ty, value) = (ty.to_owned(), text.to_owned());
        numbers.push(Number { begin, end: begin + text.len(), lanes: None, ty, value });
    }
}

/// Notes the vectors that are the same number in all lanes: `<i32 5, i32 5, …>`.
fn vectors(value: &str, offset: usize, numbers: &mut Vec<Number>) {
    for (at, _) in value.match_indices(" <") {
        let inner = &value[at + 2..];
        let Some(end) = inner.find('>') else { return };
        let mut lanes = inner[..end].split(", ");
        let Some(first) = lanes.next() else { continue };
        let count = 1 + lanes.clone().count();
        let Some((ty, number)) = first.split_once(' ') else { continue };
        if count > 1 && lanes.all(|lane| lane == first) {
            let mut found = Vec::new();
            literal(number, ty, 0, &mut found);
            let (begin, end) = (offset + at + 1, offset + at + 2 + end + 1);
            numbers.extend(found.into_iter().map(|number| Number {
                begin,
                end,
                lanes: Some(count),
                ..number
            }));
        }
    }
}

/// Functions with one text: which numbers are parameters.
struct Merged {
    /// For each number of the text its parameter, if it is one.
    places: Vec<Option<usize>>,
    params: Vec<Param>,
}

/// A parameter: what it is in each function.
struct Param {
    ty: String,
    lanes: Option<usize>,
    values: Vec<String>,
}

impl Merged {
    /// `None` if there are too many parameters.
    fn of(group: &[(usize, Outline)]) -> Option<Merged> {
        let first = &group[0].1.numbers;
        let mut merged = Merged { places: vec![None; first.len()], params: Vec::new() };
        for (place, number) in first.iter().enumerate() {
            let other = |(_, outline): &(usize, Outline)| outline.numbers[place].clone();
            let numbers: Vec<Number> = group.iter().map(other).collect();
            if numbers.iter().any(|other| (&other.ty, other.lanes) != (&number.ty, number.lanes)) {
                return None;
            }
            if numbers.iter().all(|other| other.value == number.value) {
                continue;
            }
            let values: Vec<String> = numbers.into_iter().map(|number| number.value).collect();
            let is_known = |param: &Param| {
                param.ty == number.ty && param.lanes == number.lanes && param.values == values
            };
            let known = merged.params.iter().position(is_known).unwrap_or_else(|| {
                merged.params.push(Param { ty: number.ty.clone(), lanes: number.lanes, values });
                merged.params.len() - 1
            });
            merged.places[place] = Some(known);
        }
        (merged.params.len() <= MOST).then_some(merged)
    }

    /// The function with these parameters.
    fn text(&self, name: &str, outline: &Outline) -> String {
        let mut params = String::new();
        let mut splats = String::new();
        for (number, Param { ty, lanes, .. }) in self.params.iter().enumerate() {
            let _ = write!(params, ", {ty} %c{number}");
            if let Some(lanes) = lanes {
                let _ = writeln!(
                    splats,
                    "  %one{number} = insertelement <{lanes} x {ty}> poison, {ty} %c{number}, i64 0"
                );
                let _ = writeln!(
                    splats,
                    "  %all{number} = shufflevector <{lanes} x {ty}> %one{number}, <{lanes} x {ty}> poison, <{lanes} x i32> zeroinitializer"
                );
            }
        }
        let mut text = header(name, "internal ", &params);
        text.push('\n');
        text.push_str(&splats);
        let mut at = 0;
        for (number, place) in outline.numbers.iter().zip(&self.places) {
            let Some(param) = *place else { continue };
            text.push_str(&outline.text[at..number.begin]);
            let kind = if number.lanes.is_some() { "all" } else { "c" };
            let _ = write!(text, "%{kind}{param}");
            at = number.end;
        }
        text.push_str(&outline.text[at..]);
        text
    }

    /// The function of this name, which hands its numbers on.
    fn call(&self, name: &str, shared: &str, member: usize) -> String {
        let mut text = header(name, "", "");
        let _ = write!(text, "\n  tail call void @\"{shared}\"(ptr %slots, ptr %work");
        for Param { ty, values, .. } in &self.params {
            let _ = write!(text, ", {ty} {}", values[member]);
        }
        text.push_str(")\n  ret void\n}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{FunctionText, header, merge_functions};
    use std::collections::BTreeSet;

    /// A function that reads slots it does not need, and one that it does.
    fn function(name: &str, first: usize, body: &str) -> FunctionText {
        let mut text = header(name, "", "");
        text.push('\n');
        for slot in 0..4 {
            let (place, value) = (first + 2 * slot, first + 2 * slot + 1);
            text.push_str(&format!(
                "  %t{place} = getelementptr inbounds i64, ptr %slots, i64 {}\n",
                first + slot
            ));
            text.push_str(&format!("  %t{value} = load ptr, ptr %t{place}, align 8\n"));
        }
        text.push_str(&body.replace("%array", &format!("%t{}", first + 3)));
        text.push_str("  ret void\n}\n");
        FunctionText { name: name.to_owned(), text, declarations: BTreeSet::new(), privates: Vec::new() }
    }

    fn body(offset: &str, splat: &str) -> String {
        let mut body = String::new();
        for line in 100..180 {
            body.push_str(&format!("  store i32 {line}, ptr %array, align 4\n"));
        }
        body.push_str(&format!("  %t90 = sub i64 0, {offset}\n  store i64 %t90, ptr %array, align 8\n"));
        let lanes = [format!("i32 {splat}"), format!("i32 {splat}")].join(", ");
        body.push_str(&format!("  %t91 = add <2 x i32> zeroinitializer, <{lanes}>\n"));
        body.push_str("  store <2 x i32> %t91, ptr %array, align 8\n");
        body
    }

    fn merged(bodies: &[String]) -> Vec<FunctionText> {
        let make = |(at, body): (usize, &String)| function(&format!("n{at}.main"), 10 * at, body);
        let mut functions: Vec<FunctionText> = bodies.iter().enumerate().map(make).collect();
        merge_functions(&mut functions);
        functions
    }

    #[test]
    fn functions_that_differ_in_numbers_are_one() {
        let functions = merged(&[body("3", "7"), body("5", "8"), body("5", "7")]);
        let [first, second, third, common] = &functions[..] else { panic!("{functions:?}") };
        for (function, numbers) in [
            (first, "i64 1, i64 3, i32 7"),
            (second, "i64 11, i64 5, i32 8"),
            (third, "i64 21, i64 5, i32 7"),
        ] {
            let call = format!("  tail call void @\"n0.main.shared\"(ptr %slots, ptr %work, {numbers})\n");
            assert!(function.text.contains(&call), "{}", function.text);
        }
        let lines: Vec<&str> = common.text.lines().collect();
        assert_eq!(
            lines[..5],
            [
                "define internal void @\"n0.main.shared\"(ptr noalias %slots, ptr noalias %work, i64 %c0, i64 %c1, i32 %c2) #0 {",
                "  %one2 = insertelement <2 x i32> poison, i32 %c2, i64 0",
                "  %all2 = shufflevector <2 x i32> %one2, <2 x i32> poison, <2 x i32> zeroinitializer",
                // The other slots are read by nobody.
                "  %t0 = getelementptr inbounds i64, ptr %slots, i64 %c0",
                "  %t1 = load ptr, ptr %t0, align 8",
            ]
        );
        assert!(common.text.contains("= sub i64 0, %c1\n"), "{}", common.text);
        assert!(common.text.contains("= add <2 x i32> zeroinitializer, %all2\n"), "{}", common.text);
    }

    #[test]
    fn functions_that_differ_otherwise_stay() {
        let others = [
            body("3", "7").replace("add <2", "or <2"),
            body("3", "7").replace("i32 100,", "i32 99,"),
            body("3", "7").replace("%t91, ptr", "zeroinitializer, ptr"),
        ];
        for other in others {
            let functions = merged(&[body("3", "7"), other]);
            assert_eq!(functions.len(), 2);
            assert!(functions.iter().all(|function| function.text.lines().count() > 80));
        }
    }
}
