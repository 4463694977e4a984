//! Arrays of every type that the interface has, with nothing wrong.

use crate::choices::Choices;

/// An array and its type.
#[derive(Clone)]
pub(super) struct Made {
    pub format: String,
    pub name: String,
    pub flags: i64,
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    /// The first is the validity, where the type has one.
    pub buffers: Vec<Option<Vec<u8>>>,
    pub children: Vec<Made>,
    pub dictionary: Option<Box<Made>>,
    /// The array has so many children fewer than its type.
    pub lacks_children: usize,
    /// The alignment of buffers, in bytes.
    pub align: usize,
    /// The number of bytes of the integers in the second buffer that may be changed, and if the last one may not: the length of texts is not known otherwise.
    pub integers: Option<(usize, bool)>,
}

/// Formats of numbers, with their sizes.
const NUMBERS: [(&str, usize); 31] = [
    ("c", 1),
    ("C", 1),
    ("s", 2),
    ("S", 2),
    ("i", 4),
    ("I", 4),
    ("l", 8),
    ("L", 8),
    ("e", 2),
    ("f", 4),
    ("g", 8),
    ("tdD", 4),
    ("tdm", 8),
    ("tts", 4),
    ("ttm", 4),
    ("ttu", 8),
    ("ttn", 8),
    ("tss:", 8),
    ("tsm:UTC", 8),
    ("tsu:+02:00", 8),
    ("tsn:Europe/Paris", 8),
    ("tsn:No/Where", 8),
    ("tDs", 8),
    ("tDm", 8),
    ("tDu", 8),
    ("tDn", 8),
    ("d:9,2,32", 4),
    ("d:18,2,64", 8),
    ("d:18,2", 16),
    ("d:38,10", 16),
    ("tin", 16),
];

/// An array of any type, of so many levels at most.
pub(super) fn any(choices: &mut Choices, deep: usize) -> Made {
    let length = choices.below(7);
    of_length(choices, deep, length)
}

fn of_length(choices: &mut Choices, deep: usize, length: usize) -> Made {
    let offset = if choices.one_in(3) { choices.below(4) } else { 0 };
    let all = length + offset;
    let kind = choices.below(if deep == 0 { 8 } else { 19 });
    let made = match kind {
        0 => Made::of("n", Vec::new()),
        1 => Made::of("b", vec![validity(choices, all), Some(bits(choices, all))]),
        2..=4 => {
            let (format, size) = choices.one(&NUMBERS);
            Made::of(format, vec![validity(choices, all), Some(some_bytes(choices, all * size))])
        }
        5 | 6 => texts(choices, all),
        7 => viewed(choices, all),
        8 => {
            let size = choices.below(4);
            Made::of(
                &format!("w:{size}"),
                vec![validity(choices, all), Some(some_bytes(choices, all * size))],
            )
        }
        9..=12 => lists(choices, deep, all),
        13 => {
            let size = choices.below(4);
            let child = of_length(choices, deep - 1, all * size);
            Made {
                children: vec![child.named("item")],
                ..Made::of(&format!("+w:{size}"), vec![validity(choices, all)])
            }
        }
        14 | 15 => records(choices, deep, all),
        16 => categories(choices, all),
        17 => union(choices, deep, all),
        _ => runs(choices, deep, length, all),
    };
    finished(choices, made, length, offset)
}

/// Rows of a table, none of them missing.
pub(super) fn table(choices: &mut Choices, deep: usize) -> Made {
    let (length, offset) = (choices.below(7), if choices.one_in(3) { choices.below(4) } else { 0 });
    let mut made = records(choices, deep, length + offset);
    made.buffers[0] = None;
    finished(choices, made, length, offset)
}

fn finished(choices: &mut Choices, mut made: Made, length: usize, offset: usize) -> Made {
    let own = |made: &Made| matches!(made.buffers.first(), Some(Some(_)));
    made.flags = if choices.one_in(4) && !own(&made) { 0 } else { 2 };
    (made.length, made.offset) = (length as i64, offset as i64);
    // It is not counted, unless there are none.
    made.null_count = if own(&made) || made.format == "n" { -1 } else { 0 };
    made.align = choices.one(&[8, 8, 8, 16, 1]);
    made
}

impl Made {
    fn of(format: &str, buffers: Vec<Option<Vec<u8>>>) -> Made {
        Made {
            format: format.to_owned(),
            name: String::new(),
            flags: 2,
            length: 0,
            null_count: 0,
            offset: 0,
            buffers,
            children: Vec::new(),
            dictionary: None,
            lacks_children: 0,
            align: 8,
            integers: None,
        }
    }

    fn named(self, name: &str) -> Made {
        Made { name: name.to_owned(), ..self }
    }
}

fn validity(choices: &mut Choices, length: usize) -> Option<Vec<u8>> {
    choices.one_in(2).then(|| bits(choices, length))
}

fn bits(choices: &mut Choices, length: usize) -> Vec<u8> {
    some_bytes(choices, length.div_ceil(8))
}

fn some_bytes(choices: &mut Choices, count: usize) -> Vec<u8> {
    (0..count).map(|_| choices.byte()).collect()
}

/// Integers of 4 or 8 bytes.
fn integers(numbers: &[usize], size: usize) -> Vec<u8> {
    numbers.iter().flat_map(|&number| (number as u64).to_le_bytes().into_iter().take(size)).collect()
}

/// Offsets that do not fall, from not always 0, of so many elements at most each.
fn offsets(choices: &mut Choices, lists: usize) -> Vec<usize> {
    // Without lists arrow-rs refuses another first offset.
    let mut offsets = vec![if lists > 0 && choices.one_in(4) { choices.below(3) } else { 0 }];
    for place in 0..lists {
        offsets.push(offsets[place] + choices.below(4));
    }
    offsets
}

fn texts(choices: &mut Choices, length: usize) -> Made {
    let (format, size, is_text) =
        choices.one(&[("u", 4, true), ("U", 8, true), ("z", 4, false), ("Z", 8, false)]);
    let offsets = offsets(choices, length);
    let count = offsets[length];
    let bytes = if is_text {
        (0..count).map(|_| b'a' + choices.byte() % 26).collect()
    } else {
        some_bytes(choices, count)
    };
    let buffers = vec![validity(choices, length), Some(integers(&offsets, size)), Some(bytes)];
    Made { integers: Some((size, true)), ..Made::of(format, buffers) }
}

/// Texts that lie anywhere: short ones in their view, longer ones in one of two buffers.
fn viewed(choices: &mut Choices, length: usize) -> Made {
    let format = choices.one(&["vu", "vz"]);
    let data: Vec<Vec<u8>> = (0..2).map(|_| (0..40).map(|_| b'a' + choices.byte() % 26).collect()).collect();
    let mut views = Vec::new();
    for _ in 0..length {
        if choices.one_in(2) {
            let count = choices.below(13);
            let mut own: Vec<u8> = (0..count).map(|_| b'a' + choices.byte() % 26).collect();
            own.resize(12, 0);
            views.extend((count as u32).to_le_bytes().into_iter().chain(own));
            continue;
        }
        let (buffer, count) = (choices.below(2), 13 + choices.below(10));
        let from = choices.below(40 - count + 1);
        views.extend((count as u32).to_le_bytes());
        views.extend(&data[buffer][from..from + 4]);
        views.extend((buffer as u32).to_le_bytes().into_iter().chain((from as u32).to_le_bytes()));
    }
    let sizes = data.iter().flat_map(|data| (data.len() as i64).to_le_bytes()).collect();
    let mut buffers = vec![validity(choices, length), Some(views)];
    buffers.extend(data.into_iter().map(Some).chain([Some(sizes)]));
    Made { integers: Some((4, false)), ..Made::of(format, buffers) }
}

fn lists(choices: &mut Choices, deep: usize, length: usize) -> Made {
    let (format, size) = choices.one(&[("+l", 4), ("+L", 8), ("+vl", 4), ("+vL", 8), ("+m", 4)]);
    let offsets = offsets(choices, length);
    let beyond = choices.below(3);
    let count = offsets[length] + beyond;
    let validity = validity(choices, length);
    let mut made = Made::of(format, vec![validity]);
    made.integers = Some((size, false));
    if format.starts_with("+v") {
        let lengths: Vec<usize> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        made.buffers.extend([Some(integers(&offsets[..length], size)), Some(integers(&lengths, size))]);
    } else {
        made.buffers.push(Some(integers(&offsets, size)));
    }
    let child = if format == "+m" {
        let (keys, values) =
            (Made { flags: 0, ..texts_of(choices, count) }, of_length(choices, deep - 1, count));
        let mut entries = Made::of("+s", vec![None]);
        (entries.length, entries.flags) = (count as i64, 0);
        entries.children = vec![keys.named("key"), values.named("value")];
        entries.named("entries")
    } else {
        of_length(choices, deep - 1, count).named("item")
    };
    made.children = vec![child];
    made
}

/// As many texts, none of them missing.
fn texts_of(choices: &mut Choices, length: usize) -> Made {
    let mut made = texts(choices, length);
    made.buffers[0] = None;
    made.length = length as i64;
    made
}

fn records(choices: &mut Choices, deep: usize, length: usize) -> Made {
    let count = 1 + choices.below(3);
    let numbered = choices.one_in(3);
    let names = |place: usize| if numbered { place.to_string() } else { format!("field {place}") };
    let children =
        (0..count).map(|place| of_length(choices, deep - 1, length).named(&names(place))).collect();
    Made { children, ..Made::of("+s", vec![validity(choices, length)]) }
}

fn categories(choices: &mut Choices, length: usize) -> Made {
    let (format, size) = choices.one(&[("c", 1), ("s", 2), ("i", 4), ("l", 8), ("C", 1), ("I", 4)]);
    let words = 1 + choices.below(4);
    let codes: Vec<usize> = (0..length).map(|_| choices.below(words)).collect();
    let buffers = vec![validity(choices, length), Some(integers(&codes, size))];
    let dictionary = if choices.one_in(2) {
        texts(choices, words)
    } else {
        Made::of("l", vec![None, Some(some_bytes(choices, words * 8))])
    };
    let dictionary = Made { length: words as i64, ..dictionary };
    let dictionary = Made { null_count: if dictionary.buffers[0].is_some() { -1 } else { 0 }, ..dictionary };
    Made {
        dictionary: Some(Box::new(dictionary)),
        integers: Some((size, false)),
        ..Made::of(format, buffers)
    }
}

fn union(choices: &mut Choices, deep: usize, length: usize) -> Made {
    let (dense, count) = (choices.one_in(2), 1 + choices.below(3));
    let tags: Vec<u8> = (0..length).map(|_| choices.below(count) as u8).collect();
    let names: Vec<String> = (0..count).map(|tag| tag.to_string()).collect();
    let mut buffers = vec![Some(tags.clone())];
    let (mut sizes, mut offsets) = (vec![0; count], Vec::new());
    for &tag in &tags {
        offsets.push(sizes[usize::from(tag)]);
        sizes[usize::from(tag)] += 1;
    }
    if dense {
        buffers.push(Some(integers(&offsets, 4)));
    }
    let size = |place: usize| if dense { sizes[place] } else { length };
    let children = (0..count)
        .map(|place| of_length(choices, deep - 1, size(place)).named(&format!("v{place}")))
        .collect();
    let format = format!("+u{}:{}", if dense { 'd' } else { 's' }, names.join(","));
    Made { children, integers: dense.then_some((4, false)), ..Made::of(&format, buffers) }
}

/// Runs, which nested data have not.
fn runs(choices: &mut Choices, deep: usize, length: usize, all: usize) -> Made {
    let ends = Made {
        length: 1,
        flags: 0,
        ..Made::of("i", vec![None, Some(integers(&[all.max(length).max(1)], 4))])
    };
    let values = of_length(choices, deep - 1, 1);
    Made { children: vec![ends.named("run_ends"), values.named("values")], ..Made::of("+r", Vec::new()) }
}
