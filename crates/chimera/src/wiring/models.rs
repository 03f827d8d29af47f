//! The language models of the configuration, in the order in which they are asked.

use super::Records;
use crate::config::{
    Misconfigured, Settings,
    model::{ConfiguredModel, ModelProvider, model_url},
};
use anyhow::{Context, Result};
use chimera_adapters::model::{ANTHROPIC_URL, AnthropicModel, ModelLimits, ModelPlace, OPENAI_URL, OpenAiModel};
use chimera_core::{
    ports::paid_call::PricedModel,
    ports::{model_budget::DayLimits, text_model::TextModel},
    skills::{content_generator::Writers, trend_fetcher::model_scorer::ModelScorer},
};
use std::sync::Arc;

/// Reaches nobody yet.
pub fn writers(settings: &Settings, records: &Records) -> Result<Writers> {
    let section = &settings.file.model;
    let priced = |configured: &ConfiguredModel<'_>| {
        let model = open(settings, records, configured).map_err(Misconfigured::mark)?;
        Ok(PricedModel { model, price: configured.price })
    };
    let models = section.models()?.iter().map(priced).collect::<Result<_>>()?;
    Ok(Writers {
        models,
        embedded: section.order().any(|provider| provider == ModelProvider::Embedded),
        budget: Arc::new(records.store.clone()),
        limits: day_limits(settings),
    })
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
    let key = settings.model_key(configured.is_first)?;
    let vendor_url = if configured.provider == ModelProvider::Anthropic { ANTHROPIC_URL } else { OPENAI_URL };
    let url = model_url(configured.base_url.unwrap_or(vendor_url), key.is_some()).context("[model]")?;
    let place = ModelPlace { url, model: configured.name.to_owned(), key };
    let (limits, clock) = (ModelLimits::default(), records.clock.clone());
    Ok(match configured.provider {
        ModelProvider::Anthropic => Arc::new(AnthropicModel::new(place, limits, clock)?),
        ModelProvider::Openai | ModelProvider::Embedded => Arc::new(OpenAiModel::new(place, limits, clock)?),
    })
}
