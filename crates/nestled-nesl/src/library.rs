//! The language's own functions: the table of primitives, and the prelude in NESL.

use crate::dialect::Dialect;
use crate::environment::{Environment, Global, Meaning};
use crate::primitive::{Entry, TABLE};
use crate::token::Text;
use nestled_ir::Span;

/// The prelude, in the order it is read. Names that begin with `_` only the library sees.
pub(crate) const PRELUDE: [(&str, &str); 8] = [
    ("prelude/scalar.nesl", include_str!("prelude/scalar.nesl")),
    ("prelude/sequence.nesl", include_str!("prelude/sequence.nesl")),
    ("prelude/any.nesl", include_str!("prelude/any.nesl")),
    ("prelude/string.nesl", include_str!("prelude/string.nesl")),
    ("prelude/io.nesl", include_str!("prelude/io.nesl")),
    ("prelude/inside.nesl", include_str!("prelude/inside.nesl")),
    ("prelude/draw.nesl", include_str!("prelude/draw.nesl")),
    ("prelude/windows.nesl", include_str!("prelude/windows.nesl")),
];

/// What is added to the prelude, or replaces parts of it, in each dialect.
pub(crate) fn of_dialect(dialect: Dialect) -> (&'static str, &'static str) {
    match dialect.compat {
        true => ("prelude/compat.nesl", include_str!("prelude/compat.nesl")),
        false => ("prelude/default.nesl", include_str!("prelude/default.nesl")),
    }
}

/// `name: what it does`, one a line.
const DOCUMENTATION: &str = include_str!("prelude/documentation.txt");

/// What a function of the library does.
pub(crate) fn documentation(name: &str) -> Option<&'static str> {
    DOCUMENTATION.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Makes the primitives known.
pub(crate) fn add_primitives(env: &mut Environment, dialect: Dialect) {
    for entry in TABLE {
        let Entry { name, ty, primitive, serial } = *entry;
        let primitive = primitive.in_dialect(dialect);
        let global = Global {
            name: Text::from(name),
            scheme: env.table_type(ty, dialect),
            meaning: Meaning::Primitive(primitive),
            serial,
            library: true,
            defaults: Vec::new(),
            doc: None,
            definition: None,
            span: Span::NONE,
        };
        let id = env.add_global(global);
        env.bind_library(Text::from(name), id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use std::collections::BTreeSet;

    /// `name : type [S]`, one a line.
    const NAMES: &str = include_str!("../../../tests/nesl/names.txt");
    /// Names of the original that there are not, one a line.
    const MISSING: &str = include_str!("../../../tests/nesl/names-missing.txt");

    #[test]
    fn what_is_documented_is_there() {
        let mut session = Session::new(Dialect::default());
        for line in DOCUMENTATION.lines() {
            let (name, _) = line.split_once(": ").expect("a name and what it does");
            let found = session.environment_mut().lookup_any(name, Dialect::default());
            assert!(found.is_some(), "{name}");
        }
        assert_eq!(
            documentation("=="),
            Some("whether two numbers or characters are equal; for other values there is eql")
        );
        assert_eq!(documentation("no_such_name"), None);
    }

    #[test]
    fn every_definition_is_well_typed() {
        for dialect in [Dialect::default(), Dialect::COMPAT] {
            let mut session = Session::new(dialect);
            for name in session.environment().unread_names() {
                // Fails where the definition does.
                assert!(session.environment_mut().lookup_library(&name, dialect).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn every_name_of_the_language_has_its_type() {
        let missing: BTreeSet<&str> = MISSING.lines().filter(|line| !line.starts_with('#')).collect();
        let mut wrong = Vec::new();
        let mut session = Session::new(Dialect::default());
        for line in NAMES.lines() {
            let (name, rest) = line.split_once(" : ").expect("a name and a type");
            let (ty, serial) = rest.strip_suffix(" [S]").map_or((rest, false), |ty| (ty, true));
            let env = session.environment_mut();
            let Some(id) = env.lookup_any(name, Dialect::default()) else {
                if !missing.contains(name) {
                    wrong.push(format!("{name} is missing"));
                }
                continue;
            };
            if missing.contains(name) {
                wrong.push(format!("{name} is not missing"));
            }
            let wanted = env.table_type(ty, Dialect::default());
            let global = env.global(id).clone();
            if !env.types.same_scheme(&wanted, &global.scheme) || global.serial != serial {
                let found = session.type_of(id);
                wrong.push(format!("{name} : {ty}, serial {serial}, is {found}, {}", global.serial));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
