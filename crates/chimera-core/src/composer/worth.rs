//! What a reader gets from a post, counted: how much it says, how it is built, whether it speaks to somebody, and how loud, hollow or broken it is. None
//! of it needs more than words.

mod stock;

use super::{
    sentences::{is_grave, split},
    standing::telling,
};
use crate::domain::platform::is_emoji;
use unicode_segmentation::UnicodeSegmentation;

/// What was counted in one text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Worth {
    /// Signs of Chinese and Japanese count half.
    pub words: f64,
    pub sentences: f64,
    /// The share of its telling words that the goal has.
    pub of_goal: f64,
    /// Loud words, emoji, exclamation marks, long words in capitals.
    pub loud: f64,
    /// Loud words and emoji about loss.
    pub jokes_at_graves: f64,
    /// Phrases that would fit any story.
    pub stock: f64,
    /// Words for whoever speaks or is spoken to.
    pub addresses: f64,
    /// Places where it is cut, unfinished, written small or has doubled signs.
    pub broken: f64,
}

impl Worth {
    /// `items` are titles and texts of the sources.
    pub fn of<'a>(text: &str, goal: &str, items: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let sentences = split(text);
        let (telling, of_goal) = (telling(text), telling(goal));
        let (stock, hype) = stock::counted(text);
        let emoji = text.graphemes(true).filter(|grapheme| is_emoji(grapheme)).count();
        let is_about_loss = items.into_iter().any(|(title, text)| is_grave(title) || is_grave(text));
        Self {
            words: text.unicode_words().map(|word| if word.starts_with(is_dense) { 0.5 } else { 1.0 }).sum(),
            sentences: sentences.len() as f64,
            of_goal: telling.intersection(&of_goal).count() as f64 / telling.len().max(1) as f64,
            loud: (hype + emoji + signs(text)) as f64,
            jokes_at_graves: if is_about_loss { (emoji + hype) as f64 } else { 0.0 },
            stock: stock as f64,
            addresses: addresses(text) as f64,
            broken: broken(text, &sentences) as f64,
        }
    }
}

fn is_dense(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff)
}

/// Exclamation marks, and long words in capitals.
fn signs(text: &str) -> usize {
    let is_shouted = |word: &&str| word.chars().count() >= 5 && word.chars().all(char::is_uppercase);
    text.matches(['!', '！']).count() + text.unicode_words().filter(is_shouted).count()
}

/// Somebody speaks, or is spoken to. In languages that say so in the verb it is not seen.
fn addresses(text: &str) -> usize {
    const PERSONS: &str = " i i'm i'd i've i'll me my mine we we're us our you your yours you'd you're let's yo me mi mis tú tu tus te ti nosotros usted je j' moi mon ma mes nous vous \
        ton ta tes toi tu ich mir mich mein meine wir uns unser du dir dich dein deine ihr euch eu meu minha você nós io mio mia noi voi ik mij mijn wij jij je jouw \
        mimi wewe sisi ninyi እኔ አንተ እኛ أنا أنت نحن मैं आप हम तुम 我 你 我们 你们 私 あなた ";
    let words = text.to_lowercase().replace('’', "'");
    words.unicode_words().filter(|word| PERSONS.contains(&format!(" {word} "))).count()
}

fn broken(text: &str, sentences: &[String]) -> usize {
    const DOUBLED: [&str; 12] = ["..", "??", "!!", ",,", " .", " ,", ".:", "?.", "!.", "…", "[1]", "&amp;"];
    let begins_small = text.chars().next().is_some_and(char::is_lowercase);
    let is_cut = |last: &String| last.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | ';' | ':'));
    let is_open = text.matches('(').count() != text.matches(')').count();
    let is_quote_open = !text.matches('"').count().is_multiple_of(2);
    let doubled = DOUBLED.iter().filter(|doubled| text.contains(**doubled)).count();
    let others = [begins_small, sentences.last().is_some_and(is_cut), is_open, is_quote_open];
    doubled + others.into_iter().filter(|is_so| *is_so).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Worth {
        Worth::of(
            text,
            "Follow bike lanes in Addis Ababa",
            [("Lanes open", "Addis Ababa opened 40 km of lanes after two riders were killed.")],
        )
    }

    fn counted(count: f64) -> usize {
        count as usize
    }

    #[test]
    fn what_is_loud_hollow_or_broken_is_counted() {
        assert_eq!(counted(of("Addis Ababa opened 40 km of lanes.").loud), 0);
        assert_eq!(counted(of("OMG, new lanes!! 🎉").loud), 4);
        assert_eq!(counted(of("OMG, new lanes!! 🎉").jokes_at_graves), 2, "people died");
        assert_eq!(counted(of("Stay tuned. Did you know that lanes are the future of cities?").stock), 3);
        assert_eq!(counted(of("¿Sabías que hay carriles? ¡No te lo pierdas!").stock), 2);
        assert_eq!(counted(of("新しい道が開通。今後に注目です").stock), 2);
        assert_eq!(counted(of("the lanes (40 km opened..").broken), 3);
        assert_eq!(counted(of("The lanes opened. They are 40 km long.").broken), 0);
    }

    #[test]
    fn the_goal_said_again_and_who_is_spoken_to_are_seen() {
        assert!(of("Bike lanes in Addis Ababa! Follow bike lanes.").of_goal > 0.9);
        assert!(of("Forty kilometres opened on Monday, said the mayor.").of_goal < 0.1);
        assert_eq!(counted(of("I would ride there, and so should you.").addresses), 2);
        assert!(of("新しい橋が開通した。").words < 9.0, "a sign is no word");
    }
}
