//! `nestled repl`: an interactive session of NESL.

use crate::cli::Repl;
use crate::device;
use crate::exit_codes::Failure;
use crate::nesl::world::Machine;
use crate::nesl::{arguments, backend, dialect, tell_of_user};
use crate::signals::{self, InteractiveInterrupt};
use nestled_nesl::TopLevel;
use std::io::IsTerminal;
use std::path::Path;

/// Reads standard input to its end, or until a command leaves.
pub fn run(options: &Repl) -> Result<(), Failure> {
    let prompts = std::io::stdin().is_terminal();
    let presses = prompts.then(InteractiveInterrupt::hear);
    let interrupt = presses.as_ref().map_or_else(signals::interrupt, |presses| presses.interrupt().clone());
    let gate = options.reach.gate(&options.distrust);
    let room = device::room(options.memory.as_deref())?;
    let mut world = Machine::new(gate, &options.drawings, room, interrupt.clone());
    if let Some(presses) = presses {
        world.talk(presses);
    }
    let mut top = TopLevel::new(dialect(&options.nesl));
    top.to_vcode = Some(nestled_vcode::emit::of_session);
    top.session.engine = backend::session_engine(options, &interrupt)?;
    tell_of_user(&mut top.session, gate);
    top.prompts = prompts;
    top.session.limits.bytes = room;
    for named in &options.named {
        arguments::bind(&mut top.session, named, room, &mut world)?;
    }
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
