//! `skill_wallet_transaction`: what it is asked, and what it answers.

use super::{True, UtcTime, UuidV4, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub const NAME: &str = "skill_wallet_transaction";
/// The seed's name for the id of this skill's answers.
pub const ANSWER_ID: &str = "transaction_id";

/// One wallet operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WalletTransactionInput {
    /// Task identifier from the Planner. The same task never pays twice.
    pub task_id: UuidV4,
    /// Agent whose wallet is used.
    #[schemars(length(min = 1, max = 128))]
    pub agent_id: String,
    pub operation: WalletOperation,
    pub params: WalletParams,
    /// A further, tighter daily limit.
    pub budget_check: Option<BudgetCheck>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WalletOperation {
    GetBalance,
    NativeTransfer,
    TokenTransfer,
}

/// What to move, where to, on which chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WalletParams {
    /// Case-sensitive symbol, such as ETH or USDC.
    #[schemars(length(min = 1, max = 32))]
    pub asset: String,
    /// Recipient, 0x and 40 hex digits; required for a transfer.
    #[schemars(length(max = 128))]
    pub to_address: Option<String>,
    /// Amount in the asset's smallest unit, as a decimal integer string; required for a transfer.
    #[schemars(length(max = 128))]
    pub amount_wei_or_units: Option<String>,
    /// Decimal chain id; default is the configured chain (Base, 8453).
    #[schemars(regex(pattern = "^[0-9]{1,19}$"))]
    pub chain_id: Option<String>,
}

/// A named daily counter that can only tighten the agent's policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetCheck {
    /// Counter shared by whoever names it.
    #[schemars(regex(pattern = "^[a-z0-9:_-]{1,64}$"))]
    pub daily_spend_key: Option<String>,
    /// Limit for this call in the asset's smallest unit.
    #[schemars(regex(pattern = "^[0-9]{1,78}$"))]
    pub max_daily_limit_units: Option<String>,
}

/// What the wallet did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WalletTransactionOutput {
    pub success: True,
    pub transaction_id: UuidV4,
    pub task_id: UuidV4,
    pub agent_id: String,
    pub operation: WalletOperation,
    pub result: WalletResult,
}

/// A balance, or a confirmed transfer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WalletResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance_wei_or_units: Option<String>,
    /// The balance in whole units, without its symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance_formatted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_hash: Option<String>,
    /// Decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_number: Option<String>,
    /// For a transfer, the block's time.
    pub executed_at: UtcTime,
}

pub fn input_schema() -> Value {
    schema::of::<WalletTransactionInput>()
}

pub fn output_schema() -> Value {
    schema::answer_of::<WalletTransactionOutput>(ANSWER_ID, true)
}
