//! Vectors as they are kept with an item: eight bits a number, a quarter of the space, and nearer to the original than any judgement here
//! can tell apart.

use crate::ports::embedder::Embedder;

/// Steps from zero to the largest number of a part.
const STEPS: f32 = 127.0;
const HEADER_BYTES: usize = 4 + 2 * 4;

/// u32 version of the embedder, one f32 step a part, then each number as so many steps, i8. Little-endian.
pub fn rounded(vector: &[f32], embedder: &dyn Embedder) -> Vec<u8> {
    let (meaning, words) = vector.split_at(embedder.meaning_dimensions());
    let steps = [meaning, words].map(|part| part.iter().fold(0.0_f32, |largest, value| largest.max(value.abs())) / STEPS);
    let mut bytes = Vec::with_capacity(HEADER_BYTES + vector.len());
    bytes.extend(embedder.version().to_le_bytes());
    steps.iter().for_each(|step| bytes.extend(step.to_le_bytes()));
    for (part, step) in [meaning, words].iter().zip(steps) {
        let to_steps = |value: &f32| if step > 0.0 { (value / step).round() as i8 } else { 0 };
        bytes.extend(part.iter().map(|value| to_steps(value).cast_unsigned()));
    }
    bytes
}

/// `None` for a vector of another embedder, or one that is damaged: it can be made again.
pub fn restored(bytes: &[u8], embedder: &dyn Embedder) -> Option<Vec<f32>> {
    let (version, rest) = bytes.split_first_chunk::<4>()?;
    let (meaning_step, rest) = rest.split_first_chunk::<4>()?;
    let (words_step, numbers) = rest.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*version) != embedder.version() || numbers.len() != embedder.dimensions() {
        return None;
    }
    let (meaning, words) = numbers.split_at(embedder.meaning_dimensions());
    let part = |numbers: &[u8], step: &[u8; 4]| {
        let step = f32::from_le_bytes(*step);
        numbers.iter().map(|number| f32::from(number.cast_signed()) * step).collect::<Vec<f32>>()
    };
    Some([part(meaning, meaning_step), part(words, words_step)].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{perception::vectors::dot, testing::fake_embedder::WordEmbedder};

    #[test]
    fn a_vector_comes_back_nearly_as_it_was() {
        for text in ["Toyota recalls two million cars over faulty brakes", "a", ""] {
            let vector = WordEmbedder.embed(&[text]).remove(0);
            let back = restored(&rounded(&vector, &WordEmbedder), &WordEmbedder).unwrap();
            let lengths = (dot(&vector, &vector) * dot(&back, &back)).sqrt();
            assert!(lengths < f32::EPSILON || dot(&vector, &back) / lengths > 0.9999, "{text:?}");
            assert_eq!(restored(&rounded(&back, &WordEmbedder), &WordEmbedder).map(|again| again.len()), Some(back.len()));
        }
    }

    #[test]
    fn what_another_embedder_wrote_or_damage_is_not_read() {
        let bytes = rounded(&WordEmbedder.embed(&["flood"])[0], &WordEmbedder);
        let other_version = [&[7][..], &bytes[1..]].concat();
        for spoiled in [&[][..], &bytes[..3], &bytes[..HEADER_BYTES], &bytes[..bytes.len() - 1], &other_version[..]] {
            assert_eq!(restored(spoiled, &WordEmbedder), None);
        }
        assert_eq!(restored(&[bytes.clone(), vec![0]].concat(), &WordEmbedder), None);
    }
}
