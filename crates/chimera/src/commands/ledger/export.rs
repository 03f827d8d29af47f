//! Every entry, for other programs.

use super::{Context, Records, known};
use crate::{config::Misconfigured, mission_control::ledger_export::LedgerExport};
use anyhow::{Result, anyhow};
use chimera_dashboard::LedgerForm;
use futures::StreamExt;
use std::process::ExitCode;

pub async fn run(context: &Context, records: &Records, csv: bool, agent: Option<&str>) -> Result<ExitCode> {
    if csv == context.output.json {
        return Err(Misconfigured::mark(anyhow!("say what to export as: either --csv or --json")));
    }
    let agent = known(records, agent).await?;
    let form = if csv { LedgerForm::Csv } else { LedgerForm::Json };
    let mut parts = LedgerExport::new(records, &context.settings).of(form, agent);
    while let Some(part) = parts.next().await {
        if !context.output.part(&part?)? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}
