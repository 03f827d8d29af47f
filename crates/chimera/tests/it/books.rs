//! What chain and store say was paid, each read on its own, and held against what was asked for.

use crate::{
    anvil::{Anvil, USDC, number},
    program::{Folder, run},
    wallet_stage::{RECIPIENT, new_task},
};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Debug};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asset {
    Eth,
    Usdc,
}

impl Asset {
    const ALL: [Self; 2] = [Self::Eth, Self::Usdc];

    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Eth => "ETH",
            Self::Usdc => "USDC",
        }
    }
}

/// One transfer that somebody wants. No two of a test have the same asset and amount, so that the chain's transactions can be told apart.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) task_id: String,
    pub(crate) asset: Asset,
    pub(crate) to: String,
    pub(crate) amount: u128,
    pub(crate) end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Paid,
    /// With this error code.
    Refused(&'static str),
}

impl Wanted {
    pub(crate) fn new(asset: Asset, amount: u128, end: End) -> Self {
        Self { task_id: new_task(), asset, to: RECIPIENT.to_lowercase(), amount, end }
    }

    pub(crate) fn input(&self) -> Value {
        let operation = match self.asset {
            Asset::Eth => "native_transfer",
            Asset::Usdc => "token_transfer",
        };
        let params = json!({"asset": self.asset.symbol(), "to_address": self.to, "amount_wei_or_units": self.amount.to_string()});
        json!({"task_id": self.task_id, "agent_id": "selam", "operation": operation, "params": params})
    }

    /// Whether the answer is the last word: what was to happen has happened. Anything else is worth another call.
    pub(crate) fn is_final(&self, answer: &Value) -> bool {
        match self.end {
            End::Paid => answer["success"] == true,
            End::Refused(code) => answer["error_code"] == code,
        }
    }
}

/// A transaction in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) nonce: u128,
    pub(crate) tx_hash: String,
    pub(crate) asset: Asset,
    pub(crate) to: String,
    pub(crate) amount: u128,
    pub(crate) succeeded: bool,
    pub(crate) fee_wei: u128,
}

/// The transactions of a wallet from a block on, as the chain's own blocks have them.
pub(crate) async fn sent_by(anvil: &Anvil, wallet: &str, from_block: u128) -> Vec<Sent> {
    let last = number(&anvil.rpc("eth_blockNumber", json!([])).await);
    let mut sent = Vec::new();
    for block in from_block..=last {
        let block = anvil.rpc("eth_getBlockByNumber", json!([format!("{block:#x}"), true])).await;
        for transaction in block["transactions"].as_array().unwrap() {
            if transaction["from"].as_str().unwrap().eq_ignore_ascii_case(wallet) {
                let receipt = anvil.rpc("eth_getTransactionReceipt", json!([transaction["hash"]])).await;
                sent.push(read_sent(transaction, &receipt));
            }
        }
    }
    sent
}

fn read_sent(transaction: &Value, receipt: &Value) -> Sent {
    let text = |field: &str| transaction[field].as_str().unwrap().to_lowercase();
    let (asset, to, amount) = if text("to") == USDC.to_lowercase() {
        let words = text("input").strip_prefix("0xa9059cbb").expect("a call of transfer").to_owned();
        let amount = u128::from_str_radix(&words[64..], 16).unwrap();
        (Asset::Usdc, format!("0x{}", &words[24..64]), amount)
    } else {
        (Asset::Eth, text("to"), number(&transaction["value"]))
    };
    Sent {
        nonce: number(&transaction["nonce"]),
        tx_hash: text("hash"),
        asset,
        to,
        amount,
        succeeded: number(&receipt["status"]) == 1,
        fee_wei: number(&receipt["gasUsed"]) * number(&receipt["effectiveGasPrice"]),
    }
}

/// Everything in the store that is about money.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Books {
    transfers: Vec<TransferRow>,
    days: Vec<DayRow>,
    /// The tasks of the ledger's payments.
    payments: Vec<String>,
    /// Of all entries of the ledger.
    postings: Vec<Value>,
    ledger_rows: i64,
    integrity: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct TransferRow {
    task_id: String,
    state: String,
    tx_hash: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct DayRow {
    kind: String,
    asset: String,
    spent: u128,
    reserved: u128,
}

impl Books {
    pub(crate) fn read(folder: &Folder) -> Self {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(folder.data().join("chimera.db"), flags).unwrap();
        Self {
            transfers: rows(&db, "SELECT task_id, state, coalesce(mined_hash, tx_hash) FROM transfers ORDER BY number", |row| {
                Ok(TransferRow { task_id: row.get(0)?, state: row.get(1)?, tx_hash: row.get(2)? })
            }),
            days: rows(&db, "SELECT kind, asset, spent_units, reserved_units FROM budget_days ORDER BY 1, 2", |row| {
                let amount = |index| row.get::<_, String>(index).map(|text| text.parse().unwrap());
                Ok(DayRow { kind: row.get(0)?, asset: row.get(1)?, spent: amount(2)?, reserved: amount(3)? })
            }),
            payments: rows(&db, "SELECT task_id FROM ledger WHERE kind = 'payment' ORDER BY number", |row| row.get(0)),
            postings: rows(&db, "SELECT postings FROM ledger ORDER BY number", |row| row.get::<_, String>(0))
                .iter()
                .flat_map(|postings| serde_json::from_str::<Vec<Value>>(postings).unwrap())
                .collect(),
            ledger_rows: db.query_row("SELECT count(*) FROM ledger", [], |row| row.get(0)).unwrap(),
            integrity: db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap(),
        }
    }

    /// What is signed or reserved and not at its end.
    pub(crate) fn open_transfers(&self) -> usize {
        let is_open = |row: &&TransferRow| ["reserved", "handed_over", "signed", "broadcast"].contains(&row.state.as_str());
        self.transfers.iter().filter(is_open).count()
    }

    /// The task's transfer, released ones aside.
    fn transfers_of(&self, task_id: &str) -> Vec<&TransferRow> {
        self.transfers.iter().filter(|row| row.task_id == task_id && row.state != "released").collect()
    }

    pub(crate) fn tx_hash_of(&self, task_id: &str) -> Option<&str> {
        self.transfers_of(task_id).first()?.tx_hash.as_deref()
    }

    pub(crate) fn spent(&self, kind: &str, asset: &str) -> u128 {
        self.days.iter().filter(|day| day.kind == kind && day.asset == asset).map(|day| day.spent).sum()
    }

    /// What came to the accounts whose names begin like this, less what left them.
    pub(crate) fn on_ledger(&self, accounts: &str, asset: Asset) -> u128 {
        let mut sums = BTreeMap::<&str, u128>::new();
        // The symbol of a fee is not always known to whoever writes it; a contract always is.
        for posting in self.postings.iter().filter(|posting| posting["token"].is_string() == (asset == Asset::Usdc)) {
            if posting["account"].as_str().unwrap().starts_with(accounts) {
                *sums.entry(posting["side"].as_str().unwrap()).or_default() += posting["units"].as_str().unwrap().parse::<u128>().unwrap();
            }
        }
        let sum = |side| sums.get(side).copied().unwrap_or_default();
        sum("debit").checked_sub(sum("credit")).expect("nobody pays us back")
    }
}

fn rows<T>(db: &Connection, sql: &str, read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
    db.prepare(sql).unwrap().query_map([], read).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Everything that is wrong once nothing is under way: every wanted transfer is on chain, in the store and on the ledger once, or refused
/// and nowhere; nothing else is; and all sums are equal.
pub(crate) fn problems(wanted: &[Wanted], sent: &[Sent], books: &Books) -> Vec<String> {
    let mut found = Problems::default();
    let (to_pay, refused): (Vec<_>, Vec<_>) = wanted.iter().partition(|wanted| wanted.end == End::Paid);
    for wanted in &to_pay {
        let about = format!("task {} ({:?} {})", wanted.task_id, wanted.asset, wanted.amount);
        let is_its = |sent: &&Sent| (sent.asset, &sent.to, sent.amount) == (wanted.asset, &wanted.to, wanted.amount);
        let its: Vec<&Sent> = sent.iter().filter(is_its).collect();
        found.unequal(&format!("{about}: successful transactions on chain"), its.iter().filter(|sent| sent.succeeded).count(), 1);
        let states: Vec<(&str, Option<&str>)> =
            books.transfers_of(&wanted.task_id).iter().map(|row| (row.state.as_str(), row.tx_hash.as_deref())).collect();
        found.unequal(&format!("{about}: in the store"), states, vec![("confirmed", its.first().map(|sent| sent.tx_hash.as_str()))]);
        let entries = books.payments.iter().filter(|task_id| **task_id == wanted.task_id).count();
        found.unequal(&format!("{about}: payments on the ledger"), entries, 1);
    }
    for wanted in &refused {
        found.unequal(&format!("refused task {}: in the store", wanted.task_id), books.transfers_of(&wanted.task_id), Vec::new());
    }
    found.unequal("transactions on chain", sent.len(), to_pay.len());
    found.unequal("transfers under way", books.open_transfers(), 0);
    found.unequal("payments on the ledger", books.payments.len(), to_pay.len());
    for asset in Asset::ALL {
        let on_chain: u128 = sent.iter().filter(|sent| sent.asset == asset).map(|sent| sent.amount).sum();
        let asked: u128 = to_pay.iter().filter(|wanted| wanted.asset == asset).map(|wanted| wanted.amount).sum();
        found.unequal(&format!("sum of {asset:?} on chain"), on_chain, asked);
        found.unequal(&format!("sum of {asset:?} on the ledger"), books.on_ledger("payee:", asset), asked);
        found.unequal(&format!("sum of {asset:?} in the budget"), books.spent("own", asset.symbol()), asked);
    }
    let fees: u128 = sent.iter().map(|sent| sent.fee_wei).sum();
    found.unequal("sum of fees on the ledger", books.on_ledger("fees", Asset::Eth), fees);
    found.unequal("sum of fees in the budget", books.spent("fees", ""), fees);
    let reserved: BTreeMap<_, _> =
        books.days.iter().filter(|day| day.reserved > 0).map(|day| ((&day.kind, &day.asset), day.reserved)).collect();
    found.unequal("still reserved", reserved, BTreeMap::new());
    found.unequal("integrity of the database", books.integrity.as_str(), "ok");
    found.0
}

/// What these transactions took from the wallet.
pub(crate) fn taken(sent: &[Sent], asset: Asset) -> u128 {
    let amounts: u128 = sent.iter().filter(|sent| sent.asset == asset && sent.succeeded).map(|sent| sent.amount).sum();
    let fees: u128 = sent.iter().map(|sent| sent.fee_wei).sum();
    if asset == Asset::Eth { amounts + fees } else { amounts }
}

#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    fn unequal<T: PartialEq + Debug>(&mut self, what: &str, is: T, should: T) {
        if is != should {
            self.0.push(format!("{what}: {is:?}, not {should:?}"));
        }
    }
}

/// `chimera ledger verify`.
pub(crate) async fn ledger_is_whole(folder: &Folder) -> Result<(), String> {
    // Without the passphrase: stretching it would take longer than everything else here.
    let mut command = folder.command(&["ledger", "verify", "--json"]);
    command.env_remove("CHIMERA_WALLET_PASSPHRASE");
    let done = run(command, b"").await;
    if done.code == Some(0) { Ok(()) } else { Err(format!("the ledger is not whole: {done:?}")) }
}
