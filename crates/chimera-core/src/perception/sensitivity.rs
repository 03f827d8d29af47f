//! How likely a text touches a sensitive topic, and which: the lexicon's second opinion, which knows meaning and not only words.
//!
//! English is fitted on news headlines by desk (News Category, CC BY 4.0), requests for advice (ForbiddenQuestionSet, MIT) and everyday questions
//! (CLINC150, CC BY 3.0), and knows the embedder's vector; twelve other languages are judged by their words alone (`topic_words.rs`). Of any other
//! language nothing is said. See `docs/perception.md`.

mod topic_words;

use self::topic_words::Tongue;
use super::{
    vectors::dot,
    weighted_words::{WeightedWords, take_f32, take_u32},
};
use crate::policy::sensitive::Topic;
use std::sync::LazyLock;

static WEIGHTS: &[u8] = include_bytes!("sensitive.bin");
static MODEL: LazyLock<Model> = LazyLock::new(|| Model::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them"));
const MAGIC: &[u8] = b"CSE2";
const SENSITIVE_MIN: f64 = 0.5;
const TOPICS: [Topic; 4] = [Topic::Politics, Topic::HealthAdvice, Topic::FinancialAdvice, Topic::LegalClaims];
const ANSWERS: usize = TOPICS.len() + 1;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sensitivity {
    /// 0 to 1.
    pub score: f64,
    /// The nearest topic, however far.
    pub nearest: Topic,
    /// False for a language that nobody taught it: then the score is neither high nor low, and says nothing.
    pub is_judged: bool,
}

impl Sensitivity {
    pub fn is_sensitive(&self) -> bool {
        self.is_judged && self.score >= SENSITIVE_MIN
    }
}

/// `vector` is the text's, from the embedder; with another embedder's only the words count.
pub fn sensitivity(text: &str, vector: &[f32]) -> Sensitivity {
    match topic_words::tongue_of(text) {
        Tongue::English => MODEL.judge(text, vector),
        Tongue::Taught => topic_words::judge(text),
        Tongue::Unknown => Sensitivity { score: SENSITIVE_MIN, nearest: Topic::Politics, is_judged: false },
    }
}

/// A net with one hidden layer over the vector, and weighted words.
struct Model {
    words: WeightedWords,
    steepness: f32,
    threshold: f32,
    hidden: Layer,
    /// One answer for each topic, and one for none of them.
    answers: Layer,
}

struct Layer {
    biases: Vec<f32>,
    /// For each unit, how much of each input it takes.
    weights: Vec<Vec<f32>>,
}

impl Layer {
    /// f32 biases; then for each unit an f32 step and its weights in these steps, i8 each.
    fn parse(rest: &mut &'static [u8], units: usize, inputs: usize) -> Option<Self> {
        let biases = (0..units).map(|_| take_f32(rest)).collect::<Option<_>>()?;
        let unit = |_| {
            let step = take_f32(rest)?;
            let (weights, after) = rest.split_at_checked(inputs)?;
            *rest = after;
            Some(weights.iter().map(|weight| f32::from(weight.cast_signed()) * step).collect())
        };
        Some(Self { biases, weights: (0..units).map(unit).collect::<Option<_>>()? })
    }

    fn run(&self, inputs: &[f32]) -> Vec<f32> {
        self.weights.iter().zip(&self.biases).map(|(weights, bias)| bias + dot(weights, inputs)).collect()
    }
}

impl Model {
    /// `CSE2`, u32 words, u32 dimensions, u32 hidden units, f32 scale of word weights, f32 steps of rarity, f32 steepness, f32 threshold; the words; both
    /// layers.
    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let word_count = take_u32(&mut rest)?;
        let (dimensions, hidden_units) = (take_u32(&mut rest)? as usize, take_u32(&mut rest)? as usize);
        let (scale, rarity_steps) = (take_f32(&mut rest)?, take_f32(&mut rest)?);
        let (steepness, threshold) = (take_f32(&mut rest)?, take_f32(&mut rest)?);
        let words = WeightedWords::parse(&mut rest, word_count, scale, rarity_steps)?;
        let hidden = Layer::parse(&mut rest, hidden_units, dimensions)?;
        let answers = Layer::parse(&mut rest, ANSWERS, hidden_units)?;
        rest.is_empty().then_some(Self { words, steepness, threshold, hidden, answers })
    }

    fn judge(&self, text: &str, vector: &[f32]) -> Sensitivity {
        let dimensions = self.hidden.weights.first().map_or(0, Vec::len);
        let mut answers = vec![0.0; ANSWERS];
        if vector.len() == dimensions {
            let hidden: Vec<f32> = self.hidden.run(vector).into_iter().map(|value| value.max(0.0)).collect();
            answers = self.answers.run(&hidden);
        }
        let (topics, none) = answers.split_at(TOPICS.len());
        // Any of the topics against none of them.
        let strength = topics.iter().map(|answer| answer.exp()).sum::<f32>().ln() - none[0] + self.words.weigh(text);
        let score = 1.0 / (1.0 + f64::from(-self.steepness * (strength - self.threshold)).exp());
        let nearest = (0..TOPICS.len()).max_by(|left, right| topics[*left].total_cmp(&topics[*right])).unwrap_or(0);
        Sensitivity { score, nearest: TOPICS[nearest], is_judged: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_alone_already_tell_politics_from_baking() {
        let baking = sensitivity("Ten easy cakes to bake with the children", &[]);
        let politics = sensitivity("Senate republicans block the president's health care bill", &[]);
        assert!(politics.score > baking.score, "{politics:?} {baking:?}");
    }

    #[test]
    fn damaged_weights_are_refused() {
        for bytes in [&b""[..], b"CSE2", b"OTHER", &WEIGHTS[..WEIGHTS.len() - 1]] {
            assert!(Model::parse(bytes.to_vec().leak()).is_none());
        }
    }

    #[test]
    fn the_topics_are_found_in_twelve_other_languages_by_words_alone() {
        for (text, topic) in [
            ("El gobierno pierde la votación en el parlamento", Topic::Politics),
            ("¿Puedo tomar este medicamento con antibióticos?", Topic::HealthAdvice),
            ("Faut-il investir dans le bitcoin ou acheter des actions ?", Topic::FinancialAdvice),
            ("Mein Vermieter will die Kaution nicht zahlen, brauche ich einen Anwalt?", Topic::LegalClaims),
            ("O presidente anunciou novas eleições", Topic::Politics),
            ("Il medico mi ha prescritto delle pastiglie per la pressione", Topic::HealthAdvice),
            ("Moet ik nu beleggen in aandelen of crypto?", Topic::FinancialAdvice),
            ("Mahakama yamhukumu miaka kumi jela kwa ulaghai", Topic::LegalClaims),
            ("ጠቅላይ ሚኒስትሩ ስለ ምርጫው ተናገሩ", Topic::Politics),
            ("هل هذا الدواء آمن مع ضغط الدم؟", Topic::HealthAdvice),
            ("क्या मुझे शेयर बाजार में निवेश करना चाहिए?", Topic::FinancialAdvice),
            ("大家が敷金を返さない、弁護士に相談すべき？", Topic::LegalClaims),
            ("总统选举下周开始投票", Topic::Politics),
        ] {
            let found = sensitivity(text, &[]);
            assert!(found.is_sensitive() && found.is_judged, "{text}: {found:?}");
            assert_eq!(found.nearest, topic, "{text}");
        }
    }

    #[test]
    fn everyday_posts_in_these_languages_touch_no_topic() {
        for text in [
            "Por fin me salió bien la tortilla",
            "La recette du gâteau au chocolat de ma grand-mère",
            "Der Torwart hielt zwei Elfmeter im Finale",
            "O gato dorme em cima do piano",
            "Che bella spiaggia, ci torneremo in estate",
            "De nieuwe fiets rijdt heerlijk",
            "Timu yetu imeshinda mechi ya jana",
            "አዲሱ ፊልም በጣም አሪፍ ነው",
            "وصفة كعكة الشوكولاتة لذيذة جدا",
            "कल हम पहाड़ों में घूमने गए",
            "新しいゲームのキャラがかわいい",
            "这家面包店的蛋糕真好吃",
        ] {
            assert!(!sensitivity(text, &[]).is_sensitive(), "{text}: {:?}", sensitivity(text, &[]));
        }
    }

    #[test]
    fn of_a_language_that_nobody_taught_nothing_is_said() {
        for text in [
            "Президент подписал новый закон о выборах",
            "대통령이 새로운 선거법에 서명했다",
            "Ο πρωθυπουργός ανακοίνωσε εκλογές",
            "นายกรัฐมนตรีประกาศการเลือกตั้งใหม่",
            "Cumhurbaşkanı dün akşam yeni seçim yasasını imzaladı",
            "Premier ogłosił wczoraj, że w przyszłym tygodniu odbędą się wybory",
            "A miniszterelnök tegnap este új választást jelentett be",
            "Statsministern meddelade i går att det blir nyval i landet",
        ] {
            let found = sensitivity(text, &[]);
            assert!(!found.is_judged && !found.is_sensitive(), "{text}: {found:?}");
            assert!((found.score - 0.5).abs() < f64::EPSILON, "neither sure that it is nor that it is not: {text}");
        }
        for text in ["", "42", "👍", "Kestrel"] {
            assert!(sensitivity(text, &[]).is_judged, "{text}");
        }
    }
}
