//! Uploaded covers and photos of people: decodes a JPEG, PNG or WebP file and encodes it anew as a small JPEG.
//!
//! Only the pixels are kept: no location, camera data or script. The size that a file claims is checked before memory is
//! allocated for it.

use std::io::Cursor;

use image::{
    DynamicImage, GenericImageView as _, ImageDecoder as _, ImageFormat, ImageReader, Limits, RgbImage,
    codecs::jpeg::JpegEncoder, imageops::FilterType, metadata::Orientation,
};
use sha2::{Digest as _, Sha256};

use crate::{
    message::{self, Message},
    text,
};

/// Maximum length of an uploaded file.
pub const LONGEST: usize = 8 * 1024 * 1024;
/// Length of a file's beginning that shows its format.
pub const BEGINNING: u64 = 16;
/// Maximum pixels of an uploaded picture.
pub const MOST_PIXELS: u64 = 25_000_000;
/// Maximum length of a stored picture.
pub const KEPT: usize = 200 * 1024;
/// Maximum width and height of a stored cover: enough for a card of the catalogue on a high-resolution screen.
const COVER: (u32, u32) = (600, 900);
/// Maximum width and height of a stored photo: 25 × 30 mm at 300 dpi, more than an ID card prints.
const PHOTO: (u32, u32) = (300, 360);
/// Memory that a decoder may take for its pixels.
const MEMORY: u64 = 128 * 1024 * 1024;
/// JPEG qualities, tried in turn until the file is small enough.
const QUALITIES: [u8; 4] = [85, 70, 55, 40];

/// Reason why a file cannot be stored as a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Not a JPEG, PNG or WebP file.
    Kind,
    /// More pixels than allowed.
    Large,
    /// Cut off or damaged.
    Damaged,
}

impl Refused {
    /// Says what is wrong with the file and what to choose instead.
    #[must_use]
    pub fn message(self) -> Message {
        match self {
            Self::Kind => message::not_picture(),
            Self::Large => message::picture_large(MOST_PIXELS / 1_000_000),
            Self::Damaged => message::picture_damaged(),
        }
    }
}

/// Returns the hash that names a stored picture: 32 hexadecimal digits.
#[must_use]
pub fn hash(jpeg: &[u8]) -> String {
    text::hex(&Sha256::digest(jpeg)[..16])
}

/// Returns a file's picture as the JPEG of a cover, of at most [`KEPT`] bytes.
///
/// # Errors
/// The file is not a picture that can be stored.
pub fn cover(file: &[u8]) -> Result<Vec<u8>, Refused> {
    reduced(file, COVER)
}

/// Returns a file's picture as the JPEG of a person's photo, of at most [`KEPT`] bytes.
///
/// # Errors
/// The file is not a picture that can be stored.
pub fn photo(file: &[u8]) -> Result<Vec<u8>, Refused> {
    reduced(file, PHOTO)
}

/// Checks that a file begins like a picture, given its first [`BEGINNING`] bytes.
///
/// # Errors
/// [`Refused::Kind`].
pub fn check_beginning(file: &[u8]) -> Result<(), Refused> {
    format_of(file).map(|_| ())
}

fn format_of(file: &[u8]) -> Result<ImageFormat, Refused> {
    match image::guess_format(file) {
        Ok(format @ (ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP)) => Ok(format),
        _ => Err(Refused::Kind),
    }
}

/// Decodes a picture, scales it down until it fits into a width and height, and encodes it.
fn reduced(file: &[u8], (width_limit, height_limit): (u32, u32)) -> Result<Vec<u8>, Refused> {
    let format = format_of(file)?;
    if format == ImageFormat::Jpeg && !has_end(file) {
        return Err(Refused::Damaged);
    }
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|_| Refused::Damaged)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS || decoder.total_bytes() > MEMORY {
        return Err(Refused::Large);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|_| Refused::Damaged)?;
    if picture.width() > width_limit || picture.height() > height_limit {
        // The orientation is applied after resizing, so the limits are swapped if the orientation turns the picture.
        let (wide, high) =
            if is_turned(orientation) { (height_limit, width_limit) } else { (width_limit, height_limit) };
        picture = picture.resize(wide, high, FilterType::Triangle);
    }
    picture.apply_orientation(orientation);
    encoded(&on_white(&picture))
}

/// True if the orientation swaps width and height.
fn is_turned(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

/// Draws a picture on a white background: a JPEG has no transparency.
fn on_white(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [red, green, blue, alpha] = picture.get_pixel(x, y).0;
        let over = |channel: u8| {
            let (channel, alpha) = (u32::from(channel), u32::from(alpha));
            u8::try_from((channel * alpha + 255 * (255 - alpha)) / 255).unwrap_or(255)
        };
        image::Rgb([over(red), over(green), over(blue)])
    })
}

fn encoded(picture: &RgbImage) -> Result<Vec<u8>, Refused> {
    for quality in QUALITIES {
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, quality)
            .encode_image(picture)
            .map_err(|_| Refused::Damaged)?;
        if jpeg.len() <= KEPT {
            return Ok(jpeg);
        }
    }
    Err(Refused::Large)
}

/// True if a JPEG file has an end marker after its pixels. The decoder would fill a truncated file with grey instead of
/// failing.
fn has_end(file: &[u8]) -> bool {
    let mut at = 2;
    // Skips the segments before the pixels: they may contain a thumbnail with an end marker of its own.
    loop {
        let Some(&[0xff, marker, ref rest @ ..]) = file.get(at..) else { return false };
        let &[high, low, ..] = rest else { return false };
        match marker {
            // A fill byte.
            0xff => at += 1,
            0xda => return file[at..].windows(2).any(|pair| pair == [0xff, 0xd9]),
            _ => at += 2 + usize::from(u16::from_be_bytes([high, low])),
        }
    }
}

#[cfg(test)]
mod tests {
    use image::{ExtendedColorType, ImageEncoder as _, Rgba, RgbaImage, codecs::png::PngEncoder};

    use super::*;

    /// Returns a picture with a red upper left quarter, encoded in a format.
    fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let picture = RgbaImage::from_fn(width, height, |x, y| {
            if x < width / 2 && y < height / 2 { Rgba([255, 0, 0, 255]) } else { Rgba([0, 0, 255, 0]) }
        });
        let picture = DynamicImage::ImageRgba8(picture);
        let mut bytes = Cursor::new(Vec::new());
        match format {
            ImageFormat::Jpeg => picture.to_rgb8().write_to(&mut bytes, format),
            _ => picture.write_to(&mut bytes, format),
        }
        .expect("encoded");
        bytes.into_inner()
    }

    fn kept(file: &[u8]) -> RgbImage {
        let jpeg = cover(file).expect("a cover");
        assert!(jpeg.len() <= KEPT && jpeg.starts_with(&[0xff, 0xd8]));
        image::load_from_memory_with_format(&jpeg, ImageFormat::Jpeg).expect("a JPEG").to_rgb8()
    }

    fn is_near(pixel: image::Rgb<u8>, wanted: [u8; 3]) -> bool {
        pixel.0.iter().zip(wanted).all(|(one, other)| one.abs_diff(other) < 12)
    }

    #[test]
    fn each_kind_of_picture_becomes_a_small_jpeg_on_white_paper() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            let picture = kept(&file(1200, 600, format));
            assert_eq!(picture.dimensions(), (600, 300), "{format:?}");
            assert!(is_near(*picture.get_pixel(20, 20), [255, 0, 0]), "{format:?}");
            if format != ImageFormat::Jpeg {
                assert!(is_near(*picture.get_pixel(580, 280), [255, 255, 255]), "{format:?}");
            }
        }
        assert_eq!(kept(&file(40, 60, ImageFormat::Png)).dimensions(), (40, 60), "small ones stay");
    }

    #[test]
    fn a_photo_is_turned_as_its_camera_says_and_says_nothing_more() {
        let mut photo = file(300, 200, ImageFormat::Jpeg);
        // Orientation 6 (turn right by 90°), and a text from the camera.
        let exif = [
            b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".as_slice(),
            b"SECRET PLACE",
        ]
        .concat();
        let length = u16::try_from(exif.len() + 2).expect("short").to_be_bytes();
        photo.splice(2..2, [[0xff, 0xe1, length[0], length[1]].as_slice(), &exif].concat());
        let jpeg = cover(&photo).expect("a cover");
        assert!(!jpeg.windows(6).any(|word| word == b"SECRET" || word == b"Exif\0\0"));
        let picture = kept(&photo);
        assert_eq!(picture.dimensions(), (200, 300));
        assert!(is_near(*picture.get_pixel(190, 10), [255, 0, 0]), "the corner is on the right now");
    }

    #[test]
    fn a_photo_of_a_person_fits_an_id_card() {
        let jpeg = photo(&file(1200, 1600, ImageFormat::Jpeg)).expect("a photo");
        let picture = image::load_from_memory_with_format(&jpeg, ImageFormat::Jpeg).expect("a JPEG");
        assert_eq!((picture.width(), picture.height()), (270, 360));
        assert_eq!(photo(b"GIF89a"), Err(Refused::Kind));
    }

    #[test]
    fn noise_is_kept_in_200_kib() {
        let mut state = 1_u32;
        let noise = RgbImage::from_fn(1200, 1800, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [a, b, c, _] = state.to_be_bytes();
            image::Rgb([a, b, c])
        });
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes)
            .write_image(&noise, 1200, 1800, ExtendedColorType::Rgb8)
            .expect("encoded");
        assert_eq!(kept(&bytes).dimensions(), (600, 900));
    }

    #[test]
    fn what_is_no_whole_picture_is_refused() {
        let (jpeg, png) = (file(300, 200, ImageFormat::Jpeg), file(300, 200, ImageFormat::Png));
        for kind in
            [b"".as_slice(), b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a", b"%PDF-1.7", b"BM"]
        {
            assert_eq!(cover(kind), Err(Refused::Kind));
        }
        for cut in
            [&jpeg[..jpeg.len() / 2], &jpeg[..jpeg.len() - 2], &jpeg[..20], &png[..png.len() / 2], &png[..30]]
        {
            assert_eq!(cover(cut), Err(Refused::Damaged));
        }
        // A JPEG behind the signature of a PNG.
        let lying = [&png[..8], &jpeg].concat();
        assert_eq!(cover(&lying), Err(Refused::Damaged));
        // A few bytes that claim a billion pixels.
        let mut bomb = png;
        bomb[16..24].copy_from_slice(&[0, 0, 0x80, 0, 0, 0, 0x80, 0]);
        let mut check = flate2::Crc::new();
        check.update(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&check.sum().to_be_bytes());
        assert!(matches!(cover(&bomb), Err(Refused::Large | Refused::Damaged)));
    }
}
