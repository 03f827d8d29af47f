//! `chimera init`: a project to start from.

use super::Context;
use crate::{
    clock::SystemClock,
    project::{Project, SOULS},
};
use anyhow::{Context as _, Result, bail};
use chimera_core::ports::clock::Clock;
use serde_json::json;
use std::{fs, path::Path, process::ExitCode};

const POLICY: &str =
    "# May tighten the [policy] of chimera.toml for this agent, field by field; a looser value is an error.\ntransfers_per_hour_max = 10\n";

pub fn run(context: &Context, dir: &Path) -> Result<ExitCode> {
    if dir.join("chimera.toml").exists() {
        bail!("{} has a chimera.toml already; nothing was changed", dir.display());
    }
    for folder in ["souls", "policies"] {
        fs::create_dir_all(dir.join(folder)).with_context(|| format!("cannot make {}", dir.join(folder).display()))?;
    }
    for (name, soul) in SOULS {
        fs::write(dir.join("souls").join(name), soul)?;
        fs::write(dir.join("policies").join(name).with_extension("toml"), POLICY)?;
    }
    let project = Project {
        heading: "A Chimera project: sample feeds, the embedded chain with play money, nothing is published.",
        region: "global",
        auto_approve_embedded: false,
        allow: &[],
        usdc: chimera_devnet::USDC.to_string(),
    };
    // Last, because its presence says that the project is whole.
    project.write(dir, SystemClock.now())?;
    let shown = json!({ "project": dir, "souls": SOULS.map(|(name, _)| format!("souls/{name}")) });
    context.output.show(&shown, |out| {
        format!(
            "made {}\n\nNext:\n  cd {}\n  export CHIMERA_WALLET_PASSPHRASE='choose one and keep it'\n  chimera agent create --soul souls/{}\n  chimera doctor\n  chimera serve",
            out.bold(&dir.display().to_string()),
            dir.display(),
            SOULS[0].0
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
