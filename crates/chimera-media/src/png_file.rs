//! Pixels as a PNG file.

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};
use tiny_skia::Pixmap;

/// Cards have no transparent part, so the file has none either.
pub fn encode_png(pixmap: &Pixmap) -> Result<Vec<u8>, EncodingError> {
    let pixels = pixmap.data().chunks_exact(4);
    let mut rgb = Vec::with_capacity(pixels.len() * 3);
    for pixel in pixels {
        rgb.extend_from_slice(&pixel[..3]);
    }
    let mut file = Vec::with_capacity(rgb.len() / 16);
    let mut encoder = Encoder::new(&mut file, pixmap.width(), pixmap.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(file)
}
