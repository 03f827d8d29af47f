//! `[model]`: who writes the texts, who does when that one cannot, and who else is asked for judging and planning.

use anyhow::{Context, Result, bail};
use chimera_core::ports::model_budget::ModelPrice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSection {
    pub provider: ModelProvider,
    /// Of the provider; its vendor's own without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The model, as the provider calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who is asked when the provider fails, in this order.
    pub fallback: Vec<ModelProvider>,
    /// Of each agent and UTC day, what goes in and what comes out together.
    pub tokens_per_day_max: u64,
    /// Of each agent and UTC day, in millionths of a US dollar; without it money is counted and not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_usd_per_day_max: Option<u64>,
    /// By the model's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, ModelPriceSection>,
    /// Whether the models also say how much fetched items matter; the embedded scorer answers where they do not.
    pub scores_relevance: bool,
    /// Where `openai` is when it is a fallback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openai: Option<ModelAddress>,
    /// Where `anthropic` is when it is a fallback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anthropic: Option<ModelAddress>,
    /// Whom the Judge asks for a second opinion; nobody without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<RoleModelSection>,
    /// Who plans with `swarm.planner = "model"`; the first of the models that write without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<RoleModelSection>,
}

impl Default for ModelSection {
    fn default() -> Self {
        Self {
            provider: ModelProvider::Embedded,
            base_url: None,
            name: None,
            fallback: vec![ModelProvider::Embedded],
            tokens_per_day_max: 1_000_000,
            micro_usd_per_day_max: None,
            prices: BTreeMap::new(),
            scores_relevance: false,
            openai: None,
            anthropic: None,
            judge: None,
            planner: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelProvider {
    /// The composer, which needs no model.
    Embedded,
    /// Any server that speaks OpenAI's chat completions.
    Openai,
    Anthropic,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelAddress {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    pub name: String,
}

/// A model that does something else than writing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleModelSection {
    pub provider: ModelProvider,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPriceSection {
    pub input_micro_usd_per_million_tokens: u64,
    pub output_micro_usd_per_million_tokens: u64,
}

/// What a model is for. Each has a key of its own: none goes to another server than it was given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelUse {
    Writing,
    /// When the one before could not.
    WritingInstead,
    Judging,
    Planning,
}

/// One model of the configuration.
pub struct ConfiguredModel<'a> {
    pub provider: ModelProvider,
    pub base_url: Option<&'a str>,
    pub name: &'a str,
    pub used_for: ModelUse,
    pub price: ModelPrice,
}

impl ModelSection {
    /// Every writer in the order in which they are asked.
    pub fn order(&self) -> impl Iterator<Item = ModelProvider> {
        // `embedded` never fails: nothing comes after it.
        let first = self.provider;
        std::iter::once(first).chain(self.fallback.iter().copied().filter(move |_| first != ModelProvider::Embedded))
    }

    pub fn models(&self) -> Result<Vec<ConfiguredModel<'_>>> {
        let mut models: Vec<ConfiguredModel<'_>> = Vec::new();
        for (place, provider) in self.order().enumerate() {
            let section = match provider {
                ModelProvider::Embedded => continue,
                ModelProvider::Openai => ("model.openai", &self.openai),
                ModelProvider::Anthropic => ("model.anthropic", &self.anthropic),
            };
            if models.iter().any(|known| known.provider == provider) {
                bail!("model.fallback names {provider:?} again; each is asked once");
            }
            let (base_url, name) = if place == 0 {
                let name = self.name.as_deref().filter(|name| !name.is_empty());
                (self.base_url.as_deref(), name.context("model.provider needs model.name: the model, as the provider calls it")?)
            } else {
                let (key, address) = section;
                let address = address.as_ref().with_context(|| format!("model.fallback needs [{key}] with its name and base_url"))?;
                (address.base_url.as_deref(), address.name.as_str())
            };
            let used_for = if place == 0 { ModelUse::Writing } else { ModelUse::WritingInstead };
            models.push(ConfiguredModel { provider, base_url, name, used_for, price: self.price_of(name)? });
        }
        Ok(models)
    }

    /// The model that is asked for a second opinion, if one is.
    pub fn judging(&self) -> Result<Option<ConfiguredModel<'_>>> {
        self.judge.as_ref().map(|section| self.in_role("judge", section, ModelUse::Judging)).transpose()
    }

    /// The model that plans, if it is another than the one that writes.
    pub fn planning(&self) -> Result<Option<ConfiguredModel<'_>>> {
        self.planner.as_ref().map(|section| self.in_role("planner", section, ModelUse::Planning)).transpose()
    }

    fn in_role<'a>(&self, role: &str, section: &'a RoleModelSection, used_for: ModelUse) -> Result<ConfiguredModel<'a>> {
        let RoleModelSection { provider, base_url, name } = section;
        if *provider == ModelProvider::Embedded {
            bail!("model.{role}.provider is \"embedded\", which is no language model; leave [model.{role}] out, or name one");
        }
        if name.is_empty() {
            bail!("model.{role}.name is empty; it is the model, as the provider calls it");
        }
        Ok(ConfiguredModel { provider: *provider, base_url: base_url.as_deref(), name, used_for, price: self.price_of(name)? })
    }

    /// What nobody priced counts as free, and must not pass where money is limited.
    fn price_of(&self, name: &str) -> Result<ModelPrice> {
        match self.prices.get(name) {
            Some(price) => Ok(ModelPrice {
                input_micro_usd_per_million_tokens: price.input_micro_usd_per_million_tokens,
                output_micro_usd_per_million_tokens: price.output_micro_usd_per_million_tokens,
            }),
            None if self.micro_usd_per_day_max.is_some() => {
                bail!("model.micro_usd_per_day_max needs [model.prices.{name:?}]: what the model costs, 0 where it is free")
            }
            None => Ok(ModelPrice::default()),
        }
    }
}

/// A key goes there, so only over TLS or to this machine; without a key plain http may leave it.
pub fn model_url(text: &str, has_key: bool) -> Result<Url> {
    let url = Url::parse(text).with_context(|| format!("base_url is {text:?}, which is not a URL"))?;
    let is_loopback = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        bail!("base_url may have a host and a path alone; the key belongs in the environment, such as CHIMERA_MODEL_KEY");
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback || !has_key => Ok(url),
        "http" => bail!("base_url is plain http to another machine, and a key would be read on the way; use https"),
        other => bail!("base_url begins with {other:?}; it must be https, or http"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_leaves_this_machine_over_tls_only() {
        for (url, has_key, ok) in [
            ("https://api.example/v1", true, true),
            ("http://127.0.0.1:8080/v1", true, true),
            ("http://[::1]:8080/v1", true, true),
            ("http://models.example/v1", true, false),
            ("http://models.example/v1", false, true),
            ("https://user:secret@api.example/v1", false, false),
            ("https://api.example/v1?key=secret", false, false),
            ("ftp://api.example", false, false),
            ("not a url", false, false),
        ] {
            assert_eq!(model_url(url, has_key).is_ok(), ok, "{url} {has_key}");
        }
    }

    #[test]
    fn judging_and_planning_need_a_language_model_and_its_price_where_money_is_limited() {
        let role = |provider, name: &str| RoleModelSection { provider, base_url: None, name: name.to_owned() };
        let with = |judge: RoleModelSection, micro_usd_per_day_max| ModelSection {
            judge: Some(judge),
            micro_usd_per_day_max,
            ..ModelSection::default()
        };

        assert!(ModelSection::default().judging().unwrap().is_none(), "nobody is asked who is not configured");
        let free = with(role(ModelProvider::Openai, "small"), None);
        let judging = free.judging().unwrap().unwrap();
        assert_eq!((judging.name, judging.used_for), ("small", ModelUse::Judging));
        assert!(free.planning().unwrap().is_none() && free.models().unwrap().is_empty(), "the composer still writes");
        for (section, part) in [
            (with(role(ModelProvider::Embedded, "small"), None), "model.judge.provider"),
            (with(role(ModelProvider::Anthropic, ""), None), "model.judge.name"),
            (with(role(ModelProvider::Openai, "small"), Some(1)), "model.prices"),
        ] {
            let error = section.judging().err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn nothing_comes_after_the_embedded_composer() {
        let section = ModelSection { fallback: vec![ModelProvider::Openai], ..ModelSection::default() };

        assert_eq!(section.order().collect::<Vec<_>>(), [ModelProvider::Embedded]);
        assert!(section.models().unwrap().is_empty());
    }
}
