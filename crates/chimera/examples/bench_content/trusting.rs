//! Whether confidence tells good drafts from spoiled ones with the program's own embedder, which takes too long for a test.

use chimera_adapters::embedder::SentenceEmbedder;
use chimera_core::testing::suites::confidence::{AUC_MIN, Calibration, SPOILINGS};
use std::io::Write;

/// Writes a table; false when a limit is missed.
pub fn measure(out: &mut impl Write) -> std::io::Result<bool> {
    let found = Calibration::of(&SentenceEmbedder::default());
    writeln!(out, "\n| drafts spoiled by | spoiled | AUC, {} good ones beside them | limit |\n|---|---:|---:|---:|", found.good.len())?;
    let mut is_held = found.auc() >= AUC_MIN;
    for kind in SPOILINGS {
        let auc = found.auc_of(kind);
        is_held &= auc >= AUC_MIN;
        writeln!(out, "| {} | {} | {auc:.3} | {AUC_MIN:.2} |", kind.name(), found.bad[&kind].len())?;
    }
    writeln!(out, "| all together | {} | {:.3} | {AUC_MIN:.2} |\n", found.spoiled(), found.auc())?;
    writeln!(out, "Beside its own good draft, {} of {} spoiled ones are as sure as before.", found.undetected.len(), found.spoiled())?;
    Ok(is_held)
}
