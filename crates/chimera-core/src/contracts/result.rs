//! What a Worker made, on its way to the Judge.

use super::{
    UtcTime, UuidV4,
    content_generator::{Artifact, EMBEDDED_WRITER},
    wallet_transaction::WalletTransactionOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of one task: either an artifact or a transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerResult {
    pub result_id: UuidV4,
    pub task_id: UuidV4,
    pub worker_id: String,
    pub agent_id: String,
    pub created_at: UtcTime,
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence_score: f64,
    pub reasoning_trace: String,
    /// Who wrote the text: `embedded`, or provider and model. Absent in what was made before this was asked, and counts as a model then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
    /// Sentences of the text that its checks doubt: a person decides, whatever the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubted: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// The wallet skill's answer, as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<WalletTransactionOutput>,
}

impl WorkerResult {
    /// Whether the embedded composer wrote the text. What nobody said is not so.
    pub fn is_by_composer(&self) -> bool {
        self.written_by.as_deref() == Some(EMBEDDED_WRITER)
    }
}
