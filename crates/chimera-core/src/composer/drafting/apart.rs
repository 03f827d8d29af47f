//! One story on several platforms: each telling has words of its own, as long as the material has some.

use super::{Desk, Draft};

impl Desk<'_> {
    /// Without drafts that say what the agent says of the story on another platform, unless all do. Tellings that are written at the same
    /// time know nothing of each other: each leaves the best drafts to those before it.
    pub(in crate::composer) fn told_apart(&self, drafts: Vec<Draft>) -> Vec<Draft> {
        // A belief may stand on several platforms beside what each of them is told.
        let is_quoted = |sentence: &&String| !self.brief.soul.core_beliefs.contains(*sentence);
        let is_said = |draft: &Draft| draft.parts.sentences.iter().filter(is_quoted).any(|sentence| self.was_said_elsewhere(sentence));
        let (_, new): (Vec<Draft>, Vec<Draft>) = drafts.iter().cloned().partition(is_said);
        let mut left = if new.is_empty() { drafts } else { new };
        let told = u32::try_from(self.brief.memory.elsewhere.len()).unwrap_or(u32::MAX);
        let unknown = self.brief.assignment.telling.saturating_sub(1).saturating_sub(told);
        for _ in 0..unknown {
            let Some(best) = left.iter().reduce(|best, draft| if draft.worth() > best.worth() { draft } else { best }) else { break };
            let taken = best.parts.sentences.clone();
            let is_other = |draft: &&Draft| !draft.parts.sentences.iter().filter(is_quoted).any(|said| taken.contains(said));
            let others: Vec<Draft> = left.iter().filter(is_other).cloned().collect();
            if others.is_empty() {
                break;
            }
            left = others;
        }
        left
    }

    /// Whether the agent said it of the same story on another platform.
    pub(in crate::composer) fn was_said_elsewhere(&self, sentence: &str) -> bool {
        self.brief.memory.elsewhere.iter().any(|text| text.contains(sentence))
    }
}
