//! Transactions as bytes, for every signer.

use alloy_consensus::TxEip1559;
use alloy_primitives::{Bytes, TxKind};
use chimera_core::ports::signer::UnsignedTransaction;

pub(crate) fn eip1559(transaction: &UnsignedTransaction) -> TxEip1559 {
    TxEip1559 {
        chain_id: transaction.chain.0,
        nonce: transaction.nonce,
        gas_limit: transaction.gas_limit,
        max_fee_per_gas: transaction.max_fee_per_gas_wei,
        max_priority_fee_per_gas: transaction.max_priority_fee_per_gas_wei,
        to: TxKind::Call(transaction.to),
        value: transaction.value_wei,
        access_list: Default::default(),
        input: Bytes::copy_from_slice(&transaction.data),
    }
}
