//! NumPy's `.npy` files: reading and writing.

use crate::array::Array;
use crate::element::Element;
use crate::engine::Engine;
use crate::error::{Error, Reason, Result};
use nestled_cache::Aside;
use nestled_ir::ScalarType;
use nestled_rt::npy::{self, Reader};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::panic::Location;
use std::path::Path;

impl<T: Element> Array<T> {
    /// Reads a file of elements of this type, of any version, byte order and order of axes.
    ///
    /// ```
    /// use nestled_array::Array;
    /// let path = std::env::temp_dir().join("nestled-read-npy.npy");
    /// Array::new(vec![1, 2, 3, 4, 5, 6], &[2, 3]).write_npy(&path)?;
    /// let table = Array::<i32>::read_npy(&path)?;
    /// assert_eq!(table.at(0, 1).to_vec()?, [4, 5, 6]);
    /// assert!(Array::<f32>::read_npy(&path).is_err());
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    #[track_caller]
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Array<T>> {
        let (path, place) = (path.as_ref(), Location::caller());
        let wrong = |why: &str| {
            let why = Reason::File(format!("{}: {why}", path.display()));
            Error::at("read_npy", why, Some(place))
        };
        let file = File::open(path).map_err(|error| wrong(&error.to_string()))?;
        let size = file.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
        let want = |stored: ScalarType| match stored == T::TYPE {
            true => Ok(T::TYPE),
            false => Err(format!("it holds {stored}, but {} is wanted", T::TYPE)),
        };
        let npy = Reader::new(file, size).and_then(|file| file.read(u64::MAX, &want));
        let npy = npy.map_err(|why| wrong(&why))?;
        let elements = T::elements(npy.elements).ok_or_else(|| wrong("its elements are of another type"))?;
        let shape: Vec<usize> = npy.shape.iter().map(|&extent| extent as usize).collect();
        Array::try_new(elements, &shape)
    }

    /// Writes a file atomically: an older file is replaced only when all of the new one is there.
    ///
    /// ```
    /// use nestled_array::Array;
    /// let path = std::env::temp_dir().join("nestled-write-npy.npy");
    /// Array::<f32>::uniform(&[3, 4], 1).write_npy(&path)?;
    /// assert_eq!(**Array::<f32>::read_npy(&path)?.shape(), [3, 4]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation; or the file cannot be written.
    #[track_caller]
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let (path, place) = (path.as_ref(), Location::caller());
        let shape: Vec<u64> = self.shape().iter().map(|&extent| extent as u64).collect();
        let elements = Engine::current().fetch_node(&self.node)?;
        let written = Aside::new(path).and_then(|mut aside| {
            let mut file = BufWriter::new(&mut aside);
            npy::write(&shape, &elements, &mut file)?;
            file.flush()?;
            drop(file);
            aside.finish()
        });
        written.map_err(|error| {
            let why = Reason::File(format!("{}: {error}", path.display()));
            Error::at("write_npy", why, Some(place))
        })
    }
}
