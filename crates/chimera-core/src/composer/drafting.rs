//! The desk at which one text is written: limits, rules, voice and grounds of the brief, and what turns parts into an assessed draft.

mod draft;
mod reading;
mod vouching;

pub(super) use draft::{Draft, Making};
use reading::Reading;
use vouching::{citation, named};

use super::{
    Brief, Citation, Comment, Source, Unmeetable,
    choice::{Candidate, cosine, rank, sentences_of},
    confidence::{Checks, Origin, Support},
    feedback::Wishes,
    fitting::Parts,
    grounding::Grounds,
    manner::manner,
    reply,
    saying::Sayable,
    voice::{self, Voice},
};
use crate::{
    domain::{Author, Platform, WebUrl, platform::Limits},
    perception::{
        background::Background,
        score::{Goal, ScoredText},
        seen::Seen,
        sensitivity::sensitivity,
        toxicity::{is_toxic, toxicity},
    },
    policy::{
        content::{Directive, Judged, Rule, Verdict},
        crisis, disclosure, finished, sensitive,
        wording::stems,
    },
};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

pub(super) struct Desk<'a> {
    pub(super) brief: &'a Brief<'a>,
    pub(super) limits: Limits,
    pub(super) voice: Voice,
    pub(super) demanded: Vec<String>,
    pub(super) wishes: Wishes,
    origin: Origin,
    grounds: Grounds,
    sayable: Sayable,
    reading: Reading<'a>,
    /// The words of what the agent said before, and others for the same campaign, each text with itself.
    earlier: Vec<(HashSet<String>, &'a str)>,
    /// Whom and what the operator names, and whom a reply answers.
    named: Vec<String>,
    seed: u64,
}

/// Texts back to which an opener or closer counts as used.
const PHRASE_MEMORY: usize = 16;

/// Items tell of one story when their beginnings are so much alike.
const STORY_LIKENESS: f64 = 0.5;
const STORY_CHARS: usize = 400;

/// Our own words around what the sources say.
pub(super) const OWN_PHRASES: [&str; 12] = [
    "Source Sources AI",
    "Also:",
    "Yes, I am an AI. is a virtual persona, not a person.",
    "Thanks for asking.",
    "I do not have a sourced answer to that yet, so I will not guess.",
    "What would you like to see next?",
    "Thank you, glad it was useful.",
    "Sorry to hear that. What should be better?",
    "That is a topic I stay out of. Thank you for understanding.",
    "I only say what I can stand behind.",
    "Hello from",
    "What would you like to hear about?",
];

/// Words that open many sentences and name nothing.
const FIRST_WORDS: &str = "Today Tomorrow Yesterday Now Here There When While With Without From Over Under After Before Once Still Even Just Only \
    Some Many Most More Few Every Each Both All Another One Two Three Let Let's Meet See Look Read Watch Think Know Imagine Consider Remember Picture \
    Big Small Good Great New Old People Everyone Nobody Someone Something Nothing Everything Maybe Perhaps Sometimes Often Because Since Until \
    Whether Though Although However Meanwhile Instead Finally First Next Then Also Plus And But Or So Yet Yes No Not Why How What Who Where Which \
    This That These Those It They We You He She Its Their Our Your My I In On At By For To Of As If Is Are Was Were Has Have Had Can Could Will \
    Would Should May Might Must Do Does Did A An The";

/// More of them: whoever begins a sentence with one has invented no name. They say too much to stand anywhere in a text.
const OPENING_WORDS: &str = "Take Tell Share Save Pass Notice Keep Ask Give Go Come Breathe Pause Wait Guess Stay Listen Say Note Mark Put Hold Wake Get Make Try Find Check \
    Follow Join Learn Start Stop Turn Walk Rest Slow Bring Call Choose Compare Count Enjoy Feel Help Hear Leave Love Move Open Pick Play Send Show \
    Stand Talk Use Visit Want Wish Work Write Celebrate Discover Explore Welcome Thanks Thank Please Sorry Hello Hi Hey Wow Oh Ah Ha Haha Hehe Hmm Oops \
    Whoops Yay Yep Nope Okay Ok Well Right Sure Fair True Dear Friends Folks Guys Honestly Frankly Seriously Apparently Clearly Quietly Slowly \
    Gently Luckily Happily Sadly Suddenly Surprisingly Interestingly Importantly Admittedly Ever Never Always Almost Already Again Together Elsewhere \
    Everywhere Somewhere Somehow Anyway Besides Despite During Between Among Across Along Around Behind Below Beside Beyond Down Inside Like Near Off \
    Out Outside Through Throughout Toward Up Upon Within Than Such Much Less Least Other Others Same Last Later Soon Worth Nice Fun Cool Lovely \
    Beautiful Brilliant Amazing Bold Bright Calm Clear Early Easy Fast Fresh Happy Hard High Late Light Little Long Low Proud Quick Quiet Ready Real \
    Rare Short Simple Slow Strong Sweet Warm Wild Wise Young Per Thoughts Question Questions Fact Facts Proof Result Results News Update Reminder";

impl<'a> Desk<'a> {
    pub(super) fn new(brief: &'a Brief<'a>, comment: Option<&Comment>, origin: Origin) -> Result<Self, Unmeetable> {
        let soul = brief.soul;
        let said = comment.map(|comment| comment.text.as_data());
        let help = said.and_then(|said| crisis::help_for(said).or_else(|| crisis::comfort_for(said)));
        let yes = said.map(|said| disclosure::plain_yes(soul, said));
        let told: Vec<&str> = [brief.goal, &soul.name, &soul.handle, &soul.disclosure, &soul.backstory]
            .into_iter()
            .chain(soul.core_beliefs.iter().map(String::as_str))
            .chain(brief.directives.iter().map(|directive| directive.text.as_str()))
            .chain(brief.memory.notes.iter().map(String::as_str))
            .chain(help)
            .chain(yes.as_deref())
            .collect();
        let own_phrases = || voice::all_phrases().chain(OWN_PHRASES).chain([FIRST_WORDS]);
        // Whom a reply answers is no claim, whatever digits the name has.
        let answered = comment.and_then(|comment| comment.author.as_ref()).map(Author::as_str);
        let grounds = told.iter().copied().chain(answered).chain(brief.sources.iter().flat_map(source_texts));
        let sources =
            brief.sources.iter().enumerate().map(|(index, source)| (index, source_texts(source).collect::<Vec<_>>().join("\n\n")));
        let mut desk = Self {
            limits: Limits::of(brief.platform),
            voice: Voice::of(&soul.voice_traits),
            demanded: demanded(brief.directives),
            wishes: Wishes::of(brief.feedback),
            grounds: Grounds::new(grounds, own_phrases().chain([OPENING_WORDS])),
            sayable: Sayable::new(sources, told.iter().copied(), own_phrases()),
            reading: Reading::default(),
            earlier: earlier(brief).map(|text| (words_but_label(text, brief), text)).collect(),
            named: named(brief, comment),
            seed: seed_of(brief.seed),
            origin,
            brief,
        };
        desk.named.extend(comment.and_then(|comment| reply::mention(&desk, comment)));
        desk.refuse_contradictions()?;
        Ok(desk)
    }

    /// What is demanded must not be what is forbidden.
    fn refuse_contradictions(&self) -> Result<(), Unmeetable> {
        let label_and_demands = self.demanded.iter().chain([&self.brief.soul.disclosure]);
        for passage in label_and_demands {
            if let Some((directive, problem)) = self.forbids(passage) {
                let problem = format!("{problem}, which is part of every text of this agent");
                return Err(Unmeetable { directive: directive.text.clone(), problem });
            }
        }
        Ok(())
    }

    /// The first directive that forbids to say `passage`, and why.
    pub(super) fn forbids(&self, passage: &str) -> Option<(&'a Directive, String)> {
        self.brief.directives.iter().find_map(|directive| match directive.check_passage(passage) {
            Verdict::Breached(problem) => Some((directive, problem)),
            Verdict::Kept | Verdict::Unchecked => None,
        })
    }

    /// Whether a whole text keeps every limit and every rule, except those that only a finished one can keep.
    pub(super) fn accepts(&self, parts: &Parts) -> bool {
        let text = parts.text();
        self.limits.allows(&text) && self.breach(&text, parts).is_none()
    }

    pub(super) fn allows_text(&self, text: &str, parts: &Parts) -> bool {
        self.limits.allows(text) && self.breach(text, parts).is_none()
    }

    fn breach(&self, text: &str, parts: &Parts) -> Option<(&'a Directive, String)> {
        self.breaches(text, parts).next()
    }

    fn breaches(&self, text: &str, parts: &Parts) -> impl Iterator<Item = (&'a Directive, String)> {
        let attribution = parts.attribution();
        self.brief.directives.iter().filter_map(move |directive| {
            let judged = Judged { text, label: &self.brief.soul.disclosure, attribution: attribution.as_deref() };
            match directive.check(judged) {
                Verdict::Breached(problem) => Some((directive, problem)),
                Verdict::Kept | Verdict::Unchecked => None,
            }
        })
    }

    /// A text with nothing but what must be there.
    pub(super) fn bare(&self, sentence: &str) -> Parts {
        Parts {
            sentences: vec![sentence.to_owned()],
            demanded: self.demanded.clone(),
            label: self.brief.soul.disclosure.clone(),
            cites_briefly: self.wishes.no_links || matches!(self.brief.platform, Some(Platform::Instagram | Platform::Tiktok)),
            ..Parts::default()
        }
    }

    /// Sentences by how much they matter for `about`, with a calibrated relevance each.
    pub(super) fn ranked(&self, texts: Vec<(String, Option<usize>)>, about: &str) -> Vec<Candidate> {
        let plain: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
        let own = relevance(&plain, about, self.brief);
        let items: Vec<String> =
            self.brief.sources.iter().map(|source| format!("{}. {}", source.title.as_data(), source.text.as_data())).collect();
        let of_items = relevance(&items.iter().map(String::as_str).collect::<Vec<_>>(), about, self.brief);
        // A sentence is about what its item is about, though it may not say so again.
        let relevance: Vec<f64> = texts
            .iter()
            .zip(own)
            .map(|((_, source), own)| source.and_then(|index| of_items.get(index)).map_or(own, |item| own.max(own.midpoint(*item))))
            .collect();
        rank(texts, &relevance, self.brief.embedder)
    }

    /// The phrase for this seed: those that were used least of late first.
    pub(super) fn pick(&self, phrases: &[&'static str], salt: u64) -> Vec<&'static str> {
        let lately =
            |phrase: &str| self.brief.memory.recent_texts.iter().rev().take(PHRASE_MEMORY).filter(|text| text.contains(phrase)).count();
        let turn = self.seed.wrapping_add(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let allowed = phrases.iter().enumerate().filter(|(_, phrase)| self.wishes.allow_frame(phrase));
        let mut ordered: Vec<(usize, u64, &'static str)> =
            allowed.map(|(index, phrase)| (lately(phrase), mixed(turn, index as u64), *phrase)).collect();
        ordered.sort_unstable();
        ordered.into_iter().map(|(_, _, phrase)| phrase).collect()
    }

    pub(super) fn hashtags_wanted(&self) -> usize {
        if self.wishes.no_hashtags { 0 } else { self.limits.hashtags_wanted }
    }

    /// The sources that `said` rests on, most used first.
    pub(super) fn sources_of(&self, said: &str) -> Vec<usize> {
        self.sayable.check(said).sources
    }

    /// Whether sources, goal or SOUL have the words of a hashtag.
    pub(super) fn knows_tag(&self, tag: &str) -> bool {
        self.grounds.has_tag(tag.trim_start_matches('#'))
    }

    /// Title and text of sources.
    pub(super) fn items(&self, sources: impl IntoIterator<Item = usize>) -> Vec<String> {
        let found = sources.into_iter().filter_map(|index| self.brief.sources.get(index));
        found.map(|source| format!("{}. {}", source.title.as_data(), source.text.as_data())).collect()
    }

    pub(super) fn citation(&self, source: Option<usize>) -> Option<Citation> {
        source.and_then(|index| self.brief.sources.get(index)).and_then(citation)
    }

    pub(super) fn assessed(&self, parts: Parts, making: Making) -> Draft {
        let text = parts.text();
        let grounding = self.grounds.check(&text);
        let saying = self.sayable.weighed(&parts.body(), &|claim| self.supported(claim));
        let unchecked: Vec<String> = self.unchecked(&text, &parts);
        let breaches: Vec<String> =
            self.breaches(&text, &parts).map(|(directive, problem)| format!("{:?}: {problem}", directive.text)).collect();
        let topics = sensitive::topics(&text);
        let vouched = self.vouched(&parts);
        let foreign = finished::foreign(&text, &vouched);
        let checks = Checks {
            origin: self.origin,
            support: making.support,
            was_cut: making.was_cut,
            relevance: making.relevance,
            grounded_share: grounding.share(),
            said_share: saying.weakest,
            denials: saying.denials.len(),
            misplaced: saying.misplaced.len(),
            breached_directives: breaches.len(),
            unchecked_directives: unchecked.len(),
            sensitive_topics: topics.len(),
            is_toxic: false,
            likeness: if making.support.may_repeat() { 0.0 } else { self.likeness_to_earlier(&text, &parts.sentences) },
            voice: manner(&self.voice, &self.talk_of(&parts)).value(),
        };
        Draft { parts, text, checks, grounding, saying, breaches, unchecked, topics, vouched, foreign, note: making.note }
    }

    /// With what the classifiers say of its meaning. Costs an embedding, so it is asked of drafts that may be used.
    pub(super) fn classified(&self, mut draft: Draft) -> Draft {
        let said = draft.parts.body();
        let vector = self.brief.embedder.embed(&[&said]).pop().unwrap_or_default();
        let sensitivity = sensitivity(&said, &vector);
        if sensitivity.is_sensitive() && !draft.topics.contains(&sensitivity.nearest) {
            draft.topics.push(sensitivity.nearest);
        }
        draft.checks.sensitive_topics = draft.topics.len();
        draft.checks.is_toxic = is_toxic(toxicity(&said, &vector));
        draft
    }

    /// What a text says in its own voice: sentences that some source has are left out.
    fn talk_of(&self, parts: &Parts) -> String {
        let is_taken = |sentence: &String| {
            self.brief
                .sources
                .iter()
                .any(|source| source.text.as_data().contains(sentence.as_str()) || source.title.as_data() == sentence.as_str())
        };
        let own = parts.sentences.iter().filter(|sentence| !is_taken(sentence)).map(String::as_str);
        parts.opener.as_deref().into_iter().chain(own).chain(parts.closer.as_deref()).collect::<Vec<_>>().join("\n")
    }

    fn unchecked(&self, text: &str, parts: &Parts) -> Vec<String> {
        let attribution = parts.attribution();
        let judged = Judged { text, label: &self.brief.soul.disclosure, attribution: attribution.as_deref() };
        let open = self.brief.directives.iter().filter(|directive| directive.check(judged) == Verdict::Unchecked);
        open.map(|directive| directive.text.clone()).collect()
    }

    /// Whether it was quoted before, by this agent or for this campaign.
    pub(super) fn was_said(&self, sentence: &str) -> bool {
        self.earlier.iter().any(|(_, earlier)| earlier.contains(sentence))
    }

    /// How much of the text one of the agent's earlier ones has already: the share of its sentences, or of its words, the label left out.
    fn likeness_to_earlier(&self, text: &str, sentences: &[String]) -> f64 {
        let own = words_but_label(text, self.brief);
        let like = |(words, earlier): &(HashSet<String>, &str)| {
            let shared = own.intersection(words).count();
            let by_words = shared as f64 / (own.len() + words.len() - shared).max(1) as f64;
            let said = sentences.iter().filter(|sentence| earlier.contains(sentence.as_str())).count();
            by_words.max(said as f64 / sentences.len().max(1) as f64)
        };
        self.earlier.iter().map(like).fold(0.0, f64::max)
    }

    /// Whether it says what was turned down before, in any of its sentences.
    pub(super) fn is_turned_down(&self, draft: &Draft) -> bool {
        draft.parts.sentences.iter().any(|sentence| self.wishes.is_turned_down(sentence))
    }

    /// Those that are as short or long as a person asked, where there are some.
    pub(super) fn of_wanted_length(&self, drafts: Vec<Draft>) -> Vec<Draft> {
        let (met, not): (Vec<Draft>, Vec<Draft>) = drafts.into_iter().partition(|draft| self.wishes.is_length_met(&draft.text));
        if met.is_empty() { not } else { met }
    }

    pub(super) fn nothing_left(&self) -> Unmeetable {
        let (directive, problem) = self.wishes.nothing_left();
        Unmeetable { directive, problem }
    }

    /// Sources that a person did not want: those of certain texts, or their whole story.
    pub(super) fn unwanted_sources(&self) -> HashSet<usize> {
        let sources = self.brief.sources;
        let is_of = |index: &usize, text: &String| {
            let source = &sources[*index];
            let is_cited = source.url.as_ref().is_some_and(|url| text.contains(url.as_str()));
            is_cited || sentences_of(source).iter().any(|sentence| text.contains(sentence.as_str()))
        };
        let of =
            |texts: &[String]| (0..sources.len()).filter(|index| texts.iter().any(|text| is_of(index, text))).collect::<HashSet<usize>>();
        let mut unwanted = of(self.wishes.other_source_than());
        let told = of(self.wishes.other_story_than());
        if !self.wishes.other_story_than().is_empty() {
            let items = self.items(0..sources.len());
            let begun: Vec<String> = items.iter().map(|item| item.chars().take(STORY_CHARS).collect()).collect();
            let vectors = self.brief.embedder.embed(&begun.iter().map(String::as_str).collect::<Vec<_>>());
            let is_like = |index: &usize| told.iter().any(|other| cosine(&vectors[*index], &vectors[*other]) >= STORY_LIKENESS);
            unwanted.extend((0..sources.len()).filter(is_like));
        }
        unwanted.extend(told);
        unwanted
    }

    /// When nothing else can be said: a greeting, which claims nothing. Its failure names the directive that no text can keep.
    pub(super) fn last_resort(&self) -> Result<Draft, Unmeetable> {
        let greeting = format!("Hello from {}. What would you like to hear about?", self.brief.soul.name);
        let greeting_only = format!("Hello from {}.", self.brief.soul.name);
        for sentence in [greeting, greeting_only] {
            let parts = self.bare(&sentence);
            if self.accepts(&parts) {
                let making = Making {
                    support: Support::Nothing,
                    relevance: 0.0,
                    was_cut: false,
                    note: "nothing that could be said was found".to_owned(),
                };
                return Ok(self.assessed(parts, making));
            }
        }
        Err(self.why_not(&self.bare(&format!("Hello from {}.", self.brief.soul.name))))
    }

    fn why_not(&self, parts: &Parts) -> Unmeetable {
        let text = parts.text();
        if let Some((directive, problem)) = self.breach(&text, parts) {
            return Unmeetable { directive: directive.text.clone(), problem };
        }
        let longest = self
            .brief
            .directives
            .iter()
            .filter(|directive| matches!(directive.rule, Rule::Always { .. }))
            .max_by_key(|directive| directive.text.len());
        let directive = longest.map(|directive| directive.text.clone()).unwrap_or_default();
        Unmeetable { directive, problem: format!("a text with it has {} of at most {}", self.limits.length(&text), self.limits.length_max) }
    }
}

pub(super) fn relevance(texts: &[&str], about: &str, brief: &Brief<'_>) -> Vec<f64> {
    let background: &Background = brief.background;
    let goal = Goal::new(about, brief.embedder, background);
    let distinctive: Vec<Vec<f32>> =
        texts.iter().zip(brief.embedder.embed(texts)).map(|(text, vector)| background.distinctive(text, &vector)).collect();
    let scored: Vec<ScoredText<'_>> =
        texts.iter().zip(&distinctive).map(|(text, distinctive)| ScoredText::new(text, distinctive)).collect();
    goal.score(&scored, brief.embedder, &Seen::new(background))
}

/// What is not said again: by the agent, by others for the campaign, and what was turned down.
fn earlier<'a>(brief: &Brief<'a>) -> impl Iterator<Item = &'a str> {
    let rejected = brief.feedback.attempts.iter().map(|attempt| &attempt.rejected_text);
    let unwanted = brief.feedback.lessons.iter().filter(|lesson| lesson.edited.is_none()).map(|lesson| &lesson.written);
    brief.memory.by_others.iter().chain(&brief.memory.recent_texts).chain(rejected).chain(unwanted).map(String::as_str)
}

fn words_but_label(text: &str, brief: &Brief<'_>) -> HashSet<String> {
    stems(&text.replace(&brief.soul.disclosure, " ")).into_iter().collect()
}

fn demanded(directives: &[Directive]) -> Vec<String> {
    let mut wanted: Vec<String> = Vec::new();
    for directive in directives {
        if let Rule::Always { wanted: text } = &directive.rule {
            // A bare phrase needs a word before it to be a line of a post.
            let stands_alone = text.starts_with(['#', '@'])
                || text.contains("://")
                || text.ends_with(['.', '!', '?'])
                || directive.text.contains(['"', '“', '\'', '«']);
            let line = if stands_alone { text.clone() } else { format!("Also: {text}.") };
            if !wanted.contains(&line) {
                wanted.push(line);
            }
        }
    }
    wanted
}

fn source_texts(source: &Source) -> impl Iterator<Item = &str> {
    let (link, site) = (source.url.as_ref().map(WebUrl::as_str), source.url.as_ref().map(WebUrl::site));
    let author = source.author.as_ref().map(Author::as_str);
    [Some(source.title.as_data()), Some(source.text.as_data()), link, author, site].into_iter().flatten()
}

fn seed_of(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    u64::from_be_bytes(digest[..8].try_into().expect("a sha-256 has 32 bytes"))
}

fn mixed(turn: u64, index: u64) -> u64 {
    let mut value = turn ^ index.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 30)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
