use super::*;
use crate::composer::sentences::split;

fn stands(title: &str, text: &str, language: Language) -> Vec<bool> {
    let sentences = split(text);
    let item = Item::new(title, &sentences, language);
    (0..sentences.len()).map(|index| item.standing(index).is_some()).collect()
}

/// As the third sentence of an item that introduced nobody.
fn stands_later(sentence: &str, language: Language) -> bool {
    let sentences = ["x".to_owned(), "y".to_owned(), sentence.to_owned()];
    Item::new("", &sentences, language).standing(2).is_some()
}

#[test]
fn what_hangs_on_other_sentences_does_not_stand_alone() {
    for (language, sentence) in [
        (Language::English, "A further 5% said that they would never use the new trams of Ostwerk."),
        (Language::English, "Push notifications are one of the app's most important features in Kenya."),
        (Language::English, "Under the county's proposed licence for street kitchens it would pay 2,500 shillings."),
        (Language::English, "The company said it would open a second plant within the next three years."),
        (Language::English, "They will open 40 stations between Meskel Square and the airport."),
        (Language::English, "According to his lawyer, 40 boxes of letters were found in Addis Ababa."),
        (Language::English, "Mr. Okri opened a workshop for violins in Santa Brisa last year."),
        (Language::English, "Around 26% of respondents said that they would ride more in Nairobi."),
        (Language::English, "\"It is the best bridge in Europe,\" said the engineer Ana Lopez."),
        (Language::English, "We tried the new Kestrel phone for two weeks in Berlin and Rome."),
        (Language::English, "You can buy the new Kestrel phone for 499 dollars in Berlin."),
        (Language::English, "Photo by Ana Lopez shows the new bridge over the river in Corvo."),
        (Language::English, "Read more about the new bridge over the river in Corvo on our site."),
        (Language::English, "The bridge in Corvo… was closed for 40 days after the storm."),
        (Language::English, "By Ana Lopez The new bridge over the river in Corvo is open."),
        (Language::English, "CLICK FOR FULL RESULTS The swimmers of Corvo won 40 medals in May."),
        (Language::English, "Ana Lopez's big night; Corvo's new school: Ana Lopez won 40 medals in May."),
        (Language::English, "One victim was shot in the harbour of Corvo shortly before noon on Monday."),
        (Language::English, "Ana Lopez will also speak at the opening of the bridge in Corvo in May."),
        (Language::English, "Staff in Corvo asked to see the media presentation before a meeting in May."),
        (Language::English, "Street food A stall in Nairobi sells 400 camel burgers on every Friday."),
        (Language::Spanish, "Horas más tarde, la compañía dijo a Valencia que el anuncio no vale."),
        (Language::Spanish, "AFP El entrenador de Valencia dio a conocer la lista de 23 jugadores."),
        (Language::Spanish, "Estos son los datos que todo vecino de Valencia debe conocer: 1."),
        (Language::German, "Atomkraft Die Stadt Hamburg baut bis 2027 rund 40 Kilometer Radwege."),
        (Language::Spanish, "Además, el Ayuntamiento de Valencia abrirá 40 kilómetros de carril bici."),
        (Language::Spanish, "Su alcaldesa anunció en Valencia 40 kilómetros de carril bici."),
        (Language::Spanish, "Añadió que Valencia tendrá 40 kilómetros de carril bici en 2027."),
        (Language::French, "Elle a ouvert 40 kilomètres de pistes cyclables à Lyon en 2025."),
        (Language::German, "Dabei wurden in Hamburg 40 Kilometer neue Radwege gebaut."),
        (Language::German, "Wir haben das neue Telefon zwei Wochen lang in Berlin getestet."),
        (Language::Portuguese, "Ela abriu 40 quilômetros de ciclovias em Lisboa neste ano."),
        (Language::Italian, "Inoltre il Comune di Milano aprirà 40 chilometri di piste ciclabili."),
        (Language::Dutch, "Daarom opent Utrecht volgend jaar 40 kilometer nieuwe fietspaden."),
        (Language::Swahili, "Aidha, jiji la Nairobi litafungua kilomita 40 za njia za baiskeli."),
        (Language::Amharic, "እሱ በአዲስ አበባ 40 ኪሎ ሜትር የብስክሌት መንገድ መከፈቱን ገልጿል።"),
        (Language::Arabic, "وأضاف أن المدينة ستفتح 40 كيلومترا من مسارات الدراجات."),
        (Language::Hindi, "उन्होंने कहा कि शहर में 40 किलोमीटर साइकिल लेन खुलेगी।"),
        (Language::Japanese, "同社は来年までに自転車レーンを40キロ整備する計画だ。"),
        (Language::Chinese, "此外，市政府还将在明年开通四十公里自行车道。"),
    ] {
        assert!(!stands_later(sentence, language), "{sentence}");
    }
}

#[test]
fn what_says_who_and_what_stands_alone() {
    for (language, sentence) in [
        (Language::English, "Addis Ababa opened 40 km of protected bike lanes on Monday."),
        (Language::English, "A bakery in Mekelle bakes bread from an old barley that farmers had almost given up."),
        (Language::English, "US carmaker Ford will build its electric van in Ohio from 2027."),
        (Language::English, "The European Commission fined the maker of Kestrel phones 40 million euros."),
        (Language::English, "IT workers in Nairobi earn 22% more than a year ago, says the statistics office of Kenya."),
        (Language::Spanish, "En El Salvador abrirán 40 kilómetros de carril bici en 2027."),
        (Language::Spanish, "Valencia abrirá 40 kilómetros de carril bici antes de 2027."),
        (Language::French, "La ville de Lyon ouvrira 40 kilomètres de pistes cyclables avant 2027."),
        (Language::German, "Hamburg baut bis 2027 rund 40 Kilometer neue Radwege."),
        (Language::Portuguese, "Lisboa vai abrir 40 quilômetros de ciclovias até 2027."),
        (Language::Italian, "Milano aprirà 40 chilometri di piste ciclabili entro il 2027."),
        (Language::Dutch, "Utrecht opent volgend jaar 40 kilometer nieuwe fietspaden."),
        (Language::Swahili, "Jiji la Nairobi litafungua kilomita 40 za njia za baiskeli mwaka ujao."),
        (Language::Amharic, "አዲስ አበባ 40 ኪሎ ሜትር የብስክሌት መንገድ ሰኞ ዕለት ከፈተች።"),
        (Language::Arabic, "افتتحت مدينة القاهرة 40 كيلومترا من مسارات الدراجات يوم الاثنين."),
        (Language::Hindi, "दिल्ली ने सोमवार को 40 किलोमीटर साइकिल लेन खोली।"),
        (Language::Japanese, "東京都は来年までに自転車レーンを40キロ整備する計画を発表した。"),
        (Language::Chinese, "上海市将在明年开通四十公里的自行车道，总投资三亿元。"),
    ] {
        assert!(stands_later(sentence, language), "{sentence}");
    }
}

#[test]
fn who_was_introduced_earlier_is_not_called_by_half_a_name() {
    let text = "Ana Lopez opened a violin school in Santa Brisa with 40 pupils. Lopez was nine when the old school in Corvo closed in 1998. \
        Santa Brisa paid for 40 violins with money from the Harbour Fund.";

    assert_eq!(stands("A violin school", text, Language::English), [true, false, true]);
}
