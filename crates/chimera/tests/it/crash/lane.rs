//! One wallet behind one proxy, for runs one after another; each run has a copy of the folder that was prepared once.

use super::plan::Plan;
use crate::{
    anvil::{Anvil, number},
    books::{self, Asset, Books, Sent, Wanted},
    fault_proxy::FaultProxy,
    program::Folder,
    wallet_stage::config,
};
use serde_json::json;
use std::{fs, path::Path, sync::Arc};

pub(crate) const WEI_AT_START: u128 = 1_000_000_000_000_000_000;
const UNITS_AT_START: u128 = 1_000_000_000;

pub(crate) struct Lane {
    pub(crate) anvil: Arc<Anvil>,
    pub(crate) proxy: FaultProxy,
    prepared: Folder,
    address: String,
}

/// Where one run happens.
pub(crate) struct Stage {
    pub(crate) folder: Folder,
    first_block: u128,
}

impl Lane {
    pub(crate) async fn open(anvil: Arc<Anvil>) -> Self {
        let proxy = FaultProxy::start(&anvil.url).await;
        let prepared = Folder::with_config(&config(&proxy.url, ""));
        let address = prepared.create_agent().await;
        Self { anvil, proxy, prepared, address }
    }

    pub(crate) async fn stage(&self, plan: &Plan) -> Stage {
        let folder = Folder::new();
        copy(self.prepared.path(), folder.path());
        folder.write("chimera.toml", config(&self.proxy.url, &policy(&plan.wanted)));
        // A copy of a folder whose wallet has sent something pays nothing: each run begins with a wallet that has not.
        self.anvil.rpc("anvil_setNonce", json!([self.address, "0x0"])).await;
        self.anvil.give_wei(&self.address, WEI_AT_START).await;
        self.anvil.give_usdc(&self.address, UNITS_AT_START).await;
        let first_block = number(&self.anvil.rpc("eth_blockNumber", json!([])).await) + 1;
        self.proxy.set(plan.fault, plan.seed);
        Stage { folder, first_block }
    }

    /// Everything that is wrong at the end of a run, by the word of the chain, of the store and of the program.
    pub(crate) async fn problems(&self, stage: &Stage, plan: &Plan, books: &Books) -> Vec<String> {
        let sent = books::sent_by(&self.anvil, &self.address, stage.first_block).await;
        let mut problems = books::problems(&plan.wanted, &sent, books);
        problems.extend(self.wrong_balances(&sent).await);
        let pending = number(&self.anvil.rpc("eth_getTransactionCount", json!([self.address, "pending"])).await);
        if pending != self.anvil.transactions_of(&self.address).await {
            problems.push("a transaction of the wallet waits in the node's pool".to_owned());
        }
        problems.extend(books::ledger_is_whole(&stage.folder).await.err());
        problems
    }

    async fn wrong_balances(&self, sent: &[Sent]) -> Vec<String> {
        let left = [
            (WEI_AT_START - books::taken(sent, Asset::Eth), self.anvil.wei_of(&self.address).await),
            (UNITS_AT_START - books::taken(sent, Asset::Usdc), self.anvil.usdc_of(&self.address).await),
        ];
        left.into_iter().filter(|(should, is)| should != is).map(|(should, is)| format!("{is} left in the wallet, not {should}")).collect()
    }
}

/// Allows exactly what is wanted: a reservation that is lost, or held twice, leaves too little for the rest.
fn policy(wanted: &[Wanted]) -> String {
    let mut text = "[policy]\nfirst_seen_recipient = \"allow\"\ntransfers_per_hour_max = 100000\n".to_owned();
    for asset in [Asset::Eth, Asset::Usdc] {
        let sum: u128 = wanted.iter().filter(|wanted| wanted.asset == asset).map(|wanted| wanted.amount).sum();
        let symbol = asset.symbol();
        text += &format!("[[policy.limits]]\nchain = \"8453\"\nasset = \"{symbol}\"\nper_transaction = \"{sum}\"\nper_day = \"{sum}\"\n");
    }
    text
}

/// Everything in `from`, in the folder `to`, which is there.
pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
