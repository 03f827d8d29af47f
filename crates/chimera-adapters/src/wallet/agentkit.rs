//! AgentKit's wallet actions behind any MCP server that exposes them. It signs and sends by itself, has no idempotency key, and
//! calls a reverted transfer "Transferred": so an order is asked for once, and its answer is only a hint where to look.

mod answers;

use alloy_primitives::B256;
use async_trait::async_trait;
use chimera_core::{
    domain::{
        Untrusted,
        money::{AssetKind, format_units},
    },
    ports::{
        sending_wallet::{SendOrder, SendingWallet, SendingWalletError, WalletDetails},
        tools::{ToolError, Tools},
    },
};
use serde_json::{Map, Value, json};
use std::{sync::Arc, time::Duration};

const DETAILS_TOOL: &str = "WalletActionProvider_get_wallet_details";
const NATIVE_TOOL: &str = "WalletActionProvider_native_transfer";
const TOKEN_TOOL: &str = "ERC20ActionProvider_transfer";

/// It asks its node for a balance, no more; but this may be its first call, and it takes long to load on a busy machine.
const DETAILS_WITHIN: Duration = Duration::from_secs(90);
/// It waits for the receipt before it answers. Whoever asked watches the chain anyway, so there is no use in waiting for all of that.
const SEND_WITHIN: Duration = Duration::from_secs(60);

/// The wallet of one AgentKit, which is the only wallet of its MCP server.
pub struct AgentKitWallet {
    tools: Arc<dyn Tools>,
    server: String,
}

impl AgentKitWallet {
    /// `server` is the name of the upstream MCP server.
    pub fn new(tools: Arc<dyn Tools>, server: String) -> Self {
        Self { tools, server }
    }

    async fn ask(&self, tool: &str, arguments: Value, within: Duration) -> Result<String, SendingWalletError> {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        match self.tools.call(&self.server, tool, arguments, within).await {
            Ok(answer) => answer.text().map(Untrusted::into_data).ok_or_else(|| unclear("it answered with something other than text")),
            Err(error) => Err(classified(&error)),
        }
    }
}

#[async_trait]
impl SendingWallet for AgentKitWallet {
    async fn details(&self) -> Result<WalletDetails, SendingWalletError> {
        let text = self.ask(DETAILS_TOOL, json!({}), DETAILS_WITHIN).await?;
        answers::details(&text).map_err(|reason| unclear(&reason))
    }

    async fn send(&self, order: &SendOrder) -> Result<Option<B256>, SendingWalletError> {
        let to = order.to.to_checksum(None);
        // AgentKit takes whole units and multiplies them back: the text must be exact.
        let amount = format_units(order.amount_units, order.asset.decimals);
        let (tool, arguments, token) = match order.asset.kind {
            AssetKind::Native => (NATIVE_TOOL, json!({ "to": to, "value": amount }), None),
            AssetKind::Token(contract) => {
                let contract = contract.to_checksum(None);
                (TOKEN_TOOL, json!({ "amount": amount, "tokenAddress": contract, "destinationAddress": to }), Some(contract))
            }
        };
        let text = self.ask(tool, arguments, SEND_WITHIN).await?;
        let hash = match token {
            None => answers::native_transfer(&text, &amount, &to),
            Some(contract) => answers::token_transfer(&text, &amount, &contract, &to),
        };
        hash.map(Some).ok_or_else(|| unclear(&answers::gist(&text)))
    }
}

/// Only a call that never reached the server proves that it did nothing: one that it refused may have been refused half way.
fn classified(error: &ToolError) -> SendingWalletError {
    let reason = error.to_string();
    match error {
        ToolError::NoServer { .. } | ToolError::Unreachable { .. } => SendingWalletError::NotAsked { reason },
        ToolError::Refused { .. }
        | ToolError::TimedOut { .. }
        | ToolError::TooLarge { .. }
        | ToolError::DoneTooLarge { .. }
        | ToolError::Failed { .. } => SendingWalletError::Unclear { reason },
    }
}

fn unclear(reason: &str) -> SendingWalletError {
    SendingWalletError::Unclear { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests;
