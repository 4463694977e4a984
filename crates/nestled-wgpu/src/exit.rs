//! Waits for devices when the process exits: a driver that computes on the host's threads would be torn down under them.
//!
//! Devices that are dropped wait by themselves; this is for those that are not, because they are in statics or leaked. A forked child leaves its parent's devices alone.

use std::sync::{Arc, Mutex, Once, TryLockError, Weak};
use std::time::Duration;
use wgpu::{Device, PollType};

/// The devices that are alive, and the number of forks when each was opened.
static DEVICES: Mutex<Vec<(usize, Weak<Device>)>> = Mutex::new(Vec::new());

/// The longest time that the exit waits for a device.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for a device at exit, for as long as what is returned is alive.
pub(crate) fn wait_for(device: &Device) -> Arc<Device> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        nestled_fork::watch();
        nestled_fork::at_exit(wait);
    });
    let device = Arc::new(device.clone());
    let mut devices = nestled_fork::lock(&DEVICES);
    devices.retain(|(_, device)| device.strong_count() > 0);
    devices.push((nestled_fork::count(), Arc::downgrade(&device)));
    device
}

extern "C" fn wait() {
    // Whoever holds the lock now opens a device, which has nothing to do yet.
    let devices = match DEVICES.try_lock() {
        Ok(mut devices) => std::mem::take(&mut *devices),
        Err(TryLockError::Poisoned(poisoned)) => std::mem::take(&mut *poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => return,
    };
    let own = |(forks, device): (usize, Weak<Device>)| {
        if forks == nestled_fork::count() { device.upgrade() } else { None }
    };
    let devices: Vec<Arc<Device>> = devices.into_iter().filter_map(own).collect();
    if devices.is_empty() {
        return;
    }
    // The thread that exits has lost its thread-local variables, which wgpu needs.
    let waits = std::thread::Builder::new().spawn(move || {
        for device in devices {
            // A device that is lost, or does not finish, keeps nobody from leaving.
            let _ = device.poll(PollType::Wait { submission_index: None, timeout: Some(PATIENCE) });
            // Closing it is not for a process that exits.
            std::mem::forget(device);
        }
    });
    let _ = waits.map(std::thread::JoinHandle::join);
}
