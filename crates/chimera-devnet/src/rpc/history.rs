//! Questions over a range of blocks: `eth_getLogs` and `eth_feeHistory`.

use alloy_consensus::Transaction;
use alloy_primitives::{Address, B256, Log};
use serde_json::{Value, json};

use super::answers::{self, quantity};
use super::params::{self, BlockTag, Fields, Params};
use super::{REFUSED, RpcError};
use crate::chain::Chain;
use crate::execution::{self, Block};

const LOGS_MAX: usize = 10_000;
const FEE_HISTORY_BLOCKS_MAX: u64 = 1024;
const PERCENTILES_MAX: usize = 100;

pub(super) fn logs(chain: &Chain, params: Params) -> Result<Value, RpcError> {
    params.at_most(1)?;
    let fields = params.object(0)?;
    let wanted = Filter::read(fields)?;
    let (first, last) = block_range(chain, fields)?;

    let mut found = Vec::new();
    for block in (first..=last).map_while(|number| chain.block(number)) {
        for (index, mined) in block.transactions.iter().enumerate() {
            found.extend(answers::logs(block, index, mined).filter(|(log, _)| wanted.matches(log)).map(|(_, answer)| answer));
        }
        if found.len() > LOGS_MAX {
            let message = format!("query returned more than {LOGS_MAX} results, ask for fewer blocks");
            return Err(RpcError::new(REFUSED, message));
        }
    }
    Ok(Value::Array(found))
}

pub(super) fn fee_history(chain: &Chain, params: Params) -> Result<Value, RpcError> {
    params.at_most(3)?;
    let asked = u64::try_from(params.quantity(0)?).unwrap_or(u64::MAX).min(FEE_HISTORY_BLOCKS_MAX);
    let newest = match params.block_tag(1)? {
        BlockTag::Pending => chain.latest().header.number,
        tag => tag.number(chain).ok_or_else(|| RpcError::new(REFUSED, "request beyond head block"))?,
    };
    let percentiles = read_percentiles(params)?;

    // At most all blocks from the genesis block on.
    let count = asked.min(newest + 1);
    let oldest = newest + 1 - count;
    let blocks: Vec<&Block> = (oldest..=newest).filter(|_| count > 0).filter_map(|number| chain.block(number)).collect();
    let after_newest = chain.block(newest + 1).map_or_else(|| chain.next_base_fee_wei(), |block| execution::base_fee_wei(&block.header));
    let base_fees = blocks.iter().map(|block| execution::base_fee_wei(&block.header)).chain([after_newest]);
    let used_ratio = |block: &&Block| block.header.gas_used as f64 / block.header.gas_limit as f64;

    let mut answer = json!({
        "oldestBlock": quantity(oldest),
        "baseFeePerGas": base_fees.map(quantity).collect::<Vec<_>>(),
        "gasUsedRatio": blocks.iter().map(used_ratio).collect::<Vec<_>>(),
    });
    if !percentiles.is_empty() {
        answer["reward"] = blocks.iter().map(|block| tips_at(block, &percentiles)).collect();
    }
    Ok(answer)
}

struct Filter {
    /// Any address when empty.
    addresses: Vec<Address>,
    /// For each position the accepted topics; any when empty.
    topics: Vec<Vec<B256>>,
}

impl Filter {
    fn read(fields: Fields) -> Result<Self, RpcError> {
        Ok(Self {
            addresses: fields.read("address", |value| one_or_many(value, params::address))?.unwrap_or_default(),
            topics: fields.read("topics", read_topics)?.unwrap_or_default(),
        })
    }

    fn matches(&self, log: &Log) -> bool {
        let topics = log.topics();
        (self.addresses.is_empty() || self.addresses.contains(&log.address))
            && self.topics.len() <= topics.len()
            && self.topics.iter().zip(topics).all(|(accepted, topic)| accepted.is_empty() || accepted.contains(topic))
    }
}

fn read_topics(value: &Value) -> Result<Vec<Vec<B256>>, String> {
    let positions = value.as_array().ok_or("an array is wanted")?;
    if positions.len() > 4 {
        return Err("a log has at most 4 topics".to_owned());
    }
    positions.iter().map(|position| if position.is_null() { Ok(Vec::new()) } else { one_or_many(position, params::hash) }).collect()
}

fn one_or_many<T>(value: &Value, reader: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    match value.as_array() {
        Some(items) => items.iter().map(reader).collect(),
        None => Ok(vec![reader(value)?]),
    }
}

/// First and last block number, both included.
fn block_range(chain: &Chain, fields: Fields) -> Result<(u64, u64), RpcError> {
    let latest = chain.latest().header.number;
    if let Some(block_hash) = fields.read("blockHash", params::hash)? {
        if fields.get("fromBlock").is_some() || fields.get("toBlock").is_some() {
            let message = "cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other";
            return Err(RpcError::invalid_params(message));
        }
        let block = chain.block_by_hash(block_hash).ok_or_else(|| RpcError::new(REFUSED, "unknown block"))?;
        return Ok((block.header.number, block.header.number));
    }

    let bound = |name| -> Result<u64, RpcError> {
        Ok(match fields.read(name, params::block_tag)? {
            None | Some(BlockTag::Latest | BlockTag::Pending | BlockTag::Hash(_)) => latest,
            Some(BlockTag::Earliest) => 0,
            // A block still to come simply has no logs yet.
            Some(BlockTag::Number(number)) => number,
        })
    };
    let (first, last) = (bound("fromBlock")?, bound("toBlock")?);
    if first > last && fields.get("toBlock").is_some() {
        return Err(RpcError::invalid_params(format!("invalid block range params: {first} is after {last}")));
    }
    Ok((first, last.min(latest)))
}

fn read_percentiles(params: Params) -> Result<Vec<f64>, RpcError> {
    let Some(value) = params.optional(2) else {
        return Ok(Vec::new());
    };
    let invalid = || RpcError::invalid_params("invalid argument 2: ascending percentiles from 0 to 100 are wanted");
    let items = value.as_array().filter(|items| items.len() <= PERCENTILES_MAX).ok_or_else(invalid)?;
    let percentiles: Vec<f64> = items.iter().map(Value::as_f64).collect::<Option<_>>().ok_or_else(invalid)?;
    let in_range = percentiles.iter().all(|percentile| (0.0..=100.0).contains(percentile));
    if !in_range || !percentiles.is_sorted() {
        return Err(invalid());
    }
    Ok(percentiles)
}

/// The tip below which each percentile of the block's gas was paid; zero for an empty block.
fn tips_at(block: &Block, percentiles: &[f64]) -> Value {
    let base_fee_wei = execution::base_fee_wei(&block.header);
    let mut tips: Vec<(u128, u64)> = block
        .transactions
        .iter()
        .map(|mined| {
            let tip_wei = mined.transaction.envelope.effective_tip_per_gas(base_fee_wei).unwrap_or_default();
            (tip_wei, mined.gas_used)
        })
        .collect();
    tips.sort_unstable();

    let tip_at = |percentile: &f64| {
        let threshold = block.header.gas_used as f64 * percentile / 100.0;
        let mut gas_so_far = 0;
        let reached = tips.iter().find(|(_, gas_used)| {
            gas_so_far += gas_used;
            gas_so_far as f64 >= threshold
        });
        quantity(reached.or(tips.last()).map_or(0, |(tip_wei, _)| *tip_wei))
    };
    percentiles.iter().map(tip_at).collect()
}
