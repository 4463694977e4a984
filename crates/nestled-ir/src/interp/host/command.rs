//! Commands: printing, files, the clock and entropy, through the [`World`](crate::interp::World).

use super::super::error::Error;
use super::Machine;
use super::slot::Slot;
use crate::host::{Command, HostStmt, PrintItem};
use crate::id::ValueId;
use crate::scalar::Scalar;
use crate::value::{Array, AxisValue, Layout, Value, print_to};
use std::sync::Arc;

impl Machine<'_, '_> {
    pub(super) fn command(&mut self, stmt: &HostStmt, command: &Command) -> Result<(), Error> {
        match command {
            Command::Print { items, to_error } => self.print(items, *to_error),
            Command::ReadFile { path } => self.read_file(stmt, *path),
            Command::WriteFile { path, bytes, append } => {
                let bytes = self.array(*bytes).to_dense();
                let path = self.path(*path);
                let ok = path.is_some_and(|path| {
                    self.world.write_file(&path, bytes.as_bytes().unwrap_or_default(), *append)
                });
                self.bind(stmt, [Slot::Scalar(Scalar::Bool(ok))]);
                Ok(())
            }
            Command::Clock { .. } => {
                let now = self.world.clock();
                self.bind(stmt, [Slot::Scalar(Scalar::F64(now))]);
                Ok(())
            }
            Command::Entropy => {
                let number = self.world.entropy();
                self.bind(stmt, [Slot::Scalar(Scalar::I64(number))]);
                Ok(())
            }
        }
    }

    fn print(&mut self, items: &[PrintItem], to_error: bool) -> Result<(), Error> {
        let mut line = Vec::new();
        for item in items {
            match item {
                PrintItem::Text(text) => line.extend_from_slice(text.as_bytes()),
                PrintItem::Value(atom) => {
                    let value = self.operand(*atom).value();
                    self.expect_printable(&value)?;
                    print_to(&mut line, &value);
                }
            }
        }
        if to_error {
            self.world.eprint(&line)
        } else {
            self.world.print(&line)
        }
        Ok(())
    }

    /// Texts of nothing can be long: a million empty rows are a million pairs of brackets.
    fn expect_printable(&mut self, value: &Value) -> Result<(), Error> {
        let layout = match value {
            Value::Scalar(_) | Value::Dim(_) => return Ok(()),
            Value::Seg(seg) => Layout::new(&seg.parent),
            Value::Array(array) => array.layout(),
        };
        let lists = (0..=layout.rank()).map(|level| layout.points_at(level));
        let parts = lists.fold(0u64, u64::saturating_add);
        self.meter.step(parts)?;
        self.meter.room_for(parts.saturating_mul(8))
    }

    /// The name of a file, if it is a text.
    fn path(&self, path: ValueId) -> Option<String> {
        String::from_utf8(self.array(path).to_dense().as_bytes()?.to_vec()).ok()
    }

    fn read_file(&mut self, stmt: &HostStmt, path: ValueId) -> Result<(), Error> {
        let room = self.meter.room();
        let bytes = self.path(path).and_then(|path| self.world.read_file(&path, room));
        let ok = Slot::Scalar(Scalar::Bool(bytes.is_some()));
        let array = Array::bytes(&bytes.unwrap_or_default());
        self.meter.watch(&array)?;
        let AxisValue::Extent(extent) = array.shape[0] else { unreachable!("bytes have an extent") };
        self.bind(stmt, [ok, Slot::Dim(extent), Slot::Array(Arc::new(array))]);
        Ok(())
    }
}
