//! What must hold whatever happened: by the word of the chain, of the store, and of every node that was ever given signed bytes.

use super::{
    raw::Raw,
    run::{Run, Task},
    schedule::LIMITS,
    stage::{Agent, FEES_PER_DAY_WEI, STRANGER, WEI_AT_START},
};
use crate::{
    books::{self, Asset, Books, Sent, ledger_is_whole},
    program::Folder,
};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::collections::BTreeMap;

/// What an answer says of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    Paid {
        tx_hash: String,
    },
    /// Nothing is paid, and nothing of it is under way.
    Ended,
    /// A person decides whether it is made.
    Asked,
    /// Under way, or waiting for a node, for the kill switch or for a reconciliation.
    NotYet,
}

impl Told {
    pub(crate) fn read(answer: &Value) -> Self {
        if answer["success"] == true {
            return Self::Paid { tx_hash: answer["result"]["tx_hash"].as_str().unwrap().to_owned() };
        }
        if answer["error_code"] == "approval_required" {
            return Self::Asked;
        }
        let details = &answer["details"];
        let waits = ["unknown", "in_progress", "unreachable", "released", "busy"].iter().any(|state| details["state"] == *state)
            || ["frozen", "wallet_held", "chain_id_mismatch"].iter().any(|rule| details["rule"] == *rule)
            || details["replaced_by"].is_string()
            || ["internal_error", "cancelled"].iter().any(|code| answer["error_code"] == *code);
        if waits { Self::NotYet } else { Self::Ended }
    }
}

/// What can still land is within the limit together with what has landed, the store holds the budget for all of it, and nobody was paid
/// twice.
pub(crate) async fn at_any_time(run: &Run<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    let given: Vec<Raw> = run.lane.nodes.iter().flat_map(|node| node.given()).map(|raw| Raw::read(&raw)).collect();
    for (number, agent) in run.lane.agents.iter().enumerate() {
        let next_nonce = run.lane.anvil.transactions_of(&agent.address).await;
        for asset in [Asset::Eth, Asset::Usdc] {
            let tasks: Vec<&Task> = run.tasks.iter().filter(|task| task.agent == number && task.asset == asset).collect();
            let mut landed = 0;
            for task in &tasks {
                // Nobody else pays them.
                let has = run.lane.has(asset, &task.to).await;
                landed += has;
                if has > task.amount {
                    problems.push(format!("a task was paid more than once: {has} of {asset:?} for {task:?}"));
                }
            }
            // Of two with one nonce at most one lands.
            let mut by_nonce = BTreeMap::<u128, u128>::new();
            for raw in given.iter().filter(|raw| raw.nonce >= next_nonce && tasks.iter().any(|task| task.to == raw.to)) {
                let most = by_nonce.entry(raw.nonce).or_default();
                *most = raw.amount.max(*most);
            }
            let may_land: u128 = by_nonce.values().sum();
            let (booked, limit) = (booked(&run.folder, &agent.address, asset), LIMITS.of(asset));
            if landed + may_land > limit {
                problems.push(format!("{landed} of {asset:?} landed and {may_land} may still, on a day with a limit of {limit}"));
            }
            if !run.is_behind && booked < landed + may_land {
                problems.push(format!("{landed} of {asset:?} landed and {may_land} may still, but only {booked} are spent or reserved"));
            }
        }
    }
    problems
}

/// When nothing is under way any more and people have done what they were asked to: nobody was paid twice or without a task, and chain,
/// ledger, budget and answers say the same.
pub(crate) async fn at_the_end(run: &Run<'_>) -> Vec<String> {
    let mut problems = at_any_time(run).await;
    let books = Books::read(&run.folder);
    let mut all = Vec::new();
    for agent in &run.lane.agents {
        let sent = run.lane.on_chain(agent).await;
        let is_cancellation = |sent: &Sent| sent.to == agent.address.to_lowercase() && sent.amount == 0;
        for stray in sent
            .iter()
            .filter(|sent| !is_cancellation(sent))
            .filter(|sent| sent.to != STRANGER && !run.tasks.iter().any(|task| task.to == sent.to))
        {
            problems.push(format!("nobody asked for {stray:?}"));
        }
        let left = WEI_AT_START - books::taken(&sent, Asset::Eth);
        unequal(&mut problems, "wei left in the wallet, and what is gone", run.lane.anvil.wei_of(&agent.address).await, left);
        all.extend(sent);
    }
    // Of a token, its own books say what was moved: a transaction may succeed and move nothing.
    let mut moved = BTreeMap::from([(Asset::Eth, run.lane.has(Asset::Eth, STRANGER).await), (Asset::Usdc, 0)]);
    for (number, task) in run.tasks.iter().enumerate() {
        let has = run.lane.has(task.asset, &task.to).await;
        *moved.entry(task.asset).or_default() += has;
        match &task.told {
            Some(Told::Paid { tx_hash }) if has == 0 && !run.un_mines => {
                problems.push(format!("task {number} was called paid with {tx_hash}, and is not"));
            }
            // Of an old folder that somebody put back, the newer one has made the payment.
            Some(Told::Ended) if has > 0 && !run.was_put_back => problems.push(format!("task {number} is paid, and was called refused")),
            _ => {}
        }
    }
    for (asset, moved) in moved {
        unequal(&mut problems, &format!("{asset:?} on the ledger, and on chain"), books.on_ledger("payee:", asset), moved);
        unequal(&mut problems, &format!("{asset:?} in the budget, and on chain"), books.spent("own", asset.symbol()), moved);
    }
    let fees: u128 = all.iter().map(|sent| sent.fee_wei).sum();
    unequal(&mut problems, "fees on the ledger, and on chain", books.on_ledger("fees", Asset::Eth), fees);
    let own_fees: u128 = all.iter().filter(|sent| sent.to != STRANGER).map(|sent| sent.fee_wei).sum();
    if own_fees > FEES_PER_DAY_WEI {
        problems.push(format!("{own_fees} wei of fees on a day with a limit of {FEES_PER_DAY_WEI}"));
    }
    problems.extend(ledger_is_whole(&run.folder).await.err());
    problems
}

fn unequal(problems: &mut Vec<String>, what: &str, is: u128, should: u128) {
    if is != should {
        problems.push(format!("{what}: {is} and {should}"));
    }
}

fn open(folder: &Folder) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(folder.data().join("chimera.db"), flags).unwrap()
}

/// Spent and reserved, of all days.
fn booked(folder: &Folder, wallet: &str, asset: Asset) -> u128 {
    let db = open(folder);
    let mut rows =
        db.prepare("SELECT spent_units, reserved_units FROM budget_days WHERE kind = 'own' AND name = ?1 AND asset = ?2").unwrap();
    let sums = rows.query_map([wallet, asset.symbol()], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    sums.map(Result::unwrap).map(|(spent, reserved)| spent.parse::<u128>().unwrap() + reserved.parse::<u128>().unwrap()).sum()
}

/// Whether no block that the store relies on can vanish any more.
pub(crate) fn all_final(folder: &Folder) -> bool {
    let sql = "SELECT count(*) FROM transfers WHERE state IN ('confirmed', 'reverted') AND final = 0";
    open(folder).query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() == 0
}

/// Whether the wallet is held, or the chain counts transactions of it that the book does not know.
pub(crate) async fn waits_for_a_person(run: &Run<'_>, agent: &Agent) -> bool {
    let db = open(&run.folder);
    let is_held =
        db.query_row("SELECT count(*) FROM wallet_holds WHERE agent_id = ?1", [agent.id], |row| row.get::<_, i64>(0)).unwrap() > 0;
    let known = "SELECT coalesce(max(consumed_next), 0) FROM wallet_nonces WHERE wallet = ?1";
    let known: i64 = db.query_row(known, [&agent.address], |row| row.get(0)).unwrap();
    drop(db);
    let is_under_way = Books::read(&run.folder).open_transfers() > 0;
    is_held || (!is_under_way && run.lane.anvil.transactions_of(&agent.address).await > u128::try_from(known).unwrap())
}
