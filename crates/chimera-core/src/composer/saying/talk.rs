//! Whether a sentence only talks: an opinion, a question, a greeting, a call. Its writer may say so, and is believed where the words bear it out: no
//! number, no name, quotation or comparison from nowhere, nothing pointed at or done that the material does not have.
//!
//! The word lists are English first; of other languages they hold who speaks to whom. What they do not know is a claim.

use super::{Sayable, denies, is_mark, overlap, telling, words_of};
use crate::{
    composer::feedback::QUESTION_MARKS,
    perception::words::is_function_word,
    policy::wording::{stem, stems},
};
use std::{collections::HashSet, sync::LazyLock};

/// Words of its own that a sentence may have and still be only talk.
const TALK_WORDS_MAX: usize = 5;
/// The same where its writer calls it voice.
const VOICE_WORDS_MAX: usize = 7;
/// Of a language whose deeds and verdicts we have no list of.
const FOREIGN_VOICE_WORDS_MAX: usize = 3;

/// Who is spoken to, or speaks.
const ADDRESSES: [&str; 16] =
    ["you", "your", "yours", "you're", "i", "i'm", "i'll", "i'd", "i've", "me", "my", "we", "us", "our", "let's", "friends"];
/// The same in Spanish, French, German, Portuguese, Italian, Dutch and Swahili, without the words that mean something else in another of them.
const FOREIGN_ADDRESSES: &str = "yo mí mi nos nosotros nuestro nuestra tú tu usted ustedes vosotros vuestro te amigos \
    je j'ai moi mon ma mes nous notre vous votre tes amis ich mir mich mein meine wir uns unser unsere du dir dich dein deine ihr euch freunde \
    eu meu minha nosso nossa você vocês teu io mio mia noi nostro nostra voi vostro amici ik mij mijn wij ons onze jij jullie jouw vrienden \
    mimi sisi wewe yangu yetu yako marafiki";
/// How a sentence begins that asks for something.
const REQUESTS: [&str; 38] = [
    "take", "look", "think", "tell", "share", "save", "pass", "read", "watch", "see", "imagine", "picture", "notice", "keep", "remember",
    "ask", "give", "go", "come", "breathe", "pause", "wait", "guess", "stay", "listen", "say", "note", "mark", "put", "hold", "consider",
    "let", "hello", "hi", "hey", "welcome", "thanks", "thank",
];
/// How a question begins that only tells: what comes after it is what is claimed.
const TELLING_QUESTIONS: [&str; 8] =
    ["did you know", "do you know that", "have you heard", "guess what", "who knew", "isn't it true", "is it not true", "you know that"];
/// Words that make an offer, a warning or a verdict of what looks like talk.
const WEIGHTY: &str = "free discount sale guarantee promise refund win prize buy order price cost cheap best proven cure safe dangerous illegal fraud scam \
    vote invest profit click send password wallet died killed";
/// What somebody did or suffered, and how much: no opinion, but news.
const NEWSWORTHY: &str = "resign resigned quit steal stole stolen rob robbed theft arrest arrested jail prison charge charged sue sued lawsuit court convict \
    guilty crime criminal close closed shut cancel cancelled canceled ban banned lie lied liar cheat cheated fail failed collapse collapsed crash crashed \
    lose lost won kill murder die dead death attack attacked injure injured bribe bribed corrupt corruption scandal fire fired sack sacked bankrupt \
    leak leaked hack hacked poison poisoned abuse abused assault divorce divorced married pregnant cancer sick illness disease infected vaccine \
    million billion thousand hundred dozen percent double triple half announce announced confirm confirmed reveal revealed admit admitted deny denied \
    sold sell bought launch launched open opened";
/// Judging one thing by others.
const COMPARING: &str = "than worst biggest largest greatest smallest highest lowest cheapest fastest slowest safest richest poorest oldest youngest \
    newest strongest weakest unique unprecedented record";
/// Ordinary words in which people say what they think of something.
const PLAIN: &str = "love like enjoy hope wish want need feel feeling think wonder guess believe bet care smile laugh cry dream dance sing ride walk read \
    good great lovely nice kind fine fun cool sweet warm bright calm quiet quietly brave bold small little big simple honest honestly proud happy glad grateful \
    thankful curious excited excite delighted delight beautiful brilliant wonderful gorgeous charming clever smart tender gentle gently delicious funny strange odd wild \
    worth finally simply really truly exactly maybe perhaps surely well please thank thanks hello hi hey welcome goodbye cheers bravo congratulation \
    thing stuff sort kind part way day morning evening night week weekend today tomorrow tonight idea question answer thought news story post world people \
    everyone anybody anyone somebody someone friend folk neighbour neighbor time moment detail reason rest point difference heart mind head eye hand future \
    one ones number figure evidence data picture photo image article piece report map list town city street coffee rain sun \
    place home end start begin beginning step life word mood lesson patience progress change joy luck credit respect attention sense nonsense sign hero \
    keep come go see look hear try make made take give get say tell talk ask answer stay wait know learn remember forget deserve matter mean sound seem become \
    work count help share save stop call happen turn live grow long short slow slowly fast early late ready easy hard real right wrong same different true \
    thoughtful useful needed overdue long-overdue favourite favorite obsessed here now soon always never again still already ever yes no ok okay wow";

static PLAIN_STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| stems(PLAIN).into_iter().collect());
static CLAIMING_STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| stems(WEIGHTY).into_iter().chain(stems(NEWSWORTHY)).collect());
static FOREIGN_ADDRESS_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| FOREIGN_ADDRESSES.split_whitespace().collect());

/// Words before something that the reader is taken to know.
const POINTING: &str = " the this that these those their his her its el la los las este esta estos estas su sus le les ce cette ces leur leurs son sa ses der die das den dem des \
    diese dieser dieses diesen esse essa il lo gli questo questa het deze dit die ";

impl Sayable {
    /// Whether the sentence only talks; `is_called_voice` when its writer says so.
    pub(super) fn is_talk(&self, sentence: &str, own: &HashSet<String>, is_called_voice: bool) -> bool {
        let words: Vec<String> = words_of(sentence).iter().map(|word| word.to_lowercase().replace('’', "'")).collect();
        let is_address = |word: &String| ADDRESSES.contains(&word.as_str());
        let new: Vec<&String> = own.iter().filter(|word| !self.is_known(word)).collect();
        if tells_or_quotes(sentence, &words, &new) || is_called_voice && self.claims_by_its_form(&words) {
            return false;
        }
        let marks: Vec<&str> = words_of(sentence)
            .into_iter()
            .skip(1)
            .filter(|word| is_mark(word) && !is_address(&word.to_lowercase().replace('’', "'")))
            .collect();
        let asks = sentence.ends_with(QUESTION_MARKS);
        if asks && marks.is_empty() {
            return true;
        }
        let is_requested = words.first().is_some_and(|first| REQUESTS.contains(&first.as_str()));
        let is_addressed = words.iter().any(is_address) || is_requested;
        if marks.is_empty() && is_addressed && new.len() <= TALK_WORDS_MAX && !denies(sentence) {
            return true;
        }
        is_called_voice && self.is_voice(sentence, own, &words, &marks, is_addressed || asks, &new)
    }

    /// Whether a sentence that its writer calls voice, and that the word lists do not know as such, could do no harm if it were: it names, counts, quotes,
    /// compares, denies and tells nothing, and points at nothing new. A person may like it; a program neither vouches for it nor refuses it.
    pub(super) fn is_harmless(&self, sentence: &str, own: &HashSet<String>) -> bool {
        let words: Vec<String> = words_of(sentence).iter().map(|word| word.to_lowercase().replace('’', "'")).collect();
        let new: Vec<&String> = own.iter().filter(|word| !self.is_known(word)).collect();
        let is_marked = words_of(sentence).into_iter().skip(1).any(is_mark) || sentence.chars().any(char::is_numeric);
        !is_marked && !denies(sentence) && !tells_or_quotes(sentence, &words, &new) && !self.claims_by_its_form(&words)
    }

    /// What a writer may call voice beyond what is talk anyhow: a plain verdict, a "not" that contradicts nobody, a name that only stands there.
    fn is_voice(
        &self,
        sentence: &str,
        own: &HashSet<String>,
        words: &[String],
        marks: &[&str],
        is_addressed: bool,
        new: &[&String],
    ) -> bool {
        let is_plain = |word: &String| PLAIN_STEMS.contains(word);
        let is_foreign_address = words.iter().any(|word| FOREIGN_ADDRESS_WORDS.contains(word.as_str()));
        let most = if is_addressed || new.iter().all(|word| is_plain(word)) { VOICE_WORDS_MAX } else { FOREIGN_VOICE_WORDS_MAX };
        let opens = is_addressed || is_foreign_address || new.iter().all(|word| is_plain(word)) && !new.is_empty();
        // A known name beside words of the material says something of somebody: that must be what the material says.
        let of_marks: HashSet<String> = marks.iter().flat_map(|mark| telling(mark)).collect();
        let only_names = marks.iter().all(|mark| self.heard.contains(&mark.to_lowercase()) && !mark.chars().any(char::is_numeric))
            && own.iter().all(|word| of_marks.contains(word) || self.free_words.contains(word) || is_plain(word));
        let contradicts = denies(sentence) && self.sentences.iter().any(|known| overlap(own, known) >= super::SAME_EVENT_MIN);
        opens && new.len() <= most && (marks.is_empty() || only_names) && !contradicts
    }

    fn is_known(&self, word: &str) -> bool {
        self.free_words.contains(word) || self.sentences.iter().any(|known| known.stems.contains(word))
    }

    /// Comparing, or pointing at what nobody spoke of.
    fn claims_by_its_form(&self, words: &[String]) -> bool {
        let compares = words.iter().any(|word| COMPARING.split_whitespace().any(|one| one == word) && !self.heard.contains(word));
        compares || self.points_at_something_new(words)
    }

    /// "the mayor", where nobody spoke of one.
    fn points_at_something_new(&self, words: &[String]) -> bool {
        let is_pointing = |word: &String| POINTING.contains(&format!(" {word} "));
        (0..words.len()).any(|at| {
            let thing = words[at + 1..].iter().take_while(|word| !is_function_word(word) && !is_pointing(word)).take(2);
            is_pointing(&words[at])
                && thing.map(|word| (word, stem(word))).any(|(word, stem)| {
                    let is_spoken_of = self.heard.contains(word) || self.is_known(&stem) || PLAIN_STEMS.contains(&stem);
                    !is_spoken_of && !ADDRESSES.contains(&word.as_str())
                })
        })
    }
}

/// Somebody's words, a question that only tells, or news, which no sentence of its own accord is talk with.
fn tells_or_quotes(sentence: &str, words: &[String], new: &[&String]) -> bool {
    let joined = words.join(" ");
    let tells = TELLING_QUESTIONS.iter().any(|lead| joined.starts_with(lead) || joined.contains(&format!(" {lead} ")));
    let quotes = sentence.contains(['"', '“', '”', '«', '»', '„', '「', '」']);
    tells || quotes || new.iter().any(|word| CLAIMING_STEMS.contains(*word))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{sayable, weighed};
    use crate::composer::material::Rests;

    #[test]
    fn what_people_say_of_a_story_is_voice_where_its_writer_says_so() {
        for text in [
            "Finally, a lovely reason to ride.",
            "I can't wait to ride these lanes!",
            "So proud of Nairobi.",
            "Where would you ride first?",
            "Honestly, this makes me happy.",
            "Small steps, real progress.",
            "Tell me where you would go.",
            "Good morning, friends!",
        ] {
            let saying = weighed(text, &Rests::Voice);
            assert_eq!((saying.claims, saying.voiced), (0, 1), "{text}: {saying:?}");
        }
    }

    #[test]
    fn a_lie_that_is_called_voice_is_checked_as_the_claim_that_it_is() {
        for lie in [
            "The mayor resigned in shame.",
            "I think the mayor stole the money.",
            "I love that 90,000 people ride there every day.",
            "I don't think Addis Ababa opened the bike lanes.",
            "I adore how Wanjiru Kamau opened the protected bike lanes.",
            "Did you know the lanes were built by prisoners?",
            "These lanes are safer than those of Copenhagen.",
            "As the riders put it: \u{201c}we feel free\u{201d}.",
            "Critics call the project a waste.",
            "Honestly, the biggest network in Africa.",
            "I heard the contractor went bankrupt.",
        ] {
            let saying = weighed(lie, &Rests::Voice);
            assert_eq!((saying.claims, saying.voiced), (1, 0), "{lie}: {saying:?}");
            let is_caught = !saying.foreign.is_empty() || !saying.denials.is_empty() || !saying.misplaced.is_empty();
            assert!(is_caught, "{lie}: {saying:?}");
        }
    }

    #[test]
    fn what_may_be_voice_is_doubted_and_not_refused() {
        for text in ["A quiet street deserves a slow afternoon.", "Some mornings forgive everything.", "Patience suits slow streets."] {
            let saying = weighed(text, &Rests::Voice);
            let is_refused = !(saying.foreign.is_empty() && saying.denials.is_empty() && saying.misplaced.is_empty());
            assert!(!is_refused && saying.voiced + saying.doubted.len() == 1, "{text}: {saying:?}");
        }
        let saying = weighed("A quiet street deserves a slow afternoon.", &Rests::Unsaid);
        assert_eq!((saying.foreign.len(), saying.doubted.len()), (1, 0), "a claim is a claim unless its writer says otherwise");
    }

    #[test]
    fn the_named_facts_are_asked_first_and_a_wrong_name_is_only_noted() {
        let lanes = "Addis Ababa opened 40 km of protected bike lanes on Monday.";
        for (sources, is_noted) in [(vec![vec![0]], false), (vec![vec![1]], true), (vec![vec![1], vec![0]], false)] {
            let saying = weighed(lanes, &Rests::On(sources.clone()));
            assert_eq!((saying.foreign.len(), saying.denials.len(), saying.misnamed.len()), (0, 0, usize::from(is_noted)), "{sources:?}");
            assert_eq!(saying.sources, [0], "{sources:?}");
        }
        for lie in [
            "The mayor resigned after a scandal about secret contracts.",
            "Addis Ababa did not open 40 km of protected bike lanes on Monday.",
        ] {
            let saying = weighed(lie, &Rests::On(vec![vec![0]]));
            assert!(!saying.foreign.is_empty() || !saying.denials.is_empty(), "{lie}: {saying:?}");
        }
        assert_eq!(sayable().weighed(&[], &|_| None).claims, 0);
    }
}
