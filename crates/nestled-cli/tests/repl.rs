//! Conversations at a terminal: editing, commands without `;`, and Ctrl-C at any time, which must lose no name and hang nowhere.
//!
//! `NESTLED_CONVERSATIONS` says how many random ones there are.
#![cfg(target_os = "linux")]

use nix::pty::{Winsize, openpty};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Nothing takes longer, on a busy machine and with kernels to compile.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with `nestled repl` on it.
struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    /// All that was shown.
    shown: String,
    /// Where what was shown since the last key begins.
    since: usize,
}

/// Whether there is a prompt, also one in the middle of a statement. (Messages have arrows.)
fn is_asking(shown: &str) -> bool {
    ["<Nesl> ", "\n> ", "\x1b[K> "].iter().any(|prompt| shown.contains(prompt))
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("repl-{name}"));
    std::fs::create_dir_all(&path).expect("a writable folder");
    path
}

impl Terminal {
    /// Starts a conversation. `home` is for `.nesl` and the history.
    fn start(term: &str, home: &Path, options: &[&str]) -> Terminal {
        let size = Winsize { ws_row: 24, ws_col: 250, ws_xpixel: 0, ws_ypixel: 0 };
        let ends = openpty(&size, None).expect("a pseudo-terminal");
        let end = || ends.slave.try_clone().expect("another handle");
        // Gives the process a session of its own, whose terminal this is: so Ctrl-C is a signal.
        let child = Command::new("setsid")
            .args(["--ctty", env!("CARGO_BIN_EXE_nestled"), "repl"])
            .args(options)
            .env("TERM", term)
            .env("HOME", home)
            .env("XDG_STATE_HOME", home)
            .current_dir(home)
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("setsid, which is part of util-linux");
        drop(ends.slave);
        let mut source = File::from(ends.master.try_clone().expect("another handle"));
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // It is an error to read a terminal that everybody has left.
            while let Ok(count @ 1..) = source.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let mut terminal =
            Terminal { child, keys: File::from(ends.master), screen, shown: String::new(), since: 0 };
        terminal.wait_for("the first prompt", |shown| shown.contains("<Nesl> "));
        terminal
    }

    /// Presses keys.
    fn press(&mut self, keys: &str) {
        self.since = self.shown.len();
        self.keys.write_all(keys.as_bytes()).expect("somebody reads");
    }

    /// What was shown since the last key.
    fn latest(&self) -> &str {
        &self.shown[self.since..]
    }

    /// Waits until what was shown since the last key is enough.
    fn wait_for(&mut self, what: &str, enough: impl Fn(&str) -> bool) {
        assert!(self.waited(PATIENCE, enough), "no {what} after:\n{}", self.shown);
    }

    /// Waits so long until it is; whether it is.
    fn waited(&mut self, patience: Duration, enough: impl Fn(&str) -> bool) -> bool {
        let end = Instant::now() + patience;
        while !enough(self.latest()) {
            match self.screen.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => panic!("it ended:\n{}", self.shown),
            }
        }
        true
    }

    /// Waits until the line is taken: then the statement runs.
    fn wait_for_line(&mut self) {
        self.wait_for("end of the line", |shown| shown.contains('\n'));
    }

    /// Waits for the prompt behind the line; answers what was shown.
    fn wait_for_prompt(&mut self) -> String {
        self.wait_for("prompt", |shown| shown.find('\n').is_some_and(|end| is_asking(&shown[end..])));
        self.latest().to_owned()
    }

    /// A whole line, and what comes of it.
    fn line(&mut self, line: &str) -> String {
        self.press(&format!("{line}\r"));
        self.wait_for_prompt()
    }

    fn signal(&self) {
        let killed = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(killed.expect("kill").success());
    }

    /// Leaves, and answers the status.
    fn leave(mut self, keys: &str) -> Option<i32> {
        self.press(keys);
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code();
            }
            assert!(Instant::now() < end, "it does not leave:\n{}", self.shown);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_first_line_says_what_to_type_and_commands_need_no_semicolon() {
    let home = folder("commands");
    let mut terminal = Terminal::start("xterm", &home, &["--arg", "n=41", "--device", "core"]);
    assert!(terminal.shown.contains("type NESL, such as `sum({x * x : x in [1:4]});`"), "{}", terminal.shown);
    assert!(terminal.line("n + 1;").contains("it = 42 : int"));
    assert!(terminal.line("help").contains("describe name;"));
    assert!(terminal.line("quit = 3;").contains("quit = 3 : int"));
    // Now it is a name.
    assert!(terminal.line("quit").contains("> "));
    assert!(terminal.line("+ 1;").contains("it = 4 : int"));
    assert_eq!(terminal.leave("exit\r"), Some(0));
    let terminal = Terminal::start("xterm", &home, &[]);
    assert_eq!(terminal.leave("quit\r"), Some(0));
    let terminal = Terminal::start("dumb", &home, &[]);
    assert_eq!(terminal.leave("quit;\r"), Some(0));
    let terminal = Terminal::start("xterm", &home, &[]);
    assert_eq!(terminal.leave("\x04"), Some(0));
}

#[test]
fn lines_are_edited_completed_and_kept() {
    let home = folder("editing");
    let _ = std::fs::remove_dir_all(home.join("nestled"));
    let mut terminal = Terminal::start("xterm", &home, &["--device", "core"]);
    // Left, and a digit between others.
    assert!(terminal.line("13;\x1b[D\x1b[D2").contains("it = 123 : int"));
    assert!(terminal.line("a_long_name = 7;").contains("a_long_name = 7 : int"));
    assert!(terminal.line("a_lo\t * 6;").contains("it = 42 : int"));
    // The line before.
    assert!(terminal.line("\x1b[A").contains("it = 42 : int"));
    assert_eq!(terminal.leave("exit\r"), Some(0));
    let mut terminal = Terminal::start("xterm", &home, &["--device", "core", "--arg", "a_long_name=8"]);
    // Before `exit` in the session before.
    assert!(terminal.line("\x1b[A\x1b[A").contains("it = 48 : int"));
    assert_eq!(terminal.leave("exit\r"), Some(0));
    assert!(home.join("nestled/history").is_file());
}

#[test]
fn an_interrupt_is_told_and_ends_a_kernel_at_once() {
    let home = folder("interrupt");
    for device in ["cpu", "reference", "core"] {
        let mut terminal = Terminal::start("xterm", &home, &["--device", device]);
        FUNCTIONS.iter().for_each(|function| drop(terminal.line(function)));
        terminal.line("kept = 17;");
        for statement in ENDLESS {
            terminal.press(&format!("{statement}\r"));
            terminal.wait_for_line();
            std::thread::sleep(Duration::from_millis(300));
            // A signal by itself, with which the terminal throws nothing away.
            let pressed = Instant::now();
            terminal.signal();
            terminal.wait_for("word of it", |shown| shown.contains("interrupted\r\n"));
            assert!(pressed.elapsed() < Duration::from_secs(10), "{statement} on {device}");
            terminal.wait_for_prompt();
            assert!(terminal.line("kept;").contains("it = 17 : int"));
        }
        assert_eq!(terminal.leave("exit\r"), Some(0));
    }
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// What never ends by itself: in one kernel, in kernels one after another, for every element, in recursion, in waiting for input or for a process, and
/// in being shown.
const ENDLESS: [&str; 8] = [
    "on(1);",
    "again([1, 2, 3]);",
    "{on(x) : x in [1:1000]};",
    "sum({on(x) + y : x in [1:100]; y in [1:100]});",
    "deep([0:1000]);",
    "read_line(stdin);",
    "shell_command(\"sleep 100\", \"\");",
    "talks([1]);",
];

const FUNCTIONS: [&str; 4] = [
    "function on(x) : int -> int = if x < 0 then x else on(x + 1);",
    "function again(v) = if #v == 0 then v else again(reverse(v));",
    "function deep(v) = if #v == 0 then v else let parts = {deep(p) : p in [v, v]} in parts[0];",
    "function talks(v) = if #v == 0 then v else let said = print_line(\"again\") in talks(reverse(v));",
];

/// A conversation, and what should be known in it.
struct Talk {
    terminal: Terminal,
    random: Random,
    names: BTreeMap<String, i64>,
}

impl Talk {
    fn step(&mut self) {
        let name = format!("n{}", self.random.below(5));
        let value = self.random.below(1000) as i64;
        match self.random.below(8) {
            0 | 1 => {
                self.terminal.line(&format!("{name} = {value};"));
                self.names.insert(name, value);
            }
            2 => self.look(&name),
            3 => {
                // A line that is not finished, or is but for Enter.
                let keys = self.random.one(&["1 +", "n0 = 5;", "\"abc", "{x : x in", ""]);
                self.terminal.press(&format!("{keys}\x03"));
                self.terminal.wait_for_prompt();
            }
            4 => {
                // A statement that has several lines.
                self.terminal.line(&format!("{name} = ({value}"));
                self.terminal.press("+ 1\x03");
                self.terminal.wait_for_prompt();
            }
            5 => {
                // One that may end before.
                self.terminal.press(&format!("{name} = {value} + sum([0:100000]) - sum([0:100000]);\r"));
                self.terminal.wait_for_line();
                self.interrupt();
                self.calm();
                // It has the older value, or the new one.
                let shown = self.terminal.line(&format!("{name} == {value};"));
                if shown.contains("it = T") {
                    self.names.insert(name, value);
                }
            }
            _ => {
                let statement = self.random.one(&ENDLESS);
                self.terminal.press(&format!("{statement}\r"));
                self.terminal.wait_for_line();
                self.interrupt();
                self.calm();
            }
        }
    }

    /// Ctrl-C at any time, perhaps again and again.
    fn interrupt(&mut self) {
        let since = self.terminal.since;
        let pause = self.random.one(&[0, 1, 5, 20, 100, 300, 700]);
        std::thread::sleep(Duration::from_millis(pause));
        for _ in 0..self.random.one(&[1, 1, 1, 2, 5]) {
            if self.random.below(8) == 0 {
                self.terminal.signal();
            } else {
                self.terminal.press("\x03");
            }
            std::thread::sleep(Duration::from_millis(self.random.one(&[0, 2, 30])));
        }
        self.terminal.since = since;
    }

    /// Waits until all presses have had their effect. With the signal the terminal throws away what was typed and what was shown just then, so a
    /// prompt may be missing; and presses that came late cancel what is typed behind them.
    fn calm(&mut self) {
        let word = format!("\"calm {}\"", self.terminal.shown.len());
        let shown = format!("it = {word}");
        for _ in 0..20 {
            self.terminal.press(&format!("{word};\r"));
            let answered = |screen: &str| screen.find(&shown).is_some_and(|at| is_asking(&screen[at..]));
            if self.terminal.waited(Duration::from_secs(3), answered) {
                return;
            }
            // Half of it was thrown away: now it is the beginning of another statement.
            self.terminal.press("\x03");
            std::thread::sleep(Duration::from_millis(200));
        }
        panic!("nothing is heard any more:\n{}", self.terminal.shown);
    }

    /// The name has the value that it should have.
    fn look(&mut self, name: &str) {
        let shown = self.terminal.line(&format!("{name};"));
        match self.names.get(name) {
            Some(value) => {
                assert!(
                    shown.contains(&format!("it = {value} : int")),
                    "{name} is lost:\n{}",
                    self.terminal.shown
                );
            }
            None => assert!(shown.contains("error["), "{name} is not known:\n{}", self.terminal.shown),
        }
    }
}

fn converse(seed: u64) {
    let mut random = Random(seed);
    let home = folder("random");
    let term = random.one(&["xterm", "xterm", "dumb"]);
    let device = random.one(&["cpu", "cpu", "reference", "core"]);
    println!("conversation {seed}: {term}, {device}");
    let mut terminal = Terminal::start(term, &home, &["--device", device]);
    for function in FUNCTIONS {
        terminal.line(function);
    }
    let mut talk = Talk { terminal, random, names: BTreeMap::new() };
    for _ in 0..8 {
        talk.step();
    }
    for name in (0..5).map(|at| format!("n{at}")) {
        talk.look(&name);
    }
    let end = talk.random.one(&["exit\r", "quit\r", "exit;\r", "\x04"]);
    assert_eq!(talk.terminal.leave(end), Some(0));
}

#[test]
fn ctrl_c_loses_no_name() {
    let count = std::env::var("NESTLED_CONVERSATIONS").map_or(6, |count| count.parse().expect("a number"));
    let first = std::env::var("NESTLED_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    for seed in first..first + count {
        converse(seed);
    }
}
