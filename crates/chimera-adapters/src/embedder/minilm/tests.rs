use super::*;
use sha2::{Digest, Sha256};

const LANGUAGES_SHA256: &str = "5934df55fd89bf72b776e7ce39998922c18edae58a46880e9498f206fcbd6f27";
const NETWORK_SHA256: &str = "93fdd9db00c8e87d6f1177ee991b5abdd125241a7ac876b1e554d4d3cf1bae37";
const READER_SHA256: &str = "10cb0547cf435b08d285b48cdaab1c068c086fae1ce361e8bb20fc5b79461e60";
const TEXTS: [&str; 3] = [
    "Toyota recalls two million cars over faulty brakes",
    "Carmaker calls back vehicles because of a brake defect",
    "The chef won a prize for her goat cheese",
];

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[test]
fn the_weights_are_the_ones_that_the_readme_describes() {
    for (weights, expected) in [(NETWORK, NETWORK_SHA256), (LANGUAGES, LANGUAGES_SHA256), (reader::READER, READER_SHA256)] {
        let sha256: String = Sha256::digest(weights).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(sha256, expected);
        assert!(include_str!("../../../data/README.md").contains(expected));
    }
}

/// A sentence is nearest to its own translation, in every language.
#[test]
fn sentences_of_other_languages_stand_where_their_translations_do() {
    let english = [
        "The government raises the tax on petrol",
        "The team won the football match in the last minute",
        "A strong earthquake destroyed many houses in the city",
        "Doctors recommend drinking more water in hot weather",
    ];
    let translations = [
        (
            "es",
            [
                "El gobierno sube el impuesto a la gasolina",
                "El equipo ganó el partido de fútbol en el último minuto",
                "Un fuerte terremoto destruyó muchas casas de la ciudad",
                "Los médicos recomiendan beber más agua cuando hace calor",
            ],
        ),
        (
            "fr",
            [
                "Le gouvernement augmente la taxe sur l'essence",
                "L'équipe a gagné le match de football à la dernière minute",
                "Un violent séisme a détruit de nombreuses maisons de la ville",
                "Les médecins conseillent de boire plus d'eau quand il fait chaud",
            ],
        ),
        (
            "de",
            [
                "Die Regierung erhöht die Steuer auf Benzin",
                "Die Mannschaft gewann das Fußballspiel in der letzten Minute",
                "Ein starkes Erdbeben zerstörte viele Häuser in der Stadt",
                "Ärzte empfehlen, bei Hitze mehr Wasser zu trinken",
            ],
        ),
        (
            "pt",
            [
                "O governo aumenta o imposto sobre a gasolina",
                "A equipe venceu a partida de futebol no último minuto",
                "Um forte terremoto destruiu muitas casas na cidade",
                "Médicos recomendam beber mais água no calor",
            ],
        ),
        (
            "it",
            [
                "Il governo aumenta la tassa sulla benzina",
                "La squadra ha vinto la partita di calcio all'ultimo minuto",
                "Un forte terremoto ha distrutto molte case in città",
                "I medici consigliano di bere più acqua quando fa caldo",
            ],
        ),
        (
            "nl",
            [
                "De regering verhoogt de belasting op benzine",
                "Het team won de voetbalwedstrijd in de laatste minuut",
                "Een zware aardbeving verwoestte veel huizen in de stad",
                "Artsen raden aan bij warm weer meer water te drinken",
            ],
        ),
        (
            "sw",
            [
                "Serikali yaongeza kodi ya mafuta ya petroli",
                "Timu ilishinda mechi ya mpira wa miguu katika dakika ya mwisho",
                "Tetemeko kubwa la ardhi liliharibu nyumba nyingi mjini",
                "Madaktari wanapendekeza kunywa maji zaidi wakati wa joto",
            ],
        ),
        (
            "am",
            [
                "መንግሥት በቤንዚን ላይ የሚጣለውን ግብር ጨመረ",
                "ቡድኑ የእግር ኳስ ጨዋታውን በመጨረሻው ደቂቃ አሸነፈ",
                "ከባድ የመሬት መንቀጥቀጥ በከተማው ብዙ ቤቶችን አወደመ",
                "ዶክተሮች በሙቀት ጊዜ ብዙ ውሃ መጠጣትን ይመክራሉ",
            ],
        ),
        (
            "ar",
            [
                "الحكومة ترفع الضريبة على البنزين",
                "فاز الفريق بمباراة كرة القدم في الدقيقة الأخيرة",
                "زلزال قوي دمر العديد من المنازل في المدينة",
                "ينصح الأطباء بشرب المزيد من الماء في الطقس الحار",
            ],
        ),
        (
            "hi",
            [
                "सरकार ने पेट्रोल पर कर बढ़ाया",
                "टीम ने आखिरी मिनट में फुटबॉल मैच जीता",
                "शक्तिशाली भूकंप ने शहर में कई घर तबाह कर दिए",
                "डॉक्टर गर्मी में अधिक पानी पीने की सलाह देते हैं",
            ],
        ),
        (
            "ja",
            [
                "政府はガソリン税を引き上げる",
                "チームは最後の一分でサッカーの試合に勝った",
                "強い地震で町の多くの家が壊れた",
                "医者は暑い日にもっと水を飲むように勧めている",
            ],
        ),
        ("zh", ["政府提高汽油税", "球队在最后一分钟赢得了足球比赛", "强烈地震摧毁了城里的许多房屋", "医生建议天热时多喝水"]),
    ];
    let model = MiniLm::default();
    let targets = model.embed(&english);
    for (language, sentences) in translations {
        for (number, vector) in model.embed(&sentences).iter().enumerate() {
            let nearest = (0..targets.len()).max_by(|a, b| cosine(vector, &targets[*a]).total_cmp(&cosine(vector, &targets[*b])));
            assert_eq!(nearest, Some(number), "{language}: {}", sentences[number]);
        }
    }
}

/// The expected cosines are those of the original weights, computed by another implementation.
#[test]
fn sentences_stand_to_each_other_as_in_the_original_model() {
    let vectors = MiniLm::default().embed(&TEXTS);

    assert!((cosine(&vectors[0], &vectors[1]) - 0.510).abs() < 0.01, "{}", cosine(&vectors[0], &vectors[1]));
    assert!((cosine(&vectors[0], &vectors[2]) - 0.041).abs() < 0.01, "{}", cosine(&vectors[0], &vectors[2]));
}

#[test]
fn a_vector_does_not_depend_on_the_company_and_a_text_without_words_has_none() {
    let model = MiniLm::default();
    let long = "flood ".repeat(500);

    let together = model.embed(&[TEXTS[0], "", &long, TEXTS[1]]);
    let alone = model.embed(&[TEXTS[1]]);

    assert!((cosine(&together[3], &alone[0]) - 1.0).abs() < 1e-5);
    assert!(together[1].iter().all(|value| value.abs() < f32::EPSILON));
    assert!((cosine(&together[2], &together[2]) - 1.0).abs() < 1e-4);
}

#[test]
fn a_claim_is_read_beside_a_passage() {
    let network = MiniLm::default();
    let passage = "The council of Harrow Bay opened a new ferry line on Tuesday. The boat carries 84 people and runs on batteries.";
    let read = |claim: &str| network.read(claim, passage);

    let faithful = read("A battery-driven boat for 84 passengers now serves Harrow Bay.");
    for spoiled in
        ["The mayor of Harrow Bay was arrested for fraud.", "The boat runs on diesel and carries 900 people.", "The ferry line was closed."]
    {
        assert!(faithful > read(spoiled) + 0.5, "{spoiled}");
    }
    assert!(read("").abs() < f64::EPSILON);
    assert!(read(&"word ".repeat(4_000)).is_finite());
}

#[test]
fn damaged_weights_of_the_reader_are_refused() {
    for bytes in [&b""[..], b"CHIMINLM", &reader::READER[..40], &reader::READER[..reader::READER.len() - 1]] {
        assert!(reader::ReaderWeights::parse(bytes).is_err());
    }
}
