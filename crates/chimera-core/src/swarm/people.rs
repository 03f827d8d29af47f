//! A person's word on content: approve, reject with a reason, or edit. What they say is remembered by the agent.

use super::judge;
use crate::{
    contracts::{
        UuidV4,
        memory_context::MemoryRole,
        review::{ReviewAction, ReviewAnswer},
    },
    domain::platform::Platform,
    ports::{
        StoreError,
        memories::MemoryRecord,
        swarm::{PersonsWord, ReviewCase, ReviewOutcome, Reviews},
    },
};

#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("an edit needs the edited artifact, with text")]
    NothingEdited,
    #[error("the edited text is too long for {platform}")]
    TooLong { platform: String },
    #[error("the review's content cannot be published: it has no platform or no text")]
    Unpublishable,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Puts the answer on record, with all that follows from it.
pub async fn answer(reviews: &dyn Reviews, answer: &ReviewAnswer) -> Result<ReviewOutcome, AnswerError> {
    let Some(case) = reviews.case(answer.review_id).await? else { return Ok(ReviewOutcome::NotFound) };
    let word = word(&case, answer)?;
    Ok(reviews.answer(answer, &word).await?)
}

fn word(case: &ReviewCase, answer: &ReviewAnswer) -> Result<PersonsWord, AnswerError> {
    let post = || judge::post(&case.task, &case.result).ok_or(AnswerError::Unpublishable);
    match answer.action {
        ReviewAction::Approve => Ok(PersonsWord::Publish { post: post()?, lesson: None }),
        ReviewAction::Reject => {
            let feedback = answer.reason.clone().unwrap_or_else(|| "a person rejected it".to_owned());
            let lesson = lesson(case, answer, format!("A person rejected what you wrote: {feedback}"));
            Ok(PersonsWord::Return { feedback, lesson })
        }
        ReviewAction::Edit => {
            let mut post = post()?;
            let edited = answer.edited_artifact.as_ref().and_then(|artifact| artifact.payload_text.as_deref()).map(str::trim);
            let edited = edited.filter(|text| !text.is_empty()).ok_or(AnswerError::NothingEdited)?;
            if let Ok(platform) = post.platform.parse::<Platform>()
                && !platform.limits().allows(edited)
            {
                return Err(AnswerError::TooLong { platform: post.platform });
            }
            let lesson = lesson(case, answer, format!("A person edited what you wrote. {}", difference(&post.text, edited)));
            post.text = edited.to_owned();
            if let Some(media_uri) = answer.edited_artifact.as_ref().and_then(|artifact| artifact.payload_media_uri.clone()) {
                post.media_uri = Some(media_uri);
            }
            Ok(PersonsWord::Publish { post, lesson })
        }
    }
}

fn lesson(case: &ReviewCase, answer: &ReviewAnswer, content: String) -> Option<MemoryRecord> {
    let id = UuidV4::named(&["lesson", &answer.review_id.to_string()]);
    let agent = case.task.context.agent_id.parse().ok()?;
    Some(MemoryRecord { id, agent, at: answer.reviewed_at.0, role: MemoryRole::User, content, campaign: None })
}

/// The words that the edit took out and put in, in one sentence each; what both have at the start and the end is left out.
fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split_whitespace().collect(), after.split_whitespace().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same_start..], &new[same_start..]);
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - same_end], &new[..new.len() - same_end]);
    let mut parts = Vec::new();
    if !old.is_empty() {
        parts.push(format!("Taken out: \"{}\".", old.join(" ")));
    }
    if !new.is_empty() {
        parts.push(format!("Put in: \"{}\".", new.join(" ")));
    }
    if parts.is_empty() { "Only the spacing changed.".to_owned() } else { parts.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_difference_names_what_went_and_what_came() {
        for (before, after, expected) in [
            ("a new roast tastes good", "a new roast tastes of bergamot", "Taken out: \"good\". Put in: \"of bergamot\"."),
            ("buy it now please", "buy it please", "Taken out: \"now\"."),
            ("buy it", "buy it now", "Put in: \"now\"."),
            ("one two", "one  two", "Only the spacing changed."),
            ("a b a", "a", "Taken out: \"b a\"."),
        ] {
            assert_eq!(difference(before, after), expected, "{before:?} {after:?}");
        }
    }
}
