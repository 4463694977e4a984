//! Printer, from the program to its text form. It round-trips.
//!
//! Parsing the printed text with [`parse`](super::parse) gives the same program, if its ids are in canonical order (see
//! [`compact`](crate::compact::compact)). So intermediate results may be folded into the statement that uses them only where parsing gives
//! the same order again: see [`fold`]. Malformed programs print too, with `%7` for undefined ids; they need not parse again.

mod fold;
mod host;
mod host_ops;
mod kernel;
mod lines;
mod literal;
mod names;
mod thunk;
mod thunk_ops;
mod types;

use crate::id::SiteId;
use crate::name::Name;
use crate::program::Program;
use lines::Lines;
use names::Namer;

/// The text of a program.
///
/// ```
/// let text = "fn main() -> i64 {\n  ret 1\n}\n";
/// let program = nestled_ir::text::parse("one.lcu", text).unwrap();
/// assert_eq!(nestled_ir::text::print(&program), text);
/// ```
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    let mut items = Vec::new();
    for index in 0..program.thunks.len() {
        items.push(printer.thunk(index));
    }
    if !program.monoids.is_empty() {
        items.push(printer.monoids());
    }
    for index in 0..program.kernels.len() {
        items.push(printer.kernel(index));
    }
    for index in 0..program.functions.len() {
        items.push(printer.function(index));
    }
    let texts: Vec<String> = items.iter().map(Lines::to_text).collect();
    let header = printer.sites.header(program.sites.len());
    header + &texts.join("\n")
}

/// The state shared by all parts of the printer: the names of definitions and the site marks.
struct Printer<'a> {
    program: &'a Program,
    thunks: Vec<String>,
    monoids: Vec<String>,
    kernels: Vec<String>,
    functions: Vec<String>,
    sites: SiteMarks,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Printer<'a> {
        Printer {
            program,
            thunks: item_names(program.thunks.iter().map(|item| &item.name)),
            monoids: item_names(program.monoids.iter().map(|item| &item.name)),
            kernels: item_names(program.kernels.iter().map(|item| &item.name)),
            functions: item_names(program.functions.iter().map(|item| &item.name)),
            sites: SiteMarks::default(),
        }
    }
}

fn item_names<'n>(names: impl Iterator<Item = &'n Name>) -> Vec<String> {
    let mut namer = Namer::default();
    names.enumerate().map(|(index, name)| namer.fresh(name, index)).collect()
}

/// The name of a definition; of one that does not exist, something that says so.
fn item(names: &[String], index: usize) -> String {
    names.get(index).cloned().unwrap_or_else(|| format!("%{index}"))
}

/// Marks the fault sites that would get another number when the text is parsed.
#[derive(Default)]
struct SiteMarks {
    next: u32,
    end: u32,
    marked: bool,
}

impl SiteMarks {
    fn mark(&mut self, site: Option<SiteId>) -> String {
        let Some(SiteId(site)) = site else { return String::new() };
        let expected = std::mem::replace(&mut self.next, site.saturating_add(1));
        self.end = self.end.max(self.next);
        if site == expected {
            return String::new();
        }
        self.marked = true;
        format!("!{site}")
    }

    /// The line with the number of sites, where the marks do not imply it.
    fn header(&self, count: usize) -> String {
        if self.marked || self.end as usize != count { format!("sites {count}\n\n") } else { String::new() }
    }
}
