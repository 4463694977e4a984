//! `--arg name=value`: names that a program finds bound.

use crate::exit_codes::Failure;
use crate::nesl::world::Machine;
use nestled_ir::value::Buffer;
use nestled_nesl::{Dialect, Elements, Session, Width};
use nestled_rt::npy::Npy;

/// Binds a name to the content of a file, or to the value of an expression.
pub fn bind(session: &mut Session, name: &str, value: &str, world: &mut Machine) -> Result<(), Failure> {
    let wrong = |why: String| Failure::usage(format!("--arg {name}: {why}"));
    if let Some(path) = value.strip_prefix('@') {
        let (shape, elements) =
            from_file(path, session.dialect()).map_err(|why| wrong(format!("cannot use `{path}`: {why}")))?;
        session.bind(name, &shape, elements);
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

fn from_file(path: &str, dialect: Dialect) -> Result<(Vec<usize>, Elements), String> {
    let file = std::fs::read(path).map_err(|error| error.to_string())?;
    if !Npy::is_one(&file) {
        return Ok((vec![file.len()], Elements::Chars(file)));
    }
    let npy = Npy::parse(&file)?;
    let ints = |values: Vec<i64>| match values.iter().find(|value| dialect.wrap(**value) != **value) {
        Some(value) => Err(format!("{value} in it does not fit into an `int` of 32 bits")),
        None => Ok(Elements::Ints(values)),
    };
    let narrow = dialect.float == Width::W32;
    let floats = |values: Vec<f64>| {
        Elements::Floats(
            values.into_iter().map(|value| if narrow { dialect.round(value) } else { value }).collect(),
        )
    };
    let elements = match npy.buffer(npy.elem) {
        Buffer::Bool(values) => Elements::Bools(values),
        Buffer::U8(values) => Elements::Chars(values),
        Buffer::I32(values) => ints(values.into_iter().map(i64::from).collect())?,
        Buffer::U32(values) => ints(values.into_iter().map(i64::from).collect())?,
        Buffer::I64(values) | Buffer::Idx(values) => ints(values)?,
        Buffer::F32(values) => floats(values.into_iter().map(f64::from).collect()),
        Buffer::F64(values) => floats(values),
        Buffer::F16(_) => return Err("it holds `f16`; convert it with `.astype('f4')`".to_owned()),
    };
    Ok((npy.shape.iter().map(|extent| *extent as usize).collect(), elements))
}
