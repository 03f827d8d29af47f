//! A person's word on content: approve, reject with a reason, or edit. What they say is remembered by the agent.

use super::judge;
use crate::{
    contracts::{
        UuidV4,
        content_generator::Artifact,
        lesson::Lesson,
        memory_context::MemoryRole,
        result::WorkerResult,
        review::{ReviewAction, ReviewAnswer},
        task::AgentTask,
    },
    domain::{asset::AssetId, platform::Platform},
    policy::{
        publication::{Persona, Unpublishable, attribution},
        sensitive,
    },
    ports::{
        StoreError,
        agents::Agents,
        assets::Assets,
        content_check::{ContentCheck, Unchecked},
        memories::MemoryRecord,
        swarm::{PersonsWord, Post, ReviewOutcome, Reviews},
    },
};

/// Why an answer was not taken. Nothing is changed by it: the review waits as before.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("an edit needs the edited artifact, with text")]
    NothingEdited,
    #[error("nothing was made that could be edited: approve to have it tried again, or reject to give it up")]
    NothingMade,
    #[error("an edit changes text and picture, and this one names {given} where the review is about {wanted}")]
    AnotherKind { given: String, wanted: String },
    #[error("the text is {over} too long for {platform} with the AI label {label:?}, which every post carries; shorten it")]
    NoRoomForLabel { platform: &'static str, label: String, over: usize },
    #[error("{}", told(.0))]
    Unpublishable(Vec<Unpublishable>),
    #[error("the edited text may offend; say it another way")]
    Offensive,
    #[error("of the edited text, {0}; try again later")]
    Unchecked(#[from] Unchecked),
    #[error(
        "the edit brings in {topics}, which the text that you were asked about did not touch; take it out, or say with --reason why it belongs there"
    )]
    NewTopic { topics: String },
    #[error("{uri:?} is not a picture or video of this agent")]
    NotItsMedia { uri: String },
    #[error("nothing of this agent can be published: {0}")]
    NoPersona(String),
    #[error("the review's content cannot be published: it has no platform or no text")]
    NoContent,
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn told(problems: &[Unpublishable]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// What a person's word on content is held against.
#[derive(Clone, Copy)]
pub struct Safeguards<'a> {
    pub agents: &'a dyn Agents,
    pub content: &'a dyn ContentCheck,
    pub assets: &'a dyn Assets,
}

/// Puts the answer on record, with all that follows from it.
pub async fn answer(reviews: &dyn Reviews, safeguards: Safeguards<'_>, answer: &ReviewAnswer) -> Result<ReviewOutcome, AnswerError> {
    match check(reviews, safeguards, answer).await? {
        Some(word) => Ok(reviews.answer(answer, &word).await?),
        None => Ok(ReviewOutcome::NotFound),
    }
}

/// What would follow from the answer, or why it would not be taken; changes nothing. `None`: there is no such review, or it is about money.
pub async fn check(reviews: &dyn Reviews, safeguards: Safeguards<'_>, answer: &ReviewAnswer) -> Result<Option<PersonsWord>, AnswerError> {
    let Some(case) = reviews.case(answer.review_id).await? else { return Ok(None) };
    Ok(Some(match (answer.action, &case.result) {
        (ReviewAction::Approve, Some(result)) => {
            PersonsWord::Publish { post: approved(&case.task, result, safeguards).await?, lesson: None }
        }
        (ReviewAction::Approve, None) => PersonsWord::TryAgain,
        (ReviewAction::Reject, Some(result)) => rejected(&case.task, result, answer),
        (ReviewAction::Reject, None) => PersonsWord::GiveUp { lesson: None },
        (ReviewAction::Edit, Some(result)) => edited(&case.task, result, safeguards, answer).await?,
        (ReviewAction::Edit, None) => return Err(AnswerError::NothingMade),
    }))
}

/// Back with the reason, which the next attempt goes by; or for good.
fn rejected(task: &AgentTask, result: &WorkerResult, answer: &ReviewAnswer) -> PersonsWord {
    let feedback = answer.reason.clone().unwrap_or_else(|| "a person rejected it".to_owned());
    let lesson = lesson(task, result, answer, format!("A person rejected what you wrote: {feedback}"), None);
    if answer.give_up { PersonsWord::GiveUp { lesson } } else { PersonsWord::Return { feedback, lesson } }
}

/// A person may say yes to a breached directive or a delicate topic, which is what they are asked about; not to a post without its label.
async fn approved(task: &AgentTask, result: &WorkerResult, safeguards: Safeguards<'_>) -> Result<Post, AnswerError> {
    let mut post = judge::post(task, result).ok_or(AnswerError::NoContent)?;
    let persona = judge::persona_of(safeguards.agents, task).await?.map_err(AnswerError::NoPersona)?;
    post.text = labelled(&persona, &post.platform, &post.text)?;
    let mut problems = persona.problems(post.platform.parse().ok(), &post.text, None);
    problems.retain(|problem| !matches!(problem, Unpublishable::Breach { .. }));
    if problems.is_empty() { Ok(post) } else { Err(AnswerError::Unpublishable(problems)) }
}

/// What a person writes passes everything that an agent's own text passes.
async fn edited(
    task: &AgentTask,
    result: &WorkerResult,
    safeguards: Safeguards<'_>,
    answer: &ReviewAnswer,
) -> Result<PersonsWord, AnswerError> {
    let mut post = judge::post(task, result).ok_or(AnswerError::NoContent)?;
    let artifact = answer.edited_artifact.as_ref().ok_or(AnswerError::NothingEdited)?;
    let given = artifact.payload_text.as_deref().map(str::trim).filter(|text| !text.is_empty()).ok_or(AnswerError::NothingEdited)?;
    same_kind(artifact, result, &post)?;
    let persona = judge::persona_of(safeguards.agents, task).await?.map_err(AnswerError::NoPersona)?;
    let text = labelled(&persona, &post.platform, given)?;
    let problems = persona.problems(post.platform.parse().ok(), &text, attribution(&post.text));
    if !problems.is_empty() {
        return Err(AnswerError::Unpublishable(problems));
    }
    // Also as it was written: a label must not make it look milder than it is.
    for text in [given, &text] {
        if safeguards.content.check(text).await?.is_offensive {
            return Err(AnswerError::Offensive);
        }
    }
    let known = topics(safeguards.content, &post.text).await?;
    let new: Vec<&str> = topics(safeguards.content, &text).await?.into_iter().filter(|topic| !known.contains(topic)).collect();
    let has_reason = answer.reason.as_deref().is_some_and(|reason| !reason.trim().is_empty());
    if !new.is_empty() && !has_reason {
        return Err(AnswerError::NewTopic { topics: new.join(" and ") });
    }
    if let Some(uri) = artifact.payload_media_uri.clone().filter(|uri| post.media_uri.as_ref() != Some(uri)) {
        post.media_uri = Some(own_media(safeguards.assets, &post, uri).await?);
    }
    let told = format!("A person edited what you wrote. {}", difference(&post.text, &text));
    let lesson = lesson(task, result, answer, told, Some(&text));
    post.text = text;
    Ok(PersonsWord::Publish { post, lesson })
}

/// An edit that means another post is a slip, and would be published as something else than its writer thinks.
fn same_kind(artifact: &Artifact, result: &WorkerResult, post: &Post) -> Result<(), AnswerError> {
    let wanted = result.artifact.as_ref().map(|original| original.content_type);
    if artifact.platform_target.as_ref().is_some_and(|platform| *platform != post.platform) {
        let given = artifact.platform_target.clone().unwrap_or_default();
        return Err(AnswerError::AnotherKind { given, wanted: post.platform.clone() });
    }
    // A text may get a picture; nothing else changes its kind.
    let gets_picture = artifact.payload_media_uri.is_some();
    match wanted {
        Some(wanted) if wanted != artifact.content_type && !gets_picture => {
            Err(AnswerError::AnotherKind { given: format!("{:?}", artifact.content_type), wanted: format!("{wanted:?}") })
        }
        _ => Ok(()),
    }
}

/// The text with its label, put back where it is missing and fits.
fn labelled(persona: &Persona, platform: &str, text: &str) -> Result<String, AnswerError> {
    let labelled = persona.labelled(text);
    let Ok(platform) = platform.parse::<Platform>() else { return Ok(labelled) };
    let limits = platform.limits();
    if limits.allows(text) && !limits.allows(&labelled) {
        let over = limits.length(&labelled).saturating_sub(limits.length_max);
        return Err(AnswerError::NoRoomForLabel { platform: platform.name(), label: persona.label.clone(), over });
    }
    Ok(labelled)
}

async fn topics(content: &dyn ContentCheck, text: &str) -> Result<Vec<&'static str>, Unchecked> {
    let by_words = sensitive::topics(text).into_iter().map(|topic| topic.name());
    let mut topics: Vec<&'static str> = by_words.chain(content.check(text).await?.sensitive_topic).collect();
    topics.sort_unstable();
    topics.dedup();
    Ok(topics)
}

/// Of this agent, and so signed and labelled.
async fn own_media(assets: &dyn Assets, post: &Post, uri: String) -> Result<String, AnswerError> {
    let found = match uri.strip_prefix(AssetId::URI_START).and_then(|id| id.parse::<AssetId>().ok()) {
        Some(id) => assets.find(&id).await?.filter(|asset| asset.agent == post.agent),
        None => None,
    };
    if found.is_some() { Ok(uri) } else { Err(AnswerError::NotItsMedia { uri }) }
}

/// `edited` is what was made of it; `None` when it was turned down.
fn lesson(task: &AgentTask, result: &WorkerResult, answer: &ReviewAnswer, content: String, edited: Option<&str>) -> Option<MemoryRecord> {
    let written = result.artifact.as_ref()?.payload_text.clone()?;
    let reason = answer.reason.clone().filter(|reason| !reason.trim().is_empty());
    Some(MemoryRecord {
        id: UuidV4::named(&["lesson", &answer.review_id.to_string()]),
        agent: task.context.agent_id.parse().ok()?,
        at: answer.reviewed_at.0,
        role: MemoryRole::User,
        content,
        campaign: Some(task.context.campaign_id.clone()),
        lesson: Some(Lesson { written, edited: edited.map(str::to_owned), reason }),
    })
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
    use super::*;
    use crate::{
        contracts::{
            UtcTime,
            review::{ReviewItem, ReviewStatus},
        },
        domain::soul::Soul,
        ports::{
            agents::AgentRecord,
            content_check::ContentSigns,
            swarm::{AnsweredReview, ReviewCase},
        },
        testing::{fake_agents::FakeAgents, fake_assets::FakeAssets},
    };
    use async_trait::async_trait;
    use chrono::{DateTime, Utc};
    use serde_json::json;

    const SOUL: &str = "---\nname: Selam\nid: selam\nhandle: selam\nvoice_traits: [calm]\ndirectives: [Be brief]\ncore_beliefs: [People come \
        first.]\nplatforms: [bluesky]\ndisclosure: AI-generated\n---\nShe reads.\n";

    /// One case, on which nothing may be put on record.
    struct OneCase(ReviewCase);

    #[async_trait]
    impl Reviews for OneCase {
        async fn case(&self, review_id: UuidV4) -> Result<Option<ReviewCase>, StoreError> {
            Ok(Some(self.0.clone()).filter(|case| case.review.review_id == review_id))
        }
        async fn answer(&self, _: &ReviewAnswer, _: &PersonsWord) -> Result<ReviewOutcome, StoreError> {
            panic!("a check changes nothing")
        }
        async fn expire(&self, _: DateTime<Utc>, _: DateTime<Utc>) -> Result<Vec<ReviewItem>, StoreError> {
            Ok(Vec::new())
        }
        async fn answers(&self) -> Result<Vec<AnsweredReview>, StoreError> {
            Ok(Vec::new())
        }
        async fn answered(&self, _: UuidV4) -> Result<Option<ReviewAnswer>, StoreError> {
            Ok(None)
        }
    }

    fn case() -> ReviewCase {
        let (task_id, result_id) = (UuidV4::named(&["task"]), UuidV4::named(&["result"]));
        let at = "2026-11-15T12:00:00.000Z";
        let artifact =
            json!({ "content_type": "text", "payload_text": "It tastes of bergamot.\nAI-generated", "platform_target": "bluesky" });
        let task = json!({
            "task_id": task_id, "task_type": "generate_content", "priority": "high", "status": "review", "created_at": at,
            "state_version": 1, "attempt": 1, "context": { "goal_description": "tea", "campaign_id": "c", "agent_id": "selam" },
        });
        let result = json!({
            "result_id": result_id, "task_id": task_id, "worker_id": "w", "agent_id": "selam", "created_at": at,
            "confidence_score": 0.8, "reasoning_trace": "", "artifact": artifact,
        });
        let review = json!({
            "review_id": UuidV4::named(&["review"]), "result_id": result_id, "task_id": task_id, "agent_id": "selam",
            "escalation_reason": "not sure", "artifact": artifact, "created_at": at, "status": "pending",
        });
        ReviewCase {
            review: serde_json::from_value(review).unwrap(),
            task: serde_json::from_value(task).unwrap(),
            result: Some(serde_json::from_value(result).unwrap()),
        }
    }

    async fn checked(action: ReviewAction, text: Option<&str>) -> Result<Option<PersonsWord>, AnswerError> {
        let agents = FakeAgents::default();
        let soul = Soul::parse(SOUL).unwrap();
        let agent = AgentRecord {
            id: soul.id.clone(),
            soul_source: SOUL.to_owned(),
            soul_version: soul.version().to_owned(),
            address: crate::domain::money::Address::ZERO,
            created_at: DateTime::UNIX_EPOCH,
        };
        agents.create(&agent).await.unwrap();
        let harmless = |_: &str| ContentSigns::default();
        let case = case();
        assert_eq!(case.review.status, ReviewStatus::Pending);
        let artifact = case.review.artifact.clone().unwrap();
        let answer = ReviewAnswer {
            review_id: case.review.review_id,
            action,
            reason: None,
            edited_artifact: text.map(|text| Artifact { payload_text: Some(text.to_owned()), ..artifact }),
            give_up: false,
            confirmed_address: None,
            found: None,
            reviewer_id: "lena".to_owned(),
            reviewed_at: UtcTime(DateTime::UNIX_EPOCH),
        };
        check(&OneCase(case), Safeguards { agents: &agents, content: &harmless, assets: &FakeAssets::default() }, &answer).await
    }

    #[tokio::test]
    async fn a_check_says_what_would_follow_or_why_nothing_would_and_puts_nothing_on_record() {
        assert!(matches!(checked(ReviewAction::Approve, None).await, Ok(Some(PersonsWord::Publish { .. }))));
        assert!(matches!(checked(ReviewAction::Reject, None).await, Ok(Some(PersonsWord::Return { .. }))));
        let edited = checked(ReviewAction::Edit, Some("It tastes of oranges.")).await.unwrap();
        assert!(matches!(edited, Some(PersonsWord::Publish { post, .. }) if post.text == "It tastes of oranges.\nAI-generated"));

        assert!(matches!(checked(ReviewAction::Edit, None).await, Err(AnswerError::NothingEdited)));
        let too_long = checked(ReviewAction::Edit, Some(&"tea ".repeat(90))).await.unwrap_err();
        assert!(matches!(too_long, AnswerError::Unpublishable(_)), "{too_long}");
    }

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
