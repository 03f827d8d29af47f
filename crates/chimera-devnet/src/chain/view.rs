//! What can be asked of the chain without changing it.

use std::sync::Arc;

use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, U256};
use revm::DatabaseRef;
use revm::state::AccountInfo;

use super::Chain;
use crate::execution::{self, Block, Mined, State};
use crate::pool::Pool;
use crate::transaction::SignedTransaction;

impl Chain {
    pub(crate) fn chain_id(&self) -> u64 {
        self.chain_id
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(crate) fn latest(&self) -> &Block {
        self.blocks.last().expect("the genesis block is never removed")
    }

    pub(crate) fn block(&self, number: u64) -> Option<&Block> {
        self.blocks.get(usize::try_from(number).ok()?)
    }

    pub(crate) fn block_by_hash(&self, hash: B256) -> Option<&Block> {
        self.block(*self.number_by_hash.get(&hash)?)
    }

    pub(crate) fn mined(&self, tx_hash: B256) -> Option<(&Block, usize, &Mined)> {
        let (number, index) = *self.place_by_tx_hash.get(&tx_hash)?;
        let block = self.block(number)?;
        Some((block, index, block.transactions.get(index)?))
    }

    /// The header that the next block would have if it were mined now, without transactions.
    pub(crate) fn next_header(&self) -> Header {
        execution::next_header(self.latest(), self.next_timestamp_s())
    }

    pub(crate) fn next_base_fee_wei(&self) -> u64 {
        execution::base_fee_wei(&self.next_header())
    }

    pub(crate) fn ready(&self) -> Vec<Arc<SignedTransaction>> {
        self.pool.ready(self.next_base_fee_wei(), |sender| self.account(sender).nonce)
    }

    pub(crate) fn account(&self, address: Address) -> AccountInfo {
        let Ok(account) = self.state.basic_ref(address);
        account.unwrap_or_default()
    }

    pub(crate) fn storage(&self, address: Address, slot: U256) -> U256 {
        let Ok(value) = self.state.storage_ref(address, slot);
        value
    }

    pub(crate) fn code(&self, address: Address) -> Bytes {
        let account = self.account(address);
        let code = account.code.unwrap_or_else(|| {
            let Ok(code) = self.state.code_by_hash_ref(account.code_hash);
            code
        });
        code.original_bytes()
    }
}
