//! Commands: printing, files, the clock and entropy. Each first waits for the faults of everything before it.

use super::datum::{ArrayData, Datum};
use super::download::Reader;
use super::live_buffers::Purpose;
use super::machine::Machine;
use crate::error::Error;
use crate::lower::{Operand, PrintOperand, Slot};
use nestled_ir::Scalar;
use nestled_ir::value::{Buffer, print_to};
use std::rc::Rc;

impl Machine<'_> {
    /// Reads from the device.
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            device: self.device,
            trace: self.exe.trace.as_ref(),
            span: self.span(),
            last: false,
            wait: self.wait,
        }
    }

    pub(super) async fn print(&mut self, items: &[PrintOperand], to_error: bool) -> Result<(), Error> {
        self.settle().await?;
        let mut line = Vec::new();
        for item in items {
            match item {
                PrintOperand::Text(text) => line.extend_from_slice(text.as_bytes()),
                PrintOperand::Value(value, axes) => {
                    let value = self.take(*value);
                    let axes = self.take_all(axes);
                    let value = self.reader().value(&value, &axes).await?;
                    print_to(&mut line, &value);
                }
            }
        }
        if to_error {
            self.world.eprint(&line);
        } else {
            self.world.print(&line);
        }
        // Whoever can no longer print may wish to end.
        self.look_for_interrupt()
    }

    pub(super) async fn read_file(
        &mut self,
        path: Operand,
        extent: Operand,
        dsts: &[Slot],
    ) -> Result<(), Error> {
        let path = self.bytes(path, extent).await?;
        self.settle().await?;
        let room = self.device.describe().memory.unwrap_or(u64::MAX);
        let found = String::from_utf8(path).ok().and_then(|path| self.world.read_file(&path, room));
        let worked = found.is_some();
        let bytes = Buffer::U8(found.unwrap_or_default());
        let data = self.upload(&bytes, &Purpose::Words("the bytes of a file")).await?;
        let results = [
            Datum::Scalar(Scalar::Bool(worked)),
            Datum::extent(data.len),
            Datum::Array(Rc::new(ArrayData::whole(data))),
        ];
        for (&dst, result) in dsts.iter().zip(results) {
            self.set(dst, result);
        }
        Ok(())
    }

    pub(super) async fn write_file(
        &mut self,
        operands: [Operand; 4],
        append: bool,
        dst: Slot,
    ) -> Result<(), Error> {
        let [path, path_extent, bytes, extent] = operands;
        let path = self.bytes(path, path_extent).await?;
        let bytes = self.bytes(bytes, extent).await?;
        self.settle().await?;
        let worked = String::from_utf8(path).is_ok_and(|path| self.world.write_file(&path, &bytes, append));
        self.set(dst, Datum::Scalar(Scalar::Bool(worked)));
        Ok(())
    }

    /// The elements of an array of bytes.
    async fn bytes(&mut self, array: Operand, extent: Operand) -> Result<Vec<u8>, Error> {
        self.settle().await?;
        let array = self.take_array(array)?;
        let extent = self.take(extent);
        let value = self.reader().array(&array, std::slice::from_ref(&extent)).await?;
        value.as_bytes().map(<[u8]>::to_vec).ok_or_else(|| Error::Bug("bytes are wanted".to_owned()))
    }

    pub(super) async fn clock(&mut self, dst: Slot) -> Result<(), Error> {
        self.settle().await?;
        let now = self.world.clock();
        self.set(dst, Datum::Scalar(Scalar::F64(now)));
        Ok(())
    }

    pub(super) async fn entropy(&mut self, dst: Slot) -> Result<(), Error> {
        self.settle().await?;
        let number = self.world.entropy();
        self.set(dst, Datum::Scalar(Scalar::I64(number)));
        Ok(())
    }
}
