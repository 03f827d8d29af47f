//! `chimera backup` and `chimera restore`: a data folder in one file, and back.

use super::Context;
use crate::{
    clock::SystemClock,
    config::Misconfigured,
    wiring::{Records, back_up as write_backup, restore as restore_backup},
};
use anyhow::{Result, anyhow};
use chimera_core::ports::clock::Clock;
use serde_json::json;
use std::{path::Path, process::ExitCode};

pub async fn back_up(context: &Context, file: &Path) -> Result<ExitCode> {
    database_name(context)?;
    let folder = &context.settings.data_dir;
    if !folder.is_dir() {
        return Err(Misconfigured::mark(anyhow!("there is no data folder {}; name it with --data", folder.display())));
    }
    let records = Records::open(&context.settings)?;
    let done = write_backup(&records.store, folder, file, records.clock.now()).await;
    records.close().await;
    let done = done?;
    let manifest = &done.manifest;
    let bytes: u64 = manifest.files.iter().map(|listed| listed.bytes).sum();
    let shown = json!({
        "file": file,
        "files": manifest.files.len(),
        "bytes": bytes,
        "ledger_entries": manifest.ledger_entries,
        "created_at": manifest.created_at,
        "missing_assets": done.missing_assets,
    });
    context.output.show(&shown, |out| {
        let mut lines = vec![
            format!("{}  {}", out.bold("backed up to"), file.display()),
            format!("  {} files, {bytes} bytes, {} ledger entries; read back and verified", manifest.files.len(), manifest.ledger_entries),
            "  not in it: the passphrase, the token, chimera.toml, souls and policies; keep them elsewhere".to_owned(),
        ];
        lines.extend(done.missing_assets.iter().map(|id| out.bad(&format!("  asset {id} is on record, and its file is gone"))));
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

pub async fn restore(context: &Context, file: &Path) -> Result<ExitCode> {
    let database = database_name(context)?;
    let folder = &context.settings.data_dir;
    let done = restore_backup(file, folder, &database, SystemClock.now()).await?;
    let shown = json!({
        "data": folder,
        "created_at": done.manifest.created_at,
        "ledger_entries": done.manifest.ledger_entries,
        "held": done.agents,
    });
    context.output.show(&shown, |out| {
        let mut lines = vec![
            format!("{}  {}", out.bold("restored to"), folder.display()),
            format!("  as it was at {}, with {} ledger entries, all verified", done.manifest.created_at, done.manifest.ledger_entries),
        ];
        if !done.agents.is_empty() {
            lines.push("  every wallet is held: what it sent since then is not in this book".to_owned());
        }
        lines.extend(
            done.agents.iter().map(|agent| format!("  lift it with: chimera wallet reconcile --agent {agent} --data {}", folder.display())),
        );
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A backup is of one folder: a database elsewhere would have its key and its head there too.
fn database_name(context: &Context) -> Result<String> {
    let path = context.settings.database_path()?;
    let name = path.file_name().and_then(|name| name.to_str()).filter(|name| context.settings.data_dir.join(name) == path);
    name.map(str::to_owned).ok_or_else(|| {
        let url = &context.settings.file.store.url;
        Misconfigured::mark(anyhow!("store.url is {url:?}; backups are made of a database that is in the data folder itself"))
    })
}
