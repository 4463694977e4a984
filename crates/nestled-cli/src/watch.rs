//! Observation of a run: counters, profile and trace, for `--stats`, `--profile` and `--trace`.

use crate::cli::Run;
use crate::exit_codes::Failure;
use nestled_cache::Aside;
use nestled_ir::SourceMap;
use nestled_pass::Timing;
use nestled_rt::device::Device;
use nestled_rt::{ChromeTrace, Counters, Event, Executable, Profile, SharedTrace, Trace, Watchers, When};
use std::cell::RefCell;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The observers of a run, each present if it was asked for.
pub struct Watch {
    counters: Option<Rc<RefCell<Counters>>>,
    profile: Option<Rc<RefCell<Profile>>>,
    trace: Option<Traced>,
    all: Watchers,
    /// The devices on which the profile measures kernel times.
    devices: Vec<Rc<dyn Device>>,
    /// Duration of the last phase: at the end, of the run itself.
    last: Duration,
}

/// A trace, and the file that it goes to.
struct Traced {
    path: PathBuf,
    trace: Rc<RefCell<ChromeTrace>>,
    file: Rc<RefCell<Aside>>,
}

/// The file as the trace writes it.
struct Shared(Rc<RefCell<Aside>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

impl Watch {
    /// Opens the output files; the clock begins at `start`.
    pub fn new(options: &Run, sources: &SourceMap, start: Instant) -> Result<Watch, Failure> {
        let shared = |path: &PathBuf| -> Result<_, Failure> {
            let file = Aside::new(path).map_err(|error| unwritable(path, &error))?;
            let file = Rc::new(RefCell::new(file));
            let out = Box::new(BufWriter::new(Shared(Rc::clone(&file))));
            let trace = Rc::new(RefCell::new(ChromeTrace::new(out, sources.clone(), start)));
            Ok(Traced { path: path.clone(), trace, file })
        };
        let trace = options.trace.as_ref().map(shared).transpose()?;
        let counters = options.stats.then(|| Rc::new(RefCell::new(Counters::default())));
        let profile = options.profile.then(|| Rc::new(RefCell::new(Profile::new(sources.clone(), start))));
        let mut all: Vec<SharedTrace> = Vec::new();
        all.extend(counters.clone().map(|counters| counters as SharedTrace));
        all.extend(profile.clone().map(|profile| profile as SharedTrace));
        all.extend(trace.as_ref().map(|traced| Rc::clone(&traced.trace) as SharedTrace));
        Ok(Watch { counters, profile, trace, all: Watchers(all), devices: Vec::new(), last: Duration::ZERO })
    }

    /// Follows a program that comes statement by statement, in a language without kernels: they are called by their expressions.
    pub fn statement(&mut self, sources: &SourceMap) {
        if let Some(profile) = &self.profile {
            profile.borrow_mut().name_by_expression(sources);
        }
        if let Some(traced) = &self.trace {
            traced.trace.borrow_mut().set_sources(sources);
        }
    }

    /// Watches an executable.
    pub fn over(&mut self, executable: Executable) -> Executable {
        let device = executable.device();
        if self.profile.is_some() && !self.devices.iter().any(|known| is_same(known, device)) {
            device.time_kernels(true);
            self.devices.push(Rc::clone(device));
        }
        match self.all.0.as_slice() {
            [] => executable,
            [one] => executable.with_trace(Rc::clone(one)),
            several => executable.with_trace(Rc::new(RefCell::new(Watchers(several.to_vec())))),
        }
    }

    /// Records the end of a phase that began at `start`.
    pub fn phase(&mut self, name: &str, start: Instant) {
        let when = When::since(start);
        self.all.event(Event::Phase { name }, when);
        self.last = when.time();
    }

    /// Records the times of the passes.
    pub fn passes(&mut self, timings: &[Timing], start: Instant) {
        for timing in timings {
            let when = When { start: timing.start, end: timing.start + timing.time };
            self.all.event(Event::Pass { name: timing.pass }, when);
        }
        self.phase("passes", start);
    }

    /// Prints and writes the reports.
    pub fn finish(&mut self) -> Result<(), Failure> {
        if let Some(counters) = &self.counters {
            eprintln!("{}", stats(&counters.borrow(), self.last));
        }
        if let Some(profile) = &self.profile {
            eprint!("{}", profile.borrow_mut().table(Instant::now()));
            for device in &self.devices {
                if let Some(time) = kernel_time(device) {
                    eprintln!("kernels on the device: {:.3} ms", time.as_secs_f64() * 1e3);
                }
                if device.scratch() > 0 {
                    eprintln!("scratch memory of kernels, beside the arrays: {} bytes", device.scratch());
                }
            }
        }
        match &self.trace {
            Some(Traced { path, trace, file }) => {
                let written = trace.borrow_mut().finish().and_then(|()| file.borrow_mut().finish());
                written.map_err(|error| unwritable(path, &error))
            }
            None => Ok(()),
        }
    }
}

fn is_same(left: &Rc<dyn Device>, right: &Rc<dyn Device>) -> bool {
    std::ptr::addr_eq(Rc::as_ptr(left), Rc::as_ptr(right))
}

/// Total kernel time on a device, if the device measures it.
fn kernel_time(device: &Rc<dyn Device>) -> Option<Duration> {
    // Nobody may have waited for the last ones. One that is lost has told its error before.
    let _ = device.wait();
    device.kernel_time()
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot write `{}`: {error}", path.display()))
}

fn stats(counters: &Counters, time: Duration) -> String {
    let Counters { launches, natives, allocations, bytes_in, bytes_out, waits } = counters;
    format!(
        "{launches} launches, {natives} native operations, {allocations} allocations, {bytes_in} bytes in, \
         {bytes_out} bytes out, {waits} waits, {:.3} ms",
        time.as_secs_f64() * 1e3
    )
}
