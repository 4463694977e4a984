//! Slices and cells: places in a device's memory; extents whose exact value may live there.

/// A buffer of one device: elements of one scalar type, one after another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BufferId(pub u64);

/// Elements `offset .. offset + len` of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    /// The buffer.
    pub buffer: BufferId,
    /// The first element.
    pub offset: u64,
    /// Number of elements; an upper bound where the exact number lives on the device.
    pub len: u64,
}

impl Slice {
    /// The last element. A slice that holds offsets is padded with their total, so there the total lies.
    ///
    /// # Panics
    /// If the slice is empty.
    pub fn last(self) -> Cell {
        let before = self.len.checked_sub(1).expect("a slice of offsets is never empty");
        Cell { buffer: self.buffer, at: self.offset + before }
    }
}

/// One number in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// The buffer.
    pub buffer: BufferId,
    /// Index of the element.
    pub at: u64,
}

/// A size: a bound that the host knows, and the exact value, which may live on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// An upper bound on the exact value. It decides the size of results.
    pub bound: u64,
    /// The cell that holds the exact value, an `idx`; absent where the bound is exact.
    pub exact: Option<Cell>,
}

impl Extent {
    /// A size that the host knows.
    pub fn known(extent: u64) -> Extent {
        Extent { bound: extent, exact: None }
    }
}
