//! What kinds of voice a persona's traits name.

use crate::policy::wording::stems;

/// The voice of one persona, in the order of its traits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voice {
    families: Vec<Family>,
    /// Traits that name no kind of voice that we know.
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

    pub(super) fn has(&self, family: Family) -> bool {
        self.families.contains(&family)
    }
}

impl Family {
    pub(super) const ALL: [Self; 8] =
        [Self::Warm, Self::Playful, Self::Witty, Self::Curious, Self::Bold, Self::Analytical, Self::Calm, Self::Direct];

    fn named(name: &str) -> Option<Self> {
        let words = stems(name);
        Self::ALL.into_iter().find(|family| stems(family.traits()).iter().any(|known| words.contains(known)))
    }

    /// Traits that sound like this, as they may be written.
    fn traits(self) -> &'static str {
        match self {
            Self::Warm => {
                "warm friendly kind caring gentle empathetic welcoming supportive encouraging heartfelt compassionate generous hopeful optimistic"
            }
            Self::Playful => "playful fun cheeky quirky silly whimsical cheerful upbeat bubbly joyful lively",
            Self::Witty => "witty funny humorous sarcastic dry ironic clever wry sharp",
            Self::Curious => {
                "curious inquisitive exploratory thoughtful reflective wondering nerdy explorer philosophical imaginative visionary"
            }
            Self::Bold => {
                "bold energetic confident passionate punchy daring fierce enthusiastic inspiring motivational ambitious dynamic edgy provocative"
            }
            Self::Analytical => {
                "analytical precise expert informative factual knowledgeable professional authoritative technical rigorous measured academic data evidence educational insightful"
            }
            Self::Calm => "calm minimal minimalist serene quiet soft spoken grounded patient poetic understated mindful soothing",
            Self::Direct => "direct concise plain honest straightforward nonsense blunt clear succinct practical pragmatic down",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_choose_the_voice_and_unknown_ones_are_named() {
        let voice = Voice::of(&["Warm and caring".to_owned(), "data-driven".to_owned(), "purple".to_owned()]);

        assert!(voice.has(Family::Warm) && voice.has(Family::Analytical) && !voice.has(Family::Witty));
        assert_eq!(voice.unknown_traits, ["purple"]);
        assert!(Voice::of(&["purple".to_owned()]).has(Family::Direct), "a persona of unknown traits speaks plainly");
    }
}
