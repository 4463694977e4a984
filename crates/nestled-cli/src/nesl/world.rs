//! The world of NESL programs: this machine, as far as they are allowed to reach.

use super::drawing::Drawings;
use crate::cli::NeslOptions;
use crate::exit_codes::Failure;
use nestled_ir::interp::Interrupt;
use nestled_nesl::interp::{End, Pipes, World};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Stdin, Stdout, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// This machine.
pub struct Machine {
    input: BufReader<Stdin>,
    output: BufWriter<Stdout>,
    interrupt: Interrupt,
    start: Instant,
    files: bool,
    processes: bool,
    children: Vec<Child>,
    drawings: Drawings,
    /// Why nothing can be printed any more.
    failure: Option<Failure>,
}

impl Machine {
    /// A world with the permissions of the command line.
    pub fn new(options: &NeslOptions, interrupt: Interrupt) -> Machine {
        Machine {
            input: BufReader::new(std::io::stdin()),
            output: BufWriter::with_capacity(1 << 16, std::io::stdout()),
            interrupt,
            start: Instant::now(),
            files: !options.no_files,
            processes: !options.no_spawn,
            children: Vec::new(),
            drawings: Drawings::new(options.drawings.clone()),
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

    fn may_use_files(&self) -> Result<(), String> {
        if self.files { Ok(()) } else { Err("files are refused by --no-files".to_owned()) }
    }

    fn may_start_processes(&self) -> Result<(), String> {
        if self.processes { Ok(()) } else { Err("processes are refused by --no-spawn".to_owned()) }
    }
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
        self.start.elapsed().as_secs_f64()
    }

    fn read_file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.may_use_files()?;
        std::fs::read(name).map_err(|error| format!("cannot read the file {name}: {error}"))
    }

    fn write_file(&mut self, name: &str, bytes: &[u8], append: bool) -> Result<(), String> {
        self.may_use_files()?;
        let file = OpenOptions::new().create(true).append(append).write(true).truncate(!append).open(name);
        file.and_then(|mut file| file.write_all(bytes))
            .map_err(|error| format!("cannot write the file {name}: {error}"))
    }

    fn variable(&mut self, name: &str) -> String {
        std::env::var_os(name).map_or(String::new(), |value| value.to_string_lossy().into_owned())
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
        self.may_start_processes()?;
        self.flush();
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("there is no command to run")?;
        let [input, output, errors] = ends.map(|end| stdio(&end));
        let mut child = Command::new(program)
            .args(words)
            .stdin(input?)
            .stdout(output?)
            .stderr(errors?)
            .spawn()
            .map_err(|error| format!("cannot run {program}: {error}"))?;
        let pipes = Pipes {
            input: child.stdin.take().map(|pipe| Box::new(pipe) as Box<dyn Write + Send>),
            output: child.stdout.take().map(|pipe| Box::new(BufReader::new(pipe)) as Box<dyn Read>),
            errors: child.stderr.take().map(|pipe| Box::new(BufReader::new(pipe)) as Box<dyn Read>),
        };
        self.children.push(child);
        Ok(pipes)
    }

    fn shell(&mut self, line: &str) -> Result<i32, String> {
        self.may_start_processes()?;
        self.flush();
        let status = Command::new("sh").args(["-c", line]).status();
        let status = status.map_err(|error| format!("cannot run the shell: {error}"))?;
        Ok(status.code().unwrap_or(-1))
    }

    fn draw(&mut self, what: &str, numbers: &[i64], text: &[u8]) -> Result<i64, String> {
        self.may_use_files()?;
        self.drawings.draw(what, numbers, text)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_requested()
    }
}

fn stdio(end: &End) -> Result<Stdio, String> {
    let said = |error: std::io::Error| error.to_string();
    Ok(match end {
        End::Pipe => Stdio::piped(),
        End::Own => Stdio::inherit(),
        End::From(name, at) => {
            let mut file = File::open(name).map_err(said)?;
            file.seek(SeekFrom::Start(*at)).map_err(said)?;
            Stdio::from(file)
        }
        End::Onto(name) => {
            Stdio::from(OpenOptions::new().append(true).create(true).open(name).map_err(said)?)
        }
    })
}
