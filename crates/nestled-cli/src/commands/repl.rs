//! `nestled repl`: NESL as it is typed.

use crate::cli::Repl;
use crate::exit_codes::Failure;
use crate::nesl::backend::session_engine;
use crate::nesl::world::Machine;
use crate::nesl::{dialect, tell_of_user};
use crate::signals;
use nestled_nesl::TopLevel;
use nestled_nesl::interp::World;
use std::io::IsTerminal;

/// Reads standard input to its end, or until a command leaves.
pub fn run(options: &Repl) -> Result<(), Failure> {
    let interrupt = signals::interrupt();
    let mut world = Machine::new(&options.nesl, interrupt.clone());
    let mut top = TopLevel::new(dialect(&options.nesl));
    top.session.engine = session_engine(options.nesl.compat, &interrupt)?;
    tell_of_user(&mut top.session, &mut world);
    top.prompts = std::io::stdin().is_terminal();
    if top.prompts || options.nesl.compat {
        let start = format!("{}/.nesl", world.variable("HOME"));
        if !options.nesl.no_files && std::path::Path::new(&start).is_file() {
            top.load_file(&start, true, false, &mut world);
        }
    }
    top.converse(&mut world);
    world.finish()
}
