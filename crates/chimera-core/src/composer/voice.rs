//! How a persona sounds: openers and closers that say nothing about the world, so that they can stand before and after any source.

use crate::policy::wording::stems;

/// The phrases of one persona, in the order of its traits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    families: Vec<Family>,
    /// Traits that we have no phrases for.
    pub unknown_traits: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Warm,
    Playful,
    Witty,
    Curious,
    Bold,
    Analytical,
    Calm,
    Direct,
}

impl Voice {
    pub fn of(traits: &[String]) -> Self {
        let mut voice = Self { families: Vec::new(), unknown_traits: Vec::new() };
        for name in traits {
            match Family::named(name) {
                Some(family) if !voice.families.contains(&family) => voice.families.push(family),
                Some(_) => {}
                None => voice.unknown_traits.push(name.clone()),
            }
        }
        if voice.families.is_empty() {
            voice.families.push(Family::Direct);
        }
        voice
    }

    /// End with a colon: what follows is the source's.
    pub fn openers(&self) -> Vec<&'static str> {
        self.phrases(|phrases| phrases.openers)
    }

    pub fn closers(&self) -> Vec<&'static str> {
        self.phrases(|phrases| phrases.closers)
    }

    /// First words of a reply to a comment that asks nothing.
    pub fn thanks(&self) -> Vec<&'static str> {
        self.phrases(|phrases| phrases.thanks)
    }

    pub(super) fn has(&self, family: Family) -> bool {
        self.families.contains(&family)
    }

    fn phrases(&self, pick: fn(&Phrases) -> &'static [&'static str]) -> Vec<&'static str> {
        self.families.iter().flat_map(|family| pick(family.phrases())).copied().collect()
    }
}

/// Every phrase of every voice, for the grounding check: these words are ours and no claim.
pub fn all_phrases() -> impl Iterator<Item = &'static str> {
    Family::ALL.into_iter().flat_map(|family| {
        let phrases = family.phrases();
        phrases.openers.iter().chain(phrases.closers).chain(phrases.thanks).copied()
    })
}

pub(super) struct Phrases {
    /// Traits that sound like this, as they may be written.
    traits: &'static str,
    pub(super) openers: &'static [&'static str],
    pub(super) closers: &'static [&'static str],
    pub(super) thanks: &'static [&'static str],
}

impl Family {
    pub(super) const ALL: [Self; 8] =
        [Self::Warm, Self::Playful, Self::Witty, Self::Curious, Self::Bold, Self::Analytical, Self::Calm, Self::Direct];

    fn named(name: &str) -> Option<Self> {
        let words = stems(name);
        Self::ALL.into_iter().find(|family| stems(family.phrases().traits).iter().any(|known| words.contains(known)))
    }

    pub(super) fn phrases(self) -> &'static Phrases {
        match self {
            Self::Warm => &WARM,
            Self::Playful => &PLAYFUL,
            Self::Witty => &WITTY,
            Self::Curious => &CURIOUS,
            Self::Bold => &BOLD,
            Self::Analytical => &ANALYTICAL,
            Self::Calm => &CALM,
            Self::Direct => &DIRECT,
        }
    }
}

const WARM: Phrases = Phrases {
    traits: "warm friendly kind caring gentle empathetic welcoming supportive encouraging heartfelt compassionate generous hopeful optimistic",
    openers: &["Sharing this one with you:", "A good one to pass along:", "This deserves a minute of your day:", "Saved this one for you:"],
    closers: &[
        "How does this land with you?",
        "Tell me what you make of it.",
        "Who would you share this with?",
        "Pass it on to someone who would care.",
    ],
    thanks: &["Thank you for writing.", "Good to hear from you.", "Thanks for taking the time."],
};
const PLAYFUL: Phrases = Phrases {
    traits: "playful fun cheeky quirky silly whimsical cheerful upbeat bubbly joyful lively",
    openers: &["Okay, too good to keep quiet:", "Straight to the group chat:", "Drumroll, please:", "Small happy dance for this:"],
    closers: &["Go on, what's your take?", "Rate it from shrug to wow.", "Reactions below, please.", "Who needs to see this?"],
    thanks: &["Well, hello there.", "Hey, thanks for this.", "You made the comments better."],
};
const WITTY: Phrases = Phrases {
    traits: "witty funny humorous sarcastic dry ironic clever wry sharp",
    openers: &[
        "Could not make this up, so I did not:",
        "Filed under worth the scroll:",
        "Better than small talk:",
        "Not on my bingo card:",
    ],
    closers: &["Discuss. Politely.", "Your move, comments.", "No notes. Well, maybe yours.", "Hot takes, served lukewarm, below."],
    thanks: &["Noted, and appreciated.", "A comment with a point. Thank you.", "Fair enough."],
};
const CURIOUS: Phrases = Phrases {
    traits: "curious inquisitive exploratory thoughtful reflective wondering nerdy explorer philosophical imaginative visionary",
    openers: &["Worth a closer look:", "This made me look twice:", "Here is one to think about:", "A thread worth pulling:"],
    closers: &["What would you ask next?", "What do you make of it?", "What are we not asking yet?", "What else belongs in this picture?"],
    thanks: &["Thanks, that gives me something to think about.", "Good point to bring up.", "Thanks for adding to this."],
};
const BOLD: Phrases = Phrases {
    traits: "bold energetic confident passionate punchy daring fierce enthusiastic inspiring motivational ambitious dynamic edgy provocative",
    openers: &["Put this on your radar:", "Read this twice:", "Stop the scroll:", "Take this one with you:"],
    closers: &["Where do you stand?", "Say what you think.", "What would you do with this?", "Your turn."],
    thanks: &["Thanks for speaking up.", "Appreciate it.", "Heard."],
};
const ANALYTICAL: Phrases = Phrases {
    traits: "analytical precise expert informative factual knowledgeable professional authoritative technical rigorous measured academic data evidence educational insightful",
    openers: &["The key point:", "What stands out:", "Worth noting:", "The detail that matters:"],
    closers: &[
        "Which part matters most to you?",
        "What would you want to know next?",
        "How does that compare with what you see?",
        "Corrections and context welcome.",
    ],
    thanks: &["Thanks for the comment.", "Thank you, noted.", "Thanks, useful context."],
};
const CALM: Phrases = Phrases {
    traits: "calm minimal minimalist serene quiet soft spoken grounded patient poetic understated mindful soothing",
    openers: &["One thing worth knowing:", "Something to sit with:", "Quietly notable:", "A small note:"],
    closers: &["Take what is useful.", "No rush. Just worth knowing.", "Worth coming back to.", "Let it settle, then tell me."],
    thanks: &["Thank you.", "Thanks for stopping by.", "Glad you wrote."],
};
const DIRECT: Phrases = Phrases {
    traits: "direct concise plain honest straightforward nonsense blunt clear succinct practical pragmatic down",
    openers: &["In short:", "Here it is:", "Worth knowing:", "The short version:"],
    closers: &["Thoughts?", "Agree or not?", "Useful? Save it.", "What did I miss?"],
    thanks: &["Thanks for the comment.", "Thanks for that.", "Got it, thanks."],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_choose_the_phrases_and_unknown_ones_are_named() {
        let voice = Voice::of(&["Warm and caring".to_owned(), "data-driven".to_owned(), "purple".to_owned()]);

        assert!(voice.openers().contains(&WARM.openers[0]) && voice.openers().contains(&ANALYTICAL.openers[0]));
        assert!(!voice.openers().contains(&WITTY.openers[0]));
        assert_eq!(voice.unknown_traits, ["purple"]);
    }

    #[test]
    fn a_persona_of_unknown_traits_speaks_plainly() {
        assert_eq!(Voice::of(&["purple".to_owned()]).openers(), DIRECT.openers);
    }

    #[test]
    fn every_opener_hands_over_to_the_source_and_no_phrase_claims_a_number() {
        for family in Family::ALL {
            assert!(family.phrases().openers.iter().all(|opener| opener.ends_with(':')));
        }
        assert!(all_phrases().all(|phrase| !phrase.chars().any(|c| c.is_ascii_digit())));
    }
}
