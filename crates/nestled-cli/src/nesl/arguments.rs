//! `--arg name=value`: names that a program finds bound.

use crate::data::{self, Data};
use crate::exit_codes::Failure;
use crate::files;
use crate::nesl::forms;
use crate::nesl::numpy;
use crate::nesl::world::Machine;
use nestled_ir::Span;
use nestled_nesl::lexer::lex;
use nestled_nesl::token::{TokenKind, is_keyword};
use nestled_nesl::{Column, Dialect, Elements, Session};
use nestled_rt::npy::Npy;
use std::collections::BTreeSet;
use std::path::Path;

/// Refuses names that the program does not have: whoever mistypes one would get the result of another value.
pub fn check_names(
    named: &[(String, String)],
    texts: &[(String, String)],
    dialect: Dialect,
) -> Result<(), Failure> {
    // The value of an argument may be about other arguments.
    let values = named.iter().filter(|(_, value)| !value.starts_with('@')).map(|(_, value)| value);
    let mut words = BTreeSet::new();
    for text in texts.iter().map(|(_, text)| text).chain(values) {
        let tokens = lex(text, Span::NO_SOURCE, dialect).tokens;
        words.extend(tokens.into_iter().filter_map(|token| match token.kind {
            TokenKind::Word(word) if !is_keyword(&word) => Some(word.to_string()),
            _ => None,
        }));
    }
    for (name, _) in named {
        if !words.contains(name) {
            let meant = nestled_ir::text::closest(name, words.into_iter());
            let help = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
            return Err(Failure::usage(format!("--arg {name}: the program has no name `{name}`{help}")));
        }
    }
    Ok(())
}

/// Binds a name to the content of a file, for which there is so much room, or to the value of an expression.
pub fn bind(
    session: &mut Session,
    (name, value): (&str, &str),
    room: u64,
    world: &mut Machine,
) -> Result<(), Failure> {
    let wrong = |why: String| Failure::usage(format!("--arg {name}: {why}"));
    if let Some(path) = value.strip_prefix('@') {
        let column = from_file(path, session.dialect(), room);
        session.bind_column(name, column.map_err(|why| wrong(format!("cannot use `{path}`: {why}")))?);
        return Ok(());
    }
    for result in session.run(&format!("--arg {name}"), &format!("{name} = {value};"), world) {
        if let Some(fault) = result.fault {
            return Err(Failure::failed(fault.diagnostic().render(&session.sources)));
        }
        if !result.errors.is_empty() {
            return Err(Failure::failed(nestled_ir::render_all(&result.errors, &session.sources)));
        }
    }
    Ok(())
}

/// The value that a file holds: a NumPy file, or a text.
fn from_file(path: &str, dialect: Dialect, room: u64) -> Result<Column, String> {
    let form = Path::new(path).extension().and_then(|form| form.to_str()).unwrap_or_default();
    if forms::FORMS.contains(&form.to_ascii_lowercase().as_str()) {
        let file = files::read_data(Path::new(path), room)?;
        if let Some(column) = forms::read(path, &file, (room, &|value| dialect.wrap(value) == value)) {
            return column;
        }
    }
    let data = data::read(path, room)?;
    // A sequence without elements takes no room in the file, but it does here.
    let fits = |npy: &Npy| {
        let rows = npy.shape.iter().scan(1u64, |rows, extent| {
            *rows = rows.saturating_mul(*extent);
            Some(*rows)
        });
        let size = rows.fold(0, u64::saturating_add).saturating_mul(size_of::<i64>() as u64);
        match size <= room {
            true => Ok(()),
            false => Err(format!("its elements take {size} bytes here; there is room for {room}")),
        }
    };
    match data {
        Data::Array(npy) => {
            fits(&npy)?;
            numpy::whole(npy, dialect)
        }
        Data::Arrays(arrays) => {
            arrays.iter().try_for_each(|(_, npy)| fits(npy))?;
            numpy::read(arrays, dialect)
        }
        Data::Text(text) => {
            Ok(Column::Elements { count: 1, shape: vec![text.len()], elements: Elements::Chars(text) })
        }
        Data::Unknown => Err(data::UNKNOWN.to_owned()),
    }
}
