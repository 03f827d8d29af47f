//! Who writes: the configured models in their order, several drafts each, and the embedded composer where it may. Every draft passes the
//! same checks, whoever made it; tokens and money are held before a call.

use super::{ContentGenerator, store_failed};
use crate::{
    composer::{self, Asked, Assessed, Brief, Comment, Composed, Unmeetable},
    contracts::{ErrorCode, SkillFailure, content_generator::EMBEDDED_WRITER},
    domain::AgentId,
    ports::paid_call::{NoAnswer, PricedModel, Purse},
    ports::{
        StoreError,
        media::WordsBy,
        model_budget::{DayLimits, ModelBudget, ModelCall, ModelDay},
        text_model::{ModelError, Prompt, TextModel, Usage, Written},
    },
};
use futures::future::join_all;
use std::sync::Arc;

/// Everyone who can write, and what they may use.
#[derive(Clone)]
pub struct Writers {
    /// Asked in this order.
    pub models: Vec<PricedModel>,
    /// Whether the embedded composer writes when no model did.
    pub embedded: bool,
    pub budget: Arc<dyn ModelBudget>,
    pub limits: DayLimits,
}

/// Whose words a text is in.
pub(super) enum Writer {
    Composer,
    /// By its provider and name.
    Model(String),
}

impl Writer {
    pub(super) fn words_by(&self) -> WordsBy {
        match self {
            Self::Composer => WordsBy::Composer,
            Self::Model(_) => WordsBy::Model,
        }
    }

    /// As the answer says it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Composer => EMBEDDED_WRITER.to_owned(),
            Self::Model(name) => name.clone(),
        }
    }
}

/// Drafts that a model writes for one text; the best by the checks is taken.
const DRAFTS: u32 = 3;

/// Why a model wrote nothing that could be used.
enum NoText {
    Model(ModelError),
    /// The call would not have fitted into the day, which stands like this.
    OverBudget(Box<ModelCall>, ModelDay),
    /// All agents together have used or hold so many tokens of their day.
    FleetOverBudget {
        tokens: u64,
        tokens_max: u64,
    },
    /// No draft passed, and neither did the one that was written anew. What was wrong with the best of them.
    Refused(Vec<String>),
    Unmeetable(Unmeetable),
    Store(StoreError),
}

impl ContentGenerator {
    pub(super) async fn write(
        &self,
        agent: &AgentId,
        brief: &Brief<'_>,
        comment: Option<&Comment>,
    ) -> Result<(Composed, Writer), SkillFailure> {
        // Honesty first: what has one right answer is never put to a model.
        let is_fixed = comment.is_some_and(|comment| composer::answers_itself(brief, comment));
        let mut tried: Vec<(String, NoText)> = Vec::new();
        for priced in self.ports.writers.models.iter().filter(|_| !is_fixed) {
            let model = &priced.model;
            match self.written_by(priced, agent, brief, comment).await {
                Ok(composed) => return Ok((with_notes(composed, &tried), Writer::Model(model.name().to_owned()))),
                Err(NoText::Unmeetable(unmeetable)) => return Err(unmeetable_failure(&unmeetable)),
                Err(NoText::Store(error)) => return Err(store_failed(&error)),
                Err(why) => {
                    tracing::info!(agent.id = %agent, "{} wrote nothing that can be used: {}", model.name(), why.told());
                    tried.push((model.name().to_owned(), why));
                }
            }
        }
        if !is_fixed && !self.ports.writers.embedded {
            return Err(all_failed(&tried, self.ports.writers.limits));
        }
        let composed = match comment {
            Some(comment) => composer::compose_reply(brief, comment),
            None => composer::compose_post(brief),
        };
        composed.map(|composed| (with_notes(composed, &tried), Writer::Composer)).map_err(|unmeetable| unmeetable_failure(&unmeetable))
    }

    async fn written_by(
        &self,
        priced: &PricedModel,
        agent: &AgentId,
        brief: &Brief<'_>,
        comment: Option<&Comment>,
    ) -> Result<Composed, NoText> {
        let model = priced.model.as_ref();
        let asked = Asked::new(brief, comment);
        let prompts: Vec<Prompt> = (0..DRAFTS).map(|number| asked.prompt(number)).collect();
        let answers = join_all(prompts.iter().map(|prompt| self.ask(priced, agent, brief.seed, prompt))).await;
        let mut usage = Usage::default();
        let mut drafts: Vec<Assessed> = Vec::new();
        let mut failure = None;
        for answer in answers {
            match answer {
                Ok(written) => drafts.push(judged(model, &asked, &written, &mut usage)?),
                Err(why) => failure = Some(why),
            }
        }
        let Some(best) = best_of(&drafts) else {
            return Err(failure.unwrap_or_else(|| NoText::Refused(Vec::new())));
        };
        let (passed, count) = (drafts.iter().filter(|draft| draft.violations.is_empty()).count(), drafts.len());
        let mut notes = vec![format!("drafts: {passed} of {count} passed every check")];
        let mut chosen = best.clone();
        if !chosen.violations.is_empty() {
            notes.push(format!("refused: {}", told(&chosen.violations)));
            let again = asked.rewriting(&chosen.body, &chosen.violations);
            let written = self.ask(priced, agent, brief.seed, &again).await?;
            chosen = judged(model, &asked, &written, &mut usage)?;
            if !chosen.violations.is_empty() {
                return Err(NoText::Refused(chosen.violations));
            }
            notes.push("written anew once, and then passed".to_owned());
        }
        let guessed = if usage.is_estimated { ", some of them guessed" } else { "" };
        let cost = priced.price.micro_usd(usage.input_tokens, usage.output_tokens);
        notes.push(format!("tokens: {} in, {} out{guessed}; {cost} micro-USD", usage.input_tokens, usage.output_tokens));
        chosen.composed.trace.extend(notes);
        Ok(chosen.composed)
    }

    /// One call, paid for from the agent's day.
    async fn ask(&self, model: &PricedModel, agent: &AgentId, task_id: &str, prompt: &Prompt) -> Result<Written, NoText> {
        let Writers { budget, limits, .. } = &self.ports.writers;
        let purse =
            Purse { budget: budget.as_ref(), limits: *limits, clock: self.ports.clock.as_ref(), agent, task_id: task_id.parse().ok() };
        purse.ask(model, prompt).await.map_err(|why| match why {
            NoAnswer::Model(error) => NoText::Model(error),
            NoAnswer::OverBudget(call, day) => NoText::OverBudget(call, day),
            NoAnswer::FleetOverBudget { tokens, tokens_max } => NoText::FleetOverBudget { tokens, tokens_max },
            NoAnswer::Store(error) => NoText::Store(error),
        })
    }
}

fn judged(model: &dyn TextModel, asked: &Asked<'_>, written: &Written, usage: &mut Usage) -> Result<Assessed, NoText> {
    usage.input_tokens = usage.input_tokens.saturating_add(written.usage.input_tokens);
    usage.output_tokens = usage.output_tokens.saturating_add(written.usage.output_tokens);
    usage.is_estimated |= written.usage.is_estimated;
    asked.assess(written.text.as_data(), model.name()).map_err(NoText::Unmeetable)
}

/// One that passed before one that did not; then by confidence; of equals, the first.
fn best_of(drafts: &[Assessed]) -> Option<&Assessed> {
    let worth = |draft: &Assessed| (draft.violations.is_empty(), draft.composed.confidence);
    drafts.iter().reduce(|best, draft| if worth(draft) > worth(best) { draft } else { best })
}

fn with_notes(mut composed: Composed, tried: &[(String, NoText)]) -> Composed {
    composed.trace.extend(tried.iter().map(|(model, why)| format!("{model} was asked first: {}", why.told())));
    composed
}

impl NoText {
    fn told(&self) -> String {
        match self {
            Self::Model(error) => error.to_string(),
            Self::OverBudget(_, day) => format!(
                "the day's budget is used up ({} tokens used and {} held; {} micro-USD used and {} held)",
                day.used_tokens, day.held_tokens, day.used_micro_usd, day.held_micro_usd
            ),
            Self::FleetOverBudget { tokens, tokens_max } => {
                format!("the fleet's tokens of the day are used up ({tokens} of {tokens_max} used or held)")
            }
            Self::Refused(violations) => format!("its drafts were refused: {}", told(violations)),
            Self::Unmeetable(unmeetable) => unmeetable.to_string(),
            Self::Store(error) => error.to_string(),
        }
    }
}

/// Violations that a message names; the others are counted.
const VIOLATIONS_TOLD_MAX: usize = 4;
const VIOLATION_CHARS_MAX: usize = 160;

fn told(violations: &[String]) -> String {
    let shortened = |violation: &String| violation.chars().take(VIOLATION_CHARS_MAX).collect::<String>();
    let mut text = violations.iter().take(VIOLATIONS_TOLD_MAX).map(shortened).collect::<Vec<_>>().join("; ");
    let more = violations.len().saturating_sub(VIOLATIONS_TOLD_MAX);
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    text
}

/// By what the last one failed of: the first may have been passed over for a reason that no longer matters.
fn all_failed(tried: &[(String, NoText)], limits: DayLimits) -> SkillFailure {
    let message = tried.iter().map(|(model, why)| format!("{model}: {}", why.told())).collect::<Vec<_>>().join("; ");
    match tried.last() {
        Some((_, NoText::OverBudget(call, day))) => over_budget(message, call, day, limits),
        Some((_, NoText::FleetOverBudget { tokens, tokens_max })) => SkillFailure::new(ErrorCode::BudgetExceeded, message)
            .with("counter", "model tokens of the fleet's day")
            .with("limit_units", tokens_max.to_string())
            .with("spent_units", tokens.to_string()),
        Some((_, NoText::Model(ModelError::RateLimited { retry_after, .. }))) => {
            SkillFailure::new(ErrorCode::RateLimited, message).with("retry_after_s", retry_after.as_secs().max(1))
        }
        Some((_, NoText::Refused(violations))) => SkillFailure::new(ErrorCode::ProviderError, message).with("refused_for", violations),
        _ => SkillFailure::new(ErrorCode::ProviderError, message),
    }
}

fn over_budget(message: String, call: &ModelCall, day: &ModelDay, limits: DayLimits) -> SkillFailure {
    let tokens = ("model tokens of the day", limits.tokens_max, day.used_tokens, day.held_tokens);
    let (counter, limit, spent, reserved) = match limits.micro_usd_max.filter(|_| day.has_tokens_for(call, limits)) {
        Some(most) => ("model micro-USD of the day", most, day.used_micro_usd, day.held_micro_usd),
        None => tokens,
    };
    SkillFailure::new(ErrorCode::BudgetExceeded, message)
        .with("counter", counter)
        .with("limit_units", limit.to_string())
        .with("spent_units", spent.to_string())
        .with("reserved_units", reserved.to_string())
}

fn unmeetable_failure(unmeetable: &Unmeetable) -> SkillFailure {
    SkillFailure::new(ErrorCode::PolicyViolation, unmeetable.to_string())
        .with("directive", &unmeetable.directive)
        .with("problem", &unmeetable.problem)
}
