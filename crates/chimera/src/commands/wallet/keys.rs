//! Keys in and out, and the passphrase that guards them. Passphrases come from the environment, never from arguments.

use super::Context;
use crate::wiring::{Records, open_key_file};
use anyhow::Result;
use serde_json::json;
use std::path::{Path, PathBuf};

pub async fn import(context: &Context, agent: &str, file: PathBuf) -> Result<()> {
    let records = Records::open(&context.settings)?;
    let done = import_in(context, &records, agent, file).await;
    records.close().await;
    done
}

async fn import_in(context: &Context, records: &Records, id: &str, file: PathBuf) -> Result<()> {
    let agent = records.agent(id).await?;
    let key = open_key_file(&context.settings, file).await?;
    records.restore_key(&agent, &key).await?;
    let shown = json!({ "agent_id": agent.id.as_str(), "address": agent.address.to_string() });
    context.output.show(&shown, |out| format!("{} has the key of {} again", out.bold(agent.id.as_str()), agent.address))?;
    Ok(())
}

pub async fn export(context: &Context, agent: &str, out: &Path) -> Result<()> {
    let records = Records::open(&context.settings)?;
    let done = export_in(context, &records, agent, out).await;
    records.close().await;
    done
}

async fn export_in(context: &Context, records: &Records, id: &str, path: &Path) -> Result<()> {
    let agent = records.agent(id).await?;
    let passphrase = context.settings.export_passphrase()?.into_text();
    let address = records.keystore.export(&agent.id, path, passphrase).await?;
    let shown = json!({ "agent_id": agent.id.as_str(), "address": address.to_string(), "file": path.display().to_string() });
    context.output.show(&shown, |out| {
        format!("the key of {} ({address}) is in {}\nwhoever has that file and its passphrase has the money", out.bold(id), path.display())
    })?;
    Ok(())
}

pub async fn change_passphrase(context: &Context) -> Result<()> {
    // Not from the file that `demo` made: it would hold the old one ever after.
    context.settings.ensure_given_passphrase()?;
    let new = context.settings.new_passphrase()?.into_text();
    let records = Records::open(&context.settings)?;
    let done = records.keystore.change_passphrase(new).await;
    records.close().await;
    done?;
    context.output.show(&json!({ "changed": true }), |_| {
        "the keystore opens with the new passphrase only; give it to every process that you start from now on".to_owned()
    })?;
    Ok(())
}
