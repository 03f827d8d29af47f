//! The language models of the configuration, in the order in which they are asked.

use super::Records;
use crate::config::{
    Misconfigured, Settings,
    model::{ConfiguredModel, ModelProvider, ModelUse, model_url},
};
use anyhow::{Context, Result};
use chimera_adapters::model::{ANTHROPIC_URL, AnthropicModel, ModelLimits, ModelPlace, OPENAI_URL, OpenAiModel};
use chimera_core::{
    ports::paid_call::PricedModel,
    ports::{model_budget::DayLimits, text_model::TextModel},
    skills::{content_generator::Writers, trend_fetcher::model_scorer::ModelScorer},
    swarm::judge::SecondOpinion,
};
use std::sync::Arc;

/// Reaches nobody yet.
pub fn writers(settings: &Settings, records: &Records) -> Result<Writers> {
    let section = &settings.file.model;
    let models = section.models()?.iter().map(|configured| priced(settings, records, configured)).collect::<Result<_>>()?;
    Ok(Writers {
        models,
        embedded: section.order().any(|provider| provider == ModelProvider::Embedded),
        budget: Arc::new(records.store.clone()),
        limits: day_limits(settings),
    })
}

/// Whom the Judge asks what it thinks of a text; nobody where the configuration names nobody.
pub fn second_opinion(settings: &Settings, records: &Records) -> Result<Option<SecondOpinion>> {
    let Some(configured) = settings.file.model.judging()? else { return Ok(None) };
    let model = priced(settings, records, &configured)?;
    Ok(Some(SecondOpinion::new(model, Arc::new(records.store.clone()), day_limits(settings), records.clock.clone())))
}

/// Who plans, where it is another than the one that writes.
pub fn planner(settings: &Settings, records: &Records) -> Result<Option<PricedModel>> {
    settings.file.model.planning()?.map(|configured| priced(settings, records, &configured)).transpose()
}

fn priced(settings: &Settings, records: &Records, configured: &ConfiguredModel<'_>) -> Result<PricedModel> {
    let model = open(settings, records, configured).map_err(Misconfigured::mark)?;
    Ok(PricedModel { model, price: configured.price })
}

/// `None` unless the configuration asks for it and names a model.
pub fn scorer(settings: &Settings, records: &Records, writers: &Writers) -> Option<ModelScorer> {
    let is_wanted = settings.file.model.scores_relevance && !writers.models.is_empty();
    is_wanted.then(|| ModelScorer::new(writers.models.clone(), writers.budget.clone(), writers.limits, records.clock.clone()))
}

/// Of each agent and UTC day.
pub fn day_limits(settings: &Settings) -> DayLimits {
    let section = &settings.file.model;
    DayLimits {
        tokens_max: section.tokens_per_day_max,
        micro_usd_max: section.micro_usd_per_day_max,
        fleet_tokens_max: settings.file.governor.tokens_per_day_max,
    }
}

fn open(settings: &Settings, records: &Records, configured: &ConfiguredModel<'_>) -> Result<Arc<dyn TextModel>> {
    let key = settings.model_key(configured.used_for)?;
    let vendor_url = if configured.provider == ModelProvider::Anthropic { ANTHROPIC_URL } else { OPENAI_URL };
    let section = match configured.used_for {
        ModelUse::Writing | ModelUse::WritingInstead => "[model]",
        ModelUse::Judging => "[model.judge]",
        ModelUse::Planning => "[model.planner]",
    };
    let url = model_url(configured.base_url.unwrap_or(vendor_url), key.is_some()).context(section)?;
    let place = ModelPlace { url, model: configured.name.to_owned(), key };
    let (limits, clock) = (ModelLimits::default(), records.clock.clone());
    Ok(match configured.provider {
        ModelProvider::Anthropic => Arc::new(AnthropicModel::new(place, limits, clock)?),
        ModelProvider::Openai | ModelProvider::Embedded => Arc::new(OpenAiModel::new(place, limits, clock)?),
    })
}
