//! The closed set of codes that clients branch on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a skill call failed, for programs. `docs/errors.md` says for each what the caller can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    InvalidInput,
    UnknownAgent,
    ResourceUnavailable,
    UnsupportedPlatform,
    PolicyViolation,
    ConfidenceBelowMinimum,
    ProviderError,
    BudgetExceeded,
    InsufficientBalance,
    InvalidAddress,
    RpcError,
    UnsupportedChain,
    UnsupportedAsset,
    NotApproved,
    ApprovalRequired,
    RateLimited,
    Cancelled,
    InternalError,
}
