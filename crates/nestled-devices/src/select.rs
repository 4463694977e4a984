//! Device selection: gives each program to the first device that has its types.

use crate::candidates::{Candidate, candidates};
use crate::device_name::DeviceChoice;
use crate::opened::{Opened, Settings};
use nestled_ir::{Program, ScalarType};
use nestled_rt::device::DeviceError;
use nestled_rt::missing_type;
use std::fmt;

/// The devices that programs may run on, the best first: one if it was named. Each is opened when it is first wanted.
///
/// ```
/// # use nestled_devices::*;
/// let devices = Devices::new(DeviceChoice::Cpu, Settings::default());
/// let fit = devices.for_program(&nestled_ir::Program::default())?;
/// assert!(matches!(fit.opened, Opened::Cpu(_)) && fit.notes.is_empty());
/// # Ok::<(), nestled_rt::device::DeviceError>(())
/// ```
pub struct Devices {
    candidates: Vec<Candidate>,
    settings: Settings,
    is_named: bool,
}

/// The device for a program.
pub struct Fit<'d> {
    /// The device.
    pub opened: &'d Opened,
    /// Reasons why the candidates before it were passed over.
    pub notes: Vec<String>,
}

impl Devices {
    /// Lists the devices that a choice stands for, without opening any.
    pub fn new(choice: DeviceChoice, settings: Settings) -> Devices {
        let is_named = choice != DeviceChoice::Auto;
        let candidates = if is_named { vec![Candidate::named(choice)] } else { candidates() };
        Devices { candidates, settings, is_named }
    }

    /// True if the child of a fork can go on with all of them: drivers of GPUs stay with the parent.
    pub fn outlive_forks(&self) -> bool {
        let outlives = |choice| matches!(choice, DeviceChoice::Cpu | DeviceChoice::Reference);
        self.candidates.iter().all(|candidate| outlives(candidate.choice))
    }

    /// Releases what open devices keep without need.
    pub fn release(&self) {
        self.candidates.iter().filter_map(|candidate| candidate.opened.get()).for_each(Opened::release);
    }

    /// The number of launches so far that the interpreter ran on those that are open, as [`Opened::interpreted`] counts them.
    pub fn interpreted(&self) -> u64 {
        let opened = self.candidates.iter().filter_map(|candidate| candidate.opened.get());
        opened.map(Opened::interpreted).sum()
    }

    /// The first device that has the types of a program, or else the one that was named.
    ///
    /// # Errors
    /// If it does not open.
    pub fn for_program(&self, program: &Program) -> Result<Fit<'_>, DeviceError> {
        self.first(|types| {
            missing_type(program, types).map(|(kernel, ty)| format!("the kernel `{kernel}` uses `{ty}`"))
        })
    }

    /// The first device that can hold elements of a type, or else the one that was named.
    ///
    /// # Errors
    /// If it does not open.
    pub fn for_elements(&self, elem: ScalarType) -> Result<Fit<'_>, DeviceError> {
        self.first(|types| (!types.contains(&elem)).then(|| format!("it has no `{elem}`")))
    }

    /// Waits until all that was queued on any of them is done.
    ///
    /// # Errors
    /// If a device is lost.
    pub fn wait(&self) -> Result<(), DeviceError> {
        let opened = self.candidates.iter().filter_map(|candidate| candidate.opened.get());
        opened.into_iter().try_for_each(|opened| opened.device().wait().map(drop))
    }

    /// The first that nothing speaks against. One that does not open is passed over where there is another.
    fn first(&self, against: impl Fn(&[ScalarType]) -> Option<String>) -> Result<Fit<'_>, DeviceError> {
        let mut notes = Vec::new();
        for candidate in &self.candidates {
            let note = |why: &str| format!("{} is not used: {why}", candidate.name);
            if let Some(why) = against(&candidate.types) {
                notes.push(note(&why));
                continue;
            }
            match self.open(candidate) {
                Ok(opened) => return Ok(Fit { opened, notes }),
                Err(error) if self.is_named => return Err(error),
                Err(error) => notes.push(note(&error.to_string())),
            }
        }
        Err(DeviceError::Bug(format!("no device is left: {}", notes.join("; "))))
    }

    fn open<'c>(&self, candidate: &'c Candidate) -> Result<&'c Opened, DeviceError> {
        if let Some(opened) = candidate.opened.get() {
            return Ok(opened);
        }
        let opened = Opened::new(candidate.choice, &self.settings)?;
        Ok(candidate.opened.get_or_init(|| opened))
    }
}

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.candidates.iter().map(|candidate| &candidate.name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::OnceCell;

    fn programs() -> (Program, Program) {
        let text = "kernel wide(x: f64) {\n  y = once { add x 1.0 }\n  ret y\n}\nfn main(x: f64) -> f64 {\n  y = run wide(x)\n  ret y\n}\n";
        let wide = nestled_ir::text::parse("wide.lcu", text).expect("it is well-formed");
        let narrow = nestled_ir::text::parse("narrow.lcu", &text.replace("f64", "f32")).expect("so is this");
        (wide, narrow)
    }

    fn devices(choice: DeviceChoice) -> Devices {
        // The reference device plays a GPU.
        let types = vec![ScalarType::F32, ScalarType::I32];
        let gpu = Candidate { choice, name: "a GPU".to_owned(), types, opened: OnceCell::new() };
        let candidates = vec![gpu, Candidate::named(DeviceChoice::Cpu)];
        Devices { candidates, settings: Settings::default(), is_named: false }
    }

    #[test]
    fn the_first_with_all_types_is_taken() {
        let (wide, narrow) = programs();
        let devices = devices(DeviceChoice::Reference);
        let fit = devices.for_program(&narrow).expect("it opens");
        assert!(matches!(fit.opened, Opened::Reference(_)) && fit.notes.is_empty());
        let fit = devices.for_program(&wide).expect("it opens");
        assert!(matches!(fit.opened, Opened::Cpu(_)));
        assert_eq!(fit.notes, ["a GPU is not used: the kernel `wide` uses `f64`"]);
        let fit = devices.for_elements(ScalarType::I64).expect("it opens");
        assert!(matches!(fit.opened, Opened::Cpu(_)));
        assert_eq!(fit.notes, ["a GPU is not used: it has no `i64`"]);
    }

    #[test]
    fn what_does_not_open_is_passed_over_unless_it_was_named() {
        let (_, narrow) = programs();
        let nowhere = DeviceChoice::Cuda(Some(999));
        let devices = devices(nowhere);
        let fit = devices.for_program(&narrow).expect("the CPU opens");
        assert!(matches!(fit.opened, Opened::Cpu(_)));
        assert!(fit.notes[0].starts_with("a GPU is not used: "), "{:?}", fit.notes);
        assert!(Devices::new(nowhere, Settings::default()).for_program(&narrow).is_err());
    }
}
