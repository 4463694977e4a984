//! What can be wrong with an array and be found.

use super::arrays::Made;
use crate::choices::Choices;

/// Formats that are none, or of another type.
const FORMATS: [&str; 19] = [
    "",
    "q",
    "+",
    "+q",
    "w:",
    "w:-1",
    "w:x",
    "+w:-3",
    "+w:",
    "+ud:",
    "+us:1,1",
    "+us:x",
    "d:",
    "d:1,2,3,4",
    "tsx:",
    "ts",
    "t",
    "é",
    "+v",
];

/// Does something wrong to the array, or to one below it.
pub(super) fn somewhere(choices: &mut Choices, made: &mut Made) {
    let below = made.children.len() + usize::from(made.dictionary.is_some());
    match choices.below(below + 2) {
        place if place < made.children.len() => somewhere(choices, &mut made.children[place]),
        place if place < below => made.dictionary.iter_mut().for_each(|words| somewhere(choices, words)),
        _ => here(choices, made),
    }
}

fn here(choices: &mut Choices, made: &mut Made) {
    // Texts whose number changes have another last offset, and then nobody knows their length.
    let is_texts = matches!(made.integers, Some((_, true)));
    let fewer = |number: i64| if is_texts { -1 } else { number };
    match choices.below(14) {
        0 => made.length = choices.one(&[-1, i64::MIN, fewer(made.length / 2), fewer(0)]),
        1 => made.offset = choices.one(&[-1, i64::MIN, fewer(made.offset / 2)]),
        2 => made.null_count = choices.one(&[-2, i64::MAX, i64::MIN, made.length + 1, 0, made.length]),
        3 => made.format = choices.one(&FORMATS).to_owned(),
        4 => {
            let count = made.buffers.len();
            if let Some(buffer) = made.buffers.get_mut(choices.below(count)) {
                *buffer = None;
            }
        }
        // The last buffer of views has the sizes of the others.
        5 if made.format.starts_with('v') => {}
        5 => drop(made.buffers.pop()),
        6 => made.buffers.push(None),
        7 => made.lacks_children = 1 + choices.below(2),
        8 => drop(made.children.pop()),
        9 => made.dictionary = None,
        10 => made.flags = choices.one(&[0, 1, 4, 7, -1]),
        11 => bytes(choices, made),
        _ => integer(choices, made),
    }
}

/// Bytes that are no text, and no sizes.
fn bytes(choices: &mut Choices, made: &mut Made) {
    let is_texts = matches!(made.format.as_str(), "u" | "U" | "z" | "Z");
    let Some(Some(bytes)) = made.buffers.last_mut().filter(|_| is_texts) else { return };
    let count = bytes.len();
    if let Some(byte) = bytes.get_mut(choices.below(count)) {
        *byte = choices.byte();
    }
}

/// An offset, a length, a place, a tag or part of a view.
fn integer(choices: &mut Choices, made: &mut Made) {
    let is_tags = made.format.starts_with("+u");
    let (size, keeps_last) = match made.integers {
        Some((_, _)) if is_tags && choices.one_in(2) => (1, false),
        Some(integers) => integers,
        None if is_tags => (1, false),
        None => return,
    };
    let place = match (is_tags, size) {
        (true, 1) => 0,
        (false, _) if made.format.starts_with("+v") => 1 + choices.below(2),
        _ => 1,
    };
    let Some(Some(bytes)) = made.buffers.get_mut(place) else { return };
    let count = bytes.len() / size;
    let at = choices.below(count);
    if count == 0 {
        return;
    }
    let last = count - 1 - at.min(count - 1) == 0;
    let number = choices.one(&[
        -1,
        1,
        0,
        i64::MIN,
        i64::from(i32::MIN),
        i64::MAX,
        i64::from(i32::MAX),
        3,
        7,
        50,
        1 << 20,
    ]);
    // Nobody can know that the last offset of texts is too great; below zero it is wrong at once.
    let number = if keeps_last && last { choices.one(&[-1, i64::MIN, i64::from(i32::MIN)]) } else { number };
    bytes[at * size..(at + 1) * size].copy_from_slice(&number.to_le_bytes()[..size]);
}
