//! Elements in the memory of a CUDA device, where other libraries for CUDA read them without a copy.

use super::Engine;
use super::errors::plain;
use super::state::State;
use crate::error::Result;
use crate::node::{Data, Node, State as NodeState};
use crate::resident::Resident;
use crate::{Array, Element};
use std::fmt;
use std::sync::Arc;

/// The elements of an array in the memory of a CUDA device, in row-major order: they stay there as long as this, and nobody may write them.
#[derive(Clone)]
pub struct CudaMemory {
    address: u64,
    /// Holds the memory, and the engine that computed it.
    _resident: Arc<Resident>,
}

impl fmt::Debug for CudaMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaMemory").field("address", &self.address).finish_non_exhaustive()
    }
}

impl CudaMemory {
    /// The address of the first element, as the driver of CUDA knows it.
    pub fn address(&self) -> u64 {
        self.address
    }

    fn of(data: &Data) -> Result<Option<CudaMemory>> {
        let Data::Device(resident) = data else { return Ok(None) };
        let address = resident.shared().cuda().map_err(|error| plain(&error))?;
        Ok(address.map(|address| CudaMemory { address, _resident: Arc::clone(resident) }))
    }
}

impl<T: Element> Array<T> {
    /// The elements in the memory of the CUDA device that computes here; computes them, or brings them there, if need be. `None` on other devices, and for a single number without
    /// an axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let judge = Engine::new(EngineConfig::on(DeviceChoice::Reference));
    /// assert!(judge.run(|| Array::<f32>::ones(&[3]).cuda_memory())?.is_none());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`eval`](Array::eval).
    #[track_caller]
    pub fn cuda_memory(&self) -> Result<Option<CudaMemory>> {
        match Engine::current().cuda_memory_of(&self.node) {
            Ok(memory) => Ok(memory),
            Err(error) => Err(error.by_caller()),
        }
    }
}

impl Engine {
    fn cuda_memory_of(&self, node: &Arc<Node>) -> Result<Option<CudaMemory>> {
        if !self.with(State::is_cuda)? {
            return Ok(None);
        }
        self.eval_nodes(std::slice::from_ref(node))?;
        let NodeState::Ready(data) = node.state() else { return Ok(None) };
        match CudaMemory::of(&data)? {
            Some(memory) => Ok(Some(memory)),
            None => CudaMemory::of(&self.bring_one(node, &data)?),
        }
    }
}
