//! Memory that arrays share with others: somebody else's bytes as elements, and elements as bytes, without a copy where the device reads memory of the host.

use crate::array::Array;
use crate::element::Element;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::node::{Data, Node, State};
use crate::resident::Resident;
use crate::shape::Shape;
use nestled_rt::SharedArray;
use nestled_rt::device::HostMemory;
use std::fmt;
use std::sync::Arc;

/// The bytes of the elements of an array, as this machine stores them. They stay where they are as long as it lives.
///
/// ```
/// # use nestled_array::*;
/// let squares = Array::<i64>::range(4) * Array::<i64>::range(4);
/// if let Some(memory) = squares.memory()? {
///     assert_eq!(memory.as_ref()[8..16], 1i64.to_ne_bytes());
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Memory {
    shared: SharedArray,
    /// Holds the engine that computed them.
    _resident: Arc<Resident>,
}

impl AsRef<[u8]> for Memory {
    fn as_ref(&self) -> &[u8] {
        self.shared.host().unwrap_or_default()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.as_ref().len())
    }
}

impl Memory {
    fn of(data: &Data) -> Option<Memory> {
        let Data::Device(resident) = data else { return None };
        let shared = resident.shared();
        shared.host()?;
        Some(Memory { shared, _resident: Arc::clone(resident) })
    }
}

/// Memory of somebody else, as elements of a type.
#[track_caller]
fn foreign<T: Element>(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<HostMemory> {
    HostMemory::new(owner, T::TYPE).map_err(|message| Error::argument("from_memory", message))
}

impl<T: Element> Array<T> {
    /// A vector whose elements lie in memory of somebody else, as this machine stores them; the owner is dropped with the last array that needs it. A device that reads
    /// memory of the host uses large ones where they are, if the last page has 256 bytes more; else they are copied when they are first used.
    ///
    /// ```
    /// # use nestled_array::*;
    /// use std::sync::Arc;
    /// let owner: Arc<[u8]> = Arc::from([1, 2, 3]);
    /// let x = Array::<u8>::from_memory(Arc::clone(&owner))?;
    /// assert_eq!(x.sum().item()?, 6);
    /// assert!(Array::<i32>::from_memory(owner).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The bytes are no whole number of elements, begin at an address that is no multiple of their size, or are no truth values where these are wanted.
    #[track_caller]
    pub fn from_memory(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Array<T>> {
        let memory = foreign::<T>(owner)?;
        let shape = Shape::of(&[memory.len()]);
        Ok(Array::in_memory_of_others(SharedArray::of_host(memory), shape))
    }

    /// As [`from_memory`](Array::from_memory), but an array of any shape, in row-major order.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<u8>::from_memory_shaped(vec![1u8, 2, 3, 4, 5, 6], &[2, 3])?;
    /// assert_eq!(x.sum_axis(1).to_vec()?, [6, 15]);
    /// assert!(Array::<u8>::from_memory_shaped(vec![1u8, 2], &[3]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_memory`](Array::from_memory), or the number of elements is not that of the shape, or the shape has no axis.
    #[track_caller]
    pub fn from_memory_shaped(
        owner: impl AsRef<[u8]> + Send + Sync + 'static,
        shape: &[usize],
    ) -> Result<Array<T>> {
        let shape = Shape::checked("from_memory", shape)?;
        let memory = foreign::<T>(owner)?;
        let extents = shape.iter().map(|&extent| extent as u64).collect();
        let count = memory.len();
        let shared = SharedArray::of_host(memory).shaped(extents).filter(|_| !shape.is_empty());
        let unfit =
            || Error::argument("from_memory", format!("{count} elements do not fill the shape {shape}"));
        shared.map(|shared| Array::in_memory_of_others(shared, shape)).ok_or_else(unfit)
    }

    fn in_memory_of_others(shared: SharedArray, shape: Shape) -> Array<T> {
        let resident = Resident::foreign(shared);
        Array::of(Node::ready(T::TYPE, shape, Data::Device(Arc::new(resident))))
    }

    /// The bytes of the elements where they lie; computes them if need be. `None` where the host cannot read the memory of the device, or the array is small: then
    /// [`to_vec`](Array::to_vec) copies them.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let owner = vec![1u8, 2, 3];
    /// let begin = owner.as_ptr();
    /// let x = Array::<u8>::from_memory(owner)?;
    /// assert_eq!(x.memory()?.expect("it is the owner's").as_ref().as_ptr(), begin);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`eval`](Array::eval).
    #[track_caller]
    pub fn memory(&self) -> Result<Option<Memory>> {
        match Engine::current().memory_of(&self.node) {
            Ok(memory) => Ok(memory),
            Err(error) => Err(error.by_caller()),
        }
    }
}

/// Bytes of the host that are rather copied than brought to a device.
const SMALL: u64 = 1 << 20;

impl Engine {
    fn memory_of(&self, node: &Arc<Node>) -> Result<Option<Memory>> {
        self.eval_nodes(std::slice::from_ref(node))?;
        let State::Ready(data) = node.state() else { return Ok(None) };
        match (Memory::of(&data), &data) {
            (Some(memory), _) => Ok(Some(memory)),
            // No device is opened for what is copied as fast.
            (None, Data::Host(buffer)) if buffer.size() < SMALL => Ok(None),
            (None, _) => Ok(Memory::of(&self.bring_one(node, &data)?)),
        }
    }
}
