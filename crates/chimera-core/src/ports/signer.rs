//! Agents' keys. They never leave an implementation.

use crate::domain::{
    AgentId,
    money::{Address, B256, ChainId, U256},
};
use async_trait::async_trait;

#[async_trait]
pub trait Signer: Send + Sync {
    /// The address of the agent's key, made now if there is none. Safe to repeat: an agent never gets a second key.
    async fn create(&self, agent: &AgentId) -> Result<Address, SignerError>;
    /// Signs and sends nothing: the caller writes the bytes down first.
    async fn sign(&self, agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError>;
}

/// An EIP-1559 transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsignedTransaction {
    pub chain: ChainId,
    pub nonce: u64,
    pub to: Address,
    pub value_wei: U256,
    pub data: Vec<u8>,
    pub gas_limit: u64,
    pub max_fee_per_gas_wei: u128,
    pub max_priority_fee_per_gas_wei: u128,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedTransaction {
    pub tx_hash: B256,
    /// EIP-2718 bytes, ready for `eth_sendRawTransaction`.
    pub raw: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum SignerError {
    #[error("the keystore is locked; set CHIMERA_WALLET_PASSPHRASE or CHIMERA_WALLET_PASSPHRASE_FILE")]
    Locked,
    #[error("the passphrase does not open the keystore")]
    WrongPassphrase,
    /// Refused before anything was sealed with it. The reason says what a passphrase must be, and not what this one is.
    #[error("{reason}")]
    WeakPassphrase { reason: String },
    #[error("agent {0} has no key")]
    NoKey(AgentId),
    /// A signer elsewhere gave no signature that can be used. Its reason is safe to show.
    #[error("{reason}")]
    Remote { reason: String },
    /// A signer elsewhere wants to be asked less often. Its reason is safe to show.
    #[error("{reason}")]
    RateLimited { reason: String },
    #[error("the keystore failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}
