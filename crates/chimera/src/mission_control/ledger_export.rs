//! Every entry of the ledger, for other programs. Page by page: what is written out is never in memory as a whole.

use super::words::Words;
use crate::{config::Settings, wiring::Records};
use chimera_core::{
    contracts::UtcTime,
    domain::{
        AgentId,
        hidden::visible_line,
        ledger::{Posting, Side},
        money::{AssetKind, format_units},
    },
    ports::{
        StoreError,
        ledger::{Ledger, LedgerEntry},
    },
};
use chimera_dashboard::{LedgerFiles, LedgerForm};
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use std::sync::Arc;

const PAGE_ENTRIES: usize = 500;

/// What a bookkeeper needs of a posting, then what ties it to the chain and to this ledger.
const HEADER: [&str; 17] = [
    "entry",
    "time",
    "kind",
    "agent",
    "task_id",
    "account",
    "chain_id",
    "asset",
    "token",
    "debit",
    "credit",
    "units",
    "decimals",
    "tx_hash",
    "block_number",
    "what",
    "hash",
];

pub struct LedgerExport {
    ledger: Arc<dyn Ledger>,
    words: Words,
}

impl LedgerExport {
    pub fn new(records: &Records, settings: &Settings) -> Self {
        Self { ledger: Arc::new(records.store.clone()), words: Words::new(settings) }
    }

    /// Of one agent or of all, oldest first.
    pub fn of(&self, form: LedgerForm, agent: Option<AgentId>) -> BoxStream<'static, Result<String, StoreError>> {
        let (opening, end) = match form {
            LedgerForm::Csv => (line(&HEADER.map(str::to_owned)), String::new()),
            LedgerForm::Json => ("{\"entries\": [".to_owned(), "\n]}\n".to_owned()),
        };
        let (ledger, words) = (self.ledger.clone(), self.words.clone());
        // The last entry that was written, 0 before the first.
        let pages = stream::try_unfold(0, move |after| {
            let (ledger, words, agent) = (ledger.clone(), words.clone(), agent.clone());
            async move {
                let page = ledger.page(agent.as_ref(), after, PAGE_ENTRIES).await?;
                let Some(last) = page.last().map(|entry| entry.number) else { return Ok::<_, StoreError>(None) };
                Ok(Some((text(&page, form, after == 0, &words), last)))
            }
        });
        let edge = |text: String| stream::once(async move { Ok(text) });
        edge(opening).chain(pages).chain(edge(end)).boxed()
    }
}

impl LedgerFiles for LedgerExport {
    fn parts(&self, form: LedgerForm) -> BoxStream<'static, Result<String, StoreError>> {
        self.of(form, None)
    }
}

fn text(page: &[LedgerEntry], form: LedgerForm, is_first: bool, words: &Words) -> String {
    match form {
        LedgerForm::Csv => page.iter().flat_map(|entry| lines(entry, words)).collect(),
        LedgerForm::Json => {
            let item = |(place, entry)| format!("{}\n  {}", if is_first && place == 0 { "" } else { "," }, words.to_json(entry));
            page.iter().enumerate().map(item).collect()
        }
    }
}

fn lines(entry: &LedgerEntry, words: &Words) -> Vec<String> {
    if entry.entry.postings.is_empty() {
        return vec![line(&cells(entry, None, words))];
    }
    entry.entry.postings.iter().map(|posting| line(&cells(entry, Some(posting), words))).collect()
}

fn cells(entry: &LedgerEntry, posting: Option<&Posting>, words: &Words) -> [String; 17] {
    let fact = |name: &str| entry.entry.facts[name].as_str().unwrap_or_default().to_owned();
    let of = |read: &dyn Fn(&Posting) -> String| posting.map(read).unwrap_or_default();
    let amount =
        |side: Side| of(&|posting| if posting.side == side { format_units(posting.units, posting.asset.decimals) } else { String::new() });
    [
        entry.number.to_string(),
        UtcTime(entry.entry.at).to_string(),
        entry.entry.kind.as_str().to_owned(),
        entry.entry.agent.as_ref().map(ToString::to_string).unwrap_or_default(),
        entry.entry.task_id.map(|id| id.to_string()).unwrap_or_default(),
        of(&|posting| posting.account.to_string()),
        posting.map_or_else(|| fact("chain_id"), |posting| posting.chain.to_string()),
        posting.map_or_else(|| fact("asset"), |posting| words.symbol(posting).to_owned()),
        of(&|posting| match posting.asset.kind {
            AssetKind::Native => String::new(),
            AssetKind::Token(contract) => contract.to_checksum(None),
        }),
        amount(Side::Debit),
        amount(Side::Credit),
        of(&|posting| posting.units.to_string()),
        of(&|posting| posting.asset.decimals.to_string()),
        fact("tx_hash"),
        fact("block_number"),
        words.of(entry),
        entry.hash.clone(),
    ]
}

/// One record of RFC 4180, with its line break.
fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| cell(&visible_line(text))).collect();
    format!("{}\r\n", cells.join(","))
}

/// A spreadsheet would run what begins like a formula; an apostrophe makes it text. None of our numbers has a sign.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\'', '＝', '＋', '－', '＠']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be_and_never_run() {
        for (text, written) in [
            ("", ""),
            ("plain", "plain"),
            ("0.5", "0.5"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("＝1", "'＝1"),
            ("=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""),
        ] {
            assert_eq!(cell(text), written, "{text:?}");
        }
    }

    #[test]
    fn a_record_ends_as_the_standard_says() {
        assert_eq!(line(&["a".to_owned(), "b".to_owned()]), "a,b\r\n");
    }
}
