//! `chimera social`: the MCP server for the social platforms.

use super::Context;
use crate::{
    clock::SystemClock,
    config::{Misconfigured, Settings},
    shutdown::Shutdown,
};
use anyhow::{Context as _, Result};
use chimera_adapters::social::{self, BlueskyAccount, MastodonAccount, Secret, SocialConfig, XAccess, XAccount, XKeys, web_address};
use std::{process::ExitCode, sync::Arc};

pub async fn run(context: Context) -> Result<ExitCode> {
    let config = social_config(&context.settings).map_err(Misconfigured::mark)?;
    let shutdown = Shutdown::on_signal()?;
    social::serve_stdio(config, Arc::new(SystemClock), shutdown.token.clone()).await?;
    Ok(ExitCode::SUCCESS)
}

fn social_config(settings: &Settings) -> Result<SocialConfig> {
    let section = &settings.file.social;
    let secrets = settings.social_secrets()?;
    let mut config = SocialConfig::default();
    if let Some(mastodon) = &section.mastodon {
        let base_url = web_address("social.mastodon.base_url", &mastodon.base_url)?;
        config.mastodon = Some(MastodonAccount { base_url, token: secrets.mastodon_token.map(Secret::new) });
    }
    if let Some(bluesky) = &section.bluesky {
        let service = web_address("social.bluesky.service", &bluesky.service)?;
        let app_password = secrets.bluesky_app_password.map(Secret::new);
        config.bluesky = Some(BlueskyAccount { service, handle: bluesky.handle.clone(), app_password });
    }
    if let Some(x) = &section.x {
        let base_url = web_address("social.x.base_url", &x.base_url)?;
        let keys = secrets.x_keys.map(|keys| keys.map(Secret::new)).map(|[api_key, api_secret, access_token, access_token_secret]| {
            XAccess::Keys(XKeys { api_key, api_secret, access_token, access_token_secret })
        });
        let access = keys.or(secrets.x_bearer_token.map(Secret::new).map(XAccess::Bearer));
        config.x = Some(XAccount { base_url, user_id: x.user_id.clone(), access });
    }
    config.check().context("[social]")?;
    Ok(config)
}
