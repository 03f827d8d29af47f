//! Profit and loss. What was paid and taken as fees is on the ledger; what came in is not ours to write down, so it follows from the
//! balance that the chain says now.

use super::Context;
use crate::{
    output::Output,
    wiring::{App, Role},
};
use anyhow::Result;
use chimera_core::{
    domain::{
        AgentId,
        ledger::{Account, Side},
        money::{Address, Asset, AssetKind, ChainId, U256, format_units},
    },
    ports::{agents::Agents, ledger::Ledger},
};
use serde_json::{Value, json};
use std::process::ExitCode;

const PAGE_ENTRIES: usize = 500;
const HOW_RECEIVED: &str = "received is what must have come in: the balance that the chain says now, plus what was paid and the fees";

pub async fn run(context: Context, agent: Option<&str>) -> Result<ExitCode> {
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let done = show(&context, &app, agent).await;
    app.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn show(context: &Context, app: &App, agent: Option<&str>) -> Result<()> {
    let agents = match agent {
        Some(id) => vec![app.records.agent(id).await?],
        None => Agents::list(&app.records.store).await?,
    };
    let mut shown = Vec::new();
    for agent in agents {
        let books = books(app, &agent.id).await?;
        let assets = with_balances(app, agent.address, books).await;
        shown.push((agent.id.to_string(), agent.address, assets));
    }
    let agents: Vec<Value> = shown
        .iter()
        .map(|(id, address, assets)| {
            let assets: Vec<Value> = assets.iter().map(Line::to_json).collect();
            json!({ "agent_id": id, "address": address.to_checksum(None), "assets": assets })
        })
        .collect();
    context.output.show(&json!({ "agents": agents, "received": HOW_RECEIVED }), |out| to_lines(out, &shown))?;
    Ok(())
}

/// What an agent spent of one asset on one chain.
struct Book {
    chain: ChainId,
    asset: Asset,
    paid_units: U256,
    fees_units: U256,
}

/// From every entry of the agent.
async fn books(app: &App, agent: &AgentId) -> Result<Vec<Book>> {
    let mut books: Vec<Book> = Vec::new();
    let mut after = 0;
    loop {
        let page = app.records.store.page(Some(agent), after, PAGE_ENTRIES).await?;
        let Some(last) = page.last() else { return Ok(books) };
        after = last.number;
        for posting in page.iter().flat_map(|entry| entry.entry.postings.iter()) {
            let found = books.iter().position(|book| book.chain == posting.chain && book.asset.kind == posting.asset.kind);
            let index = found.unwrap_or_else(|| {
                books.push(Book { chain: posting.chain, asset: posting.asset.clone(), paid_units: U256::ZERO, fees_units: U256::ZERO });
                books.len() - 1
            });
            let sum = match posting.account {
                Account::Wallet(_) => continue,
                Account::Payee(_) => &mut books[index].paid_units,
                Account::Fees => &mut books[index].fees_units,
            };
            // A reversal follows what it takes back, so no sum goes below zero.
            *sum = match posting.side {
                Side::Debit => sum.saturating_add(posting.units),
                Side::Credit => sum.saturating_sub(posting.units),
            };
        }
    }
}

/// A book with what the chain says of it.
struct Line {
    chain: ChainId,
    asset: Asset,
    paid_units: U256,
    fees_units: U256,
    /// Or why it cannot be known.
    balance_units: Result<U256, String>,
}

async fn with_balances(app: &App, owner: Address, mut books: Vec<Book>) -> Vec<Line> {
    let mut lines = Vec::new();
    for entry in app.chains.all() {
        // One word from a node that does not answer is enough.
        let mut unreachable: Option<String> = None;
        for asset in std::iter::once(&entry.native).chain(&entry.tokens) {
            let book = books.iter().position(|book| book.chain == entry.id && book.asset.kind == asset.kind).map(|at| books.remove(at));
            let balance_units = match &unreachable {
                Some(reason) => Err(reason.clone()),
                None => entry.chain.balance(owner, asset).await.map_err(|error| error.to_string()),
            };
            unreachable = balance_units.as_ref().err().cloned();
            let (paid_units, fees_units) = book.as_ref().map_or((U256::ZERO, U256::ZERO), |book| (book.paid_units, book.fees_units));
            if book.is_some() || balance_units.as_ref().is_ok_and(|units| !units.is_zero()) {
                lines.push(Line { chain: entry.id, asset: asset.clone(), paid_units, fees_units, balance_units });
            }
        }
    }
    lines.extend(books.into_iter().map(|book| {
        let reason = format!("chain {} or its asset is not configured", book.chain);
        let Book { chain, asset, paid_units, fees_units } = book;
        Line { chain, asset, paid_units, fees_units, balance_units: Err(reason) }
    }));
    lines
}

impl Line {
    fn spent_units(&self) -> U256 {
        self.paid_units.saturating_add(self.fees_units)
    }

    fn received_units(&self) -> Option<U256> {
        self.balance_units.as_ref().ok().map(|balance| balance.saturating_add(self.spent_units()))
    }

    /// What is left of what was received.
    fn net_units(&self) -> Option<U256> {
        self.received_units().map(|received| received.saturating_sub(self.spent_units()))
    }

    fn shown(&self, units: U256) -> String {
        format_units(units, self.asset.decimals)
    }

    fn cells(&self) -> [String; 5] {
        let known = |units: Option<U256>| units.map_or_else(|| "unknown".to_owned(), |units| self.shown(units));
        [
            format!("{} on {}", self.asset.symbol, self.chain),
            self.shown(self.paid_units),
            self.shown(self.fees_units),
            known(self.received_units()),
            known(self.net_units()),
        ]
    }

    fn to_json(&self) -> Value {
        let mut value = json!({
            "chain_id": self.chain.to_string(),
            "asset": self.asset.symbol,
            "decimals": self.asset.decimals,
            "paid_units": self.paid_units.to_string(),
            "paid": self.shown(self.paid_units),
            "fees_units": self.fees_units.to_string(),
            "fees": self.shown(self.fees_units),
        });
        if let AssetKind::Token(contract) = self.asset.kind {
            value["token"] = json!(contract.to_checksum(None));
        }
        for (name, units) in [("received", self.received_units()), ("net", self.net_units())] {
            if let Some(units) = units {
                value[format!("{name}_units")] = json!(units.to_string());
                value[name] = json!(self.shown(units));
            }
        }
        if let Err(reason) = &self.balance_units {
            value["received_unknown"] = json!(reason);
        }
        value
    }
}

fn to_lines(out: &Output, agents: &[(String, Address, Vec<Line>)]) -> String {
    if agents.is_empty() {
        return "no agents yet; make one with: chimera agent create --soul FILE".to_owned();
    }
    let mut lines = Vec::new();
    for (id, address, assets) in agents {
        lines.push(format!("{}  {address}", out.bold(id)));
        if assets.is_empty() {
            lines.push(out.dim("  nothing was paid, and no chain that answers knows a balance"));
            continue;
        }
        let mut rows = vec![["asset", "paid", "fees", "received", "net"].map(str::to_owned)];
        rows.extend(assets.iter().map(Line::cells));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let padded = |row: &[String; 5]| {
            let figures: String = (1..5).map(|column| format!("  {:>width$}", row[column], width = width(column))).collect();
            format!("  {:<width$}{figures}", row[0], width = width(0))
        };
        lines.push(out.dim(&padded(&rows[0])));
        for (line, row) in assets.iter().zip(&rows[1..]) {
            lines.push(padded(row));
            if let Err(reason) = &line.balance_units {
                lines.push(out.dim(&format!("    received is unknown: {reason}")));
            }
        }
    }
    lines.push(out.dim(&format!("{HOW_RECEIVED}; transfers under way are not in it")));
    lines.join("\n")
}
