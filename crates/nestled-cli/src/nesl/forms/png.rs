//! PNG pictures: rows of gray values, or of colours as tuples of red, green and blue, from 0 to 255. An alpha channel is one more part of a tuple.

use nestled_ir::value::MARGIN;
use nestled_nesl::interp::Value;
use nestled_nesl::{Column, Elements};
use png::{BitDepth, ColorType, Decoder, DecodingError, Encoder, Transformations};
use std::io::Cursor;

/// Decodes the picture in a file, into at most `room` bytes. With 16 bits per channel, values reach 65535.
pub fn read(bytes: &[u8], room: u64) -> Result<Column, String> {
    let too_large = || format!("it takes more than the {room} bytes that there is room for");
    let wrong = |error: DecodingError| match error {
        DecodingError::LimitsExceeded => too_large(),
        error => format!("it is a broken picture: {error}"),
    };
    let mut decoder = Decoder::new_with_limits(
        Cursor::new(bytes),
        png::Limits { bytes: usize::try_from(room).unwrap_or(usize::MAX) },
    );
    // Palettes become colours, and few bits eight.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(wrong)?;
    // Samples become integers.
    let fits = |size: &usize| (*size as u64).saturating_mul(2 * size_of::<i64>() as u64) <= room;
    let size = reader.output_buffer_size().filter(fits).ok_or_else(too_large)?;
    let mut samples = vec![0; size];
    let frame = reader.next_frame(&mut samples).map_err(wrong)?;
    let (width, height) = (frame.width as usize, frame.height as usize);
    let channels = frame.color_type.samples();
    let channel = |at: usize| {
        let mut values = Vec::with_capacity(width * height + MARGIN / size_of::<i64>());
        match frame.bit_depth {
            BitDepth::Sixteen => values.extend(
                samples
                    .as_chunks::<2>()
                    .0
                    .chunks_exact(channels)
                    .map(|pixel| i64::from(u16::from_be_bytes(pixel[at]))),
            ),
            _ => values.extend(samples.chunks_exact(channels).map(|pixel| i64::from(pixel[at]))),
        }
        values.truncate(width * height);
        Column::Elements { count: width * height, shape: Vec::new(), elements: Elements::Ints(values) }
    };
    let pixels = (0..channels - 1)
        .rev()
        .fold(channel(channels - 1), |right, at| Column::Pairs(Box::new(channel(at)), Box::new(right)));
    let rows = Column::Rows { lengths: vec![width; height], elements: Box::new(pixels) };
    Ok(Column::Rows { lengths: vec![height], elements: Box::new(rows) })
}

/// Encodes a picture of so many columns and rows. Samples are in row-major order from the top, the channels of a pixel side by side.
pub fn write(width: usize, height: usize, channels: usize, samples: &[u8]) -> Result<Vec<u8>, String> {
    let colour = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        _ => return Err(format!("a picture has 1 to 4 values for each pixel, not {channels}")),
    };
    let side = |side: usize| u32::try_from(side).ok().filter(|side| (1..=i32::MAX as u32).contains(side));
    let (Some(wide), Some(high)) = (side(width), side(height)) else {
        return Err(format!("a picture cannot be {width} by {height}"));
    };
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, wide, high);
    encoder.set_color(colour);
    encoder.set_depth(BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(samples));
    written.map_err(|error| error.to_string())?;
    Ok(file)
}

/// The file of a value.
///
/// # Errors
/// The value is no picture.
pub fn of_value(value: &Value) -> Result<Vec<u8>, String> {
    let Value::Seq(rows) = value else { return Err(NO_PICTURE.to_owned()) };
    let (mut samples, mut width, mut channels) = (Vec::new(), None, None);
    for piece in rows.pieces() {
        for row in piece.iter() {
            let Value::Seq(pixels) = row else { return Err(NO_PICTURE.to_owned()) };
            if *width.get_or_insert(pixels.len()) != pixels.len() {
                return Err("the rows of a picture are of one length".to_owned());
            }
            for piece in pixels.pieces() {
                for value in piece.iter() {
                    let before = samples.len();
                    pixel(value, &mut samples)?;
                    channels = Some(samples.len() - before);
                }
            }
        }
    }
    write(width.unwrap_or(0), rows.len(), channels.unwrap_or(1), &samples)
}

pub(super) const NO_PICTURE: &str = "a picture is a sequence of rows of pixels, which are numbers, or tuples of two to four: \
    integers from 0 to 255, or floats from 0 to 1";

fn pixel(value: &Value, samples: &mut Vec<u8>) -> Result<(), String> {
    let mut rest = value;
    while let Value::Pair(parts) = rest {
        samples.push(sample(&parts.0)?);
        rest = &parts.1;
    }
    samples.push(sample(rest)?);
    Ok(())
}

fn sample(value: &Value) -> Result<u8, String> {
    Ok(match value {
        Value::Int(value) => (*value).clamp(0, 255) as u8,
        Value::Float(value) => (value * 255.0).round().clamp(0.0, 255.0) as u8,
        Value::Bool(value) => {
            if *value {
                255
            } else {
                0
            }
        }
        Value::Char(code) => *code,
        _ => return Err(NO_PICTURE.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_come_back() {
        let file = write(2, 1, 3, &[1, 2, 3, 255, 0, 7]).unwrap();
        let ints = |values: &[i64]| Column::Elements {
            count: 2,
            shape: Vec::new(),
            elements: Elements::Ints(values.to_vec()),
        };
        let pair = |left, right| Column::Pairs(Box::new(left), Box::new(right));
        let pixels = pair(ints(&[1, 255]), pair(ints(&[2, 0]), ints(&[3, 7])));
        let rows = Column::Rows { lengths: vec![2], elements: Box::new(pixels) };
        assert_eq!(
            read(&file, 1 << 20).unwrap(),
            Column::Rows { lengths: vec![1], elements: Box::new(rows) }
        );
        (0..file.len()).for_each(|length| drop(read(&file[..length], 1 << 20)));
        assert_eq!(read(&file, 90).unwrap_err(), "it takes more than the 90 bytes that there is room for");
        assert_eq!(
            write(2, 1, 5, &[0; 10]).unwrap_err(),
            "a picture has 1 to 4 values for each pixel, not 5"
        );
        assert!(write(0, 1, 1, &[]).is_err());
    }
}
