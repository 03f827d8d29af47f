//! What the classifier looks at: the words of each sentence, and what they do in it, as places in a table of weights.
//! `scripts/fit/injection_features.py` is the same for fitting.

use super::{
    letters::{Script, is_word, script},
    lexicon::{Idea, hit_at, idea_count},
    model::BUCKETS,
};
use std::{fmt::Write as _, sync::LazyLock};

/// A text without marks is cut into sentences of this many words.
const SENTENCE_TOKENS_MAX: usize = 60;
/// Ideas that stand further apart than this many others have nothing to do with each other.
const IDEA_REACH: usize = 8;
const QUOTE_CHARS_MAX: usize = 200;
/// Of an Arabic or Ethiopic word, so many letters may be particles.
const PREFIX_CHARS_MAX: usize = 4;
/// A longer word says something by its beginning and its ending too.
const LONG_WORD_CHARS_MIN: usize = 6;
/// Marks that texts of prompts and markup have.
const MARKS: &str = "@#[]{}<>:?\"*=/";
const DISTINCT_IDEAS_MAX: usize = 6;

/// Places in the table, without doubles.
pub(super) type Places = Vec<u32>;

#[derive(Debug, Default, Clone)]
pub(super) struct Sentence {
    pub(super) words: Places,
    pub(super) ideas: Vec<Found>,
    tokens: usize,
}

/// What a word does, and whether the text only quotes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) idea: Idea,
    pub(super) quoted: bool,
}

/// The sentences of folded text.
pub(super) fn sentences(folded: &str) -> Vec<Sentence> {
    let text: Vec<char> = folded.chars().collect();
    let mut reader =
        Reader { quotes: told_quotes(&text), text, sentences: Vec::new(), current: Sentence::default(), before: None, covered: 0 };
    let mut at = 0;
    while at < reader.text.len() {
        let c = reader.text[at];
        let ends = if is_word(c) {
            at = reader.read_word(at);
            false
        } else {
            if MARKS.contains(c) {
                reader.current.words.push(place(format_args!("m{c}")));
            }
            at += 1;
            ends_sentence(&reader.text, at)
        };
        if reader.current.tokens >= if ends { 1 } else { SENTENCE_TOKENS_MAX } {
            reader.end_sentence();
        }
    }
    if reader.current.tokens > 0 {
        reader.end_sentence();
    }
    reader.sentences
}

/// Whether the mark before `at` ends a sentence: some always do, others where nothing but closing marks stands before a space.
fn ends_sentence(text: &[char], at: usize) -> bool {
    match text[at - 1] {
        '。' | '।' | '።' | '؟' | '|' => true,
        '.' | '!' | '?' => {
            let after = text[at..].iter().find(|c| !matches!(c, '"' | '”' | '»' | '」' | '』' | ')' | '\'' | '’'));
            after.is_none_or(|c| *c == ' ')
        }
        _ => false,
    }
}

/// From the opening to the closing mark of what the text quotes: a quotation follows a word, as in: the page said "…". Marks that follow
/// other marks are those of a data format, and what they hold is the text itself.
fn told_quotes(text: &[char]) -> Vec<(usize, usize)> {
    let mut quotes = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if let Some(closing) = closing_mark(text[at]) {
            let reach = text.len().min(at + 1 + QUOTE_CHARS_MAX);
            if let Some(length) = text[at + 1..reach].iter().position(|c| *c == closing) {
                let end = at + 1 + length;
                let mut before = text[..at].iter().rev().skip_while(|c| **c == ' ');
                let follows_word = match before.next() {
                    Some(',' | '(') => true,
                    Some(':') => before.next().is_some_and(|c| is_word(*c)),
                    Some(c) => is_word(*c),
                    None => false,
                };
                if follows_word {
                    quotes.push((at, end));
                }
                at = end;
            }
        }
        at += 1;
    }
    quotes
}

fn closing_mark(opening: char) -> Option<char> {
    Some(match opening {
        '"' => '"',
        '“' => '”',
        '„' => '“',
        '«' => '»',
        '»' => '«',
        '「' => '」',
        '『' => '』',
        _ => return None,
    })
}

struct Reader {
    text: Vec<char>,
    quotes: Vec<(usize, usize)>,
    sentences: Vec<Sentence>,
    current: Sentence,
    /// The last word, for pairs of words.
    before: Option<(usize, usize)>,
    /// Up to here ideas were found.
    covered: usize,
}

impl Reader {
    /// Returns where the word ends.
    fn read_word(&mut self, at: usize) -> usize {
        let kind = script(self.text[at]);
        let is_dense = kind == Script::Dense;
        let belongs = |c: &&char| is_word(**c) && (script(**c) == Script::Dense) == is_dense;
        let end = at + self.text[at..].iter().take_while(belongs).count();
        let quoted = self.quotes.iter().any(|(open, close)| *open < at && at < *close);
        let starts = match kind {
            Script::Dense => at..end,
            Script::Prefixing => at..end.min(at + PREFIX_CHARS_MAX),
            Script::Spaced => at..at + 1,
        };
        for start in starts {
            self.find_idea(start, at, quoted);
        }
        if is_dense {
            self.add_dense(at, end, quoted);
        } else {
            self.add_spaced(at, end, quoted);
        }
        end
    }

    fn find_idea(&mut self, start: usize, word_start: usize, quoted: bool) {
        if start < self.covered {
            return;
        }
        let Some(hit) = hit_at(&self.text, start) else { return };
        self.covered = hit.end;
        self.current.ideas.push(Found { idea: hit.idea, quoted });
        if self.current.tokens == 0 && start == word_start {
            self.current.words.push(place(format_args!("^k{}", hit.idea)));
        }
    }

    fn add_dense(&mut self, at: usize, end: usize, quoted: bool) {
        let run = &self.text[at..end];
        self.current.words.extend(run.windows(2).map(|pair| Hash::of(quoted, b'c').letters(pair).place()));
        self.current.words.extend(run.windows(3).map(|three| Hash::of(quoted, b't').letters(three).place()));
        self.current.tokens += (run.len() / 2).max(1);
        self.before = None;
    }

    fn add_spaced(&mut self, at: usize, end: usize, quoted: bool) {
        const NUMBER: [char; 1] = ['0'];
        fn shown(text: &[char]) -> &[char] {
            if text.iter().all(|c| c.is_numeric()) { &NUMBER } else { text }
        }
        let word = shown(&self.text[at..end]);
        let places = &mut self.current.words;
        places.push(Hash::of(quoted, b'w').letters(word).place());
        if let Some((start, stop)) = self.before {
            places.push(Hash::of(quoted, b'b').letters(shown(&self.text[start..stop])).letters(&[' ']).letters(word).place());
        }
        if self.current.tokens == 0 {
            places.push(Hash::new().byte(b'^').byte(b'w').letters(word).place());
        }
        if word.len() >= LONG_WORD_CHARS_MIN {
            places.push(Hash::of(quoted, b'p').letters(&word[..4]).place());
            places.push(Hash::of(quoted, b's').letters(&word[word.len() - 3..]).place());
        }
        self.current.tokens += 1;
        self.before = Some((at, end));
    }

    fn end_sentence(&mut self) {
        let mut sentence = std::mem::take(&mut self.current);
        sentence.words.sort_unstable();
        sentence.words.dedup();
        self.before = None;
        self.sentences.push(sentence);
    }
}

/// Which ideas there are, which follow each other, and how many.
pub(super) fn idea_places(ideas: &[Found]) -> Places {
    static TABLE: LazyLock<IdeaTable> = LazyLock::new(IdeaTable::new);
    let mut places = Places::new();
    for (at, found) in ideas.iter().enumerate() {
        places.push(TABLE.single[usize::from(found.quoted)][found.idea]);
        for (distance, other) in ideas[at + 1..].iter().take(IDEA_REACH).enumerate() {
            let quoted = found.quoted || other.quoted;
            let pair = found.idea.min(other.idea) * idea_count() + found.idea.max(other.idea);
            places.push(TABLE.together[usize::from(quoted)][pair]);
            if distance == 0 {
                places.push(TABLE.in_turn[usize::from(quoted)][found.idea * idea_count() + other.idea]);
                if let Some(third) = ideas.get(at + 2) {
                    places.push(Hash::of(quoted, b'T').text(format_args!("{},{},{}", found.idea, other.idea, third.idea)).place());
                }
            }
        }
    }
    let mut unquoted: Vec<Idea> = ideas.iter().filter(|found| !found.quoted).map(|found| found.idea).collect();
    unquoted.sort_unstable();
    unquoted.dedup();
    places.push(place(format_args!("n{}", unquoted.len().min(DISTINCT_IDEAS_MAX))));
    places.sort_unstable();
    places.dedup();
    places
}

/// Places of ideas and of pairs of them, unquoted and quoted: there are few, and each text has many.
struct IdeaTable {
    single: [Vec<u32>; 2],
    together: [Vec<u32>; 2],
    in_turn: [Vec<u32>; 2],
}

impl IdeaTable {
    fn new() -> Self {
        let pairs = |kind: u8, quoted: bool| {
            let count = idea_count();
            (0..count * count).map(|pair| Hash::of(quoted, kind).text(format_args!("{},{}", pair / count, pair % count)).place()).collect()
        };
        let single = |quoted: bool| (0..idea_count()).map(|idea| Hash::of(quoted, b'k').text(format_args!("{idea}")).place()).collect();
        Self {
            single: [false, true].map(single),
            together: [false, true].map(|quoted| pairs(b'U', quoted)),
            in_turn: [false, true].map(|quoted| pairs(b'K', quoted)),
        }
    }
}

fn place(text: std::fmt::Arguments<'_>) -> u32 {
    Hash::new().text(text).place()
}

/// CRC-32, which Python's standard library has too.
#[derive(Clone, Copy)]
struct Hash(u32);

impl Hash {
    fn new() -> Self {
        Self(u32::MAX)
    }

    fn of(quoted: bool, kind: u8) -> Self {
        if quoted { Self::new().byte(b'q').byte(kind) } else { Self::new().byte(kind) }
    }

    fn byte(self, byte: u8) -> Self {
        Self(CRC[usize::from(self.0.to_le_bytes()[0] ^ byte)] ^ (self.0 >> 8))
    }

    fn letters(self, letters: &[char]) -> Self {
        letters.iter().fold(self, |hash, c| c.encode_utf8(&mut [0; 4]).bytes().fold(hash, Self::byte))
    }

    fn text(mut self, text: std::fmt::Arguments<'_>) -> Self {
        self.write_fmt(text).expect("adding to a sum cannot fail");
        self
    }

    fn place(self) -> u32 {
        !self.0 & (BUCKETS as u32 - 1)
    }
}

impl std::fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        *self = text.bytes().fold(*self, Self::byte);
        Ok(())
    }
}

const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut value = at as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
};
