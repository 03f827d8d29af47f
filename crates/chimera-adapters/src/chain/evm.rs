//! One EVM chain behind one or more nodes.

mod receipts;

use super::{
    l1_fee,
    nodes::{NodeIndex, RpcClient, parse_quantity},
    refusals::{Refusal, refusal_of_broadcast},
    revert,
    rpc::{Permit, RpcFailure},
    sharing::Sharing,
};
use alloy_primitives::{Address, B256, U256, hex};
use async_trait::async_trait;
use chimera_core::{
    domain::money::{Asset, AssetKind, ChainId},
    ports::chain::{Call, Chain, ChainError, FoundTransaction, Prepared, Receipt, SendPermit},
};
use receipts::LastBlock;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// `balanceOf(address)`.
const BALANCE_OF: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];
/// `decimals()`.
const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];
/// The estimate is for the state of now; a little more lets the transaction pass in the state of the next block.
const GAS_MARGIN_PERCENT: u64 = 20;
/// Used when the node has no opinion.
const PRIORITY_FEE_DEFAULT_WEI: u128 = 1_000_000;
/// Transfers that are made at the same time share one answer. What is offered is twice the base fee, which rises by an eighth per block
/// at most: half a second is two blocks of the fastest chains.
const FEES_SHARED_FOR: Duration = Duration::from_millis(500);

pub struct EvmChain {
    chain: ChainId,
    confirmations: u64,
    rpc: RpcClient,
    /// Transfers of one wallet that are made at the same time ask for the same balance and the same nonce.
    reads: Sharing<(&'static str, String), Result<Value, ChainError>>,
    /// Found once: a rollup has its oracle from its first block on, and no other chain ever gets one.
    is_without_l1_fee: AtomicBool,
    /// The last answer and when it was asked for. Held while the node is asked, so that others wait for that answer.
    fees: tokio::sync::Mutex<Option<(Instant, Fees)>>,
    last_block: LastBlock,
}

#[derive(Debug, Clone, Copy)]
struct Fees {
    max_per_gas_wei: u128,
    priority_per_gas_wei: u128,
}

impl EvmChain {
    /// `confirmations` is how many blocks a receipt needs, its own included.
    pub fn new(chain: ChainId, rpc: RpcClient, confirmations: u64) -> Self {
        Self {
            chain,
            confirmations: confirmations.max(1),
            rpc: rpc.expecting(chain),
            reads: Sharing::default(),
            is_without_l1_fee: AtomicBool::new(false),
            fees: tokio::sync::Mutex::default(),
            last_block: LastBlock::default(),
        }
    }

    /// An answer that is not enough is kept only if no other node has a better one.
    async fn read_until(&self, method: &'static str, params: Value, is_enough: fn(&Value) -> bool) -> Result<Value, ChainError> {
        let question = (method, params.to_string());
        let ask = || async { self.rpc.request(method, params, is_enough).await.map_err(|failure| self.classified(&failure)) };
        self.reads.answer(question, ask).await
    }

    fn classified(&self, failure: &RpcFailure) -> ChainError {
        if let Some(reason) = revert::reason(failure) {
            return ChainError::Reverted { reason };
        }
        match failure {
            RpcFailure::NotSent(_) | RpcFailure::NoAnswer(_) | RpcFailure::Withheld => {
                ChainError::Unreachable { chain: self.chain, reason: failure.reason() }
            }
            RpcFailure::Answered { message, .. } => ChainError::Refused { chain: self.chain, reason: message.clone() },
        }
    }

    fn nonsense(&self, method: &str) -> ChainError {
        ChainError::Unreachable { chain: self.chain, reason: format!("the node's answer to {method} makes no sense") }
    }

    async fn quantity(&self, method: &'static str, params: Value) -> Result<U256, ChainError> {
        let answer = self.read_until(method, params, |answer| parse_quantity(answer).is_some()).await?;
        parse_quantity(&answer).ok_or_else(|| self.nonsense(method))
    }

    async fn small_quantity(&self, method: &'static str, params: Value) -> Result<u64, ChainError> {
        let wide = self.quantity(method, params).await?;
        u64::try_from(wide).map_err(|_| self.nonsense(method))
    }

    async fn fees(&self) -> Result<Fees, ChainError> {
        let mut shared = self.fees.lock().await;
        if let Some((asked_at, fees)) = *shared
            && asked_at.elapsed() < FEES_SHARED_FOR
        {
            return Ok(fees);
        }
        let asked_at = Instant::now();
        let fees = self.fees_now().await?;
        *shared = Some((asked_at, fees));
        Ok(fees)
    }

    async fn fees_now(&self) -> Result<Fees, ChainError> {
        let method = "eth_getBlockByNumber";
        let block = self.read_until(method, json!(["latest", false]), Value::is_object).await?;
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
        Ok(Fees { max_per_gas_wei: most, priority_per_gas_wei: priority })
    }

    fn found(&self, transaction: &Value) -> Result<FoundTransaction, ChainError> {
        let text = |field: &str| transaction[field].as_str();
        let read = || {
            Some(FoundTransaction {
                tx_hash: text("hash")?.parse().ok()?,
                call: Call {
                    to: if transaction["to"].is_null() { Address::ZERO } else { text("to")?.parse().ok()? },
                    value_wei: parse_quantity(&transaction["value"])?,
                    data: hex::decode(text("input")?).ok()?,
                },
            })
        };
        read().ok_or_else(|| self.nonsense("eth_getBlockByNumber"))
    }

    async fn call(&self, to: Address, data: &[u8]) -> Result<Vec<u8>, ChainError> {
        let call = json!({ "to": to.to_string(), "data": hex::encode_prefixed(data) });
        let answer = self.read_until("eth_call", json!([call, "latest"]), |answer| bytes_in(answer).is_some()).await?;
        bytes_in(&answer).ok_or_else(|| self.nonsense("eth_call"))
    }

    /// For a transaction with so much call data; zero on a chain that has no such fee.
    async fn l1_fee_max_wei(&self, data_bytes: usize) -> Result<U256, ChainError> {
        if self.is_without_l1_fee.load(Ordering::Relaxed) {
            return Ok(U256::ZERO);
        }
        let answer = match self.call(l1_fee::GAS_PRICE_ORACLE, &l1_fee::call_data(data_bytes)).await {
            // A fee without a bound could be any: nothing is signed on such a chain.
            Err(ChainError::Reverted { reason }) => {
                let reason = format!("the rollup's gas price oracle does not say its L1 data fee: {reason}");
                return Err(ChainError::Refused { chain: self.chain, reason });
            }
            other => other?,
        };
        if answer.is_empty() {
            self.is_without_l1_fee.store(true, Ordering::Relaxed);
        }
        l1_fee::fee_max_wei(&answer).ok_or_else(|| self.nonsense("eth_call"))
    }

    /// Whether the transaction that a node calls too late is ours. That very node is asked first: another one may lag behind it.
    async fn is_ours(&self, node: NodeIndex, tx_hash: B256) -> Result<bool, RpcFailure> {
        let (method, params) = ("eth_getTransactionByHash", json!([tx_hash.to_string()]));
        if !self.rpc.request_at(node, method, params.clone()).await?.is_null() {
            return Ok(true);
        }
        Ok(self.rpc.request(method, params, |answer| !answer.is_null()).await.is_ok_and(|answer| !answer.is_null()))
    }
}

#[async_trait]
impl Chain for EvmChain {
    fn has_node(&self) -> bool {
        self.rpc.has_node()
    }

    async fn id(&self) -> Result<ChainId, ChainError> {
        self.rpc.chain_id().await.map_err(|failure| self.classified(&failure))
    }

    async fn balance(&self, owner: Address, asset: &Asset) -> Result<U256, ChainError> {
        match asset.kind {
            AssetKind::Native => self.quantity("eth_getBalance", json!([owner.to_string(), "latest"])).await,
            AssetKind::Token(token) => {
                let mut data = BALANCE_OF.to_vec();
                data.extend_from_slice(owner.into_word().as_slice());
                let bytes = self.call(token, &data).await?;
                match bytes.get(..32) {
                    Some(word) => Ok(U256::from_be_slice(word)),
                    None => {
                        Err(ChainError::Refused { chain: self.chain, reason: format!("there is no {} contract at {token}", asset.symbol) })
                    }
                }
            }
        }
    }

    async fn decimals(&self, token: Address) -> Result<u8, ChainError> {
        let word = self.call(token, &DECIMALS).await?;
        let decimals = (word.len() == 32).then(|| u8::try_from(U256::from_be_slice(&word)).ok()).flatten();
        decimals
            .ok_or_else(|| ChainError::Refused { chain: self.chain, reason: format!("the contract at {token} does not say its decimals") })
    }

    async fn prepare(&self, from: Address, call: &Call) -> Result<Prepared, ChainError> {
        let request = json!({
            "from": from.to_string(),
            "to": call.to.to_string(),
            "value": format!("{:#x}", call.value_wei),
            "data": hex::encode_prefixed(&call.data),
        });
        let (gas, fees, next_nonce, l1_fee_max_wei) = tokio::join!(
            self.small_quantity("eth_estimateGas", json!([request])),
            self.fees(),
            self.small_quantity("eth_getTransactionCount", json!([from.to_string(), "pending"])),
            self.l1_fee_max_wei(call.data.len()),
        );
        // First of all: that the call would revert matters more than whatever else went wrong.
        let gas_limit = gas?.checked_mul(100 + GAS_MARGIN_PERCENT).ok_or_else(|| self.nonsense("eth_estimateGas"))? / 100;
        let Fees { max_per_gas_wei: max_fee_per_gas_wei, priority_per_gas_wei: max_priority_fee_per_gas_wei } = fees?;
        Ok(Prepared {
            next_nonce: next_nonce?,
            gas_limit,
            max_fee_per_gas_wei,
            max_priority_fee_per_gas_wei,
            l1_fee_max_wei: l1_fee_max_wei?,
        })
    }

    async fn broadcast(&self, raw: &[u8], tx_hash: B256, permit: Arc<dyn SendPermit>) -> Result<(), ChainError> {
        let params = json!([hex::encode_prefixed(raw)]);
        let results = self.rpc.request_until_accepted("eth_sendRawTransaction", params, Permit(permit)).await;
        let mut verdict = ChainError::Unreachable { chain: self.chain, reason: "no node is configured for this chain".to_owned() };
        for (node, result) in results {
            let Err(failure) = result else { return Ok(()) };
            let reason = failure.reason();
            let told = match refusal_of_broadcast(&failure) {
                Refusal::AlreadyThere => return Ok(()),
                Refusal::NonceUsed => match self.is_ours(node, tx_hash).await {
                    Ok(true) => return Ok(()),
                    Ok(false) => ChainError::NonceTaken,
                    Err(failure) => ChainError::Unknown { reason: failure.reason() },
                },
                Refusal::Unknown => ChainError::Unknown { reason },
                Refusal::Refused => ChainError::Refused { chain: self.chain, reason },
                Refusal::NotNow | Refusal::NotSent => ChainError::Unreachable { chain: self.chain, reason },
            };
            if weight(&told) >= weight(&verdict) {
                verdict = told;
            }
        }
        Err(verdict)
    }

    async fn receipt(&self, tx_hash: B256) -> Result<Option<Receipt>, ChainError> {
        self.receipt_of(tx_hash).await
    }

    /// The least that any node says: only what has happened for every one of them has happened for good.
    async fn confirmed_nonce(&self, owner: Address) -> Result<u64, ChainError> {
        let method = "eth_getTransactionCount";
        let mut least: Result<u64, ChainError> =
            Err(ChainError::Unreachable { chain: self.chain, reason: "no node is configured for this chain".to_owned() });
        for told in self.rpc.request_all(method, json!([owner.to_string(), "latest"])).await {
            let told = match told {
                Ok(answer) => parse_quantity(&answer).and_then(|wide| u64::try_from(wide).ok()).ok_or_else(|| self.nonsense(method)),
                Err(failure) => Err(self.classified(&failure)),
            };
            least = match (least, told) {
                (Ok(least), Ok(told)) => Ok(least.min(told)),
                (Ok(least), Err(_)) => Ok(least),
                (Err(_), told) => told,
            };
        }
        least
    }

    async fn blocks_of(&self, tx_hashes: &[B256]) -> Result<Vec<Option<u64>>, ChainError> {
        self.blocks_with(tx_hashes).await
    }

    async fn latest_block(&self) -> Result<u64, ChainError> {
        self.small_quantity("eth_blockNumber", json!([])).await
    }

    async fn finalized_block(&self) -> Result<u64, ChainError> {
        let method = "eth_getBlockByNumber";
        let block = self.read_until(method, json!(["finalized", false]), |_| true).await?;
        // A chain too young to have one.
        if block.is_null() {
            return Ok(0);
        }
        parse_quantity(&block["number"]).and_then(|number| u64::try_from(number).ok()).ok_or_else(|| self.nonsense(method))
    }

    /// Halves the range of blocks by the wallet's transaction count at their end, until one block is left. From the newest block on, in
    /// growing steps: most nodes keep the state of the last few alone.
    async fn transaction_of(&self, owner: Address, nonce: u64, after_block: u64) -> Result<Option<FoundTransaction>, ChainError> {
        let count = |block: u64| self.small_quantity("eth_getTransactionCount", json!([owner.to_string(), format!("{block:#x}")]));
        let mut last = self.latest_block().await?;
        if last <= after_block || count(last).await? <= nonce {
            return Ok(None);
        }
        let mut before = after_block;
        let mut step = 1;
        while last - after_block > step {
            let earlier = last - step;
            if count(earlier).await? <= nonce {
                before = earlier;
                break;
            }
            last = earlier;
            step *= 2;
        }
        while last - before > 1 {
            let middle = before + (last - before) / 2;
            if count(middle).await? > nonce { last = middle } else { before = middle }
        }
        let block = self.read_until("eth_getBlockByNumber", json!([format!("{last:#x}"), true]), |block| !block.is_null()).await?;
        let transactions = block["transactions"].as_array().into_iter().flatten();
        let is_it = |transaction: &&Value| {
            let from = transaction["from"].as_str().and_then(|text| text.parse::<Address>().ok());
            from == Some(owner) && parse_quantity(&transaction["nonce"]) == Some(U256::from(nonce))
        };
        transactions.into_iter().find(is_it).map(|transaction| self.found(transaction)).transpose()
    }
}

/// Of what several nodes say of one broadcast, the heaviest counts. Once a node may have the bytes, no other one's refusal makes that
/// certain again; and a node that was not reached takes nothing from another's refusal.
fn weight(verdict: &ChainError) -> u8 {
    match verdict {
        ChainError::Unknown { .. } => 3,
        ChainError::NonceTaken => 2,
        ChainError::Refused { .. } | ChainError::Reverted { .. } => 1,
        ChainError::Unreachable { .. } => 0,
    }
}

fn bytes_in(answer: &Value) -> Option<Vec<u8>> {
    hex::decode(answer.as_str()?).ok()
}

#[cfg(test)]
mod tests;
