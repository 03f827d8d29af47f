//! `[trends]`: from when on a story is a trend.

use anyhow::{Result, bail};
use chimera_core::perception::trend::TrendRule;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrendsSection {
    /// Dated items of one story within the window.
    pub items_min: usize,
    /// Authors, sites or resources that they come from.
    pub voices_min: usize,
}

impl Default for TrendsSection {
    fn default() -> Self {
        let TrendRule { items_min, voices_min } = TrendRule::default();
        Self { items_min, voices_min }
    }
}

impl TrendsSection {
    pub fn rule(&self) -> TrendRule {
        TrendRule { items_min: self.items_min, voices_min: self.voices_min }
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.items_min == 0 || self.voices_min == 0 {
            bail!("trends.items_min and trends.voices_min are at least 1");
        }
        if self.voices_min > self.items_min {
            bail!("trends.voices_min ({}) is above trends.items_min ({}): an item has one voice", self.voices_min, self.items_min);
        }
        Ok(())
    }
}
