//! What perception has understood needs not be understood again.

use super::*;
use crate::perception::items::whole;
use std::sync::Mutex;

/// Remembers the texts that it is to understand.
#[derive(Default)]
struct Listening(Mutex<Vec<String>>);

impl Embedder for Listening {
    fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        self.0.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        WordEmbedder.embed(texts)
    }

    fn embed_words(&self, words: &[&str]) -> Vec<Vec<f32>> {
        WordEmbedder.embed_words(words)
    }

    fn dimensions(&self) -> usize {
        WordEmbedder.dimensions()
    }

    fn version(&self) -> u32 {
        WordEmbedder.version()
    }

    fn meaning_dimensions(&self) -> usize {
        WordEmbedder.meaning_dimensions()
    }
}

#[test]
fn an_item_is_asked_for_in_the_words_in_which_perception_reads_it_and_one_that_cannot_be_quoted_is_not() {
    let repeated = source("Trains run again", "Trains run again between Adama and Dire Dawa since Monday morning.", None);
    let asks = source("Is it true?", "Addis Ababa has 12 new bus lines since the last week of March.", None);
    let foreign = source("Huelga", "Los conductores de la ciudad han comenzado una huelga que durará hasta el viernes por la noche.", None);
    let given = Given { sources: vec![repeated.clone(), asks.clone(), foreign.clone()], ..Given::default() };
    let listening = Listening::default();

    with(&given, |brief| compose_post(&Brief { embedder: &listening, ..*brief })).unwrap();

    let understood = listening.0.into_inner().unwrap();
    let is_understood = |source: &Source| understood.contains(&whole(source.title.as_data(), source.text.as_data()).into_data());
    assert!(is_understood(&repeated) && is_understood(&asks), "{understood:?}");
    assert!(!is_understood(&foreign), "{understood:?}");
}
