//! Which language a text is written in, of those that we judge; or that it is in none of them.
//!
//! Letters in runs of one to four, hashed, with one weight for each run and language. Fitted by `scripts/fit/language.py` on parallel text of permissive
//! licences, and on a hundred other languages as what is none of ours. The detectors that are published know no Swahili or no Amharic, have an
//! answer for every text, or weigh tens of megabytes.

pub use crate::domain::Language;

use super::weighted_words::{take_f32, take_u32};
use crate::domain::Soul;
use regex::Regex;
use std::sync::LazyLock;

static WEIGHTS: &[u8] = include_bytes!("language.bin");
static MODEL: LazyLock<Model> = LazyLock::new(|| Model::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them"));
const MAGIC: &[u8] = b"CLN1";
/// A text's beginning tells its language.
const READ_CHARS_MAX: usize = 400;
const WORD_LETTERS_MAX: usize = 24;
const RUN_LETTERS_MAX: usize = 4;

/// The most likely language; `None` for a text without letters, or in a language that is none of these.
pub fn language_of(text: &str) -> Option<Language> {
    MODEL.judge(text)
}

/// What an agent writes in: what its SOUL names, else what the SOUL itself is plainly written in, else English.
pub fn of_agent(soul: &Soul) -> Language {
    let plainly = || {
        let told = soul.directives.iter().chain(&soul.core_beliefs).map(String::as_str).collect::<Vec<_>>().join(" ");
        language_of(&soul.backstory).filter(|language| language_of(&told) == Some(*language))
    };
    soul.language.or_else(plainly).unwrap_or(Language::English)
}

struct Model {
    buckets: usize,
    scale: f32,
    biases: Vec<f32>,
    /// For each bucket, one a language and one for all others.
    weights: &'static [u8],
}

impl Model {
    /// `CLN1`, u32 buckets, u32 answers, f32 scale, f32 biases; for each bucket one i8 an answer.
    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let (buckets, answers) = (take_u32(&mut rest)? as usize, take_u32(&mut rest)? as usize);
        let scale = take_f32(&mut rest)?;
        let biases: Vec<f32> = (0..answers).map(|_| take_f32(&mut rest)).collect::<Option<_>>()?;
        let fits = answers == Language::ALL.len() + 1 && buckets > 0 && rest.len() == buckets.checked_mul(answers)?;
        fits.then_some(Self { buckets, scale, biases, weights: rest })
    }

    fn judge(&self, text: &str) -> Option<Language> {
        let mut places = self.places(text);
        if places.is_empty() || !is_in_our_scripts(text) {
            return None;
        }
        places.sort_unstable();
        let mut strengths = vec![0.0_f32; self.biases.len()];
        let mut length = 0.0_f32;
        for same in places.chunk_by(|left, right| left == right) {
            let count = same.len() as f32;
            length += count * count;
            let weights = &self.weights[same[0] * self.biases.len()..];
            strengths.iter_mut().zip(weights).for_each(|(strength, weight)| *strength += count * f32::from(weight.cast_signed()));
        }
        let answer = |place: &usize| strengths[*place] * self.scale / length.sqrt() + self.biases[*place];
        let best = (0..strengths.len()).max_by(|left, right| answer(left).total_cmp(&answer(right)))?;
        Language::ALL.get(best).copied()
    }

    /// Of every run of letters, words with a space on each side.
    fn places(&self, text: &str) -> Vec<usize> {
        static WORDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\p{L}+").expect("a constant"));
        let lowered: String = text.chars().take(READ_CHARS_MAX).flat_map(char::to_lowercase).collect();
        let mut places = Vec::with_capacity(lowered.len() * RUN_LETTERS_MAX);
        for word in WORDS.find_iter(&lowered) {
            let letters = word.as_str().chars().take(WORD_LETTERS_MAX);
            let spaced: Vec<char> = std::iter::once(' ').chain(letters).chain([' ']).collect();
            for size in 1..=RUN_LETTERS_MAX {
                places.extend(spaced.windows(size).filter(|run| **run != [' ']).map(|run| self.bucket(run)));
            }
        }
        places
    }

    /// FNV-1a, folded.
    fn bucket(&self, run: &[char]) -> usize {
        let mut number = 0x811C_9DC5_u32;
        let mut buffer = [0; 4];
        for letter in run {
            for byte in letter.encode_utf8(&mut buffer).bytes() {
                number = (number ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
        (number ^ (number >> 15)) as usize % self.buckets
    }
}

/// Most letters are of a script that one of our languages is written in: the weights know little of any other.
fn is_in_our_scripts(text: &str) -> bool {
    let letters = || text.chars().take(READ_CHARS_MAX).filter(|c| c.is_alphabetic());
    let ours = |c: &char| {
        matches!(u32::from(*c), 0x0000..=0x024F | 0x1E00..=0x1EFF | 0xFF21..=0xFF5A // Latin
            | 0x0600..=0x077F | 0x08A0..=0x08FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF // Arabic
            | 0x0900..=0x097F | 0x1200..=0x139F | 0x2D80..=0x2DDF // Devanagari, Ethiopic
            | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF) // kana, ideographs
    };
    letters().filter(ours).count() * 2 > letters().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headlines_and_comments_of_every_language_are_told_apart() {
        for (language, texts) in [
            (Language::English, ["Floods close the harbour for a second day", "omg I love this so much"]),
            (Language::Spanish, ["El gobierno aprueba una nueva ley de vivienda", "me encanta, gracias por compartirlo"]),
            (Language::French, ["Le gouvernement annonce une réforme des retraites", "merci beaucoup pour cette vidéo"]),
            (Language::German, ["Regierung beschließt neues Gesetz zum Klimaschutz", "das ist wirklich schön geworden"]),
            (Language::Portuguese, ["Governo anuncia novas medidas para a economia", "adorei, muito obrigada pela dica"]),
            (Language::Italian, ["Il governo approva la nuova legge di bilancio", "che bello, grazie mille per il consiglio"]),
            (Language::Dutch, ["Kabinet komt met nieuwe plannen voor woningbouw", "wat een mooie foto, dank je wel"]),
            (Language::Amharic, ["መንግሥት አዲስ የመኖሪያ ቤት ሕግ አጸደቀ", "በጣም ደስ ይላል አመሰግናለሁ"]),
            (Language::Swahili, ["Serikali yatangaza mpango mpya wa elimu kwa watoto", "asante sana kwa picha nzuri"]),
            (Language::Arabic, ["الحكومة تعلن عن خطة جديدة للإسكان", "شكرا جزيلا على هذا الفيديو"]),
            (Language::Hindi, ["सरकार ने नई शिक्षा नीति की घोषणा की", "बहुत अच्छा लगा, धन्यवाद"]),
            (Language::Japanese, ["政府は新しい住宅政策を発表した", "とても素敵な写真ですね"]),
            (Language::Chinese, ["政府公布新的住房政策", "这个视频太好看了谢谢分享"]),
        ] {
            for text in texts {
                assert_eq!(language_of(text), Some(language), "{text}");
            }
        }
    }

    #[test]
    fn other_languages_and_no_language_are_none_of_ours() {
        for text in [
            "Rząd ogłosił nowy program budowy mieszkań dla młodych",
            "Правительство объявило о новой жилищной программе",
            "Hükümet yeni bir konut planı açıkladı ve halka duyurdu",
            "정부는 새로운 주택 정책을 발표했다",
            "Η κυβέρνηση ανακοίνωσε νέο σχέδιο για τη στέγαση",
            "",
            "12 34 🚀🚀",
        ] {
            assert_eq!(language_of(text), None, "{text}");
        }
    }

    #[test]
    fn damaged_weights_are_refused() {
        for bytes in [&b""[..], b"CLN1", b"OTHER", &WEIGHTS[..WEIGHTS.len() - 1]] {
            assert!(Model::parse(bytes.to_vec().leak()).is_none());
        }
    }
}
