//! `nestled repl`: NESL as it is typed.

use crate::cli::Repl;
use crate::device;
use crate::exit_codes::Failure;
use crate::nesl::backend::session_engine;
use crate::nesl::world::Machine;
use crate::nesl::{dialect, tell_of_user};
use crate::signals;
use nestled_nesl::TopLevel;
use std::io::IsTerminal;
use std::path::Path;

/// Reads standard input to its end, or until a command leaves.
pub fn run(options: &Repl) -> Result<(), Failure> {
    let interrupt = signals::interrupt();
    let gate = options.reach.gate(&options.distrust);
    let mut world = Machine::new(gate, &options.drawings, device::room(None)?, interrupt.clone());
    let mut top = TopLevel::new(dialect(&options.nesl));
    top.session.engine = session_engine(options.nesl.compat, &interrupt)?;
    tell_of_user(&mut top.session, gate);
    top.prompts = std::io::stdin().is_terminal();
    if top.prompts || options.nesl.compat {
        let home = gate.environment().ok().and_then(|environment| environment.variable("HOME"));
        let start = Path::new(&home.unwrap_or_default()).join(".nesl");
        if gate.files().is_ok() && start.is_file() {
            top.load_file(&start.to_string_lossy(), true, false, &mut world);
        }
    }
    top.converse(&mut world);
    world.finish()
}
