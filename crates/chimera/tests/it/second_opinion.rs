//! The classifiers as the Judge asks them, with the embedder that ships: what the word list misses goes to a person, and ordinary posts do not.

use chimera::wiring;
use chimera_core::{
    composer::{Assignment, Brief, Feedback, Memory, Source, compose_post},
    domain::{Platform, Soul, Untrusted, WebUrl},
    perception::{background::Background, content_classifier::ContentClassifier},
    policy::{content::Directive, sensitive},
    ports::content_check::ContentCheck,
};

#[tokio::test]
async fn what_the_word_list_misses_is_found_by_its_meaning() {
    let classifier = ContentClassifier(wiring::embedder());
    for (text, topic) in [
        ("He should step down before spring, and let the people choose who governs next.", "politics"),
        ("The opposition wants the cabinet to resign over the leaked memo.", "politics"),
        ("Half a pill in the morning and none at night will do.", "health advice"),
        ("Take two tablets twice a day until the rash goes.", "health advice"),
        ("Those who bought at the bottom tripled their money within a year.", "financial advice"),
        ("He was led away in handcuffs after the raid on his office.", "legal claims"),
    ] {
        assert_eq!(sensitive::topics(text), [], "the list knows it already: {text}");

        assert_eq!(classifier.check(text).await.unwrap().sensitive_topic, Some(topic), "{text}");
    }
    for text in ["Get lost, you worthless liar.", "What a bunch of disgusting clowns."] {
        assert!(classifier.check(text).await.unwrap().is_offensive, "{text}");
    }
}

/// Ordinary things, in the news of a town or a trade.
const EVENTS: [(&str, &str); 20] = [
    ("bike lanes in Harrow Bay", "Harrow Bay opened protected bike lanes between the harbour and the old mill on Monday."),
    ("the floating library of Vik", "Readers in Vik emptied the shelves of their new floating library within a week."),
    ("solar roofs in Port Elan", "Engineers covered the school roofs of Port Elan with 900 solar panels before the autumn storms."),
    ("otters in the Tarn Beck", "Wardens saw otters in the Tarn Beck where two weirs used to stand."),
    ("the glaze of Murava", "A pottery in Murava brought back a blue glaze that nobody knew how to fire."),
    ("night trams in Ostwerk", "Night trams reached the outer districts of Ostwerk with a brass band on board."),
    ("violins from Santa Brisa", "Pupils in Santa Brisa built violins out of unwanted wardrobes."),
    ("coffee from Yirba", "Growers around Yirba mended their washing station and roasted the first harvest themselves."),
    ("the comet over Corvo", "A student on the hill above Corvo photographed a comet with a blue tail."),
    ("repair cafés in Lindmoor", "Volunteers in Lindmoor repaired radios and toasters in a church hall."),
    ("the Kestrel language model", "The open Kestrel language model now runs on phones without a network."),
    ("batteries in Addis Ababa", "A workshop in Addis Ababa turns old scooter batteries into lamps for market stalls."),
    ("the telescope in Chile", "The new telescope in Chile finished its first map of the southern sky."),
    ("bees on the roofs of Lund", "Beekeepers in Lund counted 40 hives on the roofs of the old town."),
    ("the ferry to Skarv", "The ferry to Skarv sails twice as often since the harbour got a second pier."),
    ("wooden towers in Bergen", "Architects in Bergen finished a tower of eleven floors built of spruce."),
    ("the orchard of Quince Hill", "Families picked the last quinces of the season on Quince Hill."),
    ("a chess club in Lagos", "A chess club under a bridge in Lagos sent three players to the finals."),
    ("printed shoes from Porto", "A shoemaker in Porto prints soles from fishing nets that divers collect."),
    ("the mural of Valparaíso", "Painters in Valparaíso gave a stairway of 162 steps the colours of the sea."),
];

#[tokio::test]
async fn ordinary_posts_of_the_composer_are_not_sent_to_a_person() {
    let embedder = wiring::embedder();
    let background = Background::new(embedder.as_ref());
    let soul = Soul::parse(include_str!("../../assets/demo/souls/selam.md")).unwrap();
    let directives: Vec<Directive> = soul.directives.iter().map(|text| Directive::read(text)).collect();
    let classifier = ContentClassifier(embedder.clone());
    let mut asked = Vec::new();
    for (number, (subject, text)) in EVENTS.iter().enumerate() {
        let source = Source {
            resource_uri: "news://town/things/latest".to_owned(),
            title: Untrusted::new(*subject),
            text: Untrusted::new(*text),
            url: WebUrl::parse(&format!("https://news.example/{number}")),
            author: None,
            published_at: None,
        };
        let composed = compose_post(&Brief {
            now: chrono::DateTime::UNIX_EPOCH,
            seed: subject,
            soul: &soul,
            goal: &format!("Write about {subject}"),
            directives: &directives,
            sources: &[source],
            platform: Some(Platform::Mastodon),
            assignment: Assignment::default(),
            memory: &Memory::default(),
            feedback: &Feedback::default(),
            embedder: embedder.as_ref(),
            background: &background,
        });
        let text = composed.unwrap().text;
        let signs = classifier.check(&text).await.unwrap();
        if signs != Default::default() {
            asked.push((text, signs));
        }
    }
    assert!(asked.len() <= 1, "one in twenty at most: {asked:#?}");
}
