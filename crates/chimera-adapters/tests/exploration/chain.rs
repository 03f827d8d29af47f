//! A chain whose miners and nodes do whatever harms most: any bytes that a node was ever given may land at any time, or never.

use super::oracle::Oracle;
use async_trait::async_trait;
use chimera_core::{
    domain::{
        freeze::{Freeze, FreezeCause, FreezeScope},
        money::{Address, Asset, B256, ChainId, U256},
    },
    ports::{
        chain::{Call, Chain, ChainError, FoundTransaction, Prepared, Receipt, SendPermit},
        kill_switch::KillSwitch,
        signer::UnsignedTransaction,
    },
    testing::fake_signer,
};
use chrono::{DateTime, Utc};
use std::sync::{Arc, Mutex, MutexGuard};

pub const CHAIN: ChainId = ChainId(8453);
const NODES: usize = 2;

/// What is true of the chain, whatever the nodes say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Truth {
    /// Every transaction that any node was ever given.
    pub given: Vec<Transaction>,
    /// Oldest first, one to a block; a nonce is its block's place.
    pub mined: Vec<Transaction>,
    /// So many of `mined` can no longer vanish.
    pub finalized: usize,
    pub is_frozen: bool,
    /// How often each of these may still happen.
    pub freezes_left: u8,
    /// Bytes that went out while money was frozen.
    pub sent_while_frozen: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transaction {
    pub nonce: u64,
    pub tx_hash: B256,
    pub to: Address,
    pub value_wei: U256,
}

pub struct ModelChain {
    pub truth: Mutex<Truth>,
    pub oracle: Arc<Oracle>,
    pub kill_switch: Arc<dyn KillSwitch>,
    pub block_time: DateTime<Utc>,
    /// Nodes that do what they say.
    pub is_honest: bool,
}

impl ModelChain {
    pub fn truth(&self) -> MutexGuard<'_, Truth> {
        self.truth.lock().unwrap()
    }

    /// Somebody may pull the switch between any two nodes.
    async fn maybe_freeze(&self) {
        let may = {
            let truth = self.truth();
            !self.is_honest && truth.freezes_left > 0 && !truth.is_frozen
        };
        if may && self.oracle.choose(2) == 1 {
            self.kill_switch.freeze(&freeze()).await.unwrap();
            let mut truth = self.truth();
            (truth.is_frozen, truth.freezes_left) = (true, truth.freezes_left - 1);
        }
    }

    fn give(&self, transaction: &Transaction) {
        let mut truth = self.truth();
        truth.sent_while_frozen += usize::from(truth.is_frozen);
        if !truth.given.contains(transaction) {
            truth.given.push(transaction.clone());
        }
    }

    /// One node's answer; whatever it says, it may have the bytes. `None`: it accepted them.
    fn answer(&self, node: usize, transaction: &Transaction) -> Option<ChainError> {
        let refused = || ChainError::Refused { chain: CHAIN, reason: "insufficient funds".to_owned() };
        let unreachable = || ChainError::Unreachable { chain: CHAIN, reason: "refused".to_owned() };
        // What the second node can add to the first: all but another way of not being reached.
        let ways = match (self.is_honest, node) {
            (true, _) => 1,
            (false, 0) => 5,
            (false, _) => 3,
        };
        match self.oracle_way(ways) {
            0 => {
                self.give(transaction);
                None
            }
            1 => {
                self.give(transaction);
                Some(ChainError::Unknown { reason: "no answer".to_owned() })
            }
            2 => Some(refused()),
            3 => {
                self.give(transaction);
                Some(refused())
            }
            _ => Some(unreachable()),
        }
    }

    fn oracle_way(&self, ways: usize) -> usize {
        if ways == 1 { 0 } else { self.oracle.choose(ways) }
    }
}

/// Of the whole fleet.
pub fn freeze() -> Freeze {
    let at = "2026-11-15T23:00:00Z".parse().unwrap();
    Freeze { scope: FreezeScope::Fleet, reason: "odd".to_owned(), by: "hanna".to_owned(), at, cause: FreezeCause::KillSwitch }
}

fn weight(error: &ChainError) -> u8 {
    match error {
        ChainError::Unknown { .. } => 3,
        ChainError::NonceTaken => 2,
        ChainError::Refused { .. } | ChainError::Reverted { .. } => 1,
        ChainError::Unreachable { .. } => 0,
    }
}

pub fn read(raw: &[u8], tx_hash: B256) -> Transaction {
    let (_, UnsignedTransaction { nonce, to, value_wei, .. }) = fake_signer::read(raw).unwrap();
    Transaction { nonce, tx_hash, to, value_wei }
}

#[async_trait]
impl Chain for ModelChain {
    async fn id(&self) -> Result<ChainId, ChainError> {
        Ok(CHAIN)
    }

    async fn balance(&self, _: Address, _: &Asset) -> Result<U256, ChainError> {
        Ok(U256::from(1_000_000_000_u64))
    }

    async fn decimals(&self, _: Address) -> Result<u8, ChainError> {
        Ok(18)
    }

    async fn prepare(&self, _: Address, _: &Call) -> Result<Prepared, ChainError> {
        let truth = self.truth();
        let mut next_nonce = truth.mined.len() as u64;
        while truth.given.iter().any(|given| given.nonce == next_nonce) {
            next_nonce += 1;
        }
        Ok(Prepared { next_nonce, gas_limit: 10, max_fee_per_gas_wei: 4, max_priority_fee_per_gas_wei: 1, l1_fee_max_wei: U256::ZERO })
    }

    async fn broadcast(&self, raw: &[u8], tx_hash: B256, permit: Arc<dyn SendPermit>) -> Result<(), ChainError> {
        let transaction = read(raw, tx_hash);
        let mut verdict = ChainError::Unreachable { chain: CHAIN, reason: "no node".to_owned() };
        for node in 0..NODES {
            self.maybe_freeze().await;
            if !permit.may_send().await {
                break;
            }
            let in_the_way = self.truth().mined.get(transaction.nonce as usize).map(|mined| mined.tx_hash);
            let told = match in_the_way {
                Some(mined) if mined == tx_hash => None,
                Some(_) => Some(ChainError::NonceTaken),
                None => self.answer(node, &transaction),
            };
            let Some(told) = told else { return Ok(()) };
            if weight(&told) >= weight(&verdict) {
                verdict = told;
            }
        }
        Err(verdict)
    }

    async fn receipt(&self, tx_hash: B256) -> Result<Option<Receipt>, ChainError> {
        let place = self.truth().mined.iter().position(|mined| mined.tx_hash == tx_hash);
        Ok(place.map(|place| Receipt {
            succeeded: true,
            block_number: place as u64 + 1,
            block_time: self.block_time,
            fee_wei: U256::from(20),
            token_movements: Vec::new(),
        }))
    }

    async fn confirmed_nonce(&self, _: Address) -> Result<u64, ChainError> {
        Ok(self.truth().mined.len() as u64)
    }

    async fn blocks_of(&self, tx_hashes: &[B256]) -> Result<Vec<Option<u64>>, ChainError> {
        let truth = self.truth();
        let block = |tx_hash: &B256| truth.mined.iter().position(|mined| mined.tx_hash == *tx_hash).map(|place| place as u64 + 1);
        Ok(tx_hashes.iter().map(block).collect())
    }

    async fn latest_block(&self) -> Result<u64, ChainError> {
        // Blocks without a transaction of the wallet come and go too.
        Ok(self.truth().mined.len() as u64 + 10)
    }

    async fn finalized_block(&self) -> Result<u64, ChainError> {
        Ok(self.truth().finalized as u64)
    }

    async fn transaction_of(&self, _: Address, nonce: u64, after_block: u64) -> Result<Option<FoundTransaction>, ChainError> {
        let truth = self.truth();
        let found = truth.mined.get(nonce as usize).filter(|_| nonce + 1 > after_block);
        Ok(found.map(|mined| FoundTransaction {
            tx_hash: mined.tx_hash,
            call: Call { to: mined.to, value_wei: mined.value_wei, data: Vec::new() },
        }))
    }
}
