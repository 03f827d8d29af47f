//! A signed transaction as it came in: decoded, its sender recovered, checked as far as no state is needed.

use alloy_consensus::transaction::SignerRecoverable;
use alloy_consensus::{Transaction, TxEnvelope};
use alloy_eips::Decodable2718;
use alloy_eips::eip2718::Typed2718;
use alloy_primitives::{Address, B256, Bytes, U256};
use revm::context::TxEnv;
use revm::context_interface::cfg::gas::calculate_initial_tx_gas;
use revm::primitives::{eip3860, eip7825};

use crate::error::Refusal;
use crate::execution::SPEC;

/// The most gas one transaction may ask for (EIP-7825).
pub(crate) const GAS_LIMIT_MAX: u64 = eip7825::TX_GAS_LIMIT_CAP;
/// geth's limit on an encoded transaction.
const SIZE_MAX_BYTES: usize = 128 * 1024;

#[derive(Debug)]
pub(crate) struct SignedTransaction {
    pub(crate) envelope: TxEnvelope,
    pub(crate) sender: Address,
    pub(crate) raw: Bytes,
}

impl SignedTransaction {
    pub(crate) fn decode(raw: Bytes, chain_id: u64) -> Result<Self, Refusal> {
        if raw.len() > SIZE_MAX_BYTES {
            return Err(Refusal::Oversized { size: raw.len(), limit: SIZE_MAX_BYTES });
        }
        match raw.first() {
            None => return Err(Refusal::Undecodable("the transaction is empty".to_owned())),
            // EIP-2930 and EIP-1559; from 0x80 on it is no type but the start of a legacy transaction.
            Some(0x01 | 0x02 | 0x80..) => {}
            Some(_) => return Err(Refusal::TypeNotSupported),
        }
        let envelope = TxEnvelope::decode_2718_exact(&raw).map_err(|error| Refusal::Undecodable(error.to_string()))?;
        match envelope.chain_id() {
            None => return Err(Refusal::NotReplayProtected),
            Some(have) if have != chain_id => {
                return Err(Refusal::WrongChainId { have, want: chain_id });
            }
            Some(_) => {}
        }

        let sender = envelope.recover_signer().map_err(|_| Refusal::InvalidSender)?;
        let transaction = Self { envelope, sender, raw };
        transaction.check_without_state()?;
        Ok(transaction)
    }

    pub(crate) fn hash(&self) -> B256 {
        *self.envelope.tx_hash()
    }

    pub(crate) fn nonce(&self) -> u64 {
        self.envelope.nonce()
    }

    /// The most it can take from its sender.
    pub(crate) fn cost_max_wei(&self) -> U256 {
        let gas_wei = U256::from(self.envelope.max_fee_per_gas()) * U256::from(self.envelope.gas_limit());
        gas_wei.saturating_add(self.envelope.value())
    }

    pub(crate) fn evm_input(&self) -> TxEnv {
        TxEnv {
            tx_type: self.envelope.ty(),
            caller: self.sender,
            gas_limit: self.envelope.gas_limit(),
            gas_price: self.envelope.max_fee_per_gas(),
            kind: self.envelope.kind(),
            value: self.envelope.value(),
            data: self.envelope.input().clone(),
            nonce: self.envelope.nonce(),
            chain_id: self.envelope.chain_id(),
            access_list: self.envelope.access_list().cloned().unwrap_or_default(),
            gas_priority_fee: self.envelope.max_priority_fee_per_gas(),
            blob_hashes: Vec::new(),
            max_fee_per_blob_gas: 0,
            authorization_list: Vec::new(),
        }
    }

    fn check_without_state(&self) -> Result<(), Refusal> {
        let envelope = &self.envelope;
        let gas = envelope.gas_limit();
        if envelope.nonce() == u64::MAX {
            return Err(Refusal::NonceMax);
        }
        if gas > GAS_LIMIT_MAX {
            return Err(Refusal::GasLimitTooHigh { cap: GAS_LIMIT_MAX, gas });
        }
        if envelope.is_create() && envelope.input().len() > eip3860::MAX_INITCODE_SIZE {
            return Err(Refusal::InitCodeTooLarge);
        }
        if envelope.max_priority_fee_per_gas().is_some_and(|tip| tip > envelope.max_fee_per_gas()) {
            return Err(Refusal::TipAboveMaxFee);
        }

        let (accounts, slots) = envelope.access_list().map_or((0, 0), |list| (list.len() as u64, list.storage_keys_count() as u64));
        let needed = calculate_initial_tx_gas(SPEC, envelope.input(), envelope.is_create(), accounts, slots, 0, None);
        if gas < needed.initial_total_gas() {
            return Err(Refusal::IntrinsicGasTooLow { gas, needed: needed.initial_total_gas() });
        }
        if gas < needed.floor_gas() {
            return Err(Refusal::FloorGasTooLow { gas, needed: needed.floor_gas() });
        }
        Ok(())
    }
}
