//! Finishes or releases what was under way: at start, and again and again in the background.

use super::{WalletTransaction, answers};
use crate::{
    domain::{
        money::ChainId,
        transfer::{TransferRecord, TransferState},
    },
    ports::{StoreError, chain_directory::ChainEntry},
};
use futures::{StreamExt, stream};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

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
        while let Some(record) = passes.next().await {
            if !record?.state.is_open() {
                recovered.settled += 1;
                recovered.still_open -= 1;
            }
        }
        Ok(recovered)
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
