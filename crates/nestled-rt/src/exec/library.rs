//! Library operations: queues sorts, ranks and matrix products as native operations.

use super::datum::{ArrayData, Datum};
use super::live_buffers::Purpose;
use super::machine::Machine;
use crate::device::{Native, NativeKind, Slice};
use crate::error::Error;
use crate::lower::{Operand, Slot};
use crate::trace::{Event, Work};
use nestled_ir::{Order, ScalarType};
use std::rc::Rc;

impl Machine<'_> {
    /// Queues a native operation.
    pub(super) fn native(&mut self, kind: NativeKind, faults: bool) -> Result<(), Error> {
        if self.uses_poison {
            return Ok(());
        }
        self.faults_pending |= faults;
        let work = if self.exe.trace.is_some() { kind.work() } else { Work::default() };
        let queued = Event::Native { name: kind.name(), span: self.span(), work };
        let native = Native { kind, region: self.region, least_site: self.least_site() };
        Ok(self.watched(|device| device.native(native), queued)?)
    }

    pub(super) async fn sort(
        &mut self,
        keys: Operand,
        payload: &[Operand],
        axes: &[Operand],
        order: Order,
        dsts: &[Slot],
    ) -> Result<(), Error> {
        let keys = self.take_array(keys)?;
        let mut moved = Vec::with_capacity(payload.len());
        for &operand in payload {
            moved.push(self.take_array(operand)?);
        }
        let axes = self.take_all(axes);
        let rows = self.rows(&axes).await?;
        let sorted = self.like(&keys, keys.data.elem).await?;
        let mut results = vec![Rc::clone(&sorted)];
        let mut pairs: Vec<(ScalarType, Slice, Slice)> = Vec::with_capacity(moved.len());
        for from in &moved {
            let to = self.like(from, from.data.elem).await?;
            pairs.push((from.data.elem, from.slice(), to.slice()));
            results.push(to);
        }
        let kind = NativeKind::Sort {
            elem: keys.data.elem,
            keys: keys.slice(),
            sorted: sorted.slice(),
            payload: pairs,
            rows,
            order,
        };
        self.native(kind, false)?;
        for (&dst, result) in dsts.iter().zip(results) {
            self.set(dst, Datum::Array(result));
        }
        Ok(())
    }

    pub(super) async fn rank(
        &mut self,
        keys: Operand,
        axes: &[Operand],
        order: Order,
        dst: Slot,
    ) -> Result<(), Error> {
        let keys = self.take_array(keys)?;
        let axes = self.take_all(axes);
        let rows = self.rows(&axes).await?;
        let ranks = self.like(&keys, ScalarType::Idx).await?;
        let (elem, from) = (keys.data.elem, keys.slice());
        self.native(NativeKind::Rank { elem, keys: from, ranks: ranks.slice(), rows, order }, false)?;
        self.set(dst, Datum::Array(ranks));
        Ok(())
    }

    /// Room for an array as long as another.
    async fn like(&mut self, array: &ArrayData, elem: ScalarType) -> Result<Rc<ArrayData>, Error> {
        let data = self.allocate(elem, array.len, &Purpose::Words("a sorted array")).await?;
        Ok(Rc::new(ArrayData::whole(data)))
    }

    pub(super) async fn matmul(
        &mut self,
        left: Operand,
        right: Operand,
        sizes: [Operand; 3],
        dst: Slot,
    ) -> Result<(), Error> {
        let (left, right) = (self.take_array(left)?, self.take_array(right)?);
        let [n, k, m] = sizes.map(|size| self.take(size));
        let sizes = [self.extent(&n).await?, self.extent(&k).await?, self.extent(&m).await?];
        let elem = left.data.elem;
        let product = self
            .allocate(elem, sizes[0].bound.saturating_mul(sizes[2].bound), &Purpose::Words("a product"))
            .await?;
        let kind = NativeKind::MatMul {
            elem,
            left: left.slice(),
            right: right.slice(),
            product: product.slice(),
            sizes,
        };
        self.native(kind, false)?;
        self.set(dst, Datum::Array(Rc::new(ArrayData::whole(product))));
        Ok(())
    }
}
