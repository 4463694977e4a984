//! The least fault, and the work that it makes redundant.

use nestled_ir::SiteId;
use nestled_rt::device::DeviceFault;

/// The least fault so far, by (region, site, element).
#[derive(Debug, Default)]
pub(super) struct Faults {
    least: Option<DeviceFault>,
}

impl Faults {
    /// True if there is one. From then on offsets, starts and counts may be garbage.
    pub(super) fn any(&self) -> bool {
        self.least.is_some()
    }

    /// Returns the least fault.
    pub(super) fn least(&self) -> Option<&DeviceFault> {
        self.least.as_ref()
    }

    /// Keeps the lesser of two faults.
    pub(super) fn note(&mut self, fault: DeviceFault) {
        if self.least.as_ref().is_none_or(|known| fault.rank() < known.rank()) {
            self.least = Some(fault);
        }
    }

    /// True if work with this region and least site can be skipped.
    pub(super) fn skips(&self, region: u64, least_site: Option<SiteId>) -> bool {
        match &self.least {
            None => false,
            Some(fault) if fault.region < region => true,
            Some(fault) => least_site.is_none_or(|site| site > fault.site),
        }
    }

    /// Forgets the fault.
    pub(super) fn clear(&mut self) {
        self.least = None;
    }
}
