//! `chimera feeds`: the MCP server for news:// and market://.

use super::Context;
use crate::{
    clock::SystemClock,
    config::{Misconfigured, Settings},
    shutdown::Shutdown,
};
use anyhow::{Context as _, Result};
use chimera_adapters::feeds::{self, FeedSource, FeedsConfig, MarketFeed, NewsFeed};
use std::{process::ExitCode, sync::Arc};

pub async fn run(context: Context) -> Result<ExitCode> {
    let config = feeds_config(&context.settings).map_err(Misconfigured::mark)?;
    let shutdown = Shutdown::on_signal()?;
    feeds::serve_stdio(config, Arc::new(SystemClock), shutdown.token.clone()).await?;
    Ok(ExitCode::SUCCESS)
}

/// What the configuration tells `chimera feeds` to serve.
pub fn feeds_config(settings: &Settings) -> Result<FeedsConfig> {
    let source = |url: &str| FeedSource::parse(url, &settings.base_dir);
    let feeds = &settings.file.feeds;
    let mut config = FeedsConfig { contact: feeds.contact.clone(), ..FeedsConfig::default() };
    for news in &feeds.news {
        let sources = news.urls.iter().map(|url| source(url)).collect::<Result<_, _>>()?;
        config.news.push(NewsFeed { region: news.region.clone(), category: news.category.clone(), sources });
    }
    for market in &feeds.market {
        config.market.push(MarketFeed {
            asset: market.asset.clone(),
            source: source(&market.url)?,
            price_pointer: market.price.clone(),
            currency: market.currency.clone(),
        });
    }
    config.check().context("[feeds]")?;
    Ok(config)
}
