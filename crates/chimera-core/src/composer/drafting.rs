//! The desk at which one text is written: limits, rules, voice and grounds of the brief, and what turns parts into an assessed draft.

mod apart;
mod draft;
mod plain_words;
mod reading;
mod refusing;
mod vouching;

pub(super) use draft::{Draft, Making};
pub(super) use plain_words::{FIRST_WORDS, OPENING_WORDS, OWN_PHRASES};
use reading::Reading;
use vouching::{citation, named};

use super::{
    Brief, Citation, Comment, Source, Unmeetable,
    choice::{Candidate, Passage, rank},
    confidence::{Checks, Origin},
    feedback::Wishes,
    fitting::Parts,
    grounding::Grounds,
    manner::manner,
    material::Rests,
    reply,
    saying::{Sayable, Statement},
    subject,
    voice::Voice,
    worth::Worth,
};
use crate::{
    domain::{Author, Language, Platform, WebUrl, platform::Limits},
    perception::{
        background::Background,
        items::whole,
        language::{self, language_of},
        score::{Goal, ScoredText},
        seen::Seen,
        sensitivity::sensitivity,
        toxicity::{is_toxic, toxicity},
    },
    policy::{
        content::{Directive, Judged, Rule, Verdict},
        crisis, disclosure, finished, phrases, sensitive,
        wording::stems,
    },
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

pub(super) struct Desk<'a> {
    pub(super) brief: &'a Brief<'a>,
    pub(super) limits: Limits,
    /// That the text is written in.
    pub(super) language: Language,
    pub(super) voice: Voice,
    pub(super) demanded: Vec<String>,
    pub(super) wishes: Wishes,
    /// What a model says that its sentences rest on; of others nothing is said.
    pub(super) rests: HashMap<String, Rests>,
    origin: Origin,
    grounds: Grounds,
    sayable: Sayable,
    reading: Reading<'a>,
    /// It answers somebody.
    answers: bool,
    /// The words of what the agent said before, and others for the same campaign, each text with itself.
    earlier: Vec<(HashSet<String>, &'a str)>,
    /// Whom and what the operator names, and whom a reply answers.
    named: Vec<String>,
    /// What the goal asks to leave out.
    left_out: Vec<Directive>,
}

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
            .chain(brief.feedback.brief.as_deref())
            .chain(help)
            .chain(yes.as_deref())
            .collect();
        let own_phrases = || phrases::all().chain(OWN_PHRASES).chain([FIRST_WORDS]);
        // Whom a reply answers is no claim, whatever digits the name has.
        let answered = comment.and_then(|comment| comment.author.as_ref()).map(Author::as_str);
        let grounds = told.iter().copied().chain(answered).chain(brief.sources.iter().flat_map(source_texts));
        let sources =
            brief.sources.iter().enumerate().map(|(index, source)| (index, source_texts(source).collect::<Vec<_>>().join("\n\n")));
        let mut desk = Self {
            language: written_in(brief, comment),
            left_out: if comment.is_some() { Vec::new() } else { asked_for(brief).flat_map(subject::left_out).collect() },
            limits: Limits::of(brief.platform),
            voice: Voice::of(&soul.voice_traits),
            demanded: demanded(brief.directives),
            wishes: Wishes::of(brief.feedback),
            rests: HashMap::new(),
            grounds: Grounds::new(grounds, own_phrases().chain([OPENING_WORDS])),
            sayable: Sayable::new(sources, told.iter().copied(), own_phrases()),
            reading: Reading::default(),
            answers: comment.is_some(),
            earlier: earlier(brief).map(|text| (words_but_label(text, brief), text)).collect(),
            named: named(brief, comment),
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
            language: self.language,
            sentences: vec![sentence.to_owned()],
            demanded: self.demanded.clone(),
            label: self.brief.soul.disclosure.clone(),
            cites_briefly: self.wishes.no_links || matches!(self.brief.platform, Some(Platform::Instagram | Platform::Tiktok)),
            ..Parts::default()
        }
    }

    /// What the goal asks to leave out, where `passage` is about it, and why.
    pub(super) fn leaves_out(&self, passage: &str) -> Option<(&Directive, String)> {
        self.left_out.iter().find_map(|directive| match directive.check_passage(passage) {
            Verdict::Breached(problem) => Some((directive, problem)),
            Verdict::Kept | Verdict::Unchecked => None,
        })
    }

    /// Passages by how much they matter for `about`, with a calibrated relevance each.
    pub(super) fn ranked(&self, passages: Vec<Passage>, about: &str) -> Vec<Candidate> {
        let texts: Vec<String> = passages.iter().map(Passage::text).collect();
        let own = relevance(&texts.iter().map(String::as_str).collect::<Vec<_>>(), about, self.brief);
        let sources: BTreeSet<usize> = passages.iter().filter_map(|passage| passage.source).collect();
        let items = as_items(self.brief, &sources);
        let relevance_of_items = relevance(&items.iter().map(String::as_str).collect::<Vec<_>>(), about, self.brief);
        let of_items: BTreeMap<usize, f64> = sources.into_iter().zip(relevance_of_items).collect();
        // A passage is about what its item is about, though it may not say so again.
        let relevance: Vec<f64> = passages
            .iter()
            .zip(own)
            .map(|(passage, own)| passage.source.and_then(|index| of_items.get(&index)).map_or(own, |item| own.max(own.midpoint(*item))))
            .collect();
        rank(passages, &relevance, self.brief.embedder)
    }

    pub(super) fn hashtags_wanted(&self) -> usize {
        if self.wishes.no_hashtags { 0 } else { self.limits.hashtags_wanted }
    }

    /// The sources that a text of these parts rests on, most used first.
    pub(super) fn sources_of(&self, parts: &Parts) -> Vec<usize> {
        self.sayable.weighed(&self.statements(parts), &|_| None).sources
    }

    fn statements<'p>(&'p self, parts: &'p Parts) -> Vec<Statement<'p>> {
        const UNSAID: &Rests = &Rests::Unsaid;
        parts.sentences.iter().map(|text| Statement { text, rests: self.rests.get(text).unwrap_or(UNSAID) }).collect()
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
        let saying = self.sayable.weighed(&self.statements(&parts), &|claim| self.supported(claim));
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
            foreign: saying.foreign.len(),
            denials: saying.denials.len(),
            misplaced: saying.misplaced.len(),
            doubted: saying.doubted.len(),
            breached_directives: breaches.len(),
            unchecked_directives: unchecked.len(),
            sensitive_topics: topics.len(),
            is_toxic: false,
            likeness: if making.support.may_repeat() { 0.0 } else { self.likeness_to_earlier(&text, &parts.sentences) },
            voice: self.voice_of(&parts),
            read: saying.read(),
            worth: self.worth_of(&parts),
        };
        Draft {
            parts,
            text,
            checks,
            grounding,
            saying,
            breaches,
            unchecked,
            topics,
            vouched,
            foreign,
            note: making.note,
            merit: making.merit,
        }
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

    /// What a reader gets from a model's post about sources whose claims were read: no other text has grades that a fit could learn from.
    fn worth_of(&self, parts: &Parts) -> Option<Worth> {
        let is_about_sources = !self.brief.sources.is_empty() && !self.answers;
        let is_like_the_graded = self.origin == Origin::Model && is_about_sources && self.brief.embedder.claim_reader().is_some();
        is_like_the_graded.then(|| {
            let items = self.brief.sources.iter().map(|source| (source.title.as_data(), source.text.as_data()));
            Worth::of(&parts.sentences.join(" "), self.brief.goal, items)
        })
    }

    /// 1 where nothing is in its own words, and so nothing out of its voice.
    fn voice_of(&self, parts: &Parts) -> f64 {
        let talk = self.talk_of(parts);
        if talk.is_empty() { 1.0 } else { manner(&self.voice, &talk).value() }
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
        own.collect::<Vec<_>>().join("\n")
    }

    fn unchecked(&self, text: &str, parts: &Parts) -> Vec<String> {
        let attribution = parts.attribution();
        let judged = Judged { text, label: &self.brief.soul.disclosure, attribution: attribution.as_deref() };
        let open = self.brief.directives.iter().filter(|directive| directive.check(judged) == Verdict::Unchecked);
        open.map(|directive| directive.text.clone()).collect()
    }

    /// Whether it was quoted before, by this agent or for this campaign.
    pub(super) fn was_said(&self, sentence: &str) -> bool {
        self.earlier.iter().any(|(_, earlier)| earlier.contains(sentence)) || self.was_said_elsewhere(sentence)
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
}

/// The asker's language, the one that a person asked for, or the agent's own.
pub(super) fn written_in(brief: &Brief<'_>, comment: Option<&Comment>) -> Language {
    let asked_in = comment.and_then(|comment| language_of(comment.text.as_data()));
    asked_in.or_else(|| Wishes::of(brief.feedback).language).unwrap_or_else(|| language::of_agent(brief.soul))
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

/// Title and text of sources in the words in which perception reads them: the embedder knows those that it has understood lately.
fn as_items(brief: &Brief<'_>, sources: &BTreeSet<usize>) -> Vec<String> {
    let found = sources.iter().filter_map(|index| brief.sources.get(*index));
    found.map(|source| whole(source.title.as_data(), source.text.as_data()).into_data()).collect()
}

/// The goal, and what the operator says of this very text.
fn asked_for<'a>(brief: &Brief<'a>) -> impl Iterator<Item = &'a str> {
    std::iter::once(brief.goal).chain(brief.feedback.brief.as_deref())
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

pub(super) fn source_texts(source: &Source) -> impl Iterator<Item = &str> {
    let (link, site) = (source.url.as_ref().map(WebUrl::as_str), source.url.as_ref().map(WebUrl::site));
    let author = source.author.as_ref().map(Author::as_str);
    [Some(source.title.as_data()), Some(source.text.as_data()), link, author, site].into_iter().flatten()
}
