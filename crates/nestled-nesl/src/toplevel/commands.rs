//! Commands: statements that begin with a word such as `set`.

use super::{Flow, TopLevel};
use crate::interp::World;
use crate::token::{Text, Token, TokenKind};

const HELP: &str = "\
A statement ends with `;`. An expression is shown, and `it` is its value; `x = 1;` and `function f(x) = x;` give names.

  help                          this list
  exit                          leave, as `quit` does; alone on a line, these need no `;`
  load \"file\";                  run the statements of a file; `load;` does so again
  edit \"file\";                  edit it, then load it
  describe name;                what a function takes and gives
  apropos word;                 names that contain the word
  show code name;               how a function is defined
  show status;                  switches, watched functions, background jobs
  show bugs;                    what is known not to work
  set arg_check on|off;         check positions, lengths and divisors
  set print_length n;           show so many elements of a sequence
  set verbose on|off;           say more than results
  set trace name 0|1|2|3|4;     watch a function: calls; with values; its `let`s too; those with values
  set profile name on|off;      time the parts of a function
  set trace off; set profile off;
  shell \"command\";              run a command of the system
  get name;                     the value of `name &= expression;`
  dump vcode \"file\" expression; write the expression, with what it needs, in VCODE
  dump info;                    the version, and what it was set to; also `dump info \"file\";`
";

const BUGS: &str = "\
- The drawing functions draw into files; there is nobody to press a button.
- `dump world` does nothing.
- Background jobs are computed when they are asked for.
";

impl TopLevel {
    pub(super) fn command(&mut self, name: &str, words: &[Token], world: &mut dyn World) -> Flow {
        let texts: Vec<&str> = words.iter().map(|word| word.kind.text().unwrap_or("")).collect();
        match (name, texts.as_slice()) {
            ("exit" | "lisp", _) => return Flow::Leave,
            ("help", _) => world.print(HELP.as_bytes()),
            ("describe", [name]) => return self.describe(name, world),
            ("apropos", [_]) => return self.apropos(&words[0].kind, world),
            ("show", ["code", name]) => return self.show_code(name, world),
            ("show", ["bugs"]) => world.print(BUGS.as_bytes()),
            ("show", ["status"]) => self.show_status(world),
            ("show", ["config"]) => world.print(format!("{}\n", self.configuration).as_bytes()),
            ("show", ["configs"]) => {
                let lines: Vec<String> = self.configurations.iter().map(|name| format!("{name}\n")).collect();
                world.print(lines.concat().as_bytes());
            }
            ("show", ["compiled", ..]) => {
                return self.complain("`nestled show --stage core FILE` shows what a program becomes", world);
            }
            ("set", [switch, rest @ ..]) => return self.set(switch, rest, words, world),
            ("load", _) => return self.load(words, world),
            ("get", [name]) => return self.get(name, world),
            ("shell", _) => return self.shell(words, world),
            ("edit", _) => return self.edit(words, world),
            ("dump", ["info", ..]) => return self.dump_info(&words[1..], world),
            ("dump", ["vcode", ..]) => return self.dump_vcode(&words[1..], world),
            ("dump", _) => return self.complain("`dump` writes no images here", world),
            _ => {
                return self
                    .complain(&format!("`{name}` is not used like this; `help;` lists the commands"), world);
            }
        }
        Flow::On
    }

    fn set(&mut self, switch: &str, rest: &[&str], words: &[Token], world: &mut dyn World) -> Flow {
        let on = match rest {
            ["on"] => Some(true),
            ["off"] => Some(false),
            _ => None,
        };
        match (switch, on, words.last().map(|word| &word.kind)) {
            ("verbose", Some(on), _) => self.verbose = on,
            ("arg_check", Some(on), _) => self.session.arg_check = on,
            ("print_length", None, Some(TokenKind::Int(length))) if rest.len() == 1 => {
                self.session.style.print_length = usize::try_from(*length).unwrap_or(usize::MAX);
            }
            ("trace", Some(false), _) => self.unwatch_all(false, world),
            ("profile", Some(false), _) => self.unwatch_all(true, world),
            ("trace", None, Some(TokenKind::Int(level @ 0..=4))) if rest.len() == 2 => {
                return self.trace(rest[0], *level as u8, world);
            }
            ("profile", None, _) if matches!(rest, [_, "on" | "off"]) => {
                return self.profile(rest[0], rest[1] == "on", world);
            }
            ("editor", _, Some(TokenKind::Str(command))) => {
                self.editor = String::from_utf8_lossy(command).into_owned();
            }
            ("config", _, Some(TokenKind::Word(name))) if self.configurations.contains(name) => {
                self.configuration = name.clone();
            }
            // What they set there is nothing here.
            ("redefine" | "lnesl" | "debug", Some(_), _) | ("memory_size" | "rsh_command", ..) => {}
            _ => {
                let text = format!("`set {switch}` is not used like this; `help;` lists the switches");
                return self.complain(&text, world);
            }
        }
        Flow::On
    }

    fn show_status(&self, world: &mut dyn World) {
        let switch = |on: bool| if on { "on" } else { "off" };
        let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let watched = |profile: bool| {
            let names = self.watched.iter().filter(|entry| entry.1.is_profile() == profile);
            list(names.map(|entry| &**entry.0).collect())
        };
        let text = format!(
            "verbose: {}\narg_check: {}\nprint_length: {}\ntraced functions: {}\nprofiled functions: {}\n\
             background jobs: {}\nconfiguration: {}\n",
            switch(self.verbose),
            switch(self.session.arg_check),
            self.session.style.print_length,
            watched(false),
            watched(true),
            list(self.jobs.names().map(String::as_str).collect()),
            self.configuration
        );
        world.print(text.as_bytes());
    }

    /// Runs `shell [configuration] "command"`.
    fn shell(&mut self, words: &[Token], world: &mut dyn World) -> Flow {
        let Some(TokenKind::Str(command)) = words.last().map(|word| &word.kind) else {
            return self.complain("`shell` wants a command in quotation marks", world);
        };
        match world.shell(&String::from_utf8_lossy(command)) {
            Ok(_) => Flow::On,
            Err(message) => self.complain(&message, world),
        }
    }

    fn edit(&mut self, words: &[Token], world: &mut dyn World) -> Flow {
        let name = if words.is_empty() { self.last_file.clone() } else { self.text_of(words, world) };
        let Some(name) = name else { return self.complain("`edit` wants the name of a file", world) };
        match world.shell(&format!("{} '{}'", self.editor, name.replace('\'', "'\\''"))) {
            Ok(0) => self.load_file(&name, true, true, world),
            Ok(status) => self.complain(&format!("the editor ended with status {status}"), world),
            Err(message) => self.complain(&message, world),
        }
    }

    /// Looks up the name in a command; operators are named by their symbols.
    pub(super) fn known(&mut self, name: &str) -> Option<crate::typed::GlobalId> {
        let dialect = self.session.dialect();
        self.session.environment_mut().lookup_any(&Text::from(name), dialect)
    }
}
