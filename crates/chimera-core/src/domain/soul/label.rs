//! Does a label say that an AI made what it stands under? Read strictly: it says so in one of a few forms, and nothing in it takes that back.
//! A label that is refused by mistake costs its owner a minute; one that is let through misleads everybody.

mod lexicon;

use lexicon::{
    BEINGS, CHECKING, COMPOUNDS, GLUED_MACHINES, GLUED_MAKING, GLUED_NEGATIONS, JOINING, MACHINES, MAKING, NEGATIONS, OPENING,
    PARTLY_MACHINES, PEOPLE, TURNS,
};
use std::collections::BTreeSet;

/// Whether `label` discloses. Handles count for nothing, whatever they say.
pub fn discloses(label: &str) -> bool {
    let label = plain(label).replace("a.i.", "ai").replace("i.a.", "ia").replace("k.i.", "ki");
    if glued_script(&label) {
        return discloses_glued(&label);
    }
    let clauses: Vec<Clause> = clauses(&label);
    clauses.iter().all(Clause::takes_nothing_back) && (clauses.iter().any(Clause::says_it) || says_nothing_else(&clauses))
}

/// Lower case, with single spaces and straight apostrophes, and without what nobody sees: a word cannot be hidden by a mark inside it.
pub(crate) fn plain(text: &str) -> String {
    let seen = text.chars().filter(|c| !is_unseen(*c)).flat_map(char::to_lowercase);
    let straight = seen.map(|c| if matches!(c, '’' | '‘' | 'ʼ' | '`') { '\'' } else { c }).collect::<String>();
    straight.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Soft hyphens, zero-width and direction marks, variation selectors.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// One part of a label between punctuation.
struct Clause {
    words: Vec<String>,
}

fn clauses(label: &str) -> Vec<Clause> {
    let without_handles = label.split_whitespace().filter(|word| !word.starts_with('@')).collect::<Vec<_>>().join(" ");
    let ends = |c: char| {
        matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '|' | '(' | ')' | '[' | ']' | '/' | '·' | '•' | '—' | '–' | '…' | '¡' | '¿')
    };
    without_handles.split(ends).flat_map(at_turns).filter(|clause| !clause.words.is_empty()).collect()
}

/// "no human but an AI" is two clauses.
fn at_turns(part: &str) -> Vec<Clause> {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '%');
    let words = part.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty()).flat_map(elided);
    let mut clauses = vec![Clause { words: Vec::new() }];
    for word in words {
        match clauses.last_mut() {
            Some(last) if !TURNS.contains(word.as_str()) => last.words.push(word),
            _ => clauses.push(Clause { words: Vec::new() }),
        }
    }
    clauses
}

/// "dall'ia" is two words; "i'm" and "isn't" are not.
fn elided(word: &str) -> Vec<String> {
    match word.split_once('\'') {
        Some((before, after)) if !word.ends_with("n't") && !OPENING.contains(word) && !after.is_empty() => {
            vec![format!("{before}'"), after.to_owned()]
        }
        _ => vec![word.to_owned()],
    }
}

impl Clause {
    fn has(&self, list: &BTreeSet<&str>) -> bool {
        self.words.iter().any(|word| list.contains(word.as_str()))
    }

    fn denies(&self) -> bool {
        self.words.iter().any(|word| NEGATIONS.contains(word.as_str()) || word.ends_with("n't") || word.starts_with("n'"))
    }

    /// Negations may speak of people alone, and people only where they look at what a machine made.
    fn takes_nothing_back(&self) -> bool {
        let names_people = self.has(&PEOPLE);
        if self.denies() {
            return names_people && !self.has(&MACHINES) && !self.has(&PARTLY_MACHINES);
        }
        let are_checking = self.words.iter().any(|word| CHECKING.iter().any(|stem| word.starts_with(stem)));
        let are_machines = self.words.windows(2).any(|pair| PEOPLE.contains(pair[1].as_str()) && is_machine(&pair[0]))
            || self.words.windows(2).any(|pair| PEOPLE.contains(pair[0].as_str()) && PARTLY_MACHINES.contains(pair[1].as_str()));
        !names_people || are_checking || are_machines
    }

    /// "AI-generated", "made by an AI", "virtual persona", "cuenta de IA".
    fn says_it(&self) -> bool {
        let count = self.words.len();
        (0..count).any(|machine| {
            let word = self.words[machine].as_str();
            let joined = |from: usize, to: usize| self.words[from + 1..to].iter().all(|between| JOINING.contains(between.as_str()));
            let is_made = |other: usize| is_making(&self.words[other]);
            let makes = is_machine(word)
                && ((machine + 1..count).any(|other| is_made(other) && joined(machine, other))
                    || (0..machine).any(|other| is_made(other) && joined(other, machine)));
            let is_being = |other: usize| BEINGS.contains(self.words[other].as_str());
            // What follows must not make it somebody's subject: an AI account, and not AI account tips.
            let is_whole = |last: usize| {
                self.words.get(last + 1).is_none_or(|next| JOINING.contains(next.as_str()) || OPENING.contains(next.as_str()))
            };
            let is = is_machine(word)
                && ((machine + 1..count).any(|other| is_being(other) && joined(machine, other) && is_whole(other))
                    || (0..machine).any(|other| is_being(other) && joined(other, machine) && is_whole(machine)));
            makes || is || COMPOUNDS.iter().any(|compound| word.starts_with(compound))
        })
    }
}

/// "AI", "I am an AI", "Soy una IA"; also with "not a human" beside it.
fn says_nothing_else(clauses: &[Clause]) -> bool {
    let words = || clauses.iter().filter(|clause| !clause.denies()).flat_map(|clause| &clause.words).map(String::as_str);
    words().any(|word| MACHINES.contains(word))
        && words().all(|word| MACHINES.contains(word) || OPENING.contains(word) || JOINING.contains(word))
}

fn is_machine(word: &str) -> bool {
    MACHINES.contains(word) || PARTLY_MACHINES.contains(word)
}

/// Of `MAKING`, those that other words begin with.
const WHOLE: [&str; 6] = ["run", "runs", "fet", "generat", "generati", "creati"];

fn is_making(word: &str) -> bool {
    // The short ones are whole words: what is run is no runner, and what was generat is no generation.
    MAKING.iter().any(|stem| if WHOLE.contains(stem) { word == *stem } else { word.starts_with(stem) })
}

/// Scripts that write words together, or prepositions onto them.
fn glued_script(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(c, '\u{0590}'..='\u{06ff}' | '\u{0900}'..='\u{0dff}' | '\u{0e00}'..='\u{0eff}' | '\u{1200}'..='\u{139f}'
            | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
    })
}

fn discloses_glued(label: &str) -> bool {
    let has = |list: &[&str]| list.iter().any(|part| label.contains(part));
    has(&GLUED_MACHINES) && has(&GLUED_MAKING) && !has(&GLUED_NEGATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_labels_disclose_in_the_languages_people_post_in() {
        let labels = [
            "AI",
            "AI.",
            "🤖 AI",
            "#AI",
            "A.I. by @selam",
            "AI by @s",
            "I am an AI",
            "I'm a bot",
            "This is an AI account",
            "AI-generated",
            "AI-generated by @selam.makes",
            "AI generated, human-reviewed",
            "#AIgenerated",
            "AI persona @tariku.counts",
            "AI persona of Acme Tools",
            "Virtual influencer",
            "a virtual human",
            "Written by an AI",
            "Made with artificial intelligence",
            "Made by AI | @selam",
            "AI, not a human",
            "No human wrote this: AI-generated",
            "Not a person but an AI",
            "Generado por IA",
            "Contenido generado con inteligencia artificial",
            "Soy una IA",
            "Persona virtual @selam",
            "Creado por una IA",
            "Généré par IA",
            "Contenu créé par une intelligence artificielle",
            "Je suis une IA",
            "KI-generiert",
            "Mit KI erstellt",
            "Von einer KI geschrieben",
            "Ich bin eine KI",
            "Generato dall'IA",
            "Creato con l'intelligenza artificiale",
            "Gerado por IA",
            "Criado por inteligência artificial",
            "Gemaakt met AI",
            "Создано ИИ",
            "Сгенерировано искусственным интеллектом",
            "Створено ШІ",
            "Δημιουργήθηκε από τεχνητή νοημοσύνη",
            "Yapay zeka ile oluşturuldu",
            "በAI የተፈጠረ",
            "በሰው ሰራሽ አስተውሎት የተዘጋጀ",
            "تم إنشاؤه بواسطة الذكاء الاصطناعي",
            "由AI生成",
            "AI生成",
            "AI로 생성",
        ];
        let missed: Vec<&str> = labels.into_iter().filter(|label| !discloses(label)).collect();
        assert_eq!(missed, Vec::<&str>::new());
    }

    #[test]
    fn what_says_nothing_or_takes_it_back_does_not_disclose() {
        let labels = [
            "",
            "Follow me!",
            "@ai.generated",
            "by @selam",
            "100% human",
            "100% human, 0% AI",
            "not AI-generated",
            "Not AI-generated by @selam",
            "AI-generated? Not!",
            "AI generated: never",
            "This isn't AI-generated",
            "AI-free",
            "No AI",
            "no bots here",
            "Made without AI",
            "Made by a human, not AI",
            "AI-generated by a real person",
            "Handmade, AI-inspired",
            "I love AI",
            "AI news by @x",
            "AI fan page",
            "Made for AI lovers",
            "AI content tips",
            "AI generation news",
            "AI creative tips",
            "AI running club",
            "AI writing tips",
            "AI products by @x",
            "General AI news",
            "Paid partnership",
            "Ad",
            "A real AI human being wrote this by hand",
            "No generado por IA",
            "Sin IA",
            "Hecho sin inteligencia artificial",
            "Non généré par IA",
            "Contenu créé sans IA",
            "Pas d'IA",
            "nicht KI-generiert",
            "KI-frei",
            "Ohne KI erstellt",
            "keine KI",
            "Non generato dall'IA",
            "Não gerado por IA",
            "Niet gemaakt met AI",
            "Не создано ИИ",
            "Создано без ИИ",
            "Створено не ШІ",
            "Δεν δημιουργήθηκε από τεχνητή νοημοσύνη",
            "Yapay zeka ile oluşturulmadı değil",
            "በAI የተፈጠረ አይደለም",
            "በAI ያልተፈጠረ",
            "غير منشأ بواسطة الذكاء الاصطناعي",
            "非AI生成",
            "AIではありません",
            "AI로 생성되지 않았습니다",
            "Ai miei amici",
            "not A\u{200b}I-generated",
            "n\u{200b}ot AI-generated",
        ];
        let believed: Vec<&str> = labels.into_iter().filter(|label| discloses(label)).collect();
        assert_eq!(believed, Vec::<&str>::new());
    }
}
