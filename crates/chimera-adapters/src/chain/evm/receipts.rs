//! Receipts, and when their blocks were made.

use super::{EvmChain, parse_quantity};
use crate::locking::locked;
use alloy_primitives::{Address, B256, U256, b256};
use chimera_core::ports::chain::{ChainError, Receipt, TokenMovement};
use chrono::{DateTime, Utc};
use futures::future::try_join_all;
use serde_json::{Value, json};
use std::sync::Mutex;

const METHOD: &str = "eth_getTransactionReceipt";

/// The last block that a receipt was found in. By its hash: another block may take its number.
pub(super) type LastBlock = Mutex<Option<(B256, DateTime<Utc>)>>;

impl EvmChain {
    pub(super) async fn receipt_of(&self, tx_hash: B256) -> Result<Option<Receipt>, ChainError> {
        let answer = self.told_of(tx_hash).await?;
        if answer.is_null() || answer["blockNumber"].is_null() {
            return Ok(None);
        }
        let number = |field: &str| parse_quantity(&answer[field]).ok_or_else(|| self.nonsense(METHOD));
        let block_number = u64::try_from(number("blockNumber")?).map_err(|_| self.nonsense(METHOD))?;
        if self.confirmations > 1 {
            let latest = self.small_quantity("eth_blockNumber", json!([])).await?;
            if latest.saturating_sub(block_number) + 1 < self.confirmations {
                return Ok(None);
            }
        }
        let gas_fee = number("gasUsed")?.checked_mul(number("effectiveGasPrice")?).ok_or_else(|| self.nonsense(METHOD))?;
        let data_fee = parse_quantity(&answer["l1Fee"]).unwrap_or_default();
        let fee_wei = gas_fee.checked_add(data_fee).ok_or_else(|| self.nonsense(METHOD))?;
        let block_time = self.block_time(&answer, block_number).await?;
        let succeeded = number("status")? == U256::from(1);
        let token_movements = answer["logs"].as_array().into_iter().flatten().filter_map(token_movement).collect();
        Ok(Some(Receipt { succeeded, block_number, block_time, fee_wei, token_movements }))
    }

    pub(super) async fn blocks_with(&self, tx_hashes: &[B256]) -> Result<Vec<Option<u64>>, ChainError> {
        let looked = tx_hashes.iter().map(|tx_hash| async {
            let number = self.told_of(*tx_hash).await?["blockNumber"].take();
            let known = parse_quantity(&number).and_then(|number| u64::try_from(number).ok());
            if number.is_null() || known.is_some() { Ok(known) } else { Err(self.nonsense(METHOD)) }
        });
        try_join_all(looked).await
    }

    /// Only when no node knows of a transaction is it in no block: a single one may lag.
    async fn told_of(&self, tx_hash: B256) -> Result<Value, ChainError> {
        self.read_until(METHOD, json!([tx_hash.to_string()]), |answer| !answer["blockNumber"].is_null()).await
    }

    /// When the receipt's block was made.
    async fn block_time(&self, receipt: &Value, block_number: u64) -> Result<DateTime<Utc>, ChainError> {
        // Some nodes say it beside the rest.
        if let Some(time) = timestamp(&receipt["blockTimestamp"]) {
            return Ok(time);
        }
        let hash: Option<B256> = receipt["blockHash"].as_str().and_then(|text| text.parse().ok());
        let known = *locked(&self.last_block);
        if let (Some(hash), Some((known_hash, time))) = (hash, known)
            && hash == known_hash
        {
            return Ok(time);
        }
        let method = "eth_getBlockByNumber";
        let block = self.read_until(method, json!([format!("{block_number:#x}"), false]), Value::is_object).await?;
        let time = timestamp(&block["timestamp"]).ok_or_else(|| self.nonsense(method))?;
        // A reorganisation may have put another block there in the meantime.
        if let Some(hash) = hash
            && block["hash"].as_str().and_then(|text| text.parse::<B256>().ok()) == Some(hash)
        {
            *locked(&self.last_block) = Some((hash, time));
        }
        Ok(time)
    }
}

/// `Transfer(address,address,uint256)` of an ERC-20; anything else is none.
fn token_movement(log: &Value) -> Option<TokenMovement> {
    const TRANSFER: B256 = b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
    let topics: Vec<B256> = log["topics"].as_array()?.iter().map_while(|topic| topic.as_str()?.parse().ok()).collect();
    let &[TRANSFER, from, to] = topics.as_slice() else { return None };
    let units = log["data"].as_str()?.parse::<B256>().ok()?;
    let token = log["address"].as_str()?.parse().ok()?;
    Some(TokenMovement { token, from: Address::from_word(from), to: Address::from_word(to), units: units.into() })
}

/// Seconds, as a quantity or as a plain number.
fn timestamp(value: &Value) -> Option<DateTime<Utc>> {
    let seconds = value.as_i64().or_else(|| parse_quantity(value).and_then(|seconds| i64::try_from(seconds).ok()))?;
    DateTime::from_timestamp(seconds, 0)
}
