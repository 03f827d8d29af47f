//! Running transactions: the one place that sets the EVM up, and the making of a block from its list.

use std::convert::Infallible;
use std::sync::Arc;

use alloy_consensus::constants::EMPTY_OMMER_ROOT_HASH;
use alloy_consensus::proofs::{calculate_receipt_root, ordered_trie_root_with_encoder};
use alloy_consensus::{Header, Receipt, ReceiptEnvelope, ReceiptWithBloom, Transaction};
use alloy_eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};
use alloy_primitives::{Address, B256, Bloom, Log, U256, address};
use revm::context::result::{EVMError, ExecutionResult, InvalidTransaction};
use revm::context::{BlockEnv, CfgEnv, TxEnv};
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::hardfork::SpecId;
use revm::state::EvmState;
use revm::{Context, ExecuteEvm, MainBuilder, MainContext};

use crate::error::Refusal;
use crate::transaction::SignedTransaction;

pub(crate) type State = CacheDB<EmptyDB>;

pub(crate) const SPEC: SpecId = SpecId::OSAKA;
pub(crate) const BLOCK_GAS_LIMIT: u64 = 30_000_000;
pub(crate) const GENESIS_BASE_FEE_WEI: u64 = 1_000_000_000;
/// Idle blocks lower the base fee; without a floor it would end at a few wei and hide fee mistakes.
pub(crate) const BASE_FEE_MIN_WEI: u64 = 1_000_000;
/// Receives the tips.
const FEE_RECIPIENT: Address = address!("0xfee0000000000000000000000000000000000fee");

/// A mined block with everything that JSON-RPC says about it.
pub(crate) struct Block {
    pub(crate) header: Header,
    pub(crate) hash: B256,
    pub(crate) transactions: Vec<Mined>,
}

pub(crate) struct Mined {
    pub(crate) transaction: Arc<SignedTransaction>,
    pub(crate) succeeded: bool,
    pub(crate) gas_used: u64,
    pub(crate) cumulative_gas_used: u64,
    pub(crate) effective_gas_price_wei: u128,
    pub(crate) contract_address: Option<Address>,
    pub(crate) logs: Vec<Log>,
    pub(crate) logs_bloom: Bloom,
    /// Position of its first log among all logs of the block.
    pub(crate) first_log_index: u64,
}

/// A block that has been executed but changed nothing yet.
pub(crate) struct BuiltBlock {
    pub(crate) block: Block,
    pub(crate) changes: EvmState,
    /// Candidates that the EVM would not run at all.
    pub(crate) refused: Vec<(B256, Refusal)>,
}

pub(crate) fn genesis_block(timestamp_s: u64) -> Block {
    let header = Header {
        ommers_hash: EMPTY_OMMER_ROOT_HASH,
        gas_limit: BLOCK_GAS_LIMIT,
        timestamp: timestamp_s,
        base_fee_per_gas: Some(GENESIS_BASE_FEE_WEI),
        beneficiary: FEE_RECIPIENT,
        ..Header::default()
    };
    Block { hash: header.hash_slow(), header, transactions: Vec::new() }
}

/// The header of the block after `parent`, before any transaction is in it.
pub(crate) fn next_header(parent: &Block, timestamp_s: u64) -> Header {
    let base_fee_wei =
        calc_next_block_base_fee(parent.header.gas_used, parent.header.gas_limit, base_fee_wei(&parent.header), BaseFeeParams::ethereum());
    Header {
        parent_hash: parent.hash,
        ommers_hash: EMPTY_OMMER_ROOT_HASH,
        beneficiary: FEE_RECIPIENT,
        number: parent.header.number + 1,
        gas_limit: BLOCK_GAS_LIMIT,
        timestamp: timestamp_s,
        base_fee_per_gas: Some(base_fee_wei.max(BASE_FEE_MIN_WEI)),
        // Fixed by the chain so far, so that replay gives contracts the same "random" value.
        mix_hash: parent.hash,
        ..Header::default()
    }
}

pub(crate) fn base_fee_wei(header: &Header) -> u64 {
    header.base_fee_per_gas.expect("every header of this chain is made with a base fee")
}

/// Runs the candidates in their order on top of `state`, leaving out those that do not fit or cannot run.
pub(crate) fn build_block(state: &State, chain_id: u64, mut header: Header, candidates: &[Arc<SignedTransaction>]) -> BuiltBlock {
    let base_fee_wei = base_fee_wei(&header);
    let config = CfgEnv::new_with_spec(SPEC).with_chain_id(chain_id);
    let mut evm = Context::mainnet().with_ref_db(state).with_block(evm_block(&header)).with_cfg(config).build_mainnet();

    let mut transactions: Vec<Mined> = Vec::new();
    let mut refused = Vec::new();
    let mut log_count = 0;
    for candidate in candidates {
        if header.gas_used + candidate.envelope.gas_limit() > BLOCK_GAS_LIMIT {
            continue;
        }
        match evm.transact_one(candidate.evm_input()) {
            Ok(result) => {
                header.gas_used += result.tx_gas_used();
                let mined = mined(candidate.clone(), result, header.gas_used, base_fee_wei, log_count);
                log_count += mined.logs.len() as u64;
                transactions.push(mined);
            }
            // A nonce that is not due yet means that one before it was left out; it keeps waiting.
            Err(EVMError::Transaction(InvalidTransaction::NonceTooHigh { .. })) => {}
            Err(error) => {
                let max_fee_wei = candidate.envelope.max_fee_per_gas();
                refused.push((candidate.hash(), refusal(error, max_fee_wei, base_fee_wei)));
            }
        }
    }
    let changes = evm.finalize();

    seal(&mut header, &transactions);
    let block = Block { hash: header.hash_slow(), header, transactions };
    BuiltBlock { block, changes, refused }
}

/// Runs a call on top of `state` and forgets what it changed. Any nonce will do.
pub(crate) fn simulate(state: &State, chain_id: u64, header: &Header, call: TxEnv) -> Result<ExecutionResult, Refusal> {
    let mut block = evm_block(header);
    let max_fee_wei = call.gas_price;
    if max_fee_wei == 0 {
        // A call without a price is free; the base fee must not refuse it.
        block.basefee = 0;
    }
    let base_fee_wei = block.basefee;
    let mut config = CfgEnv::new_with_spec(SPEC).with_chain_id(chain_id);
    config.disable_nonce_check = true;

    let mut evm = Context::mainnet().with_ref_db(state).with_block(block).with_cfg(config).build_mainnet();
    let outcome = evm.transact(call).map_err(|error| refusal(error, max_fee_wei, base_fee_wei))?;
    Ok(outcome.result)
}

fn refusal(error: EVMError<Infallible>, max_fee_wei: u128, base_fee_wei: u64) -> Refusal {
    match error {
        EVMError::Transaction(invalid) => Refusal::from_revm(invalid, max_fee_wei, base_fee_wei),
        other => Refusal::Evm(other.to_string()),
    }
}

fn evm_block(header: &Header) -> BlockEnv {
    BlockEnv {
        number: U256::from(header.number),
        beneficiary: header.beneficiary,
        timestamp: U256::from(header.timestamp),
        gas_limit: header.gas_limit,
        basefee: base_fee_wei(header),
        prevrandao: Some(header.mix_hash),
        ..BlockEnv::default()
    }
}

fn mined(
    transaction: Arc<SignedTransaction>,
    result: ExecutionResult,
    cumulative_gas_used: u64,
    base_fee_wei: u64,
    first_log_index: u64,
) -> Mined {
    let succeeded = result.is_success();
    let gas_used = result.tx_gas_used();
    let contract_address =
        if succeeded && transaction.envelope.is_create() { Some(transaction.sender.create(transaction.nonce())) } else { None };
    // Logs of a run that failed were undone with it.
    let logs = if succeeded { result.into_logs() } else { Vec::new() };
    Mined {
        effective_gas_price_wei: transaction.envelope.effective_gas_price(Some(base_fee_wei)),
        logs_bloom: logs.iter().collect(),
        transaction,
        succeeded,
        gas_used,
        cumulative_gas_used,
        contract_address,
        logs,
        first_log_index,
    }
}

fn seal(header: &mut Header, transactions: &[Mined]) {
    let receipts: Vec<ReceiptEnvelope> = transactions.iter().map(receipt).collect();
    header.receipts_root = calculate_receipt_root(&receipts);
    header.transactions_root = ordered_trie_root_with_encoder(transactions, |mined, out| out.extend_from_slice(&mined.transaction.raw));
    for mined in transactions {
        header.logs_bloom |= mined.logs_bloom;
    }
}

fn receipt(mined: &Mined) -> ReceiptEnvelope {
    let receipt = Receipt { status: mined.succeeded.into(), cumulative_gas_used: mined.cumulative_gas_used, logs: mined.logs.clone() };
    ReceiptEnvelope::from_typed(mined.transaction.envelope.tx_type(), ReceiptWithBloom::new(receipt, mined.logs_bloom))
}
