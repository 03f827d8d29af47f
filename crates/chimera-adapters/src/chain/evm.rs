//! One EVM chain behind one or more nodes.

use super::{
    revert,
    rpc::{RpcClient, RpcFailure},
};
use alloy_primitives::{Address, B256, U256, hex};
use async_trait::async_trait;
use chimera_core::{
    domain::money::{Asset, AssetKind, ChainId},
    ports::chain::{Call, Chain, ChainError, FoundTransaction, Prepared, Receipt},
};
use chrono::DateTime;
use serde_json::{Value, json};

/// `balanceOf(address)`.
const BALANCE_OF: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];
/// The estimate is for the state of now; a little more lets the transaction pass in the state of the next block.
const GAS_MARGIN_PERCENT: u64 = 20;
/// Used when the node has no opinion.
const PRIORITY_FEE_DEFAULT_WEI: u128 = 1_000_000;

pub struct EvmChain {
    chain: ChainId,
    confirmations: u64,
    rpc: RpcClient,
}

impl EvmChain {
    /// `confirmations` is how many blocks a receipt needs, its own included.
    pub fn new(chain: ChainId, rpc: RpcClient, confirmations: u64) -> Self {
        Self { chain, confirmations: confirmations.max(1), rpc }
    }

    async fn read(&self, method: &str, params: Value) -> Result<Value, ChainError> {
        self.rpc.request(method, params).await.map_err(|failure| self.classified(&failure))
    }

    fn classified(&self, failure: &RpcFailure) -> ChainError {
        if let Some(reason) = revert::reason(failure) {
            return ChainError::Reverted { reason };
        }
        match failure {
            RpcFailure::NotSent(reason) | RpcFailure::NoAnswer(reason) => {
                ChainError::Unreachable { chain: self.chain, reason: reason.clone() }
            }
            RpcFailure::Answered { message, .. } => ChainError::Refused { chain: self.chain, reason: message.clone() },
        }
    }

    fn nonsense(&self, method: &str) -> ChainError {
        ChainError::Unreachable { chain: self.chain, reason: format!("the node's answer to {method} makes no sense") }
    }

    async fn quantity(&self, method: &str, params: Value) -> Result<U256, ChainError> {
        let answer = self.read(method, params).await?;
        parse_quantity(&answer).ok_or_else(|| self.nonsense(method))
    }

    async fn small_quantity(&self, method: &str, params: Value) -> Result<u64, ChainError> {
        let wide = self.quantity(method, params).await?;
        u64::try_from(wide).map_err(|_| self.nonsense(method))
    }

    async fn fees(&self) -> Result<(u128, u128), ChainError> {
        let method = "eth_getBlockByNumber";
        let block = self.read(method, json!(["latest", false])).await?;
        // A chain without EIP-1559 has no base fee; its gas price then serves as one.
        let base = match parse_quantity(&block["baseFeePerGas"]) {
            Some(base) => base,
            None => self.quantity("eth_gasPrice", json!([])).await?,
        };
        let base = u128::try_from(base).map_err(|_| self.nonsense(method))?;
        let priority = match self.quantity("eth_maxPriorityFeePerGas", json!([])).await {
            Ok(priority) => u128::try_from(priority).map_err(|_| self.nonsense("eth_maxPriorityFeePerGas"))?,
            Err(ChainError::Refused { .. }) => PRIORITY_FEE_DEFAULT_WEI,
            Err(other) => return Err(other),
        };
        let most = base.checked_mul(2).and_then(|doubled| doubled.checked_add(priority)).ok_or_else(|| self.nonsense(method))?;
        Ok((most, priority))
    }

    fn found(&self, transaction: &Value) -> Result<FoundTransaction, ChainError> {
        let text = |field: &str| transaction[field].as_str();
        let read = || {
            Some(FoundTransaction {
                tx_hash: text("hash")?.parse().ok()?,
                call: Call {
                    to: text("to")?.parse().ok()?,
                    value_wei: parse_quantity(&transaction["value"])?,
                    data: hex::decode(text("input")?).ok()?,
                },
            })
        };
        read().ok_or_else(|| self.nonsense("eth_getBlockByNumber"))
    }

    /// Whether the node knows the transaction, in its pool or in a block.
    async fn knows(&self, tx_hash: B256) -> Result<bool, ChainError> {
        Ok(!self.read("eth_getTransactionByHash", json!([tx_hash.to_string()])).await?.is_null())
    }
}

#[async_trait]
impl Chain for EvmChain {
    async fn id(&self) -> Result<ChainId, ChainError> {
        self.small_quantity("eth_chainId", json!([])).await.map(ChainId)
    }

    async fn balance(&self, owner: Address, asset: &Asset) -> Result<U256, ChainError> {
        match asset.kind {
            AssetKind::Native => self.quantity("eth_getBalance", json!([owner.to_string(), "latest"])).await,
            AssetKind::Token(token) => {
                let mut data = BALANCE_OF.to_vec();
                data.extend_from_slice(owner.into_word().as_slice());
                let call = json!({ "to": token.to_string(), "data": hex::encode_prefixed(data) });
                let answer = self.read("eth_call", json!([call, "latest"])).await?;
                let bytes = answer.as_str().and_then(|text| hex::decode(text).ok()).ok_or_else(|| self.nonsense("eth_call"))?;
                match bytes.get(..32) {
                    Some(word) => Ok(U256::from_be_slice(word)),
                    None => {
                        Err(ChainError::Refused { chain: self.chain, reason: format!("there is no {} contract at {token}", asset.symbol) })
                    }
                }
            }
        }
    }

    async fn prepare(&self, from: Address, call: &Call) -> Result<Prepared, ChainError> {
        let request = json!({
            "from": from.to_string(),
            "to": call.to.to_string(),
            "value": format!("{:#x}", call.value_wei),
            "data": hex::encode_prefixed(&call.data),
        });
        let gas = self.small_quantity("eth_estimateGas", json!([request])).await?;
        let gas_limit = gas.checked_mul(100 + GAS_MARGIN_PERCENT).ok_or_else(|| self.nonsense("eth_estimateGas"))? / 100;
        let (max_fee_per_gas_wei, max_priority_fee_per_gas_wei) = self.fees().await?;
        let next_nonce = self.small_quantity("eth_getTransactionCount", json!([from.to_string(), "pending"])).await?;
        Ok(Prepared { next_nonce, gas_limit, max_fee_per_gas_wei, max_priority_fee_per_gas_wei })
    }

    async fn broadcast(&self, raw: &[u8], tx_hash: B256) -> Result<(), ChainError> {
        let results = self.rpc.request_each("eth_sendRawTransaction", json!([hex::encode_prefixed(raw)])).await;
        let mut verdict = ChainError::Unreachable { chain: self.chain, reason: "no node is configured for this chain".to_owned() };
        for result in results {
            let failure = match result {
                Ok(_) => return Ok(()),
                Err(failure) => failure,
            };
            match refusal_of_broadcast(&failure) {
                Broadcast::Accepted => return Ok(()),
                Broadcast::NonceUsed if self.knows(tx_hash).await? => return Ok(()),
                Broadcast::NonceUsed => verdict = ChainError::NonceTaken,
                // Once a node may have it, no other node's refusal makes that certain again.
                Broadcast::Unknown => verdict = ChainError::Unknown { reason: failure.reason() },
                Broadcast::Refused => verdict = keep_unknown(verdict, ChainError::Refused { chain: self.chain, reason: failure.reason() }),
                Broadcast::NotSent => {
                    verdict = keep_unknown(verdict, ChainError::Unreachable { chain: self.chain, reason: failure.reason() })
                }
            }
        }
        Err(verdict)
    }

    async fn receipt(&self, tx_hash: B256) -> Result<Option<Receipt>, ChainError> {
        let method = "eth_getTransactionReceipt";
        let answer = self.read(method, json!([tx_hash.to_string()])).await?;
        if answer.is_null() || answer["blockNumber"].is_null() {
            return Ok(None);
        }
        let number = |field: &str| parse_quantity(&answer[field]).ok_or_else(|| self.nonsense(method));
        let block_number = u64::try_from(number("blockNumber")?).map_err(|_| self.nonsense(method))?;
        if self.confirmations > 1 {
            let latest = self.small_quantity("eth_blockNumber", json!([])).await?;
            if latest.saturating_sub(block_number) + 1 < self.confirmations {
                return Ok(None);
            }
        }
        let gas_fee = number("gasUsed")?.checked_mul(number("effectiveGasPrice")?).ok_or_else(|| self.nonsense(method))?;
        let data_fee = parse_quantity(&answer["l1Fee"]).unwrap_or_default();
        let fee_wei = gas_fee.checked_add(data_fee).ok_or_else(|| self.nonsense(method))?;
        let block = self.read("eth_getBlockByNumber", json!([format!("{block_number:#x}"), false])).await?;
        let block_time = parse_quantity(&block["timestamp"])
            .and_then(|seconds| i64::try_from(seconds).ok())
            .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
            .ok_or_else(|| self.nonsense("eth_getBlockByNumber"))?;
        Ok(Some(Receipt { succeeded: number("status")? == U256::from(1), block_number, block_time, fee_wei }))
    }

    async fn confirmed_nonce(&self, owner: Address) -> Result<u64, ChainError> {
        self.small_quantity("eth_getTransactionCount", json!([owner.to_string(), "latest"])).await
    }

    async fn block_of(&self, tx_hash: B256) -> Result<Option<u64>, ChainError> {
        let method = "eth_getTransactionReceipt";
        let answer = self.read(method, json!([tx_hash.to_string()])).await?;
        if answer.is_null() || answer["blockNumber"].is_null() {
            return Ok(None);
        }
        let number = parse_quantity(&answer["blockNumber"]).and_then(|number| u64::try_from(number).ok());
        number.map(Some).ok_or_else(|| self.nonsense(method))
    }

    async fn latest_block(&self) -> Result<u64, ChainError> {
        self.small_quantity("eth_blockNumber", json!([])).await
    }

    async fn finalized_block(&self) -> Result<u64, ChainError> {
        let method = "eth_getBlockByNumber";
        let block = self.read(method, json!(["finalized", false])).await?;
        // A chain too young to have one.
        if block.is_null() {
            return Ok(0);
        }
        parse_quantity(&block["number"]).and_then(|number| u64::try_from(number).ok()).ok_or_else(|| self.nonsense(method))
    }

    /// Halves the range of blocks by the wallet's transaction count at their end, until one block is left.
    async fn transaction_of(&self, owner: Address, nonce: u64, after_block: u64) -> Result<Option<FoundTransaction>, ChainError> {
        let count = |block: u64| self.small_quantity("eth_getTransactionCount", json!([owner.to_string(), format!("{block:#x}")]));
        let mut last = self.latest_block().await?;
        if last <= after_block || count(last).await? <= nonce {
            return Ok(None);
        }
        let mut before = after_block;
        while last - before > 1 {
            let middle = before + (last - before) / 2;
            if count(middle).await? > nonce { last = middle } else { before = middle }
        }
        let block = self.read("eth_getBlockByNumber", json!([format!("{last:#x}"), true])).await?;
        let transactions = block["transactions"].as_array().into_iter().flatten();
        let is_it = |transaction: &&Value| {
            let from = transaction["from"].as_str().and_then(|text| text.parse::<Address>().ok());
            from == Some(owner) && parse_quantity(&transaction["nonce"]) == Some(U256::from(nonce))
        };
        transactions.into_iter().find(is_it).map(|transaction| self.found(transaction)).transpose()
    }
}

enum Broadcast {
    Accepted,
    NonceUsed,
    Refused,
    NotSent,
    Unknown,
}

/// Nodes say this in prose; the wordings are geth's, and those of the nodes that copy it.
fn refusal_of_broadcast(failure: &RpcFailure) -> Broadcast {
    let (code, message) = match failure {
        RpcFailure::NotSent(_) => return Broadcast::NotSent,
        RpcFailure::NoAnswer(_) => return Broadcast::Unknown,
        RpcFailure::Answered { code, message, .. } => (*code, message.to_lowercase()),
    };
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if says(&["already known", "already imported", "known transaction"]) {
        return Broadcast::Accepted;
    }
    if says(&["nonce too low", "nonce is too low", "old nonce"]) {
        return Broadcast::NonceUsed;
    }
    // An internal error or a limit says nothing about whether the bytes went into the pool first.
    const INTERNAL_ERROR: i64 = -32603;
    const LIMIT_EXCEEDED: i64 = -32005;
    if matches!(code, INTERNAL_ERROR | LIMIT_EXCEEDED) || says(&["timeout", "timed out", "internal error"]) {
        return Broadcast::Unknown;
    }
    Broadcast::Refused
}

fn keep_unknown(so_far: ChainError, next: ChainError) -> ChainError {
    if matches!(so_far, ChainError::Unknown { .. } | ChainError::NonceTaken) { so_far } else { next }
}

fn parse_quantity(value: &Value) -> Option<U256> {
    let digits = value.as_str()?.strip_prefix("0x")?;
    U256::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16).ok()
}

#[cfg(test)]
mod tests;
