//! The standard library: the table of primitives, and the prelude written in NESL.

use crate::dialect::Dialect;
use crate::environment::{Environment, Global, Meaning};
use crate::primitive::{Entry, TABLE};
use crate::token::Text;
use nestled_ir::Span;

/// The prelude in loading order. Names that begin with `_` are visible only to the library.
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

/// Returns the definitions that a dialect adds to the prelude or replaces in it.
pub(crate) fn of_dialect(dialect: Dialect) -> (&'static str, &'static str) {
    match dialect.compat {
        true => ("prelude/compat.nesl", include_str!("prelude/compat.nesl")),
        false => ("prelude/default.nesl", include_str!("prelude/default.nesl")),
    }
}

/// `name: what it does`, one a line, under headings.
const DOCUMENTATION: &str = include_str!("prelude/documentation.txt");

/// Returns the documentation of a function of the library.
pub(crate) fn documentation(name: &str) -> Option<&'static str> {
    DOCUMENTATION.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Adds the primitives to an environment.
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

    /// `cost: names`, one cost a line.
    const COSTS: &str = include_str!("prelude/costs.txt");

    /// The text before the tables.
    const INTRODUCTION: &str = "\
# The predefined functions of NESL

Written by a test from the types that functions have, and from `documentation.txt` and `costs.txt` beside the prelude. `describe name;` at the prompt says the same.

In types, `a` and `b` stand for any type, unless the type says more behind `::`: *number* is `int` or `float`, *ordinal* those, `char` and strings, `[char]`, *logical* `bool` or `int`,
*scalar* any of the four. A function has one argument; several are a tuple.

The cost is *work, depth*: the number of operations, and the longest chain of dependent ones (constant where it is not given). `n` is the number of elements, those of inner sequences and of the result included, `m` that of the other argument, `sort` is `n` for numbers by their bits, in as many steps as numbers have
bytes, and some of these for pairs, and for sequences each time that the longest can be halved, `log` the logarithm of a number among the arguments. `n steps` is one after another. What a function that was given costs comes on top, for each call.
";

    /// The name as code in a table.
    fn code(text: &str) -> String {
        format!("`{}`", text.replace('|', "\\|"))
    }

    fn reference() -> String {
        let mut session = Session::new(Dialect::default());
        let mut page = INTRODUCTION.to_owned();
        for line in DOCUMENTATION.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                page += &format!("\n## {heading}\n\n| Name | Type | | Cost |\n|---|---|---|---|\n");
                continue;
            }
            let (name, meaning) = line.split_once(": ").expect("a name and what it does");
            let dialect = session.dialect();
            let id = session.environment_mut().lookup_any(name, dialect).expect("the library has it");
            let ty = session.type_of(id).to_string();
            let of_name = |line: &&str| {
                line.split_once(": ").is_some_and(|(_, names)| names.split(' ').any(|one| one == name))
            };
            let cost = COSTS.lines().find(of_name).and_then(|line| line.split_once(": "));
            let cost = cost.unwrap_or_else(|| panic!("`{name}` has no cost")).0;
            let serial =
                if session.environment().global(id).serial { "; not in an apply-to-each" } else { "" };
            let meaning = meaning.replace('|', "\\|");
            page += &format!("| {} | {} | {meaning}{serial} | {cost} |\n", code(name), code(&ty));
        }
        page
    }

    /// `UPDATE=1` writes the page anew.
    #[test]
    fn the_page_of_functions_is_true() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/nesl-functions.md");
        let page = reference();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &page).expect("a writable file");
        }
        let found = std::fs::read_to_string(&path).expect("the page");
        assert_eq!(found, page, "docs/nesl-functions.md is not what the library says");
    }

    #[test]
    fn every_cost_is_of_something() {
        for line in COSTS.lines() {
            for name in line.split_once(": ").expect("a cost and names").1.split(' ') {
                assert!(documentation(name).is_some(), "{name}");
            }
        }
    }

    /// `name : type [S]`, one a line.
    const NAMES: &str = include_str!("../../../tests/nesl/names.txt");
    /// Names of the original that are missing here, one a line.
    const MISSING: &str = include_str!("../../../tests/nesl/names-missing.txt");

    #[test]
    fn what_is_documented_is_there() {
        let mut session = Session::new(Dialect::default());
        for line in DOCUMENTATION.lines().filter(|line| !line.starts_with("## ")) {
            let (name, _) = line.split_once(": ").expect("a name and what it does");
            let found = session.environment_mut().lookup_any(name, Dialect::default());
            assert!(found.is_some(), "{name}");
        }
        assert_eq!(
            documentation("=="),
            Some("whether two numbers, characters or strings are equal; for other values there is eql")
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
