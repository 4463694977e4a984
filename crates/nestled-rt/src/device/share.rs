//! Shared buffers: memory that several devices read at the same time, a device's or the host's.

use super::DeviceError;
use nestled_ir::ScalarType;
use nestled_ir::value::{Buffer, MARGIN};
use std::any::Any;
use std::fmt::{self, Debug};

/// A buffer that is not written any more, so that threads may share and read it. Its memory is freed with the last reference.
pub trait SharedBuffer: Any + Debug + Send + Sync {
    /// Copies elements to the host.
    ///
    /// # Errors
    /// The buffer has fewer elements.
    fn read(&self, offset: u64, len: u64) -> Result<Buffer, DeviceError>;

    /// The bytes of its elements, where the host can read them without a copy. A `bool` is a byte that is 0 or 1.
    fn host(&self) -> Option<&[u8]> {
        None
    }

    /// The address of its first element, where other libraries for CUDA can read them without a copy; all that writes them is done then.
    ///
    /// # Errors
    /// The device is lost.
    fn cuda(&self) -> Result<Option<u64>, DeviceError> {
        Ok(None)
    }
}

/// Memory of the host that somebody else owns, as elements of a type. It is given back to the owner with the last reference.
pub struct HostMemory {
    owner: Box<dyn AsRef<[u8]> + Send + Sync>,
    elem: ScalarType,
    len: usize,
}

impl HostMemory {
    /// Elements of a type, as this machine stores them.
    ///
    /// # Errors
    /// The bytes are no whole number of elements, lie where no element may begin, or are no truth values where these are wanted.
    pub fn new(
        owner: impl AsRef<[u8]> + Send + Sync + 'static,
        elem: ScalarType,
    ) -> Result<HostMemory, String> {
        let owner: Box<dyn AsRef<[u8]> + Send + Sync> = Box::new(owner);
        let (bytes, size) = ((*owner).as_ref(), elem.size());
        if !bytes.len().is_multiple_of(size) {
            return Err(format!("{} bytes are no whole number of elements of {size}", bytes.len()));
        }
        if !(bytes.as_ptr() as usize).is_multiple_of(size) {
            return Err(format!("it begins at an address that is no multiple of {size}"));
        }
        if elem == ScalarType::Bool
            && let Some(place) = bytes.iter().position(|&byte| byte > 1)
        {
            return Err(format!("the byte at {place} is no truth value"));
        }
        let len = bytes.len() / size;
        Ok(HostMemory { owner, elem, len })
    }

    /// The type of its elements.
    pub fn elem(&self) -> ScalarType {
        self.elem
    }

    /// The number of its elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes, as the owner gives them.
    pub fn bytes(&self) -> &[u8] {
        (*self.owner).as_ref()
    }
}

impl Debug for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of the host", self.len, self.elem)
    }
}

impl SharedBuffer for HostMemory {
    fn read(&self, offset: u64, len: u64) -> Result<Buffer, DeviceError> {
        let size = self.elem.size();
        let part = || {
            let from = usize::try_from(offset).ok()?.checked_mul(size)?;
            let until = usize::try_from(len).ok()?.checked_mul(size)?.checked_add(from)?;
            self.bytes().get(from..until)
        };
        let what = || format!("{len} elements from {offset} on are read of {}", self.len);
        part().map(|bytes| elements(self.elem, bytes)).ok_or_else(|| DeviceError::Bug(what()))
    }

    fn host(&self) -> Option<&[u8]> {
        Some(self.bytes())
    }
}

/// Copies elements, with room for [`MARGIN`] behind them.
fn elements(elem: ScalarType, bytes: &[u8]) -> Buffer {
    macro_rules! copied {
        ($ty:ty) => {{
            let mut copies = Vec::with_capacity((bytes.len() + MARGIN) / size_of::<$ty>());
            let (chunks, _) = bytes.as_chunks::<{ size_of::<$ty>() }>();
            copies.extend(chunks.iter().map(|&bytes| <$ty>::from_ne_bytes(bytes)));
            copies
        }};
    }
    match elem {
        ScalarType::Bool => Buffer::Bool(bytes.iter().map(|&byte| byte != 0).collect()),
        ScalarType::I8 => Buffer::I8(copied!(i8)),
        ScalarType::U8 => Buffer::U8(copied!(u8)),
        ScalarType::I16 => Buffer::I16(copied!(i16)),
        ScalarType::U16 => Buffer::U16(copied!(u16)),
        ScalarType::I32 => Buffer::I32(copied!(i32)),
        ScalarType::U32 => Buffer::U32(copied!(u32)),
        ScalarType::I64 => Buffer::I64(copied!(i64)),
        ScalarType::U64 => Buffer::U64(copied!(u64)),
        ScalarType::F16 => Buffer::F16(copied!(u16)),
        ScalarType::F32 => Buffer::F32(copied!(f32)),
        ScalarType::F64 => Buffer::F64(copied!(f64)),
        ScalarType::Idx => Buffer::Idx(copied!(i64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_ir::Scalar;

    #[test]
    fn bytes_of_others_are_elements() {
        let memory = HostMemory::new(vec![7u8, 0, 1], ScalarType::U8).unwrap();
        assert_eq!((memory.len(), memory.host().unwrap()), (3, &[7, 0, 1][..]));
        assert_eq!(memory.read(1, 2).unwrap().get(1), Scalar::U8(1));
        assert!(memory.read(2, 2).is_err() && memory.read(u64::MAX, 2).is_err());
    }

    #[test]
    fn what_is_no_elements_is_refused() {
        let told = |bytes: Vec<u8>, elem| HostMemory::new(bytes, elem).unwrap_err();
        assert_eq!(told(vec![0; 3], ScalarType::I16), "3 bytes are no whole number of elements of 2");
        assert_eq!(told(vec![1, 2], ScalarType::Bool), "the byte at 1 is no truth value");
        #[repr(align(8))]
        struct Aligned([u8; 16]);
        static BYTES: Aligned = Aligned([0; 16]);
        let error = HostMemory::new(&BYTES.0[1..9], ScalarType::F64).unwrap_err();
        assert_eq!(error, "it begins at an address that is no multiple of 8");
    }
}
