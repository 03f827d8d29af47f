//! Finishes or releases what was under way: at start, and again and again in the background.

use super::{WalletTransaction, answers, request::AskedTransfer};
use crate::{
    contracts::{ErrorCode, SkillFailure, UuidV4, wallet_transaction::WalletTransactionOutput},
    domain::{
        money::{B256, ChainId},
        transfer::{Mined, NewTransfer, TransferRecord, TransferState},
    },
    ports::{StoreError, chain_directory::ChainEntry},
    skills::NoProgress,
};
use futures::{StreamExt, stream};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

const SETTLED_AT_ONCE_MAX: usize = 16;

/// Whose unsigned reservations may be given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsigned {
    /// At the start of the one process that serves a data folder: whoever made them is gone. Were it not, it could no longer sign.
    ReleaseAll,
    /// At any other time: those whose lease has run out.
    ReleaseExpired,
}

/// What one pass did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recovered {
    pub released: usize,
    pub settled: usize,
    /// Signed, and not yet known to the chain's blocks.
    pub still_open: usize,
}

impl WalletTransaction {
    /// One pass over every open transfer that no call of this process is working on: sends the same signed bytes again, settles what
    /// has landed, releases what was never signed. Call it at start, and every few seconds while the program runs.
    pub async fn settle_open(&self, unsigned: Unsigned) -> Result<Recovered, StoreError> {
        let mut recovered = Recovered::default();
        let mut signed = Vec::new();
        for record in self.wallet.transfers.open().await? {
            if self.in_flight.has(record.transfer.task_id) {
                continue;
            }
            match record.state {
                TransferState::Reserved => recovered.released += usize::from(self.release(&record, unsigned).await?),
                _ => signed.push(record),
            }
        }
        let nodes = self.reachable_nodes(&signed).await;
        recovered.still_open = signed.len();
        let passes = signed.into_iter().filter_map(|record| {
            let entry = nodes.get(&record.transfer.request.chain)?;
            Some(self.wallet.deliver(record, entry, 0, None))
        });
        let mut passes = stream::iter(passes).buffer_unordered(SETTLED_AT_ONCE_MAX);
        while let Some(delivered) = passes.next().await {
            if !delivered?.record.state.is_open() {
                recovered.settled += 1;
                recovered.still_open -= 1;
            }
        }
        Ok(recovered)
    }

    /// Makes the transfer of a granted review now, once; whoever comes second gets the first one's outcome.
    pub async fn carry_out(&self, granted: &NewTransfer) -> Result<WalletTransactionOutput, SkillFailure> {
        let id = &granted.request.agent;
        let wallet = self.address_of(id).await?;
        let wallet = wallet.ok_or_else(|| SkillFailure::new(ErrorCode::UnknownAgent, format!("there is no agent {id:?} any more")))?;
        self.transfer(AskedTransfer::again(granted), wallet, &NoProgress).await
    }

    /// Makes every transfer that a person granted and that nobody is making. One that cannot be made is tried again later and later:
    /// its wallet may get the funds that it lacks.
    pub async fn carry_out_granted(&self) -> Result<(), StoreError> {
        let mut granted = self.wallet.transfers.granted(self.wallet.clock.now()).await?;
        granted.retain(|record| !self.in_flight.has(record.transfer.task_id));
        {
            let mut waits = self.waits();
            waits.retain(|task_id, _| granted.iter().any(|record| record.transfer.task_id == *task_id));
            granted.retain(|record| waits.get(&record.transfer.task_id).is_none_or(Wait::is_over));
        }
        let mut making = Vec::new();
        for record in granted {
            making.push(async move { (self.carry_out(&record.transfer).await, record) });
        }
        let mut outcomes = stream::iter(making).buffer_unordered(SETTLED_AT_ONCE_MAX);
        while let Some((outcome, record)) = outcomes.next().await {
            if let Err(failure) = outcome {
                self.waits().entry(record.transfer.task_id).and_modify(Wait::lengthen).or_insert_with(Wait::first);
                tracing::warn!(task = %record.transfer.task_id, code = ?failure.code, "a granted transfer is not made: {}", failure.message);
            }
        }
        Ok(())
    }

    fn waits(&self) -> MutexGuard<'_, HashMap<UuidV4, Wait>> {
        // Nothing can panic while it is held, and its content is whole at any moment.
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks whether the blocks of settled transfers still stand. Those that vanished are under way again; those that no longer can are left alone from now on.
    pub async fn watch_blocks(&self) -> Result<(), StoreError> {
        let records = self.wallet.transfers.not_final().await?;
        let mut looked = Vec::new();
        for (chain, entry) in self.reachable_nodes(&records).await {
            let of_chain: Vec<(&NewTransfer, &Mined)> = records
                .iter()
                .filter(|record| record.transfer.request.chain == chain)
                .filter_map(|record| Some((&record.transfer, mined_in(&record.state)?)))
                .collect();
            let hashes: Vec<B256> = of_chain.iter().map(|(_, mined)| mined.tx_hash).collect();
            // The blocks last: a height that was asked for earlier is at most too low, and then nothing is concluded.
            let heights = tokio::join!(entry.chain.latest_block(), entry.chain.finalized_block());
            let (Ok(latest), Ok(finalized)) = heights else { continue };
            let Ok(blocks) = entry.chain.blocks_of(&hashes).await else { continue };
            for ((transfer, mined), block) in of_chain.into_iter().zip(blocks) {
                looked.extend(standing(mined, block, latest, finalized).map(|standing| (transfer, standing)));
            }
        }
        let mut finals = Vec::new();
        for (transfer, standing) in looked {
            match standing {
                Standing::Final => finals.push(transfer.transaction_id),
                Standing::Vanished => {
                    tracing::warn!(task = %transfer.task_id, "the block of a settled transfer is gone; the transfer is under way again");
                    self.wallet.transfers.unsettle(transfer.transaction_id, self.wallet.clock.now()).await?;
                }
            }
        }
        self.wallet.transfers.finalize(&finals).await
    }

    /// Asked once a pass: a dead node must not be waited for once per transfer.
    async fn reachable_nodes(&self, records: &[TransferRecord]) -> BTreeMap<ChainId, Arc<ChainEntry>> {
        let chains: BTreeSet<ChainId> = records.iter().map(|record| record.transfer.request.chain).collect();
        let mut nodes = BTreeMap::new();
        for chain in chains {
            match self.wallet.chains.get(chain) {
                Some(entry) if self.wallet.is_own_node(entry).await => drop(nodes.insert(chain, Arc::clone(entry))),
                Some(_) => {
                    tracing::warn!(%chain, "transfers are open on chain {chain}, whose node cannot be reached or serves another chain")
                }
                None => tracing::warn!(%chain, "transfers are open on chain {chain}, which is not configured any more"),
            }
        }
        nodes
    }

    async fn release(&self, record: &TransferRecord, unsigned: Unsigned) -> Result<bool, StoreError> {
        let now = self.wallet.clock.now();
        if unsigned == Unsigned::ReleaseExpired && now < record.transfer.lease_until {
            return Ok(false);
        }
        self.wallet.transfers.release(record.transfer.transaction_id, &answers::interrupted(), now).await
    }
}

/// Between two tries of a granted transfer.
pub(super) struct Wait {
    tried_at: Instant,
    pause: Duration,
}

impl Wait {
    const FIRST: Duration = Duration::from_secs(5);
    const LONGEST: Duration = Duration::from_secs(120);

    fn first() -> Self {
        Self { tried_at: Instant::now(), pause: Self::FIRST }
    }

    fn lengthen(&mut self) {
        (self.tried_at, self.pause) = (Instant::now(), Self::LONGEST.min(self.pause * 2));
    }

    fn is_over(&self) -> bool {
        self.tried_at.elapsed() >= self.pause
    }
}

enum Standing {
    Final,
    Vanished,
}

fn mined_in(state: &TransferState) -> Option<&Mined> {
    match state {
        TransferState::Confirmed { mined, .. } | TransferState::Reverted { mined, .. } => Some(mined),
        _ => None,
    }
}

/// `None`: as it was. A node that has not come as far as the block yet says nothing about it.
fn standing(mined: &Mined, block: Option<u64>, latest: u64, finalized: u64) -> Option<Standing> {
    let settled_in = mined.block_number;
    if block == Some(settled_in) {
        (settled_in <= finalized).then_some(Standing::Final)
    } else {
        (latest >= settled_in).then_some(Standing::Vanished)
    }
}
