//! Type checks for file formats: refuses a type that does not fit a format before anything is computed.

use super::{csv, png};
use nestled_nesl::Session;
use nestled_nesl::types::{Base, Type, TypeId};

/// The reason why no value of a type can be written in a format; `None` if some can.
pub fn unfit(form: &str, ty: TypeId, session: &mut Session) -> Option<String> {
    match form {
        "csv" => {
            let row = match node(ty, session) {
                (Type::Seq(row), _) => row,
                (Type::Var(_), _) => return None,
                _ => return Some(csv::NO_TABLE.to_owned()),
            };
            let cells = match node(row, session) {
                (Type::Seq(cell), _) if !is_text(row, session) => vec![cell],
                _ => parts(row, session),
            };
            let fit = cells.into_iter().all(|cell| is_scalar(cell, session) || is_text(cell, session));
            (!fit).then(|| csv::NO_TABLE.to_owned())
        }
        "png" => {
            let mut pixel = ty;
            for _ in 0..2 {
                pixel = match node(pixel, session) {
                    (Type::Seq(inner), _) => inner,
                    (Type::Var(_), _) => return None,
                    _ => return Some(png::NO_PICTURE.to_owned()),
                };
            }
            let channels = parts(pixel, session);
            match channels.len() {
                _ if !channels.iter().all(|channel| is_scalar(*channel, session)) => {
                    Some(png::NO_PICTURE.to_owned())
                }
                1..=4 => None,
                count => Some(format!("a picture has 1 to 4 values for each pixel, not {count}")),
            }
        }
        _ => None,
    }
}

/// The outermost constructor of a type, and its parts. A record counts as its content.
fn node(mut ty: TypeId, session: &mut Session) -> (Type, Vec<TypeId>) {
    loop {
        let parts = session.parts_of(ty);
        match session.type_node(ty) {
            Type::Record(..) | Type::Link(_) if !parts.is_empty() => ty = parts[0],
            other => return (other, parts),
        }
    }
}

/// The parts of a tuple; another type is its own single part.
fn parts(ty: TypeId, session: &mut Session) -> Vec<TypeId> {
    let (mut all, mut rest) = (Vec::new(), ty);
    while let (Type::Pair(..), parts) = node(rest, session) {
        all.push(parts[0]);
        rest = parts[1];
    }
    all.push(rest);
    all
}

fn is_scalar(ty: TypeId, session: &mut Session) -> bool {
    matches!(node(ty, session).0, Type::Base(_) | Type::Var(_))
}

fn is_text(ty: TypeId, session: &mut Session) -> bool {
    match node(ty, session) {
        (Type::Seq(_), parts) => matches!(node(parts[0], session).0, Type::Base(Base::Char)),
        _ => false,
    }
}
