//! Rates of devices, remembered on disk: one file for each device in the folder of compiled kernels.
//!
//! `NESTLED_RATES` names a file instead, for any device. A file that cannot be read is as good as not there; of one that the user named, [`problem`] tells.

use crate::opened::Opened;
use nestled_pass::time::Rates;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The variable that names a file of rates.
pub const VARIABLE: &str = "NESTLED_RATES";

/// The file for the rates of a device; `None` if nothing is kept on disk.
pub fn file(opened: &Opened) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return (!named.is_empty()).then(|| PathBuf::from(named));
    }
    let name: String = opened
        .name()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    Some(nestled_cache::DiskCache::open().directory()?.join(format!("rates-{name}.txt")))
}

/// Rates by the name of their device, which are read once: a session plans many programs.
static KNOWN: Mutex<BTreeMap<String, Rates>> = Mutex::new(BTreeMap::new());

impl Opened {
    /// The device's rates, for the passes: those that were measured, or the defaults for its kind.
    pub fn rates(&self) -> Rates {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(self.name()).or_insert_with(|| read(self))
    }
}

/// Returns why the file of rates that the user named (`NESTLED_RATES`) cannot be used; `None` if it can, or none is named.
pub fn problem() -> Option<String> {
    let named = PathBuf::from(std::env::var_os(VARIABLE).filter(|named| !named.is_empty())?);
    let outcome = std::fs::read_to_string(&named)
        .map_err(|error| error.to_string())
        .and_then(|text| Rates::default().read(&text));
    outcome.err().map(|why| format!("`{VARIABLE}` names `{}`, which cannot be used: {why}", named.display()))
}

fn read(opened: &Opened) -> Rates {
    let mut rates = default(opened);
    let text = file(opened).and_then(|file| std::fs::read_to_string(file).ok());
    if let Some(text) = text {
        let mut read = rates;
        if read.read(&text).is_ok() {
            rates = read;
        }
    }
    rates
}

fn default(opened: &Opened) -> Rates {
    match opened {
        Opened::Cpu(_) | Opened::Reference(_) => Rates::default(),
        #[cfg(feature = "cuda")]
        Opened::Cuda(_) => Rates::CUDA,
        #[cfg(feature = "wgpu")]
        Opened::Wgpu(_) => Rates::GPU,
    }
}
