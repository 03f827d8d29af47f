//! `eth_call` and `eth_estimateGas`: running something on the latest state without keeping it.

use alloy_eips::eip2930::AccessList;
use alloy_primitives::{Address, Bytes, TxKind, U256};
use revm::context::TxEnv;
use revm::context::result::{ExecutionResult, HaltReason};

use crate::chain::Chain;
use crate::error::Refusal;
use crate::execution;
use crate::transaction::GAS_LIMIT_MAX;

/// No transaction runs on less.
const GAS_LIMIT_MIN: u64 = 21_000;

/// A call as it came over JSON-RPC: everything but the kind and data may be left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) from: Address,
    pub(crate) to: TxKind,
    pub(crate) gas: Option<u64>,
    pub(crate) fee: Fee,
    pub(crate) value_wei: U256,
    pub(crate) data: Bytes,
    pub(crate) access_list: AccessList,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Fee {
    #[default]
    Free,
    Legacy {
        gas_price_wei: u128,
    },
    Dynamic {
        max_fee_wei: u128,
        tip_wei: u128,
    },
}

/// What the call returns.
pub(crate) fn call(chain: &Chain, call: &Call) -> Result<Bytes, Refusal> {
    let gas_limit = call.gas.unwrap_or(GAS_LIMIT_MAX).min(GAS_LIMIT_MAX);
    match simulate(chain, call, gas_limit)? {
        ExecutionResult::Success { output, .. } => Ok(output.into_data()),
        ExecutionResult::Revert { output, .. } => Err(Refusal::Reverted { output }),
        ExecutionResult::Halt { reason, .. } => Err(Refusal::Halted(reason.to_string())),
    }
}

/// A gas limit with which the call succeeds, at most about two percent above the least one.
pub(crate) fn estimate_gas(chain: &Chain, call: &Call) -> Result<u64, Refusal> {
    let allowance = gas_allowance(chain, call)?;
    let spent = match simulate(chain, call, allowance) {
        Ok(ExecutionResult::Success { gas, .. }) => gas.total_gas_spent().max(gas.floor_gas()),
        Ok(ExecutionResult::Revert { output, .. }) => return Err(Refusal::Reverted { output }),
        Ok(ExecutionResult::Halt { reason: HaltReason::OutOfGas(_), .. })
        | Err(Refusal::IntrinsicGasTooLow { .. } | Refusal::FloorGasTooLow { .. }) => {
            return Err(Refusal::GasExceedsAllowance { allowance });
        }
        Ok(ExecutionResult::Halt { reason, .. }) => {
            return Err(Refusal::Halted(reason.to_string()));
        }
        Err(refusal) => return Err(refusal),
    };

    // What was spent is usually enough; not so for code that looks at its gas or makes deep calls.
    let succeeds = |gas_limit| matches!(simulate(chain, call, gas_limit), Ok(ExecutionResult::Success { .. }));
    if succeeds(spent) {
        return Ok(spent);
    }
    let (mut too_little, mut enough) = (spent, allowance);
    while enough - too_little > enough / 64 {
        let middle = too_little + (enough - too_little) / 2;
        if succeeds(middle) {
            enough = middle;
        } else {
            too_little = middle;
        }
    }
    Ok(enough)
}

/// The most gas the call may use: what it asks for, what a transaction may have, what its sender can pay.
fn gas_allowance(chain: &Chain, call: &Call) -> Result<u64, Refusal> {
    let asked = call.gas.filter(|gas| *gas >= GAS_LIMIT_MIN).unwrap_or(GAS_LIMIT_MAX).min(GAS_LIMIT_MAX);
    let fee_wei = call.fee.max_wei();
    if fee_wei == 0 {
        return Ok(asked);
    }
    let balance_wei = chain.account(call.from).balance;
    let left_wei = balance_wei.checked_sub(call.value_wei).ok_or(Refusal::InsufficientFunds { balance_wei, cost_wei: call.value_wei })?;
    let affordable = left_wei / U256::from(fee_wei);
    Ok(u64::try_from(affordable).unwrap_or(u64::MAX).min(asked))
}

fn simulate(chain: &Chain, call: &Call, gas_limit: u64) -> Result<ExecutionResult, Refusal> {
    let has_access_list = !call.access_list.is_empty();
    let (tx_type, gas_priority_fee) = match &call.fee {
        Fee::Dynamic { tip_wei, .. } => (2, Some(*tip_wei)),
        Fee::Free | Fee::Legacy { .. } => (u8::from(has_access_list), None),
    };
    let input = TxEnv {
        tx_type,
        caller: call.from,
        gas_limit,
        gas_price: call.fee.max_wei(),
        kind: call.to,
        value: call.value_wei,
        data: call.data.clone(),
        nonce: 0,
        chain_id: Some(chain.chain_id()),
        access_list: call.access_list.clone(),
        gas_priority_fee,
        blob_hashes: Vec::new(),
        max_fee_per_blob_gas: 0,
        authorization_list: Vec::new(),
    };
    execution::simulate(chain.state(), chain.chain_id(), &chain.latest().header, input)
}

impl Fee {
    fn max_wei(&self) -> u128 {
        match self {
            Self::Free => 0,
            Self::Legacy { gas_price_wei } => *gas_price_wei,
            Self::Dynamic { max_fee_wei, .. } => *max_fee_wei,
        }
    }
}
