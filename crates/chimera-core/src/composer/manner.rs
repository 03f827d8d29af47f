//! Whether a text sounds like its persona: marks of each kind of voice, counted in what is not taken from the sources.

use super::voice::{Family, Voice};
use crate::{domain::platform::is_emoji, policy::wording::stems};
use unicode_segmentation::UnicodeSegmentation;

/// How many marks of its own and of other voices a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Manner {
    pub own: usize,
    pub foreign: usize,
}

impl Manner {
    /// 1 for the persona's own voice, less without it, least for somebody else's.
    pub fn value(self) -> f64 {
        match (self.own, self.foreign) {
            (0, 0) => 0.95,
            (own, 0) if own > 0 => 1.0,
            (own, foreign) if own >= foreign => 0.9,
            (_, 1) => 0.8,
            (_, _) => 0.7,
        }
    }
}

/// `talk` is the part of a text that no source says.
pub fn manner(voice: &Voice, talk: &str) -> Manner {
    let mut found = Manner::default();
    let lowered = format!(" {} ", stems(talk).join(" "));
    for family in Family::ALL {
        let marked = marks(family).split(',').filter(|mark| lowered.contains(&format!(" {} ", stems(mark).join(" ")))).count();
        let count = marked + usize::from(shape(family, talk));
        if voice.has(family) { found.own += count } else { found.foreign += count }
    }
    found
}

/// A text must not look loud or sleepy where the persona is not.
fn shape(family: Family, talk: &str) -> bool {
    let exclamations = talk.matches('!').count();
    let emoji = talk.graphemes(true).filter(|grapheme| is_emoji(grapheme)).count();
    let shouted = talk.unicode_words().filter(|word| word.chars().count() >= 4 && word.chars().all(char::is_uppercase)).count();
    match family {
        Family::Playful => emoji >= 2,
        Family::Bold => exclamations >= 2 || shouted >= 1,
        Family::Calm => talk.contains('…') || talk.contains("..."),
        Family::Warm | Family::Witty | Family::Curious | Family::Analytical | Family::Direct => false,
    }
}

/// Words and turns that give a voice away.
fn marks(family: Family) -> &'static str {
    match family {
        Family::Warm => {
            "dear friends,dear friend,my dears,sending love,hugs,hug,from my heart,with love,you are not alone,so grateful,grateful,we care,cherish,lovely people,big thank you,bless"
        }
        Family::Playful => {
            "yay,woohoo,haha,hehe,lol,omg,oops,whee,party time,bestie,besties,yummy,giggle,giggling,silly,tada,wiggle,boop,squeal,yippee,confetti"
        }
        Family::Witty => {
            "plot twist,spoiler alert,spoiler,apparently,shocking nobody,who knew,as one does,stop the presses,allegedly fun,groundbreaking stuff,in other shocking news,colour me surprised,color me surprised,eye roll,imagine my surprise,riveting"
        }
        Family::Curious => {
            "i wonder,makes me wonder,what if,ever wondered,curious to know,i keep asking,imagine if,let us explore,rabbit hole,fascinating question,makes you think"
        }
        Family::Bold => {
            "unstoppable,crush it,crushing it,no excuses,go hard,level up,game changer,game changing,dominate,on fire,wake up,let us go,lets go,rise up,own it,smash,beast mode,fearless"
        }
        Family::Analytical => {
            "the data show,data shows,statistically,evidence suggests,evidence,sample size,baseline,correlation,per capita,methodology,margin of error,empirically,quantify,metric,metrics,hypothesis,significant effect"
        }
        Family::Calm => {
            "breathe,take a breath,breath,gently,softly,stillness,be still,slow down,rest a while,let go,inner peace,serenity,quiet moment,unhurried,soothe"
        }
        Family::Direct => {
            "bottom line,no fluff,long story short,straight up,period,end of story,cut to the chase,simple as that,facts only,here is the deal"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(traits: &[&str]) -> Voice {
        Voice::of(&traits.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_persona_sounds_like_itself_and_not_like_another() {
        let calm = voice(&["calm"]);

        assert!((manner(&calm, "Something to sit with, unhurried.").value() - 1.0).abs() < f64::EPSILON);
        assert!(manner(&calm, "OMG besties, party time!!! 🎉🎉").value() < 0.8);
        assert!(manner(&calm, "The lanes are open.").value() > 0.9);
        assert!((manner(&voice(&["playful"]), "OMG besties, party time 🎉🎉").value() - 1.0).abs() < f64::EPSILON);
    }
}
