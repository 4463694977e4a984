//! Conversion between arrays and pictures of the crate `image`.

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Result};
use image::{ImageBuffer, Pixel};

impl<T: Element + image::Primitive> Array<T> {
    /// The pixels of a picture of the crate `image`: rows, columns, channels. Nothing is copied.
    ///
    /// ```
    /// use image::{Rgb, RgbImage};
    /// use nestled_array::Array;
    /// let picture = RgbImage::from_fn(3, 2, |x, y| Rgb([x as u8, y as u8, 9]));
    /// let array = Array::from_image(picture)?;
    /// assert_eq!(**array.shape(), [2, 3, 3]);
    /// assert_eq!(array.at(2, 0).to_vec()?, [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The buffer is too small.
    #[track_caller]
    pub fn from_image<P: Pixel<Subpixel = T>>(picture: ImageBuffer<P, Vec<T>>) -> Result<Array<T>> {
        let (width, height) = picture.dimensions();
        let channels = P::CHANNEL_COUNT as usize;
        let shape = [height as usize, width as usize, channels];
        let mut elements = picture.into_raw();
        elements.truncate(shape.iter().product());
        Array::try_new(elements, &shape)
    }

    /// Converts rows, columns and channels to a picture; for a single channel, rows and columns are enough.
    ///
    /// ```
    /// use image::{Luma, Rgb};
    /// use nestled_array::Array;
    /// let red = Array::<f32>::index(&[4, 4, 3], 2).eq(0.0).cast::<f32>();
    /// assert_eq!(*red.to_image::<Rgb<f32>>()?.get_pixel(1, 2), Rgb([1.0, 0.0, 0.0]));
    /// assert_eq!(Array::<u8>::ones(&[2, 5]).to_image::<Luma<u8>>()?.dimensions(), (5, 2));
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The array has other axes, or other channels; and errors of evaluation.
    #[track_caller]
    pub fn to_image<P: Pixel<Subpixel = T>>(&self) -> Result<ImageBuffer<P, Vec<T>>> {
        let channels = P::CHANNEL_COUNT as usize;
        let (height, width) = match **self.shape() {
            [height, width, last] if last == channels => (height, width),
            [height, width] if channels == 1 => (height, width),
            _ => {
                let why = format!("{} is no picture of {channels} channels", self.shape());
                return Err(Error::new("to_image", why));
            }
        };
        let size = (u32::try_from(width), u32::try_from(height));
        let (Ok(width), Ok(height)) = size else {
            return Err(Error::new("to_image", format!("{} is too large for a picture", self.shape())));
        };
        let buffer = ImageBuffer::from_raw(width, height, self.to_vec()?);
        match buffer {
            Some(buffer) => Ok(buffer),
            None => Err(Error::new("to_image", "the picture is too large")),
        }
    }
}
