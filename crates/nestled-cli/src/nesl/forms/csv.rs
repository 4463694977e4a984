//! CSV tables: a line for each row, with commas between the cells.
//!
//! A table of numbers is a sequence of rows, of any lengths. In other tables each column has a type, and rows are tuples where these differ. One column alone
//! is a sequence of its cells.
//! A first line of words over numbers names the columns, and is left out.

use super::tree::{Form, Tree, column};
use nestled_nesl::Column;
use nestled_nesl::interp::Value;
use std::borrow::Cow;
use std::io;

/// Parses the rows of a text, into at most `room` bytes.
pub fn read(text: &str, room: u64) -> Result<Column, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = rows(text, separator(text), room)?;
    let is_word = |cell: &Cell<'_>| matches!(cell.value(), Tree::Text(_));
    let names = rows.first().is_some_and(|first| !first.is_empty() && first.iter().all(is_word));
    if names && rows[1..].iter().flatten().any(|cell| !is_word(cell)) {
        rows.remove(0);
    }
    let is_column = !rows.is_empty() && rows.iter().all(|row| row.len() == 1);
    let trees = match joined(rows.iter().flatten()) {
        Some(form @ (Form::Int | Form::Float)) if is_column => {
            (rows.iter().flatten().map(Cell::value).collect(), form)
        }
        Some(form @ (Form::Any | Form::Int | Form::Float)) => {
            let row = |row: &Vec<Cell<'_>>| Tree::Several(row.iter().map(Cell::value).collect());
            (rows.iter().map(row).collect(), Form::Seq(Box::new(form)))
        }
        _ => of_columns(rows)?,
    };
    column(&[&Tree::Several(trees.0)], &Form::Seq(Box::new(trees.1)))
}

/// The type that all of some cells have.
fn joined<'c, 't: 'c>(mut cells: impl Iterator<Item = &'c Cell<'t>>) -> Option<Form> {
    cells.try_fold(Form::Any, |form, cell| form.join(cell.value().form()))
}

/// The rows of a table with a type for each column, and the type of a row: a single column has the type of its cells.
fn of_columns(mut rows: Vec<Vec<Cell<'_>>>) -> Result<(Vec<Tree>, Form), String> {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    if let Some(at) = rows.iter().position(|row| !row.is_empty() && row.len() != width) {
        return Err(format!("row {} has {} cells, others have {width}", at + 1, rows[at].len()));
    }
    // No tuple is empty, so an empty line is no row.
    rows.retain(|row| !row.is_empty());
    // Of a column that has words and other things all cells are words.
    let form = |at: usize| joined(rows.iter().map(|row| &row[at])).unwrap_or(Form::Text);
    let forms: Vec<Form> = (0..width).map(form).collect();
    let cell = |(cell, form): (Cell<'_>, &Form)| {
        if *form == Form::Text { Tree::Text(cell.text.into_owned()) } else { cell.value() }
    };
    let one = width == 1;
    let row = |row: Vec<Cell<'_>>| {
        let mut cells: Vec<Tree> = row.into_iter().zip(&forms).map(cell).collect();
        if one { cells.remove(0) } else { Tree::Several(cells) }
    };
    let trees = rows.into_iter().map(row).collect();
    Ok((
        trees,
        match forms.iter().cloned().try_fold(Form::Any, Form::join) {
            Some(form) if one => form,
            Some(form) => Form::Seq(Box::new(form)),
            None => Form::Tuple(forms),
        },
    ))
}

/// Detects the separator of cells: comma, tab or semicolon. Where numbers have decimal commas, programs write other marks.
fn separator(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    [',', '\t', ';'].into_iter().find(|mark| first.contains(*mark)).unwrap_or(',')
}

/// A cell, and whether it stood in quotation marks.
struct Cell<'t> {
    text: Cow<'t, str>,
    quoted: bool,
}

impl Cell<'_> {
    /// The value of a cell. An empty cell is a missing number; one with more digits than an integer has is a word.
    fn value(&self) -> Tree {
        let text = self.text.trim();
        let is_integer = || text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+'));
        if self.quoted {
            return Tree::Text(self.text.clone().into_owned());
        }
        if text.is_empty() {
            return Tree::Null;
        }
        if let Ok(value) = text.parse() {
            return Tree::Int(value);
        }
        match text {
            "true" | "True" | "TRUE" => Tree::Bool(true),
            "false" | "False" | "FALSE" => Tree::Bool(false),
            _ if is_integer() => Tree::Text(self.text.clone().into_owned()),
            _ => text.parse().map_or_else(|_| Tree::Text(self.text.clone().into_owned()), Tree::Float),
        }
    }
}

fn rows(text: &str, separator: char, room: u64) -> Result<Vec<Vec<Cell<'_>>>, String> {
    let (mut rows, mut left) = (Vec::new(), room);
    let mut rest = text;
    while !rest.is_empty() {
        let mut row = Vec::new();
        loop {
            let (cell, after) = cell(rest, separator)
                .ok_or_else(|| format!("row {}: a `\"` is not closed", rows.len() + 1))?;
            rest = after;
            // What it takes here, and as a value.
            let size = size_of::<Cell<'_>>() + size_of::<Tree>() + cell.text.len();
            left = left
                .checked_sub(size as u64)
                .ok_or_else(|| format!("it takes more than the {room} bytes that there is room for"))?;
            // A line with nothing on it has no cells.
            let alone = row.is_empty() && !rest.starts_with(separator);
            if !(alone && cell.text.is_empty() && !cell.quoted) {
                row.push(cell);
            }
            match rest.strip_prefix(separator) {
                Some(after) => rest = after,
                None => break,
            }
        }
        let end = ["\r\n", "\n", "\r"].into_iter().find_map(|end| rest.strip_prefix(end));
        rest = match end {
            Some(after) => after,
            None if rest.is_empty() => rest,
            None => return Err(format!("row {}: something stands behind a `\"`", rows.len() + 1)),
        };
        rows.push(row);
    }
    Ok(rows)
}

/// Splits a text into its first cell and the rest.
fn cell(text: &str, separator: char) -> Option<(Cell<'_>, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([separator, '\n', '\r']).unwrap_or(text.len());
        return Some((Cell { text: Cow::Borrowed(&text[..end]), quoted: false }, &text[end..]));
    };
    let mut cell = String::new();
    loop {
        let (before, after) = rest.split_once('"')?;
        cell.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                cell.push('"');
                rest = after;
            }
            None => return Some((Cell { text: Cow::Owned(cell), quoted: true }, after)),
        }
    }
}

/// The text of a table of this type.
///
/// # Errors
/// The value is no table.
pub fn write(out: &mut dyn io::Write, table: &Value, ty: &str) -> io::Result<()> {
    let Value::Seq(rows) = table else { return Err(io::Error::other(NO_TABLE)) };
    let mut text = String::new();
    for piece in rows.pieces() {
        for row in piece.iter() {
            // An empty row is an empty line, and an empty text one with quotation marks.
            let spelled = if ty == "[[char]]" { spell(row, &mut text) } else { line(row, &mut text) };
            spelled.map_err(io::Error::other)?;
            text.push('\n');
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    Ok(())
}

pub(super) const NO_TABLE: &str =
    "a table is a sequence of rows, each a sequence or a tuple of numbers, truth values or texts";

fn line(row: &Value, text: &mut String) -> Result<(), String> {
    let start = text.len();
    match row {
        Value::Seq(cells) if !is_text(row) => {
            for piece in cells.pieces() {
                for value in piece.iter() {
                    text.push_str(if text.len() > start { "," } else { "" });
                    spell(value, text)?;
                }
            }
            Ok(())
        }
        Value::Pair(_) => {
            let mut rest = row;
            while let Value::Pair(parts) = rest {
                spell(&parts.0, text)?;
                text.push(',');
                rest = &parts.1;
            }
            spell(rest, text)
        }
        other => spell(other, text),
    }
}

/// True if the value is a text that is not empty.
fn is_text(value: &Value) -> bool {
    matches!(value, Value::Seq(elements) if matches!(elements.beginning(1).first(), Some(Value::Char(_))))
}

fn spell(value: &Value, text: &mut String) -> Result<(), String> {
    match value {
        Value::Int(value) => text.push_str(&value.to_string()),
        Value::Float(value) => text.push_str(&format!("{value:?}")),
        Value::Bool(value) => text.push_str(&value.to_string()),
        Value::Char(code) => text.push_str(&quoted(&char::from(*code).to_string())),
        Value::Seq(elements) if elements.is_empty() || is_text(value) => {
            text.push_str(&quoted(&String::from_utf8_lossy(&elements.characters())));
        }
        _ => return Err(NO_TABLE.to_owned()),
    }
    Ok(())
}

/// Quotes a text as a cell. In quotation marks nothing is taken for a number, or for the end of the cell.
fn quoted(text: &str) -> String {
    let plain = matches!(Cell { text: Cow::Borrowed(text), quoted: false }.value(), Tree::Text(_))
        && !text.contains(['"', ',', '\n', '\r', ';', '\t'])
        && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: &Value, ty: &str) -> io::Result<String> {
        let mut bytes = Vec::new();
        write(&mut bytes, table, ty)?;
        Ok(String::from_utf8(bytes).expect("a table is a text"))
    }

    fn read(text: &str) -> Result<Column, String> {
        super::read(text, u64::MAX)
    }

    #[test]
    fn cells_take_room() {
        assert!(super::read("1,2\n3,4\n", 1000).is_ok());
        assert_eq!(
            super::read("1,2\n3,4\n", 100).unwrap_err(),
            "it takes more than the 100 bytes that there is room for"
        );
    }
    use nestled_nesl::Elements;

    fn numbers(column: Column) -> (Vec<usize>, Elements) {
        let Column::Rows { elements, .. } = column else { panic!("{column:?}") };
        let Column::Rows { lengths, elements } = *elements else { panic!("{elements:?}") };
        let Column::Elements { elements, .. } = *elements else { panic!("{elements:?}") };
        (lengths, elements)
    }

    #[test]
    fn numbers_are_rows() {
        assert_eq!(numbers(read("1,2\n3,4\n").unwrap()), (vec![2, 2], Elements::Ints(vec![1, 2, 3, 4])));
        assert_eq!(
            numbers(read("1\r\n\r\n2,3.5").unwrap()),
            (vec![1, 0, 2], Elements::Floats(vec![1.0, 2.0, 3.5]))
        );
        let column = |text: &str| match read(text).unwrap() {
            Column::Rows { lengths, elements } => (lengths, *elements),
            other => panic!("{other:?}"),
        };
        let elements = |count, elements| Column::Elements { count, shape: Vec::new(), elements };
        assert_eq!(column("1\n2\n"), (vec![2], elements(2, Elements::Ints(vec![1, 2]))));
        assert_eq!(column("x\n1.5\n2"), (vec![2], elements(2, Elements::Floats(vec![1.5, 2.0]))));
        assert_eq!(column("true\nfalse"), (vec![2], elements(2, Elements::Bools(vec![true, false]))));
        assert_eq!(numbers(read("1\n\n2\n").unwrap()).0, [1, 0, 1]);
        assert_eq!(numbers(read("x,y\n1,2\n").unwrap()), (vec![2], Elements::Ints(vec![1, 2])));
        assert_eq!(numbers(read("1;2\n").unwrap()), (vec![2], Elements::Ints(vec![1, 2])));
    }

    #[test]
    fn columns_of_different_types_are_tuples() {
        let Column::Rows { lengths, elements } = read("name,age\nAda,36\n\"Lovelace, A\",7\n").unwrap()
        else {
            panic!()
        };
        assert_eq!(lengths, [2]);
        assert!(matches!(*elements, Column::Pairs(..)), "{elements:?}");
        assert_eq!(read("a,1\nb\n").unwrap_err(), "row 2 has 1 cells, others have 2");
        assert_eq!(read("\"a").unwrap_err(), "row 1: a `\"` is not closed");
    }

    #[test]
    fn a_column_has_one_type() {
        let shown = |text: &str| format!("{:?}", read(text).unwrap());
        assert!(shown("1,true\n0,\n").contains("Chars([116, 114, 117, 101])"), "{}", shown("1,true\n0,\n"));
        assert!(shown("007\nx\n\n").contains("lengths: [3, 1]"), "{}", shown("007\nx\n\n"));
        assert!(shown("12345678901234567890\n").contains("Chars("));
        assert_eq!(numbers(read("1,2\r3,4\r").unwrap()).0, [2, 2]);
    }

    #[test]
    fn texts_come_back() {
        let texts = Value::seq(vec![Value::string(b"a"), Value::string(b"")]);
        assert_eq!(written(&texts, "[[char]]").unwrap(), "a\n\"\"\n");
        let Column::Rows { lengths, elements } = read("a\n\"\"\n").unwrap() else { panic!() };
        assert_eq!(lengths, [2]);
        assert!(matches!(*elements, Column::Rows { lengths, .. } if lengths == [1, 0]));
    }

    #[test]
    fn tables_are_written() {
        let ints = |values: &[i64]| Value::seq(values.iter().map(|value| Value::Int(*value)).collect());
        assert_eq!(
            written(&Value::seq(vec![ints(&[1, 2]), ints(&[]), ints(&[3])]), "[[int]]").unwrap(),
            "1,2\n\n3\n"
        );
        let row = |name: &[u8], value| Value::pair(Value::string(name), Value::Float(value));
        assert_eq!(
            written(&Value::seq(vec![row(b"a,b", 1.5), row(b"7", f64::NAN)]), "[([char], float)]").unwrap(),
            "\"a,b\",1.5\n\"7\",NaN\n"
        );
        assert!(written(&Value::Int(1), "int").is_err());
    }

    #[test]
    fn cells() {
        assert_eq!(
            [quoted("a"), quoted("a,b"), quoted("say \"x\""), quoted("")],
            ["a", "\"a,b\"", "\"say \"\"x\"\"\"", "\"\""]
        );
    }
}
