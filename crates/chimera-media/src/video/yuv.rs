//! RGB to the colour planes that video is made of: BT.709, limited range, one colour sample for four pixels.

use tiny_skia::Pixmap;

pub struct Planes {
    pub width: usize,
    pub height: usize,
    pub y: Vec<u8>,
    pub u: Vec<u8>,
    pub v: Vec<u8>,
}

impl Planes {
    /// Both sides must be even.
    pub fn new(width: usize, height: usize) -> Self {
        let quarter = width / 2 * (height / 2);
        Self { width, height, y: vec![0; width * height], u: vec![0; quarter], v: vec![0; quarter] }
    }

    pub fn fill(&mut self, pixmap: &Pixmap) {
        let width = self.width;
        let rows = pixmap.data().chunks_exact(width * 8).zip(self.y.chunks_exact_mut(width * 2));
        let halves = self.u.chunks_exact_mut(width / 2).zip(self.v.chunks_exact_mut(width / 2));
        for ((pixels, light), (u, v)) in rows.zip(halves) {
            for (pixel, light) in pixels.chunks_exact(4).zip(light.iter_mut()) {
                *light = luma(pixel);
            }
            let (upper, lower) = pixels.split_at(width * 4);
            let blocks = upper.chunks_exact(8).zip(lower.chunks_exact(8));
            for ((above, below), (u, v)) in blocks.zip(u.iter_mut().zip(v.iter_mut())) {
                let sum =
                    |part: usize| i32::from(above[part]) + i32::from(above[part + 4]) + i32::from(below[part]) + i32::from(below[part + 4]);
                let (red, green, blue) = (sum(0), sum(1), sum(2));
                // The sums are four times a colour: two bits more to shift away.
                *u = (((-6_596 * red - 22_189 * green + 28_784 * blue) >> 18) + 128) as u8;
                *v = (((28_784 * red - 26_145 * green - 2_639 * blue) >> 18) + 128) as u8;
            }
        }
    }
}

/// Weights of BT.709 for the range 16 to 235, in 65,536ths.
fn luma(pixel: &[u8]) -> u8 {
    let (red, green, blue) = (u32::from(pixel[0]), u32::from(pixel[1]), u32::from(pixel[2]));
    (((11_966 * red + 40_254 * green + 4_064 * blue + 32_768) >> 16) + 16) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiny_skia::Color;

    /// The values of ITU-R BT.709 for full colour bars.
    #[test]
    fn colours_become_what_the_standard_says() {
        for (rgb, yuv) in [
            ((0, 0, 0), (16, 128, 128)),
            ((255, 255, 255), (235, 128, 128)),
            ((255, 0, 0), (63, 102, 240)),
            ((0, 255, 0), (173, 42, 26)),
            ((0, 0, 255), (32, 240, 118)),
        ] {
            let mut pixmap = Pixmap::new(4, 2).unwrap();
            pixmap.fill(Color::from_rgba8(rgb.0, rgb.1, rgb.2, 255));
            let mut planes = Planes::new(4, 2);

            planes.fill(&pixmap);

            let near = |found: &[u8], wanted: i16| found.iter().all(|part| (i16::from(*part) - wanted).abs() <= 1);
            assert!(
                near(&planes.y, yuv.0) && near(&planes.u, yuv.1) && near(&planes.v, yuv.2),
                "{rgb:?}: {:?} {:?} {:?}",
                planes.y,
                planes.u,
                planes.v
            );
        }
    }
}
