//! The world of NESL programs: this machine, as far as they are allowed to reach.

use super::drawing::Drawings;
use super::editor::Editor;
use crate::exit_codes::Failure;
use crate::signals::InteractiveInterrupt;
use nestled_ir::interp::{Gate, Interrupt, Refused, WayOut};
use nestled_nesl::interp::{End, Line, Pipes, World};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Stdin, Stdout, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// This machine.
pub struct Machine {
    input: BufReader<Stdin>,
    output: BufWriter<Stdout>,
    interrupt: Interrupt,
    gate: Gate,
    /// Bytes that a file may take when it is read.
    room: u64,
    /// Refusals that the program cannot see and that have been reported to the user.
    said: Vec<WayOut>,
    children: Vec<Child>,
    drawings: Drawings,
    /// The reason why nothing can be printed any more.
    failure: Option<Failure>,
    /// The conversation, when statements are typed at a terminal.
    talk: Option<Talk>,
}

/// A conversation at a terminal.
struct Talk {
    /// The line editor, if the terminal supports one.
    editor: Option<Editor>,
    presses: InteractiveInterrupt,
}

/// The longest time for which a wait may miss an interrupt that came just before it, in milliseconds.
const LOOK: u16 = 100;

/// Waits until a stream is ready to be read or written, or has ended. An interrupt is an error.
fn wait(interrupt: &Interrupt, stream: &impl AsFd, what: PollFlags) -> std::io::Result<()> {
    let mut streams = [PollFd::new(stream.as_fd(), what)];
    while !interrupt.is_requested() {
        match poll(&mut streams, PollTimeout::from(LOOK)) {
            Ok(0) | Err(nix::errno::Errno::EINTR) => {}
            // What is wrong with it, reading and writing say.
            Ok(_) | Err(_) => return Ok(()),
        }
    }
    // Not the kind of error after which everybody tries again.
    Err(std::io::Error::other("interrupted"))
}

/// A pipe of a process; waiting at it can be interrupted.
struct Pipe<P> {
    pipe: P,
    interrupt: Interrupt,
}

impl<P: AsFd + Read> Read for Pipe<P> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        wait(&self.interrupt, &self.pipe, PollFlags::POLLIN)?;
        self.pipe.read(bytes)
    }
}

impl<P: AsFd + Write> Write for Pipe<P> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // A pipe that is ready takes so many without waiting.
        const AT_ONCE: usize = 512;
        wait(&self.interrupt, &self.pipe, PollFlags::POLLOUT)?;
        self.pipe.write(&bytes[..bytes.len().min(AT_ONCE)])
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.pipe.flush()
    }
}

impl Machine {
    /// A world behind a gate. Drawings go to this folder, and there is so much room for the bytes of a file.
    pub fn new(gate: Gate, drawings: &Path, room: u64, interrupt: Interrupt) -> Machine {
        Machine {
            input: BufReader::new(std::io::stdin()),
            output: BufWriter::with_capacity(1 << 16, std::io::stdout()),
            interrupt,
            gate,
            room,
            said: Vec::new(),
            children: Vec::new(),
            drawings: Drawings::new(drawings.to_owned(), gate),
            failure: None,
            talk: None,
        }
    }

    /// Begins a conversation: statements are typed at a terminal, and the session outlives an interrupted one.
    pub fn talk(&mut self, presses: InteractiveInterrupt) {
        self.talk =
            Some(Talk { editor: Editor::of_terminal(self.gate.files().is_ok(), presses.clone()), presses });
    }

    /// Ends the run: flushes output, saves drawings, waits for child processes. Returns the failure that the world met, if any.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.flush();
        if let Some(Talk { editor: Some(editor), .. }) = &mut self.talk {
            editor.keep();
        }
        if let Err(message) = self.drawings.save() {
            self.failure.get_or_insert(Failure::usage(message));
        }
        if self.interrupt.is_requested() {
            end(&mut self.children);
        }
        for child in &mut self.children {
            // Its pipes are closed: it has no reason to go on.
            let _ = child.wait();
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    pub fn flush(&mut self) {
        if let Err(error) = self.output.flush() {
            self.lost(&error);
        }
    }

    /// Handles the loss of the output: interrupts the run, which has nothing left to do.
    fn lost(&mut self, error: &std::io::Error) {
        let failure = match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::nobody_reads(),
            _ => Failure::usage(format!("cannot write the output: {error}")),
        };
        self.failure.get_or_insert(failure);
        self.interrupt.request();
    }

    /// Flushes output and saves drawings before the program waits for a person.
    fn before_waiting(&mut self) {
        self.flush();
        if let Err(message) = self.drawings.save() {
            self.report(format!("{message}\n").as_bytes());
        }
    }

    /// Returns a value that the gate let through. A refusal that the program cannot see is reported to the user, once for each way out.
    fn through<T>(&mut self, outcome: Result<T, Refused>) -> Option<T> {
        outcome
            .map_err(|refused| {
                if !self.said.contains(&refused.way) {
                    self.said.push(refused.way);
                    self.report(format!("note: {refused}\n").as_bytes());
                }
            })
            .ok()
    }
}

/// The words of a refusal.
fn refusal(refused: Refused) -> String {
    refused.to_string()
}

impl World for Machine {
    fn print(&mut self, bytes: &[u8]) {
        if self.failure.is_none()
            && let Err(error) = self.output.write_all(bytes)
        {
            self.lost(&error);
        }
    }

    fn report(&mut self, bytes: &[u8]) {
        // What was printed before comes before.
        self.flush();
        let _ = std::io::stderr().write_all(bytes);
    }

    fn seconds(&mut self) -> f64 {
        self.through(self.gate.clock()).map_or(0.0, |clock| clock.seconds())
    }

    fn read_file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let files = self.gate.files().map_err(refusal)?;
        let mut bytes = Vec::new();
        let read =
            files.open(name).and_then(|file| file.take(self.room.saturating_add(1)).read_to_end(&mut bytes));
        let cannot = |why: &dyn std::fmt::Display| format!("cannot read the file {name}: {why}");
        match read {
            Err(error) => Err(cannot(&error)),
            Ok(_) if bytes.len() as u64 > self.room => {
                Err(cannot(&format!("it takes more than the {} bytes that there is room for", self.room)))
            }
            Ok(_) => Ok(bytes),
        }
    }

    fn write_file(&mut self, name: &str, bytes: &[u8], append: bool) -> Result<(), String> {
        let files = self.gate.files().map_err(refusal)?;
        files.write(name, bytes, append).map_err(|error| format!("cannot write the file {name}: {error}"))
    }

    fn variable(&mut self, name: &str) -> String {
        let value = self.through(self.gate.environment()).and_then(|environment| environment.variable(name));
        value.map_or(String::new(), |value| value.to_string_lossy().into_owned())
    }

    fn read_input(&mut self) -> Option<u8> {
        if self.input.buffer().is_empty() {
            self.before_waiting();
            wait(&self.interrupt, self.input.get_ref(), PollFlags::POLLIN).ok()?;
        }
        let byte = *self.input.fill_buf().ok()?.first()?;
        self.input.consume(1);
        Some(byte)
    }

    fn spawn(&mut self, command: &str, ends: [End; 3]) -> Result<Pipes, String> {
        let processes = self.gate.processes().map_err(refusal)?;
        self.flush();
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("there is no command to run")?;
        let [input, output, errors] = ends.map(|end| stdio(&end, self.gate));
        let mut command = Command::new(program);
        command.args(words).stdin(input?).stdout(output?).stderr(errors?);
        let child = processes.start(&mut command);
        let mut child = child.map_err(|error| format!("cannot run {program}: {error}"))?;
        let interrupt = &self.interrupt;
        let pipes = Pipes {
            input: child
                .stdin
                .take()
                .map(|pipe| Box::new(Pipe { pipe, interrupt: interrupt.clone() }) as Box<dyn Write + Send>),
            output: child.stdout.take().map(|pipe| reader(pipe, interrupt)),
            errors: child.stderr.take().map(|pipe| reader(pipe, interrupt)),
        };
        self.children.push(child);
        Ok(pipes)
    }

    fn shell(&mut self, line: &str) -> Result<i32, String> {
        let processes = self.gate.processes().map_err(refusal)?;
        self.flush();
        let child = processes.start(Command::new("sh").args(["-c", line]));
        self.children.push(child.map_err(|error| format!("cannot run the shell: {error}"))?);
        while !self.interrupt.is_requested() {
            let ended = self.children.last_mut().map(Child::try_wait);
            if let Some(Ok(Some(status))) = ended {
                self.children.pop();
                return Ok(status.code().unwrap_or(-1));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err("interrupted".to_owned())
    }

    fn draw(&mut self, what: &str, numbers: &[i64], text: &[u8]) -> Result<i64, String> {
        self.drawings.draw(what, numbers, text)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_requested()
    }

    fn forget_interrupt(&mut self) -> bool {
        let Some(talk) = self.talk.as_ref().filter(|_| self.failure.is_none()) else { return false };
        if self.interrupt.is_requested() {
            end(&mut self.children);
        }
        talk.presses.forget();
        true
    }

    fn type_line(&mut self, prompt: &str, names: &dyn Fn() -> Vec<String>) -> Line {
        // A program may have read the beginning of this line.
        if self.input.buffer().is_empty()
            && let Some(Talk { editor: Some(_), .. }) = &self.talk
        {
            self.before_waiting();
            if let Some(Talk { editor: Some(editor), .. }) = &mut self.talk {
                return editor.line(prompt, names());
            }
        }
        self.print(prompt.as_bytes());
        self.flush();
        match self.read_line() {
            Line::End if self.interrupted() && self.forget_interrupt() => {
                self.print(b"\n");
                Line::Cancelled
            }
            line => line,
        }
    }
}

fn reader(pipe: impl AsFd + Read + 'static, interrupt: &Interrupt) -> Box<dyn Read> {
    Box::new(BufReader::new(Pipe { pipe, interrupt: interrupt.clone() }))
}

/// Ends the child processes of an interrupted program. Ctrl-C ends most of them already, but not those that ignore it, or began just then.
fn end(children: &mut Vec<Child>) {
    for mut child in children.drain(..) {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A stream as a process gets it.
fn stdio(end: &End, gate: Gate) -> Result<Stdio, String> {
    let said = |error: std::io::Error| error.to_string();
    Ok(match end {
        End::Pipe => Stdio::piped(),
        End::Own => Stdio::inherit(),
        End::From(name, at) => {
            let mut file = gate.files().map_err(refusal)?.open(name).map_err(said)?;
            file.seek(SeekFrom::Start(*at)).map_err(said)?;
            Stdio::from(file)
        }
        End::Onto(name) => Stdio::from(gate.files().map_err(refusal)?.append(name).map_err(said)?),
    })
}
