//! The chain: its state, its blocks, and the steps that change them. Each step is computed first, then
//! written down, then applied, so that memory never holds what the disk does not.

mod view;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use alloy_consensus::Transaction;
use alloy_primitives::{Address, B256, Bytes, U256};
use revm::DatabaseCommit;
use revm::state::{AccountInfo, Bytecode};

use crate::error::{DevnetError, Refusal};
use crate::execution::{self, Block, BuiltBlock, State};
use crate::journal::{Entry, Genesis, Journal, Recorded};
use crate::pool::Pool;
use crate::transaction::SignedTransaction;
use crate::{DevnetConfig, usdc};

pub(crate) struct Chain {
    chain_id: u64,
    mining: Mining,
    clock: fn() -> u64,
    state: State,
    /// Never empty: the genesis block is always there. The index is the block number.
    blocks: Vec<Block>,
    number_by_hash: HashMap<B256, u64>,
    /// Block number and position of every mined transaction.
    place_by_tx_hash: HashMap<B256, (u64, usize)>,
    pool: Pool,
    journal: Option<Journal>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mining {
    AtOnce,
    OnDemand,
}

impl Chain {
    pub(crate) fn open(config: &DevnetConfig) -> Result<Self, DevnetError> {
        let fresh = Genesis::new(config.chain_id, (config.clock)());
        let (journal, genesis, recorded) = match &config.path {
            None => (None, fresh, Vec::new()),
            Some(folder) => {
                let (journal, genesis, recorded) = Journal::open(folder, fresh)?;
                (Some(journal), genesis, recorded)
            }
        };

        let mut chain = Self::at_genesis(config, genesis.timestamp_s);
        for Recorded { line, entry } in recorded {
            chain.replay(entry).map_err(|reason| match &journal {
                Some(journal) => journal.damaged(line, reason),
                None => unreachable!("without a journal there is nothing to replay"),
            })?;
        }
        chain.journal = journal;
        // A crash may have come between taking a transaction in and mining it.
        chain.mine_waiting_at_once()?;
        Ok(chain)
    }

    /// Takes a signed transaction in. When this returns, it is on the disk.
    pub(crate) fn submit(&mut self, raw: Bytes) -> Result<B256, DevnetError> {
        let transaction = SignedTransaction::decode(raw, self.chain_id)?;
        self.check_against_state(&transaction)?;

        let hash = transaction.hash();
        let transaction = Arc::new(transaction);
        let taken_in = Entry::Transaction { raw: transaction.raw.clone() };
        let due = transaction.nonce() == self.account(transaction.sender).nonce;
        if self.mining == Mining::AtOnce && due {
            let built = self.build_block(&[transaction], self.next_timestamp_s());
            if let Some((_, refusal)) = built.refused.first() {
                return Err(refusal.clone().into());
            }
            self.record_and_apply(Some(taken_in), built)?;
            // Not a failure of this transaction, which is mined.
            if let Err(error) = self.mine_waiting_at_once() {
                tracing::error!(error = &error as &dyn std::error::Error, "mining stopped: {error}");
            }
        } else {
            self.record(&[taken_in])?;
            self.pool.insert(transaction);
        }
        Ok(hash)
    }

    /// Mines one block of all that is ready and fits, possibly of nothing.
    pub(crate) fn mine(&mut self) -> Result<u64, DevnetError> {
        let candidates = self.ready();
        let built = self.build_block(&candidates, self.next_timestamp_s());
        self.record_and_apply(None, built)?;
        Ok(self.latest().header.number)
    }

    pub(crate) fn fund(&mut self, address: Address, amount_wei: U256) -> Result<(), DevnetError> {
        let overflow = DevnetError::Overflow { address, amount: amount_wei };
        self.account(address).balance.checked_add(amount_wei).ok_or(overflow)?;

        self.record(&[Entry::Fund { address, amount_wei }])?;
        self.apply_fund(address, amount_wei);
        Ok(())
    }

    pub(crate) fn mint_usdc(&mut self, address: Address, amount_units: U256) -> Result<(), DevnetError> {
        // The supply is the sum of all balances, so whatever fits in it fits in a balance.
        let overflow = DevnetError::Overflow { address, amount: amount_units };
        self.storage(usdc::ADDRESS, usdc::SUPPLY_SLOT).checked_add(amount_units).ok_or(overflow)?;

        self.record(&[Entry::MintUsdc { address, amount_units }])?;
        self.apply_mint_usdc(address, amount_units);
        Ok(())
    }
}

impl Chain {
    fn at_genesis(config: &DevnetConfig, timestamp_s: u64) -> Self {
        let mut state = State::default();
        let code = Bytecode::new_raw(usdc::runtime_code());
        // A contract's nonce starts at one.
        let account = AccountInfo { nonce: 1, ..AccountInfo::default() }.with_code(code);
        state.insert_account_info(usdc::ADDRESS, account);

        let mut chain = Self {
            chain_id: config.chain_id,
            mining: if config.block_time.is_some() { Mining::OnDemand } else { Mining::AtOnce },
            clock: config.clock,
            state,
            blocks: Vec::new(),
            number_by_hash: HashMap::new(),
            place_by_tx_hash: HashMap::new(),
            pool: Pool::default(),
            journal: None,
        };
        chain.append_block(execution::genesis_block(timestamp_s));
        chain
    }

    fn check_against_state(&self, transaction: &SignedTransaction) -> Result<(), Refusal> {
        if self.pool.get(transaction.hash()).is_some() {
            return Err(Refusal::AlreadyKnown);
        }
        let account = self.account(transaction.sender);
        if account.code_hash != AccountInfo::default().code_hash {
            return Err(Refusal::SenderHasCode);
        }
        if transaction.nonce() < account.nonce {
            return Err(Refusal::NonceTooLow { next: account.nonce, nonce: transaction.nonce() });
        }
        let (max_fee_wei, base_fee_wei) = (transaction.envelope.max_fee_per_gas(), self.next_base_fee_wei());
        if max_fee_wei < u128::from(base_fee_wei) {
            return Err(Refusal::FeeBelowBaseFee { max_fee_wei, base_fee_wei });
        }
        let (balance_wei, cost_wei) = (account.balance, transaction.cost_max_wei());
        if balance_wei < cost_wei {
            return Err(Refusal::InsufficientFunds { balance_wei, cost_wei });
        }
        self.pool.check(transaction, balance_wei)
    }

    /// Strictly after the latest block, whatever the clock says.
    fn next_timestamp_s(&self) -> u64 {
        (self.clock)().max(self.latest().header.timestamp + 1)
    }

    fn build_block(&self, candidates: &[Arc<SignedTransaction>], timestamp_s: u64) -> BuiltBlock {
        let header = execution::next_header(self.latest(), timestamp_s);
        execution::build_block(&self.state, self.chain_id, header, candidates)
    }

    /// In the block-per-transaction mode: mines what has become due, one block for each.
    fn mine_waiting_at_once(&mut self) -> Result<(), DevnetError> {
        if self.mining == Mining::OnDemand {
            return Ok(());
        }
        while let Some(first) = self.ready().into_iter().next() {
            let built = self.build_block(&[first], self.next_timestamp_s());
            if built.block.transactions.is_empty() {
                self.drop_refused(&built);
            } else {
                self.record_and_apply(None, built)?;
            }
        }
        Ok(())
    }

    fn record(&mut self, entries: &[Entry]) -> Result<(), DevnetError> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.append(entries))
    }

    fn record_and_apply(&mut self, before: Option<Entry>, built: BuiltBlock) -> Result<(), DevnetError> {
        let block = Entry::Block {
            timestamp_s: built.block.header.timestamp,
            transactions: built.block.transactions.iter().map(|mined| mined.transaction.hash()).collect(),
            hash: built.block.hash,
        };
        let entries: Vec<Entry> = before.into_iter().chain([block]).collect();
        self.record(&entries)?;
        self.apply(built);
        Ok(())
    }

    fn apply(&mut self, built: BuiltBlock) {
        self.drop_refused(&built);
        self.state.commit(built.changes);
        let senders: BTreeSet<Address> = built.block.transactions.iter().map(|mined| mined.transaction.sender).collect();
        self.append_block(built.block);
        for sender in senders {
            self.pool.forget_below(sender, self.account(sender).nonce);
        }
    }

    /// The checks at the door leave nothing to refuse here. Should they miss something, dropping it
    /// beats trying it in every block from now on.
    fn drop_refused(&mut self, built: &BuiltBlock) {
        for (tx_hash, refusal) in &built.refused {
            tracing::warn!(%tx_hash, "dropped the waiting transaction {tx_hash}: {refusal}");
            self.pool.remove(*tx_hash);
        }
    }

    fn append_block(&mut self, block: Block) {
        let number = block.header.number;
        self.state.cache.block_hashes.insert(U256::from(number), block.hash);
        self.number_by_hash.insert(block.hash, number);
        for (index, mined) in block.transactions.iter().enumerate() {
            self.place_by_tx_hash.insert(mined.transaction.hash(), (number, index));
        }
        self.blocks.push(block);
    }

    fn apply_fund(&mut self, address: Address, amount_wei: U256) {
        let mut account = self.account(address);
        account.balance = account.balance.saturating_add(amount_wei);
        self.state.insert_account_info(address, account);
    }

    fn apply_mint_usdc(&mut self, address: Address, amount_units: U256) {
        for slot in [usdc::balance_slot(address), usdc::SUPPLY_SLOT] {
            let value = self.storage(usdc::ADDRESS, slot).saturating_add(amount_units);
            let Ok(()) = self.state.insert_account_storage(usdc::ADDRESS, slot, value);
        }
    }

    /// Repeats one step from the journal; an error says why it cannot have happened.
    fn replay(&mut self, entry: Entry) -> Result<(), String> {
        match entry {
            Entry::Transaction { raw } => {
                let transaction = SignedTransaction::decode(raw, self.chain_id).map_err(|refusal| refusal.to_string())?;
                self.pool.insert(Arc::new(transaction));
            }
            Entry::Block { timestamp_s, transactions, hash } => {
                let candidates: Vec<_> = transactions
                    .iter()
                    .map(|tx_hash| self.pool.get(*tx_hash).cloned().ok_or(format!("{tx_hash} was never taken in")))
                    .collect::<Result<_, _>>()?;
                let built = self.build_block(&candidates, timestamp_s);
                if built.block.hash != hash {
                    return Err(format!("replay made block {}, not {hash}, so it is incomplete or from another version", built.block.hash));
                }
                self.apply(built);
            }
            Entry::Fund { address, amount_wei } => self.apply_fund(address, amount_wei),
            Entry::MintUsdc { address, amount_units } => self.apply_mint_usdc(address, amount_units),
        }
        Ok(())
    }
}
