//! A text is in the agent's language, or it is not written.

use super::*;

fn carril() -> Source {
    let text =
        "Valencia abrirá 40 kilómetros de carril bici antes de 2027. El plan une la estación del Norte con la playa de la Malvarrosa.";
    source("Valencia tendrá más carril bici", text, Some("https://diario.example/carril"))
}

#[test]
fn an_agent_writes_from_items_in_its_language_with_a_source_line_in_it() {
    let given = Given {
        language: Language::Spanish,
        goal: "Noticias de Valencia".to_owned(),
        sources: vec![lanes(), carril()],
        ..Given::default()
    };

    let text = post(&given).unwrap().text;

    assert!(text.starts_with("Valencia abrirá 40 kilómetros de carril bici antes de 2027."), "{text}");
    assert!(text.contains("\nFuente: https://diario.example/carril\n") && !text.contains("Source"), "{text}");
}

#[test]
fn material_in_other_languages_is_refused_and_the_refusal_names_them() {
    let spanish = Given { language: Language::Spanish, ..Given::default() };
    let refused = post(&spanish).unwrap_err();
    assert_eq!(refused.directive, "language: es");
    assert!(refused.problem.contains("the material is in English, none of it in Spanish"), "{refused}");

    let english = Given { sources: vec![carril()], ..Given::default() };
    assert_eq!(post(&english).unwrap_err().directive, "language: en");
}

#[test]
fn praise_is_thanked_and_an_unanswered_question_answered_honestly_in_the_language_of_whoever_wrote() {
    for (comment, answer) in [
        ("Love this, thank you so much!", "Thank you, glad you liked it."),
        ("¡Me encanta, muchas gracias!", "Muchas gracias, me alegra que te haya gustado."),
        ("Merci beaucoup, c'est superbe", "Merci beaucoup, cela fait très plaisir."),
        ("Das ist wirklich schön, vielen Dank", "Vielen Dank, das freut mich."),
        ("とても素敵な写真ですね、ありがとう", "ありがとうございます。"),
        ("¿Cuándo abre la tienda de la calle Mayor?", "No tengo una respuesta con fuente"),
        ("Wann macht der Laden in der Hauptstraße auf?", "raten möchte ich nicht"),
        ("À quelle heure ouvre le magasin de la rue Haute ?", "je préfère ne pas deviner"),
        ("Duka hili linafunguliwa saa ngapi kesho asubuhi?", "sitakisia"),
        ("这家商店明天几点开门？", "不乱猜"),
        ("متى يفتح المتجر في الشارع الرئيسي غدا؟", "لن أخمّن"),
    ] {
        let text = reply(&Given::default(), comment).text;

        assert!(text.contains(answer), "{comment}: {text}");
    }
}

#[test]
fn every_line_of_ours_is_in_its_language() {
    use crate::{perception::language::language_of, policy::phrases};
    for language in Language::ALL {
        let ours = phrases::of(language);
        for line in [ours.thanks, ours.no_answer, ours.stays_out, ours.stands_behind] {
            assert_eq!(language_of(line), Some(language), "{line}");
        }
    }
}

#[test]
fn an_agent_whose_soul_is_plainly_in_another_language_writes_in_it() {
    use crate::perception::language::of_agent;
    let soul = |body: &str, belief: &str| {
        let source = SOUL.replace("Selam is a virtual maker.", body).replace("Good tools make people bolder.", belief);
        of_agent(&Soul::parse(&source.replace("Never discuss politics", "Nunca hables de política con nadie")).unwrap())
    };

    let spanish = "Selam es una creadora virtual que cuenta lo que pasa en los talleres de su barrio.";
    assert_eq!(soul(spanish, "Las buenas herramientas hacen a la gente más valiente."), Language::Spanish);
    assert_eq!(soul("Selam is a virtual maker who tells what happens in workshops.", "Good tools make people bolder."), Language::English);
}
