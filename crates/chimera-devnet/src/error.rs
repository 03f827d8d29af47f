//! What can go wrong: with the devnet itself, and with a transaction or call it will not run.

use std::path::PathBuf;

use alloy_primitives::{Address, Bytes, U256};
use revm::context::result::InvalidTransaction;

#[derive(Debug, thiserror::Error)]
pub enum DevnetError {
    #[error("chain id {chain_id} belongs to a public network or is zero; choose one of your own, such as 31337")]
    ForbiddenChainId { chain_id: u64 },

    #[error("the block time is zero; leave it out to mine each transaction at once")]
    ZeroBlockTime,

    #[error("{path} holds chain {found}, not {expected}; use that chain id or another folder")]
    OtherChainId { path: PathBuf, found: u64, expected: u64 },

    #[error("{path} is in use by another process; stop it or use another folder")]
    JournalInUse { path: PathBuf },

    #[error("{path} is damaged at line {line}: {reason}; restore it or delete the folder to start anew")]
    JournalDamaged { path: PathBuf, line: usize, reason: String },

    #[error("cannot use {path}")]
    JournalIo {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },

    /// What reached the disk is unknown, so nothing more may be promised.
    #[error("an earlier write to {path} failed; free disk space and restart")]
    JournalStopped { path: PathBuf },

    #[error("{amount} more for {address} does not fit in 256 bits")]
    Overflow { address: Address, amount: U256 },

    #[error(transparent)]
    Refused(#[from] Refusal),

    #[error("the HTTP server failed")]
    Server(#[source] std::io::Error),

    #[error("the chain stopped when an earlier request panicked; restart it")]
    Poisoned,
}

/// Why a transaction or call does not run. Clients match on these words, so they are geth's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("rlp: {0}")]
    Undecodable(String),
    #[error("transaction type not supported")]
    TypeNotSupported,
    #[error("oversized data: transaction size {size}, limit {limit}")]
    Oversized { size: usize, limit: usize },
    #[error("only replay-protected (EIP-155) transactions allowed over RPC")]
    NotReplayProtected,
    #[error("invalid chain id for signer: have {have} want {want}")]
    WrongChainId { have: u64, want: u64 },
    #[error("invalid sender")]
    InvalidSender,
    #[error("already known")]
    AlreadyKnown,
    #[error("nonce too low: next nonce {next}, tx nonce {nonce}")]
    NonceTooLow { next: u64, nonce: u64 },
    #[error("nonce has max value")]
    NonceMax,
    #[error("transaction gas limit too high (cap: {cap}, tx: {gas})")]
    GasLimitTooHigh { cap: u64, gas: u64 },
    #[error("intrinsic gas too low: gas {gas}, minimum needed {needed}")]
    IntrinsicGasTooLow { gas: u64, needed: u64 },
    #[error("insufficient gas for floor data gas cost: gas {gas}, minimum needed {needed}")]
    FloorGasTooLow { gas: u64, needed: u64 },
    #[error("max initcode size exceeded")]
    InitCodeTooLarge,
    #[error("max priority fee per gas higher than max fee per gas")]
    TipAboveMaxFee,
    #[error("max fee per gas less than block base fee: maxFeePerGas: {max_fee_wei}, baseFee: {base_fee_wei}")]
    FeeBelowBaseFee { max_fee_wei: u128, base_fee_wei: u64 },
    #[error("insufficient funds for gas * price + value: balance {balance_wei}, tx cost {cost_wei}")]
    InsufficientFunds { balance_wei: U256, cost_wei: U256 },
    #[error("insufficient funds for gas * price + value: balance {balance_wei}, queued cost {queued_wei}, tx cost {cost_wei}")]
    InsufficientFundsWithQueue { balance_wei: U256, queued_wei: U256, cost_wei: U256 },
    #[error("replacement transaction underpriced")]
    ReplacementUnderpriced,
    #[error("txpool is full: {limit} transactions wait")]
    PoolFull { limit: usize },
    #[error("sender not an eoa: it has code")]
    SenderHasCode,
    #[error("gas required exceeds allowance ({allowance})")]
    GasExceedsAllowance { allowance: u64 },
    #[error("execution reverted{}", revert_reason(output))]
    Reverted { output: Bytes },
    #[error("{0}")]
    Halted(String),
    #[error("the evm refused: {0}")]
    Evm(String),
}

impl Refusal {
    /// Translates revm's refusal of the call of `sender` into geth's words.
    pub(crate) fn from_revm(refusal: InvalidTransaction, max_fee_wei: u128, base_fee_wei: u64) -> Self {
        match refusal {
            InvalidTransaction::PriorityFeeGreaterThanMaxFee => Self::TipAboveMaxFee,
            InvalidTransaction::GasPriceLessThanBasefee => Self::FeeBelowBaseFee { max_fee_wei, base_fee_wei },
            InvalidTransaction::CallGasCostMoreThanGasLimit { initial_gas, gas_limit } => {
                Self::IntrinsicGasTooLow { gas: gas_limit, needed: initial_gas }
            }
            InvalidTransaction::GasFloorMoreThanGasLimit { gas_floor, gas_limit } => {
                Self::FloorGasTooLow { gas: gas_limit, needed: gas_floor }
            }
            InvalidTransaction::TxGasLimitGreaterThanCap { gas_limit, cap } => Self::GasLimitTooHigh { cap, gas: gas_limit },
            InvalidTransaction::RejectCallerWithCode => Self::SenderHasCode,
            InvalidTransaction::LackOfFundForMaxFee { fee, balance } => Self::InsufficientFunds { balance_wei: *balance, cost_wei: *fee },
            InvalidTransaction::NonceTooLow { tx, state } => Self::NonceTooLow { next: state, nonce: tx },
            InvalidTransaction::CreateInitCodeSizeLimit => Self::InitCodeTooLarge,
            other => Self::Evm(other.to_string()),
        }
    }
}

/// `: reason` for Solidity's `Error(string)` and `Panic(uint256)`, else nothing.
fn revert_reason(output: &[u8]) -> String {
    match output.split_first_chunk::<4>() {
        Some((&[0x08, 0xc3, 0x79, 0xa0], body)) => decode_string(body).map_or_else(String::new, |reason| format!(": {reason}")),
        Some((&[0x4e, 0x48, 0x7b, 0x71], body)) if body.len() == 32 => {
            format!(": panic code {:#x}", U256::from_be_slice(body))
        }
        _ => String::new(),
    }
}

/// One ABI-encoded string: its offset, its length, its bytes.
fn decode_string(body: &[u8]) -> Option<String> {
    let word_at = |start: usize| -> Option<usize> {
        let word = body.get(start..start.checked_add(32)?)?;
        usize::try_from(U256::from_be_slice(word)).ok()
    };
    let start = word_at(0)?;
    let length = word_at(start)?;
    let text_start = start.checked_add(32)?;
    let text = body.get(text_start..text_start.checked_add(length)?)?;
    Some(String::from_utf8_lossy(text).into_owned())
}
