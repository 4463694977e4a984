//! The world of NESL programs: this machine, as far as they are allowed to reach.

use super::drawing::Drawings;
use crate::exit_codes::Failure;
use nestled_ir::interp::{Gate, Interrupt, Refused, WayOut};
use nestled_nesl::interp::{End, Pipes, World};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Stdin, Stdout, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// This machine.
pub struct Machine {
    input: BufReader<Stdin>,
    output: BufWriter<Stdout>,
    interrupt: Interrupt,
    gate: Gate,
    /// Bytes that a file may take when it is read.
    room: u64,
    /// Of which refusals the user has been told that the program cannot see.
    said: Vec<WayOut>,
    children: Vec<Child>,
    drawings: Drawings,
    /// Why nothing can be printed any more.
    failure: Option<Failure>,
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
        }
    }

    /// Whether something else was the reason that the run ended.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.flush();
        if let Err(message) = self.drawings.save() {
            self.failure.get_or_insert(Failure::usage(message));
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

    /// Output goes nowhere: there is nothing left to run for.
    fn lost(&mut self, error: &std::io::Error) {
        let failure = match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::nobody_reads(),
            _ => Failure::usage(format!("cannot write the output: {error}")),
        };
        self.failure.get_or_insert(failure);
        self.interrupt.request();
    }

    /// What was let through. Where the program is not told of a refusal, the user is, once for each way.
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
            self.flush();
            if let Err(message) = self.drawings.save() {
                self.report(format!("{message}\n").as_bytes());
            }
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
        let pipes = Pipes {
            input: child.stdin.take().map(|pipe| Box::new(pipe) as Box<dyn Write + Send>),
            output: child.stdout.take().map(|pipe| Box::new(BufReader::new(pipe)) as Box<dyn Read>),
            errors: child.stderr.take().map(|pipe| Box::new(BufReader::new(pipe)) as Box<dyn Read>),
        };
        self.children.push(child);
        Ok(pipes)
    }

    fn shell(&mut self, line: &str) -> Result<i32, String> {
        let processes = self.gate.processes().map_err(refusal)?;
        self.flush();
        let status = processes.finish(Command::new("sh").args(["-c", line]));
        let status = status.map_err(|error| format!("cannot run the shell: {error}"))?;
        Ok(status.code().unwrap_or(-1))
    }

    fn draw(&mut self, what: &str, numbers: &[i64], text: &[u8]) -> Result<i64, String> {
        self.drawings.draw(what, numbers, text)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_requested()
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
