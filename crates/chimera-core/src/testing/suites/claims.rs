//! Do faithful drafts in a capable writer's own words pass, and the same drafts with one thing changed not? `testing/claims/drafts.txt` has
//! twelve stories, five drafts of each and what was changed in them; it was written without a look at the checks. Nothing was fitted on any
//! of them.

use crate::{
    composer::{Assessed, Assignment, Brief, Feedback, Memory, Source, assess},
    domain::{Soul, Untrusted, WebUrl},
    perception::background::Background,
    ports::embedder::Embedder,
    testing::stories::PERSONAS,
};

static DRAFTS: &str = include_str!("../claims/drafts.txt");

struct Story {
    title: &'static str,
    text: &'static str,
    drafts: Vec<Draft>,
}

struct Draft {
    text: &'static str,
    changes: Vec<(&'static str, &'static str)>,
}

fn stories() -> Vec<Story> {
    let stories = DRAFTS.split("\n# ").map(|story| story.trim_start_matches("# "));
    let made = stories.map(|story| {
        let mut lines = story.lines().filter(|line| !line.is_empty());
        let (title, text) = (lines.next().unwrap(), lines.next().unwrap());
        let mut drafts: Vec<Draft> = Vec::new();
        for line in lines {
            match (line.strip_prefix("> "), line.split_once(" => ")) {
                (Some(text), _) => drafts.push(Draft { text, changes: Vec::new() }),
                (None, Some(change)) => drafts.last_mut().unwrap().changes.push(change),
                (None, None) => panic!("neither a draft nor a change: {line}"),
            }
        }
        Story { title, text, drafts }
    });
    made.collect()
}

/// What was refused of the drafts of some stories.
#[derive(Debug, Default)]
pub struct Refused {
    pub faithful: usize,
    /// Faithful drafts that were refused, with what was said against them.
    pub wrongly: Vec<String>,
    pub spoiled: usize,
    /// Spoiled drafts that passed.
    pub passed: Vec<String>,
}

/// Of the stories for which `is_of` holds, by their number.
pub fn refused(embedder: &dyn Embedder, is_of: impl Fn(usize) -> bool) -> Refused {
    let background = Background::new(embedder);
    let soul = Soul::parse(&PERSONAS[0].soul()).unwrap();
    let all = stories();
    let mut found = Refused::default();
    for (number, story) in all.iter().enumerate().filter(|(number, _)| is_of(*number)) {
        let other = &all[(number + 1) % all.len()];
        let sources = [source(story), source(other)];
        let judged = |text: &str| -> Assessed {
            let brief = Brief {
                now: chrono::DateTime::UNIX_EPOCH,
                seed: text,
                soul: &soul,
                goal: "Write about good news from small places",
                directives: &[],
                sources: &sources,
                platform: None,
                assignment: Assignment::default(),
                memory: &Memory::default(),
                feedback: &Feedback::default(),
                embedder,
                background: &background,
            };
            assess(&brief, None, text, "a test").unwrap()
        };
        for draft in &story.drafts {
            found.faithful += 1;
            let assessed = judged(draft.text);
            if !assessed.violations.is_empty() {
                found.wrongly.push(format!("{} {:?}", draft.text, assessed.violations));
            }
            for (old, new) in &draft.changes {
                assert!(draft.text.contains(old), "{old:?} is not in {:?}", draft.text);
                found.spoiled += 1;
                let text = draft.text.replacen(old, new, 1);
                if judged(&text).violations.is_empty() {
                    found.passed.push(text);
                }
            }
        }
    }
    found
}

fn source(story: &Story) -> Source {
    Source {
        resource_uri: "news://x/y".to_owned(),
        title: Untrusted::new(story.title),
        text: Untrusted::new(story.text),
        url: WebUrl::parse("https://news.example/a"),
        author: None,
        published_at: None,
    }
}
