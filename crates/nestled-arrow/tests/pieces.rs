//! Files of text in pieces: what is read piece after piece is what is read at once, and what was written. Types are those of all pieces, also where they change between them, rows go over
//! the border of a piece, and values are missing in some pieces only.

use crate::{Scratch, message};
use nestled_arrow::{Scan, scan};
use nestled_nested::{Nested, Value};
use std::fmt::Write;
use std::path::Path;

/// The lines of a piece, if nobody says how many.
const PIECE: usize = 65_536;

/// The lengths of the pieces, each of which has the type of the whole; together they are the whole.
#[track_caller]
fn lengths(scan: &Scan, whole: &Nested) -> Vec<usize> {
    let mut rows = Vec::new();
    let lengths = scan.pieces().unwrap().map(|piece| {
        let piece = piece.unwrap();
        assert_eq!(piece.schema(), whole.schema());
        rows.extend(piece.to_values().unwrap());
        piece.len()
    });
    let lengths = lengths.collect();
    assert!(rows == whole.to_values().unwrap(), "pieces differ from the whole");
    lengths
}

/// The values of a column at some rows.
fn at(rows: &Nested, column: &str, places: impl IntoIterator<Item = usize>) -> String {
    let values = rows.field(column).unwrap().to_values().unwrap();
    Value::list(places.into_iter().map(|place| values[place].clone())).to_string()
}

/// Rows of which those in the first piece look other than those behind it.
const ROWS: usize = 2 * PIECE + 10;

fn csv_of_several_pieces(path: &Path) {
    let mut text = "number,mixed,late,day,when,truth,gap,text\n".to_owned();
    for row in 0..ROWS {
        let first = row < PIECE;
        let number = if first { format!("{row}") } else { format!("{row}.5") };
        let mixed = if row < 2 * PIECE { format!("{row}") } else { format!("no {row}") };
        let late = if row == ROWS - 1 { "7" } else { "" };
        let day = if row == PIECE + 1 { "" } else { "2024-02-29" };
        let when = if first { "2024-02-29T12:00" } else { "2024-02-29T12:00:00.5" };
        let truth = if row == 2 * PIECE { "maybe" } else { "true" };
        let gap = if !first && row % 2 == 0 { String::new() } else { format!("{row}") };
        // Two rows of three lines each, on either side of the first border, and one of a mark.
        let cell = match row {
            _ if row == PIECE - 1 || row == PIECE => format!("\"row {row},\n\n\"\"end\"\"\""),
            _ if row == 2 * PIECE - 1 => "5\" wide".to_owned(),
            _ => "plain".to_owned(),
        };
        let _ = writeln!(text, "{number},{mixed},{late},{day},{when},{truth},{gap},{cell}");
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn csv_whose_pieces_differ() {
    let path = Scratch::new("pieces.csv");
    csv_of_several_pieces(&path.0);
    let table = scan(&path.0).unwrap();
    let whole = table.read().unwrap();
    assert_eq!(
        whole.type_string(),
        format!(
            "{ROWS} * {{number: ?float64, mixed: ?string, late: ?int64, day: ?date, when: ?timestamp[ms], truth: ?string, gap: ?int64, text: ?string}}"
        )
    );
    assert_eq!(lengths(&table, &whole), [PIECE, PIECE, 10]);
    let border = [PIECE - 1, PIECE, 2 * PIECE - 1, 2 * PIECE];
    assert_eq!(at(&whole, "number", border), "[65535.0, 65536.5, 131071.5, 131072.5]");
    assert_eq!(at(&whole, "mixed", border), "[\"65535\", \"65536\", \"131071\", \"no 131072\"]");
    assert_eq!(at(&whole, "late", [0, PIECE, ROWS - 2, ROWS - 1]), "[None, None, None, 7]");
    assert_eq!(at(&whole, "day", [PIECE, PIECE + 1]), "[2024-02-29, None]");
    assert_eq!(at(&whole, "when", [PIECE - 1, PIECE]), "[2024-02-29T12:00:00.000, 2024-02-29T12:00:00.500]");
    assert_eq!(at(&whole, "truth", border), "[\"true\", \"true\", \"true\", \"maybe\"]");
    assert_eq!(at(&whole, "gap", border), "[65535, None, 131071, None]");
    assert_eq!(
        at(&whole, "text", [PIECE - 2, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE - 1]),
        "[\"plain\", \"row 65535,\\n\\n\\\"end\\\"\", \"row 65536,\\n\\n\\\"end\\\"\", \"plain\", \"5\\\" wide\"]"
    );
    // Some columns, in another order, of pieces that end elsewhere.
    let some = table.clone().columns(["gap", "text"]).rows(50_000);
    assert_eq!(lengths(&some, &some.read().unwrap()), [50_000, 50_000, 31_082]);
    let texts = table.times_as_numbers();
    assert_eq!(at(&texts.read().unwrap(), "when", [0]), "[\"2024-02-29T12:00\"]");
    // Each piece decides by itself whether something is missing in it.
    let tight = some.tight().pieces().unwrap().next().unwrap().unwrap();
    assert_eq!(tight.type_string(), "50000 * {gap: int64, text: string}");
}

#[test]
fn json_lines_whose_pieces_differ() {
    let path = Scratch::new("pieces.jsonl");
    let mut text = String::new();
    for row in 0..ROWS {
        let first = row < PIECE;
        let number = if first { format!("{row}") } else { format!("{row}.5") };
        let list = if first { "[]".to_owned() } else { format!("[{row}, null]") };
        let lists = if first { "[[]]" } else { "[[1], null, [2.5]]" };
        let when = if first { "2024-02-29T12:00" } else { "2024-02-29T12:00:00.5" };
        let word = if row == ROWS - 1 { "word" } else { "2024-02-29" };
        let part = match row {
            _ if first => "{}".to_owned(),
            _ if row < 2 * PIECE => format!("{{\"x\": {row}}}"),
            _ => format!("{{\"x\": null, \"y\": {{\"z\": [\"{row}\"]}}}}"),
        };
        let _ = write!(
            text,
            "{{\"number\": {number}, \"list\": {list}, \"lists\": {lists}, \"when\": \"{when}\", \"word\": \"{word}\", \"part\": {part}"
        );
        match row {
            _ if row == PIECE => text += ", \"gap\": null",
            _ if first || row % 2 == 0 => {
                let _ = write!(text, ", \"gap\": {row}");
            }
            _ => {}
        }
        text += if row == ROWS - 1 { ", \"late\": true}\n" } else { "}\n" };
    }
    std::fs::write(&path.0, text).unwrap();
    let table = scan(&path.0).unwrap();
    let whole = table.read().unwrap();
    assert_eq!(
        whole.type_string(),
        format!(
            "{ROWS} * {{number: ?float64, list: option[var * ?int64], lists: option[var * option[var * ?float64]], when: ?timestamp[ms], word: ?string, part: ?{{x: ?int64, y: ?{{z: option[var * ?string]}}}}, gap: ?int64, late: ?bool}}"
        )
    );
    assert_eq!(lengths(&table, &whole), [PIECE, PIECE, 10]);
    let border = [PIECE - 1, PIECE, 2 * PIECE - 1, 2 * PIECE];
    assert_eq!(at(&whole, "number", border), "[65535.0, 65536.5, 131071.5, 131072.5]");
    assert_eq!(at(&whole, "list", border), "[[], [65536, None], [131071, None], [131072, None]]");
    assert_eq!(at(&whole, "lists", [PIECE - 1, PIECE]), "[[[]], [[1.0], None, [2.5]]]");
    assert_eq!(at(&whole, "when", [PIECE - 1, PIECE]), "[2024-02-29T12:00:00.000, 2024-02-29T12:00:00.500]");
    assert_eq!(at(&whole, "word", [0, ROWS - 1]), "[\"2024-02-29\", \"word\"]");
    assert_eq!(
        at(&whole, "part", border),
        "[{x: None, y: None}, {x: 65536, y: None}, {x: 131071, y: None}, {x: None, y: {z: [\"131072\"]}}]"
    );
    assert_eq!(at(&whole, "gap", border), "[65535, None, None, 131072]");
    assert_eq!(at(&whole, "late", [0, PIECE, ROWS - 2, ROWS - 1]), "[None, None, None, true]");
    let some = table.columns(["late", "part"]).rows(50_000);
    assert_eq!(lengths(&some, &some.read().unwrap()), [50_000, 50_000, 31_082]);
}

#[test]
fn what_is_wrong_in_a_later_piece() {
    let path = Scratch::new("later.csv");
    let mut text = "a,b\n".to_owned() + &"1,2\n".repeat(PIECE + 5);
    text += "1,2,3\n";
    std::fs::write(&path.0, &text).unwrap();
    assert!(message(scan(&path.0)).ends_with("later.csv: line 65543 has 3 cells, the first has 2"));
    // A row of several lines is named by its last one where its cells are wrong, by its first one where it does not end.
    let text = "a,b\n".to_owned() + &"1,2\n".repeat(PIECE) + "\"x\ny\",2\n\"z,2\n1,2\n";
    std::fs::write(&path.0, text).unwrap();
    assert!(message(scan(&path.0)).ends_with("later.csv: line 65540: a `\"` is not closed"));
    let path = Scratch::new("later.jsonl");
    std::fs::write(&path.0, "{\"x\": 1}\n".repeat(PIECE + 5) + "{\"x\": \"one\"}\n").unwrap();
    let why = message(scan(&path.0));
    assert!(
        why.ends_with("later.jsonl: line 65542: column `x`: a value of `Utf8` where others are of `Int64`"),
        "{why}"
    );
}

#[test]
fn a_mark_at_the_begin_of_a_file() {
    for (name, text) in [("mark.csv", "\u{feff}x\n1\n"), ("mark.jsonl", "\u{feff}{\"x\": 1}\n")] {
        let path = Scratch::new(name);
        std::fs::write(&path.0, text).unwrap();
        assert_eq!(scan(&path.0).unwrap().read().unwrap().to_list().unwrap().to_string(), "[{x: 1}]");
    }
}

/// Files change: a piece that is no longer of its types is an error of its line, and the pieces before it are there.
#[test]
fn files_that_change_after_they_were_opened() {
    let path = Scratch::new("changed.csv");
    std::fs::write(&path.0, "a\n".to_owned() + &"1\n".repeat(2 * PIECE)).unwrap();
    let table = scan(&path.0).unwrap();
    std::fs::write(&path.0, "a\n".to_owned() + &"1\n".repeat(PIECE) + "one\n").unwrap();
    let mut pieces = table.pieces().unwrap();
    assert_eq!(pieces.next().unwrap().unwrap().len(), PIECE);
    let why = message(pieces.next().unwrap());
    assert!(why.ends_with("column `a`: line 65538: `one` is no Int64"), "{why}");
    assert!(pieces.next().is_none());
}

/// Numbers that look random, and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn text(&mut self) -> String {
        let parts = ["", "a", "\"", ",", "\n", "\r\n", "ü", " ", "1"];
        (0..self.below(5)).map(|_| parts[self.below(parts.len())]).collect()
    }
}

/// A cell as a text in quotation marks, or as it is where this says the same.
fn written(numbers: &mut Numbers, text: &str) -> String {
    let is_special = text.is_empty()
        || text.contains(['\n', '\r', ','])
        || text.starts_with('"')
        || text.parse::<f64>().is_ok();
    match is_special || numbers.below(2) == 0 {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Texts of every kind, and numbers, in rows of pieces of every size.
#[test]
fn random_tables_of_text() {
    let mut numbers = Numbers(3);
    for round in 0..60 {
        let path = Scratch::new("random-pieces.csv");
        let (mut text, mut rows) = ("n,s\n".to_owned(), Vec::new());
        for _ in 0..1 + numbers.below(9) {
            let number = (numbers.below(3) > 0).then(|| numbers.below(100) as i64);
            let word = (numbers.below(4) > 0).then(|| numbers.text());
            let cell = word.as_ref().map_or(String::new(), |word| written(&mut numbers, word));
            text += &number.map_or(String::new(), |number| number.to_string());
            text += &format!(",{cell}{}", ["\n", "\r\n"][numbers.below(2)]);
            let word = word.map_or(Value::Missing, Value::String);
            rows.push(Value::record([("n", number.map_or(Value::Missing, Value::from)), ("s", word)]));
        }
        std::fs::write(&path.0, &text).unwrap();
        let table = scan(&path.0).unwrap();
        let whole = table.read().unwrap();
        let all_missing = |name: &str| whole.field(name).unwrap().schema().to_string() == "?float64";
        if !all_missing("n") && !all_missing("s") {
            assert_eq!(whole.to_values().unwrap(), rows, "round {round}: {text:?}");
        }
        for size in 1..4 {
            let found = lengths(&table.clone().rows(size), &whole);
            assert!(found.iter().rev().skip(1).all(|&length| length == size), "{found:?}");
        }
    }
}
