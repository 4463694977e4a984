//! Named arguments: `--arg name=value` binds a name before the program runs.

use crate::cli::Named;
use crate::data::{self, Data, Wish};
use crate::exit_codes::Failure;
use crate::files;
use crate::nesl::forms;
use crate::nesl::numpy;
use crate::nesl::tables;
use crate::nesl::world::Machine;
use nestled_ir::{ScalarType, Span};
use nestled_nesl::lexer::lex;
use nestled_nesl::token::{TokenKind, is_keyword};
use nestled_nesl::{Column, Dialect, Elements, Session};
use nestled_rt::npy::Npy;
use std::collections::BTreeSet;
use std::path::Path;

/// Refuses names that the program does not have: a mistyped one would silently give the result of another value.
pub fn check_names(named: &[Named], texts: &[(String, String)], dialect: Dialect) -> Result<(), Failure> {
    // The value of an argument may be about other arguments.
    let values = named.iter().map(|named| &named.value).filter(|value| !value.starts_with('@'));
    let mut words = BTreeSet::new();
    for text in texts.iter().map(|(_, text)| text).chain(values) {
        let tokens = lex(text, Span::NO_SOURCE, dialect).tokens;
        words.extend(tokens.into_iter().filter_map(|token| match token.kind {
            TokenKind::Word(word) if !is_keyword(&word) => Some(word.to_string()),
            _ => None,
        }));
    }
    for Named { name, .. } in named {
        if !words.contains(name) {
            let meant = nestled_ir::text::closest(name, words.into_iter());
            let help = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
            return Err(Failure::usage(format!("--arg {name}: the program has no name `{name}`{help}")));
        }
    }
    Ok(())
}

/// Binds a name to the content of a file of at most `room` bytes, or to the value of an expression.
pub fn bind(session: &mut Session, named: &Named, room: u64, world: &mut Machine) -> Result<(), Failure> {
    let Named { name, ty, value } = named;
    let wrong = |why: String| Failure::usage(format!("--arg {name}: {why}"));
    if let Some(path) = value.strip_prefix('@') {
        let base = ty.as_deref().map(Base::of).transpose().map_err(wrong)?.flatten();
        let column = from_file(path, base, session.dialect(), room);
        session.bind_column(name, column.map_err(|why| wrong(format!("cannot use `{path}`: {why}")))?);
    } else {
        expression(session, (name, value), world)?;
    }
    let bare = |ty: &str| ty.replace(char::is_whitespace, "");
    match ty.as_ref().map(|ty| (ty, session.type_named(name))) {
        Some((wanted, found)) if bare(wanted) != bare(&found) => {
            Err(wrong(format!("the value is of type `{found}`, and `{wanted}` is wanted")))
        }
        _ => Ok(()),
    }
}

fn expression(
    session: &mut Session,
    (name, value): (&str, &str),
    world: &mut Machine,
) -> Result<(), Failure> {
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

/// The element type of a declared type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Int,
    Float,
    Char,
    Bool,
}

impl Base {
    const NAMES: [(&'static str, Base); 4] =
        [("int", Base::Int), ("float", Base::Float), ("char", Base::Char), ("bool", Base::Bool)];

    /// The one base of a type; nothing where it has several.
    fn of(ty: &str) -> Result<Option<Base>, String> {
        let mut bases = Vec::new();
        for word in ty.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let known = Base::NAMES.iter().find(|(name, _)| *name == word);
            let base =
                known.ok_or_else(|| format!("`{word}` is no type; int, float, char and bool are some"))?;
            bases.push(base.1);
        }
        Ok(bases.first().copied().filter(|first| bases.iter().all(|base| base == first)))
    }

    /// The type as which the elements of a file are read.
    fn wanted(base: Option<Base>, stored: ScalarType) -> Result<ScalarType, String> {
        use ScalarType::{Bool, F16, F32, F64, I64, U8};
        let is_int = !matches!(stored, F16 | F32 | F64);
        let advice = match (base, stored) {
            (None, elem @ (Bool | U8)) => return Ok(elem),
            (None | Some(Base::Float), F16 | F32 | F64) => return Ok(F64),
            (None | Some(Base::Int), _) if is_int => return Ok(I64),
            (Some(Base::Char), U8) => return Ok(U8),
            (Some(Base::Bool), Bool) => return Ok(Bool),
            (Some(Base::Float), _) => ("float", "'f8'"),
            (Some(Base::Int), _) | (None, _) => ("int", "'i8'"),
            (Some(Base::Char), _) => ("char", "'u1'"),
            (Some(Base::Bool), _) => ("bool", "bool"),
        };
        let (name, numpy) = advice;
        Err(format!("it holds `{stored}`, and `{name}` is wanted; convert it with `.astype({numpy})`"))
    }
}

/// The value that a file holds: a table, a NumPy file, or a text.
fn from_file(path: &str, base: Option<Base>, dialect: Dialect, room: u64) -> Result<Column, String> {
    if let Some(table) = tables::split(path) {
        return tables::read(table, dialect, room);
    }
    let form = Path::new(path).extension().and_then(|form| form.to_str()).unwrap_or_default();
    if forms::FORMS.contains(&form.to_ascii_lowercase().as_str()) {
        let file = files::read_data(Path::new(path), room)?;
        if let Some(column) = forms::read(path, &file, (room, &|value| dialect.wrap(value) == value)) {
            return column;
        }
    }
    let elements = |stored: ScalarType| Base::wanted(base, stored);
    match data::read(path, Wish { room, elements: &elements, several: true })? {
        Data::Array(npy) => {
            fits(&npy, room)?;
            numpy::whole(npy, dialect)
        }
        Data::Arrays(arrays) => {
            arrays.iter().try_for_each(|(_, npy)| fits(npy, room))?;
            numpy::read(arrays, dialect)
        }
        Data::Text(text) if base == Some(Base::Int) => {
            let codes = Elements::Ints(text.iter().map(|code| i64::from(*code)).collect());
            Ok(Column::Elements { count: 1, shape: vec![text.len()], elements: codes })
        }
        Data::Text(text) => {
            Ok(Column::Elements { count: 1, shape: vec![text.len()], elements: Elements::Chars(text) })
        }
        Data::Unknown(_) => Err(data::UNKNOWN.to_owned()),
    }
}

/// A sequence without elements takes no room in the file, but it does here.
fn fits(npy: &Npy, room: u64) -> Result<(), String> {
    let rows = npy.shape.iter().rev().skip(1).rev().scan(1u64, |rows, extent| {
        *rows = rows.saturating_mul(*extent);
        Some(*rows)
    });
    let size = rows.fold(0, u64::saturating_add).saturating_mul(size_of::<i64>() as u64);
    let size = size.saturating_add(npy.elements.size());
    match size <= room {
        true => Ok(()),
        false => Err(format!("its elements take {size} bytes here; there is room for {room}")),
    }
}
