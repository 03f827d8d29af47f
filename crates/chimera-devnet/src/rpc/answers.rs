//! Blocks, transactions, receipts and logs as JSON, field by field as geth gives them.

use std::fmt::LowerHex;

use alloy_consensus::{Header, Transaction, TxEnvelope};
use alloy_eips::eip2718::Typed2718;
use alloy_primitives::{B256, Log};
use alloy_rlp::Encodable;
use serde_json::{Value, json};

use crate::chain::Chain;
use crate::execution::{Block, Mined};
use crate::transaction::SignedTransaction;

pub(super) fn quantity(number: impl LowerHex) -> Value {
    Value::String(format!("{number:#x}"))
}

pub(super) fn hash(hash: B256) -> Value {
    Value::String(hash.to_string())
}

pub(super) fn block(block: &Block, full: bool) -> Value {
    let transactions: Vec<Value> = block
        .transactions
        .iter()
        .enumerate()
        .map(|(index, mined)| if full { mined_transaction(block, index, mined) } else { hash(mined.transaction.hash()) })
        .collect();
    let raw_bytes: usize = block.transactions.iter().map(|mined| mined.transaction.raw.len()).sum();

    let mut answer = header(&block.header);
    answer["hash"] = hash(block.hash);
    answer["nonce"] = json!(block.header.nonce.to_string());
    answer["size"] = quantity(block.header.length() + raw_bytes);
    answer["transactions"] = Value::Array(transactions);
    answer
}

/// The block that would be mined now. It has no hash: its transactions have not run.
pub(super) fn pending_block(chain: &Chain, full: bool) -> Value {
    let transactions: Vec<Value> =
        chain.ready().iter().map(|waiting| if full { waiting_transaction(waiting) } else { hash(waiting.hash()) }).collect();

    let mut answer = header(&chain.next_header());
    answer["hash"] = Value::Null;
    answer["nonce"] = Value::Null;
    answer["size"] = quantity(0);
    answer["transactions"] = Value::Array(transactions);
    answer
}

pub(super) fn mined_transaction(block: &Block, index: usize, mined: &Mined) -> Value {
    let mut answer = transaction(&mined.transaction);
    answer["blockHash"] = hash(block.hash);
    answer["blockNumber"] = quantity(block.header.number);
    answer["transactionIndex"] = quantity(index);
    answer["gasPrice"] = quantity(mined.effective_gas_price_wei);
    answer
}

pub(super) fn waiting_transaction(waiting: &SignedTransaction) -> Value {
    let mut answer = transaction(waiting);
    for unknown in ["blockHash", "blockNumber", "transactionIndex"] {
        answer[unknown] = Value::Null;
    }
    answer["gasPrice"] = quantity(waiting.envelope.max_fee_per_gas());
    answer
}

pub(super) fn receipt(block: &Block, index: usize, mined: &Mined) -> Value {
    let envelope = &mined.transaction.envelope;
    json!({
        "transactionHash": hash(mined.transaction.hash()),
        "transactionIndex": quantity(index),
        "blockHash": hash(block.hash),
        "blockNumber": quantity(block.header.number),
        "from": mined.transaction.sender.to_string(),
        "to": envelope.to().map(|to| to.to_string()),
        "contractAddress": mined.contract_address.map(|address| address.to_string()),
        "cumulativeGasUsed": quantity(mined.cumulative_gas_used),
        "gasUsed": quantity(mined.gas_used),
        "effectiveGasPrice": quantity(mined.effective_gas_price_wei),
        "logs": logs(block, index, mined).map(|(_, answer)| answer).collect::<Vec<_>>(),
        "logsBloom": mined.logs_bloom.to_string(),
        "status": quantity(u8::from(mined.succeeded)),
        "type": quantity(envelope.ty()),
    })
}

/// The logs of one transaction with their JSON.
pub(super) fn logs<'a>(block: &'a Block, index: usize, mined: &'a Mined) -> impl Iterator<Item = (&'a Log, Value)> {
    mined.logs.iter().zip(mined.first_log_index..).map(move |(log, log_index)| {
        let answer = json!({
            "address": log.address.to_string(),
            "topics": log.topics().iter().map(B256::to_string).collect::<Vec<_>>(),
            "data": log.data.data.to_string(),
            "blockHash": hash(block.hash),
            "blockNumber": quantity(block.header.number),
            "blockTimestamp": quantity(block.header.timestamp),
            "transactionHash": hash(mined.transaction.hash()),
            "transactionIndex": quantity(index),
            "logIndex": quantity(log_index),
            "removed": false,
        });
        (log, answer)
    })
}

fn header(header: &Header) -> Value {
    json!({
        "number": quantity(header.number),
        "parentHash": hash(header.parent_hash),
        "sha3Uncles": hash(header.ommers_hash),
        "miner": header.beneficiary.to_string(),
        "logsBloom": header.logs_bloom.to_string(),
        "transactionsRoot": hash(header.transactions_root),
        "stateRoot": hash(header.state_root),
        "receiptsRoot": hash(header.receipts_root),
        "difficulty": quantity(header.difficulty),
        "extraData": header.extra_data.to_string(),
        "gasLimit": quantity(header.gas_limit),
        "gasUsed": quantity(header.gas_used),
        "timestamp": quantity(header.timestamp),
        "mixHash": hash(header.mix_hash),
        "baseFeePerGas": header.base_fee_per_gas.map(quantity),
        "uncles": [],
    })
}

fn transaction(transaction: &SignedTransaction) -> Value {
    let envelope = &transaction.envelope;
    let signature = envelope.signature();
    let parity = u64::from(signature.v());
    let mut answer = json!({
        "hash": hash(transaction.hash()),
        "type": quantity(envelope.ty()),
        "chainId": envelope.chain_id().map(quantity),
        "nonce": quantity(envelope.nonce()),
        "from": transaction.sender.to_string(),
        "to": envelope.to().map(|to| to.to_string()),
        "value": quantity(envelope.value()),
        "gas": quantity(envelope.gas_limit()),
        "input": envelope.input().to_string(),
        "r": quantity(signature.r()),
        "s": quantity(signature.s()),
        "v": quantity(parity),
    });
    match envelope {
        TxEnvelope::Legacy(legacy) => {
            // EIP-155: the chain id and the parity in one number.
            let chain_id = u128::from(legacy.tx().chain_id.unwrap_or_default());
            answer["v"] = quantity(chain_id * 2 + 35 + u128::from(parity));
        }
        _ => {
            answer["yParity"] = quantity(parity);
            answer["accessList"] = access_list(envelope);
        }
    }
    if let Some(tip_wei) = envelope.max_priority_fee_per_gas() {
        answer["maxFeePerGas"] = quantity(envelope.max_fee_per_gas());
        answer["maxPriorityFeePerGas"] = quantity(tip_wei);
    }
    answer
}

fn access_list(envelope: &TxEnvelope) -> Value {
    let items = envelope.access_list().into_iter().flat_map(|list| list.iter()).map(|item| {
        json!({
            "address": item.address.to_string(),
            "storageKeys": item.storage_keys.iter().map(B256::to_string).collect::<Vec<_>>(),
        })
    });
    Value::Array(items.collect())
}
